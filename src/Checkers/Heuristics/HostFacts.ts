import * as CanonicalHost from "../../Url/CanonicalUrl/CanonicalHost.ts"
import * as Idna from "../../Url/CanonicalUrl/Idna.ts"
import * as Hosts from "../../Url/Hosts.ts"
import * as PrivateHost from "../../Url/PrivateHost.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import type { Found } from "../Kinds.ts"
import * as Brands from "./Brand/Brands.ts"
import * as Brand from "./Brand.ts"
import * as Scripts from "./Host/Scripts.ts"
import * as Host from "./Host.ts"
import * as Words from "./Words.ts"

/** See `patterns` of `Kinds`. */
type MachinePattern = Found<"machineName">["pattern"]

/**
 * What the heuristics know about the host of a canonical URL, computed once. Each fact is a pure function of the host. The model
 * has columns for facts, and `Signals` has kinds for them. On a brand's own and on a private host no name is evidence.
 */
export interface HostFacts {
  readonly host: string
  readonly isAddress: boolean
  readonly isPrivate: boolean
  /** Nothing for an IP address and for a host without a registrable domain. */
  readonly name: Host.HostName | undefined
  /** See `Hosts.isShared`. */
  readonly isShared: boolean
  readonly isShortener: boolean
  /** Known infrastructure, whose name says nothing: a public DNS resolver, or a host that carries others' names. */
  readonly isInfrastructure: boolean
  /** The host belongs to a brand or its namesake, so that the brand's name in it is not evidence. */
  readonly isBrandsOwn: boolean
  /** Lure words in the part that the registrant chose. */
  readonly lures: ReadonlyArray<string>
  /** Of those, the ones in the registrable domain. None on free hosting, where developers make pages for signing in every day. */
  readonly luresInName: ReadonlyArray<string>
  /** Nothing for a tenant of a hosting firm, who did not choose the suffix. */
  readonly abusedSuffix: string | undefined
  readonly machineName: MachinePattern | undefined
  /** The first international label, or one that mixes alphabets, and these. */
  readonly international: { readonly label: string; readonly mixed?: ReadonlyArray<string> } | undefined
  /** Another domain in front of the host's own: see `Host.decoyDomainOf`. */
  readonly decoy: string | undefined
  readonly brand: Brand.BrandEvidence | undefined
}

/** Words are found in international names too: `r\u00fcckerstattung` as `ruckerstattung`. */
const latinOf = (labels: string): string =>
  labels.includes("xn--") ? labels.replace(/[^.]+/g, Scripts.latinOf) : labels

export const factsOf = (host: string): HostFacts => {
  const isAddress = CanonicalHost.isIpAddress(host)
  const domain = isAddress ? undefined : PublicSuffix.registrableDomain(host)
  const name = isAddress ? undefined : Host.parse(host, domain)
  const isBrandsOwn = name !== undefined && Brands.ownsHost(name)
  const isPrivate = PrivateHost.isPrivate(host)
  const lures = name === undefined ? [] : Words.luresIn(latinOf(name.chosen))
  const evidence = name === undefined || isBrandsOwn || isPrivate ? undefined : evidenceOf(name, lures)
  return {
    host,
    isAddress,
    isPrivate,
    name,
    isShared: !isAddress && Hosts.isShared(host, domain),
    isShortener: !isAddress && Hosts.isShortener(host, domain),
    isInfrastructure: Hosts.hasRole(host, "publicResolver") || name?.roles.includes("carriesNames") === true,
    isBrandsOwn,
    lures,
    luresInName: evidence?.luresInName ?? [],
    abusedSuffix: evidence?.abusedSuffix,
    machineName: evidence?.machineName,
    international: evidence?.international,
    decoy: evidence?.decoy,
    brand: evidence?.brand
  }
}

/** What the name says of a host that is neither a brand's own nor private. */
const evidenceOf = (host: Host.HostName, lures: ReadonlyArray<string>) => {
  const { hostingFirm, name, suffix } = host
  const brand = Brand.findInHost(host)
  return {
    luresInName: lures.length === 0 || hostingFirm?.kind === "freeHosting" ? [] : Words.luresIn(name),
    abusedSuffix: hostingFirm === undefined ? Host.abusedSuffixOf(host) : undefined,
    machineName: Hosts.hasRole(suffix, "generated") ? undefined : machinePatternOf(name),
    international: internationalLabel(host.host),
    decoy: brand?.kind === "brandDomainInHost" ? undefined : Host.decoyDomainOf(host),
    brand
  }
}

/** Mixed alphabets in one label are stronger evidence than one alphabet that is not Latin. */
const internationalLabel = (host: string): HostFacts["international"] => {
  if (!host.includes("xn--")) return undefined
  const labels = host
    .split(".")
    .filter((label) => label.startsWith("xn--"))
    .map((label) => {
      const mixed = Scripts.mixedAlphabets(Idna.toUnicode(label))
      return mixed === undefined ? { label } : { label, mixed }
    })
  return labels.find((label) => "mixed" in label) ?? labels[0]
}

/**
 * Labels that a program generated, found by structure alone. Each pattern is at least ten times as frequent among the names
 * of reported hosts as among those of ordinary ones in the development data.
 */
const patternsWithDigits: ReadonlyArray<readonly [MachinePattern, RegExp]> = [
  // The default name of a page on a free host: `modern-table-729055`, `soft-dango-d8e27e`.
  ["generated", /^[a-z]+-[a-z]+-(?:\d{4,}|(?=[a-f]*\d)[0-9a-f]{6,})$/],
  // Eight or more hexadecimal digits, letters among them: `pub-1f0c...` of storage, `site-a1b2c3d4` of previews.
  ["hexadecimal", /(?:^|-)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?:$|-)/],
  // An IPv4 address: `192-0-2-7`.
  ["address", /(?:^|\D)\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:$|\D)/],
  // Years and telephone codes have four digits.
  ["digits", /\d{5}/],
  // Four changes between letters and digits.
  ["mixed", /(?:\d[\d-]*[^\d-]\D*){2}\d|(?:[^\d-]\D*\d[\d-]*){2}[^\d-]/]
]
const patternsOfConsonants: ReadonlyArray<RegExp> = [
  // Six in a row. An `h` counts as one with the consonant before it: `hochschwarzwald` has four.
  /[^aeiouy\d-]h*(?:[^aeiouyh\d-]h*){5}/,
  // Abbreviations have at most five letters.
  /^[^aeiouy\d]{6,}$/
]

/** Pairs of letters that occur in no language with Latin letters, except in abbreviations. */
const RARE_NEIGHBOURS =
  /[jqxz](?=[bcdfghjklmnpqrstvwxz])|[bcdfghjklmnpqrtvwxz](?=[jqx])|q(?=[^u0-9-])|v(?=[bcdfghjklmnpqtvwxz])/g
const MAX_RARE_NEIGHBOURS = 2
/** One of each pair. Most labels have none. */
const RARE_LETTER = /[jqvxz]/

/** The pattern of a generated label; nothing for ordinary and international labels. */
export const machinePatternOf = (label: string): MachinePattern | undefined => {
  if (label.startsWith("xn--")) return undefined
  const [pattern] = /\d/.test(label) ? (patternsWithDigits.find(([, form]) => form.test(label)) ?? []) : []
  if (pattern !== undefined) return pattern
  const hasRareConsonants =
    patternsOfConsonants.some((form) => form.test(label)) ||
    (RARE_LETTER.test(label) && (label.match(RARE_NEIGHBOURS)?.length ?? 0) > MAX_RARE_NEIGHBOURS)
  return hasRareConsonants ? "consonants" : undefined
}
