import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Record } from "effect"
import type { FeedFormatName, RankingFormatName } from "../../../src/Layers/AppConfig.ts"
import { ListError } from "../../../src/Lists/ListError.ts"
import type { FeedRow } from "../../../src/Lists/ThreatFeed/FeedFormat/FeedReader.ts"
import * as FeedFormat from "../../../src/Lists/ThreatFeed/FeedFormat.ts"
import { leastCpuMs } from "../../fixtures/LeastCpuTime.ts"
import { majestic } from "../../fixtures/Rankings.ts"

/** Of CPU time for four megabytes; parsed for each of 2,000 columns, they took minutes. */
const MAX_MS = 5000

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/feeds/${name}`, import.meta.url))

/** Why a reader rejects a document. */
const reasonOf = (read: () => unknown) => {
  try {
    read()
    return undefined
  } catch (error) {
    if (!(error instanceof ListError)) throw error
    return error.detail === undefined ? error.reason : `${error.reason} (${error.detail})`
  }
}

const read = (format: FeedFormatName | RankingFormatName, document: string | Buffer, pieceBytes = 65_536) => {
  const bytes = Buffer.from(document)
  const reader = FeedFormat.reader(format)
  const rows: Array<FeedRow> = []
  const reason = reasonOf(() => {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      for (const row of reader.read(bytes.subarray(at, at + pieceBytes))) rows.push(row)
    for (const row of reader.end()) rows.push(row)
  })
  const { total, unexpected } = reader.skipped
  return {
    rows: rows.map(({ line: _, ...row }) => row),
    unreadable: unexpected,
    unused: total - unexpected,
    reason
  }
}

const texts = (rows: ReadonlyArray<Pick<FeedRow, "text">>) => rows.map(({ text }) => text)

interface Fixture {
  readonly file: string
  readonly rows: ReadonlyArray<readonly [text: string, category: string]>
  /** The date of the first row. */
  readonly published?: string
  /** How many rows are not rows of the format. */
  readonly unreadable?: number
  /** How many rows name nothing that a list contains. */
  readonly unused?: number
}

const fixtures: Readonly<Record<FeedFormatName, Fixture>> = {
  lines: {
    file: "lines.txt",
    unreadable: 1,
    rows: [
      ["https://login-example.pages.dev/", "malicious"],
      ["http://files.example.net:8080/bank/verify.php?id=1", "malicious"],
      ["bare.example", "malicious"],
      ["hxxps://defanged[.]example/a", "malicious"],
      ["https://spaces.example.org/b", "malicious"],
      ["192.0.2.44", "malicious"],
      ["2001:db8::1]", "malicious"],
      ["https://last.example/without/newline", "malicious"]
    ]
  },
  hosts: {
    file: "hosts.txt",
    unreadable: 2,
    unused: 5,
    rows: [
      ["bad.example", "malicious"],
      ["worse.example", "malicious"],
      ["www.worse.example", "malicious"],
      ["Tabbed.Example", "malicious"],
      ["short.example", "malicious"],
      ["p\u00e4ge.example", "malicious"],
      ["last.example", "malicious"]
    ]
  },
  csv: {
    file: "any.csv",
    unreadable: 1,
    rows: [
      ["https://login.example.net/a?b=1,2", "malicious"],
      ["http://\u00fcnder.example/", "malicious"],
      ["https://c.example/x;y", "malicious"]
    ]
  },
  "phishunt-csv": {
    file: "phishunt.csv",
    published: "2026-08-22T18:01:25.854453+00:00",
    rows: [
      ["https://login.examplebank.example/", "suspected phishing"],
      ["http://examplebank-login.example", "suspected phishing"],
      ["https://tenant-one.vercel.app/", "suspected phishing"],
      ["https://secure.example.net/session/start.php?token=1", "suspected phishing"],
      ["https://github.com/", "suspected phishing"]
    ]
  },
  "tweetfeed-csv": {
    file: "tweetfeed.csv",
    published: "2026-07-23 01:31:00",
    unused: 2,
    rows: [
      ["phish.example.com", "phishing"],
      ["https://phish.example.com/login", "phishing"],
      ["http://files.example.net/a.exe", "malware"],
      ["http://shop.example.org/pay?items=1,2", "malicious"],
      ["https://both.example.org/x", "phishing"],
      ["https://phish.example.com/login", "malicious"]
    ]
  },
  "phishtank-csv": {
    file: "phishtank.csv",
    published: "2026-08-29T21:09:12+00:00",
    rows: [
      ["http://login.example.com/a?x=1,2", "phishing"],
      ["https://verify.example.com/accounts/", "phishing"],
      ["http://192.0.2.33:8080/web/index.html", "phishing"],
      ["https://docs.google.com/forms/d/invented/viewform", "phishing"],
      ["https://wide.example.org/", "phishing"]
    ]
  },
  "urlhaus-csv": {
    file: "urlhaus.csv",
    published: "2026-08-29 10:15:06",
    rows: [
      ["http://files.example.com/a,b/bin.sh", "malware"],
      ["http://198.51.100.9:60905/i", "malware"],
      ["https://drop.example.net/doc/", "malware"]
    ]
  }
}

const feedFormats = Record.keys(fixtures)

const phishTankHeader =
  "phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target\n"
const phishTankRow = (id: number, url: string) =>
  `${id},${url},http://www.phishtank.com/phish_detail.php?phish_id=${id},2026-08-29T21:09:12+00:00,yes,2026-08-29T21:11:40+00:00,yes,Other\n`

describe("FeedFormat", () => {
  it.each(feedFormats)("reads %s", (format) => {
    const { file, published, rows, unreadable = 0, unused = 0 } = fixtures[format]
    const { rows: found, ...rest } = read(format, fixture(file))
    assert.deepStrictEqual(
      found.map(({ text, category = "malicious" }) => [text, category] as const),
      rows
    )
    assert.strictEqual(found[0]?.published, published)
    assert.deepStrictEqual(rest, { unreadable, unused, reason: undefined })
  })

  it.each(feedFormats)(
    "reads %s in pieces of any size, with either line end, with and without the last",
    (format) => {
      const { file } = fixtures[format]
      const whole = read(format, fixture(file))
      const unix = fixture(file).toString().replaceAll("\r\n", "\n").trimEnd()
      const spellings = [`${unix}\n`, unix, unix.replaceAll("\n", "\r\n"), `\ufeff${unix}\n\n`]
      for (const spelling of spellings)
        for (const pieceBytes of [1, 2, 3, 7, 64, 4097])
          assert.deepStrictEqual(read(format, spelling, pieceBytes), whole)
    }
  )

  it("reads a character that is cut in two", () => {
    const row = "https://example.net/p\u00e4ge\u20ac\u{1f600}"
    for (const pieceBytes of [1, 2, 3, 5]) {
      assert.deepStrictEqual(texts(read("lines", row, pieceBytes).rows), [row])
      assert.deepStrictEqual(
        texts(read("phishtank-csv", phishTankHeader + phishTankRow(1, row), pieceBytes).rows),
        [row]
      )
    }
  })

  describe("lines", () => {
    it("gives the same rows whatever the bytes and the chunks", () => {
      const part = FastCheck.constantFrom(
        ...["https://", "evil.example", "/", "/a", "?b", "%41", "\r", "\0", "\ufeff", "\t", " ", "# c", "/#"],
        ...["\u00fc", "\u{1f600}", "[.]", ":80"]
      )
      const line = FastCheck.array(part, { maxLength: 6 }).map((parts) => parts.join(""))
      const cuts = FastCheck.array(FastCheck.nat(400), { maxLength: 8 })
      FastCheck.assert(
        FastCheck.property(FastCheck.array(line, { maxLength: 40 }), cuts, (lines, cuts) => {
          const bytes = Buffer.from(lines.join("\n"))
          const reader = FeedFormat.reader("lines")
          const rows: Array<FeedRow> = []
          let start = 0
          for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
            rows.push(...reader.read(bytes.subarray(start, cut)))
            start = Math.max(start, cut)
          }
          rows.push(...reader.end())
          const expected = lines
            .flatMap((line) => line.split("\r"))
            .map((line) => line.trim())
            .filter((line) => line !== "" && !/^(?:#|\/\/\s)/.test(line))
          const isWeb = (word: string) => word.startsWith("https://")
          // A second entry has a known suffix, or a path too.
          const isHost = (word: string) => /^[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*\.?(?::\d+)?$/i.test(word)
          const isUsed = (line: string) => {
            const [entry = "", note] = line.split(/\s+/)
            if (/^\/[^/].*\/[a-z]*(?:\$.*)?$/.test(line)) return false
            if (note !== undefined && isWeb(note)) return false
            const [host = "", path = ""] = (note ?? "").split("/", 2)
            const isSecond = isHost(host) && /\.example(?::80)?$/.test(host)
            if (isSecond && (isHost(entry) || path !== "")) return false
            return note === undefined || note.startsWith("#") || /[.:]/.test(entry)
          }
          assert.deepStrictEqual(
            texts(rows),
            expected.filter(isUsed).map((line) => line.split(/\s/, 1).join())
          )
          assert.strictEqual(reader.skipped.total, expected.length - rows.length)
        }),
        { numRuns: 300 }
      )
    })

    it("reads bytes that are not UTF-8, for the parser to reject", () => {
      const bytes = Buffer.from("http://a.example/\xff\nhttp://b\x80.example/\n\xfe\xff\n", "latin1")
      assert.deepStrictEqual(texts(read("lines", bytes).rows), [
        "http://a.example/\ufffd",
        "http://b\ufffd.example/",
        "\ufffd\ufffd"
      ])
    })

    it("ignores comments and blank lines", () => {
      assert.deepStrictEqual(read("lines", "# a\r\n\r\n   \n  # b\n\n"), {
        rows: [],
        unreadable: 0,
        unused: 0,
        reason: undefined
      })
    })

    it.each<[rule: string, entry: string]>([
      ["||bad.example^", "bad.example"],
      ["||bad.example", "bad.example"],
      ["||bad.example ^", "bad.example"],
      ["||bad.example^$all", "bad.example"],
      ["||bad.example^$doc,important", "bad.example"],
      ["||bad.example^$document", "bad.example"],
      ["||bad.example^$document,subdocument,popup", "bad.example"],
      ["||bad.example^$subdocument,doc", "bad.example"],
      ["||bad.example^$popup", "bad.example"],
      ["||bad.example^*", "bad.example"],
      ["||bad.example^|", "bad.example"],
      ["|https://bad.example/login|", "https://bad.example/login"],
      ["https://bad.example/login$document", "https://bad.example/login"],
      ["bad.example^$all", "bad.example"],
      ["||192.0.2.7^", "192.0.2.7"],
      ["||bad.example/login/^", "bad.example/login/"],
      ["||bad.example/login?id=1", "bad.example/login?id=1"]
    ])("reads the rule %s", (rule, entry) => {
      assert.deepStrictEqual(read("lines", rule), {
        rows: [{ text: entry }],
        unreadable: 0,
        unused: 0,
        reason: undefined
      })
    })

    it.each([
      "@@||good.example^",
      "@@||good.example/a b^",
      "||ads.example^$third-party",
      "||ads.example^$document,third-party",
      "||ads.example^$document,domain=good.example",
      "||ads.example^$document,~script",
      "||ads.example^$script,subdocument",
      "https://ads.example/a.js$script",
      "@*://good.example/*",
      "||ads.example$third-party",
      "||ads.example^$script,domain=good.example",
      "||ads.example^$all,badfilter",
      "||ads.example^banner^",
      "good.example##.banner",
      "good.example,www.good.example##div > .banner",
      "good.example#@#.banner",
      "good.example#?#div:has(> a)",
      "good.example#$#body { margin: 0 }",
      "good.example#@$?#a"
    ])("does not use the rule %s", (rule) => {
      assert.deepStrictEqual(read("lines", rule), {
        rows: [],
        unreadable: 1,
        unused: 0,
        reason: undefined
      })
    })

    it("ignores the comments of filter lists", () => {
      const document =
        "[Adblock Plus 2.0]\n! Title: an invented list\n!\n[AdGuard]\n##.banner\n||bad.example^\n"
      assert.deepStrictEqual(read("lines", document), {
        rows: [{ text: "bad.example" }],
        unreadable: 0,
        unused: 0,
        reason: undefined
      })
    })

    it("reads URLs that resemble rules", () => {
      const urls = [
        "[adb8::1]",
        "http://a.example/##b",
        "a.example/b##c",
        "http://a.example:80##c",
        "a.example#b"
      ]
      assert.deepStrictEqual(texts(read("lines", urls.join("\n")).rows), urls)
    })

    it.each<[line: string, entry: string]>([
      ["bad.example # a kit", "bad.example"],
      ["https://bad.example/a\ta kit", "https://bad.example/a"],
      ["bad.example CNAME .", "bad.example"],
      ["https://bad.example/a#b", "https://bad.example/a#b"]
    ])("reads %j up to its note", (line, entry) => {
      assert.deepStrictEqual(texts(read("lines", line).rows), [entry])
    })

    it.each<[line: string, reason: string]>([
      ["0.0.0.0 a.example", "Row of a hosts file"],
      ["::1\tlocalhost", "Row of a hosts file"],
      ["good.example CNAME rpz-passthru.", "Exception"],
      ["32.7.2.0.192.rpz-ip CNAME .", "Row of a zone file"],
      ["32.7.2.0.192.rpz-client-ip.rpz.example.org CNAME rpz-drop.", "Row of a zone file"],
      ["@ SOA localhost. root.localhost. (", "Row of a zone file"],
      ["a sentence", "Not a URL or host"],
      ["/bad\\.example/", "Regular expression"]
    ])("skips %j: %s", (line, reason) => {
      const reader = FeedFormat.reader("lines")
      assert.deepStrictEqual([...reader.read(Buffer.from(line)), ...reader.end()], [])
      assert.deepStrictEqual(reader.skipped.first, [{ line: 1, reason }])
    })

    it("skips a line of more than 16 KiB and goes on", () => {
      const longest = `http://a.example/${"a".repeat(16_384 - 17)}`
      for (const pieceBytes of [100, 65_536])
        assert.deepStrictEqual(
          read(
            "lines",
            `x.example\n${longest}a\n${longest}\n${"b".repeat(100_000)}\ny.example\n`,
            pieceBytes
          ),
          {
            rows: [{ text: "x.example" }, { text: longest }, { text: "y.example" }],
            unreadable: 2,
            unused: 0,
            reason: undefined
          }
        )
    })

    it("stores no more of an endless line than the longest entry", () => {
      const reader = FeedFormat.reader("lines")
      const piece = Buffer.alloc(65_536, "a")
      for (let i = 0; i < 5000; i++) assert.deepStrictEqual([...reader.read(piece)], [])
      assert.deepStrictEqual([...reader.read(Buffer.from("\nz.example\n"))], [{ text: "z.example", line: 2 }])
      assert.strictEqual(reader.skipped.total, 1)
    })
  })

  describe("hosts", () => {
    it.each<[line: string, ...entries: ReadonlyArray<string>]>([
      ["0.0.0.0 bad.example", "bad.example"],
      ["127.1.2.3 a.example b.example\tc.example#d.example", "a.example", "b.example", "c.example"],
      ["::1 localhost bad.example", "bad.example"],
      ["0.0.0.0 _dmarc.bad.example", "_dmarc.bad.example"],
      ...["// see", ";", "-", "(as"].map((mark): [string, string] => [
        `0.0.0.0 bad.example ${mark} bank.example`,
        "bad.example"
      ])
    ])("reads %s", (line, ...entries) => {
      assert.deepStrictEqual(texts(read("hosts", line).rows), entries)
    })

    it.each([
      "127.0.0.1 localhost",
      "::1 ip6-loopback",
      "fe00::0 ip6-localnet",
      "0.0.0.0 192.0.2.1",
      "10.0.0.1 a.lan"
    ])("does not use %s", (line) => {
      assert.deepStrictEqual(read("hosts", line), { rows: [], unreadable: 0, unused: 1, reason: undefined })
    })

    it.each([
      "bad.example",
      "0.0.0.0",
      "bad.example 0.0.0.0",
      "0.0.0.0 http://bad.example/",
      "404 not.found"
    ])("cannot read %s", (line) => {
      assert.deepStrictEqual(read("hosts", line), { rows: [], unreadable: 1, unused: 0, reason: undefined })
    })
  })

  describe("tables", () => {
    it("stores no more than the last of very many comments before the first row", () => {
      const reader = FeedFormat.reader("csv")
      const piece = Buffer.from("#\n".repeat(32_768))
      const before = process.memoryUsage().heapUsed
      for (let i = 0; i < 120; i++) reader.read(piece)
      assert.isBelow(process.memoryUsage().heapUsed - before, 120_000_000)
    })

    it.each([10, 49, 50, 51, 101, 300])("find their columns after %s lines of comments", (count) => {
      const table = "name,link,first_seen,url,submission_time\nn,http://a.example/,x,http://b.example/,y\n"
      for (const start of ["", "sep=,\n"])
        for (const line of ["# terms; of; use\n", " # terms; of; use\n", "  \n#\n"]) {
          const comments = start + line.repeat(count)
          assert.deepStrictEqual(
            texts(read("csv", `${comments}name,link\nn,http://a.example/\nm,http://b.example/\n`).rows),
            ["http://a.example/", "http://b.example/"]
          )
          for (const format of ["phishtank-csv", "phishunt-csv"] as const) {
            const { rows, ...rest } = read(format, comments + table)
            assert.deepStrictEqual(texts(rows), ["http://b.example/"])
            assert.deepStrictEqual(rest, { unreadable: 0, unused: 0, reason: undefined })
          }
        }
    })

    it("find a column by its name in a comment after the line that names the delimiter", () => {
      const reader = FeedFormat.reader("csv", "link")
      const document = "sep=;\n# date;link\n2026-08-29;http://a.example/\n2026-08-30;http://b.example/\n"
      const rows = [...reader.read(Buffer.from(document)), ...reader.end()]
      assert.deepStrictEqual(texts(rows), ["http://a.example/", "http://b.example/"])
    })

    it("count a comment whose quote took the next rows with it", () => {
      const row = 'http://a.example/,"x"\n'
      for (const format of ["csv", "phishtank-csv"] as const) {
        const { rows, ...rest } = read(format, `url,submission_time\n${row}#terms,"as is\n${row.repeat(3)}`)
        assert.strictEqual(rows.length, 3)
        assert.deepStrictEqual(rest, { unreadable: 2, unused: 0, reason: undefined })
      }
    })

    it("count each row that a quote hides, whatever follows the next quote", () => {
      const row = (id: number, target: string) => `${id},http://bad${id}.example/x,${target}\n`
      const rows = Array.from({ length: 30 }, (_, id) => row(id, "Other")).join("")
      for (const last of ['"Bank"', '"Bank, Inc"', '"12\\""']) {
        const document = `id,url,target\n${row(100, '"Other')}${row(101, "Other")}${row(102, last)}${rows}`
        const { rows: used, ...rest } = read("csv", document)
        assert.strictEqual(used.length, 30)
        assert.deepStrictEqual(rest, { unreadable: 3, unused: 0, reason: undefined })
      }
    })

    it("count rows that two quotes of notes enclose, but read a note of several lines", () => {
      const rows = Array.from({ length: 9 }, (_, id) => `${id},Bank,http://bad${id}.example/x\n`).join("")
      const enclosed =
        '10,"Bank,http://a.example/x\n11,Bank,http://b.example/x\n12,Bank",http://c.example/x\n'
      const note = '13,"Bank, as\nhttps://report.example/, says",http://d.example/x\n'
      const { rows: used, ...rest } = read("csv", `id,note,url\n${rows}${enclosed}${note}`)
      assert.deepStrictEqual(texts(used).slice(9), ["http://d.example/x"])
      assert.deepStrictEqual(rest, { unreadable: 3, unused: 0, reason: undefined })
    })

    it("are not short of a row if a comment has their commas", () => {
      const document =
        "id,url\n1,http://bad.example/x\n# changed on 2026-08-22, 2 rows\n2,http://worse.example/x\n"
      const { rows, ...rest } = read("csv", document)
      assert.lengthOf(rows, 2)
      assert.deepStrictEqual(rest, { unreadable: 0, unused: 0, reason: undefined })
    })

    it.each([
      ["hxxp://bad[.]example/x", "Bank"],
      ["hxxps://b\u00fccher.example/x", "bad.example"],
      ["hxxp://bad[.]example/x", "bad[.]example"],
      ["hxxp://bad[.]example/x", "192[.]0[.]2[.]7"],
      ["http://b\u00fccher.example/x", "xn--bcher-kva.example"],
      ["http://[2001:db8:0::7]:81/x", "[2001:db8::7]:81"]
    ])("are read with %s beside %s", (url, other) => {
      const host = other === "bad.example" ? "b\u00fccher.example" : other
      const { rows, reason } = read("csv", `url,other\n${`${url},${host}\n`.repeat(60)}`)
      assert.strictEqual(reason, undefined)
      assert.strictEqual(rows.length, 60)
    })

    it("count rows whose first field begins like a comment", () => {
      const rows = Array.from({ length: 60 }, (_, id) => `phishing,http://bad${id}.example/x\n`)
      const tagged = "#phishing,http://evil.example/x\n"
      for (const at of [0, 30, 59]) {
        const document = `tags,url\n${rows.slice(0, at + 1).join("")}${tagged}${rows.slice(at + 1).join("")}`
        const { rows: used, ...rest } = read("csv", document)
        assert.strictEqual(used.length, 60)
        assert.deepStrictEqual(rest, { unreadable: 1, unused: 0, reason: undefined })
      }
    })

    it.each(["192.0.2.7:80", "192.0.2.7"])("are read beside a column of %s", (other) => {
      const rows = Array.from({ length: 60 }, (_, id) => `${id},${other},http://192.0.2.7/${id}\n`)
      const { rows: used, reason } = read("csv", `id,other,url\n${rows.join("")}`)
      assert.strictEqual(reason, undefined)
      assert.strictEqual(used.length, 60)
    })

    it.each([
      "hxxps[:]//bad[.]example/x",
      "bad[dot]example",
      "hxxp:/bad.example/x",
      "[http://bad.example/x]",
      "http://bad.example/x http://worse.example/x",
      "bad.example/pay*",
      "bad.example (down)",
      '"bad.example, worse.example"',
      "192[.]0[.]2[.]7",
      "198.51.100.7:8080"
    ])("are refused if the column of reports is as good as the one with %s", (ioc) => {
      const rows = Array.from({ length: 60 }, (_, id) => `${id},${ioc},https://report.example/post/${id}\n`)
      const { reason } = read("csv", `id,ioc,reference\n${rows.join("")}`)
      assert.strictEqual(reason, "Columns (columns 2 and 3 have URLs or hosts)")
    })

    it("parse a long link once for a row of many sites", async () => {
      const ROWS = 20
      const maxMs = MAX_MS / 3
      const row = `https://bad.example/${"x".repeat(40_000)}${",other.example".repeat(2000)}\n`
      const parse = () =>
        assert.match(`${read("csv", row.repeat(ROWS)).reason}`, /^Columns \(columns 1 and 2 and/)
      assert.isBelow(await leastCpuMs(maxMs, parse), maxMs)
    })

    it("are classified once, whatever the number of labels", async () => {
      const document = `url${",label".repeat(20_000)},kind\nhttps://good.example/${",1".repeat(20_000)},benign\n`
      const parse = () => assert.lengthOf(read("csv", document).rows, 0)
      assert.isBelow(await leastCpuMs(MAX_MS, parse), MAX_MS)
    })

    it("count a row whose only field begins with a quoted tag", () => {
      const document = 'url\nhttps://a.example/\nhttps://b.example/\n"""#bank"" kit"\n'
      assert.lengthOf(read("csv", document).rows, 3)
    })

    it("are refused if the links are pages about the IP addresses beside them", () => {
      const rows = Array.from(
        { length: 60 },
        (_, id) => `192.0.2.${id},https://report.example/check/192.0.2.${id}\n`
      )
      const { reason } = read("csv", `ip,link\n${rows.join("")}`)
      assert.strictEqual(reason, "Columns (columns 1 and 2 have URLs or hosts)")
    })

    it.each<[name: string, format: FeedFormatName | RankingFormatName, document: string]>([
      [
        "an added column",
        "phishtank-csv",
        `${phishTankHeader.trim()},new\n${phishTankRow(1, "http://a.example/").trim()},x\n`
      ],
      [
        "an added column in front",
        "phishunt-csv",
        "new,url,domain,first_seen\nx,http://a.example/,a.example,2026-08-22\n"
      ],
      [
        "columns in another order, with spaces, quotes and a comment above",
        "phishtank-csv",
        '\ufeff# online phishing, verified\n"submission_time", online,"url"\n2026-08-29,yes,http://a.example/\n'
      ],
      ["only the columns that are read", "phishtank-csv", "submission_time,url\nx,http://a.example/\n"],
      [
        "the eight columns of old in a comment",
        "urlhaus-csv",
        '# id,dateadded,url,url_status,threat,tags,urlhaus_link,reporter\n"1","2026-08-29","http://a.example/","online","malware_download","elf","https://urlhaus.abuse.ch/url/1/","someone"\n'
      ],
      [
        "another order in a comment whose fields are quoted",
        "urlhaus-csv",
        '"# id","dateadded","urlhaus_link","url_status","last_online","threat","tags","url","reporter"\n"1","2026-08-29","https://urlhaus.abuse.ch/url/1/","online","","malware_download","elf","http://a.example/","someone"\n'
      ],
      [
        "the eight columns of old in a row",
        "urlhaus-csv",
        'id,dateadded,url,url_status,threat,tags,urlhaus_link,reporter\n"1","2026-08-29","http://a.example/","online","malware_download","elf","https://urlhaus.abuse.ch/url/1/","someone"\n'
      ],
      [
        "a header and another order where there may be none",
        "tweetfeed-csv",
        "type,value,tags,date,new\nurl,http://a.example/,#phishing,2026-07-23 01:31:00,x\n"
      ],
      ["an added column", "majestic-csv", "New,GlobalRank,TldRank,Domain\nx,1,1,http://a.example/\n"],
      ["an added column", "ranked-csv", "domain,visits,rank\nhttp://a.example/,9,1\n"]
    ])("are read with %s: %s", (_, format, document) => {
      for (const pieceBytes of [1, 65_536]) {
        const { rows, ...rest } = read(format, document, pieceBytes)
        assert.deepStrictEqual(texts(rows), ["http://a.example/"])
        assert.deepStrictEqual(rest, { unreadable: 0, unused: 0, reason: undefined })
      }
    })

    it.each<[name: string, format: FeedFormatName | RankingFormatName, document: string, reason: string]>([
      [
        "a renamed column",
        "phishtank-csv",
        `${phishTankHeader.replace("url", "link")}${phishTankRow(1, "http://a.example/")}`,
        'Columns (no column "url")'
      ],
      [
        "a removed column",
        "phishunt-csv",
        "url,domain\nhttp://a.example/,a.example\n",
        'Columns (no column "first_seen")'
      ],
      [
        "a removed column in a comment",
        "urlhaus-csv",
        "# id,url,url_status,threat\n1,http://a.example/,online,x\n",
        'Columns (no column "dateadded")'
      ],
      [
        "a removed column where there may be no header",
        "tweetfeed-csv",
        "date,user,type,tags,tweet\n",
        'Columns (no column "value")'
      ],
      ["a removed column", "majestic-csv", "GlobalRank,TldRank\n1,1\n", 'Columns (no column "Domain")'],
      [
        "no header where there must be one",
        "phishtank-csv",
        phishTankRow(1, "http://a.example/"),
        'Columns (no column "url", no column "submission_time")'
      ],
      [
        "no header where there must be one",
        "majestic-csv",
        "1,1,a.example\n",
        'Columns (no column "GlobalRank", no column "Domain")'
      ],
      ["a table of another kind", "phishunt-csv", phishTankHeader, 'Columns (no column "first_seen")'],
      [
        "a table of another kind",
        "majestic-csv",
        "rank,domain\n1,a.example\n",
        'Columns (no column "GlobalRank", no column "Domain")'
      ],
      [
        "a table of another kind",
        "ranked-csv",
        majestic(["a.example", "b.example"]),
        "Columns (3 of 3 rows have other columns)"
      ],
      [
        "lines",
        "phishunt-csv",
        "http://a.example/\nhttp://b.example/\n",
        'Columns (no column "url", no column "first_seen")'
      ],
      ["lines", "ranked-csv", "a.example\nb.example\n", "Columns (2 of 2 rows have other columns)"],
      ["text", "ranked-csv", "Forbidden", "Columns (1 of 1 rows have other columns)"],
      [
        "two columns without ranks",
        "ranked-csv",
        "a.example,b.example\n1,c.example\nd.example,x\n",
        "Columns (2 of 3 rows have other columns)"
      ],
      [
        "an added column without a header",
        "tweetfeed-csv",
        "2026-07-23 01:31:00,someone,url,https://a.example/,#phishing,x,new\n",
        "Columns (1 of 1 rows have other columns)"
      ],
      [
        "the eight columns of old without a header",
        "urlhaus-csv",
        '"1","2026-08-29","http://a.example/","online","malware_download","elf","https://urlhaus.abuse.ch/url/1/","someone"\n',
        "Columns (1 of 1 rows have other columns)"
      ],
      [
        "another number of fields in most rows",
        "phishtank-csv",
        `${phishTankHeader}${phishTankRow(1, "http://a.example/")}2,http://b.example/\n3,http://c.example/\n`,
        "Columns (2 of 3 rows have other columns)"
      ]
    ])("are rejected with %s: %s", (_, format, document, reason) => {
      for (const pieceBytes of [1, 65_536])
        assert.strictEqual(read(format, document, pieceBytes).reason, reason)
    })

    it("gives no row of a table with other columns", () => {
      assert.deepStrictEqual(
        read(
          "phishtank-csv",
          `${phishTankHeader.replace("url", "link")}${phishTankRow(1, "http://a.example/")}`
        ).rows,
        []
      )
    })

    it("takes URLhaus with a plain header row, and with none", () => {
      const banner = fixture("urlhaus.csv").toString()
      const rows = banner.slice(banner.indexOf('"9000001"'))
      const header = "id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter\r\n"
      assert.deepStrictEqual(read("urlhaus-csv", header + rows), read("urlhaus-csv", banner))
      assert.deepStrictEqual(read("urlhaus-csv", rows), read("urlhaus-csv", banner))
    })

    it("may change their line ends in the middle", () => {
      const rows = [1, 2, 3].map((id) => phishTankRow(id, `http://h${id}.example/`))
      const mixed = phishTankHeader.replace("\n", "\r\n") + rows.join("").replace("\n", "\r\n")
      for (const document of [mixed, phishTankHeader + rows.join("").replaceAll("\n", "\r\n")])
        assert.deepStrictEqual(
          read("phishtank-csv", document),
          read("phishtank-csv", phishTankHeader + rows.join(""))
        )
    })

    it("skip and count broken rows, and go on", () => {
      const document = [
        phishTankHeader,
        phishTankRow(1, "http://a.example/"),
        "2,http://too.few.example/\n",
        phishTankRow(4, ""),
        phishTankRow(5, `http://c.example/${"c".repeat(20_000)}`),
        phishTankRow(6, "http://d.example/")
      ].join("")
      for (const pieceBytes of [13, 65_536]) {
        const { rows, unreadable, reason } = read("phishtank-csv", document, pieceBytes)
        assert.deepStrictEqual(texts(rows), ["http://a.example/", "http://d.example/"])
        assert.isUndefined(reason)
        assert.strictEqual(unreadable, 3)
      }
    })

    it("lose no other row to a quote in the wrong place", () => {
      const document = [
        phishTankHeader,
        phishTankRow(1, '"http://a.example/"zz'),
        phishTankRow(2, "http://b.example/"),
        phishTankRow(3, 'http://c.example/"quoted"'),
        phishTankRow(4, '"http://d.example/""quoted"""'),
        phishTankRow(5, "http://e.example/")
      ].join("")
      for (const pieceBytes of [1, 13, 65_536]) {
        const { rows, unreadable, reason } = read("phishtank-csv", document, pieceBytes)
        assert.deepStrictEqual(texts(rows), [
          '"http://a.example/"zz',
          "http://b.example/",
          'http://c.example/"quoted"',
          'http://d.example/"quoted"',
          "http://e.example/"
        ])
        assert.isUndefined(reason)
        assert.strictEqual(unreadable, 0)
      }
    })

    it("count a line break inside quotes once", () => {
      const reader = FeedFormat.reader("ranked-csv")
      reader.read(Buffer.from('rank,domain\r\n1,"a\r\n.example"\r\nx,b.example\r\n'))
      assert.deepStrictEqual(reader.skipped.first, [{ line: 4, reason: "Not a row of the format" }])
    })

    it("are corrupt when they end inside quotes", () => {
      const cut = `${phishTankHeader}${phishTankRow(1, "http://a.example/")}2,"http://b.exam`
      for (const pieceBytes of [1, 65_536])
        assert.strictEqual(read("phishtank-csv", cut, pieceBytes).reason, "Corrupt")
    })

    it("are corrupt when a quote is never closed, and are not read to their end", () => {
      const reader = FeedFormat.reader("phishtank-csv")
      const start = Buffer.from(`${phishTankHeader}1,"http://a.example/`)
      assert.deepStrictEqual([...reader.read(start)], [])
      const piece = Buffer.alloc(65_536, "a")
      let pieces = 0
      const reason = reasonOf(() => {
        for (; pieces < 1000; pieces++) assert.deepStrictEqual([...reader.read(piece)], [])
      })
      assert.strictEqual(reason, "Corrupt")
      assert.isBelow(pieces, 20)
    })

    it.each([",", '"",', "a,", '"a', '"\n",'])(
      "are corrupt when a row of %s never ends, and are not read on",
      (text) => {
        const reader = FeedFormat.reader("urlhaus-csv")
        const piece = Buffer.alloc(65_536, text)
        let pieces = 0
        const reason = reasonOf(() => {
          for (; pieces < 1000; pieces++) assert.deepStrictEqual([...reader.read(piece)], [])
        })
        assert.strictEqual(reason, "Corrupt")
        assert.isBelow(pieces, 20)
      }
    )

    it("are corrupt when a row is overlong, whose last field would be the beginning of another URL", () => {
      const begin = "submission_time,url\n2026-11-01,http://a.example/\n"
      const end = ",http://b.example/pages/of/c\n"
      const note = "a".repeat(1_048_576 - ",http://b.example/".length)
      assert.strictEqual(read("phishtank-csv", `${begin}${note}${end}`, 65_536).reason, "Corrupt")
    })

    it("may have any number of blank lines", () => {
      const reader = FeedFormat.reader("phishtank-csv")
      const document = phishTankHeader + "\n".repeat(3_000_000) + phishTankRow(1, "http://a.example/")
      assert.deepStrictEqual(texts([...reader.read(Buffer.from(document)), ...reader.end()]), [
        "http://a.example/"
      ])
    })

    it("throw only a ListError", () => {
      const formats = [...feedFormats, "majestic-csv", "ranked-csv"] as const
      FastCheck.assert(
        FastCheck.property(
          FastCheck.constantFrom(...formats),
          FastCheck.array(
            FastCheck.oneof(
              FastCheck.constantFrom(
                '"',
                ",",
                "\n",
                "\r\n",
                "#",
                "url",
                phishTankHeader,
                phishTankRow(1, "x.example")
              ),
              FastCheck.string()
            )
          ),
          FastCheck.integer({ min: 1, max: 50 }),
          (format, parts, pieceBytes) => {
            read(format, parts.join(""), pieceBytes)
          }
        ),
        { numRuns: 500 }
      )
    })
  })

  describe("rankings", () => {
    it.each<
      [
        name: string,
        format: RankingFormatName,
        text: string,
        domains: ReadonlyArray<string>,
        unreadable: number
      ]
    >([
      [
        "the columns of Majestic",
        "majestic-csv",
        majestic(["a.example", "b.example"]),
        ["a.example", "b.example"],
        0
      ],
      ["a byte order mark", "majestic-csv", "\ufeffGlobalRank,Domain\n1,a.example", ["a.example"], 0],
      ["ranks and domains", "ranked-csv", "1,a.example\r\n2,b.example\r\n", ["a.example", "b.example"], 0],
      ["a last row without an end", "ranked-csv", "1,a.example\n2,b.example", ["a.example", "b.example"], 0],
      ["a header over them", "ranked-csv", "rank,domain\n1,a.example\n", ["a.example"], 0],
      ["empty lines", "ranked-csv", "\n1,a.example\n\n\n2,b.example\n\n", ["a.example", "b.example"], 0],
      [
        "a row without a domain",
        "ranked-csv",
        "1,a.example\n2,\n3,c.example\n",
        ["a.example", "c.example"],
        1
      ],
      ["a row without a rank", "ranked-csv", "1,a.example\nx,b.example\n", ["a.example"], 1],
      ["a row of more columns", "ranked-csv", "1,a.example\n2,b.example,9\n", ["a.example"], 1]
    ])("are read with %s", (_, format, text, domains, unreadable) => {
      for (const pieceBytes of [1, 7, 65_536]) {
        const { rows, ...rest } = read(format, text, pieceBytes)
        assert.deepStrictEqual(texts(rows), domains)
        assert.deepStrictEqual(rest, { unreadable, unused: 0, reason: undefined })
      }
    })

    it("are full after 100,000 rows: no more of them are read, and not how they end", () => {
      const rows = Array.from({ length: 100_005 }, (_, i) => `${i + 1},d${i + 1}.example\n`)
      for (const [count, isFull] of [
        [99_999, false],
        [100_005, true]
      ] as const) {
        const reader = FeedFormat.reader("ranked-csv")
        const found = [...reader.read(Buffer.from(rows.slice(0, count).join("")))]
        assert.strictEqual(reader.isFull, isFull)
        if (isFull) found.push(...reader.read(Buffer.from('1,"')))
        found.push(...reader.end())
        assert.strictEqual(found.at(-1)?.text, `d${Math.min(count, 100_000)}.example`)
        assert.strictEqual(found.length, Math.min(count, 100_000))
      }
    })
  })
})
