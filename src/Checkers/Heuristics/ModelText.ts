import * as CanonicalHost from "../CanonicalUrl/CanonicalHost.ts"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as PublicSuffix from "../PublicSuffix.ts"
import * as HostName from "./HostName.ts"

/** The parts of a URL that the model reads. Scheme, port, user info and `www` are not among them. */
export interface ModelText {
  /** The host taken apart; nothing for an IP address and a host that nobody holds. */
  readonly name: HostName.HostName | undefined
  /** Lower case, only its end if it is long. */
  readonly host: string
  /** What of `host` its holder chose: all before the suffix, `""` for an IP address. */
  readonly chosen: string
  /** The suffix, or `~` for every suffix under which customers of one firm publish. */
  readonly suffix: string
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
const ADDRESS = "#"

const leadingWww = /^(?:www\d?(?:\.|$))+/

/**
 * `of(https://www.shop.example.github.io/a?b)` has the host `shop.example.~`, chosen `shop.example`, the suffix `~` and
 * the rest `/a?b`.
 */
export const of = ({ host, path, query }: CanonicalUrl): ModelText => {
  const isAddress = CanonicalHost.isIpAddress(host)
  const name = isAddress ? undefined : HostName.parse(host)
  const shownPath = path.length > LONGEST_REST ? path.slice(0, LONGEST_REST) : path
  const rest = query === undefined ? shownPath : `${shownPath}?${query}`.slice(0, LONGEST_REST)
  const pathEnd = shownPath.length
  if (name === undefined) {
    const shown = isAddress ? ADDRESS : host.slice(-LONGEST_HOST)
    return { name, host: shown, chosen: isAddress ? "" : shown, suffix: "", rest, pathEnd }
  }
  const chosen = name.chosen.replace(leadingWww, "").slice(-LONGEST_HOST)
  const suffix = isHosted(name) ? HOSTED : name.suffix.slice(-LONGEST_HOST)
  return { name, host: `${chosen}.${suffix}`, chosen, suffix, rest, pathEnd }
}

const isHosted = ({ publisher, suffix }: HostName.HostName): boolean =>
  publisher !== undefined || (suffix.includes(".") && PublicSuffix.isPrivateSuffix(suffix))
