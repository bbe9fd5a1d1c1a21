/**
 * What is known about hosts: the table `hosts.tsv`, whose columns and roles `hosts.schema.js` explains.
 *
 * Shared hosts belong to many parties, or are so well known that a threat list entry for the whole host is a mistake. An entry for one
 * URL on such a host says nothing about the other URLs there.
 */

import type { Role } from "./Hosts/hosts.schema.js"
import hosts from "./Hosts/hosts.tsv"
import * as PublicSuffix from "./PublicSuffix.ts"

/** The names that have a role. */
export const namesWith = (role: Role): ReadonlySet<string> =>
  new Set(hosts.filter(({ roles }) => roles.includes(role)).map(({ name }) => name))

const rolesByName: ReadonlyMap<string, ReadonlyArray<Role>> = new Map(
  hosts.map(({ name, roles }) => [name, roles])
)

const none: ReadonlyArray<Role> = []

/** The roles that this very name has in the table. */
export const rolesOf = (name: string): ReadonlyArray<Role> => rolesByName.get(name) ?? none

/** Whether the table has this very name with the role. */
export const hasRole = (name: string, role: Role): boolean => rolesOf(name).includes(role)

/** The patterns of the paths that name the content, by host. */
export const contentPatterns: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  hosts.flatMap(({ name, roles, content = roles.includes("shortener") ? ["/*"] : undefined }) =>
    content === undefined ? [] : [[name, content] as const]
  )
)

/**
 * Whether an entry of a threat list counts on this host only for the exact URL, with a path. A shared host is
 *
 * - a public suffix itself (`co.uk`, `vercel.app`), also by a wildcard rule (`nyc3.digitaloceanspaces.com`, a region with
 *   many buckets), unless the table of hosts says that each name under that rule is one tenant's (`tenant.localto.net`);
 * - a firm's own site before such a suffix (`www.vercel.app`);
 * - a name of that table, and a subdomain of one unless each subdomain of it is one tenant's (role `tenants`, and those of
 *   `tenantNames`, which imply it);
 * - Google's site in any country, whose redirects (`www.google.pl/url?q=...`) appear in threat lists.
 *
 * A host under a public suffix, the private section of the list included, has one registrant: the search for a shared
 * name ends at the registrable domain. An IP address is never shared. `domain` is the registrable domain of the host, for
 * callers that have computed it before.
 *
 * `isShared("docs.google.com")` and `isShared("vercel.app")` are true, `isShared("tenant.vercel.app")` and
 * `isShared("tenant.weebly.com")` false.
 */
export const isShared = (host: string, domain = PublicSuffix.registrableDomain(host)): boolean => {
  const bareHost = withoutWww(host)
  if (tenantNames.has(bareHost)) return true
  if (domain === undefined)
    return PublicSuffix.isPublicSuffix(host) && !wildcardTenantNames.has(host.slice(host.indexOf(".") + 1))
  return (
    // Of `www` and a suffix the domain is the host itself.
    (bareHost !== host && domain === host && PublicSuffix.isPrivateSuffix(bareHost) && isShared(bareHost)) ||
    isNameOrSubdomain(host, domain, sharedNames) ||
    (domain.startsWith(GOOGLE) && GOOGLE_BY_COUNTRY.test(domain))
  )
}

/** Whether a canonical host is a URL shortener, or a subdomain of one. */
export const isShortener = (host: string, domain = PublicSuffix.registrableDomain(host)): boolean =>
  isNameOrSubdomain(host, domain ?? host, shortenerNames)

const sharedNames = namesWith("shared")
/** Whoever gives names to others has many tenants. */
const tenantNames: ReadonlySet<string> = new Set(
  (["tenants", "freeHosting", "dynamicDns", "carriesNames", "generated"] as const).flatMap((role) => [
    ...namesWith(role)
  ])
)
const wildcardTenantNames = namesWith("wildcardTenants")
const shortenerNames = namesWith("shortener")

/** Nearly two hundred domains, more than the table may hold. */
const GOOGLE = "google."
const GOOGLE_BY_COUNTRY = /^google\.(?:com?\.)?[a-z]{2}$/

/** `withoutWww("www.dropbox.com")` is `"dropbox.com"`: before a shared host `www.` leads to the same content. */
export const withoutWww = (host: string): string =>
  host.startsWith("www.") ? host.slice("www.".length) : host

/** Whether `names` contains the registrable domain, or a longer suffix of the host. */
const isNameOrSubdomain = (host: string, domain: string, names: ReadonlySet<string>): boolean => {
  for (let start = host.length - domain.length; start > 0; start = host.lastIndexOf(".", start - 2) + 1)
    if (names.has(host.slice(start))) return true
  return names.has(host)
}
