/**
 * The texts of the page for people, beside the verdict. Pure: no document, no network.
 *
 * @import { CheckedUrl } from "../Api.ts"
 */

/** @typedef {CheckedUrl} Result of one link */

/** @param {number} milliseconds */
export const durationText = (milliseconds) =>
  milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds).toLocaleString("en")} ms`

/** For a response that is not the service's, such as the login page of a network. */
export const FOREIGN_RESPONSE = "Something other than the service answered. This says nothing about the link."

/** For a request without a response, or with a late one. */
export const UNREACHABLE = "The service was not reached. This says nothing about the link: try again."

/**
 * @param {Readonly<Partial<Record<keyof Result, unknown>>> | null} result
 * @param {string} url
 */
const isResult = (result, url) =>
  result?.url === url &&
  typeof result.score === "number" &&
  typeof result.verdict === "string" &&
  Array.isArray(result.findings) &&
  typeof result.executionTimeMs === "object" &&
  result.executionTimeMs !== null &&
  typeof result.checkers === "object" &&
  result.checkers !== null

/**
 * Returns the results of these URLs; undefined if a body is not the service's response about them.
 *
 * @param {{ readonly results?: unknown } | null} body
 * @param {ReadonlyArray<string>} urls
 * @returns {ReadonlyArray<Result> | undefined}
 */
export const resultsOf = (body, urls) => {
  const results = body?.results
  return Array.isArray(results) &&
    results.length === urls.length &&
    urls.every((url, index) => isResult(results[index], url))
    ? results
    : undefined
}

/** @typedef {{ readonly title: string, readonly help: string }} Refusal what is said of a text that has nothing to check */

/** @type {Refusal} */
export const EMPTY = { title: "Paste a link first.", help: "Or the whole message that it came in." }

/** @type {Refusal} */
export const TOO_LONG = {
  title: "This text is too long for us.",
  help: "Copy only the part of the message that has the links."
}

const ONLY_LINKS = "We can only check links."

/** Read in this order. */
const notLinks = [
  {
    pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/i,
    title: ONLY_LINKS,
    help: "This looks like a bank account. Before you pay, call the person or company at a number that you already know."
  },
  {
    pattern: /[^\s@<>]@[^\s@<>]+\.\p{L}{2}/u,
    title: ONLY_LINKS,
    help: "This has an e-mail address. Anyone can fake the sender of a message. If the message has a link, copy the link and paste it here."
  },
  {
    pattern: /(?:\+|\b0|\(0)\d[\d\s()/.-]{5,20}\d/,
    title: ONLY_LINKS,
    help: "This looks like a phone number. If somebody called you or wants your call: hang up, and do not call this number. Find the number of the company yourself, for example on your bank card, and ask there."
  }
]

/**
 * What is said of a text without a link.
 *
 * @param {string} text
 * @returns {Refusal}
 */
export const refusalOf = (text) => {
  if (text.trim() === "") return EMPTY
  return (
    notLinks.find(({ pattern }) => pattern.test(text)) ?? {
      title: "This is not a link.",
      help: "We found no web address in it. A link looks like https://example.com or www.example.com. Copy it again, or paste the whole message."
    }
  )
}

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
 * @param {number} seconds the header `Retry-After`; NaN without one
 * @param {number} links how many were sent
 */
export const errorText = (status, seconds, links) => {
  const wait = seconds > 0 ? `in ${waitText(seconds)}` : "later"
  if (status === 429) return `Too many checks came from your address. Try again ${wait}.`
  if (status === 413)
    return links === 1
      ? "This link is too long for us to check. Do not open it, unless you expected it."
      : "Some of these links are too long for us to check. Paste one link at a time."
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

/** In UTF-16 units; names of buttons are read aloud. */
const MAX_NAME_LENGTH = 60

/**
 * Returns a link as part of the name of a button.
 *
 * @param {string} link
 */
export const shortName = (link) => {
  const name = escapeInvisible(link.replace(/^https?:\/\//i, ""))
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`
}

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
