import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { rowsOf, withRows } from "../bench/figures.js"

describe("the figures of the benchmarks", () => {
  const rows = rowsOf(
    "start",
    {
      ratios: [
        { section: "16 connections", what: "requests/s over Fastify's (goal: at least 0.6)", ratio: 0.5678 }
      ],
      measurements: [
        { section: "Seconds", what: "node dist/main.js (goal: about 1)", unit: "s", median: 0.5512 },
        { section: "Seconds", what: "  CPU time of its main thread", unit: "s", median: 0.4 }
      ]
    },
    "2026-11-24"
  )

  it("are a row for each ratio, and for each measurement with a goal", () => {
    assert.deepStrictEqual(rows, [
      "| `start` | 16 connections: requests/s | 0.568 times | Fastify's | at least 0.6 | 2026-11-24 |\n",
      "| `start` | Seconds: node dist/main.js | 0.551 s |  | about 1 | 2026-11-24 |\n"
    ])
  })

  it("replace those of the same part in the table", () => {
    const readme = readFileSync(new URL("../bench/README.md", import.meta.url), "utf8")
    const written = withRows(readme, new Map([["start", rows]]))
    const others = (text: string) => text.split("\n").filter((line) => !line.startsWith("| `start` |"))
    assert.deepStrictEqual(others(written), others(readme))
    for (const row of rows) assert.include(written, row)
    assert.strictEqual(withRows(written, new Map([["start", rows]])), written)
  })
})
