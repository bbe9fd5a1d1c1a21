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

/** The symbol of each character of ASCII. */
const symbols = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 97 && code <= 122
    ? code - 97
    : code >= 65 && code <= 90
      ? code - 65
      : code >= 48 && code <= 57
        ? ANY_DIGIT
        : OTHER
)

/** No letter: what `indexAfter` gets at the end of a text. */
const EDGE = 0

/** The index before the first letter of a text: three edges. */
const START = TABLE_SIZE - 1

/**
 * The index of the last two symbols of an index and one more. Literals in place of `SYMBOLS`, its square 784 and `OTHER`, and the
 * table as a parameter: a bundle reads the constants of a module from memory each time, and this runs for every character.
 */
const indexAfter = (table: Uint8Array, index: number, code: number): number =>
  (index % 784) * 28 + (code < 128 ? (table[code] ?? 27) : 27)

/** Adds to the counts every three symbols of a text, including its edges. */
export const count = (counts: Float64Array, text: string): void => {
  let index = START
  for (let at = 0; at <= text.length; at++) {
    index = indexAfter(symbols, index, at < text.length ? text.charCodeAt(at) : EDGE)
    counts[index] = (counts[index] ?? 0) + 1
  }
}

/** The mean cost of a character of a part of a text in bits; 0 for an empty one. */
export const meanCost = (costs: Uint8Array, text: string, from = 0, to = text.length): number => {
  if (from >= to) return 0
  const table = symbols
  let index = START
  let sum = 0
  for (let at = from; at <= to; at++) {
    index = indexAfter(table, index, at < to ? text.charCodeAt(at) : EDGE)
    sum += costs[index] ?? 0
  }
  return sum / COSTS_PER_BIT / (to - from + 1)
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
