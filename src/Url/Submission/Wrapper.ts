/** Known wrappers: links of a service that lead to another address inside the link (see wrappers.tsv). */

import { Array as Arrays } from "effect"
import * as RawUrl from "../CanonicalUrl/RawUrl.ts"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as InnerAddress from "./InnerAddress.ts"
import { destinations } from "./Wrapper/Destination.ts"
import type { Wrapper } from "./Wrapper/wrappers.schema.js"
import wrappers from "./Wrapper/wrappers.tsv"

/** The wrapper that a URL is a link of; undefined for nearly all URLs, at little cost. */
export const find = ({ scheme, host, path }: CanonicalUrl): Wrapper | undefined => {
  const name = host.includes("google.") ? host.replace(GOOGLE_BY_COUNTRY, "$1google.com") : host
  return rowsByDomain
    .get(lastTwoLabels(name))
    ?.find((row) => RawUrl.isWeb(scheme) && hasHost(row.name, name) && hasPath(row.wrapper, path))?.wrapper
}

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
      InnerAddress.readDecoded(servesPage && SITE.test(text) ? `https://${text}` : plain) ??
      InnerAddress.readWithoutScheme(plain)
    if (address === undefined) unread.add(InnerAddress.unreadKind(plain))
    else addresses.push(servesPage ? { ...address, url: { ...address.url, scheme: "https" } } : address)
  }
  // Some rows try out several places: what is no web address counts only if none of them has one.
  return { addresses, isUnread: unread.has("web") || (unread.has("other") && addresses.length === 0) }
}

/** A host with a dot in front of its port, page or query, but not an encoded address. */
const SITE = /^(?!https?%)[^/\\?#:\s]+\.[^/\\?#:\s]/i

const GOOGLE_BY_COUNTRY = /(^|\.)google\.(?:cat|(?:com?\.)?[a-z]{2})$/

const lastTwoLabels = (host: string): string => {
  const last = host.lastIndexOf(".")
  return last === -1 ? host : host.slice(host.lastIndexOf(".", last - 1) + 1)
}

/** A row for each host of a wrapper. */
const rows = wrappers.flatMap((wrapper) => wrapper.hosts.map((name) => ({ wrapper, name })))

const rowsByDomain = new Map(Object.entries(Arrays.groupBy(rows, ({ name }) => lastTwoLabels(name))))

const hasHost = (name: string, host: string): boolean =>
  name.startsWith("*") ? `.${host}`.endsWith(name.slice(1)) : host === name

const hasPath = (wrapper: Wrapper, path: string): boolean =>
  wrapper.path.endsWith("/")
    ? path.startsWith(wrapper.path)
    : path === wrapper.path || path === `${wrapper.path}/`
