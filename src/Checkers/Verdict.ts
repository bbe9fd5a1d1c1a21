/**
 * How many points each kind of finding adds, and how findings become a score and a verdict. All points are in this file.
 */

/** Signals outside the host name: an attacker can choose them on any host. */
const outsideHost = {
  otherScheme: 10,
  userInfo: 25,
  unusualPort: 5,
  repeatedEncoding: 10,
  nestedUrl: 5,
  longUrl: 5,
  executablePath: 15,
  archivePath: 5,
  pageAmongSoftware: 20,
  contentIdentifier: 10,
  mailAddress: 10,
  pageAsFolder: 5,
  brandInPath: 20,
  lureInPath: 10
} as const

/** Signals of the host name, and user info that imitates one. */
const inHost = {
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
 * Anything an honest site may do stays below 40, so that it is not suspicious alone; only `brandDomainInHost`,
 * `deceptiveUserInfo` and `scriptScheme` reach 40. Signals that are as frequent on ordinary pages as on reported ones
 * (ports, nested URLs, archives) stay small: they matter only together with others.
 */
export const contributions = {
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
  readonly kind: FindingKind
  readonly reason: string
  /** The address that it is about, as an index of `Submission.addresses`; the submitted one if absent. */
  readonly about?: number
  /** Set for the row of a threat list that names a very popular site. It counts in full only if it is confirmed. */
  readonly unconfirmed?: Unconfirmed
}

/** Such a row is confirmed if lists of two publishers have one, neither of them stale. */
export interface Unconfirmed {
  readonly publisher: string
  readonly isStale: boolean
  /** Replaces the finding's reason while no other list confirms it. */
  readonly reason: string
}

/** What a list of the operator says about an address. */
export type Override = "allow" | "block"

/**
 * Returns what the operator's lists did to the whole result: `block` if an address is blocked, `allow` if the submitted
 * address is allowed and none is blocked, else undefined.
 *
 * `resultOverride(["allow", "block"])` is `"block"`, `resultOverride([undefined, "allow"])` is undefined.
 */
export const resultOverride = (overrides: ReadonlyArray<Override | undefined>): Override | undefined =>
  overrides.includes("block") ? "block" : overrides[0]

export type Verdict = "safe" | "suspicious" | "phishing"

const MAX_SCORE = 100
const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70

/**
 * Upper bound of the signals' points as long as the host's own are below it. An attacker can invent a link to any honest
 * host: signals outside the host name make it suspicious at most, also over plain HTTP.
 */
const MAX_SCORE_OUTSIDE_HOST = PHISHING_FROM - 1 - contributions.notHttps

/** How a finding counts: see `weighAddress`. `certain`: it adds its points whatever else was found. */
type Group = "certain" | "host" | "outside" | "model" | "site" | "carried" | "plainHttp"

const isOneOf = (kind: string, table: object): boolean => kind in table

const groupOfKind = (kind: string): Group => {
  if (kind === "notHttps") return "plainHttp"
  if (isOneOf(kind, inHost)) return "host"
  if (isOneOf(kind, outsideHost)) return "outside"
  if (isOneOf(kind, modelLevels)) return "model"
  if (isOneOf(kind, aboutSite)) return "site"
  return isOneOf(kind, inCarriedAddress) ? "carried" : "certain"
}

const groups = new Map(Object.keys(contributions).map((kind) => [kind, groupOfKind(kind)]))

const isIn = (group: Group) => (finding: Finding) => groups.get(finding.kind) === group

/** Points, and the findings that they come from. */
interface Weighed {
  readonly points: number
  readonly counted: ReadonlyArray<Finding>
}

const nothing: Weighed = { points: 0, counted: [] }

const pointsOf = ({ kind }: Finding): number => contributions[kind]

const all = (counted: ReadonlyArray<Finding>): Weighed =>
  counted.length === 0
    ? nothing
    : { points: counted.reduce((sum, finding) => sum + pointsOf(finding), 0), counted }

/** Several feeds say the same about a site or a carried address: only the strongest counts. */
const strongest = (findings: ReadonlyArray<Finding>): Weighed =>
  findings.reduce<Weighed>(
    (best, finding) =>
      pointsOf(finding) > best.points ? { points: pointsOf(finding), counted: [finding] } : best,
    nothing
  )

const larger = (left: Weighed, right: Weighed): Weighed => (right.points > left.points ? right : left)

const signals = (findings: ReadonlyArray<Finding>, carried: Weighed): Weighed => {
  const host = all(findings.filter(isIn("host")))
  const outside = all(findings.filter(isIn("outside")))
  const points = Math.min(host.points + outside.points + carried.points, MAX_SCORE_OUTSIDE_HOST)
  return host.points >= points
    ? host
    : { points, counted: [...host.counted, ...carried.counted, ...outside.counted] }
}

/** The points of one address. What is said of its site, its signals and the model overlap: only the largest counts. */
const weighAddress = (findings: ReadonlyArray<Finding>, carried: Weighed): Weighed => {
  const certain = all(findings.filter(isIn("certain")))
  const site = strongest(findings.filter(isIn("site")))
  const model = all(findings.filter(isIn("model")))
  const overlapping = larger(larger(signals(findings, carried), site), model)
  if (certain === nothing) return overlapping
  return {
    points: certain.points + overlapping.points,
    counted: [...certain.counted, ...overlapping.counted]
  }
}

/**
 * The points of all findings. Of the addresses that a URL leads to the worst counts; plain HTTP on the way there is added.
 */
const weigh = (findings: ReadonlyArray<Finding>): Weighed => {
  if (findings.length === 0) return nothing
  const carried = strongest(findings.filter(isIn("carried")))
  const plainHttp = strongest(findings.filter(isIn("plainHttp")))
  const addresses = new Set(findings.map(({ about = 0 }) => about))
  let worst = nothing
  for (const address of addresses) {
    const itsOwn = addresses.size === 1 ? findings : findings.filter(({ about = 0 }) => about === address)
    worst = larger(worst, weighAddress(itsOwn, carried))
  }
  if (plainHttp === nothing) return { ...worst, points: Math.min(worst.points, MAX_SCORE) }
  return {
    points: Math.min(worst.points + plainHttp.points, MAX_SCORE),
    counted: [...worst.counted, ...plainHttp.counted]
  }
}

/**
 * Returns the score of findings: 0 without any, at most 100.
 *
 * `score([{ kind: "notHttps", reason }, { kind: "listedPage", reason }])` is 80.
 */
export const score = (findings: ReadonlyArray<Finding>): number => weigh(findings).points

/** Returns the verdict of a score: `verdict(39)` is `"safe"`, `verdict(40)` `"suspicious"`, `verdict(70)` `"phishing"`. */
export const verdict = (score: number): Verdict =>
  score >= PHISHING_FROM ? "phishing" : score >= SUSPICIOUS_FROM ? "suspicious" : "safe"

/** The findings, in which a popular site's rows that no other publisher confirms have become `unconfirmedListing`. */
const confirmed = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (!findings.some(({ unconfirmed }) => unconfirmed !== undefined)) return findings
  const publishers = new Map<number, Set<string>>()
  for (const { about = 0, unconfirmed } of findings)
    if (unconfirmed !== undefined && !unconfirmed.isStale)
      publishers.set(about, (publishers.get(about) ?? new Set()).add(unconfirmed.publisher))
  return findings.map((finding): Finding => {
    const { about = 0, unconfirmed } = finding
    return unconfirmed === undefined || (publishers.get(about)?.size ?? 0) > 1
      ? finding
      : { kind: "unconfirmedListing", reason: unconfirmed.reason, about }
  })
}

const BLOCKED = "Blocked by the operator of this service"

/** The findings that the operator's lists leave. Plain HTTP stays: it is not a matter of trust in the address. */
const notAllowed = (
  findings: ReadonlyArray<Finding>,
  overrides: ReadonlyArray<Override | undefined>
): ReadonlyArray<Finding> =>
  !overrides.includes("allow")
    ? findings
    : findings.filter(({ kind, about = 0 }) => kind === "notHttps" || overrides[about] !== "allow")

const byPoints = (left: Finding, right: Finding): number => pointsOf(right) - pointsOf(left)

/** First the findings that count, then the others, each from the most points to the fewest. */
const inOrder = (findings: ReadonlyArray<Finding>, { counted }: Weighed): ReadonlyArray<Finding> => {
  if (findings.length < 2) return findings
  const counts = new Set(counted)
  return [
    ...counted.toSorted(byPoints),
    ...findings.filter((finding) => !counts.has(finding)).toSorted(byPoints)
  ]
}

/**
 * Returns the score, the verdict and the reasons of the findings of all checkers. `overrides` is what the operator's lists
 * say about each address of the submission, in the order of `Submission.addresses`: a blocked one makes the score 100,
 * findings about an allowed one do not count.
 */
export const judge = (
  findings: ReadonlyArray<Finding>,
  overrides: ReadonlyArray<Override | undefined> = []
) => {
  const kept = notAllowed(confirmed(findings), overrides)
  const weighed = weigh(kept)
  const isBlocked = resultOverride(overrides) === "block"
  const points = isBlocked ? MAX_SCORE : weighed.points
  const reasons = inOrder(kept, weighed).map(({ reason }) => reason)
  return { score: points, verdict: verdict(points), reasons: isBlocked ? [BLOCKED, ...reasons] : reasons }
}
