/**
 * How unusual the letters of a name are, by the frequency of each three neighbours in the names of ordinary sites: `example`
 * has low costs, `xkqzwv` high ones.
 */

/** Letters, any digit, and everything else including the edges. */
const SYMBOLS = 28
const ANY_DIGIT = 26
const OTHER = 27

/** One element for each three symbols. */
export const TABLE_SIZE = SYMBOLS ** 3

/** The unit of costs is a sixteenth of a bit. */
const COSTS_PER_BIT = 16

const symbol = (code: number): number =>
  code >= 97 && code <= 122
    ? code - 97
    : code >= 65 && code <= 90
      ? code - 65
      : code >= 48 && code <= 57
        ? ANY_DIGIT
        : OTHER

/** Calls `visit` with the table index of every three symbols of a text, including its edges. */
export const forEachIndex = (text: string, visit: (index: number) => void): void => {
  let first = OTHER
  let second = OTHER
  for (let at = 0; at <= text.length; at++) {
    const third = at < text.length ? symbol(text.charCodeAt(at)) : OTHER
    visit((first * SYMBOLS + second) * SYMBOLS + third)
    first = second
    second = third
  }
}

/** The mean cost of a character in bits; 0 for an empty text. */
export const meanCost = (costs: Uint8Array, text: string): number => {
  if (text === "") return 0
  let sum = 0
  forEachIndex(text, (index) => {
    sum += costs[index] ?? 0
  })
  return sum / COSTS_PER_BIT / (text.length + 1)
}

/** Costs from the counts of each three symbols, smoothed by adding 0.5 to every count. */
export const costsOf = (counts: Float64Array): Uint8Array => {
  const costs = new Uint8Array(TABLE_SIZE)
  for (let pair = 0; pair < SYMBOLS * SYMBOLS; pair++) {
    let total = 0
    for (let third = 0; third < SYMBOLS; third++) total += (counts[pair * SYMBOLS + third] ?? 0) + 0.5
    for (let third = 0; third < SYMBOLS; third++) {
      const bits = -Math.log2(((counts[pair * SYMBOLS + third] ?? 0) + 0.5) / total)
      costs[pair * SYMBOLS + third] = Math.min(255, Math.round(bits * COSTS_PER_BIT))
    }
  }
  return costs
}
