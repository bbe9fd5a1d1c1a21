/**
 * Finds links in running text, Markdown among it. linkify-it 6.1.0 was tried in its place: it finds no `-----http://...`, no
 * `@www.host` and no spelling of reports, keeps `**` after a link, takes `readme.md` for a host, and joins no lines.
 */

import { refanged } from "../Url/CanonicalUrl/WrittenAddress.ts"
import { type Found, foundAt, moved } from "./Link.ts"
import { isSuffix } from "./Suffixes.ts"

/** Characters that stand around links and in no link. */
const PIECE = /[^\s\p{Cc}<>"`“”„«»‹›，、；！？（）「」『』【】《》]+/gu
/** Colours of a terminal. */
const COLOUR = /\p{Cc}\[[\d;]{0,30}[A-Za-z]/gu
/** Between two links of a list. */
const NEXT_IN_LIST = /[,;|](?=h(?:tt|xx)ps?:)/i

/** Schemes that the service reads, also in the spelling of reports (`hxxps[:]//`, `h**p://`) and without a colon (`https//`). */
const SCHEME =
  /(?:h[tx*_]{2}p(?:s?|\[s\]|\(s\))|f[tx]p|intent|view-source|microsoft-edge|googlechromes?)(?:[[({]:(?:\/\/)?[\])}]|:|[;.]?\/\/)/i

const OTHER_SCHEME = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]/i

/** They hold secrets, or no address: keys of one-time codes, payments, networks, phone numbers. */
const PRIVATE = /^(?:otpauth(?:-migration)?|upi|wifi|tel|geo|lightning|wc):/i

/** Links that carry a program or a page, programs and data with spaces too. `Data:none` and `About:me and you` are text. */
const SCRIPT =
  /^(?:(?:javascript|vbscript):\S|data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]+)*,|(?:blob:https?|file):\/\/\S+$|about:[a-z-]+$)/i

/** Of a link without a host, such as `mailto:`, which may carry an address. */
const NO_HOST = /^(?:mailto|sms|smsto|bitcoin|mecard):/i
const CARRIES = /https?(?::|%3a)/i

/** `Link:example.com`, where a space is missing. */
const GLUED_LABEL = /^\p{L}{1,30}[:=]/u

/** Also emoji and arrows. */
const TRAILING = /[.,;:!?'’*…。،؛؟۔।([{|•~\p{So}\p{Sk}\u2190-\u21ff]/u
const OPENING = /[[({]/
const CLOSING = /[\])}]/
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\p{VS}]/u
/** Also emoji, arrows and the marks of list items. */
const LEADING = /[([{'‘*•·.,;:!?@#^~|\\_\p{So}\p{Sm}\p{Pd}\p{Sk}]/u

const LETTER = /[\p{L}\p{N}]/u
const LABEL = /^[\p{L}\p{N}\p{M}_-]{1,63}$/u
const IPV4_NUMBER = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/
const PORT = /:\d{1,5}$/

/** Suffixes that are endings of files too: `readme.md`, `setup.zip`. A path, `www.` or a third name says that it is a host. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(["md", "zip", "mov", "py", "sh", "rs", "app", "foo"])

/** Of a host with a path and its brackets. More is no link of a person. */
const MAX_CHARS = 100_000

/** The part before the first closing bracket that was not opened in it: of `a(b)c)d` it is `a(b)c`. */
const beforeUnopened = (text: string): string => {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (OPENING.test(character)) depth++
    else if (CLOSING.test(character) && --depth < 0) return text.slice(0, index)
  }
  return text
}

/** Without the characters of a sentence after a link. `mark` is what stands directly before it: `**https://a.example**`. */
const withoutEnd = (text: string, mark = ""): string => {
  let end = text.length
  while (end > 0) {
    const last = [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? ""
    const isMark = last === mark && /[-_=+*~|]/.test(mark)
    if (!isMark && !TRAILING.test(last) && !INVISIBLE.test(last)) break
    end -= last.length
  }
  return text.slice(0, end)
}

/** How many characters of a sentence stand before a link. */
const leadingLength = (text: string): number => {
  let start = 0
  while (start < text.length) {
    const first = String.fromCodePoint(text.codePointAt(start) ?? 0)
    // Two slashes are left of `https: //a.example`; one begins the name of a file.
    const isSlashes = text.startsWith("//", start)
    if (!isSlashes && !LEADING.test(first) && !INVISIBLE.test(first)) break
    start += isSlashes ? 2 : first.length
  }
  return start
}

/**
 * Whether a text without white space is one link although it has separators or closing brackets: those in front of its path that
 * another part of the host follows. Browsers open `evil.example` for `https://shop.example"@evil.example/`.
 */
const isOneLink = (text: string): boolean => {
  const [, authority = ""] = /^(?:https?|ftp):[\\/]*([^\\/?#]*)/i.exec(text) ?? []
  const end = authority.search(/[<>"`“”„«»‹›，、；！？（）「」『』【】《》\])}]/)
  return end !== -1 && /[.@。．｡]/.test(authority.slice(end))
}

/** As in WrittenAddress. */
const WEB_FOLDER = /^([^/\\@]{1,300})@(?:ssl(?:@\d{1,5})?|\d{1,5})(?=\\)/i
/** Browsers read them as a dot, and drop these in a host. */
const OTHER_DOT = /[。．｡]/g
const IN_WORD = /[\u00ad\u200b-\u200d\u2060\ufeff]/g
/** `example[.com` */
const OPEN_DOT = /\[\.(?=[a-z]{2,24}(?:[/?#:]|$))/gi
const FULL_WIDTH = /[\uff10-\uff5a]/
const SPELT_SLASH = /[[({]\/[\])}]/g

/** The host of a link without a scheme, in its usual spelling, and whether a path follows. */
const bareHost = (text: string) => {
  const written = text
    .slice(0, MAX_CHARS)
    .replace(SPELT_SLASH, "/")
    .replace(OPEN_DOT, ".")
    .replace(WEB_FOLDER, "$1")
  const plain = refanged(written).replaceAll("\\.", ".").replace(OTHER_DOT, ".").replace(IN_WORD, "")
  const usual = FULL_WIDTH.test(plain) ? plain.normalize("NFKC") : plain
  const end = usual.search(/[/?#\\]/)
  const authority = end === -1 ? usual : usual.slice(0, end)
  // Without a path it is an e-mail address.
  const host = end === -1 ? authority : authority.slice(authority.lastIndexOf("@") + 1)
  const isRespelt = usual.length < text.length || text.search(OTHER_DOT) !== -1
  return { host: host.replace(PORT, ""), isRespelt, hasPath: end !== -1 }
}

/** Whether a piece of text without a scheme is a link. `isAlone`: there is no other text. */
const isBareLink = (text: string, isAlone: boolean): boolean => {
  const { hasPath, host, isRespelt } = bareHost(text)
  const labels = host.replace(/\.$/, "").split(".")
  const last = labels.at(-1) ?? ""
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return false
  if (labels.length === 4 && labels.every((label) => IPV4_NUMBER.test(label))) return true
  if (!isSuffix(last)) return false
  // An abbreviation, such as `z.B.im`, where a blank is missing.
  if (!isAlone && !hasPath && labels.length > 2 && labels.slice(0, -1).every(({ length }) => length === 1))
    return false
  if (isAlone || isRespelt || (labels.length > 2 && /^www\d?$/i.test(labels[0] ?? ""))) return true
  if (FILE_ENDINGS.has(last.toLowerCase()) && labels.length === 2 && !hasPath) return false
  // A sentence begins with a capital letter.
  return (
    last === last.toLowerCase() || host === host.toUpperCase() || /^\p{Lu}.*\.(?:Com|Net|Org)$/u.test(host)
  )
}

/** The links of a piece without separators. */
const linksOfPiece = (piece: string, isAlone: boolean): ReadonlyArray<Found> => {
  if (PRIVATE.test(piece)) return []
  const found: Array<Found> = []
  for (let from = 0; from < piece.length; ) {
    const rest = piece.slice(from)
    const scheme = SCHEME.exec(rest)
    if (scheme === null) break
    const written = beforeUnopened(rest.slice(scheme.index))
    const link = withoutEnd(written, rest.charAt(scheme.index - 1))
    if (LETTER.test(link.slice(scheme[0].length))) found.push(foundAt(link, from + scheme.index))
    from += scheme.index + Math.max(written.length, scheme[0].length)
  }
  if (found.length > 0) return found.flatMap((link) => [link, ...beforeSentence(link)])
  const start = leadingLength(piece)
  const bare = withoutEnd(beforeUnopened(piece.slice(start)))
  if (PRIVATE.test(bare)) return []
  if (OTHER_SCHEME.test(bare)) return [foundAt(bare, start)]
  if (NO_HOST.test(bare)) return CARRIES.test(bare) ? [foundAt(bare, start)] : []
  if (isBareLink(bare, isAlone)) {
    // The words around a host may be taken for a part of its name.
    const short = UNSPACED_AND_LATIN.test(bare) ? linksBetween(bare) : beforeSentence(foundAt(bare, 0))
    return [foundAt(bare, start), ...moved(short, start)]
  }
  const label = GLUED_LABEL.exec(bare)?.[0].length ?? 0
  const more = label + leadingLength(bare.slice(label))
  const labelled = withoutEnd(beforeUnopened(bare.slice(more)))
  if (label > 0 && isBareLink(labelled, isAlone)) return [foundAt(labelled, start + more)]
  const named = bare.replace(POSSESSIVE, "")
  if (named !== bare && isBareLink(named, false)) return [foundAt(named, start)]
  return BETWEEN_HOSTS.test(piece) ? linksBetween(piece) : []
}

/**
 * A sentence without blanks behind a link, or the syntax of a text around it: `|Form>` of Slack, `[/url]`, `[Form]`, `\n` of a string,
 * `','` of SQL, `^` of a log, a dash, `'s`. Messengers end a link there, browsers do not.
 */
const UNSPACED_BEHIND =
  /[a-z0-9/](?:[|^–—]|\\(?:[nrt\\]|$)|\[(?:\/[a-z]|[\p{L}\d][^\]=&]{0,40}\]$)|',|['’]\p{L}{1,8}$)|[a-z0-9][。．\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/giu
const BEFORE_HOST = /^(?:[a-z][a-z-]{0,30}:)?[\\/]*/i
/** Of places where a link may end. */
const MAX_ENDS = 4

/** A link up to the sentence behind it, and the hosts in that. */
const beforeSentence = ({ at, url }: Found): ReadonlyArray<Found> => {
  if (url.search(UNSPACED_BEHIND) === -1) return []
  const host = BEFORE_HOST.exec(url)?.[0].length ?? 0
  for (const { index } of Array.from(url.slice(host).matchAll(UNSPACED_BEHIND)).slice(0, MAX_ENDS)) {
    const end = host + index + 1
    const short = withoutEnd(url.slice(0, end))
    const isLink =
      host === 0 ? isBareLink(short, false) : hasWholeHost(short) && /[./]/.test(short.slice(host))
    if (!isLink) continue
    // A line break of a string is no letter of the next host.
    const rest = url.slice(end).replace(/^\\[nrt]/, "  ")
    return [foundAt(short, at), ...moved(linksBetween(rest), at + end)]
  }
  return []
}

const UNSPACED_AND_LATIN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}][。．｡]?[a-z0-9-]+\./iu

/** `example.com's` */
const POSSESSIVE = /['’]\p{L}{1,8}$/u

/** Stands between words without a blank: a comma, an arrow, an emoji. */
const BETWEEN_HOSTS =
  /[,;|=\p{So}\p{Sm}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const BETWEEN_ALL =
  /[^,;|=。\p{So}\p{Sm}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{4,}/gu

/** The hosts in words without blanks: `点击a.example登录`, `now→a.example`, `a.example,b.example`. */
const linksBetween = (piece: string): ReadonlyArray<Found> =>
  Array.from(piece.matchAll(BETWEEN_ALL), ({ 0: part, index }) => {
    const start = leadingLength(part)
    const bare = withoutEnd(beforeUnopened(part.slice(start)))
    return isBareLink(bare, false) ? [foundAt(bare, index + start)] : []
  }).flat()

/** A name in a log of a DNS server of Windows: `(3)www(7)example(3)com(0)`. */
const COUNTED_NAME = /(?:\(\d{1,2}\)[a-z0-9_-]{1,63}){2,20}\(0\)/gi
const COUNT = /\(\d{1,2}\)/g
const LENTICULAR_DOT = /【\.】/g
/** A blank is part of such a spelling: `example [.] com/pay`. */
const SPACED_DOT =
  /[\p{L}\p{N}-]{1,63}(?: ?[[({](?:\.|dot|punkt|punto|point|ponto|kropka|nokta|точка)[\])}] ?[\p{L}\p{N}-]{1,63}){1,8}(?:\/[^\s<>"]*)?/giu
const SPACES = / +/g

/** An address in angle brackets may go on after a line break (RFC 3986, appendix C). */
const IN_ANGLE_BRACKETS =
  /<\s{0,4}(h(?:tt|xx)ps?:\/\/[^<>"\s]{1,2000}(?:\r?\n[> ]{0,4}[^<>"\s]{1,2000}){1,20})\s{0,4}>/gi
const LINE_BREAK_IN_BRACKETS = /\s+(?:> ?)*/g

/** What may go on a link after a line break: behind the marks of a reply, in the characters of a URL. */
const CONTINUATION = /^(?:[ >]{0,80}>)?[ \t]{0,8}([\w\-.~:/?#[\]@!$&'()*+,;=%]+)([^\r\n]*)/
const DELIMITER = /[/?=&%#_]|\d[a-z]|[a-z]\d/i
const WORD = /^\p{Lu}\p{Ll}*[.,!?:]?$/u
const STRONG_END = /[-_=&?%/+]$/

/** A line that an editor wraps is at least so long. */
const MIN_WRAPPED_CHARS = 60
/** A link is wrapped into no more lines. */
const MAX_LINES = 8

/**
 * The link with what follows on the next lines, if that may be a part of it; undefined if it ends. `isSure`: the first part is no
 * link by itself, so that it must go on.
 */
const joined = (
  text: string,
  { at, url }: Found
): { readonly url: string; readonly isSure: boolean; readonly end: number } | undefined => {
  let end = at + url.length
  let whole = url
  const before = text.slice(Math.max(0, at - MIN_WRAPPED_CHARS), at)
  let lineStart = at - before.length + Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const lineBreak = /^[ \t]{0,4}(?:\r\n?|\n)/.exec(text.slice(end, end + 8))?.[0]
    if (lineBreak === undefined) break
    const next = end + lineBreak.length
    const [found, token = "", after = ""] = CONTINUATION.exec(text.slice(next, next + 4000)) ?? []
    if (found === undefined || SCHEME.test(token)) break
    const isAloneOnLine = after.trim() === ""
    const isLong = end - lineStart >= MIN_WRAPPED_CHARS
    const isHostCut = !hasWholeHost(whole) && hasWholeHost(whole + token)
    if (!isHostCut) {
      if (isBareLink(withoutEnd(token), false) && !STRONG_END.test(whole) && !isLong) break
      const isLikely = DELIMITER.test(token) || (STRONG_END.test(whole) && !WORD.test(token))
      if (
        !(isLikely && (isLong || isAloneOnLine || STRONG_END.test(whole))) &&
        !(isAloneOnLine && isLong && !WORD.test(token))
      )
        break
    }
    whole += token
    lineStart = next
    end = next + found.length - after.length
    if (!isAloneOnLine) break
  }
  const link = withoutEnd(beforeUnopened(whole))
  const isSure = SCHEME.exec(url)?.index === 0 && !hasWholeHost(url)
  return link.length > url.length ? { url: link, isSure, end } : undefined
}

/** `https://a .example/b`, `https://a dot example`: what follows a host that is none by itself. A sentence begins with a capital letter. */
const SPACED_END =
  /^(?: {0,2}\. {0,2}| dot )([\p{Ll}\p{Lo}\p{N}-]{1,63}(?:(?: {0,2}\. {0,2}| dot )[\p{Ll}\p{Lo}\p{N}-]{1,63}){0,4})(\/[^\s<>"]{0,2000})?/u
const SPACED_DOTS = / {0,2}\. {0,2}| dot /g

/** The link with the end of its host, if blanks stand around its dots. */
const spacedHost = (text: string, { at, url }: Found): ReturnType<typeof joined> => {
  if (hasWholeHost(url)) return undefined
  const start = at + url.length
  const [found, host = "", path = ""] = SPACED_END.exec(text.slice(start, start + 2500)) ?? []
  if (found === undefined || !found.includes(" ")) return undefined
  const link = `${url}.${host.replace(SPACED_DOTS, ".")}${withoutEnd(beforeUnopened(path))}`
  return hasWholeHost(link) ? { url: link, isSure: true, end: start + found.length } : undefined
}

/** Whether the host of a link ends in it, and is a name on the Internet. */
const hasWholeHost = (link: string): boolean => {
  const [, host = "", end = ""] = /^[a-z]+:\/*([^/?#:\\]*)([/?#:\\]?)/i.exec(refanged(link)) ?? []
  const last = host.split(".").at(-1) ?? ""
  return end !== "" || isSuffix(last) || IPV4_NUMBER.test(last)
}

/** In UTF-16 units. */
const MAX_SHOWN_CHARS = 300

/** The text before a link in Markdown, `[text](link)`; undefined elsewhere. */
const markdownText = (text: string, at: number): string | undefined => {
  const before = text.charAt(at - 1) === "<" ? at - 1 : at
  if (text.slice(before - 2, before) !== "](") return undefined
  const shown = text.slice(Math.max(0, before - MAX_SHOWN_CHARS), before - 2)
  const start = shown.lastIndexOf("[")
  return start === -1 ? undefined : shown.slice(start + 1)
}

/** Finds the links of a text in order. A text that is one word is a link if it is any host. Takes linear time. */
export const find = (written: string): ReadonlyArray<Found> => {
  const text = written.includes("\x1b[")
    ? written.replace(COLOUR, (colour) => " ".repeat(colour.length))
    : written
  const whole = text.trim()
  const start = text.indexOf(whole)
  if (SCRIPT.test(whole)) return [foundAt(whole, start)]
  const isOneWord = whole !== "" && !/\s/.test(whole)
  if (isOneWord && isOneLink(whole)) return [foundAt(withoutEnd(whole), start)]
  const found: Array<Found> = []
  // What is found is replaced by blanks, so that it is not read again.
  let rest = text
    .replace(LENTICULAR_DOT, "[.]")
    .replace(IN_ANGLE_BRACKETS, (bracketed, link: string, index: number) => {
      const at = index + bracketed.indexOf(link)
      found.push(foundAt(link.replace(LINE_BREAK_IN_BRACKETS, ""), at, undefined, true))
      return bracketed.replace(link, " ".repeat(link.length))
    })
  if (rest.includes(" ") && /[[({](?:\.|\p{L}{3,6})[\])}]/u.test(rest))
    rest = rest.replace(SPACED_DOT, (written, index: number) => {
      const link = withoutEnd(written.replace(SPACES, ""))
      if (!written.includes(" ") || !isBareLink(link, true)) return written
      found.push(foundAt(link, index))
      return " ".repeat(written.length)
    })
  if (rest.includes("(0)"))
    rest = rest.replace(COUNTED_NAME, (name, index: number) => {
      found.push(foundAt(name.replace(COUNT, ".").slice(1, -1), index))
      return " ".repeat(name.length)
    })
  let taken = 0
  for (const { 0: piece, index } of rest.matchAll(PIECE)) {
    if (index < taken) continue
    // A word without a dot or a colon is none.
    if (!/[.:/。．｡]|[[({]\p{L}/u.test(piece)) continue
    let at = index
    for (const part of piece.split(NEXT_IN_LIST)) {
      for (const link of moved(linksOfPiece(part, isOneWord), at))
        taken = Math.max(taken, add(found, rest, link))
      at += part.length + 1
    }
  }
  return found
}

/** Adds a link in its readings. Returns where the text that can be nothing else ends. */
const add = (found: Array<Found>, text: string, link: Found): number => {
  const hasScheme = SCHEME.exec(link.url)?.index === 0
  const more =
    (hasScheme ? spacedHost(text, link) : undefined) ??
    (hasScheme || (link.url.includes("/") && STRONG_END.test(link.url)) ? joined(text, link) : undefined)
  const shown = markdownText(text, link.at) ?? link.url
  if (more === undefined || !more.isSure) found.push({ ...link, shown })
  if (more === undefined) return 0
  found.push({ ...link, url: more.url, shown: shown === link.url ? more.url : shown, isJoined: true })
  return more.isSure ? more.end : 0
}
