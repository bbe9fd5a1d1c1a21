import { Buffer } from "node:buffer"

const PERCENT = 0x25
const NOT_A_DIGIT = -1

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
    const high = byte === PERCENT ? digit(bytes[index + 1]) : NOT_A_DIGIT
    const low = high === NOT_A_DIGIT || high > MAX_FIRST_DIGIT ? NOT_A_DIGIT : digit(bytes[index + 2])
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

/** The value of a hexadecimal digit. */
const digit = (byte: number | undefined): number => {
  if (byte === undefined) return NOT_A_DIGIT
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lowerCase = byte | 0x20
  return lowerCase >= 0x61 && lowerCase <= 0x66 ? lowerCase - 0x57 : NOT_A_DIGIT
}
