/**
 * Normal forms of paths on shared hosts, under which an entry of a list covers other spellings of the same content. A list
 * holds a form with `Coverage.CONTENT`, so that a form is never taken for a listed URL.
 */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import { contentPath } from "./SharedHost/ContentPaths.ts"

/**
 * The form of a listed URL; undefined for one that covers only itself. Where the path names the content, the query does not
 * matter unless the entry has one. Elsewhere an entry covers nothing without its query.
 *
 * That of `https://drive.google.com/file/d/1/view` is `/file/d/1`, that of `https://drive.google.com/open?usp=x&id=1` is
 * `/open?id=1`, and `https://drive.google.com/open` has none.
 */
export const ofEntry = ({ host, path, query }: CanonicalUrl): string | undefined => {
  const content = contentPath(host, path)
  const parameters = normalizedQuery(query)
  if (parameters === undefined) return undefined
  return parameters === "" ? content : `${content ?? path}?${parameters}`
}

/** The forms under which a URL on a shared host may be listed: two at most. */
export const ofUrl = ({ host, path, query }: CanonicalUrl): ReadonlyArray<string> => {
  const content = contentPath(host, path)
  const parameters = normalizedQuery(query)
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
