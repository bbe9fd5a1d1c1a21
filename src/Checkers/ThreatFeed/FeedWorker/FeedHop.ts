import { isIP } from "node:net"
import * as PublicAddress from "../../../Layers/Outbound/PublicAddress.ts"
import * as PrivateHost from "../../PrivateHost.ts"

/** One request of a chain of redirects, and what it may do. */
export interface FeedHop {
  readonly url: URL
  /** How many redirects led here. */
  readonly redirects: number
  /** Whether the whole chain stays at the feed's own origin: only there the feed's auth header is sent. */
  readonly isAtHome: boolean
  /** Whether the whole chain, this URL included, is in a private network. */
  readonly isInside: boolean
  /** Whether a name may resolve to an address of a private network. */
  readonly mayConnectInside: boolean
}

/** A private host by its name, or an address that is not of the Internet. */
const isPrivate = ({ hostname }: URL): boolean => {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? PrivateHost.isPrivate(hostname) : !PublicAddress.isPublic(address)
}

/** The request for the address that the operator configured, which may be anywhere. */
export const first = (url: URL): FeedHop => ({
  url,
  redirects: 0,
  isAtHome: true,
  isInside: isPrivate(url),
  mayConnectInside: true
})

/**
 * The request to which a redirect leads; undefined when that is forbidden. Allowed is HTTPS, but no private host from a
 * host on the Internet. Within a private network HTTP may lead on to HTTP, for an operator's own mirror or test.
 *
 * `next(first(new URL("https://feeds.example/")), "http://feeds.example/")` is undefined.
 */
export const next = (hop: FeedHop, location: string): FeedHop | undefined => {
  if (!URL.canParse(location, hop.url.href)) return undefined
  const url = new URL(location, hop.url)
  const isSecureEnough =
    url.protocol === "https:" || (url.protocol === "http:" && hop.url.protocol === "http:" && hop.isInside)
  if (!isSecureEnough || (isPrivate(url) && !hop.isInside)) return undefined
  return {
    url,
    redirects: hop.redirects + 1,
    isAtHome: hop.isAtHome && url.origin === hop.url.origin,
    isInside: hop.isInside && isPrivate(url),
    mayConnectInside: hop.isInside
  }
}
