import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, Record as Records, TestClock } from "effect"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import * as Collection from "../../../training/Corpus/Collection.ts"
import { folder } from "../../fixtures/CorpusFiles.ts"
import * as FeedServer from "../../fixtures/FeedServer.ts"
import * as ForwardProxy from "../../fixtures/ForwardProxy.ts"
import { majestic } from "../../fixtures/Rankings.ts"
import { environment } from "../../fixtures/ServiceUnderTest.ts"

const tweet = (day: string, type: string, value: string, tags: string) =>
  `${day} 01:31:00,someone,${type},${value},${tags},https://x.example/status/1`

const PHISHTANK_COLUMNS =
  "phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target"
const phishTank = (day: string, url: string) =>
  `1,${url},http://p.example/1,${day}T21:09:12+00:00,yes,${day}T21:11:40+00:00,yes,Other`

/** A corpus that is collected from a server on loopback, with these variables too. `{port}` is that of the server. */
const setUpWith = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
  const path = yield* folder
  const server = yield* FeedServer.make()
  const address = (name: string) => server.url(name).href
  const layer = AppConfig.layer.pipe(
    Layer.provide(
      environment({
        FEED_A_URL: address("/tweets"),
        FEED_A_FORMAT: "tweetfeed-csv",
        FEED_B_URL: address("/phishtank"),
        FEED_B_FORMAT: "phishtank-csv",
        FEED_B_AUTH_HEADER: "x-key: secret",
        FEED_C_URL: address("/lines"),
        FEED_C_FORMAT: "lines",
        FEED_C_NAME: "OpenPhish",
        FEED_D_URL: "off",
        POPULAR_URL: address("/ranking"),
        ...Records.map(variables, (text) => text.replace("{port}", new URL(address("/")).port))
      })
    )
  )
  writeFileSync(
    join(path, "benign-lists.txt"),
    `# name format address\n\nlinks links ${address("/links")}\nranking majestic-csv ${address("/ranking")}\n`
  )
  return {
    path,
    server,
    publish: (documents: Record<string, string>) => {
      for (const [name, text] of Object.entries(documents)) server.serve(name, FeedServer.document(text))
    },
    collectOn: (day: string, maxRows?: number) =>
      TestClock.setTime(Date.parse(`${day}T12:00:00Z`)).pipe(
        Effect.zipRight(Collection.collect(path, maxRows)),
        Effect.provide(layer)
      )
  }
})

const setUp = setUpWith({})

const rowsOf = (path: string, file: string) =>
  gunzipSync(readFileSync(join(path, file)))
    .toString()
    .trimEnd()
    .split("\n")

/** What is not zero of each source. */
const countsOf = ({ sources }: Collection.Report) =>
  Object.fromEntries(
    sources.map(({ source, result }) => [
      source,
      Either.match(result, {
        onLeft: (why) => why,
        onRight: (counts) =>
          Object.entries(counts)
            .filter(([, count]) => count > 0)
            .map(([name, count]) => `${name} ${count}`)
            .join(", ")
      })
    ])
  )

describe("collecting rows", () => {
  it.effect(
    "adds what is new, each row with its date and source, and on another day only what came since",
    () =>
      Effect.gen(function* () {
        const { path, server, publish, collectOn } = yield* setUp
        publish({
          "/tweets": [
            tweet("2026-06-20", "url", "https://a.example/login", "#phishing"),
            tweet("2026-06-21", "url", "https://b.example/a.exe", "#malware"),
            tweet("2026-06-21", "url", "https://c.example/shop", "#scam"),
            tweet("2026-06-21", "ip", "192.0.2.7", "#phishing")
          ].join("\n"),
          "/phishtank": [
            PHISHTANK_COLUMNS,
            phishTank("2026-05-01", "http://d.example/"),
            phishTank("2026-06-30", "http://e.example/")
          ].join("\n"),
          "/lines": "https://f.example/x\nhttps://a.example/login\nno line\n",
          "/links": "* [one](https://g.example/guide)\n* [two](https://docs.google.com/document/g)",
          "/ranking": majestic(["h.example", "google.com"])
        })
        const first = yield* collectOn("2026-07-02")
        assert.deepStrictEqual(first.file, Option.some("collected-2026-07-02.tsv.gz"))
        assert.deepStrictEqual(countsOf(first), {
          tweetfeed: "read 4, added 1, unused 3",
          phishtank: "read 2, added 1, old 1",
          openphish: "read 3, added 1, duplicate 1, damaged 1",
          links: "read 2, added 2",
          "ranking(derived)": "read 2, added 1, unused 1"
        })
        assert.deepStrictEqual(rowsOf(path, "collected-2026-07-02.tsv.gz"), [
          "1\t2026-06-20\ttweetfeed\thttps://a.example/login",
          "1\t2026-06-30\tphishtank\thttp://e.example/",
          "1\t2026-07-02\topenphish\thttps://f.example/x",
          "0\t2026-07-02\tlinks\thttps://g.example/guide",
          "0\t2026-07-02\tlinks\thttps://docs.google.com/document/g",
          "0\t2026-07-02\tranking(derived)\thttps://h.example/"
        ])
        assert.deepStrictEqual(
          server.received.filter(({ headers }) => headers["x-key"] !== undefined).map(({ path }) => path),
          ["/phishtank"]
        )

        assert.deepStrictEqual((yield* collectOn("2026-07-03")).file, Option.none())

        publish({ "/lines": "https://f.example/x\nhttps://i.example/y\nhttps://g.example/hacked\n" })
        const second = yield* collectOn("2026-08-02")
        assert.deepStrictEqual(second.file, Option.some("collected-2026-08-02.tsv.gz"))
        assert.strictEqual(countsOf(second).openphish, "read 3, added 1, duplicate 1, conflict 1")
        assert.deepStrictEqual(rowsOf(path, "collected-2026-08-02.tsv.gz"), [
          "1\t2026-08-02\topenphish\thttps://i.example/y"
        ])
        assert.lengthOf(
          readdirSync(path).filter((name) => name.endsWith(".gz")),
          2
        )
      }).pipe(Effect.scoped)
  )

  it.effect("reads the column of a table that the configuration names", () =>
    Effect.gen(function* () {
      const { path, publish, collectOn } = yield* setUpWith({
        FEED_D_NAME: "Table",
        FEED_D_URL: "http://127.0.0.1:{port}/table",
        FEED_D_FORMAT: "csv",
        FEED_D_COLUMN: "site"
      })
      publish({
        "/table":
          "report,site\nhttps://reports.example/1,https://j.example/login\nhttps://reports.example/2,https://k.example/x\n",
        "/links": "https://g.example/guide"
      })
      const report = yield* collectOn("2026-07-02")
      assert.strictEqual(countsOf(report).table, "read 2, added 2")
      assert.deepStrictEqual(rowsOf(path, "collected-2026-07-02.tsv.gz").slice(0, 2), [
        "1\t2026-07-02\ttable\thttps://j.example/login",
        "1\t2026-07-02\ttable\thttps://k.example/x"
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("requests the lists through the forward proxy of the configuration", () =>
    Effect.gen(function* () {
      const proxy = yield* ForwardProxy.make()
      const { publish, collectOn } = yield* setUpWith({
        HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
        FEED_D_NAME: "Proxied",
        FEED_D_URL: "http://feeds.example:{port}/proxied",
        FEED_D_FORMAT: "lines"
      })
      publish({ "/proxied": "https://j.example/login\n", "/links": "https://g.example/guide" })
      assert.strictEqual(countsOf(yield* collectOn("2026-07-02")).proxied, "read 1, added 1")
      assert.lengthOf(proxy.received, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("goes on without a source that fails, and says why", () =>
    Effect.gen(function* () {
      const { server, publish, collectOn } = yield* setUp
      publish({
        "/tweets": "one,row,of,another,table\n",
        "/lines": "https://f.example/x\n",
        "/links": "no links"
      })
      server.serve("/ranking", FeedServer.redirect("/elsewhere"))
      const report = yield* collectOn("2026-07-02")
      assert.deepStrictEqual(countsOf(report), {
        tweetfeed:
          "feed_a: the columns are not those of tweetfeed-csv (1 of 1 rows have other columns). Is FEED_A_FORMAT right?",
        phishtank: "feed_b: 127.0.0.1 responded with status 404. Is FEED_B_URL right?",
        openphish: "read 1, added 1",
        links: "links: Empty",
        "ranking(derived)": "ranking: Status (404)"
      })
      assert.isFalse(Collection.isComplete(report))
      publish({ "/links": "https://g.example/" })
      assert.isTrue(Collection.isComplete(yield* collectOn("2026-07-02")))
    }).pipe(Effect.scoped)
  )

  it.effect("does not begin with a list of lists that has a damaged line", () =>
    Effect.gen(function* () {
      const { path, collectOn, server } = yield* setUp
      const file = join(path, "benign-lists.txt")
      for (const line of [
        "links links",
        "links lines http://a.example/",
        "links links a.example",
        "a links ftp://a.example/"
      ]) {
        writeFileSync(file, `# lists\n${line}\n`)
        assert.deepInclude(yield* Effect.flip(collectOn("2026-07-02")), {
          _tag: "BenignListsError",
          file,
          line: 2
        })
      }
      assert.lengthOf(server.received, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("does not take the default lists for a list of lists that it cannot read", () =>
    Effect.gen(function* () {
      const { path, collectOn, server } = yield* setUp
      const file = join(path, "benign-lists.txt")
      rmSync(file)
      mkdirSync(file)
      assert.deepInclude(yield* Effect.flip(collectOn("2026-07-02")), {
        _tag: "CorpusError",
        path: file,
        code: "EISDIR"
      })
      assert.lengthOf(server.received, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves out links that are longer than an entry of a feed, and sources with too many rows", () =>
    Effect.gen(function* () {
      const { publish, collectOn } = yield* setUp
      publish({
        "/links": `https://long.example/${"a".repeat(20_000)} https://g.example/`,
        "/lines": "https://a.example/\nhttps://b.example/\nhttps://c.example/"
      })
      const found = countsOf(yield* collectOn("2026-07-02", 2))
      assert.strictEqual(found.links, "read 2, added 1, damaged 1")
      assert.strictEqual(
        found.openphish,
        "feed_c: the document is too large (more rows than a source may have)"
      )
      assert.strictEqual(
        countsOf(yield* collectOn("2026-07-02", 1)).links,
        "links: TooLarge (more rows than a source may have)"
      )
    }).pipe(Effect.scoped)
  )
})
