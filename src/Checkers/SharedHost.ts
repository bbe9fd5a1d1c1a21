/**
 * Hosts that belong to many parties, or are so well known that a listing of the whole host is a mistake. On them a
 * threat list may say something about one URL, nothing about its neighbours.
 */

import * as PublicSuffix from "./PublicSuffix.ts"
import {
  sharedNames,
  shortenerNames,
  tenantNames,
  wildcardTenantNames
} from "./SharedHost/SharedHostNames.ts"

/**
 * Whether an entry of a threat list counts on this host only for the exact URL, with a path. A shared host is
 *
 * - a public suffix itself (`co.uk`, `vercel.app`), one by a wildcard rule too (`nyc3.digitaloceanspaces.com`, a region of
 *   many buckets), unless SharedHostNames knows that each name of that rule is one tenant's (`tenant.localto.net`);
 * - a name of SharedHostNames, and a subdomain of one unless every subdomain of it is a tenant of its own;
 * - Google's site in any country, which leads on to any address (`www.google.pl/url?q=...`), so that such links are listed.
 *
 * What lies under a public suffix is registered by one party, whatever else the suffix's owner runs: the search for a
 * name ends at the registrable domain, which takes the private section of the list into account. An IP address is
 * never shared. `domain` is the host's registrable one, for who has asked for it before.
 *
 * `isShared("docs.google.com")` and `isShared("vercel.app")` are true, `isShared("tenant.vercel.app")` and
 * `isShared("tenant.weebly.com")` false.
 */
export const isShared = (host: string, domain = PublicSuffix.registrableDomain(host)): boolean => {
  if (domain === undefined)
    return PublicSuffix.isPublicSuffix(host) && !wildcardTenantNames.has(host.slice(host.indexOf(".") + 1))
  if (!domainsOfNames.has(domain)) return domain.startsWith("google.") && GOOGLE_OF_A_COUNTRY.test(domain)
  return tenantNames.has(withoutWww(host)) || hasName(host, domain, sharedNames)
}

/** Whether the host gives out short addresses that lead anywhere: of a canonical host, subdomains included. */
export const isShortener = (host: string, domain = PublicSuffix.registrableDomain(host)): boolean =>
  hasName(host, domain ?? host, shortenerNames)

/** Nearly two hundred, more than the table has room for. */
const GOOGLE_OF_A_COUNTRY = /^google\.(?:com?\.)?[a-z]{2}$/

/** Whose domain is none of these has no name in the tables, which is soon told of most hosts. */
const domainsOfNames: ReadonlySet<string> = new Set(
  [...sharedNames, ...tenantNames].map((name) => PublicSuffix.registrableDomain(name) ?? `www.${name}`)
)

const withoutWww = (host: string): string => (host.startsWith("www.") ? host.slice(4) : host)

/** Whether the registrable domain, or what of the host ends in it, is one of `names`. */
const hasName = (host: string, domain: string, names: ReadonlySet<string>): boolean => {
  let start = host.length - domain.length
  while (start > 0 && host.length - start < longestName) {
    if (names.has(host.slice(start))) return true
    start = host.lastIndexOf(".", start - 2) + 1
  }
  return names.has(host.slice(start))
}

/** No suffix of a host beyond this length need be looked up, however many labels the host has. */
const longestName = Math.max(...[...sharedNames, ...shortenerNames].map((name) => name.length))
