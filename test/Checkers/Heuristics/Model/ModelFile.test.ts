import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as ModelFile from "../../../../src/Checkers/Heuristics/Model/ModelFile.ts"

const MAX_FILE_BYTES = 1_000_000
const bytes = readFileSync(ModelFile.shippedFile)

const changed = (at: number, by: number): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  copy[at] = ((copy[at] ?? 0) + by) % 256
  return copy
}

const reasonOf = (file: Uint8Array) =>
  Either.match(ModelFile.decode(file, "model.bin"), { onLeft: ({ reason }) => reason, onRight: () => "Read" })

describe("the weights file", () => {
  it("has at most a megabyte, and is the same after decoding and encoding", () => {
    assert.isAtMost(bytes.length, MAX_FILE_BYTES)
    const model = Either.getOrThrow(ModelFile.decode(bytes, "model.bin"))
    assert.isTrue(Buffer.from(ModelFile.encode(model)).equals(bytes))
  })

  it("is rejected with one changed byte or a missing end", () => {
    for (const at of [0, 4, 40, 5000, Math.floor(bytes.length / 2), bytes.length - 33, bytes.length - 1])
      assert.strictEqual(reasonOf(changed(at, 1)), "Damaged")
    for (const length of [0, 11, 43, 44, 1000, bytes.length - 1])
      assert.strictEqual(reasonOf(bytes.subarray(0, length)), "Damaged")
  })

  it.effect("is named in the error if it is missing or damaged", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "model-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const file = join(folder, "model.bin")
      const missing = yield* Effect.flip(ModelFile.load(pathToFileURL(file)))
      assert.strictEqual(missing.message, `The weights of the heuristics cannot be read: ${file}`)
      writeFileSync(file, changed(9999, 7))
      const damaged = yield* Effect.flip(ModelFile.load(pathToFileURL(file)))
      assert.strictEqual(damaged.message, `The weights of the heuristics are damaged: ${file}`)
    }).pipe(Effect.scoped)
  )
})
