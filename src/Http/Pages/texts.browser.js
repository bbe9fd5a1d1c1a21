/**
 * The texts of the page for people. Pure: no document, no network.
 *
 * @import { CheckerId, CheckerStatus } from "../../Checkers/Checker/CheckerStatus.ts"
 * @import { ScanResult } from "../Api.ts"
 */

/** @satisfies {Record<CheckerId, string>} */
export const checkerNames = {
  heuristics: "Heuristics",
  feed_a: "Threat list A",
  reputation_lookup: "Reputation lookup",
  feed_b: "Threat list B",
  feed_c: "Threat list C",
  feed_d: "Threat list D"
}

/** @satisfies {Record<CheckerStatus, string>} */
const statusTexts = {
  ok: "answered",
  stale: "answered from older data",
  timeout: "took too long",
  unavailable: "could not be asked",
  malformed: "gave an unreadable answer",
  "not-configured": "switched off",
  failed: "failed"
}

/** @param {string} status */
export const hasAnswered = (status) => status === "ok" || status === "stale"

/**
 * Returns the text of a checker's status; an unknown status is returned unchanged.
 *
 * @param {string} status
 */
export const statusText = (status) =>
  Object.entries(statusTexts).find(([known]) => known === status)?.[1] ?? status

/**
 * Parses the header `Checker-Status` for the given checkers; `unknown` for those it does not contain.
 *
 * `parseStatuses("heuristics=ok, feed_a=stale", ["feed_a"]).get("feed_a") === "stale"`
 *
 * @param {string | null} header
 * @param {Iterable<string>} checkers
 * @returns {ReadonlyMap<string, string>}
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
 * How many checkers answered.
 *
 * @param {ReadonlyArray<string>} statuses
 */
export const coverage = (statuses) => {
  const answered = statuses.filter(hasAnswered).length
  const sentence = `${answered} of ${statuses.length} checkers answered.`
  return answered === statuses.length
    ? sentence
    : `${sentence} What the others know is missing from this result.`
}

/**
 * Whether an enabled checker did not answer.
 *
 * @param {ReadonlyArray<string>} statuses
 */
export const isIncomplete = (statuses) =>
  statuses.some((status) => !hasAnswered(status) && status !== "not-configured")

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
 * Advice for a verdict. For `safe` it says how many checkers answered, unless the operator's lists decided.
 *
 * @param {Pick<ScanResult, "verdict" | "reasons"> & { listOverride?: string | null }} result
 * @param {ReadonlyArray<string>} statuses
 */
export const advice = ({ verdict, reasons, listOverride }, statuses) => {
  if (verdict === "phishing") return "Do not open it, and enter nothing there."
  if (verdict === "suspicious")
    return "It has signs of phishing. Leave it closed unless you are sure who sent it."
  if (listOverride === "allow") return "It is the operator's decision, not the result of a check."
  const found = reasons.length === 0 ? "Nothing" : "Little"
  const answered = statuses.filter(hasAnswered).length
  return `${found} was found by ${answered} of ${statuses.length} checkers. That does not prove that nothing is there.`
}

/**
 * Whether a reason is from Google Safe Browsing, whose notice has to stand beside it and nowhere else.
 *
 * @param {ReadonlyArray<string>} reasons
 */
export const hasGoogleReason = (reasons) =>
  reasons.some((reason) => reason.includes("Advisory provided by Google: https://"))

/** @param {string} verdict */
export const verdictText = (verdict) => verdict.charAt(0).toUpperCase() + verdict.slice(1)

/** @param {number} milliseconds */
export const durationText = (milliseconds) =>
  milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds).toLocaleString("en")} ms`

/** For a response that is not the service's, such as the login page of a network. */
export const FOREIGN_RESPONSE = "Something other than the service answered. This says nothing about the link."

/**
 * Whether it has all fields that the page shows.
 *
 * @param {Partial<ScanResult> | null} answer
 * @returns {answer is ScanResult}
 */
export const isResult = (answer) =>
  typeof answer?.url === "string" &&
  typeof answer.score === "number" &&
  typeof answer.verdict === "string" &&
  Array.isArray(answer.reasons) &&
  typeof answer.executionTimeMs === "object" &&
  answer.executionTimeMs !== null

const SECONDS_PER_MINUTE = 60

/** @param {number} seconds */
const waitText = (seconds) => {
  const [amount, unit] =
    seconds < SECONDS_PER_MINUTE ? [seconds, "second"] : [Math.ceil(seconds / SECONDS_PER_MINUTE), "minute"]
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`
}

/**
 * Why there is no result, for a status other than 200.
 *
 * @param {number} status
 * @param {string | null} retryAfter the header `Retry-After`
 */
export const errorText = (status, retryAfter) => {
  const seconds = Number(retryAfter ?? Number.NaN)
  const wait = Number.isFinite(seconds) && seconds > 0 ? `in ${waitText(seconds)}` : "later"
  if (status === 429) return `Too many checks came from your address. Try again ${wait}.`
  if (status === 400) return "The service found no link in what was sent."
  if (status === 413) return "This is too long for a link: the service reads up to 64 KiB."
  if (status === 503) return `The service is not available at the moment. Try again ${wait}.`
  return `The service failed to check it (status ${status}). This says nothing about the link.`
}

/** Invisible characters and those that change the direction of text: they could make a link look like another one. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

/**
 * Escapes invisible characters of untrusted text: `a\u202eb` becomes `a\u{202e}b`.
 *
 * @param {string} text
 */
export const escapeInvisible = (text) =>
  text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** In UTF-16 units; about eight lines. */
const MAX_SHOWN_LENGTH = 600

/** @param {string} text */
export const shorten = (text) =>
  text.length <= MAX_SHOWN_LENGTH
    ? text
    : `${text.slice(0, MAX_SHOWN_LENGTH)}… and ${text.length - MAX_SHOWN_LENGTH} more characters`

/**
 * Returns a JSON string in which every character with a meaning for a shell is escaped. In cmd, for example, a double quote
 * of the link would end the argument, and the rest of the link could be a command.
 *
 * @param {string} text
 */
const shellSafeJson = (text) =>
  `"${text.replace(/[^\x20-\x7e]|["'\\!]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`

/**
 * Returns a curl command for a POSIX shell that sends the same request. In another shell it may fail, but it cannot run
 * anything else.
 *
 * @param {string} endpoint
 * @param {string} url
 */
export const curl = (endpoint, url) =>
  `curl -i '${endpoint}' -H 'content-type: application/json' -d '{"url":${shellSafeJson(url)}}'`
