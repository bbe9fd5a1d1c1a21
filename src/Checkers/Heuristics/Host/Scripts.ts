/** Characters that look the same, of one alphabet or of several (https://www.unicode.org/reports/tr39/). */

import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import confusables from "./confusables.tsv"

/** Alphabets with letters that look like Latin ones. A label with letters of two of these imitates. */
const alphabets = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Georgian", /\p{Script=Georgian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Arabic", /\p{Script=Arabic}/u],
  ["Thai", /\p{Script=Thai}/u],
  ["Devanagari", /\p{Script=Devanagari}/u]
] as const

/**
 * The alphabets of a label that mixes several, else nothing. Chinese, Japanese and Korean are ordinary beside Latin (UTS
 * 39, "highly restrictive") and do not count.
 *
 * `mixedAlphabets("раypal")` with two Cyrillic letters is `["Latin", "Cyrillic"]`, `mixedAlphabets("münchen")` is nothing.
 */
export const mixedAlphabets = (label: string): ReadonlyArray<string> | undefined => {
  const names = alphabets.filter(([, pattern]) => pattern.test(label)).map(([name]) => name)
  return names.length > 1 ? names : undefined
}

/** The Latin letter or letters that a character looks like. */
const latinByCharacter: ReadonlyMap<string, string> = new Map(
  confusables.flatMap(({ latin, characters }) =>
    Array.from(characters, (character) => [character, latin] as const)
  )
)

const combiningMarks = /\p{Mark}+/gu

/** The label without accents: `withoutAccents("ämäzön")` is `"amazon"`. */
export const withoutAccents = (label: string): string => label.normalize("NFKD").replace(combiningMarks, "")

const NOT_ASCII = /[^ -~]/

/**
 * The label in the Latin letters that it resembles: accents removed, letters of other alphabets replaced by Latin ones
 * that look alike. Other letters stay.
 *
 * `toLatin("pаypаl")` with Cyrillic letters is `"paypal"`, `toLatin("ämäzön")` is `"amazon"`.
 */
export const toLatin = (label: string): string => {
  if (!NOT_ASCII.test(label)) return label
  let result = ""
  for (const character of withoutAccents(label)) result += latinByCharacter.get(character) ?? character
  return result
}

/** What looks like the slash behind a host: `paypal.com\u2215login.example`. */
const SLASHES = /[\u1735\u2044\u2215\u2571\u29f6\u29f8\u2afb\u2cc7\u3033\u30ce\u4e3f]/g

/**
 * A label of a canonical host in the Latin letters that it resembles, with hyphens in place of what resembles slashes:
 * `latinOf("xn--mnchen-3ya")` is `"munchen"`.
 */
export const latinOf = (label: string): string => {
  const unicode = Idna.toUnicode(label)
  return unicode === label ? label : toLatin(unicode.replace(SLASHES, "-"))
}

/** The letter that a digit or `i` looks like. */
const letterByLookAlike: ReadonlyMap<string, string> = new Map([
  ["i", "l"],
  ...Array.from("olzeasbtbg", (letter, digit) => [String(digit), letter] as const)
])

/** Whether two letters look like one: `rn` like `m`, `vv` like `w`; `cl`, `ci` and `c1` like `d`. */
const arePair = (first: string, second: string): boolean =>
  (first === "r" && second === "n") ||
  (first === "v" && second === "v") ||
  (first === "c" && (second === "l" || second === "i" || second === "1"))

/**
 * Words with equal skeletons look alike in most typefaces: a digit becomes the letter that it looks like, `rn` becomes `m`,
 * `vv` becomes `w`, `cl` becomes `d`, and `i` becomes `l`, which a capital `I` looks like.
 *
 * `skeleton("rnicr0soft")` is `"mlcrosoft"`.
 */
export const skeleton = (word: string): string => {
  let result = ""
  for (let at = 0; at < word.length; at++) {
    const [first, second] = [word.charAt(at), word.charAt(at + 1)]
    if (arePair(first, second)) {
      result += first === "r" ? "m" : first === "v" ? "w" : "d"
      at++
    } else result += letterByLookAlike.get(first) ?? first
  }
  return result
}
