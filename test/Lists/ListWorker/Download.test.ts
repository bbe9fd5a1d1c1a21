import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ListError } from "../../../src/Lists/ListError.ts"
import * as Body from "../../../src/Lists/ListWorker/Body.ts"
import type { FeedResponse, Get } from "../../../src/Lists/ListWorker/Download.ts"
import * as Download from "../../../src/Lists/ListWorker/Download.ts"
import type { BuildRequest } from "../../../src/Lists/ListWorker/Messages.ts"
import { buildRequest, limits } from "../../fixtures/BuildRequests.ts"

type Sent = { readonly url: string } & Parameters<Get>[1]

/** A server: a response, the code of the error with which the connection fails, or silence. */
type Answer = FeedResponse | { readonly code: string } | "silence"

const bodyOf = async function* (...chunks: ReadonlyArray<string | Uint8Array>) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

const response = (
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
  status = 200
): FeedResponse => ({
  status,
  headers,
  body: typeof body === "string" || body instanceof Uint8Array ? bodyOf(body) : body
})

const rows = "http://a.example/\nhttp://b.example/\n"

/** What the download gives: the document as text, `not modified`, or the error. */
const download = async (answer: (sent: Sent) => Answer, changes: Partial<BuildRequest> = {}) => {
  const sent: Array<Sent> = []
  const get: Get = async (url, options) => {
    sent.push({ url, ...options })
    const given = answer({ url, ...options })
    if (given === "silence") return new Promise(() => undefined)
    if ("code" in given) throw Object.assign(new Error(`cannot connect to ${url}`), given)
    return given
  }
  const read = async () => {
    const download = await Download.download(buildRequest(changes), get, new AbortController().signal)
    if (download._tag === "NotModified") return { text: "not modified", validators: undefined }
    const chunks: Array<Uint8Array> = []
    for await (const chunk of download.body) chunks.push(chunk)
    return { text: Buffer.concat(chunks).toString(), validators: download.validators }
  }
  const result = await read().catch((error) => {
    if (error instanceof ListError) return error
    throw error
  })
  return { sent, result }
}

const shown = ({ result }: Awaited<ReturnType<typeof download>>) => {
  if (!(result instanceof ListError)) return result.text
  return result.detail === undefined ? result.reason : `${result.reason} (${result.detail})`
}

const textOf = async (
  body: Parameters<typeof response>[0],
  headers: Record<string, string> = {},
  changes: Partial<BuildRequest> = {}
) => shown(await download(() => response(body, headers), changes))

describe("the timeout of a body", () => {
  it("is not over because another list of the thread was computed while the next chunk arrived", async () => {
    const sender = createServer((socket) => {
      socket.write("first")
      socket.once("data", () => {
        socket.end("second")
        const end = Date.now() + 150
        while (Date.now() < end);
      })
    })
    await once(sender.listen(0, "127.0.0.1"), "listening")
    const { port } = sender.address() as AddressInfo
    const socket = connect(port, "127.0.0.1")
    const chunks: Array<string> = []
    for await (const chunk of Body.receive(socket, { ...limits, idleTimeoutMs: 100 })) {
      chunks.push(Buffer.from(chunk).toString())
      if (chunks.length === 1) socket.write("next")
    }
    sender.close()
    assert.deepStrictEqual(chunks, ["first", "second"])
  })
})

describe("Download", () => {
  describe("the request", () => {
    it("is sent as it is, without a fragment", async () => {
      const url = "https://feeds.example/a%2Fb?Signature=a~b-c_%2F%2B+d%20e&Expires=1&x"
      const { sent } = await download(() => response(rows), {
        url: `${url}#fragment`,
        headers: { "user-agent": "us" },
        authHeaders: { "auth-key": "SECRET" }
      })
      assert.strictEqual(sent.length, 1)
      assert.deepInclude(sent[0], {
        url,
        headers: { "user-agent": "us", "auth-key": "SECRET" },
        connectTimeoutMs: 10_000,
        allowsPrivateAddress: true
      })
    })
  })

  describe("a redirect", () => {
    const through = (from: string, hops: Readonly<Record<string, string>>) =>
      download(
        ({ url }) => {
          const location = hops[url]
          return location === undefined
            ? response(rows, { etag: `"of ${url}"` })
            : response("moved", { location, etag: '"redirect"' }, 302)
        },
        { url: from, authHeaders: { "auth-key": "SECRET" } }
      )

    it("is followed, also a relative one", async () => {
      const { sent, result } = await through("https://a.example/list", {
        "https://a.example/list": "/other?x=1",
        "https://a.example/other?x=1": "https://cdn.example/signed?Signature=~"
      })
      deepStrictEqual(
        sent.map(({ url }) => url),
        ["https://a.example/list", "https://a.example/other?x=1", "https://cdn.example/signed?Signature=~"]
      )
      deepStrictEqual(result, {
        text: rows,
        validators: { etag: '"of https://cdn.example/signed?Signature=~"', lastModified: undefined }
      })
    })

    it("is followed five times, not six", async () => {
      const hops = (count: number) =>
        Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`https://a.example/${i}`, `https://a.example/${i + 1}`])
        )
      assert.strictEqual(shown(await through("https://a.example/0", hops(5))), rows)
      const six = await through("https://a.example/0", hops(6))
      assert.strictEqual(shown(six), "TooManyRedirects")
      assert.strictEqual(six.sent.length, 6)
      const loop = await through("https://a.example/", { "https://a.example/": "https://a.example/" })
      assert.strictEqual(shown(loop), "TooManyRedirects")
    })

    it("to another origin leaves the auth header behind for good", async () => {
      const { sent } = await through("https://a.example/1", {
        "https://a.example/1": "https://a.example/2",
        "https://a.example/2": "https://b.example/3",
        "https://b.example/3": "https://a.example/4"
      })
      deepStrictEqual(
        sent.map(({ headers }) => headers["auth-key"]),
        ["SECRET", "SECRET", undefined, undefined]
      )
      deepStrictEqual(
        sent.map(({ allowsPrivateAddress }) => allowsPrivateAddress),
        [true, false, false, false]
      )
    })

    it("of a private host lets a name resolve to a private address", async () => {
      const { sent } = await through("http://mirror/1", {
        "http://mirror/1": "https://b.example/2",
        "https://b.example/2": "https://c.example/3"
      })
      deepStrictEqual(
        sent.map(({ allowsPrivateAddress }) => allowsPrivateAddress),
        [true, true, false]
      )
    })

    it("to a forbidden address is refused, and nothing is sent there", async () => {
      const refused = await through("https://a.example/", { "https://a.example/": "https://127.0.0.1/" })
      assert.strictEqual(shown(refused), "ForbiddenRedirect")
      assert.strictEqual(refused.sent.length, 1)
    })

    it("without a location is a response like any other that is no document", async () => {
      assert.strictEqual(shown(await download(() => response("", {}, 302))), "Status (302)")
    })
  })

  describe("a response", () => {
    it.each([201, 204, 300, 401, 403, 404, 429, 500, 503, 509])("of status %i fails", async (status) => {
      const { result } = await download(() => response("no", { "retry-after": "120" }, status))
      assert.deepInclude(result, { reason: "Status", detail: String(status), retryAfterMillis: 120_000 })
    })

    it("of status 304 is no document", async () => {
      assert.strictEqual(shown(await download(() => response("", {}, 304))), "not modified")
    })

    it.each([
      ["ECONNREFUSED", "Unreachable (ECONNREFUSED)"],
      ["ENOTFOUND", "Unreachable (ENOTFOUND)"],
      ["CERT_HAS_EXPIRED", "Unreachable (CERT_HAS_EXPIRED)"],
      ["ENOTPUBLIC", "ForbiddenRedirect (ENOTPUBLIC)"],
      ["ECONNECTTIMEOUT", "Timeout (ECONNECTTIMEOUT)"]
    ])("that fails with %s is %s", async (code, message) => {
      const failed = await download(() => ({ code }), { url: "https://feeds.example/?key=SECRET" })
      assert.strictEqual(shown(failed), message)
      assert.notInclude(inspect(failed.result, { depth: 10 }), "SECRET")
    })
  })

  describe("a body", () => {
    it("is decompressed as its bytes demand, once or twice", async () => {
      const once = gzipSync(rows)
      assert.strictEqual(await textOf(once), rows)
      assert.strictEqual(await textOf(once, { "content-encoding": "gzip" }), rows)
      assert.strictEqual(await textOf(gzipSync(once), { "content-encoding": "gzip" }), rows)
      assert.strictEqual(await textOf(Buffer.concat([once, gzipSync("more")])), `${rows}more`)
      assert.strictEqual(await textOf(gzipSync(gzipSync(once))), "NotAFeed (gzip)")
    })

    it("is read in chunks of any size", async () => {
      for (const bytes of [Buffer.from(rows), gzipSync(rows), gzipSync(gzipSync(rows))])
        for (const size of [1, 2, 9, 11]) {
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
            bytes.subarray(i * size, (i + 1) * size)
          )
          assert.strictEqual(await textOf(bodyOf(...chunks)), rows)
        }
    })

    it("of another kind is refused", async () => {
      const html = "<!doctype html><title>Are you a robot?</title>"
      for (const body of [html, `\n\t  ${html}`, `\ufeff${html}`, `\ufeff \n${html}`, " ".repeat(900) + html])
        assert.strictEqual(await textOf(body), "NotAFeed (HTML)")
      assert.strictEqual(await textOf(gzipSync(html)), "NotAFeed (HTML)")
      for (const type of ["text/html", "Text/HTML; charset=utf-8"])
        assert.strictEqual(await textOf(rows, { "content-type": type }), "NotAFeed (HTML)")
      assert.strictEqual(await textOf("BZh91AY&SYinvented"), "NotAFeed (bzip2)")
      assert.strictEqual(await textOf("PK\x03\x04invented bytes"), "NotAFeed (zip)")
      assert.strictEqual(await textOf(gzipSync("PK\x03\x04invented bytes")), "NotAFeed (zip)")
    })

    it("that only starts like another kind is read", async () => {
      for (const body of ["PKO.example/", "BZh9.example/", "", "\n", "x"])
        assert.strictEqual(await textOf(body), body)
    })

    it("that is cut off is corrupt", async () => {
      const compressed = gzipSync(rows.repeat(1000))
      for (const length of [12, 20, compressed.length - 9, compressed.length - 1])
        assert.strictEqual(await textOf(compressed.subarray(0, length)), "Corrupt (gzip)")
      const broken = Buffer.from(compressed)
      broken.fill(0x55, 30, 40)
      assert.strictEqual(await textOf(broken), "Corrupt (gzip)")
    })

    it("whose connection breaks is unreachable", async () => {
      const breaking = async function* () {
        yield Buffer.from(rows)
        throw Object.assign(new Error("SECRET"), { code: "ECONNRESET" })
      }
      assert.strictEqual(await textOf(breaking()), "Unreachable (ECONNRESET)")
    })

    it("above the size limit is not read on, compressed or not", async () => {
      const limit = { limits: { ...limits, maxBodyBytes: 100_000 } }
      let sent = 0
      const endless = async function* () {
        for (; sent < 1000; sent++) yield Buffer.alloc(1000, "a")
      }
      assert.strictEqual(await textOf(endless(), {}, limit), "TooLarge")
      assert.strictEqual(sent, 100)
      assert.strictEqual(await textOf("a".repeat(100_000), {}, limit), "a".repeat(100_000))
      assert.strictEqual(await textOf(gzipSync("a".repeat(100_001)), {}, limit), "TooLarge")
      assert.strictEqual(await textOf(gzipSync(gzipSync("a".repeat(100_001))), {}, limit), "TooLarge")
    })
  })

  describe("a timeout", () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    const pause = (seconds: number) => new Promise((resume) => setTimeout(resume, seconds * 1000))

    /** What a download gives; undefined while it goes on. */
    const started = (answer: Answer) => {
      const state = { shown: undefined as string | undefined }
      void download(() => answer).then((result) => {
        state.shown = shown(result)
      })
      return state
    }

    it("ends the wait for a response after 40 seconds", async () => {
      const state = started("silence")
      await vi.advanceTimersByTimeAsync(39_999)
      assert.isUndefined(state.shown)
      await vi.advanceTimersByTimeAsync(1)
      assert.strictEqual(state.shown, "Timeout (no answer)")
    })

    it("ends the wait for a chunk after 30 seconds, however long the chunks before took", async () => {
      const stalling = async function* () {
        for (let chunk = 0; chunk < 3; chunk++) {
          await pause(29)
          yield Buffer.from(rows)
        }
        await new Promise(() => undefined)
      }
      const state = started(response(stalling()))
      await vi.advanceTimersByTimeAsync(3 * 29_000 + 29_999)
      assert.isUndefined(state.shown)
      await vi.advanceTimersByTimeAsync(1)
      assert.strictEqual(state.shown, "Timeout (no byte for 30 seconds)")
    })

    it("does not count the time in which the reader works on a chunk", async () => {
      const { body } = response(bodyOf(rows, rows))
      const reading = (async () => {
        let chunks = 0
        for await (const _ of Body.receive(body, limits)) {
          await pause(60)
          chunks++
        }
        return chunks
      })()
      await vi.advanceTimersByTimeAsync(120_000)
      assert.strictEqual(await reading, 2)
    })
  })
})
