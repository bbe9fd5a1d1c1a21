/** Queries on shared hosts, in a form in which all spellings of one set of parameters are the same string. */

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
 * `normalized("id=2&utm_source=x&a=1")` is `a=1&id=2`.
 */
export const normalized = (query: string | undefined): string | undefined => {
  if (query === undefined || query === "") return ""
  const parameters = query.split("&").filter((parameter) => parameter !== "" && !isTracking(parameter))
  return parameters.length > MAX_PARAMETERS ? undefined : parameters.sort().join("&")
}
