import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Option } from "effect"
import * as SnapshotBytes from "../../../src/Lists/RefreshedList/SnapshotBytes.ts"
import * as FeedSnapshot from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import { kindOf, listOf } from "../../fixtures/ThreatLists.ts"

const address = (url: string) => ({ url: new URL(url), format: "lines" }) as const
const feed = FeedSnapshot.format(address("https://feeds.example/list"))
const otherFeed = FeedSnapshot.format(address("https://feeds.example/other"))

const snapshot: FeedSnapshot.FeedSnapshot = {
  list: listOf(Array.from({ length: 10_000 }, (_, i) => `http://h${i}.example/`)),
  fetchedAt: 1_795_000_000_000,
  answeredAt: 1_795_000_100_000,
  validators: { etag: 'W/"x"', lastModified: "Sat, 21 Nov 2026 09:00:00 GMT" },
  counts: { skipped: 3, ignored: 4, firstSkipped: [{ line: 2, reason: "Network" }] },
  shrunkenSince: 1_795_000_050_000
}

const bytes = Buffer.concat([...SnapshotBytes.encode(feed, snapshot)])

const decode = (bytes: Uint8Array, of = feed) => SnapshotBytes.decode(of, bytes)

const reasonOf = (bytes: Uint8Array, of = feed) =>
  decode(bytes, of).pipe(
    Effect.flip,
    Effect.map(({ reason }) => reason),
    Effect.orElseSucceed(() => undefined)
  )

describe("a snapshot as bytes", () => {
  it.effect("is decoded as it was encoded", () =>
    Effect.gen(function* () {
      const { list, ...others } = yield* decode(bytes)
      const { list: before, ...expected } = snapshot
      assert.deepStrictEqual(others, expected)
      assert.deepStrictEqual(list.header, before.header)
      assert.isTrue(Buffer.from(list.bytes).equals(Buffer.from(before.bytes)))
      assert.strictEqual(kindOf(list, "http://h77.example/x"), "listedHost")
    })
  )

  it.effect("is decoded without validators and a doubt about its size as well", () =>
    Effect.gen(function* () {
      const plain = {
        ...snapshot,
        validators: { etag: undefined, lastModified: undefined },
        shrunkenSince: undefined
      }
      const again = yield* decode(Buffer.concat([...SnapshotBytes.encode(feed, plain)]))
      assert.deepStrictEqual(again.validators, plain.validators)
      assert.isUndefined(again.shrunkenSince)
    })
  )

  it.effect("is decoded into memory that threads share", () =>
    Effect.gen(function* () {
      assert.instanceOf((yield* decode(bytes)).list.bytes.buffer, SharedArrayBuffer)
    })
  )

  it("has the metadata of a later one with the same list, unless they are of another feed", () => {
    const later = { ...snapshot, fetchedAt: snapshot.fetchedAt + 1, answeredAt: snapshot.answeredAt + 2 }
    deepStrictEqual(feed.withMetadata(snapshot, feed.metadata(later)), Option.some(later))
    deepStrictEqual(feed.withMetadata(snapshot, otherFeed.metadata(later)), Option.none())
    deepStrictEqual(feed.withMetadata(snapshot, "nonsense"), Option.none())
  })

  it.effect("is decoded from the middle of other bytes", () =>
    Effect.gen(function* () {
      const surrounded = Buffer.concat([Buffer.from("abc"), bytes, Buffer.from("defgh")])
      const { fetchedAt } = yield* decode(surrounded.subarray(3, 3 + bytes.length))
      assert.strictEqual(fetchedAt, snapshot.fetchedAt)
    })
  )

  it("is encoded in pieces of 256 KiB at most", () => {
    for (const piece of SnapshotBytes.encode(feed, snapshot)) assert.isAtMost(piece.length, 262_144)
  })

  it.effect("is refused when it is of another feed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reasonOf(bytes, otherFeed), "OtherFeed")
    })
  )

  it.effect("is refused at any length but its own", () =>
    Effect.gen(function* () {
      for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 20))
        assert.strictEqual(yield* reasonOf(bytes.subarray(0, length)), "Damaged", `${length} bytes`)
      assert.strictEqual(yield* reasonOf(bytes.subarray(0, -1)), "Damaged")
      assert.strictEqual(yield* reasonOf(Buffer.concat([bytes, Buffer.alloc(1)])), "Damaged")
    })
  )

  it.effect("is refused when it is something else", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reasonOf(Buffer.alloc(bytes.length)), "Damaged")
      assert.strictEqual(yield* reasonOf(Buffer.from("{}")), "Damaged")
    })
  )

  it.effect("is refused when any bit has flipped", () =>
    Effect.gen(function* () {
      for (let at = 0; at < bytes.length; at += 1 + Math.floor(at / 20)) {
        const flipped = Buffer.from(bytes)
        flipped[at] = (flipped[at] ?? 0) ^ 0x10
        assert.strictEqual(yield* reasonOf(flipped), "Damaged", `byte ${at}`)
      }
    })
  )

  const withDigest = (text: string) => {
    const content = Buffer.from(text, "latin1").subarray(0, -32)
    return Buffer.concat([content, createHash("sha256").update(content).digest()])
  }

  it.effect("of another version of the program is used, without its validators", () =>
    Effect.gen(function* () {
      const changed = bytes.toString("latin1").replace(/url-threat-scoring\/\d/, "url-threat-scoring/x")
      const { validators } = yield* decode(withDigest(changed))
      assert.deepStrictEqual(validators, { etag: undefined, lastModified: undefined })
    })
  )

  it.effect("is refused with a time after the last date", () =>
    Effect.gen(function* () {
      const changed = bytes.toString("latin1").replace("1795000000000", "9.00000000e15")
      assert.strictEqual(yield* reasonOf(withDigest(changed)), "Damaged")
    })
  )

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
