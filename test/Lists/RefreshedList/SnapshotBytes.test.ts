import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Stored } from "../../../src/Lists/RefreshedList/Definition.ts"
import * as SnapshotFile from "../../../src/Lists/RefreshedList/SnapshotFile.ts"

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251)

const stored: Stored = {
  metadata: '{"etag":"W/\\"\u00fc\\n\\""}',
  parts: [bytesOf(400_000), new Uint8Array(), bytesOf(96)]
}

const encoded = Effect.map(SnapshotFile.encode(stored), (pieces) => [...pieces])
const bytes = Effect.map(encoded, Buffer.concat)

const reasonOf = (bytes: Uint8Array) =>
  SnapshotFile.decode(bytes).pipe(
    Effect.flip,
    Effect.orElseSucceed(() => undefined)
  )

describe("a snapshot as bytes", () => {
  it.effect("is decoded as it was encoded, each part into memory of its own that threads share", () =>
    Effect.gen(function* () {
      const again = yield* SnapshotFile.decode(yield* bytes)
      assert.deepStrictEqual(again, stored)
      for (const { buffer, length } of again.parts) {
        assert.instanceOf(buffer, SharedArrayBuffer)
        assert.strictEqual(buffer.byteLength, length)
      }
    })
  )

  it.effect("is decoded from the middle of other bytes", () =>
    Effect.gen(function* () {
      const whole = yield* bytes
      const surrounded = Buffer.concat([Buffer.from("abc"), whole, Buffer.from("defgh")])
      assert.deepStrictEqual(yield* SnapshotFile.decode(surrounded.subarray(3, 3 + whole.length)), stored)
    })
  )

  it.effect("is encoded in pieces of 256 KiB at most", () =>
    Effect.map(encoded, (pieces) => {
      for (const piece of pieces) assert.isAtMost(piece.length, 262_144)
    })
  )

  it.effect("is refused when any bit has flipped, and at any length but its own", () =>
    Effect.gen(function* () {
      const whole = yield* bytes
      for (let at = 0; at < whole.length; at += 1 + Math.floor(at / 20)) {
        const flipped = Buffer.from(whole)
        flipped[at] = (flipped[at] ?? 0) ^ 0x10
        assert.strictEqual(yield* reasonOf(flipped), "Damaged", `byte ${at}`)
        assert.strictEqual(yield* reasonOf(whole.subarray(0, at)), "Damaged", `${at} bytes`)
      }
      assert.strictEqual(yield* reasonOf(whole.subarray(0, -1)), "Damaged")
      assert.strictEqual(yield* reasonOf(Buffer.concat([whole, Buffer.alloc(1)])), "Damaged")
    })
  )

  it.effect("is refused when it is something else", () =>
    Effect.gen(function* () {
      for (const other of [Buffer.alloc(500_000), Buffer.from("{}"), Buffer.from("{}\n"), Buffer.alloc(0)])
        assert.strictEqual(yield* reasonOf(other), "Damaged")
    })
  )
})
