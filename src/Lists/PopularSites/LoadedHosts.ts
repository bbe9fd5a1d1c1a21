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
