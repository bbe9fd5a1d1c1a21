import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import * as HashListSet from "../../../src/Lists/HashLists/HashListSet.ts"
import * as SetFormat from "../../../src/Lists/HashLists/SetFormat.ts"
import * as SnapshotBytes from "../../../src/Lists/RefreshedList/SnapshotBytes.ts"

const service = (key = "SECRET-KEY", url = "https://safebrowsing.example/"): SetFormat.Service => ({
  key: Redacted.make(key),
  baseUrl: new URL(url)
})

const format = SetFormat.format(service())
const encode = (set: HashListSet.HashListSet) => SnapshotBytes.encode(format, set)
const decode = (bytes: Uint8Array, of = format) => SnapshotBytes.decode(of, bytes)

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251)

const lists: ReadonlyArray<HashListSet.ScheduledList> = [
  {
    name: "se-4b",
    content: {
      list: { width: 4, bytes: bytesOf(4 * 100_000) },
      version: "AAECAw==",
      checksum: "aa".repeat(32),
      fetchedAt: 1_795_000_000_000,
      waitMillis: 1_800_000.5
    },
    dueAt: 1_795_001_800_000.5
  },
  {
    name: "mw-4b",
    dueAt: 1_795_009_000_000,
    lastError: { reason: "KeyRefused", detail: "403", at: 1_795_000_000_000 }
  },
  {
    name: "uws-4b",
    content: {
      list: { width: 4, bytes: new Uint8Array() },
      version: "",
      checksum: "bb".repeat(32),
      fetchedAt: 1_795_000_000_000,
      waitMillis: 0
    },
    dueAt: 1_795_000_000_000,
    lastError: { reason: "WorkerDied", at: 1_795_000_000_001 }
  },
  {
    name: "gc-32b",
    content: {
      list: { width: 32, bytes: bytesOf(32 * 3) },
      version: "BAUG",
      checksum: "cc".repeat(32),
      fetchedAt: 1_795_000_000_000,
      waitMillis: 1_800_000
    },
    dueAt: 1_795_001_800_000
  }
]

const set = HashListSet.make(lists, 4)

const bytes = Buffer.concat([...encode(set)])

const reasonOf = (bytes: Uint8Array, of = format) =>
  decode(bytes, of).pipe(
    Effect.flip,
    Effect.map(({ reason }) => reason),
    Effect.orElseSucceed(() => undefined)
  )

/** The same with other text in the metadata, and the digest for it. */
const changed = (from: string, to: string) => {
  assert.strictEqual(from.length, to.length)
  const content = Buffer.from(bytes.toString("latin1").replace(from, to), "latin1").subarray(0, -32)
  return Buffer.concat([content, createHash("sha256").update(content).digest()])
}

describe("a set of lists as bytes", () => {
  it.effect("is decoded as it was encoded, schedule, back-off and errors included", () =>
    Effect.gen(function* () {
      const again = yield* decode(bytes)
      assert.deepStrictEqual(again, set)
    })
  )

  it.effect("is decoded with no list at all", () =>
    Effect.gen(function* () {
      const none = HashListSet.make(
        set.lists.filter(({ name }) => name === "mw-4b"),
        4
      )
      const again = yield* decode(Buffer.concat([...encode(none)]))
      assert.deepStrictEqual(again, none)
      assert.strictEqual(again.answeredAt, 0)
    })
  )

  it.effect("is decoded with a buffer of its own for each list", () =>
    Effect.gen(function* () {
      const { lists } = yield* decode(bytes)
      for (const { content } of lists)
        if (content !== undefined)
          assert.strictEqual(content.list.bytes.buffer.byteLength, content.list.bytes.length)
    })
  )

  it.effect("is refused when any bit has flipped, and at any length but its own", () =>
    Effect.gen(function* () {
      for (let at = 0; at < bytes.length; at += 1 + Math.floor(at / 20)) {
        const flipped = Buffer.from(bytes)
        flipped[at] = (flipped[at] ?? 0) ^ 0x10
        assert.strictEqual(yield* reasonOf(flipped), "Damaged", `byte ${at}`)
        assert.strictEqual(yield* reasonOf(bytes.subarray(0, at)), "Damaged", `${at} bytes`)
      }
      assert.strictEqual(yield* reasonOf(Buffer.concat([bytes, Buffer.alloc(1)])), "Damaged")
    })
  )

  it.effect("is refused when its parts do not fit together", () =>
    Effect.gen(function* () {
      for (const [from, to] of [
        ['"entries":100000', '"entries":100001'],
        ['"entries":100000', '"entries":100000'.replace("100000", "099999")],
        ['"entries":3', '"entries":2'],
        ['"name":"gc-32b"', '"name":"gc-16b"'],
        ['"name":"gc-32b"', '"name":"gc-32x"'],
        ['"failures":4', '"failures":-']
      ] as const)
        assert.strictEqual(yield* reasonOf(changed(from, to)), "Damaged", to)
    })
  )

  it.effect("is refused when it is of another service", () =>
    Effect.gen(function* () {
      const other = SetFormat.format(service("SECRET-KEY", "https://other.example/"))
      assert.strictEqual(yield* reasonOf(bytes, other), "OtherService")
    })
  )

  it.effect("has no back-off for another key", () =>
    Effect.gen(function* () {
      const again = yield* decode(bytes, SetFormat.format(service("OTHER-KEY")))
      assert.deepStrictEqual(
        again.lists.map(({ dueAt }) => dueAt),
        [1_795_001_800_000.5, 0, 0, 1_795_001_800_000]
      )
      assert.strictEqual(again.failures, 0)
    })
  )

  it("shows neither the key nor the address", () => {
    const text = bytes.toString("latin1")
    for (const secret of ["SECRET-KEY", "safebrowsing.example"]) assert.notInclude(text, secret)
  })

  it("is encoded in pieces of 256 KiB at most", () => {
    for (const piece of encode(set)) assert.isAtMost(piece.length, 262_144)
  })
})

describe("the metadata of a set", () => {
  const later = HashListSet.make(
    lists.map((list) => ({ ...list, dueAt: list.dueAt + 1000 })),
    5
  )

  it("are those of another replica or of a later answer, with our lists", () => {
    const text = format.metadata(later)
    assert.isBelow(text.length, 2000)
    const found = Option.getOrThrow(format.withMetadata(set, text))
    assert.deepStrictEqual(found, later)
    assert.strictEqual(found.lists[0]?.content?.list, set.lists[0]?.content?.list)
  })

  it("are not used when they are something else, or of lists that we do not have", () => {
    const without = HashListSet.make(set.lists.slice(1), 0)
    for (const [own, text] of [
      [set, "nonsense"],
      [set, "{}"],
      [without, format.metadata(set)],
      [set, format.metadata(set).replace('"entries":3', '"entries":2')],
      // It would not fit into a URL.
      [set, format.metadata(set).replace("AAECAw==", "A".repeat(2049))]
    ] as const)
      assert.deepStrictEqual(format.withMetadata(own, text), Option.none())
  })

  it("of the version before are read, so that no request is early", () => {
    const before = JSON.parse(format.metadata(set))
    assert.deepInclude(before.lists[0], { failures: 0, rounds: 0, needsFull: false })
    assert.deepInclude(before.lists[1], { failures: 4, rounds: 0, needsFull: false })
    before.lists[0].needsFull = true
    before.lists[1].lastError.reason = "RemovalIndex"
    const { lists } = Option.getOrThrow(format.withMetadata(set, JSON.stringify(before)))
    assert.strictEqual(lists[0]?.content?.version, "", "it asked for the whole list")
    assert.strictEqual(lists[0]?.dueAt, set.lists[0]?.dueAt)
    assert.strictEqual(
      lists[1]?.lastError?.reason,
      "RemovalIndex",
      "a reason that this version does not have"
    )
  })
})

describe("the name of a fleet's set", () => {
  it("differs by service, key and lists, and shows none of them", () => {
    const digest = SetFormat.digestOf(service(), ["se-4b", "mw-4b"])
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.strictEqual(SetFormat.digestOf(service(), ["mw-4b", "se-4b"]), digest)
    for (const other of [
      SetFormat.digestOf(service("OTHER-KEY"), ["se-4b", "mw-4b"]),
      SetFormat.digestOf(service("SECRET-KEY", "https://other.example/"), ["se-4b", "mw-4b"]),
      SetFormat.digestOf(service(), ["se-4b"])
    ])
      assert.notStrictEqual(other, digest)
  })
})
