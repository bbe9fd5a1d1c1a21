import * as Hosts from "../../../Url/Hosts.ts"
import * as LookupExpression from "../../../Url/LookupExpression.ts"
import * as Words from "../Words.ts"
import * as BrandName from "./BrandName.ts"
import * as BrandOwner from "./BrandOwner.ts"
import type * as Brands from "./Brands.ts"

/** A brand whose name is in a path. */
export interface BrandInPath {
  readonly brand: Brands.Brand
  readonly name: string
}

const MAX_SEGMENTS = 16
const MAX_SEGMENT_CHARS = 40
/** More words are a headline: `paypal-raises-fees`. */
const MAX_WORDS = 3

/** Numbers are not words: `paypal-login-11-22`. */
const MAX_NUMBERS = 3

const ALL_DIGITS = /^\d+$/

/**
 * The first brand that a short path segment names, ignoring its extension: `/secure/paypal-login.php` has paypal,
 * `/news/paypal-raises-fees` none. Look-alikes and everyday words do not count, because paths are full of other words.
 */
export const find = (path: string): BrandInPath | undefined => {
  for (const segment of segments(path)) {
    const found = findInSegment(segment)
    if (found !== undefined) return found
  }
  return undefined
}

/** A domain at the start of a segment: of `www.paypal.com`, `~paypal.com:443`, `paypal.com-verify`. */
const DOMAIN = /^[~@]?((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12})(?=[:_-]|$)/

/** What separates a domain from a page. Most paths have none of it after the dot of a file's extension. */
const AFTER_DOMAIN = /[/_-]./

/**
 * A brand's domain in a path, before a page that asks to sign in: `paypal.com` of `/paypal.com/signin`. Nothing on the brand's
 * own host, on sites that quote the domains of others, and in paths that only tell of the domain (`/status/paypal.com`).
 */
export const findDomain = (host: string, path: string): string | undefined => {
  const dot = path.indexOf(".")
  if (dot === -1 || path.slice(dot).search(AFTER_DOMAIN) === -1) return undefined
  const all = segments(path)
  for (const [at, segment] of all.entries()) {
    const [shown = "", domain = ""] = segment.includes(".") ? (DOMAIN.exec(segment) ?? []) : []
    if (domain === "" || !BrandOwner.isOtherBrands(domain, host)) continue
    if ([segment.slice(shown.length), ...all.slice(at + 1)].some(asksForCredentials))
      return isQuotingSite(host) ? undefined : domain
  }
  return undefined
}

const quotingSites = Hosts.namesWith("quoting")

const isQuotingSite = (host: string): boolean =>
  LookupExpression.hostAndParents(host).some((name) => quotingSites.has(name))

const segments = (path: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const parts = path.split("/", MAX_SEGMENTS + 1)
  for (let at = 1; at < parts.length; at++) {
    const part = parts[at] ?? ""
    if (part.length <= MAX_SEGMENT_CHARS) found.push(part.toLowerCase())
  }
  return found
}

/** Whether a segment names a page that asks to sign in: `login.php`, `sign-in`; not a long headline about signing in. */
const asksForCredentials = (segment: string): boolean => {
  const words = wordsOf(segment)
  return (
    words.length <= MAX_WORDS + 1 &&
    !NO_PAGE.test(segment) &&
    words.some(
      (word, at) => Words.isCredentialWord(word) || Words.isCredentialWord(`${word}${words[at + 1] ?? ""}`)
    )
  )
}

/** Of a file its name's. */
const wordsOf = (segment: string): ReadonlyArray<string> =>
  Words.split(segment.split(".", 1)[0] ?? "", MAX_WORDS + MAX_NUMBERS + 1).filter(
    (word) => !ALL_DIGITS.test(word)
  )

/** Files that are not pages: `/img/facebook.svg`. */
const NO_PAGE = /\.(?:svg|png|jpe?g|gif|webp|ico|css|js|json|xml|gz|zip|txt|md|pdf|woff2?|map|org)$/

const findInSegment = (segment: string): BrandInPath | undefined => {
  if (NO_PAGE.test(segment)) return undefined
  const words = wordsOf(segment)
  if (words.length > MAX_WORDS) return undefined
  for (const at of words.keys()) {
    const match = BrandName.find(words, at)
    if (match === undefined || match.isLookAlike || match.brand.everyday) continue
    if ([...words.slice(0, at), match.rest, ...words.slice(match.end)].every(BrandName.areAffixes))
      return match
  }
  return undefined
}
