import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../fixtures/Request.ts"
import { noCheckers, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

const service = serviceUnderTest(noCheckers)

const ownOnly =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const forPeople = `${ownOnly}; img-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`
const forDocs = `${ownOnly}; img-src 'self' data:`

const files = [
  ["/", "page.html", "text/html; charset=utf-8", forPeople],
  ["/page.css", "page.css", "text/css; charset=utf-8", forPeople],
  ["/page.browser.js", "page.browser.js", "text/javascript; charset=utf-8", forPeople],
  ["/texts.browser.js", "texts.browser.js", "text/javascript; charset=utf-8", forPeople],
  ["/icon.svg", "icon.svg", "image/svg+xml", forPeople],
  ["/docs", "docs.html", "text/html; charset=utf-8", forDocs],
  ["/docs.browser.js", "docs.browser.js", "text/javascript; charset=utf-8", forDocs]
] as const

const headersWith = (policy: string) => ({
  "cache-control": "no-cache",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  vary: "Accept-Encoding",
  "x-content-type-options": "nosniff"
})

describe("pages", () => {
  for (const [path, name, contentType, policy] of files)
    it.scoped(`serves ${path} with its headers, and 304 if the browser has it`, () =>
      Effect.gen(function* () {
        const port = yield* service
        const headers = headersWith(policy)
        const file = readFileSync(new URL(`../../src/Http/Pages/${name}`, import.meta.url))
        const etag = `"${createHash("sha256").update(file).digest("base64url")}"`

        const answer = yield* send(port, { method: "GET", path })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.body, file.toString("utf8"))
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

  it.scoped("varies by the coding and by the origin", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest(noCheckers, { CORS_ORIGINS: "https://a.example.com" })
      const answer = yield* send(port, { method: "GET", path: "/page.css" })
      assert.strictEqual(answer.headers.vary, "Accept-Encoding, Origin")
    })
  )

  it.scoped("serves no other file of its folder", () =>
    Effect.gen(function* () {
      const port = yield* service
      for (const path of ["/Page/page.html", "/page.html", "/tsconfig.json", "/../Api.ts", "/%2e%2e/Api.ts"])
        assert.strictEqual((yield* send(port, { method: "GET", path })).status, 404, path)
    })
  )
})
