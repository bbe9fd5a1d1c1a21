/** Joins the host and the page of a request, which tables, JSON and logs have in two fields. */

import { type Found, foundAt } from "./Link.ts"
import { isBareLink } from "./PlainText/Spelling.ts"

/** The letters of names of fields with the requested host, page or query: `host`, `cs(Host)`, `ClientRequestURI`, `url.path`. */
const HOST_NAME =
  /^(?:c?s|x|v|d|http|url|de?st|destination|server|original|target|(?:client)?req(?:uest(?:ed)?)?)?(?:host(?:name|header)?|domain|authority|site)$|^(?:server|dst)name$/i
const PAGE_NAME =
  /^(?:cs|http|client)?(?:req(?:uest(?:ed)?)?)?(?:ur[il](?:path|stem)?|(?:page|raw)?path(?:name)?)$|^(?:http)?request$|^arg$/i
const QUERY_NAME = /^(?:cs)?(?:ur[il]|request)?query(?:str(?:ing)?)?$|^args$/i
const PAGE = /^(?:[A-Z]{3,8} )?(\/(?!\/)\S+)(?: HTTP\/[\d.]{1,3})?$/
/** What a field `path` has of a program, or of the log itself, which Logstash adds. */
const FILE = /^\/(?:var\/log|usr\/(?:s?bin|lib|local|share)|etc|proc)\//
const QUERY = /(?<=^\??)[^\s?]\S+$/
const ORIGIN = /^(https?:\/\/)?([^/]+)\/?$/i
/** Of a record. Real ones have one or two of each; those of a hostile text would be joined with each other. */
const MAX_HOSTS = 4
const MAX_PAGES = 8

/** Returns the letters of a field's name, by which names are compared: `csHost` of `cs(Host)`. */
export const lettersOf = (name: string): string => name.replace(/[^a-z]+/gi, "")

/** Whether the letters of a field's name say that it has the host, the page or the query of a request. */
export const isOfRequest = (name: string): boolean =>
  HOST_NAME.test(name) || PAGE_NAME.test(name) || QUERY_NAME.test(name)

/** Whether fields with these names have both the host and the page of a request. */
export const haveHostAndPage = (names: ReadonlyArray<string>): boolean =>
  [HOST_NAME, PAGE_NAME].every((pattern) => names.some((name) => pattern.test(name)))

/**
 * Joins the requested hosts and pages of a record: returns the URLs that a field completes. `mayBeAddress`: an IP address is a
 * requested host too, not that of a client or server.
 */
export const make = (mayBeAddress: boolean) => {
  const origins: Array<string> = []
  const pages: Array<string> = []
  return (field: string, value: string, at: number): ReadonlyArray<Found> => {
    const name = lettersOf(field)
    const joined = (origin: string, page: string) => foundAt(`${origin}${page}`, at, page, true)
    if (HOST_NAME.test(name)) {
      const [, scheme = "http://", host = ""] = ORIGIN.exec(value) ?? []
      const isHost = (mayBeAddress || /[a-z]/i.test(host)) && isBareLink(host, true)
      const origin = `${scheme}${host}`
      if (!isHost || origins.includes(origin) || origins.length === MAX_HOSTS) return []
      origins.push(origin)
      return pages.map((page) => joined(origin, page))
    }
    const hasNoQuery = pages[0]?.includes("?") === false
    const [query] = hasNoQuery && QUERY_NAME.test(name) ? (QUERY.exec(value) ?? []) : []
    if (/^path$/i.test(name) && FILE.test(value)) return []
    const page = PAGE_NAME.test(name) ? PAGE.exec(value)?.[1] : query && `${pages[0]}?${query}`
    if (page === undefined || pages.includes(page) || pages.length === MAX_PAGES) return []
    // Without its query only if it has been returned so.
    if (query !== undefined && origins.length === 0) pages[0] = page
    else pages.push(page)
    return origins.map((origin) => joined(origin, page))
  }
}
