/**
 * The ways in which wrappers write their destination. Each returns what may be an absolute web address, percent-encoded or
 * not; the caller reads it.
 */

import { Buffer } from "node:buffer"
import { hexDigit, NOT_A_DIGIT } from "../../CanonicalUrl/PercentEncoding.ts"
import * as Unescape from "../Unescape.ts"

/** A link of a wrapper. */
interface Link {
  readonly host: string
  /** As it was written. */
  readonly path: string
  /** As it was written, without the `?`; `""` for none. */
  readonly query: string
  /** The canonical path and query, which have no spellings, but in which parameters can no longer be told apart. */
  readonly page: string
}

export type Destination = (link: Link) => ReadonlyArray<string>

/** The path and query of a link, or of the page that it leads to. */
export const withQuery = (path: string, query: string): string => (query === "" ? path : `${path}?${query}`)

/**
 * The values of a parameter, decoded once. The first and the last are enough: servers read one of these two.
 *
 * A name in capitals, which some servers accept, or after `amp;`, as in the source of a page, counts only if no parameter has
 * the very name: it must not hide that.
 */
const valuesOf = ({ query }: Link, name: string): ReadonlyArray<string> => {
  const exact: Array<string> = []
  const others: Array<string> = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf("&", start)
    const end = ampersand === -1 ? query.length : ampersand
    const value = afterName(query, start, name, VERY_NAME)
    if (value !== undefined) exact[Math.min(exact.length, 1)] = query.slice(value, end)
    else {
      const other = query.startsWith(HTML_ESCAPE, start) ? start + HTML_ESCAPE.length : start
      const value = afterName(query, other, name, ANY_LETTER_CASE)
      if (value !== undefined) others[Math.min(others.length, 1)] = query.slice(value, end)
    }
    start = end + 1
  }
  return (exact.length > 0 ? exact : others).map(Unescape.unescapeAscii)
}

const HTML_ESCAPE = "amp;"

/** Where the value of the parameter at `start` begins, if it has this name, perhaps percent-encoded. */
const afterName = (query: string, start: number, name: string, ignored: number): number | undefined => {
  let index = start
  for (let i = 0; i < name.length; i++) {
    const isEscaped = query.charCodeAt(index) === PERCENT
    const code = isEscaped ? escapedCode(query, index) : query.charCodeAt(index)
    if ((code | ignored) !== (name.charCodeAt(i) | ignored)) return undefined
    index += isEscaped ? 3 : 1
  }
  return query[index] === "=" ? index + 1 : undefined
}

/** The code that a percent-escape stands for, and one that no character has if it is none. */
const escapedCode = (query: string, percent: number): number => {
  const high = hexDigit(query.charCodeAt(percent + 1))
  const low = hexDigit(query.charCodeAt(percent + 2))
  return high === NOT_A_DIGIT || low === NOT_A_DIGIT ? -1 : high * 16 + low
}

/** Bits of a character's code that `afterName` ignores. One distinguishes a small letter from its capital. */
const VERY_NAME = 0
const ANY_LETTER_CASE = 0x20
const PERCENT = 0x25

/** Parameters whose value is the address. */
export const parameters =
  (...names: ReadonlyArray<string>): Destination =>
  (link) =>
    names.flatMap((name) => valuesOf(link, name))

/** A parameter whose value is the address in base64, after the given text. */
export const base64Parameter =
  (name: string, before = ""): Destination =>
  (link) =>
    valuesOf(link, name)
      .filter((value) => value.startsWith(before))
      .map((value) => Buffer.from(value.slice(before.length), "base64").toString())

/** A parameter whose value contains the address after another text: `cache:TOKEN:https://example.com/ words`. */
export const insideParameter =
  (name: string): Destination =>
  (link) =>
    valuesOf(link, name).flatMap((value) => {
      const start = value.search(ADDRESS)
      return start === -1 ? [] : value.slice(start).split(AFTER_ADDRESS, 1)
    })

const ADDRESS = /https?:\//i
const AFTER_ADDRESS = /[+ ]/

/** The whole query is the address. */
export const wholeQuery: Destination = ({ query }) => [query]

/** The address stands in the path and includes the query, unless it is percent-encoded. */
export const inPath: Destination = ({ path, query }) => {
  const start = path.search(ADDRESS)
  if (start !== -1) return [withQuery(path.slice(start), query)]
  const encoded = path.search(ENCODED_ADDRESS)
  return encoded === -1 ? [] : [path.slice(encoded)]
}

/** The address in the path, or else the site that follows a text there. */
export const inPathOrAfter =
  (before: RegExp): Destination =>
  (link) => {
    const addresses = inPath(link)
    return addresses.length > 0 ? addresses : siteAfter(before)(link)
  }

const ENCODED_ADDRESS = /https?%(?:25)*3a/i

/** The address stands between two texts in path and query. The second may be absent. */
export const between =
  (before: string, after: string): Destination =>
  ({ path, query }) => {
    const text = withQuery(path, query)
    const found = text.indexOf(before)
    if (found === -1) return []
    const start = found + before.length
    const end = text.indexOf(after, start)
    return [text.slice(start, end === -1 ? undefined : end)]
  }

/** What follows a text in the page is an address, perhaps without its scheme. */
export const siteAfter =
  (before: RegExp): Destination =>
  ({ page }) => {
    const found = before.exec(page)
    return found === null ? [] : [withScheme(page.slice(found[0].length))]
  }

/** A parameter whose value is the address, perhaps without its scheme. */
export const siteParameter =
  (name: string): Destination =>
  (link) =>
    valuesOf(link, name).map(withScheme)

/** The address that a service reads where it accepts one without a scheme. */
const withScheme = (site: string): string => (SITE.test(site) ? `https://${site}` : site)

/** A host with a dot in front of its port, page or query, but not an encoded address. */
const SITE = /^(?!https?%)[^/\\?#:\s]+\.[^/\\?#:\s]/i
