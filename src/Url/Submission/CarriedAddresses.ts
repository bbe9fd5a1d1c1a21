import { Buffer } from "node:buffer"
import * as PercentEncoding from "../CanonicalUrl/PercentEncoding.ts"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as PrivateHost from "../PrivateHost.ts"
import * as InnerAddress from "./InnerAddress.ts"

/** `https:/` in a canonical URL, which is decoded wholly, or the beginning of `http` in base64. */
const TRACE = /:[/\\]/
const TRACE_IN_BASE64 = "aHR0c"

/** Whether a URL may carry an address in its path or query. False for nearly all URLs, at little cost. */
export const mayCarry = ({ path, query }: CanonicalUrl): boolean =>
  hasTrace(path) || (query !== undefined && hasTrace(query))

const hasTrace = (text: string): boolean =>
  (text.includes(":") && TRACE.test(text)) || text.includes(TRACE_IN_BASE64)

/**
 * Finds absolute web addresses on public hosts in a path and query as they were written: percent-encoded up to MAX_ENCODINGS
 * times, or in base64.
 *
 * - An address in a path includes the query, unless it was percent-encoded; so does one that is the whole query.
 * - Any other ends with its parameter.
 *
 * In `/r?next=https%3A%2F%2Fa.example%2Fb&from=http://c.example/` it finds `http://c.example/` and `https://a.example/b`.
 */
export const find = (rest: string): ReadonlyArray<InnerAddress.InnerAddress> => {
  const whole = readWhole(rest)
  if (whole !== undefined) return [whole]
  const found: Array<InnerAddress.InnerAddress> = []
  let reads = 0
  let chars = 0
  const read = (text: string): boolean => {
    const mayRead = reads++ < MAX_READS && chars < MAX_CHARS
    if (mayRead) chars += Math.min(text.length, InnerAddress.MAX_ADDRESS_CHARS)
    const address = mayRead ? readPublic(text) : undefined
    if (address !== undefined) found.push(address)
    return address !== undefined
  }
  // The path is one more part before the parameters.
  let text = rest.replace("?", "&").replaceAll("&", SEPARATOR)
  for (let times = 0; ; times++) {
    // Decoded once more an address would be cut at another place.
    text = text.replace(WRITTEN_OUT, (candidate) => (read(candidate) ? "" : candidate))
    const decoded = times < InnerAddress.MAX_ENCODINGS ? PercentEncoding.unescapeAscii(text) : text
    if (decoded === text) break
    text = decoded
  }
  const [path = ""] = text.split(SEPARATOR, 1)
  const coded = [
    ...(path.match(BASE64_IN_PATH) ?? []),
    ...(text.slice(path.length).match(BASE64_IN_QUERY) ?? [])
  ]
  for (const candidate of coded.slice(0, MAX_READS)) read(decodeBase64(candidate))
  return found
}

/** Stands between two parts of a URL that are decoded together. No escape of an ASCII character is decoded to it. */
const SEPARATOR = "\uffff"

/** An address in a sentence, or in a part of a URL, ends before these characters. */
const WRITTEN_OUT = /https?:[/\\][^\0-\x20"<>\uffff]*/gi
const BEFORE_END = /^[^\0-\x20"<>\uffff]*/
const ADDRESS = /https?:\//i
/** `https://` or `http://`, and what follows, in either alphabet of base64. A slash may be one of the path. */
const BASE64_IN_PATH = /aHR0c(?:HM6Ly|DovL)[\w+-]*/g
const BASE64_IN_QUERY = /aHR0c(?:HM6Ly|DovL)[\w+/-]*/g

/** Bounds the time for a URL full of texts that only begin like an address. */
const MAX_READS = 16
/** The same for long ones: four of the longest may hide a fifth, as sixteen short ones a seventeenth. */
const MAX_CHARS = 4 * InnerAddress.MAX_ADDRESS_CHARS

const beforeEnd = (text: string): string => BEFORE_END.exec(text)?.[0] ?? ""

/** Reads an address on a public host. A private one must not hide a later one. */
const readPublic = (text: string): InnerAddress.InnerAddress | undefined => {
  const address = InnerAddress.read(text)
  return address === undefined || PrivateHost.isPrivate(address.url.host) ? undefined : address
}

const readWhole = (rest: string): InnerAddress.InnerAddress | undefined => {
  const mark = rest.indexOf("?")
  const inPath = (mark === -1 ? rest : rest.slice(0, mark)).search(ADDRESS)
  const start = inPath === -1 && mark !== -1 ? mark + 1 : inPath
  return start === -1 ? undefined : readPublic(beforeEnd(rest.slice(start)))
}

const decodeBase64 = (coded: string): string => beforeEnd(Buffer.from(coded, "base64").toString())
