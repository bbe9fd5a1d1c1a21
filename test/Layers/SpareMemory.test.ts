import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as SpareMemory from "../../src/Layers/SpareMemory.ts"

const MEBIBYTE = 1024 * 1024

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const turn = () => new Promise((resume) => setImmediate(resume))

describe("SpareMemory", () => {
  it("is taken by one", () => {
    const spare = SpareMemory.make()
    assert.isUndefined(spare.take())
    const memory = new SharedArrayBuffer(8)
    spare.giveBack(memory)
    assert.strictEqual(spare.take(), memory)
    assert.isUndefined(spare.take())
  })

  it("is used for what has grown a little or shrunk, and for nothing larger", () => {
    const { buffer } = SpareMemory.allocate(1000)
    for (const length of [0, 600, 999, 1000, 1100]) {
      const used = SpareMemory.allocate(length, buffer)
      assert.deepStrictEqual([used.buffer === buffer, used.byteOffset, used.length], [true, 0, length])
    }
    const larger = SpareMemory.allocate(1200, buffer)
    assert.deepStrictEqual([larger.buffer === buffer, larger.length], [false, 1200])
  })

  it("is no more than two memories for what grows and shrinks", () => {
    const spare = SpareMemory.make()
    const memories = new Set<SharedArrayBuffer>()
    let held = SpareMemory.allocate(1000)
    for (let round = 0; round < 20; round++)
      for (const length of [520, 270, 1000, 530, 140, 900]) {
        const next = SpareMemory.allocate(length, spare.take())
        memories.add(next.buffer)
        spare.giveBack(held.buffer)
        held = next
      }
    assert.isAtMost(memories.size, 4)
  })

  it("is no reason to collect, and is gone when V8 has collected", async () => {
    const external = () => process.memoryUsage().external
    const spare = SpareMemory.make()
    const before = external()
    spare.giveBack(SpareMemory.allocate(64 * MEBIBYTE).buffer)
    assert.isBelow(external() - before, MEBIBYTE)
    await turn()
    collect()
    assert.isUndefined(spare.take())
  })
})
