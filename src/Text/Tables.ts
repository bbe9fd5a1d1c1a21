/** Finds the links in tables and records: CSV and TSV, JSON and JSON Lines, logs of web servers. */

import { decodedUtf8, fromBinary } from "./Encoded.ts"
import * as Html from "./Html.ts"
import { append, type Found, foundAt, moved } from "./Link.ts"
import { isBareLink } from "./PlainText/Spelling.ts"
import * as PlainText from "./PlainText.ts"

/** JSON in strings of JSON that is read as such. Without it, hostile texts would take more than linear time. */
const MAX_JSON_DEPTH = 8

/** Finds the links in a cell or a string, which may itself be JSON or HTML. `depth`: how many strings it is in. */
const findInValue = (value: string, depth: number): ReadonlyArray<Found> => {
  if (depth < MAX_JSON_DEPTH && /^\s*(?:\[\s*(?:\{\s*)?|\{\s*)"/.test(value)) return findInJson(value, depth)
  return /<a\s/i.test(value) ? Html.find(value) : PlainText.find(value)
}

const DELIMITERS = ["\t", ";", ",", "|"]
/** Of the beginning of a text, which decides whether it is a table. */
const MAX_HEAD_LINES = 5
const MAX_HEAD_CHARS = 20_000
/** Before the first row of a table. */
const MAX_TITLE_LINES = 2
const QUOTED_CELL = /"[^"]*"/g

/** Before a table, as Google Analytics writes it; `#,Host,URL` has the names of columns. */
const COMMENT = /^#(?:[ -]|$)/

/** The first lines that are not blank, nor comments. */
const firstLines = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, MAX_HEAD_CHARS)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "" && !COMMENT.test(line))
    .slice(0, MAX_HEAD_LINES)

/**
 * Whether lines are a table: each has the same number of tabs. Other delimiters, which sentences have too: in each line, and the first line
 * has column names, or is quoted and each has the same number.
 */
const isTable = (lines: ReadonlyArray<string>, delimiter: string): boolean => {
  const title = lines.findIndex((line) => line.includes(delimiter))
  const rows = lines.slice(title).map((line) => line.replace(QUOTED_CELL, "x").split(delimiter))
  const [first = []] = rows
  if (title > MAX_TITLE_LINES || rows.length < 2 || rows.some(({ length }) => length === 1)) return false
  const isRegular = title === 0 && rows.every(({ length }) => length === first.length)
  if (delimiter === "\t") return isRegular
  if (first.slice(1).some((name) => name.startsWith(" "))) return false
  const hasNames =
    !first.some((name) => /[/:]|\.[^ "]/.test(name)) && (isRegular || first.every((name) => /\w/.test(name)))
  return hasNames || (isRegular && lines[0]?.startsWith('"') === true)
}

/** The names of the columns in a log of IIS, Zeek, Exchange, CloudFront or a proxy, perhaps behind comments. */
const FIELDS = /^\s*(?:#.*[\r\n]+)*?#fields(?:: ?|\t)(.+)/i
const FIRST_ROW = /^[^#\s].*$/m

/** Returns the delimiter of a table, which may have a title; undefined for any other text. */
export const delimiterOf = (text: string): string | undefined => {
  const [, fields] = FIELDS.exec(text.slice(0, MAX_HEAD_CHARS)) ?? []
  // CloudFront names the columns between blanks, and separates the cells by tabs.
  if (fields !== undefined)
    return ["\t", ","].find((delimiter) => FIRST_ROW.exec(text)?.[0].includes(delimiter)) ?? " "
  const lines = firstLines(text)
  if (lines.length < 2) return lines[0]?.includes("\t") === true ? "\t" : undefined
  return DELIMITERS.find((delimiter) => isTable(lines, delimiter))
}

/** Returns the offset of the quote that closes a cell; -1 if there is none. In a cell quotes are doubled. */
const closingCellQuote = (text: string, opening: number): number => {
  let quote = text.indexOf('"', opening + 1)
  while (quote !== -1 && text.charAt(quote + 1) === '"') quote = text.indexOf('"', quote + 2)
  return quote
}

/** The letters of names of fields with the requested host, page or query: `host`, `cs(Host)`, `ClientRequestURI`, `url.path`. */
const HOST_NAME =
  /^(?:c?s|x|v|d|http|url|de?st|destination|server|original|target|(?:client)?req(?:uest(?:ed)?)?)?(?:host(?:name|header)?|domain|authority|site)$|^(?:server|dst)name$/i
const PAGE_NAME =
  /^(?:cs|http|client)?(?:req(?:uest(?:ed)?)?)?(?:ur[il](?:path|stem)?|(?:page|raw)?path(?:name)?)$|^(?:http)?request$|^arg$/i
const QUERY_NAME = /^(?:cs)?(?:ur[il]|request)?query(?:str(?:ing)?)?$|^args$/i
const REQUEST_NAMES = [HOST_NAME, PAGE_NAME, QUERY_NAME]
const PAGE = /^(?:[A-Z]{3,8} )?(\/(?!\/)\S+)(?: HTTP\/[\d.]{1,3})?$/
/** What a field `path` has of a program, or of the log itself, which Logstash adds. */
const FILE = /^\/(?:var\/log|usr\/(?:s?bin|lib|local|share)|etc|proc)\//
const QUERY = /(?<=^\??)[^\s?]\S+$/
const ORIGIN = /^(https?:\/\/)?([^/]+)\/?$/i
/** Of a record. Real ones have one or two of each; those of a hostile text would be joined with each other. */
const MAX_HOSTS = 4
const MAX_PAGES = 8

const lettersOf = (name: string): string => name.replace(/[^a-z]+/gi, "")

/**
 * Joins the requested hosts and pages of a record: returns the URLs that a field completes. `mayBeAddress`: an IP address is a
 * requested host too, not that of a client or server.
 */
const makeRequest = (mayBeAddress: boolean) => {
  const origins: Array<string> = []
  const pages: Array<string> = []
  return (field: string, value: string, at: number): ReadonlyArray<Found> => {
    const name = lettersOf(field)
    const joined = (origin: string, page: string) => foundAt(`${origin}${page}`, at, page, true)
    if (HOST_NAME.test(name)) {
      const [, scheme = "http://", host = ""] = ORIGIN.exec(value) ?? []
      const isHost = (mayBeAddress || /[a-z]/i.test(host)) && isBareLink(host, true)
      const origin = `${scheme}${host}`
      if (!isHost || origins.includes(origin) || origins.length === MAX_HOSTS) return []
      origins.push(origin)
      return pages.map((page) => joined(origin, page))
    }
    const hasNoQuery = pages[0]?.includes("?") === false
    const [query] = hasNoQuery && QUERY_NAME.test(name) ? (QUERY.exec(value) ?? []) : []
    if (/^path$/i.test(name) && FILE.test(value)) return []
    const page = PAGE_NAME.test(name) ? PAGE.exec(value)?.[1] : query && `${pages[0]}?${query}`
    if (page === undefined || pages.includes(page) || pages.length === MAX_PAGES) return []
    // Without its query only if it has been returned so.
    if (query !== undefined && origins.length === 0) pages[0] = page
    else pages.push(page)
    return origins.map((origin) => joined(origin, page))
  }
}

/** Returns the names of the columns in a row if they include those of a request, with "" for others; undefined for other rows. */
const namesIn = (row: string, delimiter: string): ReadonlyArray<string> | undefined => {
  const [, fields] = FIELDS.exec(row) ?? []
  const cells = fields === undefined ? row.split(delimiter) : fields.split(/[\s,]+/)
  const names = cells.map(lettersOf)
  const hasBoth = [HOST_NAME, PAGE_NAME].every((pattern) => names.some((name) => pattern.test(name)))
  if (fields === undefined && !hasBoth) return undefined
  return names.map((name) => (REQUEST_NAMES.some((pattern) => pattern.test(name)) ? name : ""))
}

/** Returns the row that names the columns of a request at the end of a piece of a table, or "". */
export const headerOf = (text: string): string => {
  const delimiter = delimiterOf(text)
  const head = text.slice(0, MAX_HEAD_CHARS)
  const rows = FIELDS.test(head)
    ? text
        .split(/(?<=\n)/)
        .filter((row) => FIELDS.test(row))
        .slice(-1)
    : head.split(/(?<=\n)/)
  return rows.find((row) => delimiter !== undefined && namesIn(row, delimiter) !== undefined) ?? ""
}

/**
 * Finds the links in the cells of a table (RFC 4180), and the URLs of requests whose host and page are two cells. A quote that is not
 * closed is an ordinary character.
 */
export const findInCells = (text: string, delimiter: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let names: ReadonlyArray<string> = []
  let rows = 0
  let rowStart = 0
  let column = 0
  let addToRequest = makeRequest(true)
  const addCell = (start: number, end: number) => {
    const isQuoted = text.charAt(start) === '"' && end - start > 1
    const cell = isQuoted
      ? text.slice(start + 1, text.charAt(end - 1) === '"' ? end - 1 : end).replaceAll('""', '"')
      : text.slice(start, end)
    const name = names[column++] ?? ""
    if (cell === "") return
    append(found, moved(findInValue(cell, 0), start + Number(isQuoted)))
    if (name !== "") append(found, addToRequest(name, cell, start + Number(isQuoted)))
  }
  const endRow = (end: number) => {
    const isComment = text.charAt(rowStart) === "#"
    if (rows < MAX_HEAD_LINES || isComment) names = namesIn(text.slice(rowStart, end), delimiter) ?? names
    if (end > rowStart && !isComment) rows++
    rowStart = end + 1
    column = 0
    addToRequest = makeRequest(true)
  }
  // Between tabs or blanks logs do not quote: one in a request would hide the next rows.
  const isQuoting = delimiter === "," || !FIELDS.test(text.slice(0, MAX_HEAD_CHARS))
  // Without it, each of many quotes that are not closed would search the rest of the text.
  const lastQuote = isQuoting ? text.lastIndexOf('"') : -1
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    const isEnd = character === "\n" || character === "\r"
    if (character === '"' && index === start && index < lastQuote) {
      const quote = closingCellQuote(text, index)
      if (quote !== -1) index = quote
    } else if (isEnd || character === delimiter) {
      addCell(start, index)
      start = index + 1
    }
    if (isEnd) endRow(index)
  }
  addCell(start, text.length)
  return found
}

/** Of a JSON string. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gis
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

const characterOf = (_: string, code?: string, character = "") =>
  code === undefined ? (ESCAPED[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16))

/** The bytes of UTF-8 as characters, in exports of Facebook and Instagram: `\u00f0\u009f\u0098\u0082`. */
const ESCAPED_BYTES = /(?:\\u00[89a-f][\da-f]){2,}/gi

const bytesDecoded = (escapes: string): string =>
  decodedUtf8(fromBinary(escapes.replace(ESCAPE, characterOf))) ?? escapes

const unescaped = (json: string): string => {
  if (!json.includes("\\")) return json
  const decoded = json.includes("\\u00") ? json.replace(ESCAPED_BYTES, bytesDecoded) : json
  return decoded.replace(ESCAPE, characterOf)
}

const QUOTE_OR_ESCAPE = /"|\\./gs

/** Returns the offset of the quote that closes a string; the end of the text if it is not closed. */
const closingQuote = (text: string, start: number): number => {
  QUOTE_OR_ESCAPE.lastIndex = start
  for (let found = QUOTE_OR_ESCAPE.exec(text); found !== null; found = QUOTE_OR_ESCAPE.exec(text))
    if (found[0] === '"') return found.index
  return text.length
}

/** Between a header and the next one, or the next field of the request. */
const AFTER_HEADER = /^\s*\}\s*(?:,\s*\{|\]\s*,)\s*$/

/** Finds the links in the strings of JSON or JSON Lines, and in the text between strings; in a log also the requested URLs. */
export const findInJson = (text: string, depth = 0): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const addPiece = (piece: string, at: number) => {
    if (piece.length > 3 && /[.:]/.test(piece)) append(found, moved(findInValue(piece, depth + 1), at))
  }
  let key = ""
  /** Of a header: `{"name":"Host","value":"a.example"}`. */
  let header = ""
  let isValue = false
  let addToRequest = makeRequest(false)
  let end = 0
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', end)) {
    const between = text.slice(end, quote)
    addPiece(between, end)
    // Of another object, if that does not have the headers of the request.
    const isAfterHeader = isValue && AFTER_HEADER.test(between)
    if (!isAfterHeader && (between.includes("}") || (between.includes("{") && !/^headers$/i.test(key))))
      addToRequest = makeRequest(false)
    const close = closingQuote(text, quote + 1)
    const value = unescaped(text.slice(quote + 1, close))
    addPiece(value, quote + 1)
    const isField = between.includes(":")
    isValue = isField && /^value$/i.test(key)
    if (isField && /[./=]/.test(value)) append(found, addToRequest(isValue ? header : key, value, quote + 1))
    if (isField && /^name$/i.test(key)) header = value
    key = value
    end = close + 1
  }
  addPiece(text.slice(end), end)
  return found
}

const REQUEST = /"(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) (\S{1,8192}) HTTP\/[\d.]{1,3}"/
/** The requested host before the address of the client, or behind it as in lighttpd and, twice, Virtualmin. Before `- -` it is the client. */
const HOST_FIRST =
  /^(?:[\da-f:.]{3,45} (?:- (?=\S{4,255} \S{4,255} \S{1,255} \[))?|(?!\S{1,255} - ))([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))? /i
/**
 * The requested host in another field: `host="a.example"`, `host: "a.example"` of nginx, captured headers of haproxy, behind the time,
 * or by itself in quotes.
 */
const HOST_FIELD =
  /(?:\b(?:host|vhost|domain|authority)(?:=|: )"?|\{|\] "?|"(?=[a-z0-9.-]{1,253}(?::\d{1,5})?"))([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))?(?=[\s",;|}]|$)/i
/** Behind a quote, if no other field has it: another name there may be of a server. */
const HOST_BEHIND_QUOTE = /" ([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))?(?=\s|$)/i

/** A field of a log: `host=a.example`, `path="/x"`. */
const PAIR = /(?<![\w.-])([\w.-]{1,40})=(?:"([^"]{1,8192})"|([^\s",;|]{1,8192}))/g

/** The URL of a request whose host and page are two fields of a line. */
const findInPairs = (line: string): ReadonlyArray<Found> => {
  if (!line.includes("=")) return []
  const addToRequest = makeRequest(false)
  return Array.from(line.matchAll(PAIR), ({ 1: name = "", 2: quoted, 3: plain = "", index }) =>
    addToRequest(name, quoted ?? plain, index + name.length + 1)
  ).flat()
}

/** Their fields, such as `Domain=a.example; Path=/x`, are not a log. */
const PAGE_OR_COOKIE = /^\s*<|cookie/i

/** Whether a text has a request among its first lines, as in the log of a web server. */
export const isLog = (text: string): boolean =>
  firstLines(text).some(
    (line) => REQUEST.test(line) || (!PAGE_OR_COOKIE.test(line) && findInPairs(line).length > 0)
  )

/**
 * At the beginning of a line, not in a link: a time with seconds, the seconds since 1970 of squid, or the name of a format. Not
 * `[1/12/26, 10:00:00]` of a chat that WhatsApp exports, and `[10:00:00] <bob> ` of IRC.
 */
const LOGGED =
  /^(?!\S*(?:\.[a-z]|:\/\/)|\u200e?\[[\d./-]{6,10}, |[^<]{0,30}\d\]? <[^<>\s]{1,30}> )(?:\D{0,4}\d{10}\.\d|.{0,40}?\b(?:\d\d?:\d\d:\d\d\b|(?:CEF|LEEF):\d))/

/** Whether most of the first lines begin with a time, as in logs of name servers, firewalls and mail servers. One line may be a message. */
export const hasTimes = (text: string): boolean => {
  const lines = firstLines(text)
  const logged = lines.filter((line) => LOGGED.test(line)).length
  return logged > 1 && 2 * logged > lines.length
}

/** The scheme and authority of a host and port. */
const originOf = (host: string, port: string | undefined): string => {
  if (port === "443") return `https://${host}`
  return port === undefined || port === "80" ? `http://${host}` : `http://${host}:${port}`
}

/** The URL of a logged request: absolute in the log of a proxy, else of the host that the line names; undefined if there is none. */
const requestedUrl = (line: string, method: string, target: string): string | undefined => {
  if (/^https?:\/\//i.test(target)) return target
  if (method === "CONNECT") return `https://${target.replace(/:443$/, "")}/`
  const [, host, port] = HOST_FIRST.exec(line) ?? HOST_FIELD.exec(line) ?? HOST_BEHIND_QUOTE.exec(line) ?? []
  return host === undefined || !target.startsWith("/") ? undefined : `${originOf(host, port)}${target}`
}

/** A path may also carry it encoded. */
const hasScheme = ({ url }: Found): boolean => /:\/\/|^https?%/i.test(url)

/** Finds the links in a line that logs a request. The addresses of clients and servers in it are not links. */
const findInRequest = (line: string, request: RegExpExecArray): ReadonlyArray<Found> => {
  const [written, method = "", target = ""] = request
  const url = requestedUrl(line, method, target)
  const at = request.index + method.length + 2
  const requested =
    url === undefined
      ? moved(PlainText.find(target), at).filter(hasScheme)
      : [foundAt(url, at, target, url !== target)]
  const others = PlainText.find(line.replace(written, " ".repeat(written.length)))
  return [...requested, ...others.filter(hasScheme)]
}

/**
 * Finds the links in the log of a web server or proxy: requests whose host is known, and addresses in other fields. If lines begin with
 * a time, one without it continues the message before it.
 */
export const findInLog = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const isTimed = hasTimes(text)
  let message = ""
  let at = 0
  const addMessage = () => {
    append(found, moved(PlainText.find(message), at - message.length))
    message = ""
  }
  for (const line of text.split(/(?<=\n)/)) {
    const request = REQUEST.exec(line)
    if (!isTimed || request !== null || LOGGED.test(line)) addMessage()
    if (request === null) {
      append(found, moved(findInPairs(line), at))
      message += line
    } else append(found, moved(findInRequest(line, request), at))
    at += line.length
  }
  addMessage()
  return found
}
