import { styleText } from "node:util"
import type { Verdict } from "../Checkers/Checker/CheckerNames.ts"
import type { Result } from "../Checkers/Result.ts"
import { printable, printableJson } from "../Layers/Telemetry/Printable.ts"
import type { Place } from "./Lines.ts"
import * as Tally from "./Tally.ts"

/** How results are written. */
export interface Format {
  /** Before the first row, whose place says which columns are written too. */
  readonly header: (place?: Place) => string
  readonly row: (result: Result, place?: Place) => string
  /** The record of a CSV without a URL, if it is written. */
  readonly blank?: (place: Place) => string
  /** What ends the output. Undefined: programs read it, which need its header without rows too. */
  readonly footer?: (tally: Tally.Tally, only: Verdict, policy: Tally.Policy) => string
}

/** In UTF-16 units. Longer URLs are cut in the table, not in JSON. */
const MAX_SHOWN_LENGTH = 300

/** Not the end of a host before a port: `a[.]ftp:8080`. */
const SCHEME = /(?<![\w.-]|\.\])(?:(h)tt(ps?:)|(f)t(p:))/gi

/** Blanks, scheme and authority: everything before the path, the query and the fragment. */
const AUTHORITY = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i

/** `withoutLinks("see http://example.com")` is `"see hxxp://example.com"`: no terminal makes a link of it. */
const withoutLinks = (text: string): string => text.replace(SCHEME, "$1$3xx$2$4")

/**
 * Defangs a URL, so that no terminal turns it into a link and it does not open when pasted into a browser. Also escapes it
 * for a terminal and cuts it. `CanonicalUrl.parse` reads the same address from the result, if nothing was escaped or cut.
 *
 * `defanged("http://example.com/a.b")` is `"hxxp://example[.]com/a.b"`.
 */
export const defanged = (url: string): string => {
  const cut = url.length > MAX_SHOWN_LENGTH ? `${url.slice(0, MAX_SHOWN_LENGTH)}…` : url
  return withoutLinks(
    printable(cut).replace(AUTHORITY, (authority) => authority.replaceAll("[.]", ".").replaceAll(".", "[.]"))
  )
}

/** The colour of each verdict, by its name in `util.styleText`. */
const colours = { safe: "green", suspicious: "yellow", phishing: "red" } as const satisfies Record<
  Verdict,
  string
>

const VERDICT_WIDTH = "suspicious".length
const SCORE_WIDTH = "score".length
const INDENT = " ".repeat(VERDICT_WIDTH + SCORE_WIDTH + 4)

/** In place of reasons: an allowed URL has none but plain HTTP. The first reason says that a URL is blocked. */
const ALLOWED = "Allowed by the operator's list (ALLOW_LIST)"

/** The reason of `malformed` quotes what was submitted, perhaps with a link in it. The other reasons quote no address with a scheme. */
const reasonOf = ({ kind, reason }: Result["findings"][number]): string =>
  printable(kind === "malformed" ? withoutLinks(reason) : reason)

/** `mail.eml, line 3` */
export const whereOf = ({ file, line }: Place): string =>
  `${file === undefined ? "" : `${printable(file)}, `}line ${line}`

/** A line with the verdict and the URL for each result, then a line for each reason; at the end the totals. */
const table = (hasColours: boolean): Format => {
  const styled = (format: Parameters<typeof styleText>[0], text: string): string =>
    hasColours ? styleText(format, text, { validateStream: false }) : text

  return {
    header: () => `${styled("bold", `${"verdict".padEnd(VERDICT_WIDTH)}  score  url`)}\n`,
    row: (result, place) => {
      const { findings, override, score, url, verdict } = result
      const label = Tally.isNotUrl(result) ? "not a URL" : verdict
      const where = place === undefined ? "" : `  (${whereOf(place)})`
      const first = `${styled(colours[verdict], label.padEnd(VERDICT_WIDTH))}  ${String(score).padStart(SCORE_WIDTH)}  ${defanged(url)}${where}\n`
      const reasons = findings.map(reasonOf)
      const lines = override === "allow" ? [ALLOWED, ...reasons] : reasons
      return first + lines.map((line) => `${INDENT}${styled("dim", line)}\n`).join("")
    },
    footer: (tally, only, policy) => {
      const gaps = Tally.gaps(tally, policy)
      const warning = gaps === undefined ? "" : `${styled("yellow", gaps)}\n`
      return `${Tally.summary(tally, only)}\n${warning}`
    }
  }
}

/** One JSON object a line. */
const json = (): Format => ({
  header: () => "",
  row: (result, place) =>
    `${printableJson(JSON.stringify(place === undefined ? result : { ...result, file: place.file, line: place.line }))}\n`
})

/** Spreadsheets read such a cell as a formula, which could send other cells elsewhere. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/

/** A field of RFC 4180. Text that a spreadsheet would compute gets an apostrophe, as in a spreadsheet. */
const cell = (text: string): string => {
  const safe = printable(FORMULA.test(text) ? `'${text}` : text)
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\n`

/** Before the results. */
const before = (place: Place | undefined): ReadonlyMap<string, string> => place?.record ?? new Map()

const columns = ["url", "score", "verdict", "reasons", "kinds", "incomplete", "override"]

/** One record a line: line breaks in a URL are escaped. */
const csv = (): Format => ({
  header: (place) => csvLine([...before(place).keys(), ...columns]),
  blank: (place) => csvLine([...before(place).values(), ...columns.map(() => "")]),
  row: (result, place) =>
    csvLine([
      ...before(place).values(),
      result.url,
      String(result.score),
      result.verdict,
      result.reasons.join("; "),
      result.findings.map(({ kind }) => kind).join("; "),
      Tally.unansweredOf(result).join("; "),
      result.override ?? ""
    ])
})

/** The formats by the names that `--format` has. */
export const byName = { table, json, csv } as const
