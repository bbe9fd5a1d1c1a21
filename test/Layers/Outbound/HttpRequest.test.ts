import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpRequest from "../../../src/Layers/Outbound/HttpRequest.ts"
import { lookupPublic, NOT_PUBLIC } from "../../../src/Layers/Outbound/PublicLookup.ts"

const agents = HttpRequest.makeAgents({ keepAlive: false })

const codeOf = (options: Partial<HttpRequest.Options>) =>
  Effect.promise(() =>
    HttpRequest.send("http://localhost:1/", {
      agents,
      method: "GET",
      headers: {},
      body: undefined,
      connectTimeoutMs: 10_000,
      lookup: undefined,
      signal: new AbortController().signal,
      ...options
    }).then(
      () => "a response",
      (error) => error.code
    )
  )

describe("HttpRequest", () => {
  it.effect("fails with ECONNECTTIMEOUT when the connection takes too long", () =>
    Effect.gen(function* () {
      // A name server that never answers.
      const code = yield* codeOf({ connectTimeoutMs: 20, lookup: () => undefined })
      assert.strictEqual(code, "ECONNECTTIMEOUT")
    })
  )

  it.effect("fails when the lookup rejects the name", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf({ lookup: lookupPublic }), NOT_PUBLIC)
      assert.strictEqual(yield* codeOf({}), "ECONNREFUSED")
    })
  )

  it.effect("fails with ABORT_ERR when the signal aborts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf({ signal: AbortSignal.abort() }), "ABORT_ERR")
    })
  )
})
