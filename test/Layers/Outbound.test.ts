import { Headers, HttpClient, type HttpClientError } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as OutboundHttp from "../../src/Layers/Outbound.ts"
import { expiredCertificate } from "../fixtures/ExpiredCertificate.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import { turnsUntil } from "../fixtures/NextTurn.ts"

const layer = (env: Readonly<Record<string, string>> = {}) =>
  OutboundHttp.layer.pipe(
    Layer.provide(AppConfig.layer),
    Layer.provide(
      Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" }))
    )
  )

const get = (url: URL) => Effect.flatMap(HttpClient.HttpClient, (client) => client.get(url))

/** The code of the error that a request fails with. */
const codeOf = <A, R>(request: Effect.Effect<A, HttpClientError.HttpClientError, R>) =>
  Effect.map(Effect.flip(request), ({ cause }) =>
    cause instanceof Error && "code" in cause ? cause.code : undefined
  )

describe("OutboundHttp", () => {
  it.scoped("sends our user agent and no other header of its own", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/list?x=1", FeedServer.document("http://a.example/\n"))
      const response = yield* Effect.withSpan(get(server.url("/list?x=1")), "a span")
      assert.strictEqual(yield* response.text, "http://a.example/\n")
      const { host, connection, ...headers } = server.received[0]?.headers ?? {}
      assert.deepStrictEqual(headers, { "user-agent": "url-threat-scoring/0.1.0" })
      assert.strictEqual(host, server.url("/").host)
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("follows no redirects and decodes nothing", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/redirect", FeedServer.redirect("/list"))
      const redirect = yield* get(server.url("/redirect"))
      assert.strictEqual(redirect.status, 302)
      assert.strictEqual(redirect.headers.location, "/list")

      const compressed = FeedServer.gzip("http://a.example/\n")
      server.serve("/gzip", FeedServer.document(compressed, { headers: { "content-encoding": "gzip" } }))
      const gzip = yield* get(server.url("/gzip"))
      assert.isTrue(Buffer.from(yield* gzip.arrayBuffer).equals(Buffer.from(compressed)))
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("fails when nothing listens, or the name does not exist", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(Effect.map(FeedServer.make(), (server) => server.url("/")))
      assert.strictEqual(yield* codeOf(get(closed)), "ECONNREFUSED")
      assert.include(
        ["ENOTFOUND", "EAI_AGAIN"],
        String(yield* codeOf(get(new URL("http://no-such-name.invalid/"))))
      )
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("fails when the certificate is invalid", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make(expiredCertificate)
      server.serve("/list", FeedServer.document("http://a.example/\n"))
      assert.include(
        ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED"],
        String(yield* codeOf(get(server.url("/list"))))
      )
      assert.strictEqual(server.received.length, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("closes its connections with its scope", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/stall", { _tag: "Stall", body: "http://a.example/\n" })
      yield* Effect.scoped(Effect.provide(get(server.url("/stall")), layer()))
      yield* turnsUntil(() => server.abandoned() > 0)
      assert.strictEqual(server.abandoned(), 1)
    })
  )

  for (const [name, client] of [
    ["with spans", layer()],
    ["without spans", OutboundHttp.untraced]
  ] as const)
    it.scoped(`closes the connection of a body that is not read with the scope of its request, ${name}`, () =>
      Effect.gen(function* () {
        const server = yield* FeedServer.make()
        server.serve("/stall", { _tag: "Stall", body: "http://a.example/\n" })
        const scoped = HttpClient.withScope(yield* HttpClient.HttpClient)
        const response = yield* Effect.scoped(scoped.get(server.url("/stall")))
        yield* turnsUntil(() => server.abandoned() > 0)
        // Used, because the platform also closes the connection of a response that is collected as garbage.
        assert.strictEqual(response.status, 200)
      }).pipe(Effect.provide(client))
    )

  it.effect("redacts headers that contain keys", () =>
    Effect.gen(function* () {
      const names = ["authorization", "auth-key", "x-apikey", "x-goog-api-key", "x-my-own"]
      const headers = Headers.fromInput(Object.fromEntries(names.map((name) => [name, "SECRET"])))
      const redacted = Headers.redact(
        headers,
        yield* Effect.map(Headers.currentRedactedNames, (names) => names)
      )
      assert.notInclude(JSON.stringify(redacted), "SECRET")
      assert.deepStrictEqual(Object.keys(redacted), names)
    }).pipe(Effect.provide(layer({ FEED_B_AUTH_HEADER: "X-My-Own: SECRET" })))
  )
})
