/**
 * What the page says about results: a headline that tells people what to do, and why. Pure: no document, no network. It reads
 * kinds of findings, and shows their sentences unless it has its own.
 *
 * @import { CheckerId, CheckerStatus } from "../../Checkers/Checker/CheckerStatus.ts"
 * @import { ScanFinding } from "../Api.ts"
 * @import * as Texts from "./texts.browser.js"
 */
import { hasScheme } from "./link.browser.js"

/** @typedef {keyof typeof headlines} Outcome */

/** @typedef {Readonly<Record<string, string>>} Statuses the status of each checker */

/** @typedef {(checker: string) => string} NameOf the name of a checker for people */

/** The worst first. */
export const headlines = {
  phishing: "Do not open it",
  suspicious: "Be careful",
  hidden: "We cannot see where this leads",
  incomplete: "Not fully checked",
  partial: "We checked only some of the links",
  malformed: "This is not a link",
  little: "We found nothing serious",
  allowed: "Allowed by this service",
  nothing: "We found nothing wrong"
}

/** What the page needs of a result. */
/** @typedef {Pick<Texts.Result, "url" | "verdict" | "findings" | "checkers" | "override">} Result */

/** @param {string} status */
export const hasAnswered = (status) => status === "ok" || status === "stale"

/**
 * The checkers that are on, but did not answer.
 *
 * @param {Statuses} statuses
 * @returns {ReadonlyArray<string>}
 */
export const silent = (statuses) =>
  Object.entries(statuses).flatMap(([checker, status]) =>
    hasAnswered(status) || status === "not-configured" ? [] : [checker]
  )

/**
 * The findings that say something about a link as it was written: one without a scheme says nothing of encryption, although
 * the service reads it as `http`.
 *
 * @param {Pick<Result, "url" | "findings">} result
 */
const findingsOf = ({ url, findings }) => findings.filter(({ kind }) => kind !== "notHttps" || hasScheme(url))

/**
 * Chooses the headline of a link. The worst comes first: a verdict, then a link of which the destination is unknown, then
 * checkers that did not answer.
 *
 * @param {Result} result
 * @returns {Outcome}
 */
export const outcomeOf = (result) => {
  const { checkers, override, verdict } = result
  const kinds = new Set(findingsOf(result).map(({ kind }) => kind))
  if (verdict === "phishing") return "phishing"
  if (kinds.has("malformed")) return "malformed"
  if (verdict === "suspicious") return "suspicious"
  if (override === "allow") return "allowed"
  if (kinds.has("shortener")) return "hidden"
  if (silent(checkers).length > 0) return "incomplete"
  return kinds.size > 0 ? "little" : "nothing"
}

const worstFirst = Object.keys(headlines)

/**
 * Compares two outcomes: the worse one is first.
 *
 * @param {Outcome} left
 * @param {Outcome} right
 */
export const compare = (left, right) => worstFirst.indexOf(left) - worstFirst.indexOf(right)

/**
 * Whether a text with such a link needs attention because of this link.
 *
 * @param {Outcome} outcome
 */
export const isSerious = (outcome) => compare(outcome, "partial") < 0

/**
 * The outcome for a whole text. It is never a calm one while a link is not checked.
 *
 * @param {ReadonlyArray<Outcome>} outcomes of the checked links, the worst first
 * @param {number} unchecked how many links were not checked
 * @returns {Outcome}
 */
export const outcomeOfText = (outcomes, unchecked) => {
  const [worst = "nothing"] = outcomes
  if (isSerious(worst)) return worst
  if (unchecked > 0) return "partial"
  return outcomes.every((outcome) => outcome === worst) ? worst : "little"
}

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

/** @param {string} checker */
const isFeed = (checker) => checker.startsWith("feed_")

/**
 * Names who did not answer; empty if all did.
 *
 * @param {Statuses} statuses
 * @param {NameOf} nameOf
 */
const noAnswer = (statuses, nameOf) => {
  const missing = silent(statuses)
  const answered = Object.entries(statuses).filter(([, status]) => hasAnswered(status))
  const hasLists = missing.filter(isFeed).length < 2 || answered.some(([checker]) => isFeed(checker))
  const others = hasLists ? missing : missing.filter((checker) => !isFeed(checker))
  const names = listed([...new Set(others.map(nameOf))])
  return [
    hasLists ? "" : "Our lists are not available right now.",
    names === "" ? "" : `No answer from ${names}.`
  ]
    .join(" ")
    .trim()
}

/**
 * What to do, in one to three sentences.
 *
 * @param {Outcome} outcome of the text
 * @param {{ checked: number, unchecked: number }} counts of its links
 * @param {Statuses} statuses of the worst link
 * @param {NameOf} nameOf
 */
export const advice = (outcome, { checked, unchecked }, statuses, nameOf) => {
  const isOne = checked === 1
  switch (outcome) {
    case "partial":
      return `We found nothing serious in ${isOne ? "this one" : "these"}. ${unchecked === 1 ? "The other one" : "Each of the others"} may be a trap: check it before you open it.`
    case "phishing":
      return "It is probably a trap that steals passwords or money, or harms your device. Delete the message that it came in."
    case "suspicious":
      return "It has signs of a trap. Leave it closed, unless you expected exactly this link. If you know the sender, ask in another way, such as by phone."
    case "hidden":
      return `It is a short link, which hides the real address. Open it only if you expected it, and enter no password there. ${noAnswer(statuses, nameOf)}`.trim()
    case "incomplete":
      return `${noAnswer(statuses, nameOf)} The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed.`
    case "little":
      return isOne
        ? "It has only small signs, which honest pages have too. Be careful if you did not expect this link."
        : "No link has more than small signs. Honest pages have such signs too. Be careful if you did not expect this message."
    case "nothing": {
      const answered = Object.values(statuses).filter(hasAnswered).length
      const found = isOne
        ? `${answered === 1 ? "Our check" : `Each of our ${answered} checks`} found nothing bad`
        : `We found nothing bad in any of the ${checked} links`
      return `${found}. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this ${isOne ? "link" : "message"}.`
    }
    case "allowed":
      return "It is the operator's decision, not the result of a check."
    case "malformed":
      return `No browser can open ${isOne ? "it" : "them"}. Copy the whole link, or the whole message, and try again.`
  }
}

/** @param {{ checked: number, unchecked: number }} counts */
export const countText = ({ checked, unchecked }) =>
  unchecked === 0
    ? `We checked ${checked === 2 ? "both" : `all ${checked}`} links`
    : `We checked the first ${checked === 1 ? "one" : checked} of ${checked + unchecked} links`

/**
 * @param {Outcome} outcome of the text
 * @param {{ checked: number, unchecked: number }} counts
 */
export const headlineOf = (outcome, counts) =>
  outcome === "partial" ? countText(counts) : headlines[outcome]

/**
 * The name of the button that checks more links.
 *
 * @param {number} count
 */
export const moreText = (count) => (count === 1 ? "Check the next link" : `Check the next ${count} links`)

/**
 * Says that the operator's lists decided; empty if they did not.
 *
 * @param {string | undefined} override
 */
export const overrideText = (override) => {
  if (override === "block") return "The operator of this service blocks this link."
  if (override === "allow")
    return "The operator of this service allows this address: what the checkers found about it does not count."
  return ""
}

/** @param {ReadonlyArray<string>} names */
const lists = (names) =>
  `${["one list", "two lists", "three lists", "four lists"][names.length - 1] ?? "lists"}: ${listed(names)}`

/**
 * What is said once of all lists that found the same, whatever the number of lists.
 *
 * @type {Readonly<Record<string, (names: ReadonlyArray<string>) => string>>}
 */
const listings = {
  reported: (names) => `Reported by ${lists(names)}`,
  otherPagesListed: (names) => `Other pages of this site are reported by ${lists(names)}`,
  unconfirmedListing: (names) => `Reported by only ${lists(names)}`,
  carriedListing: (names) => `The link contains an address that is reported by ${lists(names)}`
}

/** @param {ScanFinding} finding */
const listingOf = ({ checker, kind }) => {
  if (!isFeed(checker)) return undefined
  return ["listedUrl", "listedHost", "listedDirectory", "listedPage"].includes(kind) ? "reported" : kind
}

const NOT_ENCRYPTED = "The connection to this page would not be encrypted"

/**
 * Why, in sentences for people: lists with the same finding once, and last that the connection is not encrypted. The sentences
 * of the lists, with their dates, are in `listingsOf`.
 *
 * @param {Pick<Result, "url" | "findings">} result
 * @param {NameOf} nameOf
 * @returns {ReadonlyArray<{ readonly text: string, readonly isGoogle: boolean }>}
 */
export const reasonsOf = (result, nameOf) => {
  const findings = findingsOf(result)
  /** @type {Map<string, { text: string, isGoogle: boolean }>} */
  const reasons = new Map()
  for (const finding of findings.filter(({ kind }) => kind !== "notHttps")) {
    const listing = listingOf(finding)
    const sentence = listings[listing ?? ""]
    const same = findings.filter((other) => listingOf(other) === listing)
    const names = [...new Set(same.map(({ checker, source }) => source ?? nameOf(checker)))]
    const text = sentence === undefined ? finding.reason : sentence(names)
    reasons.set(text, { text, isGoogle: finding.checker === "reputation_lookup" })
  }
  if (findings.some(({ kind }) => kind === "notHttps"))
    reasons.set(NOT_ENCRYPTED, { text: NOT_ENCRYPTED, isGoogle: false })
  return [...reasons.values()]
}

/**
 * The sentences of the lists, with their dates.
 *
 * @param {Pick<Result, "findings">} result
 */
export const listingsOf = ({ findings }) =>
  findings.filter(({ checker }) => isFeed(checker)).map(({ reason }) => reason)

/** The names of checkers that are not lists. @satisfies {Partial<Record<CheckerId, string>>} */
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
  const all = Object.values(statuses)
  const answered = all.filter(hasAnswered).length
  const sentence = `${answered} of ${all.length} checkers answered.`
  return answered === all.length ? sentence : `${sentence} This result is without what the others know.`
}

/** @param {number} score */
export const scoreText = (score) =>
  `Score: ${score} of 100. From 40 it is suspicious, from 70 probably phishing.`
