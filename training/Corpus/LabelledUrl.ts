import * as Days from "./Days.ts"

/** A row of the corpus: one line of a TSV file. */
export interface LabelledUrl {
  readonly isPhishing: boolean
  /** `2026-02-01`, or `""` if unknown. */
  readonly firstSeen: string
  readonly source: string
  readonly url: string
  /** Of the list of login pages: the part of the data that a row is in. `""` in other files. */
  readonly split: string
}

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/** Whether a text is a day of the calendar: the weights file can have no `2026-06-31`. */
export const isDay = (text: string): boolean => DAY.test(text) && Days.dayOf(Date.parse(text)) === text

/** What no column can contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant.
const SEPARATOR = /[\u0000-\u001f\u007f]/

export const isColumn = (text: string): boolean => text !== "" && !SEPARATOR.test(text)

/**
 * Reads a line: label (1 phishing, 0 benign), date first seen, source, URL, split; further columns are ignored. Undefined for
 * a damaged line, and for a date after `lastDay`: such a row would be the newest of the corpus for years.
 */
export const parseLine = (line: string, lastDay: string): LabelledUrl | undefined => {
  const [label, firstSeen = "", source = "", url = "", split = ""] = line.split("\t")
  const isDated = isDay(firstSeen) && firstSeen <= lastDay
  if ((label !== "0" && label !== "1") || (firstSeen !== "" && !isDated)) return undefined
  if (!isColumn(source) || !isColumn(url)) return undefined
  return { isPhishing: label === "1", firstSeen, source, url, split }
}

/** The line of a row, without its end. The split is not written. */
export const formatLine = ({ isPhishing, firstSeen, source, url }: LabelledUrl): string =>
  `${isPhishing ? 1 : 0}\t${firstSeen}\t${source}\t${url}`
