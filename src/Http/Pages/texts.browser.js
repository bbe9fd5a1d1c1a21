/**
 * The texts of the page for people, beside the verdict. Pure: no document, no network.
 *
 * @import { ScanFinding, ScanResult } from "../Api.ts"
 */

/** @typedef {Omit<ScanResult, "findings"> & { findings: ReadonlyArray<ScanFinding> }} Result the response to a check */

/** @param {number} milliseconds */
export const durationText = (milliseconds) =>
  milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds).toLocaleString("en")} ms`

/** For a response that is not the service's, such as the login page of a network. */
export const FOREIGN_RESPONSE = "Something other than the service answered. This says nothing about the link."

/**
 * Whether it has all fields that the page shows.
 *
 * @param {Readonly<Partial<Record<keyof ScanResult, unknown>>> | null} answer
 * @returns {answer is Result}
 */
export const isResult = (answer) =>
  typeof answer?.url === "string" &&
  typeof answer.score === "number" &&
  typeof answer.verdict === "string" &&
  Array.isArray(answer.findings) &&
  typeof answer.executionTimeMs === "object" &&
  answer.executionTimeMs !== null

/** For a text in which the page finds no link. */
export const NOT_A_LINK =
  "We found no web address in it. A link looks like https://example.com or www.example.com. Copy it again, or paste the whole message."

const SECONDS_PER_MINUTE = 60
const SECONDS_PER_HOUR = 3600

/** @param {number} seconds */
const waitText = (seconds) => {
  const [amount, unit] =
    seconds < SECONDS_PER_MINUTE
      ? [seconds, "second"]
      : seconds < 2 * SECONDS_PER_HOUR
        ? [Math.ceil(seconds / SECONDS_PER_MINUTE), "minute"]
        : [Math.ceil(seconds / SECONDS_PER_HOUR), "hour"]
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

/** Google's terms ask for a link to this page beside its findings. */
const ADVISORY = "https://developers.google.com/safe-browsing/v4/advisory"

/**
 * Splits a reason of Google's at the address of its advisory, which is undefined if the reason has none.
 *
 * @param {string} reason
 * @returns {readonly [before: string, advisory: string | undefined, after: string]}
 */
export const splitAtAdvisory = (reason) => {
  const start = reason.indexOf(ADVISORY)
  return start === -1
    ? [reason, undefined, ""]
    : [reason.slice(0, start), ADVISORY, reason.slice(start + ADVISORY.length)]
}
