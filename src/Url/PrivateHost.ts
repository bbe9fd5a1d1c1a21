import { BlockList, isIPv4 } from "node:net"

/** Address ranges of private networks and of the machine itself, not routed on the Internet (RFC 6890). */
export const privateBlocks: ReadonlyArray<string> = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::/127",
  "fc00::/7",
  "fe80::/10"
]

/** `blocks` are in the notation of CIDR. */
export const blockList = (blocks: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const block of blocks) {
    const [network = "", bits] = block.split("/")
    list.addSubnet(network, Number(bits), isIPv4(network) ? "ipv4" : "ipv6")
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
