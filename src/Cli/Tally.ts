import type { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { Verdict } from "../Checkers/Verdict.ts"
import type { Report } from "./Report.ts"

/** Totals of a run, in constant memory. */
export interface Tally {
  readonly verdicts: Record<Verdict, number>
  /** How often each checker had which status other than `ok` and `stale`. */
  readonly unanswered: Map<`${CheckerId} (${CheckerStatus})`, number>
  /** Lines that were not checked. */
  unchecked: number
}

export const make = (): Tally => ({
  verdicts: { safe: 0, suspicious: 0, phishing: 0 },
  unanswered: new Map(),
  unchecked: 0
})

const answered: ReadonlySet<string> = new Set<CheckerStatus>(["ok", "stale"])

/** Adds a report to the totals, in place. */
export const add = (tally: Tally, { verdict, checkers }: Report): void => {
  tally.verdicts[verdict]++
  for (const [checker, status] of Object.entries(checkers)) {
    if (answered.has(status)) continue
    const key = `${checker as CheckerId} (${status})` as const
    tally.unanswered.set(key, (tally.unanswered.get(key) ?? 0) + 1)
  }
}

const sum = (tally: Tally): number =>
  tally.verdicts.safe + tally.verdicts.suspicious + tally.verdicts.phishing

/** 0: all URLs are safe. 1: at least one is suspicious or phishing. 2: not all lines were checked. */
export const exitStatus = (tally: Tally): 0 | 1 | 2 =>
  tally.unchecked > 0 ? 2 : tally.verdicts.suspicious + tally.verdicts.phishing > 0 ? 1 : 0

const count = (number: number): string => number.toLocaleString("en-US")

/** `1,204 checked: 3 phishing, 1 suspicious, 1,200 safe` */
export const summary = (tally: Tally): string => {
  const { phishing, suspicious, safe } = tally.verdicts
  return `${count(sum(tally))} checked: ${count(phishing)} phishing, ${count(suspicious)} suspicious, ${count(safe)} safe`
}

/** `no answer from feed_a (unavailable), feed_c (timeout) for 3`; undefined if every configured checker always answered. */
export const gaps = (tally: Tally): string | undefined => {
  const total = sum(tally)
  const parts = [...tally.unanswered]
    .filter(([key]) => !key.endsWith("(not-configured)"))
    .map(([key, times]) => (times === total ? key : `${key} for ${count(times)}`))
  return parts.length === 0 ? undefined : `no answer from ${parts.join(", ")}`
}
