import * as CanonicalHost from "../../Url/CanonicalUrl/CanonicalHost.ts"
import * as Idna from "../../Url/CanonicalUrl/Idna.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import * as SharedHost from "../../Url/SharedHost.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import * as Scripts from "./Host/Scripts.ts"
import * as Host from "./Host.ts"
import * as LureWords from "./LureWords.ts"

/** What the heuristics know about the host of a canonical URL, computed once. */
export interface HostFacts {
  readonly host: string
  readonly isAddress: boolean
  /** Nothing for an IP address and for a host without a registrable domain. */
  readonly name: Host.HostName | undefined
  /** See `SharedHost`. */
  readonly isShared: boolean
  readonly isShortener: boolean
  /** The host belongs to a brand or its namesake, so that the brand's name in it is not evidence. */
  readonly isBrandsOwn: boolean
  /** Lure words in the part that the registrant chose. */
  readonly lures: ReadonlyArray<string>
}

/** Words are found in international names too: `r\u00fcckerstattung` as `ruckerstattung`. */
const latinOf = (labels: string): string =>
  labels.includes("xn--")
    ? labels.replace(/[^.]+/g, (label) => Scripts.toLatin(Idna.toUnicode(label)))
    : labels

export const factsOf = (host: string): HostFacts => {
  const isAddress = CanonicalHost.isIpAddress(host)
  const domain = isAddress ? undefined : PublicSuffix.registrableDomain(host)
  const name = isAddress ? undefined : Host.parse(host, domain)
  return {
    host,
    isAddress,
    name,
    isShared: !isAddress && SharedHost.isShared(host, domain),
    isShortener: !isAddress && SharedHost.isShortener(host, domain),
    isBrandsOwn: name !== undefined && BrandOwner.belongsToBrand(name),
    lures: name === undefined ? [] : LureWords.find(latinOf(name.chosen))
  }
}
