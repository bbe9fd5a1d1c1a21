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

/** These begin or end ordinary words and names: `interactive`, `revolution`, `cryptocompare`. */
const beginsOrdinaryWords: ReadonlySet<string> = new Set(
  "interac revolut cryptocom telegram fastweb hermesworld postbank interbank metrobank paxful sportify".split(
    " "
  )
)

/** Characters that are drawn like a letter, by their code; `""` for all others. */
const drawnLike: ReadonlyArray<string> = Array.from(
  { length: 128 },
  (_, code) =>
    ({ 0: "o", 1: "l", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b", 9: "g", i: "l" })[String.fromCharCode(code)] ??
    ""
)

/** What a skeleton may differ in from the name. */
const disguised = /[01345789il]|rn|vv/

/**
 * Words with equal skeletons look alike in most typefaces. Digits stand for the letters they are drawn like, `rn` for
 * `m`, `vv` for `w`; `i` and `l` fall together.
 */
const skeleton = (word: string): string => {
  let drawn = ""
  let copied = 0
  for (let at = 0; at < word.length; at++) {
    const pair = pairDrawnLike(word, at)
    const letter = pair ?? drawnLike[word.charCodeAt(at)] ?? ""
    if (letter === "") continue
    drawn += word.slice(copied, at) + letter
    if (pair !== undefined) at++
    copied = at + 1
  }
  return copied === 0 ? word : drawn + word.slice(copied)
}

const pairDrawnLike = (word: string, at: number): "m" | "w" | undefined =>
  word.startsWith("rn", at) ? "m" : word.startsWith("vv", at) ? "w" : undefined

/** A name as it stands in a word, and the brand's spelling of it. */
interface Spelling {
  readonly spelled: string
  readonly name: string
}

const brandByName = new Map<string, Brand>()
const nameBySkeleton = new Map<string, string>()
const byBeginning = new BrandTrigrams<Spelling>()
const bySkeletonBeginning = new BrandTrigrams<Spelling>()
const peculiarByBeginning = new BrandTrigrams<string>()
const peculiarByEnd = new BrandTrigrams<string>()

const TRIGRAM = 3

const longestFirst = brands
  .flatMap((brand) => brand.names.map((name) => ({ brand, name })))
  .sort((left, right) => right.name.length - left.name.length)

for (const { brand, name } of longestFirst) {
  if (!brandByName.has(name)) brandByName.set(name, brand)
  byBeginning.add(name, 0, { spelled: name, name })
  if (name.length < SHORTEST_LOOK_ALIKE) continue
  if (BrandMisspelled.has(name)) {
    const spelled = skeleton(name)
    nameBySkeleton.set(spelled, name)
    bySkeletonBeginning.add(spelled, 0, { spelled, name })
  }
  if (brand.everyday || beginsOrdinaryWords.has(name)) continue
  if (name.length >= SHORTEST_AT_BEGINNING) peculiarByBeginning.add(name, 0, name)
  if (name.length >= SHORTEST_AT_END) peculiarByEnd.add(name, name.length - TRIGRAM, name)
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
  const imitated = disguised.test(word) ? nameAmongAffixes(skeleton(word), bySkeletonBeginning) : undefined
  if (imitated !== undefined) return { ...imitated, isLookAlike: true }
  const contained = nameAtEitherEnd(word)
  if (contained !== undefined) return matchOf(contained, false, word.replace(contained, ""), true)
  return betweenDigits(word) ?? mistyped(word)
}

/** The brand that a word names, alone or among affixes. */
export const named = (word: string): BrandMatch | undefined =>
  word.length < TRIGRAM ? undefined : (ofName(word) ?? nameAmongAffixes(word, byBeginning))

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

const nameAmongAffixes = (word: string, names: BrandTrigrams<Spelling>): BrandMatch | undefined => {
  for (let start = 0; start <= word.length - TRIGRAM; start++)
    for (const { spelled, name } of names.find(word, start) ?? []) {
      if (!word.startsWith(spelled, start)) continue
      const before = word.slice(0, start)
      const after = word.slice(start + spelled.length)
      if (name.length < SHORTEST_LOOK_ALIKE && !(isLongAffix(before) && isLongAffix(after))) continue
      if (BrandAffixes.areAffixes(before) && BrandAffixes.areAffixes(after))
        return matchOf(name, false, `${before}${after}`, false)
    }
  return undefined
}

const isLongAffix = (text: string): boolean =>
  text === "" || text.length >= SHORTEST_AFFIX_OF_SHORT_NAME || ALL_DIGITS.test(text)

const ALL_DIGITS = /^\d+$/

const nameAtEitherEnd = (word: string): string | undefined =>
  peculiarByBeginning.find(word, 0)?.find((name) => word.startsWith(name)) ??
  peculiarByEnd.find(word, word.length - TRIGRAM)?.find((name) => word.endsWith(name))

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

/**
 * The brand that a word begins with, if it has six letters or more, also misspelled: what people who make pages by the
 * hundred call them. Too weak for a name that somebody bought.
 */
export const atBeginning = (word: string): BrandMatch | undefined => {
  const found = BrandTypo.nameAtBeginning(word)
  return found && matchOf(found.name, !word.startsWith(found.name), word.slice(found.length), true)
}
