/** Says what bytes are, decodes charsets, base64 and quoted-printable, and finds base64 inside a text. */

/** Of files that are not read. Office files are ZIP or OLE files. Images and sounds contain no links: their type is `""`. */
const MAGIC_NUMBERS: ReadonlyArray<readonly [magic: string, type: string]> = [
  ["%PDF-", "application/pdf"],
  ["PK\u0003\u0004", "application/zip"],
  ["\u001f\u008b\u0008", "application/gzip"],
  ["BZh", "application/x-bzip2"],
  ["\u00fd7zXZ", "application/x-xz"],
  ["(\u00b5/\u00fd", "application/zstd"],
  ["7z\u00bc\u00af", "application/x-7z-compressed"],
  ["Rar!\u001a", "application/vnd.rar"],
  ["\u00d0\u00cf\u0011\u00e0", "application/x-ole-storage"],
  ["!BDN", "application/vnd.ms-outlook"],
  ["SQLite format 3\0", "application/vnd.sqlite3"],
  ...["\u0089PNG", "\u00ff\u00d8\u00ff", "GIF8", "RIFF", "ID3", "OggS"].map((magic) => [magic, ""] as const)
]
const MAX_MAGIC_BYTES = 16

/** What is read of bytes to decide whether they are a text. */
const MAX_HEAD_BYTES = 400

const CHUNK_BYTES = 8192

/** Returns a binary string: a character for each byte, with its number. A Latin-1 decoder maps some to others. */
export const binary = (bytes: Uint8Array): string => {
  let text = ""
  // A spread takes several times as long.
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + CHUNK_BYTES))
  return text
}

/** Returns the bytes of a binary string. */
export const fromBinary = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

const UTF_16_LE = /^(?:\u00ff\u00fe|(?:[^\0][\0]){4})/
const UTF_16_BE = /^(?:\u00fe\u00ff|(?:[\0][^\0]){4})/

/** Detects UTF-16 by a byte order mark, or by a NUL beside each of the first letters. */
export const utf16Of = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const head = binary(bytes.subarray(0, MAX_MAGIC_BYTES))
  return UTF_16_LE.test(head) ? "utf-16le" : UTF_16_BE.test(head) ? "utf-16be" : undefined
}

/** Control characters that no text contains. ESC begins a terminal's colours; SO and SI switch the character set in ISO 2022. */
const isControl = (byte: number): boolean =>
  byte < 0x09 || (byte > 0x0f && byte < 0x20 && byte !== 0x1b) || byte === 0x7f

/** Whether the first bytes contain a control character that no text in ASCII or an extension of it contains. */
export const hasControls = (bytes: Uint8Array): boolean => bytes.subarray(0, MAX_HEAD_BYTES).some(isControl)

/** Returns the media type of a file that is not read; `""` for an image or a sound, undefined for anything else. */
export const fileTypeOf = (bytes: Uint8Array): string | undefined => {
  const head = binary(bytes.subarray(0, MAX_MAGIC_BYTES))
  const type = MAGIC_NUMBERS.find(([magic]) => head.startsWith(magic))?.[1]
  // A text may begin with the same letters, and only a PDF may have no control characters.
  return hasControls(bytes) || type === "application/pdf" ? type : undefined
}

/** Undefined for bytes that are not UTF-8. */
export const decodedUtf8 = (bytes: Uint8Array, stream = false): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}

const ASCII = /[\t-\r -~]/g
/** Of a text in another charset than UTF-8. */
const MIN_ASCII_SHARE = 0.8

/** Whether the first bytes are UTF-8, or mostly ASCII. */
const isUtf8OrAscii = (bytes: Uint8Array): boolean => {
  const head = bytes.subarray(0, MAX_HEAD_BYTES)
  return (
    decodedUtf8(head, true) !== undefined ||
    (binary(head).match(ASCII)?.length ?? 0) >= head.length * MIN_ASCII_SHARE
  )
}

/** Whether the first bytes are a text in any charset. */
export const isText = (bytes: Uint8Array): boolean =>
  utf16Of(bytes) !== undefined ||
  (!hasControls(bytes) && fileTypeOf(bytes) === undefined && isUtf8OrAscii(bytes))

/** Whether the first bytes are no text: a short encrypted file may have no NUL, and a text other control characters. */
export const isBinary = (bytes: Uint8Array): boolean =>
  fileTypeOf(bytes) !== undefined || (hasControls(bytes) && !isUtf8OrAscii(bytes))

/** Undefined for a charset that is not known here. */
export const decoderOf = (charset: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

/** What a page or XML says about itself. */
const OWN_CHARSET = /<(?:meta|\?xml)\s[^>]{0,300}?(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i
/** Where browsers look for it. */
const MAX_CHARSET_BYTES = 1024

/** Decodes a text of unknown charset as UTF-16, UTF-8, in the charset that it names or, like browsers, as Windows-1252. */
export const textOf = (bytes: Uint8Array): string => {
  const utf16 = utf16Of(bytes)
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes)
  const utf8 = decodedUtf8(bytes)
  if (utf8 !== undefined) return utf8
  const [, charset = ""] = OWN_CHARSET.exec(binary(bytes.subarray(0, MAX_CHARSET_BYTES))) ?? []
  const decoder = decoderOf(charset)
  // Whatever it says, it is none in which the bytes of ASCII have another meaning.
  const isOther = decoder === undefined || /^(?:utf-16|iso-2022)/.test(decoder.encoding)
  return (isOther ? new TextDecoder("windows-1252") : decoder).decode(bytes)
}

const NOT_BASE64 = /[^A-Za-z0-9+/=]+/g

/** Decodes base64 or base64url, also several encoded pieces in a row. Ignores other characters. */
export const fromBase64 = (text: string): Uint8Array => {
  const written = text.replaceAll("-", "+").replaceAll("_", "/").replace(NOT_BASE64, "")
  const pieces = written.split(/=+/)
  // A last group of one character encodes no byte, and `atob` rejects it.
  return fromBinary(pieces.map((piece) => atob(piece.length % 4 === 1 ? piece.slice(0, -1) : piece)).join(""))
}

const SOFT_LINE_BREAK = /=[ \t]{0,80}(?:\r\n?|\n)/g
const QUOTED_BYTE = /=([0-9a-f]{2})/gi

/** Decodes quoted-printable. Leaves invalid escapes as they are. */
export const fromQuotedPrintable = (bytes: Uint8Array): Uint8Array =>
  fromBinary(
    binary(bytes)
      .replace(SOFT_LINE_BREAK, "")
      .replace(QUOTED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  )

/** A PGP or S/MIME message, a file in uuencode or yEnc, or a page in quoted-printable. */
const UNDECODABLE =
  /^(?:> ?)?(?:begin(?:-base64)? [0-7]{3} \S|=ybegin |-----BEGIN (?:PGP MESSAGE|PKCS ?#?7|CMS)\b)|(?:href|HREF)=3D(?:\\?["']|http)/m
const RTF = /^\s*\{\\rt/

/** Whether a text contains something encoded that is not decoded here. */
export const hasUndecodable = (text: string): boolean =>
  UNDECODABLE.test(text) || (RTF.test(text) && text.includes("\\objdata"))

/** Base64 of at least 18 bytes. */
const BASE64 = /[\w+/-]{24,}={0,2}/g
/** Before base64 in a link, in a token with dots or in a `data:` link. */
const INSIDE_LINK = /(?:[=.%&?@]|base64,)$/
/** Before base64 that is the value of a field: `body=` in a log line. */
const FIELD_NAME = /(?:^|[\s"'({[,;|])[\w-]{1,30}=$/
/** The next line of a base64 block, possibly quoted in a reply. */
const NEXT_LINE =
  /[ \t]{0,8}(?:\r\n?|\n)([> \t]{0,8})([\w+/-]{1,10000}={0,2})(?=[ \t]{0,8}(?:[\r\n"'`,;<)\]}]|$))/y
/** Escape sequences of a JSON string, also inside another JSON string. An escaped line break becomes CR: only LF counts as a line. */
const JSON_ESCAPES: ReadonlyArray<readonly [escaped: RegExp, character: string]> = [
  [/(?:\\{1,4}r)?\\{1,4}n/g, "\r"],
  [/\\\//g, "/"],
  [/\\u003d/gi, "="],
  [/\\u002b/gi, "+"]
]
/** Of a block, enough to see what it contains. */
const MAX_SAMPLE_LINES = 3
const MAX_SAMPLE_CHARS = 600

/** Random bytes, such as a hash, are neither a text nor a file. */
const isContent = (bytes: Uint8Array): boolean => isText(bytes) || (fileTypeOf(bytes) ?? "") !== ""

/**
 * The lines of the base64 block that begins at `start` with `first`, and where it ends. All lines but the last have one length. The
 * first line of a folded header field or of a calendar may be shorter: the name of the field precedes it.
 */
const blockAt = (text: string, start: number, first: string) => {
  const lines: Array<string> = [first]
  let width = first.length
  let end = start + first.length
  while (lines.at(-1)?.length === width && !first.endsWith("=")) {
    NEXT_LINE.lastIndex = end
    const [, indent = "", next = ""] = NEXT_LINE.exec(text) ?? []
    const isFolded = lines.length === 1 && /^[ \t]/.test(indent)
    if (next.length > width && isFolded) width = next.length
    if (next === "" || next.length > width) break
    lines.push(next)
    end = NEXT_LINE.lastIndex
  }
  return { lines, end }
}

/** A text or file that a text contains in base64. */
export interface Encoded {
  /** Where it begins; starts at 1. */
  readonly line: number
  readonly bytes: Uint8Array
}

/** Finds the texts and files in base64 in a text. Ignores base64 of random bytes. Takes linear time. */
export function* encodedIn(written: string): Generator<Encoded> {
  const text = written.includes("\\")
    ? JSON_ESCAPES.reduce((plain, [escaped, character]) => plain.replace(escaped, character), written)
    : written
  let line = 1
  let lineBreak = text.indexOf("\n")
  let blockEnd = 0
  for (const { 0: first, index } of text.matchAll(BASE64)) {
    const before = text.slice(Math.max(0, index - 40), index)
    if (index < blockEnd || (INSIDE_LINK.test(before) && !FIELD_NAME.test(before))) continue
    for (; lineBreak !== -1 && lineBreak < index; lineBreak = text.indexOf("\n", lineBreak + 1)) line++
    const { end, lines } = blockAt(text, index, first)
    blockEnd = end
    const sample = lines.slice(0, MAX_SAMPLE_LINES).join("").slice(0, MAX_SAMPLE_CHARS)
    if (isContent(fromBase64(sample))) yield { line, bytes: fromBase64(lines.join("")) }
  }
}
