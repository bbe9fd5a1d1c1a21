import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as FeedSnapshot from "../../../../src/Checkers/ThreatFeed/Snapshot/FeedSnapshot.ts"
import { kindOf, listOf, runToEnd } from "../../../fixtures/ThreatLists.ts"

const feed = "0123456789abcdef"

const snapshot: FeedSnapshot.FeedSnapshot = {
  list: listOf(Array.from({ length: 10_000 }, (_, i) => `http://h${i}.example/`)),
  fetchedAt: 1_795_000_000_000,
  answeredAt: 1_795_000_100_000,
  validators: { etag: 'W/"x"', lastModified: "Sat, 21 Nov 2026 09:00:00 GMT" },
  counts: { skipped: 3, ignored: 4 },
  shrunkenSince: 1_795_000_050_000
}

const bytes = Buffer.concat([...FeedSnapshot.encode(snapshot, feed)])

const decode = (bytes: Uint8Array, of = feed) => runToEnd(FeedSnapshot.decode(bytes, of))

const reasonOf = (bytes: Uint8Array, of = feed): string | undefined =>
  Either.match(decode(bytes, of), { onLeft: ({ reason }) => reason, onRight: () => undefined })

describe("FeedSnapshot", () => {
  it("comes back as it was", () => {
    const { list, ...others } = Either.getOrThrow(decode(bytes))
    const { list: before, ...expected } = snapshot
    assert.deepStrictEqual(others, expected)
    assert.deepStrictEqual(list.header, before.header)
    assert.isTrue(Buffer.from(list.bytes).equals(Buffer.from(before.bytes)))
    assert.strictEqual(kindOf(list, "http://h77.example/x"), "listedHost")
  })

  it("comes back without validators and doubts as well", () => {
    const plain = {
      ...snapshot,
      validators: { etag: undefined, lastModified: undefined },
      shrunkenSince: undefined
    }
    const again = Either.getOrThrow(decode(Buffer.concat([...FeedSnapshot.encode(plain, feed)])))
    assert.deepStrictEqual(again.validators, plain.validators)
    assert.isUndefined(again.shrunkenSince)
  })

  it("comes back from the middle of other bytes", () => {
    const surrounded = Buffer.concat([Buffer.from("abc"), bytes, Buffer.from("defgh")])
    assert.isTrue(Either.isRight(decode(surrounded.subarray(3, 3 + bytes.length))))
  })

  it("is written in pieces of 256 KiB at most", () => {
    for (const piece of FeedSnapshot.encode(snapshot, feed)) assert.isAtMost(piece.length, 262_144)
  })

  it("is refused when it is of another feed", () => {
    assert.strictEqual(reasonOf(bytes, "fedcba9876543210"), "OtherFeed")
  })

  it("is refused wherever it is cut", () => {
    for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 20))
      assert.strictEqual(reasonOf(bytes.subarray(0, length)), "Damaged", `${length} bytes`)
    assert.strictEqual(reasonOf(bytes.subarray(0, -1)), "Damaged")
  })

  it("is refused when something was added, or is no snapshot at all", () => {
    assert.strictEqual(reasonOf(Buffer.concat([bytes, Buffer.alloc(1)])), "Damaged")
    assert.strictEqual(reasonOf(Buffer.alloc(bytes.length)), "Damaged")
    assert.strictEqual(reasonOf(Buffer.from("{}")), "Damaged")
  })

  it("is refused wherever a bit has flipped", () => {
    for (let at = 0; at < bytes.length; at += 1 + Math.floor(at / 20)) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ 0x10
      assert.strictEqual(reasonOf(flipped), "Damaged", `byte ${at}`)
    }
  })

  it("of another version of the program serves, but is not asked about", () => {
    const metadata = bytes.toString("latin1").replace(/url-threat-scoring\/\d/, "url-threat-scoring/x")
    const changed = Buffer.from(metadata, "latin1")
    const content = changed.subarray(0, -32)
    const again = decode(Buffer.concat([content, createHash("sha256").update(content).digest()]))
    assert.deepStrictEqual(Either.getOrThrow(again).validators, { etag: undefined, lastModified: undefined })
  })

  it("is refused with a time that no date can tell", () => {
    const changed = Buffer.from(bytes.toString("latin1").replace("1795000000000", "9.00000000e15"), "latin1")
    const content = changed.subarray(0, -32)
    const digest = createHash("sha256").update(content).digest()
    assert.strictEqual(reasonOf(Buffer.concat([content, digest])), "Damaged")
  })

  it("names its feed by a digest that shows neither address nor key", () => {
    const digest = (address: string, format: "lines" | "phishtank-csv") =>
      FeedSnapshot.feedDigest({ url: new URL(address), format })
    const address = "https://feeds.example/list?auth-key=SECRET"
    assert.match(digest(address, "lines"), /^[0-9a-f]{64}$/)
    assert.strictEqual(digest(address, "lines"), digest(address, "lines"))
    assert.notStrictEqual(digest(address, "lines"), digest(`${address}X`, "lines"))
    assert.notStrictEqual(digest(address, "lines"), digest(address, "phishtank-csv"))
  })
})
