import { type Brand, brand, everyday } from "./Brand.ts"

/** Shops, markets and travel. */
export const shops: ReadonlyArray<Brand> = [
  brand(
    "ebay",
    "ebay.com ebaystatic.com ebayinc.com ebay.* ebay-kleinanzeigen.de ebay-us.com ebay-mediacentre.co.uk"
  ),
  brand(
    "walmart",
    "walmart.com wal-mart.com walmart.ca walmart.com.mx walmartimages.com walmartmoneycard.com walmart.* walmartimages.ca walmartapis.com walmartstores.com walmartbenefits.com walmartchecks.com walmartcontacts.com walmartfinancialservices.ca walmartimages.* walmartlabs.com walmartmexico.com.mx walmartone.com"
  ),
  brand(
    "allegro allegrolokalnie",
    "allegro.pl allegrolokalnie.pl allegro.tech allegro.eu allegro.cc allegro.* allegro.com allegroimg.com allegrostatic.com allegrosandbox.pl allegromedical.com"
  ),
  brand("olx", "olx.com olx.pl olxgroup.com olx.* olx-st.com olx.org olx-dubizzle.com olx.sa.com"),
  brand("vinted", "vinted.com vinted.fr vinted.* vinted.net vintedapp.com"),
  brand("leboncoin", "leboncoin.fr"),
  brand("kleinanzeigen", "kleinanzeigen.de ebay-kleinanzeigen.de"),
  brand("shopee", "shopee.com shopee.sg shopee.* shope.ee shopeemobile.com shopeepay.*"),
  brand("aliexpress", "aliexpress.com aliexpress.us aliexpress.ru aliexpress.* aliexpress-media.com"),
  brand(
    "alibaba",
    "alibaba.com alibabacloud.com alibabagroup.com alibaba-inc.com alibaba-tw.com alibabadns.com alibabausercontent.com alibabacorp.com alibaba.com.cn alibaba.net alibaba.ir alibaba.co.uk alibabachengdun.com alibabachengdun.net"
  ),
  brand("mercari", "mercari.com mercari.jp mercari-shops-static.com"),
  brand("airbnb", "airbnb.com airbnb.org airbnb.design airbnb.io airbnb.* airbnb.net"),
  everyday("booking", "booking.com bstatic.com"),
  brand(
    "tripadvisor",
    "tripadvisor.com tripadvisorsupport.com developer-tripadvisor.com tripadvisor.* tripadvisor.co"
  ),
  brand("ebaykleinanzeigen", "kleinanzeigen.de ebay-kleinanzeigen.de"),
  brand("ebaylogin", "ebay.com ebay.de"),
  everyday("target", "target.com target.com.au"),
  brand("bestbuy", "bestbuy.com bestbuy.ca bestbuy-jobs.com bestbuy.com.mx bestbuypromotions.ca"),
  brand("costco", "costco.com costco.* costcotravel.com costco-static.com costcobusinessdelivery.com"),
  brand(
    "homedepot",
    "homedepot.com homedepot.ca homedepot.com.mx homedepot-static.com homedepotfoundation.org homedepotmeasures.com homedepotemail.com"
  ),
  brand("lowes", "lowes.com lowes.ca lowes.com.mx"),
  everyday("kroger", "kroger.com"),
  brand("samsclub", "samsclub.com samsclubimages.com samsclub.cn samsclub.com.br"),
  brand("etsy", "etsy.com etsystatic.com etsystudio.com"),
  everyday(
    "shopify",
    "shopify.com shopifycdn.com shopify.* shopify.dev shopifycdn.net shopifykloud.com shopifynetwork.com shopifypreview.com shopifysvc.com shopifyapps.com shopifycloud.com shopifyinc.com shopifyscim.com shopifyengineering.myshopify.com"
  ),
  brand("temu", "temu.com"),
  brand("shein", "shein.com shein.* sheingroup.com sheingroup.net"),
  everyday("wish", "wish.com"),
  brand("lazada", "lazada.com lazada.*"),
  brand(
    "tokopedia bukalapak",
    "tokopedia.com tokopedia.net bukalapak.com tokopedia-static.net tokopediax.com"
  ),
  brand("flipkart", "flipkart.com flipkartcareers.com flipkart.net"),
  brand("myntra meesho", "myntra.com meesho.com"),
  brand(
    "zalando",
    "zalando.de zalando.com zalando.* zalando-lounge.* zalando-lounge.com zalando-prive.fr zalandoapis.com zalandolounge.org zalando.net"
  ),
  everyday("otto", "otto.de"),
  brand("mediamarkt", "mediamarkt.de mediamarkt.com mediamarkt.* mediamarktsaturn.com"),
  brand(
    "aldi lidl",
    "aldi.com lidl.com aldi.* lidl.* aldi.us aldi-nord.de aldi-sued.de lidl-shop.de aldi-reisen.de aldi-suisse.ch aldimobile.com.au lidl-hellas.gr lidl-pageflip.com lidl-reisen.de lidl-volantino.it lidl-kochen.de lidl-shop.com lidlplus.com"
  ),
  brand(
    "rewe edeka",
    "rewe.de edeka.de rewe-group.com rewe-static.de rewe-digital.dvinci-hr.com edeka-smart.de"
  ),
  brand("ikea", "ikea.com ikea.* inter.ikea.com ikea-family.ru ikea-usa.com ikea.net"),
  brand(
    "carrefour",
    "carrefour.fr carrefour.com carrefour.* carrefour-banque.fr carrefoursa.com carrefoursolucoes.com.br carrefouruae.com carrefouriraq.com carrefourtunisie.com carrefourfinance.be"
  ),
  everyday("leclerc", "leclerc.com e.leclerc leclerc.fr leclercdrive.fr e-leclerc.com leclercvoyages.com"),
  brand("auchan", "auchan.fr auchan.com auchan.*"),
  brand(
    "decathlon",
    "decathlon.com decathlon.fr decathlon.* mediadecathlon.com solardecathlon.gov decathlon.net decathlon.design décathlon.fr"
  ),
  brand("cdiscount", "cdiscount.com cdiscount.co.th cdiscount.com.co"),
  everyday("fnac", "fnac.com fnac.*"),
  brand("wallapop", "wallapop.com"),
  brand("milanuncios", "milanuncios.com"),
  brand(
    "elcorteingles mercadona",
    "elcorteingles.es mercadona.es mercadona.com grupoelcorteingles.es viajeselcorteingles.es elcorteingles.* elcorteinglés.es"
  ),
  brand("subitoit", "subito.it"),
  brand("bolcom", "bol.com"),
  brand("marktplaats", "marktplaats.nl marktplaats.com"),
  brand(
    "tesco sainsburys asda",
    "tesco.com sainsburys.co.uk asda.com tesco.* tesco-careers.com tescobank.com tescocloud.com tescomobile.com tescomobile.ie sainsburys-groceries.co.uk sainsburysebooks.co.uk sainsburysenergy.com sainsburysentertainment.co.uk sainsburysmagazine.co.uk sainsburys.jobs sainsburysbank.co.uk tesco.org"
  ),
  brand("currys", "currys.co.uk currys.biz currys.ie"),
  everyday("argos", "argos.co.uk"),
  brand("gumtree", "gumtree.com gumtree.com.au gumtree.*"),
  brand(
    "woolworths",
    "woolworths.com.au woolworths.co.za woolworthsgroup.com.au woolworths.co.nz woolworths.media woolworthsrewards.com.au"
  ),
  everyday("coles", "coles.com.au"),
  brand(
    "magazineluiza magalu casasbahia americanascom",
    "magazineluiza.com.br magalu.com casasbahia.com.br americanas.com.br casasbahia-imagens.com.br grupocasasbahia.com.br"
  ),
  brand("havan", "havan.com.br"),
  brand("shopeebr", "shopee.com.br"),
  brand("liverpoolmx coppel", "liverpool.com.mx coppel.com"),
  brand(
    "trendyol hepsiburada sahibinden letgo",
    "trendyol.com hepsiburada.com sahibinden.com letgo.com trendyol.* trendyol-milla.com hepsiburada.net"
  ),
  everyday("migros", "migros.ch migros.com.tr"),
  brand("ricardoch", "ricardo.ch tutti.ch"),
  brand("finnno", "finn.no"),
  brand("tradera", "tradera.com tradera.net"),
  everyday("blocket", "blocket.se blocketcdn.se"),
  brand("bazoscz sbazar", "bazos.cz sbazar.cz"),
  brand("avito", "avito.ru avito.ma avito.st avito.com"),
  brand("wildberries", "wildberries.ru wildberries.*"),
  everyday("ozon", "ozon.ru ozon.com ozon.* ozon.travel"),
  brand(
    "yamadadenki biccamera yodobashi",
    "yamada-denki.jp yamada-denkiweb.com biccamera.com yodobashi.com biccamera.co.jp"
  ),
  brand("zozotown uniqlo", "zozo.jp zozo.com uniqlo.com uniqlo.cn uniqlo.kr"),
  everyday("yamada", "yamada-denki.jp yamada-denkiweb.com"),
  brand("familymart", "family.co.jp familymart.com.tw familymart.com.my"),
  brand("lawsonbank", "lawsonbank.jp"),
  everyday("lawson", "lawson.co.jp lawson.jp lawsonbank.jp lawson.kr"),
  brand("westjr jrwest e5489", "jr-odekake.net westjr.co.jp eplus.jp"),
  brand(
    "skyscanner expedia",
    "skyscanner.net skyscanner.com expedia.com skyscanner.* expedia.* skyscannerplatform.net expedia-aarp.com expediaaffiliate.com expediafranchise.com expediajobs.com expediapartnercentral.com expediataap.com expedia.net expediagroup.com expediainc.com expediamail.com expedia.biz"
  ),
  brand("bookingcom reservationbooking bookingreservation bookinghotel", "booking.com"),
  brand("agoda", "agoda.com agoda.cn agoda.net"),
  brand("vrbo", "vrbo.com"),
  brand(
    "ryanair easyjet lufthansa",
    "ryanair.com easyjet.com lufthansa.com lufthansa.* lufthansagroup.com ryanairemail.com lufthansa-cargo.com lufthansaelearning.com"
  ),
  everyday("emirates", "emirates.com"),
  brand("uber ubereats", "uber.com ubereats.com uber.* uber.org"),
  brand(
    "lyft doordash grubhub",
    "lyft.com doordash.com grubhub.com lyft.net doordash.red doordash.team doordash.engineering"
  ),
  brand("blablacar", "blablacar.com blablacar.fr blablacar.*"),
  brand("sncfconnect", "sncf-connect.com sncf.com"),
  brand("swile edenred", "swile.co edenred.fr edenred.com edenred.*"),
  brand("louisvuitton", "louisvuitton.com louisvuitton.cn"),
  everyday("nike", "nike.com nike.com.cn"),
  everyday("adidas", "adidas.com adidas.de adidas.* adidas.co")
]
