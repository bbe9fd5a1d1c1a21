/** The brands that phishing pages imitate, and who owns their names: the table `brands.tsv`, which `brands.schema.js` explains. */

import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as Hosts from "../../../Url/Hosts.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import type { Facts } from "../../Kinds/Details.ts"
import type * as Host from "../Host.ts"
import type { BrandRow, Flag } from "./brands.schema.js"
import rows from "./brands.tsv"

/** A name that phishing pages imitate, and the domains of its owner. */
export interface Brand {
  readonly names: BrandRow["names"]
  readonly domains: BrandRow["domains"]
  readonly sector: BrandRow["sector"]
  readonly everyday: boolean
  readonly selfHosted: boolean
}

/** Of a domain that a row of the same firm owns, too. */
const withoutPlus = (domain: string): string => domain.replace("+", "")

export const brands: ReadonlyArray<Brand> = rows.map(
  ({ names, domains: [first, ...others], sector, flags }) => ({
    names,
    sector,
    domains: [withoutPlus(first), ...others.map(withoutPlus)],
    everyday: flags.includes("everyday"),
    selfHosted: flags.includes("selfHosted")
  })
)

export const byName: ReadonlyMap<string, Brand> = new Map(
  brands.flatMap((brand) => brand.names.map((name) => [name, brand] as const))
)

/** The names that have a flag. */
export const namesWith = (flag: Flag): ReadonlySet<string> =>
  new Set(
    rows.flatMap(({ names, flags }) =>
      flags.includes(flag) ? names : names.filter((name) => flags.includes(`${flag}:${name}`))
    )
  )

/** Of 3,000 domains a few are international; converting the others would take a fifth of the start. */
const asciiOf = (domain: string): string => {
  const [label = "", ...suffix] = domain.split(".")
  return /[^a-z\d-]/.test(label) ? [Idna.toAscii(label) ?? label, ...suffix].join(".") : domain
}

/** The brands of each domain, of which a firm may have several; none for a namesake. */
const ownDomains = new Map<string, ReadonlyArray<Brand>>(
  Array.from(Hosts.namesWith("namesake"), (domain) => [domain, []])
)
/** The brands with this label in every country, from domains such as `paypal.*`. */
const ownLabels = new Map<string, ReadonlyArray<Brand>>()
const IN_EVERY_COUNTRY = ".*"
for (const brand of brands)
  for (const domain of brand.domains) {
    if (domain.startsWith("*.")) continue
    const own = asciiOf(domain.startsWith(".") ? domain.slice(1) : domain)
    const [owned, key] = own.endsWith(IN_EVERY_COUNTRY)
      ? [ownLabels, own.slice(0, -IN_EVERY_COUNTRY.length)]
      : [ownDomains, own]
    owned.set(key, [...(owned.get(key) ?? []), brand])
  }

/** `de`, `co.uk`, `com.br` */
const countrySuffix = /^(?:[a-z]{2,3}\.)?[a-z]{2}$/

const isCountrySuffix = (suffix: string): boolean =>
  countrySuffix.test(suffix) &&
  !Hosts.hasRole(suffix, "reseller") &&
  !Hosts.hasRole(suffix, "likeCom") &&
  !Hosts.hasRole(suffix.slice(suffix.indexOf(".") + 1), "abusedSuffix")

/** The brands that have a registrable domain in every country: PayPal for `paypal.de` and `paypal.co.uk`. */
const ownersInEveryCountry = (domain: string): ReadonlyArray<Brand> | undefined => {
  const dot = domain.indexOf(".")
  const owners = ownLabels.get(domain.slice(0, dot))
  return owners !== undefined &&
    isCountrySuffix(domain.slice(dot + 1)) &&
    PublicSuffix.registrableDomain(domain) === domain
    ? owners
    : undefined
}

/**
 * The brands that own the first of these domains, of at least so many characters, that is in the table: none for a namesake's;
 * undefined if none is in it.
 */
const ownersAmong = (domains: ReadonlyArray<string>, minChars = 0): ReadonlyArray<Brand> | undefined => {
  for (const domain of domains) {
    if (domain.length < minChars) return undefined
    const owners = ownDomains.get(domain) ?? ownersInEveryCountry(domain)
    if (owners !== undefined) return owners
  }
  return undefined
}

/**
 * The brands whose domain a host is or ends with, several if a firm has several: PayPal for `www.paypal.com` and `paypal.de`;
 * none for other hosts.
 */
export const ownersOf = (host: string): ReadonlyArray<Brand> =>
  ownersAmong(PublicSuffix.hostAndParents(host)) ?? []

const lastLabels: ReadonlySet<string> = new Set(
  Array.from(ownDomains.keys(), (domain) => domain.slice(domain.lastIndexOf(".") + 1))
)

/** The brand that has the very domain of these labels: GOV.UK for `gov` and `uk`. Most labels end no domain, and need not be joined. */
export const ownerOf = (labels: ReadonlyArray<string>): Brand | undefined =>
  lastLabels.has(labels.at(-1) ?? "") ? ownDomains.get(labels.join("."))?.[0] : undefined

/** Whether a domain belongs to a brand which does not own the host. */
export const isOtherBrands = (domain: string, host: string): boolean => {
  const owners = ownersOf(domain)
  return owners.length > 0 && !ownersOf(host).some((brand) => owners.includes(brand))
}

/** Suffixes only for authorities, universities and banks: a brand's name there is legitimate. */
const closedSuffix =
  /^(?:[a-z-]+\.)?(?:gov|edu|mil|int|bank|(?:gov|govt|gob|gouv|gub|go|gc|lg|mil|edu|ac|bank|nhs|police)\.[a-z]{2})$/

/**
 * Whether the host belongs to a brand or to a well-known namesake. On GitHub the organizations with names of brands are their own.
 * A suffix may be below a brand's domain (`s3.amazonaws.com`): its tenants are not that brand.
 */
export const ownsHost = ({
  hostAndParents,
  hostingFirm,
  name,
  registrable,
  suffix
}: Host.HostName): boolean => {
  if (hostingFirm !== undefined)
    return ownDomains.has(registrable) || (suffix === "github.io" && byName.has(name))
  return (
    ownersAmong(hostAndParents, suffix.length) !== undefined ||
    closedSuffix.test(suffix) ||
    (Hosts.hasRole(suffix, "work") && byName.has(name))
  )
}

/** Whether many firms have a right to the name under this suffix, as savings banks do. */
export const isSharedUnder = (brand: Brand, suffix: string): boolean => brand.domains.includes(`*.${suffix}`)

const firstLabel = (domain: string): string => domain.slice(0, domain.indexOf(".")).replaceAll("-", "")

/** Whether the name, with the accents that it may have, is the first label of a domain of the brand: hyphens do not count. */
export const isNameOfDomain = ({ domains }: Brand, name: string): boolean =>
  domains.some((domain) => firstLabel(domain) === name)

/**
 * Whether a domain of the brand starts with `name.next`: for `paypal` with `com`, and with `de`, since the brand has its
 * name in every country.
 */
export const startsDomain = (brand: Brand, name: string, next: string): boolean =>
  brand.domains.some((domain) => `${domain}.`.startsWith(`${name}.${next}.`)) ||
  (brand.domains.includes(`${name}.*`) && countrySuffix.test(next))

const NOT_IN_NAMES = /[^a-z0-9]/g

/** How its owner spells a name, by the name. */
const spellingByName: ReadonlyMap<string, string> = new Map(
  rows.flatMap(({ spellings }) =>
    spellings.map((spelling) => [spelling.toLowerCase().replace(NOT_IN_NAMES, ""), spelling] as const)
  )
)

/** Whether the name's owner spells it as these words: `china` and `mobile` of `China Mobile`. */
export const isSpelledAs = (name: string, words: ReadonlyArray<string>): boolean =>
  spellingByName.get(name)?.toLowerCase() === words.join(" ")

/** Shorter labels are parts of names by chance. */
const MIN_LABEL_CHARS = 3

/**
 * The brand as reasons show it. Its domain is the first whose label contains the name that was found or is part of it, because a
 * row can contain names of several firms; else the first. Its name is `PayPal` of `paypal`, `Discord` of `discordgift`, which
 * contains the name of its owner's domain, and in quotation marks a name whose spelling is not known.
 */
export const shown = (brand: Brand, name: string): Facts["brand"] => {
  const domain =
    brand.domains.find((domain) => {
      if (domain.startsWith(".") || domain.includes("*")) return false
      const label = firstLabel(domain)
      return label.includes(name) || (label.length >= MIN_LABEL_CHARS && name.includes(label))
    }) ?? brand.domains[0]
  const label = domain.slice(0, domain.indexOf("."))
  const spelled = spellingByName.get(name) ?? (name.includes(label) ? spellingByName.get(label) : undefined)
  return { name: spelled ?? `"${name}"`, domain }
}
