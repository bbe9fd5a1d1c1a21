import { styleText } from "node:util"
import type { Result } from "../Checkers/Result.ts"
import { colours, defanged, printable, withoutLinks } from "./Printable.ts"
import * as Tally from "./Tally.ts"

export interface Style {
  readonly colour: boolean
}

type Format = Parameters<typeof styleText>[0]

const styled = (style: Style, format: Format, text: string): string =>
  style.colour ? styleText(format, text, { validateStream: false }) : text

const VERDICT_WIDTH = "suspicious".length
const SCORE_WIDTH = "score".length
const INDENT = " ".repeat(VERDICT_WIDTH + SCORE_WIDTH + 4)

export const header = (style: Style): string =>
  `${styled(style, "bold", `${"verdict".padEnd(VERDICT_WIDTH)}  score  url`)}\n`

/** In place of reasons: an allowed URL has none but plain HTTP. The first reason says that a URL is blocked. */
const ALLOWED = "Allowed by the operator's list (ALLOW_LIST)"

/** The reason of `malformed` quotes what was submitted, perhaps with a link in it. The other reasons quote no address with a scheme. */
const reasonOf = ({ kind, reason }: Result["findings"][number]): string =>
  printable(kind === "malformed" ? withoutLinks(reason) : reason)

/** Returns a line with the verdict and the URL, then a line for each reason. */
export const row = ({ verdict, score, url, findings, override }: Result, style: Style): string => {
  const first = `${styled(style, colours[verdict], verdict.padEnd(VERDICT_WIDTH))}  ${String(score).padStart(SCORE_WIDTH)}  ${defanged(url)}\n`
  const reasons = findings.map(reasonOf)
  const lines = override === "allow" ? [ALLOWED, ...reasons] : reasons
  return first + lines.map((line) => `${INDENT}${styled(style, "dim", line)}\n`).join("")
}

/** Returns the totals, and the checkers that did not answer. */
export const footer = (tally: Tally.Tally, policy: Tally.Policy, style: Style): string => {
  const gaps = Tally.gaps(tally, policy)
  const warning = gaps === undefined ? "" : `${styled(style, "yellow", `Incomplete: ${gaps}`)}\n`
  return `${Tally.summary(tally)}\n${warning}`
}
