/**
 * Finds the links in running text and Markdown. linkify-it 6.1.0 was tried instead: it does not find `-----http://...`, `@www.host` or
 * the spellings of reports, keeps `**` after a link, takes `readme.md` for a host, and does not join lines.
 */

import { refanged, withoutEscapedSigns } from "../Url/CanonicalUrl/WrittenAddress.ts"
import { type Found, foundAt, MAX_SHOWN_CHARS, moved } from "./Link.ts"
import { continuationOf, joinedWithLineBefore } from "./PlainText/Continuation.ts"
import {
  beforeOddEnd,
  beforeUnopened,
  hasWholeHost,
  isBareLink,
  isOpenable,
  leadingLength,
  linkAtStart,
  SCHEME,
  startsWithScheme,
  withoutEntities,
  withoutTrailing
} from "./PlainText/Spelling.ts"
import { isSuffix } from "./Suffixes.ts"

/** A text between separators, which no link contains. Of ten million characters V8 would have no stack. */
const PIECE =
  /[^\s\p{Cc}\p{Cn}\p{Co}<>"`“”„«»‹›，、：；！？（）「」『』【】《》〈〉〔〕［］｛｝＜＞｢｣｜]{1,1000000}/gu
/** A piece without them is not a link. */
const LINK_CHARACTERS =
  /[.:/․。．｡]\S|%(?:25)?2[eE]|&#\w|[点點점닷](?:com|net)|[[({][\p{L},·•]|[-_]dot[-_]|[•·‧]\p{L}/u
/** Between two links of a list, of a string with escapes, of a program, or of HTML: `&nbsp;`. */
const NEXT_IN_LIST = /((?:&[a-z]{2,8};|[,;|]|'(?<=[,;+]')|\\[nrt])(?=h(?:tt|xx)ps?[[({]?:))/i
/** Browsers read them as letters, as they do mathematical ones: `ⓐ.ⓒⓞⓜ`. They would count as emoji. */
const CIRCLED_LETTER = /[\u24b6-\u24e9]/g
/** Colours of a terminal. */
const COLOUR = /\p{Cc}\[[\d;]{0,30}[A-Za-z]/gu

const OTHER_SCHEME = /^[a-z][a-z0-9+.-]{0,30}[[({]?:[\])}]?\/\/[^/]/i

/** Secrets, or without an address: one-time passwords, payments, networks, phone numbers. */
const PRIVATE = /^(?:otpauth(?:-migration)?|upi|wifi|tel|geo|lightning|wc):(?!https?:)/i

/** Links that contain a program or a page, blanks included. `Data:none` and `About:me and you` are text. */
const SCRIPT =
  /^(?:(?:javascript|vbscript):\S|data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]+)*,|(?:blob:https?|file):\/\/\S+$|about:[a-z-]+$)/i

/**
 * The end of a sentence behind a host, and the next word: `a-b.example!Reply`. Not the class `com.example.shop.Order`. Without a
 * hyphen only behind suffixes that messages often name and that are no words in front of another.
 */
const END_OF_SENTENCE =
  /(\.{1,3}|[-!…:*_·•。\u200b\p{So}])(?=\p{Lu}\p{L}{2})(?<=(?:\.(?:com|org|xyz|top|shop|ru|cn|de|fr|uk|br|pl|nl)|-[\p{L}\d-]{1,40}\.[a-z]{2,24})(?:\.{1,3}|[^.]))(?<=(?:^|[[({',;:]|\/\/)(?!(?:com|org|net|io|de)\.)[\p{L}\p{N}.-]{1,100}.)(\p{L}+)[.,;:!?)\]'’…]{0,3}$/u
/** Links without a host, which may contain an address. */
const NO_HOST = /^(?:mailto|sms|smsto|bitcoin):/i
const CARRIES = /https?(?::|%3a)|(?:body=|^smsto:.{1,30}:).{0,300}?\w\.[a-z]{2}/i
/** A link without a host to a share. Without one `Search:site=a.example` is text. */
const SEARCH_OF_SHARE = /^search(?:-ms)?:\w{1,20}=.*?location(?::|%3a)(?:\\\\|%5c%5c)/i

/** The path of a file in Windows, `C:\\x64dbg.com`, and not `u:\\x68ttps://a.example`. */
const WINDOWS_PATH = /(?<!\w)[a-z]:\\(?![xu]0*68)/i
/**
 * The number of a list without a blank behind it, `1)example.com`, the mark of a line in a file of cookies, or the beginning of a
 * pattern up to its host, `(^|\.)example\.com$`, `^https?://(www\.)?example\.com`. Not another host: `a.example/(b)example\.com` is
 * one link.
 */
const ENUMERATION =
  /^(?:[A-Za-z\d]{1,3}\)|HttpOnly_\.?|(?:(?:https?|www|\\[^\s)]|[a-z\d]-[a-z\d]|[^\p{L}\p{N}\s)\\]){0,40}\)[?*+]{0,2}){1,3}(?=[a-z\d-]{1,63}\\[.-]))/u
/** A label without a blank behind it: `Link:example.com`. */
const GLUED_LABEL = /^\p{L}{1,30}[:=]/u
/** Hosts between slashes, in a setting of dnsmasq or a device of bash: `address=/a.example/b.example/0.0.0.0`, `/dev/tcp/a.example/80`. */
const BETWEEN_SLASHES = /^(?:(?:address|server|local|ipset|nftset)=\/|\/dev\/(?:tcp|udp)\/)/
/** The value of a parameter, `next=https%3A%2F%2Fexample.com`, and the links in one that is a text. */
const ENCODED = [
  /h(?:tt|xx)ps?%(?:25){0,2}3a(?:%(?:25){0,2}2f|\/)[^&#]+/gi,
  /h(?:tt|xx)ps?%(?:25){0,2}3a(?:%(?:25){0,2}2f|\/)(?:(?!%(?:25){0,2}(?:20|22|3[ce]|0[ad]))[^&#+])+/gi
]
/** `example.com's`, a footnote `example.com¹`, the beginning of an arrow: `example.com-->`, or the end of a pattern. */
const POSSESSIVE = /(?:['’]\p{L}{1,8}|-{1,3}|[¹²³⁰-⁹]{1,2}|(?<=[a-z])(?:\$|\(\?:\\b\)))$/u
const LETTER = /[\p{L}\p{N}]/u

/** Whether a word is one link despite separators or brackets in its authority: `https://shop.example"@evil.example/`. */
const isOneLink = (text: string): boolean => {
  const [, authority = ""] = /^(?:https?|ftp):[\\/]*([^\\/?#]*)/i.exec(refanged(text)) ?? []
  const end = authority.search(/[<>"`“”„«»‹›，、：；！？（）「」『』【】《》\])}]/)
  return end !== -1 && /[.@。．｡]/.test(authority.slice(end))
}

/**
 * Text directly after a link, where messengers end it and browsers do not: `|Form>` of Slack, `[/url]`, `[Form]`, `{{dead link}}` and
 * `{color}` of wikis, `\n` and `\'` of a string, `\par` of RTF, `','` of SQL, `';` and `'+` of a program, `^` of a log, a
 * dash, `…more`, a footnote, `%22%3E` of a path and other encoded punctuation, `'s`, `&gt;` of HTML, a script without blanks between
 * words, or punctuation in GBK.
 */
const ADJOINING_TEXT =
  /[a-z0-9/](?:[|^–—…¹²³⁰-⁹]|\\(?:[nrt0'"\\]|(?:x|u00)a0|u200b|par|cell|line|$)|\{(?:\{[^.]{0,100}$|[a-z]{1,20}\}$)|\[(?:\/[a-z]|[^\]&]{0,100}\]?$)|\([^()]{0,100}\)?$|%3c|(?:%(?:0[9ad]|2[027c]|3e|5c|60|c2%bb|e2%80%(?:9d|a6)|e3%80%8[12d]|ef%bc%8c)){1,3}(?:%3c|$(?<!\?.{0,300}))|'[,;+|.]|['’]\p{L}{1,8}$|&(?:[gl]t|quot|nbsp|apos|#0?39)(?![\w=])|[\u00a1-\u00bf][\u00a1-\u00ff])|[=?]'[,;+|.]|[a-z0-9][\p{So}€£¥←-⇿•·※。．\u0530-\u1c7f\u3005-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\u{20000}-\u{3ffff}]/giu
/** Cells behind a link, in a row of a table: words, dates, numbers or a host. A path may have a comma before others. */
const CELLS =
  /[a-z0-9/][,;](?=(?:\p{L}{3}[^/?=&,;]{0,60}|\d{4}-[\d:T. -]{2,25}|\d{1,13}(?=[,;]|$)|[01])(?:[,;][^/?=&]{0,200})?$|(?:[\p{L}\p{N}-]{1,63}[[({]?\.[\])}]?){1,8}[a-z]{2,24}[/:,;]|(?:\d{1,3}\.){3}\d{1,3}[/:,;])/giu
const ESCAPED_BLANK = /^\\(?:[nrt]|(?:x|u00)a0|u200b)/i
const OTHER_SCHEME_NAME = /^[a-z][a-z-]{0,30}:/i
/** Of places where a link may end. */
const MAX_ENDS = 4

/** Returns a link without the text directly after it that a pattern finds, if there is some, and the hosts in that text. */
const withoutTextAfter = ({ at, url }: Found, pattern: RegExp): ReadonlyArray<Found> => {
  if (url.search(pattern) === -1 || /^intent:/i.test(url)) return []
  const scheme = (startsWithScheme(url) ? SCHEME : OTHER_SCHEME_NAME).exec(url)?.[0].length ?? 0
  const host = scheme + url.slice(scheme).search(/[^\\/]|$/)
  for (const { index } of Array.from(url.slice(host).matchAll(pattern)).slice(0, MAX_ENDS)) {
    const end = host + index + 1
    const short = withoutTrailing(url.slice(0, end))
    const isLink =
      host === 0 ? isBareLink(short, false) : hasWholeHost(short) && /[./]/.test(short.slice(host))
    if (!isLink) continue
    // The letters of an escaped blank are not a part of the next host.
    const rest = url.slice(end).replace(ESCAPED_BLANK, (blank) => " ".repeat(blank.length))
    const isProgram = /^'[;+|.]/.test(rest)
    const hosts = hostsBetween(rest).filter((host) => !isProgram || NOT_A_NAME.test(host.url))
    return [foundAt(short, at), ...moved(hosts, at + end)]
  }
  return []
}

/** A host after a letter of a script from Armenian to Chinese or a number in a circle, which is no part of a Latin label. */
const UNSPACED_AND_LATIN =
  /[\u2460-\u249b\u0530-\u1c7f\u3005-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\u{20000}-\u{3ffff}][。．｡]?[a-z0-9-]{1,63}[[({]?[.。点點]/iu
/**
 * Separates words without a blank: a comma, a colon, an exclamation mark before a host, a dash, a bracket, the end of a host in a
 * filter rule, an arrow, an emoji, a letter of a script from Armenian to Chinese. Not `点com` and `•com`, which are `.com`.
 */
const BETWEEN_WORDS =
  /[,;:!*•|=^–—…。([{\p{So}\p{Sm}€£¥\u2460-\u249b\u0530-\u1c7f\u3005-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\u{20000}-\u{3ffff}]/u
const WORDS =
  /(?::(?=\/|\d{1,5}\/)|(?![([{](?!(?:[.,]|\p{L}{1,6})[\])}][\p{L}\p{N}]))(?:[^,;:!*•|=^–—…。\p{So}\p{Sm}€£¥\u2460-\u249b\u0530-\u1c7f\u3005-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\u{20000}-\u{3ffff}]|[。点點점닷•](?<=[A-Za-z\d].)(?=(?:com|net|org|info)(?![a-z]))|!(?![\w\p{L}-]{1,63}\.[\p{L}\d]))){4,}/gu

/** A path, a defanged dot, `www` or `.com`. */
const NOT_A_NAME = /[/[(]|^www\d?\.|\.com$/i
/** `MECARD:N:Bank;URL:a.example;;`, and `full address:s:a.example` of a file for a remote desktop. */
const URL_FIELD = /(?:\burl|(?:address|hostname):s):$/i
/** Of the longest, with a character in front of it. */
const URL_FIELD_CHARS = 12
/** Where a link in Markdown leads, `[a](`, or a string in a program, `:'`. */
const IS_STRING = /\]\(|:'$/
/** Of a page of a repository, `[b](README.de.md)`. */
const PAGE = /\.md$/i

/**
 * Finds the hosts among words without blanks: `点击a.example登录`, `now→a.example`, `a.example,b.example`, `here(a.example/x)`. Beside a
 * bracket, colon, exclamation mark or a single asterisk only what is no name in a program, as in `fs.open(file.name)`, or a share of Windows.
 */
const hostsBetween = (piece: string): ReadonlyArray<Found> =>
  Array.from(piece.matchAll(WORDS), ({ 0: word, index }) => {
    const start = leadingLength(word)
    const link = linkAtStart(word.slice(start))
    if (PRIVATE.test(link)) return []
    const around = `${piece.charAt(index - 1)}${piece.charAt(index + word.length)}`
    const isName =
      /[([{:!•]|(?<!\*)\*(?!\*)/.test(around) &&
      !word.startsWith("\\\\") &&
      (PAGE.test(link) ||
        !IS_STRING.test(`${piece.slice(Math.max(0, index - 2), index)}${word.charAt(0)}`)) &&
      !URL_FIELD.test(piece.slice(Math.max(0, index - URL_FIELD_CHARS), index))
    const isLink = isBareLink(link, false) && (!isName || NOT_A_NAME.test(link))
    return isLink || (OTHER_SCHEME.test(link) && link.includes(".")) ? [foundAt(link, index + start)] : []
  }).flat()

/** Returns links without those that are at the place of an equal one. */
const distinct = (links: ReadonlyArray<Found>): ReadonlyArray<Found> => [
  ...new Map(links.map((link) => [`${link.at} ${link.url}`, link])).values()
]

/** Returns a link and what it is without the text directly after it; only the latter if browsers open only that. */
const withShorter = (link: Found): ReadonlyArray<Found> => {
  // The words around a host may be valid labels of it.
  const isBetweenWords = UNSPACED_AND_LATIN.test(link.url) && !startsWithScheme(link.url)
  const short = isBetweenWords
    ? moved(hostsBetween(link.url), link.at)
    : distinct([ADJOINING_TEXT, CELLS].flatMap((pattern) => withoutTextAfter(link, pattern)))
  const [first] = short
  const plain = first === undefined ? beforeOddEnd(link.url) : undefined
  if (plain !== undefined) return [foundAt(plain, link.at)]
  const isOnlyShort = first !== undefined && !isOpenable(link.url) && isOpenable(first.url)
  return isOnlyShort ? short : [link, ...short]
}

/** Brackets around dots that do not match, `-dot-` and `•`. */
const ODD_DOT = /[[\]()]{1,2}(?<!\(\))(?=\.)|(?<=\.)[[\]()]{1,2}/g
const DASHED_DOT =
  /(?:[-_]dot[-_](?<=[-\d][\p{L}\p{N}-]{0,40}.dot.)|[•·‧](?<=\p{L}.))(?=(?:com|net|org|info)\b)/gu
/** Of a host that is no name in a program, as in `f(x).id`. */
const SURE_HOST = /^(?:www\d?\.|[^/]{1,250}\.(?:com|net|org|info)(?:[/:]|$)|(?:\d{1,3}\.){3}\d)/i

/**
 * Finds the host of `www].[a].[com`, `1.)1[.1.)1`, `my-bank-dot-com`, of an address with an odd scheme, `(http)://a.example`, or behind a
 * bracket, `(here)a.example`, but not of `f(x).id`.
 */
const oddlySpelt = (piece: string): ReadonlyArray<Found> => {
  const plain = piece.replace(ODD_DOT, "").replace(DASHED_DOT, ".")
  const link = plain === piece ? "" : linkAtStart(plain.slice(leadingLength(plain)))
  if (SURE_HOST.test(link) && isBareLink(link, false)) return [foundAt(link, 0)]
  const scheme = piece.indexOf("://")
  const tail = scheme === -1 ? piece.search(/[)\]](?![.[(])[^)\]}]*$/) + 1 : scheme + "://".length
  if (tail === 0) return []
  const start = tail + leadingLength(piece.slice(tail))
  const address = linkAtStart(piece.slice(start))
  return isBareLink(address, false) ? [foundAt(address, start)] : []
}

/**
 * For browsers a bracket behind a host is a part of a user name if an `@` follows: `https://a.example)@b.example`; not that of a link to
 * a mail address in Markdown, `)[b](mailto:c@b.example)`, without a slash: its host ends in a bracket for them. Up to the next bracket,
 * so that of many such links no character is read twice.
 */
const BRACKET_IN_USER =
  /^[\])}](?!\[[^\]@]{0,200}\]\(mailto:[^()/]{1,300}\))[^\\/?#]{0,253}@[^()[\]{}]{1,2000}/
const ONLY_HOST = /^[\\/]*[^\\/?#]*$/

const linksWithScheme = (piece: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  for (let from = 0; from < piece.length; ) {
    const rest = piece.slice(from)
    const scheme = SCHEME.exec(rest)
    if (scheme === null) break
    const written = beforeUnopened(rest.slice(scheme.index))
    const link = withoutTrailing(written, rest.charAt(scheme.index - 1))
    if (LETTER.test(link.slice(scheme[0].length))) found.push(foundAt(link, from + scheme.index))
    const [behind] = BRACKET_IN_USER.exec(rest.slice(scheme.index + written.length)) ?? []
    if (behind !== undefined && ONLY_HOST.test(written.slice(scheme[0].length)))
      found.push(foundAt(withoutTrailing(`${written}${behind}`), from + scheme.index))
    from += scheme.index + Math.max(written.length, scheme[0].length)
  }
  return found
}

const encodedLinks = (piece: string): ReadonlyArray<Found> => {
  const links = ENCODED.flatMap((pattern) =>
    Array.from(piece.matchAll(pattern), ({ 0: url, index }) => foundAt(withoutTrailing(url), index))
  )
  return distinct(links)
}

const CLOSING = /^[\])}]/
/** Not in front of where a link in Markdown leads, `[a.example](b.example)`. */
const BRACKET_BEHIND = /^[\])}](?!\()/

const linksWithoutScheme = (piece: string, isAlone: boolean): ReadonlyArray<Found> => {
  const mark = leadingLength(piece)
  const start = mark + (ENUMERATION.exec(piece.slice(mark))?.[0].length ?? 0)
  const link = linkAtStart(piece.slice(start), piece.charAt(start - 1))
  if (PRIVATE.test(link) || link.search(WINDOWS_PATH) === 0) return []
  if (OTHER_SCHEME.test(link)) return [foundAt(link, start)]
  if (SEARCH_OF_SHARE.test(link)) return [foundAt(link, start)]
  if (NO_HOST.test(link)) return CARRIES.test(link) ? [foundAt(link, start)] : []
  if (isBareLink(link, isAlone)) {
    const end = start + link.length
    const rest = piece.slice(end)
    const behind = CLOSING.test(rest) ? hostsBetween(rest.replace(BRACKET_BEHIND, " ")) : []
    return [...withShorter(foundAt(link, start)), ...moved(behind, end)]
  }
  const between = BETWEEN_SLASHES.test(link) ? link.slice(0, link.lastIndexOf("/")).replaceAll("/", ",") : ""
  const betweenSlashes = hostsBetween(between)
  if (betweenSlashes.length > 0) return moved(betweenSlashes, start)
  const label = GLUED_LABEL.exec(link)?.[0].length ?? 0
  const labelLength = label + leadingLength(link.slice(label))
  const labelled = linkAtStart(link.slice(labelLength))
  if (label > 0 && isBareLink(labelled, isAlone)) return withShorter(foundAt(labelled, start + labelLength))
  const owner = link.replace(POSSESSIVE, "")
  if (owner !== link && isBareLink(owner, false)) return [foundAt(owner, start)]
  const encoded = piece.includes("%") ? encodedLinks(piece) : []
  if (encoded.length > 0) return encoded
  const hosts = BETWEEN_WORDS.test(piece) ? hostsBetween(piece) : []
  return hosts.length > 0 ? hosts : oddlySpelt(piece)
}

/** Ends the text in front of an address that a link carries: `a.example/b?next=https://b.example`. */
const BEFORE_CARRIED = /[=/?#&]$/

/**
 * Finds the links without a scheme before, between and after those with one: `a.example/b?next=https://b.example`,
 * `(https://a.example),b.example/c`. Not names in a program: `x.link='https://a.example'`.
 */
const linksBeside = (piece: string, links: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const first = links[0]?.at ?? 0
  const before = piece.slice(0, first)
  const isCarried = BEFORE_CARRIED.test(before) && /[/?#]/.test(before)
  const outer = isCarried ? linksWithoutScheme(piece, false).filter(({ at }) => at < first) : []
  let start = isCarried ? first : 0
  const between = [...links, { at: piece.length, url: "" }].flatMap(({ at, url }) => {
    const gap = piece.slice(start, at).replace(CLOSING, " ")
    const from = start
    start = at + url.length
    // The text of a link in Markdown is what it shows.
    return gap.endsWith("](") ? [] : moved(hostsBetween(gap), from)
  })
  return [
    ...outer,
    ...between.filter(({ at, url }) => NOT_A_NAME.test(url) || !/[='"]/.test(piece.charAt(at + url.length)))
  ]
}

/** Finds the links of a piece of text without separators. `isAlone`: it is the whole text. */
const linksOfPiece = (piece: string, isAlone: boolean): ReadonlyArray<Found> => {
  if (PRIVATE.test(piece)) return []
  const links = linksWithScheme(piece)
  if (links.length === 0) return linksWithoutScheme(piece, isAlone)
  return [...linksBeside(piece, links), ...links.flatMap(withShorter)]
}

/**
 * A link in angle brackets may have line breaks in it (RFC 3986, appendix C), and blanks before its query, fragment or next parameter.
 */
const IN_ANGLE_BRACKETS =
  /<\s{0,4}h(?:tt|xx)ps?:\/\/[^<>"\s]{1,2000}(?:(?:\r?\n[> ]{0,4}| {1,4}(?=[#?]|&(?<=[?&][^<>"\s]{1,2000} {1,4}&)))[^<>"\s]{1,2000}){1,20}\s{0,4}>/gi
const LINE_BREAK_IN_BRACKETS = /\s+(?:> ?)*/g
/**
 * Tags of forums around a link or its text, `[url]a.example[/url]`, and not a parameter `share[url]=`; macros of Jira and AsciiDoc:
 * `{noformat}a.example{noformat}`. A parameter with other signs may contain a host.
 */
const TAG =
  /\[\/?(?:url|link|img)\](?!=)|\{(?<=(?:^|[\s(|]|\.[a-z]{2,24})\{)(?:noformat|code|color|quote|panel|empty)(?::[\w#=| -]{0,60})?\}/gi
/** A dot in Chinese brackets. */
const LENTICULAR_DOT = /[【（［｛〔「『][.。．点點][】）］｝〕」』]/g
const DEFANGED_DOT = /[[({] ?(?:[.,]|\p{L}{1,6}) ?[\])}]/u
/** A defanged dot with blanks around it: `example [.] com/pay`. */
const SPACED_DOT =
  /[\p{L}\p{N}-]{1,63}(?: ?[[({] ?(?:[.,]|dot|punkt|punto|point|ponto|kropka|nokta|точка|点|點|[점닷]) ?[\])}] ?[\p{L}\p{N}-]{1,63}){1,8}(?:\/[^\s<>"]*)?/giu
/**
 * `example DOT com`, `example dot com/pay`, `my-example dot com`, `example .com/pay`, `example. com/pay`; not the dot com bubble. And
 * `www. example. com` in the text of a PDF.
 */
const DOT_AS_WORD =
  /(?<![\p{L}\p{N}/.@-])(?:www\. {1,2}[\p{L}\p{N}-]{1,63}\. {0,2}(?:[a-z]{2,3}\. {0,2})?[a-z]{2,24}(?![\p{L}\p{N}.-])|[\p{L}\p{N}]{1,40}[-\d][\p{L}\p{N}-]{1,40} (?:dot|\.) (?:com|net|org|info)\b(?! (?:boom|bubble|bust|business|compan|crash|era|firm|giant|site|star|stock|year))|(?:[\p{L}\p{N}-]{1,63}\.){0,4}[\p{L}\p{N}-]{4,63}(?: DOT (?:com|net|org|info)\b|(?: dot |\. )(?:com|net|org|info)(?=\/[^.])| \. ?(?:[a-z]{2,3}\.)?[a-z]{2,24}(?=\/[^.])))(?:\/[^\s<>"]*)?/gu
/** What each `DOT_AS_WORD` contains. */
const DOT_BESIDE_BLANK = /www\. | (?:dot|DOT) |\. (?:com|net|org|info)| \.[a-z ]/
const SPACES = / +/g
/**
 * A link with blanks around its host, as Cisco's mail gateway writes it, or with half of the brackets of its dots:
 * `http:// example .com /path`, `hxxp__example( .com[/]path`.
 */
const ODD_HOST =
  /h(?:tt|xx)ps?(?::\/\/|__) {0,2}(?:[\p{L}\p{N}-]{1,63}(?: ?[[({]{1,2} ?\.| ?\.[\])}]{0,2})){1,8}[a-z]{2,24}(?![\p{L}\p{N}.@-])(?:(?: ?\/| ?\[\/\])[^\s<>"]*)?/giu
const PARTS_OF_HOST = /[ [\](){}]/
const IS_ODD = /^[^:_]{4,5}(?::\/\/|__)[^/]*(?: [^ /]|[[({]\.|\.[\])}])/
/**
 * A name with the lengths of its labels, in a log of a DNS server of Windows, `(3)www(7)example(3)com(0)`, or a rule of Snort,
 * `|07|example|03|com|00|`. Not the end of a link.
 */
const COUNTED_NAME = /(?<![\w/])(?:(?:\(\d{1,2}\)|\|[\da-f]{2}\|)[a-z0-9_-]{1,63}){2,20}(?:\(0\)|\|00\|)/gi
const COUNT = /\(\d{1,2}\)|\|[\da-f]{2}\|/gi

/** A request as a browser sends it, also of curl or with escapes: `GET /x HTTP/1.1`, and below it `Host: a.example`. */
const RAW_REQUEST =
  /(?<![\w/])[A-Z]{3,7} (\/[^\s/]\S{0,8192}) HTTP\/[\d.]{1,3}(?:\r?\n|\\r\\n)(?:[> ]{0,4}[\w-]{1,40}:[^\n\\]{0,2000}(?:\n|\\r\\n)){0,8}?[> ]{0,4}Host: ?([^\s\\'"]{1,253})/gi

const bracketedLink = (match: string): Found => {
  const start = match.search(/[^<\s]/)
  const link = match.slice(start, -1).replace(LINE_BREAK_IN_BRACKETS, "")
  return foundAt(link, start, link, true)
}

const spacedLink = (match: string): Found | undefined => {
  const link = linkAtStart(match.replace(/ dot /i, ".").replace(SPACES, ""))
  return match.includes(" ") && isBareLink(link, true) ? foundAt(link, 0) : undefined
}

/** Whether a part of an odd link is a link itself, to another host: `https://a.example .b.example`. */
const hasLinkInHost = (match: string, link: string): boolean =>
  [...match.split(PARTS_OF_HOST), ...match.replace(ODD_DOT, "").split(" ")].some((part) => {
    const inner = withoutTrailing(part)
    const isLink = hasWholeHost(inner.replace("__", "://")) || isBareLink(inner, false)
    return isLink && link.includes(`${inner}.`)
  })

const oddLink = (match: string): Found | undefined => {
  const link = linkAtStart(match.replace(SPACES, "").replace(ODD_DOT, ""))
  const isWhole = IS_ODD.test(match) && hasWholeHost(link.replace("__", "://"))
  return isWhole && !hasLinkInHost(match, link) ? foundAt(link, 0) : undefined
}

const countedLink = (match: string): Found => foundAt(match.replace(COUNT, ".").slice(1, -1), 0)

/** `&#46;`, `&amp;` */
const ENTITY = /&(?:#x?[\da-f]{1,7}|[a-z]{2,8});/i
/**
 * A line break in a string of a program, `Hello\na.com/b`, in front of what is surely a host; not the name of a folder,
 * `..\net.com\a`.
 */
const ESCAPED_BREAK =
  /(?<=[^\s.\\]\.{0,3})(?:\\[nrt]){1,4}(?=(?:[a-z\d-]{1,63}\.){1,5}(?:(?:com|net|org|info)(?![\w-]|\.\w|\\[^nrt])|[a-z]{2,24}\/))/gi
/** In a string of a program or a log: `\u0026`, `\x26`. */
const ESCAPE = /\\(?:u00|x)([2-7][\da-f])/gi

/** Without a path, `node\_url.cc` is the name of a file in Markdown. */
const withoutEscapedPath = (piece: string): string =>
  piece.includes("/") ? withoutEscapedSigns(piece) : piece.replaceAll("\\=", "=")

const withoutEscapes = (piece: string): string =>
  WINDOWS_PATH.test(piece)
    ? piece
    : withoutEscapedPath(piece.replace(ESCAPED_BREAK, " ")).replace(ESCAPE, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16))
      )

/**
 * Returns the links of a piece and those that it has if it is from a source: `https://a&#46;example/?x=1&amp;y=2`, `?x=1\u0026y=2`. A
 * link by itself that browsers open is only read as it is, unless signs in it are escaped.
 */
const linksOfSource = (piece: string, isAlone: boolean): ReadonlyArray<Found> => {
  const links = linksOfPiece(piece, isAlone)
  const unescaped = piece.includes("\\") ? withoutEscapes(piece) : piece
  const plain = ENTITY.test(unescaped) ? withoutEntities(unescaped, true) : unescaped
  if (plain === piece) return links
  const openable = links.filter(({ url }) => startsWithScheme(url) && isOpenable(url))
  if (isAlone && openable.length > 0 && withoutEscapedSigns(piece) === piece) return links
  const known = new Set(openable.map(({ url }) => url))
  const read = Array.from(plain.matchAll(PIECE), ([part]) => linksOfPiece(part, false)).flat()
  if (read.length === 0) return links
  return [...openable, ...read.filter(({ url }) => !known.has(url)).map(({ url }) => foundAt(url, 0))]
}

/** Returns the links of a piece before the next sentence; of the whole piece too if that can be a host: `https://a.com.Support`. */
const linksBeforeSentence = (piece: string, isAlone: boolean): ReadonlyArray<Found> => {
  const [end, dots = "", next = ""] = END_OF_SENTENCE.exec(piece) ?? []
  if (end === undefined) return linksOfSource(piece, isAlone)
  const links = linksOfSource(piece.slice(0, -end.length), false)
  return /^[.。]$/.test(dots) && isSuffix(next) ? [...linksOfSource(piece, isAlone), ...links] : links
}

/** Adds the links whose spelling contains separators. Returns the text with blanks in their place. */
const extractDivided = (text: string, found: Array<Found>): string => {
  const extract = (from: string, pattern: RegExp, linkIn: (match: string) => Found | undefined) =>
    from.replace(pattern, (match, index: number) => {
      const link = linkIn(match)
      if (link !== undefined) found.push({ ...link, at: index + link.at })
      return link === undefined ? match : " ".repeat(match.length)
    })
  const untagged = /\[\/|\}/.test(text) ? text.replace(TAG, (tag) => " ".repeat(tag.length)) : text
  const rest = extract(untagged.replace(LENTICULAR_DOT, "[.]"), IN_ANGLE_BRACKETS, bracketedLink)
  // Without such a dot each search would be slow, and in vain.
  const spelt = DOT_BESIDE_BLANK.test(rest) ? extract(rest, DOT_AS_WORD, spacedLink) : rest
  const unspaced = DEFANGED_DOT.test(spelt) ? extract(spelt, SPACED_DOT, spacedLink) : spelt
  return extract(extract(unspaced, ODD_HOST, oddLink), COUNTED_NAME, countedLink)
}

/** Returns the text before a link in Markdown, `[text](link)`; undefined for other links. */
const markdownText = (text: string, at: number): string | undefined => {
  const before = text.charAt(at - 1) === "<" ? at - 1 : at
  if (text.slice(before - 2, before) !== "](") return undefined
  const shown = text.slice(Math.max(0, before - MAX_SHOWN_CHARS), before - 2)
  const start = shown.lastIndexOf("[")
  return start === -1 ? undefined : shown.slice(start + 1)
}

/** Returns a link as it is, and joined with what may continue it. `end`: where the text ends that is surely a part of it. */
const readingsOf = (
  text: string,
  link: Found
): { readonly links: ReadonlyArray<Found>; readonly end: number } => {
  const shown = markdownText(text, link.at) ?? link.url
  const written = { ...link, shown }
  const continuation = continuationOf(text, link)
  if (continuation === undefined) {
    const joined = joinedWithLineBefore(text, link)
    return { links: joined === undefined ? [written] : [joined, written], end: 0 }
  }
  const { end, isSure, url } = continuation
  const joined = { ...link, url, shown: shown === link.url ? url : shown, isJoined: true }
  return isSure ? { links: [joined], end } : { links: [written, joined], end: 0 }
}

/**
 * Finds the links of a text. A text of one word is a link if it is any host. Takes linear time.
 *
 * The `url` in `find("See <https://a.example/x>.")` is `https://a.example/x`.
 */
export const find = (written: string): ReadonlyArray<Found> => {
  const text = (
    written.includes("\x1b[") ? written.replace(COLOUR, (colour) => " ".repeat(colour.length)) : written
  ).replace(CIRCLED_LETTER, (letter) => letter.normalize("NFKC"))
  const whole = text.trim()
  const start = text.indexOf(whole)
  if (SCRIPT.test(whole)) return [foundAt(whole, start)]
  const isOneWord = whole !== "" && !/\s/.test(whole)
  if (isOneWord && isOneLink(whole)) return [foundAt(withoutTrailing(whole), start)]
  const found: Array<Found> = []
  const rest = extractDivided(text, found)
  if (text.includes(" HTTP/"))
    for (const { 1: page = "", 2: host = "", index } of text.matchAll(RAW_REQUEST))
      if (isBareLink(host, true)) found.push(foundAt(`http://${host}${page}`, index, page, true))
  let joinedEnd = 0
  for (const { 0: piece, index } of rest.matchAll(PIECE)) {
    if (index < joinedEnd || !LINK_CHARACTERS.test(piece)) continue
    let at = index
    // Each second part is a separator.
    for (const [place, part] of piece.split(NEXT_IN_LIST).entries()) {
      for (const link of place % 2 === 1 ? [] : moved(linksBeforeSentence(part, isOneWord), at)) {
        const { end, links } = readingsOf(rest, link)
        found.push(...links)
        joinedEnd = Math.max(joinedEnd, end)
      }
      at += part.length
    }
  }
  return found
}
