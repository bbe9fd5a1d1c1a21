import { domainToASCII } from "node:url"
import * as Hosting from "../Host/Hosting.ts"
import type * as HostName from "../Host/HostName.ts"
import * as BrandMatch from "./BrandMatch.ts"
import { type Brand, brands } from "./Brands.ts"

const ownDomains = new Set<string>()
const namesInEveryCountry = new Set<string>()
/** Suffix after `*.`, by brand. */
const homes = new Map<Brand, Set<string>>()

for (const brand of brands)
  for (const domain of brand.domains)
    if (domain.startsWith("*.")) homes.set(brand, (homes.get(brand) ?? new Set()).add(domain.slice(2)))
    else if (domain.endsWith(".*")) namesInEveryCountry.add(domainToASCII(domain.slice(0, -2)))
    else ownDomains.add(domainToASCII(domain.startsWith(".") ? domain.slice(1) : domain))

/** Whether many firms hold the name by right under this suffix, as savings banks do. */
export const isShared = (brand: Brand, suffix: string): boolean => homes.get(brand)?.has(suffix) ?? false

/** `de`, `co.uk`, `com.br` */
const countrySuffix = /^(?:[a-z]{2,3}\.)?[a-z]{2}$/

/** Look like one, but are names that a reseller sells below (Public Suffix List, CentralNic and others). */
const soldSuffixes: ReadonlySet<string> = new Set("com.de com.se co.nl co.no co.ca za.bz".split(" "))

/** Registers that admit only authorities, universities and banks: a brand's name there is theirs by right. */
const closedSuffix =
  /^(?:[a-z-]+\.)?(?:gov|edu|mil|int|bank|(?:gov|govt|gob|gouv|gub|go|gc|lg|mil|edu|ac|bank|nhs|police)\.[a-z]{2})$/

/** Top-level domains under which firms show their own staff's work: `netflix.engineering`. */
const workSuffixes: ReadonlySet<string> = new Set("design engineering careers jobs codes".split(" "))

/** Whether the host is a brand's own, or a well-known namesake's. */
export const belongsToBrand = ({
  name,
  registrable,
  suffix,
  subdomains,
  publisher
}: HostName.HostName): boolean => {
  if (publisher !== undefined) return suffix === "github.io" && isOrganization(name)
  if (ownDomains.has(registrable) || ownDomains.has(suffix) || closedSuffix.test(suffix)) return true
  if (workSuffixes.has(suffix) && BrandMatch.ofName(name) !== undefined) return true
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

/** Shorter labels stand in names by chance. */
const SHORTEST_LABEL = 3

/**
 * The domain to show people who ask whose a brand's name is: the one that the name stands in, or that stands in the
 * name, if a row holds names of several firms; else the first.
 */
export const homeOf = (brand: Brand, name: string): string =>
  brand.domains.find((domain) => {
    if (domain.startsWith(".") || domain.includes("*")) return false
    const label = domain.slice(0, domain.indexOf(".")).replaceAll("-", "")
    return label.includes(name) || (label.length >= SHORTEST_LABEL && name.includes(label))
  }) ?? brand.domains[0]

/** Whether the domain stands in the brand's own row. */
export const ownsDomain = (brand: Brand, domain: string): boolean => brand.domains.includes(domain)

/**
 * Whether `name.next` is how a domain of the brand's begins: for `paypal`, `com` is, and `de`, since the brand holds its
 * name in every country.
 */
export const isBeginOfDomain = (brand: Brand, name: string, next: string): boolean =>
  brand.domains.some(
    (domain) =>
      domain === `${name}.${next}` ||
      domain.startsWith(`${name}.${next}.`) ||
      (domain === `${name}.*` && countrySuffix.test(next))
  )
