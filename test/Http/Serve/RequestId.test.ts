import { assert, describe, it } from "@effect/vitest"
import { requestIdOf } from "../../../src/Http/Serve.ts"

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe("requestIdOf", () => {
  for (const id of ["7", "0b8e3a5c-6a4e-4d2c-9f5d-3f1f5e1b7c11", "A_b.c-9", "x".repeat(128)])
    it(`takes ${id.slice(0, 40)}`, () => assert.strictEqual(requestIdOf(id), id))

  for (const id of [
    undefined,
    "",
    "x".repeat(129),
    "two words",
    "line\nbreak",
    "end\n",
    'quo"te',
    "h\u00e9",
    "a,b",
    "%0A",
    ["a", "b"]
  ])
    it(`makes another one for ${JSON.stringify(id)?.slice(0, 40)}`, () => {
      assert.match(requestIdOf(id), UUID)
      assert.notStrictEqual(requestIdOf(id), requestIdOf(id))
    })
})
