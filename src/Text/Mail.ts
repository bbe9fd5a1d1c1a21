/**
 * Finds the links in mails: divides them into parts, decodes those that may have links, mails inside mails among them, and reads
 * those. Headers and addresses of mail are no links. Its library has 78 KB: load this module only for a mail.
 */

import PostalMime from "postal-mime"
import { type Kind, kindOf, type Link, linksIn } from "../Text.ts"
import { append } from "./Link.ts"

/** The links of a mail, and what was not read. */
export interface MailLinks {
  readonly links: ReadonlyArray<Link>
  /** The types of parts that may contain links, such as `application/pdf`; of the mail itself if it cannot be decoded. */
  readonly unread: ReadonlyArray<string>
}

/** A part inside a part, or a mail inside a mail. */
const MAX_DEPTH = 20
/** Of a mail. Each takes some 50 us. What is in more is read as text. */
const MAX_PARTS = 2000

/** They show or sign something, or are written by mail servers for mail servers. */
const WITHOUT_LINKS =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:(?:x-)?pkcs7-signature|pgp-signature|pgp-keys)|message\/(?:delivery-status|disposition-notification)|text\/rfc822-headers)/
const MAIL = /^message\/(?:rfc822|global)$/
const HTML = /^(?:text\/html|application\/xhtml\+xml|image\/svg)/
const CALENDAR = /^(?:text\/calendar|application\/ics)$/
const TEXT = /^(?:text\/|application\/(?:json|xml|x-ndjson))/

/** Of a file with a type that says nothing. */
const TYPES_BY_ENDING: Readonly<Record<string, string>> = {
  htm: "text/html",
  html: "text/html",
  shtml: "text/html",
  xhtml: "text/html",
  svg: "image/svg+xml",
  eml: "message/rfc822",
  ics: "text/calendar",
  txt: "text/plain",
  csv: "text/csv",
  json: "application/json"
}

const BASE64_LINE = /^[A-Za-z0-9+/]+={0,2}\r?$/

/** Where the lines of base64 at the end of a text begin. */
const lastBase64 = (text: string): number => {
  let start = text.trimEnd().length
  for (let end = start; end >= 0; ) {
    const lineStart = text.lastIndexOf("\n", end - 1) + 1
    if (end === 0 || !BASE64_LINE.test(text.slice(lineStart, end))) break
    start = lineStart
    end = lineStart - 1
  }
  return start
}

/** What stands before a text without the headers of a mail, and where that begins. */
const missingHead = (text: string): readonly [head: string, start: number] => {
  const start = text.length - text.trimStart().length
  const boundary = /^\s*--(\S{1,200})\r?\ncontent-/i.exec(text.slice(0, 1000))?.[1]
  if (boundary !== undefined) return [`Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`, start]
  const head = text.slice(0, 20_000)
  if (/^(?:[\w-]+:(?!\/\/)[^\n]*\r?\n){1,200}/.test(head.trimStart())) return ["", start]
  const isQuoted = /=3D|=\r?\n/i.test(head)
  const type = /<[a-z!]|=3C[a-z]/i.test(head) || !isQuoted ? "text/html" : "text/plain"
  const body = isQuoted ? 0 : lastBase64(text)
  const coding = isQuoted ? "quoted-printable" : "base64"
  if (body === text.trimEnd().length) return [`Content-Type: ${type}; charset=utf-8\r\n\r\n`, 0]
  return [`Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${coding}\r\n\r\n`, body]
}

/** Lines of the source by the hosts that stand there. */
const HOST = /(?<![a-z0-9-])[a-z0-9-]+\.[a-z0-9.-]+/gi
const ADDRESS = /:\/\/|=\r?$|www\./i

const linesByHost = (source: string): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  // Links are not in the headers.
  const bodyStart = BLANK_LINE.exec(source)?.index ?? 0
  let start = 0
  for (const [index, line] of source.split("\n").entries()) {
    if (start >= bodyStart && ADDRESS.test(line))
      for (const [host] of line.matchAll(HOST)) if (!lines.has(host)) lines.set(host, index + 1)
    start += line.length + 1
  }
  return lines
}

const hostIn = (url: string): string => url.match(HOST)?.[0] ?? ""

/** One character a byte. */
const characters = new TextDecoder("latin1")

/** Bytes, and the same as characters at the same places. */
interface Source {
  readonly bytes: Uint8Array
  readonly text: string
}

/** A part of a mail. */
interface Part {
  /** Lower case. */
  readonly type: string
  /** What follows the type, beginning with a semicolon; `""` for none. */
  readonly parameters: string
  readonly encoding: string
  readonly fileName: string
  readonly bodyStart: number
  readonly end: number
}

const FOLD = /\r?\n[ \t]+/g
const BLANK_LINE = /(?:^|\r?\n)\r?\n/
/** Ends the headers where the blank line is missing. */
const NO_HEADER = /\n(?![\w-]+[ \t]*:(?!\/\/)|[ \t\r\n]|>?From |$)/
const MAX_HEAD_CHARS = 2_097_152

/** Of several headers with one name the first counts, as for the library and for mail programs. */
const headerIn = (head: string, name: RegExp): string => name.exec(head)?.[1]?.trim() ?? ""

const partAt = ({ text }: Source, start: number, end: number, usualType = "text/plain"): Part => {
  const beginning = text.slice(start, Math.min(end, start + MAX_HEAD_CHARS))
  const blank = BLANK_LINE.exec(beginning) ?? NO_HEADER.exec(beginning)
  const head = beginning.slice(0, blank?.index).replace(FOLD, " ")
  const written = headerIn(head, /^content-type[ \t]*:([^\r\n]*)/im) || usualType
  const [, type = "", parameters = ""] = /^([^;\s]{1,100})(?:\s[^;]*)?(;.*)?$/.exec(written) ?? [
    "",
    usualType
  ]
  const disposition = headerIn(head, /^content-disposition[ \t]*:([^\r\n]*)/im)
  const fileName = /name\*?\d?\*?\s*=\s*"?([^";]*)/i.exec(`${disposition};${parameters}`)?.[1] ?? ""
  return {
    type: type.toLowerCase(),
    parameters,
    encoding: headerIn(head, /^content-transfer-encoding[ \t]*:([^\r\n]*)/im),
    fileName,
    bodyStart: blank === null ? end : start + blank.index + blank[0].length,
    end
  }
}

/** The delimiter of a boundary, and white space behind it. */
const MAX_DELIMITER_CHARS = 500

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i

/** Where the parts inside a part begin and end, and what follows them; undefined if it has none. */
const insideOf = (
  source: Source,
  { bodyStart, end, parameters, type }: Part
):
  | { readonly parts: ReadonlyArray<readonly [start: number, end: number]>; readonly after: number }
  | undefined => {
  const [, quoted, bare] = type.startsWith("multipart/") ? (BOUNDARY.exec(parameters) ?? []) : []
  const boundary = quoted ?? bare
  if (boundary === undefined) return undefined
  const delimiter = `--${boundary}`
  // Searched no further than the part: many parts may name a boundary that does not follow.
  const text = source.text.slice(0, end)
  const found: Array<readonly [start: number, end: number]> = []
  let start: number | undefined
  let after = end
  for (let at = text.indexOf(delimiter, bodyStart); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    const [line, isLast] =
      /^(--)?[ \t]*(?:\r?\n|$)/.exec(
        text.slice(at + delimiter.length, Math.min(end, at + MAX_DELIMITER_CHARS))
      ) ?? []
    if (line === undefined || (at > bodyStart && text.charAt(at - 1) !== "\n")) continue
    if (start !== undefined) found.push([start, Math.max(start, at)])
    start = isLast === undefined ? at + delimiter.length + line.length : undefined
    if (isLast !== undefined) {
      after = at + delimiter.length + line.length
      break
    }
  }
  if (start !== undefined) found.push([start, end])
  return found.length === 0 ? undefined : { parts: found, after }
}

const concat = (head: string, bytes: Uint8Array): Uint8Array => {
  const first = new TextEncoder().encode(head)
  const all = new Uint8Array(first.length + bytes.length)
  all.set(first)
  all.set(bytes, first.length)
  return all
}

const PLAIN_ENCODING = /^(?:[78]bit|binary)?$/i
const FLOWED = /;\s*format\s*=\s*"?flowed/i
const CHARSET = /;\s{0,9}charset\s{0,9}=\s{0,9}"?([^";\s]{1,40})/i

/** Undefined for a name that only the library knows. */
const decoderOf = (charset: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

/** The body of a part as text of its charset, or as bytes: by the library if it is encoded, which takes 10 us a line. */
const decoded = async ({ bytes }: Source, part: Part, as: "html" | "plain" | "bytes") => {
  const { bodyStart, encoding, end, parameters } = part
  const decoder = decoderOf(CHARSET.exec(parameters)?.[1] ?? "utf-8")
  const body = bytes.subarray(bodyStart, end)
  if (PLAIN_ENCODING.test(encoding) && !FLOWED.test(parameters) && decoder !== undefined)
    return { text: as === "bytes" ? "" : decoder.decode(body), bytes: body }
  const type = as === "bytes" ? "application/octet-stream" : `text/${as}${parameters}`
  const head = `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`
  const { attachments, html, text } = await PostalMime.parse(concat(head, body))
  const content = attachments[0]?.content
  return {
    text: (as === "html" ? html : text) ?? "",
    bytes: content === undefined || typeof content === "string" ? new Uint8Array() : new Uint8Array(content)
  }
}

/** Lines of a calendar are folded (RFC 5545). */
const unfolded = (calendar: string): string =>
  calendar
    .replace(/\r?\n[ \t]/g, "")
    .replace(/\\n/gi, "\n")
    .replace(/\\([,;\\])/g, "$1")

/** Its names of programs and numbers of events look like links. */
const NOT_IN_CALENDAR = /^(?:PRODID|UID)[:;].*$/gim

const KNOWN_ENCODING = /^["(]?(?:[78]bit|binary|base64|quoted-printable|$)/i

const CR = 0x0d
/** Of UTF-8, before the first header. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const LF = 0x0a

/** A file, an encrypted text or an encoded mail in the text of a mail. */
const ENCODED_INSIDE =
  /^begin(?:-base64)? [0-7]{3} \S|^=ybegin |^-----BEGIN PGP MESSAGE-----|^content-transfer-encoding:[ \t]*base64/im

interface Reading {
  readonly html: Array<Link>
  readonly other: Array<Link>
  readonly unread: Set<string>
  parts: number
}

/** What a part is: a text of a mail is no mail by its first words. */
const read = (text: string, kind: Kind): ReadonlyArray<Link> => linksIn(text, kind)

const readPart = async (source: Source, part: Part, depth: number, reading: Reading): Promise<void> => {
  const { bodyStart, encoding, end, fileName } = part
  const ending = /\.([a-z]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? ""
  const isVague = part.type === "application/octet-stream" || !part.type.includes("/")
  // Windows opens a file by its name, whatever its type.
  const type = (isVague || WITHOUT_LINKS.test(part.type) ? TYPES_BY_ENDING[ending] : undefined) ?? part.type
  if (WITHOUT_LINKS.test(type)) return
  if (depth > MAX_DEPTH || reading.parts++ >= MAX_PARTS) {
    reading.unread.add("message/rfc822")
    return append(reading.other, read(source.text.slice(bodyStart, end), "text"))
  }
  const inside = insideOf(source, part)
  if (inside !== undefined) {
    const usualType = type === "multipart/digest" ? "message/rfc822" : "text/plain"
    for (const [start, end] of inside.parts)
      await readPart(source, partAt(source, start, end, usualType), depth + 1, reading)
    return readAfter(source, inside.after, end, depth + 1, reading)
  }
  if (!KNOWN_ENCODING.test(encoding)) reading.unread.add(`${type} in ${encoding.slice(0, 50)}`)
  if (MAIL.test(type)) return readMail((await decoded(source, part, "bytes")).bytes, depth + 1, reading)
  if (HTML.test(type)) return append(reading.html, read((await decoded(source, part, "html")).text, "html"))
  if (CALENDAR.test(type) || TEXT.test(type)) {
    const { text } = await decoded(source, part, "plain")
    if (ENCODED_INSIDE.test(text)) reading.unread.add(`${type} with an encoded text`)
    if (CALENDAR.test(type))
      return append(reading.other, read(unfolded(text).replace(NOT_IN_CALENDAR, ""), "text"))
    return append(reading.other, read(text, type === "text/plain" && fileName === "" ? "text" : kindOf(text)))
  }
  reading.unread.add(type)
  // Without its boundary it is not divided.
  if (type.startsWith("multipart/")) append(reading.other, read(source.text.slice(bodyStart, end), "text"))
}

/** What follows the last part: nothing, or another mail of several in one file. */
const readAfter = async (source: Source, after: number, end: number, depth: number, reading: Reading) => {
  const text = source.text.slice(after, end)
  if (text.trim() === "") return
  const start = after + text.length - text.trimStart().length
  const bytes = source.bytes.subarray(start, end)
  if (kindOf(text) === "mail" && missingHead(text)[0] === "") return readMail(bytes, depth, reading)
  if (ENCODED_INSIDE.test(text)) reading.unread.add("text with an encoded text")
  append(reading.other, read(new TextDecoder().decode(bytes), "text"))
}

const readMail = (bytes: Uint8Array, depth: number, reading: Reading): Promise<void> => {
  const source = { bytes, text: characters.decode(bytes) }
  return readPart(source, partAt(source, 0, bytes.length), depth, reading)
}

/**
 * Returns the links of one mail as source, or of a part of one. Never rejects: what cannot be decoded is read as it is. A string is
 * read as UTF-8; give bytes for mails with 8-bit texts of other charsets.
 */
export const linksInMail = async (source: string | Uint8Array): Promise<MailLinks> => {
  const written = typeof source === "string" ? new TextEncoder().encode(source) : source
  // Some programs end lines with CR alone.
  const marked = written.includes(LF) ? written : written.map((byte) => (byte === CR ? LF : byte))
  const bytes = BYTE_ORDER_MARK.every((byte, at) => marked[at] === byte) ? marked.subarray(3) : marked
  const text = characters.decode(bytes)
  const [head, start] = missingHead(text)
  const whole = head === "" && start === 0 ? bytes : concat(head, bytes.subarray(start))
  const reading: Reading = { html: [], other: [], unread: new Set(), parts: 0 }
  // A text before the lines of base64.
  append(reading.other, head === "" ? [] : read(text.slice(0, start), "text"))
  const { html, other, unread } = await readMail(whole, 0, reading).then(
    () => reading,
    () => ({ html: [], other: read(text, "text"), unread: new Set(["message/rfc822"]) })
  )
  const known = new Set(html.map(({ url }) => url))
  const lines = linesByHost(text)
  // Most mails have the same text twice.
  const links = [...html, ...other.filter(({ url }) => !known.has(url))]
  return {
    links: links.map((link) => ({ ...link, line: lines.get(hostIn(link.url)) ?? 1, column: 1 })),
    unread: [...unread]
  }
}
