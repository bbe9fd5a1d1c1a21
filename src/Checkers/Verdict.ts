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
  // reputation lookup
  severeThreat: 100,
  unwantedSoftware: 40,
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
}

export type Verdict = "safe" | "suspicious" | "phishing"

const MAX_SCORE = 100
const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70

/**
 * Upper bound of the signals' points as long as the host's own are below it. An attacker can invent a link to any honest
 * host: signals outside the host name make it suspicious at most, also over plain HTTP.
 */
const MAX_SCORE_OUTSIDE_HOST = PHISHING_FROM - 1 - contributions.notHttps

/**
 * Returns the sum of the findings' points, at most 100; 0 without findings. The signals and the model see the same
 * evidence, so only the larger of the two counts.
 *
 * `score([{ kind: "notHttps", reason }, { kind: "listedPage", reason }])` is 80.
 */
export const score = (findings: Iterable<Finding>): number => {
  let sum = 0
  let host = 0
  let outside = 0
  let model = 0
  for (const { kind } of findings) {
    if (kind in inHost) host += contributions[kind]
    else if (kind in outsideHost) outside += contributions[kind]
    else if (kind in modelLevels) model += contributions[kind]
    else sum += contributions[kind]
  }
  const signals = Math.max(host, Math.min(host + outside, MAX_SCORE_OUTSIDE_HOST))
  return Math.min(sum + Math.max(signals, model), MAX_SCORE)
}

/** Returns the verdict of a score: `verdict(39)` is `"safe"`, `verdict(40)` `"suspicious"`, `verdict(70)` `"phishing"`. */
export const verdict = (score: number): Verdict =>
  score >= PHISHING_FROM ? "phishing" : score >= SUSPICIOUS_FROM ? "suspicious" : "safe"

/** Returns the score, the verdict and the reasons of the findings of all checkers. */
export const judge = (findings: ReadonlyArray<Finding>) => {
  const points = score(findings)
  return { score: points, verdict: verdict(points), reasons: findings.map(({ reason }) => reason) }
}
