/**
 * Suffixes under which anyone can publish, and which phishing often uses. Most sites under them are honest, so each is
 * weak evidence in the table of contributions.
 */

import * as Hosts from "../../../Url/Hosts.ts"
import * as LookupExpression from "../../../Url/LookupExpression.ts"

const abusedSuffixes = Hosts.namesWith("abusedSuffix")

export interface HostingFirm {
  readonly kind: "freeHosting" | "dynamicDns"
  /** The suffix of its tenants' hosts. */
  readonly suffix: string
  /** The tenant's own part of the host, `someone.github.io`; the suffix itself if tenants differ by path. */
  readonly tenant: string
}

const firms: ReadonlyMap<string, HostingFirm["kind"]> = new Map(
  (["freeHosting", "dynamicDns"] as const).flatMap((kind) =>
    Array.from(Hosts.namesWith(kind), (suffix) => [suffix, kind] as const)
  )
)

/** The abused suffix that a host ends in, or nothing. `abusedSuffix("shop.example.top")` is `"top"`. */
export const abusedSuffix = (host: string): string | undefined => {
  const lastTwo = host.slice(host.lastIndexOf(".", host.lastIndexOf(".") - 1) + 1)
  if (lastTwo.length < host.length && abusedSuffixes.has(lastTwo)) return lastTwo
  const suffix = host.slice(host.lastIndexOf(".") + 1)
  return abusedSuffixes.has(suffix) ? suffix : undefined
}

/** Hosting firms whose tenants share one host. */
const firmsByPath = Hosts.namesWith("byPath")

/** Labels that hosting firms use for their own pages. */
const ownLabels: ReadonlySet<string> = new Set(
  "www support help docs blog api app status my community".split(" ")
)

/**
 * The hosting firm whose tenant this host is; nothing for other hosts and for the firm's own site.
 * `hostingFirmOf("www.someone.github.io")` has the tenant `someone.github.io`, `hostingFirmOf("weebly.com")` is nothing.
 */
export const hostingFirmOf = (host: string): HostingFirm | undefined => {
  let tenantStart = -1
  for (let start = 0; ; ) {
    const suffix = host.slice(start)
    const kind = firms.get(suffix)
    if (kind !== undefined) {
      if (tenantStart === -1) return firmsByPath.has(suffix) ? { kind, suffix, tenant: suffix } : undefined
      return ownLabels.has(host.slice(tenantStart, start - 1))
        ? undefined
        : { kind, suffix, tenant: host.slice(tenantStart) }
    }
    const dot = host.indexOf(".", start)
    if (dot === -1) return undefined
    tenantStart = start
    start = dot + 1
  }
}

const companyServices = Hosts.namesWith("companyService")

/** Whether companies use subdomains of this domain under their own names; there a brand's name is ordinary. */
export const isCompanyService = (domain: string): boolean => companyServices.has(domain)

const namesOfOthers = Hosts.namesWith("carriesNames")

/** Whether other sites' whole names stand below this host's domain, as on a content delivery network: `www.example.com.edgesuite.net`. */
export const carriesNames = (host: string): boolean =>
  LookupExpression.hostAndParents(host).some((name) => namesOfOthers.has(name))

const publicResolvers = Hosts.namesWith("publicResolver")

/** Whether the host is known infrastructure, whose name says nothing: a public DNS resolver, or one that carries others' names. */
export const isInfrastructure = (host: string): boolean => publicResolvers.has(host) || carriesNames(host)

const generatedNames = Hosts.namesWith("generated")

/** Whether all names under this suffix are generated, also for honest customers. */
export const hasGeneratedNames = (suffix: string): boolean => generatedNames.has(suffix)
