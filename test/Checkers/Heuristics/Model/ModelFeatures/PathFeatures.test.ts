import { assert, describe, it } from "@effect/vitest"
import * as PathFeatures from "../../../../../src/Checkers/Heuristics/Model/ModelFeatures/PathFeatures.ts"

describe("the features of a path", () => {
  it.each([
    ["/a", 0],
    ["/a.b/c", 0],
    ["/a.htm", 2],
    ["/a.PHP", 3],
    ["/a.shtml", 7],
    ["/a.config", 0]
  ])("%s has the extension %i", (text, expected) => {
    const row = new Float32Array(PathFeatures.names.length)
    PathFeatures.fill({ text, pathEnd: text.length }, new Uint8Array(), row, 0)
    assert.strictEqual(row[PathFeatures.names.indexOf("extension")], expected)
  })
})
