import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as FeedChecker from "../../src/Checkers/FeedChecker.ts"
import * as Heuristics from "../../src/Checkers/Heuristics.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Submission from "../../src/Url/Submission.ts"
import * as UrlExpressions from "../../src/Url/UrlExpressions.ts"
import { runs } from "../fixtures/Seed.ts"
import { model } from "../fixtures/SmallModel.ts"
import { listOf } from "../fixtures/ThreatLists.ts"

/** `relation address` of each address, of a wrapper with a star. */
const addresses = (submitted: string): ReadonlyArray<string> =>
  Submission.read(submitted, 0).addresses.map(
    ({ url, relation, isWrapper }) => `${relation}${isWrapper ? "*" : ""} ${CanonicalUrl.format(url)}`
  )

const inside = (submitted: string): ReadonlyArray<string> => addresses(submitted).slice(1)

const encoded = encodeURIComponent
const LISTED = "https://hostlisted.example/x"
const coded = encoded(LISTED)
const base64 = Buffer.from(LISTED).toString("base64")
const jsonInBase64 = (value: object, slash = "/") =>
  Buffer.from(JSON.stringify(value).replaceAll("/", slash)).toString("base64url")

/** A link of each wrapper to `https://hostlisted.example/x`. */
const links: ReadonlyArray<string> = [
  `https://www.google.com/url?q=${LISTED}&sa=D`,
  `https://www.google.com/url?sa=t&url=${coded}&usg=abc`,
  `https://google.co.uk/url?q=${coded}`,
  `https://t.yesware.com/tt/0a1b/2c3d/4e5f/hostlisted.example/x`,
  `https://t.yesware.com/tl/0a1b/2c3d/4e5f?ytl=${coded}`,
  `https://circulate.it/r/a-B_1/n/Sm9l/hostlisted.example/x`,
  `https://webarchive.nationalarchives.gov.uk/ukgwa/20260101000000mp_/hostlisted.example/x`,
  `https://urldefense.com/v3/__hxxps://hostlisted[.]example/x__;!!abc!def$`,
  `https://images.google.de/url?q=${coded}`,
  `https://www.google.com/amp/s/hostlisted.example/x`,
  `https://www.google.com/amp/hostlisted.example/x`,
  `https://www.google.com//%61mp/./s//hostlisted.example:443/x`,
  `https://www.google.com/amp/s/${LISTED}`,
  `https://duckduckgo.com/l/?uddg=${coded}&rut=1`,
  `https://duckduckgo.com/l?uddg=${coded}`,
  `https://www.bing.com/ck/a?!&&p=1&u=a1${base64}&ntb=1`,
  `https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU=${coded}/RK=2/RS=x-`,
  `https://www.googleadservices.com/pagead/aclk?sa=L&ai=x&adurl=${LISTED}`,
  `https://adclick.g.doubleclick.net/pcs/click?xai=1&urlfix=1&adurl=${LISTED}`,
  `https://www.facebook.com/l.php?u=${coded}&h=AT0`,
  `https://www.facebook.com/flx/warn/?u=${coded}&h=AT0`,
  `https://l.facebook.com/l.php?u=${coded}&h=AT0`,
  `https://lm.facebook.com/l.php?u=${coded}&h=AT0`,
  `https://l.instagram.com/?u=${coded}&e=AT0`,
  `https://l.messenger.com/l.php?u=${coded}`,
  `https://l.threads.net/?u=${coded}`,
  `https://l.wl.co/l?u=${LISTED}`,
  `https://www.youtube.com/redirect?event=video&q=${coded}`,
  `https://www.linkedin.com/redir/redirect?url=${coded}&urlhash=x`,
  `https://www.linkedin.com/safety/go?url=${coded}&trk=x`,
  `https://out.reddit.com/t3_abc?url=${coded}&token=x`,
  `https://vk.com/away.php?to=${coded}`,
  `https://ok.ru/dk?cmd=logExternal&st.link=${coded}`,
  `https://www.deviantart.com/users/outgoing?${LISTED}`,
  `https://ad.doubleclick.net/ddm/clk/1;2;a?${LISTED}`,
  `https://urlsand.esvalabs.com/?u=${coded}&e=1`,
  `https://a.lt.acemlnb.com/Prod/link-tracker?redirectUrl=${encodeURIComponent(btoa(coded))}&sig=a&iat=1`,
  `https://clicktime.cloud.postoffice.net/clicktime.php?U=${coded}&E=x`,
  `https://antiphishing.vadesecure.com/v4?f=x&u=${coded}&k=y`,
  `https://x.r.us-east-1.awstrack.me/CL0/${coded}/1/0100/abc=1`,
  `https://links-1.govdelivery.com/CL0/${coded}/1/0100/abc=1`,
  `https://vk.ru/away.php?to=${coded}`,
  `https://www.google.com/aclk?sa=l&ai=x&adurl=${coded}`,
  `https://www.linkedin.com/redir/suspicious-page?url=${coded}`,
  `https://atpscan.global.hornetsecurity.com/?d=x&f=y&u=${coded}`,
  `https://sba.yandex.net/redirect?url=${coded}&client=mail`,
  `https://t.umblr.com/redirect?z=${coded}&t=x`,
  `https://www.pinterest.com/offsite/?token=1&url=${coded}`,
  `https://medium.com/r/?url=${coded}`,
  `https://slack-redir.net/link?url=${coded}`,
  `https://steamcommunity.com/linkfilter/?u=${coded}`,
  `https://steamcommunity.com/linkfilter/?url=${LISTED}`,
  `https://www.tiktok.com/link/v2?aid=1988&scene=bio_url&target=${coded}`,
  `https://exit.sc/?url=${coded}`,
  `https://gate.sc/?url=${coded}&token=a`,
  `https://go.bsky.app/redirect?u=${coded}`,
  `https://www.pixiv.net/jump.php?${coded}`,
  `https://www.pixiv.net/jump.php?url=${coded}`,
  `https://getpocket.com/redirect?url=${coded}&h=a`,
  `https://meet.google.com/linkredirect?authuser=0&dest=${coded}`,
  `https://search.aol.com/click/_ylt=A/RV=2/RU=${coded}/RK=0/RS=a`,
  `https://www.shareasale.com/r.cfm?b=1&urllink=${encoded("hostlisted.example/x")}`,
  `https://click.redditmail.com/CL0/${coded}/1/010001/AbC=360`,
  "https://metamask.app.link/dapp/hostlisted.example/x",
  `https://link.metamask.io/dapp/${LISTED}`,
  `https://link.trustwallet.com/open_url?coin_id=60&url=${coded}`,
  `https://go.cb-w.com/dapp?cb_url=${coded}`,
  `https://phantom.app/ul/browse/${coded}`,
  `https://chn01.safelinks.protection.partner.outlook.cn/?url=${coded}&data=05`,
  `https://linklock.titanhq.com/analyse?url=${coded}&data=eJx`,
  `https://m365.eu.vadesecure.com/safeproxy/v4?f=a&u=${coded}`,
  `https://href.li/?${LISTED}`,
  `https://eur01.safelinks.protection.outlook.com/?url=${coded}&data=05%7C01&reserved=0`,
  `https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html?url=${coded}&locale=en-us`,
  `https://nam.safelink.emails.azure.net/redirect/?destination=${coded}&p=bT0x`,
  `https://urldefense.com/v3/__${LISTED}__;!!abc!def$`,
  `https://urldefense.proofpoint.com/v2/url?u=https-3A__hostlisted.example_x&d=DwMF`,
  `https://urldefense.proofpoint.com/v1/url?u=${coded}&k=1`,
  `https://urldefense.com/v2/url?u=https-3A__hostlisted.example_x&d=DwMF`,
  `https://urldefense.us/v1/url?u=${coded}&k=1`,
  `https://secure-web.cisco.com/1aBc-D_/${coded}`,
  `https://linkprotect.cudasvc.com/url?a=${coded}&c=E,1&typo=1`,
  `https://imsva91-ctp.trendmicro.com:443/wis/clicktime/v1/query?url=${coded}&umid=1`,
  `https://us-west-2.protection.sophos.com/?d=hostlisted.example&u=${base64}&p=m`,
  `https://clicktime.symantec.com/3KG6?u=${coded}`,
  `https://protect2.fireeye.com/v1/url?k=1&q=1&e=2&u=${coded}`,
  `https://protect.checkpoint.com/v2/r01/___${LISTED}___.YzJ1`,
  `https://url.avanan.click/v2/___${LISTED}___.YXAz`,
  `https://deref-gmx.net/mail/client/abc/dereferrer/?redirectUrl=${coded}`,
  `https://checkpoint.url-protection.com/v1/url?o=https%3A//hostlisted.example/x&g=1`,
  `https://link.edgepilot.com/s/12/ab?u=${LISTED}`,
  `https://scanmail.trustwave.com/?c=7440&d=x&u=${coded}`,
  `https://safe.menlosecurity.com/${LISTED}`,
  `https://hostlisted-example.cdn.ampproject.org/c/s/hostlisted.example/x`,
  `https://hostlisted-example.cdn.ampproject.org/v/hostlisted.example/x`,
  `https://hostlisted-example.bing-amp.com/c/s/hostlisted.example/x`,
  `https://hostlisted-example.translate.goog/x?_x_tr_sl=auto&_x_tr_tl=en`,
  `https://translate.google.com/translate?sl=auto&tl=en&u=${coded}`,
  `https://translate.google.fr/website?sl=auto&u=${coded}`,
  `https://translate.google.com/translate?u=hostlisted.example/x`,
  `https://translate.google.com/translate?u=hostlisted.example%2Fx`,
  `https://translate.google.com/translate?u=${encoded(coded)}`,
  `https://translate.googleusercontent.com/translate_c?sl=de&u=${LISTED}&usg=x`,
  `https://web.archive.org/web/20200101000000id_/${LISTED}`,
  `https://web.archive.org/web/2020/http://hostlisted.example/x`,
  `https://web.archive.org/web/20200101000000if_/hostlisted.example/x`,
  `https://web.archive.org/web/hostlisted.example/x`,
  `https://web.archive.org/web/2020/${coded}`,
  `https://archive.ph/2020/${LISTED}`,
  `https://webcache.googleusercontent.com/search?q=cache:abc:${LISTED}+words&cd=1`,
  `https://zalo.me/openurl?url=${coded}`,
  `https://deref-web-02.de/mail/client/abc/dereferrer/?redirectUrl=${encoded(coded)}`,
  `https://deref-1und1.de/mail/client/dereferrer/?redirectUrl=${coded}`,
  `https://gw000001-eu.fortimail.com/fmlurlsvc/?fewReq=:B:JVQw&url=${coded}`,
  `https://scanner.topsec.com/?d=1&r=show&u=${coded}&t=ab`,
  `https://link.zixcentral.com/u/12ab34cd/Ab-1?u=${coded}`,
  `https://urlisolation.com/browser?clickId=1&traceToken=2&url=${coded}`,
  `https://zasobygwp.pl/redirect?sig=1&url=${base64}`,
  `https://link.segmentfault.com/?url=${coded}`,
  `https://cc.loginfra.com/cc?a=1&u=${coded}`,
  `https://anonym.to/?${LISTED}`,
  `https://12ab34cd.isolation.zscaler.com/profile/00000000-0000-4000-8000-000000000000/zia-session/?original_url=${coded}&key=1`,
  `https://googleweblight.com/i?u=${coded}`,
  `https://googleweblight.com/?lite_url=${LISTED}`,
  `https://c.pc.qq.com/middlem.html?pfurl=${coded}&pfuin=1&type=0`,
  `https://weixin110.qq.com/cgi-bin/readtemplate?t=safety/index&url=${coded}`,
  `https://www.douban.com/link2/?url=${coded}&type=x`,
  `https://link.zhihu.com/?target=${coded}`,
  `https://link.csdn.net/?target=${coded}`,
  `https://yandex.ru/clck/jsredir?from=yandex.ru&text=&url=${coded}&ref=x`,
  `https://checklink.mail.ru/proxy?es=a%3D&egid=b&url=${coded}&uidl=1`,
  `https://www.translatetheweb.com/?from=&to=fr&a=${coded}`,
  `https://papago.naver.net/website?locale=ko&source=en&target=ko&url=${coded}`,
  `https://docs.google.com/viewer?url=${coded}&embedded=true`,
  `https://docs.google.com/gview?embedded=true&url=${LISTED}`,
  `https://docs.google.com/viewerng/viewer?embedded=true&url=${LISTED}`,
  `https://view.officeapps.live.com/op/view.aspx?src=${coded}`,
  `https://view.officeapps.live.com/op/embed.aspx?src=${coded}&wdStartOn=1`,
  `https://r.jina.ai/${LISTED}`,
  `https://r.jina.ai/hostlisted.example/x`,
  `https://12ft.io/${LISTED}`,
  `https://12ft.io/proxy?q=${coded}`,
  `https://corsproxy.io/?${LISTED}`,
  `https://corsproxy.io/?${coded}`,
  `https://corsproxy.io/?url=${coded}`,
  `https://www.google.com/travel/clk?pc=AA&pcurl=${LISTED}&ved=0`,
  `https://www.bing.com/aclick?ld=e8&u=${Buffer.from(coded.toLowerCase()).toString("base64url")}&rlid=x`,
  `https://r.search.yahoo.com/_ylt=A/RV=2/RU=${coded}/RS=x-`,
  `https://r.search.yahoo.com/_ylt=A/RU=${coded}`,
  `https://disq.us/url?url=${encoded(`${LISTED}:zjHJ9CS7YTS6D6-FWtZRTF8swk4`)}&cuid=1`,
  `https://abc.r.us-east-1.awstrack.me/L0/https:%2F%2Fhostlisted.example%2Fx/1/0100-000000/abc=1`,
  `https://abc.r.us-east-1.awstrack.me/L0/${coded}/1/abc`,
  `https://abc.r.us-east-1.awstrack.me/L0/${LISTED}/1/abc`,
  `https://translated.turbopages.org/proxy_u/en-ru.ru.a-b/https/hostlisted.example/x`,
  `https://url6.mailanyone.net/scanner?m=1a-0&d=4%7Cmail%2F90&o=${encoded("/phto:/htsdistete.lsx/elpmax")}&s=j`,
  `https://url2.mailanyone.net/v1/?m=1&i=2&u=${coded}`,
  `https://www.bing.com/amp/s/hostlisted.example/x`,
  `https://12ft.io/hostlisted.example/x`,
  `https://via.hypothes.is/${LISTED}`,
  `https://t.me/iv?url=${coded}&rhash=1`,
  `https://cc.bingj.com/cache.aspx?q=a&d=1&u=${coded}`,
  `https://translate.yandex.com/translate?url=${coded}&lang=en-ru`,
  `https://go.skimresources.com/?id=1X2&xs=1&url=${coded}&sref=a`,
  `https://redirect.viglink.com/?key=a&u=${coded}`,
  `https://gitee.com/link?target=${coded}`,
  `https://link.juejin.cn/?target=${coded}`,
  `https://www.jianshu.com/go-wild?ac=2&url=${coded}`,
  `https://www.oschina.net/action/GoToLink?url=${coded}`,
  `https://mail.qq.com/cgi-bin/readtemplate?t=safety&gourl=${coded}`,
  `https://nullrefer.com/?${LISTED}`
]

describe("a word and a colon", () => {
  const reasonOf = (submitted: string) =>
    Either.match(Submission.read(submitted, 0).url, {
      onLeft: ({ reason }) => reason,
      onRight: CanonicalUrl.format
    })

  it.each(["Total: 1", 'local-zone: "a.example" refuse', "title: a b", "domain: a.example and more"])(
    "%o are a text, not a link of a program",
    (submitted) => assert.strictEqual(reasonOf(submitted), "ForbiddenHostCharacter")
  )

  it.each([
    ["mailto: a@b.example", "OpaqueScheme"],
    ["tel: 1", "OpaqueScheme"],
    ["sha256:abc", "OpaqueScheme"],
    ["Pay: see https://a.example/x", "https://a.example/x"]
  ])("%o are %s", (submitted, expected) => assert.strictEqual(reasonOf(submitted), expected))
})

describe("the addresses of a submission", () => {
  it.each([
    "",
    "http://",
    "mailto:someone@example.com?subject=x",
    "javascript:location='https://hostlisted.example/'"
  ])("are none for %o, which has no host", (submitted) => assert.deepStrictEqual(addresses(submitted), []))

  it("are the submitted one for an ordinary URL", () =>
    assert.deepStrictEqual(addresses("https://example.com/a:b?c=d&http=e"), [
      "submitted https://example.com/a:b?c=d&http=e"
    ]))
})

describe("the addresses of another spelling", () => {
  it.each<[submitted: string, ...expected: ReadonlyArray<string>]>([
    [
      `view-source:hxxps://honest[.]example/?next=${coded}`,
      `submitted https://honest.example/?next=${LISTED}`,
      `carried ${LISTED}`
    ],
    [
      `<URL:https://www.google.com/url?q=${coded}>`,
      `submitted* https://www.google.com/url?q=${LISTED}`,
      `destination ${LISTED}`
    ],
    [
      `intent://www.google.com/url?q=${coded}#Intent;scheme=https;package=a.b;end`,
      `submitted* https://www.google.com/url?q=${LISTED}`,
      `destination ${LISTED}`
    ]
  ])("%s are found", (submitted, ...expected) => assert.deepStrictEqual(addresses(submitted), expected))
})

describe("a link of a wrapper", () => {
  // A canonical path does not show where the address ends.
  it("of Postmark has its destination and the same with more of the path", () => {
    const { addresses } = Submission.read("https://click.pstmrk.it/3s/hostlisted.example%2Fx/abc/def", 0)
    assert.deepStrictEqual(
      addresses.map(({ url }) => CanonicalUrl.format(url)),
      [
        "https://click.pstmrk.it/3s/hostlisted.example/x/abc/def",
        "https://hostlisted.example/x",
        "https://hostlisted.example/x/abc"
      ]
    )
  })

  it.each(["amp%2Fs%2Fhostlisted.example%2Fx", "/amp/s/hostlisted.example/x", "amp/hostlisted.example/x"])(
    "of Google to its own page %s leads on, beside another parameter",
    (page) => {
      const links = addresses(`https://google.com.br/url?q=https://a.example/&sa=t&url=${page}`)
      assert.deepStrictEqual(links.slice(1, 2), ["destination https://a.example/"])
      assert.strictEqual(links.at(-1), `destination ${LISTED}`)
    }
  )

  it.each(links)("%s has its destination", (link) =>
    assert.deepStrictEqual(
      Submission.read(link, 0).addresses.map(({ url, relation, isWrapper }) => [
        relation,
        isWrapper,
        relation === "submitted" ? "" : CanonicalUrl.format(url)
      ]),
      [
        ["submitted", true, ""],
        ["destination", false, LISTED]
      ]
    )
  )

  it.each<[why: string, link: string, destinations: ReadonlyArray<string>]>([
    ["in plain HTTP", "https://www.google.com/url?q=http://a.example/", ["http://a.example/"]],
    [
      "that names only the host",
      "https://protect-eu.mimecast.com/s/AbC1?domain=hostlisted.example",
      ["https://hostlisted.example/"]
    ],
    [
      "that names only the host, of INKY",
      "https://shared.outlook.inky.com/link?domain=hostlisted.example&t=h.eJxV",
      ["https://hostlisted.example/"]
    ],
    [
      "with runs of bytes, not of characters",
      "https://urldefense.com/v3/__https://hostlisted.example/m**Anchen*x__;w7wv!!abc!def$",
      ["https://hostlisted.example/m%C3%BCnchen/x"]
    ],
    [
      "of the other domain of Mimecast",
      "https://url.uk.m.mimecastprotect.com/s/AbC1?domain=hostlisted.example",
      ["https://hostlisted.example/"]
    ],
    ["with an encoded name", `https://www.google.com/url?%71=${coded}`, [LISTED]],
    ["with an encoded path", `https://www.google.com/%75rl?q=${coded}`, [LISTED]],
    ["of another path", "https://www.google.com/urls?q=a", []],
    ["after dot segments", `https://x.awstrack.me/L0/a/%2E./../L0/${coded}/1/0100`, [LISTED]],
    ["encoded twice", `https://www.google.com/url?q=${encoded(coded)}`, [LISTED]],
    ["encoded three times", `https://www.google.com/url?q=${encoded(encoded(coded))}`, [LISTED]],
    ["encoded five times", `https://www.google.com/url?q=${encoded(encoded(encoded(encoded(coded))))}`, []],
    ["after blanks", `https://www.google.com/url?q=%20+%20${coded}`, [LISTED]],
    [
      "with tabs and line breaks",
      `https://www.google.com/url?q=%0Aht%09tps:%0D/%0A/hostlisted.example/x`,
      [LISTED]
    ],
    ["without slashes", "https://www.google.com/url?q=https:hostlisted.example/x", [LISTED]],
    [
      "without slashes, encoded",
      "https://www.google.com/url?q=https%253Ahostlisted%252Eexample%252Fx",
      [LISTED]
    ],
    ["with a name in capitals", `https://eur01.safelinks.protection.outlook.com/?URL=${coded}`, [LISTED]],
    ["with an escaped name", `https://vk.com/away.php?t%6F=${coded}`, [LISTED]],
    ["from the source of a page", `https://www.google.com/url?sa=D&amp;q=${coded}`, [LISTED]],
    [
      "beside other spellings of its name",
      `https://www.google.com/url?Q=https://a.example/&q=${coded}&amp;q=https://b.example/`,
      [LISTED]
    ],
    [
      "with international letters",
      "https://www.google.com/amp/s/b\u00fccher.example/",
      ["https://xn--bcher-kva.example/"]
    ],
    [
      "of several",
      `https://www.google.com/url?q=https://a.example/&q=b&q=${coded}`,
      ["https://a.example/", LISTED]
    ],
    [
      "of two names",
      `https://www.google.com/url?q=https://a.example/&url=${coded}`,
      ["https://a.example/", LISTED]
    ],
    [
      "with parameters",
      `https://www.google.com/url?q=${encoded(`${LISTED}?a=1&b=%26`)}&sa=D`,
      [`${LISTED}?a=1&b=&`]
    ],
    [
      "with letters beyond ASCII",
      "https://www.google.com/url?q=https%3A%2F%2Fb%C3%BCcher.example%2F",
      ["https://xn--bcher-kva.example/"]
    ],
    ["on a private host", "https://www.google.com/url?q=http://192.168.0.1/x", ["http://192.168.0.1/x"]],
    ["without a scheme", "https://www.google.com/url?q=hostlisted.example/x", [LISTED]],
    ["with slashes only", "https://www.google.com/url?q=//hostlisted.example/x", [LISTED]],
    [
      "with an ideographic full stop",
      "https://www.google.com/url?q=https%3Ahostlisted%E3%80%82example/x",
      [LISTED]
    ],
    [
      "behind user info with a quote",
      `https://www.google.com/url?q=${encoded('https://a"@hostlisted.example/x')}`,
      [LISTED]
    ]
  ])("can have one %s", (_, link, destinations) =>
    assert.deepStrictEqual(
      inside(link),
      destinations.map((address) => `destination ${address}`)
    )
  )

  it.each([
    "https://www.google.com/url?q=words",
    "https://www.google.com/url?q=ftp://example.com/",
    "https://www.google.com/url?q=javascript:alert(1)",
    "https://www.google.com/url?q=https://",
    "https://www.google.com/url?q=https:words",
    "https://www.google.com/url",
    "https://urldefense.com/v3/__words__;!!abc",
    "https://web.archive.org/web/2020/example",
    "https://web.archive.org/web/2020/ftp://example.com/",
    "https://www.google.com/amp/s/example",
    "https://translate.google.com/translate?u=some words.",
    "https://translate.google.com/translate?u=mailto:someone@example.com",
    "https://translate.goog/",
    "ftp://www.google.com/url?q=words"
  ])("%s leads to no absolute web address", (link) => {
    assert.deepStrictEqual(inside(link), [])
    assert.isFalse(Submission.read(link, 0).addresses[0]?.isWrapper)
  })

  it.each([
    `https://google.com.evil.example/url?q=${coded}`,
    `https://notgoogle.com/url?q=${coded}`,
    `https://evil-translate.goog.example/?u=${coded}`
  ])("%s is none, and only carries the address", (link) =>
    assert.deepStrictEqual(inside(link), [`carried ${LISTED}`])
  )
})

describe("an address inside a URL that is no wrapper", () => {
  it.each([
    "intent://honest.example/a#Intent;scheme=https;package=com.example.app",
    "intent://scan/#Intent;scheme=zxing;package=com.example.app"
  ])("is found as the fallback of %s", (link) =>
    assert.deepStrictEqual(inside(`${link};S.browser_fallback_url=${coded};end`), [`destination ${LISTED}`])
  )

  it("is read in place of an app's link without an address", () =>
    assert.deepStrictEqual(addresses(`intent:#Intent;action=a.b;S.browser_fallback_url=${coded};end`), [
      `submitted ${LISTED}`
    ]))

  type Row = [where: string, rest: string, carried: ReadonlyArray<string>]

  it.each<Row>([
    ["in the query", `?next=${LISTED}&a=1`, [LISTED]],
    ["percent-encoded", `?next=${coded}&a=1`, [LISTED]],
    ["percent-encoded twice", `?next=${encoded(coded)}`, [LISTED]],
    ["percent-encoded three times", `?next=${encoded(encoded(coded))}`, [LISTED]],
    ["percent-encoded four times", `?next=${encoded(encoded(encoded(coded)))}`, []],
    ["with encoded letters", "?next=%68%74tps:%2F/hostlisted.example/%78", [LISTED]],
    ["in capitals", "?next=HTTPS://HOSTLISTED.example/x", [LISTED]],
    ["in brackets, a host", "?p(1)url(https://hostlisted.example)", ["https://hostlisted.example/"]],
    ["in brackets, a page", `?p(1)url(${LISTED})`, [`${LISTED})`, LISTED]],
    ["with brackets of its own", `?next=${LISTED}_(a)`, [`${LISTED}_(a)`]],
    ["before a comma", "?next=https://hostlisted.example,2", ["https://hostlisted.example/"]],
    ["before a semicolon", "?next=https://hostlisted.example;a=1", ["https://hostlisted.example/"]],
    ["before a bar", "?next=https://hostlisted.example|a", ["https://hostlisted.example/"]],
    ["before a sign that no host has", "?next=https://hostlisted.example=1", ["https://hostlisted.example/"]],
    ["in square brackets", `?q=[${LISTED}]`, [`${LISTED}]`, LISTED]],
    ["in curly brackets", `?q={a:${LISTED}}`, [`${LISTED}}`, LISTED]],
    ["with square brackets of its own", `?next=${LISTED}?a[0]=1`, [`${LISTED}?a[0]=1`]],
    ["as an IPv6 address in brackets", "?p(1)url(https://[2001:db9::1])", ["https://[2001:db9::1]/"]],
    ["as an IPv6 address before a comma", "?next=https://[2001:db9::1]:8080,2", ["https://[2001:db9::1]/"]],
    [
      "behind another host in a list",
      "?next=https://a.example,https://hostlisted.example",
      ["https://a.example/", "https://hostlisted.example/"]
    ],
    [
      "behind what is no address",
      "?next=https://localhost,https://*.a.example,https://hostlisted.example",
      ["https://hostlisted.example/"]
    ],
    [
      "behind another host in brackets",
      `?f(https://a.example)g(${LISTED})`,
      ["https://a.example/", `${LISTED})`, LISTED]
    ],
    ["with one slash", "?next=https:/hostlisted.example/x", [LISTED]],
    ["with backslashes", "?next=https:\\\\hostlisted.example\\x", [LISTED]],
    ["in the path, with the query", `/go/${LISTED}?a=1&b=2`, [`${LISTED}?a=1&b=2`]],
    ["in the path, percent-encoded, without the query", `/go/${coded}?a=1&b=2`, [LISTED]],
    ["as the whole query", `/go?${LISTED}?a=1&b=2`, [`${LISTED}?a=1&b=2`]],
    ["in base64", `?next=${base64}`, [LISTED]],
    ["in base64 in the path", `/go/${base64}/more`, [LISTED]],
    ["in hexadecimal digits", `?next=${Buffer.from(LISTED).toString("hex")}`, [LISTED]],
    [
      "in hexadecimal digits in the path",
      `/f5-w-${Buffer.from(LISTED).toString("hex").toUpperCase()}$$/more`,
      [LISTED]
    ],
    ...["//192.0.3.7", "///192.0.3.7", "https:192.0.3.7", "//0xc0.0x00.0x03.0x07", "//a@192.0.3.7"].map(
      (text): Row => [`as ${text}`, `?next=${text}/x`, ["https://192.0.3.7/x"]]
    ),
    ["as an IPv6 address without a scheme", "?next=//[2001:db9::1]/x", ["https://[2001:db9::1]/x"]],
    [
      "in no version, date or private address",
      "?a=1.2.3.4/x&b=//20260801/x&c=//192.168.1.1/x&d=//1.2.3&e=http:1.2.3",
      []
    ],
    ["in base64 twice", `?next=${Buffer.from(base64).toString("base64")}`, [LISTED]],
    ...[coded, coded.toLowerCase(), encoded("http://hostlisted.example/x")].map(
      (text): Row => [
        `as ${text} in base64`,
        `?next=${Buffer.from(text).toString("base64")}`,
        [decodeURIComponent(text)]
      ]
    ),
    [
      "in base64 for URLs",
      `?r=${Buffer.from("http://a.example/?>>").toString("base64url")}`,
      ["http://a.example/?"]
    ],
    ["in a sentence", `?text=${encoded(`Look at "${LISTED}" now`)}`, [LISTED]],
    ["beside another", `?a=${coded}&b=http%3A%2F%2Fa.example%2F`, [LISTED, "http://a.example/"]],
    [
      "after another",
      "?a=https://a.example/,https://b.example/",
      ["https://a.example/,https:/b.example/", "https://b.example/"]
    ],
    ["after one that is none", `?a=https://%20&b=${encoded(coded)}`, [LISTED]],
    ["with parameters", `?a=${encoded(`${LISTED}?c=1&d=2`)}&b=3`, [`${LISTED}?c=1&d=2`]],
    [
      "in the second parameter of another",
      `?a=${encoded(`https://a.example/?c=http://b.example/&d=${coded}`)}`,
      [`https://a.example/?c=http://b.example/&d=${LISTED}`, "http://b.example/", LISTED]
    ],
    [
      "behind a wrapper",
      `?a=${encoded(`https://www.google.com/url?sa=https://a.example/&q=${coded}`)}`,
      [`https://www.google.com/url?sa=https://a.example/&q=${LISTED}`, LISTED]
    ],
    ["after an escaped zero byte", `?a=%00https://%00&b=${coded}`, [LISTED]],
    ["on the same site", "?next=https://www.honest.example/y", ["https://www.honest.example/y"]],
    ["as the fragment", `?a=1#${LISTED}`, [LISTED]],
    ["as the fragment, without a scheme", "#//hostlisted.example/x", [LISTED]],
    ["in a page of the fragment", `?a=1#/r?b=2&u=${coded}`, [LISTED]],
    ["in base64 in the fragment", `#${base64}`, [LISTED]],
    ["in the query and in the fragment", `?a=http://a.example/#${LISTED}`, ["http://a.example/", LISTED]],
    ["in no other fragment", "#section-1.2/x", []],
    ["in the spelling of reports", `?a=${LISTED.replace("https", "hxxps")}`, [LISTED]],
    ["in the spelling of reports, percent-encoded", `?a=${coded.replace("https", "hxxps")}`, [LISTED]],
    ["in the spelling of reports, with brackets", "?a=hxxps[://]hostlisted[.]example/x", [LISTED]],
    ["in the spelling of reports, in the path", "/go/hxxps[:]//hostlisted[.]example/x", [LISTED]],
    ["on a private host", "?a=http://192.168.0.1/&b=https://intranet/&c=http://localhost:3000/", []],
    ["behind one on a private host", `/go/http://localhost/?a=https://intranet/&b=${coded}`, [LISTED]],
    ["of another scheme", "?a=ftp://a.example/&b=mailto:x@a.example&c=app://a.example", []],
    [
      "without a scheme",
      "?a=//a.example/&b=b.example/x&c=/path&d=%2Fpath%2Fx.php&e=1.2/3&f=read.html/x&g=a@c.example/x",
      ["https://a.example/", "https://b.example/x"]
    ],
    ["without a scheme and slashes, percent-encoded", "?a=hostlisted.example%2Fx", [LISTED]],
    ["without a scheme and a path", "?a=www.hostlisted.example", ["https://www.hostlisted.example/"]],
    ...["url", "u", "next", "redirect_uri", "returnTo", "landing", "forward", "jump_to"].map(
      (name): Row => [
        `as a host in ${name}`,
        `?x=1&${name}=hostlisted.example&y=2`,
        ["https://hostlisted.example/"]
      ]
    ),
    [
      "as a host in no parameter of other names",
      "?domain=a.example&utm_source=a.example&ref=a.example&curlx=a.example",
      []
    ],
    ["as no page of the site itself", "?next=sms.php&url=index.html&u=john.doe&to=/a.example&go=1.5", []],
    ["as no file", "?next=facebook-login.do&url=account-statement.zip&u=a.b.md", ["https://a.b.md/"]],
    ["in a program", `?a=javascript:location='${LISTED}'`, [`${LISTED}'`, LISTED]],
    ...["#/r?url=HOST", "?next=%2Fr%3Furl%3DHOST", "?url=HOST?a=1", "?url=HOST%20", "?url=%20HOST"].map(
      (rest): [string, string, [string]] => [
        `as a host in ${rest}`,
        rest.replace("HOST", "hostlisted.example"),
        ["https://hostlisted.example/"]
      ]
    ),
    ["as no file with a query", "?next=facebook-login.do?a=1&url=account-statement.zip%20", []],
    ["without a scheme, with a port", "?a=hostlisted.example:8443/x", ["https://hostlisted.example/x"]],
    ["without a scheme, percent-encoded", "?a=%2F%2Fhostlisted.example%2Fx", [LISTED]],
    ["without a scheme, with a backslash", "?a=/\\hostlisted.example/x", [LISTED]],
    ["without a scheme as the whole query", "?//hostlisted.example/x", [LISTED]],
    ["without a scheme, behind blanks", "?a=%20//hostlisted.example/x", [LISTED]],
    ["as the path, without a scheme", "//hostlisted.example/x", [LISTED]],
    ["as the path, with a backslash", "/\\hostlisted.example/x?a=1", [LISTED]],
    ["as the path, behind an encoded slash", "/%2Fhostlisted.example/x", [LISTED]],
    ["as the path, behind an encoded backslash", "/%5chostlisted.example/x", [LISTED]],
    ["as the path, behind three slashes", "///hostlisted.example/x", [LISTED]],
    ["in no encoded file of the path", "/%2Fimages/logo.png", []],
    ["in no name of a file behind two slashes", "//account-verify.zip", []],
    ["in no other path with two slashes", "//wp-content//a.example/x", []],
    ["without slashes", "?a=https:hostlisted.example/x&b=https:words", [LISTED]],
    ["without slashes, percent-encoded", "?a=https%3Ahostlisted.example%2Fx", [LISTED]],
    ["in JSON in base64", `/e/c/${jsonInBase64({ id: 1, href: LISTED })}/sig`, [LISTED]],
    ["in JSON in base64, with escapes", `?a=${jsonInBase64({ href: LISTED }, "\\/")}`, [LISTED]],
    [
      "in JSON in a string of JSON in base64",
      `?p=${jsonInBase64({ v: 1, p: JSON.stringify({ u: 1, url: LISTED }) }, "\\\\\\/")}`,
      [LISTED]
    ],
    [
      "in a token, behind that of its issuer",
      `?t=${jsonInBase64({ alg: "none" })}.${jsonInBase64({ iss: "https://id.example/", r: LISTED })}.x`,
      ["https://id.example/", LISTED]
    ],
    ["percent-encoded in JSON in base64", `?state=${jsonInBase64({ r: coded })}`, [LISTED]],
    ...["1;", "12;", "123;", '["', '[{"u":"', "?url=", "\0\x19"].map((before): [string, string, [string]] => [
      `behind ${JSON.stringify(before)} in base64`,
      `?nltr=${Buffer.from(`${before}${LISTED}">`).toString("base64url")}`,
      [LISTED]
    ]),
    [
      "in a path in base64 behind other text",
      `/c/${Buffer.from(`id=7&u=${LISTED}`).toString("base64url")}/s`,
      [LISTED]
    ],
    ["of an app's link", `?u=${encoded("intent://hostlisted.example/x#Intent;scheme=https;end")}`, [LISTED]],
    ["in base64 behind the letters of JSON in base64", `?key=keyJohn_${base64}`, [LISTED]],
    ["in no JSON in base64 without one", `?token=${jsonInBase64({ alg: "HS256", typ: "JWT" })}`, []],
    ["behind user info with a quote", `?a=${encoded('https://a"<@hostlisted.example/x')}`, [LISTED]],
    ["with a line break in its scheme", "?a=ht%0Atps://hostlisted.example/x", [LISTED]],
    ["with a tab before its slashes", "?a=https:%09//hostlisted.example/x", [LISTED]],
    [
      "in base64, in capitals",
      `?a=${Buffer.from(LISTED.replace("https", "HTTPS")).toString("base64")}`,
      [LISTED]
    ],
    [
      "in base64, with backslashes",
      `?a=${Buffer.from("https:\\\\hostlisted.example/x").toString("base64")}`,
      [LISTED]
    ],
    ["as an IPv6 address after three slashes", "?a=https:///[2001:db9::1]/", ["https://[2001:db9::1]/"]],
    ["twice, with another scheme", `?a=${LISTED}&b=http://hostlisted.example/x`, [LISTED]]
  ])("is found %s", (_, rest, carried) =>
    assert.deepStrictEqual(
      inside(`https://honest.example${rest}`),
      carried.map((address) => `carried ${address}`)
    )
  )
})

describe("an address that is the path of a URL", () => {
  it.each(["a.cc//", "http://a.cc//", "HTTPS://a.cc//", "a.cc/\\", "http.cc//"])(
    "is found behind %s",
    (start) => assert.include(addresses(`${start}hostlisted.example/x`), `carried ${LISTED}`)
  )
})

describe("an address in a link of a program", () => {
  it.each([
    `ms-appinstaller:?source=${LISTED}`,
    `googlechrome://navigate?url=${coded}`,
    `ms-excel:ofv|u|${LISTED}`,
    `ms-word:nft|u|${LISTED}|s|https://a.example/`,
    `itms-services://?action=download-manifest&url=${coded}`,
    `mailto:a@b.example?subject=x&body=${encoded(`See ${LISTED} now`)}`,
    `blob:${LISTED}`,
    `android-app://com.android.chrome/https/hostlisted.example/x`,
    `MECARD:N:Bank;URL:${LISTED};;`,
    `MEBKM:TITLE:Bank;URL:${LISTED.replace(":", "\\:")};;`,
    `BEGIN:VCARD\nVERSION:3.0\nURL:${LISTED}\nEND:VCARD`,
    `MECARD:N:Bank;URL:hostlisted.example/x;;`,
    `BEGIN:VCARD\nURL;TYPE=WORK:hostlisted.example/x\nEND:VCARD`,
    `MECARD:N:Bank;EMAIL:a@b.example;URL:${LISTED};;`,
    `MATMSG:TO:a@b.example;SUB:x;BODY:See ${LISTED};;`,
    `BEGIN:VCARD\nVERSION:3.0\nEMAIL:a@b.example\nURL:${LISTED}\nEND:VCARD`,
    `wc:0a1b@1?bridge=${coded}&key=1`,
    "metamask://dapp/hostlisted.example/x",
    `metamask://dapp/${coded}`,
    "metamask://dapp/h%74tps:%2F%2Fhostlisted.example/x",
    "phantom://browse/hostlisted.example/x",
    "steam://openurl_external/hostlisted.example/x",
    ` ${btoa(LISTED)}\n`,
    Buffer.from(LISTED).toString("hex"),
    "wifi://hostlisted.example/x",
    `munki://${coded}`,
    `mqqbrowser://url=${LISTED}`,
    "WIFI://hostlisted.example:8080/x",
    `WIFI:S:a;P:b hxxps://hostlisted.example/x`,
    `SMSTO:+1:See ${LISTED}`,
    `bitcoin:1abc?amount=1&message=${coded}`,
    `microsoft-edge:?launchContext1=a&url=${coded}`,
    `microsoft-edge://?url=${coded}`,
    `open://page?url=${coded}`
  ])("%o is judged as if it were submitted", (link) =>
    assert.strictEqual(addresses(link)[0], `submitted ${LISTED}`)
  )

  it.each([
    "search-ms:query=a&crumb=location:\\\\listed.example\\x",
    "search-ms:query=a&crumb=location:%5c%5clisted.example%5Cx&displayname=b",
    "search:query=a&crumb=location:\\\\listed.example@80\\x",
    "search-ms:query=a&crumb=location:%5C%5Clisted.example@80%5Cx",
    "ms-search:displayname=a&crumb=location:\\\\listed.example@SSL\\x",
    "file:/\\\\listed.example\\x",
    "file:///%5C%5Clisted.example%5Cx",
    "onenote:///\\\\listed.example\\x",
    "search-ms:query=a&crumb=location%3A%5C%5Clisted.example%5Cx"
  ])("%o is a share of a host", (link) =>
    assert.strictEqual(addresses(link)[0], "submitted https://listed.example/x")
  )

  it.each(["search-ms:query=a&crumb=location:\\\\192.0.3.7@80\\x", "ms-word:ofe|u|\\\\192.0.3.7\\x"])(
    "%o is a share of an IP address",
    (link) => assert.strictEqual(addresses(link)[0], "submitted https://192.0.3.7/x")
  )

  it.each([
    "mailto:a@b.example?body=Pay%20at%20hostlisted.example/x",
    "sms:+1?body=Pay+here:+hostlisted.example%2Fx",
    "SMSTO:+1:Pay at hostlisted.example/x",
    "SMSTO:+1:hostlisted.example/x",
    "sms:+1?body=Pay%20at%20hostlisted.example/x%20today",
    "mailto:a@b.example?body=Pay%20at%20https://hostlisted.example/x%20and%20answer",
    "whatsapp://send?text=Hi%0Ahostlisted.example%2Fx"
  ])("%o has a host in its text", (link) => assert.strictEqual(addresses(link)[0], `submitted ${LISTED}`))

  it.each([
    "SMSTO:+1:hostlisted.example",
    "sms:+1?body=Pay%20at%20hostlisted.example.%20Thanks",
    "sms:+1?body=hostlisted.example:8443",
    'sms:+1?body=Pay%20("hostlisted.example")',
    "mailto:a@b.example?subject=Your%20order.Now&body=hostlisted.example!",
    "whatsapp://send?text=read.md%20at%20hostlisted.example"
  ])("%o has a host without a path in its text", (link) =>
    assert.deepStrictEqual(addresses(link), ["submitted https://hostlisted.example/"])
  )

  it.each([
    ["SMSTO:+1:EXAMPLE.COM", "https://example.com/"],
    ["sms:+1?body=m.hostlisted.example", "https://m.hostlisted.example/"]
  ])("%o has a host in capitals or with a short label in its text", (link, host) =>
    assert.deepStrictEqual(addresses(link), [`submitted ${host}`])
  )

  it("follows a wrapper among the words of a message", () =>
    assert.deepStrictEqual(addresses("sms:+1?body=www.google.com/amp/s/hostlisted.example/x"), [
      "submitted* https://www.google.com/amp/s/hostlisted.example/x",
      `destination ${LISTED}`
    ]))

  it.each(["market://details?id=com.a.example", "mailto:a@b.example", "sms:+1?body=read.md"])(
    "%o has no host in its text",
    (link) => assert.isFalse(addresses(link).some((address) => address.includes("https:")))
  )

  it.each([
    "BEGIN:VCARD\nEMAIL:a@b.example\nURL:www.listed.example\nEND:VCARD",
    "BEGIN:VCARD\nitem1.URL;TYPE=WORK:www.listed.example\nEND:VCARD",
    "MECARD:N:Bank;URL:www.listed.example;;",
    "MECARD:N:Bank;NOTE:www.listed.example;;"
  ])("%o is a contact with a host", (link) =>
    assert.strictEqual(addresses(link)[0], "submitted https://www.listed.example/")
  )

  it("is a host that does not begin with www in a contact", () =>
    assert.strictEqual(
      addresses("MECARD:N:Bank;URL:listed.example;;")[0],
      "submitted https://listed.example/"
    ))

  it.each(["htp://listed example/?next=https://a.example/", "feed://listed|.example/https://a.example/"])(
    "%o has a host that cannot exist",
    (link) =>
      assert.strictEqual(
        Either.getOrThrow(Either.flip(Submission.read(link, 0).url)).reason,
        "ForbiddenHostCharacter"
      )
  )

  it("is not the host of an address of mail", () =>
    assert.deepStrictEqual(addresses("mailto://someone@listed.example"), []))

  it("is not the host of another service", () =>
    assert.deepStrictEqual(addresses("magnet:?xt=urn:btih:a&tr=udp://listed.example:80/announce"), []))

  it("is judged beside others", () =>
    assert.deepStrictEqual(addresses(`ms-word:nft|u|https://a.example/|s|${LISTED}`), [
      "submitted https://a.example/",
      `destination ${LISTED}`
    ]))
})

describe("the fallback of a link to an app", () => {
  it.each<[which: string, rest: string, found: ReadonlyArray<string>]>([
    ["as the fallback of an app", `/#Intent;scheme=https;S.browser_fallback_url=${coded};end`, [LISTED]],
    ["as a fallback with an encoded name", `/#Intent;S.%62rowser%5Ffallback_url=${LISTED};end`, [LISTED]],
    [
      "as the last of two fallbacks",
      `/#Intent;${["https://a.example/", LISTED].map((url) => `S.browser_fallback_url=${url};`).join("")}end`,
      [LISTED]
    ],
    [
      "as the fallback before the end",
      `/#Intent;S.browser_fallback_url=${LISTED};end;S.browser_fallback_url=https://a.example/`,
      [LISTED]
    ],
    [
      "as the fallback in the last fragment",
      `/#Intent;S.browser_fallback_url=https://a.example/;end#Intent;S.browser_fallback_url=${LISTED};end`,
      [LISTED]
    ],
    [
      "as a fallback behind many extras",
      `/#Intent;${"S.a=b;".repeat(1001)}S.browser_fallback_url=${coded};end`,
      [LISTED]
    ],
    ["as the scheme of an app's link", `/#Intent;scheme=${encoded(`${LISTED}?`)};end`, [`${LISTED}?`]],
    ["as no fallback", `/#Intent;scheme=https;S.other=${coded};end`, []]
  ])("is found %s", (_, rest, found) =>
    assert.deepStrictEqual(
      inside(`https://honest.example${rest}`),
      found.map((address) => `destination ${address}`)
    )
  )

  it("is judged like the address of the link, which is no wrapper", () =>
    assert.deepStrictEqual(
      Submission.read(
        `intent://honest.example/a#Intent;S.browser_fallback_url=${coded};end`,
        0
      ).addresses.map(({ isWrapper, relation }) => [relation, isWrapper]),
      [
        ["submitted", false],
        ["destination", false]
      ]
    ))
})

const safelink = (url: string) => `https://nam01.safelinks.protection.outlook.com/?url=${encoded(url)}&data=x`
const google = (...urls: ReadonlyArray<string>) =>
  `https://www.google.com/url?${urls.map((url) => `q=${encoded(url)}`).join("&")}`
const vk = (...urls: ReadonlyArray<string>) =>
  `https://vk.com/away.php?${urls.map((url) => `to=${encoded(url)}`).join("&")}`
/** Reads two values of each of two parameters. */
const steam = (...urls: ReadonlyArray<string>) =>
  `https://steamcommunity.com/linkfilter?${urls.map((url, i) => `${i < 2 ? "u" : "url"}=${encoded(url)}`).join("&")}`
const urlDefense = (url: string) =>
  `https://urldefense.com/v2/url?u=${encoded(url).replaceAll("-", "-2D").replaceAll("_", "-5F").replaceAll("%2F", "_").replaceAll("%", "-")}`

const amp = (url: string) => `https://www.google.com/amp/s/${url.replace("https://", "")}`
const translator = (url: string) => `https://www.translatetheweb.com/?from=&to=en&a=${encoded(url)}`
const checkPoint = (url: string) => `https://protect.checkpoint.com/v2/___${url}___.YXA`

describe("addresses inside addresses", () => {
  const carrier = (url: string) => `https://honest.example/?next=${encoded(url)}`
  const decoys = Array.from({ length: 5 }, (_, i) => `a${i}=https://h${i}.example/`).join("&")

  it("are read four levels deep", () => {
    assert.deepStrictEqual(
      addresses(safelink(google(LISTED))).map((line) => line.split(" ")[0]),
      ["submitted*", "destination*", "destination"]
    )
    assert.deepStrictEqual(
      addresses(vk(safelink(urlDefense(google(LISTED))))).map((line) => line.split(" ")[0]),
      ["submitted*", "destination*", "destination*", "destination*", "destination"]
    )
    assert.deepStrictEqual(
      addresses(google(vk(safelink(urlDefense(google(LISTED)))))).map((line) => line.split(" ")[0]),
      ["submitted*", "destination*", "destination*", "destination*", "destination"]
    )
    assert.deepStrictEqual(
      addresses(google(carrier(LISTED))).map((line) => line.split(" ")[0]),
      ["submitted*", "destination", "carried"]
    )
  })

  it.each([
    amp(google(translator(LISTED))),
    amp(google(translator(LISTED))).replace("/amp/s/", "/./%61mp//s/"),
    `https://www.google.com/amp/s/${encoded(google(translator(LISTED)).replace("https://", ""))}`,
    `https://r.jina.ai/${google(translator(LISTED)).replace("https://", "")}`,
    `https://r.jina.ai/%2F${google(translator(LISTED)).replace("https://", "")}`,
    checkPoint(checkPoint(LISTED))
  ])("are found with the parameters of an inner wrapper: %s", (link) =>
    assert.include(addresses(link), `destination ${LISTED}`)
  )

  it("are carried if a URL merely carries the wrapper", () =>
    assert.deepStrictEqual(
      addresses(carrier(google(LISTED))).map((line) => line.split(" ")[0]),
      ["submitted", "carried", "carried"]
    ))

  it("are destinations, though another address carries them too", () =>
    assert.deepStrictEqual(inside(`https://www.google.com/url?q=${encoded(carrier(LISTED))}&url=${coded}`), [
      `destination ${carrier(LISTED).replace(coded, LISTED)}`,
      `destination ${LISTED}`
    ]))

  it.each<[why: string, submitted: string]>([
    [
      "that an earlier destination carries",
      `https://www.google.com/url?q=${encoded(`https://honest.example/?${decoys}`)}&url=${coded}`
    ],
    ["that another parameter carries", `https://www.google.com/url?${decoys}&q=${coded}`]
  ])("are destinations before addresses %s", (_, submitted) =>
    assert.include(inside(submitted), `destination ${LISTED}`)
  )

  it("are those that a destination carries, though another destination is two levels deep", () =>
    assert.deepStrictEqual(
      inside(
        `https://www.google.com/url?q=${encoded(google("https://a.example/"))}&url=${encoded(carrier(LISTED))}`
      ).at(-1),
      `carried ${LISTED}`
    ))

  it("are those of the submitted wrapper before those of another wrapper", () =>
    assert.deepStrictEqual(
      inside(vk(steam(...[1, 2, 3, 4].map((i) => `https://h${i}.example/`)), LISTED)).map(
        (line) => line.split("?")[0]
      ),
      [
        "destination https://steamcommunity.com/linkfilter",
        `destination ${LISTED}`,
        "destination https://h1.example/",
        "destination https://h2.example/"
      ].map((line) => (line.includes("steam") ? line.replace("destination", "destination*") : line))
    ))

  it("are those beside a carried address before those inside it", () =>
    assert.include(
      inside(`https://honest.example/?a=${encoded(`https://a.example/?${decoys}`)}&b=${coded}`),
      `carried ${LISTED}`
    ))

  it("are read as those of a destination, though they were carried before", () =>
    assert.deepStrictEqual(
      addresses(
        `https://www.google.com/url?q=${encoded(carrier(safelink(LISTED)))}&url=${encoded(safelink(LISTED))}`
      ).map((line) => line.split(" ")[0]),
      ["submitted*", "destination", "destination*", "destination"]
    ))

  it("never leave a wrapper without an address that is judged", () =>
    assert.deepStrictEqual(
      addresses("https://web.archive.org/web/https://web.archive.org/../../../../web/x"),
      ["submitted https://web.archive.org/web/x"]
    ))

  it("are those of both spellings of a wrapper's link, which differ in where they lead", () => {
    const link = (separator: string) =>
      `https://vk.com/away.php?x=1${separator}to=${encoded(LISTED)}&to=https://a.example/`
    assert.include(inside(google(link("%26"), link("&"))), `destination ${LISTED}`)
  })

  it("are at most four", () =>
    assert.deepStrictEqual(
      inside(
        `https://honest.example/?${Array.from({ length: 9 }, (_, i) => `a=https://h${i}.example/`).join("&")}`
      ),
      [0, 1, 2, 3].map((i) => `carried https://h${i}.example/`)
    ))

  it("are at most four in any URL, none twice but links of wrappers", () => {
    const piece = FastCheck.constantFrom(
      ...["https://", "http:/", "a.example", "b.example", "www.google.com/url?q=", "urldefense.com/v3/__"],
      ...["__;", "!!", "*", "**A", "%", "%25", "%3A%2F%2F", "%26", "/", "?", "&", "=", "u=", "q=", "#", " "],
      ...[
        "aHR0cHM6Ly9iLmV4YW1wbGUv",
        "web.archive.org/web/",
        ".translate.goog/",
        "-",
        "..",
        "\\",
        "ü",
        "\ud800"
      ]
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(piece, { maxLength: 24 }), (pieces) => {
        const { addresses: found } = Submission.read(`https://${pieces.join("")}`, 0)
        assert.isAtMost(found.length, 5)
        assert.isTrue(found.every(({ relation }, index) => (relation === "submitted") === (index === 0)))
        const keys = found.flatMap(({ isWrapper, url }) =>
          isWrapper ? [] : [url.host + UrlExpressions.pathAndQuery(url)]
        )
        assert.strictEqual(new Set(keys).size, keys.length)
        assert.isTrue(
          found.length === 0 || found.some(({ relation, isWrapper }) => relation !== "carried" && !isWrapper)
        )
      }),
      { numRuns: runs(5000) }
    )
  })
})

describe("a destination that is not read", () => {
  const unread = (submitted: string): boolean => Submission.read(submitted, 0).unreadDestination !== undefined
  const pages = [1, 2, 3, 4, 5].map((i) => `https://h${i}.example/`)

  it.each([
    ["a fifth level", google(vk(safelink(urlDefense(google(LISTED)))))],
    ["a fifth address", vk(steam(...pages.slice(0, 4)), LISTED)],
    [
      "the end of a wrapper's link that is too long",
      google(vk(`https://a.example/${"a".repeat(8192)}`, LISTED))
    ],
    [
      "a wrapper that ends where reading does",
      google(`https://vk.com/away.php?${"a".repeat(9000)}&to=${LISTED}`)
    ],
    ["a fifth carried address", `https://honest.example/?${pages.map((page) => `a=${page}`).join("&")}`],
    [
      "a carried address behind four of the longest",
      `https://honest.example/?${"abcd".replace(/./g, (a) => `u=${encoded(`https://${a}.example/${"x".repeat(9000)}`)}&`)}u=${coded}`
    ],
    [
      "what a carried wrapper leads to",
      `https://honest.example/?a=${encoded(vk(safelink(urlDefense(google(google(LISTED))))))}`
    ],
    [
      "a fifth that a destination carries",
      google(`https://honest.example/?${pages.map((page) => `a=${page}`).join("&")}`)
    ],
    [
      "a carried address behind sixteen of private hosts",
      `https://honest.example/?${"a=http://10.0.0.1/&".repeat(16)}u=${LISTED}`
    ],
    [
      "a carried address in base64 behind sixteen of private hosts",
      `https://honest.example/?${`a=${btoa("http://10.0.0.1/")}&`.repeat(16)}u=${btoa(LISTED)}`
    ],
    [
      "a fourth address of JSON in base64",
      `https://honest.example/?t=${jsonInBase64({ iss: pages.slice(0, 3), to: LISTED })}`
    ],
    ["a host behind a long message", `sms:1?body=${"Hello%20".repeat(1100)}evil.example/x`],
    [
      "an address behind sixteen of private hosts in a message",
      `sms:1?body=${"http://10.0.0.1/;".repeat(16)}${LISTED}`
    ],
    ["a host behind a long user info", google(`https://${"a".repeat(9000)}@vk.com/away.php?to=${LISTED}`)],
    [
      "a wrapper behind dot segments",
      google(`https://vk.com/${"x/".repeat(2000)}${"../".repeat(2000)}away.php?to=${LISTED}`)
    ]
  ])("is %s", (_, submitted) => assert.isTrue(unread(submitted)))

  it.each([
    ["a host that no browser opens", google("https://a b.example/")],
    ["a host that is too long", google(`https://${"a.".repeat(200)}example/`)],
    ["another scheme", google("ftp://evil.example/")],
    ["an address that is encoded once more than is read", google(encoded(encoded(encoded(encoded(LISTED)))))],
    [
      "behind more parameters than are read",
      `https://vk.com/away.php?${"a=1&".repeat(1000)}to=${encoded(LISTED)}`
    ],
    ["base64 of something else", "https://www.bing.com/ck/a?u=a1_____"],
    ["a program behind a wrapper", safelink(google("javascript:alert(1)"))]
  ])("cannot be read: %s", (_, submitted) =>
    assert.strictEqual(Submission.read(submitted, 0).unreadDestination, "Unreadable")
  )

  it.each([
    "https://paypal.com@256.1.1.1/",
    "https://a b.example/",
    "javascript:alert(1)//",
    "data:text/html,<form>"
  ])("the fallback of an app does not replace %s, which is not a URL", (submitted) => {
    const fallback = "#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fwww.example.org;end"
    assert.isTrue(Either.isLeft(Submission.read(submitted + fallback, 0).url))
  })

  it.each([
    ["no destination", "https://www.google.com/url?sa=t"],
    ["an empty destination", "https://www.google.com/url?q="],
    ["words", "https://translate.google.com/translate?u=two+words"],
    ["a page of the same site", google("/search?q=a")],
    ["a wrapper's own page", "https://archive.ph/AbCdE"],
    ["a wrapper's own file", "https://12ft.io/img/logo.png"],
    ["a wrapper's own page with an address", "https://via.hypothes.is/video/youtube?url=https://a.example/"],
    ["an encrypted destination", "https://link.segmentfault.com/?enc=abc%3D%3D.6ZAU1wr0%3D"],
    ["a carried wrapper", `https://honest.example/?a=${encoded(google("https://a b.example/"))}`]
  ])("%s is none", (_, submitted) => assert.isUndefined(Submission.read(submitted, 0).unreadDestination))

  it.each([
    ["behind a redirector", `https://www.google.com/url?q=${encoded("https://\uff0565vil.example/x")}`],
    ["behind another", `https://l.facebook.com/l.php?u=${encoded("https://\uff0565vil.example/x")}`],
    ["carried", `https://honest.example/?next=${encoded("https://\uff0565vil.example/x")}`]
  ])("a full-width percent sign in a host is read %s", (_, submitted) =>
    assert.include(
      Submission.read(submitted, 0).addresses.map(({ url }) => url.host),
      "evil.example"
    )
  )

  it("a carried host of which each letter is behind one is read", () => {
    const host = `${"a".repeat(60)}.${"b".repeat(60)}.example`
    const written = host.replace(/[a-z]/g, (letter) => `\uff05${letter.charCodeAt(0).toString(16)}`)
    const { addresses } = Submission.read(
      `https://honest.example/?next=${encoded(`https://${written}/x`)}`,
      0
    )
    assert.include(
      addresses.map(({ url }) => url.host),
      host
    )
  })

  it.each([
    ["four levels", vk(safelink(urlDefense(google(LISTED))))],
    ["four addresses", steam(...pages.slice(0, 4))],
    ["an address that was read before", steam(...pages.slice(0, 3), google(...pages.slice(0, 2)))],
    [
      "four addresses that are only carried",
      `https://honest.example/?${pages
        .slice(0, 4)
        .map((page) => `a=${page}`)
        .join("&")}`
    ],
    ["the end of a query that is too long", google(`https://honest.example/?${"a".repeat(9000)}`)],
    ["what decodes to no address", steam(...pages.slice(0, 3), google("words"))]
  ])("is not %s", (_, submitted) => assert.isFalse(unread(submitted)))
})

describe("a destination behind 9,000 slashes", () => {
  it("is read", () =>
    assert.deepStrictEqual(inside(google(LISTED.replace("//", "/".repeat(9000)))), [`destination ${LISTED}`]))
})

describe("64 KiB in a link of a wrapper", () => {
  /** They take some 10 ms; quadratic time would take seconds. */
  const MAX_MS = 200

  it.each([
    "https://www.google.com/url?q=https://a.example/",
    "https://disq.us/url?url=https://a.example/",
    "https://x.awstrack.me/L0/https:%2F%2Fa.example%2F",
    "https://translated.turbopages.org/proxy_u/",
    "https://urldefense.com/v3/__https://a.example/",
    "https://corsproxy.io/?"
  ])("%s... take linear time", (start) => {
    for (const piece of [
      "&a",
      "q=&",
      ":a",
      ":1",
      "%25",
      "%3A",
      "/1/",
      "/https/",
      "*A",
      "+",
      "amp;",
      google("")
    ]) {
      const text = `${start}${piece.repeat((64 * 1024) / piece.length)}__;Iw!!`
      const times = [1, 2, 3].map(() => {
        const from = performance.now()
        Submission.read(text, 0)
        return performance.now() - from
      })
      assert.isBelow(Math.min(...times), MAX_MS, `${start}${piece}...`)
    }
  })
})

const list = { list: listOf(["hostlisted.example", "192.168.0.1"]), fetchedAt: 0, isStale: false }
const noPopularSites = { isSite: () => false, isOnSite: () => false }
const NAME = "PhishTank as phishing (list of 1970-01-01 00:00 UTC)"

/** What the heuristics and one threat list say. */
const judged = (submitted: string) => {
  const submission = Submission.read(submitted, 0)
  const { findings, score } = Verdict.judge([
    ...Heuristics.findings(model, submission),
    ...FeedChecker.findings("feed_c", list, "PhishTank", submission.addresses, noPopularSites)
  ])
  return { score, reasons: findings.map(({ reason }) => reason), kinds: findings.map(({ kind }) => kind) }
}

/** The score and the reasons. */
const scored = (submitted: string) => {
  const { reasons, score } = judged(submitted)
  return { score, reasons }
}

describe("the score", () => {
  it.each(links)("of %s is that of the listed host", (link) =>
    assert.deepStrictEqual(scored(link), {
      score: 80,
      reasons: [`The link leads to hostlisted.example, which belongs to a site that is listed by ${NAME}`]
    })
  )

  it.each<[submitted: string, score: number, ...reasons: ReadonlyArray<string>]>([
    [
      "https://honest.example/?next=https%3A%2F%2Fhostlisted.example%2Fx",
      65,
      `The link contains the address hostlisted.example/x, which is listed by ${NAME}`
    ],
    [
      "http://honest.example/?next=https%3A%2F%2Fhostlisted.example%2Fx",
      65,
      `The link contains the address hostlisted.example/x, which is listed by ${NAME}`,
      "URL is not HTTPS"
    ],
    [
      "https://honest.example/?next=https%25253A%25252F%25252Fhostlisted.example%25252Fx",
      65,
      `The link contains the address hostlisted.example/x, which is listed by ${NAME}`
    ],
    [
      "https://www.google.com/url?q=http%3A%2F%2Fhostlisted.example%2Fx",
      80,
      `The link leads to hostlisted.example, which belongs to a site that is listed by ${NAME}`,
      "URL is not HTTPS"
    ],
    [
      "http://www.google.com/url?q=http%3A%2F%2Fhostlisted.example%2Fx",
      80,
      `The link leads to hostlisted.example, which belongs to a site that is listed by ${NAME}`,
      "URL is not HTTPS"
    ],
    [
      "https://www.google.com/url?q=http://192.168.0.1/x",
      15,
      "The link leads to 192.168.0.1, which is on a private network or on your own device, not on the Internet",
      "URL is not HTTPS"
    ],
    [
      `https://www.google.com/url?q=${encoded("https://example.org:x@honest.example/")}`,
      40,
      'The link leads to honest.example: the address looks like "example.org", but leads to honest.example'
    ]
  ])("of %s is %i", (submitted, score, ...reasons) =>
    assert.deepStrictEqual(scored(submitted), { score, reasons })
  )

  const TOO_MANY = "The link leads through more addresses than we read"

  it("of a wrapper that leads to too many addresses is 40 at least", () => {
    assert.deepStrictEqual(scored(google(vk(safelink(urlDefense(google(LISTED)))))), {
      score: 40,
      reasons: [TOO_MANY]
    })
    assert.deepStrictEqual(scored(vk(steam(...[1, 2, 3, 4].map((i) => `https://h${i}.example/`)), LISTED)), {
      score: 80,
      reasons: [
        `The link leads to hostlisted.example, which belongs to a site that is listed by ${NAME}`,
        TOO_MANY
      ]
    })
  })

  it("of no chain of wrappers with a listed address in it is safe", () => {
    const wrappers = [google, vk, steam, safelink, urlDefense, amp, translator, checkPoint]
    const { link } = FastCheck.letrec<{ readonly link: string; readonly wrapper: string }>((tie) => ({
      link: FastCheck.oneof(
        { maxDepth: 6, depthIdentifier: "chain" },
        { arbitrary: FastCheck.integer({ min: 0, max: 9 }).map((i) => `https://h${i}.example/`), weight: 2 },
        { arbitrary: FastCheck.constant(LISTED), weight: 2 },
        { arbitrary: tie("wrapper"), weight: 5 }
      ),
      wrapper: FastCheck.tuple(
        FastCheck.constantFrom(...wrappers),
        FastCheck.array(tie("link"), { minLength: 1, maxLength: 4, depthIdentifier: "chain" })
      ).map(([wrap, urls]) =>
        wrap(...((wrap === google || wrap === vk ? urls.slice(0, 2) : urls) as [string]))
      )
    }))
    const seen = { listed: 0, unread: 0 }
    FastCheck.assert(
      FastCheck.property(link, (url) => {
        if (!url.includes("hostlisted")) return
        const { addresses, unreadDestination } = Submission.read(url, 0)
        const isListed = addresses.some(
          ({ relation, url }) => relation !== "carried" && url.host === "hostlisted.example"
        )
        seen.listed += Number(isListed)
        seen.unread += Number(unreadDestination !== undefined)
        assert.isTrue(isListed || unreadDestination !== undefined, url)
        assert.isAtLeast(judged(url).score, 40, url)
      }),
      { numRuns: runs(20_000) }
    )
    assert.isAbove(Math.min(seen.listed, seen.unread), 25)
  })

  const translated = (url: string) => {
    const { hostname, pathname } = new URL(url)
    return `https://${hostname.replaceAll("-", "--").replaceAll(".", "-")}.translate.goog${pathname}?_x_tr_sl=auto&_x_tr_tl=en`
  }

  it.each([
    "https://www.paypal.com/signin",
    "https://www.example.org/login",
    "https://login.microsoftonline.com/common/oauth2/authorize",
    "https://www.amazon.com/ap/signin",
    "https://accounts.google.com/signin",
    "https://www.netflix.com/login",
    "https://secure.chase.com/web/auth/",
    "https://www.dropbox.com/login",
    "https://signin.ebay.com/signin/",
    "https://my-bank.example/online-banking/signin.php"
  ])("of a wrapped %s is what the site itself scores", (site) => {
    const own = judged(site)
    for (const wrapped of [
      `https://www.google.com/url?q=${encoded(site)}&sa=D`,
      `https://nam02.safelinks.protection.outlook.com/?url=${encoded(site)}&data=05%7C02&sdata=x%3D&reserved=0`,
      `https://urldefense.proofpoint.com/v2/url?u=${encoded(site).replaceAll("-", "-2D").replaceAll("%2F", "_").replaceAll("%", "-")}&d=DwMF`,
      `https://urldefense.com/v3/__${site}__;!!abc!def$`,
      translated(site)
    ])
      assert.deepStrictEqual(judged(wrapped), own, wrapped)
  })

  it("of a wrapped imitation is what the imitation scores, and the reasons say where the link leads", () => {
    const own = judged("https://paypa1-secure.example/login")
    assert.strictEqual(own.score, 80)
    const wrapped = judged("https://www.google.com/url?q=https%3A%2F%2Fpaypa1-secure.example%2Flogin")
    assert.strictEqual(wrapped.score, own.score)
    assert.deepStrictEqual(wrapped.kinds, ["brandLure", "lureInPath", "model"])
    for (const reason of wrapped.reasons)
      assert.isTrue(reason.startsWith("The link leads to paypa1-secure.example"), reason)
  })

  it("of an address that a URL merely carries counts up to 65, without what only explains", () => {
    const { kinds, reasons, score } = judged(
      "https://honest.example/?next=https://paypa1-secure.example/login"
    )
    assert.deepStrictEqual([score, kinds], [65, ["brandLure", "model"]])
    for (const reason of reasons)
      assert.isTrue(reason.startsWith("The link contains an address on paypa1-secure.example"), reason)
  })
})
