import * as Words from "../Words.ts"

/** Lure words, and what phishing and brands put before or after a name in one word: `paypallogin`, `mynetflix`. */
const affixes: ReadonlySet<string> = new Set([...Words.lureWords, ...Words.wordsWith("affix")])

/** Bounds the work for a long word. */
const MAX_AFFIX_CHARS = Math.max(...Array.from(affixes, (affix) => affix.length))

/** More affixes in a row are another name. */
const MAX_AFFIXES = 3

const ZERO = 0x30
const NINE = 0x39

const isDigitAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= ZERO && code <= NINE
}

const withoutDigitsAtEnds = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isDigitAt(text, start)) start++
  while (end > start && isDigitAt(text, end - 1)) end--
  return text.slice(start, end)
}

/** Whether the text is empty, digits, or at most three affixes in a row: `loginsecure24` is. */
export const areAffixes = (text: string): boolean =>
  isAffix(text) || areWords(withoutDigitsAtEnds(text), MAX_AFFIXES)

/** The word itself if it is wanted; of up to three affixes in one word the first or the last that is: `login` of `mylogin`. */
export const partOf = (word: string, wanted: ReadonlySet<string>): string | undefined => {
  if (wanted.has(word)) return word
  const bare = withoutDigitsAtEnds(word)
  if (bare.length > MAX_AFFIXES * MAX_AFFIX_CHARS || !areWords(bare, MAX_AFFIXES)) return undefined
  for (let length = Math.min(bare.length, MAX_AFFIX_CHARS); length >= MIN_REMOVED_CHARS; length--) {
    if (wanted.has(bare.slice(0, length))) return bare.slice(0, length)
    if (wanted.has(bare.slice(-length))) return bare.slice(-length)
  }
  return undefined
}

const isAffix = (text: string): boolean => text.length <= MAX_AFFIX_CHARS && affixes.has(text)

const MIN_AFFIX_CHARS = 2

const areWords = (text: string, maxAffixes: number): boolean => {
  if (text === "" || isAffix(text)) return true
  if (maxAffixes === 1 || text.length > maxAffixes * MAX_AFFIX_CHARS) return false
  for (let at = MIN_AFFIX_CHARS; at <= Math.min(MAX_AFFIX_CHARS, text.length - MIN_AFFIX_CHARS); at++)
    if (isAffix(text.slice(0, at)) && areWords(text.slice(at), maxAffixes - 1)) return true
  return false
}

const MIN_REMOVED_CHARS = 3
const MIN_REMAINING_CHARS = 6

/** The word without its longest affix and without digits at its ends, if at least six characters remain. */
export const removeAffix = (word: string): string | undefined => {
  const bare = withoutDigitsAtEnds(word)
  const min = Math.max(MIN_REMAINING_CHARS, bare.length - MAX_AFFIX_CHARS)
  for (let length = min; length <= bare.length - MIN_REMOVED_CHARS; length++) {
    if (isAffix(bare.slice(length))) return bare.slice(0, length)
    if (isAffix(bare.slice(0, -length))) return bare.slice(-length)
  }
  return bare !== word && bare.length >= MIN_REMAINING_CHARS ? bare : undefined
}
