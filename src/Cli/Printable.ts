import type { Verdict } from "../Checkers/Verdict.ts"

/** Longer URLs are cut in the table, not in JSON. */
const MOST_CHARACTERS = 300

/**
 * What can move the cursor, reorder the text, hide in it or is half a character: controls, formats (among them the
 * bidirectional ones), surrogates, private and unassigned code points, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

const codePoint = (character: string): number => character.codePointAt(0) ?? 0

/**
 * Text of a stranger for a terminal.
 *
 * `printable("a\u001b[2Jb")` is `"a\\u{1b}[2Jb"`.
 */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u{${codePoint(character).toString(16)}}`)

const SCHEME = /\b(h)tt(ps?:)|\b(f)t(p:)/gi

/** The scheme, if there is one, and what stands before the path, the query and the fragment. */
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i

/**
 * A URL for the eye: printable, cut, and written as those who fight phishing write it, so that no terminal makes a link of
 * it and no hurried hand pastes it into a browser.
 *
 * `defanged("http://example.com/a.b")` is `"hxxp://example[.]com/a.b"`.
 */
export const defanged = (url: string): string => {
  const cut = url.length > MOST_CHARACTERS ? `${url.slice(0, MOST_CHARACTERS)}…` : url
  return printable(cut)
    .replace(AUTHORITY, (authority) => authority.replaceAll(".", "[.]"))
    .replace(SCHEME, "$1$3xx$2$4")
}

/** JSON leaves characters as they are that a terminal acts on; escaped they mean the same. */
export const printableJson = (json: string): string =>
  json.replace(UNPRINTABLE, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
    ).join("")
  )

/** In which colour a verdict is told, by the names of `util.styleText`. */
export const colours = { safe: "green", suspicious: "yellow", phishing: "red" } as const satisfies Record<
  Verdict,
  string
>
