/** The sites of a ranking, and hosts that many sites load from. Without effects: the worker thread uses it too. */

import { Either } from "effect"
import * as CanonicalUrl from "../../Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import { hostingNames } from "../../Url/SharedHost/HostingFirms.ts"
import * as SharedHost from "../../Url/SharedHost.ts"
import type { ThreatList } from "../ThreatList.ts"

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

/** Where anybody gets a name or a page: how popular the domain is says nothing about a page there. */
const platforms: ReadonlySet<string> = new Set(
  hostingNames(({ kind }) => kind === "freeHosting" || kind === "dynamicDns")
)

const isPlatform = (domain: string): boolean =>
  platforms.has(domain) ||
  SharedHost.isShared(domain, domain) ||
  PublicSuffix.isPrivateSuffix(domain.slice(domain.indexOf(".") + 1))

/**
 * Returns the site of a row of a ranking: its registrable domain.
 *
 * - `Left("Excluded")`: an IP address, a public suffix, or a domain whose pages belong to many: a shared host, a hosting
 *   firm, or a customer's name under one.
 * - `Left("Unreadable")`: no host.
 *
 * `siteOf("policies.example.co.uk")` is `Right("example.co.uk")`; `google.com`, `weebly.com` and `tenant.github.io` are
 * excluded.
 */
export const siteOf = (row: string): Either.Either<string, "Excluded" | "Unreadable"> => {
  const url = CanonicalUrl.parse(row)
  if (Either.isLeft(url)) return Either.left("Unreadable")
  const domain = PublicSuffix.registrableDomain(url.right.host)
  return domain === undefined || isPlatform(domain) ? Either.left("Excluded") : Either.right(domain)
}

/** See `PopularSites`. Without a ranking only `loadedHosts` are sites. */
export const isSite = (ranking: ThreatList | undefined, host: string): boolean =>
  loadedHosts.has(host) ||
  ranking?.hasHost(host) === true ||
  (host.startsWith("www.") && ranking?.hasHost(host.slice("www.".length)) === true)

/** See `PopularSites`. */
export const isOnSite = (ranking: ThreatList | undefined, host: string): boolean => {
  if (loadedHosts.has(host)) return true
  const domain = PublicSuffix.registrableDomain(host)
  return domain !== undefined && ranking?.hasHost(domain) === true && !SharedHost.isShared(host, domain)
}
