/**
 * Lure words: what phishing pages say to ask for credentials, a payment or a quick decision. They are evidence only beside
 * another signal, or several together in the name of a domain.
 */

import * as Words from "./Words.ts"

/** Words that ask for credentials, a wallet's seed phrase or a quick decision. Honest login pages use them too. */
const credentialWords = Words.wordsWith("credential")

export const lureWords = Words.wordsWith(
  "credential",
  "payment",
  "fee",
  "parcel",
  "refund",
  "reward",
  "business"
)

const bankCodes = Words.wordsWith("code")

/** The lengths of lure words by first letter, as bits: spares most words the lookup. */
const lengthsByLetter = new Int32Array(26)
for (const word of lureWords) {
  const letter = word.charCodeAt(0) - "a".charCodeAt(0)
  lengthsByLetter[letter] = (lengthsByLetter[letter] ?? 0) | (1 << word.length)
}

/** Whether the word, in lower case, is a lure word. */
export const isLureWord = (word: string): boolean => lureWords.has(word)

/** Whether the word, in lower case, asks for credentials or a quick decision. */
export const isCredentialWord = (word: string): boolean => credentialWords.has(word)

/** Whether the word, in lower case, is a bank's name for the codes that confirm an order. */
export const isBankCode = (word: string): boolean => bankCodes.has(word)

/** As many as a reason quotes. */
const MAX_WORDS = 3

/** Longer than ordinary paths; the rest is padding. */
const MAX_READ_CHARS = 1024

const LOWER_A = 97
const LOWER_Z = 122
const TO_LOWER = 0x20

/**
 * The first three different lure words of a host or path. A word is a whole run of letters: `find("/Secure/login.php")` is
 * `["secure", "login"]`, `find("/blogging")` is empty.
 */
export const find = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const end = Math.min(text.length, MAX_READ_CHARS)
  let start = 0
  for (let at = 0; at <= end; at++) {
    const code = text.charCodeAt(at) | TO_LOWER
    if (at < end && code >= LOWER_A && code <= LOWER_Z) continue
    const from = start
    start = at + 1
    const first = (text.charCodeAt(from) | TO_LOWER) - LOWER_A
    if (at - from >= 32 || ((lengthsByLetter[first] ?? 0) & (1 << (at - from))) === 0) continue
    const word = text.slice(from, at).toLowerCase()
    if (!lureWords.has(word) || words.includes(word)) continue
    words.push(word)
    if (words.length === MAX_WORDS) break
  }
  return words
}
