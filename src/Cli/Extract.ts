import { Buffer } from "node:buffer"
import { Effect, Stream } from "effect"
import { fileTypeOf, isBinary, textOf } from "../Text/Encoded.ts"
import * as Html from "../Text/Html.ts"
import * as Mail from "../Text/Mail.ts"
import * as Tables from "../Text/Tables.ts"
import * as Text from "../Text.ts"
import { MAX_URL_LENGTH, TOO_LONG } from "./Lines/OneUrl.ts"
import { type Batch, mapChunks, type Place } from "./Lines.ts"

/** What is read at a time of a text or a mailbox; a larger mail or page is read whole. */
const BLOCK_BYTES = 1_048_576

/** A mail or page above this is read in pieces, and said to be: more does not fit into memory. */
const MAX_BLOCK_BYTES = 64 * BLOCK_BYTES

const NEW_LINE = 0x0a
const QUOTE = 0x22

/** Before a mail in a mailbox. A line of a text may begin with the word. */
const FROM = "From "
const FROM_LINE = Buffer.from(`\n${FROM}`)
const FROM_HEADER = /^From \S{1,300} {1,3}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [^\n]{1,60}\b\d{4}\b[^\n]{0,60}\n/
const MAX_FROM_BYTES = 500

/** The line that begins a mail in a mailbox at this place; undefined elsewhere. */
const fromHeaderAt = (block: Buffer, start: number): string | undefined =>
  FROM_HEADER.exec(block.toString("latin1", start, start + MAX_FROM_BYTES))?.[0]

const BLANK_LINES = ["\n\n", "\r\n\r\n"].map((lines) => Buffer.from(lines))

const BASE64_LINE = /^[>\s]{0,8}[\w+/-]{24,}={0,2}\s*$/

const beforeBase64 = (block: Buffer, endOfLine: number): number => {
  let end = endOfLine
  while (end > 1) {
    const start = block.lastIndexOf(NEW_LINE, end - 2) + 1
    if (!BASE64_LINE.test(block.toString("latin1", start, end))) break
    end = start
  }
  return end > 1 ? end : 0
}

/**
 * Where a text can be cut, or 0: a link may go on in the next line, but not in the next paragraph. Logs have none: they are cut
 * before lines of base64.
 */
const endOfText = (block: Buffer): number => {
  const paragraph = Math.max(...BLANK_LINES.map((lines) => block.lastIndexOf(lines)))
  if (paragraph > 0) return block.indexOf(NEW_LINE, paragraph) + 1
  return beforeBase64(block, block.lastIndexOf(NEW_LINE) + 1)
}

/** Where a table can be cut, or 0: not in a cell in quotes, if they are closed. */
const endOfRow = (block: Buffer): number => {
  let end = 0
  let isQuoted = false
  for (let at = 0; at < block.length; at++) {
    if (block[at] === QUOTE) isQuoted = !isQuoted
    else if (block[at] === NEW_LINE && !isQuoted) end = at + 1
  }
  return beforeBase64(block, end > 0 ? end : block.lastIndexOf(NEW_LINE) + 1)
}

/** Where the mails of a mailbox begin; only 0 for a mail by itself. */
const mailStarts = (block: Buffer): ReadonlyArray<number> => {
  const starts = [0]
  if (fromHeaderAt(block, 0) === undefined) return starts
  for (let next = block.indexOf(FROM_LINE); next !== -1; next = block.indexOf(FROM_LINE, next + 1))
    if (fromHeaderAt(block, next + 1) !== undefined) starts.push(next + 1)
  return starts
}

/** Returns where the last complete part of a block ends; undefined if it needs more. Before the last mail others are complete. */
const endOf = (block: Buffer, kind: Text.Kind): number | undefined => {
  if (kind === "html") return undefined
  const endOfLines = kind === "csv" ? endOfRow : endOfText
  const end = kind === "mail" ? (mailStarts(block).at(-1) ?? 0) : endOfLines(block)
  return end === 0 ? undefined : end
}

const IP_ADDRESS = /^(?:\d{1,3}\.){3}\d{1,3}(?:[:#]\d{1,5})?$/

/** Returns a link without the path of another field. */
const withoutPath = ({ isJoined, shown, url }: Text.Link): string =>
  isJoined && shown.startsWith("/") ? url.slice("http://".length, -shown.length) : url

/** What programs write, for whom an IP address is that of a client or server. A person who writes one means a link. */
const RECORDS: ReadonlySet<Text.Kind> = new Set(["csv", "json", "log"])
/** In XML only a whole value is a program's: messages and articles are XML too. */
const XML_VALUE = /(?:>|=["'])\s{0,99}((?:\d{1,3}\.){3}\d{1,3}(?:[:#]\d{1,5})?)\s{0,99}(?=[<"'])/g

const valuesInXml = (text: string): ReadonlySet<string> =>
  new Set(Html.isXml(text) ? Array.from(text.matchAll(XML_VALUE), ([, address = ""]) => address) : [])

const linesIn = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, at + 1)) lines++
  return lines
}

/** `before`: the lines in front of it that are no part of it, such as the one that begins a mail in a mailbox. */
const linksIn = (block: Buffer, kind: Text.Kind, header: string) =>
  Effect.promise(async () => {
    const before = header === "" ? 0 : -1
    if (kind !== "mail") return { ...(await Mail.linksInText(header + textOf(block), kind)), before }
    const from = fromHeaderAt(block, 0)?.length ?? 0
    return { ...(await Mail.linksInMail(block.subarray(from))), before: from > 0 ? 1 : 0 }
  })

/**
 * Returns the links of any text, each once: of a message, a mail or mailbox, a page, a table, JSON or a log, by what its beginning
 * looks like. `file` is its name, if there are several.
 */
export const batches = <E, R>(
  chunks: Stream.Stream<Uint8Array, E, R>,
  file?: string
): Stream.Stream<Batch, E, R> =>
  Stream.suspend(() => {
    const inFile = file === undefined ? {} : { file }
    const seen = new Set<string>()
    let waiting: Array<Uint8Array> = []
    let size = 0
    let wanted = BLOCK_BYTES
    let kind: Text.Kind | undefined
    /** Of a table, for the pieces after the first one. */
    let header = ""
    let linesBefore = 0
    let bytesBefore = 0
    let bytesRead = 0

    /** Reads a block of whole lines or mails. */
    const read = Effect.fnUntraced(function* (block: Buffer, isPiece: boolean) {
      const urls: Array<string> = []
      const places: Array<Place> = []
      const unreadable: Array<Batch["unreadable"][number]> = isPiece
        ? [
            {
              line: linesBefore + 1,
              reason: "the beginning of more than 64 MB that can only be read as a whole"
            }
          ]
        : []
      const inXml = kind === "html" ? valuesInXml(textOf(block)) : undefined
      const add = (link: Text.Link, line: number) => {
        const { url } = link
        if (url.length > MAX_URL_LENGTH) unreadable.push({ line, reason: TOO_LONG })
        else if (!seen.has(url)) {
          seen.add(url)
          urls.push(url)
          const host = withoutPath(link)
          const isAddress = IP_ADDRESS.test(host) && (inXml?.has(host) ?? RECORDS.has(kind ?? "text"))
          places.push({
            ...inFile,
            line,
            isAddress,
            record: new Map(Object.entries({ ...inFile, line: String(line) }))
          })
        }
      }
      const isNoText = bytesBefore === 0 && isBinary(block)
      const type = isNoText ? fileTypeOf(block) : undefined
      if (isNoText || (kind !== "mail" && block.includes(0)))
        unreadable.push({
          line: linesBefore + 1,
          reason: `the beginning of what is no text${type ? ` but ${type}` : ""}`
        })
      bytesBefore += block.length
      const name = kind === "mail" ? "mail" : "text"
      const starts = kind === "mail" ? mailStarts(block) : [0]
      for (const [index, start] of starts.entries()) {
        const piece = block.subarray(start, starts[index + 1])
        const { before, links, unread } = yield* linksIn(piece, kind ?? "text", header)
        for (const link of links) add(link, linesBefore + before + link.line)
        for (const type of unread)
          unreadable.push({
            line: linesBefore + 1,
            reason: `the beginning of a ${name} whose ${type} cannot be read`
          })
        linesBefore += linesIn(piece)
      }
      if (kind === "csv") header = Tables.headerOf(header + block.toString()) || header
      return { urls, places, unreadable: unreadable.map((line) => ({ ...inFile, ...line })), bytesRead }
    })

    const take = (bytes: Uint8Array, isLast: boolean): Effect.Effect<Batch> => {
      bytesRead += bytes.length
      waiting.push(bytes)
      size += bytes.length
      const nothing = { urls: [], unreadable: [], bytesRead }
      if (!isLast && size < wanted) return Effect.succeed(nothing)
      const block = Buffer.concat(waiting)
      kind ??= Text.kindOf(block.toString("utf8", 0, BLOCK_BYTES))
      const whole = isLast ? block.length : endOf(block, kind)
      const isPiece = whole === undefined && block.length >= MAX_BLOCK_BYTES
      const end = isPiece ? block.length : whole
      waiting = [block.subarray(end ?? 0)]
      size = block.length - (end ?? 0)
      wanted = end === undefined ? 2 * block.length : BLOCK_BYTES
      return end === undefined || end === 0 ? Effect.succeed(nothing) : read(block.subarray(0, end), isPiece)
    }

    return mapChunks(chunks, take)
  })
