import { BlockList, isIP, isIPv4 } from "node:net"

const familyOf = (address: string) => (isIPv4(address) ? ("ipv4" as const) : ("ipv6" as const))

const BITS = { ipv4: 32, ipv6: 128 } as const

/** The network of `192.0.2.7`, `192.0.2.0/24` or `2001:db8::/32`; undefined if the text is none. */
const networkOf = (text: string) => {
  const [, address = "", written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (isIP(address) === 0 || address.includes("%")) return undefined
  const family = familyOf(address)
  const bits = written === undefined ? BITS[family] : Number(written)
  return bits <= BITS[family] ? { address, bits, family } : undefined
}

/** Whether the text is an address, or a network in the notation of CIDR. */
export const isNetwork = (text: string): boolean => networkOf(text) !== undefined

/** The addresses of networks; texts that are not networks are left out. */
export const blockListOf = (networks: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const text of networks) {
    const network = networkOf(text)
    if (network !== undefined) list.addSubnet(network.address, network.bits, network.family)
  }
  return list
}

/** Whether the text is an address of the list. An IPv4-mapped IPv6 address counts as IPv4. */
export const contains = (list: BlockList, address: string): boolean =>
  isIP(address) !== 0 && list.check(address, familyOf(address))
