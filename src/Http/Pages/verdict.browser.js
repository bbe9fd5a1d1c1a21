/**
 * What the page says about results: a headline that tells people what to do. Pure: no document, no network.
 *
 * @import { CheckerStatus } from "../../Checkers/Checker/CheckerNames.ts"
 * @import { Formatter, Name } from "./Languages/message.browser.js"
 * @import { NameOf } from "./reasons.browser.js"
 * @import * as Texts from "./texts.browser.js"
 */
import { hasScheme } from "./link.browser.js"

/**
 * The headlines, the worst first: each is the name of a text, of its advice (`phishingAdvice`) and, but for `partial`, of a short
 * one (`phishingShort`).
 */
export const outcomes = /** @type {const} */ ([
  "phishing",
  "disguised",
  "suspicious",
  "hidden",
  "incomplete",
  "partial",
  "malformed",
  "little",
  "allowed",
  "nothing"
])

/** @typedef {(typeof outcomes)[number]} Outcome */

/** @typedef {Readonly<Record<string, string>>} Statuses the status of each checker */

/** What the page needs of a result. @typedef {Pick<Texts.Result, "url" | "verdict" | "findings" | "checkers" | "override">} Result */

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
 * Chooses the headline of a link. The worst comes first: a verdict, then a message that shows another address, then a link of
 * which the destination is unknown, then checkers that did not answer.
 *
 * @param {Result} result
 * @param {boolean} [isDisguised] whether the message shows the address of another site in its place
 * @returns {Outcome}
 */
export const outcomeOf = ({ checkers, findings, override, url, verdict }, isDisguised = false) => {
  const kinds = new Set(findings.map(({ kind }) => kind))
  // A link without a scheme says nothing of encryption, although the service reads it as `http`.
  if (!hasScheme(url)) kinds.delete("notHttps")
  if (verdict === "phishing") return "phishing"
  if (isDisguised) return "disguised"
  if (kinds.has("malformed")) return "malformed"
  if (verdict === "suspicious") return "suspicious"
  if (override === "allow") return "allowed"
  if (kinds.has("shortener")) return "hidden"
  if (silent(checkers).length > 0) return "incomplete"
  return kinds.size > 0 ? "little" : "nothing"
}

/**
 * Compares two outcomes: the worse one is first.
 *
 * @param {Outcome} left
 * @param {Outcome} right
 */
export const compare = (left, right) => outcomes.indexOf(left) - outcomes.indexOf(right)

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
 * The name of the icon. Colours and icons are shared by headlines that say nearly the same.
 *
 * @param {Outcome} outcome
 */
export const markOf = (outcome) => {
  if (outcome === "little") return "nothing"
  if (outcome === "disguised") return "suspicious"
  return outcome === "partial" ? "incomplete" : outcome
}

/** @param {Outcome} outcome */
export const isWarning = (outcome) => ["phishing", "disguised", "suspicious"].includes(outcome)

/**
 * What it means, in one to three sentences.
 *
 * @param {Outcome} outcome of the text
 * @param {Statuses} statuses of the worst link
 * @param {NameOf} nameOf
 * @param {Formatter} formatter
 */
export const advice = (outcome, statuses, nameOf, { list, say }) => {
  const names = [...new Set(silent(statuses).map(nameOf))]
  const noAnswer = names.length === 0 ? "" : say("noAnswerFrom", { names: list(names) })
  const count = Object.values(statuses).filter(hasAnswered).length
  const text = say(`${outcome}Advice`, { count })
  return ["hidden", "incomplete"].includes(outcome) ? `${text} ${noAnswer}`.trim() : text
}

/**
 * The name of a checker for people. That of a list is its publisher's, which the service writes into the page.
 *
 * @param {string} checker
 * @param {{ get: (checker: string) => string | null }} publishers by checker
 * @param {Formatter} formatter
 */
export const checkerName = (checker, publishers, { say }) => {
  if (checker === "heuristics") return say("ownCheck")
  if (checker === "reputation_lookup") return "Google Safe Browsing"
  const [, letter] = /^feed_(.)$/.exec(checker) ?? []
  return (
    publishers.get(checker) ??
    (letter === undefined ? checker : say("list", { letter: letter.toUpperCase() }))
  )
}

/** @satisfies {Record<Exclude<CheckerStatus, "ok" | "stale">, Name>} */
const statusTexts = {
  timeout: "timeout",
  unavailable: "unavailable",
  malformed: "unreadable",
  "not-configured": "notConfigured",
  failed: "failed"
}

/**
 * What a checker says; an unknown status is returned unchanged.
 *
 * @param {string} status
 * @param {boolean} hasFindings
 * @param {Formatter} formatter
 */
export const statusText = (status, hasFindings, { say }) => {
  if (!hasAnswered(status)) {
    /** @type {Name | undefined} */
    const name = Object.entries(statusTexts).find(([known]) => known === status)?.[1]
    return name === undefined ? status : say(name)
  }
  const found = say(hasFindings ? "foundSomething" : "foundNothing")
  return status === "stale" ? say("olderData", { status: found }) : found
}

/**
 * How many checkers answered, and how many that are on did not.
 *
 * @param {Statuses} statuses
 * @param {Formatter} formatter
 */
export const coverage = (statuses, { say }) => {
  const missing = silent(statuses).length
  const answered = say("coverage", { count: Object.values(statuses).filter(hasAnswered).length })
  return missing === 0 ? answered : `${answered} ${say("coverageMissing", { count: missing })}`
}
