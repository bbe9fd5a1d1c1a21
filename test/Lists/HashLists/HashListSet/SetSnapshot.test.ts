import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import * as SetSnapshot from "../../../../src/Lists/HashLists/HashListSet/SetSnapshot.ts"
import * as HashListSet from "../../../../src/Lists/HashLists/HashListSet.ts"

const service = (key = "SECRET-KEY", url = "https://safebrowsing.example/"): SetSnapshot.Service => ({
  key: Redacted.make(key),
  baseUrl: new URL(url)
})

const { decode, encode } = SetSnapshot.format(service())

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251)

const set = HashListSet.make([
  {
    name: "se-4b",
    content: {
      list: { width: 4, bytes: bytesOf(4 * 100_000) },
      version: "AAECAw==",
      checksum: "aa".repeat(32),
      fetchedAt: 1_795_000_000_000,
      waitMillis: 1_800_000.5
    },
    dueAt: 1_795_001_800_000.5,
    failures: 0,
    rounds: 3,
    needsFull: false
  },
  {
    name: "mw-4b",
    dueAt: 1_795_009_000_000,
    failures: 4,
    rounds: 0,
    needsFull: true,
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
    failures: 1,
    rounds: 0,
    needsFull: false,
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
    dueAt: 1_795_001_800_000,
    failures: 0,
    rounds: 0,
    needsFull: false
  }
])

const bytes = Buffer.concat([...encode(set)])

const reasonOf = (bytes: Uint8Array, format = SetSnapshot.format(service())) =>
  format.decode(bytes).pipe(
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
      const none = HashListSet.make(set.lists.filter(({ name }) => name === "mw-4b"))
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
        ['"failures":4', '"failures":-'],
        ['"reason":"KeyRefused"', '"reason":"KeyRefusex"']
      ] as const)
        assert.strictEqual(yield* reasonOf(changed(from, to)), "Damaged", to)
    })
  )

  it.effect("is refused when it is of another service", () =>
    Effect.gen(function* () {
      const other = SetSnapshot.format(service("SECRET-KEY", "https://other.example/"))
      assert.strictEqual(yield* reasonOf(bytes, other), "OtherService")
    })
  )

  it.effect("has no back-off for another key", () =>
    Effect.gen(function* () {
      const again = yield* SetSnapshot.format(service("OTHER-KEY")).decode(bytes)
      assert.deepStrictEqual(
        again.lists.map(({ dueAt, failures }) => [dueAt, failures]),
        [
          [1_795_001_800_000.5, 0],
          [0, 0],
          [1_795_000_000_000, 0],
          [1_795_001_800_000, 0]
        ]
      )
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

describe("a set of lists as a text", () => {
  it("is read as it was written, without the bytes", () => {
    const text = SetSnapshot.descriptionOf(set)
    assert.isBelow(text.length, 2000)
    const described = Option.getOrThrow(SetSnapshot.readDescription(text))
    const again = HashListSet.follow(set, described, Option.none())
    assert.strictEqual(SetSnapshot.descriptionOf(again), text)
  })

  it("is none when it is something else", () => {
    for (const text of ["nonsense", "{}", '[{"name":"se-4b"}]'])
      assert.deepStrictEqual(SetSnapshot.readDescription(text), Option.none())
  })

  it("is none with a version that would not fit into a URL", () => {
    const text = SetSnapshot.descriptionOf(set).replace("AAECAw==", "A".repeat(2049))
    assert.deepStrictEqual(SetSnapshot.readDescription(text), Option.none())
  })
})

describe("the name of a fleet's set", () => {
  it("differs by service, key and lists, and shows none of them", () => {
    const digest = SetSnapshot.digestOf(service(), ["se-4b", "mw-4b"])
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.strictEqual(SetSnapshot.digestOf(service(), ["mw-4b", "se-4b"]), digest)
    for (const other of [
      SetSnapshot.digestOf(service("OTHER-KEY"), ["se-4b", "mw-4b"]),
      SetSnapshot.digestOf(service("SECRET-KEY", "https://other.example/"), ["se-4b", "mw-4b"]),
      SetSnapshot.digestOf(service(), ["se-4b"])
    ])
      assert.notStrictEqual(other, digest)
  })
})
