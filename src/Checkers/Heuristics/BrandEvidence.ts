import * as BrandMatch from "./BrandMatch.ts"
import { type Brand, brands } from "./Brands.ts"
import * as Hosting from "./Hosting.ts"
import * as HostName from "./HostName.ts"
import * as Scripts from "./Scripts.ts"

/**
 * How a host that is not a brand's own uses the brand's name:
 *
 * - `brandDomainInHost`: the brand's whole domain inside another, `paypal.com.example.net`, `paypal.com-pay.example`;
 * - `brandLookAlike`: spelled to be taken for the name, `paypa1-secure.example`;
 * - `brandInDomain`: the name in the registrable domain, `paypal-secure.example`;
 * - `brandInSubdomain`: the name before it, `paypal.example.net`.
 */
export interface BrandEvidence {
  readonly kind: "brandDomainInHost" | "brandLookAlike" | "brandInDomain" | "brandInSubdomain"
  readonly brand: Brand
  readonly name: string
}

const strengths = { brandDomainInHost: 4, brandLookAlike: 3, brandInDomain: 2, brandInSubdomain: 1 } as const

/** A name that is also an everyday word gives way to any that is not. */
const strength = ({ kind, brand }: BrandEvidence): number => strengths[kind] + (brand.everyday ? 0 : 4)

const stronger = (
  left: BrandEvidence | undefined,
  right: BrandEvidence | undefined
): BrandEvidence | undefined =>
  left === undefined || (right !== undefined && strength(right) > strength(left)) ? right : left

/** Beyond these a host is suspicious by its length, not by its words. */
const MOST_LABELS = 12
const MOST_WORDS = 12

const separators = /[-_]+/

/**
 * The strongest use of a brand's name in a host that belongs to no brand, or nothing. A name that is an everyday word as
 * well is found like any other: whether it counts is for the caller to decide.
 */
export const inHost = (host: HostName.HostName): BrandEvidence | undefined => {
  let found = inLabel(host.name, "brandInDomain", undefined)
  const labels = host.subdomains.slice(-MOST_LABELS)
  const isCompanyService = Hosting.isCompanyService(host.registrable)
  for (const [at, label] of labels.entries())
    if (!(isCompanyService && BrandMatch.ofName(label.replaceAll("-", ""))))
      found = stronger(found, inLabel(label, "brandInSubdomain", labels[at + 1] ?? host.name))
  return found
}

const inLabel = (
  label: string,
  ordinaryKind: "brandInDomain" | "brandInSubdomain",
  nextLabel: string | undefined
): BrandEvidence | undefined => {
  const shown = label.startsWith("xn--") ? Scripts.latin(HostName.unicode(label)) : label
  const words = shown.split(separators, MOST_WORDS)
  let found: BrandEvidence | undefined
  for (const [at, word] of words.entries()) {
    const match = BrandMatch.inWord(word) ?? joined(words, at)
    if (match === undefined) continue
    const { brand, name } = match
    const next = words[at + 1] ?? nextLabel?.split("-", 1)[0]
    const kind = brand.domains.includes(`${word}.${next}`)
      ? "brandDomainInHost"
      : match.isLookAlike || shown !== label
        ? "brandLookAlike"
        : ordinaryKind
    found = stronger(found, { kind, brand, name })
  }
  return found
}

/** A name written with hyphens: `wells-fargo`, `bank-of-america`. */
const joined = (words: ReadonlyArray<string>, at: number): BrandMatch.BrandMatch | undefined => {
  const [first, second, third] = words.slice(at, at + 3)
  if (second === undefined) return undefined
  return BrandMatch.ofName(`${first}${second}`) ?? BrandMatch.ofName(`${first}${second}${third ?? ""}`)
}

const ownDomains = new Set<string>()
const namesInEveryCountry = new Set<string>()

for (const domain of brands.flatMap((brand) => brand.domains))
  if (domain.endsWith(".*")) namesInEveryCountry.add(domain.slice(0, -".*".length))
  else ownDomains.add(domain.startsWith(".") ? domain.slice(1) : domain)

/** `de`, `co.uk`, `com.br` */
const countrySuffix = /^(?:[a-z]{2,3}\.)?[a-z]{2}$/

/** Look like one, but are names that a reseller sells below (Public Suffix List, CentralNic and others). */
const soldSuffixes: ReadonlySet<string> = new Set("com.de com.se co.nl co.no co.ca za.bz".split(" "))

/** Whether the host is a brand's own, or a well-known namesake's. */
export const belongsToBrand = ({
  name,
  registrable,
  suffix,
  subdomains,
  publisher
}: HostName.HostName): boolean => {
  if (publisher !== undefined) return suffix === "github.io" && isOrganization(name)
  if (ownDomains.has(registrable) || ownDomains.has(suffix)) return true
  if (
    namesInEveryCountry.has(name) &&
    countrySuffix.test(suffix) &&
    !soldSuffixes.has(suffix) &&
    Hosting.abusedSuffix(suffix) === undefined
  )
    return true
  let domain = registrable
  return subdomains.some((_, at) => {
    domain = `${subdomains[subdomains.length - 1 - at]}.${domain}`
    return ownDomains.has(domain)
  })
}

/** GitHub gives the name of an organization to one party, and those of brands are the brands': `google.github.io`. */
const isOrganization = (name: string): boolean => BrandMatch.ofName(name) !== undefined

const MOST_SEGMENTS = 16
const LONGEST_SEGMENT = 40
/** More are a headline: `paypal-raises-fees`. */
const MOST_WORDS_IN_SEGMENT = 2

/**
 * The first brand that a short path segment names, its extension aside: `/secure/paypal-login.php` has paypal,
 * `/news/paypal-raises-fees` none. Look-alikes and everyday words do not count: paths are full of other words.
 */
export const inPath = (path: string): Pick<BrandEvidence, "brand" | "name"> | undefined => {
  let start = 1
  for (let count = 0; count < MOST_SEGMENTS && start < path.length; count++) {
    const slash = path.indexOf("/", start)
    const end = slash === -1 ? path.length : slash
    const found = end - start > LONGEST_SEGMENT ? undefined : inSegment(path.slice(start, end).toLowerCase())
    if (found !== undefined) return found
    start = end + 1
  }
  return undefined
}

const inSegment = (segment: string): Pick<BrandEvidence, "brand" | "name"> | undefined => {
  const dot = segment.indexOf(".")
  const words = (dot === -1 ? segment : segment.slice(0, dot)).split(separators, MOST_WORDS_IN_SEGMENT + 1)
  if (words.length > MOST_WORDS_IN_SEGMENT) return undefined
  for (const word of words) {
    const match = BrandMatch.inWord(word)
    if (match !== undefined && !match.isLookAlike && !match.brand.everyday)
      return { brand: match.brand, name: match.name }
  }
  return undefined
}
