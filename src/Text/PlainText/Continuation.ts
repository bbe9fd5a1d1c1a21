/** Joins links that a line break or blanks cut. */

import { type Found, foundAt } from "../Link.ts"
import {
  hasWholeHost,
  isBareLink,
  linkAtStart,
  SCHEME,
  startsWithScheme,
  withoutTrailing
} from "./Spelling.ts"

/** A link with what continues it. */
interface Continuation {
  readonly url: string
  /** The cut link is not a link. */
  readonly isSure: boolean
  /** Where it ends in the text. */
  readonly end: number
}

/** The next line, possibly quoted in a reply: its first word, and the rest. */
const NEXT_LINE = /^(?:[ >|]{0,80}[>|])?[ \t]{0,8}([\w\-.~:/?#[\]@!$&'()*+,;=%]+)([^\r\n]*)/
const DELIMITER = /[/?=&%#_]|\d[a-z]|[a-z]\d/i
/** A word of a sentence. */
const WORD = /^\p{Lu}\p{Ll}*[.,!?:]?$/u
/** The name of a field in a contact or an event, or a line of punctuation, which is longer than the end of base64. */
const NO_REST = /^(?:[A-Z][A-Z-]{2,30}[:;]|[^\p{L}\p{N}]{3,}$)/u
/** Of the next message; by itself below a wrapped line that ends like a directory it is the rest of a link: `/2026/12/01`. */
const DATE = /^\[?\d{1,4}([./-])\d{1,2}\1\d{2,4},?$/
/** The next setting of a file, below `URL=https://a.example`; not the rest of a query. */
const SETTING = /^[A-Za-z][\w.-]{0,40}=[^&]*$/
/** The end of a link that goes on. */
const OPEN_END = /[-_=&?%/+]$/

/** Shorter lines are not wrapped. */
const MIN_WRAPPED_CHARS = 60
/** Calendars, contacts and LDIF fold lines at 75 bytes, inside words too: a blank begins the rest. */
const MIN_FOLDED_CHARS = 74
const MAX_FOLDED_CHARS = 76
const FOLDED = /^[ \t][^ \t]/
/** Of a link. */
const MAX_LINES = 8
/** Of a line, to find its first word. */
const MAX_LINE_CHARS = 4000

/** Whether the first word of the next line may continue a link. `isAlone`: it is the only one. `isLong`: the link's line may be wrapped. */
const continues = (link: string, word: string, isAlone: boolean, isLong: boolean): boolean => {
  const isWhole = hasWholeHost(link)
  // Programs that read PDF write a hyphen in a line of its own.
  if (!isWhole && ((word === "-" && isAlone) || hasWholeHost(link + word))) return true
  const isOpen = OPEN_END.test(link)
  // Another link.
  if (!isOpen && !isLong && isBareLink(withoutTrailing(word), false)) return false
  const isSentence = WORD.test(word)
  const isLikely = DELIMITER.test(word) || (isOpen && !isSentence)
  const isRest = (isLikely && (isLong || isAlone || isOpen)) || (isAlone && isLong && !isSentence)
  if (DATE.test(word) && !(isOpen && isLong && isAlone)) return false
  // Not a code or a setting in the line behind a host.
  return isRest && !NO_REST.test(word) && (!isWhole || hasWholeHost(link + word))
}

/** Joins a link with the next lines, as long as they may continue it. */
const joinedLines = (text: string, { at, url }: Found): Continuation | undefined => {
  let end = at + url.length
  let whole = url
  const before = text.slice(Math.max(0, at - MIN_WRAPPED_CHARS), at)
  let lineStart = at - before.length + Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const [lineBreak, dot = ""] = /^(\.?)[ \t]{0,4}(?:\r\n?|\n)/.exec(text.slice(end, end + 8)) ?? []
    // Of a host; else it ends a sentence.
    if (lineBreak === undefined || (dot !== "" && hasWholeHost(whole))) break
    const next = end + lineBreak.length
    const [line, word = "", rest = ""] = NEXT_LINE.exec(text.slice(next, next + MAX_LINE_CHARS)) ?? []
    if (line === undefined || SCHEME.test(word) || (dot !== "" && WORD.test(word))) break
    const isAlone = rest.trim() === ""
    if (/= ?$/.test(before) && SETTING.test(word) && !OPEN_END.test(whole)) break
    const length = end - lineStart
    const isFolded = length >= MIN_FOLDED_CHARS && length <= MAX_FOLDED_CHARS && FOLDED.test(line)
    if (!continues(whole + dot, word, isAlone || isFolded, length >= MIN_WRAPPED_CHARS)) break
    whole += dot + word
    lineStart = next
    end = next + line.length - rest.length
    if (!isAlone) break
  }
  const link = linkAtStart(whole)
  const isSure = startsWithScheme(url) && !hasWholeHost(url)
  return link.length > url.length && (!startsWithScheme(url) || hasWholeHost(link))
    ? { url: link, isSure, end }
    : undefined
}

/** The beginning of a host that a line break cut behind a hyphen, without a scheme: `www.my-` above `bank.example/a`. */
const CUT_HOST =
  /(?<![\p{L}\p{N}@/.-])(?:[\p{L}\p{N}-]{1,63}\.){0,4}[\p{L}\p{N}][\p{L}\p{N}-]{0,60}-(?=\r?\n[> ]{0,4}$)/u
const MAX_CUT_CHARS = 300
/** The end of it, which is searched first: few links have it before them. */
const CUT_END = /-\r?\n[> ]{0,4}$/
const MAX_CUT_END_CHARS = 7

/** Returns a link without a scheme at the beginning of a line, joined with what the line before ends with; undefined if that is no host. */
export const joinedWithLineBefore = (text: string, { at, url }: Found): Found | undefined => {
  if (startsWithScheme(url) || !CUT_END.test(text.slice(Math.max(0, at - MAX_CUT_END_CHARS), at)))
    return undefined
  const before = text.slice(Math.max(0, at - MAX_CUT_CHARS), at)
  const head = CUT_HOST.exec(before)
  return head === null ? undefined : foundAt(head[0] + url, at - before.length + head.index, url, true)
}

/** The rest of a host after blanks, `a .example/b` or `a dot example`, in lower case: a sentence begins with a capital letter. */
const SPACED_HOST =
  /^(?: {0,2}\. {0,2}| dot )([\p{Ll}\p{Lo}\p{N}-]{1,63}(?:(?: {0,2}\. {0,2}| dot )[\p{Ll}\p{Lo}\p{N}-]{1,63}){0,4})(\/[^\s<>"]{0,2000})?/u
const SPACED_DOTS = / {0,2}\. {0,2}| dot /g
/** Of the rest of a host with its path. */
const MAX_SPACED_CHARS = 2500

/** Joins a link with the rest of its host, if there are blanks around the dots. */
const joinedHost = (text: string, { at, url }: Found): Continuation | undefined => {
  if (hasWholeHost(url)) return undefined
  const start = at + url.length
  const [found, host = "", path = ""] = SPACED_HOST.exec(text.slice(start, start + MAX_SPACED_CHARS)) ?? []
  if (found === undefined || !found.includes(" ")) return undefined
  const link = `${url}.${host.replace(SPACED_DOTS, ".")}${linkAtStart(path)}`
  return hasWholeHost(link) ? { url: link, isSure: true, end: start + found.length } : undefined
}

/** Returns the link with what continues it behind blanks or a line break; undefined if nothing does. */
export const continuationOf = (text: string, link: Found): Continuation | undefined => {
  if (startsWithScheme(link.url)) return joinedHost(text, link) ?? joinedLines(text, link)
  return link.url.includes("/") && OPEN_END.test(link.url) ? joinedLines(text, link) : undefined
}
