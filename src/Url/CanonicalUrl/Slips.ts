/**
 * Reads a link as its writer meant it: with a slip of the pen, with the marks of a list or a label in front, or in the spelling of
 * a report. A browser would open another host, which nobody means: one named `http`, or none.
 */

/** In a spelling of reports too: `h**ps`, `htxp`. */
const SCHEME = "h[tx*]{2}ps?|f[tx]p"

/**
 * Bullets, dashes, numbers, arrows or an opening bracket, then a scheme; between the scheme and the host any of `:`, `;`, `.` and
 * slashes. No delimiter of a URL stands before the scheme: there it belongs to what is written before it.
 */
const MARKED = new RegExp(`^([/\\\\]*[^\\p{L}/\\\\?#@=&%]{0,40})(${SCHEME})(?:[:;.]*[/\\\\]+|:)`, "iu")

/** `RE: `, `Tracking: `, and the same in other languages. */
const LABEL = /^\p{L}[\p{L}\p{N}._ -]{0,30}[:：=]\s+(?=\S)/u
/** Without a blank after it, only before a scheme. */
const GLUED_LABEL = new RegExp(`^\\p{L}[\\p{L}\\p{N}._ -]{0,30}[:：=]\\s*(?=(?:${SCHEME}):)`, "iu")

/** Schemes after which an address or a program follows, not a site. */
const NOT_A_LABEL = /^(?:mailto|tel|sms|smsto|javascript|vbscript|data):/i

/** What may be doubled: `https://http://`, `RE: AW: `. */
const MAX_MARKS = 8

/** A dot of a host with blanks around it, in brackets or not, or after a backslash. */
const SPELT_DOT = /\s{0,4}(?:\\\.|[[({]{1,2}\s?(?:\.|dot)\s?[\])}]{1,2}|[[({]\.|\.[\])}]|\sdot\s|\.)\s{0,4}/gi
const SPELT_SLASH = /[[({]\/[\])}]/g
/** The scheme and the host, in which a backslash before a dot is no slash. */
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]*(?:[^/\\?#]|\\(?=\.)|(?<=[[({])\/(?=[\])}])){1,1000}/i
/** Before it the host is complete: a browser reads the backslash as a slash there. */
const COMPLETE_HOST = /^(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]*[^/\\?#\s]*\.[^/\\?#\s]*\\\./i

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

const respelt = (text: string): string =>
  text.replace(AUTHORITY, (authority) =>
    authority.replace(SPELT_SLASH, "/").replace(SPELT_DOT, ".").trimEnd()
  )

/** Of the text in front of a slip. More is not a label, a mark or a scheme. */
const MAX_CHARS = 400

/**
 * Another reading of a text that names no host, or none that can be meant; undefined if there is none. Takes linear time.
 *
 * `meant("• http://https//example.com/x")` is `"https://example.com/x"`, `meant("Link: www\\.example\\.com")` is
 * `"www.example.com"`.
 */
export const meant = (text: string): string | undefined => {
  if (NOT_A_LABEL.test(text)) return undefined
  let rest = text
  let scheme: string | undefined
  let marks = ""
  for (let count = 0; count < MAX_MARKS; count++) {
    const beginning = rest.slice(0, MAX_CHARS)
    const [found, before = "", name] = MARKED.exec(beginning) ?? []
    if (found !== undefined && name !== undefined) {
      scheme = /s$/i.test(name) ? "https" : /^f/i.test(name) ? "ftp" : "http"
      marks += before
      rest = rest.slice(found.length)
      continue
    }
    if (scheme !== undefined) break
    const label = (GLUED_LABEL.exec(beginning) ?? LABEL.exec(beginning))?.[0]
    if (label === undefined) break
    rest = rest.slice(label.length)
  }
  const address = withoutMarks(scheme === undefined ? rest : `${scheme}://${rest.trimStart()}`, marks)
  const read = COMPLETE_HOST.test(address.slice(0, MAX_CHARS)) ? address : respelt(address)
  return read === text ? undefined : read
}

/** `http`, `1https`, `-----http`, `1.https`: what is left of a scheme where a host stands. */
const SCHEME_AS_HOST = /(?:^|[^a-z])(?:h(?:tt|xx)ps?|ftp)$/

/** Whether a canonical host is the name of a scheme, with or without marks in front. */
export const isScheme = (host: string): boolean => SCHEME_AS_HOST.test(host)
