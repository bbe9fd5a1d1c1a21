/** How findings become a score and a verdict. */

import type { PopularSitesShape } from "../Lists/PopularSites.ts"
import type { Submission } from "../Url/Submission.ts"
import type { Override, Verdict } from "./Checker/CheckerNames.ts"
import type { Finding } from "./Checker.ts"
import { type Group, isWeakAlone, kinds, policyOf } from "./Kinds.ts"

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

const MAX_SCORE = 100
const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70

/**
 * Upper bound of the signals' points as long as the host's own are below it. An attacker can invent a link to any honest
 * host: signals outside the host name make it suspicious at most, also over plain HTTP.
 */
const MAX_SCORE_OUTSIDE_HOST = PHISHING_FROM - 1 - kinds.notHttps.points

/** What of a finding decides about its weight. */
type Weighable = Pick<Finding, "kind" | "addressIndex">

/**
 * The points of one address by group. Several feeds say the same about a site or a carried address: of those groups only the
 * strongest finding counts, of the others the sum.
 */
class Tally {
  certain = 0
  host = 0
  outside = 0
  model = 0
  site = 0

  /** The signals together. Those outside the host name, and what the URL carries, only up to their limit. */
  signals(carried: number): number {
    return Math.max(this.host, Math.min(this.host + this.outside + carried, MAX_SCORE_OUTSIDE_HOST))
  }

  /** The site, the signals and the model overlap: only the largest counts. */
  points(carried: number): number {
    return this.certain + Math.max(this.signals(carried), this.site, this.model)
  }

  /** Whether findings of a group add to `points`. */
  counts(group: Group, carried: number): boolean {
    const signals = this.signals(carried)
    if (group === "certain" || group === "plainHttp") return true
    if (signals >= Math.max(this.site, this.model))
      return group === "host" || (group !== "site" && group !== "model" && signals > this.host)
    return group === (this.site >= this.model ? "site" : "model")
  }
}

/** The points of all findings, and which of them count. */
interface Weighed {
  readonly points: number
  readonly counts: (finding: Weighable) => boolean
}

/**
 * Weighs all findings. Of the addresses that a URL leads to the worst counts; plain HTTP on the way there is added.
 */
const weigh = (findings: ReadonlyArray<Weighable>): Weighed => {
  const tallies: Array<Tally> = []
  let carried = 0
  let plainHttp = 0
  for (const finding of findings) {
    const { group, points } = policyOf(finding.kind)
    if (group === "carried") carried = Math.max(carried, points)
    else if (group === "plainHttp") plainHttp = points
    else {
      const addressIndex = finding.addressIndex ?? 0
      const tally = tallies[addressIndex] ?? new Tally()
      tallies[addressIndex] = tally
      if (group === "site") tally.site = Math.max(tally.site, points)
      else tally[group] += points
    }
  }
  let worst = new Tally()
  let addressIndex = 0
  tallies.forEach((tally, address) => {
    if (tally.points(carried) <= worst.points(carried)) return
    worst = tally
    addressIndex = address
  })
  return {
    points: Math.min(worst.points(carried) + plainHttp, MAX_SCORE),
    counts: (finding) => {
      const { group } = policyOf(finding.kind)
      return (
        (group === "carried" || group === "plainHttp" || (finding.addressIndex ?? 0) === addressIndex) &&
        worst.counts(group, carried)
      )
    }
  }
}

/**
 * Returns the score of findings: 0 without any, at most 100.
 *
 * `score([{ kind: "notHttps", reason }, { kind: "listedPage", reason }])` is 80.
 */
export const score = (findings: ReadonlyArray<Weighable>): number => weigh(findings).points

/** Returns the verdict of a score: `verdict(39)` is `"safe"`, `verdict(40)` `"suspicious"`, `verdict(70)` `"phishing"`. */
export const verdict = (score: number): Verdict =>
  score >= PHISHING_FROM ? "phishing" : score >= SUSPICIOUS_FROM ? "suspicious" : "safe"

const addressOf = ({ addressIndex = 0 }: Weighable): number => addressIndex

/** Whether a finding is based on the name of the host or on the model, not on what the writer of a link chooses. */
const restsOnName = ({ kind }: Finding): boolean => {
  const { group, isBesideName, isUserInfo } = policyOf(kind)
  return group === "model" || isBesideName === true || (group === "host" && !isUserInfo)
}

/** Whether the host of an address, by its index, is a popular site's own. */
export type IsPopularSite = (addressIndex: number) => boolean

/** Asks `isSite` (see `PopularSites`) about the addresses of a submission, one at a time. */
export const popularAmong =
  ({ addresses }: Submission, isSite: PopularSitesShape["isSite"]): IsPopularSite =>
  (addressIndex) => {
    const address = addresses[addressIndex]
    return address !== undefined && isSite(address.url.host)
  }

/**
 * The findings that count about popular sites, where a mistake is more likely than phishing:
 *
 * - the row of a list that names the whole site, if another publisher has the address too; else it becomes
 *   `unconfirmedListing`;
 * - what the heuristics say of the site's name, if a list has the address. Else it is left out, and so is a weak signal that
 *   remains alone.
 *
 * Stale lists confirm nothing.
 */
const confirmed = (
  findings: ReadonlyArray<Finding>,
  isPopularSite: IsPopularSite
): ReadonlyArray<Finding> => {
  const publishersOf = (address: number): number =>
    new Set(
      findings
        .filter((finding) => addressOf(finding) === address && !finding.isStale)
        .flatMap(({ source = [] }) => source)
    ).size
  const named = new Set(findings.filter(restsOnName).map(addressOf))
  const unlisted = [...named].filter((address) => publishersOf(address) === 0 && isPopularSite(address))
  const leftOut = unlisted.flatMap((address) => {
    const all = findings.filter(
      (finding) => finding.checker === "heuristics" && addressOf(finding) === address
    )
    const others = all.filter((finding) => !restsOnName(finding))
    return isWeakAlone(others) ? all : all.filter(restsOnName)
  })
  return findings
    .filter((finding) => !leftOut.includes(finding))
    .map((finding) =>
      !finding.needsSecondPublisher || publishersOf(addressOf(finding)) > 1
        ? finding
        : {
            ...finding,
            kind: "unconfirmedListing",
            reason: kinds.unconfirmedListing.sentence({ sentence: finding.reason })
          }
    )
}

/** The findings that the operator's lists leave. */
const notAllowed = (
  findings: ReadonlyArray<Finding>,
  decisions: ReadonlyArray<Decision>
): ReadonlyArray<Finding> =>
  !decisions.includes("allow")
    ? findings
    : findings.filter(
        ({ kind, addressIndex = 0 }) => policyOf(kind).evenIfAllowed || decisions[addressIndex] !== "allow"
      )

/** The findings that count, then the others, each from the most points to the fewest. */
const strongestFirst = (findings: ReadonlyArray<Finding>, { counts }: Weighed): ReadonlyArray<Finding> =>
  findings
    .map((finding) => ({ finding, rank: policyOf(finding.kind).points + (counts(finding) ? MAX_SCORE : 0) }))
    .sort((left, right) => right.rank - left.rank)
    .map(({ finding }) => finding)

/** A finding as callers see it. */
export interface ReportedFinding extends Pick<Finding, "checker" | "kind" | "source" | "reason"> {
  /** What the kind contributes. The score is not the sum: see `weigh`. */
  readonly points: number
}

/** `reported({ checker, kind: "notHttps", reason })` is `{ checker, kind: "notHttps", points: 10, reason }`. */
export const reported = ({ checker, kind, source, reason }: Finding): ReportedFinding => {
  const { points } = kinds[kind]
  return source === undefined ? { checker, kind, points, reason } : { checker, kind, points, source, reason }
}

/** The findings of all checkers together. */
export interface Judgement {
  readonly score: number
  readonly verdict: Verdict
  /** The strongest first, as in `reasons`. Without those that the operator's lists overrule. */
  readonly findings: ReadonlyArray<Finding>
}

/**
 * Returns the score and the verdict of the findings of all checkers. `decisions` is what the operator's lists say about each
 * address of the submission, in the order of `Submission.addresses`: a blocked one makes the score 100, findings about an
 * allowed one do not count.
 */
export const judge = (
  findings: ReadonlyArray<Finding>,
  decisions: ReadonlyArray<Decision> = [],
  isPopularSite: IsPopularSite = () => false
): Judgement => {
  const own = decisions.filter(isFinding)
  const blocked = own.filter(isBlocked)
  const others = [
    ...notAllowed(confirmed(findings, isPopularSite), decisions),
    ...own.filter((finding) => !isBlocked(finding))
  ]
  const weighed = weigh(others)
  const points = blocked.length > 0 ? MAX_SCORE : weighed.points
  return {
    score: points,
    verdict: verdict(points),
    findings: [...blocked, ...strongestFirst(others, weighed)]
  }
}
