import { type Brand, brand, everyday } from "./Brand.ts"

/** Banks and payment of Latin America, Asia, Africa and Oceania. */
export const otherBanks: ReadonlyArray<Brand> = [
  brand("bancolombia", "bancolombia.com grupobancolombia.com"),
  brand("banorte", "banorte.com"),
  brand(
    "bradesco",
    "bradesco.com.br banco.bradesco .bradesco bradescopj.com.br bradescoprime.com.br bradescoseguros.com.br bradescoabrasuaconta.com.br bradescocelular.com.br bradescofinanciamentos.com.br bradescoimoveis.com.br bradescopromotora.com.br bradescosaude.com.br bradescouniversitarios.com.br bradescorural.com.br bradescopoderpublico.com.br campanhasbradesco.com.br bradescoseguranca.com.br bradescocartoes.com.br"
  ),
  brand("itau", "itau.com.br itau.cl itau.* itaú.com.br itaú.*"),
  brand("mercadopago", "mercadopago.com mercadopago.com.br mercadopago.*"),
  brand(
    "mercadolibre mercadolivre",
    "mercadolibre.com mercadolivre.com.br mercadolibre.* mercadolivre.* mercadolivre.com"
  ),
  brand("onlinebdo bdoonline bdo", "bdo.com.ph bdo.com bdo.global bdo.*"),
  brand(
    "maybank maybank2u",
    "maybank2u.com.my maybank.com maybank.* maybank2u.com.sg maybanksandbox.com maybank2u.com"
  ),
  brand("icicibank", "icicibank.com icici.bank.in icicibank.* m-icicibank.com"),
  brand(
    "hdfcbank hdfc",
    "hdfcbank.com hdfc.com hdfc.bank.in hdfclife.com hdfcsec.com hdfcergo.com hdfcbanksmartapply.com hdfc.lk"
  ),
  brand("paytm", "paytm.com paytmbank.com paytm.in paytmmall.com paytmpayments.com"),
  brand("gopay", "gopay.co.id gopay.com gopay.cz gopay.com.cn gopay.sh"),
  everyday("dana", "dana.id"),
  brand("alipay", "alipay.com alipayplus.com alipay.* alipay.net alipay-inc.com alipay-eco.com"),
  brand("commbank", "commbank.com.au"),
  brand("westpac", "westpac.com.au westpac.co.nz westpac.*"),
  brand("smbc smbccard", "smbc.co.jp smbc-card.com smbcnikko.co.jp smbcgroup.com smbc-comics.com smbc.*"),
  brand("mufg", "mufg.jp mufg.com mufgbank.com mufgamericas.com mufg.* .mufg"),
  brand("mizuho", "mizuhobank.co.jp mizuho-fg.co.jp mizuho-sc.com mizuhogroup.com mizuho-ls.co.jp"),
  brand(
    "saisoncard",
    "saisoncard.co.jp creditsaison.com saison-card.com saisoncard-international.com saisoncard-promotion.com saisoncard-sindan.jp ins-saison.co.jp saison-am.co.jp"
  ),
  everyday(
    "saison",
    "saisoncard.co.jp creditsaison.com saison-card.com saisoncard-international.com saisoncard-promotion.com saisoncard-sindan.jp ins-saison.co.jp saison-am.co.jp"
  ),
  brand("eposcard", "eposcard.co.jp"),
  brand("orico", "orico.co.jp orico.jp orico.com.cn oricomall.com"),
  brand("jaccs", "jaccs.co.jp jaccsmall.com"),
  brand("uccard", "uccard.co.jp"),
  brand("vpass", "smbc-card.com vpass.ne.jp"),
  brand(
    "myjcb jcb",
    "jcb.co.jp myjcb.jp jcb.jp jcb.com jcbusa.com global.jcb .jcb jcb-card.jp jcb-originalseries.jp"
  ),
  brand(
    "aeon aeoncard",
    "aeon.co.jp aeoncard.co.jp aeonbank.co.jp aeon.info aeonretail.jp aeon.* aeon.co aeon.com aeonnetshop.com aeonshop.com"
  ),
  brand("tscubic mytscubic", "tscubic.com"),
  brand("viewsnet viewcard", "viewsnet.jp jreast.co.jp"),
  brand("ekinet ekii", "eki-net.com jreast.co.jp eki-net.biz"),
  brand("monex", "monex.co.jp monex.com monexusa.com monexgroup.jp"),
  brand("sbisec", "sbisec.co.jp netbk.co.jp"),
  brand("nomura", "nomura.co.jp nomura.com nomuraholdings.com nomura-am.co.jp nomura.* tn-nomura.co.jp"),
  brand(
    "daiwa",
    "daiwa.jp daiwa.co.jp daiwa-grp.jp daiwahouse.co.jp daiwa.com daiwa.* daiwa-am.co.jp bank-daiwa.co.jp daiwaweb.com"
  ),
  brand("matsui", "matsui.co.jp"),
  brand("lifecard", "lifecard.co.jp"),
  brand("jabank", "jabank.jp jabank.org ja-group.jp"),
  brand("paypay", "paypay.ne.jp paypay-bank.co.jp paypay-card.co.jp paypay-sec.co.jp paypaycorp.co.jp"),
  brand("bancodobrasil bbrasil", "bb.com.br bancodobrasil.com.br"),
  brand("caixaeconomica caixagov caixatem", "caixa.gov.br caixaeconômica.com.br"),
  brand("nubank", "nubank.com.br nu.com.mx nubank.com nubank.world"),
  brand("picpay", "picpay.com"),
  brand(
    "pagbank pagseguro",
    "pagbank.com.br pagseguro.uol.com.br pagseguro.com.br pagseguro.com pagseguro.uol"
  ),
  brand("sicredi sicoob", "sicredi.com.br sicoob.com.br sicredi.* sicoobcard.com.br sicoobnet.com.br"),
  brand("banrisul", "banrisul.com.br"),
  brand("c6bank", "c6bank.com.br c6bank.app c6bank.tech"),
  brand("serasa", "serasa.com.br serasaexperian.com.br"),
  brand("receitafederal", "gov.br"),
  brand("banamex citibanamex", "banamex.com citibanamex.com banamex.com.mx"),
  brand("bancoazteca", "bancoazteca.com.mx bancoazteca.com"),
  brand("bancoppel", "bancoppel.com"),
  brand("banregio", "banregio.com ebanregio.com"),
  brand("hsbcmexico", "hsbc.com.mx"),
  brand("davivienda daviplata", "davivienda.com daviplata.com davivienda.*"),
  brand("nequi", "nequi.com.co nequi.com nequi.co"),
  brand("bancodebogota", "bancodebogota.com bancodebogota.co bancodebogota.com.co bancodebogotá.com.co"),
  brand(
    "bancopopular",
    "bancopopular.com.co popular.com bancopopular.com bancopopular.es bancopopular.pt bancopopular-e.com"
  ),
  brand("bancoestado", "bancoestado.cl"),
  brand("bancodechile", "bancochile.cl bancodechile.cl"),
  brand(
    "bancofalabella falabella",
    "falabella.com bancofalabella.cl bancofalabella.* falabella.* cmrfalabella.com viajesfalabella.cl viajesfalabella.com.co falabella.services falabella.tech"
  ),
  brand("viabcp bcpperu", "viabcp.com bcp.com.pe"),
  brand("interbank", "interbank.pe interbank.* netinterbank.com.pe"),
  brand("bancodelanacion", "bn.com.pe bna.com.ar bancodelanación.pe bancodelanación.com.ar"),
  brand("bancogalicia bancomacro", "galicia.ar bancogalicia.com.ar macro.com.ar bancogalicia.com"),
  brand("brubank uala", "brubank.com uala.com.ar uala.mx ualá.com.ar"),
  brand(
    "bancopichincha pichincha",
    "pichincha.com bancopichincha.com bancopichincha.com.co pichincha.* pichinchacomunicaciones.com.ec"
  ),
  brand("banesco bancodevenezuela", "banesco.com bancodevenezuela.com banesco.* banesconline.com"),
  brand("bancoguayaquil", "bancoguayaquil.com"),
  brand("bancogeneral banistmo", "bgeneral.com banistmo.com"),
  brand("bancoagricola", "bancoagricola.com"),
  brand("statebankofindia onlinesbi", "onlinesbi.sbi sbi.co.in onlinesbi.com onlinesbi.sbi.bank.in"),
  brand("axisbank", "axisbank.com axis.bank.in axisbank.co.in"),
  brand("kotakbank kotakmahindra", "kotak.com kotakbank.com kotakmahindrabank.com kotak.bank.in"),
  brand("pnbindia punjabnationalbank", "pnbindia.in pnbindia.com"),
  brand(
    "bankofbaroda",
    "bankofbaroda.in bankofbaroda.com bankofbaroda.* bankofbaroda-uae.ae bankofbarodauae.ae bankofbaroda-usa.com"
  ),
  brand("canarabank", "canarabank.com canarabank.in"),
  brand("indusind", "indusind.com indusind.bank.in"),
  brand("yesbank", "yesbank.in yesbank.co.in"),
  brand("phonepe", "phonepe.com"),
  brand("bhimupi", "bhimupi.org.in npci.org.in"),
  brand("incometaxindia incometaxefiling", "incometax.gov.in incometaxindia.gov.in"),
  brand("aadhaar uidai", "uidai.gov.in"),
  brand("bpibank bpionline bpiexpressonline", "bpi.com.ph bpiexpressonline.com"),
  brand("metrobankdirect", "metrobank.com.ph metrobankdirect.com"),
  brand("gcash", "gcash.com g-cash.biz"),
  brand("landbankph unionbankph", "landbank.com unionbankph.com"),
  brand("bankmandiri livinmandiri", "bankmandiri.co.id mandiri.co.id"),
  brand("klikbca bcaklik", "bca.co.id klikbca.com"),
  brand("brimo brilink bankbri", "bri.co.id"),
  brand("bankbni", "bni.co.id"),
  brand("ovoid danakaget danapremium", "dana.id ovo.id"),
  brand(
    "cimbniaga cimbclicks",
    "cimb.com cimbniaga.co.id cimbclicks.com.my cimb.* cimbclicks.* cimbniaga.com"
  ),
  brand("pbebank", "pbebank.com publicbank.com.my publicbankgroup.com"),
  brand("rhbgroup hongleongbank", "rhbgroup.com hlb.com.my hongleong.com.my"),
  brand("dbsbank dbspaylah posb posbank", "dbs.com dbs.com.sg posb.com.sg"),
  brand("ocbc", "ocbc.com ocbc.* ocbcnisp.com"),
  brand("uobgroup uobbank", "uobgroup.com uob.com.sg"),
  brand("singpass", "singpass.gov.sg"),
  brand("kasikornbank kbank", "kasikornbank.com kbank.* kasikornbankgroup.com"),
  brand("krungthai", "krungthai.com ktb.co.th"),
  brand("siamcommercial", "scb.co.th"),
  brand("vietcombank", "vietcombank.com.vn vietcombank.*"),
  brand("techcombank", "techcombank.com techcombank.com.vn techcombank.*"),
  brand(
    "vietinbank sacombank",
    "vietinbank.vn agribank.com.vn sacombank.com.vn sacombank.com vietinbank.* isacombank.com.vn"
  ),
  brand("mbbankvn vpbank tpbank", "mbbank.com.vn vpbank.com.vn tpb.vn"),
  brand("momovn zalopay", "momo.vn zalopay.vn zalopay.com.vn"),
  brand("hangseng", "hangseng.com"),
  brand("bochk", "bochk.com bankofchina.com"),
  brand("bankofchina", "bankofchina.com boc.cn bankofchina.* bank-of-china.com"),
  brand("icbcbank", "icbc.com.cn"),
  brand("unionpay", "unionpay.com unionpayintl.com 95516.com unionpaysecure.com"),
  brand("standardchartered", "sc.com standardchartered.com standardchartered.*"),
  brand("anzbank", "anz.com anz.com.au anz.co.nz"),
  brand("commonwealthbank netbankcba", "commbank.com.au"),
  brand("nabbank nabconnect", "nab.com.au"),
  brand("stgeorgebank bendigobank", "stgeorge.com.au bendigobank.com.au"),
  brand("bankwest", "bankwest.com.au bankwest.ca bankwest-sd.com"),
  brand(
    "suncorp",
    "suncorp.com.au suncorpbank.com.au suncorpgroup.com.au suncorpmetway.com.au suncorptest.com.au suncorp.co.nz"
  ),
  brand("asbbank kiwibank bnzbank", "asb.co.nz kiwibank.co.nz bnz.co.nz asbbank.co.nz"),
  brand(
    "garantibbva garanti",
    "garantibbva.com.tr garanti.com.tr garantibbva.ro garantibbva.* garanti.* garantibbvakripto.com.tr garantibank.* garantiofis.com"
  ),
  brand("ziraatbank ziraatbankasi", "ziraatbank.com.tr ziraat.com.tr ziraatbank.* ziraatbankası.com.tr"),
  brand("akbank", "akbank.com akbank.de akbank.*"),
  brand("isbank turkiyeisbankasi", "isbank.com.tr isbank.de isbank.* işbank.* türkiyeişbankası.com.tr"),
  brand("yapikredi", "yapikredi.com.tr yapikredi.* yapıkredi.*"),
  brand(
    "vakifbank halkbank",
    "vakifbank.com.tr halkbank.com.tr vakifbank.* halkbank.* vakifbankusa.com vakıfbank.com vakıfbank.com.tr"
  ),
  brand("qnbfinansbank enpara", "qnb.com.tr enpara.com qnbfinansbank.com"),
  brand("papara", "papara.com paparaco.me"),
  brand("edevlet turkiyegov", "turkiye.gov.tr"),
  brand("emiratesnbd", "emiratesnbd.com emiratesnbd.*"),
  brand("adcbbank bankfab", "adcb.com bankfab.com"),
  brand("alrajhi", "alrajhibank.com.sa alrajhi.com alrajhi-capital.com alrajhibank.* alrajhitadawul.com.sa"),
  brand("absabank absa", "absa.co.za absa.africa absa.*"),
  brand(
    "nedbank capitecbank fnbonline",
    "nedbank.co.za capitecbank.co.za fnb.co.za nedbank.* fnb-online.com"
  ),
  brand(
    "zenithbank gtbank accessbankplc",
    "zenithbank.com gtbank.com accessbankplc.com zenithbank.* gtbank.*"
  ),
  brand(
    "mpesa safaricom",
    "safaricom.co.ke safaricom.* m-pesa.com mpesa.in safaricom.com safaricombusiness.co.ke"
  ),
  brand("jpbank yucho", "jp-bank.japanpost.jp"),
  brand("resona", "resonabank.co.jp resona-gr.co.jp resona.jp resonacard.co.jp"),
  brand("rakutensec", "rakuten-bank.co.jp rakuten-card.co.jp rakuten-sec.co.jp rakuten.co.jp"),
  brand("sonybank", "sonybank.jp"),
  brand("sbinetbank", "netbk.co.jp"),
  brand("aupay aujibunbank", "aupay.auone.jp kddi.com jibunbank.co.jp"),
  brand("merpay", "merpay.com mercari.com"),
  brand("smbcnikko nikkosmbc", "smbcnikko.co.jp"),
  brand("pocketcard cedyna", "pocketcard.co.jp cedyna.co.jp cedynamall.com"),
  brand("toyotafinance tscard", "tscubic.com"),
  brand("mufgcard mufgbank bkmufg", "bk.mufg.jp cr.mufg.jp mufg.jp mufgcard.com"),
  brand("kabucom okasan", "kabu.com okasan.co.jp okasan-online.co.jp"),
  brand("tossbank", "kakaobank.com kakaopay.com tossbank.com"),
  brand(
    "shinhan kbstar wooribank",
    "shinhan.com kbstar.com wooribank.com shinhan.* shinhanbank.* shinhancard.com"
  )
]
