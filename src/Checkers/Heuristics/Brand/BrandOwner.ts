import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as Hosts from "../../../Url/Hosts.ts"
import * as LookupExpression from "../../../Url/LookupExpression.ts"
import * as Hosting from "../Host/Hosting.ts"
import type * as Host from "../Host.ts"
import { type Brand, brands, byName, spellingByName } from "./Brands.ts"

/** The brands of each domain, of which a firm may have several; none for a namesake. */
const ownDomains = new Map<string, ReadonlyArray<Brand>>(
  Array.from(Hosts.namesWith("namesake"), (domain) => [domain, []])
)
const namesInEveryCountry = new Map<string, Brand>()

/** Of 3,000 domains a few are international; converting the others would take a fifth of the start. */
const asciiOf = (domain: string): string =>
  /^[a-z\d.-]+$/.test(domain) ? domain : (Idna.toAscii(domain) ?? domain)

for (const brand of brands)
  for (const domain of brand.domains)
    if (domain.endsWith(".*")) {
      if (!brand.shared.includes(domain)) namesInEveryCountry.set(asciiOf(domain.slice(0, -2)), brand)
    } else if (!domain.startsWith("*.")) {
      const own = asciiOf(domain.startsWith(".") ? domain.slice(1) : domain)
      ownDomains.set(own, [...(ownDomains.get(own) ?? []), brand])
    }

/** Whether many firms have a right to the name under this suffix, as savings banks do. */
export const isSharedUnder = (brand: Brand, suffix: string): boolean => brand.domains.includes(`*.${suffix}`)

/** `de`, `co.uk`, `com.br` */
const countrySuffix = /^(?:[a-z]{2,3}\.)?[a-z]{2}$/

const resellerSuffixes = Hosts.namesWith("reseller")
const suffixesLikeCom = Hosts.namesWith("likeCom")

/** Suffixes only for authorities, universities and banks: a brand's name there is legitimate. */
const closedSuffix =
  /^(?:[a-z-]+\.)?(?:gov|edu|mil|int|bank|(?:gov|govt|gob|gouv|gub|go|gc|lg|mil|edu|ac|bank|nhs|police)\.[a-z]{2})$/

const workSuffixes = Hosts.namesWith("work")

/** Whether the host belongs to a brand or to a well-known namesake. */
export const belongsToBrand = ({ host, name, registrable, suffix, hostingFirm }: Host.HostName): boolean => {
  // On GitHub the organizations with names of brands are the brands' own: `google.github.io`.
  if (hostingFirm !== undefined)
    return ownDomains.has(registrable) || (suffix === "github.io" && byName.has(name))
  if (ownDomains.has(suffix) || closedSuffix.test(suffix)) return true
  if (workSuffixes.has(suffix) && byName.has(name)) return true
  if (namesInEveryCountry.has(name) && isCountrySuffix(suffix)) return true
  return LookupExpression.hostSuffixes(host, registrable).some((domain) => ownDomains.has(domain))
}

const isCountrySuffix = (suffix: string): boolean =>
  countrySuffix.test(suffix) &&
  !resellerSuffixes.has(suffix) &&
  !suffixesLikeCom.has(suffix) &&
  Hosting.abusedSuffix(suffix) === undefined

/**
 * The brands whose domain a host is or ends with, several if a firm has several: PayPal for `www.paypal.com` and `paypal.de`;
 * none for other hosts.
 */
export const ownersOf = (host: string): ReadonlyArray<Brand> => {
  for (const domain of LookupExpression.hostAndParents(host)) {
    const owners = ownDomains.get(domain)
    if (owners !== undefined) return owners
    const dot = domain.indexOf(".")
    const brand = namesInEveryCountry.get(domain.slice(0, dot))
    if (brand !== undefined && isCountrySuffix(domain.slice(dot + 1))) return [brand]
  }
  return []
}

/** Whether a domain belongs to a brand which does not own the host. */
export const isOtherBrands = (domain: string, host: string): boolean => {
  const owners = ownersOf(domain)
  return owners.length > 0 && !ownersOf(host).some((brand) => owners.includes(brand))
}

/** Shorter labels are parts of names by chance. */
const MIN_LABEL_CHARS = 3

/**
 * The domain shown to users as the owner of a brand's name: the first whose label contains the name or is part of it,
 * because a row can contain names of several firms; else the first.
 */
export const domainToShow = (brand: Brand, name: string): string =>
  brand.domains.find((domain) => {
    if (domain.startsWith(".") || domain.includes("*")) return false
    const label = domain.slice(0, domain.indexOf(".")).replaceAll("-", "")
    return label.includes(name) || (label.length >= MIN_LABEL_CHARS && name.includes(label))
  }) ?? brand.domains[0]

/**
 * A brand's name for people: `PayPal` of `paypal`, `Discord` of `discordgift`, which contains the name of its owner's
 * `domain`, and in quotation marks a name whose spelling is not known.
 */
export const shownName = (name: string, domain: string): string => {
  const label = domain.slice(0, domain.indexOf("."))
  return (
    spellingByName.get(name) ?? (name.includes(label) ? spellingByName.get(label) : undefined) ?? `"${name}"`
  )
}

/** Whether the name, with the accents that it may have, is the first label of a domain of the brand: hyphens do not count. */
export const isNameOfDomain = ({ domains }: Brand, name: string): boolean =>
  domains.some((domain) => domain.slice(0, domain.indexOf(".")).replaceAll("-", "") === name)

/**
 * Whether a domain of the brand starts with `name.next`: for `paypal` with `com`, and with `de`, since the brand has its
 * name in every country.
 */
export const startsDomain = (brand: Brand, name: string, next: string): boolean =>
  brand.domains.some(
    (domain) =>
      domain === `${name}.${next}` ||
      domain.startsWith(`${name}.${next}.`) ||
      (domain === `${name}.*` && countrySuffix.test(next))
  )
