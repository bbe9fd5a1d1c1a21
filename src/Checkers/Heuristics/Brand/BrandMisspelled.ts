/**
 * Names of brands that reports are full of misspellings of, and that have few neighbours of other meaning. One edit from
 * `openai` lies `openapi`, one from `stripe` lies `stride`: such names stay out, and so do most of two ordinary words.
 */
const names: ReadonlySet<string> = new Set(
  [
    "paypal venmo westernunion moneygram chase jpmorgan bankofamerica wellsfargo citibank capitalone",
    "americanexpress mastercard navyfederal fidelity robinhood scotiabank desjardins intuit quickbooks",
    "turbotax barclays barclaycard lloydsbank natwest santander rabobank abnamro bnpparibas societegenerale",
    "creditagricole creditmutuel caixabank bankinter bancsabadell bancosabadell cajamar caixadirecta",
    "intesasanpaolo unicredit posteitaliane commerzbank deutschebank klarna postfinance swedbank danskebank",
    "sberbank bancolombia bradesco mercadopago mercadolibre mercadolivre maybank2u westpac smbccard",
    "saisoncard myjcb tscubic mytscubic sbisec paypay fedex royalmail myhermes chronopost correios postnord",
    "swisspost ukrposhta canadapost postescanada purolator auspost australiapost japanpost kuronekoyamato",
    "indiapost ezpassny ezdrivema currentlyatt attcurrently verizon xfinity comcast tmobile bellsouth",
    "sbcglobal vodafone btinternet rakuten tepco biglobe godaddy yahoo microsoft microsoft365 microsoftonline",
    "office365 outlook hotmail onedrive sharepoint apple icloud google gmail youtube amazon amazonpay netflix",
    "facebook instagram whatsapp telegram tiktok twitter linkedin snapchat discord steamcommunity",
    "steampowered steam roblox epicgames playstation faceit spotify adobe docusign dropbox wetransfer mcafee",
    "walmart allegro allegrolokalnie leboncoin kleinanzeigen shopee aliexpress alibaba airbnb tripadvisor",
    "coinbase coinbasepro binance kucoin bybit bitbuy netcoins hyperliquid bitvavo cryptocom blockfi",
    "itrustcapital metamask trustwallet walletconnect ledger ledgerlive trezor phantom opensea uniswap",
    "pancakeswap imtoken moonpay paxful etherscan appleid payoneer coinmarketcap bitfinex tronlink",
    "tokenpocket myetherwallet discordnitro labanquepostale caissedepargne bouyguestelecom mondialrelay",
    "pocztapolska belastingdienst deutschetelekom leagueoflegends garantibbva wealthsimple disneyplus",
    "chatgpt bitstamp kraken gemini uphold exodus monex eposcard mercari orico jaccs viewsnet docomo vinted",
    "revolut schwab truist raydium interac uccard lifecard correos talktalk sagawa telstra saison nomura",
    "matsui inpost alipay ezpass"
  ].flatMap((row) => row.split(" "))
)

export const has = (name: string): boolean => names.has(name)
