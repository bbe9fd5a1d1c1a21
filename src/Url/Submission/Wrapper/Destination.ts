/**
 * The ways in which wrappers write their destination. Each returns what may be an absolute web address, percent-encoded or
 * not; the caller reads it.
 */

import { Buffer } from "node:buffer"
import * as InnerAddress from "../InnerAddress.ts"

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
 * The values of parameters, decoded once. Of each the first and the last are enough: servers read one of these two.
 *
 * A name in capitals, which some servers accept, or after `amp;`, as in the source of a page, counts only if no parameter has
 * the very name: it must not hide that.
 */
const valuesOf = ({ query }: Link, ...names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parameters = InnerAddress.parametersOf(query)
  return names.flatMap((name) => {
    const similar = new RegExp(`^(?:amp;)?${name}$`, "i")
    const exact = parameters.filter(([written]) => written === name)
    const found = exact.length > 0 ? exact : parameters.filter(([written]) => similar.test(written))
    // To decode all values of a long query takes too long.
    return [...found.slice(0, 1), ...found.slice(1).slice(-1)].map(([, value]) =>
      InnerAddress.unescapeAscii(value)
    )
  })
}

/** Parameters whose value is the address. */
export const parameters =
  (...names: ReadonlyArray<string>): Destination =>
  (link) =>
    valuesOf(link, ...names)

/** A parameter whose value is the address, and a signature after a colon: `https%3A%2F%2Fexample.com%2F%3AAbC-1`. */
export const signedParameter =
  (name: string): Destination =>
  (link) =>
    valuesOf(link, name).map((value) => value.replace(SIGNATURE, ""))

/** Digits alone are a port. */
const SIGNATURE = /:(?!\d*$)[\w-]*$/

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

/** The whole query is the address, or else a parameter. */
export const wholeQuery =
  (...names: ReadonlyArray<string>): Destination =>
  (link) => [...parameters(...names)(link), link.query]

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

/**
 * The address stands between two texts in path and query. Without the second it ends with its segment of the path if its
 * slashes are percent-encoded, else with the link.
 */
export const between =
  (before: string, after: string): Destination =>
  ({ path, query }) => {
    const text = withQuery(path, query)
    const found = text.indexOf(before)
    if (found === -1) return []
    const address = text.slice(found + before.length)
    const end = address.indexOf(after)
    return [
      end === -1 && ENCODED_SLASHES.test(address)
        ? address.split("/", 1).join()
        : address.slice(0, end === -1 ? undefined : end)
    ]
  }

const ENCODED_SLASHES = /^https?(?::|%(?:25)*3a)%(?:25)*2f/i

/** What follows a text in the page is an address, perhaps without its scheme. */
export const siteAfter =
  (before: RegExp): Destination =>
  ({ page }) => {
    const found = before.exec(page)
    return found === null ? [] : [page.slice(found[0].length)]
  }
