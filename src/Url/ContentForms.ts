/**
 * Normal forms of paths on shared hosts, under which an entry of a list covers other spellings of the same content. A list
 * holds a form with `Coverage.CONTENT`, so that a form is never taken for a listed URL.
 */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as Hosts from "./Hosts.ts"
import * as PublicSuffix from "./PublicSuffix.ts"

/**
 * The form of a listed URL; undefined for one that covers only itself. Where the path names the content, the query does not
 * matter unless the entry has one. On a host without patterns only tracking parameters do not. Elsewhere an entry covers nothing
 * without its query.
 *
 * That of `https://drive.google.com/file/d/1/view` is `/file/d/1`, that of `https://drive.google.com/open?usp=x&id=1` is
 * `/open?id=1`, and `https://drive.google.com/open` has none.
 */
export const ofEntry = (url: CanonicalUrl): string | undefined =>
  normalizedQuery(url.query) === undefined ? undefined : ofUrl(url).at(-1)

/** The forms under which a URL on a shared host may be listed: two at most, that with the query last. */
export const ofUrl = ({ host, path, query }: CanonicalUrl): ReadonlyArray<string> => {
  const parameters = normalizedQuery(query)
  const content = contentPath(host, path) ?? (parameters === "" ? pageOfUnknown(host, path) : undefined)
  const forms = content === undefined ? [] : [content]
  if (parameters !== undefined && parameters !== "") forms.push(`${content ?? path}?${parameters}`)
  return forms
}

/** Who brought the visitor, or as whom he is signed in: they do not change what a page shows. */
const trackingNames: ReadonlySet<string> = new Set([
  // Advertisements and mailings: Google, Meta, Microsoft, X, TikTok, Yandex, Mailchimp, HubSpot, Klaviyo, Marketo.
  ...["gclid", "gclsrc", "gbraid", "wbraid", "dclid", "srsltid", "_ga", "_gl"],
  ...["fbclid", "igsh", "igshid", "msclkid", "twclid", "ttclid", "yclid"],
  ...["mc_cid", "mc_eid", "_hsenc", "_hsmi", "_kx", "mkt_tok"],
  // How a Google document was shared, the account that opens it, and the return from a sign-in.
  ...["usp", "authuser", "pli"]
])

const TRACKING_PREFIX = "utm_"

/** A query with more parameters than this is compared only as it is written: sorting is the one step that is not linear. */
const MAX_PARAMETERS = 100

const isTracking = (parameter: string): boolean => {
  const equals = parameter.indexOf("=")
  const name = equals === -1 ? parameter : parameter.slice(0, equals)
  return name.startsWith(TRACKING_PREFIX) || trackingNames.has(name)
}

/**
 * Returns the parameters of a canonical query in alphabetical order, without tracking parameters and empty ones; undefined
 * for more than MAX_PARAMETERS.
 *
 * Only `&` separates parameters. Repeated ones stay. `a` and `a=` differ. A canonical query was decoded as a whole, so an
 * escaped `&` separates too: that is the same in the entry of a list and in the URL that is looked up.
 *
 * `normalizedQuery("id=2&utm_source=x&a=1")` is `a=1&id=2`.
 */
export const normalizedQuery = (query: string | undefined): string | undefined => {
  if (query === undefined || query === "") return ""
  const parameters = query.split("&").filter((parameter) => parameter !== "" && !isTracking(parameter))
  return parameters.length > MAX_PARAMETERS ? undefined : parameters.sort().join("&")
}

/**
 * First segments that are the host's own pages, the same for everybody, where a pattern has `*` or `**`: Telegram's `/iv` and
 * `/proxy`, Medium's `/m/global-identity-2`, Bitbucket's `/site/oauth2/authorize` take what they show from the query.
 */
const ownPages: ReadonlySet<string> = new Set(
  `login log-in signin sign-in signup sign-up register join logout account accounts user users settings profile oauth
  auth sso verify session sessions search url redirect redir link links away go out share send home index about help
  support contact terms privacy legal security pricing plans features product products solutions templates enterprise
  explore topics trending marketplace sponsors collections orgs organizations apps app api docs blog download downloads
  upload new create dashboard invite site watch m subscribe unsubscribe track click iv proxy socks boost confirmphone -- install-integration`
    .trim()
    .split(/\s+/)
)

/** A program at the root is the same for everybody: `/l.php`, `/redirect.aspx`. */
const PROGRAM = /\.(?:php|aspx?|jsp|cgi|do)$/i

/** Which of the visitor's Google accounts opens a document: `/forms/u/1/d/e/...`, `/drive/u/0/folders/...`. */
const ACCOUNT = /^(\/[a-z]+)\/u\/\d{1,2}(?=\/)/

const hostsWithAccounts = Hosts.namesWith("accounts")

const segmentsOf = (path: string): Array<string> => path.slice(1).split("/")

/** See `content` in hosts.schema.js. */
type Pattern = ReadonlyArray<string>

const patternsByHost: ReadonlyMap<string, ReadonlyArray<Pattern>> = new Map(
  Array.from(Hosts.contentPatterns, ([name, patterns]) => [name, patterns.map(segmentsOf)])
)

/** The patterns of the host, or of the nearest name above it. */
const patternsFor = (host: string): ReadonlyArray<Pattern> | undefined => {
  const name = PublicSuffix.hostAndParents(host).find((name) => patternsByHost.has(name))
  return name === undefined ? undefined : patternsByHost.get(name)
}

/** How many segments of the path name the content; 0 when the pattern does not fit. */
const countOfContent = (pattern: Pattern, segments: ReadonlyArray<string>): number => {
  for (const [i, wanted] of pattern.entries()) {
    if (wanted === "...") return i
    const segment = segments[i]
    if (segment === undefined) return 0
    if (wanted === "**") return i === 0 && isOwnPage(segment) ? 0 : segments.length
    if (wanted === "*" ? i === 0 && isOwnPage(segment) : wanted !== segment) return 0
  }
  return segments.length === pattern.length ? pattern.length : 0
}

const isOwnPage = (segment: string): boolean => ownPages.has(segment.toLowerCase()) || PROGRAM.test(segment)

/** The path itself on a host without patterns; undefined for the root and pages that are the same for everybody. */
const pageOfUnknown = (host: string, path: string): string | undefined =>
  path === "/" || isOwnPage(segmentsOf(path)[0] ?? "") || patternsFor(host) !== undefined ? undefined : path

/**
 * Returns the part of a canonical path that names the content on a shared host, without a slash at its end; undefined where
 * the path is the same for everybody, or no pattern is known.
 *
 * `contentPath("drive.google.com", "/file/d/1/view")` is `/file/d/1`, `contentPath("bit.ly", "/abc/")` is `/abc`,
 * `contentPath("drive.google.com", "/open")` undefined.
 */
export const contentPath = (host: string, path: string): string | undefined => {
  const patterns = path === "/" ? undefined : patternsFor(host)
  if (patterns === undefined) return undefined
  const ownPath = hostsWithAccounts.has(host) ? path.replace(ACCOUNT, "$1") : path
  const segments = segmentsOf(ownPath.endsWith("/") ? ownPath.slice(0, -1) : ownPath)
  for (const pattern of patterns) {
    const count = countOfContent(pattern, segments)
    if (count > 0) return `/${segments.slice(0, count).join("/")}`
  }
  return undefined
}
