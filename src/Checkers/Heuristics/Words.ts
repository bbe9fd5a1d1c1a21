/**
 * The words that the heuristics look for: the table `words.tsv`, whose columns and roles `words.schema.js` explains.
 *
 * Lure words are what phishing pages say to ask for credentials, a payment or a quick decision. They are evidence only beside
 * another signal, or several together in the name of a domain.
 */

import type { Role } from "./Words/words.schema.js"
import words from "./Words/words.tsv"

/** The words that have one of the roles. */
export const wordsWith = (...wanted: ReadonlyArray<Role>): ReadonlySet<string> =>
  new Set(words.filter(({ roles }) => roles.some((role) => wanted.includes(role))).map(({ word }) => word))

/** Words that ask for credentials, a wallet's seed phrase or a quick decision. Honest login pages use them too. */
const credentialWords = wordsWith("credential")

export const lureWords = wordsWith("credential", "payment", "fee", "parcel", "refund", "reward", "business")

const bankCodes = wordsWith("code")

/** Whether the word, in lower case, is a lure word. */
export const isLureWord = (word: string): boolean => lureWords.has(word)

/** Whether the word, in lower case, asks for credentials or a quick decision. */
export const isCredentialWord = (word: string): boolean => credentialWords.has(word)

/** Whether the word, in lower case, is a bank's name for the codes that confirm an order. */
export const isBankCode = (word: string): boolean => bankCodes.has(word)

/** As many as a reason quotes. */
const MAX_WORDS = 3

const MAX_WORD_CHARS = Math.max(...Array.from(lureWords, (word) => word.length))

/** Longer than ordinary paths; the rest is padding. */
const MAX_READ_CHARS = 1024

const LOWER_A = 97
const LOWER_Z = 122
const TO_LOWER = 0x20
const ZERO = 0x30
const NINE = 0x39
const SLASH = 0x2f

/**
 * The first three different lure words of a host or path. A word is a whole run of letters, or of letters and digits:
 * `luresIn("/Secure/login2.php")` is `["secure", "login"]`, `luresIn("/2fa")` is `["2fa"]`, `luresIn("/blogging")` is empty.
 */
export const luresIn = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const end = Math.min(text.length, MAX_READ_CHARS)
  const add = (from: number, to: number): void => {
    if (words.length === MAX_WORDS || to - from > MAX_WORD_CHARS) return
    const word = text.slice(from, to).toLowerCase()
    if (lureWords.has(word) && !words.includes(word)) words.push(word)
  }
  let start = 0
  let startWithDigits = 0
  for (let at = 0; at <= end && words.length < MAX_WORDS; at++) {
    const code = at < end ? text.charCodeAt(at) : SLASH
    const letter = code | TO_LOWER
    if (letter >= LOWER_A && letter <= LOWER_Z) continue
    const letters = start
    add(letters, at)
    start = at + 1
    if (code >= ZERO && code <= NINE) continue
    if (startWithDigits < letters) add(startWithDigits, at)
    startWithDigits = start
  }
  return words
}

const HYPHENS = /[-_]+/

/** The first words of a label or path segment, between hyphens and underscores. Most have one word: that takes no search. */
export const split = (text: string, maxWords: number): ReadonlyArray<string> =>
  text.includes("-") || text.includes("_") ? text.split(HYPHENS, maxWords) : [text]
