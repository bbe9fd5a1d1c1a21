/** Finds names of brands among the words of a label or a path segment. */

import { editDistance } from "../../../Layers/EditDistance.ts"
import * as Scripts from "../Host/Scripts.ts"
import * as Words from "../Words.ts"
import * as Brands from "./Brands.ts"

/** A brand's name in a word, or in several that a hyphen separates. */
export interface BrandName {
  readonly brand: Brands.Brand
  readonly name: string
  /** The word only looks like the name; else it contains the name itself. */
  readonly isLookAlike: boolean
  /** The rest of the word. */
  readonly rest: string
  /** Index of the first word after the name. */
  readonly end: number
}

const affixWords = [...Words.lureWords, ...Words.wordsWith("affix")]

/**
 * Lure words, and what phishing and brands put before or after a name in one word, by themselves and by their skeletons:
 * `paypallogin`, `mynetflix`.
 */
const affixes: ReadonlyMap<string, string> = new Map(
  [...affixWords.map(Scripts.skeleton), ...affixWords].map((spelled, at) => [
    spelled,
    affixWords[at % affixWords.length] ?? spelled
  ])
)

const MAX_AFFIX_CHARS = Math.max(...affixWords.map((affix) => affix.length))

/** More affixes in a row are another name. */
const MAX_AFFIXES = 3

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= "0" && character <= "9"

const withoutDigitsAtEnds = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isDigit(text[start])) start++
  while (end > start && isDigit(text[end - 1])) end--
  return text.slice(start, end)
}

const separate = (text: string, maxAffixes: number): ReadonlyArray<string> | undefined => {
  const whole = text === "" ? text : affixes.get(text)
  if (whole !== undefined) return [whole]
  for (let length = Math.min(text.length, MAX_AFFIX_CHARS); maxAffixes > 1 && length > 1; length--) {
    const affix = affixes.get(text.slice(0, length))
    const others = affix && separate(text.slice(length), maxAffixes - 1)
    if (affix !== undefined && others !== undefined) return [affix, ...others]
  }
  return undefined
}

/** The affixes in a text that has at most three of them, or none, between digits: `login` and `secure` of `loginsecure24`. */
export const affixesOf = (text: string): ReadonlyArray<string> | undefined =>
  separate(affixes.has(text) ? text : withoutDigitsAtEnds(text), MAX_AFFIXES)

/** Whether the text is empty, digits, or at most three affixes in a row. */
export const areAffixes = (text: string): boolean => affixesOf(text) !== undefined

/** Shorter names resemble other words, and are parts of them, too often by chance. */
const MIN_LOOK_ALIKE_CHARS = 5
const MIN_CHARS_AT_START = 7
/** A short name needs a longer affix: `uspstracking` names a brand, `upside` does not. */
const MIN_AFFIX_CHARS_OF_SHORT_NAME = 4
/** Shorter names have ordinary neighbours too often. */
const MIN_CHARS_FOR_ONE_EDIT = 6
const MIN_CHARS_FOR_TWO_EDITS = 10

const partsOfOrdinaryWords = Brands.namesWith("insideWords")
const oftenMisspelled = Brands.namesWith("misspelled")
const ordinaryWords = Words.wordsWith("ordinary")

/** Whether the table says that phishing often misspells this name. */
export const isOftenMisspelled = (name: string): boolean => oftenMisspelled.has(name)

/** Whether the table has the word as an ordinary one: a name of its own although it resembles a brand's. */
export const isOrdinaryWord = (word: string): boolean => ordinaryWords.has(word)

/** A name or its skeleton, and the name. */
interface Spelling {
  readonly spelled: string
  readonly name: string
  readonly brand: Brands.Brand
}

/** The longest first, by their first three characters or by the first. */
type Spellings = Map<string, Array<Spelling>>
const exact: Spellings = new Map()
const skeletons: Spellings = new Map()
const misspelled: Spellings = new Map()

const START = 3

const add = (spellings: Spellings, key: string, spelling: Spelling): void => {
  const known = spellings.get(key)
  if (known === undefined) spellings.set(key, [spelling])
  else known.push(spelling)
}

for (const [name, brand] of [...Brands.byName].sort(([left], [right]) => right.length - left.length)) {
  add(exact, name.slice(0, START), { spelled: name, name, brand })
  if (name.length < MIN_LOOK_ALIKE_CHARS || !oftenMisspelled.has(name)) continue
  const spelled = Scripts.skeleton(name)
  add(skeletons, spelled.slice(0, START), { spelled, name, brand })
  if (name.length >= MIN_CHARS_FOR_ONE_EDIT && !name.endsWith("bank"))
    add(misspelled, name.slice(0, 1), { spelled: name, name, brand })
}

const isLongAffix = (text: string): boolean =>
  text === "" || text.length >= MIN_AFFIX_CHARS_OF_SHORT_NAME || withoutDigitsAtEnds(text) === ""

/** The name among affixes, else a long and peculiar one at the start. */
const findInside = (word: string, spellings: Spellings) => {
  let atStart: { readonly spelling: Spelling; readonly rest: string } | undefined
  for (let start = 0; start <= word.length - START; start++)
    for (const spelling of spellings.get(word.slice(start, start + START)) ?? []) {
      const { brand, name, spelled } = spelling
      if (!word.startsWith(spelled, start)) continue
      const before = word.slice(0, start)
      const after = word.slice(start + spelled.length)
      const rest = `${before}${after}`
      const isPart = rest !== "" && partsOfOrdinaryWords.has(name)
      const isShort = name.length < MIN_LOOK_ALIKE_CHARS
      if (isShort && (isPart || !isLongAffix(before) || !isLongAffix(after))) continue
      if (areAffixes(before) && areAffixes(after)) return { spelling, rest }
      if (start === 0 && name.length >= MIN_CHARS_AT_START && !brand.everyday && !isPart)
        atStart ??= { spelling, rest }
    }
  return atStart
}

const isTypo = (word: string, name: string): boolean => {
  const maxEdits = name.length < MIN_CHARS_FOR_TWO_EDITS ? 1 : 2
  return Math.abs(name.length - word.length) <= maxEdits && editDistance(word, name) <= maxEdits
}

/** The name from which a word differs by one edit, or two in a long name, after the same first letter. */
const misspelledIn = (word: string): Spelling | undefined =>
  word.length < MIN_CHARS_FOR_ONE_EDIT - 1
    ? undefined
    : misspelled.get(word.slice(0, 1))?.find(({ name }) => isTypo(word, name))

const MAX_JOINED_WORDS = 4

/** A name written with hyphens: `wells-fargo`, `bank-of-america`, `pay-pal`. */
const findJoined = (words: ReadonlyArray<string>, at: number): BrandName | undefined => {
  let name = words[at] ?? ""
  for (let last = at + 1; last < Math.min(words.length, at + MAX_JOINED_WORDS); last++) {
    name += words[last]
    const brand = Brands.byName.get(name)
    if (brand !== undefined) return { brand, name, isLookAlike: false, rest: "", end: last + 1 }
  }
  return undefined
}

const findInWord = (word: string, end: number): BrandName | undefined => {
  const whole = Brands.byName.get(word)
  if (whole !== undefined) return { brand: whole, name: word, isLookAlike: false, rest: "", end }
  const inside = findInside(word, exact)
  if (inside !== undefined) return { ...inside.spelling, isLookAlike: false, rest: inside.rest, end }
  if (word.length < MIN_LOOK_ALIKE_CHARS || ordinaryWords.has(word)) return undefined
  const imitated = findInside(Scripts.skeleton(word), skeletons)
  // Letters beside the name itself imitate nothing: `girlschase`.
  if (imitated !== undefined && !word.includes(imitated.spelling.name))
    return { ...imitated.spelling, isLookAlike: true, rest: imitated.rest, end }
  const meant = misspelledIn(word)
  return meant && { ...meant, isLookAlike: true, rest: "", end }
}

/**
 * The brand that a word of letters and digits, or it and the words after it, name or imitate, or nothing: as the whole word,
 * beside digits, or among affixes; a long and peculiar name also at the start of a word. `pineapple` is not `apple`.
 *
 * `paypal`, `paypal77`, `mypaypallogin`, `pay-pal` and `instagramhelpx` name a brand; `paypa1`, `paypall`, `papyal` and
 * `paypa1login` imitate one. Ordinary words one edit from a name (`discard`) do neither.
 */
export const find = (words: ReadonlyArray<string>, at: number): BrandName | undefined => {
  const inWord = findInWord(words[at] ?? "", at + 1)
  return inWord === undefined || inWord.brand.everyday ? (findJoined(words, at) ?? inWord) : inWord
}
