/** Recognises addresses as people write them, also without a scheme or defanged, and the punctuation around them. */

import { refanged } from "../../Url/CanonicalUrl/WrittenAddress.ts"
import { isSuffix } from "../Suffixes.ts"

/** Schemes that the service reads, also as `hxxps[:]//`, `hxxps\[:\]//`, `h**p://`, `h–p://`, `https//` and `https//:`. */
export const SCHEME =
  /(?:h(?:[tx*_]{2}|\[tt\]|[#@–—-]{1,3}(?=ps?:\/\/))p(?:s?|\[s\]|\(s\))|f[tx]p|intent|view-source|microsoft-edge|googlechromes?)(?:\\?[[({]:(?:\/\/)?\\?[\])}]|\\?:|[;.]?\/\/(?::(?=[a-z]))?)/i

export const startsWithScheme = (text: string): boolean => SCHEME.exec(text)?.index === 0

const LABEL = /^[\p{L}\p{N}\p{M}_-]{1,63}$/u
const IPV4_NUMBER = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/
/** `192.0.2.0/24` is no page. */
const NETWORK = /^[\d.]{5,13}\.0\/(?:[0-2]?\d|3[01])$/
const PORT = /:\d{1,5}$/

/** Suffixes that are also file extensions: with a path, `www.` or a third label, `readme.md` is a host. */
const FILE_EXTENSIONS: ReadonlySet<string> = new Set(["md", "zip", "mov", "py", "sh", "rs", "app", "foo"])

/** Of a host with what follows it. Cuts only texts that nobody reads. */
const MAX_CHARS = 100_000

/** A folder of a web server in Windows, as in WrittenAddress. */
const WEB_FOLDER = /^([^/\\@]{1,300})@(?:ssl(?:@\d{1,5})?|\d{1,5})(?=\\)/i
/** Browsers read these characters as a dot, people also `点com`. */
const OTHER_DOT = /[。．｡]|[点點점닷](?=(?:com|net)(?![a-z]))/g
/** Browsers ignore these characters in a host. */
const IGNORED = /[\u00ad\u200b-\u200d\u2060\ufeff]/g
/** `example[.com`, `example[.[com` */
const OPEN_DOT = /(?:\[\.\[?|\.\[)(?=[a-z]{2,24}(?:[/?#:]|$))/gi
/** Full-width and mathematical letters, digits, slashes and dots: browsers read them as ASCII. */
const OTHER_LETTER = /[\u2024\uff0f-\uff5a\u{1d400}-\u{1d7ff}]/u
/** `a[-]b.example[/]pay` */
const BRACKETED = /[[({]([/-])[\])}]/g
/** Markdown escapes dots and brackets: `example\[.\]com`. */
const ESCAPED = /\\(?=[.:[\](){}-])/g

/** Reads the host of an address without a scheme. `isRespelled`: nobody spells a word or a file like it. */
const bareHost = (text: string) => {
  const start = text.slice(0, MAX_CHARS)
  // Few texts have one of them, and each replacement takes time.
  const written = /[\\[({@]/.test(start)
    ? start.replace(ESCAPED, "").replace(BRACKETED, "$1").replace(OPEN_DOT, ".").replace(WEB_FOLDER, "$1")
    : start
  const plain = refanged(written).replace(OTHER_DOT, ".").replace(IGNORED, "")
  const letters = OTHER_LETTER.test(plain) ? plain.normalize("NFKC") : plain
  // A mail server may double the dot at the beginning of a line.
  const usual = /^www\d?\./i.test(letters) ? letters.replace("..", ".") : letters
  const end = usual.search(/[/?#\\]/)
  const authority = end === -1 ? usual : usual.slice(0, end)
  // Without a path it is a mail address.
  const host = end === -1 ? authority : authority.slice(authority.lastIndexOf("@") + 1)
  const isRespelled = usual.length < text.length || text.search(OTHER_DOT) !== -1
  return { host: host.replace(PORT, ""), isRespelled, hasPath: end !== -1 }
}

/**
 * Whether a text without a scheme is a link: its host is an IPv4 address or ends in a known suffix, and is not more likely an
 * abbreviation, a file or the end of a sentence. `isAlone`: there is no other text, so that any host is meant as one.
 */
export const isBareLink = (text: string, isAlone: boolean): boolean => {
  const { hasPath, host, isRespelled } = bareHost(text)
  const labels = host.replace(/\.$/, "").split(".")
  const suffix = labels.at(-1) ?? ""
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return false
  if (labels.length === 4 && labels.every((label) => IPV4_NUMBER.test(label))) return !NETWORK.test(text)
  if (!isSuffix(suffix)) return false
  if (isAlone) return true
  // An abbreviation and the next word, such as `z.B.im`.
  const isAbbreviation = labels.length > 2 && labels.slice(0, -1).every(({ length }) => length === 1)
  if (isAbbreviation && !hasPath) return false
  const hasWww = labels.length > 2 && /^www\d?$/i.test(labels[0] ?? "")
  if (isRespelled || hasWww) return true
  const isFile = labels.length === 2 && FILE_EXTENSIONS.has(suffix.toLowerCase())
  if (isFile && !/[/\\]/.test(text)) return false
  // A sentence begins with a capital letter, as in `end.Next`.
  return (
    suffix === suffix.toLowerCase() ||
    host === host.toUpperCase() ||
    /^\p{Lu}.*\.(?:Com|Net|Org)$/u.test(host)
  )
}

/** Whether the host of a link with a scheme is complete: something follows it, or it ends in a known suffix. */
export const hasWholeHost = (link: string): boolean => {
  const [, host = "", end = ""] =
    /^[a-z-]+:\/*(?:https?:\/*)?([^/?#:\\]*)([/?#:\\]?)/i.exec(refanged(link.replace(ESCAPED, ""))) ?? []
  const last = host.split(".").at(-1) ?? ""
  return end !== "" || isSuffix(last) || IPV4_NUMBER.test(last)
}

/** No host has them, but `URL` accepts some of them, and an error for the others takes longer. */
const NOT_IN_HOST = /[&,;"`{}|^<> ]|%20/

/** Returns the URL that browsers open; undefined if they do not. Optimized, `URL.canParse` of Node 20 is false for a host with `ü`. */
export const resolved = (link: string, base?: string): string | undefined => {
  try {
    return new URL(link, base).href
  } catch {
    return undefined
  }
}

/** Whether browsers open a link: nothing is in its host that no host has. */
export const isOpenable = (link: string): boolean => {
  const [, scheme, authority = ""] = /^([a-z][a-z0-9+.-]*:)?[\\/]*([^\\/?#]*)/i.exec(link) ?? []
  const host = authority.slice(authority.lastIndexOf("@") + 1)
  return !NOT_IN_HOST.test(host) && resolved(scheme === undefined ? `https://${link}` : link) !== undefined
}

/** A dot in any spelling may follow with the host that browsers open: `https://a.example&b%2Eevil。example`. */
const BEFORE_ODD_END =
  /^(h(?:tt|xx)ps?:\/\/[^/?#&,;"`{}|^<>%\s\\]{1,253})(?:[&,;"`{}|^<>\s\\]|%20)[^/?#.%\u0080-\uffff]*(?:[/?#]|$)/i

/**
 * Returns a link up to characters after its host that no host has and no browser opens: `https://a.example` of
 * `https://a.example&b=c`; undefined for other links.
 */
export const beforeOddEnd = (link: string): string | undefined => {
  const short = BEFORE_ODD_END.exec(link)?.[1]
  return short !== undefined && hasWholeHost(short) && !isOpenable(link) && isOpenable(short)
    ? short
    : undefined
}

/** Punctuation after a link; that of other scripts, emoji and arrows too. */
const TRAILING = /[.,;:'*([{|~\p{STerm}\p{Sk}]|(?![!-~])[\p{P}\p{S}]/u
const OPENING = /[[({]/
const CLOSING = /[\])}]/
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\p{VS}]/u
/** Punctuation before a link; that of other scripts, emoji, arrows and bullets too. */
const LEADING = /[([{'*.,;:!?@#&^~|\\_\p{Sm}\p{Pd}\p{Sk}]|(?![!-~／])[\p{P}\p{S}]/u
/** Markup that may stand on both sides of a link: `**https://a.example**`. */
const MARK = /[-_=+*~|\p{Pd}]/u

/** The text before the first closing bracket that is not opened in it. `beforeUnopened("a(b)c)d")` is `"a(b)c"`. */
export const beforeUnopened = (text: string): string => {
  if (!CLOSING.test(text)) return text
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (OPENING.test(character)) depth++
    else if (CLOSING.test(character) && --depth < 0) return text.slice(0, index)
  }
  return text
}

/** Removes the punctuation after a link. `before`: the character before the link, which may be markup. */
export const withoutTrailing = (text: string, before = ""): string => {
  let end = text.length
  while (end > 0) {
    const last = [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? ""
    const isMark = last === before && MARK.test(before)
    if (!isMark && !TRAILING.test(last) && !INVISIBLE.test(last)) break
    end -= last.length
  }
  return text.slice(0, end)
}

/** Returns the link that a text begins with. `before`: see `withoutTrailing`. `linkAtStart("a.example/(b)). ")` is `"a.example/(b)"`. */
export const linkAtStart = (text: string, before = ""): string =>
  withoutTrailing(beforeUnopened(text), before)

/** Returns how many characters of punctuation precede a link. */
export const leadingLength = (text: string): number => {
  let start = 0
  while (start < text.length) {
    const first = String.fromCodePoint(text.codePointAt(start) ?? 0)
    // Two slashes are the rest of `https: //a.example`; one begins the name of a file.
    const isSlash = first === "/" || first === "／"
    const isSlashes = isSlash && (text.charAt(start + 1) === first || text.charAt(start - 1) === first)
    if (!isSlashes && !LEADING.test(first) && !INVISIBLE.test(first)) break
    start += first.length
  }
  return start
}

const ENTITY =
  /&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp)|(?:(tab|newline|colon|sol|bsol|period|quest|num|equals|commat|percnt|lowbar|hyphen|shy|szlig|aelig|oslash|zwn?j|lrm|rlm|zerowidthspace|nobreak|af|i[ct]|applyfunction|invisible(?:comma|times));)|([a-z])(acute|cedil|circ|grave|ring|tilde|uml|fr|opf|scr);|([a-z][a-z\d]{1,30}););?/gi
/** The entities that a link may contain. */
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  tab: "\t",
  newline: "\n",
  colon: ":",
  sol: "/",
  bsol: "\\",
  period: ".",
  quest: "?",
  num: "#",
  equals: "=",
  commat: "@",
  percnt: "%",
  lowbar: "_",
  hyphen: "\u2010",
  shy: "\u00ad",
  szlig: "\u00df",
  aelig: "\u00e6",
  oslash: "\u00f8"
}
/** The marks of letters, `&uuml;`. Browsers read letters of mathematics, `&uscr;`, as those without one. */
const MARKS: Readonly<Record<string, string>> = {
  acute: "\u0301",
  cedil: "\u0327",
  circ: "\u0302",
  grave: "\u0300",
  ring: "\u030a",
  tilde: "\u0303",
  uml: "\u0308"
}
/** Browsers ignore it in a host. */
const INVISIBLE_CHARACTER = "\u200b"
const MAX_CODE_POINT = 0x10_ffff

/**
 * Decodes character references; those that show nothing become one character. `isText`: others, such as `&raquo;`, become a blank.
 *
 * `withoutEntities("a&#58;b&amp;c")` is `"a:b&c"`.
 */
export const withoutEntities = (html: string, isText = false): string =>
  html.includes("&")
    ? html.replace(ENTITY, (entity, decimal?: string, hex?: string, ...names: ReadonlyArray<string>) => {
        const [name, closedName, letter, mark = "", other] = names
        if (letter !== undefined) return `${letter}${MARKS[mark.toLowerCase()] ?? ""}`.normalize("NFC")
        if (other !== undefined) return isText ? " " : entity
        const known = name ?? closedName
        if (known !== undefined) return CHARACTERS[known.toLowerCase()] ?? INVISIBLE_CHARACTER
        const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
        return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : entity
      })
    : html
