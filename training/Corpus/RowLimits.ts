/**
 * Limits on the rows that are learned from, so that no single list decides what is learned, and so that lists of bare
 * domains do not teach that ordinary sites have no path. They hold when rows are collected, and again for every training and
 * test, because a corpus may have been put together by others.
 */

import * as Random from "../Random.ts"
import * as Days from "./Days.ts"
import type { LabelledUrl } from "./LabelledUrl.ts"

/**
 * Of one source and class in one month. The most that an honest feed has brought in a month of the development data is 19,652
 * rows (OpenPhish in November 2024), so this drops nothing there. All phishing of a month was 2,000 to 30,000 rows there,
 * so a feed that is flooded adds no more than an ordinary month has.
 */
export const MAX_ROWS_PER_SOURCE_AND_MONTH = 20_000

/**
 * Lists of bare domains are at most one of so many benign rows. With twice as many, and without pairs for PhishTank's hosts, the model
 * found 1.4 points less of July's and August's phishing at 0.45 % false positives, and 3 less of PhishTank's.
 */
const MIN_BENIGN_ROWS_PER_BARE_DOMAIN = 10

/** The end of the name of a source whose rows are `https://domain/`, made from a list of domains. */
export const BARE_DOMAINS = "(derived)"

const SEED = 20260701

export interface Limited {
  readonly rows: ReadonlyArray<LabelledUrl>
  /** Rows over the limit of a source and month. */
  readonly capped: number
  /** Rows over the limit of bare domains. */
  readonly bareDomains: number
}

/** Chooses so many positions, by a shuffle with a seed: where a row stands says nothing about whether it stays. */
export const choose = <A>(items: ReadonlyArray<A>, count: number, key: string): ReadonlySet<A> => {
  if (items.length <= count) return new Set(items)
  const order = Random.shuffle(Uint32Array.from(items.keys()), SEED ^ Random.hash(key))
  return new Set(Array.from(order.subarray(0, count), (at) => items[at]).filter((item) => item !== undefined))
}

/** What the limit of a source and month applies to. Undefined for rows without a date, which are not of one month. */
export const groupOf = ({ isPhishing, source, firstSeen }: LabelledUrl): string | undefined =>
  firstSeen === "" ? undefined : `${isPhishing ? 1 : 0} ${source} ${Days.monthOf(firstSeen)}`

/** Whether a row is of a list of bare domains. */
export const isBareDomain = ({ isPhishing, source }: LabelledUrl): boolean =>
  !isPhishing && source.endsWith(BARE_DOMAINS)

/** Leaves at most so many rows of each group, by a choice with a fixed seed. Rows without a group are not limited. */
export const limitGroups = (
  rows: ReadonlyArray<LabelledUrl>,
  groupOf: (row: LabelledUrl) => string | undefined,
  max: number
): ReadonlyArray<LabelledUrl> => {
  const groups = new Map<string, Array<LabelledUrl>>()
  for (const row of rows) {
    const key = groupOf(row)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  const large = [...groups].filter(([, group]) => group.length > max)
  const left = new Set(
    large.flatMap(([key, group]) => {
      const chosen = choose(group, max, key)
      return group.filter((row) => !chosen.has(row))
    })
  )
  return left.size === 0 ? rows : rows.filter((row) => !left.has(row))
}

const limitBareDomains = (rows: ReadonlyArray<LabelledUrl>): ReadonlyArray<LabelledUrl> => {
  const bare = rows.filter(isBareDomain)
  const others = rows.reduce((count, row) => (row.isPhishing || isBareDomain(row) ? count : count + 1), 0)
  const max = Math.floor(others / (MIN_BENIGN_ROWS_PER_BARE_DOMAIN - 1))
  if (bare.length <= max) return rows
  const chosen = choose(bare, max, BARE_DOMAINS)
  return rows.filter((row) => !isBareDomain(row) || chosen.has(row))
}

/** Leaves out what is over the limits, by a choice with a fixed seed, and keeps the order. */
export const limit = (
  rows: ReadonlyArray<LabelledUrl>,
  maxPerSourceAndMonth = MAX_ROWS_PER_SOURCE_AND_MONTH
): Limited => {
  const ofSources = limitGroups(rows, groupOf, maxPerSourceAndMonth)
  const limited = limitBareDomains(ofSources)
  return {
    rows: limited,
    capped: rows.length - ofSources.length,
    bareDomains: ofSources.length - limited.length
  }
}
