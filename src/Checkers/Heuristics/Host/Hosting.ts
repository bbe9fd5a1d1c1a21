/**
 * Suffixes under which anyone can publish, and which phishing often uses. Most sites under them are honest, so each is
 * weak evidence in the table of contributions.
 */

import { hostingNames } from "../../../Url/SharedHost/HostingFirms.ts"

/**
 * Top-level domains that phishers register: named year after year in the statistics of Spamhaus
 * (https://www.spamhaus.org/reputation-statistics/) and Interisle
 * (https://interisle.substack.com/p/phishing-in-the-2020s-persistently), and at least four times as frequent among the
 * registrable domains of reported pages as among ordinary ones in the development data (with five added to the ordinary
 * count). `cn` qualifies by numbers; it is left out because it is a country's own.
 */
const abusedSuffixes: ReadonlySet<string> = new Set(
  [
    "top xyz icu cyou cfd sbs click vip bond qpon buzz shop xin autos win fit help ltd lat quest wang monster cc pro",
    "mom hair pics skin boats homes cam rest gdn work live site online store world asia club life love support baby",
    "pink bet digital claims trading black tokyo group lol",
    // Free of charge at Freenom until 2023.
    "tk ml ga cf gq"
  ].flatMap((row) => row.split(" "))
)

export interface HostingFirm {
  readonly kind: "freeHosting" | "dynamicDns"
  /** The suffix of its tenants' hosts. */
  readonly suffix: string
  /** The tenant's own part of the host, `someone.github.io`; the suffix itself if tenants differ by path. */
  readonly tenant: string
}

const firms: ReadonlyMap<string, HostingFirm["kind"]> = new Map(
  (["freeHosting", "dynamicDns"] as const).flatMap((kind) =>
    hostingNames((firm) => firm.kind === kind).map((suffix) => [suffix, kind] as const)
  )
)

/** Second-level names sold like top-level domains, cheaply: by CentralNic, and in Indonesia and Vietnam. */
const cheapSecondLevels: ReadonlySet<string> = new Set(
  "sa.com za.com ru.com co.com us.com uk.com jp.net in.net eu.com com.de my.id biz.id web.id io.vn ne.pw us.cc".split(
    " "
  )
)

/** The abused suffix that a host ends in, or nothing. `abusedSuffix("shop.example.top")` is `"top"`. */
export const abusedSuffix = (host: string): string | undefined => {
  const lastTwo = host.slice(host.lastIndexOf(".", host.lastIndexOf(".") - 1) + 1)
  if (lastTwo.length < host.length && cheapSecondLevels.has(lastTwo)) return lastTwo
  const suffix = host.slice(host.lastIndexOf(".") + 1)
  return abusedSuffixes.has(suffix) ? suffix : undefined
}

/** Hosting firms whose tenants share one host. */
const firmsByPath: ReadonlySet<string> = new Set(hostingNames(({ byPath }) => byPath === true))

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

const companyServices: ReadonlySet<string> = new Set(hostingNames(({ kind }) => kind === "companyService"))

/** Whether companies use subdomains of this domain under their own names; there a brand's name is ordinary. */
export const isCompanyService = (domain: string): boolean => companyServices.has(domain)

/** Content delivery networks with generated customer names; `onion` names are keys. */
const generatedNames: ReadonlySet<string> = new Set(
  "cloudfront.net akamaized.net akamaihd.net fastly.net azurefd.net azureedge.net amazonaws.com onion".split(
    " "
  )
)

/** Whether all names under this suffix are generated, those of honest customers too. */
export const hasGeneratedNames = (suffix: string): boolean => generatedNames.has(suffix)
