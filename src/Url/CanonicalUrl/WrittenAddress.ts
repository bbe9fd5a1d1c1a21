/** Finds the web address in the string that a person or a program wrote, and reads its usual spellings. */

import { unescape as percentDecoded } from "node:querystring"
import * as RawUrl from "./RawUrl.ts"

const TABS_AND_LINE_BREAKS = /[\t\r\n]+/g
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}]/u

const isInvisible = (text: string, index: number): boolean =>
  text.charCodeAt(index) <= 0x20 || (text.charCodeAt(index) > 0x7e && INVISIBLE.test(text.charAt(index)))

export const withoutSurroundings = (
  text: string,
  isDropped: (text: string, index: number) => boolean
): string => {
  let start = 0
  let end = text.length
  while (start < end && isDropped(text, start)) start++
  while (end > start && isDropped(text, end - 1)) end--
  return text.slice(start, end)
}

/** A search for one character is many times as fast as a regular expression, which counts for a long URL. */
export const withoutTabsAndLineBreaks = (text: string): string =>
  text.includes("\t") || text.includes("\n") || text.includes("\r")
    ? text.replace(TABS_AND_LINE_BREAKS, "")
    : text

/**
 * Drops white space and invisible characters around an address, which are easily copied with it, and tabs and line breaks in
 * it, as browsers do.
 */
const trimmed = (text: string): string => withoutTabsAndLineBreaks(withoutSurroundings(text, isInvisible))

/** Further prefixes are not removed: no program opens such a string, and the time stays linear. */
const MAX_PREFIXES = 8

/** Of any language. No host begins with a quote. */
export const QUOTE = /["'`\u00ab\u00bb\u2018-\u201f\u2039\u203a\u300c-\u300f\u301d-\u301f\uff02\uff07]/
/** Only around a scheme: `<html>` is not an address. */
const IN_ANGLE_BRACKETS = /^<\s*[a-z][a-z0-9+-]*[[({]?:/i
const MARKER = /^(?:url|view-source):/i
/** Before a whole web address. */
const APP = /^([a-z][a-z0-9+.-]{0,30}):\/\/(?=h(?:tt|xx)ps?:\/\/)/i
const EDGE = /^microsoft-edge:/i
/** Also after `//` or `///`, as Windows writes it in places. */
const EDGE_QUERY = /^[/]{0,3}\?/
const CHROME = /^googlechrome(s?):\/\//i
const CHROME_NAVIGATE = /^navigate\/?\?url=/i

/**
 * Removes what is written before or around a web address to mark it, or to choose the program that opens it, and
 * white space around it. Reads only the beginning and the end of the string, so that no path and no query changes. Removes at most `MAX_PREFIXES`, and
 * none from an empty address.
 *
 * - Quotes of any language, also if the closing one is missing.
 * - `<...>` and `URL:`, also together: marks in running text (RFC 3986, appendix C).
 * - `view-source:`.
 * - `microsoft-edge:https://...`, and `microsoft-edge:?url=...` with a percent-encoded address.
 * - `googlechrome://host/`, which Chrome opens over http, `googlechromes://host/` over https, and
 *   `googlechrome://navigate?url=...`.
 * - Any other scheme of an app before `://https://...`, such as `samsunginternet:`, except in an `intent:` link, which opens
 *   another address when the app is missing.
 *
 * `withoutPrefixes("<URL:view-source:https://example.com/a>")` is `"https://example.com/a"`.
 */
export const withoutPrefixes = (text: string): string => {
  let inner = trimmed(text)
  for (let count = 0; count < MAX_PREFIXES; count++) {
    const next = trimmed(withoutPrefix(inner) ?? "")
    if (next === "") break
    inner = next
  }
  return inner
}

/** Returns undefined if there is no prefix. */
const withoutPrefix = (text: string): string | undefined => {
  if (QUOTE.test(text.charAt(0))) return text.slice(1, QUOTE.test(text.slice(-1)) ? -1 : undefined)
  const marker = MARKER.exec(text)
  if (marker !== null) return text.slice(marker[0].length)
  const app = APP.exec(text)
  if (app !== null && RawUrl.isOfApp(app[1] ?? "") && intentAddresses(text).length === 0)
    return text.slice(app[0].length)
  const edge = EDGE.exec(text)
  if (edge !== null) return fromEdge(text.slice(edge[0].length))
  const chrome = CHROME.exec(text)
  if (chrome !== null) return fromChrome(text.slice(chrome[0].length), chrome[1] === "" ? "http" : "https")
  return text.endsWith(">") && IN_ANGLE_BRACKETS.test(text) ? text.slice(1, -1) : undefined
}

const fromEdge = (rest: string): string | undefined => {
  const query = EDGE_QUERY.exec(rest)
  if (query === null) return rest
  const url = rest
    .slice(query[0].length)
    .split("&")
    .find((parameter) => parameter.startsWith("url="))
  return url === undefined ? undefined : percentDecoded(url.slice("url=".length))
}

const fromChrome = (rest: string, scheme: string): string => {
  const navigate = CHROME_NAVIGATE.exec(rest)
  return navigate === null ? `${scheme}://${rest}` : rest.slice(navigate[0].length)
}

const INTENT = /^intent:/i
const EXTRAS = "#Intent;"
const FALLBACK = "S.browser_fallback_url"

/**
 * Reads a link to an Android app (https://developer.chrome.com/docs/android/intents): the address that the app is to open, of
 * any scheme and perhaps without a host, then the one that Chrome opens when no app is installed for it. Returns none for any
 * other string. Of a field that is written twice the last counts, as in Android, and none after `end` or `SEL`, which begins
 * the description of another app. Takes linear time.
 *
 * `intentAddresses("intent://example.com/a#Intent;scheme=https;end")` is `["https://example.com/a"]`.
 */
export const intentAddresses = (text: string): ReadonlyArray<string> => {
  const scheme = INTENT.exec(text)
  const extras = text.lastIndexOf("#")
  if (scheme === null || !text.startsWith(EXTRAS, extras)) return []
  const fields = fieldsOf(text.slice(extras + EXTRAS.length))
  const address = text.slice(scheme[0].length, extras)
  const addressScheme = fields.get("scheme")
  const fallback = fields.get(FALLBACK)
  return [
    addressScheme === undefined ? address : `${addressScheme}:${address}`,
    ...(fallback === undefined ? [] : [fallback])
  ]
}

const fieldsOf = (text: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  for (const field of text.split(";")) {
    if (field === "end" || field === "SEL") break
    const equals = field.indexOf("=")
    if (equals !== -1)
      fields.set(percentDecoded(field.slice(0, equals)), percentDecoded(field.slice(equals + 1)))
  }
  return fields
}

/** The brackets stand at most twice, as in `([.])`: the text was defanged twice. */
const DEFANGED_DOT = /[[({]{1,2}(?:\.|dot)[\])}]{1,2}/gi
const DEFANGED_COLON = /[[({]:[\])}]/g
const DEFANGED_SCHEME = /^([a-z][a-z0-9+.-]{0,30})[[({](:(?:\/\/)?)[\])}]/i
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i
const BRACKET = /[[({]/

/**
 * Reads a defanged address, as reports write it so that a click does not open the page (RawUrl reads the schemes `hxxp`,
 * `hxxps`, `fxxp`). Restores the usual spelling in the scheme and the host, up to the first `/`, `\`, `?` or `#` after them:
 * `.` for `[.]`, `(.)`, `{.}`, `[dot]`, `(dot)` and `{dot}`, `:` for `[:]`, and `://` for `[://]`. Takes linear time.
 *
 * `refanged("hxxps[:]//bad[.]example/a[.]b")` is `"hxxps://bad.example/a[.]b"`.
 */
export const refanged = (text: string): string => {
  // Not of the whole string, which may be long.
  const [beginning = ""] = AUTHORITY.exec(text) ?? []
  if (!BRACKET.test(beginning)) return text
  return text
    .replace(DEFANGED_SCHEME, "$1$2")
    .replace(AUTHORITY, (authority) => authority.replace(DEFANGED_DOT, ".").replace(DEFANGED_COLON, ":"))
}
