/** The parts of a host that is a name, and who gives such names: registries, hosting firms, services of companies. */

import type { Role } from "../../Url/Hosts/hosts.schema.js"
import * as Hosts from "../../Url/Hosts.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"

export interface HostName {
  readonly host: string
  /** The host and its parents: see `PublicSuffix.hostAndParents`. */
  readonly hostAndParents: ReadonlyArray<string>
  /** What the table of hosts says of any of these. */
  readonly roles: ReadonlyArray<Role>
  /** The part that one party registered: `example.co.uk` of `shop.example.co.uk`, `someone.github.io` of `www.someone.github.io`. */
  readonly registrable: string
  /** The first label of `registrable`, chosen by the registrant. */
  readonly name: string
  /** The rest of `registrable`: `co.uk`, `github.io`. */
  readonly suffix: string
  /** All before the suffix, which is what the registrant chose. */
  readonly chosen: string
  /** The labels before `registrable`, from left to right. */
  readonly subdomains: ReadonlyArray<string>
  /** The hosting firm whose tenant this host is, if any. */
  readonly hostingFirm: HostingFirm | undefined
}

export interface HostingFirm {
  readonly kind: "freeHosting" | "dynamicDns"
  /** The suffix of its tenants' hosts. */
  readonly suffix: string
  /** The tenant's own part of the host, `someone.github.io`; the suffix itself if tenants differ by path. */
  readonly tenant: string
}

/**
 * Nothing for a host without a registrable domain: a name without a dot, a public suffix, unless it is a region of a hosting firm.
 * Not for IP addresses.
 */
export const parse = (host: string, domain = PublicSuffix.registrableDomain(host)): HostName | undefined => {
  const hostAndParents = PublicSuffix.hostAndParents(host)
  const region = domain === undefined && PublicSuffix.isRegion(host) ? host : undefined
  const roles = hostAndParents.flatMap(Hosts.rolesOf)
  // Most names have none.
  const hostingFirm =
    (roles.length > 0 ? hostingFirmOf(host, hostAndParents) : undefined) ?? firmOfRegion(region)
  const registrable = hostingFirm?.tenant ?? domain ?? region
  if (registrable === undefined) return undefined
  const dot = registrable.indexOf(".")
  const inFront = host.length - registrable.length - 1
  const suffix = registrable.slice(dot + 1)
  return {
    host,
    hostAndParents,
    roles,
    registrable,
    name: registrable.slice(0, dot),
    suffix,
    chosen: host.slice(0, -(suffix.length + 1)),
    subdomains: inFront > 0 ? host.slice(0, inFront).split(".") : [],
    hostingFirm
  }
}

/** Labels that hosting firms use for their own pages. */
const ownLabels: ReadonlySet<string> = new Set(
  "www support help docs blog api app status my community".split(" ")
)

const firmKindOf = (suffix: string): HostingFirm["kind"] | undefined => {
  const roles = Hosts.rolesOf(suffix)
  if (roles.includes("freeHosting")) return "freeHosting"
  return roles.includes("dynamicDns") ? "dynamicDns" : undefined
}

/**
 * The hosting firm whose tenant this host is; nothing for other hosts and for the firm's own site.
 * `hostingFirmOf("www.someone.github.io")` has the tenant `someone.github.io`, `hostingFirmOf("weebly.com")` is nothing.
 */
export const hostingFirmOf = (
  host: string,
  hostAndParents = PublicSuffix.hostAndParents(host)
): HostingFirm | undefined => {
  let tenant: string | undefined
  for (const suffix of hostAndParents) {
    const kind = firmKindOf(suffix)
    if (kind === undefined) tenant = suffix
    else if (tenant === undefined)
      return Hosts.hasRole(suffix, "byPath") ? { kind, suffix, tenant: suffix } : undefined
    else return ownLabels.has(tenant.slice(0, tenant.indexOf("."))) ? undefined : { kind, suffix, tenant }
  }
  return undefined
}

/** The tenants of a region differ by path: `s3.amazonaws.com/tenant/`. Not if each host by that rule is one tenant's. */
const firmOfRegion = (region: string | undefined): HostingFirm | undefined =>
  region === undefined || Hosts.hasRole(region.slice(region.indexOf(".") + 1), "wildcardTenants")
    ? undefined
    : { kind: "freeHosting", suffix: region, tenant: region }

/** The abused suffix that a host ends in, or nothing: `top` of `shop.example.top`. */
export const abusedSuffixOf = ({ hostAndParents, roles }: HostName): string | undefined =>
  roles.includes("abusedSuffix")
    ? hostAndParents.find((name, at) => at > 0 && Hosts.hasRole(name, "abusedSuffix"))
    : undefined

const genericSuffixes: ReadonlySet<string> = new Set(["com", "net", "org", "gov"])
/** Second levels for registrations in a country: `co.jp`, `com.br`. */
const secondLevels: ReadonlySet<string> = new Set("co com net ne or org go gov gob ac edu".split(" "))
const country = /^[a-z]{2}$/

/**
 * A different domain that a host shows before its own, for readers who stop where a host usually ends: `example.com` of
 * `login.example.com.evil.net`, `parcel.com` of `parcel.com-track.net`. Nothing for other hosts.
 */
export const decoyDomainOf = ({ subdomains, name }: HostName): string | undefined => {
  for (const [at, before] of subdomains.entries()) {
    if (before === "www") continue
    const label = subdomains[at + 1]
    const first = (label ?? name).split("-", 1)[0] ?? ""
    if (first !== (label ?? name)) {
      if (genericSuffixes.has(first)) return `${before}.${first}`
    } else if (label !== undefined) {
      const next = subdomains[at + 2] ?? ""
      if (secondLevels.has(label) && country.test(next)) return `${before}.${label}.${next}`
      if (genericSuffixes.has(label)) return `${before}.${label}`
    }
  }
  return undefined
}
