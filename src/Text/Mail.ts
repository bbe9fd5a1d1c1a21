/**
 * Finds the links in mails: divides them into parts, decodes those that may have links, mails inside mails among them, and reads
 * those by what they are; and in other texts with something encoded. Headers of mail servers and addresses of mail are no links.
 * Its library has 78 KB: load this module only for such a text.
 */

import PostalMime, { decodeWords } from "postal-mime"
import { type Kind, kindOf, type Link, linksIn } from "../Text.ts"
import {
  binary,
  encodedIn,
  fileTypeOf,
  fromBase64,
  fromBinary,
  fromQuotedPrintable,
  hasControls,
  hasHeaders,
  hasNotDecoded,
  headersIn,
  isQuotedPrintable,
  isText,
  textOf,
  unquoted,
  utf16Of
} from "./Encoded.ts"
import { append } from "./Link.ts"

/** The links of a mail or another text, and what was not read. */
export interface MailLinks {
  readonly links: ReadonlyArray<Link>
  /** The types of parts and encoded files that may contain links, such as `application/pdf`; of the mail itself if it cannot be decoded. */
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
const TEXT =
  /^(?:text\/|application\/(?:json|xml|x-ndjson|javascript|x-www-form-urlencoded|[\w.-]{1,80}\+(?:json|xml)))/
/** A text in their place was named by mistake, or to hide it. */
const MEDIA = /^(?:image|audio|video|font)\//

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

/** Where a mail or a part of one begins in a text, and the headers that it lacks; undefined if there is none. */
const mailIn = (text: string): { readonly start: number; readonly missing: string } | undefined => {
  const boundary = /^\s*--(\S{1,200})\r?\ncontent-/i.exec(text.slice(0, 1000))?.[1]
  const blank = text.length - text.trimStart().length
  if (boundary !== undefined)
    return { start: blank, missing: `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n` }
  // In front of a mail there may be a sentence, or the lines of a program.
  const start = hasHeaders(text) ? blank : headersIn(text)
  if (start !== undefined) return { start, missing: "" }
  if (!isQuotedPrintable(text)) return undefined
  const type = /<[a-z!]|=3C[a-z]/i.test(text) ? "text/html" : "text/plain"
  return {
    start: 0,
    missing: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`
  }
}

const HOST = /(?<![a-z0-9-])[a-z0-9-]+\.[a-z0-9.-]+/gi
const ADDRESS = /:\/\/|=\r?$|www\./i

/** The line of a host in the source; rather in the body than in the headers. */
const linesByHost = (source: string): ((host: string) => number) => {
  const bodyStart = BLANK_LINE.exec(source)?.index ?? 0
  const [head, body] = [new Map<string, number>(), new Map<string, number>()]
  let start = 0
  for (const [index, line] of source.split("\n").entries()) {
    const lines = start < bodyStart ? head : body
    if (ADDRESS.test(line))
      for (const [host] of line.matchAll(HOST)) if (!lines.has(host)) lines.set(host, index + 1)
    start += line.length + 1
  }
  return (host) => body.get(host) ?? head.get(host) ?? 1
}

const hostIn = (url: string): string => url.match(HOST)?.[0] ?? ""

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
/** In a name in pieces (RFC 2231). */
const NEXT_PIECE = /"?;\s?(?:file)?name\*[1-9]\*?="?/gi

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
  const names = `${disposition};${parameters}`.replace(NEXT_PIECE, "")
  const fileName = decodeWords(/name\*?\d?\*?\s*=\s*"?([^";]*)/i.exec(names)?.[1] ?? "")
  return {
    type: type.toLowerCase(),
    parameters,
    encoding: headerIn(head, /^content-transfer-encoding[ \t]*:([^\r\n]*)/im),
    fileName,
    bodyStart: blank === null ? start + beginning.length : start + blank.index + blank[0].length,
    end
  }
}

/** The delimiter of a boundary, and white space behind it. */
const MAX_DELIMITER_CHARS = 500

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i

/** Where the parts inside a part begin and end, and what follows them; undefined if it has none. */
const insideOf = (
  source: Source,
  { bodyStart, end, parameters, type }: Part,
  reading: Reading
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
    if (line === undefined || (at > bodyStart && text.charAt(at - 1) !== "\n")) {
      // Counted: many parts may name a boundary that only seems to follow.
      reading.counted.parts++
      continue
    }
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
  if (head === "") return bytes
  const first = new TextEncoder().encode(head)
  const all = new Uint8Array(first.length + bytes.length)
  all.set(first)
  all.set(bytes, first.length)
  return all
}

const FLOWED = /;\s*format\s*=\s*"?flowed/i
const CHARSET = /;\s{0,9}charset\s{0,9}=\s{0,9}"?([^";\s]{1,40})/i

/** Without a byte order mark it cannot be told from its bytes if it is Chinese. */
const UTF_16 = /charset\W{1,9}utf-?16/i
/** UTF-7 and EBCDIC: not the bytes of ASCII, nor decoded. */
const NOT_ASCII = /charset\W{1,9}(?:[\w-]{0,20}utf-?7|(?:ibm|cp|x-ebcdic)-?(?:0?37|273|500|1047|1140))\b/i

/** Undefined for a name that only the library knows. */
const decoderOf = (charset: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

const BASE64 = /^["(]?base64/i
const QUOTED = /^["(]?quoted-printable/i

/** The bytes of a part, or of its first characters. */
const bytesOf = ({ bytes, text }: Source, { bodyStart, encoding, end }: Part, maxChars = end): Uint8Array => {
  const last = Math.min(end, bodyStart + maxChars)
  if (BASE64.test(encoding)) return fromBase64(text.slice(bodyStart, last))
  const body = bytes.subarray(bodyStart, last)
  return QUOTED.test(encoding) ? fromQuotedPrintable(body) : body
}

/** The text of a part in its charset: by the library if only that knows it, or joins its lines. */
const decoded = async (bytes: Uint8Array, { parameters }: Part, as: "html" | "plain"): Promise<string> => {
  const decoder = decoderOf(utf16Of(bytes) ?? CHARSET.exec(parameters)?.[1] ?? "utf-8")
  // Of a text that has been converted since.
  const isMislabelled = decoder?.encoding.startsWith("utf-16") === true && utf16Of(bytes) === undefined
  if (isMislabelled && isText(bytes)) return textOf(bytes)
  if (decoder !== undefined && !FLOWED.test(parameters)) return decoder.decode(bytes)
  const { html, text } = await PostalMime.parse(
    concat(`Content-Type: text/${as}${parameters}\r\n\r\n`, bytes)
  )
  return (as === "html" ? html : text) ?? ""
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

/** Of the body of a part, to see what it is. */
const MAX_SAMPLE_CHARS = 800

const CR = 0x0d
const LF = 0x0a
/** Of UTF-8, before the first header. */
const BYTE_ORDER_MARK = /^\u00ef\u00bb\u00bf/

interface Reading {
  readonly html: Array<Link>
  readonly other: Array<Link>
  readonly unread: Set<string>
  readonly counted: { parts: number }
  /** What is read may be words of a text, which is read by itself. */
  readonly isInText: boolean
}

/** Written by mail servers and programs, for others. */
const NOT_FOR_READERS =
  /^(?:list-|arc-|x-|dkim-|domainkey-|received|authentication-|content-|bimi-|access-control-|(?:return-path|delivered-to|message-id|references|in-reply-to|feedback-id|mime-version|user-agent|autocrypt|openpgp|errors-to|cfbl-address|report-to|nel|via|set-cookie)$)/i
const HEADER_LINE = /^([\w-]{1,100})[ \t]*:[ \t]*([^\r\n]*)/gm

/** The links in the headers that people write and read. Beside a mail address a name of a host is that of its sender. */
const readHeaders = (written: Uint8Array, reading: Reading): void => {
  const lines = new TextDecoder().decode(written).replace(FOLD, " ")
  // Mail servers end the headers before a line that is none.
  const others = linksIn(lines.replace(HEADER_LINE, "")).filter(({ url }) => url.includes("/"))
  append(reading.other, others)
  for (const [, name = "", value = ""] of lines.matchAll(HEADER_LINE))
    if (!NOT_FOR_READERS.test(name) || /<a\s/i.test(value))
      append(
        reading.other,
        linksIn(decodeWords(value), "text").filter(({ url }) => !value.includes("@") || url.includes("/"))
      )
}

const addLinks = (text: string, kind: Kind, reading: Reading): void =>
  append(kind === "html" ? reading.html : reading.other, linksIn(text, kind))

const FOLDED_HEADER = /^([\w-]{1,100}):[^\n]*(?:\n[ \t][^\n]*)*/gm
const IN_HTML = /[<>"'&=]|:\/\//
const IN_TEXT = /:\/\//

/** Reads a text that a mail seems to be in. Its headers may be words of the text: they hide nothing of it but names of mail servers. */
const readAround = (text: string, kind: Kind, reading: Reading): void => {
  const mayHaveLinks = kind === "html" ? IN_HTML : IN_TEXT
  const shown = text.replace(FOLDED_HEADER, (header, name: string) =>
    NOT_FOR_READERS.test(name) && !mayHaveLinks.test(header) ? "" : header
  )
  addLinks(shown, kind, reading)
}

/** Reads a text, and the texts that are encoded in it. */
const readText = async (
  text: string,
  kind: Kind,
  type: string | undefined,
  depth: number,
  reading: Reading
): Promise<void> => {
  addLinks(text, kind, reading)
  if (hasNotDecoded(text))
    reading.unread.add(type === undefined ? "encoded text" : `${type} with an encoded text`)
  for (const { bytes, line } of encodedIn(text)) {
    const inside: Reading = { ...reading, html: [], other: [], isInText: false }
    await readBytes(bytes, depth + 1, inside)
    append(
      reading.other,
      [...inside.html, ...inside.other].map((link) => ({ ...link, line, column: 1 }))
    )
  }
}

/** Reads bytes by what they are: a mail, another text, or a file that is not read. */
const readBytes = async (written: Uint8Array, depth: number, reading: Reading): Promise<void> => {
  const isUtf16 = utf16Of(written) !== undefined
  const bytes = isUtf16 ? new TextEncoder().encode(textOf(written)) : written
  // A few letters make no UTF-16, and hide nothing.
  if (isUtf16) addLinks(binary(written), kindOf(binary(written)), reading)
  const text = binary(bytes)
  const kind = kindOf(text)
  const mail = kind === "mail" ? mailIn(text) : undefined
  const file = fileTypeOf(bytes)
  if (file !== undefined && file !== "") reading.unread.add(file)
  if (file !== undefined && hasControls(bytes)) return
  if (mail === undefined && !isText(bytes)) reading.unread.add(file ?? "application/octet-stream")
  if (mail === undefined || depth > MAX_DEPTH) {
    if (mail !== undefined) reading.unread.add("message/rfc822")
    return readText(textOf(bytes), kind, undefined, depth, reading)
  }
  const { missing, start } = mail
  const isInText = missing === "" && !hasHeaders(text)
  if (isInText) {
    const before = textOf(bytes.subarray(0, start))
    await readText(before, kindOf(before), undefined, depth, reading)
    readAround(textOf(bytes), kindOf(before), reading)
  }
  return readMail(concat(missing, bytes.subarray(start)), depth, { ...reading, isInText })
}

const readPart = async (source: Source, part: Part, depth: number, reading: Reading): Promise<void> => {
  const { bodyStart, encoding, end, fileName } = part
  const ending = /(?:\.|%2e)([a-z]{1,5})[. ]{0,9}$/i.exec(fileName)?.[1]?.toLowerCase() ?? ""
  const isVague = part.type === "application/octet-stream" || !part.type.includes("/")
  // Windows opens a file by its name, whatever its type.
  const type = (isVague || WITHOUT_LINKS.test(part.type) ? TYPES_BY_ENDING[ending] : undefined) ?? part.type
  if (depth > MAX_DEPTH || reading.counted.parts++ >= MAX_PARTS) {
    if (WITHOUT_LINKS.test(type)) return
    reading.unread.add("message/rfc822")
    return append(reading.other, linksIn(source.text.slice(bodyStart, end), "text"))
  }
  const inside = insideOf(source, part, reading)
  if (inside !== undefined) {
    const usualType = type === "multipart/digest" ? "message/rfc822" : "text/plain"
    for (const [start, end] of inside.parts)
      await readPart(source, partAt(source, start, end, usualType), depth + 1, reading)
    return source.text.slice(inside.after, end).trim() === ""
      ? undefined
      : readBytes(source.bytes.subarray(inside.after, end), depth + 1, reading)
  }
  // Another mail in the same file, or in the text of this one.
  const next =
    MAIL.test(type) || QUOTED.test(encoding) ? undefined : headersIn(source.text.slice(bodyStart, end))
  const isReadable = HTML.test(type) || CALENDAR.test(type) || TEXT.test(type)
  if (next !== undefined) {
    const isInText = reading.isInText || isReadable
    await readPart(source, { ...part, end: bodyStart + next }, depth, reading)
    await readMailAt(source, bodyStart + next, end, depth, { ...reading, isInText })
    if (isInText === reading.isInText) return
  }
  const sample = bytesOf(source, part, MAX_SAMPLE_CHARS)
  const file = MAIL.test(type) ? undefined : fileTypeOf(sample)
  if (file !== undefined && file !== "")
    reading.unread.add(isReadable || WITHOUT_LINKS.test(type) ? file : type)
  if (file !== undefined && !isReadable) return
  if (WITHOUT_LINKS.test(type))
    return MEDIA.test(type) && sample.length > 0 && isText(sample)
      ? readBytes(bytesOf(source, part), depth + 1, reading)
      : undefined
  if (!isReadable && !MAIL.test(type) && !isText(sample)) {
    reading.unread.add(type)
    return
  }
  if (!KNOWN_ENCODING.test(encoding)) reading.unread.add(`${type} in ${encoding.slice(0, 50)}`)
  if (NOT_ASCII.test(part.parameters)) reading.unread.add(`${type} in UTF-7 or EBCDIC`)
  const bytes = bytesOf(source, part)
  const body = source.text.slice(bodyStart, end)
  // Of two encodings that are named, programs take this one or the other.
  if (BASE64.test(encoding) && /[<:]/.test(body)) addLinks(body, HTML.test(type) ? "html" : "text", reading)
  if (MAIL.test(type)) return readMail(bytes, depth + 1, reading)
  if (!isReadable) {
    const isKnown = !type.startsWith("multipart/") && kindOf(textOf(bytes)) !== "text"
    if (!isKnown && !reading.isInText) reading.unread.add(type)
    return readBytes(bytes, depth + 1, reading)
  }
  // It is read all the same: programs show what they can.
  const isUtf16 = utf16Of(bytes) !== undefined
  const isCalledUtf16 = UTF_16.test(part.parameters)
  if (file === undefined && hasControls(bytes) && !isUtf16 && !isCalledUtf16)
    reading.unread.add(`${type} that is not a text`)
  const isHtml = HTML.test(type)
  // A few letters make no UTF-16, and a name neither: they hide nothing.
  if (isUtf16 ? !isCalledUtf16 : isCalledUtf16 && !isText(bytes))
    addLinks(binary(bytes), isHtml ? "html" : "text", reading)
  const written = await decoded(bytes, part, isHtml ? "html" : "plain")
  const isCalendar = CALENDAR.test(type)
  const text = isCalendar ? unfolded(written).replace(NOT_IN_CALENDAR, "") : written
  // A text of a mail is no mail by its first words.
  const isPlain = isCalendar || (type === "text/plain" && fileName === "")
  const kind = isHtml ? "html" : isPlain ? "text" : kindOf(text)
  return next === undefined ? readText(text, kind, type, depth, reading) : readAround(text, kind, reading)
}

const readMailAt = async (source: Source, start: number, end: number, depth: number, reading: Reading) => {
  const part = partAt(source, start, end)
  await readPart(source, part, depth, reading)
  readHeaders(source.bytes.subarray(start, part.bodyStart), reading)
}

const readMail = (bytes: Uint8Array, depth: number, reading: Reading): Promise<void> =>
  readMailAt({ bytes, text: binary(bytes) }, 0, bytes.length, depth, reading)

const linksOf = async (read: (reading: Reading) => Promise<void>, text: string): Promise<MailLinks> => {
  const reading: Reading = { html: [], other: [], unread: new Set(), counted: { parts: 0 }, isInText: false }
  const { html, other, unread } = await read(reading).then(
    () => reading,
    () => ({ html: [], other: linksIn(text, "text"), unread: new Set(["message/rfc822"]) })
  )
  const known = new Set(html.map(({ url }) => url))
  // Most mails have the same text twice.
  return { links: [...html, ...other.filter(({ url }) => !known.has(url))], unread: [...unread] }
}

/** Returns the links of a text that is no mail, or of a piece of it, with those of the texts that are encoded in it. Never rejects. */
export const linksInText = (text: string, kind: Exclude<Kind, "mail">): Promise<MailLinks> =>
  linksOf((reading) => readText(text, kind, undefined, 0, reading), text)

/**
 * Returns the links of one mail as source, of a part of one, or of any other text, with those of the texts that are encoded in it.
 * Never rejects: what cannot be decoded is read as it is. A string is read as UTF-8; give bytes for mails with 8-bit texts of other
 * charsets.
 */
export const linksInMail = async (source: string | Uint8Array): Promise<MailLinks> => {
  const written = typeof source === "string" ? new TextEncoder().encode(source) : source
  // Some programs end lines with CR alone.
  const lined = written.includes(LF) ? written : written.map((byte) => (byte === CR ? LF : byte))
  const text = unquoted(binary(lined)).replace(BYTE_ORDER_MARK, "")
  const bytes = text.length === lined.length ? lined : fromBinary(text)
  const { links, unread } = await linksOf((reading) => readBytes(bytes, 0, reading), text)
  if (kindOf(text) !== "mail") return { links, unread }
  const lineOf = linesByHost(text)
  return { links: links.map((link) => ({ ...link, line: lineOf(hostIn(link.url)), column: 1 })), unread }
}
