import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, LogLevel } from "effect"
import * as PageFile from "../../src/Http/Pages/PageFile.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as OtlpTracing from "../../src/Layers/Telemetry/OtlpTracing.ts"
import { feedWith } from "../fixtures/FeedStatuses.ts"
import { collect } from "../fixtures/LogLines.ts"
import * as OtlpReceiver from "../fixtures/OtlpReceiver.ts"
import { send } from "../fixtures/Request.ts"
import { environment, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"
import { textsIn } from "../fixtures/Texts.ts"

const service = serviceUnderTest()

const ownOnly =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const forPeople = `${ownOnly}; img-src 'self'; manifest-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`
const forDocs = `${ownOnly}; img-src 'self' data:`

const html = "text/html; charset=utf-8"
const css = "text/css; charset=utf-8"
const script = "text/javascript; charset=utf-8"

const files = [
  ["/", "page.html", html, forPeople],
  ["/page.css", "page.css", css, forPeople],
  ["/page.browser.js", "page.browser.js", script, forPeople],
  ["/checks.browser.js", "checks.browser.js", script, forPeople],
  ["/link.browser.js", "link.browser.js", script, forPeople],
  ["/texts.browser.js", "texts.browser.js", script, forPeople],
  ["/verdict.browser.js", "verdict.browser.js", script, forPeople],
  ["/reasons.browser.js", "reasons.browser.js", script, forPeople],
  ["/picture.browser.js", "picture.browser.js", script, forPeople],
  ["/Languages/message.browser.js", "Languages/message.browser.js", script, forPeople],
  ["/Languages/reporting.json", "Languages/reporting.json", "application/json", forPeople],
  ["/Languages/pl.json", "Languages/pl.json", "application/json", forPeople],
  ["/App/icon.svg", "App/icon.svg", "image/svg+xml", forPeople],
  ["/App/manifest.webmanifest", "App/manifest.webmanifest", "application/manifest+json", forPeople],
  ["/share", "App/share.html", html, forPeople],
  ["/App/share.browser.js", "App/share.browser.js", script, forPeople],
  ["/docs", "Docs/docs.html", html, forDocs],
  ["/Docs/docs.css", "Docs/docs.css", css, forDocs],
  ["/Docs/docs.browser.js", "Docs/docs.browser.js", script, forDocs]
] as const

const headersWith = (policy: string, isInLanguages: boolean) => ({
  ...(isInLanguages && { "content-language": "en" }),
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  vary: isInLanguages ? "Accept-Encoding, Accept-Language" : "Accept-Encoding",
  "x-content-type-options": "nosniff"
})

/** A file as a service without feeds and other settings fills it. */
const contentOf = (name: string): string => {
  const text = readFileSync(new URL(`../../src/Http/Pages/${name}`, import.meta.url), "utf8")
  return /\.html$/.test(name)
    ? PageFile.fill(text.replace('<html lang="en">', '<html lang="{{language}}">'), {
        ...Object.fromEntries(
          Object.entries(textsIn("en")).flatMap(([name, text]) =>
            typeof text === "string" ? [[name, text]] : []
          )
        ),
        language: "en",
        contact: undefined,
        publishers: ""
      })
    : text
}

const get = (port: number, path: string) => send(port, { method: "GET", path })

describe("pages", () => {
  for (const [path, name, contentType, policy] of files)
    it.scoped(`serves ${path} with its headers, and 304 if the browser has it`, () =>
      Effect.gen(function* () {
        const port = yield* service
        const headers = {
          ...headersWith(policy, ["/", "/share"].includes(path)),
          "cache-control": path === "/share" ? "no-store" : "no-cache"
        }
        const content = contentOf(name)
        const etag = `"${createHash("sha256").update(content).digest("base64url")}"`

        const answer = yield* get(port, path)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.body, content)
        assert.deepInclude(answer.headers, { ...headers, etag, "content-type": contentType })

        const head = yield* send(port, { method: "HEAD", path })
        assert.deepStrictEqual([head.status, head.body, head.headers.etag], [200, "", etag])

        for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
          const same = yield* send(port, { method: "GET", path, headers: { "if-none-match": known } })
          assert.deepStrictEqual([same.status, same.body], [304, ""])
          assert.deepInclude(same.headers, { ...headers, etag })
        }
        const other = yield* send(port, { method: "GET", path, headers: { "if-none-match": '"other"' } })
        assert.strictEqual(other.status, 200)

        const posted = yield* send(port, { method: "POST", path })
        assert.deepStrictEqual([posted.status, posted.headers.allow], [405, "GET, HEAD, OPTIONS"])
      })
    )

  it.scoped("is in the language of the browser, or in that of the query", () =>
    Effect.gen(function* () {
      const port = yield* service
      const titleFor = (path: string, preferred: string) =>
        Effect.map(
          send(port, { method: "GET", path, headers: { "accept-language": preferred } }),
          ({ body, headers }) => [
            headers["content-language"],
            /<html lang="(\w+)">/.exec(body)?.[1],
            /<title>(.*)<\/title>/.exec(body)?.[1]
          ]
        )
      const german = ["de", "de", textsIn("de").title]
      assert.deepStrictEqual(yield* titleFor("/", "de-CH, en;q=0.5"), german)
      assert.deepStrictEqual(yield* titleFor("/?language=de", "fr"), german)
      assert.deepStrictEqual(yield* titleFor("/share?text=x", "fr"), ["fr", "fr", textsIn("fr").name])
      assert.deepStrictEqual(yield* titleFor("/", "ja"), ["en", "en", textsIn("en").title])
    })
  )

  it.scoped("varies by the coding and by the origin", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ env: { CORS_ORIGINS: "https://a.example.com" } })
      const answer = yield* get(port, "/page.css")
      assert.strictEqual(answer.headers.vary, "Accept-Encoding, Origin")
    })
  )

  it.scoped("serves no other file of its folder", () =>
    Effect.gen(function* () {
      const port = yield* service
      for (const path of ["/Page/page.html", "/page.html", "/../Api.ts", "/%2e%2e/Api.ts"])
        assert.strictEqual((yield* get(port, path)).status, 404, path)
    })
  )

  it("have no script, style or event handler inside, which the policy forbids", () => {
    for (const name of ["page.html", "App/share.html", "Docs/docs.html"])
      assert.notMatch(contentOf(name), /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/, name)
  })

  it.scoped("leave nothing of their templates behind", () =>
    Effect.gen(function* () {
      const port = yield* service
      for (const path of ["/", "/docs"]) assert.notMatch((yield* get(port, path)).body, /\{\{|<!--/, path)
    })
  )

  it("have a manifest without an id, which would be the same for all services of a host", () => {
    // Browsers resolve it from the root of the host. Without one it is the start page, below the path of a proxy too.
    assert.notInclude(contentOf("App/manifest.webmanifest"), '"id"')
  })

  it("have a manifest with what browsers need to install them", () => {
    // https://web.dev/articles/install-criteria
    const { display, icons, name, start_url } = JSON.parse(contentOf("App/manifest.webmanifest"))
    assert.deepStrictEqual(
      [typeof name, start_url, display, icons[0].sizes],
      ["string", "../", "minimal-ui", "any"]
    )
  })

  it.scoped("link to CONTACT_URL if it is set, as escaped text", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ env: { CONTACT_URL: 'mailto:a@example.com?subject="<b>' } })
      const silent = yield* service
      for (const path of ["/", "/docs"]) {
        const { body } = yield* get(port, path)
        assert.include(body, '<a href="mailto:a@example.com?subject=%22%3Cb%3E" rel="noreferrer">', path)
        assert.include(body, "Report a wrong result", path)
        assert.notInclude((yield* get(silent, path)).body, "Report a wrong result", path)
      }
      assert.include((yield* get(port, "/")).body, 'id="mistake"')
      assert.notInclude((yield* get(silent, "/")).body, 'id="mistake"')
    })
  )

  it.scoped("have Google's notice on the page for people exactly when the lookup is configured", () =>
    Effect.gen(function* () {
      const notice =
        "Google works to provide the most accurate and up-to-date information about unsafe web resources. However, Google cannot guarantee that its information is comprehensive and error-free: some risky sites may not be identified, and some safe sites may be identified in error."
      const textOf = (port: number) => Effect.map(get(port, "/"), ({ body }) => body.replace(/\s+/g, " "))
      assert.include(yield* textOf(yield* serviceUnderTest({ env: { REPUTATION_API_KEY: "key" } })), notice)
      assert.notInclude(yield* textOf(yield* service), "Google")
    })
  )

  it.scoped("have the publishers of the feeds that are on, and no address of a feed", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        env: { FEED_A_URL: "https://feeds.example.com/list?key=secret" },
        feeds: {
          feed_a: feedWith({ sourceName: `"A" & <b>` }),
          feed_d: feedWith({ sourceName: "list=d" })
        }
      })
      const { body } = yield* get(port, "/")
      const [, content = ""] = /<meta name="publishers" content="([^"]*)">/.exec(body) ?? []
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(content.replaceAll("&amp;", "&"))), {
        feed_a: `"A" & <b>`,
        feed_d: "list=d"
      })
      assert.notInclude(body, "feeds.example.com")
      assert.notInclude(body, "secret")
    })
  )
})

/** Sends bytes and returns all that comes back until the service closes the connection. */
const exchange = (port: number, sent: string) =>
  Effect.async<string>((resume) => {
    const socket = Net.connect(port, "127.0.0.1", () => void socket.write(sent))
    let received = ""
    socket.on("data", (piece) => {
      received += piece.toString("latin1")
    })
    socket.on("close", () => resume(Effect.succeed(received)))
    socket.on("error", () => undefined)
    return Effect.sync(() => socket.destroy())
  })

describe("/share", () => {
  it.scoped("has a query that is in no log, trace, metric or response", () =>
    Effect.gen(function* () {
      const { lines, layer } = collect(LogLevel.All)
      const receiver = yield* OtlpReceiver.make
      const query = "title=secret&text=https%3A%2F%2Fsecret.example%2F&url=secret"
      const answers = yield* Effect.scoped(
        Effect.gen(function* () {
          const port = yield* serviceUnderTest()
          const sent = [
            yield* get(port, `/share?${query}`),
            yield* get(port, `http://127.0.0.1/share?${query}#secret`),
            yield* send(port, { method: "HEAD", path: `/share?${query}` }),
            yield* send(port, { method: "OPTIONS", path: `/share?${query}` }),
            yield* send(port, { method: "POST", path: `/share?${query}`, body: query }),
            yield* get(port, `/share/?${query}`),
            yield* get(port, "/metrics")
          ]
          const malformed = yield* exchange(port, `GET /share?${query} HTTP/1.1\r\nno header\r\n\r\n`)
          const large = yield* exchange(port, `GET /share?${query.repeat(400)} HTTP/1.1\r\nhost: x\r\n\r\n`)
          assert.deepStrictEqual(
            sent.map(({ status }) => status),
            [200, 200, 200, 204, 405, 404, 200]
          )
          assert.match(malformed, /^HTTP\/1\.1 400 /)
          assert.match(large, /^HTTP\/1\.1 431 /)
          return [...sent, malformed, large]
        })
      ).pipe(
        Effect.provide(
          Layer.mergeAll(
            Layer.provide(OtlpTracing.layer, AppConfig.layer).pipe(
              Layer.provide(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }))
            ),
            Metrics.layer,
            layer
          )
        )
      )
      assert.include(JSON.stringify(lines), '"/share"')
      assert.include(
        receiver.spans().map(({ name }) => name),
        "GET /share"
      )
      assert.include(JSON.stringify(answers), 'route=\\"/share\\"')
      for (const text of [lines, receiver.requests, answers].map((written) => JSON.stringify(written)))
        assert.notInclude(text, "secret")
    })
  )
})
