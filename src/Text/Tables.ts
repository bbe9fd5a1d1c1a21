/** Finds the links in tables and records: CSV and TSV, JSON and JSON Lines, logs of web servers. */

import * as Html from "./Html.ts"
import { append, type Found, foundAt, moved } from "./Link.ts"
import * as PlainText from "./PlainText.ts"

/** A value may itself be a page. */
const findInValue = (value: string): ReadonlyArray<Found> =>
  /<a\s/i.test(value) ? Html.find(value) : PlainText.find(value)

const DELIMITERS = ["\t", ";", ",", "|"]
/** Of the first lines. */
const MAX_LINES = 5
const MAX_TITLE_LINES = 2
const MAX_HEAD_CHARS = 20_000
const QUOTED = /"[^"]*"/g

const headOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, MAX_HEAD_CHARS)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, MAX_LINES)

/**
 * The delimiter of a table: a tab that each of the first lines has as often, or another one that each has, if the first has no
 * address, as the names of columns, or is quoted and each has it as often. Lines without it may stand before, such as a title.
 * Undefined for any other text.
 */
export const delimiterOf = (text: string): string | undefined => {
  const all = headOf(text)
  if (all.length < 2) return all[0]?.includes("\t") === true ? "\t" : undefined
  return DELIMITERS.find((delimiter) => {
    const title = all.findIndex((line) => line.includes(delimiter))
    const lines = all.slice(title).map((line) => line.replace(QUOTED, "x"))
    const [first = ""] = lines
    const counts = lines.map((line) => line.split(delimiter).length)
    const isSame = title === 0 && counts.every((count) => count === counts[0])
    if (title > MAX_TITLE_LINES || lines.length < 2 || counts.includes(1)) return false
    if (delimiter === "\t") return isSame
    const isHeader =
      !/[/.:]/.test(first) && (isSame || first.split(delimiter).every((name) => /\w/.test(name)))
    const isQuoted = isSame && all[0]?.startsWith('"') === true
    return (isHeader || isQuoted) && !first.includes(`${delimiter} `)
  })
}

/** Finds the links in the cells of a table (RFC 4180). A quote that is never closed is an ordinary character. */
export const findInCells = (text: string, delimiter: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const lastQuote = text.lastIndexOf('"')
  let start = 0
  const take = (end: number) => {
    const isQuoted = text.charAt(start) === '"' && end - start > 1
    const cell = isQuoted
      ? text.slice(start + 1, text.charAt(end - 1) === '"' ? end - 1 : end).replaceAll('""', '"')
      : text.slice(start, end)
    if (cell !== "") append(found, moved(findInValue(cell), start + Number(isQuoted)))
  }
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '"' && index === start && index < lastQuote) {
      let close = text.indexOf('"', index + 1)
      while (close !== -1 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2)
      if (close !== -1) index = close
    } else if (character === delimiter || character === "\n" || character === "\r") {
      take(index)
      start = index + 1
    }
  }
  take(text.length)
  return found
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gis
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

const unescaped = (json: string): string =>
  json.includes("\\")
    ? json.replace(ESCAPE, (_, code?: string, character = "") =>
        code === undefined
          ? (ESCAPED[character] ?? character)
          : String.fromCharCode(Number.parseInt(code, 16))
      )
    : json

/** What ends a string, or a character of it that is escaped. */
const END_OF_STRING = /"|\\./gs

/** Where a string ends that begins before this place; at the end of the text if it is never closed. */
const endOfString = (text: string, start: number): number => {
  END_OF_STRING.lastIndex = start
  for (let found = END_OF_STRING.exec(text); found !== null; found = END_OF_STRING.exec(text))
    if (found[0] === '"') return found.index
  return text.length
}

/** Finds the links in the strings of JSON, or of a JSON object on each line, and in what stands between strings. */
export const findInJson = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const take = (piece: string, at: number) => {
    if (piece.length > 3 && /[.:]/.test(piece)) append(found, moved(findInValue(piece), at))
  }
  let end = 0
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', end)) {
    take(text.slice(end, quote), end)
    const close = endOfString(text, quote + 1)
    take(unescaped(text.slice(quote + 1, close)), quote + 1)
    end = close + 1
  }
  take(text.slice(end), end)
  return found
}

const REQUEST = /"(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) (\S{1,8192}) HTTP\/[\d.]{1,3}"/
/** The site that was asked, in front of the client. In front of `-` it is the client. */
const HOST_FIRST = /^([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))? (?!- )/i
/** In another field: `host="a.example"`, `host: "a.example"` of nginx, the headers that haproxy captures. */
const HOST_FIELD =
  /(?:\b(?:host|vhost|domain|authority)(?:=|: )"?|\{)([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))?(?=[\s",;|}]|$)/i
const SECURE_PORT = "443"

export const isLog = (text: string): boolean => headOf(text).some((line) => REQUEST.test(line))

/** A page of the host that a line names, or the whole address that a proxy was asked for. */
const requestedAt = (line: string, request: RegExpExecArray): Found | undefined => {
  const [, method = "", target = ""] = request
  const at = request.index + method.length + 2
  if (/^https?:\/\//i.test(target)) return foundAt(target, at)
  if (method === "CONNECT") return foundAt(`https://${target.replace(/:443$/, "")}/`, at, target, true)
  const [, host, port] = HOST_FIRST.exec(line) ?? HOST_FIELD.exec(line) ?? []
  if (host === undefined || !target.startsWith("/")) return undefined
  const isUsual = port === undefined || port === "80" || port === SECURE_PORT
  const site = `${port === SECURE_PORT ? "https" : "http"}://${host}${isUsual ? "" : `:${port}`}`
  return foundAt(`${site}${target}`, at, target, true)
}

/** In the line of a request the addresses of clients and servers are no links. Another line is running text. */
const findInLine = (line: string): ReadonlyArray<Found> => {
  const request = REQUEST.exec(line)
  if (request === null) return PlainText.find(line)
  const requested = requestedAt(line, request)
  const others = PlainText.find(line.replace(request[0], " ".repeat(request[0].length)))
  return [...(requested === undefined ? [] : [requested]), ...others.filter(({ url }) => url.includes("://"))]
}

/** Finds the links in a log of a web server or proxy: what was requested, if its host is there, and addresses in other fields. */
export const findInLog = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let at = 0
  for (const line of text.split("\n")) {
    append(found, moved(findInLine(line), at))
    at += line.length + 1
  }
  return found
}
