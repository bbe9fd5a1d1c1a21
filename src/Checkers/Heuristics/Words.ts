/**
 * The words that the heuristics look for: the table `words.tsv`, whose columns and roles `words.schema.js` explains.
 *
 * Lure words are what phishing pages say to ask for credentials, a payment or a quick decision. They are evidence only beside
 * another signal, or several together in the name of a domain.
 */

import type { Role } from "./Words/words.schema.js"
import words from "./Words/words.tsv"

/** The words that have one of the roles, in lower case. */
export const withRole = (...wanted: ReadonlyArray<Role>): ReadonlySet<string> =>
  new Set(words.filter(({ roles }) => wanted.some((role) => roles.includes(role))).map(({ word }) => word))

const lureRoles = ["credential", "payment", "fee", "parcel", "refund", "reward", "business"] as const

const lureWords = withRole(...lureRoles)

/** Whether the word, in lower case, is a lure word. */
export const isLureWord = (word: string): boolean => lureWords.has(word)

/** Lure words, and what phishing and brands put before or after a name in one word. */
export const affixes: ReadonlyArray<string> = Array.from(withRole(...lureRoles, "affix"))

/** As many as a reason quotes. */
const MAX_WORDS = 3

/** Longer than ordinary paths; the rest is padding. */
const MAX_READ_CHARS = 1024

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean => code >= 97 && code <= 122

/**
 * The first three different lure words of a host or path. A word is a whole run of letters, or of letters and digits:
 * `luresIn("/Secure/login2.php")` is `["secure", "login"]`, `luresIn("/2fa")` is `["2fa"]`, `luresIn("/blogging")` is empty.
 */
export const luresIn = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const read = text.slice(0, MAX_READ_CHARS).toLowerCase()
  const add = (from: number, to: number): void => {
    if (from === to || words.length === MAX_WORDS) return
    const word = read.slice(from, to)
    if (lureWords.has(word) && !words.includes(word)) words.push(word)
  }
  for (let from = 0; from < read.length; ) {
    let end = from
    let digits = 0
    for (; end < read.length; end++) {
      const code = read.charCodeAt(end)
      if (isDigit(code)) digits++
      else if (!isLetter(code)) break
    }
    add(from, end)
    if (digits > 0)
      for (let start = from; start < end; ) {
        let afterLetters = start
        while (afterLetters < end && isLetter(read.charCodeAt(afterLetters))) afterLetters++
        add(start, afterLetters)
        start = afterLetters + 1
      }
    from = end + 1
  }
  return words
}

const HYPHENS = /[-_]+/

/** The first words of a label or path segment, between hyphens and underscores. Most have one word: that takes no search. */
export const split = (text: string, maxWords: number): ReadonlyArray<string> =>
  text.includes("-") || text.includes("_") ? text.split(HYPHENS, maxWords) : [text]
