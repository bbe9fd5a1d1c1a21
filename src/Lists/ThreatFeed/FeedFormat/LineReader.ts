import { isIP } from "node:net"
import { refanged } from "../../../Url/CanonicalUrl/WrittenAddress.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import { ListError } from "../../ListError.ts"
import { type FeedRow, MAX_ENTRY_LENGTH, type RowReader } from "./FeedReader.ts"
import { readRule } from "./FilterRule.ts"
import * as RowText from "./RowText.ts"
import type { SkippedRows, SkipReason } from "./SkippedRows.ts"
import { TableShape } from "./TableShape.ts"

/** Returns the entries of a line that is not a comment, without white space around it; or why it has none. */
type ReadLine = (line: string) => ReadonlyArray<string> | SkipReason

/** A blank line, a comment or header of a list, and a directive of a zone file. */
const COMMENT = /^(?:$|[#!;]|\/\/\s|\[(?:ad(?:block|guard)[^\]]*|ublock[^\]]*)\]$|\$(?:ttl|origin)\b)/i

/** The head of actions of Privoxy: what follows is allowed. */
const ALLOWING_SECTION = /^\{[^"]*-block\b/

/** Reads a document of lines. Throws `NotAFeed` for a table whose rows look like URLs. */
export class LineReader implements RowReader {
  readonly isFull = false
  readonly #readLine: ReadLine
  readonly #skipped: SkippedRows
  readonly #shape = new TableShape()
  #allows = false

  constructor(readLine: ReadLine, skipped: SkippedRows) {
    this.#readLine = readLine
    this.#skipped = skipped
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    const isTooLong = line.length > MAX_ENTRY_LENGTH
    const written = line.trim()
    if (!isTooLong && COMMENT.test(written)) return
    const entries = isTooLong ? "Too long" : this.#readLine(written)
    if (typeof entries === "string") {
      this.#skipped.add(number, entries)
      this.#allows ||= ALLOWING_SECTION.test(written)
      this.#shape.add(written)
      return
    }
    for (const text of entries) rows.push({ text, line: number })
    // Commas in a note separate nothing.
    const isRecord = entries.some((entry) => /[,;|]/.test(entry))
    this.#shape.add(isRecord ? written : "")
  }

  end(): void {
    if (this.#allows) throw new ListError("NotAFeed", "a section of it is about hosts that are not blocked")
    if (this.#shape.isTable) throw new ListError("NotAFeed", "it is a table: the format csv reads these")
  }
}

/** A line that is an entry as a whole: most are. */
const PLAIN_LINE = /^[a-z\d][^\s#$]*(?<!\^)$/i

const REGULAR_EXPRESSION = /^\/(?!\/).+\/[a-z]*(?:\$.*)?$/

/**
 * Reads a line of the format `lines`: a URL or a host, perhaps with a note after white space, or a rule of a filter list.
 *
 * `readEntry("||bad.example^$all")` and `readEntry("bad.example # note")` are `["bad.example"]`, `readEntry("@@||good.example^")`
 * is `"Exception"`.
 */
export const readEntry: ReadLine = (line) => {
  if (PLAIN_LINE.test(line)) return [line]
  const rule = readRule(line)
  if (rule !== undefined) return rule
  if (REGULAR_EXPRESSION.test(line)) return "Regular expression"
  const end = line.search(/\s/)
  if (end === -1) return [line]
  const entry = line.slice(0, end)
  const note = line.slice(end).trim()
  const problem = zoneProblem(entry, note) ?? noteProblem(entry, note)
  if (problem !== undefined) return problem
  // Otherwise a sentence, or the name of a column.
  return note.startsWith("#") || /[.:]/.test(entry) ? [entry] : "Not a URL or host"
}

/**
 * A row of Postfix, which accepts mail of the host, or of a map of nginx. Behind a URL, or as a comment, `OK` may mean that a page
 * answers.
 */
const ACCEPTED = /^[^\s/]+\s+(?:ok|dunno|0;)$/i
/** The same of sendmail. In small letters it may be what the host is. */
const RELAYED = /^[^\s/]+\s+RELAY$/

/** Whether a note, without what begins it and encloses it, says that a site is honest. */
const isHarmlessNote = (note: string): boolean =>
  RowText.isHarmless(note.replace(/^[\s#;:/("'[-]+/, "").replace(/["';)\]]$/, ""))

/** Reads a line of a feed: as `readEntry`, but `good.example OK` is `"Exception"`. The operator's own lists may have such notes. */
export const readReported: ReadLine = (line) => {
  const start = line.search(/\s/)
  if (start === -1) return readEntry(line)
  return ACCEPTED.test(line) || RELAYED.test(line) || isHarmlessNote(line.slice(start))
    ? "Exception"
    : readEntry(line)
}

// Response policy zones (https://www.isc.org/rpz/): `bad.example CNAME .` blocks a host.

/** What lets a host pass: by the rules of zones, and searches with a filter that have a name at another site. */
const PASSED =
  /^(?:rpz-(?:passthru|tcp-only)|forcesafesearch\.google\.com|restrict(?:moderate)?\.youtube\.com|familysearch\.yandex\.ru)$/i

/** A note may follow. */
const TARGET = /\bCNAME\s+([^\s;]*[^\s;.])\.?\s*(?:;|$)/i
const RECORD = /^(?:\d+\s+)?(?:IN\s+)?(?:SOA|NS|MX|TXT|CNAME|A|AAAA)\s/i
/** The zone itself, and triggers other than the name of a host, perhaps with the name of the zone. */
const OTHER_OWNER = /^(?:@|IN|NS|SOA)$|\.rpz-(?:client-ip|ip|nsdname|nsip)(?:\.|$)/

/** Returns why a record of a response policy zone does not block a host. */
const zoneProblem = (owner: string, record: string): SkipReason | undefined => {
  const [, target = ""] = TARGET.exec(record) ?? []
  // An alias of itself is the older form of `rpz-passthru`; one of the same site is a search with a filter.
  const site = PublicSuffix.registrableDomain(target.toLowerCase())
  const isSameSite = site !== undefined && `.${owner.toLowerCase()}`.endsWith(`.${site}`)
  if (isSameSite || PASSED.test(target)) return "Exception"
  // A name with a final dot ends with the zone's own name.
  const isAbsolute = owner.endsWith(".") && RECORD.test(record)
  return isAbsolute || OTHER_OWNER.test(owner) ? "Row of a zone file" : undefined
}

const HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*\.?)$/i
const WEB_URL = /^h(?:tt|xx)ps?:\/\//i
/** Perhaps with zeros in front: `001.002.003.004`. */
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

const isIpAddress = (word: string): boolean => IPV4.test(word) || isIP(word) !== 0

/** What may stand between two entries. */
const SEPARATOR = /^[,&+/]\s+/

/** Returns a word without punctuation and a port behind it. */
const nameIn = (word: string): string => refanged(word.replace(/[,;:]$/, "").replace(/^([^:]+):\d+$/, "$1"))

/** Whether a word is written like a firm or malware: `Booking.com`, `Trojan.Win32.Agent.ru`. */
const isCapitalized = (word: string): boolean => word !== word.toLowerCase() && word !== word.toUpperCase()

/** Returns why a row is not, or not only, about the entry at its beginning; undefined if a note follows. */
const noteProblem = (entry: string, note: string): SkipReason | undefined => {
  const [second = "", third = ""] = note.replace(SEPARATOR, "").split(/\s/, 2).map(nameIn)
  if (WEB_URL.test(second)) return "Not a row of the format"
  const first = nameIn(entry)
  if (first === "0" || isIpAddress(first)) return addressProblem(first, second, third)
  const [authority = "", path = ""] = second.split("/", 2)
  const host = nameIn(authority)
  // A host after a URL is the one that it imitates.
  const isSecond =
    HOST.test(host) &&
    (HOST.test(first) || path !== "") &&
    !isCapitalized(host) &&
    PublicSuffix.hasKnownSuffix(host)
  return isSecond ? "Not a row of the format" : undefined
}

/** Returns why a row is not about the IP address at its beginning, by the next two words. */
const addressProblem = (entry: string, second: string, third: string): SkipReason | undefined => {
  // Whatever follows: `0.0.0.0 *.bad.example`.
  if (HOST.test(second) || (isSinkhole(entry) && !/^(?:#|$)/.test(second))) return "Row of a hosts file"
  // A log of a web server.
  if (second === "-" && third === "-") return "Not a row of the format"
  // The end of a range, or a mask: `- 192.0.2.9`, `to 192.0.2.9`, `255.255.255.0`.
  return !second.startsWith("#") && (isIpAddress(second) || isIpAddress(third)) ? "Network" : undefined
}

// Lines of the format `hosts`.

/** A note may name the reporter, or what the host imitates. */
const HOSTS_NOTE = /#|\s(?:\/\/|[;(-])/

/** Where a note without a mark begins, which may name another site: `redirects to good.example`. */
const NOTE_WORD =
  /^(?:[^\p{L}\p{N}_*].*|at|by|cloned|copy|copies|clones?|fakes?|for|forwards?|from|hosted|imitat(?:es?|ing)|impersonat(?:es?|ing)|leads|like|mimics|of|on|phishing|pretends|redirect(?:s|ed|ing)?|reported|see|source:?|spoof(?:s|ing)?|targets?|to|via)$/iu

const HOST_NAME = /^(?:\*\.)?[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u

/** Whether no server answers at an address: names that lead there are blocked. */
const isSinkhole = (address: string): boolean =>
  ["0", "0.0.0.0"].includes(address) ||
  (address.startsWith("127.") && isIP(address) === 4) ||
  (/^[0:]+1?$/.test(address) && isIP(address) === 6)

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
export const readHosts: ReadLine = (line) => {
  const [content = ""] = line.split(HOSTS_NOTE, 1)
  const [address = "", ...words] = content.trim().split(/\s+/)
  if (!(isSinkhole(address) || isIP(address) !== 0) || !HOST_NAME.test(words[0] ?? ""))
    return "Not a row of the format"
  if (isHarmlessNote(line.slice(content.length))) return "Exception"
  // Not the first word without a dot: it may be the machine's name, or a short one, and other names follow.
  const end = words.findIndex((word, at) => at > 0 && NOTE_WORD.test(word))
  const names = words
    .slice(0, end === -1 ? words.length : end)
    .filter((word) => HOST_NAME.test(word) && isBlockable(word))
  return isSinkhole(address) && names.length > 0 ? names : "Name that is not blocked"
}
