import { Context, Effect, Layer, Option } from "effect"
import * as PublicSuffix from "../Url/PublicSuffix.ts"
import * as SharedHost from "../Url/SharedHost.ts"
import { ThreatFeeds } from "./ThreatFeeds.ts"

/**
 * Hosts that many sites load scripts, fonts and pictures from. Feeds list them by mistake: they stand in the source of
 * almost every reported page. The table is kept by hand, at most 50 names: hosts that serve only their owner's files, and
 * that `SharedHost` does not cover. Hosts where others can publish (`cdn.jsdelivr.net`) belong there.
 */
export const loadedHosts: ReadonlySet<string> = new Set(
  `
  fonts.googleapis.com ajax.googleapis.com maps.googleapis.com fonts.gstatic.com www.gstatic.com ssl.gstatic.com
  www.googletagmanager.com www.google-analytics.com ssl.google-analytics.com www.googletagservices.com
  pagead2.googlesyndication.com i.ytimg.com www.recaptcha.net
  code.jquery.com maxcdn.bootstrapcdn.com stackpath.bootstrapcdn.com netdna.bootstrapcdn.com ajax.aspnetcdn.com
  use.fontawesome.com kit.fontawesome.com use.typekit.net p.typekit.net fast.fonts.net fonts.bunny.net
  connect.facebook.net static.xx.fbcdn.net pbs.twimg.com abs.twimg.com static.licdn.com snap.licdn.com
  secure.gravatar.com s.w.org s0.wp.com stats.wp.com m.media-amazon.com images-na.ssl-images-amazon.com
  www.paypalobjects.com aadcdn.msauth.net aadcdn.msftauth.net
  static.cloudflareinsights.com static.hotjar.com script.hotjar.com cdn.segment.com browser.sentry-cdn.com
  js-agent.newrelic.com js.hcaptcha.com cdn.cookielaw.org consent.cookiebot.com static.zdassets.com assets.adobedtm.com
  `
    .trim()
    .split(/\s+/)
)

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
    Effect.map(ThreatFeeds, ({ popular }): PopularSitesShape => {
      const isRanked = (domain: string) =>
        Option.exists(
          Option.flatMap(popular, ({ current }) => current(0)),
          ({ list }) => list.hasHost(domain)
        )
      return {
        isSite: (host) =>
          loadedHosts.has(host) ||
          isRanked(host) ||
          (host.startsWith("www.") && isRanked(host.slice("www.".length))),
        isOnSite: (host) => {
          if (loadedHosts.has(host)) return true
          const domain = PublicSuffix.registrableDomain(host)
          return domain !== undefined && isRanked(domain) && !SharedHost.isShared(host, domain)
        }
      }
    })
  )
}
