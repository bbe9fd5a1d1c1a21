/**
 * Canonicalizes URLs by the rules of Safe Browsing
 * (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing), so that all spellings of one page are the same
 * string. WrittenAddress finds the address in the submitted string, RawUrl finds the host in it, and CanonicalHost
 * canonicalizes that.
 *
 * Where the rules leave a case open:
 * - An escaped delimiter in a host and an escaped backslash in a path stay escaped.
 * - Three slashes or more are skipped only before an IPv6 address and a host with a dot: browsers open
 *   `http:///example.com/`, the reference client rejects `http:///blah`.
 * - White space and invisible characters around the URL are dropped: they are easily copied with it.
 *
 * What `parse` reads although a browser would not open it as it is written:
 * - Behind a prefix (`view-source:https://...`, `URL:`), in quotes or `<...>` it reads the inner address, as if that were submitted.
 * - In the scheme and the host it reads the spellings of reports, `hxxps://bad[.]example`, and behind such a host `[.]`, `(.)` and `[dot]`.
 * - Where that names no host that can be on the Internet it reads what WrittenAddress takes it to mean: `http://http://a.example`, `Link: a.example`.
 *
 * International hosts are converted by a library (see Idna), so that the result is the same on every version of Node.
 */

import { Buffer } from "node:buffer"
import { Data, Either } from "effect"
import { canonicalHost, endsInNumber, isInDns, isIpAddress } from "./CanonicalUrl/CanonicalHost.ts"
import * as PercentEncoding from "./CanonicalUrl/PercentEncoding.ts"
import * as RawUrl from "./CanonicalUrl/RawUrl.ts"
import * as WrittenAddress from "./CanonicalUrl/WrittenAddress.ts"
import * as PublicSuffix from "./PublicSuffix.ts"

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
}

/** A value, not an `Error`: to record a stack that nobody reads takes longer than to read a text that is no URL. */
export class InvalidUrl extends Data.TaggedClass("InvalidUrl")<{
  /**
   * `NoHost`, `ForbiddenHostCharacter`, `HostTooLong`, `InvalidIpv4Address`: malformed. `OpaqueScheme`: a scheme without
   * hosts, such as `mailto:`, or a text that is too long for a host behind a scheme other than `http` and `https`.
   */
  readonly reason: "NoHost" | "ForbiddenHostCharacter" | "HostTooLong" | "InvalidIpv4Address" | "OpaqueScheme"
  /** Lower case, without the colon. */
  readonly scheme: string
}> {}

/**
 * Parses and canonicalizes a submitted string, read as its UTF-8 bytes (a lone surrogate as U+FFFD). Takes linear time and
 * never throws.
 *
 * Rejects what `canonicalize` rejects, and what no browser opens: hosts with characters other than `a-z 0-9 . - _` that are
 * not IPv6 addresses, hosts that are longer than a name of DNS, and behind `http` and `https` hosts whose last label is a
 * number although they are not IPv4 addresses (`256.256.256.256`). So whatever reads a host has at most MAX_HOST_CHARS to read.
 *
 * `parse("HTTP://user@Evil.example:80/a/../%6Cogin#top")` has the host `evil.example` and the path `/login`.
 */
export const parse = (submitted: string): Either.Either<CanonicalUrl, InvalidUrl> =>
  Either.map(read(submitted), ({ url }) => url)

/** An address and how it was written, without prefixes. */
export interface Written {
  readonly text: string
  readonly url: CanonicalUrl
}

/** Reads a submitted string as `parse` does. */
export const read = (submitted: string): Either.Either<Written, InvalidUrl> => {
  const plain = readPlain(submitted)
  if (plain !== undefined) return Either.right({ text: submitted, url: plain })
  const text = withoutCode(WrittenAddress.withoutPrefixes(submitted))
  const asWritten = readText(text)
  if (Either.isRight(asWritten) && !mayBeSlip(asWritten.right.url, text) && !BACKSLASH_DOT.test(text))
    return asWritten
  return Either.orElse(readSlip(text, asWritten), () =>
    Either.filterOrLeft(
      asWritten,
      ({ url }) => !isSchemeAsHost(url.host, text),
      ({ url: { scheme } }) => new InvalidUrl({ reason: "NoHost", scheme })
    )
  )
}

/**
 * Emoji, bullets or a sender in brackets before a host without a scheme: `\u{1f517}a.com/b`. Under a suffix of three letters or more no
 * name has symbols (RFC 5892); under some of two letters it has. Not what browsers read as letters, such as `\u24d0`, nor letters.
 */
const SYMBOLS =
  /^(?:\u3010[^\u3010\u3011@/\\?#]{1,20}\u3011|(?:(?!\p{Changes_When_NFKC_Casefolded})[\p{So}\p{Sk}]|[\u2012-\u205e\u2190-\u22ff\u3001-\u3004\u3008-\u3020\u3030\u303d\u30fb])\ufe0f?){1,8}(?=(?:[a-z\d-]{1,63}\.){1,8}[a-z]{3,24}(?:[/?#:]|$))/iu
/** A payment code of Pix, whose account is an address without its scheme, and the length of that. */
const PIX = /^000201\d\d[a-z\d ]{1,60}?br\.gov\.bcb\.pix25(\d\d)(?=([^/\s]{4,90})\/)/

/**
 * Returns the address of a payment code, or a text without the symbols before its host. Of a code whose account is a bare domain
 * browsers open another site: `...br.gov.bcb.pix2510a.example/b` is on `pix2510a.example`.
 */
const withoutCode = (text: string): string => {
  const [pix = "", length, host = ""] = PIX.exec(text.toLowerCase()) ?? []
  return (PublicSuffix.registrableDomain(host) ?? host) === host
    ? text.replace(SYMBOLS, "")
    : `https://${text.slice(pix.length, pix.length + Number(length))}`
}

/** Whether the scheme is `http` or `https`. */
export const isWeb = ({ scheme }: Pick<CanonicalUrl, "scheme">): boolean =>
  scheme === "http" || scheme === "https"

/** Reads a URL that is canonical already and has a name of DNS, which most are; undefined for any other text. */
export const readPlain = (text: string): CanonicalUrl | undefined => {
  const plain = text.length <= MAX_PLAIN_LENGTH ? plainUrl(text) : undefined
  return plain !== undefined && isInDns(plain.host) && !mayBeSlip(plain, text) ? plain : undefined
}

/** `www\.example`, `www\[.\]example` of Markdown: browsers read a slash. */
const BACKSLASH_DOT = /^[^/\\]*(?:[/\\]{1,2}[^/\\]*)?\\[.[({]/

/** No person writes such a link on purpose, but some open a host of a local network by a name without a dot. */
const mayBeSlip = (url: CanonicalUrl, text: string): boolean =>
  (!url.host.includes(".") && !url.host.startsWith("[")) ||
  isSchemeAsHost(url.host, text) ||
  ODD_END.test(url.host) ||
  url.host.startsWith(PAYMENT) ||
  !isWeb(url)

/** The beginning of a payment code. */
const PAYMENT = "000201"

/** `http`, `1https`, `-----http`, `1.https`, `a.examplehttps`: what is left of a scheme where a host stands. */
const SCHEME_AS_HOST = /(?:^|[^a-z])(?:h(?:tt|xx|__)ps?|ftp)$|\.[a-z]+https?$/
/** `hxxps__a.example`, `hxxps:__a.example`. Behind a scheme with slashes it is a label of the host. */
const SCHEME_WITHOUT_SLASHES = /^h(?:tt|xx)ps?:?__/i

/** Compares first and last letters first: a pattern that does not fit takes longer. */
const isSchemeAsHost = (host: string, text: string): boolean =>
  ((host.endsWith("p") || host.endsWith("ps")) && SCHEME_AS_HOST.test(host)) ||
  ((host.startsWith("h") || host.startsWith("__")) && SCHEME_WITHOUT_SLASHES.test(text))

/** What is left of a dash or of punctuation behind a host. */
const ODD_END = /[-_]$|\.xn--[^.]*$/

/** The text as it is meant, if that has a host that can be on the Internet, and the text as written has none. */
const readSlip = (
  text: string,
  asWritten: Either.Either<Written, InvalidUrl>
): Either.Either<Written, InvalidUrl | undefined> => {
  const host = Either.isRight(asWritten) ? asWritten.right.url.host : ""
  // `203\.0\.113\.7` begins with a number, which browsers open as an address. Only another address can be meant in place of it, not
  // one behind an `@`: of `http://3405803783\[@a.example` browsers open the number.
  const isNumber = isIpAddress(host) && !text.includes(host)
  if (isOnInternet(host) && !isNumber && !isSchemeAsHost(host, text)) return Either.left(undefined)
  const meant = WrittenAddress.meant(WrittenAddress.refanged(text), isOnInternet)
  return Either.filterOrLeft(
    // Of `Total: 1` a number is left.
    meant === undefined || /^\d+$/.test(meant)
      ? Either.left(undefined)
      : readText(meant.replace(SYMBOLS, "")),
    ({ url }) => (isNumber ? isIpAddress(url.host) && url.userInfo === undefined : isOnInternet(url.host)),
    () => undefined
  )
}

const isOnInternet = (host: string): boolean => isIpAddress(host) || PublicSuffix.hasKnownSuffix(host)

const readText = (text: string): Either.Either<Written, InvalidUrl> => {
  const usual = WrittenAddress.refanged(text)
  const url = NOT_PRINTABLE_ASCII.test(usual)
    ? canonicalizeBytes(Buffer.from(usual).toString("latin1"))
    : canonical(usual)
  return Either.flatMap(url, (url) => {
    const { host, scheme } = url
    if (FORBIDDEN_IN_HOST.test(host))
      return Either.left(new InvalidUrl({ reason: "ForbiddenHostCharacter", scheme }))
    if (!isInDns(host))
      return Either.left(new InvalidUrl({ reason: isWeb(url) ? "HostTooLong" : "OpaqueScheme", scheme }))
    return isWeb(url) && endsInNumber(host) && !isIpAddress(host)
      ? Either.left(new InvalidUrl({ reason: "InvalidIpv4Address", scheme }))
      : Either.right({ text, url })
  })
}

/** Canonicalizes bytes that need not be UTF-8. Also accepts hosts that no browser opens. */
export const canonicalize = (submitted: Uint8Array): Either.Either<CanonicalUrl, InvalidUrl> =>
  canonicalizeBytes(Buffer.from(submitted).toString("latin1"))

/** Returns the URL as a string. Canonicalizing that string again gives the same scheme, host, path and query. */
export const format = ({ scheme, host, path, query }: CanonicalUrl): string =>
  `${scheme}://${host}${path.replaceAll("\\", "%5C")}${query === undefined ? "" : `?${query}`}`

/**
 * Returns the path and query as they were written: where a percent-escape is decoded, parameters can no longer be told apart.
 * `""` if there is neither.
 *
 * Of `https://a.example/r?u=https%3A%2F%2Fb.example%2F%3Fx%26y#top` it is `/r?u=https%3A%2F%2Fb.example%2F%3Fx%26y`.
 */
export const writtenRest = ({ text }: Written): string => {
  const bytes = Buffer.from(WrittenAddress.refanged(text)).toString("latin1")
  return WrittenAddress.refangedInside(Buffer.from(RawUrl.split(bytes).rest, "latin1").toString())
}

/** Returns the fragment as it was written, without the `#`; `""` for none. */
export const writtenFragment = ({ text }: Written): string => {
  const mark = text.indexOf("#")
  return mark === -1 ? "" : WrittenAddress.refangedInside(text.slice(mark + 1))
}

const encode = PercentEncoding.encoder(PercentEncoding.ALWAYS_ESCAPED)

/** In UTF-16 units. Longer URLs are rare: they are canonicalized even if they are canonical already. */
const MAX_PLAIN_LENGTH = 2048

/**
 * A URL that is canonical already: scheme `http`, `https` or none, no user info, no port, a last host label that does not
 * start with a digit, and nothing that canonicalization would change. Some canonical URLs do not match.
 */
const PLAIN_URL =
  /^(?:(https?):\/\/)?((?:[a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*)((?:\/[!-"$&-\-0->@-[\]-~][!-"$&-.0->@-[\]-~]*)*\/?)(?:\?([!-"$&-~]*))?$/

const plainUrl = (text: string): CanonicalUrl | undefined => {
  const parts = PLAIN_URL.exec(text)
  if (parts === null) return undefined
  const [, scheme = "http", host = "", path, query] = parts
  return { scheme, host, path: path || "/", query, port: undefined, userInfo: undefined }
}

const NOT_PRINTABLE_ASCII = /[^ -~]/
const FORBIDDEN_IN_HOST = /[^a-z0-9._:[\]-]/
const DOT_SEGMENT_OR_DOUBLE_SLASH = /\/[./]/

const canonicalizeBytes = (bytes: string): Either.Either<CanonicalUrl, InvalidUrl> =>
  canonical(
    WrittenAddress.withoutTabsAndLineBreaks(WrittenAddress.withoutSurroundings(bytes, isControlOrSpace))
  )

const canonical = (text: string): Either.Either<CanonicalUrl, InvalidUrl> => {
  const raw = RawUrl.split(text)
  const host = canonicalHost(PercentEncoding.decode(raw.host))
  if (host === "" || (raw.slashes > 2 && !host.includes(".") && !host.startsWith("["))) {
    const reason = isWeb(raw) ? "NoHost" : "OpaqueScheme"
    return Either.left(new InvalidUrl({ reason, scheme: raw.scheme }))
  }
  // Before dot segments are resolved. A fragment may follow what was the end of the text.
  const rest = WrittenAddress.withoutInvisibleEnd(encode(PercentEncoding.decode(raw.rest)))
  const queryMark = rest.indexOf("?")
  return Either.right({
    scheme: raw.scheme,
    host,
    path: resolved(queryMark === -1 ? rest : rest.slice(0, queryMark)),
    query: queryMark === -1 ? undefined : rest.slice(queryMark + 1),
    port: raw.port,
    userInfo: raw.userInfo === undefined ? undefined : encode(PercentEncoding.decode(raw.userInfo))
  })
}

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
