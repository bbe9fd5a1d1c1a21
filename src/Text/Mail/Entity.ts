/** Parses MIME entities: headers, multiparts, and bodies with their transfer encoding and charset (RFC 2045, 2046). */

import PostalMime, { decodeWords } from "postal-mime"
import {
  binary,
  decoderOf,
  fromBase64,
  fromBinary,
  fromQuotedPrintable,
  isText,
  textOf,
  utf16Of
} from "../Encoded.ts"
import { type BodyHeader, formatOf, mediaTypeOf } from "./Treatment.ts"

/** Bytes, and the same as a binary string: both have the same offsets. */
export interface Source {
  readonly bytes: Uint8Array
  readonly text: string
}

export const sourceOf = (bytes: Uint8Array): Source => ({ bytes, text: binary(bytes) })

/** A mail, or a part of one: a header and a body. */
export interface Entity extends BodyHeader {
  readonly source: Source
  readonly fileName: string
  readonly bodyStart: number
  readonly end: number
}

const MAX_HEADER_CHARS = 2_097_152
/** Between header and body. */
export const BLANK_LINE = /(?:^|\r?\n)\r?\n/
/** Ends the header if the blank line is missing. */
const NOT_A_FIELD = /\n(?![\w-]+[ \t]*:(?!\/\/)|[ \t\r\n]|>?From |$)/
const FOLD = /\r?\n[ \t]+/g

/** Joins the lines of folded header fields. */
export const unfolded = (header: string): string => header.replace(FOLD, " ")

const CONTENT_FIELD = /^content-(type|disposition|transfer-encoding)[ \t]*:([^\r\n]*)/gim
/** A media type, a comment or a parameter without its semicolon, and parameters. */
const CONTENT_TYPE = /^([^;\s]{1,100})(?:\s[^;]*)?(;.*)?$/
const ENCODING = /^["(]?([78]bit|binary|base64|quoted-printable|$)/i
/** Joins the pieces of a file name (RFC 2231): `name*0="a.h"; name*1="tml"`. */
const NEXT_PIECE = /"?;\s?(?:file)?name\*[1-9]\*?="?/gi
const FILE_NAME = /name\*?\d?\*?\s*=\s*"?([^";]*)/i

const BETWEEN_ENCODED_WORDS = /(?<=\?=)[ \t]+(?==\?)/
/** Of a value whose words are decoded together: postal-mime takes quadratic time. */
const MAX_WORDS_CHARS = 20_000

/** Decodes the encoded words of a header field (RFC 2047). */
export const decodedWords = (value: string): string =>
  value.length > MAX_WORDS_CHARS
    ? value.split(BETWEEN_ENCODED_WORDS).map(decodeWords).join("")
    : decodeWords(value)

/** Parses the entity between two offsets. `parent`: the type of the multipart that it is a part of. */
export const entityAt = (source: Source, start: number, end: number, parent = ""): Entity => {
  const beginning = source.text.slice(start, Math.min(end, start + MAX_HEADER_CHARS))
  const blank = BLANK_LINE.exec(beginning) ?? NOT_A_FIELD.exec(beginning)
  const fields = new Map<string, string>()
  // Of fields with one name the first counts, as in postal-mime and in mail programs.
  for (const [, name = "", value = ""] of unfolded(beginning.slice(0, blank?.index)).matchAll(CONTENT_FIELD))
    if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value.trim())
  // RFC 2046, section 5.1.5.
  const defaultType = parent === "multipart/digest" ? "message/rfc822" : "text/plain"
  const [, declared = defaultType, parameters = ""] = CONTENT_TYPE.exec(fields.get("type") ?? "") ?? []
  const names = `${fields.get("disposition") ?? ""};${parameters}`.replace(NEXT_PIECE, "")
  const fileName = decodedWords(FILE_NAME.exec(names)?.[1] ?? "")
  const type = mediaTypeOf(declared.toLowerCase(), fileName)
  const encoding = fields.get("transfer-encoding") ?? ""
  return {
    source,
    type,
    format: formatOf(type),
    parameters,
    encoding: ENCODING.exec(encoding)?.[1]?.toLowerCase() ?? encoding,
    fileName,
    bodyStart: start + (blank === null ? beginning.length : blank.index + blank[0].length),
    end
  }
}

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i
/** The end of a delimiter line: the closing one has two hyphens. */
const DELIMITER_END = /^(--)?[ \t]*(?:\r?\n|$)/
/** Of white space behind a delimiter. */
const MAX_PADDING_CHARS = 300

interface Multipart {
  /** Offsets: there may be millions. */
  readonly parts: ReadonlyArray<readonly [start: number, end: number]>
  /** The text before the first delimiter, and the text behind the closing one. */
  readonly outside: ReadonlyArray<readonly [start: number, end: number]>
  /** Lines that only resemble a delimiter. */
  readonly falseDelimiters: number
}

/** Divides a multipart into its parts. There are none in any other entity, or if the boundary is missing. */
export const multipartOf = ({ bodyStart, end, parameters, source, type }: Entity): Multipart => {
  const [, quoted, bare] = type.startsWith("multipart/") ? (BOUNDARY.exec(parameters) ?? []) : []
  const boundary = quoted ?? bare
  const parts: Array<readonly [start: number, end: number]> = []
  const outside: Array<readonly [start: number, end: number]> = []
  let falseDelimiters = 0
  if (boundary === undefined) return { parts, outside, falseDelimiters }
  const delimiter = `--${boundary}`
  // Cut, so that a search for a missing boundary ends with the entity.
  const text = source.text.slice(0, end)
  let partStart: number | undefined
  for (let at = text.indexOf(delimiter, bodyStart); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    const afterBoundary = at + delimiter.length
    const isAtLineStart = at === bodyStart || text.charAt(at - 1) === "\n"
    const rest = DELIMITER_END.exec(text.slice(afterBoundary, afterBoundary + MAX_PADDING_CHARS))
    if (rest === null || !isAtLineStart) {
      falseDelimiters++
      continue
    }
    if (partStart === undefined) outside.push([bodyStart, at])
    else parts.push([partStart, at])
    const [line, closing] = rest
    partStart = afterBoundary + line.length
    if (closing !== undefined) {
      outside.push([partStart, end])
      return { parts, outside, falseDelimiters }
    }
  }
  if (partStart !== undefined) parts.push([partStart, end])
  return { parts, outside, falseDelimiters }
}

/** Returns a body in its transfer encoding. */
export const encodedBodyOf = ({ bodyStart, end, source }: Entity): string => source.text.slice(bodyStart, end)

/** Decodes the transfer encoding of a body, or of its first characters. Leaves an unknown encoding as it is. */
export const bodyOf = ({ bodyStart, encoding, end, source }: Entity, maxChars = end): Uint8Array => {
  const last = Math.min(end, bodyStart + maxChars)
  if (encoding === "base64") return fromBase64(source.text.slice(bodyStart, last))
  const body = source.bytes.subarray(bodyStart, last)
  return encoding === "quoted-printable" ? fromQuotedPrintable(body) : body
}

const FLOWED = /;\s*format\s*=\s*"?flowed/i
const CHARSET = /;\s{0,9}charset\s{0,9}=\s{0,9}["']?([^"';\s]{1,40})/i

/**
 * Decodes the charset of a body. A body that is declared to be UTF-16 and does not look so, or the reverse, has two texts: programs may
 * show either of them. postal-mime knows more charsets, and joins the lines of `format=flowed`.
 */
export const textsOf = async (
  bytes: Uint8Array,
  { format, parameters }: Entity
): Promise<ReadonlyArray<string>> => {
  const utf16 = utf16Of(bytes)
  const charset = CHARSET.exec(parameters)?.[1]
  const declared = decoderOf(charset ?? "utf-8")
  const isContradictory = (declared?.encoding.startsWith("utf-16") === true) !== (utf16 !== undefined)
  if (isContradictory && utf16 === undefined && isText(bytes)) return [textOf(bytes)]
  const others = isContradictory ? [binary(bytes)] : []
  const decoder = utf16 === undefined ? declared : new TextDecoder(utf16)
  if (decoder !== undefined && !FLOWED.test(parameters))
    return [...others, charset === undefined ? textOf(bytes) : decoder.decode(bytes)]
  const header = `Content-Type: text/${format === "html" ? "html" : "plain"}${parameters}\r\n\r\n`
  const { html, text } = await PostalMime.parse(fromBinary(header + binary(bytes)))
  return [...others, (format === "html" ? html : text) ?? ""]
}
