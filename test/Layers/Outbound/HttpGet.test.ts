import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpGet from "../../../src/Layers/Outbound/HttpGet.ts"
import { lookupPublic, NOT_PUBLIC } from "../../../src/Layers/Outbound/PublicLookup.ts"

const agents = HttpGet.agents(false)

const codeOf = (options: Partial<HttpGet.Options>) =>
  Effect.promise(() =>
    HttpGet.get("http://localhost:1/", {
      agents,
      headers: {},
      connectTimeout: 10_000,
      lookup: undefined,
      signal: new AbortController().signal,
      ...options
    }).then(
      () => "an answer",
      (error) => error.code
    )
  )

describe("HttpGet", () => {
  it.effect("gives up a connection that is not there in time", () =>
    Effect.gen(function* () {
      // A name server that never answers.
      const code = yield* codeOf({ connectTimeout: 20, lookup: () => undefined })
      assert.strictEqual(code, "ECONNECTTIMEOUT")
    })
  )

  it.effect("connects to nobody whose name is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf({ lookup: lookupPublic }), NOT_PUBLIC)
      assert.strictEqual(yield* codeOf({}), "ECONNREFUSED")
    })
  )

  it.effect("ends when it is told to", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf({ signal: AbortSignal.abort() }), "ABORT_ERR")
    })
  )
})
