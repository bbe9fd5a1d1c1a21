/**
 * Characters that can move the cursor, reorder text or are invisible: controls, formats (the bidirectional ones included),
 * lone surrogates, private and unassigned code points, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Escapes untrusted text for a terminal.
 *
 * `printable("a\u001b[2Jb")` is `"a\\u{1b}[2Jb"`.
 */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** Escapes the characters in JSON text that a terminal would act on. The value stays the same. */
export const printableJson = (json: string): string =>
  json.replace(UNPRINTABLE, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
    ).join("")
  )
