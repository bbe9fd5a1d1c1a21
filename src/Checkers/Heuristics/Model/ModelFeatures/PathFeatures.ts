/** Features of the structure of path and query. */

import { isDigit, isUpper } from "../ModelTables/Buckets.ts"
import type { PathText } from "../ModelText.ts"
import * as LetterRuns from "./LetterRuns.ts"

/** In the order of `fill`. The weights file contains these names. */
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
/** Including the dot. */
const MAX_EXTENSION_CHARS = 6

/** Writes the features to `row` from index `next` on. */
export const fill = (text: PathText, costs: Uint8Array, row: Float32Array, next: number): void =>
  fillQuery(text, row, fillPath(text, costs, row, next))

const fillPath = (
  { text, pathEnd }: PathText,
  costs: Uint8Array,
  row: Float32Array,
  next: number
): number => {
  let depth = 0
  let maxLength = 0
  let digits = 0
  let uppers = 0
  let hyphens = 0
  let dots = 0
  let escapes = 0
  let digitRun = 0
  let maxDigitRun = 0
  let maxSegmentCost = 0
  let lastSegment = 0
  let segmentStart = 1
  for (let at = 1; at <= pathEnd; at++) {
    const code = at < pathEnd ? text.charCodeAt(at) : SLASH
    if (isDigit(code)) {
      digits++
      digitRun++
      if (digitRun > maxDigitRun) maxDigitRun = digitRun
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
        if (length > maxLength) maxLength = length
        const cost = LetterRuns.meanCost(costs, text, segmentStart, at)
        if (cost > maxSegmentCost) maxSegmentCost = cost
      }
      segmentStart = at + 1
    }
  }
  row[next++] = pathEnd
  row[next++] = depth
  row[next++] = maxLength
  row[next++] = lastSegment
  row[next++] = digits
  row[next++] = uppers
  row[next++] = hyphens
  row[next++] = dots
  row[next++] = escapes
  row[next++] = maxDigitRun
  row[next++] = LetterRuns.meanCost(costs, text, 1, pathEnd)
  row[next++] = maxSegmentCost
  row[next++] = extensionOf(text, pathEnd, lastSegment)
  row[next++] = pathEnd > 1 && text.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  return next
}

const extensionOf = (text: string, pathEnd: number, lastSegment: number): number => {
  const dot = text.lastIndexOf(".", pathEnd - 1)
  if (dot === -1 || dot < pathEnd - lastSegment || pathEnd - dot > MAX_EXTENSION_CHARS) return 0
  return extensions.get(text.slice(dot + 1, pathEnd).toLowerCase()) ?? OTHER_EXTENSION
}

const fillQuery = ({ text, pathEnd }: PathText, row: Float32Array, next: number): void => {
  let parameters = 0
  let maxValueLength = 0
  let valueStart = pathEnd + 1
  for (let at = pathEnd + 1; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : AMPERSAND
    if (code === EQUALS) valueStart = at + 1
    else if (code === AMPERSAND) {
      parameters++
      if (at - valueStart > maxValueLength) maxValueLength = at - valueStart
      valueStart = at + 1
    }
  }
  row[next++] = text.length - pathEnd
  row[next++] = parameters
  row[next++] = maxValueLength
  row[next] = text.includes("@") ? 1 : 0
}
