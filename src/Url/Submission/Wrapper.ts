/** Known wrappers: links of a service that lead to another address inside the link (see wrappers.tsv). */

import { Buffer } from "node:buffer"
import { Array as Arrays } from "effect"
import * as PercentEncoding from "../CanonicalUrl/PercentEncoding.ts"
import { type CanonicalUrl, isWeb } from "../CanonicalUrl.ts"
import * as InnerAddress from "./InnerAddress.ts"
import type { DestinationName, Wrapper } from "./Wrapper/wrappers.schema.js"
import wrappers from "./Wrapper/wrappers.tsv"

/** The wrapper that a URL is a link of; undefined for nearly all URLs, at little cost. */
export const find = (url: CanonicalUrl): Wrapper | undefined => {
  const { host, path } = url
  const name = host.includes("google.") ? host.replace(GOOGLE_BY_COUNTRY, "$1google.com") : host
  return rowsByDomain
    .get(lastTwoLabels(name))
    ?.find((row) => isWeb(url) && hasHost(row.name, name) && hasPath(row.wrapper, path))?.wrapper
}

/** Whether a wrapper has the domain of a host. For any other host `find`, `isHost` and `isAboveLinks` find nothing. */
export const isNear = (host: string): boolean =>
  rowsByDomain.has(lastTwoLabels(host)) || host.includes("google.")

/**
 * Whether the links of a host lead to addresses of others. False for hosts that name the site that they show, as those of
 * translations do.
 */
export const isHost = (host: string): boolean =>
  rowsByDomain.get(lastTwoLabels(host))?.some((row) => isHostOf(row, host)) === true

/**
 * Whether an entry for a URL would cover links of a wrapper that lead elsewhere: it is the root, a directory or the page of these
 * links, on their host or one above. `https://outlook.com/` is above the links of `*.safelinks.protection.outlook.com`,
 * `https://urldefense.com/v2/` above those of `urldefense.com/v2/url`.
 */
export const isAboveLinks = ({ host, path }: CanonicalUrl): boolean =>
  rowsByDomain
    .get(lastTwoLabels(host))
    ?.some(
      (row) => (isHostOf(row, host) || row.name.endsWith(`.${host}`)) && isAbovePath(row.wrapper, path)
    ) === true

/** Where a link of a wrapper leads. */
export interface Destinations {
  readonly addresses: ReadonlyArray<InnerAddress.InnerAddress>
  /** The link names a destination that cannot be read. False for a link that names none, such as the wrapper's own pages. */
  readonly isUnread: boolean
}

/** Where a link of the wrapper leads. `rest` is its path and query as they were written. */
export const destinationsOf = (wrapper: Wrapper, { host }: CanonicalUrl, rest: string): Destinations => {
  const mark = rest.indexOf("?")
  const path = mark === -1 ? rest : rest.slice(0, mark)
  const link = {
    host,
    path: new URL(`https://host${path}`).pathname,
    query: mark === -1 ? "" : rest.slice(mark + 1)
  }
  // The destination might be behind the parameters that are read.
  if (link.query.split("&", InnerAddress.MAX_PARAMETERS + 1).length > InnerAddress.MAX_PARAMETERS)
    return { addresses: [], isUnread: true }
  const servesPage = wrapper.servesPage === "yes"
  const addresses: Array<InnerAddress.InnerAddress> = []
  const unread = new Set<ReturnType<typeof InnerAddress.unreadKind>>()
  for (const text of destinations[wrapper.destination](link, ...wrapper.arguments)) {
    const plain = InnerAddress.decoded(text)
    const address =
      InnerAddress.readDecoded(servesPage && SITE.test(text) ? `https://${text}` : withGoogle(plain, host)) ??
      InnerAddress.readWithoutScheme(plain)
    if (address === undefined) unread.add(InnerAddress.unreadKind(plain))
    else addresses.push(servesPage ? { ...address, url: { ...address.url, scheme: "https" } } : address)
  }
  // Some rows try out several places: what is no web address counts only if none of them has one.
  return { addresses, isUnread: unread.has("web") || (unread.has("other") && addresses.length === 0) }
}

/** Google's redirector also leads to its own pages, of which `amp/s/a.example` leads on. */
const withGoogle = (plain: string, host: string): string =>
  host.includes("google.") ? plain.replace(/^\/?(?=amp\/)/i, "https://www.google.com/") : plain

/** A host with a dot in front of its port, page or query, but not an encoded address. */
const SITE = /^(?!https?%)[^/\\?#:\s]+\.[^/\\?#:\s]/i

const GOOGLE_BY_COUNTRY = /(^|\.)google\.(?:cat|(?:com?\.)?[a-z]{2})$/

const lastTwoLabels = (host: string): string => {
  const last = host.lastIndexOf(".")
  return last === -1 ? host : host.slice(host.lastIndexOf(".", last - 1) + 1)
}

interface Row {
  readonly wrapper: Wrapper
  readonly name: string
}

/** A row for each host of a wrapper. */
const rows: ReadonlyArray<Row> = wrappers.flatMap((wrapper) =>
  wrapper.hosts.map((name) => ({ wrapper, name }))
)

const rowsByDomain = new Map(Object.entries(Arrays.groupBy(rows, ({ name }) => lastTwoLabels(name))))

const hasHost = (name: string, host: string): boolean =>
  name.startsWith("*") ? `.${host}`.endsWith(name.slice(1)) : host === name

const isHostOf = ({ name, wrapper }: Row, host: string): boolean =>
  hasHost(name, host) && !(name.startsWith("*") && wrapper.servesPage === "yes")

const isAbovePath = (wrapper: Wrapper, path: string): boolean =>
  path === wrapper.path ||
  path === `${wrapper.path}/` ||
  (path.endsWith("/") && wrapper.path.startsWith(path))

const hasPath = (wrapper: Wrapper, path: string): boolean =>
  wrapper.path.endsWith("/")
    ? path.startsWith(wrapper.path)
    : path === wrapper.path || path === `${wrapper.path}/`

/** A link of a wrapper. */
interface Link {
  readonly host: string
  /** As it was written, but for dot segments, which browsers resolve. */
  readonly path: string
  /** As it was written, without the `?`; `""` for none. */
  readonly query: string
}

/**
 * A way in which wrappers write their destination, with the arguments of a row. Returns what may be an absolute web address,
 * percent-encoded or not; the caller reads it.
 */
type Destination = (link: Link, ...args: ReadonlyArray<string>) => ReadonlyArray<string>

/** The path and query of a link, or of the page that it leads to. */
const withQuery = (path: string, query: string): string => (query === "" ? path : `${path}?${query}`)

const AMPERSAND = "amp;"

const isSimilar = (written: string, name: string): boolean =>
  written.length <= AMPERSAND.length + name.length &&
  [name.toLowerCase(), `${AMPERSAND}${name.toLowerCase()}`].includes(written.toLowerCase())

/**
 * The values of parameters, decoded once. Of each the first and the last are enough: servers read one of these two.
 *
 * A name in capitals, which some servers accept, or after `amp;`, as in the source of a page, counts only if no parameter has
 * the very name: it must not hide that.
 */
const valuesOf: Destination = ({ query }, ...names) => {
  const parameters = InnerAddress.parametersOf(query)
  return names.flatMap((name) => {
    const exact = parameters.filter(([written]) => written === name)
    const found = exact.length > 0 ? exact : parameters.filter(([written]) => isSimilar(written, name))
    // To decode all values of a long query takes too long.
    return [...found.slice(0, 1), ...found.slice(1).slice(-1)].map(([, value]) =>
      PercentEncoding.unescapeAscii(value)
    )
  })
}

/** Digits alone are a port. */
const SIGNATURE = /:(?!\d*$)[\w-]*$/
const ADDRESS = /https?:\//i
const AFTER_ADDRESS = /[+ ]/
const ENCODED_ADDRESS = /https?%(?:25)*3a/i
const ENCODED_SLASHES = /^https?(?::|%(?:25)*3a)%(?:25)*2f/i

/** A parameter whose value is the address, and a signature after a colon: `https%3A%2F%2Fexample.com%2F%3AAbC-1`. */
const signedParameter: Destination = (link, name = "") =>
  valuesOf(link, name).map((value) => value.replace(SIGNATURE, ""))

/** A parameter whose value is the address in base64, after the given text. */
const base64Parameter: Destination = (link, name = "", before = "") =>
  valuesOf(link, name)
    .filter((value) => value.startsWith(before))
    .map((value) => Buffer.from(value.slice(before.length), "base64").toString())

/** Where each of ten characters in a row stands in the link. */
const SCRAMBLED_ORDER = [2, 3, 8, 1, 9, 5, 6, 0, 7, 4]
const SCRAMBLED_TENS = /.{10}/gs

/**
 * A parameter whose value is the address with each ten characters in another order, and what is left in reverse, as published links of
 * VIPRE's link protection show: `/pht.:/atselpmaxe` is `https://a.example`.
 */
const scrambledParameter: Destination = (link, name = "") =>
  valuesOf(link, name).map((value) => {
    const rest = value.slice(value.length - (value.length % SCRAMBLED_ORDER.length))
    const tens = value.match(SCRAMBLED_TENS) ?? []
    return [
      ...tens.map((ten) => SCRAMBLED_ORDER.map((at) => ten.charAt(at)).join("")),
      Array.from(rest).reverse().join("")
    ].join("")
  })

/** A parameter whose value contains the address after another text: `cache:TOKEN:https://example.com/ words`. */
const insideParameter: Destination = (link, name = "") =>
  valuesOf(link, name).flatMap((value) => {
    const start = value.search(ADDRESS)
    return start === -1 ? [] : value.slice(start).split(AFTER_ADDRESS, 1)
  })

/** The address is in the path and includes the query, unless it is percent-encoded. */
const inPath: Destination = ({ path, query }) => {
  const start = path.search(ADDRESS)
  if (start !== -1) return [withQuery(path.slice(start), query)]
  const encoded = path.search(ENCODED_ADDRESS)
  return encoded === -1 ? [] : [path.slice(encoded)]
}

const SLASHES = /\/{2,}/g
const LEADING_SLASHES = /^\/+/
/** An address or a host in which no ASCII character is percent-encoded. */
const DECODED_SITE = /^(?:https?:[/\\]|(?:(?!%[0-7])[^/\\?#:])+(?:[/\\?#:]|$))/i

/**
 * What follows a pattern is an address, perhaps without its scheme. The path is decoded no further than necessary, and the query
 * not at all: else the parameters of an inner wrapper could not be told apart.
 */
const siteAfter: Destination = ({ path, query }, before = "") => {
  const pattern = new RegExp(before)
  let decoded = path.replace(SLASHES, "/")
  for (let times = 0; ; times++) {
    const text = withQuery(decoded, query)
    const found = pattern.exec(text)
    const site = found === null ? "" : text.slice(found[0].length).replace(LEADING_SLASHES, "")
    if (times === InnerAddress.MAX_ENCODINGS || DECODED_SITE.test(site)) return [site]
    decoded = PercentEncoding.unescapeAscii(decoded)
  }
}

/**
 * The address is between two texts in path and query. It may itself contain the second text, so it is read up to the first
 * and up to the last one. Without any it ends with its path segment if its slashes are percent-encoded, else with the link.
 */
const between: Destination = ({ path, query }, before = "", after = "") => {
  const text = withQuery(path, query)
  const found = text.indexOf(before)
  if (found === -1) return []
  const address = text.slice(found + before.length)
  const ends = new Set([address.indexOf(after), address.lastIndexOf(after)])
  if (!ends.has(-1)) return Array.from(ends, (end) => address.slice(0, end))
  return ENCODED_SLASHES.test(address) ? address.split("/", 1) : [address]
}

/**
 * Version 2 of Proofpoint's URL Defense, as in the decoder that Proofpoint publishes: in the parameter `u`, `-` stands for `%`
 * and `_` for `/`.
 *
 * Of `/v2/url?u=https-3A__example.com_a-2Db&d=x` it is `https%3A//example.com/a%2Db`.
 */
const urlDefense2: Destination = (link) =>
  valuesOf(link, "u").map((value) => value.replaceAll("-", "%").replaceAll("_", "/"))

const END_OF_ADDRESS = "__;"

/**
 * Version 3: the address stands between `/v3/__` and `__;`. Each `*` in it stands for the next character of those that
 * follow in base64, before a `!`; `**` and a letter for several bytes of them.
 *
 * Of `/v3/__https://example.com/*x__;Iw!!token$` it is `https://example.com/#x`.
 */
const urlDefense3: Destination = ({ path, query }) => {
  const text = withQuery(path, query)
  const start = text.indexOf("__") + 2
  const end = text.indexOf(END_OF_ADDRESS, start)
  if (start === 1 || end === -1) return []
  const from = end + END_OF_ADDRESS.length
  const mark = text.indexOf("!", from)
  const replaced = Buffer.from(text.slice(from, mark === -1 ? from : mark), "base64").toString("latin1")
  const address = Buffer.from(text.slice(start, end)).toString("latin1")
  return [Buffer.from(filled(address, replaced), "latin1").toString()]
}

/** `*` for a character, or `**` and a letter for a number of bytes. */
const GAP = /\*(?:\*([\w-]))?/g

/** The bytes of a character in UTF-8. */
const CHARACTER = /^(?:[\xc0-\xff][\x80-\xbf]+|.)/s
const MAX_CHARACTER_BYTES = 4

/** `A` is two bytes, the shortest run; `_` is 65. */
const RUN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const MIN_RUN = 2

const filled = (text: string, bytes: string): string => {
  let next = 0
  return text.replace(GAP, (_, letter: string | undefined) => {
    const from = next
    const [character = ""] = CHARACTER.exec(bytes.slice(from, from + MAX_CHARACTER_BYTES)) ?? []
    next += letter === undefined ? character.length : RUN_LETTERS.indexOf(letter) + MIN_RUN
    return bytes.slice(from, next)
  })
}

const TRANSLATED_SUFFIX = ".translate.goog"
const OWN_PARAMETER = "_x_tr_"

/** In the label, `-` stands for a dot and `--` for a hyphen. */
const DOT = /\b-\b/g

/** The label of a name that is too long for it holds hashes and only a part of the name: 26 digits of base 32, then 15 more. */
const HASHED = /^[a-z2-7]{26}-(?:[a-z0-9]{15})?-/

/**
 * Google's translation of a site, under a host that names it. `_x_tr_enc` lists the codings of that name: `1` is dropped in
 * front of it, `0` is an international name, whose `xn--` was cut. `_x_tr_hp` is the beginning of a name too long for a label
 * (Google Search Central, "Translated results"). What a hash names cannot be read.
 *
 * Of `www-my--shop-example.translate.goog/a?id=1&_x_tr_sl=auto` it is `https://www.my-shop.example/a?id=1`.
 */
const translatedSite: Destination = ({ host, path, query }) => {
  if (!host.endsWith(TRANSLATED_SUFFIX) || HASHED.test(host)) return []
  const parameters = InnerAddress.parametersOf(query)
  const own = (wanted: string): string =>
    PercentEncoding.unescapeAscii(parameters.find(([written]) => written === wanted)?.[1] ?? "")
  const codings = own("_x_tr_enc").split(",")
  let name = own("_x_tr_hp") + host.slice(0, -TRANSLATED_SUFFIX.length)
  if (codings.includes("1") && name.startsWith("1-")) name = name.slice(2)
  const isInternational = codings.includes("0") && name.startsWith("0-")
  if (isInternational) name = name.slice(2)
  const site = `${isInternational ? "xn--" : ""}${name.replace(DOT, ".").replaceAll("--", "-")}`
  const rest = query
    .split("&")
    .filter(
      (parameter) => parameter !== "" && !PercentEncoding.unescapeAscii(parameter).startsWith(OWN_PARAMETER)
    )
  return [`https://${site}${withQuery(path, rest.join("&"))}`]
}

/** By the names in wrappers.tsv. */
export const destinations: Readonly<Record<DestinationName, Destination>> = {
  parameters: valuesOf,
  signedParameter,
  base64Parameter,
  scrambledParameter,
  insideParameter,
  wholeQuery: (link, ...names) => [...valuesOf(link, ...names), link.query],
  inPath,
  inPathOrAfter: (link, before = "") => {
    const addresses = inPath(link)
    return addresses.length > 0 ? addresses : siteAfter(link, before)
  },
  siteAfter,
  between,
  urlDefense2,
  urlDefense3,
  translatedSite
}
