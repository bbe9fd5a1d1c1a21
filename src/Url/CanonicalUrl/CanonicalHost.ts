/**
 * Canonicalizes hosts by the rules of Safe Browsing
 * (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing), on byte strings (see PercentEncoding).
 */

import { Buffer } from "node:buffer"
import { isIPv4 } from "node:net"
import * as Idna from "./Idna.ts"
import * as PercentEncoding from "./PercentEncoding.ts"

/** Escapes what would end the host if it were parsed again. Only an IPv6 address may contain colons and brackets. */
const encode = PercentEncoding.encoder(/[\0-\x20\x7f-\xff#%/?@\\:[\]]/)

/**
 * Canonicalizes a percent-decoded host: drops empty labels, lower-cases, applies IDNA (UTS 46) if there are bytes above
 * 0x7F, writes any IPv4 address that browsers accept as four decimal numbers, IPv6 in brackets as in RFC 5952, and
 * IPv4-mapped and NAT64 (64:ff9b::/96) addresses as IPv4. Returns `""` if nothing is left.
 *
 * Where the rules leave a case open:
 * - What IDNA rejects or would make longer than any name of DNS, and what looks like an address but is none (`276.2.3`,
 *   `1.2.3.4.5`), is left unchanged.
 * - The zone of an IPv6 address (`[fe80::1%eth0]`) is dropped: it is valid on one machine only.
 * - Full-width characters in an IPv6 address are read as Chromium reads them, which maps them as in a name.
 * - Escaped delimiters are escaped again.
 *
 * `canonicalHost("..Www.\u00c3\u00bcmlat.COM.")` is `"www.xn--mlat-zra.com"`.
 */
export const canonicalHost = (bytes: string): string => {
  const host = withoutEmptyLabels(
    ABOVE_ASCII.test(bytes) ? internationalized(withoutEmptyLabels(lowerCase(bytes))) : bytes.toLowerCase()
  )
  return ipv6(host) ?? encode(looksLikeIpv4(host) ? ipv4(host) : host)
}

/** The longest name of DNS, without the dot at its end (RFC 1035, section 2.3.4). */
export const MAX_HOST_CHARS = 253

/** Of a label (RFC 1035, section 2.3.4). */
const MAX_LABEL_CHARS = 63

const LONG_LABEL = /(?:^|\.)[^.]{64}/

/** Whether a canonical host is short enough for DNS, as is every IP address. */
export const isInDns = (host: string): boolean =>
  host.length <= MAX_LABEL_CHARS || (host.length <= MAX_HOST_CHARS && !LONG_LABEL.test(host))

/** Whether a canonical host is an IPv4 or IPv6 address. */
export const isIpAddress = (host: string): boolean =>
  host.startsWith("[") || (looksLikeIpv4(host) && isIPv4(host))

/**
 * Whether the last label of a canonical host is a number by the URL standard's "ends in a number" checker
 * (https://url.spec.whatwg.org/#ends-in-a-number-checker). Browsers open such a host only as an IPv4 address.
 */
export const endsInNumber = (host: string): boolean => looksLikeIpv4(host) && NUMBER_AT_END.test(host)

const NUMBER_AT_END = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/
const ABOVE_ASCII = /[\u0080-\u00ff]/
const CAPITALS = /[A-Z]+/g
const EMPTY_LABEL = /^\.|\.\.|\.$/
const IPV4_CHARACTERS = /^[0-9a-fx.]+$/
const IPV6_CHARACTERS = /^[0-9a-f:.]+$/
/** The URL standard's form of `::ffff:0:0/96` and `64:ff9b::/96`. The groups are the last 32 bits. */
const EMBEDDED_IPV4 = /^\[(?:::ffff:([0-9a-f]+):|64:ff9b::(?:([0-9a-f]+):)?)([0-9a-f]*)\]$/

// `toLowerCase` on the whole byte string would change bytes above 0x7F too.
const lowerCase = (bytes: string): string => bytes.replace(CAPITALS, (letters) => letters.toLowerCase())

const withoutEmptyLabels = (host: string): string =>
  EMPTY_LABEL.test(host)
    ? host
        .split(".")
        .filter((label) => label !== "")
        .join(".")
    : host

const internationalized = (host: string): string => {
  const text = Buffer.from(host, "latin1").toString()
  // The time of the normalization is quadratic.
  const isShort = text.length <= MAX_IPV6_CHARS
  return Idna.toAscii(text) ?? (isShort ? ipv6(text.normalize("NFKC").toLowerCase()) : undefined) ?? host
}

/** An IPv6 address has at most 45 characters; with brackets and a zone. */
const MAX_IPV6_CHARS = 64

const looksLikeIpv4 = (host: string): boolean => {
  const first = host.charCodeAt(host.lastIndexOf(".") + 1)
  return first >= 0x30 && first <= 0x39
}

/** An address by the URL standard's host parser. It is asked about addresses only: see Idna for names. */
const parsedAddress = (host: string): string | undefined => {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

const ipv4 = (host: string): string => (IPV4_CHARACTERS.test(host) ? (parsedAddress(host) ?? host) : host)

/** An IPv6 address in brackets; undefined for any other host. */
const ipv6 = (host: string): string | undefined => {
  if (!host.startsWith("[") || !host.endsWith("]")) return undefined
  const zone = host.indexOf("%")
  const text = host.slice(1, zone === -1 ? -1 : zone)
  if (!IPV6_CHARACTERS.test(text)) return undefined
  const address = parsedAddress(`[${text}]`)
  if (address === undefined) return undefined
  const embedded = EMBEDDED_IPV4.exec(address)
  if (embedded === null) return address
  const [, mapped, translated, last] = embedded
  const high = Number.parseInt(mapped ?? translated ?? "0", 16)
  const low = Number.parseInt(last || "0", 16)
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`
}
