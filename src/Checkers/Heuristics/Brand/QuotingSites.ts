/**
 * Sites that put other firms' domains into their own paths: archives and code (`/blob/main/paypal.com/login.html`), sign-in
 * of a firm's staff (`/paypal.com/oauth2/authorize`), encyclopedias and reports about sites. They show none of these pages
 * as their own. Not: hosts that serve a file as a page, such as `htmlpreview.github.io`.
 */
const names: ReadonlySet<string> = new Set(
  [
    "web.archive.org archive.org archive.ph archive.today archive.is archive.md archive.li archive.fo archive.vn",
    "github.com raw.githubusercontent.com gist.github.com gitlab.com bitbucket.org codeberg.org sourceforge.net npmjs.com",
    "login.microsoftonline.com login.microsoft.com login.windows.net sts.windows.net",
    "wikipedia.org wiktionary.org wikidata.org wikimedia.org",
    "trustpilot.com similarweb.com virustotal.com urlscan.io builtwith.com securitytrails.com ssllabs.com"
  ].flatMap((row) => row.split(" "))
)

/** Whether a host is one of these sites, or a subdomain of one. */
export const isQuotingSite = (host: string): boolean => {
  for (let start = 0; start < host.length; ) {
    if (names.has(host.slice(start))) return true
    const dot = host.indexOf(".", start)
    if (dot === -1) return false
    start = dot + 1
  }
  return false
}
