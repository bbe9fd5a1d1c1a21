import { type Brand, brand, everyday } from "./Brand.ts"

/** Telephone, mail and web hosting. */
export const telecoms: ReadonlyArray<Brand> = [
  everyday("att attnet attmail attcom currentlyatt attcurrently", "att.com att.net att.jobs att.ne.jp"),
  brand(
    "verizon",
    "verizon.com verizon.net verizonwireless.com verizonmedia.com verizonenterprise.com verizonbusiness.com verizonconnect.com verizoninsider.com verizon-services.com verizondigitalmedia.com"
  ),
  brand(
    "xfinity comcast",
    "xfinity.com comcast.com comcast.net comcastbusiness.com xfinityhome.com xfinitytv.com comcastbusiness.net xfinityprepaid.com comcastnow.com comcastspotlight.com comcastsupport.com teamcomcast.com comcastnets.net"
  ),
  brand(
    "tmobile",
    "t-mobile.com t-mobile.nl t-mobile.* tmobile.com t-mobile.net tmobile-digital.com tmobile-familymode.com"
  ),
  brand("bellsouth", "bellsouth.com bellsouth.net bellsouthpwp.net att.com"),
  brand("sbcglobal", "sbcglobal.net att.com"),
  brand(
    "vodafone",
    "vodafone.com vodafone.co.uk vodafoneziggo.nl vodafone.* vodafonemail.de vodafone-ip.de vodafoneidea.com vodafoneinnovus.com vodafonetvonline.es myvodafone.com.au"
  ),
  everyday("orange", "orange.com orange.fr orange-business.com orange.jobs orange.*"),
  brand("telstra", "telstra.com telstra.com.au telstra.net telstra.*"),
  brand("btinternet", "bt.com btinternet.com btinternet.co.uk"),
  brand("talktalk", "talktalk.co.uk talktalk.net"),
  brand("swisscom", "swisscom.ch swisscom.com swisscom.net"),
  brand(
    "docomo",
    "docomo.ne.jp mydocomo.com nttdocomo.co.jp nttdocomo.com docomo.* docomo-de.net docomo-ryokin.net"
  ),
  brand(
    "softbank",
    "softbank.jp softbank.co.jp softbank.ne.jp softbankhawks.co.jp softbankbb.co.jp softbankselection.jp"
  ),
  brand(
    "rakuten",
    "rakuten.co.jp rakuten.com rakuten.tv rakuten-bank.co.jp rakuten-card.co.jp rakuten-sec.co.jp rakuten.ne.jp rakuten.careers rakuten.* rakuten-static.com rakuten.net rakutenadvertising.io rakutenmarketing.com rakuten-edy.co.jp rakuten-life.co.jp rakuteneagles.jp rakuten-card.jp rakuten-it.com"
  ),
  brand("tepco", "tepco.co.jp"),
  brand("biglobe", "biglobe.ne.jp biglobe.co.jp"),
  brand("ionos", "ionos.com ionos.de ionos.* 1and1.com ionoscloud.com"),
  brand("godaddy", "godaddy.com secureserver.net godaddysites.com godaddyrdap.com godaddy.net"),
  brand(
    "yahoo",
    "yahoo.com yahoo.co.jp yahooinc.com yahoo.net yahoo.* yahooapis.com yimg.com yahoo.cloud yahoomail.com yahoo-leisure.hk yahoo-mbga.jp storage-yahoo.jp yahoo-help.jp"
  ),
  brand("attlogin attsecure attmailsupport attonline myatt attyahoo", "att.com att.net myatt.com"),
  brand("spectrumnet spectrumlogin charterspectrum", "spectrum.net spectrum.com charter.com"),
  everyday("spectrum", "spectrum.net spectrum.com charter.com"),
  everyday("optimum", "optimum.net optimum.com"),
  brand("coxmail coxwebmail coxcommunications", "cox.com cox.net coxmail.com"),
  brand("centurylink", "centurylink.com centurylink.net"),
  brand("frontiermail", "frontier.com"),
  brand("windstream", "windstream.com windstream.net windstreamonline.com"),
  brand("earthlink", "earthlink.net earthlink.com earthlinktele.com"),
  brand("suddenlink", "suddenlink.com suddenlink.net suddenlinkmail.com"),
  brand("roadrunnermail", "spectrum.net"),
  brand("netzero", "netzero.net netzero.com juno.com"),
  everyday("juno", "netzero.net netzero.com juno.com"),
  brand("uscellular", "uscellular.com"),
  brand("bellcanada bellmail", "bell.ca bell.net"),
  brand("sympatico", "bell.ca sympatico.ca"),
  brand("rogersmail myrogers rogersbank", "rogers.com rogersbank.com"),
  brand("telus", "telus.com telus.net telusinternational.com telus.*"),
  brand("videotron", "videotron.com videotron.ca vidéotron.ca"),
  brand("shawmail shawwebmail", "shaw.ca"),
  everyday("koodo fizz", "koodomobile.com fizz.ca"),
  brand(
    "virginmedia",
    "virginmedia.com virginmedia.co.uk virginmedia.ie virginmediao2.co.uk virginmediabusiness.co.uk virginmedia.net virginmediatelevision.ie"
  ),
  brand("skybroadband", "sky.com skybroadband.com"),
  brand(
    "o2online telefonica movistar",
    "o2online.de o2.co.uk telefonica.com movistar.com movistar.es telefonica.* movistar.* movistar.co fundaciontelefonica.com telefonica-partner.de telefonicabigdata.com telefonicamovistar.com.pe telefonicaservices.com movistarpromociones.mx movistarplus.es telefonica.net telefónica.*"
  ),
  brand("btmail btconnect btbroadband", "bt.com btconnect.com"),
  brand("plusnet", "plus.net plusnet.de"),
  brand(
    "telekom deutschetelekom",
    "telekom.de telekom.com t-online.de telekom.* deutschetelekom.* telekom-dienste.de open-telekom-cloud.com telekom.net"
  ),
  everyday(
    "tonline",
    "telekom.de telekom.com t-online.de telekom.* deutschetelekom.* telekom-dienste.de open-telekom-cloud.com telekom.net"
  ),
  brand(
    "vodafonekabel kabeldeutschland unitymedia",
    "vodafone.de kabeldeutschland.de unitymedia.de kabel-deutschland.de"
  ),
  brand("gmxmail gmxnet", "gmx.net gmx.de gmx.com gmx.*"),
  brand("freenetmail", "freenet.de"),
  brand("stratoag", "strato.de strato.com strato-hosting.* strato.*"),
  everyday("strato", "strato.de strato.com strato-hosting.* strato.*"),
  brand("1und1 1and1", "ionos.de 1und1.de 1and1.com 1und1.* 1and1-data.host 1and1.* 1and1-editor.com"),
  brand("hostinger", "hostinger.com hostinger.* hostingerapp.com idhostinger.com"),
  brand("ovhcloud ovh", "ovh.com ovhcloud.com ovh.* ovh.net ovh.org"),
  brand("hosteurope", "hosteurope.de hosteurope.es"),
  brand("infomaniak", "infomaniak.com infomaniak.ch infomaniak.cloud infomaniak.site"),
  brand("namecheap", "namecheap.com namecheapapi.com namecheaphosting.com"),
  brand("bluehost", "bluehost.com bluehost.* mybluehost.me"),
  brand("networksolutions", "networksolutions.com networksolutionsemail.com"),
  brand(
    "rackspace",
    "rackspace.com rackspace.* rackspaceclouddb.com rackspacecloud.com rackspace.net rackspace.jobs"
  ),
  brand("dreamhost", "dreamhost.com"),
  brand("cpanelwebmail", "cpanel.net"),
  brand("roundcube roundcubewebmail", "roundcube.net"),
  brand("zimbra", "zimbra.com synacor.com zimbra.*"),
  brand("orangefr orangemail espaceclientorange", "orange.fr orange.com"),
  brand("sfrmail sfrmessagerie sfrfr redbysfr", "sfr.fr sfr.com red-by-sfr.fr"),
  brand("freemobile freefr freebox", "free.fr mobile.free.fr freebox.fr"),
  brand(
    "bouyguestelecom bouygues",
    "bouyguestelecom.fr bouygues.com bouygues-construction.com bouygues-immobilier.com bouygues.* bouyguestelecom.com bouyguestélécom.fr"
  ),
  brand("wanadoo", "orange.fr wanadoo.fr wanadoo.es premiumwanadoo.com"),
  brand("proximus", "proximus.be proximus.com proximustv.be"),
  brand("telenet", "telenet.be telenet-ops.be telenet.*"),
  brand("skynetbe", "proximus.be"),
  brand("kpnmail mijnkpn", "kpn.com kpn.nl kpnmail.nl"),
  brand("ziggo", "ziggo.nl"),
  brand("xs4all", "xs4all.nl"),
  brand("bluewin sunrisech", "bluewin.ch sunrise.ch swisscom.ch"),
  everyday("libero", "libero.it"),
  brand("tiscali", "tiscali.it tiscali.*"),
  brand("arubapec", "aruba.it pec.it arubapec.it"),
  brand("telecomitalia timmail", "tim.it telecomitalia.it telecomitalia.com"),
  brand("fastweb windtre", "fastweb.it windtre.it iliad.fr iliad.it fastweb.com fastwebnet.it"),
  everyday("iliad", "fastweb.it windtre.it iliad.fr iliad.it"),
  brand("sapomail", "sapo.pt"),
  brand(
    "telenor",
    "telenor.no telenor.com telenor.* telenorcdn.net telenordigital.com telenormobil.no telenor.net telenorbank.pk"
  ),
  brand("telia", "telia.se telia.com telia.* telia.net eutelia.it"),
  brand("tele2", "tele2.com tele2.se tele2.* tele2.net"),
  brand("onetpoczta interiapoczta", "onet.pl interia.pl"),
  brand("wppoczta", "wp.pl"),
  brand("playmobile plusgsm", "play.pl plus.pl"),
  brand("seznam", "seznam.cz seznamit.cz"),
  brand("mailru", "mail.ru yandex.ru"),
  brand(
    "yandex",
    "yandex.ru yandex.com yandex.net yandex.* api-yandex.net yandex.cloud yandex-team.ru yandex-bank.net"
  ),
  brand("vkontakte", "vk.com vkontakte.ru"),
  brand("bigpond", "telstra.com telstra.com.au bigpond.com bigpond.net.au"),
  brand("optus", "optus.com.au optusnet.com.au"),
  brand("tpginternet iinet", "tpg.com.au iinet.net.au"),
  brand("sparknz xtramail", "spark.co.nz xtra.co.nz"),
  brand("jio reliancejio", "jio.com jiocloud.com jioconnect.com"),
  brand("airtel", "airtel.in airtel.com airtel.* airtel.africa airtelbank.com airtellive.com"),
  brand("turkcell", "turkcell.com.tr"),
  brand("turktelekom", "turktelekom.com.tr türktelekom.com.tr"),
  brand("vodafonetr", "vodafone.com.tr"),
  brand("claro clarobr", "claro.com claro.com.br claro.com.co claro.* claropay.com claroshop.com"),
  brand("telmex telcel", "telmex.com telcel.com telmex.net telcel-id.com"),
  brand("uolmail bolmail terramail", "uol.com.br bol.com.br terra.com.br"),
  brand("naver", "naver.com navercorp.com naver.me naver.net naver.* naverads.com"),
  brand("daum kakao kakaotalk", "kakao.com daum.net kakaocorp.com kakao.*"),
  brand("hinet chunghwa", "hinet.net cht.com.tw hinet.net.vn"),
  brand("qqmail netease163", "qq.com 163.com qqmail.com"),
  brand("nttdocomo dcmx", "docomo.ne.jp nttdocomo.co.jp dcmx.jp"),
  brand("kddi auone", "kddi.com auone.jp au.com kddi.* kddi-fs.com auone-net.jp"),
  brand("ymobile linemo uqmobile", "ymobile.jp linemo.jp uqwimax.jp uqmobile.jp"),
  brand(
    "sonetmail ocnmail plala",
    "nifty.com so-net.ne.jp ocn.ne.jp plala.or.jp nuro.jp nifty-networks.net plala.jp"
  ),
  everyday("nifty nuro", "nifty.com so-net.ne.jp ocn.ne.jp plala.or.jp nuro.jp nifty-networks.net plala.jp"),
  everyday("tepcoenergy tokyogas", "tepco.co.jp tokyo-gas.co.jp"),
  everyday("kansaidenki", "kepco.co.jp"),
  brand("mynaportal", "myna.go.jp mynaportal.jp"),
  everyday("myna", "myna.go.jp mynaportal.jp"),
  brand("nhkplus", "nhk.or.jp"),
  brand(
    "protonmail protonvpn",
    "proton.me protonmail.com protonvpn.com protonmail.ch protonmailrmez3lotccipshtkleegetolb73fuirgj7r4o4vfu7ozyd.onion protonvpn.net protonvpn.ch"
  ),
  brand("fastmail zohomail", "fastmail.com zoho.com zoho.eu fastmailcdn.com zohomail.com"),
  brand("mailchimp", "mailchimp.com mailchimpapp.com"),
  brand("sendgrid", "sendgrid.com sendgrid.net"),
  brand("squareup", "squareup.com square.com")
]
