import * as Scripts from "../Host/Scripts.ts"
import * as BrandAffixes from "./BrandAffixes.ts"
import * as Brands from "./Brands.ts"
import * as BrandTypo from "./BrandTypo.ts"

/** A brand's name in a word. */
export interface BrandMatch {
  readonly brand: Brands.Brand
  readonly name: string
  /** The word only looks like the name; else it contains the name itself. */
  readonly isLookAlike: boolean
  /** The rest of the word. */
  readonly rest: string
  /** The rest is more than affixes and digits. */
  readonly hasOtherLetters: boolean
}

/** Shorter names resemble other words, and are parts of them, too often by chance. */
const MIN_LOOK_ALIKE_CHARS = 5
const MIN_CHARS_AT_START = 7
const MIN_CHARS_AT_END = 8

const partsOfOrdinaryWords = Brands.namesWith("insideWords")

/** Matches a word that may differ from its skeleton. */
const hasLookAlikes = /[0-9il]|rn|vv/

/** A name or its skeleton, and the name. */
interface Spelling {
  readonly spelled: string
  readonly name: string
}

const brandByName = new Map<string, Brands.Brand>()
const nameBySkeleton = new Map<string, string>()
/** Names by three of their characters. */
type ByTrigram<Name> = Map<string, Array<Name>>
const byStart: ByTrigram<Spelling> = new Map()
const bySkeletonStart: ByTrigram<Spelling> = new Map()
const peculiarByStart: ByTrigram<string> = new Map()
const peculiarByEnd: ByTrigram<string> = new Map()

const TRIGRAM = 3

const trigramAt = (text: string, at: number): string => text.slice(at, at + TRIGRAM)

const add = <Name>(names: ByTrigram<Name>, trigram: string, name: Name): void => {
  const known = names.get(trigram)
  if (known === undefined) names.set(trigram, [name])
  else known.push(name)
}

const longestFirst = Brands.brands
  .flatMap((brand) => brand.names.map((name) => ({ brand, name })))
  .sort((left, right) => right.name.length - left.name.length)

for (const { brand, name } of longestFirst) {
  if (!brandByName.has(name)) brandByName.set(name, brand)
  add(byStart, trigramAt(name, 0), { spelled: name, name })
  if (name.length < MIN_LOOK_ALIKE_CHARS) continue
  if (BrandTypo.isOftenMisspelled(name)) {
    const spelled = Scripts.skeleton(name)
    nameBySkeleton.set(spelled, name)
    add(bySkeletonStart, trigramAt(spelled, 0), { spelled, name })
  }
  if (brand.everyday || partsOfOrdinaryWords.has(name)) continue
  if (name.length >= MIN_CHARS_AT_START) add(peculiarByStart, trigramAt(name, 0), name)
  if (name.length >= MIN_CHARS_AT_END) add(peculiarByEnd, name.slice(-TRIGRAM), name)
}

/**
 * The brand that a word of letters and digits names or imitates, or nothing: as the whole word, beside digits, or among
 * affixes; a long and peculiar name also at the start or end of a word. `pineapple` is not `apple`.
 *
 * `paypal`, `paypal77`, `mypaypallogin` and `instagramhelpx` name a brand; `paypa1`, `paypall`, `papyal` and
 * `paypa1login` imitate one. Ordinary words one edit from a name (`discard`) do neither.
 */
export const findInWord = (word: string): BrandMatch | undefined => {
  const exact = findAmongAffixes(word)
  if (exact !== undefined || word.length < MIN_LOOK_ALIKE_CHARS) return exact
  const imitated = hasLookAlikes.test(word)
    ? matchAmongAffixes(Scripts.skeleton(word), bySkeletonStart)
    : undefined
  if (imitated !== undefined && !BrandTypo.isOrdinaryWord(word)) return { ...imitated, isLookAlike: true }
  const contained = nameAtEitherEnd(word)
  if (contained !== undefined) return matchOf(contained, false, word.replace(contained, ""), true)
  return findBetweenDigits(word) ?? findTypo(word)
}

/** The brand whose name is the word, alone or among affixes. */
export const findAmongAffixes = (word: string): BrandMatch | undefined =>
  word.length < TRIGRAM ? undefined : (findByName(word) ?? matchAmongAffixes(word, byStart))

/** The brand of exactly this name. */
export const findByName = (name: string): BrandMatch | undefined => matchOf(name, false, "", false)

/** The brand of this name, or of a name with the same skeleton. */
export const findBySpelling = (word: string): BrandMatch | undefined => {
  const exact = findByName(word)
  if (exact !== undefined || word.length < MIN_LOOK_ALIKE_CHARS) return exact
  const name = nameBySkeleton.get(Scripts.skeleton(word))
  return name === undefined ? undefined : matchOf(name, true, "", false)
}

const matchOf = (
  name: string,
  isLookAlike: boolean,
  rest: string,
  hasOtherLetters: boolean
): BrandMatch | undefined => {
  const brand = brandByName.get(name)
  return brand && { brand, name, isLookAlike, rest, hasOtherLetters }
}

/** A short name needs a longer affix: `uspstracking` names a brand, `upside` does not. */
const MIN_AFFIX_CHARS_OF_SHORT_NAME = 4

const matchAmongAffixes = (word: string, names: ByTrigram<Spelling>): BrandMatch | undefined => {
  for (let start = 0; start <= word.length - TRIGRAM; start++)
    for (const { spelled, name } of names.get(trigramAt(word, start)) ?? []) {
      if (!word.startsWith(spelled, start)) continue
      const before = word.slice(0, start)
      const after = word.slice(start + spelled.length)
      if (
        name.length < MIN_LOOK_ALIKE_CHARS &&
        (partsOfOrdinaryWords.has(name) || !(isLongAffix(before) && isLongAffix(after)))
      )
        continue
      if (BrandAffixes.areAffixes(before) && BrandAffixes.areAffixes(after))
        return matchOf(name, false, `${before}${after}`, false)
    }
  return undefined
}

const isLongAffix = (text: string): boolean =>
  text === "" || text.length >= MIN_AFFIX_CHARS_OF_SHORT_NAME || ALL_DIGITS.test(text)

const ALL_DIGITS = /^\d+$/

const nameAtEitherEnd = (word: string): string | undefined =>
  peculiarByStart.get(trigramAt(word, 0))?.find((name) => word.startsWith(name)) ??
  peculiarByEnd.get(word.slice(-TRIGRAM))?.find((name) => word.endsWith(name))

const digit = /\d/
const digits = /\d+/

/** A brand between digits: `x7netflix`. */
const findBetweenDigits = (word: string): BrandMatch | undefined => {
  if (!digit.test(word)) return undefined
  for (const part of word.split(digits)) {
    const match =
      part.length < MIN_LOOK_ALIKE_CHARS || part.length === word.length ? undefined : findInWord(part)
    if (match !== undefined) return match
  }
  return undefined
}

const findTypo = (word: string): BrandMatch | undefined => {
  const whole = BrandTypo.nameOfTypo(word)
  if (whole !== undefined) return matchOf(whole, true, "", false)
  const bare = BrandAffixes.removeAffix(word)
  const name = bare === undefined ? undefined : BrandTypo.nameOfTypo(bare)
  return name === undefined ? undefined : matchOf(name, true, word.replace(bare ?? "", ""), false)
}

/**
 * The brand that a word starts with, also misspelled, if its name has six letters or more. Too weak for a domain that
 * costs money: only for pages under free names, which are made by the hundred.
 */
export const findAtStart = (word: string): BrandMatch | undefined => {
  const start = BrandTypo.nameAtStart(word)
  return start && matchOf(start.name, !word.startsWith(start.name), word.slice(start.length), true)
}
