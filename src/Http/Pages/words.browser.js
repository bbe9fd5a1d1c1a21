/**
 * What people read of an answer. Pure: no document, no network.
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
const statusWords = {
  ok: "answered",
  stale: "answered from an old list",
  timeout: "took too long",
  unavailable: "could not be asked",
  malformed: "gave an unreadable answer",
  "not-configured": "switched off",
  failed: "failed"
}

/** @param {string} status */
export const isAnswer = (status) => status === "ok" || status === "stale"

/**
 * A state that this page does not know is shown as it came.
 *
 * @param {string} status
 */
export const stateOf = (status) =>
  Object.entries(statusWords).find(([known]) => known === status)?.[1] ?? status

/**
 * What a `Checker-Status` header says of each checker, `unknown` where it says nothing:
 * `statuses("heuristics=ok, feed_a=stale", ["feed_a"]).get("feed_a") === "stale"`.
 *
 * @param {string | null} header
 * @param {Iterable<string>} checkers
 * @returns {ReadonlyMap<string, string>}
 */
export const statuses = (header, checkers) => {
  const said = new Map(
    (header ?? "").split(",").map((member) => {
      const [checker = "", status = ""] = member.trim().split("=")
      return [checker, status]
    })
  )
  return new Map(Array.from(checkers, (checker) => [checker, said.get(checker) || "unknown"]))
}

/**
 * How much stands behind a result.
 *
 * @param {ReadonlyArray<string>} states
 */
export const coverage = (states) => {
  const answered = states.filter(isAnswer).length
  const sentence = `${answered} of ${states.length} checkers answered.`
  return answered === states.length
    ? sentence
    : `${sentence} What the others know is missing from this result.`
}

/**
 * Whether a checker that is switched on was not heard.
 *
 * @param {ReadonlyArray<string>} states
 */
export const isAnybodySilent = (states) =>
  states.some((status) => !isAnswer(status) && status !== "not-configured")

/**
 * What to make of a verdict. `safe` is not said without what it rests on.
 *
 * @param {Pick<ScanResult, "verdict" | "reasons">} result
 * @param {ReadonlyArray<string>} states
 */
export const advice = ({ verdict, reasons }, states) => {
  if (verdict === "phishing") return "Do not open it, and enter nothing there."
  if (verdict === "suspicious")
    return "It has signs of phishing. Leave it closed unless you are sure who sent it."
  const found = reasons.length === 0 ? "Nothing" : "Little"
  const answered = states.filter(isAnswer).length
  return `${found} was found by ${answered} of ${states.length} checkers. That does not prove that nothing is there.`
}

/** @param {string} verdict */
export const verdictName = (verdict) => verdict.charAt(0).toUpperCase() + verdict.slice(1)

/** @param {number} milliseconds */
export const timeOf = (milliseconds) =>
  milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds).toLocaleString("en")} ms`

/** For an answer of something in between, such as the page of a network that wants a login first. */
export const NOT_OURS = "Something other than the service answered. This says nothing about the link."

/**
 * Whether it has what is shown of an answer.
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

const SECONDS_A_MINUTE = 60

/** @param {number} seconds */
const waitOf = (seconds) => {
  const [amount, unit] =
    seconds < SECONDS_A_MINUTE ? [seconds, "second"] : [Math.ceil(seconds / SECONDS_A_MINUTE), "minute"]
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`
}

/**
 * Why there is no result, for an answer other than 200.
 *
 * @param {number} status
 * @param {string | null} retryAfter the header of that name
 */
export const refusal = (status, retryAfter) => {
  const seconds = Number(retryAfter ?? Number.NaN)
  const wait = Number.isFinite(seconds) && seconds > 0 ? `in ${waitOf(seconds)}` : "later"
  if (status === 429) return `Too many checks came from your address. Try again ${wait}.`
  if (status === 400) return "The service found no link in what was sent."
  if (status === 413) return "This is too long for a link: the service reads up to 64 KiB."
  if (status === 503) return `The service is not available at the moment. Try again ${wait}.`
  return `The service failed to check it (status ${status}). This says nothing about the link.`
}

/** Invisible characters, and those that turn the direction of text around, could make a link look like another one. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

/**
 * What a stranger wrote, with every character visible: `a\u202eb` reads `a\u{202e}b`.
 *
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** About eight lines of it: enough for a link that people send. */
const MOST_SHOWN = 600

/** @param {string} text */
export const shortened = (text) =>
  text.length <= MOST_SHOWN
    ? text
    : `${text.slice(0, MOST_SHOWN)}… and ${text.length - MOST_SHOWN} more characters`

/**
 * A JSON string of characters that no shell gives a meaning to between the quotes that `curl` puts around them. In cmd, for
 * one, a bare double quote of the link would end the word, and what follows it could be a command.
 *
 * @param {string} text
 */
const plainJson = (text) =>
  `"${text.replace(/[^\x20-\x7e]|["'\\!]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`

/**
 * A line for a POSIX shell that asks the same. Pasted into another shell it may fail, but does nothing else.
 *
 * @param {string} endpoint
 * @param {string} url
 */
export const curl = (endpoint, url) =>
  `curl -i '${endpoint}' -H 'content-type: application/json' -d '{"url":${plainJson(url)}}'`
