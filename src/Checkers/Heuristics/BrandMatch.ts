import { type Brand, brands } from "./Brands.ts"
import * as OrdinaryWords from "./OrdinaryWords.ts"

/** A brand's name found in a word. */
export interface BrandMatch {
  readonly brand: Brand
  readonly name: string
  /** The word is spelled to be taken for the name; else the name itself stands in it. */
  readonly isLookAlike: boolean
}

/** Shorter names have look-alikes, and stand inside other words, too often by chance. */
const SHORTEST_LOOK_ALIKE = 5
const SHORTEST_WITH_TYPO = 6
const SHORTEST_AT_BEGINNING = 7
const SHORTEST_AT_END = 8

/** What phishers and brands alike put before or behind a name in one word: `paypallogin`, `mynetflix`. */
const affixes: ReadonlySet<string> = new Set(
  [
    "my the get www web app apps online official live pro io com net org co inc us usa uk eu jp de fr ca au s",
    "help helps support center centre care desk service services customer client clients clone suite wallet wallets",
    "start bridge connect login logins logon loginin signin signins signup sign mobile shop store mall global club card",
    "cards bank banking netbanking pay payment payments delivery express post track tracking parcel package claim claims",
    "reward rewards gift gifts bonus promo airdrop token nft swap exchange trade security secure safe verify verified",
    "verification update alert alerts account accounts id ids user mail email free premium plus new portal home page",
    "pages team group business ads web3 cloud file files share admin confirm recovery auth sso invoice billing refund"
  ].flatMap((row) => row.split(" "))
)

/** One edit from these lie ordinary words (`looking`) or the names of others (every bank). */
const hasOrdinaryNeighbours = (name: string): boolean =>
  name.endsWith("bank") || name === "booking" || name === "orange" || name === "office"

/** These begin ordinary words and names: `interactive`, `revolution`, `cryptocompare`. */
const beginsOrdinaryWords = (name: string): boolean =>
  name === "interac" || name === "revolut" || name === "cryptocom"

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

const disguise = /[01345789]|rn|vv/g

const undisguise = (word: string): string =>
  word.replace(disguise, (found) =>
    found === "rn" ? "m" : found === "vv" ? "w" : (letterForDigit[found] ?? found)
  )

/** Words with equal skeletons look alike in most typefaces: also `i` falls together with `l`. */
const skeleton = (word: string): string => undisguise(word).replaceAll("i", "l")

const withoutLetterAt = (word: string, at: number): string => word.slice(0, at) + word.slice(at + 1)

const byName = new Map<string, Brand>()
const nameBySkeleton = new Map<string, string>()
/** By the name and everything that one deletion leaves of it, as in SymSpell: words one edit apart share a key. */
const namesByDeletion = new Map<string, Array<string>>()
const beginnings = new Set<string>()
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
    if (!byName.has(name)) byName.set(name, brand)
    longestName = Math.max(longestName, name.length)
    if (name.length < SHORTEST_LOOK_ALIKE) continue
    beginnings.add(name.slice(0, SHORTEST_LOOK_ALIKE))
    nameBySkeleton.set(skeleton(name), name)
    if (hasOrdinaryNeighbours(name)) continue
    if (name.length >= SHORTEST_WITH_TYPO)
      for (const key of new Set([name, ...Array.from(name, (_, at) => withoutLetterAt(name, at))]))
        append(namesByDeletion, key, name)
    if (brand.everyday || beginsOrdinaryWords(name)) continue
    if (name.length >= SHORTEST_AT_BEGINNING)
      append(peculiarByBeginning, name.slice(0, SHORTEST_AT_BEGINNING), name)
    if (name.length >= SHORTEST_AT_END) append(peculiarByEnd, name.slice(-SHORTEST_AT_END), name)
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
  const exact = ofName(word)
  if (exact !== undefined) return exact
  if (word.length < SHORTEST_LOOK_ALIKE) return betweenDigits(word)
  const named = nameAmongAffixes(word) ?? nameAtEitherEnd(word)
  if (named !== undefined) return matchOf(named, false)
  const plain = undisguise(word)
  const imitated =
    nameBySkeleton.get(skeleton(word)) ?? (plain === word ? undefined : nameAmongAffixes(plain))
  if (imitated !== undefined) return matchOf(imitated, true)
  const part = betweenDigits(word)
  if (part !== undefined) return part
  const mistyped = nameWithTypo(word)
  return mistyped === undefined ? undefined : matchOf(mistyped, true)
}

/** The brand of exactly this name. */
export const ofName = (name: string): BrandMatch | undefined => matchOf(name, false)

const matchOf = (name: string, isLookAlike: boolean): BrandMatch | undefined => {
  const brand = byName.get(name)
  return brand && { brand, name, isLookAlike }
}

const nameAmongAffixes = (word: string): string | undefined => {
  for (let start = 0; start <= word.length - SHORTEST_LOOK_ALIKE; start++) {
    if (!beginnings.has(word.slice(start, start + SHORTEST_LOOK_ALIKE))) continue
    if (start > 0 && !affixes.has(word.slice(0, start))) continue
    for (let end = Math.min(word.length, start + longestName); end >= start + SHORTEST_LOOK_ALIKE; end--) {
      const name = word.slice(start, end)
      if (byName.has(name) && (end === word.length || affixes.has(word.slice(end)))) return name
    }
  }
  return undefined
}

const nameAtEitherEnd = (word: string): string | undefined =>
  peculiarByBeginning.get(word.slice(0, SHORTEST_AT_BEGINNING))?.find((name) => word.startsWith(name)) ??
  peculiarByEnd.get(word.slice(-SHORTEST_AT_END))?.find((name) => word.endsWith(name))

const digit = /\d/
const digits = /\d+/
const digitsAtEnds = /^\d+|\d+$/g

/** `amazon8828` names a brand, and so does `x7netflix`; a short name counts only with nothing but digits around it. */
const betweenDigits = (word: string): BrandMatch | undefined => {
  if (!digit.test(word)) return undefined
  const inside = word.replace(digitsAtEnds, "")
  if (inside !== word) return inWord(inside)
  for (const part of inside.split(digits)) {
    const match = part.length < SHORTEST_LOOK_ALIKE ? undefined : inWord(part)
    if (match !== undefined) return match
  }
  return undefined
}

const nameWithTypo = (word: string): string | undefined => {
  if (word.length < SHORTEST_WITH_TYPO - 1 || word.length > longestName + 1 || OrdinaryWords.has(word))
    return undefined
  const isMeant = (name: string) => isOneEdit(word, name)
  const shortened = namesByDeletion.get(word)?.find(isMeant)
  if (shortened !== undefined) return shortened
  // A first letter that differs is no typo, so the first one is never left out.
  for (let at = 1; at < word.length; at++) {
    const name = namesByDeletion.get(withoutLetterAt(word, at))?.find(isMeant)
    if (name !== undefined) return name
  }
  return undefined
}

/** One letter missing, added or different, or two neighbours exchanged; the first letter is right. */
const isOneEdit = (word: string, name: string): boolean => {
  let start = 0
  while (start < word.length && word[start] === name[start]) start++
  if (start === 0) return false
  let wordEnd = word.length
  let nameEnd = name.length
  while (wordEnd > start && nameEnd > start && word[wordEnd - 1] === name[nameEnd - 1]) {
    wordEnd--
    nameEnd--
  }
  const written = word.slice(start, wordEnd)
  const meant = name.slice(start, nameEnd)
  return (
    (written.length <= 1 && meant.length <= 1) ||
    (written.length === 2 && meant.length === 2 && written[0] === meant[1] && written[1] === meant[0])
  )
}
