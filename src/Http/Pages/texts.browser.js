/**
 * What the page says beside the verdict, and how it shows an address. Pure: no document, no network.
 *
 * @import { CheckedUrl } from "../Api.ts"
 * @import { Name, Values } from "./Languages/message.browser.js"
 */

/** @typedef {CheckedUrl} Result of one link */

/** @typedef {{ readonly name: Name, readonly values?: Values }} Message */

/** For a response that is not the service's, such as the login page of a network. @type {Message} */
export const FOREIGN_RESPONSE = { name: "foreignResponse" }

/** For a request without a response, or with a late one. @type {Message} */
export const UNREACHABLE = { name: "unreachable" }

/** @param {Readonly<Partial<Record<keyof Result["findings"][number], unknown>>> | null} finding */
const isFinding = (finding) =>
  typeof finding?.kind === "string" && typeof finding.details === "object" && finding.details !== null

/** The page would show any other one as harmless. @satisfies {ReadonlyArray<unknown>} */
const VERDICTS = ["safe", "suspicious", "phishing"]

/**
 * @param {Readonly<Partial<Record<keyof Result, unknown>>> | null} result
 * @param {string} url
 */
const isResult = (result, url) =>
  result?.url === url &&
  typeof result.score === "number" &&
  typeof result.verdict === "string" &&
  VERDICTS.includes(result.verdict) &&
  Array.isArray(result.findings) &&
  result.findings.every(isFinding) &&
  typeof result.executionTimeMs === "object" &&
  result.executionTimeMs !== null &&
  typeof result.checkers === "object" &&
  result.checkers !== null &&
  Object.keys(result.checkers).length > 0

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

/** @typedef {{ readonly title: Name, readonly help: Name, readonly values?: Values }} Refusal what is said of a text that has nothing to check */

/** @type {Refusal} */
export const EMPTY = { title: "empty", help: "emptyHelp" }

/** Of a mail without a link but with attachments. @type {Refusal} */
export const UNREAD = { title: "noLink", help: "unreadPart" }

/** @type {Refusal} */
export const TOO_LONG = { title: "textTooLong", help: "textTooLongHelp" }

/** What QR codes hold beside links. What is in them is explained, and never sent. "WiFi: see https://..." is a sentence. @satisfies {ReadonlyArray<readonly [RegExp, Name, Name]>} */
const secrets = /** @type {const} */ ([
  [/^\s*wifi:[a-z]\w{0,2}:/i, "wifi", "wifiHelp"],
  [/^\s*otpauth(?:-migration)?:/i, "secret", "secretHelp"],
  [
    /^\s*(?:(?:upi|payto|bitcoin|ethereum|litecoin|dogecoin|bitcoincash|monero|solana|lightning|bezahlcode|swish|twint|epc):(?=\S)|(?:BCD|SPC)\r?\n|000201\d)/i,
    "payment",
    "paymentHelp"
  ]
])

const CONTACT =
  /^\s*(?:(?:mecard|matmsg|bizcard|mailto|tel|smsto|sms|mmsto|facetime|geo):|begin:(?:vcard|vevent|vcalendar))/i

/**
 * What is said of a text, or of a link, that holds a secret; undefined if it has none.
 *
 * @param {string} text
 * @returns {Refusal | undefined}
 */
export const secretIn = (text) => {
  const found = secrets.find(([pattern]) => pattern.test(text))
  if (found === undefined) return undefined
  const [, title, help] = found
  const [, name = "?"] = /[:;]S:((?:\\.|[^;\\])*)/i.exec(text) ?? []
  return { title, help, values: { name: quotable(name.replace(/\\(.)/g, "$1")) } }
}

/** Read in this order. @satisfies {ReadonlyArray<readonly [RegExp, Name, Name]>} */
const notLinks = /** @type {const} */ ([
  [CONTACT, "contactCode", "contactCodeHelp"],
  [/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/i, "onlyLinks", "accountHelp"],
  [/[^\s@<>]@[^\s@<>]+\.\p{L}{2}/u, "onlyLinks", "mailHelp"],
  [/(?:\+|\b0|\(0)\d[\d\s()/.-]{5,20}\d/, "onlyLinks", "phoneHelp"]
])

/**
 * What is said of a text without a link.
 *
 * @param {string} text
 * @returns {Refusal}
 */
export const refusalOf = (text) => {
  if (text.trim() === "") return EMPTY
  const found = notLinks.find(([pattern]) => pattern.test(text))
  return found === undefined ? { title: "noLink", help: "noLinkHelp" } : { title: found[1], help: found[2] }
}

/**
 * Why there is no result, for a status other than 200.
 *
 * @param {number} status
 * @param {string} when to try again
 * @param {number} links how many were sent
 * @returns {Message}
 */
export const errorOf = (status, when, links) => {
  if (status === 429) return { name: "tooMany", values: { when } }
  if (status === 413) return { name: links === 1 ? "linkTooLong" : "linksTooLong" }
  if (status === 503) return { name: "busy", values: { when } }
  return { name: "serviceFailed", values: { status: String(status) } }
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
export const MAX_SHOWN_LENGTH = 600

/** Every sign that some language closes a quotation with. */
const QUOTES = /["“”„‟«»‹›‘’‚‛「」『』]/g

/** In UTF-16 units. */
const MAX_QUOTED_LENGTH = 80

/**
 * Untrusted text for a place between quotation marks, which it cannot close.
 *
 * @param {string} text
 */
export const quotable = (text) => cut(escapeInvisible(text).replace(QUOTES, "'"), MAX_QUOTED_LENGTH)

/** Of what stands before and after the site, in UTF-16 units. */
const MAX_BEFORE = 28
const MAX_AFTER = 60

/**
 * Cuts a text in its middle.
 *
 * @param {string} text
 * @param {number} max
 */
const cut = (text, max) => (text.length <= max ? text : `${text.slice(0, max / 2)}…${text.slice(-max / 2)}`)

/** A scheme with its slashes, also as reports write it: `hxxp[://]`. */
const SCHEME = /^(?:[^/\\?#]*[:[({][\])}]*|h[tx*]{2}ps?[;.]?|)[/\\]+[\])}]?/i

/** What follows the host of a link. @param {string} url */
const restOf = (url) => /^[^/\\?#]*(.*)$/s.exec(url.replace(SCHEME, ""))?.[1] ?? ""

/**
 * Divides an address for showing: what stands before the site, the site itself, which is never cut, and the rest of the link. In
 * its own letters; `ascii` if that is another spelling.
 *
 * @param {NonNullable<Result["addresses"]>[number]} address
 * @param {string} url the link, if the address is its own; else empty
 */
export const dividedAddress = ({ domain, host, unicode = host }, url) => {
  const labels = domain === undefined ? 0 : domain.split(".").length
  const site = labels === 0 ? unicode : unicode.split(".").slice(-labels).join(".")
  const rest = restOf(url)
  return {
    before: cut(escapeInvisible(unicode.slice(0, unicode.length - site.length)), MAX_BEFORE),
    site: escapeInvisible(site),
    after: rest === "/" ? "" : cut(escapeInvisible(rest), MAX_AFTER),
    ascii: unicode === host ? undefined : host
  }
}

/**
 * Divides a text at the letters that are not Latin or not a to z, for marking them: `[["p", false], ["а", true]]`.
 *
 * @param {string} text
 */
export const divideLetters = (text) =>
  Array.from(
    text.matchAll(/[\x20-\x7e]+|[^\x20-\x7e]+/g),
    ([part]) => /** @type {const} */ ([part, !/^[\x20-\x7e]/.test(part)])
  )

/**
 * Whether what a message shows in place of a link is the address of another site than those that the link leads to.
 *
 * @param {ReadonlyArray<string>} shownLinks in the shown text
 * @param {Result["addresses"]} addresses of the result
 */
export const showsOtherSite = (shownLinks, addresses = []) => {
  const own = addresses.filter(({ relation }) => relation !== "carried")
  return (
    own.length > 0 &&
    shownLinks.some((link) => {
      const [, written = ""] = /^(?:[a-z]+:)?[/\\]*(?:[^/\\@]*@)?([^/\\?#:]+)/i.exec(link.toLowerCase()) ?? []
      const shown = written.replace(/\.$/, "")
      return !own.some(({ domain, host, unicode = host }) =>
        [domain ?? host, host, unicode].some((name) => shown === name || shown.endsWith(`.${name}`))
      )
    })
  )
}

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
export const ADVISORY = "https://developers.google.com/safe-browsing/v4/advisory"
