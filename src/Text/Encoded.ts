/** Finds what is encoded in a text, says what bytes are, and where a mail begins. */

/** How files begin whose links are not read; Office files are ZIP or OLE files. Pictures and sounds have none. */
const FILES: ReadonlyArray<readonly [magic: string, type: string]> = [
  ["%PDF-", "application/pdf"],
  ["PK\u0003\u0004", "application/zip"],
  ["\u001f\u008b\u0008", "application/gzip"],
  ["BZh", "application/x-bzip2"],
  ["\u00fd7zXZ", "application/x-xz"],
  ["7z\u00bc\u00af", "application/x-7z-compressed"],
  ["Rar!\u001a", "application/vnd.rar"],
  ["\u00d0\u00cf\u0011\u00e0", "application/x-ole-storage"],
  ...["\u0089PNG", "\u00ff\u00d8\u00ff", "GIF8", "RIFF", "ID3", "OggS"].map((magic) => [magic, ""] as const)
]

const HEAD_BYTES = 400

const CHUNK_BYTES = 8192

/** One character a byte, with its number. In a decoder of Latin-1 some bytes have other numbers; it is no faster. */
export const binary = (bytes: Uint8Array): string => {
  let text = ""
  // Not spread, which takes several times as long.
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + CHUNK_BYTES))
  return text
}

export const fromBinary = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

const UTF_16_LE = /^(?:\u00ff\u00fe|(?:[^\0][\0]){4})/
const UTF_16_BE = /^(?:\u00fe\u00ff|(?:[\0][^\0]){4})/

/** The name of UTF-16 if bytes are in it: with a byte order mark, or a NUL beside each letter. */
export const utf16Of = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const head = binary(bytes.subarray(0, 16))
  return UTF_16_LE.test(head) ? "utf-16le" : UTF_16_BE.test(head) ? "utf-16be" : undefined
}

const ASCII = /[\t-\r -~]/g
/** Of the bytes of a text that is not UTF-8. */
const MIN_ASCII_SHARE = 0.8

/** What no text has. ESC begins the colours of a terminal; SO and SI change the letters of a charset. */
const isControl = (byte: number): boolean =>
  byte < 0x09 || (byte > 0x0f && byte < 0x20 && byte !== 0x1b) || byte === 0x7f

/** Whether bytes begin with what no text in a charset of bytes has. */
export const hasControls = (bytes: Uint8Array): boolean => bytes.subarray(0, HEAD_BYTES).some(isControl)

/** The type of a file whose links are not read, by its first bytes; `""` for one without links, undefined for any other. */
export const fileTypeOf = (bytes: Uint8Array): string | undefined => {
  const head = binary(bytes.subarray(0, 16))
  const type = FILES.find(([magic]) => head.startsWith(magic))?.[1]
  // A text may begin with the same letters. A PDF may have none of these bytes.
  return hasControls(bytes) || type === "application/pdf" ? type : undefined
}

/** Whether bytes begin as a text, in UTF-8 or another charset. */
export const isText = (bytes: Uint8Array): boolean => {
  if (utf16Of(bytes) !== undefined) return true
  if (hasControls(bytes) || fileTypeOf(bytes) !== undefined) return false
  const head = bytes.subarray(0, HEAD_BYTES)
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return (binary(head).match(ASCII)?.length ?? 0) >= head.length * MIN_ASCII_SHARE
  }
}

/** The text of bytes. What is not UTF-8 is most likely of an old program on Windows, which is what browsers assume. */
export const textOf = (bytes: Uint8Array): string => {
  const utf16 = utf16Of(bytes)
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder("windows-1252").decode(bytes)
  }
}

const NOT_BASE64 = /[^A-Za-z0-9+/=]+/g

/** Decodes base64 or base64url, several pieces one behind the other too. Other characters are ignored. */
export const fromBase64 = (text: string): Uint8Array => {
  const written = text.replaceAll("-", "+").replaceAll("_", "/").replace(NOT_BASE64, "")
  const pieces = written.split(/=+/)
  return fromBinary(pieces.map((piece) => atob(piece.length % 4 === 1 ? piece.slice(0, -1) : piece)).join(""))
}

/** Of the beginning of a text, which says what it is. */
const MAX_HEAD_CHARS = 20_000

const MAIL_HEADER =
  /^(?:from|to|subject|date|received|return-path|delivered-to|message-id|mime-version|content-type|dkim-signature|reply-to|x-[\w-]+):/i
const HEADER = /^(?:[\w-]+:(?!\/\/)|[ \t]+\S|>?From [^\r\n]{1,200} \d?\d:\d\d)/
const PART = /^(?:content-(?:type:\s*[\w-]+\/[\w-]|transfer-encoding:\s*[\w-])|mime-version:\s*\d)/im

/** Whether a text begins with two lines of mail headers, or with those of a part. */
export const hasHeaders = (text: string): boolean => {
  const head = text.slice(0, MAX_HEAD_CHARS).trimStart()
  let headers = PART.exec(head)?.index === 0 ? 2 : 0
  for (const line of head.split(/\r\n?|\n/)) {
    if (!HEADER.test(line)) break
    if (MAIL_HEADER.test(line)) headers++
  }
  return headers > 1
}

/** Where the headers of a mail, or of a part of one, begin that is in a text. */
export const headersIn = (text: string): number | undefined => {
  const found = PART.exec(text)
  if (found === null) return undefined
  let start = found.index
  while (start > 0) {
    const before = text.lastIndexOf("\n", start - 2) + 1
    if (!HEADER.test(text.slice(before, Math.min(start, before + 200)))) break
    start = before
  }
  return start
}

/** Each of the first lines has the mark of a reply. */
const REPLY = /^(?:[ \t]{0,4}>[^\n]{0,2000}\n){5}/

export const unquoted = (text: string): string =>
  REPLY.test(text) ? text.replace(/^[ \t]{0,4}> ?/gm, "") : text

const QUOTED_PRINTABLE =
  /=3D["']?(?:3D)?https?|https?:\/\/(?:[^\s"<>:]|:(?!\/\/))*=\r?\n(?=\S)(?!h(?:tt|xx)ps?:)/i
export const isQuotedPrintable = (text: string): boolean =>
  QUOTED_PRINTABLE.test(text.slice(0, MAX_HEAD_CHARS))

/** Whether a text begins as a mail, or as a part of one. */
export const isMail = (head: string): boolean =>
  hasHeaders(head) || PART.test(head) || isQuotedPrintable(head)

const SOFT_LINE_BREAK = /=[ \t]{0,80}(?:\r\n?|\n)/g
const QUOTED_BYTE = /=([0-9a-f]{2})/gi

/** Decodes quoted-printable. What is no escape stays as it is. */
export const fromQuotedPrintable = (bytes: Uint8Array): Uint8Array =>
  fromBinary(
    binary(bytes)
      .replace(SOFT_LINE_BREAK, "")
      .replace(QUOTED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  )

/** A PGP or S/MIME message, a file in uuencode or yEnc, a page in quoted-printable inside another text: not decoded. */
const NOT_DECODED =
  /^(?:> ?)?(?:begin(?:-base64)? [0-7]{3} \S|=ybegin |-----BEGIN (?:PGP MESSAGE|PKCS ?#?7|CMS)\b)|(?:href|HREF)=3D(?:\\?["']|http)/m

export const hasNotDecoded = (text: string): boolean => NOT_DECODED.test(text)

/** Base64 of 18 bytes at least, which is no part of a link, of a token with dots or of a `data:` link. */
const BASE64 = /[\w+/-]{24,}={0,2}/g
const IN_LINK = /(?:[=.%&?@]|base64,)$/
/** `body=`, of a line of a log. */
const NAME = /(?:^|[\s"'({[,;|])[\w-]{1,30}=$/
/** The next line of it, with the marks of a reply. */
const NEXT_LINE =
  /[ \t]{0,8}(?:\r\n?|\n)([> \t]{0,8})([\w+/-]{1,10000}={0,2})(?=[ \t]{0,8}(?:[\r\n"'`,;<)\]}]|$))/y
/** Escaped characters of a string in JSON, which may stand in another one. A line break stays none: lines are counted. */
const ESCAPES: ReadonlyArray<readonly [RegExp, string]> = [
  [/(?:\\{1,4}r)?\\{1,4}n/g, "\r"],
  [/\\\//g, "/"],
  [/\\u003d/gi, "="],
  [/\\u002b/gi, "+"]
]
/** Enough to see what it is. */
const MAX_SAMPLE_LINES = 3
const MAX_SAMPLE_CHARS = 600

const isContent = (bytes: Uint8Array): boolean => isText(bytes) || (fileTypeOf(bytes) ?? "") !== ""

export interface Encoded {
  /** From 1. */
  readonly line: number
  readonly bytes: Uint8Array
}

/** The texts and files in base64 in a text. Random bytes are neither. Takes linear time. */
export function* encodedIn(written: string): Generator<Encoded> {
  const text = written.includes("\\")
    ? ESCAPES.reduce((plain, [escaped, character]) => plain.replace(escaped, character), written)
    : written
  let line = 1
  let lineBreak = text.indexOf("\n")
  let end = 0
  for (const { 0: first, index } of text.matchAll(BASE64)) {
    const before = text.slice(Math.max(0, index - 40), index)
    if (index < end || (IN_LINK.test(before) && !NAME.test(before))) continue
    for (; lineBreak !== -1 && lineBreak < index; lineBreak = text.indexOf("\n", lineBreak + 1)) line++
    end = index + first.length
    const lines: Array<string> = [first]
    let width = first.length
    // The lines of a block are as long as its first, but the last, and the first of a folded one, which follows a name.
    while (lines.at(-1)?.length === width && !first.endsWith("=")) {
      NEXT_LINE.lastIndex = end
      const [, indent = "", next = ""] = NEXT_LINE.exec(text) ?? []
      if (next.length > width && lines.length === 1 && /^[ \t]/.test(indent)) width = next.length
      if (next === "" || next.length > width) break
      lines.push(next)
      end = NEXT_LINE.lastIndex
    }
    if (isContent(fromBase64(lines.slice(0, MAX_SAMPLE_LINES).join("").slice(0, MAX_SAMPLE_CHARS))))
      yield { line, bytes: fromBase64(lines.join("")) }
  }
}
