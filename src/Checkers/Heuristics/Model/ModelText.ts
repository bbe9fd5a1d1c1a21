/** The text that the model reads: host, path and query, each cut to a maximum length. */

import type { CanonicalUrl } from "../../../Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import type { HostName } from "../Host.ts"
import type { HostFacts } from "../HostFacts.ts"

/** The host without `www`. */
export interface HostText {
  /** Lower case; the end of a long host. */
  readonly host: string
  /** The part before the suffix, which the registrant chose; `""` for an IP address. */
  readonly chosen: string
  /** The suffix; `~` for every suffix of a hosting firm. */
  readonly suffix: string
}

/** Path and query. Scheme, port and user info are not read. */
export interface PathText {
  /** Path and query with the `?`, as written; the beginning of a long one. */
  readonly text: string
  /** The index of the query in `text`; its length if there is no query. */
  readonly pathEnd: number
}

/** The rest is padding; also bounds the time. */
const MAX_HOST_CHARS = 100
const MAX_PATH_CHARS = 200

/** Of host and path together, including the suffix and its dot. */
export const MAX_CHARS = 2 * MAX_HOST_CHARS + MAX_PATH_CHARS + 1

/** The suffix text of all hosting firms: the training data lack honest pages of most of them. */
export const HOSTED = "~"
/** The host text of every IP address. */
const ADDRESS = "#"

const leadingWww = /^(?:www\d?(?:\.|$))+/

/** For `www.shop.example.github.io` the host is `shop.example.~`, chosen `shop.example`, and the suffix `~`. */
export const hostTextOf = ({ host, isAddress, name }: HostFacts): HostText => {
  if (isAddress) return { host: ADDRESS, chosen: "", suffix: "" }
  if (name === undefined) {
    const end = host.slice(-MAX_HOST_CHARS)
    return { host: end, chosen: end, suffix: "" }
  }
  return textUnder(name, name.chosen)
}

/** The text of a host before the suffix of a name. */
const textUnder = (name: HostName, before: string): HostText => {
  const withoutWww = before.startsWith("www") ? before.replace(leadingWww, "") : before
  const chosen = withoutWww.slice(-MAX_HOST_CHARS)
  const suffix = isHosted(name) ? HOSTED : name.suffix.slice(-MAX_HOST_CHARS)
  return { host: `${chosen}.${suffix}`, chosen, suffix }
}

/** The text of the registrable domain with a prefix: see `UrlFacts.domainPrefixes`. */
export const domainTextOf = (host: HostFacts, prefix: string): HostText =>
  host.name === undefined ? hostTextOf(host) : textUnder(host.name, `${prefix}${host.name.name}`)

const isHosted = ({ hostingFirm, suffix }: HostName): boolean =>
  hostingFirm !== undefined || (suffix.includes(".") && PublicSuffix.isPrivateSuffix(suffix))

/** For `https://example.com/a?b` the text is `/a?b`, with the path's end at 2. */
export const pathTextOf = ({ path, query }: CanonicalUrl): PathText => {
  const start = path.length > MAX_PATH_CHARS ? path.slice(0, MAX_PATH_CHARS) : path
  const text = query === undefined ? start : `${start}?${query}`.slice(0, MAX_PATH_CHARS)
  return { text, pathEnd: start.length }
}
