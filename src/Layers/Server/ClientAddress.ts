import { isIP, isIPv4 } from "node:net"

/** Clients without a readable address share this one. */
const UNKNOWN = "unknown"

const IPV6_GROUPS = 8
/** A household or server commonly gets a whole /64, and can use every address in it. */
const NETWORK_GROUPS = 4

/** How Node writes an IPv4 client of a socket that listens on `::`. Only faster than reading the groups. */
const USUAL_IPV4_MAPPED = /^::ffff:(?=[0-9]+\.[0-9.]+$)/

/** The first six groups of an IPv4-mapped address (https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2). */
const IPV4_MAPPED = [0, 0, 0, 0, 0, 0xffff]

/** The one or two groups of a part between colons: the last of an address may be an IPv4 address. */
const groupsOfPart = (part: string): ReadonlyArray<number> => {
  if (!part.includes(".")) return [Number.parseInt(part, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number)
  return [a * 256 + b, c * 256 + d]
}

const groupsBetween = (parts: string): ReadonlyArray<number> =>
  parts === "" ? [] : parts.split(":").flatMap(groupsOfPart)

/** The eight groups of an IPv6 address: `2001:db8::1` is 0x2001, 0xdb8, five times 0, 1. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = address.split("::")
  const left = groupsBetween(head)
  if (tail === undefined) return left
  const right = groupsBetween(tail)
  const missing = Math.max(0, IPV6_GROUPS - left.length - right.length)
  return [...left, ...Array.from({ length: missing }, () => 0), ...right]
}

/** `192.0.2.1`, also for `::ffff:c000:201`, or `2001:db8:0:1::/64`; undefined if the text is no IP address. */
const countedAddressOf = (text: string): string | undefined => {
  const address = text.replace(/%.*$/s, "").replace(USUAL_IPV4_MAPPED, "")
  if (isIPv4(address)) return address
  if (isIP(address) === 0) return undefined
  const groups = groupsOf(address)
  if (IPV4_MAPPED.every((group, index) => groups[index] === group))
    return groups
      .slice(IPV4_MAPPED.length)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".")
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16))
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
