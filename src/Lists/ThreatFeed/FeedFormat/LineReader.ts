import { isIP } from "node:net"
import { StringDecoder } from "node:string_decoder"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH } from "./FeedRow.ts"

/** With the white space around the entry. */
const MAX_LINE_LENGTH = 2 * MAX_ENTRY_LENGTH

/** Enough to find a systematic mistake. */
const MAX_NOTED_LINES = 10

/**
 * The entries of one line without white space around it; none for a comment or a blank line.
 *
 * - `Unused`: something that the format has but a list cannot contain, such as an exception.
 * - `Unreadable`: the line does not have the format.
 */
type ReadLine = (line: string) => ReadonlyArray<string> | "Unused" | "Unreadable"

/**
 * Reads a document line by line. Lines end with LF or CRLF, the last one also with nothing. Those longer than
 * `MAX_ENTRY_LENGTH` are unreadable.
 */
export class LineReader implements FeedReader {
  unreadable = 0
  unused = 0
  readonly isFull = false
  /** The numbers of the first unreadable lines, from 1. */
  readonly unreadableLines: Array<number> = []
  #line = 0
  readonly #readLine: ReadLine
  readonly #decoder = new StringDecoder("utf8")
  /** The beginning of a line whose end is in a later chunk; at most one character more than a line may have. */
  #partial = ""

  constructor(readLine: ReadLine) {
    this.#readLine = readLine
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    const lines = (this.#partial + this.#decoder.write(chunk)).split("\n")
    this.#partial = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH + 1)
    return lines.flatMap((line) => this.#rows(line))
  }

  end(): ReadonlyArray<FeedRow> {
    return this.#rows(this.#partial + this.#decoder.end())
  }

  #rows(line: string): ReadonlyArray<FeedRow> {
    // `trim` removes a byte order mark as well.
    const text = line.trim()
    this.#line++
    const isTooLong = line.length > MAX_LINE_LENGTH || text.length > MAX_ENTRY_LENGTH
    const entries = isTooLong ? "Unreadable" : this.#readLine(text)
    if (entries === "Unused") this.unused++
    else if (entries !== "Unreadable") return entries.map((text) => ({ text }))
    else if (++this.unreadable <= MAX_NOTED_LINES) this.unreadableLines.push(this.#line)
    return []
  }
}

const WHITE_SPACE = /\s/

/** `[Adblock Plus 2.0]`, the first line of a filter list. `[adb8::1]` is an address. */
const FILTER_LIST_HEADER = /^\[ad(?:block|guard)[^\]]*\]$/i

/** `example.com##.banner`: hides a part of a page. A URL has a colon or a slash before a `#`. */
const COSMETIC_RULE = /^[^:/?#]*#[@?$%]{0,3}#/

/** A rule that blocks a page itself, for every visitor, and the host or page. Others are for parts of pages or some pages only. */
const WHOLE_PAGE_RULE = /^\|\|([^\s*^$]+?)\s*\^?(?:\$(?:(?:all|doc|document|important)(?:,|$))+)?$/

/**
 * Reads a line of the format `lines`: a URL or a host, or a rule of a filter list
 * (https://adguard.com/kb/general/ad-filtering/create-own-filters/). Of these `||` rules are entries.
 *
 * Unreadable is a line with white space in it, which is a row of a table or a text: a date could be read as an IPv4 address.
 *
 * `readEntry("||bad.example^$all")` and `readEntry("bad.example")` are `["bad.example"]`, `readEntry("@@||good.example^")`
 * is `Unused`.
 */
export const readEntry: ReadLine = (line) => {
  if (line === "" || line.startsWith("#") || line.startsWith("!") || FILTER_LIST_HEADER.test(line)) return []
  if (line.startsWith("@@") || COSMETIC_RULE.test(line)) return "Unused"
  if (line.startsWith("||")) return WHOLE_PAGE_RULE.exec(line)?.slice(1) ?? "Unused"
  return WHITE_SPACE.test(line) ? "Unreadable" : [line]
}

const HOST_NAME = /^[\p{L}\p{N}._-]+$/u

/** Addresses where no server answers: names that lead there are blocked. */
const isSinkhole = (address: string): boolean =>
  ["0", "0.0.0.0", "::", "::1"].includes(address) || (address.startsWith("127.") && isIP(address) === 4)

/** Not the machine's own names (`localhost`, `localhost.localdomain`, `broadcasthost`), and not `0.0.0.0`. */
const isBlocked = (name: string): boolean =>
  name.includes(".") && name !== "localhost.localdomain" && isIP(name) === 0

/**
 * Reads a line of the format `hosts` (https://man7.org/linux/man-pages/man5/hosts.5.html): an address and the names that
 * lead there. Names that lead to no server are entries; names of the machine itself and of other servers are not used.
 *
 * `readHosts("0.0.0.0 bad.example # note")` is `["bad.example"]`, `readHosts("127.0.0.1 localhost")` is `Unused`.
 */
export const readHosts: ReadLine = (line) => {
  const [content = ""] = line.split("#", 1)
  const [address = "", ...names] = content.trim().split(/\s+/)
  if (address === "") return []
  const isAddress = isSinkhole(address) || isIP(address) !== 0
  if (!isAddress || names.length === 0 || !names.every((name) => HOST_NAME.test(name))) return "Unreadable"
  const blocked = isSinkhole(address) ? names.filter(isBlocked) : []
  return blocked.length === 0 ? "Unused" : blocked
}
