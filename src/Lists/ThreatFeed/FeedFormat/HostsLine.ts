import { isIP } from "node:net"
import type { SkipReason } from "./SkippedRows.ts"

/** A note may name the reporter, or what the host imitates. */
const NOTE = /#|\s(?:\/\/|[;(-])/

const HOST_NAME = /^(?:\*\.)?[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u

/** Whether no server answers at an address: names that lead there are blocked. */
const isSinkhole = (address: string): boolean =>
  ["0", "0.0.0.0", "::", "::1"].includes(address) || (address.startsWith("127.") && isIP(address) === 4)

/** Whether a name is not the machine's own (`localhost`, `localhost.localdomain`, `broadcasthost`), and not `0.0.0.0`. */
const isBlockable = (name: string): boolean =>
  name.includes(".") && name !== "localhost.localdomain" && isIP(name) === 0

/**
 * Reads a line of the format `hosts` (https://man7.org/linux/man-pages/man5/hosts.5.html): an address and the names that lead
 * there. Returns the names that lead to no server, or why there are none.
 *
 * `readHosts("0.0.0.0 bad.example # note")` is `["bad.example"]`, `readHosts("127.0.0.1 localhost")` is
 * `"Name that is not blocked"`.
 */
export const readHosts = (line: string): ReadonlyArray<string> | SkipReason => {
  const [content = ""] = line.split(NOTE, 1)
  const [address = "", ...words] = content.trim().split(/\s+/)
  if (!(isSinkhole(address) || isIP(address) !== 0) || !HOST_NAME.test(words[0] ?? ""))
    return "Not a row of the format"
  // A note without a mark may follow the names.
  const names = words.filter((word) => HOST_NAME.test(word) && isBlockable(word))
  return isSinkhole(address) && names.length > 0 ? names : "Name that is not blocked"
}
