/** The sites of a ranking, and hosts that many sites load from. Without effects: the worker thread uses it too. */

import { Either } from "effect"
import * as CanonicalUrl from "../../Url/CanonicalUrl.ts"
import * as Hosts from "../../Url/Hosts.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import * as SharedHost from "../../Url/SharedHost.ts"
import type { ThreatList } from "../ThreatList.ts"

export const loadedHosts = Hosts.namesWith("loaded")

/** Where anybody gets a name or a page: how popular the domain is says nothing about a page there. */
const freeHosting = Hosts.namesWith("freeHosting")
const dynamicDns = Hosts.namesWith("dynamicDns")

const isPlatform = (domain: string): boolean =>
  freeHosting.has(domain) ||
  dynamicDns.has(domain) ||
  SharedHost.isShared(domain, domain) ||
  PublicSuffix.isPrivateSuffix(domain.slice(domain.indexOf(".") + 1))

/**
 * Returns the site of a row of a ranking: its registrable domain.
 *
 * - `Left("Excluded")`: an IP address, a public suffix, or a domain whose pages belong to many: a shared host, a hosting
 *   firm, or a customer's name under one.
 * - `Left("Unreadable")`: no host.
 *
 * `siteOf("policies.example.co.uk")` is `Right("example.co.uk")`; `google.com`, `weebly.com` and `tenant.github.io` are
 * excluded.
 */
export const siteOf = (row: string): Either.Either<string, "Excluded" | "Unreadable"> => {
  const url = CanonicalUrl.parse(row)
  if (Either.isLeft(url)) return Either.left("Unreadable")
  const domain = PublicSuffix.registrableDomain(url.right.host)
  return domain === undefined || isPlatform(domain) ? Either.left("Excluded") : Either.right(domain)
}

/** See `PopularSites`. Without a ranking only `loadedHosts` are sites. */
export const isSite = (ranking: ThreatList | undefined, host: string): boolean =>
  loadedHosts.has(host) ||
  ranking?.hasHost(host) === true ||
  (host.startsWith("www.") && ranking?.hasHost(host.slice("www.".length)) === true)

/** See `PopularSites`. */
export const isOnSite = (ranking: ThreatList | undefined, host: string): boolean => {
  if (loadedHosts.has(host)) return true
  const domain = PublicSuffix.registrableDomain(host)
  return domain !== undefined && ranking?.hasHost(domain) === true && !SharedHost.isShared(host, domain)
}
