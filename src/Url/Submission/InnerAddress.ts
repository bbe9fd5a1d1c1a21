import { Either } from "effect"
import { isIpAddress } from "../CanonicalUrl/CanonicalHost.ts"
import { unescapeAscii } from "../CanonicalUrl/PercentEncoding.ts"
import { withoutPortOfFolder } from "../CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../CanonicalUrl.ts"
import * as PublicSuffix from "../PublicSuffix.ts"

/** A web address inside another, decoded once or more. */
export interface InnerAddress extends CanonicalUrl.Written {
  /** Whether it is longer than MAX_ADDRESS_CHARS. */
  readonly isCut: boolean
}

/** How often an address may be percent-encoded: a redirector behind a redirector encodes it twice. */
export const MAX_ENCODINGS = 3

/**
 * The rest of an address is not read, which bounds the time for a hostile URL. Web servers accept no longer request line; a
 * list knows an address with a longer query by its host, its directories and its page.
 */
export const MAX_ADDRESS_CHARS = 8192

/** The link of a wrapper with more parameters is not read. Honest ones have less than a hundred. */
export const MAX_PARAMETERS = 1000

/**
 * The parameters of a query, of any number: their names decoded as by `unescapeAscii`, their values as they were written. A plus
 * sign is not a blank in an address.
 */
export const parametersOf = (
  query: string,
  separator = "&"
): ReadonlyArray<readonly [name: string, written: string]> =>
  query
    .split(separator)
    .filter((parameter) => parameter !== "")
    .map((parameter) => {
      const equals = parameter.indexOf("=")
      return equals === -1
        ? [unescapeAscii(parameter), ""]
        : [unescapeAscii(parameter.slice(0, equals)), parameter.slice(equals + 1)]
    })

/** One slash suffices: some servers merge two of them in a path. Browsers read a backslash as a slash. */
const ABSOLUTE = /^https?:[/\\]/i

/**
 * Where nothing but an address is expected no slash is needed before a host with a dot, as in browsers, which read three other
 * characters as a dot. Their escapes are not ASCII, so `decoded` keeps them.
 */
const ABSOLUTE_ALONE =
  /^https?:(?:[/\\]|(?:[^/\\?#%]|%[89a-f][0-9a-f])+(?:[.\u3002\uff0e\uff61]|%e3%80%82|%ef%bc%8e|%ef%bd%a1))/i

/** An address with the scheme of the page that it is on. */
const RELATIVE = /^[/\\]{2}/

/** Reads an absolute `http` or `https` address; undefined for any other text. */
export const read = (text: string): InnerAddress | undefined => readAs(ABSOLUTE, text)

/** Any number of slashes may stand before the host. */
const MORE_SLASHES = /^(https?:[/\\]{3})[/\\]+/i

const readAs = (absolute: RegExp, text: string): InnerAddress | undefined => {
  const cut = text.trimStart().replace(MORE_SLASHES, "$1").slice(0, MAX_ADDRESS_CHARS)
  if (!absolute.test(cut)) return undefined
  const address = CanonicalUrl.read(cut)
  return Either.isRight(address) ? { ...address.right, isCut: cut.length === MAX_ADDRESS_CHARS } : undefined
}

/** A blank, written as in a form, is dropped in front of an address; tabs and line breaks are dropped in all of it. */
const BLANKS = /^[\s+]+|[\t\r\n]+/g

/** Reads what `decoded` returns: an address as servers and browsers read it. */
export const readDecoded = (plain: string): InnerAddress | undefined => readAs(ABSOLUTE_ALONE, plain)

/** A host with a dot in front of its port, page or query. */
const SITE = /^[^/\\?#:@\s%]+\.[^/\\?#:@\s%]/

/**
 * Behind a user name or not: an IP address in brackets, of four parts, or of hexadecimal ones. Other numbers are versions and dates:
 * `//1.2.3`, `//2026/08`.
 */
const IP_ADDRESS = /^(?:[^/\\?#@]*@)?(?:\[|0x[\da-f]{1,8}\.|(?:[\da-fx]{1,12}\.){3}[\da-f])/i

/**
 * Reads `//host/path`, `host/path`, or `https:host/path`, with a host that can be on the Internet. Without slashes an IP address may be
 * a version.
 */
export const readWithoutScheme = (text: string): InnerAddress | undefined => {
  const plain = text.replace(SCHEME_WITHOUT_SLASHES, "")
  if (!RELATIVE.test(plain) && !SITE.test(plain)) return undefined
  const rest = withoutPortOfFolder(plain).replace(LEADING_SLASHES, "")
  const address = read(`https://${rest}`)
  const mayBeNumber = rest !== text && IP_ADDRESS.test(rest)
  const isOnInternet = (host: string) =>
    PublicSuffix.hasKnownSuffix(host) || (mayBeNumber && isIpAddress(host))
  return address !== undefined && isOnInternet(address.url.host) ? address : undefined
}

const LEADING_SLASHES = /^[/\\]+/
const SCHEME_WITHOUT_SLASHES = /^https?:(?=[^/\\])/i

/** Decodes a text up to MAX_ENCODINGS times, until it begins like an address. */
export const decoded = (text: string): string => {
  let plain = text.replace(BLANKS, "")
  for (let times = 0; times < MAX_ENCODINGS && !ABSOLUTE_ALONE.test(plain); times++) {
    const next = unescapeAscii(plain)
    if (next === plain) break
    plain = next.replace(BLANKS, "")
  }
  return plain
}

/** Words, or a page of the site itself: no program takes them for the address of another site. */
const NO_ADDRESS = /^(?:[/\\](?![/\\]).*|[\w +-]*)$/s
const WEB_SCHEME = /^https?:/i

/**
 * What a decoded text is that `readDecoded` does not read: `none` for words and pages of the site itself, `web` for what begins
 * like a web address, `other` for the rest, such as another scheme, a host without a scheme, and what is encoded once more.
 */
export const unreadKind = (plain: string): "none" | "web" | "other" =>
  NO_ADDRESS.test(plain) ? "none" : WEB_SCHEME.test(plain) ? "web" : "other"
