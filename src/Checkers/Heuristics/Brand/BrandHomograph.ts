import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as Scripts from "../Host/Scripts.ts"
import type * as Host from "../Host.ts"
import * as BrandName from "./BrandName.ts"
import * as BrandOwner from "./BrandOwner.ts"
import * as Brands from "./Brands.ts"

/** A large brand whose name a domain's name looks like. */
export interface BrandHomograph {
  readonly brand: Brands.Brand
  readonly name: string
}

/** Shorter names are parts of honest names with digits: `vis4`, `4rgos`. */
const MIN_CHARS = 6

const DIGIT = /\d/

/**
 * Whether the name is so well known that a domain whose whole name looks like it imitates it: reports often misspell it, or it
 * is long, and the whole name of a domain of the brand. All brands of the table are often named in reports and have many
 * customers.
 */
export const isLarge = (brand: Brands.Brand, name: string): boolean =>
  BrandName.isOftenMisspelled(name) ||
  (name.length >= MIN_CHARS && !DIGIT.test(name) && BrandOwner.isNameOfDomain(brand, name))

const bySkeleton: ReadonlyMap<string, BrandHomograph> = new Map(
  Array.from(Brands.byName)
    .filter(([name, brand]) => isLarge(brand, name) || !brand.everyday)
    .map(([name, brand]) => [Scripts.skeleton(name), { brand, name }])
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
 * - only accents, or `l` for `i`: no everyday word, and six letters;
 * - digits in an everyday word (`app1e`), as players and clubs write it: the suffix of a domain of the brand.
 *
 * `find` of `rnicrosoft.example` has `microsoft`; of `micosoft.example` and `rnicrosoft-help.example` it is nothing.
 */
export const find = ({ name: label, suffix, hostingFirm }: Host.HostName): BrandHomograph | undefined => {
  if (hostingFirm !== undefined || !LOOK_ALIKES.test(label)) return undefined
  const shown = Idna.toUnicode(label).replaceAll("-", "")
  const latin = Scripts.toLatin(shown)
  const imitated = bySkeleton.get(Scripts.skeleton(latin))
  if (imitated === undefined || imitated.name === shown || BrandName.isOrdinaryWord(shown)) return undefined
  const { brand, name } = imitated
  if (isPermutation(shown, name) || (shown !== latin && BrandOwner.isNameOfDomain(brand, shown)))
    return undefined
  const plain = Scripts.withoutAccents(shown)
  if (plain !== latin) return imitated
  if (!isLarge(brand, name)) return undefined
  const isWeak = plain.replaceAll("i", "l") === name.replaceAll("i", "l")
  const isMeant = isWeak
    ? !brand.everyday && name.length >= MIN_CHARS
    : !brand.everyday || brand.domains.includes(`${name}.${suffix}`)
  return isMeant ? imitated : undefined
}

/** Whether only the order of letters differs, as of `i` and `l` in `netfilx`: a typing error. */
const isPermutation = (word: string, other: string): boolean =>
  word.length === other.length && Array.from(word).sort().join("") === Array.from(other).sort().join("")
