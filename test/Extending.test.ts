import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Clone from "./fixtures/Clone.ts"
import { isNightly } from "./fixtures/Seed.ts"

/** The compiler and Vitest in a process each, on a busy machine. */
const TIMEOUT_MS = 300_000

const page = readFileSync(join(Clone.root, "docs/extending.md"), "utf8")

/** The blocks of code with the name of a file. */
const blocks = Array.from(
  page.matchAll(/^```(ts|diff) (\S+)\n(.*?)^```$/gms),
  ([, kind, file = "", text = ""]) => ({
    kind,
    file,
    text
  })
)

/** The lines of a change with one of these marks, without it. */
const lines = (text: string, marks: string): string =>
  text
    .split("\n")
    .filter((line) => line !== "" && marks.includes(line.charAt(0)))
    .map((line) => `${line.slice(1)}\n`)
    .join("")

const apply = (folder: string, { file, kind, text }: (typeof blocks)[number]) => {
  const path = join(folder, file)
  if (kind === "ts") return writeFileSync(path, text)
  const [before, after] = [lines(text, " -"), lines(text, " +")]
  const parts = readFileSync(path, "utf8").split(before)
  assert.lengthOf(parts, 2, `${file} has the lines of the change once:\n${before}`)
  return writeFileSync(path, parts.join(after))
}

/** What the page changes or has written, beside the sources. */
const others = [
  "biome.json",
  "client/src",
  "docs/reasons.md",
  "test/Reasons.test.ts",
  "test/fixtures/OpenApiDocument.ts",
  "test/fixtures/Seed.ts",
  "test/fixtures/SmallModel.ts",
  "test/fixtures/ThreatLists.ts",
  "tsconfig.pages.json"
]

/** Without the build that the tests of the repository need. In one process: each loads Effect. */
const config = `import { tablesInTests } from "./scripts/tables.js"
export default {
  plugins: [tablesInTests],
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: "test/fixtures/Seed.ts",
    testTimeout: 60_000,
    isolate: false,
    fileParallelism: false
  }
}
`

describe("docs/extending.md", () => {
  it("has no block of code without a file", () => {
    assert.strictEqual(page.match(/^```\S/gm)?.length, blocks.length)
    assert.isAbove(blocks.length, 0)
  })

  it.scopedLive(
    `makes a fork ${isNightly ? "that type-checks and passes its tests" : "in the style of the repository"}`,
    () =>
      Effect.gen(function* () {
        const clone = yield* Clone.make
        // Vite cannot load files below a name with a #.
        const folder = join(clone, "../fork")
        renameSync(clone, folder)
        mkdirSync(join(folder, "test/Checkers"), { recursive: true })
        for (const name of others) cpSync(join(Clone.root, name), join(folder, name), { recursive: true })
        writeFileSync(join(folder, "vitest.config.ts"), config)
        for (const block of blocks) apply(folder, block)
        const bin = (name: string) => join(folder, "node_modules/.bin", name)
        // `npm run check` checks the other files.
        const files = [...new Set(blocks.map(({ file }) => file))]
        const style = yield* Clone.run(folder, bin("biome"), ["check", "--vcs-enabled=false", ...files])
        assert.strictEqual(style.code, 0, style.printed)
        // The compiler twice and Vitest are a twentieth of the time of all tests.
        if (!isNightly) return
        // In one thread, which takes less time of the processor beside other tests.
        for (const project of ["tsconfig.json", "tsconfig.pages.json"]) {
          const types = yield* Clone.run(folder, bin("tsc"), ["--noEmit", "--singleThreaded", "-p", project])
          assert.deepStrictEqual(types, { code: 0, printed: "" }, project)
        }
        const names = join(folder, "src/Checkers/Kinds/KindNames.ts")
        const written = readFileSync(names, "utf8")
        const tests = yield* Clone.run(folder, bin("vitest"), ["run", "--no-color", "--update"])
        assert.strictEqual(tests.code, 0, tests.printed)
        assert.match(tests.printed, /Test Files +3 passed/)
        assert.strictEqual(readFileSync(names, "utf8"), written)
        assert.include(readFileSync(join(folder, "docs/reasons.md"), "utf8"), "`company_intel`")
      }),
    TIMEOUT_MS
  )
})
