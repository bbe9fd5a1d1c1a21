import { Context, Effect, Layer, Option } from "effect"
import * as Hosts from "../Url/Hosts.ts"
import * as PublicSuffix from "../Url/PublicSuffix.ts"
import { ThreatFeeds } from "./ThreatFeed.ts"

const loadedHosts = Hosts.namesWith("loaded")

/**
 * Popular sites. One row of a threat list that names such a site, and what its name looks like, is more often a mistake than
 * not: `Verdict` counts it only if it is confirmed. Shared hosts are not among them: `Hosts.isShared` has their rules.
 */
export interface PopularSitesShape {
  /** Whether the host is a popular site's own: its registrable domain, that with `www.`, or one that other sites load from. */
  readonly isSite: (host: string) => boolean
  /** Whether the host is a popular site's own or any other host on its registrable domain. */
  readonly isOnSite: (host: string) => boolean
}

export class PopularSites extends Context.Tag("app/Lists/PopularSites")<PopularSites, PopularSitesShape>() {
  /** The sites of the ranking as it is at the time, also of a stale one: popularity lasts for years. */
  static readonly layer = Layer.effect(
    PopularSites,
    Effect.map(ThreatFeeds, ({ popular }) =>
      PopularSites.make((domain) =>
        Option.exists(
          Option.flatMap(popular, ({ current }) => current(0)),
          ({ list }) => list.hasHost(domain)
        )
      )
    )
  )

  static readonly make = (isRanked: (domain: string) => boolean): PopularSitesShape => ({
    isSite: (host) =>
      loadedHosts.has(host) ||
      isRanked(host) ||
      (host.startsWith("www.") && isRanked(host.slice("www.".length))),
    isOnSite: (host) => {
      if (loadedHosts.has(host)) return true
      const domain = PublicSuffix.registrableDomain(host)
      return domain !== undefined && isRanked(domain) && !Hosts.isShared(host, domain)
    }
  })
}
