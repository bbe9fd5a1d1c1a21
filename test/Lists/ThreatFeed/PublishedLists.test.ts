import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import type { FeedFormatName, RankingFormatName } from "../../../src/Layers/AppConfig.ts"
import type { SkippedRow } from "../../../src/Lists/ListWorker/Messages.ts"
import * as ThreatListBytes from "../../../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../../src/Lists/ThreatList.ts"
import * as Hosts from "../../../src/Url/Hosts.ts"
import * as PublicSuffix from "../../../src/Url/PublicSuffix.ts"
import wrappers from "../../../src/Url/Submission/Wrapper/wrappers.tsv"
import * as Submission from "../../../src/Url/Submission.ts"
import { build as buildList, buildRequest, getBody } from "../../fixtures/BuildRequests.ts"
import { privateSuffixes } from "../../fixtures/PrivateSuffixes.ts"

type Format = FeedFormatName | RankingFormatName

const built = async (format: Format, document: string | Buffer, column?: string) => {
  const body = (async function* () {
    const bytes = Buffer.from(document)
    // In pieces that end in the middle of rows.
    for (let at = 0; at < bytes.length; at += 997) yield bytes.subarray(at, at + 997)
  })()
  const response = await buildList(buildRequest({ format, column }), getBody(body))
  if (response._tag === "ListError") return response
  if (response._tag !== "NewDocument") return assert.fail(response._tag)
  const list = new ThreatList(Option.getOrThrow(ThreatListBytes.open(response.bytes)))
  return { _tag: "List" as const, list, counts: response.counts }
}

const listOf = async (format: Format, document: string | Buffer, column?: string) => {
  const result = await built(format, document, column)
  return result._tag === "List" ? result : assert.fail(`${result.reason} ${result.detail}`)
}

/** How a list has the addresses of a submitted URL. */
const kindsOf = (list: ThreatList, url: string) =>
  Submission.read(url, 0).addresses.flatMap(({ expressions }) => list.match(expressions)?.kind ?? [])

const isListed = (list: ThreatList, url: string) => kindsOf(list, url).length > 0

interface Case {
  readonly what: string
  readonly format?: Format
  readonly column?: string
  readonly document: string | Buffer
  readonly listed?: ReadonlyArray<string>
  readonly notListed?: ReadonlyArray<string>
  readonly skipped?: ReadonlyArray<SkippedRow>
  readonly ignored?: number
}

const cases: ReadonlyArray<Case> = [
  {
    what: "rules with several types of requests",
    document:
      "[Adblock Plus 2.0]\n||a.example^$document,subdocument,popup\n||b.example^$document,subdocument\n||c.example^$popup\n||d.example^$all\n||e.example^\n||f.example^$document,domain=good.example\n||g.example^$third-party\n||h.example^$script,~document\n||i.example^$script\n",
    listed: [
      "https://a.example/x",
      "https://www.b.example/",
      "https://c.example/",
      "https://d.example/",
      "https://e.example/"
    ],
    notListed: ["https://f.example/", "https://g.example/", "https://h.example/", "https://i.example/"],
    skipped: [
      { line: 7, reason: "Restricted rule" },
      { line: 8, reason: "Restricted rule" },
      { line: 9, reason: "Restricted rule" }
    ]
  },
  {
    what: "notes that say in several languages that a site is honest",
    document:
      'a.example # PayPal kit\ngood1.example # FP, removed on 1 September\ngood2.example [benign]\ngood3.example # falso positivo\ngood4.example # faux positif (vu le 1er)\ngood5.example # Fehlalarm\ngood6.example # 误报\ngood7.example : safe\ngood8.example RELAY\nl.example relay\ngood9.example # "safe"\ngood0.example -- legit!\nb.example # good copy of a bank\nc.example # not phished yet\nd.example # FPS bank\ne.example # clean\nf.example # safeguard\ng.example # fehlalarmierend\nh.example # legit, but hacked\ni.example kit\nj.example\nk.example\n',
    listed: Array.from("abcdefghijkl", (letter) => `https://${letter}.example/`),
    notListed: Array.from("1234567890", (number) => `https://good${number}.example/`),
    skipped: [2, 3, 4].map((line) => ({ line, reason: "Exception" }))
  },
  {
    what: "notes in a file of hosts that say so, or name another site",
    format: "hosts",
    document:
      "0.0.0.0 a.example b.example # kit\n0.0.0.0 good1.example # whitelisted\n127.0.0.1 good2.example #false positive, removed\n0.0.0.0 c.example redirects to good3.example\n0.0.0.0 d.example -> good4.example\n0.0.0.0 e.example 0.0.0.0 f.example\n0.0.0.0 localhost g.example\n0.0.0.0 h.example spoofing good1.example\n0.0.0.0 i.example reported by good2.example\n",
    listed: Array.from("abcdefghi", (letter) => `https://${letter}.example/`),
    notListed: Array.from("1234", (number) => `https://good${number}.example/`),
    skipped: [2, 3].map((line) => ({ line, reason: "Exception" }))
  },
  {
    what: "verdicts in several languages",
    format: "csv",
    document:
      'url,status,country\nhttps://a.example/x,phishing,Benin\nhttps://b.example/x,oltalama,Benin\nhttps://c.example/x,normal,Benin\nhttps://d.example/x,clean,Benin\nhttps://e.example/x,钓鱼,Benin\nhttps://f.example/x,"safe login, a copy",Benin\nhttps://good1.example/x,meşru,Benin\nhttps://good2.example/x,légitime,Benin\nhttps://good3.example/x,Legítimo,Benin\nhttps://good4.example/x,not a phish,Benin\n',
    listed: Array.from("abcdef", (letter) => `https://${letter}.example/x`),
    notListed: Array.from("1234", (number) => `https://good${number}.example/x`),
    skipped: [8, 9, 10].map((line) => ({ line, reason: "Exception" }))
  },
  {
    what: "reports of phishing that were a mistake",
    format: "csv",
    document:
      'url,type,status\nhttps://a.example/x,phishing,open\nhttps://b.example/x,phishing,good\nhttps://c.example/x,phishing,"falsely positive, they say"\nhttps://d.example/x,phishing,"false-positive:risk=""low"""\nhttps://e.example/x,phishing,false positive rate 0\nhttps://good1.example/x,phishing,False Positive\nhttps://good2.example/x,malicious,"false positive, closed"\nhttps://good3.example/x,phishing,whitelisted\n',
    listed: Array.from("abcde", (letter) => `https://${letter}.example/x`),
    notListed: Array.from("123", (number) => `https://good${number}.example/x`),
    skipped: [7, 8, 9].map((line) => ({ line, reason: "Exception" }))
  },
  {
    what: "hosts, titles of pages and disputes that are like notes of mistakes",
    format: "csv",
    document:
      'url,type,note,title\nhttps://a.example/x,phishing,,False Alarm! Sign in\nfalse-positive.example,phishing,,\nhttps://b.example/x,phishing,"false positive, rejected",\nhttps://c.example/x,phishing,false positive - no,\nhttps://d.example/x,phishing,"whitelisted, but hacked again",\nhttps://e.example/x,,,安全\nhttps://f.example/x,phishing,false positive?,\nhttps://g.example/x,phishing,false positive reported by its owner,\nhttps://h.example/x,phishing,whitelisted by its kit,\nhttps://good.example/x,phishing,false positive - removed,\n',
    listed: [
      ...Array.from("abcdefgh", (letter) => `https://${letter}.example/x`),
      "https://false-positive.example/"
    ],
    notListed: ["https://good.example/x"],
    skipped: [{ line: 11, reason: "Exception" }]
  },
  {
    what: "names in a file of hosts behind names without a dot",
    format: "hosts",
    document:
      "127.0.0.1 localhost pc a.example\n127.0.0.1 pc home b.example\n0.0.0.0 c.example c d.example d\n0.0.0.0 e.example localhost f.example\n",
    listed: Array.from("abcdef", (letter) => `https://${letter}.example/`)
  },
  {
    what: "what it says of the content, beside a note",
    format: "csv",
    document:
      "url,content,note\nhttps://a.example/x,phishing,good\nhttps://b.example/x,phishing,kit\nhttps://good.example/x,shop,good\n",
    listed: ["https://a.example/x", "https://b.example/x"],
    notListed: ["https://good.example/x"]
  },
  {
    what: "columns of ignored and excluded rows, and hosts with an address behind a bar",
    format: "csv",
    document:
      "type,value,exclude\ndomain,a.example,0\ndomain,a1.example,0\ndomain,a2.example,0\ndomain,a3.example,0\ndomain|ip,b.example|192.0.2.7,0\nhostname|port,c.example|8443,0\ndomain,good.example,1\nurl,https://d.example/x|y,0\ndomain,e.example|bad.cafe,0\n",
    listed: ["https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/x|y"],
    notListed: ["https://good.example/", "https://e.example/"],
    skipped: [
      { line: 8, reason: "Exception" },
      { line: 10, reason: "Not a URL or host" }
    ]
  },
  {
    what: "rows that are cut off, two URLs, or with punctuation that was copied with the URL",
    document:
      "https://a.example/login...\nhttps://a.example/\u2026\nhttps://a.example/x[...]\nhttps://b.example/x;https://c.example/y\nhttps://b.example/x,https://c.example/y\nhttps://d.example/x?u=a;https://c.example/\nhttps://e.example/x,\nhttps://f.example/x).\nhttps://g.example/a_(b)\nhttps://h.example/)\nhttps://i.example/x?a=1;\nhttps://j.example/x\\n\n",
    listed: [
      "https://d.example/x?u=a;https://c.example/",
      ...["https://e.example/x", "https://e.example/x,", "https://f.example/x", "https://f.example/x)."],
      ...["https://g.example/a_(b)", "https://i.example/x?a=1", "https://j.example/x"]
    ],
    notListed: [
      ...["https://a.example/", "https://b.example/x", "https://c.example/y", "https://g.example/a_(b"],
      ...["https://h.example/", "https://e.example/"]
    ],
    skipped: [1, 2, 3].map((line) => ({ line, reason: "Not a URL or host" }))
  },
  {
    what: "dots and stars that are a part of a URL, and a query that is cut off",
    document:
      "https://a.example/login?id=1...\nhttps://b.example/review......\nhttps://c.example/x/aGVsbG8**\nhttps://d.example/[a]\n",
    listed: [
      ...["https://a.example/login", "https://a.example/login?id=2", "https://b.example/review"],
      ...["https://b.example/review......", "https://c.example/x/aGVsbG8**", "https://d.example/[a]?b"]
    ],
    notListed: ["https://a.example/", "https://c.example/x/aGVsbG8", "https://d.example/[a"]
  },
  {
    what: "wildcards for all of a directory or all queries",
    document: "a.example/**\nhttps://b.example/x/**\nc.example/x?*\nd.example/**/x\nf.example/?*\n",
    listed: [
      "https://a.example/x/y",
      "https://b.example/x/y",
      "https://c.example/x?a=1",
      "https://f.example/?a"
    ],
    notListed: ["https://b.example/", "https://c.example/y", "https://d.example/a/x", "https://f.example/x"],
    skipped: [{ line: 4, reason: "Wildcard in a path" }]
  },
  {
    what: "a data set of phishing and honest URLs",
    format: "csv",
    document:
      "url,label,certificate\nhttps://a.example/x,bad,\nhttps://good.example/y,good,\nhttps://b.example/x,phishing,good\nhttps://fine.example/,Benign,\nhttps://c.example/x,clean,\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    notListed: ["https://good.example/y", "https://fine.example/"],
    skipped: [
      { line: 3, reason: "Exception" },
      { line: 5, reason: "Exception" }
    ]
  },
  {
    what: "wildcards before hosts",
    document:
      "*.a.example\n||*.b.example^\nhttps://*.c.example/\n*://*.d.example/*\n+.e.example\n*bad.example\n",
    listed: [
      "https://a.example/",
      "https://w.b.example/x",
      "https://c.example/",
      "http://x.d.example/",
      "https://e.example/"
    ],
    notListed: ["https://bad.example/"],
    skipped: [{ line: 6, reason: "Wildcard in a host" }]
  },
  {
    what: "addresses as networks",
    document:
      "203.0.113.7/32\n2001:db8::7/128\n[2001:db8::8]/128\n2001:db8::9\n198.51.100.7/255.255.255.255\n198.51.100.0/24\n2001:db8::/32\n10/8\n",
    listed: [
      "http://203.0.113.7/",
      "http://[2001:db8::7]/x",
      "http://[2001:db8::8]/",
      "http://[2001:db8::9]/",
      "http://198.51.100.7/a"
    ],
    notListed: ["http://198.51.100.9/", "http://198.51.100.0/24", "http://[2001:db8::]/", "http://10.0.0.1/"],
    skipped: [
      { line: 6, reason: "Network" },
      { line: 7, reason: "Network" },
      { line: 8, reason: "Network" }
    ]
  },
  {
    what: "notes after white space",
    document: "a.example # a kit\nhttps://b.example/p\tseen twice\nc.example  kit\n203.0.113.7 # a note\n",
    listed: ["https://a.example/", "https://b.example/p", "https://c.example/", "http://203.0.113.7/"],
    skipped: []
  },
  {
    what: "notes with commas",
    document:
      "a.example # PayPal, a kit\nhttps://b.example/p # seen, 2026-11-22\nc.example  kit, bank, post\nd.example # down, dead\n",
    listed: ["https://a.example/", "https://b.example/p", "https://c.example/", "https://d.example/"],
    skipped: []
  },
  {
    what: "stars as paths",
    document:
      "a.example/*\nhttps://b.example/dir/*\nhttps://c.example/pay*\nhttps://d.example/*/x\nhttps://e.example/?_gl=1*2\nhttps://f.example/*dG8=\nhttps://g.example/*@*?x\n",
    listed: [
      "https://a.example/x",
      "https://b.example/dir/x",
      "https://e.example/?_gl=1*2",
      "https://f.example/*dG8=",
      "https://g.example/*@*?x"
    ],
    notListed: ["https://c.example/pay", "https://d.example/a/x"],
    skipped: [
      { line: 3, reason: "Wildcard in a path" },
      { line: 4, reason: "Wildcard in a path" }
    ]
  },
  {
    what: "HTML entities",
    document:
      "https://storage.googleapis.com/abc/x.html?id=1&amp;c=2\nhttps://a.example/x&amp;y\nhttps://b.example/?a=1&#38;b=2\nhttps://c.example/x&amp;amp;y\n",
    listed: [
      "https://storage.googleapis.com/abc/x.html?id=1&c=2",
      "https://storage.googleapis.com/abc/x.html?id=1&amp;c=2",
      "https://a.example/x&y",
      "https://a.example/x&amp;y",
      "https://b.example/?a=1&b=2",
      "https://c.example/x&y"
    ]
  },
  {
    what: "links of wrappers",
    document:
      "https://www.google.com/url?q=https%3A%2F%2Fevil.example%2Flogin&sa=D\nhttps://linkprotect.cudasvc.com/url?a=https%3A%2F%2Fbad.example%2F&c=1\nhttps://www.google.com/url?q=https%3A%2F%2Fgithub.com%2F\n",
    listed: [
      "https://evil.example/login",
      "https://www.google.com/url?q=https%3A%2F%2Fevil.example%2Flogin&sa=D&usg=x",
      "https://www.google.de/url?ved=1&url=https://evil.example/login",
      "https://bad.example/x",
      "https://www.google.com/url?q=https%3A%2F%2Fgithub.com%2F"
    ],
    notListed: [
      "https://linkprotect.cudasvc.com/url?a=https%3A%2F%2Fgood.example%2F",
      "https://www.google.com/url?q=https%3A%2F%2Fgood.example%2F",
      "https://github.com/"
    ]
  },
  {
    what: "parents of many tenants",
    document:
      "linkpc.net\nwww.temporary.site\nrentry.co\nydns.io\nydns.eu/\nhttps://strangled.net/\nwww.vercel.app\n*.neocities.org\nhttps://rentry.co/abc\nat.ua\nply.gg\nferozo.com\namazonaws.com\nwindows.net\nhttp://www.im-creator.com/free/abc/site\n",
    listed: ["https://rentry.co/abc", "https://www.im-creator.com/free/abc/site?utm_source=a"],
    notListed: [
      "https://a.linkpc.net/",
      "https://a.temporary.site/",
      "https://rentry.co/x",
      "https://b.ydns.io/",
      "https://b.ydns.eu/",
      "https://a.strangled.net/",
      "https://x.vercel.app/",
      "https://a.neocities.org/",
      ...["https://a.at.ua/", "https://a.ply.gg/", "https://a.ferozo.com/", "https://a.s3.amazonaws.com/"],
      "https://a.blob.core.windows.net/"
    ],
    ignored: 13
  },
  {
    what: "a table with the URL first",
    format: "csv",
    document:
      'url,domain,seen\nhttps://a.example/x,a.example,2026-08-22T18:05:25+00:00\n"https://b.example/x,y",b.example,2026-08-22\n',
    listed: ["https://a.example/x", "https://b.example/x,y"],
    notListed: ["https://a.example/y"]
  },
  {
    what: "a table with the URL, its host and its address",
    format: "csv",
    document:
      "host,ip,url\nA.example,192.0.2.1,https://a.example/x\nb.example,192.0.2.2,https://www.b.example/x\n",
    listed: ["https://a.example/x", "https://www.b.example/x"],
    notListed: ["https://b.example/y"]
  },
  {
    what: "a table with semicolons and a column by name",
    format: "csv",
    column: "URL",
    document:
      "\ufeffid;url;report\r\n1;https://a.example/x;https://reports.example/1\r\n2;https://b.example/;https://reports.example/2\r\n",
    listed: ["https://a.example/x", "https://b.example/"],
    notListed: ["https://reports.example/1"]
  },
  {
    what: "a table with tabs and a column by number, in UTF-16",
    format: "csv",
    column: "2",
    document: Buffer.from("\ufeff1\thttps://a.example/x\thttps://reports.example/1\r\n", "utf16le"),
    listed: ["https://a.example/x"],
    notListed: ["https://reports.example/1"]
  },
  {
    what: "a table of hosts, rules of a proxy",
    format: "csv",
    document: "DOMAIN-SUFFIX,a.example\nDOMAIN,b.example\nDOMAIN-KEYWORD,paypal\n",
    listed: ["https://a.example/", "https://b.example/"],
    skipped: [{ line: 3, reason: "Not a URL or host" }]
  },
  {
    what: "a table of malware, with URLs, hosts and addresses in one column",
    format: "csv",
    document:
      '"2026-11-22 10:00:00", "1", "https://a.example/x", "url", "js.kit"\n"2026-11-22 10:00:00", "2", "b.example", "domain", "elf.kit"\n"2026-11-22 10:00:00", "3", "203.0.113.7:8080", "ip:port", "elf.kit"\n',
    listed: ["https://a.example/x", "https://b.example/", "http://203.0.113.7:8080/"],
    notListed: ["https://elf.kit/"],
    skipped: []
  },
  {
    what: "a table with times before URLs, hosts and addresses in one column",
    format: "csv",
    document: "10:00:00,https://a.example/x\n10:30:00,b.example\n11:00:00,203.0.113.7:8080\n",
    listed: ["https://a.example/x", "https://b.example/", "http://203.0.113.7:8080/"]
  },
  {
    what: "a table with withdrawn hosts",
    format: "csv",
    document:
      "PozycjaRejestru\tAdresDomeny\tDataWpisu\tDataWykreslenia\n1\ta.example\t2026-08-01T10:00:00\t\n2\tb.example\t2026-08-01T10:00:00\t2026-09-01T10:00:00\n3\tc.example\t2026-08-01T10:00:00\tnull\n",
    listed: ["https://a.example/", "https://c.example/"],
    notListed: ["https://b.example/"],
    skipped: [{ line: 3, reason: "Exception" }]
  },
  {
    what: "a table of AbuseIPDB, and of who marks false positives",
    format: "csv",
    document:
      "ip,isWhitelisted,false_positive\n203.0.113.7,False,\n203.0.113.8,True,\n203.0.113.9,,no\n203.0.113.10,,yes\n",
    listed: ["http://203.0.113.7/", "http://203.0.113.9/"],
    notListed: ["http://203.0.113.8/", "http://203.0.113.10/"],
    skipped: [
      { line: 3, reason: "Exception" },
      { line: 5, reason: "Exception" }
    ]
  },
  {
    what: "tables of TheHive and OpenCTI",
    format: "csv",
    document:
      "url,ioc,revoked,benign\nhttps://a.example/x,true,false,0\nhttps://e.example/x,true,false,0\nhttps://f.example/x,true,false,0\nhttps://b.example/x,false,false,0\nhttps://c.example/x,true,true,0\nhttps://d.example/x,true,false,1\n",
    listed: ["https://a.example/x", "https://e.example/x", "https://f.example/x"],
    skipped: [
      { line: 5, reason: "Exception" },
      { line: 6, reason: "Exception" },
      { line: 7, reason: "Exception" }
    ]
  },
  {
    what: "a table of nested names, whose header is written like hosts",
    format: "csv",
    document:
      "task.url,page.domain,verdicts.overall.malicious\nhttps://a.example/x,a.example,true\nhttps://good.example/x,good.example,false\n",
    listed: ["https://a.example/x"],
    notListed: ["https://good.example/x", "http://task.url/"],
    skipped: [{ line: 3, reason: "Exception" }]
  },
  {
    what: "a table whose host and path have nested names",
    format: "csv",
    document: "url.domain,url.path\na.example,/pay\nb.example,/pay\n",
    listed: ["https://a.example/pay", "https://b.example/pay"],
    notListed: ["https://a.example/", "https://b.example/x"]
  },
  {
    what: "a table with names of files that are written like hosts",
    format: "csv",
    document:
      "Indicator type,value\ndomain,a.example\nfilename,invoice.zip\nfilename|md5,scan.zip\nFilePath,b.zip\nurl,https://c.example/file.zip\ndomain,d.example\n",
    listed: ["https://a.example/", "https://c.example/file.zip"],
    notListed: ["https://invoice.zip/", "https://scan.zip/", "https://b.zip/"],
    skipped: [3, 4, 5].map((line) => ({ line, reason: "Exception" }))
  },
  {
    what: "a table whose type says how a URL came",
    format: "csv",
    document: "url,type\nhttps://a.example/x,attachment\nhttps://b.example/y,link\n",
    listed: ["https://a.example/x", "https://b.example/y"]
  },
  {
    what: "a table whose paths are named as in a log",
    format: "csv",
    document: "cs-host,cs-uri-stem\na.example,/pay\nb.example,/pay\n",
    listed: ["https://a.example/pay", "https://b.example/pay"],
    notListed: ["https://a.example/", "https://b.example/x"]
  },
  {
    what: "verdicts in other words, and whether a host is in a list",
    format: "csv",
    document:
      "url;verdict;in allow list\nhttps://a.example/1;phishing;no\nhttps://a.example/2;kein Zugriff;no\nhttps://good.example/1;nicht bösartig;no\nhttps://a.example/3;正規化;no\nhttps://good.example/2;正規サイト;no\nhttps://good.example/3;;yes\nhttps://a.example/4;;no\n",
    listed: ["1", "2", "3", "4"].map((page) => `https://a.example/${page}`),
    notListed: ["1", "2", "3"].map((page) => `https://good.example/${page}`),
    skipped: [4, 6, 7].map((line) => ({ line, reason: "Exception" }))
  },
  {
    what: "a table whose columns with addresses are named like statements",
    format: "csv",
    document:
      "phishing_url,is_phishing,legitimate\nhttps://a.example/x,1,https://c.example/2026\nhttps://b.example/x,0,\nhttps://d.example/x,1,\n",
    listed: ["https://a.example/x", "https://d.example/x"],
    skipped: [{ line: 3, reason: "Exception" }]
  },
  {
    what: "a table with what is honest, whose numbers have a point, and a contradiction",
    format: "csv",
    document:
      "url,bad,good,legit\nhttps://a.example/x,0.0,1.0,\nhttps://b.example/x,1.0,1.0,\nhttps://c.example/x,,,Bank 2026\nhttps://d.example/x,1.0,0.0,\n",
    listed: ["https://b.example/x", "https://c.example/x", "https://d.example/x"],
    skipped: [{ line: 2, reason: "Exception" }]
  },
  {
    what: "a table of how many scanners say so",
    format: "csv",
    document: "url,malicious?,harmless,benign\nhttps://a.example/x,1,60,1\nhttps://b.example/x,12,50,3\n",
    listed: ["https://a.example/x", "https://b.example/x"],
    skipped: []
  },
  {
    what: "a table with columns that say that rows were withdrawn, and when, named in a comment",
    format: "csv",
    document:
      "# url,is_removed,date removed\nhttps://a.example/x,no,n/a\nhttps://b.example/x,yes,\nhttps://c.example/x,,1788220800\nhttps://f.example/x,,9/1/26 10:00\nhttps://d.example/x,false,0001-01-01T00:00:00\nhttps://e.example/x,0,\\N\n",
    listed: ["https://a.example/x", "https://d.example/x", "https://e.example/x"],
    notListed: ["https://b.example/x", "https://c.example/x", "https://f.example/x"],
    skipped: [
      { line: 3, reason: "Exception" },
      { line: 4, reason: "Exception" },
      { line: 5, reason: "Exception" }
    ]
  },
  {
    what: "a table with a column for withdrawn rows that says of none that it is one",
    format: "csv",
    document:
      "url,deleted\nhttps://a.example/x,no\nhttps://b.example/x,never\nhttps://c.example/x,False\nhttps://d.example/x,\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    skipped: []
  },
  {
    what: "a table of MISP with reports",
    format: "csv",
    document:
      'uuid,type,value,to_ids\n"1","url","https://a.example/x",1\n"2","domain","b.example",1\n"3","link","https://good.example/report",0\n"4","domain","c.example",True\n"5","url","https://fine.example/x",False\n',
    listed: ["https://a.example/x", "https://b.example/", "https://c.example/"],
    notListed: ["https://good.example/report", "https://fine.example/x"],
    skipped: [
      { line: 4, reason: "Exception" },
      { line: 6, reason: "Exception" }
    ]
  },
  {
    what: "a data set that says of each row whether it is phishing, after a column with a dot in its name",
    format: "csv",
    document:
      "S.No,URL,is_phishing\n1,https://a.example/x,1\n2,https://good.example/x,0\n3,https://b.example/x,1.0\n4,https://fine.example/x,no\n5,https://c.example/x,yes\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    notListed: ["https://good.example/x", "https://fine.example/x"],
    skipped: [
      { line: 3, reason: "Exception" },
      { line: 5, reason: "Exception" }
    ]
  },
  {
    what: "a table with a column for each kind, and a dot in the name of the column with URLs",
    format: "csv",
    column: "url.full_1",
    document:
      "url.full_1,phishing,malware\nhttps://a.example/x,1,0\nhttps://b.example/x,0,1\nhttps://good.example/x,0,0\nhttps://c.example/x,,\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    notListed: ["https://good.example/x"],
    skipped: [{ line: 4, reason: "Exception" }]
  },
  {
    what: "a table with hosts and paths in two columns",
    format: "csv",
    document:
      '"host","path","updated"\n"a.example","","2026-11-30"\n"shop.example","/hacked/login","2026-11-30"\n"b.example","/","2026-11-30"\n"c.example/x","/y","2026-11-30"\n',
    listed: [
      "https://a.example/x",
      "https://shop.example/hacked/login",
      "https://b.example/x",
      "https://c.example/x"
    ],
    notListed: ["https://shop.example/", "https://shop.example/other"],
    skipped: []
  },
  {
    what: "a table of an operator's own rules",
    format: "csv",
    document: "domain,enabled,phishing\na.example,1,1\ngood.example,0,1\nb.example,true,\n",
    listed: ["https://a.example/", "https://b.example/"],
    notListed: ["https://good.example/"],
    skipped: [{ line: 3, reason: "Exception" }]
  },
  {
    what: "a table whose pages are of one kind or another",
    format: "csv",
    document: "url,type,malware\nhttps://a.example/x,phishing,0\nhttps://b.example/x,malware,1\n",
    listed: ["https://a.example/x", "https://b.example/x"],
    skipped: []
  },
  {
    what: "a table with the number of scanners that found each page",
    format: "csv",
    document:
      "url,malicious,verdict\nhttps://a.example/x,0,harmless\nhttps://b.example/x,12,clean\nhttps://c.example/x,1,clean\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    skipped: []
  },
  {
    what: "a table of firms that are imitated, with numbers where none is known",
    format: "csv",
    document: "url,target\nhttps://a.example/x,0\nhttps://b.example/x,PayPal\n",
    listed: ["https://a.example/x", "https://b.example/x"],
    skipped: []
  },
  {
    what: "a table with the status of each page, 0 if there was no answer",
    format: "csv",
    document: "url,result\nhttps://a.example/x,0\nhttps://b.example/x,200\n",
    listed: ["https://a.example/x", "https://b.example/x"],
    skipped: []
  },
  {
    what: "a table of the way that leads to each page",
    format: "csv",
    document:
      "url,via\nhttps://a.example/x,direct\nhttps://b.example/x,original\nhttps://good.example/x,DIRECT\nhttps://c.example/x,mail\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    notListed: ["https://good.example/x"],
    skipped: [{ line: 4, reason: "Exception" }]
  },
  {
    what: "a table with answers of servers",
    format: "csv",
    document: "url,response\nhttps://a.example/x,OK\nhttps://b.example/x,OK\n",
    listed: ["https://a.example/x", "https://b.example/x"],
    skipped: []
  },
  {
    what: "a table of similar domains, with the original",
    format: "csv",
    document:
      "fuzzer,domain,dns_a\n*original,good.example,192.0.2.1\naddition,a.example,\nbitsquatting,b.example,192.0.2.3\n",
    listed: ["https://a.example/", "https://b.example/"],
    notListed: ["https://good.example/"],
    skipped: [{ line: 2, reason: "Exception" }]
  },
  {
    what: "a data set with other words for honest URLs",
    format: "csv",
    document:
      "url,label\nhttps://a.example/x,phishing\nhttps://good.example/1,safe\nhttps://b.example/x,phishing\nhttps://good.example/2,not phishing\nhttps://c.example/x,phishing\nhttps://good.example/3,ham\n",
    listed: ["https://a.example/x", "https://b.example/x", "https://c.example/x"],
    notListed: ["https://good.example/1", "https://good.example/2", "https://good.example/3"]
  },
  {
    what: "a table without a header whose first row has a dot before the host",
    format: "csv",
    document: ".a.example,site\nb.example,site\nc.example,site\n",
    listed: ["https://a.example/", "https://b.example/", "https://c.example/"],
    skipped: []
  },
  {
    what: "a table without a header whose first row is an address with a port",
    format: "csv",
    document: "203.0.113.7:8080\n203.0.113.8:443\n",
    listed: ["http://203.0.113.7:8080/", "http://203.0.113.8/"],
    skipped: []
  },
  {
    what: "a table without a header whose first host is defanged in words, beside a report",
    format: "csv",
    column: "1",
    document: "a[dot]example,https://report.example/1\nb.example,https://report.example/2\n",
    listed: ["https://a.example/", "https://b.example/"],
    notListed: ["https://report.example/1"],
    skipped: []
  },
  {
    what: "a table whose header has a colon",
    format: "csv",
    document: "ip:port,to_ids\n203.0.113.7:80,1\n203.0.113.8:80,0\n203.0.113.9:80,1\n",
    listed: ["http://203.0.113.7/", "http://203.0.113.9/"],
    notListed: ["http://203.0.113.8/"],
    skipped: [{ line: 3, reason: "Exception" }]
  },
  {
    what: "a table whose delimiter is named in quotes",
    format: "csv",
    document: '"sep=;"\r\nurl;note\r\nhttps://a.example/x;a\r\nhttps://b.example/x;b\r\n',
    listed: ["https://a.example/x", "https://b.example/x"],
    notListed: ["https://a.example/x;a"],
    skipped: []
  },
  {
    what: "a table with URLs, hosts and addresses in one column, and the servers in another",
    format: "csv",
    document: "ioc,server\nhttps://a.example/x,203.0.113.8\nb.example,203.0.113.9\n203.0.113.7,203.0.113.7\n",
    listed: ["https://a.example/x", "https://b.example/", "http://203.0.113.7/"],
    notListed: ["http://203.0.113.8/", "http://203.0.113.9/"]
  },
  {
    what: "a table of defanged addresses",
    format: "csv",
    document: "address,port\n203[.]0[.]113[.]7,80\n203[.]0[.]113[.]8,443\n",
    listed: ["http://203.0.113.7/", "http://203.0.113.8/"]
  },
  {
    what: "pages behind a backslash, as a server of Windows writes it",
    document: "https://a.example/x\\new.php\nhttps://b.example\\novo.html\nhttps://c.example/x\\n.aspx\n",
    listed: ["https://a.example/x/new.php", "https://b.example/novo.html", "https://c.example/x/n.aspx"],
    skipped: []
  },
  {
    what: "a hosts file with long zeros",
    format: "hosts",
    document:
      "::0 a.example\n0:0:0:0:0:0:0:0 b.example\n0:0:0:0:0:0:0:1 c.example\n2001:db8::1 good.example\n",
    listed: ["https://a.example/", "https://b.example/", "https://c.example/"],
    notListed: ["https://good.example/"]
  },
  {
    what: "a table with a blank after each comma",
    format: "csv",
    document:
      '# "seen", "value", "tags"\n"2026-11-22", "https://a.example/x", "kit, bank"\n"2026-11-22", "https://b.example/x", "bank"\n',
    listed: ["https://a.example/x", "https://b.example/x"],
    skipped: []
  },
  {
    what: "lines that end with CR alone",
    document: "https://a.example/x\rb.example\r",
    listed: ["https://a.example/x", "https://b.example/"]
  },
  {
    what: "lines in UTF-16",
    document: Buffer.from("\ufeffhttps://a.example/x\r\nb.example\r\n", "utf16le").swap16(),
    listed: ["https://a.example/x", "https://b.example/"]
  },
  {
    what: "domains of Squid",
    document: ".a.example\n.b.example\n",
    listed: ["https://a.example/", "https://x.b.example/"]
  },
  {
    what: "a response policy zone",
    document:
      "$TTL 2h\n@ SOA localhost. root.localhost. (1 2 3 4 5)\n  NS localhost.\na.example CNAME .\n*.a.example CNAME .\nb.example CNAME rpz-drop.\ngood.example CNAME rpz-passthru.\n",
    listed: ["https://a.example/", "https://b.example/"],
    notListed: ["https://good.example/"]
  },
  {
    what: "the head of an HTTP response",
    document: "HTTP/1.1 200 OK\n\na.example\nb.example\n",
    listed: ["https://a.example/", "https://b.example/"],
    notListed: ["http://1.1/"],
    skipped: [{ line: 1, reason: "Not a URL or host" }]
  }
]

/** How one row of the format `lines` lists a URL; or why the row is skipped. */
type Asked = readonly [row: string, url: string, kind: string]

const rows: Readonly<Record<string, ReadonlyArray<Asked>>> = {
  "rule of a filter list": [
    ["||bad.example^$document,subdocument,popup", "https://bad.example/login", "listedHost"],
    ["||bad.example^$document,subdocument", "https://www.bad.example/x", "listedHost"],
    ["||bad.example^$doc,match-case", "https://bad.example/x", "listedHost"],
    ["||bad.example^$popup,script,important", "https://bad.example/x", "listedHost"],
    ["||bad.example/pay/card^$all", "https://bad.example/pay/card", "listedUrl"],
    ["||bad.example^$document,to=shop.example", "https://bad.example/", "Restricted rule"],
    ["||bad.example^$from=shop.example", "https://bad.example/", "Restricted rule"],
    ["||bad.example^$image,font", "https://bad.example/", "Rule for parts of pages"],
    ["@@||bad.example^$document", "https://bad.example/", "Exception"],
    ["||bad.example^$all,reason=malicious", "https://bad.example/x", "listedHost"],
    ['||bad.example^$doc,reason="a fake shop, not the maker"', "https://bad.example/x", "listedHost"],
    ["||bad.example^ # a kit", "https://bad.example/x", "listedHost"],
    ["||bad.example^$doc\t! a kit", "https://bad.example/x", "listedHost"],
    ["||bad.example^$doc  # a kit", "https://bad.example/x", "listedHost"],
    ["bad.example^ # a kit", "https://bad.example/x", "listedHost"],
    ['bad.example^$doc,reason="a shop, # 1"', "https://bad.example/x", "listedHost"],
    ["bad.example # like $third-party", "https://bad.example/x", "listedHost"],
    ['||bad.example^$reason="shop # 1",domain=shop.example', "https://bad.example/", "Restricted rule"],
    ["||bad.example*", "https://bad.example/x", "listedHost"],
    ["||bad.example/pay*", "https://bad.example/pay", "listedUrl"],
    ["bad.example/pay^", "https://bad.example/pay", "listedUrl"],
    // These are about hosts that begin so.
    ["||bad.example.*", "https://bad.example/", "Wildcard in a host"],
    ["|https://bad.example.*", "https://bad.example/", "Wildcard in a host"],
    ["||bad.example-*", "https://bad.example-/", "Wildcard in a host"],
    ["||docs.google.com/forms/*", "https://docs.google.com/forms/", "Wildcard in a path"]
  ],
  "wildcard before a host": [
    ["*.bad.example", "https://bad.example/x", "listedHost"],
    ["*.bad.example", "https://login.bad.example/x", "listedHost"],
    ["*.login.bad.example", "https://login.bad.example/x", "listedHost"],
    ["https://*.bad.example/pay", "https://bad.example/pay?x", "listedPage"],
    ["||*.bad.example^$document", "https://bad.example/x", "listedHost"],
    ["*bad.example", "https://bad.example/", "Wildcard in a host"],
    ["bad.*", "https://bad.example/", "Wildcard in a host"]
  ],
  "address or network": [
    ["203.0.113.7/32", "http://203.0.113.7/x", "listedHost"],
    ["203.0.113.9/255.255.255.255", "http://203.0.113.9/x", "listedHost"],
    ["2001:db8::9/128", "http://[2001:db8::9]/x", "listedHost"],
    ["[2001:db8::a]/128", "http://[2001:db8::a]:8080/x", "listedHost"],
    ["http://203.0.113.7/32", "http://203.0.113.7/32", "listedUrl"],
    ["203.0.113.0/24", "http://203.0.113.0/24", "Network"],
    ["192.0.2.128/25", "http://192.0.2.129/", "Network"],
    ["2001:db8::/48", "http://[2001:db8::]/48", "Network"],
    ["192.0.2.1-192.0.2.9", "http://192.0.2.1/", "Network"],
    ["192.0.2.1 - 192.0.2.9", "http://192.0.2.1/", "Network"],
    ["192.0.2.1-9", "http://192.0.2.1-9/", "Network"],
    ["192.0.2.0\t192.0.2.255\t24", "http://192.0.2.0/", "Network"],
    ["192.0.2.0 255.255.255.0", "http://192.0.2.0/", "Network"],
    ["192.0.2.0 netmask 255.255.255.0", "http://192.0.2.0/", "Network"],
    ["192.0.2.1 to 192.0.2.9", "http://192.0.2.1/", "Network"],
    ["192.0.2.1 # 192.0.2.9 too", "http://192.0.2.1/", "listedUrl"],
    ["192.000.002.001 - 192.000.002.009 , 0 , a firm", "http://192.0.2.1/", "Network"]
  ],
  "note after an entry": [
    ["bad.example # PayPal kit", "https://bad.example/x", "listedHost"],
    ["bad.example\t# PayPal kit", "https://bad.example/x", "listedHost"],
    ["bad.example // seen twice", "https://bad.example/x", "listedHost"],
    ["https://bad.example/a  (down)", "https://bad.example/a", "listedUrl"],
    ["203.0.113.7 - a kit", "http://203.0.113.7/x", "listedHost"],
    ["203.0.113.7\t4", "http://203.0.113.7/x", "listedHost"],
    ["203.0.113.7\t0", "http://203.0.113.7/x", "listedHost"],
    ["bad.example # kits 1^", "https://bad.example/x", "listedHost"],
    ["203.0.113.7 https://bad.example/x", "http://203.0.113.7/", "Not a row of the format"],
    ["bad.example, worse.example", "https://bad.example/", "Not a row of the format"],
    ["bad.example & worse.example", "https://bad.example/", "Not a row of the format"],
    ["bad.example / www.bad.example", "https://bad.example/", "Not a row of the format"],
    ["bad.example:8080 worse.example:8080", "https://bad.example/", "Not a row of the format"],
    ["https://bad.example/x worse.example/y", "https://bad.example/x", "Not a row of the format"],
    ["203.0.113.7:80, 203.0.113.8:80", "http://203.0.113.7/", "Network"],
    ["bad.example, a kit", "https://bad.example/x", "listedHost"],
    ["bad.example & co", "https://bad.example/x", "listedHost"],
    ["https://bad.example/x PayPal.com/login", "https://bad.example/x", "listedUrl"],
    [
      '203.0.113.7 - - [22/Nov/2026:10:00:00 +0000] "GET /"',
      "http://203.0.113.7/",
      "Not a row of the format"
    ],
    ["0.0.0.0 bad.example.", "http://0.0.0.0/", "Row of a hosts file"],
    ["0.0.0.0 *.bad.example", "http://0.0.0.0/", "Row of a hosts file"],
    ["0.0.0.0 .bad.example", "http://0.0.0.0/", "Row of a hosts file"],
    ["127.0.0.1 bad.example:443", "http://127.0.0.1/", "Row of a hosts file"],
    ["0.0.0.0\tbad.example#kit", "http://0.0.0.0/", "Row of a hosts file"],
    ["0.0.0.0 # nobody", "http://0.0.0.0/", "listedUrl"]
  ],
  "row of an honest host": [
    ["good.example OK", "https://good.example/", "Exception"],
    ["good.example\tDUNNO", "https://good.example/", "Exception"],
    [`good.example${" ".repeat(40)}OK`, "https://good.example/", "Exception"],
    ["https://good.example/  legitimate", "https://good.example/", "Exception"],
    ["good.example # false positive", "https://good.example/", "Exception"],
    ["good.example (allowed)", "https://good.example/", "Exception"],
    ["https://bad.example/x OK", "https://bad.example/x", "listedUrl"],
    ["bad.example # OK", "https://bad.example/x", "listedHost"],
    ["bad.example direct", "https://bad.example/x", "listedHost"],
    ["bad.example # a good copy", "https://bad.example/x", "listedHost"],
    ["bad.example REJECT", "https://bad.example/x", "listedHost"],
    ["good.example CNAME rpz-passthru. ; a partner", "https://good.example/", "Exception"],
    ["good.example CNAME rpz-tcp-only.", "https://good.example/", "Exception"],
    ["good.example 60 IN CNAME Good.example.", "https://good.example/", "Exception"],
    ["www.good.example CNAME strict.good.example.", "https://www.good.example/", "Exception"],
    ["www.google.example CNAME forcesafesearch.google.com.", "https://www.google.example/", "Exception"],
    ["yandex.example CNAME familysearch.yandex.ru.", "https://yandex.example/", "Exception"],
    ["bad.example CNAME restrict.isp.example.", "https://bad.example/x", "listedHost"],
    ["good.example 0;", "https://good.example/", "Exception"],
    ["bad.example 1;", "https://bad.example/x", "listedHost"],
    ["bad.example CNAME . ; like rpz-passthru.", "https://bad.example/x", "listedHost"],
    ["bad.example CNAME blocked.example.", "https://bad.example/x", "listedHost"]
  ],
  "row with a second entry": [
    ["reporter.example\thttp://bad.example/x", "http://reporter.example/", "Not a row of the format"],
    ["one.example two.example", "http://one.example/", "Not a row of the format"],
    ["one.example: two.example, three.example", "http://one.example/", "Not a row of the format"],
    ["http://bad.example/x https://report.example/", "http://bad.example/x", "Not a row of the format"],
    ["reporter.example hxxp://bad.example/x", "http://reporter.example/", "Not a row of the format"],
    ["reporter[.]example bad[.]example", "http://reporter.example/", "Not a row of the format"],
    ["reporter.example: http://bad.example/x", "http://reporter.example/", "Not a row of the format"],
    ["reporter.example/1 http://bad.example/x", "http://reporter.example/1", "Not a row of the format"],
    ["192.0.2.7 hxxp://bad.example/x", "http://192.0.2.7/", "Not a row of the format"],
    ["bad.example Trojan.Generic", "http://bad.example/x", "listedHost"],
    ["bad.example Trojan.Win32.Agent.ru", "http://bad.example/x", "listedHost"],
    // What it imitates.
    ["http://bad.example/x bank.example", "http://bad.example/x", "listedUrl"],
    ["bad.example imitates bank.example", "http://bad.example/x", "listedHost"]
  ],
  "row cut out of a page": [
    ["http://bad.example/x<br>", "http://bad.example/x", "Not a URL or host"],
    ["http://bad.example/x</a>", "http://bad.example/x", "Not a URL or host"],
    ['http://bad.example/x"', "http://bad.example/x", "Not a URL or host"],
    ["http://bad.example/x<br />", "http://bad.example/x", "Not a URL or host"],
    ["http://bad.example/?e=<email>", "http://bad.example/?e=a", "listedPage"],
    ["<http://bad.example/x>", "http://bad.example/x", "listedUrl"],
    ["http://bad.example/?q=<b>x</b>", "http://bad.example/?q=<b>x</b>", "listedUrl"]
  ],
  "star as a path": [
    ["bad.example/*", "https://bad.example/x", "listedHost"],
    ["*://bad.example/*", "https://www.bad.example/x", "listedHost"],
    ["https://bad.example:8443/*", "https://bad.example/x", "listedHost"],
    ["https://bad.example/dir/*", "https://bad.example/dir/x", "listedDirectory"],
    ["https://bad.example/pay*", "https://bad.example/pay", "Wildcard in a path"],
    ["bad.example/*/login", "https://bad.example/a/login", "Wildcard in a path"],
    ["bad.example/*.php", "https://bad.example/a.php", "Wildcard in a path"],
    ["docs.google.com/*", "https://docs.google.com/x", "ignored"],
    ["docs.google.com/forms/*", "https://docs.google.com/forms/x", "Wildcard in a path"],
    ["https://sites.google.com/view/bad/*", "https://sites.google.com/view/bad?x", "listedUrl"],
    ["||sites.google.com/view/bad/*", "https://sites.google.com/view/bad", "listedUrl"]
  ],
  "text with HTML entities": [
    ["https://bad.example/?id=1&amp;c=2", "https://bad.example/?id=1&c=2", "listedUrl"],
    ["https://bad.example/?id=1&amp;c=2", "https://bad.example/?id=1&amp;c=2", "listedUrl"],
    ["https://bad.example/a&#x26;b", "https://bad.example/a&b", "listedUrl"],
    ["https://bad.example/a&AMP;b", "https://bad.example/a&b?x", "listedPage"],
    ["https://bad.example/a&amp;amp;b", "https://bad.example/a&amp;b", "listedUrl"],
    // It is one page, whatever the number of its spellings.
    ["https://bad.example/a&amp;amp;b", "https://bad.example/other", "not listed"]
  ],
  "sign that is escaped": [
    ["https://bad.example/pay\\_card", "https://bad.example/pay_card?x", "listedPage"],
    ["https://bad.example/pay\\_card", "https://bad.example/pay/_card", "listedUrl"],
    ["https://bad.example/pay\\?id\\=1", "https://bad.example/pay?id=1", "listedUrl"],
    ["https://bad\\.example/pay\\.php", "https://bad.example/pay.php", "listedUrl"],
    ["https://bad.example\\.well-known/x", "https://bad.example/.well-known/x", "listedUrl"]
  ],
  "text that is not an entry": [
    ["someone@bad.example", "https://bad.example/", "Not a URL or host"],
    ["7.113.0.203.in-addr.arpa", "https://203.0.113.7/", "Not a URL or host"],
    ["*.7.113.0.203.rpz-ip", "https://203.0.113.7/", "Not a URL or host"],
    ["bad.example\\nworse.example\\n", "https://bad.example/", "Not a URL or host"],
    ["https://bad.example/x\\r\\nhttps://worse.example/", "https://bad.example/x", "Not a URL or host"],
    ["https://bad.example/x\\nhttps://203.0.113.7/y", "https://bad.example/x", "Not a URL or host"],
    ["bad.example\\n203.0.113.7\\n", "https://bad.example/", "Not a URL or host"],
    ["bad.example\\r\\n", "https://bad.example/x", "listedHost"],
    ["^http://bad\\.example/.*$", "https://bad.example/", "Not a URL or host"],
    ['https://bad.example/">x</a>', "https://bad.example/", "Not a URL or host"],
    ['https://bad.example/?q="><b>', 'https://bad.example/?q="><b>', "listedUrl"],
    ["bad.example/(.*)", "https://bad.example/", "Wildcard in a path"],
    ["1. https://bad.example/", "http://0.0.0.1/", "Not a row of the format"],
    ["|https://bad.example/x|phishing|", "https://bad.example/x", "Rule for parts of pages"],
    ["bad.example.rpz.example. 60 IN CNAME .", "https://bad.example.rpz.example/", "Row of a zone file"],
    ['rpz.example. 60 IN TXT "terms"', "https://rpz.example/", "Row of a zone file"]
  ],
  "row for a parent of tenants": [
    ["linkpc.net", "https://someone.linkpc.net/", "ignored"],
    ["temporary.site", "https://someone.temporary.site/", "ignored"],
    ["*.mooo.com", "https://someone.mooo.com/", "ignored"],
    ["darktech.org", "https://someone.darktech.org/", "ignored"],
    ["zfrmz.com", "https://zfrmz.com/AbCd", "ignored"],
    ["||50megs.com^", "https://someone.50megs.com/", "ignored"],
    ["blogdigy.com", "https://someone.blogdigy.com/", "ignored"],
    ["poetry.blog", "https://someone.poetry.blog/", "ignored"],
    ["nip.io", "https://192-0-2-1.nip.io/", "ignored"],
    ["lhr.life", "https://0a1b2c3d4e.lhr.life/", "ignored"],
    ["||strangled.net^$document", "https://someone.strangled.net/", "ignored"],
    ["https://www.vercel.app/", "https://someone.vercel.app/", "ignored"],
    ["qualtrics.com", "https://someone.qualtrics.com/jfe/form/x", "ignored"],
    ["eastus.cloudapp.azure.com", "https://someone.eastus.cloudapp.azure.com/", "ignored"],
    ["qrfy.io", "https://qrfy.io/x", "ignored"],
    ["https://qrfy.io/x", "https://qrfy.io/x?utm_source=a", "listedUrl"],
    ["surveygizmo.com/s3/*", "https://surveygizmo.com/s3/x", "Wildcard in a path"],
    ["someone.subscribepage.io", "https://someone.subscribepage.io/x", "listedHost"],
    ["someone.qualtrics.com", "https://someone.qualtrics.com/x", "listedHost"],
    ["someone.linkpc.net", "https://someone.linkpc.net/x", "listedHost"],
    ["someone.linkpc.net", "https://other.linkpc.net/x", "not listed"]
  ],
  "row for a parent of wrappers": [
    [
      "outlook.com",
      "https://nam12.safelinks.protection.outlook.com/?url=https%3A%2F%2Fgood.example%2F",
      "ignored"
    ],
    ["protection.outlook.com", "https://nam12.safelinks.protection.outlook.com/", "ignored"],
    ["proofpoint.com", "https://urldefense.proofpoint.com/v2/url?u=https-3A__good.example_", "ignored"],
    ["cdn.ampproject.org", "https://good-example.cdn.ampproject.org/c/s/good.example/", "ignored"],
    ["https://outlook.com/pay", "https://outlook.com/pay", "listedUrl"],
    ["news.cudasvc.com", "https://news.cudasvc.com/x", "listedHost"],
    [
      "https://linkprotect.cudasvc.com/&#35;",
      "https://linkprotect.cudasvc.com/url?a=https://good.example",
      "ignored"
    ],
    ["https://urldefense.com/v2/*", "https://urldefense.com/v2/url?u=x", "Wildcard in a path"],
    ["https://urldefense.com/v2/", "https://urldefense.com/v2/url?u=https-3A__good.example_", "not listed"],
    [
      "https://proofpoint.com/v2/",
      "https://urldefense.proofpoint.com/v2/url?u=https-3A__good.example_",
      "not listed"
    ],
    [
      "https://proofpoint.com/v2/url?x",
      "https://urldefense.proofpoint.com/v2/url?u=https-3A__good.example_",
      "not listed"
    ],
    ["https://edgepilot.com/?x", "https://link.edgepilot.com/?u=https%3A%2F%2Fgood.example%2F", "not listed"],
    ["https://proofpoint.com/v2/", "https://proofpoint.com/v2/", "listedUrl"],
    ["https://proofpoint.com/pay/", "https://proofpoint.com/pay/x", "listedDirectory"]
  ],
  "link of a wrapper": [
    [
      "https://www.google.com/url?sa=t&amp;amp;q=https%3A%2F%2Fbad.example%2Fx&amp;amp;usg=1",
      "https://bad.example/x",
      "listedUrl"
    ],
    [
      "https://www.google.com/url?sa=t&#38;q=https%3A%2F%2Fbad.example%2Fx&#38;usg=1",
      "https://bad.example/x",
      "listedUrl"
    ],
    ["*.google.com/url?q=https%3A%2F%2Fbad.example%2Fx", "https://bad.example/x", "listedUrl"],
    [
      "https://www.google.com/url?q=https%3A%2F%2Flinkprotect.cudasvc.com%2F",
      "https://linkprotect.cudasvc.com/url?a=https%3A%2F%2Fgood.example%2F",
      "not listed"
    ],
    [
      "https://www.google.com/url?q=https%3A%2F%2Fcudasvc.com",
      "https://linkprotect.cudasvc.com/url?a=https%3A%2F%2Fgood.example%2F",
      "not listed"
    ]
  ]
}

describe("a row as people publish it", () => {
  const asked = Object.entries(rows).flatMap(([what, rows]) => rows.map((row) => [what, ...row] as const))

  it.each(asked)("is a %s: %j, and %s is %s", async (_, row, url, expected) => {
    const { counts, list } = await listOf("lines", `first.example\n${row}\nlast.example\n`)
    const [skipped] = counts.firstSkipped
    const found =
      skipped?.reason ?? (counts.ignored === 1 ? "ignored" : (kindsOf(list, url)[0] ?? "not listed"))
    assert.strictEqual(found, expected)
    assert.strictEqual(isListed(list, url), /^listed/.test(expected))
    assert.isTrue(isListed(list, "https://last.example/"))
  })
})

describe("a list as people publish it", () => {
  it.each(cases)("has $what", async ({ column, document, format = "lines", ...expected }) => {
    const { counts, list } = await listOf(format, document, column)
    for (const url of expected.listed ?? []) assert.isTrue(isListed(list, url), url)
    for (const url of expected.notListed ?? []) assert.isFalse(isListed(list, url), url)
    if (expected.skipped !== undefined) assert.deepStrictEqual(counts.firstSkipped, expected.skipped)
    if (expected.ignored !== undefined) assert.strictEqual(counts.ignored, expected.ignored)
  })

  it.each<[what: string, document: string]>([
    ["dnsmasq", "address=/a.example/0.0.0.0\nserver=/b.example/\nlocal=/c.example/\n"],
    ["unbound", 'server:\n  local-zone: "a.example" always_nxdomain\nlocal-data: "b.example A 0.0.0.0"\n'],
    ["Clash", "payload:\n  - '+.a.example'\n  - DOMAIN-SUFFIX,b.example\n"],
    ["regular expressions", "(^|\\.)a\\.example$\n^b\\.example$\n/c\\.example/\n"],
    ["an array of JSON", '[\n  "https://a.example/",\n  "https://b.example/"\n]\n'],
    ["an array of JSON in one line", '["a.example","b.example"]'],
    ["an object of JSON", '{"a.example": 1,\n"b.example": 2}\n'],
    [
      "MISP",
      '{"Event": {"Attribute": [\n{"type": "url", "value": "https://a.example/"},\n{"type": "domain", "value": "b.example"}]}}\n'
    ],
    ["STIX", '{"type": "indicator",\n "pattern": "[url:value = \'https://a.example/\']"\n}\n'],
    ["JSON Lines", '{"url":"https://a.example/"}\n{"url":"https://b.example/"}\n'],
    ["YAML", "- https://a.example/\n- https://b.example/\n"],
    [
      "an access log",
      '192.0.2.1 - - [22/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200\n'.replace("192.0.2.1 - -", "- - -")
    ],
    ["UTF-16 without a mark", "h\0t\0t\0p\0:\0/\0/\0a\0.\0e\0x\0/\0\n\0"],
    ["networks", "203.0.113.0/24 ; SBL1\n198.51.100.0/24 ; SBL2\n"],
    ["ranges of addresses", "203.0.113.1-203.0.113.9\n198.51.100.1 - 198.51.100.9\n"],
    ["an object of JSON in one line", '{"urls":[{"url":"https://a.example/"},{"url":"https://b.example/"}]}'],
    ["dnsmasq without addresses", "address=/a.example/\naddress=/b.example/#\n"],
    ["unbound without quotes", "local-zone: a.example. refuse\nlocal-zone: b.example. refuse\n"],
    ["BIND", 'zone "a.example" { type master; file "/etc/null.zone"; };\n'],
    ["Knot Resolver", "policy.add(policy.suffix(policy.DENY, {todname('a.example.')}))\n"],
    [
      "a zone with names that end with its own",
      "a.example.rpz.example. CNAME .\n*.b.example.rpz.example. 60 IN A 0.0.0.0\n"
    ],
    ["a zone of addresses", "32.7.113.0.203.rpz-ip CNAME .\n24.0.113.0.203.rpz-ip CNAME .\n"],
    ["Squid's access lists", "acl bad dstdomain .a.example\nacl bad dstdomain .b.example\n"],
    ["Squid's patterns", "^https?://a\\.example/\n\\.b\\.example$\n"],
    ["a STIX bundle", '{"type":"bundle","objects":[{"pattern":"[url:value = \'https://a.example/\']"}]}'],
    ["STIX patterns", "[url:value = 'https://a.example/']\n[domain-name:value = 'b.example']\n"],
    ["labels", "allow:good.example\nvisit:bad.example\nLink: https://c.example/\n"],
    ["v2fly", "full:a.example\ndomain:b.example\nregexp:^c\\.example$\n"],
    ["times before URLs", "2026-11-22T10:00:00Z https://a.example/\n1700000000.5 https://b.example/\n"],
    ["numbered lines", "1. https://a.example/\n2. https://b.example/\n"],
    [
      "blocks of addresses",
      "203.0.113.0\t203.0.113.255\t24\t9\n198.51.100.0\t198.51.100.255\t24\t8\n192.0.2.0\t192.0.2.255\t24\t7\n"
    ],
    ["addresses before URLs", "203.0.113.7 https://a.example/\n203.0.113.8 https://b.example/\n"],
    ["XML", "<urls>\n<url>https://a.example/</url>\n<url>https://b.example/</url>\n</urls>\n"],
    ["addresses of mail", "someone@a.example\nother@b.example\n"],
    ["Privoxy, with exceptions", "{ +block{x} }\n.a.example\n.b.example\n{ -block }\n.good.example\n"],
    ["iptables", "-A INPUT -s 203.0.113.7 -j DROP\n-A INPUT -s 203.0.113.8 -j DROP\n"]
  ])("is refused in the notation of %s, in each format", async (_, document) => {
    for (const format of feedFormats) {
      const result = await built(format, document)
      assert.strictEqual(result._tag, "ListError", format)
      const reason = result._tag === "ListError" ? result.reason : ""
      assert.oneOf(reason, ["NotAFeed", "Columns", "Empty", "Corrupt"], format)
    }
  })

  it.each<[what: string, document: string]>([
    ["Surge", "DOMAIN-SUFFIX,a.example,REJECT\nDOMAIN,b.example,REJECT\n"],
    [
      "a Markdown table",
      "|url|kind|\n|---|---|\n|https://a.example/x|phishing|\n|https://b.example/x|phishing|\n"
    ],
    ["strings of a script", '"https://a.example/x",\n"https://b.example/x",\n'],
    ["hosts with counts", "a.example,10\nb.example,20\nc.example,5\n"],
    [
      "a table whose tags have commas",
      'https://a.example/x,2026-11-22,"kit"\nhttps://b.example/x,2026-11-22,"kit,bank"\nhttps://c.example/x,2026-11-22,"kit,bank,post"\n'
    ]
  ])("is refused as lines, and read as a table, in the notation of %s", async (_, document) => {
    assert.strictEqual((await built("lines", document))._tag, "ListError")
    const { list } = await listOf("csv", document)
    assert.isTrue(isListed(list, "https://a.example/x"))
    assert.isTrue(isListed(list, "https://b.example/x"))
  })

  it.each<[document: string, column: string | undefined, detail: string]>([
    [
      "id,url,report\n1,https://a.example/,https://b.example/\n",
      undefined,
      "columns 2 and 3 have URLs or hosts"
    ],
    [
      `${"https://a.example/,".repeat(100)}x\n`,
      undefined,
      "columns 1 and 2 and 3 and 4 and 5 and 95 others have URLs or hosts"
    ],
    ["domain,source\na.example,https://reports.example/1\n", undefined, "columns 1 and 2 have URLs or hosts"],
    [
      "ioc,reference\ndomain:a.example,https://reports.example/1\n",
      undefined,
      'the only column with URLs or hosts is "reference"'
    ],
    [
      "# ioc,Report URL\ndomain:a.example,https://reports.example/1\n",
      undefined,
      'the only column with URLs or hosts is "Report URL"'
    ],
    ["id,name\n1,x\n", undefined, "no column has URLs or hosts"],
    [
      "url,label\nhttps://a.example/x,1\nhttps://good.example/x,0\n",
      undefined,
      "the numbers in column 2 do not say which rows are phishing: leave only these, and not the column"
    ],
    [
      "url,label\nhttps://a.example/x,1\nhttps://b.example/x,NaN\nhttps://good.example/x,0\n",
      undefined,
      "the numbers in column 2 do not say which rows are phishing: leave only these, and not the column"
    ],
    [
      "number;class;url\n1;-1;https://a.example/x\n",
      "url",
      "the numbers in column 2 do not say which rows are phishing: leave only these, and not the column"
    ],
    [
      "Reported URLs\nurl;note\nhttps://a.example/x;a\nhttps://b.example/x;b\n",
      undefined,
      "the first line has no delimiter, but others have"
    ],
    [
      "Reported URLs\nurl\tnote\nhttps://a.example/x\ta\nhttps://b.example/x\tb\n",
      undefined,
      "the first line has no delimiter, but others have"
    ],
    [
      "ioc,file\nhttps://a.example/x,a.zip\nb.example,b.zip\n203.0.113.7,c.sh\n",
      undefined,
      "columns 1 and 2 have URLs or hosts"
    ],
    ["id,url\n1,https://a.example/\n", "link", 'no column "link"; there are 2'],
    ["id,url\n1,https://a.example/\n", "3", 'no column "3"; there are 2'],
    ["", "url", "undefined"]
  ])("does not guess the column of %j", async (document, column, detail) => {
    const result = await built("csv", document, column)
    assert.strictEqual(result._tag === "ListError" ? String(result.detail) : "a list", detail)
  })
})

const formats = [
  "lines",
  "hosts",
  "csv",
  "phishunt-csv",
  "tweetfeed-csv",
  "phishtank-csv",
  "urlhaus-csv",
  "majestic-csv",
  "ranked-csv"
] as const

const feedFormats = formats.slice(0, 7)

const names = Array.from({ length: 40 }, (_, i) => `h${i}.example`)

const documents: Readonly<Record<Format | `${string} ${string}`, string>> = {
  "lines of hosts": names.map((name) => `${name}\n`).join(""),
  "lines with notes": names.map((name) => `https://${name}/x # a kit\n`).join(""),
  "rules of filter lists": names.map((name) => `||${name}^$document,popup\n`).join(""),
  "hosts with notes": names.map((name) => `127.0.0.1\t${name}\t# a kit\n`).join(""),
  "csv of hosts": names.map((name) => `${name},2026-11-22,phishing\n`).join(""),
  lines: names.map((name) => `https://${name}/x\n`).join(""),
  hosts: names.map((name) => `0.0.0.0 ${name}\n`).join(""),
  csv: `seen;link\n${names.map((name) => `2026-11-22;https://${name}/x\n`).join("")}`,
  "phishunt-csv": `url,domain,company,date,first_seen\n${names.map((name) => `https://${name}/x,${name},x,2026,2026\n`).join("")}`,
  "tweetfeed-csv": names
    .map((name) => `2026-11-22 10:00:00,x,url,https://${name}/x,#phishing,https://x.example/1\n`)
    .join(""),
  "phishtank-csv": `phish_id,url,phish_detail_url,submission_time,verified\n${names.map((name) => `1,https://${name}/x,http://www.phishtank.com/1,2026,yes\n`).join("")}`,
  "urlhaus-csv": names
    .map(
      (name) =>
        `"1","2026-11-22","https://${name}/x","online","","malware_download","elf","https://urlhaus.abuse.ch/url/1/","x"\n`
    )
    .join(""),
  "majestic-csv": `GlobalRank,TldRank,Domain\n${names.map((name, i) => `${i},1,${name}\n`).join("")}`,
  "ranked-csv": names.map((name, i) => `${i + 1},${name}\n`).join("")
}

describe("a wrong format", () => {
  it.each(
    formats.flatMap((format) =>
      Object.entries(documents).map(([kind, document]) => [format, kind, document] as const)
    )
  )("%s for a document of %s has a list only of rows that match", async (format, kind, document) => {
    const result = await built(format, document)
    if (result._tag === "ListError") {
      assert.notStrictEqual(format, kind)
      return
    }
    const isRanking = format === "majestic-csv" || format === "ranked-csv"
    for (const name of names)
      assert.isTrue(isRanking ? result.list.hasHost(name) : isListed(result.list, `https://${name}/x`), name)
  })
})

describe("every used row", () => {
  const label = FastCheck.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/)
  const host = FastCheck.array(label, { minLength: 1, maxLength: 3 }).map(
    (labels) => `${labels.join(".")}.example`
  )
  const rest = FastCheck.constantFrom(
    "/",
    "/a",
    "/a/",
    "/a/b.php?x=1&y=2",
    "/?q",
    "/a%20b",
    "/\u00fc",
    "/a;b=1,2",
    "/x&amp;y"
  )
  const url = FastCheck.tuple(FastCheck.constantFrom("https", "http"), host, rest).map(
    ([scheme, host, rest]) => `${scheme}://${host}${rest}`
  )
  const quoted = (text: string) => `"${text}"`
  const hostOf = (url: string) => new URL(url).hostname
  const writers: Readonly<Record<FeedFormatName, (urls: ReadonlyArray<string>) => string>> = {
    lines: (urls) => urls.join("\n"),
    hosts: (urls) => urls.map((url) => `0.0.0.0 ${hostOf(url)}`).join("\n"),
    csv: (urls) => ["n,link", ...urls.map((url, n) => `${n},${quoted(url)}`)].join("\r\n"),
    "phishunt-csv": (urls) => ["url,first_seen", ...urls.map((url) => `${quoted(url)},2026`)].join("\n"),
    "tweetfeed-csv": (urls) => urls.map((url) => `2026,x,url,${quoted(url)},#phishing,y`).join("\n"),
    "phishtank-csv": (urls) =>
      ["url,submission_time", ...urls.map((url) => `${quoted(url)},2026`)].join("\n"),
    "urlhaus-csv": (urls) => urls.map((url) => `1,2026,${quoted(url)},x,,x,x,x,x`).join("\n")
  }

  it.each(feedFormats)("of a document in the format %s finds itself", async (format) => {
    if (format === "majestic-csv" || format === "ranked-csv") return
    await FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(url, { minLength: 1, maxLength: 20 }), async (urls) => {
        const { counts, list } = await listOf(format, writers[format](urls))
        assert.deepInclude(counts, { skipped: 0, ignored: 0 })
        for (const url of urls) assert.isTrue(isListed(list, url), url)
      }),
      { numRuns: 50 }
    )
  })

  /** Ways in which people write a URL, or the host of it. */
  const spellings: ReadonlyArray<(url: string) => string> = [
    (url) => url,
    (url) => url.replace(/^http/, "hxxp").replace(".", "[.]"),
    (url) => url.replace(/^https?:\/\//, ""),
    (url) => url.replaceAll("&amp;", "&").replaceAll("&", "&amp;"),
    (url) => `<${url}>`,
    (url) => `${url} # a note`,
    (url) => `${url}\tseen twice`,
    (url) => `*.${hostOf(url)}`,
    (url) => `*://${hostOf(url)}/*`,
    (url) => `||${hostOf(url)}^$document,popup`,
    (url) => `|${url}|`,
    (url) => `.${hostOf(url)}`,
    (url) => `${hostOf(url)} 60 IN CNAME .`
  ]
  const spelled = FastCheck.tuple(url, FastCheck.constantFrom(...spellings)).map(([url, spelling]) => ({
    url,
    row: spelling(url)
  }))

  it("of a document of lines finds its URL, however that is written", async () => {
    await FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(spelled, { minLength: 1, maxLength: 20 }), async (rows) => {
        const { counts, list } = await listOf(
          "lines",
          ["# Begins like no page", ...rows.map(({ row }) => row)].join("\n")
        )
        assert.deepInclude(counts, { skipped: 0, ignored: 0 })
        for (const { row, url } of rows) assert.isTrue(isListed(list, url), row)
      }),
      { numRuns: 200 }
    )
  })

  it.each(["lines.txt", "any.csv", "phishunt.csv", "tweetfeed.csv", "phishtank.csv", "urlhaus.csv"])(
    "of %s is read",
    async (file) => {
      const format =
        new Map([
          ["lines.txt", "lines"],
          ["any.csv", "csv"]
        ]).get(file) ?? file.replace(".", "-")
      const known = formats.find((name) => name === format) ?? assert.fail(format)
      const { list } = await listOf(
        known,
        readFileSync(new URL(`../../fixtures/feeds/${file}`, import.meta.url))
      )
      assert.isAbove(list.header.entries, 0)
    }
  )
})

describe("a row that says that it was copied", () => {
  it("is marked in the list, unless another row of the address was not", async () => {
    const { list } = await listOf(
      "phishunt-csv",
      "url,first_seen,malicious_google,malicious_openphish,malicious_urlscan\nhttps://a.example/,x,False,True,False\nhttps://b.example/,x,False,False,True\nhttps://c.example/,x,true,false,false\nhttps://c.example/,x,false,false,false\nhttps://d.example/x,x,true,false,false\n"
    )
    const isCopied = (url: string) => {
      const match = Submission.read(url, 0).addresses.map(({ expressions }) => list.match(expressions))[0]
      return match?.kind === "otherPagesListed" ? undefined : match?.isCopied
    }
    assert.deepStrictEqual(
      [
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
        "https://d.example/x",
        "https://e.example/"
      ].map(isCopied),
      [true, false, false, true, undefined]
    )
  })
})

describe("a row for a parent", () => {
  const parents = (["dynamicDns", "freeHosting", "tenants", "companyService"] as const)
    .flatMap((role) => [...Hosts.namesWith(role)])
    .concat("github.io", "vercel.app", "pages.dev", "blogspot.com", "netlify.app", "web.app", "duckdns.org")

  it("condemns no tenant, and lists pages of the parent's own site", async () => {
    const rows = parents.flatMap((name) => [name, `https://www.${name}/`, `https://${name}/own-page-x?a=1`])
    const { counts, list } = await listOf("lines", rows.join("\n"))
    assert.strictEqual(counts.ignored, 2 * parents.length)
    for (const name of parents) {
      const tenant = `https://tenant-x.${name}/`
      // A name in front of several suffixes of the table is no tenant itself.
      if (!parents.includes(`tenant-x.${name}`)) assert.isFalse(isListed(list, tenant), tenant)
      assert.isTrue(isListed(list, `https://${name}/own-page-x?a=1`), name)
      assert.isFalse(isListed(list, `https://${name}/`), name)
    }
    assert.isTrue(PublicSuffix.isPrivateSuffix("vercel.app"))
  })

  it("says nothing about the links of a wrapper below it", async () => {
    const hosts = [...new Set(wrappers.flatMap(({ hosts }) => hosts.map((host) => host.replace("*.", ""))))]
    const above = [...new Set(hosts.flatMap((host) => PublicSuffix.hostAndDomains(host)))]
    const { counts, list } = await listOf("lines", [...above, "last.example"].join("\n"))
    assert.deepInclude(counts, { skipped: 0, ignored: above.length })
    for (const host of hosts) assert.isFalse(isListed(list, `https://${host}/link-x?y=z`), host)
  })

  it("condemns no tenant of any private suffix, and lists pages of the parent's own site", async () => {
    const suffixes = await privateSuffixes()
    assert.isAbove(suffixes.length, 3_000)
    const names = suffixes.filter((suffix) => !suffix.startsWith("*."))
    const above = suffixes.filter((suffix) => suffix.startsWith("*.")).map((suffix) => suffix.slice(2))
    const tenantsOfWildcards = Hosts.namesWith("wildcardTenants")
    // Each name under these is one tenant's, `www` too.
    const others = names.filter((name) => !tenantsOfWildcards.has(name))
    const regions = above.filter((name) => !tenantsOfWildcards.has(name)).map((name) => `region-x.${name}`)
    const parents = [...names, ...above, ...regions, ...others.map((name) => `www.${name}`)]
    const pages = [...names, ...regions].map((name) => `https://${name}/own-page-x?a=1`)
    const { counts, list } = await listOf("lines", [...parents, ...pages].join("\n"))
    assert.deepInclude(counts, { skipped: 0, ignored: parents.length })
    const tenants = [...names, ...above, ...regions].map((name) => `https://tenant-x.${name}/`)
    assert.deepStrictEqual(
      tenants.filter((url) => isListed(list, url)),
      []
    )
    assert.deepStrictEqual(
      pages.filter((url) => !isListed(list, url)),
      []
    )
  })
})
