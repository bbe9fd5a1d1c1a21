import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { setImmediate } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "acorn"
import { transformSync } from "esbuild"
import { checkSync } from "recheck"
import wrappers from "../../src/Url/Submission/Wrapper/wrappers.tsv"

const sources = fileURLToPath(new URL("../../src", import.meta.url))
const client = fileURLToPath(new URL("../../client/src", import.meta.url))

/**
 * Patterns that recheck does not call safe (it also guesses), each with its first characters and what bounds its input.
 * A row whose file or pattern no longer exists fails the test: remove it.
 */
const bounded: ReadonlyArray<readonly [file: string, prefix: string, bound: string]> = [
  ["../client/src/promise.ts", "\\/+$", "the base URL that the caller of the client configures"],
  ["../client/src/promise.ts", "; *q=", "two response headers of the service that the caller has chosen"],
  ["Http/Pages/PageFile.ts", "<!-- if ", "the pages of the service, each read once at the start"],
  ["Layers/AppConfig/TracingConfig.ts", "\\/+$", "the URL of a collector, configured by the operator"],
  ["Checkers/Heuristics/HostFacts.ts", "(?:^|-)(?=[a-f]*\\d)", "63 characters of a label"],
  ["Checkers/Heuristics/HostFacts.ts", "^[a-z]+-[a-z]+-", "63 characters of a label"],
  ["Checkers/Heuristics/HostFacts.ts", "(?:\\d[\\d-]*", "63 characters of a label"],
  ["Checkers/Heuristics/HostFacts.ts", "[^aeiouy\\d-]h*", "63 characters of a label"],
  [
    "Checkers/Heuristics/Brand/BrandName.ts",
    "^\\d+|\\d+$",
    "63 characters of a label, 40 of a path's segment"
  ],
  [
    "Checkers/Heuristics/Model/ModelValue.ts",
    "[/_.-](?:log|sign)",
    "256 characters of a path: MAX_SIGN_IN_CHARS"
  ],
  ["Lists/RefreshedList/ListLog.ts", "\\B(?=(?:\\d{3})+$)", "the digits of a number"],
  ["Checkers/Heuristics/UrlFacts.ts", "\\/(wp-content|", "1,024 characters of a path: MAX_READ_CHARS"],
  ["Lists/ThreatFeed/FeedFormat/LineReader.ts", "^\\/(?!\\/).+", "an entry of a feed: MAX_ENTRY_LENGTH"],
  [
    "Lists/ThreatFeed/FeedFormat/RowText.ts",
    "^\\[?([\\d.]+|",
    "64 characters of a network: MAX_NETWORK_CHARS"
  ],
  ["Text/Encoded.ts", "<(?:meta|", "1,024 bytes of a page: MAX_CHARSET_BYTES"],
  ["Text/PlainText.ts", "https?(?::|%3a)|(?:body=", "300 characters behind `body=`"],
  ["Text/PlainText.ts", "[\\p{L}\\p{N}-]{1,63}(?: ?[[({]", "63 characters of a label, 9 labels"],
  ["Text/PlainText.ts", "(?<![\\w/])(?:(?:\\(", "63 characters of a label, 20 labels"],
  ["Text/PlainText.ts", "(?<![\\w/])[A-Z]{3,7} (", "8,192 characters of a path, 8 headers of 2,000"],
  ["Text/PlainText.ts", "(?<=[^\\s.\\\\]", "4 line breaks, 63 characters of a label, 5 labels"],
  ["Text/PlainText.ts", "(\\.{1,3}|[-!", "41 characters of a label, 24 of a suffix, 100 of a host"],
  ["Text/PlainText.ts", "[a-z0-9/][,;](?=", "260 characters of cells, 63 characters of a label, 9 labels"],
  [
    "Text/PlainText.ts",
    "[a-z0-9/](?:[|^",
    "100 characters in brackets, 8 letters behind an apostrophe, 300 of a query"
  ],
  ["Url/Submission/CarriedAddresses.ts", "(?<=[=:(", "8,192 characters of a message: MAX_MESSAGE_CHARS"],
  ["Url/Submission/CarriedAddresses.ts", "(?:^|[=&])(?:%0[9AD]|%20", "316 characters of a host"],
  ["Url/Submission/Wrapper.ts", ":(?!\\d*$)[\\w-]*$", "the characters between two colons"]
]

interface Pattern {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const WITH_TABLE = "Url/Submission/Wrapper.ts"

/** Compile the patterns of one table, which the test reads too. */
const filesWithTable: ReadonlySet<string> = new Set([WITH_TABLE, "Url/Submission/Wrapper/wrappers.schema.js"])

const fromTable: ReadonlyArray<Pattern> = wrappers.flatMap(({ destination, arguments: [pattern = ""] }) =>
  destination === "siteAfter" || destination === "inPathOrAfter"
    ? [{ file: WITH_TABLE, pattern, flags: "" }]
    : []
)

/** The regular expression literals of a file. Fails for a call of `RegExp`, whose pattern is not known here. */
const literals = (file: string): ReadonlyArray<Pattern> => {
  const { code } = transformSync(readFileSync(file, "utf8"), { loader: "ts", target: "es2022" })
  const found: Array<Pattern> = []
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const item of node) walk(item)
    else if (typeof node === "object" && node !== null) {
      if ("regex" in node) {
        const { pattern, flags } = node.regex as Pattern
        found.push({ file: relative(sources, file), pattern, flags })
      }
      if ("callee" in node && !filesWithTable.has(relative(sources, file)))
        assert.notStrictEqual((node.callee as { name?: string }).name, "RegExp", file)
      for (const child of Object.values(node)) walk(child)
    }
  }
  walk(parse(code, { ecmaVersion: "latest", sourceType: "module" }))
  return found
}

describe("regular expressions", () => {
  const files = [sources, client]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const all = [...files.flatMap(literals), ...fromTable]

  it("exist, where the test lists them as bounded", () => {
    for (const [file, prefix] of bounded) {
      assert.isTrue(existsSync(join(sources, file)), `src/${file} does not exist`)
      assert.isTrue(
        all.some((found) => found.file === file && found.pattern.startsWith(prefix)),
        `src/${file} has no pattern that starts with ${prefix}`
      )
    }
  })

  it("take linear time, or have a short input", async () => {
    assert.isAbove(fromTable.length, 3)
    assert.isAbove(all.length, 50)
    const slow: Array<Pattern & { readonly status: string }> = []
    for (const found of all) {
      const { status } = checkSync(found.pattern, found.flags, { timeout: 30_000, randomSeed: 1 })
      if (status !== "safe") slow.push({ ...found, status })
      // Vitest fails a run whose worker does not answer for a minute.
      await setImmediate()
    }
    const isBounded = ({ file, pattern }: Pattern) =>
      bounded.some(([boundedFile, prefix]) => boundedFile === file && pattern.startsWith(prefix))
    assert.deepStrictEqual(
      slow.filter((found) => !isBounded(found)),
      []
    )
  }, 300_000)
})
