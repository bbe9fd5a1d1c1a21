import { Either } from "effect"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Hosts from "../../src/Url/Hosts.ts"
import * as PublicSuffix from "../../src/Url/PublicSuffix.ts"

/** What rows are compared by. */
export interface Address {
  /** The canonical URL without scheme and port: the same page, however it is written. */
  readonly page: string
  /** What one party has: the host, and on a shared host the page. */
  readonly owned: string
  /** The registrable domain. Undefined on a shared host and for an IP address. */
  readonly site: string | undefined
}

export const addressOf = ({ host, path, query }: CanonicalUrl.CanonicalUrl): Address => {
  const page = `${host}${path}${query === undefined ? "" : `?${query}`}`
  return Hosts.isShared(host)
    ? { page, owned: page, site: undefined }
    : { page, owned: host, site: PublicSuffix.registrableDomain(host) }
}

/** Undefined for a string that is no URL with a host. */
export const parse = (url: string): Address | undefined =>
  Either.getOrUndefined(Either.map(CanonicalUrl.parse(url), addressOf))
