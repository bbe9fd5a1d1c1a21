/**
 * The words that the heuristics look for: the table `words.tsv`, whose columns and roles `words.schema.js` explains.
 *
 * Lure words are what phishing pages say to ask for credentials, a payment or a quick decision. They are evidence only beside
 * another signal, or several together in the name of a domain.
 */

import type { Role } from "./Words/words.schema.js"
import words from "./Words/words.tsv"

const rolesByWord: ReadonlyMap<string, ReadonlyArray<Role>> = new Map(
  words.map(({ roles, word }) => [word, roles])
)

/** Whether the word, in lower case, has one of the roles. */
export const hasRole = (word: string, ...wanted: ReadonlyArray<Role>): boolean =>
  rolesByWord.get(word)?.some((role) => wanted.includes(role)) ?? false

/** The words that have one of the roles. */
export const wordsWith = (...wanted: ReadonlyArray<Role>): ReadonlySet<string> =>
  new Set(words.flatMap(({ word }) => (hasRole(word, ...wanted) ? [word] : [])))

const lureRoles = ["credential", "payment", "fee", "parcel", "refund", "reward", "business"] as const

const lureWords = wordsWith(...lureRoles)

/** Whether the word, in lower case, is a lure word. */
export const isLureWord = (word: string): boolean => lureWords.has(word)

/** Lure words, and what phishing and brands put before or after a name in one word. */
export const affixes: ReadonlyArray<string> = words.flatMap(({ word }) =>
  isLureWord(word) || hasRole(word, "affix") ? [word] : []
)

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
  const add = (word: string): void => {
    if (lureWords.has(word) && !words.includes(word) && words.length < MAX_WORDS) words.push(word)
  }
  for (const run of text.slice(0, MAX_READ_CHARS).toLowerCase().match(RUNS) ?? []) {
    add(run)
    if (DIGITS.test(run)) for (const word of run.split(DIGITS)) add(word)
  }
  return words
}

const HYPHENS = /[-_]+/

/** The first words of a label or path segment, between hyphens and underscores. Most have one word: that takes no search. */
export const split = (text: string, maxWords: number): ReadonlyArray<string> =>
  text.includes("-") || text.includes("_") ? text.split(HYPHENS, maxWords) : [text]
