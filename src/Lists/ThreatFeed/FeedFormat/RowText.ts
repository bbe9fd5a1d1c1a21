/** How publishers write the URL or host of a row: with wildcards, as a network of one address, with HTML entities. */

import { isIP, isIPv4, isIPv6 } from "node:net"
import { Either } from "effect"
import * as WrittenAddress from "../../../Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import type { SkipReason } from "./SkippedRows.ts"

/** What a row names. */
export interface RowUrls {
  /** The URL as written, without punctuation at its end or escapes, and one for each time that HTML entities in it were decoded. */
  readonly urls: readonly [CanonicalUrl.Written, ...ReadonlyArray<CanonicalUrl.Written>]
  /** `host/dir/*` */
  readonly hasWildcardPath: boolean
}

/** Characters with a meaning in a row that they do not have in a URL: wildcards, quotes, markup, HTML entities, a name for an address. */
const SPECIAL = /[*"'`<]|&(?:amp|lt|gt|quot|apos|#)|[.,;>\])]$|\.arpa$|\.rpz-/i

/**
 * Reads a row that is a canonical URL and cannot mean anything else; undefined for any other row.
 *
 * `readPlain("http://bad.example/a")` has the host `bad.example`, `readPlain("bad.example/*")` is undefined.
 */
export const readPlain = (text: string): CanonicalUrl.CanonicalUrl | undefined => {
  const canonical = CanonicalUrl.readPlain(text)
  return canonical !== undefined && !SPECIAL.test(text) ? canonical : undefined
}

const ROOT = { scheme: "http", path: "/", query: undefined, port: undefined, userInfo: undefined }

/**
 * Reads a row as a publisher writes it: a URL or a host in any spelling that `CanonicalUrl.parse` reads, except in quotes. Returns
 * why the row is not used, if it is not.
 *
 * `read("*.bad.example")` and `read("bad.example/*")` are the host, `read("192.0.2.0/24")` is `"Network"`.
 */
export const read = (text: string): RowUrls | SkipReason => {
  const plain = readPlain(text) ?? (isIPv4(text) ? { ...ROOT, host: text } : undefined)
  if (plain !== undefined) return { urls: [{ text, url: plain }], hasWildcardPath: false }
  const address = readAddress(text)
  if (address === "Network") return address
  if (address === undefined && isOtherText(text)) return "Not a URL or host"
  const spelled = withoutWildcards(address ?? text.replace(ESCAPE, ""))
  if (spelled === "Wildcard in a host" || spelled === "Wildcard in a path") return spelled
  const texts = [
    ...decodings(spelled),
    WrittenAddress.withoutEscapedSigns(spelled),
    ...withoutPunctuation(spelled)
  ]
  const [first, ...others] = [...new Set(texts)].flatMap((decoded) =>
    Either.match(CanonicalUrl.read(decoded), { onLeft: () => [], onRight: (url) => [url] })
  )
  return first === undefined
    ? "Not a URL or host"
    : { urls: [first, ...others], hasWildcardPath: /\/\*{1,2}$/.test(text) }
}

/**
 * What a field or a note says of an honest site, in a list of both, without accents: dnstwist marks the `*original`. Not `clean` or
 * `harmless`, which a scanner says of a reported page, `normal`, which may be a priority or a state, nor `bénin`: a country.
 */
const HARMLESS =
  /^(?:benign[ao]?|legit(?:im(?:ate|[aeo])?)?|legitiem|legittim[ao]|good|safe|ham|exempt|(?:allow|white)[ _-]?list(?:ed)?|allow(?:ed)?|permit(?:ted|id[ao])?|(?:not?|non|nicht|keine?|pas|nie)[ _-]?(?:an?[ _-])?(?:phish(?:ing)?|malicious|malware|spam|scam|malicios[oa]|malveillant|maligno|bosartig|schadlich|fraude)|fp|\*original|original\*|rpz-passthru|gutartig|unbedenklich|goedaardig|erlaubt|freigegeben|autorise|consentit[ao]|bezpieczn[ay]|bezpecn[aey]|mesru|guvenli|an toan|hop phap|fals(?:ch|o|kt)[ _-]?positi[fv]o?|fałszywy alarm|yanlıs pozitif|легитимный|безопасный|ложное срабатывание|شرعي|آمن|安全|良性|合法|白名单|白名單|正規(?:サイト)?|問題なし|非钓鱼|不是钓鱼|誤報|ホワイトリスト|안전|합법|정상 ?사이트)[.!]?$/i
/** More than any of these has. */
const MAX_HARMLESS_CHARS = 24
/**
 * A note that may go on: `false positive, removed on 1 September`. Not a host, `false-positive.example`, a tag of MISP,
 * `false-positive:risk="low"`, and a note that takes it back: `false positive, rejected`.
 */
const FALSE_POSITIVE =
  /^(?:false[ _-]?(?:alarm|pos(?:itive)?)|whitelisted(?!\s+[a-z])|faux[ -]positif|falso[ -]positivo|fehlalarm|fp(?=[,;(])|误报|誤検知|오탐)(?!.*(?:\?|\b(?:re-?listed|rejected|refused|denied|declined|disputed|still|again|but|confirmed phish\w*|no\W*$)))(?:\s*[,;(–]|\s+-|[.!](?:\s|$)|\s+(?:removed|by|on|see)\b|$)/i

/** Whether a field or a note says that a row is there by mistake, whatever others say. */
export const isFalsePositive = (text: string): boolean => FALSE_POSITIVE.test(text)

const ACCENTS = /(?<=[a-z])[\u0300-\u036f]+/gi

const withoutAccents = (text: string): string =>
  /[^\x20-\x7e]/.test(text) ? text.normalize("NFD").replace(ACCENTS, "").normalize("NFC") : text

/** Whether a word says that a site is honest. Surge has `DIRECT`. */
export const isHonest = (text: string): boolean =>
  text.length <= MAX_HARMLESS_CHARS && (text === "DIRECT" || HARMLESS.test(withoutAccents(text)))

/** Whether a field of a table, or the note of a row, says that a site is honest. */
export const isHarmless = (text: string): boolean => isHonest(text) || isFalsePositive(text)

// Texts that a browser would open, but no feed means as an entry.

/** `404`, `1.0`, `1.`, `12:30`, `HTTP/1.1`: browsers open them as IPv4 addresses. */
const NUMBER = /^(?:HTTP\/)?\d+(?:\.\d+){0,2}\.?(?:[:/?#]|$)/

/** As a URL it would be the whole host of a mail service. */
const MAIL_ADDRESS = /^[^\s/:?#@]+@[^\s/:?#@]+$/

/** The word may say anything of the host: `full:bad.example`, `allow:good.example`. */
const LABEL = /^(?!h(?:tt|xx)ps?:|ftp:)[a-z][\w -]{0,30}:(?!\d|\/\/)/i

/** Cut out of a page or of JSON: `http://bad.example/x<br>`, `http://bad.example/x"`, `http://bad.example/x">x</a>`. Not `?e=<email>`. */
const ENDS_IN_MARKUP = /^(?:[^<"]+(?:<(?:\/[a-z]{1,10}|[bh]r|li|p)\s?\/?>?|")|[^<"?#]+">.*)$/i

/**
 * In a field of a table: another URL after white space, a delimiter or the `\n` of a program, or a host on another line. In a query
 * it is a value.
 */
const SECOND_URL = /\sh(?:tt|xx)ps?:\/\/|^[^?#]*(?:[,;|]|\\n)h(?:tt|xx)ps?:\/\/|\n[^\S\n]*[\w-]+\.[a-z]/i

/** The host in the next line of a file whose lines are joined by `\n`, or the page `ew.php` of `\new.php`. */
const NEXT_LINE = /^(?:[a-z]+:\/\/)?[^/\\?#]+(?:\/[^\\?#]*)?\\(?:r\\)?n([\w-]+(?:\.[\w-]+)+)/i

const hasNextLine = (text: string): boolean => {
  // Nearly no row has one, and the pattern takes sixteen times as long.
  if (!text.includes("\\")) return false
  const [, host = ""] = NEXT_LINE.exec(text) ?? []
  return isIPv4(host) || PublicSuffix.hasKnownSuffix(host.toLowerCase())
}

/** As messages and tables show a long URL: `http://bad.example/login...`. One that is cut off in its query names a page. */
const CUT_OFF = /^[^?#]*(?:\u2026|(?<!\.)\.\.\.)[\])]?$/

/** An address in DNS, `7.113.0.203.in-addr.arpa`, or in a response policy zone: no site has such a name. */
const NAME_OF_ADDRESS = /\.(?:(?:in-addr|ip6)\.arpa|rpz-(?:client-|ns)?ip)\.?$/i

/** The beginning of a regular expression: `^http://bad\.example/.*$`. */
const EXPRESSION = /^\^/

const OTHER_TEXTS = [
  EXPRESSION,
  NAME_OF_ADDRESS,
  NUMBER,
  MAIL_ADDRESS,
  LABEL,
  ENDS_IN_MARKUP,
  SECOND_URL,
  CUT_OFF
]

/** Whether a text is not an entry. A URL in quotes is a string of JSON or of a script, such as an error with a link to help. */
const isOtherText = (text: string): boolean =>
  OTHER_TEXTS.some((pattern) => pattern.test(text)) ||
  hasNextLine(text) ||
  WrittenAddress.QUOTE.test(text.split("/", 1).join())

/** An address and the bits or the mask of a network, in brackets or not. */
const NETWORK = /^\[?([\d.]+|[\da-f:.]+:[\da-f:.]*)\]?\/(\d{1,3}|\d+(?:\.\d+){3})$/i

/** More than an IPv6 address with a mask has: the pattern takes quadratic time. */
const MAX_NETWORK_CHARS = 64

/** Whether a text is a range of addresses: `192.0.2.1-192.0.2.9`, `192.0.2.1-9`. */
const isRange = (text: string): boolean => {
  const [first = "", last = "", ...others] = text.split("-", 3)
  return others.length === 0 && isIP(first) !== 0 && (isIP(last) !== 0 || /^\d{1,3}$/.test(last))
}

/**
 * Reads an IPv6 address without brackets, and a network; undefined for any other text.
 *
 * `readAddress("192.0.2.7/32")` is `"192.0.2.7"`, `readAddress("192.0.2.0/24")` is `"Network"`.
 */
const readAddress = (text: string): string | undefined | "Network" => {
  if (isIPv6(text)) return `[${text}]`
  if (isRange(text)) return "Network"
  const [, address = "", size = ""] = (text.length <= MAX_NETWORK_CHARS && NETWORK.exec(text)) || []
  const version = isIP(address)
  // `10/8`, `192.0.2/24`
  if (version === 0) return /^\d+(?:\.\d+){0,2}$/.test(address) ? "Network" : undefined
  const bits = version === 6 ? 128 : 32
  if (size === `${bits}` || size === "255.255.255.255") return version === 6 ? `[${address}]` : address
  return size.includes(".") || Number(size) <= bits ? "Network" : undefined
}

/** `*://` stands for `http://` and `https://`. */
const SCHEME = /^(?:\*|[a-z][a-z\d+.-]*):\/\//i
/** `*.`, and `+.` of Clash: a host and all below it. */
const WILDCARD_LABEL = /^(?:\+\.|(?:\*\.)+)/
/** `*`, `pay*`, `(.*)` and `*.php`. Real paths contain addresses of mail with stars, `/*@*`, and base64 that ends in two. */
const WILDCARD_SEGMENT = /^(?:[^*]*\*\)?|\*\.\w+)$/
const WILDCARD_DIRECTORY = /(?<=\/)\*{1,2}$/
/** `host/page?*`: the page with any query, which an entry without a query covers. */
const WILDCARD_QUERY = /(\/[^/?#]+)\?\*$/

/**
 * Removes the wildcards that mean all of a host or directory. Stars in a query or inside a segment are characters of the URL.
 *
 * `withoutWildcards("*.bad.example/*")` is `"bad.example/"`, `withoutWildcards("bad.example/pay*")` is `"Wildcard in a path"`.
 */
const withoutWildcards = (text: string): string | "Wildcard in a host" | "Wildcard in a path" => {
  if (!text.includes("*") && !text.startsWith("+.")) return text
  const scheme = SCHEME.exec(text)?.[0] ?? ""
  const rest = text.slice(scheme.length).replace(WILDCARD_LABEL, "").replace(WILDCARD_QUERY, "$1")
  const [host = ""] = rest.split(/[/?#]/, 1)
  if (host.includes("*")) return "Wildcard in a host"
  const plain = /[?#]/.test(rest) ? rest : rest.replace(WILDCARD_DIRECTORY, "")
  const [path = ""] = plain.slice(host.length).split(/[?#]/, 1)
  const segments = path.split("/")
  if (segments.includes("*") || segments.includes("**") || WILDCARD_SEGMENT.test(segments.at(-1) ?? ""))
    return "Wildcard in a path"
  return scheme.startsWith("*") ? plain : `${scheme}${plain}`
}

const PUNCTUATION = /(?<![.,;>])[.,;>]+$/
/** Line breaks in a string of a program. */
const ESCAPE = /(?:\\[nrt]){1,4}$/
const PUNCTUATION_OR_BRACKETS = /(?<![.,;>\])])[.,;>\])]+$/

/** Returns the text without the punctuation that reporters copied with it; nothing if there is none, or if it is all of a path. */
const withoutPunctuation = (text: string): ReadonlyArray<string> => {
  const plain = text.replace(/[([]/.test(text) ? PUNCTUATION : PUNCTUATION_OR_BRACKETS, "")
  return plain === text || /^(?:[^/]*\/\/)?[^/]*\/?$|\/$/.test(plain) ? [] : [plain]
}

const ENTITY = /&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/gi

const namedEntities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"]
])

const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (entity) => {
    const name = entity.slice(1, -1).toLowerCase()
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return namedEntities.get(name) ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity)
  })

/** Twice: the source of a page may quote the source of another page. */
const MAX_DECODINGS = 2

/** Returns the text, and the text with its HTML entities decoded: `a&amp;b`, `a&b`. */
const decodings = (text: string, max = MAX_DECODINGS): ReadonlyArray<string> => {
  const decoded = max === 0 ? text : decodeEntities(text)
  return decoded === text ? [text] : [text, ...decodings(decoded, max - 1)]
}
