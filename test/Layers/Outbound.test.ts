import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Outbound from "../../src/Layers/Outbound.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import { turnsUntil } from "../fixtures/NextTurn.ts"

const get = (url: URL) => Effect.flatMap(HttpClient.HttpClient, (client) => client.get(url))

describe("Outbound.untraced", () => {
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
    }).pipe(Effect.provide(Outbound.untraced))
  )

  it.scoped("closes its connections with its scope", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/stall", { _tag: "Stall", body: "http://a.example/\n" })
      yield* Effect.scoped(Effect.provide(get(server.url("/stall")), Outbound.untraced))
      yield* turnsUntil(() => server.abandoned() > 0)
      assert.strictEqual(server.abandoned(), 1)
    })
  )

  it.scoped("closes the connection of a body that is not read with the scope of its request", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/stall", { _tag: "Stall", body: "http://a.example/\n" })
      const scoped = HttpClient.withScope(yield* HttpClient.HttpClient)
      const response = yield* Effect.scoped(scoped.get(server.url("/stall")))
      yield* turnsUntil(() => server.abandoned() > 0)
      // Used, because the platform also closes the connection of a response that is collected as garbage.
      assert.strictEqual(response.status, 200)
    }).pipe(Effect.provide(Outbound.untraced))
  )
})
