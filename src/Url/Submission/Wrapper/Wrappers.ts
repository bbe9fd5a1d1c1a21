import * as Destination from "./Destination.ts"
import * as OwnCodings from "./OwnCodings.ts"

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
   * does not count. The address may lack its scheme.
   */
  readonly servesPage: boolean
}

type Row = readonly [hosts: string, path: string, destination: Destination.Destination]

const { base64Parameter, between, inPath, inPathOrAfter, parameters, siteAfter } = Destination

const search: ReadonlyArray<Row> = [
  ["*.google.com", "/url", parameters("q", "url")],
  ["*.google.com", "/travel/clk", parameters("pcurl")],
  ["duckduckgo.com html.duckduckgo.com", "/l", parameters("uddg")],
  ["*.bing.com", "/ck/a", base64Parameter("u", "a1")],
  ["*.bing.com", "/aclick", base64Parameter("u")],
  ["*.bing.com", "/aclk", base64Parameter("u")],
  ["*.search.yahoo.com", "/", between("/RU=", "/RK=")],
  ["*.yandex.ru *.yandex.com *.yandex.by *.yandex.kz", "/clck/jsredir", parameters("url")]
]

const advertising: ReadonlyArray<Row> = [
  ["*.googleadservices.com", "/pagead/aclk", parameters("adurl")],
  ["*.g.doubleclick.net", "/pcs/click", parameters("adurl")],
  ["*.g.doubleclick.net", "/aclk", parameters("adurl")]
]

const social: ReadonlyArray<Row> = [
  ["*.facebook.com l.messenger.com", "/l.php", parameters("u")],
  [
    "l.facebook.com lm.facebook.com l.instagram.com l.messenger.com l.threads.net l.threads.com",
    "/",
    parameters("u")
  ],
  ["l.wl.co", "/l", parameters("u")],
  ["*.youtube.com", "/redirect", parameters("q")],
  ["*.linkedin.com", "/redir/redirect", parameters("url")],
  ["*.linkedin.com", "/safety/go", parameters("url")],
  ["out.reddit.com", "/", parameters("url")],
  ["*.vk.com", "/away.php", parameters("to")],
  ["t.umblr.com", "/redirect", parameters("z")],
  ["*.pinterest.com", "/offsite", parameters("url")],
  ["medium.com", "/r", parameters("url")],
  ["slack-redir.net", "/link", parameters("url")],
  ["steamcommunity.com", "/linkfilter", parameters("u", "url")],
  ["www.tiktok.com", "/link/v2", parameters("target")],
  ["exit.sc", "/", parameters("url")],
  ["href.li", "/", Destination.wholeQuery()],
  ["disq.us", "/", Destination.signedParameter("url")],
  ["zalo.me", "/openurl", parameters("url")],
  ["c.pc.qq.com", "/", parameters("pfurl", "url")],
  ["weixin110.qq.com", "/cgi-bin/", parameters("url")],
  ["www.douban.com", "/link2", parameters("url")],
  ["link.zhihu.com link.csdn.net", "/", parameters("target")]
]

/** Each of them opens links of all versions. */
const URL_DEFENSE = "urldefense.com urldefense.us urldefense.proofpoint.com"

const mail: ReadonlyArray<Row> = [
  ["*.safelinks.protection.outlook.com *.safelinks.protection.office365.us", "/", parameters("url")],
  ["statics.teams.cdn.office.net", "/evergreen-assets/safelinks/", parameters("url")],
  [URL_DEFENSE, "/v1/url", parameters("u")],
  [URL_DEFENSE, "/v2/url", OwnCodings.urlDefense2],
  [URL_DEFENSE, "/v3/", OwnCodings.urlDefense3],
  ["secure-web.cisco.com", "/", inPath],
  ["linkprotect.cudasvc.com", "/url", parameters("a")],
  ["*.trendmicro.com", "/wis/clicktime/", parameters("url")],
  ["*.protection.sophos.com", "/", base64Parameter("u")],
  ["clicktime.symantec.com", "/", parameters("u")],
  ["*.fireeye.com", "/url", parameters("u")],
  ["*.fireeye.com", "/v1/url", parameters("u")],
  ["protect.checkpoint.com url.avanan.click", "/v2/", between("___", "___")],
  ["*.url-protection.com", "/v1/url", parameters("o")],
  ["deref-gmx.net deref-web.de deref-mail.com", "/mail/client/", parameters("redirectUrl")],
  ["link.edgepilot.com", "/", parameters("u")],
  ["scanmail.trustwave.com", "/", parameters("u")],
  ["checklink.mail.ru", "/proxy", parameters("url")],
  ["*.awstrack.me", "/L0/", between("/L0/", "/1/")]
]

const pagesOfOthers: ReadonlyArray<Row> = [
  ["safe.menlosecurity.com", "/", inPath],
  ["www.google.com google.com", "/amp/", siteAfter(/^\/amp\/(?:s\/)?/)],
  ["*.cdn.ampproject.org *.bing-amp.com", "/", siteAfter(/^\/(?:c|v|wp|i|r)\/(?:s\/)?/)],
  ["*.translate.goog", "/", OwnCodings.translatedSite],
  ["translate.google.com", "/translate", parameters("u")],
  ["translate.google.com", "/website", parameters("u")],
  ["translate.googleusercontent.com", "/translate_c", parameters("u")],
  ["www.translatetheweb.com", "/", parameters("a")],
  ["papago.naver.net", "/website", parameters("url")],
  ["translated.turbopages.org", "/proxy_u/", siteAfter(/^\/proxy_u\/[^/]+\/https?\//)],
  ["docs.google.com", "/viewer", parameters("url")],
  ["docs.google.com", "/gview", parameters("url")],
  ["view.officeapps.live.com", "/op/", parameters("src")],
  // The time of the capture may be absent, or followed by `id_`, `if_`, ...
  ["web.archive.org", "/web/", inPathOrAfter(/^\/web\/(?:[\d*]+[a-z_]*\/)?/)],
  ["archive.ph archive.is archive.today archive.li archive.md archive.vn archive.fo", "/", inPath],
  ["webcache.googleusercontent.com", "/search", Destination.insideParameter("q")],
  ["r.jina.ai", "/", inPathOrAfter(/^\//)],
  ["12ft.io", "/proxy", parameters("q")],
  ["12ft.io", "/", inPath],
  ["corsproxy.io", "/", Destination.wholeQuery("url")]
]

const wrapper =
  (servesPage: boolean) =>
  ([hosts, path, destination]: Row): Wrapper => ({ hosts, path, destination, servesPage })

/**
 * Known wrappers, kept by hand: redirectors of search engines, advertisers and social sites, link protection of mail services,
 * and services that show pages of other sites (AMP, translations, archives, viewers of documents). Of two rows for a path the
 * first counts.
 *
 * To add one, the address must stand in the link itself, in a form that the service documents or that several published links
 * show, under a host that belongs to the service alone. A link with only a token is no wrapper: where it leads cannot be read.
 * A redirector on any other site is none either: the addresses that its links carry are looked up all the same.
 */
export const wrappers: ReadonlyArray<Wrapper> = [
  ...[...search, ...advertising, ...social, ...mail].map(wrapper(false)),
  ...pagesOfOthers.map(wrapper(true))
]
