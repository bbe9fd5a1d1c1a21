/**
 * Where anyone can publish: suffixes that phishing is often hosted under.
 *
 * A suffix is no evidence against the honest majority under it; the contribution table keeps each of these weak.
 */

/**
 * Top-level domains where phishers register: named year after year in the statistics of Spamhaus
 * (https://www.spamhaus.org/reputation-statistics/) and Interisle
 * (https://interisle.substack.com/p/phishing-in-the-2020s-persistently), and at least four times likelier among the
 * registrable domains of reported pages than among ordinary ones in our own development data (five added to the ordinary
 * ones' count). `cn` would be one by numbers; it is left out as a whole country's own.
 */
const abusedSuffixes: ReadonlySet<string> = new Set(
  [
    "top xyz icu cyou cfd sbs click vip bond qpon buzz shop xin autos win fit help ltd lat quest wang monster cc pro",
    "mom hair pics skin boats homes cam rest gdn work live site online store world asia club life love support baby",
    "pink bet digital claims trading black tokyo group lol",
    // given away by Freenom until 2023; few are left, none was ever proof of anything
    "tk ml ga cf gq"
  ].flatMap((row) => row.split(" "))
)

/** Builders and hosts that give anybody a name and a page for nothing, without proof of who they are. */
const freeHosts = [
  // site builders
  "webflow.io weebly.com weeblysite.com wixsite.com wixstudio.com wixstudio.io godaddysites.com square.site",
  "typedream.app framer.app framer.website framer.ai framer.media studio.site mystrikingly.com daftpage.com",
  "webwave.dev ubpages.com webadorsite.com myfunnelish.com jimdosite.com jimdofree.com yolasite.com carrd.co",
  "blogspot.com teachable.com gitbook.io notion.site site123.me webnode.page ucraft.net",
  "sites.google.com",
  // code and static hosts
  "vercel.app netlify.app pages.dev workers.dev r2.dev github.io gitlab.io glitch.me web.app firebaseapp.com",
  "surge.sh replit.app replit.dev repl.co onrender.com fly.dev herokuapp.com azurewebsites.net",
  "azurestaticapps.net amplifyapp.com pantheonsite.io zeabur.app on-fleek.app fleek.co 4everland.app edgeone.app",
  "wasmer.app pythonanywhere.com ondigitalocean.app deno.dev lovable.app base44.app bolt.host codesandbox.io",
  // storage and gateways of content-addressed networks
  "ipfs.io dweb.link infura-ipfs.io w3s.link flk-ipfs.xyz cf-ipfs.com nftstorage.link backblazeb2.com",
  "digitaloceanspaces.com linodeobjects.com b-cdn.net",
  // shared web space with a throw-away name
  "ewp.live cprapid.com mybluehost.me wpenginepowered.com codeanyapp.com serv00.net tw1.ru temp.swtest.ru",
  "freewebhostmost.com temporary.site plesk.page hostingersite.com wcomhost.com live-website.com iceiy.com rf.gd",
  "ct.ws jdevcloud.com cloudwaysapps.com cloudaccess.host tempurl.host 000webhostapp.com infinityfreeapp.com",
  "cfolks.pl alwaysdata.net translate.goog",
  // more of each kind, as they came up in reports
  "appwrite.network webcindario.com sellfy.store gettrials.com wpdevcloud.com elementor.cloud cleverapps.io",
  "bubbleapps.io my.canva.site canva.site bitbucket.io icp0.io hstgr.cloud xsph.ru dreamhosters.com cpanel.site",
  "inmotionhosting.com md.ci asso.ci run.place ukit.me tilda.ws tiiny.site tiiny.co neocities.org",
  "webwave.me wuaze.com great-site.net free.nf lovestoblog.com epizy.com byethost.com 42web.io kesug.com",
  "mypixieset.com hubspotpagebuilder.com hubspotpagebuilder.eu zoholandingpage.com qtempurl.com unaux.com",
  "softr.app bravesites.com brizy.site zapier.app zyrosite.com gamma.site",
  "myclickfunnels.com systeme.io kartra.com convertri.com super.site",
  "cloudflare-ipfs.com gateway.pinata.cloud mypinata.cloud nftstorage.link storage.googleapis.com",
  "web.core.windows.net blob.core.windows.net objectstorage.cloud appspot.com run.app",
  "webadorsite.com jouwweb.site sitebeat.site 1msite.eu site.pro eu5.org my-board.org hosting-site.io",
  "blob.vercel-storage.com up.railway.app koyeb.app northflank.app stormkit.dev surge.app csb.app"
].flatMap((row) => row.split(" "))

/** Names that follow the address of a machine at home or a rented one, and tunnels into such machines. */
const dynamicDns = [
  "duckdns.org dynv6.net ddns.net zapto.org sytes.net hopto.org myftp.org servehttp.com no-ip.org no-ip.biz",
  "noip.me 3utilities.com bounceme.net serveftp.com webhop.me onthewifi.com redirectme.net myvnc.com",
  "dyndns.org dyndns.com mooo.com crabdance.com chickenkiller.com ip-ddns.com cloudns.cc cloudns.nz",
  "cloudns.ph us.kg dpdns.org publicvm.com onedumb.com wikaba.com longmusic.com mefound.com mrbonus.com mrbasic.com",
  "organiccrap.com sexidude.com toythieves.com youdontcare.com yourtrap.com zzux.com misecure.com",
  "trycloudflare.com ngrok.io ngrok.app ngrok-free.app ngrok-free.dev loca.lt serveo.net localto.net pagekite.me",
  "jungleheart.com justdied.com almostmy.com xxuz.com myddns.com vizvaz.com isasecret.com fartit.com jkub.com",
  "faqserv.com ezua.com zyns.com ygto.com serveusers.com mrslove.com itemdb.com cloudns.org cloudns.biz otzo.com",
  "itsaol.com instanthq.com freetcp.com 2waky.com serveirc.com ourhobby.com ocry.com dns.army ns01.info",
  "dns-dynamic.net vpndns.net linkpc.net line.pm jetos.com x24hr.com dnslive.net toshibanetcam.com sendsmtp.com",
  "mypi.co eu.org work.gd ddnsfree.com freeddns.org accesscam.org camdvr.org giize.com gleeze.com kozow.com",
  "theworkpc.com casacam.net ddnsgeek.com mywire.org webredirect.org dynuddns.com dynuddns.net dyn.ddnss.de"
].flatMap((row) => row.split(" "))

type Publishing = "freeHosting" | "dynamicDns"

const publishers: ReadonlyMap<string, Publishing> = new Map([
  ...freeHosts.map((suffix) => [suffix, "freeHosting"] as const),
  ...dynamicDns.map((suffix) => [suffix, "dynamicDns"] as const)
])

/** Names sold below like top-level domains, cheaply: CentralNic's, Indonesian and Vietnamese ones for individuals. */
const soldNames: ReadonlySet<string> = new Set(
  "sa.com za.com ru.com co.com us.com uk.com jp.net in.net eu.com com.de my.id biz.id web.id io.vn ne.pw us.cc".split(
    " "
  )
)

/** The abused suffix that a host ends in, or nothing. `abusedSuffix("shop.example.top")` is `"top"`. */
export const abusedSuffix = (host: string): string | undefined => {
  const lastTwo = host.slice(host.lastIndexOf(".", host.lastIndexOf(".") - 1) + 1)
  if (lastTwo.length < host.length && soldNames.has(lastTwo)) return lastTwo
  const suffix = host.slice(host.lastIndexOf(".") + 1)
  return abusedSuffixes.has(suffix) ? suffix : undefined
}

export interface Publisher {
  readonly kind: Publishing
  /** The name that its customers' hosts end in. */
  readonly suffix: string
  /** The customer's own part of the host, `someone.github.io`; the suffix itself where a path tells customers apart. */
  readonly tenant: string
}

/** Their customers are told apart by path, not by host. */
const servedByPath: ReadonlySet<string> = new Set([
  "sites.google.com",
  "ipfs.io",
  "infura-ipfs.io",
  "cf-ipfs.com",
  "cloudflare-ipfs.com",
  "gateway.pinata.cloud",
  "storage.googleapis.com"
])

/** Labels that publishers keep for themselves. */
const ownLabels: ReadonlySet<string> = new Set(
  "www support help docs blog api app status my community".split(" ")
)

/**
 * Who lets anybody publish under this host, or nothing; the publisher's own site is none of its customers:
 * `publisher("www.someone.github.io")` has the tenant `someone.github.io`, `publisher("weebly.com")` is nothing.
 */
export const publisher = (host: string): Publisher | undefined => {
  let tenantStart = -1
  for (let start = 0; ; ) {
    const suffix = host.slice(start)
    const kind = publishers.get(suffix)
    if (kind !== undefined) {
      if (tenantStart === -1) return servedByPath.has(suffix) ? { kind, suffix, tenant: suffix } : undefined
      return ownLabels.has(host.slice(tenantStart, start - 1))
        ? undefined
        : { kind, suffix, tenant: host.slice(tenantStart) }
    }
    const dot = host.indexOf(".", start)
    if (dot === -1) return undefined
    tenantStart = start
    start = dot + 1
  }
}

/**
 * Services that firms run under the firm's name as a subdomain: support desks, sign-in, recruiting, wikis, blogs. The
 * name of a brand alone is ordinary there.
 */
const companyServices: ReadonlySet<string> = new Set(
  [
    "zendesk.com freshdesk.com uservoice.com service-now.com salesforce.com force.com salesforce-sites.com",
    "okta.com okta-emea.com auth0.com onelogin.com onetrust.com atlassian.net statuspage.io slack.com sharepoint.com",
    "bamboohr.com greenhouse.io lever.co workable.com icims.com jobvite.com myworkdayjobs.com smartrecruiters.com",
    "qualtrics.com eloqua.com mediaroom.com responsibledisclosure.com readme.io stackexchange.com fandom.com",
    "tumblr.com medium.com substack.com wordpress.com custhelp.com tmall.com simplecast.com sjv.io pxf.io",
    // names of projects for developers
    "js.org is-a.dev golang.org readthedocs.io drpc.org"
  ].flatMap((row) => row.split(" "))
)

export const isCompanyService = (domain: string): boolean => companyServices.has(domain)

/** Networks for delivery that name every customer by a number, honest or not; `onion` names are keys. */
const namedByMachine: ReadonlySet<string> = new Set(
  "cloudfront.net akamaized.net akamaihd.net fastly.net azurefd.net azureedge.net amazonaws.com onion".split(
    " "
  )
)

export const isNamedByMachine = (suffix: string): boolean => namedByMachine.has(suffix)
