/** How publishers write the URL or host of a row: with wildcards, as a network of one address, with HTML entities. */

import { isIP, isIPv4, isIPv6 } from "node:net"
import { Either } from "effect"
import * as WrittenAddress from "../../../Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import type { SkipReason } from "./SkippedRows.ts"

/** `404`, `1.0`, `1.`, `12:30`: browsers open them as IPv4 addresses, a feed does not mean any. */
const NUMBER = /^\d+(?:\.\d+){0,2}\.?(?:[:/?#]|$)/

/** As a URL it would be the whole host of a mail service. */
const MAIL_ADDRESS = /^[^\s/:?#@]+@[^\s/:?#@]+$/

/** A word before a host may say anything: `full:bad.example`, `allow:good.example`. A single link is read without it. */
const LABEL = /^(?!h(?:tt|xx)ps?:|ftp:)[a-z][\w -]{0,30}:(?!\d|\/\/)/i

/** A URL in quotes is a string of JSON or of a script, such as an error with a link to a page of help. */
const isQuoted = (text: string): boolean => {
  const slash = text.indexOf("/")
  return WrittenAddress.QUOTE.test(slash === -1 ? text : text.slice(0, slash))
}

/** `http://bad.example/x<br>`, `http://bad.example/x"`: cut out of a page, or of JSON. As a URL it would match nothing. Not `?e=<email>`. */
const ENDS_IN_MARKUP = /^[^<"]+(?:<(?:\/[a-z]{1,10}|[bh]r|li|p)\s?\/?>?|")$/i

/** Of a cell of a table: another URL after white space, or a host in another line. A URL may be broken elsewhere. */
const HAS_SECOND_URL = /\sh(?:tt|xx)ps?:\/\/|\n[^\S\n]*[\w-]+\.[a-z]/i

/** An address and the bits or the mask of a network, in brackets or not. */
const NETWORK = /^\[?([\d.]+|[\da-f:.]+:[\da-f:.]*)\]?\/(\d{1,3}|\d+(?:\.\d+){3})$/i

/** More than an IPv6 address with a mask has: the pattern takes quadratic time. */
const MAX_NETWORK_CHARS = 64

const WHOLE_ADDRESS: ReadonlySet<string> = new Set(["32", "128", "255.255.255.255"])

/** `192.0.2.1-192.0.2.9`, `192.0.2.1-9` */
const isRange = ([first = "", last = "", ...others]: ReadonlyArray<string>): boolean =>
  others.length === 0 && isIP(first) !== 0 && (isIP(last) !== 0 || /^\d{1,3}$/.test(last))

/** `192.0.2.7/32` is an address; undefined for what is not a network. */
const networkOf = (text: string): string | undefined | "Network" => {
  if (isRange(text.split("-", 3))) return "Network"
  const [, address = "", bits = ""] = (text.length <= MAX_NETWORK_CHARS && NETWORK.exec(text)) || []
  if (address === "") return undefined
  const version = isIP(address)
  // `10/8`, `192.0.2/24`
  if (version === 0) return /^\d+(?:\.\d+){0,2}$/.test(address) ? "Network" : undefined
  if (WHOLE_ADDRESS.has(bits) && (bits === "128") === (version === 6))
    return version === 6 ? `[${address}]` : address
  return bits.includes(".") || Number(bits) <= (version === 6 ? 128 : 32) ? "Network" : undefined
}

/** `*://` stands for `http://` and `https://`. */
const SCHEME = /^(?:\*|[a-z][a-z\d+.-]*):\/\//i
/** Clash writes `+.` for a host and all below it. */
const WILDCARD_LABEL = /^(?:\+\.|(?:\*\.)+)/
/** `*`, `pay*` and `*.php`. Real paths contain addresses of mail with stars: `/*@*`. */
const WILDCARD_SEGMENT = /^(?:[^*]*\*|\*\.\w+)$/

/** `*.bad.example` and `bad.example/*` are the host `bad.example`. */
const withoutWildcards = (text: string): string | "Wildcard in a host" | "Wildcard in a path" => {
  const scheme = SCHEME.exec(text)?.[0] ?? ""
  const rest = text.slice(scheme.length).replace(WILDCARD_LABEL, "")
  const end = rest.search(/[/?#]/)
  const host = end === -1 ? rest : rest.slice(0, end)
  if (host.includes("*")) return "Wildcard in a host"
  const [path = ""] = rest.slice(host.length).split(/[?#]/, 1)
  const after = rest.slice(host.length + path.length)
  const segments = path.split("/").slice(1)
  const isDirectory = segments.at(-1) === "*" && after === ""
  const others = isDirectory ? segments.slice(0, -1) : segments
  // Elsewhere a star is a character like others: `?_gl=1*1c3r`.
  if (others.includes("*") || WILDCARD_SEGMENT.test(isDirectory ? "" : (others.at(-1) ?? "")))
    return "Wildcard in a path"
  const plain = isDirectory ? `${host}${path.slice(0, -1)}` : rest
  return `${scheme.startsWith("*") ? "" : scheme}${plain}`
}

const ENTITIES = /&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/gi

const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"]
])

const decodeEntities = (text: string): string =>
  text.replace(ENTITIES, (entity) => {
    const name = entity.slice(1, -1).toLowerCase()
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return named.get(name) ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity)
  })

/** Of the text of a page that was itself written as the source of a page. */
const MAX_ENCODINGS = 2

/** The text, and the text with its entities decoded. */
const spellings = (text: string, encodings = MAX_ENCODINGS): ReadonlyArray<string> => {
  const decoded = encodings === 0 ? text : decodeEntities(text)
  return decoded === text ? [text] : [text, ...spellings(decoded, encodings - 1)]
}

/** What a canonical URL may have in common with a wildcard, an entity, a quoted text and markup. */
const SPECIAL = /[*"'`<]|&(?:amp|lt|gt|quot|apos|#)/i

const NO_PAGE = { scheme: "http", path: "/", query: undefined, port: undefined, userInfo: undefined }

/** What a row names. */
export interface RowUrls {
  /** One, and another for each time that HTML entities in it were decoded. */
  readonly urls: readonly [CanonicalUrl.Written, ...ReadonlyArray<CanonicalUrl.Written>]
  /** `host/dir/*` */
  readonly hasWildcardPath: boolean
}

/** Reads a row that is a canonical URL already, and cannot have another meaning in a feed; undefined for any other row. */
export const readPlain = (text: string): CanonicalUrl.CanonicalUrl | undefined => {
  const canonical = CanonicalUrl.readPlain(text)
  return canonical !== undefined && !SPECIAL.test(text) ? canonical : undefined
}

/**
 * Reads a row as a publisher writes it: a URL, a URL without scheme or a bare host, in any spelling that `CanonicalUrl.parse` reads but
 * in quotes.
 *
 * `read("*.bad.example")` and `read("bad.example/*")` are the host, `read("192.0.2.0/24")` is `Network`.
 */
export const read = (text: string): RowUrls | SkipReason => {
  const plain = readPlain(text)
  if (plain !== undefined) return { urls: [{ text, url: plain }], hasWildcardPath: false }
  if (isIPv4(text)) return { urls: [{ text, url: { ...NO_PAGE, host: text } }], hasWildcardPath: false }
  const network = networkOf(text)
  if (network === "Network") return network
  const address = network ?? (isIPv6(text) ? `[${text}]` : text)
  if (
    address === text &&
    (NUMBER.test(text) ||
      MAIL_ADDRESS.test(text) ||
      LABEL.test(text) ||
      isQuoted(text) ||
      ENDS_IN_MARKUP.test(text) ||
      HAS_SECOND_URL.test(text))
  )
    return "Not a URL or host"
  const spelled = address.includes("*") || address.startsWith("+.") ? withoutWildcards(address) : address
  if (spelled === "Wildcard in a host" || spelled === "Wildcard in a path") return spelled
  const [first, ...others] = spellings(spelled).flatMap((spelling) =>
    Either.match(CanonicalUrl.read(spelling), { onLeft: () => [], onRight: (url) => [url] })
  )
  return first === undefined
    ? "Not a URL or host"
    : { urls: [first, ...others], hasWildcardPath: address.endsWith("/*") }
}
