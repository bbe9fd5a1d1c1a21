import { completeStatuses, type Verdict } from "../Checkers/Checker/CheckerNames.ts"
import type { Result } from "../Checkers/Result.ts"

/** Totals of a run, in constant memory. */
export interface Tally {
  /** Without text that is not a URL. */
  readonly verdicts: Record<Verdict, number>
  notUrls: number
  /** The first line that is not a URL, if it has one. */
  firstNotUrl: string | undefined
  /** How often which checkers did not answer, by their name and status: `feed_c (timeout)`. */
  readonly unanswered: Map<string, number>
  /** The same of those that answered from old lists. */
  readonly stale: Map<string, number>
  /** By the reason: how many lines were not checked, and the first of them. */
  readonly unreadable: Map<string, { readonly count: number; readonly where: string }>
}

export const make = (): Tally => ({
  verdicts: { safe: 0, suspicious: 0, phishing: 0 },
  notUrls: 0,
  firstNotUrl: undefined,
  unanswered: new Map(),
  stale: new Map(),
  unreadable: new Map()
})

/** What of a run makes its exit status 1 or 2. */
export interface Policy {
  /** The status is 1 from this verdict on. */
  readonly failOn: "suspicious" | "phishing"
  /** The status is 2 if a checker did not answer (`unanswered`), or also if it answered from an old list (`stale`). */
  readonly strictness: "off" | "unanswered" | "stale"
}

export const defaultPolicy: Policy = { failOn: "suspicious", strictness: "off" }

/** Whether the text has no address. Its verdict is that of the contract, but nothing was found about a site. */
export const isNotUrl = ({ findings, verdict }: Result): boolean =>
  verdict === "suspicious" && findings.some(({ kind }) => kind === "malformed")

const complete: ReadonlySet<string> = new Set(completeStatuses)

/** Adds a result to the totals, in place. `where` is its line. */
export const add = (tally: Tally, result: Result, where?: string): void => {
  if (isNotUrl(result)) {
    if (tally.notUrls === 0) tally.firstNotUrl = where
    tally.notUrls++
  } else tally.verdicts[result.verdict]++
  for (const [checker, status] of Object.entries(result.checkers)) {
    if (complete.has(status)) continue
    const counts = status === "stale" ? tally.stale : tally.unanswered
    const key = `${checker} (${status})`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}

/** Adds a line that cannot be checked, in place. `where` is as of `add`. */
export const addUnreadable = (tally: Tally, where: string, reason: string): void => {
  const before = tally.unreadable.get(reason)
  tally.unreadable.set(reason, { count: (before?.count ?? 0) + 1, where: before?.where ?? where })
}

export const total = ({ notUrls, verdicts }: Tally): number =>
  verdicts.safe + verdicts.suspicious + verdicts.phishing + notUrls

/** The checkers that did not answer about one URL. */
export const unansweredOf = ({ checkers }: Result): ReadonlyArray<string> =>
  Object.entries(checkers).flatMap(([checker, status]) =>
    complete.has(status) || status === "stale" ? [] : [checker]
  )

export const failsStrictly = ({ stale, unanswered }: Tally, { strictness }: Policy): boolean =>
  (strictness !== "off" && unanswered.size > 0) || (strictness === "stale" && stale.size > 0)

/**
 * 0: no URL has the verdict of `failOn` or a worse one. 1: at least one has. 2: not all lines were checked, or are URLs, or not by
 * all checkers that `strictness` requires, whatever was found; with `strictness` also if there was nothing to check.
 */
export const exitStatus = (tally: Tally, policy = defaultPolicy): 0 | 1 | 2 => {
  const { suspicious, phishing } = tally.verdicts
  if (tally.unreadable.size > 0 || tally.notUrls > 0 || failsStrictly(tally, policy)) return 2
  if (policy.strictness !== "off" && total(tally) === 0) return 2
  return phishing > 0 || (policy.failOn === "suspicious" && suspicious > 0) ? 1 : 0
}

/** `12,000` */
export const shown = (number: number): string => number.toLocaleString("en-US")

/** `3 are not URLs; the first is line 7`; undefined if all are. */
export const notUrls = ({ firstNotUrl, notUrls }: Tally): string | undefined => {
  if (notUrls === 0) return undefined
  const count = notUrls === 1 ? "1 is not a URL" : `${shown(notUrls)} are not URLs`
  if (firstNotUrl === undefined) return count
  return notUrls === 1 ? `${count} (${firstNotUrl})` : `${count}, the first in ${firstNotUrl}`
}

/** `100 checked: 2 phishing, 1 suspicious, 94 safe (--all shows them); 3 are not URLs` */
export const summary = (tally: Tally, only: Verdict): string => {
  const { phishing, suspicious, safe } = tally.verdicts
  const hint = only !== "suspicious" || safe === 0 ? "" : ` (--all shows ${safe === 1 ? "it" : "them"})`
  const counts = `${shown(total(tally))} checked: ${shown(phishing)} phishing, ${shown(suspicious)} suspicious, ${shown(safe)} safe${hint}`
  const others = notUrls(tally)
  return others === undefined ? counts : `${counts}; ${others}`
}

/** `12 lines are not UTF-8 and were not checked; the first is line 3`, one line for each reason. */
export const unreadableLines = ({ unreadable }: Tally): ReadonlyArray<string> =>
  Array.from(unreadable, ([reason, { count, where }]) =>
    count === 1
      ? `${where.replace(/^line/, "Line")} is ${reason} and was not checked`
      : `${shown(count)} lines are ${reason} and were not checked; the first is ${where}`
  )

/**
 * `Incomplete: no answer from feed_a (unavailable), feed_c (timeout) for 3`; undefined if every configured checker always
 * answered. Says if `--strict` decides the exit status, and names old lists only with `--strict=stale`.
 */
export const gaps = (tally: Tally, policy: Policy): string | undefined => {
  const all = total(tally)
  const named = (label: string, counts: ReadonlyMap<string, number>): ReadonlyArray<string> => {
    const names = Array.from(counts, ([key, times]) => (times === all ? key : `${key} for ${shown(times)}`))
    return names.length === 0 ? [] : [`${label} ${names.join(", ")}`]
  }
  const parts = [
    ...named("no answer from", tally.unanswered),
    ...(policy.strictness === "stale" ? named("old lists in", tally.stale) : [])
  ]
  if (parts.length === 0) return undefined
  return `Incomplete: ${parts.join("; ")}${failsStrictly(tally, policy) ? ". Exit status 2 because of --strict" : ""}`
}
