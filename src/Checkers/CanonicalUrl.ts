/**
 * Canonical URLs by the rules of Safe Browsing
 * (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing), so that two spellings of one page are one
 * string. RawUrl tells how the host is found in what people submit, CanonicalHost what becomes of it.
 *
 * Decisions where the page is silent:
 * - A delimiter that was escaped in a host, and a backslash that was escaped in a path, are printed escaped: the
 *   canonical URL reads as the submitted one does.
 * - Three slashes or more are skipped only before a host with a dot: browsers open `http:///example.com/`, the
 *   reference client refuses `http:///blah`.
 * - Blank and invisible characters around the URL, easily copied along, are dropped.
 */

import { Buffer } from "node:buffer"
import { Data, Either } from "effect"
import { canonicalHost } from "./CanonicalUrl/CanonicalHost.ts"
import * as PercentEncoding from "./CanonicalUrl/PercentEncoding.ts"
import { PlainUrl } from "./CanonicalUrl/PlainUrl.ts"
import * as RawUrl from "./CanonicalUrl/RawUrl.ts"

/** A URL with a host after canonicalization, and what canonicalization drops but the heuristics want to see. */
export interface CanonicalUrl {
  /** Lower-case, without the colon; `http` when the submitted string names none. */
  readonly scheme: string
  /** Lower-case ASCII without a trailing dot; an IPv4 address as four decimal numbers, an IPv6 one in brackets. */
  readonly host: string
  /** Begins with `/`. A backslash in it was an escaped one. */
  readonly path: string
  /** Without the `?`; `""` for an empty query, `undefined` for none. */
  readonly query: string | undefined
  /** As written, also where it is the scheme's default. */
  readonly port: number | undefined
  /** Canonicalized like the query; `""` for an empty one. */
  readonly userInfo: string | undefined
  /** How many rounds of percent-decoding changed the URL; 0 or 1 for an ordinary one. */
  readonly unescapeRounds: number
}

export class InvalidUrl extends Data.TaggedError("InvalidUrl")<{
  /** `NoHost`, `ForbiddenHostCharacter`: malformed. `OpaqueScheme`: a scheme that names no host, such as `mailto:`. */
  readonly reason: "NoHost" | "ForbiddenHostCharacter" | "OpaqueScheme"
  /** Lower-case, without the colon. */
  readonly scheme: string
}> {}

/**
 * The canonical URL of a submitted string, read as its UTF-8 bytes (a lone surrogate as U+FFFD). Never throws; the
 * time is linear in the length.
 *
 * Beyond what `canonicalize` refuses, a host may hold nothing but `a-z 0-9 . - _`, or be an IPv6 address: no browser
 * opens another.
 *
 * `parse("HTTP://user@Evil.example:80/a/../%6Cogin#top")` has the host `evil.example` and the path `/login`.
 */
export const parse = (submitted: string): Either.Either<CanonicalUrl, InvalidUrl> => {
  if (submitted.length <= LONGEST_PLAIN && plain.find(bytes, 0, bytes.write(submitted)))
    return Either.right(plainUrl(submitted))
  const text = withoutSurroundings(submitted, isInvisible)
  const url = NOT_PRINTABLE_ASCII.test(text)
    ? canonicalizeBytes(Buffer.from(text).toString("latin1"))
    : read(text)
  return Either.isRight(url) && FORBIDDEN_IN_HOST.test(url.right.host)
    ? invalid("ForbiddenHostCharacter", url.right.scheme)
    : url
}

/** Canonicalization proper: on bytes, which need not be UTF-8, and also of hosts that no browser opens. */
export const canonicalize = (submitted: Uint8Array): Either.Either<CanonicalUrl, InvalidUrl> =>
  canonicalizeBytes(Buffer.from(submitted).toString("latin1"))

/** Canonicalizing the string again gives the same scheme, host, path and query. */
export const format = ({ scheme, host, path, query }: CanonicalUrl): string =>
  `${scheme}://${host}${path.replaceAll("\\", "%5C")}${query === undefined ? "" : `?${query}`}`

const encode = PercentEncoding.encoder("")

/** Few are longer, and they may take the long way. */
const LONGEST_PLAIN = 2048

const plain = new PlainUrl()
/** Room for any string of that length in UTF-8. */
const bytes = Buffer.alloc(3 * LONGEST_PLAIN)

/** The parts that `plain` found. */
const plainUrl = (text: string): CanonicalUrl => ({
  scheme: text.startsWith("https:") ? "https" : "http",
  host: text.slice(plain.hostStart, plain.hostEnd),
  path: plain.hostEnd === plain.pathEnd ? "/" : text.slice(plain.hostEnd, plain.pathEnd),
  query: plain.pathEnd === plain.end ? undefined : text.slice(plain.pathEnd + 1),
  port: undefined,
  userInfo: undefined,
  unescapeRounds: 0
})

const TABS_AND_LINE_BREAKS = /[\t\r\n]+/g
const NOT_PRINTABLE_ASCII = /[^ -~]/
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}]/u
const FORBIDDEN_IN_HOST = /[^a-z0-9._:[\]-]/
const DOT_SEGMENT_OR_DOUBLE_SLASH = /\/[./]/

const canonicalizeBytes = (bytes: string): Either.Either<CanonicalUrl, InvalidUrl> =>
  read(withoutSurroundings(bytes, isControlOrSpace).replace(TABS_AND_LINE_BREAKS, ""))

const read = (text: string): Either.Either<CanonicalUrl, InvalidUrl> => {
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

/** Dot segments first, then runs of slashes, as the page has it: `/a//../b` is `/a/b`. */
const resolved = (path: string): string => {
  if (path === "") return "/"
  if (!DOT_SEGMENT_OR_DOUBLE_SLASH.test(path)) return path
  const kept: Array<string> = []
  let segment = ""
  for (let start = 1; start <= path.length; start += segment.length + 1) {
    const slash = path.indexOf("/", start)
    segment = path.slice(start, slash === -1 ? path.length : slash)
    if (segment === "..") kept.pop()
    else if (segment !== ".") kept.push(segment)
  }
  const isDirectory = segment === "" || segment === "." || segment === ".."
  const names = kept.filter((name) => name !== "")
  return `/${names.join("/")}${isDirectory && names.length > 0 ? "/" : ""}`
}

const withoutSurroundings = (text: string, isDropped: (text: string, index: number) => boolean): string => {
  let start = 0
  let end = text.length
  while (start < end && isDropped(text, start)) start++
  while (end > start && isDropped(text, end - 1)) end--
  return text.slice(start, end)
}

// As in the URL standard; of bytes above 0x7F each may be a part of a character.
const isControlOrSpace = (bytes: string, index: number): boolean => bytes.charCodeAt(index) <= 0x20

const isInvisible = (text: string, index: number): boolean =>
  text.charCodeAt(index) <= 0x20 || (text.charCodeAt(index) > 0x7e && INVISIBLE.test(text.charAt(index)))
