import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import * as FeedDownload from "../../../../src/Checkers/ThreatFeed/Worker/FeedDownload.ts"
import { FeedWorker } from "../../../../src/Checkers/ThreatFeed/Worker/FeedWorker.ts"
import * as ThreatListBytes from "../../../../src/Checkers/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../../../src/Checkers/ThreatList.ts"
import { expiredCertificate } from "../../../fixtures/ExpiredCertificate.ts"
import * as FeedServer from "../../../fixtures/FeedServer.ts"
import * as FeedWorkerProgram from "../../../fixtures/FeedWorkerProgram.ts"
import { hashKey, kindOf } from "../../../fixtures/ThreatLists.ts"

let folder = ""
let program = new URL("file:///")

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  program = await FeedWorkerProgram.build(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const layer = Layer.scoped(
  FeedWorker,
  Effect.suspend(() => FeedWorker.make(program))
)

const rows = "http://a.example/\nhttp://b.example/\n"

/** Which of the rows' hosts are on the list that is made. */
const listed = (url: URL, authHeader: FeedDownload.FeedAddress["authHeader"] = Option.none()) =>
  Effect.gen(function* () {
    const feed = { url, format: "lines", authHeader } as const
    const answer = yield* FeedDownload.download(feed, FeedDownload.noValidators)
    if (answer._tag === "NotModified") return []
    const { bytes } = yield* answer.make({
      hashKey,
      stampClock: undefined,
      document: { format: "lines", category: "phishing" },
      earlier: undefined
    })
    const list = new ThreatList(yield* Effect.orDie(ThreatListBytes.open(bytes)))
    return ["a", "b", "c"].filter((name) => kindOf(list, `http://${name}.example/`) === "listedUrl")
  }).pipe(Effect.scoped)

const failure = (url: URL) => Effect.map(Effect.flip(listed(url)), ({ message }) => message)

const turn = Effect.promise(() => new Promise(setImmediate))

/** Turns of the event loop until something holds. */
const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.zipRight(turn, until(holds))))

describe("FeedDownload over sockets", () => {
  it.scoped("reads a document, compressed or not, with and without a length", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/plain", FeedServer.document(rows))
      server.serve("/chunked", FeedServer.document(rows, { chunked: true }))
      server.serve("/list.gz", FeedServer.document(FeedServer.gzip(rows)))
      server.serve(
        "/encoded",
        FeedServer.document(FeedServer.gzip(rows), { headers: { "content-encoding": "gzip" } })
      )
      for (const path of ["/plain", "/chunked", "/list.gz", "/encoded"])
        assert.deepStrictEqual(yield* listed(server.url(path)), ["a", "b"], path)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("leaves the auth header at the feed's own origin", () =>
    Effect.gen(function* () {
      const home = yield* FeedServer.make()
      const elsewhere = yield* FeedServer.make()
      home.serve("/list", FeedServer.redirect(elsewhere.url("/signed?Signature=a~b"), 301))
      elsewhere.serve("/signed?Signature=a~b", FeedServer.document(rows))
      const key = Option.some({ name: "auth-key", value: Redacted.make("SECRET") })
      assert.deepStrictEqual(yield* listed(home.url("/list"), key), ["a", "b"])
      assert.strictEqual(home.received[0]?.headers["auth-key"], "SECRET")
      assert.strictEqual(elsewhere.received[0]?.headers["auth-key"], undefined)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is not led from the Internet into a private network by a name", () =>
    Effect.gen(function* () {
      const home = yield* FeedServer.make()
      const inside = yield* FeedServer.make()
      inside.serve("/metadata", FeedServer.document(rows))
      const real = yield* FeedWorker
      // Stands for a name server: cdn.example is a name of this machine.
      const get: typeof real.get = (request) => {
        const { hostname, pathname } = new URL(request.url)
        if (hostname === "feeds.example") {
          home.serve("/list", FeedServer.redirect("https://cdn.example/metadata"))
          return real.get({ ...request, url: home.url("/list").href })
        }
        const target = inside.url(pathname)
        target.hostname = "localhost"
        return real.get({ ...request, url: target.href })
      }
      assert.strictEqual(
        yield* Effect.provideService(failure(new URL("https://feeds.example/list")), FeedWorker, {
          ...real,
          get
        }),
        "ForbiddenRedirect (ENOTPUBLIC)"
      )
      assert.strictEqual(home.received.length, 1)
      assert.strictEqual(inside.received.length, 0)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("fails when nobody listens, the certificate is no good, or the connection breaks", () =>
    Effect.gen(function* () {
      const nobody = yield* Effect.scoped(Effect.map(FeedServer.make(), (server) => server.url("/")))
      assert.strictEqual(yield* failure(nobody), "Unreachable (ECONNREFUSED)")

      const untrusted = yield* FeedServer.make(expiredCertificate)
      untrusted.serve("/", FeedServer.document(rows))
      assert.match(
        yield* failure(untrusted.url("/")),
        /^Unreachable \((DEPTH_ZERO_SELF_SIGNED_CERT|CERT_HAS_EXPIRED)\)$/
      )

      const server = yield* FeedServer.make()
      server.serve("/reset", { _tag: "Reset", body: rows })
      server.serve("/short", { _tag: "Short", body: rows, announced: rows.length + 1 })
      const compressed = gzipSync(rows)
      server.serve("/reset.gz", { _tag: "Reset", body: compressed.subarray(0, 20) })
      server.serve("/cut.gz", FeedServer.document(compressed.subarray(0, -4)))
      for (const path of ["/reset", "/short", "/reset.gz"])
        assert.match(yield* failure(server.url(path)), /^Unreachable \([A-Z_]+\)$/, path)
      assert.strictEqual(yield* failure(server.url("/cut.gz")), "Corrupt (gzip)")
    }).pipe(Effect.provide(layer))
  )

  it.scoped("gives up a server that says nothing, and one that stops in the middle, and hangs up", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/silence", { _tag: "Silence" })
      server.serve("/stall", { _tag: "Stall", body: rows })
      for (const [path, message] of [
        ["/silence", "Timeout (no answer)"],
        ["/stall", "Timeout (no byte for 30 seconds)"]
      ] as const) {
        const received = server.received.length
        const fiber = yield* Effect.fork(failure(server.url(path)))
        yield* until(() => server.received.length > received)
        // Turns of the thread go by unseen: some may be too early for it.
        yield* Effect.repeat(Effect.zipRight(TestClock.adjust("1 second"), turn), {
          until: () => fiber.unsafePoll() !== null
        })
        assert.strictEqual(yield* Fiber.join(fiber), message)
      }
      yield* until(() => server.abandoned() === 2)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("hangs up on an answer that is no document", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/html", {
        _tag: "Document",
        body: "<html>",
        headers: { "content-type": "text/html", "content-length": "1000000" }
      })
      assert.strictEqual(yield* failure(server.url("/html")), "NotAFeed (HTML)")
      assert.strictEqual(yield* failure(server.url("/unknown")), "Status (404)")
    }).pipe(Effect.provide(layer))
  )
})
