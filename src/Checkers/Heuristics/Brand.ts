import * as BrandAffixes from "./Brand/BrandAffixes.ts"
import * as BrandMatch from "./Brand/BrandMatch.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import type { Brand } from "./Brand/Brands.ts"
import * as Hosting from "./Host/Hosting.ts"
import * as HostName from "./Host/HostName.ts"
import * as Scripts from "./Host/Scripts.ts"
import * as LureWords from "./LureWords.ts"

/**
 * How a host that is not a brand's own uses the brand's name:
 *
 * - `brandDomainInHost`: the brand's whole domain inside another, `paypal.com.example.net`, `paypal.com-pay.example`;
 * - `brandLookAlike`: spelled to be taken for the name, `paypa1-secure.example`;
 * - `brandInDomain`: the name in the registrable domain, alone or with words of lures, `paypal-secure.example`;
 * - `brandInSubdomain`: the same before it, `paypal.example.net`;
 * - `brandAmongWords`: the name among words of another kind, `paypal-museum.example`;
 * - `everydayBrand`: a name that is also an everyday word, with a word that asks for credentials in the same label, or
 *   alone in a host that is striking anyway: `apple-verify.example`, `apple.example.top`; never `apple-repair.example`.
 */
export interface BrandEvidence {
  readonly kind:
    | "brandDomainInHost"
    | "brandLookAlike"
    | "brandInDomain"
    | "brandInSubdomain"
    | "brandAmongWords"
    | "everydayBrand"
  readonly brand: Brand
  readonly name: string
}

const strengths = {
  brandDomainInHost: 6,
  brandLookAlike: 5,
  brandInDomain: 4,
  brandInSubdomain: 3,
  brandAmongWords: 2,
  everydayBrand: 1
} as const

const stronger = (
  left: BrandEvidence | undefined,
  right: BrandEvidence | undefined
): BrandEvidence | undefined =>
  left === undefined || (right !== undefined && strengths[right.kind] > strengths[left.kind]) ? right : left

/** Beyond these a host is suspicious by its length, not by its words. */
const MOST_LABELS = 12
const MOST_WORDS = 12

const separators = /[-_]+/

/** The strongest use of a brand's name in a host that belongs to no brand; `isStriking`: something else speaks against it. */
export const inHost = (host: HostName.HostName, isStriking: boolean): BrandEvidence | undefined => {
  let found = inLabel(host, host.name, "brandInDomain", undefined, isStriking)
  const labels = host.subdomains.slice(-MOST_LABELS)
  for (const [at, label] of labels.entries())
    if (label !== "www")
      found = stronger(
        found,
        inLabel(host, label, "brandInSubdomain", labels[at + 1] ?? host.name, isStriking)
      )
  return found
}

const inLabel = (
  host: HostName.HostName,
  label: string,
  ordinaryKind: "brandInDomain" | "brandInSubdomain",
  nextLabel: string | undefined,
  isStriking: boolean
): BrandEvidence | undefined => {
  const shown = label.startsWith("xn--") ? Scripts.latin(HostName.unicode(label)) : label
  const words = shown.split(separators, MOST_WORDS)
  let found: BrandEvidence | undefined
  for (const [at, word] of words.entries()) {
    const inWord = BrandMatch.inWord(word)
    const joined = inWord === undefined || inWord.brand.everyday ? inJoined(words, at) : undefined
    const match =
      joined?.match ?? inWord ?? (host.publisher === undefined ? undefined : BrandMatch.atBeginning(word))
    if (match === undefined || BrandOwner.isShared(match.brand, host.suffix)) continue
    const { brand, name } = match
    const after = joined === undefined ? at + 1 : joined.end
    const others = [...words.slice(0, at), match.rest, ...words.slice(after)].filter((other) => other !== "")
    const isBegin =
      after < words.length
        ? joined === undefined && BrandOwner.ownsDomain(brand, `${word}.${words[after]}`)
        : nextLabel !== undefined && BrandOwner.isBeginOfDomain(brand, word, nextLabel.split("-", 1)[0] ?? "")
    const kind = isBegin
      ? "brandDomainInHost"
      : kindOf(match, others, shown !== label, ordinaryKind, isStriking)
    if (kind === undefined) continue
    if (
      kind !== "brandLookAlike" &&
      Hosting.isCompanyService(ordinaryKind === "brandInSubdomain" ? host.registrable : host.suffix) &&
      !others.some(LureWords.isCredential)
    )
      continue
    found = stronger(found, { kind, brand, name })
  }
  return found
}

const kindOf = (
  { brand, isLookAlike, isAmongOthers }: BrandMatch.BrandMatch,
  others: ReadonlyArray<string>,
  isTransliterated: boolean,
  ordinaryKind: "brandInDomain" | "brandInSubdomain",
  isStriking: boolean
): BrandEvidence["kind"] | undefined => {
  const isAlone = !isAmongOthers && others.every(BrandAffixes.areAffixes)
  const asks = others.some(LureWords.isCredential)
  if (isTransliterated) return "brandLookAlike"
  if (isLookAlike) return isAlone || asks || isStriking ? "brandLookAlike" : undefined
  if (brand.everyday) {
    const isMeant = isAlone ? asks || isStriking : isStriking && others.some(isAffixInLetters)
    return isMeant ? "everydayBrand" : undefined
  }
  return isAlone ? ordinaryKind : "brandAmongWords"
}

const isAffixInLetters = (word: string): boolean => /[a-z]/.test(word) && BrandAffixes.areAffixes(word)

interface Joined {
  readonly match: BrandMatch.BrandMatch
  /** Index of the first word behind the name. */
  readonly end: number
}

const MOST_JOINED = 4

/** A name written with hyphens: `wells-fargo`, `bank-of-america`, `pay-pal`. */
const inJoined = (words: ReadonlyArray<string>, at: number): Joined | undefined => {
  let text = words[at] ?? ""
  for (let end = at + 1; end < Math.min(words.length, at + MOST_JOINED); end++) {
    text += words[end]
    const match = BrandMatch.ofSpelling(text)
    if (match !== undefined) return { match, end: end + 1 }
  }
  return undefined
}
