/**
 * The Public Suffix List (https://publicsuffix.org/) with its private section, under which each name belongs to
 * somebody else: `tenant.vercel.app` is registrable. A name that the list does not know ends in a suffix of one label.
 */

import * as tldts from "tldts"

const OPTIONS = { allowPrivateDomains: true, extractHostname: false }

/**
 * The public suffix and one label more. `undefined` for an IP address, a single label and a public suffix itself.
 *
 * `registrableDomain("www.example.co.uk")` is `"example.co.uk"`.
 */
export const registrableDomain = (host: string): string | undefined =>
  tldts.getDomain(host, OPTIONS) ?? undefined

/** Whether the host itself stands in the list: `com`, `co.uk`, `vercel.app`; not `localhost`. */
export const isPublicSuffix = (host: string): boolean => {
  if (tldts.getPublicSuffix(host, OPTIONS) !== host) return false
  const { isIcann, isPrivate } = tldts.parse(host, OPTIONS)
  return isIcann === true || isPrivate === true
}

/** Whether what ends like this is registered with a firm that is no registry: `vercel.app`, not `co.uk`. */
export const isPrivateSuffix = (suffix: string): boolean =>
  tldts.parse(`x.${suffix}`, OPTIONS).isPrivate === true
