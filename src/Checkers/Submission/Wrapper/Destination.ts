/**
 * The ways in which wrappers write their destination. Each returns what may be an absolute web address, percent-encoded or
 * not; the caller reads it.
 */

import { Buffer } from "node:buffer"
import * as Unescape from "../Unescape.ts"

/** A link of a wrapper. Path and query are as they were written. */
interface Link {
  readonly host: string
  readonly path: string
  /** Without the `?`; `""` for none. */
  readonly query: string
}

export type Destination = (link: Link) => ReadonlyArray<string>

/** The path and query of a link, or of the page that it leads to. */
export const withQuery = (path: string, query: string): string => (query === "" ? path : `${path}?${query}`)

/** The values of a parameter, decoded once. The first and the last are enough: servers read one of these two. */
const valuesOf = ({ query }: Link, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf("&", start)
    const end = ampersand === -1 ? query.length : ampersand
    const value = afterName(query, start, name)
    if (value !== undefined) values.splice(1, 1, query.slice(value, end))
    start = end + 1
  }
  return values.map(Unescape.unescapeAscii)
}

/** Where the value of the parameter at `start` begins, if it has this name, perhaps percent-encoded. */
const afterName = (query: string, start: number, name: string): number | undefined => {
  let index = start
  for (let i = 0; i < name.length; i++) {
    const isEscaped = query.charCodeAt(index) === PERCENT
    const code = isEscaped ? Number.parseInt(query.slice(index + 1, index + 3), 16) : query.charCodeAt(index)
    if (code !== name.charCodeAt(i)) return undefined
    index += isEscaped ? 3 : 1
  }
  return query[index] === "=" ? index + 1 : undefined
}

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

/** The path after the first of the prefixes that it begins with, and the query, are a host and a page there. */
export const siteInPath =
  (...prefixes: ReadonlyArray<string>): Destination =>
  ({ path, query }) => {
    const prefix = prefixes.find((prefix) => path.startsWith(prefix))
    return prefix === undefined ? [] : [`https://${withQuery(path.slice(prefix.length), query)}`]
  }
