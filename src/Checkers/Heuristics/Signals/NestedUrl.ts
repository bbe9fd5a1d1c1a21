import * as PublicSuffix from "../../../Url/PublicSuffix.ts"

/** One slash suffices: canonicalization merges the two slashes in a path. */
const NESTED_URL = /https?:\/\/?(?:[\w.+-]{1,64}@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i

/** The rest of a path or query is not read. */
const MAX_READ_CHARS = 2048

/**
 * The host of the first URL in a path or query, if that is on another site; else nothing. URLs of the same site do not
 * count: `?next=https://www.example.com/` on `login.example.com` is how sign-in works.
 */
export const foreignHost = (host: string, pathOrQuery: string): string | undefined => {
  if (!pathOrQuery.includes(":/")) return undefined
  const nestedHost = NESTED_URL.exec(pathOrQuery.slice(0, MAX_READ_CHARS))?.[1]?.toLowerCase()
  if (nestedHost === undefined) return undefined
  return siteOf(nestedHost) === siteOf(host) ? undefined : nestedHost
}

const siteOf = (host: string): string => PublicSuffix.registrableDomain(host) ?? host
