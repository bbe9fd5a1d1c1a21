import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type { FeedFormatName } from "../../../src/Layers/AppConfig.ts"
import * as ThreatListBytes from "../../../src/Lists/ThreatList/ThreatListBytes.ts"
import { build as buildList, buildRequest, getBody } from "../../fixtures/BuildRequests.ts"

/** The entries of the list and what is not on it, or the error without the first lines that are not used. */
const built = async (format: FeedFormatName, document: string) => {
  const body = (async function* () {
    yield Buffer.from(document)
  })()
  const response = await buildList(buildRequest({ format }), getBody(body))
  if (response._tag === "ListError") {
    const { reason, detail } = response
    return detail === undefined ? reason : `${reason} (${detail.split(";", 1).join()})`
  }
  const { header } = Option.getOrThrow(
    ThreatListBytes.open(response.bytes ?? new Uint8Array(new SharedArrayBuffer(0)))
  )
  if (response._tag !== "NewDocument") return response._tag
  const { skipped, ignored } = response.counts
  return { entries: header.entries, skipped, ignored }
}

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("")

const good = (count: number) => lines(count, (index) => `https://h${index}.example/`)
const bad = (count: number) => lines(count, () => "no entry")

const json = JSON.stringify({ error: "forbidden", urls: ["https://a.example/x", "http://b.example/"] })

const errorText = `The list that you asked for is not available at this time, because your key has expired.
Please log in to your account, renew the key there, and try again.
If you need help with that, write to our team.
`

const html = `Error 503
<html><head><title>503</title><style>
body{color:#333;}
.page{width:50%}
</style></head>
<body onload="window.location.href='https://example.com/'">
<h1>Service Unavailable</h1>
<p>Try again later.</p>
</body>
</html>
`

describe("ListBuild", () => {
  it.each<[name: string, document: string, readable: number, all: number]>([
    ["one word", "OK", 0, 1],
    ["one word with its point", "Forbidden.\n", 0, 1],
    ["a status", "404: Not Found", 0, 1],
    ["a number", "404", 0, 1],
    ["a text", errorText, 0, 3],
    ["a page that begins with a text", html, 0, 10],
    ["JSON in one line", json, 0, 1],
    ["an array of JSON in one line", '["https://a.example/x","http://b.example/"]', 0, 1],
    ["JSON Lines", lines(3, (index) => `{"url":"https://h${index}.example/","kind":"phishing"}`), 0, 3],
    ["JSON in many lines", JSON.stringify(JSON.parse(json), undefined, 2), 0, 7],
    ["an array of JSON", JSON.stringify(["https://a.example/", "https://b.example/"], undefined, 1), 0, 4],
    ["dates, times and numbers", "2026-11-22\n10:30\n1.0\n12\n1.2.3\n-1\n", 0, 6],
    ["names of one machine", "localhost\nhttp://localhost/\nhttp://intranet/login\n", 0, 3],
    ["a hosts file", lines(20, (index) => `0.0.0.0 h${index}.example`), 0, 20],
    ["too few entries between other lines", good(9) + bad(10), 9, 19]
  ])("refuses %s as no list", async (_, document, readable, all) => {
    assert.strictEqual(await built("lines", document), `NotAFeed (${readable} of ${all} lines can be used)`)
  })

  it.each<[name: string, document: string]>([
    ["a table", lines(20, (index) => `${index},https://h${index}.example/,phishing`)],
    ["a table with times", lines(20, (index) => `2026-11-22 10:00:00,https://h${index}.example/`)],
    ["URLs with labels", lines(3, (index) => `https://h${index}.example/;phishing`)],
    ["one row and a header", "url,label\nhttps://h.example/,1\n"],
    ["one row with a time", "https://h.example/,2026-11-22T10:00:00Z\n"],
    ["hosts with labels", lines(3, (index) => `h${index}.example,phishing`)]
  ])("refuses %s as a table, and names the format of these", async (_, document) => {
    assert.strictEqual(await built("lines", document), "NotAFeed (it is a table: the format csv reads these)")
  })

  it.each<[name: string, document: string, counts: { entries: number; skipped: number; ignored: number }]>([
    ["one line", "http://evil.example/login", { entries: 1, skipped: 0, ignored: 0 }],
    ["one host", "evil.example", { entries: 1, skipped: 0, ignored: 0 }],
    [
      "IP addresses",
      "192.0.2.7\n[2001:db8::7]\nhttp://[2001:db8::8]:8080/x\nhttp://3221225993/x\n",
      { entries: 4, skipped: 0, ignored: 0 }
    ],
    ["one host below a title", "domain\nevil.example\n", { entries: 1, skipped: 1, ignored: 0 }],
    ["half of its lines", good(10) + bad(10), { entries: 10, skipped: 10, ignored: 0 }],
    [
      "URLs with commas",
      "https://a.example/x,y\nhttps://b.example/x,y\nc.example\nd.example\n",
      { entries: 4, skipped: 0, ignored: 0 }
    ],
    [
      "comments and blank lines",
      `${"# a comment of the list\n\n! another\n".repeat(500)}evil.example`,
      { entries: 1, skipped: 0, ignored: 0 }
    ],
    [
      "shared hosts",
      `${lines(50, () => "https://github.com/")}evil.example\n`,
      { entries: 1, skipped: 0, ignored: 50 }
    ],
    [
      "rules for parts of pages",
      `${lines(5, (index) => `h${index}.example##.banner`)}${lines(5, (index) => `||h${index}.example^`)}`,
      { entries: 5, skipped: 5, ignored: 0 }
    ]
  ])("accepts a list of %s", async (_, document, counts) => {
    assert.deepStrictEqual(await built("lines", document), counts)
  })

  it("counts the rows of TweetFeed about addresses and files as skipped, not as unreadable", async () => {
    const row = (type: string, value: string) =>
      `2026-01-02 03:04:05,someone,${type},${value},#phishing,https://x.example/1\n`
    const hashes = row("md5", "0".repeat(32)).repeat(40) + row("ip", "192.0.2.7").repeat(3)
    assert.deepStrictEqual(await built("tweetfeed-csv", hashes + row("domain", "evil.example")), {
      entries: 1,
      skipped: 43,
      ignored: 0
    })
    assert.strictEqual(await built("tweetfeed-csv", hashes), "Empty")
    assert.strictEqual(
      await built("tweetfeed-csv", row("url", "no address").repeat(20)),
      "NotAFeed (0 of 20 lines can be used)"
    )
  })

  it("reads a hosts file, and no other list as one", async () => {
    const names = "127.0.0.1 localhost\n::1 localhost\n"
    assert.deepStrictEqual(await built("hosts", `${names}0.0.0.0 bad.example www.bad.example\n`), {
      entries: 2,
      skipped: 2,
      ignored: 0
    })
    assert.strictEqual(await built("hosts", names), "Empty")
    assert.strictEqual(await built("hosts", good(30)), "NotAFeed (0 of 30 lines can be used)")
  })

  it("has no list of a document without lines", async () => {
    for (const document of ["", "\n\n", "# nothing today\n", "! nothing today\n"])
      assert.strictEqual(await built("lines", document), "Empty")
    assert.strictEqual(await built("lines", "https://github.com/\n"), "Empty")
  })
})
