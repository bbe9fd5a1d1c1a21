import * as BrandMisspelled from "./BrandMisspelled.ts"
import { brands } from "./Brands.ts"
import { BrandTrigrams } from "./BrandTrigrams.ts"
import * as OrdinaryWords from "./OrdinaryWords.ts"

/** Shorter names have ordinary neighbours too often. */
const SHORTEST_WITH_TYPO = 6
const SHORTEST_WITH_TWO = 9
/** Of two edits in a name of nine letters or more, both seldom touch these many at the same end. */
const INTACT_END = 4

const withoutLetterAt = (word: string, at: number): string => word.slice(0, at) + word.slice(at + 1)

/** By the name and everything that one deletion leaves of it, as in SymSpell: words one edit apart share a key. */
const namesByDeletion = new Map<string, Array<string>>()
const longByBeginning = new Map<string, Array<string>>()
const longByEnd = new Map<string, Array<string>>()
/** One edit leaves the first two letters of a name or its last three as they are. */
const firstTwo = new Set<number>()
const lastThree = new BrandTrigrams()
let longestName = 0

const twoAt0 = (text: string): number => text.charCodeAt(0) * 0x100 + text.charCodeAt(1)

const append = (index: Map<string, Array<string>>, key: string, name: string): void => {
  const names = index.get(key)
  if (names === undefined) index.set(key, [name])
  else names.push(name)
}

for (const name of brands.flatMap((brand) => brand.names)) {
  if (name.length < SHORTEST_WITH_TYPO || !BrandMisspelled.has(name) || name.endsWith("bank")) continue
  longestName = Math.max(longestName, name.length)
  firstTwo.add(twoAt0(name))
  lastThree.add(name, name.length - 3)
  for (const key of new Set([name, ...Array.from(name, (_, at) => withoutLetterAt(name, at))]))
    append(namesByDeletion, key, name)
  if (name.length < SHORTEST_WITH_TWO) continue
  append(longByBeginning, name.slice(0, INTACT_END), name)
  append(longByEnd, name.slice(-INTACT_END), name)
}

/** The name that a word is one edit away from, or two if the name is long; the first letter is right. */
export const nameMeantBy = (word: string): string | undefined => {
  if (word.length < SHORTEST_WITH_TYPO - 1 || word.length > longestName + 1) return undefined
  if (!(firstTwo.has(twoAt0(word)) || lastThree.has(word, word.length - 3)) || OrdinaryWords.has(word))
    return undefined
  const isMeant = (name: string) => word[0] === name[0] && edits(word, name, 1) === 1
  const shortened = namesByDeletion.get(word)?.find(isMeant)
  if (shortened !== undefined) return shortened
  // A first letter that differs is no typo, so the first one is never left out.
  for (let at = 1; at < word.length; at++) {
    const name = namesByDeletion.get(withoutLetterAt(word, at))?.find(isMeant)
    if (name !== undefined) return name
  }
  if (word.length < SHORTEST_WITH_TWO - 1) return undefined
  const isNear = (name: string) => word[0] === name[0] && edits(word, name, 2) <= 2
  return (
    longByBeginning.get(word.slice(0, INTACT_END))?.find(isNear) ??
    longByEnd.get(word.slice(-INTACT_END))?.find(isNear)
  )
}

/**
 * Letters missing, added, different or exchanged with their neighbour, as far as `most`; more is `most + 1`. Tries each
 * edit at the first difference, so that the time is linear for the few edits asked for.
 */
const edits = (word: string, name: string, most: number): number => {
  let at = 0
  while (at < word.length && at < name.length && word[at] === name[at]) at++
  const left = word.slice(at)
  const right = name.slice(at)
  if (left === "" && right === "") return 0
  if (most === 0 || Math.abs(left.length - right.length) > most) return most + 1
  let fewest = Math.min(
    edits(left.slice(1), right, most - 1),
    edits(left, right.slice(1), most - 1),
    edits(left.slice(1), right.slice(1), most - 1)
  )
  if (left.length > 1 && left[0] === right[1] && left[1] === right[0])
    fewest = Math.min(fewest, edits(left.slice(2), right.slice(2), most - 1))
  return fewest + 1
}
