import * as Days from "../Corpus/Days.ts"
import type { LabelledUrl } from "../Corpus/LabelledUrl.ts"
import * as Extraction from "../Extraction.ts"

/** The corpus divided in time, for a test on what came last. */
export interface LastMonth {
  /** The day after which the rows of the test were first seen. */
  readonly after: string
  /** The newest day of the corpus. `""` if no row has a date. */
  readonly newest: string
  /** What was first seen until then, and all rows without a date. */
  readonly earlier: ReadonlyArray<LabelledUrl>
  /** What was first seen later, on sites of which no earlier row has one. */
  readonly later: ReadonlyArray<LabelledUrl>
}

/** The registrable domain or tenant. Undefined for a string that is no URL. */
export const siteOf = ({ url }: LabelledUrl): string | undefined => {
  const parsed = Extraction.parse(url)
  return parsed === undefined ? undefined : Extraction.siteOf(parsed)
}

/**
 * Divides a corpus at the same day of the month before its newest one, or at the last day that the current weights have
 * learned from, if that is later: what they have seen is no test of them.
 */
export const divide = (rows: ReadonlyArray<LabelledUrl>, learnedUpTo: string): LastMonth => {
  const newest = rows.reduce((latest, { firstSeen }) => (firstSeen > latest ? firstSeen : latest), "")
  if (newest === "") return { after: "", newest, earlier: rows, later: [] }
  const monthBefore = Days.monthBefore(newest)
  const after = learnedUpTo > monthBefore ? learnedUpTo : monthBefore
  const earlier = rows.filter(({ firstSeen }) => firstSeen <= after)
  const earlierSites = new Set(earlier.map(siteOf))
  const later = rows.filter((row) => row.firstSeen > after && !earlierSites.has(siteOf(row)))
  return { after, newest, earlier, later }
}
