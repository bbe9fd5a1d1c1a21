/** Detects the source of a mail, or of a MIME part, in a text. */

import { binary, fromBinary, fromQuotedPrintable } from "./Encoded.ts"

/** Of the beginning of a text, which decides. */
const MAX_HEAD_CHARS = 20_000

/** Header fields of mails; two of them begin a mail. */
const MAIL_FIELD =
  /^(?:from|to|subject|date|received|return-path|delivered-to|message-id|mime-version|content-type|dkim-signature|reply-to|x-[\w-]+):/i
/** A header field, its continuation, or the line before a mail in a mailbox. */
const FIELD_LINE = /^(?:[\w-]+:(?!\/\/)|[ \t]+\S|>?From [^\r\n]{1,200} \d?\d:\d\d)/
/** A header field that only mails and MIME parts have. */
const MIME_FIELD = /^(?:content-(?:type:\s*[\w-]+\/[\w-]|transfer-encoding:\s*[\w-])|mime-version:\s*\d)/im

/** Whether a text begins with a header: with a MIME field, or with two fields of a mail. */
export const beginsWithHeader = (text: string): boolean => {
  const head = text.slice(0, MAX_HEAD_CHARS).trimStart()
  if (MIME_FIELD.exec(head)?.index === 0) return true
  let fields = 0
  for (const line of head.split(/\r\n?|\n/)) {
    if (!FIELD_LINE.test(line)) break
    if (MAIL_FIELD.test(line)) fields++
  }
  return fields > 1
}

/** Returns where the first header with a MIME field begins; undefined if there is none. */
export const headerStart = (text: string): number | undefined => {
  const found = MIME_FIELD.exec(text)
  if (found === null) return undefined
  let start = found.index
  while (start > 0) {
    const before = text.lastIndexOf("\n", start - 2) + 1
    if (!FIELD_LINE.test(text.slice(before, Math.min(start, before + 200)))) break
    start = before
  }
  return start
}

/** The first lines of a text that is quoted in a reply. */
const REPLY = /^(?:[ \t]{0,4}>[^\n]{0,2000}\n){5}/

/** Removes the marks of a reply if each of the first lines has one: `> a` becomes `a`. */
export const unquoted = (text: string): string =>
  REPLY.test(text) ? text.replace(/^[ \t]{0,4}> ?/gm, "") : text

/** `href=3D"https`, or `https://a.exam=` at the end of a line. */
const QUOTED_PRINTABLE =
  /=3D(?:["']|=22)?(?:3D)?https?|h(?:tt|xx)ps?=3A(?:=2F|\/)|=68=74=74=70|https?:\/\/(?:[^\s"<>:]|:(?!\/\/))*=\r?\n(?=\S)(?!h(?:tt|xx)ps?:)/i

/**
 * A property of a contact, a note or a message of a phone (vCard 2.1), with its soft line breaks. Bounded: a longer one would overflow
 * the stack of the pattern.
 */
const PROPERTY =
  /^[\w.-]{1,60}(?=;)[^\s:<>]{0,200};encoding=quoted-printable[^\s:<>]{0,100}:(?:=\r?\n|.){0,1000000}/gim
/** No other text has properties: the writer of a mail could join a host with another one. */
const HAS_PROPERTIES = /^\s{0,9}BEGIN:V/i

/** Whether a text has a property in quoted-printable. */
export const hasQuotedProperty = (text: string): boolean =>
  HAS_PROPERTIES.test(text) && text.search(PROPERTY) >= 0

/** Returns a binary string without quoted-printable in its properties, if it has some. */
export const withoutQuotedProperties = (text: string): string =>
  HAS_PROPERTIES.test(text)
    ? text.replace(PROPERTY, (found) => binary(fromQuotedPrintable(fromBinary(found))))
    : text

const isQuotedPrintable = (text: string): boolean => QUOTED_PRINTABLE.test(text.slice(0, MAX_HEAD_CHARS))

/** Whether a text is, or soon contains, the source of a mail or of a MIME part. */
export const isMail = (head: string): boolean =>
  beginsWithHeader(head) || MIME_FIELD.test(head) || isQuotedPrintable(head)

export interface MailStart {
  readonly start: number
  /** The header that a source without one needs; `""` for any other. */
  readonly missingHeader: string
}

/** Finds the source of a mail or of a MIME part in a text; undefined if there is none. */
export const mailStartIn = (text: string): MailStart | undefined => {
  const blank = text.length - text.trimStart().length
  const boundary = /^\s*--(\S{1,200})\r?\ncontent-/i.exec(text.slice(0, 1000))?.[1]
  if (boundary !== undefined)
    return { start: blank, missingHeader: `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n` }
  // A sentence, or the output of a program, may precede the header.
  const start = beginsWithHeader(text) ? blank : headerStart(text)
  if (start !== undefined) return { start, missingHeader: "" }
  if (!isQuotedPrintable(text)) return undefined
  const type = /<[a-z!]|=3C[a-z]/i.test(text) ? "text/html" : "text/plain"
  return {
    start: 0,
    missingHeader: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`
  }
}
