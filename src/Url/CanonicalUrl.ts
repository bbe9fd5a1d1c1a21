/**
 * Canonicalizes URLs by the rules of Safe Browsing
 * (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing), so that all spellings of one page are the same
 * string. WrittenAddress finds the address in the submitted string, RawUrl finds the host in it, and CanonicalHost
 * canonicalizes that.
 *
 * Where the rules leave a case open:
 * - An escaped delimiter in a host and an escaped backslash in a path stay escaped.
 * - Three slashes or more are skipped only before a host with a dot: browsers open `http:///example.com/`, the reference
 *   client rejects `http:///blah`.
 * - White space and invisible characters around the URL are dropped: they are easily copied with it.
 *
 * What `parse` reads although a browser would not open it as it is written:
 * - Behind a prefix (`view-source:https://...`, `URL:`), in quotes or `<...>`, and in an `intent:` link it reads the inner address, as if
 *   that were submitted.
 * - Before the first `/`, `?` or `#` after the host it reads the spellings of reports: `hxxps://bad[.]example`.
 *
 * International hosts are converted by a library (see Idna), so that the result is the same on every version of Node.
 */

import { Buffer } from "node:buffer"
import { Array as Arr, Data, Either, Option } from "effect"
import { canonicalHost } from "./CanonicalUrl/CanonicalHost.ts"
import * as PercentEncoding from "./CanonicalUrl/PercentEncoding.ts"
import * as RawUrl from "./CanonicalUrl/RawUrl.ts"
import * as WrittenAddress from "./CanonicalUrl/WrittenAddress.ts"

/** The canonical parts of a URL, and the parts that canonicalization drops but the heuristics use. */
export interface CanonicalUrl {
  /** Lower case, without the colon; `http` if the submitted string has none. */
  readonly scheme: string
  /** Lower-case ASCII, no trailing dot; IPv4 as four decimal numbers, IPv6 in brackets. */
  readonly host: string
  /** Begins with `/`. A backslash in it was escaped in the submitted string. */
  readonly path: string
  /** Without the `?`; `""` for an empty query, `undefined` for none. */
  readonly query: string | undefined
  /** As written, even if it is the scheme's default. */
  readonly port: number | undefined
  /** Canonicalized like the query; `""` for an empty one. */
  readonly userInfo: string | undefined
  /** The rounds of percent-decoding that changed the URL; 0 or 1 for ordinary URLs. */
  readonly unescapeRounds: number
}

export class InvalidUrl extends Data.TaggedError("InvalidUrl")<{
  /** `NoHost`, `ForbiddenHostCharacter`: malformed. `OpaqueScheme`: a scheme without hosts, such as `mailto:`. */
  readonly reason: "NoHost" | "ForbiddenHostCharacter" | "OpaqueScheme"
  /** Lower case, without the colon. */
  readonly scheme: string
}> {}

/**
 * Parses and canonicalizes a submitted string, read as its UTF-8 bytes (a lone surrogate as U+FFFD). Takes linear time and
 * never throws.
 *
 * Rejects what `canonicalize` rejects, and hosts with characters other than `a-z 0-9 . - _` that are not IPv6 addresses: no
 * browser opens them.
 *
 * `parse("HTTP://user@Evil.example:80/a/../%6Cogin#top")` has the host `evil.example` and the path `/login`.
 */
export const parse = (submitted: string): Either.Either<CanonicalUrl, InvalidUrl> => {
  const plain = submitted.length <= MAX_PLAIN_LENGTH ? plainUrl(submitted) : undefined
  if (plain !== undefined) return Either.right(plain)
  const { intended, text } = read(submitted)
  return Option.match(Arr.findFirst(intended, webAddress), {
    onNone: () => parseAddress(text),
    onSome: ({ url }) => Either.right(url)
  })
}

/** An address and how it was written. */
interface Written {
  readonly text: string
  readonly url: CanonicalUrl
}

/**
 * Returns the address that Chrome opens in place of the one that `parse` returns, when no app is installed for it: the
 * `S.browser_fallback_url` of an `intent:` link. Undefined if there is none, if it is no absolute web address, or if
 * `parse` returns it because the link names no other web address. Takes linear time and never throws.
 *
 * Of `intent://a.example/#Intent;scheme=https;S.browser_fallback_url=http%3A%2F%2Fb.example;end` the host is `b.example`.
 */
export const fallbackOf = (submitted: string): Written | undefined => {
  const [address, fallback] = submitted.includes("#") ? read(submitted).intended : []
  return address === undefined || fallback === undefined || Option.isNone(webAddress(address))
    ? undefined
    : Option.getOrUndefined(webAddress(fallback))
}

/** Canonicalizes bytes that need not be UTF-8. Also accepts hosts that no browser opens. */
export const canonicalize = (submitted: Uint8Array): Either.Either<CanonicalUrl, InvalidUrl> =>
  canonicalizeBytes(Buffer.from(submitted).toString("latin1"))

/** Returns the URL as a string. Canonicalizing that string again gives the same scheme, host, path and query. */
export const format = ({ scheme, host, path, query }: CanonicalUrl): string =>
  `${scheme}://${host}${path.replaceAll("\\", "%5C")}${query === undefined ? "" : `?${query}`}`

/**
 * Returns the path and query, as they were written, of the address that `parse` reads: where a percent-escape is decoded,
 * parameters can no longer be told apart. `""` if there is neither.
 *
 * Of `https://a.example/r?u=https%3A%2F%2Fb.example%2F%3Fx%26y#top` it is `/r?u=https%3A%2F%2Fb.example%2F%3Fx%26y`.
 */
export const writtenRest = (submitted: string): string => {
  const { intended, text } = read(submitted)
  const address = Option.getOrElse(Arr.findFirst(intended, webAddress), () => ({ text })).text
  const bytes = Buffer.from(WrittenAddress.refanged(address)).toString("latin1")
  return Buffer.from(RawUrl.split(bytes).rest, "latin1").toString()
}

const encode = PercentEncoding.encoder("")

/** In UTF-16 units. Longer URLs are rare: they are canonicalized even if they are canonical already. */
const MAX_PLAIN_LENGTH = 2048

/**
 * A URL that is canonical already: scheme `http`, `https` or none, no user info, no port, a last host label that does not
 * start with a digit, and nothing that canonicalization would change. Some canonical URLs do not match.
 */
const PLAIN_URL =
  /^(?:(https?):\/\/)?((?:[a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*)((?:\/[!-"$&-\-0->@-[\]-~][!-"$&-.0->@-[\]-~]*)*\/?)(?:\?([!-"$&-~]*))?$/

/** Reads a URL that is canonical already, which most are, twice as fast; undefined for any other. */
const plainUrl = (text: string): CanonicalUrl | undefined => {
  const parts = PLAIN_URL.exec(text)
  if (parts === null) return undefined
  const [, scheme = "http", host = "", path, query] = parts
  return { scheme, host, path: path || "/", query, port: undefined, userInfo: undefined, unescapeRounds: 0 }
}

const NOT_PRINTABLE_ASCII = /[^ -~]/
const FORBIDDEN_IN_HOST = /[^a-z0-9._:[\]-]/
const DOT_SEGMENT_OR_DOUBLE_SLASH = /\/[./]/

/** The text without its surroundings, and what an `intent:` link opens if that may be a web address, the first choice first. */
const read = (submitted: string): { readonly text: string; readonly intended: ReadonlyArray<string> } => {
  const text = WrittenAddress.withoutPrefixes(submitted)
  // The app may be a browser: `intent://navigate?url=...#Intent;scheme=googlechrome;end`.
  const intended = WrittenAddress.intentAddresses(text).map(WrittenAddress.withoutPrefixes)
  return { text, intended: intended.filter((text) => WEB_ADDRESS.test(text)) }
}

const webAddress = (text: string): Option.Option<Written> =>
  Option.map(Either.getRight(parseAddress(text)), (url) => ({ text, url }))

const WEB_ADDRESS = /^h(?:tt|xx)ps?(?::|%3a)/i

const parseAddress = (address: string): Either.Either<CanonicalUrl, InvalidUrl> => {
  const text = WrittenAddress.refanged(address)
  const url = NOT_PRINTABLE_ASCII.test(text)
    ? canonicalizeBytes(Buffer.from(text).toString("latin1"))
    : canonical(text)
  return Either.isRight(url) && FORBIDDEN_IN_HOST.test(url.right.host)
    ? invalid("ForbiddenHostCharacter", url.right.scheme)
    : url
}

const canonicalizeBytes = (bytes: string): Either.Either<CanonicalUrl, InvalidUrl> =>
  canonical(
    WrittenAddress.withoutTabsAndLineBreaks(WrittenAddress.withoutSurroundings(bytes, isControlOrSpace))
  )

const canonical = (text: string): Either.Either<CanonicalUrl, InvalidUrl> => {
  const raw = RawUrl.split(text)
  const hostBytes = PercentEncoding.decode(raw.host)
  const host = canonicalHost(hostBytes.bytes)
  if (host === "" || (raw.slashes > 2 && !host.includes("."))) {
    return invalid(RawUrl.isWeb(raw.scheme) ? "NoHost" : "OpaqueScheme", raw.scheme)
  }
  const userInfo = PercentEncoding.decode(raw.userInfo ?? "")
  const rest = PercentEncoding.decode(raw.rest)
  const queryMark = rest.bytes.indexOf("?")
  const pathBytes = queryMark === -1 ? rest.bytes : rest.bytes.slice(0, queryMark)
  return Either.right({
    scheme: raw.scheme,
    host,
    path: encode(resolved(pathBytes)),
    query: queryMark === -1 ? undefined : encode(rest.bytes.slice(queryMark + 1)),
    port: raw.port,
    userInfo: raw.userInfo === undefined ? undefined : encode(userInfo.bytes),
    unescapeRounds: Math.max(raw.unescapeRounds, hostBytes.rounds, userInfo.rounds, rest.rounds)
  })
}

const invalid = (reason: InvalidUrl["reason"], scheme: string) =>
  Either.left(new InvalidUrl({ reason, scheme }))

/** Resolves dot segments, then merges slashes, in the order of the rules: `/a//../b` is `/a/b`. */
const resolved = (path: string): string => {
  if (path === "") return "/"
  if (!DOT_SEGMENT_OR_DOUBLE_SLASH.test(path)) return path
  const segments: Array<string> = []
  let segment = ""
  for (let start = 1; start <= path.length; start += segment.length + 1) {
    const slash = path.indexOf("/", start)
    segment = path.slice(start, slash === -1 ? path.length : slash)
    if (segment === "..") segments.pop()
    else if (segment !== ".") segments.push(segment)
  }
  const isDirectory = segment === "" || segment === "." || segment === ".."
  const names = segments.filter((name) => name !== "")
  return `/${names.join("/")}${isDirectory && names.length > 0 ? "/" : ""}`
}

// As in the URL standard. A byte above 0x7F may be part of a character.
const isControlOrSpace = (bytes: string, index: number): boolean => bytes.charCodeAt(index) <= 0x20
