import { type Brand, brand, everyday } from "./Brand.ts"

/** Software, social media, games and entertainment. */
export const technology: ReadonlyArray<Brand> = [
  brand(
    "microsoft microsoft365 microsoftonline",
    "microsoft.com microsoftonline.com microsoft365.com microsoft.ai windows.net azure.com visualstudio.com live.com office.com msn.com bing.com xbox.com microsoft.* .microsoft onmicrosoft.com s-microsoft.com microsoftpersonalcontent.com microsoftapp.net microsoftazuread-sso.com microsoftonline-p.com microsoftonline.us microsofttranslator.com microsoft.net microsoftstore.com microsoftstream.com microsoftusercontent.com microsoftazure.us microsoftcasualgames.com microsoftcrmportals.com microsoftedgeinsider.com microsofthealth.com microsofthup.com microsoftvirtualacademy.com microsoftmetrics.com microsoftonline-p.net microsofticm.com directionsonmicrosoft.com microsoftstore.com.cn microsoftstore.com.hk microsoftonline.cn"
  ),
  brand("office365", "office.com office365.com microsoft.com office365.us"),
  everyday("office", "office.com office365.com"),
  brand(
    "outlook hotmail",
    "outlook.com outlookindia.com hotmail.com live.com microsoft.com office.com office365.com outlook.* outlookmobile.com hotmail.* howto-outlook.com"
  ),
  brand("onedrive", "onedrive.com onedrive.live.com live.com onedrive.su onedrive.us"),
  brand(
    "sharepoint",
    "sharepoint.com sharepointonline.com sharepoint.us sharepoint.cn sharepoint-df.com sharepoint-mil.us sharepoint.de"
  ),
  everyday(
    "apple",
    "apple.com apple.news apple.co apple.com.cn cdn-apple.com apple-mapkit.com apple.* .apple"
  ),
  brand(
    "icloud",
    "icloud.com icloud.com.cn icloud-content.com apple.com icloud-content.com.cn icloud-sandbox.com icloud-platform.com"
  ),
  everyday("findmy", "icloud.com apple.com"),
  brand(
    "google gmail",
    "google.com googleapis.com gmail.com withgoogle.com googleblog.com google.dev 9to5google.com google.org googleusercontent.com gstatic.com goo.gl google.* google.co google.cm google.om .google googlesource.com googletagmanager.com googlesyndication.com google-analytics.com doubleclick.net googleapps.com googleadservices.com googlevideo.com googlegroups.com google.net google.cat google.tk google.ml google.ga google.cf googlemail.com googlepages.com google-analytics-s3.com google-mkto.com googleplus.bayern.de"
  ),
  everyday("youtube", "youtube.com youtu.be youtube-nocookie.com youtubekids.com youtube.* .youtube"),
  brand(
    "amazon amazonpay",
    "amazon.com amazon.jobs amazonaws.com amazon.science amazonpay.com amazon-adsystem.com amazonses.com amazongames.com amazonmusic.com amazoncognito.com amazon.dev amazon.com.be theamazonpost.com amazon.* .amazon media-amazon.com ssl-images-amazon.com images-amazon.com payments-amazon.com assoc-amazon.com amazonservices.com amazon-corp.com amazon-dss.com amazon-press.it amazon-ads-attestation.com assoc-amazon.co.uk siege-amazon.com quip-amazon.com amazon.work ssl-images-amazon.cn cafe-amazon.com"
  ),
  brand(
    "netflix",
    "netflix.com netflix.net nflxext.com nflximg.net nflxvideo.net netflixtechblog.com netflix.* netflixstudios.com netflix.shop netflixlife.com"
  ),
  brand(
    "facebook",
    "facebook.com fb.com fb.me facebook.net fbcdn.net facebook.design facebook.dev facebookbrand.com facebookmail.com messenger.com meta.com facebookwkhpilnemxj7asaniu7vnjjbiltxjqhye3mhbshg7kx5tfyd.onion facebook.* facebook-hardware.com thefacebook.com facebook-studio.com facebookdevelopers.com facebookmarketingpartners.com allfacebook.de"
  ),
  everyday("meta", "meta.com meta.ai meta.kz meta.ua"),
  brand(
    "instagram",
    "instagram.com cdninstagram.com ig.me instagr.am instagram-engineering.com instagram.com.br"
  ),
  brand("whatsapp", "whatsapp.com whatsapp.net wa.me whatsappbrand.com"),
  brand(
    "telegram",
    "telegram.org telegram.me telegram.hr star-telegram.com thetelegram.com t.me telegram.dog telesco.pe telegram.com cdn-telegram.org"
  ),
  brand(
    "tiktok",
    "tiktok.com tiktokshop.com tiktokw.eu tiktokv.com tiktokcdn.com tiktokcdn-us.com tiktokglobalshop.com tiktok-shops.com tiktokv.eu tiktokv.us tiktokw.us tiktok-row.net tiktokeu-cdn.com tiktok-minis.com tiktok-row.org tiktok-minis.us tiktokv-eu.com"
  ),
  brand("twitter", "twitter.com x.com twimg.com t.co ads-twitter.com twittercommunity.com"),
  brand(
    "linkedin",
    "linkedin.com linkedin-status.com licdn.com lnkd.in linkedin.cn linkedin-ei.com linkedin-directory.com linkedinlabs.com"
  ),
  brand("snapchat", "snapchat.com snap.com sc-cdn.net"),
  everyday(
    "discord",
    "discord.com discord.gg discordapp.com discord.media discordapp.net discord.new discord.dev discordstatus.com discord.gift discord.js.org"
  ),
  brand(
    "steamcommunity steampowered",
    "steamcommunity.com steampowered.com steam-chat.com steamstatic.com steamusercontent.com"
  ),
  everyday(
    "steam",
    "steampowered.com steamcommunity.com steamdeck.com steamdb.info steamgifts.com steamtrades.com steamcardexchange.net"
  ),
  brand("roblox robux", "roblox.com rbxcdn.com rbx.com roblox.vn"),
  brand("epicgames", "epicgames.com epicgames.dev fortnite.com unrealengine.com epicgamescdn.com"),
  brand(
    "playstation",
    "playstation.com playstation.net sony.com sonyentertainmentnetwork.com playstation.* playstationnetwork.com playstationlifestyle.net playstationtrophies.org playstationemail.com playstation-cloud.net"
  ),
  brand("faceit", "faceit.com faceit-cdn.net"),
  brand(
    "spotify",
    "spotify.com spotify.net scdn.co spotify.design spotifycdn.com byspotify.com atspotify.com spotify.dev spotifyforbrands.com spotifyjobs.com"
  ),
  brand(
    "adobe",
    "adobe.com adobe.io adobelogin.com typekit.com adobedtm.com adobe.* adobe.net adobesign.com adobeconnect.com adobe-addons.com adobe-campaign.com adobe-identity.com adobecards.com adobecc.com adobecces.com"
  ),
  brand("docusign", "docusign.com docusign.net docusign.*"),
  brand(
    "dropbox",
    "dropbox.com dropboxusercontent.com dropboxapi.com dropbox.tech getdropbox.com dropbox-paper.com dropbox-dns.com dropboxstatic.com dropboxforum.com dropboxbusiness.com dropboxatwork.com dropboxcaptcha.com dropboxexperiment.com dropboxforums.com dropboxinsiders.com dropboxlegal.com dropboxpartners.com dropboxmail.com dropboxteam.com"
  ),
  brand("wetransfer", "wetransfer.com wetransfer.net we.tl"),
  brand("mcafee", "mcafee.com mcafeesecure.com mcafee.net mcafeestore.com"),
  brand(
    "appleid icloudapple appleicloud applesupport applesecurity applelogin applepay appleaccount",
    "apple.com icloud.com appleid.com"
  ),
  brand(
    "findmyiphone findiphone findmyphone findmyapple findmydevice myiphone iphonefind",
    "icloud.com apple.com"
  ),
  brand("microsoftoffice outlookoffice owalogin", "office.com outlook.com microsoft.com"),
  brand("microsoftteams msteams teamsmeeting", "teams.microsoft.com microsoft.com"),
  brand("windowsdefender windowssupport", "microsoft.com"),
  brand("azureportal azuread", "azure.com microsoft.com"),
  brand("googledrive googledocs googleforms googleplay", "google.com"),
  brand("chatgpt openai", "openai.com chatgpt.com openai.org openai.fm"),
  everyday("claude anthropic", "anthropic.com claude.ai claude.com claude.site"),
  brand(
    "metasupport metabusiness metaverified metaverify metaforbusiness businessmeta fbsupport fbsecurity fbbusiness metapages metaappeal metacenter",
    "facebook.com meta.com"
  ),
  brand("metaquest metahorizon", "meta.com"),
  brand("igverified", "instagram.com"),
  everyday("threads", "threads.net threads.com"),
  brand("whatsap", "whatsapp.com"),
  brand(
    "wechat weixin",
    "wechat.com weixin.qq.com qq.com weixin.com wechat.* wechatpay.cn servicewechat.com wechat.design weixin.vc weixinbridge.com sogou.com"
  ),
  everyday("signal", "signal.org"),
  brand("viber", "viber.com"),
  everyday("line", "line.me linecorp.com"),
  brand("tkshop", "tiktok.com tiktokshop.com"),
  brand(
    "pinterest",
    "pinterest.com pinimg.com pin.it pinterest.* pinterest.net pinterest.info pinterestmail.com pinterestcareers.com"
  ),
  brand("redditlogin", "reddit.com"),
  everyday("reddit", "reddit.com redd.it redditstatic.com redditinc.com"),
  everyday("twitch", "twitch.tv"),
  brand("onlyfans", "onlyfans.com"),
  everyday("tinder", "tinder.com gotinder.com"),
  everyday("zoom", "zoom.us zoom.com"),
  brand("zoommeeting zoomus", "zoom.us zoom.com zoomus.cn"),
  brand("webex", "webex.com webex.* webexconnect.com"),
  everyday("slack", "slack.com slack.help"),
  everyday("canva", "canva.com"),
  brand("docusignin", "docusign.com docusign.net"),
  brand("adobeacrobat adobedocument", "adobe.com"),
  brand("hellosign", "hellosign.com dropbox.com"),
  brand("okta", "okta.com okta-emea.com oktapreview.com oktacdn.com okta-gov.com okta.mil okta-elpe.com"),
  brand(
    "salesforce",
    "salesforce.com force.com salesforce.* salesforce-dns.com salesforce-experience.com salesforce-scrt.com salesforce-setup.com salesforce-sites.com salesforceiq.com salesforceliveagent.com tableausalesforce.com salesforcedevops.net"
  ),
  everyday("workday", "workday.com myworkday.com"),
  brand(
    "lastpass 1password dashlane bitwarden",
    "lastpass.com 1password.com 1password.eu dashlane.com bitwarden.com lastpass.eu 1passwordusercontent.com 1passwordservices.com 1password.* bitwarden.eu bitwarden.net"
  ),
  brand("nortonlifelock", "norton.com nortonlifelock.com"),
  everyday("norton", "norton.com nortonlifelock.com"),
  brand(
    "malwarebytes kaspersky",
    "malwarebytes.com kaspersky.com kaspersky.* malwarebytes.org kaspersky-labs.com"
  ),
  everyday("avast", "avast.com avast.*"),
  brand("geeksquad", "geeksquad.com bestbuy.com geeksquad.co.uk"),
  brand("teamviewer anydesk", "teamviewer.com anydesk.com teamviewer.cn anydesk.com.cn"),
  brand("wordpresslogin", "wordpress.com wordpress.org"),
  brand(
    "steamsupport steamlogin steamgift steamtrade steamnitro steamwallet steamcard steampromo",
    "steampowered.com steamcommunity.com"
  ),
  brand(
    "discordnitro nitrodiscord discordgift discordapp discordlogin nitrogift",
    "discord.com discord.gift"
  ),
  brand("fortnite", "fortnite.com epicgames.com fortnite-api.com fortnitetracker.com fortnite.gg"),
  brand(
    "riotgames leagueoflegends",
    "riotgames.com leagueoflegends.com playvalorant.com riotgames.jp leagueoflegends.co.kr leagueoflegendsportal.com valorantesports.com"
  ),
  everyday(
    "valorant",
    "riotgames.com leagueoflegends.com playvalorant.com riotgames.jp leagueoflegends.co.kr leagueoflegendsportal.com valorantesports.com"
  ),
  brand("garena freefire", "garena.com ff.garena.com garena.*"),
  brand("pubgmobile midasbuy pubg", "pubgmobile.com pubg.com midasbuy.com krafton.com"),
  brand("mobilelegends moonton", "mobilelegends.com moonton.com moontontech.com moontontech.net"),
  everyday("minecraft", "minecraft.net minecraft.* minecraftforum.net"),
  everyday(
    "nintendo",
    "nintendo.com nintendo.* nintendo.net nintendo-europe.com nintendolife.com nintendoeverything.com nintendoworldreport.com nintendojo.fr gonintendo.com nintendowifi.net"
  ),
  brand("xboxlive", "xbox.com xboxlive.com xboxlive.cn"),
  brand("battlenet", "battle.net blizzard.com battlenet.com.cn blizzardwatch.com blizzard.cn"),
  everyday("blizzard", "battle.net blizzard.com battlenet.com.cn blizzardwatch.com blizzard.cn"),
  brand("dofus ankama", "dofus.com ankama.com ankama-games.com"),
  brand("clashofclans brawlstars", "supercell.com clashofclans.com brawlstars.com supercell.net"),
  everyday("supercell", "supercell.com clashofclans.com brawlstars.com supercell.net"),
  brand(
    "csgofast csgoempire csgoskins skinport dmarket",
    "csgofast.com csgoempire.com skinport.com dmarket.com csgoskins.gg csgoskins.net csgo-skins.com"
  ),
  brand("dota2gift", "dota2.com steampowered.com"),
  brand("disneyplus", "disneyplus.com disney.com disney-plus.net disneyplusinformer.com"),
  brand("hbomax", "hbomax.com max.com"),
  everyday("hulu", "hulu.com hulu.jp"),
  brand("primevideo amazonprime amzn", "amazon.com primevideo.com amzn.to amzn.eu amzn.com amzn.in"),
  brand("paramountplus", "paramountplus.com"),
  brand("deezer", "deezer.com deezer.io"),
  everyday("canal", "canalplus.com"),
  brand(
    "canalplus",
    "canalplus.com canalplus.* canalplus-bo.net canalplus-cdn.net canalplustech.pro cdn-canalplus.pl canal-plus.com canal-plus.net canalplus.pro canalplus-afrique.com"
  ),
  brand(
    "iqiyi bilibili",
    "iqiyi.com iq.com bilibili.com bilibili.tv iqiyi.net bilibiligame.net bilibili.cn bilibilicloud01.com bilibilicloud01.net"
  )
]
