/**
 * What the page says about a result: a headline that tells people what to do, and why. Pure: no document, no network. It reads
 * kinds of findings, never the sentences of reasons.
 *
 * @import { CheckerId, CheckerStatus } from "../../Checkers/Checker/CheckerStatus.ts"
 * @import { ScanResult } from "../Api.ts"
 */

/** @typedef {keyof typeof headlines} Outcome */

/** @typedef {ReadonlyMap<string, string>} Statuses the status of each checker, as `Checker-Status` has it */

export const headlines = {
  phishing: "Do not open it",
  suspicious: "Be careful",
  hidden: "We cannot see where this leads",
  incomplete: "Not fully checked",
  partial: "We checked one of several links",
  little: "We found nothing serious",
  nothing: "We found nothing wrong",
  allowed: "Allowed by this service",
  malformed: "This is not a link"
}

/** What the page needs of a result. `listOverride` is the header `List-Override`. */
/** @typedef {Pick<ScanResult, "verdict" | "findings"> & { listOverride: string | null }} Result */

/** @param {string} status */
export const hasAnswered = (status) => status === "ok" || status === "stale"

/**
 * The checkers that are on, but did not answer.
 *
 * @param {Statuses} statuses
 * @returns {ReadonlyArray<string>}
 */
export const silent = (statuses) =>
  [...statuses].flatMap(([checker, status]) =>
    hasAnswered(status) || status === "not-configured" ? [] : [checker]
  )

/**
 * Parses the header `Checker-Status` for the given checkers; `unknown` for those it does not contain.
 *
 * `parseStatuses("heuristics=ok, feed_a=stale", ["feed_a"]).get("feed_a") === "stale"`
 *
 * @param {string | null} header
 * @param {Iterable<string>} checkers
 * @returns {Statuses}
 */
export const parseStatuses = (header, checkers) => {
  const parsed = new Map(
    (header ?? "").split(",").map((member) => {
      const [checker = "", status = ""] = member.trim().split("=")
      return [checker, status]
    })
  )
  return new Map(Array.from(checkers, (checker) => [checker, parsed.get(checker) || "unknown"]))
}

/**
 * Chooses the headline. The worst comes first: a verdict, then a link of which the destination is unknown, then checkers that
 * did not answer.
 *
 * @param {Result} result
 * @param {Statuses} statuses
 * @returns {Outcome}
 */
export const outcomeOf = ({ verdict, findings = [], listOverride }, statuses) => {
  const kinds = new Set(findings.map(({ kind }) => kind))
  if (verdict === "phishing") return "phishing"
  if (kinds.has("malformed")) return "malformed"
  if (verdict === "suspicious") return "suspicious"
  if (listOverride === "allow") return "allowed"
  if (kinds.has("shortener")) return "hidden"
  if (silent(statuses).length > 0) return "incomplete"
  return kinds.size > 0 ? "little" : "nothing"
}

/**
 * The outcomes that would sound as if no link of the text were dangerous, each with what is said of the checked link.
 *
 * @type {Readonly<Partial<Record<Outcome, string>>>}
 */
const harmless = {
  little: `${headlines.little} in the one below.`,
  nothing: `${headlines.nothing} in the one below.`,
  allowed: "This service allows the one below.",
  malformed: "The one below is not a link that a browser can open."
}

/**
 * The outcome for the whole text: `partial` if its other links were not checked and the checked one seems harmless.
 *
 * @param {Outcome} outcome of the checked link
 * @param {number} others how many links were not checked
 * @returns {Outcome}
 */
export const outcomeOfText = (outcome, others) =>
  others > 0 && harmless[outcome] !== undefined ? "partial" : outcome

/**
 * `a`, `a and b`, `a, b and c`.
 *
 * @param {ReadonlyArray<string>} names
 */
const listed = (names) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

/**
 * The name of the icon. Colours and icons are shared by headlines that say nearly the same.
 *
 * @param {Outcome} outcome
 */
export const markOf = (outcome) => {
  if (outcome === "little") return "nothing"
  return outcome === "partial" ? "incomplete" : outcome
}

/** @param {Outcome} outcome */
export const isWarning = (outcome) => outcome === "phishing" || outcome === "suspicious"

/**
 * What to do, in one or two sentences.
 *
 * @param {Outcome} outcome of the checked link
 * @param {number} others how many links were not checked
 * @param {Statuses} statuses
 * @param {(checker: string) => string} nameOf
 */
export const advice = (outcome, others, statuses, nameOf) => {
  const missing = silent(statuses)
  const noAnswer = missing.length === 0 ? "" : `No answer from ${listed([...new Set(missing.map(nameOf))])}.`
  const answered = [...statuses.values()].filter(hasAnswered).length
  switch (outcomeOfText(outcome, others)) {
    case "partial":
      return `${harmless[outcome]} ${others === 1 ? "The other one" : "Each of the others"} may be a trap: check it before you open it.`
    case "phishing":
      return "It is probably a trap that steals passwords or money, or harms your device. Delete the message that it came in."
    case "suspicious":
      return "It has signs of a trap. Leave it closed, unless you expected exactly this link. If you know the sender, ask in another way, such as by phone."
    case "hidden":
      return [
        "It is a short link, which hides the real address. Open it only if you expected it, and enter no password there.",
        noAnswer
      ]
        .join(" ")
        .trim()
    case "incomplete":
      return `${noAnswer} The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed.`
    case "little":
      return "It has a small sign or two that honest pages have as well. Be careful if you did not expect this link."
    case "nothing":
      return `${answered === 1 ? "Our check" : `Each of our ${answered} checks`} found nothing bad. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this link.`
    case "allowed":
      return "It is the operator's decision, not the result of a check."
    case "malformed":
      return "No browser can open it. Copy the whole link, or the whole message, and try again."
  }
}

/**
 * @param {Outcome} outcome of the text
 * @param {number} others how many links were not checked
 */
export const headlineOf = (outcome, others) =>
  outcome === "partial" ? `We checked one of ${others + 1} links` : headlines[outcome]

/**
 * Says that the operator's lists decided; empty if they did not.
 *
 * @param {string | null} listOverride the header `List-Override`
 */
export const overrideText = (listOverride) => {
  if (listOverride === "block") return "The operator of this service blocks this link."
  if (listOverride === "allow")
    return "The operator of this service allows this address: what the checkers found about it does not count."
  return ""
}

/**
 * Says which of several links was checked; empty for one.
 *
 * @param {number} others how many links were not
 */
export const othersText = (others) =>
  others === 0
    ? ""
    : `Your text has ${others + 1} links. We checked only the one above. The ${others === 1 ? "other one" : "others"}:`

/** The names of checkers that are no list. @satisfies {Partial<Record<CheckerId, string>>} */
const ownNames = { heuristics: "Our own check", reputation_lookup: "Google Safe Browsing" }

/**
 * The name of a checker for people. That of a list is its publisher's, which the service writes into the page.
 *
 * @param {string} checker
 * @param {{ get: (checker: string) => string | null }} publishers by checker
 */
export const checkerName = (checker, publishers) =>
  Object.entries(ownNames).find(([known]) => known === checker)?.[1] ??
  publishers.get(checker) ??
  checker.replace(/^feed_(.)$/, (_, letter) => `List ${letter.toUpperCase()}`)

/** @satisfies {Record<Exclude<CheckerStatus, "ok" | "stale">, string>} */
const statusTexts = {
  timeout: "took too long",
  unavailable: "no answer",
  malformed: "gave an unreadable answer",
  "not-configured": "switched off",
  failed: "failed"
}

/**
 * What a checker says; an unknown status is returned unchanged.
 *
 * @param {string} status
 * @param {boolean} hasFindings
 */
export const statusText = (status, hasFindings) => {
  if (!hasAnswered(status))
    return Object.entries(statusTexts).find(([known]) => known === status)?.[1] ?? status
  return `${hasFindings ? "found something" : "found nothing"}${status === "stale" ? ", in older data" : ""}`
}

/**
 * How many checkers answered.
 *
 * @param {Statuses} statuses
 */
export const coverage = (statuses) => {
  const answered = [...statuses.values()].filter(hasAnswered).length
  const sentence = `${answered} of ${statuses.size} checkers answered.`
  return answered === statuses.size
    ? sentence
    : `${sentence} What the others know is missing from this result.`
}

/** @param {number} score */
export const scoreText = (score) =>
  `Score: ${score} of 100. From 40 it is suspicious, from 70 probably phishing.`
