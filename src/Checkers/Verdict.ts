/** How findings become a score and a verdict: the strongest one is the score. */

import type { Override, Verdict } from "./Checker/CheckerNames.ts"
import type { Finding } from "./Checker.ts"
import { type FindingKind, kinds, ownScore, sentenceOf } from "./Kinds.ts"

/**
 * What the operator's lists say about an address: `allow`, a `blocked` finding, or, for a blocked address that a URL merely
 * carries, a finding like others.
 */
export type Decision = "allow" | Finding | undefined

const isFinding = (decision: Decision): decision is Finding => typeof decision === "object"

const isBlocked = ({ kind }: Finding): boolean => kind === "blocked"

/**
 * Returns how the operator's lists overruled the whole result: `block` if an address is blocked, `allow` if the submitted
 * address is allowed and none is blocked, else undefined.
 *
 * `resultOverride([undefined, "allow"])` is undefined.
 */
export const resultOverride = (decisions: ReadonlyArray<Decision>): Override | undefined =>
  decisions.filter(isFinding).some(isBlocked) ? "block" : decisions[0] === "allow" ? "allow" : undefined

const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70

/** Returns the verdict of a score: `verdict(39)` is `"safe"`, `verdict(40)` `"suspicious"`, `verdict(70)` `"phishing"`. */
export const verdict = (score: number): Verdict =>
  score >= PHISHING_FROM ? "phishing" : score >= SUSPICIOUS_FROM ? "suspicious" : "safe"

const addressOf = ({ addressIndex = 0 }: Finding): number => addressIndex

/**
 * The row of a list that names a whole popular site is more often a mistake than not: it counts if another publisher has the
 * address too. Stale lists and copied rows confirm nothing.
 */
const confirmed = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.map((finding) => {
    if (!finding.needsSecondPublisher) return finding
    const address = addressOf(finding)
    const publishers = findings.filter(
      (other) => addressOf(other) === address && !other.isStale && !other.isCopied
    )
    return new Set(publishers.flatMap(({ source = [] }) => source)).size > 1
      ? finding
      : {
          ...finding,
          kind: "unconfirmedListing",
          points: ownScore("unconfirmedListing"),
          reason: sentenceOf("unconfirmedListing", { sentence: finding.reason })
        }
  })

/** What counts about an allowed address too: an allowed mail gateway may lead to any address that was not read. */
const evenIfAllowed: ReadonlySet<FindingKind> = new Set(["notHttps", "unreadDestination"])

/** The order in which people understand findings; the smallest first. */
const rankOf = (finding: Finding): number => {
  const { checker } = kinds[finding.kind]
  if (finding.kind === "blocked") return 0
  if (checker !== "heuristics") return 1
  if (finding.kind === "model") return 5
  if (finding.points >= SUSPICIOUS_FROM) return 2
  return finding.details.brand === undefined && finding.kind !== "newDomain" ? 4 : 3
}

/** More would not be read. */
const MAX_FINDINGS = 6

const byRank = (left: Finding, right: Finding): number =>
  rankOf(left) - rankOf(right) || right.points - left.points

/** At most MAX_FINDINGS, the finding with the score and plain HTTP among them, in the order of `rankOf`. */
const shown = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const strongest = strongestOf(findings)
  const isFirst = (finding: Finding): number => Number(finding === strongest || finding.kind === "notHttps")
  const kept = findings.toSorted((left, right) => isFirst(right) - isFirst(left) || byRank(left, right))
  return kept.slice(0, MAX_FINDINGS).toSorted(byRank)
}

const strongestOf = (findings: ReadonlyArray<Finding>): Finding | undefined =>
  findings.toSorted((left, right) => right.points - left.points)[0]

/** A finding as callers see it. */
export type ReportedFinding = Pick<Finding, "checker" | "kind" | "points" | "source" | "reason" | "details">

export const reported = ({ checker, details, kind, points, reason, source }: Finding): ReportedFinding =>
  source === undefined
    ? { checker, kind, points, reason, details }
    : { checker, kind, points, source, reason, details }

/**
 * Returns the score and the verdict of the findings of all checkers. `decisions` is what the operator's lists say about each
 * address of the submission, in the order of `Submission.addresses`: findings about an allowed one do not count.
 */
export const judge = (findings: ReadonlyArray<Finding>, decisions: ReadonlyArray<Decision> = []) => {
  const counted = [
    ...decisions.filter(isFinding),
    ...confirmed(findings).filter(
      (finding) => evenIfAllowed.has(finding.kind) || decisions[addressOf(finding)] !== "allow"
    )
  ]
  const score = strongestOf(counted)?.points ?? 0
  return {
    /** That of the strongest finding; 0 without any. */
    score,
    verdict: verdict(score),
    /** As in `reasons`: what people understand first. Without those that the operator's lists overrule. */
    findings: shown(counted)
  }
}
