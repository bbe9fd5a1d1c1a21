import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as Scripts from "../Host/Scripts.ts"
import type * as Host from "../Host.ts"
import * as BrandOwner from "./BrandOwner.ts"
import { type Brand, brands } from "./Brands.ts"
import * as BrandTypo from "./BrandTypo.ts"

/** A large brand whose name a domain's name looks like. */
export interface BrandHomograph {
  readonly brand: Brand
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
export const isLarge = (brand: Brand, name: string): boolean =>
  BrandTypo.isOftenMisspelled(name) ||
  (name.length >= MIN_CHARS && !DIGIT.test(name) && ownLabels(brand, name).length > 0)

/** The first labels of the brand's domains that are the name, with or without hyphens: `t-mobile` for `tmobile`. */
const ownLabels = ({ domains }: Brand, name: string): ReadonlyArray<string> =>
  domains
    .map((domain) => domain.slice(0, domain.indexOf(".")))
    .filter((label) => label.replaceAll("-", "") === name)

/** What looks like something else. */
const LOOK_ALIKES = /[0-9il]|rn|vv/

const bySkeleton = new Map<string, BrandHomograph & { readonly label: string }>()

/** A function, because V8 compiles the caller of a long loop: here it would be all top-level code of the bundle. */
const addSkeletons = (brand: Brand): void => {
  for (const name of brand.names) {
    const labels = ownLabels(brand, name)
    if ((brand.everyday || labels.length === 0) && !isLarge(brand, name)) continue
    for (const label of new Set([name, ...labels]))
      bySkeleton.set(Scripts.skeleton(label), { brand, name, label })
  }
}
for (const brand of brands) addSkeletons(brand)

const mayImitate = (label: string): boolean => label.startsWith("xn--") || LOOK_ALIKES.test(label)

/**
 * The large brand whose whole name the name of a registrable domain becomes if each character is replaced by one that looks
 * like it: digits, `rn`, `vv`, letters of other scripts. No letter is missing, added or exchanged. Nothing for a tenant of a
 * hosting firm and for ordinary words.
 *
 * Weaker resemblances need more:
 * - a short name (`ebay`): letters of other scripts;
 * - only accents, or `l` for `i`: no everyday word, and six letters;
 * - digits in an everyday word (`app1e`), as players and clubs write it: the suffix of a domain of the brand.
 *
 * `find` of `rnicrosoft.example` has `microsoft`; of `micosoft.example` and `rnicrosoft-help.example` it is nothing.
 */
export const find = ({ name: label, suffix, hostingFirm }: Host.HostName): BrandHomograph | undefined => {
  if (hostingFirm !== undefined || !mayImitate(label)) return undefined
  const shown = Idna.toUnicode(label)
  const latin = shown === label ? label : Scripts.toLatin(shown)
  const imitated = bySkeleton.get(Scripts.skeleton(latin))
  if (imitated === undefined || imitated.label === label || BrandTypo.isOrdinaryWord(label)) return undefined
  const { brand, name } = imitated
  if (isPermutation(label, imitated.label) || BrandOwner.isNameWithAccents(brand, shown)) return undefined
  if (shown !== label && Scripts.withoutAccents(shown) !== latin) return { brand, name }
  if (!isLarge(brand, name)) return undefined
  const isWeak = withoutI(Scripts.withoutAccents(shown)) === withoutI(imitated.label)
  if (isWeak ? brand.everyday || name.length < MIN_CHARS : brand.everyday && !hasSuffix(brand, name, suffix))
    return undefined
  return { brand, name }
}

/** Whether only the order of letters differs, as of `i` and `l` in `netfilx`: a typing error. */
const isPermutation = (word: string, other: string): boolean =>
  word.length === other.length && Array.from(word).sort().join("") === Array.from(other).sort().join("")

const withoutI = (word: string): string => word.replaceAll("i", "l")

const hasSuffix = ({ domains }: Brand, name: string, suffix: string): boolean =>
  domains.includes(`${name}.${suffix}`)
