import type { Verdict } from "../Checkers/Checker/CheckerNames.ts"
import type { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { Result } from "../Checkers/Result.ts"

/** Totals of a run, in constant memory. */
export interface Tally {
  readonly verdicts: Record<Verdict, number>
  /** How often each checker had which status other than `ok` and `not-configured`. */
  readonly incomplete: Map<`${CheckerId} (${CheckerStatus})`, number>
  /** Lines that were not checked. */
  unchecked: number
}

export const make = (): Tally => ({
  verdicts: { safe: 0, suspicious: 0, phishing: 0 },
  incomplete: new Map(),
  unchecked: 0
})

/** What of a run makes its exit status 1 or 2. */
export interface Policy {
  /** The status is 1 from this verdict on. */
  readonly failOn: "suspicious" | "phishing"
  readonly strictness: Strictness
}

/** The status is 2 if a checker did not answer (`unanswered`), or also if it answered from an old list (`stale`). */
export type Strictness = "off" | "unanswered" | "stale"

export const defaultPolicy: Policy = { failOn: "suspicious", strictness: "off" }

const complete: ReadonlySet<string> = new Set<CheckerStatus>(["ok", "not-configured"])

/** Adds a report to the totals, in place. */
export const add = (tally: Tally, { verdict, checkers }: Result): void => {
  tally.verdicts[verdict]++
  for (const [checker, status] of Object.entries(checkers)) {
    if (complete.has(status)) continue
    const key = `${checker as CheckerId} (${status})` as const
    tally.incomplete.set(key, (tally.incomplete.get(key) ?? 0) + 1)
  }
}

const sum = (tally: Tally): number =>
  tally.verdicts.safe + tally.verdicts.suspicious + tally.verdicts.phishing

const isStale = (key: string): boolean => key.endsWith("(stale)")

/** The checkers that did not answer, or with `stale` answered from old lists, and how often. */
const incompleteOf = ({ incomplete }: Tally, status: "unanswered" | "stale") =>
  [...incomplete].filter(([key]) => isStale(key) === (status === "stale"))

const failsStrictly = (tally: Tally, strictness: Strictness): boolean =>
  (strictness !== "off" && incompleteOf(tally, "unanswered").length > 0) ||
  (strictness === "stale" && incompleteOf(tally, "stale").length > 0)

/**
 * 0: no URL has the verdict of `failOn` or a worse one. 1: at least one has. 2: not all lines were checked, or not by all
 * checkers that `strictness` requires, whatever was found.
 */
export const exitStatus = (tally: Tally, { failOn, strictness } = defaultPolicy): 0 | 1 | 2 => {
  const { suspicious, phishing } = tally.verdicts
  if (tally.unchecked > 0 || failsStrictly(tally, strictness)) return 2
  return phishing > 0 || (failOn === "suspicious" && suspicious > 0) ? 1 : 0
}

const count = (number: number): string => number.toLocaleString("en-US")

/** `1,204 checked: 3 phishing, 1 suspicious, 1,200 safe` */
export const summary = (tally: Tally): string => {
  const { phishing, suspicious, safe } = tally.verdicts
  return `${count(sum(tally))} checked: ${count(phishing)} phishing, ${count(suspicious)} suspicious, ${count(safe)} safe`
}

/**
 * `no answer from feed_a (unavailable), feed_c (timeout) for 3`; undefined if every configured checker always answered. Says
 * if `--strict` decides the exit status, and names old lists only with `--strict=stale`.
 */
export const gaps = (tally: Tally, { strictness }: Policy): string | undefined => {
  const total = sum(tally)
  const named = (status: "unanswered" | "stale", label: string): ReadonlyArray<string> => {
    const names = incompleteOf(tally, status).map(([key, times]) =>
      times === total ? key : `${key} for ${count(times)}`
    )
    return names.length === 0 ? [] : [`${label} ${names.join(", ")}`]
  }
  const parts = [
    ...named("unanswered", "no answer from"),
    ...(strictness === "stale" ? named("stale", "old lists in") : [])
  ]
  if (parts.length === 0) return undefined
  return `${parts.join("; ")}${failsStrictly(tally, strictness) ? ". Exit status 2 because of --strict" : ""}`
}
