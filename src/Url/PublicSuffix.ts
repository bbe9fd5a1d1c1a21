/**
 * The Public Suffix List (https://publicsuffix.org/), its private section included, so `tenant.vercel.app` is a
 * registrable domain. For a name that is not on the list, the last label is the suffix.
 * `hostAndDomains` and `hostAndParents` list a host with its parent domains.
 */

import * as tldts from "tldts"

const OPTIONS = { allowPrivateDomains: true, extractHostname: false }

/**
 * Returns the public suffix and one more label; `undefined` for an IP address, a single label and a public suffix itself.
 *
 * `registrableDomain("www.example.co.uk")` is `"example.co.uk"`.
 */
export const registrableDomain = (host: string): string | undefined =>
  tldts.getDomain(host, OPTIONS) ?? undefined

/** Whether the host itself is on the list: `com`, `co.uk`, `vercel.app`; not `localhost`. */
export const isPublicSuffix = (host: string): boolean => {
  if (tldts.getPublicSuffix(host, OPTIONS) !== host) return false
  const { isIcann, isPrivate } = tldts.parse(host, OPTIONS)
  return isIcann === true || isPrivate === true
}

/** The registrable domain of a host, and whether its suffix is in the private section. */
export const parse = (host: string): { readonly domain: string | undefined; readonly isPrivate: boolean } => {
  const { domain, isPrivate } = tldts.parse(host, OPTIONS)
  return { domain: domain ?? undefined, isPrivate: isPrivate === true }
}

/** Whether the suffix is in the private section, of hosting companies: `vercel.app`, not `co.uk`. */
export const isPrivateSuffix = (suffix: string): boolean =>
  tldts.parse(`x.${suffix}`, OPTIONS).isPrivate === true

/**
 * Whether the host is a suffix of a hosting company, and below the company's own domain: `s3.amazonaws.com`, not `github.io` and
 * `service.gov.uk`.
 */
export const isRegion = (host: string): boolean =>
  isPrivateSuffix(host) && tldts.getDomain(host, { ...OPTIONS, allowPrivateDomains: false }) !== host

/** Names for documents and tests (RFC 2606), and hosts of Tor: no suffix is listed for them. */
const RESERVED = /\.(?:example|test|invalid|onion)$/

/** Whether a host is below a suffix of the list, or below a name for documents and tests. False for a suffix itself. */
export const hasKnownSuffix = (host: string): boolean => {
  if (RESERVED.test(host)) return true
  const { domain, isIcann, isPrivate } = tldts.parse(host, OPTIONS)
  return domain !== null && (isIcann === true || isPrivate === true)
}

/** Upper bound of `hostAndDomains`; 1 in 4,000 listed URLs has more. */
export const MAX_DOMAINS = 32

/**
 * Returns the host and each parent domain down to the registrable domain; only the host if it is an IP address, a public
 * suffix or a single label. At most MAX_DOMAINS: the host itself and the shortest ones, so that deep subdomains
 * cannot evade a listed host.
 *
 * `domain` is the last one, for callers that need another than the registrable domain.
 *
 * `hostAndDomains("a.b.example.co.uk")` is `["a.b.example.co.uk", "b.example.co.uk", "example.co.uk"]`.
 */
export const hostAndDomains = (host: string, domain = registrableDomain(host)): ReadonlyArray<string> => {
  if (domain === undefined) return [host]
  const parents: Array<string> = []
  let start = host.length - domain.length
  while (start > 0 && parents.length < MAX_DOMAINS - 1) {
    parents.push(host.slice(start))
    start = host.lastIndexOf(".", start - 2) + 1
  }
  return [host, ...parents.reverse()]
}

/**
 * Returns the host and each parent domain, public suffixes included, the longest first. At most MAX_DOMAINS, as above.
 *
 * `hostAndParents("a.example.co.uk")` is `["a.example.co.uk", "example.co.uk", "co.uk", "uk"]`.
 */
export const hostAndParents = (host: string): ReadonlyArray<string> =>
  hostAndDomains(host, host.slice(host.lastIndexOf(".") + 1))

/** Below these domains each name with an IPv4 address leads to it, as documented. Not those of hosters: their servers have many tenants. */
const WITH_ADDRESS =
  /(?:^|[.-])((?:\d{1,3}\.){3}\d{1,3}|(?:\d{1,3}-){3}\d{1,3})\.(?:(?:nip|sslip|backname)\.io|traefik\.me)$/

/** Of `192-0-2-1.192-0-2-2.sslip.io` one service reads the first address, another the last: it may lead elsewhere. */
const FIRST_ADDRESS = /(?:^|[.-])((?:\d{1,3}\.){3}\d{1,3}|(?:\d{1,3}-){3}\d{1,3})(?=[.-])/

/**
 * Returns the IPv4 address that a name leads to, if the name has it and no other; else none. Lists know many such sites by the address
 * only.
 *
 * `addressesIn("a.192-0-2-1.sslip.io")` is `["192.0.2.1"]`.
 */
export const addressesIn = (host: string): ReadonlyArray<string> => {
  const [, address] = WITH_ADDRESS.exec(host) ?? []
  if (address === undefined || FIRST_ADDRESS.exec(host)?.[1] !== address) return []
  return [address.replaceAll("-", ".")]
}
