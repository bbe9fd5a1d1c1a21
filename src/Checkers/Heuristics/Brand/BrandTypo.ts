import * as BrandMisspelled from "./BrandMisspelled.ts"
import { brands } from "./Brands.ts"
import { BrandTrigrams } from "./BrandTrigrams.ts"
import * as OrdinaryWords from "./OrdinaryWords.ts"

/** Shorter names have ordinary neighbours too often. */
const SHORTEST_WITH_TYPO = 6
const SHORTEST_WITH_TWO = 9
/** So long and so peculiar that four edits leave them recognizable, and reports hold such. */
const recognizableAfterFour: ReadonlyArray<string> = ["steamcommunity", "kuronekoyamato"]
/** From here two edits are allowed in a name that begins a word. */
const LONG_BEGINNING = 8

/** One edit leaves the first two letters of a name as they are, or its last three. Two in a long name mostly do. */
const byFirstTwo = new Map<number, Array<string>>()
const byLastThree = new BrandTrigrams<string>()
const TRIGRAM = 3

const firstTwo = (text: string): number => text.charCodeAt(0) * 0x100 + text.charCodeAt(1)

/** One edit from these lies the beginning of many words and names. */
const beginsLikeOthers: ReadonlySet<string> = new Set(
  "sagawa saison interac intuit nomura matsui vinted docomo schwab truist inpost correos opensea fidelity".split(
    " "
  )
)

for (const name of brands.flatMap((brand) => brand.names)) {
  if (name.length < SHORTEST_WITH_TYPO || !BrandMisspelled.has(name) || name.endsWith("bank")) continue
  const alike = byFirstTwo.get(firstTwo(name)) ?? []
  alike.push(name)
  byFirstTwo.set(firstTwo(name), alike)
  byLastThree.add(name, name.length - TRIGRAM, name)
}

/**
 * The name that a word is meant for: one edit away, two if the name is long, four if it is very long. The first letter is
 * right.
 */
export const nameMeantBy = (word: string): string | undefined => {
  if (word.length < SHORTEST_WITH_TYPO - 1) return undefined
  const isMeant = (name: string) => isTypo(word, name)
  const found =
    byFirstTwo.get(firstTwo(word))?.find(isMeant) ??
    byLastThree.find(word, word.length - TRIGRAM)?.find(isMeant) ??
    veryLongName(word)
  return found === undefined || OrdinaryWords.has(word) ? undefined : found
}

const isTypo = (word: string, name: string): boolean => {
  const most = name.length < SHORTEST_WITH_TWO ? 1 : 2
  return word[0] === name[0] && Math.abs(word.length - name.length) <= most && distance(word, name) <= most
}

const veryLongName = (word: string): string | undefined =>
  recognizableAfterFour.find(
    (name) => word[0] === name[0] && Math.abs(name.length - word.length) <= 4 && distance(word, name) <= 4
  )

/** A name with which a word begins, and how much of the word it takes. */
export interface Beginning {
  readonly name: string
  readonly length: number
}

/** Names with as many edits as one for six letters and two for eight, and more letters behind: `metamaskkxyz`. */
export const nameAtBeginning = (word: string): Beginning | undefined => {
  if (word.length < SHORTEST_WITH_TYPO) return undefined
  for (const name of byFirstTwo.get(firstTwo(word)) ?? []) {
    if (beginsLikeOthers.has(name)) continue
    const most = name.length < LONG_BEGINNING ? 1 : 2
    for (let length = name.length - 1; length <= Math.min(word.length, name.length + most); length++) {
      if (word[length - 1] !== name[name.length - 1]) continue
      const beginning = word.slice(0, length)
      if (distance(beginning, name) <= most && !OrdinaryWords.has(beginning)) return { name, length }
    }
  }
  return undefined
}

/** Both are compared at nearly equal lengths, so neither is longer than the longest name and a few. */
const rows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)] as const

/** Letters missing, added, different or exchanged with their neighbour (optimal string alignment). */
const distance = (word: string, name: string): number => {
  let [before, above, current]: [Uint8Array, Uint8Array, Uint8Array] = [rows[0], rows[1], rows[2]]
  for (let column = 0; column <= name.length; column++) above[column] = column
  for (let row = 1; row <= word.length; row++) {
    const letter = word.charCodeAt(row - 1)
    current[0] = row
    for (let column = 1; column <= name.length; column++) {
      const meant = name.charCodeAt(column - 1)
      let fewest = (above[column - 1] ?? 0) + (letter === meant ? 0 : 1)
      fewest = Math.min(fewest, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      const isExchanged =
        row > 1 && column > 1 && letter === name.charCodeAt(column - 2) && word.charCodeAt(row - 2) === meant
      current[column] = isExchanged ? Math.min(fewest, (before[column - 2] ?? 0) + 1) : fewest
    }
    const oldest = before
    before = above
    above = current
    current = oldest
  }
  return above[name.length] ?? 0
}
