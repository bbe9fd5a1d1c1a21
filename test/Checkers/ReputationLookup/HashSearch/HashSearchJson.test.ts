import { assert, describe, it } from "@effect/vitest"
import { Duration, Either, FastCheck } from "effect"
import * as ExpressionHash from "../../../../src/Checkers/ReputationLookup/ExpressionHash.ts"
import * as HashSearchJson from "../../../../src/Checkers/ReputationLookup/HashSearch/HashSearchJson.ts"
import answers from "../../../fixtures/hash-search-answers.json" with { type: "json" }

const phish = ExpressionHash.ofExpression("phish.example.com/")
const phishBase64 = "HE+i9Zy3iRtyi0OQizQGgLX6Bx4P94lwp0nxja6kNxQ="

const decode = (answer: unknown) => HashSearchJson.decode(JSON.stringify(answer))

const threats = (...fullHashDetails: ReadonlyArray<unknown>) =>
  Either.map(decode({ fullHashes: [{ fullHash: phishBase64, fullHashDetails }] }), ({ listed }) =>
    listed.flatMap(({ threats }) => threats)
  )

const seconds = (cacheDuration: unknown) =>
  Either.map(decode({ cacheDuration }), ({ cacheDuration }) => Duration.toSeconds(cacheDuration))

const nothing = Either.right({ listed: [], cacheDuration: Duration.zero })

describe("HashSearchJson", () => {
  it.each(answers.cases)("reads the response $name", ({ json_equivalent, threats, cache_seconds }) => {
    const { listed, cacheDuration } = Either.getOrThrow(decode(json_equivalent))
    assert.deepStrictEqual(
      listed.filter(({ hash }) => hash === phish).flatMap(({ threats }) => threats) as ReadonlyArray<string>,
      threats
    )
    assert.strictEqual(Duration.toSeconds(cacheDuration), cache_seconds)
  })

  it("reads omitted and null fields as their defaults", () => {
    assert.deepStrictEqual(decode({}), nothing)
    assert.deepStrictEqual(decode({ fullHashes: null, cacheDuration: null }), nothing)
    assert.deepStrictEqual(decode({ fullHashes: [{ fullHash: phishBase64 }] }), nothing)
    assert.deepStrictEqual(
      decode({ fullHashes: [{ fullHash: phishBase64, fullHashDetails: null }] }),
      nothing
    )
    assert.deepStrictEqual(
      threats({}, { threatType: null }, { threatType: 1, attributes: null }),
      Either.right(["MALWARE"])
    )
  })

  it("reads an enumeration by name or by number, and drops details with an unknown type or any attribute", () => {
    assert.deepStrictEqual(
      threats({ threatType: 3 }, { threatType: "POTENTIALLY_HARMFUL_APPLICATION", attributes: [] }),
      Either.right(["UNWANTED_SOFTWARE", "POTENTIALLY_HARMFUL_APPLICATION"])
    )
    assert.deepStrictEqual(
      threats(
        { threatType: 0 },
        { threatType: 99 },
        { threatType: "constructor" },
        { threatType: "malware" },
        { threatType: 1, attributes: [1] },
        { threatType: 1, attributes: ["FRAME_ONLY"] },
        { threatType: 1, attributes: [42] }
      ),
      Either.right([])
    )
  })

  it("skips unknown fields at every level", () => {
    assert.deepStrictEqual(
      decode({
        next: 1,
        fullHashes: [{ fullHash: phishBase64, next: 1, fullHashDetails: [{ threatType: 2, next: 1 }] }],
        cacheDuration: "300s"
      }),
      Either.right({
        listed: [{ hash: phish, threats: ["SOCIAL_ENGINEERING"] }],
        cacheDuration: Duration.minutes(5)
      })
    )
  })

  it("reads a hash in either alphabet of base64, padded or not", () => {
    const withoutPadding = phishBase64.slice(0, -1)
    const urlSafe = phishBase64.replaceAll("+", "-").replaceAll("/", "_")
    for (const fullHash of [phishBase64, withoutPadding, urlSafe]) {
      const { listed } = Either.getOrThrow(
        decode({ fullHashes: [{ fullHash, fullHashDetails: [{ threatType: 2 }] }] })
      )
      assert.deepStrictEqual(listed, [{ hash: phish, threats: ["SOCIAL_ENGINEERING"] }])
    }
  })

  it("reads durations in whole milliseconds, and a negative one as zero", () => {
    assert.deepStrictEqual(seconds("0.5s"), Either.right(0.5))
    assert.deepStrictEqual(seconds("0.001999999s"), Either.right(0.001))
    assert.deepStrictEqual(seconds("0s"), Either.right(0))
    assert.deepStrictEqual(seconds("-0.5s"), Either.right(0))
    assert.deepStrictEqual(seconds("-300s"), Either.right(0))
    assert.deepStrictEqual(seconds("315576000000s"), Either.right(315_576_000_000))
  })

  it.each([
    "",
    "[]",
    "null",
    "5",
    '"clean"',
    "<html></html>",
    '{"cacheDuration":"300s"',
    '{"error":{"code":500}}',
    '{"__proto__":{"cacheDuration":"300s"}}',
    '{"cacheDuration":300}',
    '{"cacheDuration":"300"}',
    '{"cacheDuration":"5m"}',
    '{"cacheDuration":"1e3s"}',
    '{"cacheDuration":"300s\\n"}',
    '{"fullHashes":{}}',
    '{"fullHashes":[{}]}',
    '{"fullHashes":[{"fullHash":""}]}',
    `{"fullHashes":[{"fullHash":"${"A".repeat(42)}"}]}`,
    `{"fullHashes":[{"fullHash":"${"A".repeat(44)}"}]}`,
    `{"fullHashes":[{"fullHash":"${"A".repeat(42)}!"}]}`,
    `{"fullHashes":[{"fullHash":"${phishBase64}","fullHashDetails":[1]}]}`,
    `{"fullHashes":[{"fullHash":"${phishBase64}","fullHashDetails":[{"threatType":true}]}]}`,
    `{"fullHashes":[{"fullHash":"${phishBase64}","fullHashDetails":[{"attributes":"CANARY"}]}]}`
  ])("rejects %s", (text) => {
    const error = Either.getOrUndefined(Either.flip(HashSearchJson.decode(text)))
    assert.strictEqual(error?.reason, "Json")
  })

  it("never throws on any text", () => {
    const good = answers.cases.map(({ json_equivalent }) => JSON.stringify(json_equivalent))
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(
          FastCheck.json(),
          FastCheck.string({ unit: "binary" }),
          FastCheck.constantFrom(...good)
        ),
        FastCheck.nat(200),
        (text, length) => {
          HashSearchJson.decode(text)
          HashSearchJson.decode(text.slice(0, length))
        }
      ),
      { seed: 1, numRuns: 3000 }
    )
  })
})
