import { Buffer } from "node:buffer"
import { hexDigit, NOT_A_DIGIT } from "../CanonicalUrl/PercentEncoding.ts"

const PERCENT = 0x25

/** Higher digits begin the escapes of bytes above ASCII. */
const MAX_FIRST_DIGIT = 7

/** Stands between two parts of a URL that are decoded together. No address contains it. */
export const SEPARATOR = "\0"

/**
 * Decodes the percent-escapes of ASCII characters once, as a server does with a parameter. The others are parts of UTF-8
 * characters: they stay, and canonicalization decodes them.
 *
 * `unescapeAscii("https%3A%2F%2Fexample.com%2F%C3%BC%2541")` is `"https://example.com/%C3%BC%41"`.
 */
export const unescapeAscii = (text: string): string => unescapeExcept(text, undefined)

/** The same, but leaves `%00`: each SEPARATOR still stands between two parts. */
export const unescapeWithinParts = (text: string): string => unescapeExcept(text, SEPARATOR.charCodeAt(0))

/** Decodes escapes of ASCII characters except of one. */
const unescapeExcept = (text: string, exception: number | undefined): string => {
  if (!text.includes("%")) return text
  const bytes = Buffer.from(text)
  let size = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    const high = byte === PERCENT ? hexDigit(bytes[index + 1] ?? 0) : NOT_A_DIGIT
    const low = high === NOT_A_DIGIT || high > MAX_FIRST_DIGIT ? NOT_A_DIGIT : hexDigit(bytes[index + 2] ?? 0)
    const character = high * 16 + low
    if (low === NOT_A_DIGIT || character === exception) {
      bytes[size++] = byte
    } else {
      bytes[size++] = character
      index += 2
    }
  }
  return bytes.toString("utf8", 0, size)
}
