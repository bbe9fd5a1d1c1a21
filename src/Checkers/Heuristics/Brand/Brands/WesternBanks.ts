import { type Brand, brand, everyday } from "./Brand.ts"

/** Banks and payment of Europe and North America. */
export const westernBanks: ReadonlyArray<Brand> = [
  brand(
    "paypal",
    "paypal.com paypal.me paypalobjects.com paypal-corp.com paypal-engineering.com paypal.* paypal-ads.com paypal-community.com paypal-communication.com paypal-biz.com paypal-cash.com paypal-customerfeedback.com paypal-knowledge.com paypal-nakit.com paypal-prepaid.com paypal-gifts.com"
  ),
  brand("venmo", "venmo.com"),
  brand("cashapp", "cash.app cashapp.com cashappapi.com"),
  brand("westernunion", "westernunion.com westernunion.*"),
  brand("moneygram", "moneygram.com moneygram.*"),
  everyday("chase", "chase.com chase.co.uk jpmorganchase.com"),
  brand("jpmorgan", "jpmorgan.com jpmorganchase.com chase.com"),
  brand("bankofamerica bofa", "bankofamerica.com bofa.com bofaml.com"),
  brand(
    "wellsfargo",
    "wellsfargo.com wf.com wellsfargoadvisors.com wellsfargomedia.com wellsfargojobs.com wellsfargodealerservices.com mywellsfargorewards.com"
  ),
  brand(
    "citibank citi",
    "citi.com citibank.com citibankonline.com citigroup.com citibank.* citi.eu citicards.com citirewards.com citibankonline.pl"
  ),
  brand(
    "capitalone",
    "capitalone.com capitalone.ca capitalone.co.uk capitaloneshopping.com capitalone360.com capitalonegslbex.com capitaloneinvesting.com capitaloneonline.co.uk capitalonecardservice.ca capitalonecardservice.com"
  ),
  brand("truist", "truist.com truist.mobi"),
  brand(
    "americanexpress amex",
    "americanexpress.com aexp.com amex.com aexp-static.com americanexpress.* amexgiftcard.com americanexpressindia.co.in"
  ),
  brand(
    "mastercard",
    "mastercard.com mastercard.us mastercard.* gomastercard.com.au colesmastercard.com.au pcmastercard.ca brinksprepaidmastercard.com"
  ),
  brand("navyfederal", "navyfederal.org"),
  brand("usaa", "usaa.com"),
  everyday("fidelity", "fidelity.com fidelityinvestments.com fidelity.co.uk fidelity.*"),
  brand(
    "schwab",
    "schwab.com schwab.de schwabapi.com schwabmoneywise.com lesschwab.com schwab.tech schwab.sh"
  ),
  brand("robinhood", "robinhood.com robinhood.net"),
  brand("scotiabank", "scotiabank.com scotiabank.* scotiabankcolpatria.com scotiabankchile.cl"),
  brand("desjardins", "desjardins.com desjardinsbank.com desjardins.ca scd-desjardins.com"),
  brand("interac", "interac.ca interac.io interaconline.com"),
  brand(
    "intuit quickbooks turbotax",
    "intuit.com quickbooks.com turbotax.com mint.com quickbooksonline.com intuit.* quickbooks.* quickbooksconnect.com"
  ),
  brand(
    "hsbc",
    "hsbc.com hsbc.* hsbcnet.com hsbcamanah.com.my hsbcinnovationbanking.com hsbcgroup.com member-hsbc-group.com"
  ),
  brand(
    "barclays barclaycard",
    "barclays.com barclays.co.uk barclaycard.co.uk barclaycardus.com barclays.* .barclays barclaycard.de barclays.net barclayswealth.com barclaysstockbrokers.co.uk barclaysus.com barclayscenter.com barclaycardsmartpay.com barclays.mobi"
  ),
  brand(
    "lloydsbank",
    "lloydsbank.com lloydsbank.co.uk lloydsbankinggroup.com lloydsbank.nl lloydsbank.es lloydsbanking.com"
  ),
  brand("natwest", "natwest.com natwestgroup.com natwestmarkets.com natwestinternational.com"),
  brand(
    "santander",
    "santander.com santander.co.uk santanderbank.com bancosantander.es bancosantander.mx gruposantander.com tusantander.es santander.* santanderconsumer.* santandernetibe.com.br santandernet.com.br santandertrade.com gruposantander.es santander-products.co.uk santander-serfin.com santanderconsumerusa.com santanderesfera.com.br santanderfinanciamentos.com.br santandermedia.com santanderopenacademy.com santanderrio.com.ar santandertotta.pt santander24.pl santanderbank.de santanderarena.com"
  ),
  brand("revolut", "revolut.com revolut.me revolut.codes"),
  brand("rabobank", "rabobank.com rabobank.nl rabobank.* rabobankamerica.com"),
  brand("abnamro", "abnamro.com abnamro.nl abnamro.*"),
  brand(
    "bnpparibas",
    "bnpparibas.com bnpparibas.net bnpparibasfortis.be bnpparibasfortis.com bnpparibas.* .bnpparibas bgzbnpparibas.pl geojitbnpparibas.com bnpparibasopen.com"
  ),
  brand(
    "societegenerale",
    "societegenerale.com societegenerale.fr societegenerale.* société-générale.fr sociétégénérale.fr societe-generale.fr"
  ),
  brand(
    "creditagricole",
    "credit-agricole.fr credit-agricole.com creditagricolestore.fr ca-paris.fr credit-agricole.* crédit-agricole.fr créditagricole.fr"
  ),
  brand("creditmutuel", "creditmutuel.fr creditmutuel.com crédit-mutuel.fr créditmutuel.fr"),
  brand("caixabank", "caixabank.es caixabank.com caixabank.*"),
  brand("bbva", "bbva.com bbva.es bbva.mx bbvanet.com.mx bbvaopenmind.com bbva.*"),
  brand("bankinter", "bankinter.com bankinter.es bankinterconsumerfinance.com"),
  brand(
    "bancsabadell bancosabadell",
    "bancsabadell.com bancosabadell.com grupbancsabadell.com bancsabadell.mobi"
  ),
  brand("abanca", "abanca.com abanca.pt"),
  brand("cajamar", "grupocajamar.com cajamar.es grupocooperativocajamar.es"),
  brand("caixadirecta", "cgd.pt caixadirectaonline.cgd.pt"),
  brand(
    "intesasanpaolo",
    "intesasanpaolo.com group.intesasanpaolo.com intesasanpaolobank.ro intesasanpaolo.*"
  ),
  brand(
    "unicredit",
    "unicredit.it unicredit.eu unicreditbanking.eu unicreditbanking.net unicreditgroup.eu unicreditbank.cz unicreditbulbank.bg unicredit.* unicreditbank.* unicredito.it unicreditgroup.de buddyunicredit.it"
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
  brand(
    "sberbank",
    "sberbank.ru sberbank.com sber.ru sberbank.* bps-sberbank.by sberbank-ast.ru sberbank-am.ru sberbank-tele.com spasibosberbank.ru spasibosberbank.travel sber-bank.by"
  ),
  brand("zelle", "zellepay.com zelle.com"),
  everyday("wise", "wise.com transferwise.com wise.*"),
  brand("transferwise", "wise.com transferwise.com"),
  brand(
    "stripe",
    "stripe.com stripe.network stripe.dev striperesearch.com getstripe.com stripe-club.com stripes.com"
  ),
  brand("payoneer", "payoneer.com"),
  brand("skrill", "skrill.com"),
  brand("neteller", "neteller.com"),
  everyday("chime", "chime.com chimebank.com chime.aws chime.me"),
  brand("chasebank chaseonline chasesecure chaselogin", "chase.com"),
  everyday("visa", "visa.com visa.* visaeurope.com visacheckout.com"),
  brand("usbank", "usbank.com usbank.* usbankreliacard.com"),
  brand("pncbank pnc", "pnc.com pncbank.com pncmc.com"),
  brand("tdbank tdcanadatrust", "td.com tdbank.com tdcanadatrust.com"),
  brand("regionsbank", "regions.com regionsbank.com"),
  brand("keybank", "key.com keybank.com"),
  brand("huntingtonbank", "huntington.com huntingtonbank.com"),
  brand("citizensbank", "citizensbank.com citizensbankonline.com citizensbank.* citizensbankbd.com"),
  brand("fifththird 53bank", "53.com fifththird.com"),
  brand("mtbanking", "mtb.com"),
  brand(
    "synchrony",
    "synchrony.com synchronybank.com mysynchrony.com synchronycredit.com synchronychat.com synchronyfinancial.com synchronybusiness.com"
  ),
  brand("allybank", "ally.com allybank.com"),
  brand("discovercard discoverbank", "discover.com discovercard.com discoverbank.com"),
  brand("vanguardinvest vanguardgroup", "vanguard.com vanguardinvestor.co.uk vanguardinvestments.com.au"),
  brand("etrade", "etrade.com etrade.* etrade.net etrade.design"),
  brand("tdameritrade ameritrade", "tdameritrade.com ameritrade.com"),
  brand("merrilllynch", "ml.com merrilllynch.com merrilledge.com"),
  brand("morganstanley", "morganstanley.com morganstanleyclientserv.com"),
  brand("goldmansachs", "goldmansachs.com gs.com goldmansachs.*"),
  brand("nfcu navyfed", "navyfederal.org"),
  brand("penfed", "penfed.org"),
  brand("becu", "becu.org"),
  brand("becuonline suncoastcreditunion", "becu.org suncoastcreditunion.com"),
  brand("afterpay", "afterpay.com afterpay.* afterpaycdn.com"),
  everyday("affirm", "affirm.com affirm.ca"),
  brand("creditkarma", "creditkarma.com creditkarma.*"),
  brand("experian", "experian.com experian.* experiancs.com experiandirect.com experianmatch.info"),
  brand("equifax", "equifax.com equifax.*"),
  brand("transunion", "transunion.com transunion.* mytransunion.co.za"),
  brand("rbcroyalbank royalbankcanada", "rbc.com rbcroyalbank.com royalbank.com"),
  brand("bmoharris bmobank", "bmo.com bmoharris.com"),
  brand("cibc", "cibc.com cibc.ca cibc.mobi"),
  brand("tangerinebank", "tangerine.ca"),
  brand("nationalbankcanada bnc", "nbc.ca bnc.ca bnc.cat bnc.com.ve bnc.lt bnc.nc"),
  brand("interacetransfer etransfer", "interac.ca etransfer.interac.ca"),
  brand("wealthsimple", "wealthsimple.com"),
  brand("questrade", "questrade.com"),
  brand("halifaxbank halifaxonline", "halifax.co.uk halifax-online.co.uk"),
  brand("nationwidebuilding", "nationwide.co.uk"),
  brand("tsbbank", "tsb.co.uk"),
  brand("monzo", "monzo.com monzo.me"),
  brand("starlingbank", "starlingbank.com"),
  brand("cooperativebank", "co-operativebank.co.uk co-operativebank.co.nz thecooperativebank.com"),
  brand("virginmoney", "virginmoney.com uk.virginmoney.com virginmoney.com.au virginmoneygiving.com"),
  brand("firstdirect", "firstdirect.com"),
  brand("ulsterbank", "ulsterbank.ie ulsterbank.co.uk ulsterbank.com ulsterbankanytimebanking.ie"),
  brand("bankofireland", "bankofireland.com bankofireland.ie 365online.com"),
  brand("alliedirishbanks aibinternet", "aib.ie"),
  brand("permanenttsb", "permanenttsb.ie"),
  brand("sparkasse", "sparkasse.de sparkassen-hub.com *.de *.at *.it *.lu *.cz *.ba *.hr *.si *.mk"),
  brand(
    "volksbank raiffeisen vrbank volksbanken",
    "vr.de raiffeisen.at *.de *.at *.it *.ch *.nl *.lu *.cz *.sk *.hu *.ro *.hr *.ba *.pl *.rs *.ru *.ua *.bg *.al *.si raiffeisenpolbank.com raiffeisen-privatbank.de"
  ),
  brand("postbank", "postbank.de postbank.bg postbank.*"),
  brand("dkb deutschekreditbank", "dkb.de dkb.io dkb.show"),
  brand("ingdiba", "ing.de ing-diba.de ing-diba.at"),
  brand("comdirect", "comdirect.de"),
  brand("consorsbank", "consorsbank.de"),
  brand("targobank", "targobank.de targobank.es"),
  brand("hypovereinsbank", "hypovereinsbank.de"),
  brand("norisbank", "norisbank.de"),
  brand("apobank", "apobank.de"),
  brand("traderepublic", "traderepublic.com"),
  brand("n26bank", "n26.com"),
  brand("scalablecapital", "scalable.capital"),
  brand("smartbroker", "smartbroker.de smartbrokerplus.de"),
  brand("bawag bawagpsk easybank", "bawag.at bawagpsk.com bawaggroup.com easybank.at"),
  brand("erstebank", "erstegroup.com sparkasse.at erstebank.hu erstebank.hr erstebank.rs erstebank.*"),
  brand("bankaustria", "bankaustria.at"),
  brand("ubs", "ubs.com ubs.* univ-ubs.fr"),
  brand("creditsuisse", "credit-suisse.com creditsuisse.com créditsuisse.ch"),
  brand("zkb kantonalbank", "zkb.ch *.ch"),
  brand("labanquepostale banquepostale", "labanquepostale.fr labanquepostale.com labanquepostale-am.fr"),
  brand(
    "caissedepargne caisseepargne",
    "caisse-epargne.fr caisse-d-epargne.fr caissedépargne.fr caisseépargne.fr"
  ),
  brand("banquepopulaire", "banquepopulaire.fr"),
  brand("boursorama boursobank", "boursorama.com boursobank.com boursorama-banque.com"),
  brand("hellobank", "hellobank.fr hellobank.be hellobank.it hellobank.at"),
  brand("fortuneo", "fortuneo.fr fortuneo.be"),
  brand("monabanq", "monabanq.com"),
  brand("bforbank", "bforbank.com"),
  brand("creditlyonnais lclbanque", "lcl.fr créditlyonnais.fr"),
  brand("cofidis", "cofidis.fr cofidis.*"),
  brand("cetelem", "cetelem.fr cetelem.*"),
  brand("unicaja unicajabanco", "unicajabanco.es unicaja.es unicajabanco.com"),
  brand("kutxabank", "kutxabank.es kutxabank.com"),
  brand("ibercaja", "ibercaja.es ibercaja.com ibercajadirecto.com"),
  brand("laboralkutxa", "laboralkutxa.com"),
  brand("bankia", "bankia.es bankia.com"),
  brand("evobanco", "evobanco.com"),
  brand("imaginbank", "imagin.com imaginbank.com"),
  everyday("openbank", "openbank.es openbank.* openbank.com"),
  brand("bancamarch", "bancamarch.es bancamarche.it"),
  brand("ruralvia cajarural", "ruralvia.com cajarural.com grupocajarural.es"),
  everyday("bizum", "bizum.es bizum.com"),
  brand("millenniumbcp", "millenniumbcp.pt"),
  brand("novobanco", "novobanco.pt novobanco.com novobanco.*"),
  brand("montepio", "bancomontepio.pt montepio.org montepio.pt"),
  brand("creditoagricola", "creditoagricola.pt créditoagrícola.pt"),
  brand("mbway multibanco", "mbway.pt sibs.com multibanco.pt"),
  brand("bancobpm", "bancobpm.it"),
  brand("bpermilano bpergroup", "bper.it bpergroup.net"),
  brand("bancamps montepaschi", "mps.it gruppomps.it"),
  brand("bancasella", "sella.it bancasella.it"),
  brand("fineco", "fineco.it finecobank.com"),
  brand("mediolanum", "mediolanum.it bancamediolanum.it bancomediolanum.es mediolanum.*"),
  brand("nexi nexipay", "nexi.it nexigroup.com nexi.*"),
  brand("cartasi", "nexi.it cartasi.it"),
  brand("isybank isybanking", "isybank.com"),
  brand("ingbankslaski", "ing.pl"),
  brand(
    "mbank mbankpl",
    "mbank.pl mbank.cz mbank.sk mbank.eu mbank.com.ua mbank.kg mbank.* m2mbank.ru mbank.kiev.ua"
  ),
  brand("ipko pkobp", "pkobp.pl ipko.pl pko.pl ipko.com ipko.tv"),
  brand("pekao pekao24", "pekao.com.pl pekao24.pl"),
  brand("millenniumbank bankmillennium", "bankmillennium.pl millenniumbank.*"),
  brand("bnpparibaspl", "bnpparibas.pl"),
  brand("alior", "aliorbank.pl alior.pl"),
  brand("blikpl blikpay", "blik.com"),
  brand("csob", "csob.cz csob.sk csob.*"),
  brand("ceskasporitelna", "csas.cz českáspořitelna.cz"),
  brand("otpbank", "otpbank.hu otpbank.ro otpbank.com otpbank.* otpgroup.info otpbanka.* otpbankdirekt.hu"),
  brand("bancatransilvania", "bancatransilvania.ro btrl.ro"),
  brand("kbcbank kbcbrussels kbctouch", "kbc.be kbc.com kbcbrussels.be"),
  brand("axabank crelan", "crelan.be axabank.be crelan-online.be"),
  everyday("itsme", "itsme-id.com itsme.be"),
  brand("snsbank asnbank", "snsbank.nl asnbank.nl regiobank.nl luzerner-regiobank.ch"),
  brand("bunq", "bunq.com bunq.me bunq.app"),
  brand("digid", "digid.nl"),
  brand("handelsbanken", "handelsbanken.se handelsbanken.com handelsbanken.*"),
  brand("skandiabanken sebbank", "skandia.se seb.se skandiabanken.no skandiabanken.se login.sebbank.ru"),
  brand("bankid", "bankid.com bankid.no bankid.org.ua"),
  brand("dnbbank sparebank", "dnb.no sparebank1.no *.no"),
  brand("mitid nemid", "mitid.dk nemid.nu"),
  brand(
    "jyskebank nykredit",
    "jyskebank.dk nykredit.dk jyskebank.fr nordjyskebank.dk mitnykredit.dk nykredit.*"
  ),
  brand("osuuspankki", "op.fi osuuspankki.fi"),
  brand("tinkoff", "tinkoff.ru tbank.ru cdn-tinkoff.ru tinkoffinsurance.ru tinkoffjournal.ru tinkoff.ai"),
  brand(
    "alfabank",
    "alfabank.ru alfabank.by alfabank.com.ua alfabank.* alfa-bank.by alfa-bank.* alfabank.kiev.ua vtb-bank.kz"
  ),
  brand("vtbbank", "vtb.ru vtb.com"),
  brand("gosuslugi", "gosuslugi.ru"),
  brand("privat24", "privatbank.ua privat24.ua privatbankar.hu privatbank1891.com privat24.ru"),
  everyday("privatbank", "privatbank.ua privat24.ua privatbankar.hu privatbank1891.com"),
  brand("monobank oschadbank", "monobank.ua oschadbank.ua monobank.com.ua"),
  brand(
    "eurobank piraeusbank alphabank winbank",
    "eurobank.gr piraeusbank.gr alpha.gr alphabank.ro winbank.gr eurobank.* piraeusbank.* eurobank-ua.com piraeusbank.com piraeusbankgroup.com alphabank.* alphabank.eu"
  ),
  brand("banquemisr qnbalahli", "banquemisr.com qnbalahli.com banquemisr.com.eg")
]
