import { isIP, isIPv4 } from "node:net"

/** Clients without a readable address share this one. */
const UNKNOWN = "unknown"

const IPV6_GROUPS = 8
/** A household or server commonly gets a whole /64, and can use every address in it. */
const NETWORK_GROUPS = 4

const IPV4_MAPPED_PREFIX = /^::ffff:(?=[0-9.]+$)/i

/** The eight groups of an IPv6 address: `2001:db8::1` is `2001`, `db8`, five times `0`, `1`. */
const groupsOf = (address: string): ReadonlyArray<string> => {
  const [head = "", tail] = address.split("::")
  const left = head === "" ? [] : head.split(":")
  if (tail === undefined) return left
  const right = tail === "" ? [] : tail.split(":")
  const missing = Math.max(0, IPV6_GROUPS - left.length - right.length)
  return [...left, ...Array.from({ length: missing }, () => "0"), ...right]
}

/** `192.0.2.1` or `2001:db8:0:1::/64`; undefined if the text is no IP address. */
const countedAddressOf = (text: string): string | undefined => {
  const address = text.replace(/%.*$/s, "").replace(IPV4_MAPPED_PREFIX, "")
  if (isIPv4(address)) return address
  if (isIP(address) === 0) return undefined
  const network = groupsOf(address)
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(":")}::/64`
}

/** An entry of X-Forwarded-For without the port that some proxies add. */
const withoutPort = (entry: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1]
  if (bracketed !== undefined) return bracketed
  return /^[^:]*:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(":")) : entry
}

/**
 * The address that a request is counted for: an IPv4 address, or the /64 network of an IPv6 address.
 *
 * With `trustedProxies` = n > 0 it is the n-th entry of X-Forwarded-For from the right: entries further left are written by
 * the client. If there are fewer entries, or that entry is no address, the request did not come through the trusted proxies,
 * and the address of the socket counts: no spelling of the header evades the limit.
 *
 * @example clientAddress("::ffff:198.51.100.7", "203.0.113.9, 192.0.2.1", 1) === "192.0.2.1"
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number
): string => {
  const ownAddress = countedAddressOf(peer ?? "") ?? UNKNOWN
  if (trustedProxies === 0 || forwardedFor === undefined) return ownAddress
  const entry = forwardedFor.split(",").at(-trustedProxies)
  return (entry === undefined ? undefined : countedAddressOf(withoutPort(entry.trim()))) ?? ownAddress
}
