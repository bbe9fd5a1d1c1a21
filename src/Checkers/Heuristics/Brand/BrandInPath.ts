import * as LureWords from "../LureWords.ts"
import * as BrandAffixes from "./BrandAffixes.ts"
import * as BrandMatch from "./BrandMatch.ts"
import type { Brand } from "./Brands.ts"

/** A brand that a path names. */
export interface BrandInPath {
  readonly brand: Brand
  readonly name: string
}

const MOST_SEGMENTS = 16
const LONGEST_SEGMENT = 40
/** More are a headline: `paypal-raises-fees`. */
const MOST_WORDS_IN_SEGMENT = 3

const separators = /[-_]+/

/**
 * The first brand that a short path segment names, its extension aside: `/secure/paypal-login.php` has paypal,
 * `/news/paypal-raises-fees` none. Look-alikes and everyday words do not count: paths are full of other words.
 */
export const find = (path: string): BrandInPath | undefined => {
  for (const segment of segments(path)) {
    const found = inSegment(segment)
    if (found !== undefined) return found
  }
  return undefined
}

/** Folders of content managers and servers that visitors' pages do not lie in, but that intruders can write to. */
const innerFolders: ReadonlySet<string> = new Set(
  "wp-content wp-includes wp-admin .well-known cgi-bin vendor node_modules plugins mu-plugins".split(" ")
)

/** Sites offer sign-in by these: `/login/google`. */
const signInProviders: ReadonlySet<string> = new Set(
  [
    "google gmail facebook twitter linkedin microsoft microsoftonline office365 outlook yahoo instagram telegram",
    "whatsapp amazon okta yandex kakao naver vkontakte dropbox spotify tiktok stripe klarna salesforce sharepoint",
    "paypal bankid openai shopify mailchimp wechat weixin itsme digid discord"
  ].flatMap((row) => row.split(" "))
)

/**
 * A brand that a path names as an intruder's page on somebody's site does: behind an inner folder of the site's
 * software, or in a segment of its own before a page that asks for credentials. `/wp-content/netflix/` has netflix,
 * `/netflix/login.php` too; `/netflix/`, `/login/netflix` and `/google/login` have none.
 */
export const planted = (path: string): BrandInPath | undefined => {
  let isInner = false
  let found: BrandInPath | undefined
  for (const segment of segments(path)) {
    if (found !== undefined && asks(segment)) return found
    if (isInner || found === undefined) {
      const match = inSegment(segment)
      if (match !== undefined && isInner) return match
      if (match !== undefined && !signInProviders.has(match.name)) found = match
    }
    isInner ||= innerFolders.has(segment)
  }
  return undefined
}

const segments = (path: string): ReadonlyArray<string> =>
  path
    .split("/", MOST_SEGMENTS + 1)
    .slice(1)
    .filter((segment) => segment.length <= LONGEST_SEGMENT)
    .map((segment) => segment.toLowerCase())

const asks = (segment: string): boolean => wordsOf(segment).some(LureWords.isCredential)

const wordsOf = (segment: string): ReadonlyArray<string> => {
  const dot = segment.indexOf(".")
  return (dot === -1 ? segment : segment.slice(0, dot)).split(separators, MOST_WORDS_IN_SEGMENT + 1)
}

/** Pictures of brands and data about them are no pages: `/img/facebook.svg`. */
const partOfPage = /\.(?:svg|png|jpe?g|gif|webp|ico|css|js|json|xml|gz|zip|txt|md|pdf|woff2?|map|org)$/

const inSegment = (segment: string): BrandInPath | undefined => {
  if (partOfPage.test(segment)) return undefined
  const words = wordsOf(segment)
  if (words.length > MOST_WORDS_IN_SEGMENT) return undefined
  for (const [at, word] of words.entries()) {
    const match = BrandMatch.named(word) ?? BrandMatch.ofName(`${word}${words[at + 1] ?? ""}`)
    if (match === undefined || match.brand.everyday) continue
    if (words.every((other, index) => index === at || BrandAffixes.areAffixes(other)))
      return { brand: match.brand, name: match.name }
  }
  return undefined
}
