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

/** Longer than ordinary paths; the rest is padding. */
const MAX_READ_CHARS = 1024

const RUNS = /[a-z0-9]+/g
const DIGITS = /\d+/

/**
 * The first three different lure words of a host or path. A word is a whole run of letters, or of letters and digits:
 * `luresIn("/Secure/login2.php")` is `["secure", "login"]`, `luresIn("/2fa")` is `["2fa"]`, `luresIn("/blogging")` is empty.
 */
export const luresIn = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const run of text.slice(0, MAX_READ_CHARS).toLowerCase().match(RUNS) ?? [])
    for (const word of [run, ...run.split(DIGITS)])
      if (lureWords.has(word) && !words.includes(word) && words.length < MAX_WORDS) words.push(word)
  return words
}

const HYPHENS = /[-_]+/

/** The first words of a label or path segment, between hyphens and underscores. Most have one word: that takes no search. */
export const split = (text: string, maxWords: number): ReadonlyArray<string> =>
  text.includes("-") || text.includes("_") ? text.split(HYPHENS, maxWords) : [text]
