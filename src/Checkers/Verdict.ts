import type { FindingOrigin } from "./Checker/CheckerNames.ts"

/**
 * How many points each kind of finding adds, and how findings become a score and a verdict. All points are in this file.
 */

/** Signals outside the host name: an attacker can choose them on any host. */
const outsideHost = {
  otherScheme: 10,
  userInfo: 25,
  unusualPort: 5,
  repeatedEncoding: 10,
  unreadDestination: 40,
  nestedUrl: 5,
  longUrl: 5,
  disguisedFile: 40,
  harmfulFile: 40,
  executablePath: 15,
  archivePath: 5,
  pageAmongSoftware: 20,
  contentIdentifier: 10,
  mailAddress: 10,
  pageAsFolder: 5,
  brandDomainInPath: 40,
  brandInPath: 20,
  lureInPath: 10
} as const

/** Signals of the host name, and user info that imitates one. */
const inHost = {
  brandInUserInfo: 70,
  deceptiveUserInfo: 40,
  privateHost: 15,
  ipHost: 20,
  internationalHost: 10,
  mixedScripts: 30,
  decoyDomain: 30,
  dynamicDns: 20,
  abusedSuffix: 20,
  freeHosting: 15,
  shortener: 15,
  machineName: 15,
  manyLabels: 10,
  longHost: 10,
  brandHomograph: 70,
  brandDomainInHost: 40,
  brandLookAlike: 35,
  brandInDomain: 35,
  brandInSubdomain: 30,
  brandAmongWords: 20,
  everydayBrand: 25,
  lureInDomain: 25,
  lureInHost: 25
} as const

/** Confidence levels of the model. Adding `notHttps` lifts no level above the next threshold. */
const modelLevels = {
  modelSuspicious: 45,
  modelLikely: 55,
  modelPhishing: 80
} as const

/**
 * What a list or the reputation lookup says about an address that the URL carries, perhaps only as a parameter. The writer
 * of a link chooses what it carries, so it counts with the signals outside the host name.
 */
const inCarriedAddress = {
  carriedListing: 55,
  carriedUnwantedSoftware: 40
} as const

/** What threat lists say about the site, but not for certain about the URL. */
const aboutSite = {
  otherPagesListed: 45,
  unconfirmedListing: 30
} as const

/**
 * Points that each kind of finding adds to the score.
 *
 * The contract fixes `malformed`, `notHttps`, the feeds and the reputation lookup. The other signals are ten points per
 * unit of log-odds from a logistic regression on the development data, rounded to fives. Lowered by hand: signals that are
 * rare in the benign data (free hosting, dynamic DNS). Set by hand: signals that were added later.
 *
 * Anything an honest site may do stays below 40, so that it is not suspicious alone. Only disguises reach 40
 * (`brandDomainInHost`, `brandDomainInPath`, `deceptiveUserInfo`, `disguisedFile`), and `harmfulFile` and `scriptScheme`, which
 * honest sites have no use for, and a link through more known wrappers than are read (`unreadDestination`). Only the exact name of a large brand reaches 70 (`brandHomograph`, `brandInUserInfo`).
 * Signals that are as frequent on ordinary pages as on reported ones (ports, nested URLs, archives) stay small: they matter
 * only together with others.
 */
export const contributions = {
  // the operator's BLOCK_LIST
  blocked: 100,
  // threat feeds
  listedUrl: 100,
  listedHost: 80,
  listedDirectory: 80,
  listedPage: 70,
  ...aboutSite,
  // reputation lookup
  severeThreat: 100,
  unwantedSoftware: 40,
  // feeds and lookup
  ...inCarriedAddress,
  // local heuristics: not a web address
  malformed: 40,
  notHttps: 10,
  scriptScheme: 40,
  ...outsideHost,
  ...inHost,
  ...modelLevels
} as const satisfies Record<string, number>

export type FindingKind = keyof typeof contributions

/** One piece of evidence. `reason` is a sentence for people and contains nothing secret. */
export interface Finding {
  readonly checker: FindingOrigin
  readonly kind: FindingKind
  readonly reason: string
  /** The publisher of the list that it rests on. Absent for the heuristics, which have none. */
  readonly source?: string
  /** The address that it is about, as an index of `Submission.addresses`; the submitted one if absent. */
  readonly addressIndex?: number
  /** Set for the row of a threat list that names a popular site (see `PopularSites`). It counts in full only if it is confirmed. */
  readonly needsSecondPublisher?: NeedsSecondPublisher
}

/** Such a row is confirmed if lists of two publishers have one, neither of them stale. */
interface NeedsSecondPublisher {
  readonly publisher: string
  readonly isStale: boolean
  /** Replaces the finding's reason while no other list confirms it. */
  readonly reason: string
}

/** How a list of the operator overrules the checkers. */
export type Override = "allow" | "block"

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

export type Verdict = "safe" | "suspicious" | "phishing"

const MAX_SCORE = 100
const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70

/**
 * Upper bound of the signals' points as long as the host's own are below it. An attacker can invent a link to any honest
 * host: signals outside the host name make it suspicious at most, also over plain HTTP.
 */
const MAX_SCORE_OUTSIDE_HOST = PHISHING_FROM - 1 - contributions.notHttps

/** How a finding counts: see `Tally`. `certain`: it adds its points whatever else was found. */
type Group = "certain" | "host" | "outside" | "model" | "site" | "carried" | "plainHttp"

const groupOfKind = (kind: string): Group => {
  if (kind === "notHttps") return "plainHttp"
  if (kind in inHost) return "host"
  if (kind in outsideHost) return "outside"
  if (kind in modelLevels) return "model"
  if (kind in aboutSite) return "site"
  return kind in inCarriedAddress ? "carried" : "certain"
}

const groups = Object.fromEntries(
  Object.keys(contributions).map((kind) => [kind, groupOfKind(kind)])
) as Readonly<Record<FindingKind, Group>>

/** What of a finding decides about its weight. */
type Weighable = Pick<Finding, "kind" | "addressIndex">

const pointsOf = ({ kind }: Weighable): number => contributions[kind]

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

  /** What is said of the site, the signals and the model overlap: only the largest counts. */
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
    const points = pointsOf(finding)
    const group = groups[finding.kind]
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
      const group = groups[finding.kind]
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

/** The findings, in which a popular site's rows that no other publisher confirms have become `unconfirmedListing`. */
const confirmed = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (!findings.some(({ needsSecondPublisher }) => needsSecondPublisher !== undefined)) return findings
  const publishers = new Map<number, Set<string>>()
  for (const { addressIndex = 0, needsSecondPublisher } of findings)
    if (needsSecondPublisher !== undefined && !needsSecondPublisher.isStale)
      publishers.set(
        addressIndex,
        (publishers.get(addressIndex) ?? new Set()).add(needsSecondPublisher.publisher)
      )
  return findings.map((finding): Finding => {
    const { addressIndex = 0, needsSecondPublisher } = finding
    return needsSecondPublisher === undefined || (publishers.get(addressIndex)?.size ?? 0) > 1
      ? finding
      : { ...finding, kind: "unconfirmedListing", reason: needsSecondPublisher.reason }
  })
}

/** Findings that are not a matter of trust in the address: an allowed mail gateway may lead to any address that was not read. */
const keptKinds: ReadonlySet<FindingKind> = new Set(["notHttps", "unreadDestination"])

/** The findings that the operator's lists leave. */
const notAllowed = (
  findings: ReadonlyArray<Finding>,
  decisions: ReadonlyArray<Decision>
): ReadonlyArray<Finding> =>
  !decisions.includes("allow")
    ? findings
    : findings.filter(
        ({ kind, addressIndex = 0 }) => keptKinds.has(kind) || decisions[addressIndex] !== "allow"
      )

/** The findings that count, then the others, each from the most points to the fewest. */
const strongestFirst = (findings: ReadonlyArray<Finding>, { counts }: Weighed): ReadonlyArray<Finding> =>
  findings
    .map((finding) => ({ finding, rank: pointsOf(finding) + (counts(finding) ? MAX_SCORE : 0) }))
    .sort((left, right) => right.rank - left.rank)
    .map(({ finding }) => finding)

/** A finding as callers see it. */
export interface ReportedFinding extends Pick<Finding, "checker" | "kind" | "source" | "reason"> {
  /** What the kind contributes. The score is not the sum: see `weigh`. */
  readonly points: number
}

/** `reported({ checker, kind: "notHttps", reason })` is `{ checker, kind: "notHttps", points: 10, reason }`. */
export const reported = ({ checker, kind, source, reason }: Finding): ReportedFinding => ({
  checker,
  kind,
  points: contributions[kind],
  ...(source !== undefined && { source }),
  reason
})

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
  decisions: ReadonlyArray<Decision> = []
): Judgement => {
  const own = decisions.filter(isFinding)
  const blocked = own.filter(isBlocked)
  const others = [
    ...notAllowed(confirmed(findings), decisions),
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
