import * as CanonicalHost from "../CanonicalUrl/CanonicalHost.ts"
import * as SharedHost from "../SharedHost.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import * as HostName from "./Host/HostName.ts"
import * as LureWords from "./LureWords.ts"

/** The host of a canonical URL, taken apart once for all that look at it. */
export interface UrlHost {
  readonly host: string
  readonly isAddress: boolean
  /** Nothing for an IP address, and for a host that nobody holds. */
  readonly name: HostName.HostName | undefined
  /** It belongs to many parties: see `SharedHost`. */
  readonly isShared: boolean
  /** It gives out short addresses that lead anywhere. */
  readonly isShortener: boolean
  /** It belongs to a brand or a namesake of one, so that the brand's name in it says nothing. */
  readonly isBrandsOwn: boolean
  /** Words of lures in what its holder chose. */
  readonly lures: ReadonlyArray<string>
}

export const of = (host: string): UrlHost => {
  const isAddress = CanonicalHost.isIpAddress(host)
  const domain = isAddress ? undefined : HostName.domainOf(host)
  const name = isAddress ? undefined : HostName.parse(host, domain)
  return {
    host,
    isAddress,
    name,
    isShared: !isAddress && SharedHost.isShared(host, domain),
    isShortener: !isAddress && SharedHost.isShortener(host, domain),
    isBrandsOwn: name !== undefined && BrandOwner.belongsToBrand(name),
    lures: name === undefined ? [] : LureWords.find(name.chosen)
  }
}
