import { HttpApiClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { kinds } from "../../src/Checkers/Kinds.ts"
import { Api } from "../../src/Http/Api.ts"
import { document } from "../../src/Http/OpenApi.ts"
import { resultOf } from "../fixtures/BulkServiceDouble.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"

const laterFinding = {
  checker: "heuristics",
  kind: "aLaterKind",
  points: 5,
  reason: "A later sentence"
} as const

const { checkers, ...single } = resultOf("http://example.com/")

/** What a client that is made from the contract reads of these bodies. */
const clientReading = (body: unknown) =>
  HttpApiClient.make(Api, { baseUrl: "http://service.example/" }).pipe(
    Effect.provide(HttpClientDouble.make(() => Response.json(body)).layer)
  )

describe("the contract", () => {
  it.effect("lets a client read findings of a kind that it does not know", () =>
    Effect.gen(function* () {
      const one = yield* clientReading({ ...single, findings: [laterFinding] })
      const scanned = yield* one.check({ payload: { url: "x" }, urlParams: { findings: "true" } })
      assert.deepStrictEqual(
        scanned.findings?.map(({ kind }) => kind),
        ["aLaterKind"]
      )

      const many = yield* clientReading({ results: [{ ...single, checkers, findings: [laterFinding] }] })
      const { results } = yield* many.checks({ payload: { urls: ["x"] } })
      assert.deepStrictEqual(
        results.map(({ findings }) => findings.map(({ kind }) => kind)),
        [["aLaterKind"]]
      )
    })
  )

  it("lists the known kinds for tools, and allows any other", () => {
    const { components } = JSON.parse(JSON.stringify(document()))
    const { kind } = components.schemas.ScanFinding.properties
    assert.deepStrictEqual(kind.anyOf, [{ type: "string", enum: Object.keys(kinds) }, { type: "string" }])
  })
})
