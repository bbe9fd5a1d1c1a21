import { Context, Layer } from "effect"

/**
 * Very popular sites. One row of a threat list that names such a site is more often a mistake than not: it counts in full
 * only if another publisher's list has one too.
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
  /** No site is popular. */
  static readonly none = Layer.succeed(PopularSites, { isSite: () => false, isOnSite: () => false })
}
