import { Buffer } from "node:buffer"
import * as PercentEncoding from "../CanonicalUrl/PercentEncoding.ts"
import { refangedInside } from "../CanonicalUrl/WrittenAddress.ts"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as PrivateHost from "../PrivateHost.ts"
import * as InnerAddress from "./InnerAddress.ts"

/**
 * `https:/` in a canonical URL, which is decoded wholly but for tabs and line breaks, also in the spelling of reports, or the
 * beginning of `http` in base64 or hexadecimal digits, or of JSON in base64; in a query also `//`, `https:` or a host and a slash at the beginning of a
 * value, or a value with a dot that may be a host.
 */
const TRACE = /:[\])}]?(?:%0[9AD])*[/\\]/
const TRACE_OF_CODE = /[aS][HF]R[0U][cU][HFDC]|YUhSMGN|68747470|h0dHA6Ly|h0dHBzOi|odHRw[Oc]/
const TRACE_OF_JSON = "eyJ"
const TRACE_WITHOUT_SCHEME =
  /(?:^|[=&])(?:%0[9AD]|%20|\+){0,4}(?:[/\\](?:%0[9AD])*[/\\]|https?:|[^./\\=&@]{1,63}\.[^/\\=&@]{2,253}(?:[/\\&?]|$)|www\.)/

/** Whether a URL may carry an address in its path or query. False for nearly all URLs, at little cost. */
export const mayCarry = ({ path, query }: CanonicalUrl): boolean =>
  hasTrace(path) || (query !== undefined && (hasTrace(query) || TRACE_WITHOUT_SCHEME.test(query)))

const hasTrace = (text: string): boolean =>
  (text.includes(":") && TRACE.test(text)) || TRACE_OF_CODE.test(text) || text.includes(TRACE_OF_JSON)

/**
 * Some servers redirect to a path with two slashes, the second perhaps encoded, which browsers then read as the address of another
 * site. Without a further slash it is a file.
 */
const RELATIVE_PATH = /^[/\\](?:[/\\]|%(?:2f|5c|09)){1,4}[^/\\?]+[/\\]/i

/** The addresses that a URL carries. */
export interface Carried {
  readonly addresses: ReadonlyArray<InnerAddress.InnerAddress>
  /** There may be more than were read. */
  readonly isMore: boolean
}

export const nothing: Carried = { addresses: [], isMore: false }

/**
 * Finds absolute web addresses on public hosts in a path and query as they were written: percent-encoded up to MAX_ENCODINGS
 * times, or in base64. In a query also those without a scheme at the beginning of a value, `//a.example/` and `a.example/`; a path that
 * begins with two slashes is one.
 *
 * - An address in a path includes the query, unless it was percent-encoded; so does one that is the whole query.
 * - Any other ends with its parameter.
 *
 * In `/r?next=https%3A%2F%2Fa.example%2Fb&from=http://c.example/` it finds `http://c.example/` and `https://a.example/b`.
 */
export const find = (rest: string): Carried => {
  const whole = readWhole(rest)
  // The path is one more part before the parameters.
  return whole === undefined
    ? findIn((RELATIVE_PATH.test(rest) ? "&" : "").concat(rest.replace("?", "&")).replaceAll("&", SEPARATOR))
    : { addresses: [whole], isMore: false }
}

/**
 * What ends an address in a link of another scheme, or stands before one: `MECARD:N:Bank;URL:https://a.example/;;`,
 * `ms-excel:ofv|u|https://...`, `wifi://a.example/`, and the share of `search-ms:query=a&crumb=location:\\\\a.example\\b` or
 * `file:///%5C%5Ca.example`.
 */
const END_OF_FIELD =
  /[|\r\n]|;(?=[;\r\n]|[a-z.-]*[:=]|$)|[?&](?=[a-z_-]{1,30}=)|(?<!https?)(?::|%3a)(?=\/{0,3}(?:\\|%5c){2}|www\.)|^[a-z][a-z\d+.-]{1,30}:(?=\/\/(?![^/\\?#]{0,253}@))/gi

/** In the code of a contact or a bookmark. */
const ESCAPED_COLON = /(?<=https?)\\(?=:)/gi
/** Of a contact, before a host: `URL:a.example`, `URL;TYPE=WORK:a.example`. */
const URL_FIELD = /(?<![a-z])url(?:;[\w=,-]{1,30}){0,4}:(?=[\p{L}\p{N}_-]{1,63}\.)/giu

/** Between the words of a message, `sms:1?body=Pay%20at%20a.example/b%20today`, or a part of an address. */
const BLANKS = /(?:%20|%0[ad]|[\s+])+/gi

/** Links with a message to people. */
const HAS_MESSAGE = /^\s*(?:(?:sms|mms)(?:to)?|mailto|matmsg|whatsapp|viber):/i
/** A host among the words of a message, with the punctuation around it, or behind the number in `smsto:1:a.example`; not `read.md`. */
const HOST_IN_MESSAGE =
  /(?<=[=:("'\uffff])(?![^.]{1,63}\.(?:md|mov|py|rs|sh|zip)(?![\w.-]))((?:[\p{L}\p{N}-]{1,63}\.){0,5}[\p{L}\p{N}-]{2,63}\.(?:[a-z]{2,24}|COM|NET|ORG)(?::\d{1,5})?)(?:[.,;!?)"']{0,3}(?=\uffff|$)|\/)/gu

/** Mail programs take a quarter of it from a link. Of a longer message the result says that there may be more addresses. */
const MAX_MESSAGE_CHARS = 8192

/** Finds the addresses in a link of a scheme that names no host, such as `ms-appinstaller:`: first as those of a message, then with blanks in them. */
export const findInOpaque = (text: string): Carried => {
  const parts = refangedInside(text.trimStart())
    .replace(ESCAPED_COLON, "")
    .replace(URL_FIELD, `${SEPARATOR}//`)
    .replace(END_OF_FIELD, SEPARATOR)
  const words = parts.slice(0, MAX_MESSAGE_CHARS).replace(BLANKS, SEPARATOR)
  const message = HAS_MESSAGE.test(text) ? words.replace(HOST_IN_MESSAGE, `${SEPARATOR}$1/`) : words
  const readings = [...new Set([message, parts])].map(findIn)
  return {
    addresses: readings.flatMap(({ addresses }) => addresses),
    isMore: readings.some(({ isMore }) => isMore) || parts.slice(MAX_MESSAGE_CHARS).search(BLANKS) !== -1
  }
}

const findIn = (parts: string): Carried => {
  const found: Array<InnerAddress.InnerAddress> = []
  let isMore = false
  let reads = 0
  let chars = 0
  const add = (text: string, read: (text: string) => InnerAddress.InnerAddress | undefined): boolean => {
    if (reads++ >= MAX_READS || chars >= MAX_CHARS) {
      isMore = true
      return false
    }
    chars += Math.min(text.length, InnerAddress.MAX_ADDRESS_CHARS)
    const address = publicOnly(read(text))
    if (address !== undefined) found.push(address)
    return address !== undefined
  }
  const takeAbsolute = (text: string): string =>
    text.replace(WRITTEN_OUT, (candidate) => {
      // In a user name these do not end an address; in a sentence and in a list they do.
      const short = SHORT.exec(candidate)?.[0] ?? candidate
      const isFound = add(candidate, InnerAddress.read)
      const isShortFound = short !== candidate && add(short, InnerAddress.read)
      // What follows in the whole address is read as a part of it.
      if (isFound) return ""
      const rest = candidate.slice(short.length)
      return (isShortFound ? "" : short) + (isMore ? rest : takeAbsolute(rest))
    })
  /** Returns the text without the addresses. */
  const take = (text: string): string => {
    const takeHost = (candidate: string) => (add(candidate, InnerAddress.readWithoutScheme) ? "" : candidate)
    return takeAbsolute(text).replace(WITHOUT_SCHEME, takeHost).replace(HOST_TO_GO_TO, takeHost)
  }
  let text = parts
  for (let times = 0; ; times++) {
    // Decoded once more an address would be cut at another place.
    text = take(text)
    // Browsers drop them in all of an address; in a text they stand between two.
    if (BREAK.test(text)) text = take(text.replace(BREAKS, ""))
    const decoded = times < InnerAddress.MAX_ENCODINGS ? PercentEncoding.unescapeAscii(text) : text
    if (decoded === text) break
    text = decoded
  }
  const [path = ""] = text.split(SEPARATOR, 1)
  const coded = [
    ...CODED_IN_PATH.flatMap((pattern) => path.match(pattern) ?? []),
    ...CODED_IN_QUERY.flatMap((pattern) => text.slice(path.length).match(pattern) ?? [])
  ]
  const decoded = coded.slice(0, MAX_READS).map(decode)
  if (coded.length > MAX_READS || decoded.some(({ length }) => length > MAX_IN_JSON)) isMore = true
  for (const text of decoded.flatMap((texts) => texts.slice(0, MAX_IN_JSON))) add(text, readDecoded)
  return { addresses: found, isMore }
}

/** Stands between two parts of a URL that are decoded together. No escape of an ASCII character is decoded to it. */
const SEPARATOR = "\uffff"

const BREAK = /[\t\r\n]/
const BREAKS = /[\t\r\n]+/g

/** An address in a sentence, or in a part of a URL, ends before these characters, but not in a user name. */
const WRITTEN_OUT = /https?:[/\\]+(?:[^\0-\x20/\\?#\uffff]*@)?[^\0-\x20"<>\uffff]*/gi
/** The host ends before any character that no host has, and a path before a bracket that it does not open: `url(https://a.example/b)`. */
const SHORT =
  /^https?:[/\\]+[\w.:@%\x80-\uffff-]*(?:\[[\da-f:.]*\](?::\d*)?)?(?:[/\\?#](?:[^"'<>()[\]{}]|\([^"'<>()]*\)|\[[^"'<>[\]]*\]|\{[^"'<>{}]*\})*)?/i
const BEFORE_END = /^(?:[^\0-\x20"<>\\\uffff]|\\(?!"))*/
const ADDRESS = /https?:\//i
/** At the beginning of a value: two slashes, a host and a slash, a host behind `https:`, or one that begins with `www.`. */
const WITHOUT_SCHEME =
  /(?<=[=\uffff][\s+]{0,4})(?:[/\\]{2}|https?:(?=[^/\\])|[^\0-\x20"<>./\\?#:@=&%\uffff]{1,63}(?:\.[^\0-\x20"<>./\\?#:@=&%\uffff]{1,63}){1,8}(?::\d{1,5})?[/\\]|www\.)[^\0-\x20"<>\uffff]*/gi
/**
 * A host that is the value of a parameter with a name that redirectors have, perhaps of a page in a parameter or a fragment, and is not
 * more likely a file: `url=invoice-1.zip`, `next=login.do`.
 */
const HOST_TO_GO_TO =
  /(?<=[\uffff?&](?:(?:redir|return|continue|next|dest|target|goto|landing|forward|jump)[a-z_-]{0,12}|[a-z_]{0,12}(?:ur[il]|link)|out|to|u|go)=\s{0,4})(?![^.]{1,63}\.(?:do|md|mov|py|rs|sh|zip)(?![\w.-]))[^\0-\x20"<>./\\?#:@=&%\uffff]{1,63}(?:\.[^\0-\x20"<>./\\?#:@=&%\uffff]{1,63}){1,8}(?::\d{1,5})?(?=[\uffff?&\s]|$)/gi
/**
 * `https:/` or `http:/` with a slash or a backslash, in any case, and what follows, in either alphabet of base64; also
 * percent-encoded, or in base64 twice. A slash may be one of the path. GitHub, F5 and others write hexadecimal digits instead.
 * Behind other text in base64, such as `1;2;https://a.example`, all but its first one or two letters have digits of their own.
 */
const HEXADECIMAL = /68747470(?:73)?3a(?:2f|5c)[\da-f]*/gi
const CODED_IN_PATH = [
  HEXADECIMAL,
  /(?:h0dH(?:A6Ly|BzOi8v)|odHRw(?:Oi8v|czov))[\w+-]*/g,
  /(?:[aS][HF]R[0U][cU](?:[HF]M6[LX]|D(?:ov|pc)|CUz[QY]|[HF]MlM)|YUhSMGN(?:ITTZ|Eb3))[\w+-]*/g,
  /eyJ[\w+-]*/g
]
const CODED_IN_QUERY = [
  HEXADECIMAL,
  /(?:h0dH(?:A6Ly|BzOi8v)|odHRw(?:Oi8v|czov))[\w+/-]*/g,
  /(?:[aS][HF]R[0U][cU](?:[HF]M6[LX]|D(?:ov|pc)|CUz[QY]|[HF]MlM)|YUhSMGN(?:ITTZ|Eb3))[\w+/-]*/g,
  /eyJ[\w+/-]*/g
]

/** Bounds the time for a URL full of texts that only begin like an address. */
const MAX_READS = 16
/** The same for long ones: four of the longest may hide a fifth, as sixteen short ones a seventeenth. */
const MAX_CHARS = 4 * InnerAddress.MAX_ADDRESS_CHARS

const beforeEnd = (text: string): string => BEFORE_END.exec(text)?.[0] ?? ""

/** An address on a public host. A private one must not hide a later one. */
const publicOnly = (address: InnerAddress.InnerAddress | undefined) =>
  address === undefined || PrivateHost.isPrivate(address.url.host) ? undefined : address

const readWhole = (rest: string): InnerAddress.InnerAddress | undefined => {
  const mark = rest.indexOf("?")
  const inPath = (mark === -1 ? rest : rest.slice(0, mark)).search(ADDRESS)
  const start = inPath === -1 && mark !== -1 ? mark + 1 : inPath
  return start === -1 ? undefined : publicOnly(InnerAddress.read(beforeEnd(rest.slice(start))))
}

/** Reads what base64 contained. */
const readDecoded = (text: string) => InnerAddress.readDecoded(InnerAddress.decoded(text))

const ADDRESSES_IN_JSON = /https?(?::\/|%3a)[^\0-\x20"<>]*/gi
/** Before a quote or a slash in JSON, several in JSON in its strings. */
const ESCAPES = /\\+(["/]?)/g
/** Of JSON, such as a token: that of its issuer, and where it leads. No URL of the development data has more than two. */
const MAX_IN_JSON = 3

const fromBase64 = (coded: string): string => Buffer.from(coded, "base64").toString()

/** Returns the address in base64, or the addresses in JSON in base64, as mail services and tokens have them. */
const decode = (coded: string): ReadonlyArray<string> => {
  if (coded.startsWith("h0")) return [beforeEnd(`ht${fromBase64(coded.slice(2))}`)]
  if (coded.startsWith("o")) return [beforeEnd(`h${fromBase64(coded.slice(1))}`)]
  const once = coded.startsWith("6") ? Buffer.from(coded, "hex").toString() : fromBase64(coded)
  const text = coded.startsWith("Y") ? fromBase64(once) : once
  if (!text.startsWith("{")) return [beforeEnd(text)]
  return text.replace(ESCAPES, (all, sign: string) => sign || all).match(ADDRESSES_IN_JSON) ?? []
}
