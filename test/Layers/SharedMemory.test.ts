import { assert, describe, it } from "@effect/vitest"
import * as SharedMemory from "../../src/Layers/SharedMemory.ts"

const MEBIBYTE = 1024 * 1024

/** Memory that nobody holds on to. */
const abandoned = () => new WeakRef(new SharedArrayBuffer(MEBIBYTE))

const turn = () => new Promise((resume) => setImmediate(resume))

describe("SharedMemory", () => {
  it("is collected once a lot of it was left behind", async () => {
    const memory = abandoned()
    await turn()
    SharedMemory.leave(new SharedArrayBuffer(32 * MEBIBYTE))
    await turn()
    assert.isDefined(memory.deref())
    await turn()
    SharedMemory.leave(new SharedArrayBuffer(33 * MEBIBYTE))
    assert.isUndefined(memory.deref())
  })
})
