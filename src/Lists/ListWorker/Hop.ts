import { isIP } from "node:net"
import * as PrivateHost from "../../Url/PrivateHost.ts"
import * as PublicAddress from "../PublicAddress.ts"

/** One request of a chain of redirects, and what it may do. */
export interface Hop {
  readonly url: URL
  /** How many redirects led here. */
  readonly redirects: number
  /** Whether all URLs of the chain have the feed's origin: only then the feed's auth header is sent. */
  readonly isSameOrigin: boolean
  /** Whether all URLs of the chain have a private host. */
  readonly isPrivateChain: boolean
  /** Whether a name may resolve to an address of a private network. */
  readonly allowsPrivateAddress: boolean
}

/** A private host by its name, or an address that is not of the Internet. */
const isPrivate = ({ hostname }: URL): boolean => {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? PrivateHost.isPrivate(hostname) : !PublicAddress.isPublic(address)
}

/** The request for the address that the operator configured, which may be anywhere. */
export const first = (url: URL): Hop => ({
  url,
  redirects: 0,
  isSameOrigin: true,
  isPrivateChain: isPrivate(url),
  allowsPrivateAddress: true
})

/**
 * The request to which a redirect leads; undefined when one of the rules forbids it:
 *
 * - The new URL is HTTPS, or HTTP after HTTP if all hosts before it are private (an operator's own mirror or test).
 * - Its host is private only if all hosts before it are.
 * - After a public host, its name must not resolve to a private address (`allowsPrivateAddress`, checked by the connection).
 *
 * `next(first(new URL("https://feeds.example/")), "http://feeds.example/")` is undefined.
 */
export const next = (hop: Hop, location: string): Hop | undefined => {
  if (!URL.canParse(location, hop.url.href)) return undefined
  const url = new URL(location, hop.url)
  const isSecureEnough =
    url.protocol === "https:" ||
    (url.protocol === "http:" && hop.url.protocol === "http:" && hop.isPrivateChain)
  if (!isSecureEnough || (isPrivate(url) && !hop.isPrivateChain)) return undefined
  return {
    url,
    redirects: hop.redirects + 1,
    isSameOrigin: hop.isSameOrigin && url.origin === hop.url.origin,
    isPrivateChain: hop.isPrivateChain && isPrivate(url),
    allowsPrivateAddress: hop.isPrivateChain
  }
}
