import { isIP } from "node:net"
import { Option } from "effect"
import * as PublicAddress from "../../../Layers/Outbound/PublicAddress.ts"
import * as PrivateHost from "../../PrivateHost.ts"

/** One request of a chain of redirects, and what it may do. */
export interface FeedHop {
  readonly url: URL
  /** How many redirects led here. */
  readonly redirects: number
  /** Whether the feed's auth header goes along: not any more once the chain has left the feed's own origin. */
  readonly isAtHome: boolean
  /** Whether the whole chain, this URL included, has been in somebody's own network. */
  readonly isInside: boolean
  /** Whether a name may turn out to be of somebody's own network. */
  readonly mayConnectInside: boolean
}

/** A private host by its name, or an address that is not of the Internet. */
const isPrivate = ({ hostname }: URL): boolean => {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? PrivateHost.isPrivate(hostname) : !PublicAddress.isPublic(address)
}

/** The request for the address that the operator configured: that may be anywhere. */
export const first = (url: URL): FeedHop => ({
  url,
  redirects: 0,
  isAtHome: true,
  isInside: isPrivate(url),
  mayConnectInside: true
})

/**
 * The request to which a redirect leads, if it may: nothing but HTTPS, and nothing private from a host on the Internet.
 * Within somebody's own network plain HTTP may lead on to plain HTTP: an operator's own mirror or test.
 *
 * `next(first(new URL("https://feeds.example/")), "http://feeds.example/")` is None.
 */
export const next = (hop: FeedHop, location: string): Option.Option<FeedHop> => {
  if (!URL.canParse(location, hop.url.href)) return Option.none()
  const url = new URL(location, hop.url)
  const isSecureEnough =
    url.protocol === "https:" || (url.protocol === "http:" && hop.url.protocol === "http:" && hop.isInside)
  if (!isSecureEnough || (isPrivate(url) && !hop.isInside)) return Option.none()
  return Option.some({
    url,
    redirects: hop.redirects + 1,
    isAtHome: hop.isAtHome && url.origin === hop.url.origin,
    isInside: hop.isInside && isPrivate(url),
    mayConnectInside: hop.isInside
  })
}
