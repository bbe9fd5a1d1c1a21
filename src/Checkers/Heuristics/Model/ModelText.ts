import type { CanonicalUrl } from "../../CanonicalUrl.ts"
import * as PublicSuffix from "../../PublicSuffix.ts"
import type * as HostName from "../Host/HostName.ts"
import type { HostFacts } from "../Host.ts"

/** What of a host the model reads. `www` is no part of it. */
export interface HostText {
  /** Lower case, only its end if it is long. */
  readonly host: string
  /** What of `host` its holder chose: all before the suffix, `""` for an IP address. */
  readonly chosen: string
  /** The suffix, or `~` for every suffix under which customers of one firm publish. */
  readonly suffix: string
}

/** What the model reads behind the host. Scheme, port and user info are not read. */
export interface RestText {
  /** Path and query with the `?`, as written, only the beginning if long. */
  readonly rest: string
  /** Where the query begins in `rest`, its length if there is none. */
  readonly pathEnd: number
}

/** In characters. What lies beyond is padding, and the time must be bounded. */
const LONGEST_HOST = 100
const LONGEST_REST = 200

/** Of host and rest together, with the suffix and the dot before it. */
export const LONGEST = 2 * LONGEST_HOST + LONGEST_REST + 1

/** What `~` stands for: our data hold phishing of hosting firms whose honest customers they do not know. */
export const HOSTED = "~"
/** The host text of every IP address. */
export const ADDRESS = "#"

const leadingWww = /^(?:www\d?(?:\.|$))+/

/** Of `www.shop.example.github.io` the host is `shop.example.~`, chosen `shop.example`, and the suffix `~`. */
export const ofHost = ({ host, isAddress, name }: HostFacts): HostText => {
  if (isAddress) return { host: ADDRESS, chosen: "", suffix: "" }
  if (name === undefined) {
    const shown = host.slice(-LONGEST_HOST)
    return { host: shown, chosen: shown, suffix: "" }
  }
  const withoutWww = name.chosen.startsWith("www") ? name.chosen.replace(leadingWww, "") : name.chosen
  const chosen = withoutWww.slice(-LONGEST_HOST)
  const suffix = isHosted(name) ? HOSTED : name.suffix.slice(-LONGEST_HOST)
  return { host: `${chosen}.${suffix}`, chosen, suffix }
}

const isHosted = ({ publisher, suffix }: HostName.HostName): boolean =>
  publisher !== undefined || (suffix.includes(".") && PublicSuffix.isPrivateSuffix(suffix))

/** `ofRest` of `https://example.com/a?b` has the rest `/a?b`, whose query begins at 2. */
export const ofRest = ({ path, query }: CanonicalUrl): RestText => {
  const shownPath = path.length > LONGEST_REST ? path.slice(0, LONGEST_REST) : path
  const rest = query === undefined ? shownPath : `${shownPath}?${query}`.slice(0, LONGEST_REST)
  return { rest, pathEnd: shownPath.length }
}
