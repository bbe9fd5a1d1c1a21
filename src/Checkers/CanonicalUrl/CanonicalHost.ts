/**
 * The host of a canonical URL by the rules of Safe Browsing
 * (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing), on byte strings (see PercentEncoding).
 */

import { Buffer } from "node:buffer"
import { isIPv4 } from "node:net"
import { domainToASCII } from "node:url"
import * as PercentEncoding from "./PercentEncoding.ts"

/**
 * The longest host, in bytes, that is offered to IDNA or read as an address: 253 characters, the longest name in DNS
 * (RFC 1035), of four bytes each in UTF-8. IDNA's cost is quadratic in the length.
 */
const LONGEST_READABLE_HOST = 4 * 253

/** They would end the host if it were read again; a colon or bracket belongs to a host only in an IPv6 address. */
const encode = PercentEncoding.encoder("/?@\\:[]")

/**
 * Canonicalizes a host from which percent-escapes have been read: no empty labels, lower case, IDNA (UTS 46) where
 * there are bytes above 0x7F, any spelling of an IPv4 address that browsers read as four decimal numbers, IPv6 in
 * brackets by RFC 5952, IPv4-mapped and NAT64 (64:ff9b::/96) addresses as IPv4. `""` when nothing is left.
 *
 * Where the page is silent:
 * - What IDNA refuses, and what looks like an address but is none (`276.2.3`, `1.2.3.4.5`), stays as it is.
 * - The zone of an IPv6 address (`[fe80::1%eth0]`) is dropped; it means something on one machine only.
 * - Delimiters that were escaped are escaped again, so that the canonical URL reads as it was meant.
 *
 * `canonicalHost("..Www.\u00c3\u00bcmlat.COM.")` is `"www.xn--mlat-zra.com"`.
 */
export const canonicalHost = (bytes: string): string => {
  const host = withoutEmptyLabels(
    ABOVE_ASCII.test(bytes) ? internationalized(withoutEmptyLabels(lowerCase(bytes))) : bytes.toLowerCase()
  )
  if (host.startsWith("[") && host.endsWith("]")) {
    const address = ipv6(host)
    if (address !== undefined) return address
  }
  return encode(looksLikeIpv4(host) ? ipv4(host) : host)
}

/** Of a canonical host. */
export const isIpAddress = (host: string): boolean =>
  host.startsWith("[") || (looksLikeIpv4(host) && isIPv4(host))

const ABOVE_ASCII = /[\u0080-\u00ff]/
const EMPTY_LABEL = /^\.|\.\.|\.$/
const FIT_FOR_IDNA = /^[a-z0-9._\u0080-\u00ff-]+$/
const IPV4_CHARACTERS = /^[0-9a-fx.]+$/
const IPV6_CHARACTERS = /^[0-9a-f:.]+$/
/** What the URL standard prints for `::ffff:0:0/96` and `64:ff9b::/96`: the groups are the last 32 bits. */
const EMBEDDED_IPV4 = /^\[(?:::ffff:([0-9a-f]+):|64:ff9b::(?:([0-9a-f]+):)?)([0-9a-f]*)\]$/

// `toLowerCase` on a byte string would change bytes above 0x7F too.
const lowerCase = (bytes: string): string => {
  const buffer = Buffer.from(bytes, "latin1")
  for (let index = 0; index < buffer.length; index++) {
    const byte = buffer[index] ?? 0
    if (byte >= 0x41 && byte <= 0x5a) buffer[index] = byte | 0x20
  }
  return buffer.toString("latin1")
}

const withoutEmptyLabels = (host: string): string =>
  EMPTY_LABEL.test(host)
    ? host
        .split(".")
        .filter((label) => label !== "")
        .join(".")
    : host

// `domainToASCII` is the host parser of the URL standard. It stops at a delimiter instead of refusing it, hence FIT_FOR_IDNA.
const internationalized = (host: string): string => {
  if (host.length > LONGEST_READABLE_HOST || !FIT_FOR_IDNA.test(host)) return host
  return domainToASCII(Buffer.from(host, "latin1").toString()) || host
}

const looksLikeIpv4 = (host: string): boolean => {
  const first = host.charCodeAt(host.lastIndexOf(".") + 1)
  return first >= 0x30 && first <= 0x39
}

const ipv4 = (host: string): string =>
  host.length <= LONGEST_READABLE_HOST && IPV4_CHARACTERS.test(host) ? domainToASCII(host) || host : host

const ipv6 = (host: string): string | undefined => {
  const zone = host.indexOf("%")
  const text = host.slice(1, zone === -1 ? -1 : zone)
  if (text.length > LONGEST_READABLE_HOST || !IPV6_CHARACTERS.test(text)) return undefined
  const address = domainToASCII(`[${text}]`)
  if (address === "") return undefined
  const embedded = EMBEDDED_IPV4.exec(address)
  if (embedded === null) return address
  const [, mapped, translated, last] = embedded
  const high = Number.parseInt(mapped ?? translated ?? "0", 16)
  const low = Number.parseInt(last || "0", 16)
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`
}
