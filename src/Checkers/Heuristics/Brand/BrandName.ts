/** Finds names of brands among the words of a label or a path segment, and domains whose whole name looks like one. */

import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as Scripts from "../Host/Scripts.ts"
import type * as Host from "../Host.ts"
import * as Words from "../Words.ts"
import * as Brands from "./Brands.ts"

/** A name that was found. */
export interface NamedBy {
  readonly brand: Brands.Brand
  readonly name: string
}

/** A brand's name in a word, or in several that a hyphen separates. */
export interface BrandName extends NamedBy {
  /** The word only looks like the name; else it contains the name itself. */
  readonly isLookAlike: boolean
  /** The rest of the word. */
  readonly rest: string
  /** Index of the first word after the name. */
  readonly end: number
}

/** Affixes by themselves and by their skeletons: `paypallogin`, `mynetflix`. */
const affixes: ReadonlyMap<string, string> = new Map([
  ...Words.affixes.map((affix) => [Scripts.skeleton(affix), affix] as const),
  ...Words.affixes.map((affix) => [affix, affix] as const)
])

const MAX_AFFIX_CHARS = Math.max(...Words.affixes.map((affix) => affix.length))

/** More affixes in a row are another name. */
const MAX_AFFIXES = 3

const DIGITS_AT_ENDS = /^\d+|\d+$/g

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
  separate(affixes.has(text) ? text : text.replace(DIGITS_AT_ENDS, ""), MAX_AFFIXES)

/** Whether the text is empty, digits, or at most three affixes in a row. */
export const areAffixes = (text: string): boolean => affixesOf(text) !== undefined

/** Shorter names resemble other words, and are parts of them, too often by chance. */
const MIN_LOOK_ALIKE_CHARS = 5
const MIN_CHARS_AT_START = 7
/** A short name needs a longer affix: `uspstracking` names a brand, `upside` does not. */
const SHORT_AFFIX = /^(?=.*\D).{1,3}$/
/** Shorter names have ordinary neighbours too often. */
const MIN_CHARS_FOR_ONE_EDIT = 6
const MIN_CHARS_FOR_TWO_EDITS = 10

const partsOfOrdinaryWords = Brands.namesWith("insideWords")
const oftenMisspelled = Brands.namesWith("misspelled")
const ordinary = Words.withRole("ordinary")

/** A name or its skeleton, and the name. */
interface Spelling extends NamedBy {
  readonly spelled: string
}

/** The longest first. */
const exact: ReadonlyArray<Spelling> = Array.from(Brands.byName, ([name, brand]) => ({
  spelled: name,
  name,
  brand
})).sort((left, right) => right.name.length - left.name.length)

const misspelled = exact.filter(
  ({ name }) => name.length >= MIN_LOOK_ALIKE_CHARS && oftenMisspelled.has(name)
)

const START = 3

/** The last three characters as a number, after one more: unlike a slice it takes no memory, and host names have many. */
const startAfter = (start: number, code: number): number => ((start << 8) ^ code) & 0xffffff

/** The first three characters as a number. */
const startOf = (text: string): number => {
  let start = 0
  for (let at = 0; at < START; at++) start = startAfter(start, text.charCodeAt(at))
  return start
}

/** Spellings by their beginning. */
const groupBy = (
  spellings: ReadonlyArray<Spelling>,
  startOf: (spelled: string) => number
): ReadonlyMap<number, ReadonlyArray<Spelling>> => {
  const groups = new Map<number, Array<Spelling>>()
  for (const spelling of spellings) {
    const start = startOf(spelling.spelled)
    groups.set(start, [...(groups.get(start) ?? []), spelling])
  }
  return groups
}

const byStart = (spellings: ReadonlyArray<Spelling>) => groupBy(spellings, startOf)

const exactByStart = byStart(exact)
const skeletonsByStart = byStart(
  misspelled.map((spelling) => ({ ...spelling, spelled: Scripts.skeleton(spelling.name) }))
)

/** Names of banks resemble others. */
const misspelledByLetter = groupBy(
  misspelled.filter(({ name }) => name.length >= MIN_CHARS_FOR_ONE_EDIT && !name.endsWith("bank")),
  (spelled) => spelled.charCodeAt(0)
)

/** The name among affixes, else a long and peculiar one at the start. */
const findInside = (word: string, spellings: ReturnType<typeof byStart>) => {
  let atStart: { readonly spelling: Spelling; readonly rest: string } | undefined
  let lastThree = 0
  for (let last = 0; last < word.length; last++) {
    lastThree = startAfter(lastThree, word.charCodeAt(last))
    const start = last - START + 1
    const possible = start < 0 ? undefined : spellings.get(lastThree)
    if (possible === undefined) continue
    for (const spelling of possible) {
      const { brand, name, spelled } = spelling
      if (!word.startsWith(spelled, start)) continue
      const before = word.slice(0, start)
      const after = word.slice(start + spelled.length)
      const rest = `${before}${after}`
      const isPart = rest !== "" && partsOfOrdinaryWords.has(name)
      const isShort = name.length < MIN_LOOK_ALIKE_CHARS
      if (isShort && (isPart || SHORT_AFFIX.test(before) || SHORT_AFFIX.test(after))) continue
      if (areAffixes(before) && areAffixes(after)) return { spelling, rest }
      if (start === 0 && name.length >= MIN_CHARS_AT_START && !brand.everyday && !isPart)
        atStart ??= { spelling, rest }
    }
  }
  return atStart
}

/**
 * Whether two texts, from these places on, differ by at most so many edits: a letter that is missing, added, replaced or exchanged
 * with its neighbour. Equal first letters are skipped, so that most words are told from a name by one or two comparisons.
 */
const isWithinEdits = (word: string, name: string, maxEdits: number, wordFrom = 0, nameFrom = 0): boolean => {
  const longer = word.length - wordFrom - (name.length - nameFrom)
  if (Math.abs(longer) > maxEdits) return false
  let [inWord, inName] = [wordFrom, nameFrom]
  while (inWord < word.length && word[inWord] === name[inName]) {
    inWord++
    inName++
  }
  if (inWord === word.length || inName === name.length) return true
  if (maxEdits === 0) return false
  const left = maxEdits - 1
  return (
    isWithinEdits(word, name, left, inWord + 1, inName + 1) ||
    isWithinEdits(word, name, left, inWord + 1, inName) ||
    isWithinEdits(word, name, left, inWord, inName + 1) ||
    (word[inWord] === name[inName + 1] &&
      word[inWord + 1] === name[inName] &&
      isWithinEdits(word, name, left, inWord + 2, inName + 2))
  )
}

/** Whether a word differs from a name by one edit, or two in a long name. */
export const isTypo = (word: string, name: string): boolean =>
  isWithinEdits(word, name, name.length < MIN_CHARS_FOR_TWO_EDITS ? 1 : 2)

const MAX_JOINED_WORDS = 4

/** A name written with hyphens: `wells-fargo`, `bank-of-america`, `pay-pal`. */
const findJoined = (words: ReadonlyArray<string>, at: number): BrandName | undefined => {
  let name = words[at] ?? ""
  // Joined words have to be hashed, and most words begin no name.
  if (name.length >= START && !exactByStart.has(startOf(name))) return undefined
  for (let last = at + 1; last < Math.min(words.length, at + MAX_JOINED_WORDS); last++) {
    name += words[last]
    const brand = Brands.byName.get(name)
    if (brand !== undefined) return { brand, name, isLookAlike: false, rest: "", end: last + 1 }
  }
  return undefined
}

const findNamed = (word: string, end: number): BrandName | undefined => {
  const whole = Brands.byName.get(word)
  if (whole !== undefined) return { brand: whole, name: word, isLookAlike: false, rest: "", end }
  const inside = findInside(word, exactByStart)
  return inside && { ...inside.spelling, isLookAlike: false, rest: inside.rest, end }
}

const findImitated = (word: string, end: number): BrandName | undefined => {
  if (word.length < MIN_LOOK_ALIKE_CHARS || ordinary.has(word)) return undefined
  const imitated = findInside(Scripts.skeleton(word), skeletonsByStart)
  // Letters beside the name itself imitate nothing: `girlschase`.
  if (imitated !== undefined && !word.includes(imitated.spelling.name))
    return { ...imitated.spelling, isLookAlike: true, rest: imitated.rest, end }
  const meant = misspelledByLetter.get(word.charCodeAt(0))?.find(({ name }) => isTypo(word, name))
  return meant && { ...meant, isLookAlike: true, rest: "", end }
}

/** A whole name that is written with hyphens counts before an everyday word that begins it. */
const orJoined = (found: BrandName | undefined, words: ReadonlyArray<string>, at: number) =>
  found === undefined || found.brand.everyday ? (findJoined(words, at) ?? found) : found

/**
 * The brand that a word of letters and digits, or it and the words after it, name, or nothing: as the whole word, beside digits, or
 * among affixes; a long and peculiar name also at the start of a word. `pineapple` is not `apple`.
 *
 * `paypal`, `paypal77`, `mypaypallogin`, `pay-pal` and `instagramhelpx` name a brand.
 */
export const findExact = (words: ReadonlyArray<string>, at: number): BrandName | undefined =>
  orJoined(findNamed(words[at] ?? "", at + 1), words, at)

/**
 * As `findExact`, and the brand that the word imitates: `paypa1`, `paypall`, `papyal` and `paypa1login`. Ordinary words one edit
 * from a name (`discard`) imitate none.
 */
export const find = (words: ReadonlyArray<string>, at: number): BrandName | undefined => {
  const word = words[at] ?? ""
  return orJoined(findNamed(word, at + 1) ?? findImitated(word, at + 1), words, at)
}

/** Shorter names are parts of honest names with digits: `vis4`, `4rgos`. */
const MIN_LARGE_CHARS = 6

/**
 * Whether the name is so well known that a domain whose whole name looks like it imitates it: reports often misspell it, or it
 * is long, and the whole name of a domain of the brand. All brands of the table are often named in reports and have many
 * customers.
 */
export const isLarge = ({ brand, name }: NamedBy): boolean =>
  oftenMisspelled.has(name) ||
  (name.length >= MIN_LARGE_CHARS && !/\d/.test(name) && Brands.isNameOfDomain(brand, name))

const bySkeleton: ReadonlyMap<string, NamedBy> = new Map(
  Array.from(Brands.byName, ([name, brand]) => ({ name, brand }))
    .filter((named) => isLarge(named) || !named.brand.everyday)
    .map((named) => [Scripts.skeleton(named.name), named])
)

/** What looks like something else. */
const LOOK_ALIKES = /[0-9il]|rn|vv|cl|xn--/

/**
 * The large brand whose whole name the name of a registrable domain becomes if each character is replaced by one that looks
 * like it: digits, `rn`, `vv`, letters of other scripts. No letter is missing, added or exchanged, and hyphens do not count.
 * Nothing for a tenant of a hosting firm and for ordinary words.
 *
 * Weaker resemblances need more:
 * - a short name (`ebay`): letters of other scripts;
 * - only accents, or `l` for `i`: six letters;
 * - digits in an everyday word (`app1e`), as players and clubs write it, or `l` for `i`: the suffix of a domain of the brand.
 *
 * `findHomograph` of `rnicrosoft.example` has `microsoft`; of `micosoft.example` and `rnicrosoft-help.example` it is nothing.
 */
export const findHomograph = ({ hostingFirm, name: label, suffix }: Host.HostName): NamedBy | undefined => {
  if (hostingFirm !== undefined || !LOOK_ALIKES.test(label)) return undefined
  const shown = Idna.toUnicode(label).replaceAll("-", "")
  const latin = Scripts.toLatin(shown)
  const imitated = bySkeleton.get(Scripts.skeleton(latin))
  if (imitated === undefined || imitated.name === shown || ordinary.has(shown)) return undefined
  const { brand, name } = imitated
  if (isPermutation(shown, name) || (shown !== latin && Brands.isNameOfDomain(brand, shown))) return undefined
  const plain = Scripts.withoutAccents(shown)
  if (plain !== latin) return imitated
  if (!isLarge(imitated)) return undefined
  const isWeak = plain.replaceAll("i", "l") === name.replaceAll("i", "l")
  if (isWeak && name.length < MIN_LARGE_CHARS) return undefined
  return !brand.everyday || brand.domains.includes(`${name}.${suffix}`) ? imitated : undefined
}

/** Whether only the order of letters differs, as of `i` and `l` in `netfilx`: a typing error. */
const isPermutation = (word: string, other: string): boolean =>
  Array.from(word).sort().join("") === Array.from(other).sort().join("")
