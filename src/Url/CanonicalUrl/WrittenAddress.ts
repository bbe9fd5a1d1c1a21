/**
 * Finds the web address in the string that a person or a program wrote, and reads its usual spellings. Where that names no host,
 * reads it as its writer meant it: with a slip of the pen, with the marks of a list or a label in front, or in the spelling of a
 * report. A browser would open another host, which nobody means: one named `http`, or none.
 */

const TABS_AND_LINE_BREAKS = /[\t\r\n]+/g
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}]/u

const isInvisible = (text: string, index: number): boolean =>
  text.charCodeAt(index) <= 0x20 || (text.charCodeAt(index) > 0x7e && INVISIBLE.test(text.charAt(index)))

export const withoutSurroundings = (
  text: string,
  isDropped: (text: string, index: number) => boolean
): string => {
  let start = 0
  let end = text.length
  while (start < end && isDropped(text, start)) start++
  while (end > start && isDropped(text, end - 1)) end--
  return text.slice(start, end)
}

/** A search for one character is many times as fast as a regular expression, which counts for a long URL. */
export const withoutTabsAndLineBreaks = (text: string): string =>
  text.includes("\t") || text.includes("\n") || text.includes("\r")
    ? text.replace(TABS_AND_LINE_BREAKS, "")
    : text

/** An invisible character behind a link, which a program has encoded with it: a mark of direction, a joiner, a blank, a line break. */
const ENCODED_INVISIBLE_END = /(?:%0[9ad]|%e2%80%(?:8[b-f]|a[a-e])|%e2%81%a[0-9a-f]|%ef%bb%bf|%c2%a[0d])$/i
const MAX_ENCODED_CHARS = 9

/** Drops encoded invisible characters at the end. */
export const withoutInvisibleEnd = (text: string): string => {
  let end = text.length
  for (let length = -1; length !== 0; end -= length)
    length =
      ENCODED_INVISIBLE_END.exec(text.slice(Math.max(0, end - MAX_ENCODED_CHARS), end))?.[0].length ?? 0
  return text.slice(0, end)
}

/**
 * Drops white space and invisible characters around an address, which are easily copied with it, and tabs and line breaks in
 * it, as browsers do.
 */
const trimmed = (text: string): string =>
  withoutInvisibleEnd(withoutTabsAndLineBreaks(withoutSurroundings(text, isInvisible)))

/** Further prefixes are not removed: no program opens such a string, and the time stays linear. */
const MAX_PREFIXES = 8

/** Of any language. No host begins with a quote. */
export const QUOTE = /["'`\u00ab\u00bb\u2018-\u201f\u2039\u203a\u300c-\u300f\u301d-\u301f\uff02\uff07]/
/** Only around a scheme: `<html>` is not an address. */
const IN_ANGLE_BRACKETS = /^<\s*[a-z][a-z0-9+-]*[[({]?:/i
/** The scheme of a program in front of a whole web address; `URL:` and two programs in front of any address. */
const PROGRAM =
  /^(?:(?!blob:|h(?:tt|xx)ps?:)[a-z][a-z0-9+.-]{0,30}:(?:\/\/)?(?=h(?:tt|xx)ps?:\/\/)|(?:url|view-source|microsoft-edge):(?!(?:\/\/)?\?))/i
/**
 * A folder of a web server in Windows, which is no user: `\\\\a.example@SSL@8443\\b`, `file://a.example@80/b`. Of `http://a.example@80\\b`
 * browsers open `80`.
 */
const WEB_FOLDER =
  /^(?:(file:[/\\]{0,5}[^/\\@:]{1,300})@(?:\d{1,5}|ssl(?:@\d{1,5})?)(?=[/\\])|([/\\]{0,5}[^/\\@:]{1,300})@\d{1,5}(?=\\)|((?:https?:)?[/\\]{0,5}[^/\\@:]{1,300})@ssl(?:@\d{1,5})?(?=\\))/i

/** Returns a share of Windows without its port. */
export const withoutPortOfFolder = (text: string): string => text.replace(WEB_FOLDER, "$1$2$3")

/** Schemes of programs in place of the scheme of the address, which a link to an Android app has behind it. */
const CHROME = /^googlechrome(?=s?:\/\/[^/?#]*[.\]])/i
const ANDROID_APP = /^android-app:\/\/[\w.]{1,200}\/(https?)\//i
const INTENT = /^intent:(?:https?:)?(?=.*#Intent;)/is
/** Not before an encoded scheme, which is read as in any link of a program. */
const WALLET =
  /^(?:metamask:\/\/dapp|phantom:\/\/browse|steam:\/\/openurl(?:_external)?)\/(?:https?:\/\/)?(?=(?:[^/?#:%.]|%(?!(?:25)*(?:3a|2f)))+(?:\.|%2e))/i

/**
 * Removes what is written before or around a web address to mark it, or to choose the program that opens it, and
 * white space around it. Reads only the beginning and the end of the string, so that no path and no query changes. Removes at most `MAX_PREFIXES`, and
 * none from an empty address.
 *
 * - Quotes of any language, also if the closing one is missing.
 * - `<...>` and `URL:`, also together: marks in running text (RFC 3986, appendix C).
 * - `view-source:`, `microsoft-edge:`, and any other scheme before `https://...` or `://https://...`.
 * - `googlechrome://` and `googlechromes://` for `http` and `https`, `intent:...#Intent;...;end` for `https`,
 *   `android-app://package/https/`, `metamask://dapp/`, `phantom://browse/` and `steam://openurl/` for `https`.
 *
 * `withoutPrefixes("<URL:view-source:https://example.com/a>")` is `"https://example.com/a"`.
 */
export const withoutPrefixes = (text: string): string => {
  let inner = trimmed(text)
  for (let count = 0; count < MAX_PREFIXES; count++) {
    const next = trimmed(withoutPrefix(inner))
    if (next === "" || next === inner) break
    inner = next
  }
  return inner
}

const withoutPrefix = (text: string): string => {
  if (QUOTE.test(text.charAt(0))) return text.slice(1, QUOTE.test(text.slice(-1)) ? -1 : undefined)
  return text.endsWith(">") && IN_ANGLE_BRACKETS.test(text)
    ? text.slice(1, -1)
    : withoutPortOfFolder(text.replace(PROGRAM, ""))
        .replace(CHROME, "http")
        .replace(ANDROID_APP, "$1://")
        .replace(INTENT, "https:")
        .replace(WALLET, "https://")
}

/** The brackets stand at most twice, as in `([.])`: the text was defanged twice. */
const DEFANGED_DOT =
  /[[({<【（［｛〔「『]{1,2}(?:[.,。．·•]|dot|punkt|punto|point|ponto|kropka|nokta|точка|点|點|[점닷])[\])}>】）］｝〕」』]{1,2}/giu
/** `[.com]` */
const DEFANGED_END = /[[({]\.([a-z-]{2,24})[\])}]/gi
const DEFANGED_DOT_BEHIND = /\[\.\]|\(\.\)|\[dot\]/gi
const DEFANGED_COLON = /[[({]:[\])}]/g
/** `http[s]:`, `h[tt]p:` */
const DEFANGED_LETTER = /^(h)[[({]?([tx]{2})[\])}]?(p)(?:[[({](s)[\])}])?/i
const DEFANGED_SCHEME = /^([a-z][a-z0-9+.-]{0,30})[[({](:(?:\/\/)?)[\])}]/i
/** `https:[//]a.example` */
const DEFANGED_SLASHES = /(?<=^[a-z][a-z0-9+.-]{0,30}:)[[({]\/\/[\])}]/i
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i
const BRACKET_OR_HYPHEN = /[[({<【（［｛〔「『\u2010\u2011]|%5b/i
/** Programs that make a link of a defanged address encode its brackets: `https://a%5B.%5Dexample`. */
const ENCODED_BRACKET = /%5([bd])/gi
/** A scheme with slashes behind it, and the host. */
const BEGINNING = /^(?:[^/\\?#]*[/\\]{2})?[^/\\?#]*/
/** Of texts that were set in lines. No domain has them. */
const TYPESET_HYPHEN = /[\u2010\u2011]/g

/**
 * Reads a defanged address, as reports write it so that a click does not open the page (RawUrl reads the schemes `hxxp`,
 * `hxxps`, `fxxp`). Restores the usual spelling in the scheme and the host, up to the first `/`, `\`, `?` or `#` after them:
 * `.` for `[.]`, `(.)`, `【.】`, `[,]`, `[dot]`, `(punkt)` and the like, `.com` for `[.com]`, `s` for `[s]` in the scheme, `:` for `[:]`,
 * `://` for `[://]` and `:[//]`, and `-` for hyphens of typesetting. The brackets may be percent-encoded. Takes linear time.
 *
 * Tools write all dots so: behind a defanged host `[.]`, `(.)` and `[dot]` are dots too.
 *
 * `refanged("hxxps[:]//bad[.]example/a[.]b")` is `"hxxps://bad.example/a.b"`.
 */
export const refanged = (text: string): string => {
  // Not of the whole string, which may be long.
  const [beginning = ""] = AUTHORITY.exec(text) ?? []
  if (!BRACKET_OR_HYPHEN.test(beginning)) return text
  const plain = text
    .replace(BEGINNING, (encoded) =>
      encoded.replace(ENCODED_BRACKET, (_, letter: string) => (letter.toLowerCase() === "b" ? "[" : "]"))
    )
    .replace(DEFANGED_LETTER, "$1$2$3$4")
    .replace(DEFANGED_SCHEME, "$1$2")
    .replace(DEFANGED_SLASHES, "//")
    .replace(AUTHORITY, (authority) =>
      authority
        .replace(DEFANGED_DOT, ".")
        .replace(DEFANGED_END, ".$1")
        .replace(DEFANGED_COLON, ":")
        .replace(TYPESET_HYPHEN, "-")
    )
  return plain === text ? text : plain.replace(DEFANGED_DOT_BEHIND, ".")
}

const DEFANGED_INSIDE = /(?<![a-z\d])h(?:tt|xx)(ps?)(?:[[({](:(?:\/\/)?)[\])}]|(?=:|%(?:25)*3a))/gi

/** A link to an app on a host, which redirectors open on phones: `?u=intent://a.example/b#Intent;...`. */
const INTENT_INSIDE = /(?<=[=/])intent(?=(?::|%(?:25)*3a)(?:\/|%(?:25)*2f){2}[\w-]{1,63}\.)/gi

/** Restores the schemes of the addresses in a path, query or fragment: `?u=hxxps[:]//a.example` is `?u=https://a.example`. */
export const refangedInside = (rest: string): string =>
  rest
    .replace(DEFANGED_INSIDE, (_, end: string, colon = "") => `htt${end}${colon}`)
    .replace(INTENT_INSIDE, "https")

/**
 * Bullets, dashes, numbers, arrows or an opening bracket, then a scheme, also as reports spell it (`h**ps`, `h–p`) or without its
 * first letter; between the scheme and the host slashes after a few other characters (`http!://`, `(https)://`, `hxxp\[:\]//`), `:`
 * or `__`.
 * No delimiter of a URL stands before the scheme: there it belongs to what is written before it.
 */
const MARKED =
  /^([/\\]*[^\p{L}/\\?#@=&%]{0,40})((?:h[tx*_#@–—-]{1,3}|tt?)ps?|f[tx]p)(?:(?:[^a-z\d/\\?#]|\\(?=[[\](){}:])){0,5}[/\\](?:[\s[\](){}]{0,2}[/\\])*(?:(?<=[[({][/\\])[\])}])?(?:(?<!:[/\\]{2}):(?=\p{L}))?|:?__|:)/iu
/** Before a host: `- a.example`, `• a.example`. */
const BULLET = /^[^\p{L}\p{N}\s/\\?#@=&%.:]{1,5}\s+/u

/** `RE: `, `Tracking: `, and the same in other languages. */
const LABEL = /^\p{L}[\p{L}\p{N}._ -]{0,30}[:：=]\s+(?=\S)/u
/** Without a blank after it, only before a scheme or a host. */
const GLUED_LABEL =
  /^\p{L}[\p{L}\p{N}._ -]{0,30}[:：=]\s*(?=(?:h[tx*_]{2}ps?|f[tx]p):|(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}(?:[/?#:]|$))/iu

/** Schemes after which an address or a program follows, not a site. */
const NOT_A_LABEL =
  /^(?:mailto|tel|sms|smsto|callto|fax|facetime|sips?|skype|xmpp|jabber|im|pres|acct|news|urn|uuid|cid|mid|magnet|geo|about|blob|javascript|vbscript|data):/i

/** Whether a text is a word, a colon and other words, such as `Total: 1`: no link has a blank there. */
export const isLabelled = (text: string): boolean =>
  /^\s*[a-z][\w+.-]{0,30}:\s/i.test(text) && !NOT_A_LABEL.test(text.trimStart())

/** What may be doubled: `https://http://`, `RE: AW: `. */
const MAX_MARKS = 8

/** A dot of a host with blanks around it, beside a bracket or not, after a backslash, or as a word. */
const SPELT_DOT =
  /\s{0,4}(?:\\\.|[[\](){}<>]{1,2}\s?(?:[.,]|dot|punkt|punto|point|ponto|kropka|nokta|точка|[점닷])\s?[[\](){}<>]{0,2}|\.[[\](){}<>]{1,2}|\sdot\s|[-_]dot[-_]|\.)\s{0,4}/gi
/** In a title these are marks between words, with blanks around them. */
const GLUED_DOT = /(?<=[a-z\d])DOT(?=[a-z\d])|(?<=\S)[·•‧∙⋅⸱・点點점닷](?=\S)/g
const SPELT_SLASH = /[[({]\/[\])}]/g
/** Markdown escapes brackets and dashes. */
const ESCAPED = /\\(?=[[\](){}-])/g
/** `[www].a.example`, `a[-]b.example` */
const SPELT_LETTERS = /[[({](www\d?|[\p{L}\p{N}-])[\])}]/giu
/** `https:\u002f\u002fa.example` in the source of a program. */
const ESCAPED_SLASH = /\\(?:u00|x)2f/gi
/** `www/a.example`, `https://www.//a.example` */
const CUT_WWW = /^((?:https?:\/\/)?w{2,4})\.?[/\\,;:\s]{1,3}(?=[\p{L}\p{N}-]{1,63}\.)/iu
/** The scheme and the host, in which a backslash before a dot is no slash. */
const SPELT_AUTHORITY =
  /^(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]*(?:[^/\\?#]|\\(?=[.[\](){}-])|(?<=[[({])\/(?=[\])}])){1,1000}/i
/** If the host before it is complete, a browser reads the backslash as a slash. */
const HOST_AND_BACKSLASH = /^(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]*([^/\\?#\s]*)\\[.[({]/i

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" }
const LETTER_OR_DIGIT = /[\p{L}\p{N}\s/]/u

/** Without the marks at the end that stand at the beginning too: `-----https://a.example-----`. */
const withoutMarks = (text: string, marks: string): string => {
  const ends = new Set(
    Array.from(marks, (mark) => (LETTER_OR_DIGIT.test(mark) ? "" : (CLOSING[mark] ?? mark)))
  )
  let end = text.length
  while (end > 0 && ends.has(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Punctuation behind a host without a path: `a.example”`, `a.example🙂`. */
const AFTER_HOST =
  /^((?:[a-z][a-z\d+.-]{0,30}:[/\\]{0,5})?[^/\\?#]{0,400}[\p{L}\p{N}])[^\p{L}\p{N}@/\\?#]{1,40}$/iu

const respelt = (text: string): string =>
  text.replace(SPELT_AUTHORITY, (authority) =>
    authority
      .replace(ESCAPED, "")
      .replace(SPELT_SLASH, "/")
      .replace(GLUED_DOT, ".")
      .replace(SPELT_LETTERS, "$1")
      .replace(SPELT_DOT, ".")
      .trimEnd()
  )

/** A sign in a path or query that Markdown, TeX, a shell or a pattern escapes: `pay\_card`, `pay\?id\=1`, `pay\.php`. */
const ESCAPED_SIGN = /\\(?=[=_~&#%*?]|\.(?:php|html?)\b)/gi

/** Returns what the writer means. Browsers read the backslash as a slash, or send it. */
export const withoutEscapedSigns = (text: string): string => text.replace(ESCAPED_SIGN, "")

const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xfee0

/** Without the full-width characters of Chinese and Japanese keyboards at the beginning: `https：／／`. */
const narrowed = (text: string): string =>
  text
    .slice(0, MAX_SLIP_CHARS)
    .replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET)) +
  text.slice(MAX_SLIP_CHARS)

/** Of the text in front of a slip. More is not a label, a mark or a scheme. */
const MAX_SLIP_CHARS = 400

/**
 * Another reading of a text that names no host, or none that can be meant; undefined if there is none. `isOnInternet`: whether a host
 * is complete. Takes linear time.
 *
 * `meant("• http://https//example.com/x")` is `"https://example.com/x"`, `meant("Link: www\\.example\\.com")` is
 * `"www.example.com"`.
 */
export const meant = (text: string, isOnInternet: (host: string) => boolean): string | undefined => {
  if (NOT_A_LABEL.test(text)) return undefined
  let rest = narrowed(text).replace(ESCAPED_SLASH, "/")
  let scheme: string | undefined
  let marks = ""
  for (let count = 0; count < MAX_MARKS; count++) {
    const beginning = rest.slice(0, MAX_SLIP_CHARS)
    const [found, before = "", name] = MARKED.exec(beginning) ?? []
    if (found !== undefined && name !== undefined) {
      scheme = /s$/i.test(name) ? "https" : /^f/i.test(name) ? "ftp" : "http"
      marks += before
      rest = rest.slice(found.length)
      continue
    }
    if (scheme !== undefined) break
    const label = (GLUED_LABEL.exec(beginning) ?? LABEL.exec(beginning))?.[0]
    const [bullet = ""] = label === undefined ? (BULLET.exec(beginning) ?? []) : []
    if (label === undefined && bullet === "") break
    marks += bullet
    rest = rest.slice(label?.length ?? bullet.length)
  }
  const whole = scheme === undefined ? rest : `${scheme}://${rest.trimStart()}`
  const address = withoutMarks(whole, marks).replace(CUT_WWW, "$1.").replace(AFTER_HOST, "$1")
  const [, host = ""] = HOST_AND_BACKSLASH.exec(address.slice(0, MAX_SLIP_CHARS)) ?? []
  const read = isOnInternet(host.toLowerCase()) ? address : respelt(address)
  return read === text ? undefined : read
}
