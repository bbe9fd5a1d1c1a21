import { isIP } from "node:net"
import { refanged } from "../../../Url/CanonicalUrl/WrittenAddress.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import { ListError } from "../../ListError.ts"
import {
  type FeedRow,
  MAX_ENTRY_LENGTH,
  type RowReader,
  type SkippedRows,
  type SkipReason
} from "./FeedReader.ts"

/** With the white space around the entry. */
const MAX_LINE_LENGTH = 2 * MAX_ENTRY_LENGTH

/** The entries of one line without white space around it, none for a comment or a blank line; or why the line is not used. */
type ReadLine = (line: string) => ReadonlyArray<string> | SkipReason

/** Reads a document of lines. Throws `NotAFeed` for a table whose rows look like URLs. */
export class LineReader implements RowReader {
  readonly isFull = false
  readonly #readLine: ReadLine
  readonly #skipped: SkippedRows
  readonly #shape = new TableShape()

  constructor(readLine: ReadLine, skipped: SkippedRows) {
    this.#readLine = readLine
    this.#skipped = skipped
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    const text = line.trim()
    const isTooLong = line.length > MAX_LINE_LENGTH || text.length > MAX_ENTRY_LENGTH
    const entries = isTooLong ? "Too long" : this.#readLine(text)
    if (typeof entries === "string") this.#skipped.add(number, entries)
    else if (entries.length === 0) return
    else for (const text of entries) rows.push({ text, line: number })
    // In a note they separate nothing.
    const isPlain = typeof entries !== "string" && !entries.some((entry) => SEPARATOR.test(entry))
    this.#shape.add(isPlain ? "" : text)
  }

  end(): void {
    if (this.#shape.isTable) throw new ListError("NotAFeed", "it is a table: the format csv reads these")
  }
}

const SEPARATORS = [",", ";", "|"] as const
const SEPARATOR = /[,;|]/

/** A field that no URL has after its commas: an address, a time, a host, or something in quotes. */
const OTHER_FIELD = /^(?:"|https?:\/\/|\d{4}-\d\d-\d\d|(?:[a-z\d-]+\.)+[a-z]{2,}$)/i

/** Its semicolon separates nothing. */
const HTML_ENTITY = /&#?\w{2,8};/g

/** Fewer rows may have the same number of commas by chance. */
const MIN_TABLE_ROWS = 3

/** JSON, whose commas the format `csv` does not read either, and a rule of a filter list. */
const NO_ROW = /^(?:\{|\[\s*["{]|\|)/

const NAMES_OF_COLUMNS = /^"?\w[\w -]*"?$/

/**
 * Whether lines are rows of a table, most with the same number of separators: such rows begin with a URL, and the rest would be read
 * as a part of its path.
 */
class TableShape {
  #all = 0
  #separator: string | undefined
  #separators = 0
  #rows = 0
  #hasOtherFields = false

  add(written: string): void {
    this.#all++
    if (!SEPARATOR.test(written)) return
    const line = written.includes(";") ? written.replace(HTML_ENTITY, "&") : written
    if (NO_ROW.test(line)) return
    this.#separator ??= SEPARATORS.find((separator) => line.includes(separator))
    if (this.#separator === undefined || !line.includes(this.#separator)) return
    const [first = "", ...others] = line.split(this.#separator)
    if (this.#separators === 0) this.#separators = others.length
    this.#hasOtherFields ||= [first, ...others].every((field) => NAMES_OF_COLUMNS.test(field.trim()))
    this.#hasOtherFields ||= others.some((field) => OTHER_FIELD.test(field.trim()))
    // A field may have separators of its own: `"kit,bank"`.
    if (others.length === this.#separators || this.#hasOtherFields) this.#rows++
  }

  get isTable(): boolean {
    return 2 * this.#rows > this.#all && (this.#rows >= MIN_TABLE_ROWS || this.#hasOtherFields)
  }
}

// Rules of filter lists (https://adguard.com/kb/general/ad-filtering/create-own-filters/) that block a whole host or page.

/** `example.com##.banner`: hides a part of a page. A URL has a colon or a slash before a `#`. */
const COSMETIC_RULE = /^[^:/?#]*#[@?$%]{0,3}#/

/** `||` begins a host, `|` a URL; what follows the `$` are modifiers. A star after a dot, a dash or a slash is a wildcard. */
const RULE = /^(\|\|?)([^\s$|]+?)\s*(\^[|*]?|\||(?<=\w)\*|)(?:\$([^\s$]*))?$/

/** Types of requests: those of whole pages, and all others. */
const PAGES = new Set(["all", "doc", "document", "popup", "popunder"])
const PARTS =
  /^(?:script|image|stylesheet|css|object(?:-subrequest)?|subdocument|frame|xmlhttprequest|xhr|ping|beacon|websocket|webrtc|other|font|media|inline-(?:script|font)|(?:eleme?n?t?|generic|specific)hide|[egs]hide|content|jsinject|urlblock|csp(?:=.*)?|permissions(?:=.*)?|cookie(?:=.*)?|removeparam(?:=.*)?|replace(?:=.*)?|redirect(?:-rule)?(?:=.*)?|empty|mp4)$/

/** They do not change which pages are blocked. */
const IRRELEVANT = new Set(["important", "match-case"])

const MODIFIERS = /^\$~?[a-z\d-]+(?:=[^,\s]*)?(?:,~?[a-z\d-]+(?:=[^,\s]*)?)*$/

/** `https://bad.example/pay$document` may be a page of that name: only words that are modifiers for sure make it a rule. */
const isModifier = (modifier: string): boolean =>
  PAGES.has(modifier) ||
  PARTS.test(modifier) ||
  /^(?:~?third-party|[13]p|domain=.+|important)$/.test(modifier)

/** Why a rule with these modifiers does not block a whole page for everybody. */
const restriction = (modifiers: ReadonlyArray<string>): SkipReason | undefined => {
  const types = modifiers.filter((modifier) => PAGES.has(modifier) || PARTS.test(modifier))
  const others = modifiers.filter((modifier) => !types.includes(modifier) && !IRRELEVANT.has(modifier))
  if (others.length > 0) return "Restricted rule"
  return types.length === 0 || types.some((type) => PAGES.has(type)) ? undefined : "Rule for parts of pages"
}

/**
 * The entry of a rule that blocks a host or a page for every visitor, or why the rule is not used; undefined for a line that is
 * not a rule.
 *
 * Of `||bad.example^$document,subdocument` it is `bad.example`.
 */
const readRule = (line: string): ReturnType<ReadLine> | undefined => {
  // `@*://good.example/*` of uBlacklist, `@@||good.example^`.
  if (line.startsWith("@")) return "Exception"
  if (line.includes("#") && COSMETIC_RULE.test(line)) return "Rule for parts of pages"
  if (!line.startsWith("|")) return withoutAnchor(line)
  const [, anchor, pattern = "", , modifiers = ""] = RULE.exec(line) ?? []
  if (anchor === undefined || pattern.includes("^")) return "Rule for parts of pages"
  const problem = restriction(modifiers.split(",").filter((modifier) => modifier !== ""))
  if (problem !== undefined) return problem
  if (anchor === "|" && !/^https?:\/\//i.test(pattern)) return "Not a URL or host"
  return [pattern]
}

const withoutAnchor = (line: string): ReturnType<typeof readRule> => {
  const dollar = line.lastIndexOf("$")
  if (dollar === -1) return /^\S+\^$/.test(line) ? [line.slice(0, -1)] : undefined
  const [written = ""] = MODIFIERS.exec(line.slice(dollar)) ?? []
  const modifiers = written.slice(1).split(",")
  if (written === "" || !modifiers.every(isModifier)) return undefined
  return restriction(modifiers) ?? [line.slice(0, -written.length).replace(/\^$/, "")]
}

const WHITE_SPACE = /\s/

/** What no other pattern here is about: most lines. */
const PLAIN_LINE = /^[a-z\d][^\s#$]*(?<!\^)$/i

/** A whole host: nearly all rules of lists of phishing. */
const HOST_RULE = /^\|\|([a-z\d][a-z\d.-]*)\^$/i

/** Comments of lists of addresses, of scripts, and of zone files with their directives. */
const COMMENT = /^(?:#|!|;|\/\/\s|\$(?:TTL|ORIGIN)\b)/

/** The names of lists, before their rows. */
const FILTER_LIST_HEADER = /^\[(?:ad(?:block|guard)[^\]]*|ublock[^\]]*)\]$/i

const REGULAR_EXPRESSION = /^\/(?!\/).+\/[a-z]*(?:\$.*)?$/

/** The rest of a record of a zone file (https://www.isc.org/rpz/) after its name. */
const ZONE_OWN = /^(?:@|IN|NS|SOA)\s/
const ZONE_RECORD = /^(?:\d+\s+)?(?:IN\s+)?(?:SOA|NS|MX|TXT)\s/i
const PASS_THROUGH = /\bCNAME\s+rpz-passthru\.?\s*$/i
const TRIGGER = /\.rpz-(?:client-ip|ip|nsdname|nsip)$/i
/** Of a name that ends with the zone's own, as a transfer of the zone writes it. */
const RECORD = /^(?:\d+\s+)?(?:IN\s+)?(?:CNAME|A|AAAA)\s/i

const HOST_WITH_LETTERS = /^(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*\.?)$/i
const WEB_URL = /^h(?:tt|xx)ps?:\/\//i
/** Perhaps with zeros in front: `001.002.003.004`. */
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Why a line that begins with an address is not about this address, by what follows it; undefined if that is a note. */
const otherSubject = ([second = "", third = ""]: ReadonlyArray<string>): SkipReason | undefined => {
  if (HOST_WITH_LETTERS.test(second)) return "Row of a hosts file"
  // Where a range ends, or the mask of a network: `- 192.0.2.9`, `to 192.0.2.9`, `255.255.255.0`.
  if (!second.startsWith("#") && [second, third].some((word) => IPV4.test(word) || isIP(word) !== 0))
    return "Network"
  // A table, and a log of a web server.
  return WEB_URL.test(second) || (second === "-" && third === "-") ? "Not a row of the format" : undefined
}

/** A firm or malware: `Booking.com`, `Trojan.Win32.Agent.ru`. */
const isCapitalized = (word: string): boolean => word !== word.toLowerCase() && word !== word.toUpperCase()

/** Whether the word after an entry is another one: it may be the one that the row is about. A host after a URL is what that imitates. */
const isSecondEntry = (entry: string, word: string): boolean =>
  WEB_URL.test(word) ||
  (HOST_WITH_LETTERS.test(refanged(entry)) &&
    HOST_WITH_LETTERS.test(word) &&
    !isCapitalized(word) &&
    PublicSuffix.hasKnownSuffix(word))

/**
 * Reads a line of the format `lines`: a URL or a host, perhaps with a note after white space, or a rule of a filter list.
 *
 * `readEntry("||bad.example^$all")` and `readEntry("bad.example # note")` are `["bad.example"]`, `readEntry("@@||good.example^")`
 * is `Exception`.
 */
export const readEntry: ReadLine = (line) => {
  if (PLAIN_LINE.test(line)) return [line]
  const [, host] = HOST_RULE.exec(line) ?? []
  if (host !== undefined) return [host]
  if (line === "" || COMMENT.test(line) || FILTER_LIST_HEADER.test(line)) return []
  if (ZONE_OWN.test(line)) return "Row of a zone file"
  const rule = readRule(line)
  if (rule !== undefined) return rule
  if (REGULAR_EXPRESSION.test(line)) return "Regular expression"
  const end = line.search(WHITE_SPACE)
  if (end === -1) return [line]
  const entry = line.slice(0, end)
  const note = line.slice(end).trim()
  if (PASS_THROUGH.test(note)) return "Exception"
  if (ZONE_RECORD.test(note) || TRIGGER.test(entry) || (entry.endsWith(".") && RECORD.test(note)))
    return "Row of a zone file"
  const words = note.split(WHITE_SPACE, 2).map(refanged)
  const isOfAddress = isAddress(entry) || IPV4.test(entry)
  const problem = isOfAddress
    ? otherSubject(words)
    : isSecondEntry(entry, words[0] ?? "")
      ? "Not a row of the format"
      : undefined
  if (problem !== undefined) return problem
  // A sentence, or the name of a column.
  return note.startsWith("#") || /[.:]/.test(entry) ? [entry] : "Not a URL or host"
}

/** A note may name the reporter, or what the host imitates. */
const HOSTS_NOTE = /#|\s(?:\/\/|[;(-])/

const HOST_NAME = /^(?:\*\.)?[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u

/** Addresses where no server answers: names that lead there are blocked. */
const isSinkhole = (address: string): boolean =>
  ["0", "0.0.0.0", "::", "::1"].includes(address) || (address.startsWith("127.") && isIP(address) === 4)

const isAddress = (text: string): boolean => isSinkhole(text) || isIP(text) !== 0

/** Not the machine's own names (`localhost`, `localhost.localdomain`, `broadcasthost`), and not `0.0.0.0`. */
const isBlocked = (name: string): boolean =>
  name.includes(".") && name !== "localhost.localdomain" && isIP(name) === 0

/**
 * Reads a line of the format `hosts` (https://man7.org/linux/man-pages/man5/hosts.5.html): an address and the names that
 * lead there. Names that lead to no server are entries; names of the machine itself and of other servers are not used.
 *
 * `readHosts("0.0.0.0 bad.example # note")` is `["bad.example"]`, `readHosts("127.0.0.1 localhost")` is `Name that is not blocked`.
 */
export const readHosts: ReadLine = (line) => {
  const [content = ""] = line.split(HOSTS_NOTE, 1)
  const [address = "", ...words] = content.trim().split(/\s+/)
  if (address === "" || address.startsWith("!") || address.startsWith(";")) return []
  const names = words.filter((word) => HOST_NAME.test(word))
  // A note may follow the names.
  if (!isAddress(address) || !HOST_NAME.test(words[0] ?? "")) return "Not a row of the format"
  const blocked = isSinkhole(address) ? names.filter(isBlocked) : []
  return blocked.length === 0 ? "Name that is not blocked" : blocked
}
