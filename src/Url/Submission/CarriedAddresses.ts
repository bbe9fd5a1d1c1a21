import { Buffer } from "node:buffer"
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
  const search = new Search()
  // The path is one more part before the parameters.
  let text = rest.replace("?", "&").replaceAll("&", InnerAddress.SEPARATOR)
  for (let times = 0; ; times++) {
    search.readPlain(text)
    const decoded = times < InnerAddress.MAX_ENCODINGS ? InnerAddress.unescapeWithinParts(text) : text
    if (decoded === text) break
    text = decoded
  }
  search.readBase64(text)
  return search.found
}

const ADDRESS = /https?:[/\\]/gi
/** `https://` or `http://`, and what follows, in either alphabet of base64. A slash may be one of the path. */
const BASE64_IN_PATH = /aHR0c(?:HM6Ly|DovL)[\w+-]*/g
const BASE64_IN_QUERY = /aHR0c(?:HM6Ly|DovL)[\w+/-]*/g
/** An address in a sentence, or in a part of a URL, ends before them. */
const END = /[\0-\x20"<>]/

/** Bounds the time for a URL full of texts that only begin like an address. */
const MAX_READS = 16

const cutAt = (end: RegExp, text: string): string => {
  const index = text.search(end)
  return index === -1 ? text : text.slice(0, index)
}

/** Reads an address on a public host. A private one must not hide what stands behind it. */
const readPublic = (text: string): InnerAddress.InnerAddress | undefined => {
  const address = InnerAddress.read(text)
  return address === undefined || PrivateHost.isPrivate(address.url.host) ? undefined : address
}

const readWhole = (rest: string): InnerAddress.InnerAddress | undefined => {
  const mark = rest.indexOf("?")
  const inPath = (mark === -1 ? rest : rest.slice(0, mark)).search(ADDRESS)
  const start = inPath === -1 && mark !== -1 ? mark + 1 : inPath
  return start === -1 ? undefined : readPublic(cutAt(END, rest.slice(start)))
}

/** One search, in a text that is decoded once more each time. Its parts, between two separators, stay the same. */
class Search {
  readonly found: Array<InnerAddress.InnerAddress> = []
  /** The parts in which an address was found: decoded once more it would be cut at other places. */
  private readonly foundIn = new Set<number>()
  private reads = 0

  readPlain(text: string): void {
    const isDone = new Set(this.foundIn)
    let part = 0
    let partEnd = text.indexOf(InnerAddress.SEPARATOR)
    let from = 0
    for (const { index } of text.matchAll(ADDRESS)) {
      if (this.reads === MAX_READS) return
      if (index < from) continue
      while (partEnd !== -1 && partEnd < index) {
        part++
        partEnd = text.indexOf(InnerAddress.SEPARATOR, partEnd + 1)
      }
      if (isDone.has(part)) continue
      const candidate = cutAt(END, text.slice(index))
      from = index + candidate.length
      if (this.read(candidate)) this.foundIn.add(part)
    }
  }

  readBase64(text: string): void {
    const mark = text.indexOf(InnerAddress.SEPARATOR)
    const path = mark === -1 ? text : text.slice(0, mark)
    this.readBase64In(path.matchAll(BASE64_IN_PATH))
    this.readBase64In(text.slice(path.length).matchAll(BASE64_IN_QUERY))
  }

  private readBase64In(matches: Iterable<RegExpExecArray>): void {
    for (const [coded] of matches) {
      if (this.reads === MAX_READS) return
      this.read(decodeBase64(coded))
    }
  }

  private read(text: string): boolean {
    this.reads++
    const address = readPublic(text)
    if (address !== undefined) this.found.push(address)
    return address !== undefined
  }
}

const decodeBase64 = (coded: string): string => cutAt(END, Buffer.from(coded, "base64").toString())
