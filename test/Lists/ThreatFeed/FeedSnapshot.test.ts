import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
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

const stored = feed.encode(snapshot)

const reasonOf = (metadata: string, parts = stored.parts, of = feed) =>
  Either.match(of.decode({ metadata, parts }), { onLeft: (reason) => reason, onRight: () => undefined })

describe("a snapshot as it is stored", () => {
  it("is decoded as it was encoded, with the same bytes", () => {
    const { list, ...others } = Either.getOrThrow(feed.decode(stored))
    const { list: before, ...expected } = snapshot
    assert.deepStrictEqual(others, expected)
    assert.deepStrictEqual(list.header, before.header)
    assert.strictEqual(list.bytes, before.bytes)
    assert.strictEqual(kindOf(list, "http://h77.example/x"), "listedHost")
  })

  it("is decoded without validators and a doubt about its size as well", () => {
    const plain = { ...snapshot, validators: {}, shrunkenSince: undefined }
    const again = Either.getOrThrow(feed.decode(feed.encode(plain)))
    assert.deepStrictEqual(again.validators, plain.validators)
    assert.isUndefined(again.shrunkenSince)
  })

  it("has the times of a later one with the same list", () => {
    const later = { ...snapshot, fetchedAt: snapshot.fetchedAt + 1, answeredAt: snapshot.answeredAt + 2 }
    const { metadata } = feed.encode(later)
    const { list: _, ...times } = Either.getOrThrow(feed.decode({ ...stored, metadata }))
    const { list: __, ...expected } = later
    assert.deepStrictEqual(times, expected)
  })

  it("is refused when it is of another feed, or something else", () => {
    assert.strictEqual(reasonOf(stored.metadata, stored.parts, otherFeed), "OtherFeed")
    for (const metadata of ["nonsense", "{}"]) assert.strictEqual(reasonOf(metadata), "Damaged")
    for (const parts of [[], [...stored.parts, ...stored.parts], [new Uint8Array(100)]])
      assert.strictEqual(reasonOf(stored.metadata, parts), "Damaged")
  })

  it("of another version of the program is used, without its validators", () => {
    const metadata = stored.metadata.replace(/url-threat-scoring\/\d/, "url-threat-scoring/x")
    const { validators } = Either.getOrThrow(feed.decode({ ...stored, metadata }))
    assert.deepStrictEqual(validators, {})
  })

  it("is refused with a time after the last date", () => {
    assert.strictEqual(reasonOf(stored.metadata.replace("1795000000000", "9.00000000e15")), "Damaged")
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

  it("names the list of new domains by another digest than a feed of the same document", () => {
    const document = { ...address("https://feeds.example/list"), slot: "feed_a" } as const
    assert.notStrictEqual(
      FeedSnapshot.feedDigest(document),
      FeedSnapshot.feedDigest({ ...document, slot: "new_domains" })
    )
  })
})
