import * as CanonicalHost from "../../Url/CanonicalUrl/CanonicalHost.ts"
import * as Idna from "../../Url/CanonicalUrl/Idna.ts"
import * as PrivateHost from "../../Url/PrivateHost.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import * as SharedHost from "../../Url/SharedHost.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import type { BrandEvidence } from "./Brand.ts"
import * as Brand from "./Brand.ts"
import * as Hosting from "./Host/Hosting.ts"
import * as MachineName from "./Host/MachineName.ts"
import * as Scripts from "./Host/Scripts.ts"
import * as Host from "./Host.ts"
import * as Words from "./Words.ts"

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
  /** See `SharedHost`. */
  readonly isShared: boolean
  readonly isShortener: boolean
  /** The host belongs to a brand or its namesake, so that the brand's name in it is not evidence. */
  readonly isBrandsOwn: boolean
  /** Lure words in the part that the registrant chose. */
  readonly lures: ReadonlyArray<string>
  /** Of those, the ones in the registrable domain. None on free hosting, where developers make pages for signing in every day. */
  readonly luresInName: ReadonlyArray<string>
  /** Nothing for a tenant of a hosting firm, who did not choose the suffix. */
  readonly abusedSuffix: string | undefined
  readonly machineName: MachineName.Pattern | undefined
  /** The first international label, or one that mixes alphabets, and these. */
  readonly international: { readonly label: string; readonly mixed?: ReadonlyArray<string> } | undefined
  /** Another domain in front of the host's own: see `Host.decoyDomainOf`. */
  readonly decoy: string | undefined
  readonly brand: BrandEvidence | undefined
}

/** Words are found in international names too: `r\u00fcckerstattung` as `ruckerstattung`. */
const latinOf = (labels: string): string =>
  labels.includes("xn--")
    ? labels.replace(/[^.]+/g, (label) => Scripts.toLatin(Idna.toUnicode(label)))
    : labels

const none: ReadonlyArray<string> = []

export const factsOf = (host: string): HostFacts => {
  const isAddress = CanonicalHost.isIpAddress(host)
  const domain = isAddress ? undefined : PublicSuffix.registrableDomain(host)
  const name = isAddress ? undefined : Host.parse(host, domain)
  const isBrandsOwn = name !== undefined && BrandOwner.belongsToBrand(name)
  const isPrivate = PrivateHost.isPrivate(host)
  // No name is evidence on a brand's own and on a private host.
  const chosen = isBrandsOwn || isPrivate ? undefined : name
  const firm = chosen?.hostingFirm
  const international = chosen && host.includes("xn--") ? internationalLabel(host) : undefined
  const abusedSuffix = chosen && firm === undefined ? Hosting.abusedSuffix(host) : undefined
  const machineName =
    chosen === undefined || Hosting.hasGeneratedNames(chosen.suffix)
      ? undefined
      : MachineName.patternOf(chosen.name)
  const luresInName = chosen === undefined || firm?.kind === "freeHosting" ? none : Words.luresIn(chosen.name)
  const brand = chosen && Brand.findInHost(chosen)
  return {
    host,
    isAddress,
    isPrivate,
    name,
    isShared: !isAddress && SharedHost.isShared(host, domain),
    isShortener: !isAddress && SharedHost.isShortener(host, domain),
    isBrandsOwn,
    lures: name === undefined ? none : Words.luresIn(latinOf(name.chosen)),
    luresInName,
    abusedSuffix,
    machineName,
    international,
    decoy: chosen && brand?.kind !== "brandDomainInHost" ? Host.decoyDomainOf(chosen) : undefined,
    brand
  }
}

/** Mixed alphabets in one label are stronger evidence than one alphabet that is not Latin. */
const internationalLabel = (host: string): HostFacts["international"] => {
  let first: HostFacts["international"]
  for (const label of host.split(".")) {
    if (!label.startsWith("xn--")) continue
    const mixed = Scripts.mixedAlphabets(Idna.toUnicode(label))
    if (mixed !== undefined) return { label, mixed }
    first ??= { label }
  }
  return first
}
