import { isIPv4, isIPv6, SocketAddress } from "node:net"

/** Clients without a readable address share this one. */
const UNKNOWN = "unknown"

const IPV6_GROUPS = 8
/** A household or server commonly gets a whole /64, and can use every address in it. */
const NETWORK_GROUPS = 4

/** An IPv4-mapped address (https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2) as Node has it, as IPv4. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, "")

/** The eight groups of an IPv6 address as Node has it: `2001:db8::1` is 2001, db8, five times 0, 1. */
const groupsOf = (address: string): ReadonlyArray<string> => {
  const [head = [], tail] = address.split("::").map((part) => (part === "" ? [] : part.split(":")))
  if (tail === undefined) return head
  const zeros = Array.from({ length: IPV6_GROUPS - head.length - tail.length }, () => "0")
  return [...head, ...zeros, ...tail]
}

/** `192.0.2.1`, also for `::ffff:c000:201`, or `2001:db8:0:1::/64`; undefined if the text is not an IP address. */
const countedAddressOf = (text: string): string | undefined => {
  const address = unmapped(text.replace(/%.*$/s, ""))
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  // Of all spellings of an address, the system has one: in lower case, the most zeros left out, IPv4 in decimal.
  const canonical = unmapped(new SocketAddress({ address, family: "ipv6" }).address)
  if (isIPv4(canonical)) return canonical
  return `${groupsOf(canonical).slice(0, NETWORK_GROUPS).join(":")}::/64`
}

/** An entry of X-Forwarded-For without the port that some proxies add. */
const withoutPort = (entry: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1]
  if (bracketed !== undefined) return bracketed
  return /^[^:]*:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(":")) : entry
}

/** A copy that does not keep the text in memory that it was a part of. */
const copyOf = (text: string): string => Buffer.from(text).toString()

/** The n-th entry from the right, which the first of the trusted proxies has written. */
const entryOf = (forwardedFor: string, trustedProxies: number): string | undefined => {
  const entry = forwardedFor.split(",").at(-trustedProxies)
  return entry === undefined ? undefined : copyOf(withoutPort(entry.trim()))
}

/**
 * The address of the client itself, by the same rule as `clientAddress`; undefined if the header, which a client may have written,
 * has no such entry.
 */
export const exactAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number
): string | undefined =>
  (trustedProxies === 0 || forwardedFor === undefined
    ? peer
    : entryOf(forwardedFor, trustedProxies)
  )?.replace(/%.*$/s, "")

/**
 * The address that a request is counted for: an IPv4 address, or the /64 network of an IPv6 address.
 *
 * With `trustedProxies` = n > 0 it is the n-th entry of X-Forwarded-For from the right: entries further left are written by
 * the client. If there are fewer entries, or that entry is not an address, the request did not come through the trusted proxies,
 * and the address of the socket counts: no spelling of the header evades the limit.
 *
 * @example clientAddress("::ffff:198.51.100.7", "203.0.113.9, 192.0.2.1", 1) === "192.0.2.1"
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number
): string =>
  countedAddressOf(exactAddress(peer, forwardedFor, trustedProxies) ?? "") ??
  countedAddressOf(peer ?? "") ??
  UNKNOWN
