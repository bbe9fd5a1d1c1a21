/**
 * Splits a submitted string into the parts of a URL, before canonicalization. The Safe Browsing rules begin with a parsed
 * URL. The host is found as browsers find it (https://url.spec.whatwg.org/#url-parsing): any difference would be a way
 * around every list.
 */

import { Buffer } from "node:buffer"
import * as PercentEncoding from "./PercentEncoding.ts"

export interface RawUrl {
  /** Lower case, without the colon, `http` for `hxxp`; `http` if the string has none. */
  readonly scheme: string
  /** The number of slashes and backslashes before the authority. */
  readonly slashes: number
  readonly userInfo: string | undefined
  /** `""` if there is none. */
  readonly host: string
  readonly port: number | undefined
  /** Path and query: empty or starting with `/` or `?`. */
  readonly rest: string
}

/** Schemes without a host, even if `//`, an `@` or a digit follows. */
const OPAQUE_SCHEMES: ReadonlySet<string> = new Set([
  ...["about", "blob", "data", "javascript", "vbscript", "view-source"],
  ...["acct", "im", "jabber", "mailto", "pres", "sip", "sips", "skype", "xmpp"],
  ...["callto", "facetime", "fax", "modem", "sms", "smsto", "tel"],
  ...["bitcoin", "ethereum", "litecoin", "monero", "solana", "wc"],
  ...["cid", "geo", "magnet", "mid", "news", "urn", "uuid"],
  // Of QR codes: contacts (vCard too), mails, networks, eSIMs, certificates of health. Of papers.
  ...["begin", "bizcard", "hc1", "lpa", "matmsg", "mecard", "wifi", "arxiv", "doi"]
])

/** Spellings of `http`, `https` and `ftp` in reports, which keep programs from making a link of an address. */
const DEFANGED_HTTP = /^h(?:xx|tx|xt)(?=ps?$)/
const DEFANGED_FTP = /^fxxp$/

const SCHEME = /^([a-z][a-z0-9+.-]*):/i
const SCHEME_AND_SLASHES = /^[a-z][a-z0-9+.-]*:[/\\]{2}/i
const SLASHES = /^[/\\]*/
const AUTHORITY = /^[^/\\?]*/
const DIGITS = /^[0-9]*$/
const MAX_PORT = 65_535

const SLASH = 0x2f
const BACKSLASH = 0x5c
const QUESTION_MARK = 0x3f

/**
 * Splits a byte string without tabs and line breaks.
 *
 * - The authority ends at the first `/`, `\` or `?`, its user info at the last `@`. The host ends at the last colon if only
 *   digits up to 65535 follow. Percent-escapes are decoded after that: decoded before, as the Safe Browsing page describes
 *   it, `http://good.example%2F@evil.example/` would be on good.example, but browsers open evil.example.
 * - A backslash before the query is a slash.
 * - A host follows `http:` and `https:` after any number of slashes, including none.
 * - `hxxp:`, `hxxps:` and `fxxp:` are `http:`, `https:` and `ftp:`, and so are the like.
 * - Any other `name:` is a scheme if two slashes follow. Otherwise it is one too, except with a dot in the name
 *   (`example.com:8080`), a digit after it (`localhost:3000`) or an `@` (`user:password@example.com`).
 * - A string without a scheme is decoded if it has one then (`https%3A%2F%2F...`, as in the query of another URL).
 *
 * `split("HTTP:\\\\user@example.com:80\\a?b\\c")` has the host `example.com`, the port 80 and the rest `/a?b\c`.
 */
export const split = (submitted: string): RawUrl => {
  const fragment = submitted.indexOf("#")
  const text = fragment === -1 ? submitted : submitted.slice(0, fragment)
  const name = SCHEME.exec(text)?.[1]
  if (name === undefined) {
    const decoded = PercentEncoding.decode(text)
    if (SCHEME_AND_SLASHES.test(decoded)) return split(decoded)
    const slashes = countSlashes(text)
    // One slash begins a path.
    return slashes === 1 ? withoutHost("http") : splitAuthority(text.slice(slashes), "http", slashes)
  }
  const scheme = name.toLowerCase().replace(DEFANGED_HTTP, "htt").replace(DEFANGED_FTP, "ftp")
  const after = text.slice(name.length + 1)
  const slashes = countSlashes(after)
  if (scheme === "http" || scheme === "https") return splitAuthority(after.slice(slashes), scheme, slashes)
  if (OPAQUE_SCHEMES.has(scheme)) return withoutHost(scheme)
  // Windows opens a share of another machine: `file:////host/x`.
  if (scheme === "file" && slashes > 3) return splitAuthority(after.slice(slashes), scheme, 2)
  if (slashes > 1) return splitAuthority(after.slice(2), scheme, 2)
  return scheme.includes(".") || /^\d/.test(after) || authorityOf(after).includes("@")
    ? splitAuthority(text, "http", 0)
    : withoutHost(scheme)
}

const countSlashes = (text: string): number => SLASHES.exec(text)?.[0].length ?? 0

const authorityOf = (text: string): string => AUTHORITY.exec(text)?.[0] ?? ""

const withoutHost = (scheme: string): RawUrl => splitAuthority("", scheme, 0)

/** `text` begins with the authority. */
const splitAuthority = (text: string, scheme: string, slashes: number): RawUrl => {
  const authority = authorityOf(text)
  const at = authority.lastIndexOf("@")
  const colon = authority.lastIndexOf(":")
  const digits = colon > at ? authority.slice(colon + 1) : undefined
  const hasPort = digits !== undefined && DIGITS.test(digits) && Number(digits) <= MAX_PORT
  return {
    scheme,
    slashes,
    userInfo: at === -1 ? undefined : authority.slice(0, at),
    host: authority.slice(at + 1, hasPort ? colon : undefined),
    port: hasPort && digits !== "" ? Number(digits) : undefined,
    rest: withSlashes(text.slice(authority.length))
  }
}

/** In a loop: to replace each of 60,000 backslashes takes ten times as long. */
const withSlashes = (rest: string): string => {
  if (!rest.includes("\\")) return rest
  const buffer = Buffer.from(rest, "latin1")
  for (let index = 0; index < buffer.length && buffer[index] !== QUESTION_MARK; index++) {
    if (buffer[index] === BACKSLASH) buffer[index] = SLASH
  }
  return buffer.toString("latin1")
}
