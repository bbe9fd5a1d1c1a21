import { gzipSync } from "node:zlib"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import * as FeedDownload from "../../../src/Checkers/ThreatFeed/FeedDownload.ts"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import * as OutboundHttp from "../../../src/Layers/OutboundHttp.ts"
import { expiredCertificate } from "../../fixtures/ExpiredCertificate.ts"
import * as FeedServer from "../../fixtures/FeedServer.ts"
import * as FeedWorkerInProcess from "../../fixtures/FeedWorkerInProcess.ts"

const layer = OutboundHttp.layer.pipe(
  Layer.provide(AppConfig.layer),
  Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map())))
)

const rows = "http://a.example/\nhttp://b.example/\n"

const text = (url: URL, authHeader: FeedDownload.FeedAddress["authHeader"] = Option.none()) =>
  FeedDownload.download({ url, format: "lines", authHeader }, FeedDownload.noValidators).pipe(
    Effect.flatMap((answer) =>
      answer._tag === "NotModified"
        ? Effect.succeed("not modified")
        : Effect.map(FeedWorkerInProcess.documentOf(answer.body), (bytes) => bytes.toString("latin1"))
    ),
    Effect.scoped
  )

const failure = (url: URL) => Effect.map(Effect.flip(text(url)), ({ message }) => message)

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
        assert.strictEqual(yield* text(server.url(path)), rows, path)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("leaves the auth header at the feed's own origin", () =>
    Effect.gen(function* () {
      const home = yield* FeedServer.make()
      const elsewhere = yield* FeedServer.make()
      home.serve("/list", FeedServer.redirect(elsewhere.url("/signed?Signature=a~b"), 301))
      elsewhere.serve("/signed?Signature=a~b", FeedServer.document(rows))
      const key = Option.some({ name: "auth-key", value: Redacted.make("SECRET") })
      assert.strictEqual(yield* text(home.url("/list"), key), rows)
      assert.strictEqual(home.received[0]?.headers["auth-key"], "SECRET")
      assert.strictEqual(elsewhere.received[0]?.headers["auth-key"], undefined)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is not led from the Internet into a private network by a name", () =>
    Effect.gen(function* () {
      const inside = yield* FeedServer.make()
      inside.serve("/metadata", FeedServer.document(rows))
      const real = yield* HttpClient.HttpClient
      // Stands for a name server: cdn.example is a name of this machine.
      const client = HttpClient.make((request, url) => {
        if (url.hostname === "feeds.example")
          return Effect.succeed(
            HttpClientResponse.fromWeb(request, Response.redirect("https://cdn.example/metadata", 302))
          )
        const target = inside.url(url.pathname)
        target.hostname = "localhost"
        return real.get(target)
      })
      assert.strictEqual(
        yield* Effect.provideService(
          failure(new URL("https://feeds.example/list")),
          HttpClient.HttpClient,
          client
        ),
        "ForbiddenRedirect (ENOTPUBLIC)"
      )
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
        for (let i = 0; i < 20; i++) yield* turn
        yield* TestClock.adjust("40 seconds")
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
