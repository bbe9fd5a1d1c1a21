import { unescape as percentDecoded } from "node:querystring"

/** Further prefixes are not removed: no program opens such a string, and the time stays linear. */
const MAX_PREFIXES = 8

/** Only around a scheme: `<html>` is no address. */
const IN_ANGLE_BRACKETS = /^<\s*[a-z][a-z0-9+-]*[[({]?:/i
const MARKER = /^(?:url|view-source):/i
const EDGE = /^microsoft-edge:/i
/** Also after `//` or `///`, as Windows writes it in places. */
const EDGE_QUERY = /^[/]{0,3}\?/
const CHROME = /^googlechrome(s?):\/\//i
const CHROME_NAVIGATE = /^navigate\/?\?url=/i

/**
 * Removes what is written before or around a web address to mark it, or to choose the program that opens it. Reads only the
 * beginning and the last character of the string, so that no path and no query changes. Removes at most `MAX_PREFIXES`, and
 * none from an empty address.
 *
 * - `<...>` and `URL:`, also together: marks in running text (RFC 3986, appendix C).
 * - `view-source:`.
 * - `microsoft-edge:https://...`, and `microsoft-edge:?url=...` with a percent-encoded address.
 * - `googlechrome://host/`, which Chrome opens over http, `googlechromes://host/` over https, and
 *   `googlechrome://navigate?url=...`.
 *
 * `withoutPrefixes("<URL:view-source:https://example.com/a>")` is `"https://example.com/a"`.
 */
export const withoutPrefixes = (text: string): string => {
  let inner = text
  for (let count = 0; count < MAX_PREFIXES; count++) {
    const next = withoutPrefix(inner)?.trim()
    if (next === undefined || next === "") break
    inner = next
  }
  return inner
}

/** Returns undefined if there is no prefix. */
const withoutPrefix = (text: string): string | undefined => {
  const marker = MARKER.exec(text)
  if (marker !== null) return text.slice(marker[0].length)
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
