/**
 * Brands that phishing pages imitate, and the domains each owns.
 *
 * Chosen by how often reports of phishing name them, not by size. Left out on purpose: names that many unrelated firms
 * share (Sparkasse, Volksbank), names that developers put everywhere (GitHub, Cloudflare), and names of three letters
 * but for those that reports are full of.
 */
export interface Brand {
  /** Lower-case ASCII without spaces or hyphens, as they stand in hosts. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  /**
   * Registrable domains; the first is shown to people, the others may include namesakes that are known well. `name.*`
   * stands for `name` under every country's suffix, for brands that hold nearly all of them; `.name` for a top-level
   * domain of the brand's own.
   */
  readonly domains: readonly [string, ...ReadonlyArray<string>]
  /** The name is also an everyday word, a surname or an abbreviation: by itself it is no evidence. */
  readonly everyday?: true
}

const brand = (names: string, domains: string): Brand => ({
  names: nonEmpty(names),
  domains: nonEmpty(domains)
})

const everyday = (names: string, domains: string): Brand => ({ ...brand(names, domains), everyday: true })

const nonEmpty = (spaced: string): readonly [string, ...ReadonlyArray<string>] => {
  const [first = "", ...others] = spaced.split(" ")
  return [first, ...others]
}

export const brands: ReadonlyArray<Brand> = [
  // payment and banks, North America
  brand(
    "paypal",
    "paypal.com paypal.me paypalobjects.com paypal-corp.com paypal-engineering.com paypal.* paypal-ads.com paypal-community.com paypal-communication.com"
  ),
  brand("venmo", "venmo.com"),
  brand("cashapp", "cash.app cashapp.com cashappapi.com"),
  brand("westernunion", "westernunion.com westernunion.*"),
  brand("moneygram", "moneygram.com moneygram.*"),
  everyday("chase jpmorgan", "chase.com chase.co.uk jpmorganchase.com jpmorgan.com"),
  brand("bankofamerica bofa", "bankofamerica.com bofa.com bofaml.com"),
  brand("wellsfargo", "wellsfargo.com wf.com wellsfargoadvisors.com wellsfargomedia.com wellsfargojobs.com"),
  brand("citibank citi", "citi.com citibank.com citibankonline.com citigroup.com citibank.* citi.eu"),
  brand(
    "capitalone",
    "capitalone.com capitalone.ca capitalone.co.uk capitaloneshopping.com capitalone360.com capitalonegslbex.com"
  ),
  brand("truist", "truist.com"),
  brand(
    "americanexpress amex",
    "americanexpress.com aexp.com amex.com aexp-static.com americanexpress.* amexgiftcard.com"
  ),
  brand("mastercard", "mastercard.com mastercard.us mastercard.*"),
  brand("navyfederal", "navyfederal.org"),
  brand("usaa", "usaa.com"),
  everyday("fidelity", "fidelity.com fidelityinvestments.com fidelity.co.uk fidelity.*"),
  brand("schwab", "schwab.com schwab.de schwabapi.com schwabmoneywise.com lesschwab.com"),
  brand("robinhood", "robinhood.com robinhood.net"),
  brand("scotiabank", "scotiabank.com scotiabank.* scotiabankcolpatria.com"),
  brand("desjardins", "desjardins.com desjardinsbank.com desjardins.ca"),
  brand("interac", "interac.ca interac.io"),
  brand(
    "intuit quickbooks turbotax",
    "intuit.com quickbooks.com turbotax.com mint.com quickbooksonline.com intuit.* quickbooks.*"
  ),

  // payment and banks, Europe
  brand("hsbc", "hsbc.com hsbc.* hsbcnet.com hsbcamanah.com.my hsbcinnovationbanking.com"),
  brand(
    "barclays barclaycard",
    "barclays.com barclays.co.uk barclaycard.co.uk barclaycardus.com barclays.* .barclays barclaycard.de barclays.net"
  ),
  brand("lloydsbank", "lloydsbank.com lloydsbank.co.uk lloydsbankinggroup.com lloydsbank.nl"),
  brand("natwest", "natwest.com natwestgroup.com natwestmarkets.com natwestinternational.com"),
  brand(
    "santander",
    "santander.com santander.co.uk santanderbank.com bancosantander.es bancosantander.mx gruposantander.com tusantander.es santander.* santanderconsumer.* santandernetibe.com.br santandernet.com.br santandertrade.com"
  ),
  brand("revolut", "revolut.com revolut.me"),
  brand("rabobank", "rabobank.com rabobank.nl rabobank.*"),
  brand("abnamro", "abnamro.com abnamro.nl abnamro.*"),
  brand(
    "bnpparibas",
    "bnpparibas.com bnpparibas.net bnpparibasfortis.be bnpparibasfortis.com bnpparibas.* .bnpparibas"
  ),
  brand("societegenerale", "societegenerale.com societegenerale.fr societegenerale.*"),
  brand(
    "creditagricole",
    "credit-agricole.fr credit-agricole.com creditagricolestore.fr ca-paris.fr credit-agricole.*"
  ),
  brand("creditmutuel", "creditmutuel.fr creditmutuel.com"),
  brand("caixabank", "caixabank.es caixabank.com caixabank.*"),
  brand("bbva", "bbva.com bbva.es bbva.mx bbvanet.com.mx bbvaopenmind.com bbva.*"),
  brand("bankinter", "bankinter.com bankinter.es bankinterconsumerfinance.com"),
  brand("bancsabadell bancosabadell", "bancsabadell.com bancosabadell.com grupbancsabadell.com"),
  brand("abanca", "abanca.com abanca.pt"),
  brand("cajamar", "grupocajamar.com cajamar.es grupocooperativocajamar.es"),
  brand("caixadirecta", "cgd.pt caixadirectaonline.cgd.pt"),
  brand(
    "intesasanpaolo",
    "intesasanpaolo.com group.intesasanpaolo.com intesasanpaolobank.ro intesasanpaolo.*"
  ),
  brand(
    "unicredit",
    "unicredit.it unicredit.eu unicreditbanking.eu unicreditbanking.net unicreditgroup.eu unicreditbank.cz unicreditbulbank.bg unicredit.* unicreditbank.*"
  ),
  brand("posteitaliane", "poste.it posteitaliane.it postepay.it"),
  brand("postepay", "poste.it postepay.it"),
  brand("commerzbank", "commerzbank.de commerzbank.com commerzbank.*"),
  brand(
    "deutschebank",
    "deutsche-bank.de db.com deutschebank.be deutschebank.com deutsche-bank.* deutschebank.*"
  ),
  brand("klarna", "klarna.com klarna.* klarna.net klarna.app klarnaservices.com"),
  brand("postfinance", "postfinance.ch"),
  brand("twint", "twint.ch"),
  brand("belfius", "belfius.be belfius.com"),
  brand("swedbank", "swedbank.se swedbank.com swedbank.ee swedbank.*"),
  brand("nordea", "nordea.com nordea.fi nordeaopenbanking.com nordeanetbank.dk nordea.*"),
  brand("danskebank", "danskebank.com danskebank.dk danskebank.*"),
  brand("sberbank", "sberbank.ru sberbank.com sber.ru sberbank.*"),

  // payment and banks, Latin America, Asia, Africa, Australia
  brand("bancolombia", "bancolombia.com grupobancolombia.com"),
  brand("banorte", "banorte.com"),
  brand(
    "bradesco",
    "bradesco.com.br banco.bradesco .bradesco bradescopj.com.br bradescoprime.com.br bradescoseguros.com.br"
  ),
  brand("itau", "itau.com.br itau.cl itau.*"),
  brand("mercadopago", "mercadopago.com mercadopago.com.br mercadopago.*"),
  brand(
    "mercadolibre mercadolivre",
    "mercadolibre.com mercadolivre.com.br mercadolibre.* mercadolivre.* mercadolivre.com"
  ),
  brand("onlinebdo bdoonline bdo", "bdo.com.ph bdo.com bdo.global bdo.*"),
  brand("maybank maybank2u", "maybank2u.com.my maybank.com maybank.* maybank2u.com.sg"),
  brand("icicibank", "icicibank.com icici.bank.in icicibank.*"),
  brand("hdfcbank hdfc", "hdfcbank.com hdfc.com hdfc.bank.in hdfclife.com hdfcsec.com hdfcergo.com"),
  brand("paytm", "paytm.com paytmbank.com paytm.in paytmmall.com paytmpayments.com"),
  brand("gopay", "gopay.co.id gopay.com gopay.cz"),
  everyday("dana", "dana.id"),
  brand("alipay", "alipay.com alipayplus.com alipay.* alipay.net alipay-inc.com"),
  brand("commbank", "commbank.com.au"),
  brand("westpac", "westpac.com.au westpac.co.nz westpac.*"),
  brand("smbc smbccard", "smbc.co.jp smbc-card.com smbcnikko.co.jp smbcgroup.com smbc-comics.com smbc.*"),
  brand("mufg", "mufg.jp mufg.com mufgbank.com mufgamericas.com mufg.* .mufg"),
  brand("mizuho", "mizuhobank.co.jp mizuho-fg.co.jp mizuho-sc.com mizuhogroup.com mizuho-ls.co.jp"),
  brand("saisoncard saison", "saisoncard.co.jp creditsaison.com saison-card.com"),
  brand("eposcard", "eposcard.co.jp"),
  brand("orico", "orico.co.jp orico.jp orico.com.cn"),
  brand("jaccs", "jaccs.co.jp"),
  brand("uccard", "uccard.co.jp"),
  brand("vpass", "smbc-card.com vpass.ne.jp"),
  brand("myjcb jcb", "jcb.co.jp myjcb.jp jcb.jp jcb.com jcbusa.com global.jcb .jcb"),
  brand("aeon aeoncard", "aeon.co.jp aeoncard.co.jp aeonbank.co.jp aeon.info aeonretail.jp aeon.*"),
  brand("tscubic mytscubic", "tscubic.com"),
  brand("viewsnet viewcard", "viewsnet.jp jreast.co.jp"),
  brand("ekinet ekii", "eki-net.com jreast.co.jp"),
  brand("monex", "monex.co.jp monex.com monexusa.com monexgroup.jp"),
  brand("sbisec", "sbisec.co.jp netbk.co.jp"),
  brand("nomura", "nomura.co.jp nomura.com nomuraholdings.com nomura-am.co.jp nomura.*"),
  brand("daiwa", "daiwa.jp daiwa.co.jp daiwa-grp.jp daiwahouse.co.jp daiwa.com daiwa.*"),
  brand("matsui", "matsui.co.jp"),
  brand("lifecard", "lifecard.co.jp"),
  brand("jabank", "jabank.jp jabank.org ja-group.jp"),
  brand("paypay", "paypay.ne.jp paypay-bank.co.jp paypay-card.co.jp paypay-sec.co.jp paypaycorp.co.jp"),

  // post, parcels, tolls, authorities
  brand("usps", "usps.com usps.gov"),
  brand("fedex", "fedex.com fedex.*"),
  brand("dhl", "dhl.com dhl.de dhlparcel.nl dhl.* .dhl"),
  everyday("ups", "ups.com ups.edu ups-tlse.fr"),
  brand("royalmail", "royalmail.com royalmail.co.uk royalmailgroup.com"),
  brand("evri myhermes", "evri.com myhermes.co.uk myhermes.de hermesworld.com"),
  brand("dpd", "dpd.com dpd.co.uk dpdgroup.com dpd.*"),
  brand("laposte", "laposte.fr laposte.net lapostemobile.fr lapostefinance.fr"),
  brand("chronopost", "chronopost.fr"),
  brand("correios", "correios.com.br linkcorreios.com.br"),
  brand("correos", "correos.es correos.com correosexpress.com correos.*"),
  brand("inpost", "inpost.pl inpost.co.uk inpost.it inpost.eu inpost.*"),
  brand("postnord", "postnord.com postnord.se postnord.*"),
  brand("bpost", "bpost.be bpostbank.be bpost.com bpostgroup.com"),
  brand("swisspost", "post.ch swisspost.ch swisspost.com"),
  brand("ukrposhta", "ukrposhta.ua"),
  brand("canadapost postescanada", "canadapost.ca canadapost-postescanada.ca postescanada.ca"),
  brand("purolator", "purolator.com"),
  brand("auspost australiapost", "auspost.com.au australiapost.com.au"),
  brand("japanpost", "post.japanpost.jp japanpost.jp jp-bank.japanpost.jp"),
  brand("kuronekoyamato", "kuronekoyamato.co.jp"),
  brand("sagawa", "sagawa-exp.co.jp"),
  brand("indiapost", "indiapost.gov.in"),
  brand("ezpass ezpassny", "ezpass.com e-zpassny.com e-zpassiag.com ezpassva.com ezpassnj.com"),
  brand("ezdrivema", "ezdrivema.com"),
  brand("mygov", "my.gov.au mygov.au mygov.in mygovid.ie mygovid.gov.au"),
  brand("ameli", "ameli.fr"),

  // telephone, mail, hosting
  everyday("att attnet attmail attcom currentlyatt attcurrently", "att.com att.net att.jobs att.ne.jp"),
  brand(
    "verizon",
    "verizon.com verizon.net verizonwireless.com verizonmedia.com verizonenterprise.com verizonbusiness.com verizonconnect.com"
  ),
  brand(
    "xfinity comcast",
    "xfinity.com comcast.com comcast.net comcastbusiness.com xfinityhome.com xfinitytv.com comcastbusiness.net"
  ),
  brand("tmobile", "t-mobile.com t-mobile.nl t-mobile.* tmobile.com t-mobile.net tmobile-digital.com"),
  brand("bellsouth", "bellsouth.com bellsouth.net bellsouthpwp.net att.com"),
  brand("sbcglobal", "sbcglobal.net att.com"),
  brand(
    "vodafone",
    "vodafone.com vodafone.co.uk vodafoneziggo.nl vodafone.* vodafonemail.de vodafone-ip.de vodafoneidea.com"
  ),
  everyday("orange", "orange.com orange.fr orange-business.com orange.jobs orange.*"),
  brand("telstra", "telstra.com telstra.com.au telstra.net telstra.*"),
  brand("btinternet", "bt.com btinternet.com btinternet.co.uk"),
  brand("talktalk", "talktalk.co.uk talktalk.net"),
  brand("swisscom", "swisscom.ch swisscom.com"),
  brand("docomo", "docomo.ne.jp mydocomo.com nttdocomo.co.jp nttdocomo.com docomo.*"),
  brand("softbank", "softbank.jp softbank.co.jp softbank.ne.jp softbankhawks.co.jp"),
  brand(
    "rakuten",
    "rakuten.co.jp rakuten.com rakuten.tv rakuten-bank.co.jp rakuten-card.co.jp rakuten-sec.co.jp rakuten.ne.jp rakuten.careers rakuten.* rakuten-static.com rakuten.net rakutenadvertising.io rakutenmarketing.com"
  ),
  brand("tepco", "tepco.co.jp"),
  brand("biglobe", "biglobe.ne.jp biglobe.co.jp"),
  brand("ionos", "ionos.com ionos.de ionos.* 1and1.com ionoscloud.com"),
  brand("godaddy", "godaddy.com secureserver.net godaddysites.com"),
  brand(
    "yahoo",
    "yahoo.com yahoo.co.jp yahooinc.com yahoo.net yahoo.* yahooapis.com yimg.com yahoo.cloud yahoomail.com"
  ),

  // technology, social media, entertainment
  brand(
    "microsoft microsoft365 microsoftonline",
    "microsoft.com microsoftonline.com microsoft365.com microsoft.ai windows.net azure.com visualstudio.com live.com office.com msn.com bing.com xbox.com microsoft.* .microsoft onmicrosoft.com s-microsoft.com microsoftpersonalcontent.com microsoftapp.net microsoftazuread-sso.com microsoftonline-p.com microsoftonline.us microsofttranslator.com microsoft.net microsoftstore.com microsoftstream.com microsoftusercontent.com"
  ),
  brand("office365", "office.com office365.com microsoft.com office365.us"),
  everyday("office", "office.com office365.com"),
  brand(
    "outlook hotmail",
    "outlook.com outlookindia.com hotmail.com live.com microsoft.com office.com office365.com outlook.* outlookmobile.com hotmail.*"
  ),
  brand("onedrive", "onedrive.com onedrive.live.com live.com"),
  brand("sharepoint", "sharepoint.com sharepointonline.com sharepoint.us sharepoint.cn"),
  everyday(
    "apple",
    "apple.com apple.news apple.co apple.com.cn cdn-apple.com apple-mapkit.com apple.* .apple"
  ),
  brand(
    "icloud",
    "icloud.com icloud.com.cn icloud-content.com apple.com icloud-content.com.cn icloud-sandbox.com"
  ),
  everyday("findmy", "icloud.com apple.com"),
  brand(
    "google gmail",
    "google.com googleapis.com gmail.com withgoogle.com googleblog.com google.dev 9to5google.com google.org googleusercontent.com gstatic.com goo.gl google.* .google googlesource.com googletagmanager.com googlesyndication.com google-analytics.com doubleclick.net googleapps.com googleadservices.com googlevideo.com googlegroups.com google.net google.cat google.tk google.ml google.ga google.cf googlemail.com googlepages.com"
  ),
  everyday("youtube", "youtube.com youtu.be youtube-nocookie.com youtubekids.com youtube.* .youtube"),
  brand(
    "amazon amazonpay",
    "amazon.com amazon.jobs amazonaws.com amazon.science amazonpay.com amazon-adsystem.com amazonses.com amazongames.com amazonmusic.com amazoncognito.com amazon.dev amazon.com.be theamazonpost.com amazon.* .amazon media-amazon.com ssl-images-amazon.com images-amazon.com payments-amazon.com assoc-amazon.com amazonservices.com"
  ),
  brand(
    "netflix",
    "netflix.com netflix.net nflxext.com nflximg.net nflxvideo.net netflixtechblog.com netflix.* netflixstudios.com"
  ),
  brand(
    "facebook",
    "facebook.com fb.com fb.me facebook.net fbcdn.net facebook.design facebook.dev facebookbrand.com facebookmail.com messenger.com meta.com facebookwkhpilnemxj7asaniu7vnjjbiltxjqhye3mhbshg7kx5tfyd.onion facebook.* facebook-hardware.com thefacebook.com"
  ),
  everyday("meta", "meta.com meta.ai meta.kz meta.ua"),
  brand(
    "instagram",
    "instagram.com cdninstagram.com ig.me instagr.am instagram-engineering.com instagram.com.br"
  ),
  brand("whatsapp", "whatsapp.com whatsapp.net wa.me whatsappbrand.com"),
  brand(
    "telegram",
    "telegram.org telegram.me telegram.hr star-telegram.com thetelegram.com t.me telegram.dog telegra.ph telesco.pe telegram.com"
  ),
  brand(
    "tiktok",
    "tiktok.com tiktokshop.com tiktokw.eu tiktokv.com tiktokcdn.com tiktokcdn-us.com tiktokglobalshop.com tiktok-shops.com tiktokv.eu tiktokv.us tiktokw.us tiktok-row.net tiktokeu-cdn.com tiktok-minis.com"
  ),
  brand("twitter", "twitter.com x.com twimg.com t.co ads-twitter.com"),
  brand("linkedin", "linkedin.com linkedin-status.com licdn.com lnkd.in linkedin.cn linkedin-ei.com"),
  brand("snapchat", "snapchat.com snap.com sc-cdn.net"),
  everyday(
    "discord",
    "discord.com discord.gg discordapp.com discord.media discordapp.net discord.new discord.dev discordstatus.com discord.gift discord.js.org"
  ),
  brand(
    "steamcommunity steampowered",
    "steamcommunity.com steampowered.com steam-chat.com steamstatic.com steamusercontent.com"
  ),
  everyday("steam", "steampowered.com steamcommunity.com steamdeck.com steamdb.info"),
  brand("roblox robux", "roblox.com rbxcdn.com rbx.com"),
  brand("epicgames", "epicgames.com epicgames.dev fortnite.com unrealengine.com epicgamescdn.com"),
  brand("playstation", "playstation.com playstation.net sony.com sonyentertainmentnetwork.com playstation.*"),
  brand("faceit", "faceit.com faceit-cdn.net"),
  brand(
    "spotify",
    "spotify.com spotify.net scdn.co spotify.design spotifycdn.com byspotify.com atspotify.com spotify.dev"
  ),
  brand(
    "adobe",
    "adobe.com adobe.io adobelogin.com typekit.com adobedtm.com adobe.* adobe.net adobesign.com adobeconnect.com"
  ),
  brand("docusign", "docusign.com docusign.net docusign.*"),
  brand(
    "dropbox",
    "dropbox.com dropboxusercontent.com dropboxapi.com dropbox.tech getdropbox.com dropbox-paper.com dropbox-dns.com dropboxstatic.com dropboxforum.com dropboxbusiness.com"
  ),
  brand("wetransfer", "wetransfer.com wetransfer.net we.tl"),
  brand("mcafee", "mcafee.com mcafeesecure.com mcafee.net"),

  // shops and travel
  brand("ebay", "ebay.com ebaystatic.com ebayinc.com ebay.* ebay-kleinanzeigen.de ebay-us.com"),
  brand(
    "walmart",
    "walmart.com wal-mart.com walmart.ca walmart.com.mx walmartimages.com walmartmoneycard.com walmart.* walmartimages.ca walmartapis.com walmartstores.com"
  ),
  brand(
    "allegro allegrolokalnie",
    "allegro.pl allegrolokalnie.pl allegro.tech allegro.eu allegro.cc allegro.* allegro.com allegroimg.com allegrostatic.com"
  ),
  brand("olx", "olx.com olx.pl olxgroup.com olx.* olx-st.com olx.org"),
  brand("vinted", "vinted.com vinted.fr vinted.* vinted.net vintedapp.com"),
  brand("leboncoin", "leboncoin.fr"),
  brand("kleinanzeigen", "kleinanzeigen.de ebay-kleinanzeigen.de"),
  brand("shopee", "shopee.com shopee.sg shopee.* shopeemobile.com shopeepay.*"),
  brand("aliexpress", "aliexpress.com aliexpress.us aliexpress.ru aliexpress.* aliexpress-media.com"),
  brand(
    "alibaba",
    "alibaba.com alibabacloud.com alibabagroup.com alibaba-inc.com alibaba-tw.com alibabadns.com alibabausercontent.com alibabacorp.com alibaba.com.cn"
  ),
  brand("mercari", "mercari.com mercari.jp mercari-shops-static.com"),
  brand("airbnb", "airbnb.com airbnb.org airbnb.design airbnb.io airbnb.* airbnb.net"),
  everyday("booking", "booking.com bstatic.com"),
  brand("tripadvisor", "tripadvisor.com tripadvisorsupport.com tripadvisor.*"),

  // crypto currencies
  brand("coinbase coinbasepro", "coinbase.com cb.id coinbase-corp.com base.org"),
  brand(
    "binance",
    "binance.com binance.us binance.org bnbchain.org binance.vision binance.* binance.info binance.cloud"
  ),
  everyday("kraken", "kraken.com krakenfx.com"),
  everyday("gemini", "gemini.com google.com"),
  brand("kucoin", "kucoin.com kucoin.cloud kucoin.plus"),
  brand("bybit", "bybit.com bybit.eu bybit-global.com"),
  brand("bitbuy", "bitbuy.ca"),
  brand("netcoins", "netcoins.com netcoins.app"),
  brand("hyperliquid", "hyperliquid.xyz hyperfoundation.org"),
  brand("raydium", "raydium.io"),
  brand("debank", "debank.com"),
  brand("bitvavo", "bitvavo.com"),
  brand("cryptocom", "crypto.com"),
  brand("ndax", "ndax.io"),
  brand("blockfi", "blockfi.com"),
  everyday("uphold", "uphold.com"),
  brand("itrustcapital", "itrustcapital.com"),
  brand("metamask", "metamask.io"),
  brand("trustwallet", "trustwallet.com"),
  brand("walletconnect", "walletconnect.com walletconnect.org walletconnect.network"),
  everyday("ledger ledgerlive", "ledger.com ledgerwallet.com ledger-cli.org plaintextaccounting.org"),
  brand("trezor", "trezor.io"),
  everyday("exodus", "exodus.com exodus.io"),
  everyday("phantom", "phantom.app phantom.com"),
  brand("opensea", "opensea.io"),
  brand("uniswap", "uniswap.org uniswapfoundation.org"),
  brand("pancakeswap", "pancakeswap.finance pancakeswap.com"),
  brand("imtoken", "token.im imtoken.com"),
  brand("moonpay", "moonpay.com moonpay.io"),
  brand("paxful", "paxful.com"),
  brand("etherscan", "etherscan.io")
]
