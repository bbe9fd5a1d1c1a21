import * as Destination from "./Destination.ts"
import { translatedSite } from "./TranslatedSite.ts"
import * as UrlDefense from "./UrlDefense.ts"

/** A service whose links lead to an address that they name. */
export interface Wrapper {
  /** Names of hosts; `*.name` is that host and all below it. `google.com` stands for Google in every country. */
  readonly hosts: string
  /**
   * A canonical path. `/url` stands for itself, with or without a slash at its end; one that ends in a slash, such as `/amp/`,
   * for all paths that begin with it.
   */
  readonly path: string
  readonly destination: Destination.Destination
  /**
   * Whether the wrapper serves the page itself. The connection to the site is then not the visitor's, and its plain HTTP
   * does not count.
   */
  readonly servesPage?: true
}

const { parameters } = Destination

const search: ReadonlyArray<Wrapper> = [
  { hosts: "*.google.com", path: "/url", destination: parameters("q", "url") },
  { hosts: "duckduckgo.com html.duckduckgo.com", path: "/l", destination: parameters("uddg") },
  { hosts: "*.bing.com", path: "/ck/a", destination: Destination.base64Parameter("u", "a1") },
  { hosts: "*.search.yahoo.com", path: "/", destination: Destination.between("/RU=", "/RK=") }
]

const advertising: ReadonlyArray<Wrapper> = [
  { hosts: "*.googleadservices.com", path: "/pagead/aclk", destination: parameters("adurl") },
  { hosts: "*.g.doubleclick.net", path: "/pcs/click", destination: parameters("adurl") },
  { hosts: "*.g.doubleclick.net", path: "/aclk", destination: parameters("adurl") }
]

const social: ReadonlyArray<Wrapper> = [
  { hosts: "*.facebook.com l.messenger.com", path: "/l.php", destination: parameters("u") },
  {
    hosts: "l.facebook.com lm.facebook.com l.instagram.com l.messenger.com l.threads.net l.threads.com",
    path: "/",
    destination: parameters("u")
  },
  { hosts: "l.wl.co", path: "/l", destination: parameters("u") },
  { hosts: "*.youtube.com", path: "/redirect", destination: parameters("q") },
  { hosts: "*.linkedin.com", path: "/redir/redirect", destination: parameters("url") },
  { hosts: "*.linkedin.com", path: "/safety/go", destination: parameters("url") },
  { hosts: "out.reddit.com", path: "/", destination: parameters("url") },
  { hosts: "*.vk.com", path: "/away.php", destination: parameters("to") },
  { hosts: "t.umblr.com", path: "/redirect", destination: parameters("z") },
  { hosts: "*.pinterest.com", path: "/offsite", destination: parameters("url") },
  { hosts: "medium.com", path: "/r", destination: parameters("url") },
  { hosts: "slack-redir.net", path: "/link", destination: parameters("url") },
  { hosts: "steamcommunity.com", path: "/linkfilter", destination: parameters("u", "url") },
  { hosts: "www.tiktok.com", path: "/link/v2", destination: parameters("target") },
  { hosts: "exit.sc", path: "/", destination: parameters("url") },
  { hosts: "href.li", path: "/", destination: Destination.wholeQuery }
]

/** Each of them opens links of all versions. */
const URL_DEFENSE = "urldefense.com urldefense.us urldefense.proofpoint.com"

const mailGateways: ReadonlyArray<Wrapper> = [
  {
    hosts: "*.safelinks.protection.outlook.com *.safelinks.protection.office365.us",
    path: "/",
    destination: parameters("url")
  },
  {
    hosts: "statics.teams.cdn.office.net",
    path: "/evergreen-assets/safelinks/",
    destination: parameters("url")
  },
  { hosts: URL_DEFENSE, path: "/v1/url", destination: parameters("u") },
  { hosts: URL_DEFENSE, path: "/v2/url", destination: UrlDefense.version2 },
  { hosts: URL_DEFENSE, path: "/v3/", destination: UrlDefense.version3 },
  { hosts: "secure-web.cisco.com", path: "/", destination: Destination.inPath },
  { hosts: "linkprotect.cudasvc.com", path: "/url", destination: parameters("a") },
  { hosts: "*.trendmicro.com", path: "/wis/clicktime/", destination: parameters("url") },
  { hosts: "*.protection.sophos.com", path: "/", destination: Destination.base64Parameter("u") },
  { hosts: "clicktime.symantec.com", path: "/", destination: parameters("u") },
  { hosts: "*.fireeye.com", path: "/url", destination: parameters("u") },
  { hosts: "*.fireeye.com", path: "/v1/url", destination: parameters("u") },
  {
    hosts: "protect.checkpoint.com url.avanan.click",
    path: "/v2/",
    destination: Destination.between("___", "___")
  },
  { hosts: "*.url-protection.com", path: "/v1/url", destination: parameters("o") },
  {
    hosts: "deref-gmx.net deref-web.de deref-mail.com",
    path: "/mail/client/",
    destination: parameters("redirectUrl")
  },
  { hosts: "link.edgepilot.com", path: "/", destination: parameters("u") },
  { hosts: "scanmail.trustwave.com", path: "/", destination: parameters("u") },
  { hosts: "safe.menlosecurity.com", path: "/", destination: Destination.inPath, servesPage: true }
]

const pagesOfOthers: ReadonlyArray<Wrapper> = [
  {
    hosts: "www.google.com google.com",
    path: "/amp/",
    destination: Destination.siteAfter(/^\/amp\/(?:s\/)?/)
  },
  {
    hosts: "*.cdn.ampproject.org *.bing-amp.com",
    path: "/",
    destination: Destination.siteAfter(/^\/(?:c|v|wp|i|r)\/(?:s\/)?/)
  },
  { hosts: "*.translate.goog", path: "/", destination: translatedSite },
  { hosts: "translate.google.com", path: "/translate", destination: Destination.siteParameter("u") },
  { hosts: "translate.google.com", path: "/website", destination: Destination.siteParameter("u") },
  {
    hosts: "translate.googleusercontent.com",
    path: "/translate_c",
    destination: Destination.siteParameter("u")
  },
  {
    hosts: "web.archive.org",
    path: "/web/",
    // The time of the capture may be absent, or followed by `id_`, `if_`, ...
    destination: Destination.inPathOrAfter(/^\/web\/(?:[\d*]+[a-z_]*\/)?/)
  },
  {
    hosts: "archive.ph archive.is archive.today archive.li archive.md archive.vn archive.fo",
    path: "/",
    destination: Destination.inPath
  },
  { hosts: "webcache.googleusercontent.com", path: "/search", destination: Destination.insideParameter("q") }
].map((wrapper) => ({ ...wrapper, servesPage: true }))

/**
 * Known wrappers, kept by hand: redirectors of search engines, advertisers and social sites, link protection of mail gateways,
 * and services that show pages of other sites (AMP, translations, archives).
 *
 * To add one, the address must stand in the link itself, in a form that the service documents or that several published links
 * show, under a host that belongs to the service alone. A link with only a token is no wrapper: where it leads cannot be read.
 * A redirector on any other site is none either: the addresses that its links carry are looked up all the same.
 */
export const wrappers: ReadonlyArray<Wrapper> = [
  ...search,
  ...advertising,
  ...social,
  ...mailGateways,
  ...pagesOfOthers
]
