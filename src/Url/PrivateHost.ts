import { BlockList, isIPv4 } from "node:net"

/** Address blocks, each the first address with the number of leading bits. */
export interface AddressBlocks {
  readonly ipv4: ReadonlyArray<readonly [network: string, bits: number]>
  readonly ipv6: ReadonlyArray<readonly [network: string, bits: number]>
}

/** Address ranges of private networks and of the machine itself, not routed on the Internet (RFC 6890). */
export const privateBlocks: AddressBlocks = {
  ipv4: [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16]
  ],
  ipv6: [
    ["::", 127],
    ["fc00::", 7],
    ["fe80::", 10]
  ]
}

/** A list with all of these blocks. */
export const blockList = (...all: ReadonlyArray<AddressBlocks>): BlockList => {
  const list = new BlockList()
  for (const { ipv4, ipv6 } of all) {
    for (const [network, bits] of ipv4) list.addSubnet(network, bits, "ipv4")
    for (const [network, bits] of ipv6) list.addSubnet(network, bits, "ipv6")
  }
  return list
}

const privateAddresses = blockList(privateBlocks)

/** Suffixes that never resolve on the Internet: RFC 6761, RFC 6762 with appendix G, RFC 8375, ICANN's `internal` (2024). */
const privateSuffixes = [
  ".localhost",
  ".local",
  ".internal",
  ".home.arpa",
  ".lan",
  ".home",
  ".corp",
  ".intranet"
]

/**
 * Whether a canonical host belongs to a private network: an address of a private range, a name without a dot, or a name
 * below a private suffix.
 *
 * `isPrivate("192.168.0.1")`, `isPrivate("[::1]")` and `isPrivate("intranet")` are true, `isPrivate("example.com")` is
 * false.
 */
export const isPrivate = (host: string): boolean => {
  if (host.startsWith("[")) return privateAddresses.check(host.slice(1, -1), "ipv6")
  if (isIPv4(host)) return privateAddresses.check(host, "ipv4")
  return !host.includes(".") || privateSuffixes.some((suffix) => host.endsWith(suffix))
}
