import { lookup } from "node:dns"
import { isIP, isIPv4, type LookupFunction } from "node:net"
import * as PrivateHost from "../Url/PrivateHost.ts"

/**
 * Address blocks outside of the public Internet: those of private networks, the others that the IANA registries list as not
 * globally reachable (https://www.iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry), multicast,
 * and the IPv6 blocks that contain an IPv4 address.
 */
const special = PrivateHost.blockList([
  ...PrivateHost.privateBlocks,
  "192.0.0.0/24",
  "192.0.2.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "::/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "ff00::/8"
])

/**
 * Whether an IP address is on the public Internet. An IPv4-mapped IPv6 address is checked as IPv4. A text that is no
 * address is not public.
 *
 * `isPublic("192.168.0.1")` and `isPublic("::ffff:127.0.0.1")` are false, `isPublic("8.8.8.8")` is true.
 */
export const isPublic = (address: string): boolean =>
  isIP(address) !== 0 && !special.check(address, isIPv4(address) ? "ipv4" : "ipv6")

/** The code of the error for a name that resolves to an address that is not public. */
export const NOT_PUBLIC = "ENOTPUBLIC"

/**
 * Resolves a name to public addresses, or fails with `NOT_PUBLIC`. Used as the `lookup` of a connection, so the checked
 * address is the one that is connected to (no DNS rebinding). Node does not call it for an IP address in the URL: the caller
 * must check that.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const failure =
      error ??
      (addresses.every(({ address }) => isPublic(address))
        ? null
        : Object.assign(new Error("not a public address"), { code: NOT_PUBLIC }))
    const [first] = addresses ?? []
    if (options.all || failure !== null || first === undefined) callback(failure, addresses ?? [])
    else callback(null, first.address, first.family)
  })
