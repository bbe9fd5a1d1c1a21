/**
 * Finds the links in mails: decodes their parts, texts of any charset, mails inside mails, and reads those. Headers and addresses of
 * mail are no links. Its library has 78 KB: load this module only for a mail.
 */

import PostalMime, { type Email } from "postal-mime"
import { type Kind, kindOf, type Link, linksIn } from "../Text.ts"

/** The links of a mail, and what was not read. */
export interface MailLinks {
  readonly links: ReadonlyArray<Link>
  /** The types of parts that may contain links, such as `application/pdf`; of the mail itself if it cannot be decoded. */
  readonly unread: ReadonlyArray<string>
}

/** A mail inside a mail. */
const MAX_DEPTH = 5

/** They show or sign something. */
const WITHOUT_LINKS =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pkcs7-signature|x-pkcs7-signature|pgp-signature|pgp-keys))/i

const READ_TYPES = /^(?:text\/|application\/(?:json|xml|xhtml|x-ndjson)|image\/svg)/i

/** Gives a part without the headers of a mail those that it needs. */
const wholeMail = (text: string): string => {
  const boundary = /^\s*--(\S{1,200})\r?\ncontent-/i.exec(text.slice(0, 1000))?.[1]
  if (boundary !== undefined)
    return `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${text.trimStart()}`
  const head = text.slice(0, 20_000)
  if (/^(?:[\w-]+:[^\n]*\r?\n){1,200}/.test(head.trimStart()) && /^[\w-]+:/.test(head.trimStart()))
    return text.trimStart()
  const isQuoted = /=3D|=\r?\n/i.test(head)
  const type = /<[a-z!]|=3C[a-z]/i.test(head) || !isQuoted ? "text/html" : "text/plain"
  const body = isQuoted ? text : (/(?:[A-Za-z0-9+/]{1,76}\r?\n?)+={0,2}\s*$/.exec(text)?.[0] ?? text)
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${isQuoted ? "quoted-printable" : "base64"}\r\n\r\n${body}`
}

/** Lines of the source by the hosts that stand there. */
const HOST = /(?<![a-z0-9-])[a-z0-9-]+\.[a-z0-9.-]+/gi
const ADDRESS = /:\/\/|=\r?$|www\./i

const linesByHost = (source: string): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  let line = 0
  for (const text of source.split("\n")) {
    line++
    if (ADDRESS.test(text))
      for (const [host] of text.matchAll(HOST)) if (!lines.has(host)) lines.set(host, line)
  }
  return lines
}

const hostIn = (url: string): string => /[a-z0-9-]+\.[a-z0-9.-]+/i.exec(url)?.[0] ?? ""

/** What a part is: a text of a mail is no mail by its first words. */
const read = (text: string, kind: Kind): ReadonlyArray<Link> => linksIn(text, kind)

const linksOf = (email: Email): ReadonlyArray<Link> => {
  const shown = email.html === undefined ? [] : read(email.html, "html")
  const known = new Set(shown.map(({ url }) => url))
  // Most mails have the same text twice.
  const plain = email.text === undefined ? [] : read(email.text, "text")
  return [...shown, ...plain.filter(({ url }) => !known.has(url))]
}

const bytesOf = (content: string | ArrayBuffer | Uint8Array): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content)

const readMail = async (source: string | Uint8Array, depth: number): Promise<MailLinks> => {
  const email = await PostalMime.parse(source)
  const links = [...linksOf(email)]
  const unread: Array<string> = []
  for (const { content, mimeType } of email.attachments) {
    const type = mimeType.toLowerCase()
    if (WITHOUT_LINKS.test(type)) continue
    if (type === "message/rfc822" && depth < MAX_DEPTH) {
      const inner = await readMail(bytesOf(content), depth + 1)
      links.push(...inner.links)
      unread.push(...inner.unread)
    } else if (READ_TYPES.test(type)) {
      const text = new TextDecoder().decode(bytesOf(content))
      const kind = type.includes("html") ? "html" : kindOf(text)
      links.push(...read(text, kind))
    } else unread.push(type)
  }
  return { links, unread }
}

/**
 * Returns the links of one mail as source, or of a part of one. Never rejects: what cannot be decoded is read as it is. A string is
 * read as UTF-8; give bytes for mails with 8-bit texts of other charsets.
 */
export const linksInMail = async (source: string | Uint8Array): Promise<MailLinks> => {
  const text = typeof source === "string" ? source : new TextDecoder("latin1").decode(source)
  const whole = wholeMail(text)
  const { links, unread } = await readMail(whole === text ? source : whole, 0).catch(() => ({
    links: linksIn(text, "text"),
    unread: ["message/rfc822"]
  }))
  const lines = linesByHost(text)
  return {
    links: links.map((link) => ({ ...link, line: lines.get(hostIn(link.url)) ?? 1, column: 1 })),
    unread
  }
}
