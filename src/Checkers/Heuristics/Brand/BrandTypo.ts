/** Typing errors in the names of brands. */

import { editDistance } from "../../../Layers/EditDistance.ts"
import * as Words from "../Words.ts"
import * as Brands from "./Brands.ts"
import { BrandTrigrams } from "./BrandTrigrams.ts"

const oftenMisspelled = Brands.namesWith("misspelled")

/** Whether the table says that phishing often misspells this name. */
export const isOftenMisspelled = (name: string): boolean => oftenMisspelled.has(name)

const ordinaryWords = Words.wordsWith("ordinary")

/** Whether the table has the word as an ordinary one: a name of its own although it resembles a brand's. */
export const isOrdinaryWord = (word: string): boolean => ordinaryWords.has(word)

/** Shorter names have ordinary neighbours too often. */
const MIN_CHARS_FOR_ONE_EDIT = 6
const MIN_CHARS_FOR_TWO_EDITS = 9
/** Two edits are allowed from here in a name at the start of a word. */
const MIN_CHARS_FOR_TWO_EDITS_AT_START = 8

const likeOtherStarts = Brands.namesWith("startsWords")

/** One edit leaves the first two or the last three letters of a name; two edits in a long name mostly do, too. */
const byFirstTwo = new Map<number, Array<string>>()
const byLastThree = new BrandTrigrams<string>()
const TRIGRAM = 3

const firstTwo = (text: string): number => text.charCodeAt(0) * 0x100 + text.charCodeAt(1)

for (const name of Brands.brands.flatMap((brand) => brand.names)) {
  if (name.length < MIN_CHARS_FOR_ONE_EDIT || !oftenMisspelled.has(name) || name.endsWith("bank")) continue
  const names = byFirstTwo.get(firstTwo(name)) ?? []
  names.push(name)
  byFirstTwo.set(firstTwo(name), names)
  byLastThree.add(name, name.length - TRIGRAM, name)
}

/**
 * The name that a word misspells: with one edit, two in a long name, and the same first letter. Nothing for ordinary words. `nameOfTypo("paypall")` is `"paypal"`.
 */
export const nameOfTypo = (word: string): string | undefined => {
  if (word.length < MIN_CHARS_FOR_ONE_EDIT - 1) return undefined
  const isTypoOf = (name: string) => isTypo(word, name)
  const name =
    byFirstTwo.get(firstTwo(word))?.find(isTypoOf) ??
    byLastThree.find(word, word.length - TRIGRAM)?.find(isTypoOf)
  return name === undefined || ordinaryWords.has(word) ? undefined : name
}

const isTypo = (word: string, name: string): boolean =>
  isWithin(word, name, name.length < MIN_CHARS_FOR_TWO_EDITS ? 1 : 2)

/** Whether the word is the name, or one or two edits from it: what typing errors and honest names can be. */
export const isWithinTwoEdits = (word: string, name: string): boolean => isWithin(word, name, 2)

const isWithin = (word: string, name: string, maxEdits: number): boolean =>
  word[0] === name[0] &&
  Math.abs(word.length - name.length) <= maxEdits &&
  bitsOf(lettersOf(word) ^ lettersOf(name)) <= 2 * maxEdits &&
  editDistance(word, name) <= maxEdits

/** The set of a word's letters, as bits. An edit changes at most two of them. */
const lettersOf = (word: string): number => {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

const bitsOf = (set: number): number => {
  let count = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) count++
  return count
}

interface NameAtStart {
  readonly name: string
  /** How many characters of the word are the name, with its errors. */
  readonly length: number
}

/**
 * The name that a longer word starts with, with one edit in six letters and two in eight:
 * `nameAtStart("metamaskkxyz")` is `{ name: "metamask", length: 8 }`.
 */
export const nameAtStart = (word: string): NameAtStart | undefined => {
  if (word.length < MIN_CHARS_FOR_ONE_EDIT) return undefined
  for (const name of byFirstTwo.get(firstTwo(word)) ?? []) {
    if (likeOtherStarts.has(name)) continue
    const maxEdits = name.length < MIN_CHARS_FOR_TWO_EDITS_AT_START ? 1 : 2
    for (let length = name.length - 1; length <= Math.min(word.length, name.length + maxEdits); length++) {
      if (word[length - 1] !== name[name.length - 1]) continue
      const start = word.slice(0, length)
      if (editDistance(start, name) <= maxEdits && !ordinaryWords.has(start)) return { name, length }
    }
  }
  return undefined
}
