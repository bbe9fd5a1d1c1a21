import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "acorn"
import { transformSync } from "esbuild"
import { checkSync } from "recheck"

const sources = fileURLToPath(new URL("../../src", import.meta.url))

/**
 * Those for which more than linear time is possible, or seems so to the tool, which also guesses: the beginning of the
 * pattern, and what keeps its input short. A pattern that is no more in the file must go from here.
 */
const bounded: ReadonlyArray<readonly [file: string, beginning: string, why: string]> = [
  ["Client/ThreatScoring.ts", "\\/+$", "the address that a caller of the client gives it"],
  ["Layers/TracingConfig.ts", "\\/+$", "the address of a collector, from the operator"],
  ["Checkers/Heuristics/Host/MachineName.ts", "(?:^|-)(?=[a-f]*\\d)", "63 characters of a label"],
  ["Checkers/Heuristics/Host/MachineName.ts", "^[a-z]+-[a-z]+-", "63 characters of a label"],
  [
    "Checkers/Heuristics/Signals/NestedUrl.ts",
    "https?:",
    "2,048 characters of a path or query: MAX_READ_CHARS"
  ],
  ["Checkers/Heuristics/Signals/PathSignals.ts", "\\/(?:Qm", "1,024 characters of a path: MAX_READ_CHARS"],
  [
    "Checkers/Heuristics/Signals/PathSignals.ts",
    "\\/(wp-content|",
    "1,024 characters of a path: MAX_READ_CHARS"
  ],
  [
    "Checkers/Heuristics/Signals/PathSignals.ts",
    "[\\w.+-]{1,64}(?:@",
    "1,024 characters of a path: MAX_READ_CHARS"
  ]
]

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

/** Every regular expression that is written as one. */
const literals = (file: string): ReadonlyArray<Found> => {
  const { code } = transformSync(readFileSync(file, "utf8"), { loader: "ts", target: "es2022" })
  const found: Array<Found> = []
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const item of node) walk(item)
    else if (typeof node === "object" && node !== null) {
      if ("regex" in node) {
        const { pattern, flags } = node.regex as Found
        found.push({ file: relative(sources, file), pattern, flags })
      }
      if ("callee" in node) assert.notStrictEqual((node.callee as { name?: string }).name, "RegExp", file)
      for (const child of Object.values(node)) walk(child)
    }
  }
  walk(parse(code, { ecmaVersion: "latest", sourceType: "module" }))
  return found
}

describe("regular expressions", () => {
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const all = files.flatMap(literals)

  it("take linear time, or are given little, whatever is in it", () => {
    assert.isAbove(all.length, 50)
    const faulty = all.flatMap((found) => {
      const { status } = checkSync(found.pattern, found.flags, { timeout: 30_000, randomSeed: 1 })
      return status === "safe" ? [] : [{ ...found, status }]
    })
    const isBounded = ({ file, pattern }: Found) =>
      bounded.some(([where, beginning]) => where === file && pattern.startsWith(beginning))
    assert.deepStrictEqual(
      faulty.filter((found) => !isBounded(found)),
      []
    )
    for (const [where, beginning] of bounded)
      assert.isTrue(
        all.some(({ file, pattern }) => file === where && pattern.startsWith(beginning)),
        beginning
      )
  }, 180_000)
})
