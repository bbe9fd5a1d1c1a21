import { Context, Effect, Layer, Option } from "effect"
import { PopularRanking } from "./PopularSites/PopularRanking.ts"
import * as RankedSites from "./PopularSites/RankedSites.ts"

/**
 * Popular sites. One row of a threat list that names such a site is more often a mistake than not: it counts in full
 * only if another publisher's list has one too. Shared hosts are none: `SharedHost` has rules of their own for them.
 */
export interface PopularSitesShape {
  /** Whether the host is a popular site's own: its registrable domain, that with `www.`, or one that other sites load from. */
  readonly isSite: (host: string) => boolean
  /** Whether the host is a popular site's own or any other host on its registrable domain. */
  readonly isOnSite: (host: string) => boolean
}

export class PopularSites extends Context.Tag("app/Checkers/PopularSites")<
  PopularSites,
  PopularSitesShape
>() {
  /** The sites of the ranking as it is at the time, also of a stale one: popularity lasts for years. */
  static readonly layer = Layer.effect(
    PopularSites,
    Effect.map(PopularRanking, (ranking): PopularSitesShape => {
      const list = () => Option.getOrUndefined(Option.flatMap(ranking, ({ list }) => list()))
      return {
        isSite: (host) => RankedSites.isSite(list(), host),
        isOnSite: (host) => RankedSites.isOnSite(list(), host)
      }
    })
  )
}
