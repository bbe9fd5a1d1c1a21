/**
 * How the owners of brands spell their names, in ASCII, for reasons: separated by commas, each of them a name of the table of
 * brands with capitals, spaces and signs.
 */
const spellings = [
  // Banks and payment
  "PayPal, Venmo, Cash App, Western Union, MoneyGram, Chase, JPMorgan, Bank of America, BofA, Wells Fargo, Citibank, Citi",
  "Capital One, Truist, American Express, Amex, Mastercard, Navy Federal, USAA, Fidelity, Schwab, Robinhood, Scotiabank",
  "Desjardins, Interac, Intuit, QuickBooks, TurboTax, HSBC, Barclays, Barclaycard, Lloyds Bank, NatWest, Santander",
  "Revolut, Rabobank, ABN AMRO, BNP Paribas, Societe Generale, Credit Agricole, Credit Mutuel, CaixaBank, BBVA, Bankinter",
  "Banco Sabadell, ABANCA, Cajamar, Intesa Sanpaolo, UniCredit, Poste Italiane, Postepay, Commerzbank, Deutsche Bank",
  "Klarna, PostFinance, TWINT, Belfius, Swedbank, Nordea, Danske Bank, Sberbank, Zelle, Wise, TransferWise, Stripe",
  "Payoneer, Skrill, Neteller, Chime, Chase Bank, Visa, US Bank, PNC, PNC Bank, TD Bank, Regions Bank, KeyBank",
  "Huntington Bank, Citizens Bank, Fifth Third, Synchrony, Ally Bank, E-Trade, TD Ameritrade, Ameritrade, Merrill Lynch",
  "Morgan Stanley, Goldman Sachs, NFCU, PenFed, BECU, Afterpay, Affirm, Credit Karma, Experian, Equifax, TransUnion",
  "RBC Royal Bank, CIBC, Wealthsimple, Questrade, TSB Bank, Monzo, Starling Bank, Virgin Money, First Direct",
  "Ulster Bank, Bank of Ireland, Sparkasse, Volksbank, Raiffeisen, Postbank, DKB, ING-DiBa, comdirect, Consorsbank",
  "TARGOBANK, HypoVereinsbank, norisbank, apoBank, Trade Republic, Scalable Capital, BAWAG, Erste Bank, Bank Austria",
  "UBS, Credit Suisse, ZKB, Kantonalbank, La Banque Postale, Banque Postale, Caisse d'Epargne, Banque Populaire",
  "Boursorama, BoursoBank, Hello bank, Fortuneo, Monabanq, BforBank, Cofidis, Cetelem, Unicaja, Kutxabank, Ibercaja",
  "Laboral Kutxa, Bankia, EVO Banco, Openbank, Banca March, Ruralvia, Bizum, Millennium bcp, novobanco, Montepio",
  "MB WAY, Multibanco, Banco BPM, Monte Paschi, Banca Sella, Fineco, Mediolanum, Nexi, CartaSi, isybank, mBank, iPKO",
  "Pekao, Alior, CSOB, Ceska sporitelna, OTP Bank, Banca Transilvania, Crelan, itsme, SNS Bank, bunq, DigiD",
  "Handelsbanken, BankID, MitID, NemID, Jyske Bank, Nykredit, Tinkoff, Alfa-Bank, Gosuslugi, PrivatBank, monobank",
  "Oschadbank, Eurobank, Piraeus Bank, Alpha Bank, Bancolombia, Banorte, Bradesco, Itau, Mercado Pago, Mercado Libre",
  "Mercado Livre, BDO, Maybank, Maybank2u, ICICI Bank, HDFC, HDFC Bank, Paytm, GoPay, DANA, Alipay, CommBank, Westpac",
  "SMBC, MUFG, Mizuho, JCB, MyJCB, AEON, Nomura, Daiwa, Matsui, PayPay, Banco do Brasil, Nubank, PicPay, PagBank",
  "PagSeguro, Sicredi, Sicoob, Banrisul, C6 Bank, Serasa, Receita Federal, Banamex, Citibanamex, Banco Azteca",
  "BanCoppel, Davivienda, DaviPlata, Nequi, Banco de Bogota, Banco Popular, BancoEstado, Banco de Chile",
  "Banco Falabella, Falabella, Interbank, Banco de la Nacion, Banco Galicia, Banco Macro, Uala, Banco Pichincha",
  "Pichincha, Banesco, Banco Guayaquil, Banistmo, Axis Bank, Kotak Bank, Bank of Baroda, Canara Bank, IndusInd, YES Bank",
  "PhonePe, Aadhaar, UIDAI, GCash, Bank Mandiri, OCBC, UOB Bank, Singpass, Vietcombank, Techcombank, VietinBank",
  "Sacombank, VPBank, TPBank, ZaloPay, Hang Seng, Bank of China, UnionPay, Standard Chartered, ANZ Bank, Bankwest",
  "Suncorp, Bendigo Bank, Garanti, Akbank, Ziraat Bankasi, Yapi Kredi, VakifBank, Halkbank, Papara, Emirates NBD",
  "Al Rajhi, Absa, Nedbank, Capitec Bank, GTBank, M-Pesa, Safaricom, Resona, Toss Bank, Shinhan",
  // Parcels and authorities
  "USPS, FedEx, DHL, UPS, Royal Mail, Evri, myHermes, DPD, La Poste, Chronopost, Correios, Correos, InPost, PostNord",
  "bpost, Swiss Post, Ukrposhta, Canada Post, Purolator, AusPost, Australia Post, Japan Post, Kuroneko Yamato, Sagawa",
  "India Post, E-ZPass, myGov, ameli, IRS, GOV.UK, HMRC, DVLA, DWP, TV Licensing, Services Australia, Centrelink, DMV",
  "SunPass, TxTag, FasTrak, Antai, FranceConnect, Mondial Relay, Colissimo, Relais Colis, Belastingdienst",
  "Skatteverket, Skatteetaten, FinanzOnline, DHL Express, DHL Paket, OnTrac, LaserShip, GLS Group, Yodel Delivery",
  "Parcelforce, An Post, PostNL, Poczta Polska, Ceska posta, Magyar Posta, Aramex, SingPost, Ninja Van, Pos Laju",
  "SF Express, VNPost, J&T Express, StarTrack, NZ Post, Estafeta, Starken, Servientrega, SEUR, CTT, Nova Poshta",
  // Telephone, mail and hosting
  "AT&T, Verizon, Xfinity, Comcast, T-Mobile, BellSouth, SBCGlobal, Vodafone, Orange, Telstra, BT Internet, TalkTalk",
  "Swisscom, docomo, SoftBank, Rakuten, TEPCO, BIGLOBE, IONOS, GoDaddy, Yahoo, Spectrum, Optimum, CenturyLink",
  "Windstream, EarthLink, Suddenlink, NetZero, Juno, UScellular, Sympatico, Telus, Videotron, Koodo, Fizz, Virgin Media",
  "Telefonica, Movistar, Plusnet, Telekom, Deutsche Telekom, T-Online, Unitymedia, STRATO, 1und1, 1and1, Hostinger",
  "OVH, OVHcloud, Host Europe, Infomaniak, Namecheap, Bluehost, Network Solutions, Rackspace, DreamHost, Roundcube",
  "Zimbra, Free Mobile, Freebox, Bouygues, Bouygues Telecom, Wanadoo, Proximus, Telenet, Ziggo, XS4ALL, Bluewin, Libero",
  "Tiscali, Aruba PEC, Fastweb, WindTre, Iliad, Telenor, Telia, Tele2, Seznam, Mail.ru, Yandex, VKontakte, BigPond",
  "Optus, Jio, Airtel, Turkcell, Turk Telekom, Claro, Telmex, Telcel, Naver, Daum, Kakao, KakaoTalk, NTT docomo, KDDI",
  "Proton Mail, Proton VPN, Fastmail, Mailchimp, SendGrid",
  // Software, social media and games
  "Microsoft, Microsoft 365, Office 365, Office, Outlook, Hotmail, OneDrive, SharePoint, Apple, iCloud, Find My, Google",
  "Gmail, YouTube, Amazon, Amazon Pay, Netflix, Facebook, Meta, Instagram, WhatsApp, Telegram, TikTok, Twitter, LinkedIn",
  "Snapchat, Discord, Steam, Steam Community, Roblox, Robux, Epic Games, PlayStation, FACEIT, Spotify, Adobe, DocuSign",
  "Dropbox, WeTransfer, McAfee, Apple ID, Apple Support, Apple Pay, Find My iPhone, Find My Phone, Microsoft Office",
  "Microsoft Teams, Windows Defender, Google Drive, Google Docs, Google Forms, Google Play, ChatGPT, OpenAI, Claude",
  "Anthropic, Meta Business, Meta Verified, Meta Quest, Threads, WeChat, Weixin, Signal, Viber, LINE, Pinterest, Reddit",
  "Twitch, OnlyFans, Tinder, Zoom, Webex, Slack, Canva, HelloSign, Okta, Salesforce, Workday, LastPass, 1Password",
  "Dashlane, Bitwarden, Norton, Malwarebytes, Kaspersky, Avast, Geek Squad, TeamViewer, AnyDesk, Discord Nitro, Fortnite",
  "Riot Games, League of Legends, VALORANT, Garena, Free Fire, PUBG, PUBG Mobile, Midasbuy, Mobile Legends, Minecraft",
  "Nintendo, Xbox Live, Battle.net, Blizzard, Dofus, Ankama, Clash of Clans, Brawl Stars, Supercell, Skinport, DMarket",
  "Disney Plus, HBO Max, Hulu, Prime Video, Amazon Prime, Paramount Plus, Deezer, Canal, Canal Plus, iQIYI, Bilibili",
  // Shops and travel
  "eBay, Walmart, Allegro, OLX, Vinted, Leboncoin, Kleinanzeigen, Shopee, AliExpress, Alibaba, Mercari, Airbnb, Booking",
  "Tripadvisor, Target, Best Buy, Costco, Home Depot, Lowe's, Kroger, Sam's Club, Etsy, Shopify, Temu, SHEIN, Wish",
  "Lazada, Tokopedia, Bukalapak, Flipkart, Myntra, Meesho, Zalando, OTTO, MediaMarkt, ALDI, Lidl, REWE, EDEKA, IKEA",
  "Carrefour, Leclerc, Auchan, Decathlon, Cdiscount, Fnac, Wallapop, Milanuncios, El Corte Ingles, Mercadona, bol.com",
  "Marktplaats, Tesco, Sainsbury's, Asda, Currys, Argos, Gumtree, Woolworths, Coles, Magazine Luiza, Magalu",
  "Casas Bahia, Havan, Coppel, Trendyol, Hepsiburada, sahibinden, letgo, Migros, Tradera, Blocket, Avito, Wildberries",
  "OZON, ZOZOTOWN, UNIQLO, FamilyMart, Lawson, Skyscanner, Expedia, Booking.com, Agoda, Vrbo, Ryanair, easyJet",
  "Lufthansa, Emirates, Uber, Uber Eats, Lyft, DoorDash, Grubhub, BlaBlaCar, SNCF Connect, Swile, Edenred",
  "Louis Vuitton, Nike, Adidas",
  // Crypto
  "Coinbase, Binance, Kraken, Gemini, KuCoin, Bybit, Bitbuy, Hyperliquid, Raydium, DeBank, Bitvavo, Crypto.com, BlockFi",
  "Uphold, MetaMask, Trust Wallet, WalletConnect, Ledger, Ledger Live, Trezor, Exodus, Phantom, OpenSea, Uniswap",
  "PancakeSwap, imToken, MoonPay, Paxful, Etherscan, OKX, OKEx, Gate.io, Huobi, Bitget, MEXC, Bitfinex, Bitstamp, Bithumb",
  "Upbit, Coincheck, bitFlyer, BitMart, Bitpanda, CoinMarketCap, CoinGecko, Poloniex, Bittrex, eToro, MyEtherWallet",
  "Electrum, Atomic Wallet, Exodus Wallet, Phantom Wallet, Solflare, Keplr, SafePal, TokenPocket, Ledger Wallet, KeepKey",
  "Tangem, SushiSwap, Aave, Lido, 1inch, dYdX, Jupiter, Magic Eden, LooksRare, Rarible, Blur, Arbitrum, zkSync, Starknet",
  "LayerZero, Linea, Berachain, Polymarket, Worldcoin, Axie Infinity, Decentraland, Stargate, Pendle, QuickSwap",
  "DEX Screener, Chainlink, Celsius, Nexo, FTX, BitPay, Tether, SimpleSwap, ChangeNOW, CoinSpot, WazirX, CoinDCX, Bitso"
]

const NOT_IN_NAMES = /[^a-z0-9]/g

/** By the name in the table of brands, such as `bankofamerica`. */
export const spellingByName: ReadonlyMap<string, string> = new Map(
  spellings
    .flatMap((row) => row.split(", "))
    .map((spelling) => [spelling.toLowerCase().replace(NOT_IN_NAMES, ""), spelling])
)

/**
 * A brand's name for people: `PayPal` of `paypal`, `Discord` of `discordgift`, which contains the name of its owner's
 * `domain`, and in quotation marks a name whose spelling is not known.
 */
export const shown = (name: string, domain: string): string => {
  const label = domain.slice(0, domain.indexOf("."))
  return (
    spellingByName.get(name) ?? (name.includes(label) ? spellingByName.get(label) : undefined) ?? `"${name}"`
  )
}
