/**
 * The tables of `SharedHost`, maintained by hand, at most 300 names. A name belongs here when a threat list entry for its
 * whole host, by mistake or for one bad page, would block what many other people use, and the Public Suffix List does not
 * prevent that. Hosting firms are in `HostingFirms`.
 */

import { hostingNames } from "./HostingFirms.ts"

const names = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Among the most visited sites (Cloudflare Radar and Moz rankings), or seen in threat lists by mistake. */
const popular = names(`
  google.com googleadservices.com doubleclick.net youtube.com apple.com microsoft.com cloud.microsoft
  bing.com msn.com adobe.com samsung.com oracle.com hubspot.com cloudflare.com godaddy.com openai.com
  chatgpt.com baidu.com wikipedia.org wikimedia.org mozilla.org wordpress.org archive.org cnn.com
  bbc.com netflix.com spotify.com disneyplus.com roku.com steampowered.com steamcommunity.com
  epicgames.com roblox.com playstation.com xbox.com nintendo.com twitch.tv booking.com airbnb.com
  uber.com dhl.com fedex.com ups.com usps.com irs.gov www.gov.uk apkpure.com yotpo.com
`)

const shops = names(`
  amazon.com amazon.ca amazon.co.jp amazon.co.uk amazon.com.au amazon.com.br amazon.com.mx amazon.de amazon.es
  amazon.fr amazon.ie amazon.in amazon.it amazon.nl amazon.pl ebay.com ebay.co.uk ebay.com.au ebay.de ebay.fr
  ebay.it aliexpress.com alibaba.com allegro.pl walmart.com target.com etsy.com bestbuy.com
  rakuten.co.jp mercadolibre.com mercadolivre.com.br shopify.com
`)

const banksAndPayment = names(`
  paypal.com paypal.me stripe.com venmo.com revolut.com klarna.com alipay.com americanexpress.com chase.com
  wellsfargo.com bankofamerica.com citi.com hsbc.com barclays.co.uk santander.com intuit.com mercadopago.com
  itau.com.br bradesco.com.br bb.com.br caixa.gov.br nubank.com.br coinbase.com binance.com kraken.com
  metamask.io
`)

const mailAndSignIn = names(`
  live.com outlook.com hotmail.com office.com office365.com microsoftonline.com gmail.com icloud.com
  yahoo.com aol.com proton.me mail.ru yandex.ru yandex.com qq.com 163.com naver.com gmx.net web.de
  orange.fr comcast.net xfinity.com att.com
`)

const messagingAndSocial = names(`
  facebook.com messenger.com instagram.com whatsapp.com x.com twitter.com linkedin.com tiktok.com
  pinterest.com reddit.com snapchat.com discord.com discordapp.com telegram.org telegram.me
  vk.com ok.ru line.me weibo.com wechat.com zoom.us linktr.ee taplink.cc
`)

const documentsAndForms = names(`
  docusign.com canva.com figma.com miro.com notion.so airtable.com trello.com smartsheet.com scribd.com
  issuu.com slideshare.net pastebin.com jotform.com form.typeform.com surveymonkey.com hsforms.com
  cognitoforms.com zoho.com zohopublic.com forms.app tally.so unbouncepages.com list-manage.com sendgrid.net
`)

const code = names(`
  github.com raw.githubusercontent.com gist.githubusercontent.com htmlpreview.github.io gitlab.com
  bitbucket.org sourceforge.net codepen.io replit.com npmjs.com unpkg.com jsdelivr.net huggingface.co
  stackoverflow.com
`)

const filesAndStorage = names(`
  dropbox.com dropboxusercontent.com box.com wetransfer.com mediafire.com mega.nz 4shared.com
  gofile.io catbox.moe file.io yadi.sk imgur.com firebasestorage.googleapis.com oraclecloud.com
  wasabisys.com cloudflarestorage.com
`)

/** URL shorteners on their own host. */
const shorteners = names(`
  bit.ly j.mp tinyurl.com goo.gl t.co ow.ly ht.ly is.gd v.gd cutt.ly rebrand.ly rb.gy t.ly s.id u.to bit.do
  shorturl.at tiny.cc buff.ly adf.ly clck.ru vk.cc x.gd urlz.fr han.gl reurl.cc did.li surl.li dub.sh lnkd.in
  fb.me wa.me t.me forms.gle youtu.be amzn.to aka.ms 1drv.ms lin.ee qrco.de me-qr.com q-r.to tr.ee t.cn dwz.cn
`)

/** URL shorteners with a subdomain for each customer. */
const shortenersWithTenants = names("app.link page.link onelink.me short.gy")

/** Each customer has a subdomain, but the Public Suffix List does not contain the name. */
const tenants = names(`
  livejournal.com tmweb.ru typeform.com formstack.com secureserver.net googleusercontent.com
  lh3.googleusercontent.com script.googleusercontent.com appdomain.cloud
  s3.us-east.cloud-object-storage.appdomain.cloud s3.us-south.cloud-object-storage.appdomain.cloud
`)

/**
 * `*.name` is a rule of the Public Suffix List, and each name under it is one tenant: a machine of EC2 in us-east-1,
 * a canister of the Internet Computer. Under most such rules it is a region or a server of many tenants
 * (`ams3.digitaloceanspaces.com`), which feeds do list by mistake.
 */
const wildcardTenants = names("compute-1.amazonaws.com raw.icp0.io raw.icp1.io")

/** Names that are shared with all their subdomains. */
export const sharedNames: ReadonlySet<string> = new Set([
  ...popular,
  ...shops,
  ...banksAndPayment,
  ...mailAndSignIn,
  ...messagingAndSocial,
  ...documentsAndForms,
  ...code,
  ...filesAndStorage,
  ...shorteners,
  ...hostingNames(({ shared }) => shared === "allHosts")
])

/** Names that are shared, while each subdomain is one tenant's. */
export const tenantNames: ReadonlySet<string> = new Set([
  ...tenants,
  ...shortenersWithTenants,
  ...hostingNames(({ shared }) => shared === "bareHost")
])

/** Names whose subdomains are public suffixes, and yet each is one tenant's. */
export const wildcardTenantNames: ReadonlySet<string> = new Set([
  ...wildcardTenants,
  ...hostingNames(({ shared }) => shared === "wildcardRule")
])

/** URL shorteners; subdomains count too. */
export const shortenerNames: ReadonlySet<string> = new Set([...shorteners, ...shortenersWithTenants])
