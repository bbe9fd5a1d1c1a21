import { isIP } from "node:net"
import type { FeedLine } from "./FeedLine.ts"

const WHITE_SPACE = /\s+/
const HOST_NAME = /^[\p{L}\p{N}._-]+$/u

/** Addresses where no server answers: names that lead there are blocked. */
const isSinkhole = (address: string): boolean =>
  address === "0" || address === "0.0.0.0" || address === "::" || isLoopback(address)

const isLoopback = (address: string): boolean =>
  address === "::1" || (address.startsWith("127.") && isIP(address) === 4)

/** Not the machine's own names (`localhost`, `localhost.localdomain`, `broadcasthost`), and not `0.0.0.0`. */
const isBlocked = (name: string): boolean =>
  name.includes(".") && name !== "localhost.localdomain" && isIP(name) === 0

/**
 * Reads a line of the format `hosts` (https://man7.org/linux/man-pages/man5/hosts.5.html): an address and the names that
 * lead there. Names that lead to no server are entries; names of the machine itself and of other servers are not used.
 *
 * `read("0.0.0.0 bad.example # note")` is `["bad.example"]`, `read("127.0.0.1 localhost")` is `Unused`.
 */
export const read = (line: string): FeedLine => {
  const comment = line.indexOf("#")
  const content = (comment === -1 ? line : line.slice(0, comment)).trim()
  if (content === "") return "Comment"
  const [address = "", ...names] = content.split(WHITE_SPACE)
  const isAddress = isSinkhole(address) || isIP(address) !== 0
  if (!isAddress || names.length === 0 || !names.every((name) => HOST_NAME.test(name))) return "Unreadable"
  const blocked = isSinkhole(address) ? names.filter(isBlocked) : []
  return blocked.length === 0 ? "Unused" : blocked
}
