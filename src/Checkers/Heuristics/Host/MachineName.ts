/**
 * Labels that a program generated, found by structure alone. Each pattern is at least ten times as frequent among the names
 * of reported hosts as among those of ordinary ones in the development data.
 */

export type Pattern = "hexadecimal" | "address" | "digits" | "consonants" | "mixed" | "generated"

/** Eight or more hexadecimal digits, letters among them: `pub-1f0c...` of storage, `site-a1b2c3d4` of previews. */
const HEXADECIMAL = /(?:^|-)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?:$|-)/

/** An IPv4 address: `192-0-2-7`. */
const ADDRESS = /(?:^|\D)\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:$|\D)/

/** Years and telephone codes have four digits. */
const DIGITS = /\d{5}/

/** The default name of a page on a free host: `modern-table-729055`, `soft-dango-d8e27e`. */
const GENERATED = /^[a-z]+-[a-z]+-(?:\d{4,}|(?=[a-f]*\d)[0-9a-f]{6,})$/

const MAX_CONSONANTS_IN_A_ROW = 5
const MAX_ABBREVIATION_CHARS = 5
/** Changes between letters and digits. */
const MAX_CHANGES = 3

/** Pairs of letters that occur in no language with Latin letters, except in abbreviations. */
const RARE_NEIGHBOURS =
  /[jqxz](?=[bcdfghjklmnpqrstvwxz])|[bcdfghjklmnpqrtvwxz](?=[jqx])|q(?=[^u0-9-])|v(?=[bcdfghjklmnpqtvwxz])/g
const MAX_RARE_NEIGHBOURS = 2

/** The pattern of a generated label; nothing for ordinary and international labels. */
export const patternOf = (label: string): Pattern | undefined => {
  if (label.startsWith("xn--")) return undefined
  const counts = countCharacters(label)
  if (counts.digits > 0) {
    if (GENERATED.test(label)) return "generated"
    if (HEXADECIMAL.test(label)) return "hexadecimal"
    if (ADDRESS.test(label)) return "address"
    if (DIGITS.test(label)) return "digits"
    if (counts.changes > MAX_CHANGES) return "mixed"
  }
  if (counts.consonantsInARow > MAX_CONSONANTS_IN_A_ROW) return "consonants"
  if (counts.vowels === 0 && counts.digits === 0 && label.length > MAX_ABBREVIATION_CHARS) return "consonants"
  return (label.match(RARE_NEIGHBOURS)?.length ?? 0) > MAX_RARE_NEIGHBOURS ? "consonants" : undefined
}

interface Counts {
  readonly digits: number
  readonly vowels: number
  readonly changes: number
  readonly consonantsInARow: number
}

const ZERO = 0x30
const NINE = 0x39
const HYPHEN = 0x2d
/** Counts as one with the consonant before it: `hochschwarzwald` has four in a row. */
const H = 0x68

const vowels: ReadonlySet<number> = new Set(Array.from("aeiouy", (letter) => letter.charCodeAt(0)))

const countCharacters = (label: string): Counts => {
  let digits = 0
  let vowelCount = 0
  let changes = 0
  let run = 0
  let longestRun = 0
  let wasDigit: boolean | undefined
  for (let at = 0; at < label.length; at++) {
    const code = label.charCodeAt(at)
    const isDigit = code >= ZERO && code <= NINE
    if (code === HYPHEN || isDigit || vowels.has(code)) run = 0
    else if (code !== H || run === 0) longestRun = Math.max(longestRun, ++run)
    if (code === HYPHEN) continue
    if (isDigit) digits++
    else if (vowels.has(code)) vowelCount++
    if (wasDigit !== undefined && wasDigit !== isDigit) changes++
    wasDigit = isDigit
  }
  return { digits, vowels: vowelCount, changes, consonantsInARow: longestRun }
}
