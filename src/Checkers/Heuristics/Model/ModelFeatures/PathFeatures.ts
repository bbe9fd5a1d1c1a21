/** Numbers about the build of path and query. */

import { isDigit, isUpper } from "../ModelTables/Buckets.ts"
import type { RestText } from "../ModelText.ts"
import * as LetterRuns from "./LetterRuns.ts"

/** In the order in which `fill` writes them. */
export const names = [
  "pathLength",
  "depth",
  "longestSegment",
  "lastSegment",
  "pathDigits",
  "pathUppers",
  "pathHyphens",
  "pathDots",
  "pathEscapes",
  "longestDigitRun",
  "pathCost",
  "dearestSegmentCost",
  "extension",
  "endsInSlash",
  "queryLength",
  "queryParameters",
  "longestValue",
  "hasAddressInRest"
] as const

const PERCENT = 37
const AMPERSAND = 38
const HYPHEN = 45
const DOT = 46
const SLASH = 47
const EQUALS = 61

const extensions: ReadonlyMap<string, number> = new Map([
  ["html", 1],
  ["htm", 2],
  ["php", 3],
  ["asp", 4],
  ["aspx", 4],
  ["jsp", 4],
  ["cgi", 4],
  ["do", 4],
  ["xml", 5],
  ["rss", 5],
  ["json", 5],
  ["txt", 5],
  ["md", 5],
  ["pdf", 6]
])
const OTHER_EXTENSION = 7
/** With the dot. */
const LONGEST_EXTENSION = 6

/** Fills `row` from `next` on. */
export const fill = (text: RestText, costs: Uint8Array, row: Float32Array, next: number): void =>
  fillQuery(text, row, fillPath(text, costs, row, next))

const fillPath = (
  { rest, pathEnd }: RestText,
  costs: Uint8Array,
  row: Float32Array,
  next: number
): number => {
  let depth = 0
  let longest = 0
  let digits = 0
  let uppers = 0
  let hyphens = 0
  let dots = 0
  let escapes = 0
  let digitRun = 0
  let longestDigitRun = 0
  let dearestSegment = 0
  let lastSegment = 0
  let segmentStart = 1
  for (let at = 1; at <= pathEnd; at++) {
    const code = at < pathEnd ? rest.charCodeAt(at) : SLASH
    if (isDigit(code)) {
      digits++
      digitRun++
      if (digitRun > longestDigitRun) longestDigitRun = digitRun
      continue
    }
    digitRun = 0
    if (isUpper(code)) uppers++
    else if (code === HYPHEN) hyphens++
    else if (code === DOT) dots++
    else if (code === PERCENT) escapes++
    else if (code === SLASH) {
      const length = at - segmentStart
      if (length > 0) {
        depth++
        lastSegment = length
        if (length > longest) longest = length
        const cost = LetterRuns.cost(costs, rest, segmentStart, at)
        if (cost > dearestSegment) dearestSegment = cost
      }
      segmentStart = at + 1
    }
  }
  row[next++] = pathEnd
  row[next++] = depth
  row[next++] = longest
  row[next++] = lastSegment
  row[next++] = digits
  row[next++] = uppers
  row[next++] = hyphens
  row[next++] = dots
  row[next++] = escapes
  row[next++] = longestDigitRun
  row[next++] = LetterRuns.cost(costs, rest, 1, pathEnd)
  row[next++] = dearestSegment
  row[next++] = extensionOf(rest, pathEnd, lastSegment)
  row[next++] = pathEnd > 1 && rest.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  return next
}

const extensionOf = (rest: string, pathEnd: number, lastSegment: number): number => {
  const dot = rest.lastIndexOf(".", pathEnd - 1)
  if (dot === -1 || dot < pathEnd - lastSegment || pathEnd - dot > LONGEST_EXTENSION) return 0
  return extensions.get(rest.slice(dot + 1, pathEnd).toLowerCase()) ?? OTHER_EXTENSION
}

const fillQuery = ({ rest, pathEnd }: RestText, row: Float32Array, next: number): void => {
  let parameters = 0
  let longestValue = 0
  let valueStart = pathEnd + 1
  for (let at = pathEnd + 1; at <= rest.length; at++) {
    const code = at < rest.length ? rest.charCodeAt(at) : AMPERSAND
    if (code === EQUALS) valueStart = at + 1
    else if (code === AMPERSAND) {
      parameters++
      if (at - valueStart > longestValue) longestValue = at - valueStart
      valueStart = at + 1
    }
  }
  row[next++] = rest.length - pathEnd
  row[next++] = parameters
  row[next++] = longestValue
  row[next] = rest.includes("@") ? 1 : 0
}
