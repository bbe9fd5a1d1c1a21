/** Typing errors in the names of brands. */

import { editDistance } from "../../../Layers/EditDistance.ts"
import * as Words from "../Words.ts"
import * as Brands from "./Brands.ts"

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
const FIRST = 2
const LAST = 3
const byFirst = new Map<string, Array<string>>()
const byLast = new Map<string, Array<string>>()

for (const name of Brands.brands.flatMap((brand) => brand.names)) {
  if (name.length < MIN_CHARS_FOR_ONE_EDIT || !oftenMisspelled.has(name) || name.endsWith("bank")) continue
  byFirst.set(name.slice(0, FIRST), [...(byFirst.get(name.slice(0, FIRST)) ?? []), name])
  byLast.set(name.slice(-LAST), [...(byLast.get(name.slice(-LAST)) ?? []), name])
}

/**
 * The name that a word misspells: with one edit, two in a long name, and the same first letter. Nothing for ordinary words. `nameOfTypo("paypall")` is `"paypal"`.
 */
export const nameOfTypo = (word: string): string | undefined => {
  if (word.length < MIN_CHARS_FOR_ONE_EDIT - 1) return undefined
  const isTypoOf = (name: string) => isTypo(word, name)
  const name =
    byFirst.get(word.slice(0, FIRST))?.find(isTypoOf) ?? byLast.get(word.slice(-LAST))?.find(isTypoOf)
  return name === undefined || ordinaryWords.has(word) ? undefined : name
}

const isTypo = (word: string, name: string): boolean =>
  isWithin(word, name, name.length < MIN_CHARS_FOR_TWO_EDITS ? 1 : 2)

/** Whether the word is the name, or one or two edits from it: what typing errors and honest names can be. */
export const isWithinTwoEdits = (word: string, name: string): boolean => isWithin(word, name, 2)

const isWithin = (word: string, name: string, maxEdits: number): boolean =>
  word[0] === name[0] &&
  Math.abs(word.length - name.length) <= maxEdits &&
  editDistance(word, name) <= maxEdits

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
  for (const name of byFirst.get(word.slice(0, FIRST)) ?? []) {
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
