/**
 * What each kind of finding is worth, and how findings become a score and a verdict.
 *
 * This is the one table of contributions: no checker holds a number of its own.
 */

/** Of each local signal in what the writer of a link chooses, whoever holds the host. */
const byWriter = {
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

/** Of each local signal of the host. */
const ofHost = {
  // another host shown before it
  deceptiveUserInfo: 40,
  // host
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
  // brands and lures
  brandDomainInHost: 40,
  brandLookAlike: 35,
  brandInDomain: 35,
  brandInSubdomain: 30,
  brandAmongWords: 20,
  everydayBrand: 25,
  lureInDomain: 25,
  lureInHost: 25
} as const

/**
 * Of the model, by how sure it is. Plain HTTP beside it takes no level over the next threshold.
 */
const ofModel = {
  modelSuspicious: 45,
  modelLikely: 55,
  modelPhishing: 80
} as const

/**
 * Points that a finding of each kind adds to the score. 40 alone makes a URL suspicious, 70 phishing.
 *
 * The wire contract fixes `malformed`, `notHttps`, the feeds and the reputation lookup. The local signals began as ten
 * points for each unit of log-odds that a logistic regression on our development data gave them, rounded to fives; then
 * those that our benign data hold too few of (free hosting, dynamic DNS) were lowered, and kinds that came later were set
 * by hand. All but `brandDomainInHost`, `deceptiveUserInfo` and `scriptScheme` are kept below 40: nothing that an honest
 * site may do is suspicious by itself.
 * Signals that reports hold no oftener than ordinary pages (ports, nested URLs, archives) stay small: they count in company
 * only.
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
  // local heuristics: no address of the web
  malformed: 40,
  notHttps: 10,
  scriptScheme: 40,
  ...byWriter,
  ...ofHost,
  ...ofModel
} as const satisfies Record<string, number>

export type FindingKind = keyof typeof contributions

/** One piece of evidence. `reason` is a sentence for people, fit to be shown to any caller. */
export interface Finding {
  readonly kind: FindingKind
  readonly reason: string
}

export type Verdict = "safe" | "suspicious" | "phishing"

const MAXIMUM_SCORE = 100
const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70

/**
 * What signals around a host may lift those of the host to. Whoever breaks into an honest site, or only makes up a link to
 * it, can write any page there, by any scheme: that is suspicious, over plain HTTP too, but takes no host to phishing.
 */
const MOST_BY_WRITER = PHISHING_FROM - 1 - contributions.notHttps

/**
 * The sum of what the findings contribute, capped at 100; 0 without findings. The model and the signals that it has
 * weighed are two views of the same evidence: the larger of both counts, not their sum.
 */
export const score = (findings: Iterable<Finding>): number => {
  let sum = 0
  let host = 0
  let written = 0
  let model = 0
  for (const { kind } of findings) {
    if (kind in ofHost) host += contributions[kind]
    else if (kind in byWriter) written += contributions[kind]
    else if (kind in ofModel) model += contributions[kind]
    else sum += contributions[kind]
  }
  const signals = Math.max(host, Math.min(host + written, MOST_BY_WRITER))
  return Math.min(sum + Math.max(signals, model), MAXIMUM_SCORE)
}

/** `verdict(39)` is `"safe"`, `verdict(40)` `"suspicious"`, `verdict(70)` `"phishing"`. */
export const verdict = (score: number): Verdict =>
  score >= PHISHING_FROM ? "phishing" : score >= SUSPICIOUS_FROM ? "suspicious" : "safe"

/** What the findings of all checkers amount to, as the wire and the command line say it. */
export const judge = (findings: ReadonlyArray<Finding>) => {
  const points = score(findings)
  return { score: points, verdict: verdict(points), reasons: findings.map(({ reason }) => reason) }
}
