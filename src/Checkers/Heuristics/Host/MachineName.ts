/**
 * Names that a program made up: what a person would not choose for a site. Found by structure alone; at least ten times
 * likelier among the names of reported hosts than among those of ordinary ones in our development data, each of them.
 */

export type Pattern = "hexadecimal" | "address" | "digits" | "consonants" | "mixed" | "generated"

/** `pub-1f0c...` of storage, `site-a1b2c3d4` of previews: eight or more digits of base 16, letters among them. */
const HEXADECIMAL = /(?:^|-)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?:$|-)/

/** `192-0-2-7`: the address of a rented machine. */
const ADDRESS = /(?:^|\D)\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:$|\D)/

/** Years and telephone codes have four. */
const DIGITS = /\d{5}/

/** `modern-table-729055`, `soft-dango-d8e27e`: what free hosts call a page until its owner renames it. */
const GENERATED = /^[a-z]+-[a-z]+-(?:\d{4,}|(?=[a-f]*\d)[0-9a-f]{6,})$/

const MOST_CONSONANTS_IN_A_ROW = 5
const LONGEST_ABBREVIATION = 5
/** Changes from letters to digits or back. */
const MOST_CHANGES = 3

/** Neighbours that words of no language with Latin letters have, but for abbreviations: three of them are no accident. */
const RARE_NEIGHBOURS =
  /[jqxz](?=[bcdfghjklmnpqrstvwxz])|[bcdfghjklmnpqrtvwxz](?=[jqx])|q(?=[^u0-9-])|v(?=[bcdfghjklmnpqtvwxz])/g
const MOST_RARE_NEIGHBOURS = 2

/** What gives a label away as made by a program; nothing for ordinary names, and for international ones. */
export const pattern = (label: string): Pattern | undefined => {
  if (label.startsWith("xn--")) return undefined
  const counts = count(label)
  if (counts.digits > 0) {
    if (GENERATED.test(label)) return "generated"
    if (HEXADECIMAL.test(label)) return "hexadecimal"
    if (ADDRESS.test(label)) return "address"
    if (DIGITS.test(label)) return "digits"
    if (counts.changes > MOST_CHANGES) return "mixed"
  }
  if (counts.consonantsInARow > MOST_CONSONANTS_IN_A_ROW) return "consonants"
  if (counts.vowels === 0 && counts.digits === 0 && label.length > LONGEST_ABBREVIATION) return "consonants"
  return (label.match(RARE_NEIGHBOURS)?.length ?? 0) > MOST_RARE_NEIGHBOURS ? "consonants" : undefined
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
/** Behind another consonant it belongs to that one: `hochschwarzwald` has four in a row. */
const H = 0x68

const vowels: ReadonlySet<number> = new Set(Array.from("aeiouy", (letter) => letter.charCodeAt(0)))

const count = (label: string): Counts => {
  let digits = 0
  let found = 0
  let changes = 0
  let row = 0
  let longestRow = 0
  let wasDigit: boolean | undefined
  for (let at = 0; at < label.length; at++) {
    const code = label.charCodeAt(at)
    const isDigit = code >= ZERO && code <= NINE
    if (code === HYPHEN || isDigit || vowels.has(code)) row = 0
    else if (code !== H || row === 0) longestRow = Math.max(longestRow, ++row)
    if (code === HYPHEN) continue
    if (isDigit) digits++
    else if (vowels.has(code)) found++
    if (wasDigit !== undefined && wasDigit !== isDigit) changes++
    wasDigit = isDigit
  }
  return { digits, vowels: found, changes, consonantsInARow: longestRow }
}
