import { HttpApiClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ParseError } from "effect/ParseResult"
import { kinds, patterns, threats } from "../../src/Checkers/Kinds.ts"
import { Api } from "../../src/Http/Api.ts"
import { document } from "../../src/Http/OpenApi.ts"
import { resultOf } from "../fixtures/BulkServiceDouble.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"

const laterFinding = {
  checker: "heuristics",
  kind: "aLaterKind",
  points: 5,
  reason: "A later sentence",
  details: { laterFact: 1 }
} as const

const { checkers, ...single } = resultOf("http://example.com/")

/** What a client that is made from the contract reads of these bodies. */
const clientReading = (body: unknown) =>
  HttpApiClient.make(Api, { baseUrl: "http://service.example/" }).pipe(
    Effect.provide(HttpClientDouble.make(() => Response.json(body)).layer)
  )

const openApi = JSON.parse(JSON.stringify(document())).components.schemas

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

  it.effect("fails for a finding of a known kind without the details of that kind", () =>
    Effect.gen(function* () {
      const known = { ...laterFinding, kind: "shortener" }
      for (const details of [{}, { words: ["login"] }, { host: 1 }]) {
        const client = yield* clientReading({ ...single, findings: [{ ...known, details }] })
        const error = yield* Effect.flip(client.check({ payload: { url: "x" }, urlParams: {} }))
        assert.instanceOf(error, ParseError)
      }
      const client = yield* clientReading({
        ...single,
        findings: [{ ...known, details: { host: "bit.ly" } }]
      })
      const { findings } = yield* client.check({ payload: { url: "x" }, urlParams: {} })
      assert.deepStrictEqual(
        findings?.map(({ details }) => details.host),
        ["bit.ly"]
      )
    })
  )

  it("lists the known patterns and threats for tools, and allows any other", () => {
    const { pattern, threat } = openApi.FindingDetails.properties
    assert.deepStrictEqual(pattern.anyOf, [
      { type: "string", enum: Object.keys(patterns) },
      { type: "string" }
    ])
    assert.deepStrictEqual(threat.anyOf, [{ type: "string", enum: Object.keys(threats) }, { type: "string" }])
  })

  it("lists the known kinds for tools, and allows any other", () => {
    const { kind } = openApi.ScanFinding.properties
    assert.deepStrictEqual(kind.anyOf, [{ type: "string", enum: Object.keys(kinds) }, { type: "string" }])
  })
})
