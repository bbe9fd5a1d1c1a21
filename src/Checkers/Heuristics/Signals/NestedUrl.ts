import * as PublicSuffix from "../../PublicSuffix.ts"

/** The host of a URL inside another: after two slashes in a query, after one in a path, which canonicalization merges. */
const nested = /https?:\/\/?(?:[\w.+-]{1,64}@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i

/** More of a path or query is not read. */
const LONGEST_READ = 2048

/**
 * The host of the first URL of another site in a path or query, or nothing. The site's own pages and those of a sister
 * subdomain do not count: `?next=https://www.example.com/` on `login.example.com` is how sign-in works.
 */
export const foreignHost = (host: string, pathOrQuery: string): string | undefined => {
  if (!pathOrQuery.includes(":/")) return undefined
  const found = nested.exec(pathOrQuery.slice(0, LONGEST_READ))?.[1]?.toLowerCase()
  if (found === undefined) return undefined
  return siteOf(found) === siteOf(host) ? undefined : found
}

const siteOf = (host: string): string => PublicSuffix.registrableDomain(host) ?? host
