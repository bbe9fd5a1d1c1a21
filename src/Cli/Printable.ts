import type { Verdict } from "../Checkers/Verdict.ts"

/** In UTF-16 units. Longer URLs are cut in the table, not in JSON. */
const MAX_SHOWN_LENGTH = 300

/**
 * Characters that can move the cursor, reorder text or are invisible: controls, formats (the bidirectional ones included),
 * lone surrogates, private and unassigned code points, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

const codePoint = (character: string): number => character.codePointAt(0) ?? 0

/**
 * Escapes untrusted text for a terminal.
 *
 * `printable("a\u001b[2Jb")` is `"a\\u{1b}[2Jb"`.
 */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u{${codePoint(character).toString(16)}}`)

const SCHEME = /\b(h)tt(ps?:)|\b(f)t(p:)/gi

/** Blanks, scheme and authority: everything before the path, the query and the fragment. */
const AUTHORITY = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i

/** `withoutLinks("see http://example.com")` is `"see hxxp://example.com"`: no terminal makes a link of it. */
export const withoutLinks = (text: string): string => text.replace(SCHEME, "$1$3xx$2$4")

/**
 * Defangs a URL, so that no terminal turns it into a link and it does not open when pasted into a browser. Also escapes it
 * for a terminal and cuts it. `CanonicalUrl.parse` reads the same address from the result, if nothing was escaped or cut.
 *
 * `defanged("http://example.com/a.b")` is `"hxxp://example[.]com/a.b"`.
 */
export const defanged = (url: string): string => {
  const cut = url.length > MAX_SHOWN_LENGTH ? `${url.slice(0, MAX_SHOWN_LENGTH)}…` : url
  return withoutLinks(
    printable(cut).replace(AUTHORITY, (authority) => authority.replaceAll("[.]", ".").replaceAll(".", "[.]"))
  )
}

/** Escapes the characters in JSON text that a terminal would act on. The value stays the same. */
export const printableJson = (json: string): string =>
  json.replace(UNPRINTABLE, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
    ).join("")
  )

/** The colour of each verdict, by its name in `util.styleText`. */
export const colours = { safe: "green", suspicious: "yellow", phishing: "red" } as const satisfies Record<
  Verdict,
  string
>
