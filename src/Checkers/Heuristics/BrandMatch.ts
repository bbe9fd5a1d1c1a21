import * as BrandAffixes from "./BrandAffixes.ts"
import * as BrandMisspelled from "./BrandMisspelled.ts"
import { type Brand, brands } from "./Brands.ts"
import { BrandTrigrams } from "./BrandTrigrams.ts"
import * as BrandTypo from "./BrandTypo.ts"

/** A brand's name found in a word. */
export interface BrandMatch {
  readonly brand: Brand
  readonly name: string
  /** The word is spelled to be taken for the name; else the name itself stands in it. */
  readonly isLookAlike: boolean
  /** What else stands in the word. Nothing but affixes and digits for all but the long names of `nameAtEitherEnd`. */
  readonly rest: string
  readonly isAmongOthers: boolean
}

/** Shorter names have look-alikes, and stand inside other words, too often by chance. */
const SHORTEST_LOOK_ALIKE = 5
const SHORTEST_AT_BEGINNING = 7
const SHORTEST_AT_END = 8
const SHORTEST_NAME = 3

/** These begin or end ordinary words and names: `interactive`, `revolution`, `cryptocompare`. */
const beginsOrdinaryWords: ReadonlySet<string> = new Set(
  "interac revolut cryptocom telegram fastweb hermesworld postbank interbank metrobank paxful sportify".split(
    " "
  )
)

const letterForDigit: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g"
}

const disguise = /[01345789i]|rn|vv/g
/** What a skeleton may differ in from the name. */
const disguised = /[01345789il]|rn|vv/

/**
 * Words with equal skeletons look alike in most typefaces. Digits stand for the letters they are drawn like, `rn` for
 * `m`, `vv` for `w`; `i` and `l` fall together.
 */
const skeleton = (word: string): string =>
  word.replace(disguise, (found) =>
    found === "rn" ? "m" : found === "vv" ? "w" : found === "i" ? "l" : (letterForDigit[found] ?? found)
  )

const brandByName = new Map<string, Brand>()
const nameByName = new Map<string, string>()
const nameBySkeleton = new Map<string, string>()
const beginnings = new BrandTrigrams()
const skeletonBeginnings = new BrandTrigrams()
/** Of the names that are found at the end of other words. */
const peculiarEnds = new BrandTrigrams()
const peculiarByBeginning = new Map<string, Array<string>>()
const peculiarByEnd = new Map<string, Array<string>>()
let longestName = 0

const append = (index: Map<string, Array<string>>, key: string, name: string): void => {
  const names = index.get(key)
  if (names === undefined) index.set(key, [name])
  else names.push(name)
}

for (const brand of brands)
  for (const name of brand.names) {
    if (!brandByName.has(name)) brandByName.set(name, brand)
    nameByName.set(name, name)
    longestName = Math.max(longestName, name.length)
    beginnings.add(name, 0)
    if (name.length < SHORTEST_LOOK_ALIKE) continue
    if (BrandMisspelled.has(name)) {
      nameBySkeleton.set(skeleton(name), name)
      skeletonBeginnings.add(skeleton(name), 0)
    }
    if (brand.everyday || beginsOrdinaryWords.has(name)) continue
    if (name.length >= SHORTEST_AT_BEGINNING)
      append(peculiarByBeginning, name.slice(0, SHORTEST_AT_BEGINNING), name)
    if (name.length >= SHORTEST_AT_END) {
      append(peculiarByEnd, name.slice(-SHORTEST_AT_END), name)
      peculiarEnds.add(name, name.length - SHORTEST_NAME)
    }
  }

/**
 * The brand that a word of letters and digits names or imitates, or nothing. It is found as the whole word, digits
 * around it aside, and among affixes; a long and peculiar name also where it begins or ends a word. `pineapple` is not
 * `apple`.
 *
 * `paypal`, `paypal77`, `mypaypallogin` and `instagramhelpx` name a brand; `paypa1`, `paypall`, `papyal` and
 * `paypa1login` imitate one. Ordinary words one edit from a name (`discard`) do neither.
 */
export const inWord = (word: string): BrandMatch | undefined => {
  const exact = named(word)
  if (exact !== undefined || word.length < SHORTEST_LOOK_ALIKE) return exact
  const imitated = disguised.test(word)
    ? nameAmongAffixes(skeleton(word), skeletonBeginnings, nameBySkeleton)
    : undefined
  if (imitated !== undefined) return { ...imitated, isLookAlike: true }
  const contained = nameAtEitherEnd(word)
  if (contained !== undefined) return matchOf(contained, false, word.replace(contained, ""), true)
  return betweenDigits(word) ?? mistyped(word)
}

/** The brand that a word names, alone or among affixes. */
export const named = (word: string): BrandMatch | undefined =>
  word.length < SHORTEST_NAME ? undefined : (ofName(word) ?? nameAmongAffixes(word, beginnings, nameByName))

/** The brand of exactly this name. */
export const ofName = (name: string): BrandMatch | undefined => matchOf(name, false, "", false)

/** The brand of this name, or of a name with its skeleton. */
export const ofSpelling = (word: string): BrandMatch | undefined => {
  const exact = ofName(word)
  if (exact !== undefined || word.length < SHORTEST_LOOK_ALIKE) return exact
  const name = nameBySkeleton.get(skeleton(word))
  return name === undefined ? undefined : matchOf(name, true, "", false)
}

const matchOf = (
  name: string,
  isLookAlike: boolean,
  rest: string,
  isAmongOthers: boolean
): BrandMatch | undefined => {
  const brand = brandByName.get(name)
  return brand && { brand, name, isLookAlike, rest, isAmongOthers }
}

/** A name of few letters needs a longer affix: `uspstracking` is one, `upside` none. */
const SHORTEST_AFFIX_OF_SHORT_NAME = 4

const nameAmongAffixes = (
  word: string,
  begin: BrandTrigrams,
  nameOf: ReadonlyMap<string, string>
): BrandMatch | undefined => {
  for (let start = 0; start <= word.length - SHORTEST_NAME; start++) {
    if (!begin.has(word, start)) continue
    const before = word.slice(0, start)
    if (!BrandAffixes.areAffixes(before)) continue
    for (let end = Math.min(word.length, start + longestName); end >= start + SHORTEST_NAME; end--) {
      const name = nameOf.get(word.slice(start, end))
      if (name === undefined) continue
      const after = word.slice(end)
      if (!BrandAffixes.areAffixes(after)) continue
      if (name.length < SHORTEST_LOOK_ALIKE && !(isLongAffix(before) && isLongAffix(after))) continue
      return matchOf(name, false, `${before}${after}`, false)
    }
  }
  return undefined
}

const isLongAffix = (text: string): boolean =>
  text === "" || text.length >= SHORTEST_AFFIX_OF_SHORT_NAME || ALL_DIGITS.test(text)

const ALL_DIGITS = /^\d+$/

const nameAtEitherEnd = (word: string): string | undefined =>
  (beginnings.has(word, 0)
    ? peculiarByBeginning.get(word.slice(0, SHORTEST_AT_BEGINNING))?.find((name) => word.startsWith(name))
    : undefined) ??
  (peculiarEnds.has(word, word.length - SHORTEST_NAME)
    ? peculiarByEnd.get(word.slice(-SHORTEST_AT_END))?.find((name) => word.endsWith(name))
    : undefined)

const digit = /\d/
const digits = /\d+/

/** `x7netflix` names a brand. */
const betweenDigits = (word: string): BrandMatch | undefined => {
  if (!digit.test(word)) return undefined
  for (const part of word.split(digits)) {
    const match = part.length < SHORTEST_LOOK_ALIKE || part.length === word.length ? undefined : inWord(part)
    if (match !== undefined) return match
  }
  return undefined
}

const mistyped = (word: string): BrandMatch | undefined => {
  const whole = BrandTypo.nameMeantBy(word)
  if (whole !== undefined) return matchOf(whole, true, "", false)
  const bare = BrandAffixes.without(word)
  const name = bare === undefined ? undefined : BrandTypo.nameMeantBy(bare)
  return name === undefined ? undefined : matchOf(name, true, word.replace(bare ?? "", ""), false)
}
