import { assert, describe, it } from "@effect/vitest"
import { Duration, Either, FastCheck } from "effect"
import * as HashSearchClient from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import * as ExpressionHash from "../../../src/Url/ExpressionHash.ts"
import answers from "../../fixtures/hash-search-answers.json" with { type: "json" }
import { runs } from "../../fixtures/Seed.ts"

const phish = ExpressionHash.ofExpression("phish.example.com/")

const decode = (...parts: ReadonlyArray<string>) =>
  HashSearchClient.decode(Uint8Array.from(Buffer.from(parts.join(""), "hex")))

/** A field of wire type 2 around the given hexadecimal bytes, at most 127 of them. */
const field = (tag: string, ...content: ReadonlyArray<string>) => {
  const bytes = content.join("")
  return `${tag}${(bytes.length / 2).toString(16).padStart(2, "0")}${bytes}`
}
const fullHash = (...details: ReadonlyArray<string>) =>
  field("0a", field("0a", phish), ...details.map((detail) => field("12", detail)))
const fiveMinutes = field("12", "08ac02")

const malformed = (...parts: ReadonlyArray<string>) =>
  Either.match(decode(...parts), { onLeft: ({ detail }) => detail, onRight: () => "read" })

const threats = (...details: ReadonlyArray<string>) =>
  Either.map(decode(fullHash(...details), fiveMinutes), ({ listed }) =>
    listed.flatMap(({ threats }) => threats)
  )

const seconds = (duration: string) =>
  Either.map(decode(field("12", duration)), ({ cacheDuration }) => Duration.toSeconds(cacheDuration))

describe("HashSearchResponse", () => {
  it.each(answers.cases)("reads the response $name", ({ protobuf_hex, threats, cache_seconds }) => {
    const { listed, cacheDuration } = Either.getOrThrow(decode(protobuf_hex))
    assert.deepStrictEqual(
      listed.filter(({ hash }) => hash === phish).flatMap(({ threats }) => threats) as ReadonlyArray<string>,
      threats
    )
    assert.strictEqual(Duration.toSeconds(cacheDuration), cache_seconds)
  })

  it("reads empty bytes as nothing listed, not to be cached", () => {
    assert.deepStrictEqual(decode(""), Either.right({ listed: [], cacheDuration: Duration.zero }))
  })

  it("returns other hashes under the same prefix too", () => {
    const other = `${phish.slice(0, 8)}${"0".repeat(56)}`
    assert.deepStrictEqual(
      decode(field("0a", field("0a", other), field("12", "0801"))),
      Either.right({ listed: [{ hash: other, threats: ["MALWARE"] }], cacheDuration: Duration.zero })
    )
  })

  it("skips unknown fields at every level", () => {
    assert.deepStrictEqual(
      decode(
        "1801", // field 3, a varint
        field("22", "ff"),
        field("0a", field("0a", phish), "2500000000", field("12", "0802", "1d00000000"), "2b2c"),
        field("12", "08ac02", "1801")
      ),
      Either.right({
        listed: [{ hash: phish, threats: ["SOCIAL_ENGINEERING"] }],
        cacheDuration: Duration.minutes(5)
      })
    )
  })

  it("knows the four threat types and drops every other", () => {
    assert.deepStrictEqual(
      threats("0801", "0802", "0803", "0804"),
      Either.right(["MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE", "POTENTIALLY_HARMFUL_APPLICATION"])
    )
    for (const unknown of ["", "0800", "0805", "08ffffffffffffffffff01"])
      assert.deepStrictEqual(threats(unknown), Either.right([]))
  })

  it("has each threat of a hash once", () => {
    assert.deepStrictEqual(threats("0801", "0802", "0801"), Either.right(["MALWARE", "SOCIAL_ENGINEERING"]))
  })

  it("drops a detail with an attribute, packed or not, but not one with an empty list of them", () => {
    assert.deepStrictEqual(
      threats("08011001", "08021200", "0803120102", "080412020102"),
      Either.right(["SOCIAL_ENGINEERING"])
    )
    assert.deepStrictEqual(threats("12010108" + "01"), Either.right([]))
  })

  it("uses the last of a repeated single field", () => {
    assert.deepStrictEqual(threats("08010802"), Either.right(["SOCIAL_ENGINEERING"]))
    assert.deepStrictEqual(seconds("08010802"), Either.right(2))
  })

  it("reads fractions and the longest duration, and a negative one as zero", () => {
    assert.deepStrictEqual(seconds("10c0c407"), Either.right(0))
    assert.deepStrictEqual(seconds("10c0843d"), Either.right(0.001))
    assert.deepStrictEqual(seconds("08031080cab5ee01"), Either.right(3.5))
    assert.deepStrictEqual(seconds("08ffffffffffffffff7f"), Either.right(2 ** 63))
    assert.deepStrictEqual(seconds("08ffffffffffffffffff01"), Either.right(0))
    assert.deepStrictEqual(seconds(""), Either.right(0))
  })

  it.each([
    ["bytes that hold none of the message's fields", ["1801"], "NoKnownField"],
    ["HTML", [Buffer.from("<html><body>hello</body></html>").toString("hex")], "Protobuf"],
    ["gzip", ["1f8b0800"], "Protobuf"],
    ["a hash of 31 bytes", [field("0a", field("0a", "00".repeat(31)))], "HashLength"],
    ["a hash of 33 bytes", [field("0a", field("0a", "00".repeat(33)))], "HashLength"],
    ["a listed hash without hash", [field("0a", field("12", "0801"))], "HashLength"],
    ["hashes of another wire type", ["0801"], "Protobuf"],
    ["a hash of another wire type", [field("0a", "0801")], "Protobuf"],
    ["details of another wire type", [field("0a", field("0a", phish), "1001")], "Protobuf"],
    ["a threat of another wire type", [fullHash("0a0101")], "Protobuf"],
    ["attributes of another wire type", [fullHash("0801", "1500000000")], "Protobuf"],
    ["a duration of another wire type", ["1001"], "Protobuf"],
    ["seconds of another wire type", [field("12", "0d00000000")], "Protobuf"],
    ["a response that is cut off", [fullHash("0802").slice(0, -2)], "Protobuf"],
    ["a detail that is cut off", [fullHash("08")], "Protobuf"],
    ["packed attributes that are cut off", [fullHash("1201ff")], "Protobuf"],
    ["a duration that is cut off", [field("12", "08ac")], "Protobuf"],
    ["a tag that is cut off", ["88"], "Protobuf"],
    ["a length beyond the end", ["1204616263"], "Protobuf"],
    ["a length beyond all memory", ["12ffffffffffffff7f"], "Protobuf"],
    ["a negative length", ["12ffffffffffffffffff01"], "Protobuf"],
    ["an unknown fixed number that is cut off", ["1900000000000000"], "Protobuf"],
    ["a varint of eleven bytes", [field("12", "08ffffffffffffffffffff01")], "Protobuf"],
    ["field number zero", ["0001"], "Protobuf"],
    ["a field number beyond 29 bits", ["808080801001"], "Protobuf"],
    ["a group that never ends", ["1b2001"], "Protobuf"],
    ["a group that ends as another", ["1b24"], "Protobuf"],
    ["the end of a group that never began", ["1c"], "Protobuf"],
    ["groups nested ten thousand deep", ["1b".repeat(10_000), "1c".repeat(10_000)], "Protobuf"]
  ] as const)("rejects %s", (_, parts, problem) => {
    assert.strictEqual(malformed(...parts), problem)
  })

  it("never throws on any bytes", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ maxLength: 64 }), (message) => {
        HashSearchClient.decode(message)
      }),
      { numRuns: runs(20_000) }
    )
  })

  it("never throws on a changed valid response", () => {
    const good = answers.cases.map(({ protobuf_hex }) => Uint8Array.from(Buffer.from(protobuf_hex, "hex")))
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...good),
        FastCheck.array(FastCheck.tuple(FastCheck.nat(70), FastCheck.nat(255)), { maxLength: 4 }),
        FastCheck.nat(70),
        (answer, changes, length) => {
          const changed = answer.slice(0, length)
          for (const [index, byte] of changes) changed[index] = byte
          for (const { hash, threats } of Either.getOrElse(
            Either.map(HashSearchClient.decode(changed), ({ listed }) => listed),
            () => []
          )) {
            assert.match(hash, /^[0-9a-f]{64}$/)
            assert.isNotEmpty(threats)
          }
        }
      ),
      { numRuns: runs(20_000) }
    )
  })
})
