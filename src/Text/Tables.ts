/** Finds the links in tables and records: CSV and TSV, JSON and JSON Lines, logs of web servers. */

import { decodedUtf8, fromBinary } from "./Encoded.ts"
import * as Html from "./Html.ts"
import { append, type Found, foundAt, moved } from "./Link.ts"
import { isBareLink } from "./PlainText/Spelling.ts"
import * as PlainText from "./PlainText.ts"

/** Finds the links in a cell or a string, which may itself be HTML. */
const findInValue = (value: string): ReadonlyArray<Found> =>
  /<a\s/i.test(value) ? Html.find(value) : PlainText.find(value)

const DELIMITERS = ["\t", ";", ",", "|"]
/** Of the beginning of a text, which decides whether it is a table. */
const MAX_HEAD_LINES = 5
const MAX_HEAD_CHARS = 20_000
/** Before the first row of a table. */
const MAX_TITLE_LINES = 2
const QUOTED_CELL = /"[^"]*"/g

/** The first lines that are not blank. */
const firstLines = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, MAX_HEAD_CHARS)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "")
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
    !first.some((name) => /[/.:]/.test(name)) && (isRegular || first.every((name) => /\w/.test(name)))
  return hasNames || (isRegular && lines[0]?.startsWith('"') === true)
}

/** Returns the delimiter of a table, which may have a title; undefined for any other text. */
export const delimiterOf = (text: string): string | undefined => {
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

/** Finds the links in the cells of a table (RFC 4180). A quote that is not closed is an ordinary character. */
export const findInCells = (text: string, delimiter: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const addCell = (start: number, end: number) => {
    const isQuoted = text.charAt(start) === '"' && end - start > 1
    const cell = isQuoted
      ? text.slice(start + 1, text.charAt(end - 1) === '"' ? end - 1 : end).replaceAll('""', '"')
      : text.slice(start, end)
    if (cell !== "") append(found, moved(findInValue(cell), start + Number(isQuoted)))
  }
  // Without it, each of many quotes that are not closed would search the rest of the text.
  const lastQuote = text.lastIndexOf('"')
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '"' && index === start && index < lastQuote) {
      const quote = closingCellQuote(text, index)
      if (quote !== -1) index = quote
    } else if (character === delimiter || character === "\n" || character === "\r") {
      addCell(start, index)
      start = index + 1
    }
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

/** The requested host and page of a log: two values of an object. The path of the log itself, which Logstash adds, is no page. */
const HOST_KEYS = new Set(["host", "hostname", "http_host", "RequestHost", "authority", "server_name"])
const PAGE_KEYS = new Set(["uri", "url", "path", "request", "request_uri", "RequestPath"])
const PAGE = /^(?:[A-Z]{3,8} )?(\/(?!\/|var\/log\/)\S+)(?: HTTP\/[\d.]{1,3})?$/

/** Finds the links in the strings of JSON or JSON Lines, and in the text between strings; in a log also the requested URLs. */
export const findInJson = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const addPiece = (piece: string, at: number) => {
    if (piece.length > 3 && /[.:]/.test(piece)) append(found, moved(findInValue(piece), at))
  }
  let key = ""
  let host = ""
  let page = ""
  const addValue = (value: string, at: number) => {
    // An IP address may be that of the client or server.
    if (HOST_KEYS.has(key)) host = /[a-z]/i.test(value) && isBareLink(value, true) ? value : host
    else if (PAGE_KEYS.has(key)) page = PAGE.exec(value)?.[1] ?? ""
    else return
    if (page === "" || host === "") return
    found.push(foundAt(`http://${host}${page}`, at, page, true))
    page = ""
  }
  let end = 0
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', end)) {
    const between = text.slice(end, quote)
    addPiece(between, end)
    // Of another object.
    if ((host !== "" || page !== "") && /[{}]/.test(between)) host = page = ""
    const close = closingQuote(text, quote + 1)
    const value = unescaped(text.slice(quote + 1, close))
    addPiece(value, quote + 1)
    if (/[./]/.test(value) && between.includes(":")) addValue(value, quote + 1)
    key = value
    end = close + 1
  }
  addPiece(text.slice(end), end)
  return found
}

const REQUEST = /"(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) (\S{1,8192}) HTTP\/[\d.]{1,3}"/
/** The requested host before the address of the client, or behind it as in lighttpd. Before `- -` it is the client. */
const HOST_FIRST =
  /^(?:[\da-f:.]{3,45} |(?!\S{1,255} - ))([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))? /i
/**
 * The requested host in another field: `host="a.example"`, `host: "a.example"` of nginx, captured headers of haproxy, behind the time,
 * or by itself in quotes.
 */
const HOST_FIELD =
  /(?:\b(?:host|vhost|domain|authority)(?:=|: )"?|\{|\] "?|"(?=[a-z0-9.-]{1,253}(?::\d{1,5})?"))([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))?(?=[\s",;|}]|$)/i

/** Whether a text has a request of a web server's log among its first lines. */
export const isLog = (text: string): boolean => firstLines(text).some((line) => REQUEST.test(line))

/** The scheme and authority of a host and port. */
const originOf = (host: string, port: string | undefined): string => {
  if (port === "443") return `https://${host}`
  return port === undefined || port === "80" ? `http://${host}` : `http://${host}:${port}`
}

/** The URL of a logged request: absolute in the log of a proxy, else of the host that the line names; undefined if there is none. */
const requestedUrl = (line: string, method: string, target: string): string | undefined => {
  if (/^https?:\/\//i.test(target)) return target
  if (method === "CONNECT") return `https://${target.replace(/:443$/, "")}/`
  const [, host, port] = HOST_FIRST.exec(line) ?? HOST_FIELD.exec(line) ?? []
  return host === undefined || !target.startsWith("/") ? undefined : `${originOf(host, port)}${target}`
}

/** Finds the links in a line. If it logs a request, the addresses of clients and servers in it are not links. */
const findInLogLine = (line: string): ReadonlyArray<Found> => {
  const request = REQUEST.exec(line)
  if (request === null) return PlainText.find(line)
  const [written, method = "", target = ""] = request
  const url = requestedUrl(line, method, target)
  const requested =
    url === undefined ? [] : [foundAt(url, request.index + method.length + 2, target, url !== target)]
  const others = PlainText.find(line.replace(written, " ".repeat(written.length)))
  return [...requested, ...others.filter((link) => link.url.includes("://"))]
}

/** Finds the links in the log of a web server or proxy: requests whose host is known, and addresses in other fields. */
export const findInLog = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let at = 0
  for (const line of text.split("\n")) {
    append(found, moved(findInLogLine(line), at))
    at += line.length + 1
  }
  return found
}
