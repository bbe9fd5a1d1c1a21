import * as LureWords from "../LureWords.ts"
import * as BrandAffixes from "./BrandAffixes.ts"
import * as BrandMatch from "./BrandMatch.ts"
import type { Brand } from "./Brands.ts"

/** A brand whose name is in a path. */
export interface BrandInPath {
  readonly brand: Brand
  readonly name: string
}

const MAX_SEGMENTS = 16
const MAX_SEGMENT_CHARS = 40
/** More words are a headline: `paypal-raises-fees`. */
const MAX_WORDS = 3

const separators = /[-_]+/

/**
 * The first brand that a short path segment names, ignoring its extension: `/secure/paypal-login.php` has paypal,
 * `/news/paypal-raises-fees` none. Look-alikes and everyday words do not count, because paths are full of other words.
 */
export const find = (path: string): BrandInPath | undefined => {
  for (const segment of segments(path)) {
    const match = findInSegment(segment)
    if (match !== undefined) return match
  }
  return undefined
}

/** Folders of content managers and servers: without pages for visitors, but writable for intruders. */
const softwareFolders: ReadonlySet<string> = new Set(
  "wp-content wp-includes wp-admin .well-known cgi-bin vendor node_modules plugins mu-plugins".split(" ")
)

/** Providers of single sign-on: `/login/google`. */
const signInProviders: ReadonlySet<string> = new Set(
  [
    "google gmail facebook twitter linkedin microsoft microsoftonline office365 outlook yahoo instagram telegram",
    "whatsapp amazon okta yandex kakao naver vkontakte dropbox spotify tiktok stripe klarna salesforce sharepoint",
    "paypal bankid openai shopify mailchimp wechat weixin itsme digid discord"
  ].flatMap((row) => row.split(" "))
)

/**
 * A brand in a path that looks like an intruder's page on a hacked site: after a folder of the site's software, or in a
 * segment of its own before a page that asks for credentials. `/wp-content/netflix/` and `/netflix/login.php` have netflix;
 * `/netflix/`, `/login/netflix` and `/google/login` have none.
 */
export const findPlanted = (path: string): BrandInPath | undefined => {
  let isInSoftware = false
  let candidate: BrandInPath | undefined
  for (const segment of segments(path)) {
    if (candidate !== undefined && asksForCredentials(segment)) return candidate
    if (isInSoftware || candidate === undefined) {
      const match = findInSegment(segment)
      if (match !== undefined && isInSoftware) return match
      if (match !== undefined && !signInProviders.has(match.name)) candidate = match
    }
    isInSoftware ||= softwareFolders.has(segment)
  }
  return undefined
}

const segments = (path: string): ReadonlyArray<string> =>
  path
    .split("/", MAX_SEGMENTS + 1)
    .slice(1)
    .filter((segment) => segment.length <= MAX_SEGMENT_CHARS)
    .map((segment) => segment.toLowerCase())

const asksForCredentials = (segment: string): boolean => wordsOf(segment).some(LureWords.isCredentialWord)

const wordsOf = (segment: string): ReadonlyArray<string> => {
  const dot = segment.indexOf(".")
  return (dot === -1 ? segment : segment.slice(0, dot)).split(separators, MAX_WORDS + 1)
}

/** Files that are no pages: `/img/facebook.svg`. */
const NO_PAGE = /\.(?:svg|png|jpe?g|gif|webp|ico|css|js|json|xml|gz|zip|txt|md|pdf|woff2?|map|org)$/

const findInSegment = (segment: string): BrandInPath | undefined => {
  if (NO_PAGE.test(segment)) return undefined
  const words = wordsOf(segment)
  if (words.length > MAX_WORDS) return undefined
  for (const [at, word] of words.entries()) {
    const match = BrandMatch.findAmongAffixes(word) ?? BrandMatch.findByName(`${word}${words[at + 1] ?? ""}`)
    if (match === undefined || match.brand.everyday) continue
    if (words.every((other, index) => index === at || BrandAffixes.areAffixes(other)))
      return { brand: match.brand, name: match.name }
  }
  return undefined
}
