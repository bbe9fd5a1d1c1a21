/**
 * Finds the links in the source of a mail: decodes its MIME entities, mails inside mails included, and reads each by its type. Also reads
 * what is encoded in other texts. Names of mail servers and mail addresses are not links. postal-mime has 78 KB: load this module only
 * for such a text.
 */

import { type Kind, kindOf, type Link, linksIn } from "../Text.ts"
import {
  binary,
  encodedIn,
  fileTypeOf,
  fromBinary,
  hasControls,
  hasUndecodable,
  isText,
  textOf,
  utf16Of
} from "./Encoded.ts"
import { append } from "./Link.ts"
import * as Entity from "./Mail/Entity.ts"
import { isTextFormat, treatmentOf } from "./Mail/Treatment.ts"
import {
  beginsWithHeader,
  headerStart,
  type MailStart,
  mailStartIn,
  unquoted,
  withoutQuotedProperties
} from "./MailSource.ts"

/** The links of a mail or another text, and what was not read. */
export interface MailLinks {
  readonly links: ReadonlyArray<Link>
  /** The types of parts and encoded files that may contain links, such as `application/pdf`; of the mail itself if it cannot be decoded. */
  readonly unread: ReadonlyArray<string>
}

/** Of parts, mails and encoded texts inside each other. */
const MAX_DEPTH = 20
/** Each takes about 50 us. Further ones are read as plain text, and reported. */
const MAX_ENTITIES = 2000
/** Of a body, to decide how it is read. */
const MAX_SAMPLE_CHARS = 4000

/** What is read, and what was found. */
interface Reading {
  readonly inPages: Array<Link>
  readonly inTexts: Array<Link>
  readonly unread: Set<string>
  readonly counted: { entities: number }
  readonly depth: number
  /** The mail may be words of a text, which is read too: the types that it names are not reported. */
  readonly isInText: boolean
}

const inside = (reading: Reading): Reading => ({ ...reading, depth: reading.depth + 1 })

const addLinks = (text: string, kind: Kind, reading: Reading): void =>
  append(kind === "html" ? reading.inPages : reading.inTexts, linksIn(text, kind))

/** Reads a text, and what it contains in base64. `type`: of the entity whose body it is. */
const readText = async (text: string, kind: Kind, reading: Reading, type?: string): Promise<void> => {
  addLinks(text, kind, reading)
  if (hasUndecodable(text))
    reading.unread.add(type === undefined ? "encoded text" : `${type} with an encoded text`)
  for (const { bytes, line } of encodedIn(text)) {
    const encoded: Reading = { ...inside(reading), inPages: [], inTexts: [], isInText: false }
    await readContent(bytes, encoded)
    for (const link of [...encoded.inPages, ...encoded.inTexts])
      reading.inTexts.push({ ...link, line, column: 1 })
  }
}

/** Reads a text once more whose lines were also read as the header of a mail. */
const readTextAroundMail = (text: string, kind: Kind, reading: Reading): void =>
  addLinks(withoutServerFields(text, kind === "html"), kind, reading)

/** Reads bytes by what they are: a mail, another text, or a file, which is reported. */
const readContent = async (written: Uint8Array, reading: Reading): Promise<void> => {
  const isUtf16 = utf16Of(written) !== undefined
  // The first letters may only look like UTF-16.
  if (isUtf16) addLinks(binary(written), kindOf(binary(written)), reading)
  const bytes = isUtf16 ? new TextEncoder().encode(textOf(written)) : written
  const file = fileTypeOf(bytes)
  if (file !== undefined && file !== "") reading.unread.add(file)
  if (file !== undefined && hasControls(bytes)) return
  const source = Entity.sourceOf(bytes)
  const kind = kindOf(source.text)
  const mail = kind === "mail" ? mailStartIn(source.text) : undefined
  if (mail !== undefined && reading.depth <= MAX_DEPTH) return readMailIn(source, mail, reading)
  if (mail !== undefined) reading.unread.add("message/rfc822")
  else if (file === undefined && !isText(bytes)) reading.unread.add("application/octet-stream")
  return readText(textOf(bytes), kind, reading)
}

/** Reads a mail that a text is, or contains. */
const readMailIn = async (
  source: Entity.Source,
  { missingHeader, start }: MailStart,
  reading: Reading
): Promise<void> => {
  const { bytes, text } = source
  if (missingHeader !== "") {
    const whole = fromBinary(missingHeader + text.slice(start))
    return readEntityAt(Entity.sourceOf(whole), 0, whole.length, { ...reading, isInText: false })
  }
  const isInText = !beginsWithHeader(text)
  if (isInText) {
    const before = textOf(bytes.subarray(0, start))
    await readText(before, kindOf(before), reading)
    readTextAroundMail(textOf(bytes), kindOf(before), reading)
  }
  return readEntityAt(source, start, text.length, { ...reading, isInText })
}

/** Fields that mail servers and programs write for each other. */
const SERVER_FIELD =
  /^(?:list-|arc-|x-|dkim-|domainkey-|received|authentication-|content-|bimi-|access-control-|(?:return-path|delivered-to|message-id|references|in-reply-to|feedback-id|mime-version|user-agent|autocrypt|openpgp|errors-to|cfbl-address|report-to|nel|via|set-cookie)$)/i
const FIELD = /^([\w-]{1,100})[ \t]*:(?!\/\/)[ \t]*([^\r\n]*)/gm

const hasPath = ({ url }: Link): boolean => url.includes("/")

/** The links in one field. Beside a mail address, a host without a path is the name of the sender's site. */
const linksInField = (name: string, value: string): ReadonlyArray<Link> => {
  // An anchor in a server's field: the text is a page that only begins like a mail.
  if (SERVER_FIELD.test(name) && !/<a\s/i.test(value)) return []
  const links = linksIn(Entity.decodedWords(value), "text")
  return value.includes("@") ? links.filter(hasPath) : links
}

/** Reads a header: fields that people write or read, and other lines. They may be a body without a blank line before it. */
const readHeader = async (header: Uint8Array, reading: Reading): Promise<void> => {
  const lines = Entity.unfolded(new TextDecoder().decode(header))
  const otherLines = lines.replace(FIELD, "")
  await readText(otherLines, kindOf(otherLines), reading)
  for (const [, name = "", value = ""] of lines.matchAll(FIELD))
    append(reading.inTexts, linksInField(name, value))
}

const FOLDED_FIELD = /^([\w-]{1,100}):[^\n]*(?:\n[ \t][^\n]*)*/gm
const IN_HTML = /[<>"'&=]|:\/\//
const IN_TEXT = /:\/\//

/** Removes the fields of mail servers that contain no link or markup: the names of the servers are not links. */
const withoutServerFields = (text: string, isHtml: boolean): string => {
  const mayHaveLink = isHtml ? IN_HTML : IN_TEXT
  return text.replace(FOLDED_FIELD, (field, name: string) =>
    SERVER_FIELD.test(name) && !mayHaveLink.test(field) ? "" : field
  )
}

/** Reads the mail, or the part of one, between two offsets. `parent`: the type of the multipart that it is a part of. */
const readEntityAt = async (
  source: Entity.Source,
  start: number,
  end: number,
  reading: Reading,
  parent?: string
): Promise<void> => {
  const entity = Entity.entityAt(source, start, end, parent)
  await readEntity(entity, reading)
  await readHeader(source.bytes.subarray(start, entity.bodyStart), reading)
}

const readEntity = async (entity: Entity.Entity, reading: Reading): Promise<void> => {
  const { bodyStart, encoding, format, source, type } = entity
  if (reading.depth > MAX_DEPTH || reading.counted.entities++ >= MAX_ENTITIES) {
    reading.unread.add("message/rfc822")
    return addLinks(Entity.encodedBodyOf(entity), "text", reading)
  }
  // The header of a mail in a report has no body.
  if (type.startsWith("multipart/") && Entity.encodedBodyOf(entity).trim() === "") return
  const { falseDelimiters, outside, parts } = Entity.multipartOf(entity)
  reading.counted.entities += falseDelimiters
  if (parts.length > 0) {
    for (const [start, partEnd] of parts) await readEntityAt(source, start, partEnd, inside(reading), type)
    // Not shown, unless a second `Content-Type` says that the body is a page.
    for (const [start, textEnd] of outside)
      await readContent(source.bytes.subarray(start, textEnd), inside(reading))
    return
  }
  const mayHaveMail = format !== "mail" && encoding !== "quoted-printable"
  const header = mayHaveMail ? headerStart(Entity.encodedBodyOf(entity)) : undefined
  return header === undefined
    ? readBody(entity, reading)
    : readBodyAndMail(entity, bodyStart + header, reading)
}

/** Reads a body and the mail in it: the next one of a file, or one that a text quotes. Such a text is also read as a whole. */
const readBodyAndMail = async (entity: Entity.Entity, mailStart: number, reading: Reading): Promise<void> => {
  const { end, format, source } = entity
  const isInText = reading.isInText || isTextFormat(format)
  await readBody({ ...entity, end: mailStart }, reading)
  await readEntityAt(source, mailStart, end, { ...reading, isInText })
  if (isInText && !reading.isInText) await readBody(entity, reading, true)
}

/** Reads a body that is not a multipart. `isRepeated`: a mail in it was read before. */
const readBody = async (entity: Entity.Entity, reading: Reading, isRepeated = false): Promise<void> => {
  const { encoding, format, type } = entity
  const { readAs, unread } = treatmentOf(entity, Entity.bodyOf(entity, MAX_SAMPLE_CHARS))
  for (const name of unread) reading.unread.add(name)
  const encoded = Entity.encodedBodyOf(entity)
  // Not base64: of two transfer encodings in a header, programs use either.
  if (encoding === "base64" && /[<:]/.test(encoded))
    addLinks(encoded, format === "html" ? "html" : "text", reading)
  if (readAs === "nothing") return
  const bytes = Entity.bodyOf(entity)
  if (readAs === "mail") return readEntityAt(Entity.sourceOf(bytes), 0, bytes.length, inside(reading))
  if (readAs === "text") return readTextBody(bytes, entity, reading, isRepeated)
  if (readAs === "addresses") {
    const addresses = linksIn(textOf(bytes)).filter(({ url }) => url.includes("://"))
    return append(reading.inTexts, addresses)
  }
  if (readAs === "guess" && !reading.isInText) {
    const isUnknown = type.startsWith("multipart/") || kindOf(textOf(bytes)) === "text"
    if (isUnknown) reading.unread.add(type)
  }
  return readContent(bytes, inside(reading))
}

const readTextBody = async (
  bytes: Uint8Array,
  entity: Entity.Entity,
  reading: Reading,
  isRepeated: boolean
): Promise<void> => {
  const { fileName, format, type } = entity
  // A message may begin like a table or a mail without being one; a file is what it looks like.
  const isMessage = format === "calendar" || (type === "text/plain" && fileName === "")
  for (const decoded of await Entity.textsOf(bytes, entity)) {
    const written = format === "calendar" ? textOfCalendar(decoded) : decoded
    const kind = format === "html" ? "html" : isMessage ? "text" : kindOf(written)
    const text = kind === "mail" ? textOfContact(written) : written
    if (isRepeated) readTextAroundMail(text, kind, reading)
    else await readText(text, kind, reading, type)
  }
}

/** Decodes the properties of an attached contact. */
const textOfContact = (contact: string): string =>
  textOf(fromBinary(withoutQuotedProperties(binary(new TextEncoder().encode(contact)))))

/** Their values resemble links: the name of a program, and the identifier of an event. */
const NOT_IN_CALENDAR = /^(?:PRODID|UID)[:;].*$/gim

/** Joins the folded lines of a calendar and removes its escapes (RFC 5545). */
const textOfCalendar = (calendar: string): string =>
  calendar
    .replace(/\r?\n[ \t]/g, "")
    .replace(/\\n/gi, "\n")
    .replace(/\\([,;\\])/g, "$1")
    .replace(NOT_IN_CALENDAR, "")

const collected = async (read: (reading: Reading) => Promise<void>, text: string): Promise<MailLinks> => {
  const reading: Reading = {
    inPages: [],
    inTexts: [],
    unread: new Set(),
    counted: { entities: 0 },
    depth: 0,
    isInText: false
  }
  try {
    await read(reading)
  } catch {
    return { links: linksIn(text, "text"), unread: ["message/rfc822"] }
  }
  const { inPages, inTexts, unread } = reading
  // Most mails have the same text as a page and as plain text.
  const known = new Set(inPages.map(({ url }) => url))
  return { links: [...inPages, ...inTexts.filter(({ url }) => !known.has(url))], unread: [...unread] }
}

/** Returns the links of a text, or of a piece of one, and of what it contains in base64. Not for mails. Never rejects. */
export const linksInText = (text: string, kind: Exclude<Kind, "mail">): Promise<MailLinks> =>
  collected((reading) => readText(text, kind, reading), text)

const CR = 0x0d
const LF = 0x0a
/** Of UTF-8, as a binary string. */
const BYTE_ORDER_MARK = /^\u00ef\u00bb\u00bf/

/**
 * Returns the links of one mail as source, of a part of one, or of any other text, and of what it contains in base64. Never rejects:
 * what cannot be decoded is read as it is. A string is read as UTF-8; give bytes for mails with 8-bit texts of other charsets.
 */
export const linksInMail = async (source: string | Uint8Array): Promise<MailLinks> => {
  const written = typeof source === "string" ? new TextEncoder().encode(source) : source
  // Some programs end lines with CR alone.
  const lines = written.includes(LF) ? written : written.map((byte) => (byte === CR ? LF : byte))
  const text = withoutQuotedProperties(unquoted(binary(lines)).replace(BYTE_ORDER_MARK, ""))
  const bytes = text.length === lines.length ? lines : fromBinary(text)
  const { links, unread } = await collected((reading) => readContent(bytes, reading), text)
  if (kindOf(text) !== "mail") return { links, unread }
  const lineOf = linesByHost(text)
  return { links: links.map((link) => ({ ...link, line: lineOf(hostIn(link.url)), column: 1 })), unread }
}

const HOST = /(?<![a-z0-9-])[a-z0-9-]+\.[a-z0-9.-]+/gi
/** A line that may contain a link. */
const LINK_LINE = /:\/\/|=\r?$|www\./i

const hostIn = (url: string): string => url.match(HOST)?.[0] ?? ""

/** Returns the first line of a host in a source; of the body rather than the header, and 1 if its part is encoded. */
const linesByHost = (source: string): ((host: string) => number) => {
  const bodyStart = Entity.BLANK_LINE.exec(source)?.index ?? 0
  const inHeader = new Map<string, number>()
  const inBody = new Map<string, number>()
  let start = 0
  for (const [index, line] of source.split("\n").entries()) {
    const lines = start < bodyStart ? inHeader : inBody
    if (LINK_LINE.test(line))
      for (const [host] of line.matchAll(HOST)) if (!lines.has(host)) lines.set(host, index + 1)
    start += line.length + 1
  }
  return (host) => inBody.get(host) ?? inHeader.get(host) ?? 1
}
