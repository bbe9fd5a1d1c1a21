/**
 * The table of firms that host other people's pages. `SharedHost` reads from it which hosts many tenants share, the
 * heuristics read where anybody can publish. Each name is here once.
 */

interface FirmGroup {
  /**
   * - `freeHosting`: gives anybody a name and a page for free, without proof of identity;
   * - `dynamicDns`: names for the address of a machine at home or a rented one, and tunnels into such machines;
   * - `companyService`: support desks, sign-in, recruiting, wikis and blogs that a company runs under its own name as a
   *   subdomain.
   */
  readonly kind: "freeHosting" | "dynamicDns" | "companyService"
  /**
   * Which of its hosts many tenants share:
   *
   * - `bareHost`: the name itself; each subdomain is one tenant's;
   * - `allHosts`: the name and all its subdomains;
   * - `wildcardRule`: `*.name` is a rule of the Public Suffix List, yet each subdomain is one tenant's.
   *
   * Absent where the Public Suffix List already says it, or where no threat list has named the whole host.
   */
  readonly shared?: "bareHost" | "allHosts" | "wildcardRule"
  /** Tenants differ by path, not by host. */
  readonly byPath?: true
  /** Separated by white space. */
  readonly names: string
}

const firms: ReadonlyArray<FirmGroup> = [
  {
    kind: "freeHosting",
    shared: "bareHost",
    names: `
      weebly.com weeblysite.com godaddysites.com mystrikingly.com jimdosite.com jimdofree.com
      teachable.com webnode.page glitch.me edgeone.app codesandbox.io mybluehost.me 000webhostapp.com
      canva.site gamma.site
    `
  },
  {
    kind: "freeHosting",
    shared: "bareHost",
    byPath: true,
    names: "storage.googleapis.com"
  },
  {
    kind: "freeHosting",
    shared: "allHosts",
    byPath: true,
    names: "ipfs.io gateway.pinata.cloud"
  },
  {
    kind: "freeHosting",
    shared: "allHosts",
    names: "backblazeb2.com"
  },
  {
    kind: "freeHosting",
    byPath: true,
    names: "sites.google.com infura-ipfs.io cf-ipfs.com cloudflare-ipfs.com"
  },
  // Pages that anybody writes without an account.
  {
    kind: "freeHosting",
    shared: "allHosts",
    byPath: true,
    names: "telegra.ph justpaste.it"
  },
  {
    kind: "freeHosting",
    byPath: true,
    names: "te.legra.ph graph.org rentry.co rentry.org write.as"
  },
  // Site builders.
  {
    kind: "freeHosting",
    names: `
      webflow.io wixsite.com wixstudio.com wixstudio.io square.site typedream.app framer.app
      framer.website framer.ai framer.media studio.site daftpage.com webwave.dev ubpages.com
      webadorsite.com myfunnelish.com yolasite.com carrd.co blogspot.com gitbook.io notion.site site123.me
      ucraft.net
    `
  },
  // Code and static hosts.
  {
    kind: "freeHosting",
    names: `
      vercel.app netlify.app pages.dev workers.dev r2.dev github.io gitlab.io web.app firebaseapp.com
      surge.sh replit.app replit.dev repl.co onrender.com fly.dev herokuapp.com azurewebsites.net
      azurestaticapps.net amplifyapp.com pantheonsite.io zeabur.app on-fleek.app fleek.co 4everland.app
      wasmer.app pythonanywhere.com ondigitalocean.app deno.dev lovable.app base44.app bolt.host
    `
  },
  // Storage, and gateways of content-addressed networks.
  {
    kind: "freeHosting",
    names:
      "dweb.link w3s.link flk-ipfs.xyz nftstorage.link digitaloceanspaces.com linodeobjects.com b-cdn.net"
  },
  // Gateways of ENS: each name has an owner.
  {
    kind: "freeHosting",
    shared: "wildcardRule",
    names: "eth.limo eth.link"
  },
  // Web space under a generated name.
  {
    kind: "freeHosting",
    names: `
      ewp.live cprapid.com wpenginepowered.com codeanyapp.com serv00.net tw1.ru temp.swtest.ru
      freewebhostmost.com temporary.site plesk.page hostingersite.com wcomhost.com live-website.com
      iceiy.com rf.gd ct.ws jdevcloud.com cloudwaysapps.com cloudaccess.host tempurl.host
      infinityfreeapp.com cfolks.pl alwaysdata.net translate.goog
    `
  },
  // More of each kind, from reports of phishing.
  {
    kind: "freeHosting",
    names: `
      appwrite.network webcindario.com sellfy.store gettrials.com wpdevcloud.com elementor.cloud
      cleverapps.io bubbleapps.io my.canva.site bitbucket.io icp0.io hstgr.cloud xsph.ru dreamhosters.com
      cpanel.site inmotionhosting.com md.ci asso.ci run.place ukit.me tilda.ws tiiny.site tiiny.co
      neocities.org webwave.me wuaze.com great-site.net free.nf lovestoblog.com epizy.com byethost.com
      42web.io kesug.com mypixieset.com hubspotpagebuilder.com hubspotpagebuilder.eu zoholandingpage.com
      qtempurl.com unaux.com softr.app bravesites.com brizy.site zapier.app zyrosite.com
      myclickfunnels.com systeme.io kartra.com convertri.com super.site mypinata.cloud
      web.core.windows.net blob.core.windows.net objectstorage.cloud appspot.com run.app jouwweb.site
      sitebeat.site 1msite.eu site.pro eu5.org my-board.org hosting-site.io blob.vercel-storage.com
      up.railway.app koyeb.app northflank.app stormkit.dev surge.app csb.app
    `
  },
  {
    kind: "dynamicDns",
    shared: "wildcardRule",
    names: "localto.net"
  },
  {
    kind: "dynamicDns",
    names: `
      duckdns.org dynv6.net ddns.net zapto.org sytes.net hopto.org myftp.org servehttp.com no-ip.org
      no-ip.biz noip.me 3utilities.com bounceme.net serveftp.com webhop.me onthewifi.com redirectme.net
      myvnc.com dyndns.org dyndns.com mooo.com crabdance.com chickenkiller.com ip-ddns.com cloudns.cc
      cloudns.nz cloudns.ph us.kg dpdns.org publicvm.com onedumb.com wikaba.com longmusic.com mefound.com
      mrbonus.com mrbasic.com organiccrap.com sexidude.com toythieves.com youdontcare.com yourtrap.com
      zzux.com misecure.com trycloudflare.com ngrok.io ngrok.app ngrok-free.app ngrok-free.dev loca.lt
      serveo.net pagekite.me jungleheart.com justdied.com almostmy.com xxuz.com myddns.com vizvaz.com
      isasecret.com fartit.com jkub.com faqserv.com ezua.com zyns.com ygto.com serveusers.com mrslove.com
      itemdb.com cloudns.org cloudns.biz otzo.com itsaol.com instanthq.com freetcp.com 2waky.com
      serveirc.com ourhobby.com ocry.com dns.army ns01.info dns-dynamic.net vpndns.net linkpc.net line.pm
      jetos.com x24hr.com dnslive.net toshibanetcam.com sendsmtp.com mypi.co eu.org work.gd ddnsfree.com
      freeddns.org accesscam.org camdvr.org giize.com gleeze.com kozow.com theworkpc.com casacam.net
      ddnsgeek.com mywire.org webredirect.org dynuddns.com dynuddns.net dyn.ddnss.de
    `
  },
  {
    kind: "companyService",
    shared: "allHosts",
    names: "salesforce.com okta.com auth0.com slack.com"
  },
  {
    kind: "companyService",
    shared: "bareHost",
    names:
      "zendesk.com force.com atlassian.net sharepoint.com tumblr.com medium.com substack.com wordpress.com"
  },
  {
    kind: "companyService",
    names: `
      freshdesk.com uservoice.com service-now.com salesforce-sites.com okta-emea.com onelogin.com
      onetrust.com statuspage.io bamboohr.com greenhouse.io lever.co workable.com icims.com jobvite.com
      myworkdayjobs.com smartrecruiters.com qualtrics.com eloqua.com mediaroom.com
      responsibledisclosure.com readme.io stackexchange.com fandom.com custhelp.com tmall.com
      simplecast.com sjv.io pxf.io
    `
  },
  // Project pages for developers.
  {
    kind: "companyService",
    names: "js.org is-a.dev golang.org readthedocs.io drpc.org"
  }
]

/** The names of the selected firms. */
export const hostingNames = (select: (firm: FirmGroup) => boolean): ReadonlyArray<string> =>
  firms.filter(select).flatMap(({ names }) => names.trim().split(/\s+/))
