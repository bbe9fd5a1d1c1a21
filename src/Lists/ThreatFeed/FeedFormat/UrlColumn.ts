/** Finds the column of a table that has its URLs or hosts, by the fields of the first rows. */

import { isIPv6 } from "node:net"
import { Either } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import { ListError } from "../../ListError.ts"
import type { Fields } from "./CsvRecords.ts"
import * as RowText from "./RowText.ts"

const WEB_URL = /^h(?:tt|xx)ps?:\/\/\S+$/i
const HOST = /^(?:\*\.)?(?:[\p{L}\p{N}_-]+(?:\.|\[\.\]))+\p{L}[\p{L}\p{N}-]*(?:[:/]|$)/u
const IPV4 = /^\d{1,3}(?:(?:\.|\[\.\])\d{1,3}){3}(?:\/\d+)?$/
const PORT = /(?<=^[\d.[\]]{7,21}):\d+$/
/** Of an IPv6 address, which `10:30:00` is not. */
const BRACKETS_AND_BITS = /^\[|\]?(?:\/\d+)?$/g

const isUrl = (text: string): boolean => WEB_URL.test(text) && Either.isRight(CanonicalUrl.parse(text))
const isHost = (text: string): boolean => HOST.test(text)
const isIpAddress = (text: string): boolean => IPV4.test(text) || isIPv6(text.replace(BRACKETS_AND_BITS, ""))
/** `elf.mirai`, a name of malware, is written like a host. */
const isHostInDns = (text: string): boolean => {
  const host = isHost(text) ? urlOf(text)?.host : undefined
  return host !== undefined && PublicSuffix.hasKnownSuffix(host)
}
/** One column may have all kinds, addresses with a port too. */
const isAny = (text: string): boolean =>
  [isUrl, isHostInDns, isIpAddress].some((is) => is(text.replace(PORT, "")))

/** Whether a field is written like a host whose suffix DNS does not have: `task.url`, a name in a header. */
export const isUnknownHost = (field = ""): boolean => {
  const text = field.trim()
  return isHost(text) && !isHostInDns(text)
}

/** Whether a field is a URL, a host or an IP address. */
export const isIndicator = (field: string): boolean =>
  [isUrl, isHost, isIpAddress].some((is) => is(field.trim()))

/** Whether a field may be a URL, a host or an address in any spelling: `.bad.example`, `203.0.113.7:80`. */
export const mayBeIndicator = (field = ""): boolean => /^[^\s.:]*[.:]\S+$/.test(field.trim())

/** Returns the indices of the columns whose fields pass in most rows. */
const columnsWith = (
  rows: ReadonlyArray<Fields>,
  passes: (text: string, fields: Fields) => boolean
): ReadonlyArray<number> =>
  [...(rows[0] ?? []).keys()].filter(
    (place) => 2 * rows.filter((fields) => passes(fields[place]?.trim() ?? "", fields)).length > rows.length
  )

const urlOf = (text: string): CanonicalUrl.CanonicalUrl | undefined => {
  const read = RowText.read(text)
  return typeof read === "string" ? undefined : read.urls[0].url
}

/** The scheme and the host at the beginning of a field. A path, a note or another host may follow. */
const ORIGIN = /^(?:[^\s/]*\/\/)?[^\s/,;]+/

/**
 * Returns the site that a field beside a link names, in any spelling that a row may have. An IP address is one only with a port, if
 * it is defanged and the link is not, or if the link has it: otherwise it is the server of the link.
 */
const siteOf = (text: string, link: string): string | undefined => {
  const isReported = ({ host, port }: CanonicalUrl.CanonicalUrl): boolean =>
    port !== undefined || (text.includes("[.]") && !link.includes("[.]")) || link.includes(host)
  const isSite = (url: CanonicalUrl.CanonicalUrl): boolean =>
    PublicSuffix.hasKnownSuffix(url.host) || (isIpAddress(url.host) && isReported(url))
  const [origin = ""] = ORIGIN.exec(text) ?? []
  // The whole field may be `bad dot example`.
  return [origin, text].map(urlOf).find((url) => url !== undefined && isSite(url))?.host
}

/** Returns the columns with other sites than those of the links: the links may be reports about these. */
const columnsOfOtherSites = (rows: ReadonlyArray<Fields>, links: number): ReadonlyArray<number> => {
  // Parsed once for a row: beside a long link there may be thousands of columns.
  const hosts = new Map(rows.map((fields) => [fields, urlOf(fields[links]?.trim() ?? "")?.host]))
  return columnsWith(rows, (text, fields) => {
    const site = siteOf(text, fields[links] ?? "")
    return site !== undefined && hosts.get(fields)?.includes(site) !== true
  })
}

const MAX_SHOWN_COLUMNS = 5

const severalColumns = (places: ReadonlyArray<number>): ListError => {
  const shown = places.slice(0, MAX_SHOWN_COLUMNS).map((place) => `${place + 1}`)
  const others = places.length > shown.length ? [`${places.length - shown.length} others`] : []
  return new ListError("Columns", `columns ${[...shown, ...others].join(" and ")} have URLs or hosts`)
}

/**
 * Returns the index of the only column of which most rows have a URL; if there is none, a URL, a host or an IP address, but no kind
 * in most rows; else a host; else an IP address. Throws `Columns` if there is no such column, or more than one.
 *
 * `find([["1", "https://bad.example/x"]])` is 1.
 */
export const find = (rows: ReadonlyArray<Fields>): number => {
  const pure = [isUrl, isHostInDns, isIpAddress].map((is) => columnsWith(rows, is))
  const mixed = columnsWith(rows, isAny).filter((place) => !pure.flat().includes(place))
  const [urls, ...others] = pure
  const found = [urls, mixed, ...others].find((places = []) => places.length > 0) ?? []
  const [first] = found
  if (first === undefined) throw new ListError("Columns", "no column has URLs or hosts")
  const hasLinks = found === urls || found === mixed
  const places = [...found, ...(hasLinks && found.length === 1 ? columnsOfOtherSites(rows, first) : [])]
  if (places.length > 1) throw severalColumns(places.sort((one, other) => one - other))
  return first
}
