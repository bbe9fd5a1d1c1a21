import { assert, describe, it } from "@effect/vitest"
import * as ReturnedMemory from "../../src/Layers/ReturnedMemory.ts"

describe("ReturnedMemory", () => {
  it("leaves nothing behind, without a collection", () => {
    const held = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 100; i++) {
      const bytes = new ArrayBuffer(16 * 1024 * 1024)
      const view = new Uint8Array(bytes)
      ReturnedMemory.giveBack(bytes)
      assert.deepStrictEqual([bytes.byteLength, view.length], [0, 0])
      assert.isBelow(process.memoryUsage().arrayBuffers - held, 16 * 1024 * 1024)
    }
  })
})
