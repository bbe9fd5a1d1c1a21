import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Net from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Redacted } from "effect"
import { checkerIds } from "../src/Checkers/Checker/CheckerNames.ts"
import type { ScanResult } from "../src/Http/Api/ScanResult.ts"
import * as FeedServer from "./fixtures/FeedServer.ts"
import * as RedisServer from "./fixtures/RedisServer.ts"
import { postJson, send } from "./fixtures/Request.ts"
import * as SafeBrowsingServer from "./fixtures/SafeBrowsingServer.ts"
import * as ServiceProcess from "./fixtures/ServiceProcess.ts"
import { until, untilTrue } from "./fixtures/Until.ts"
import * as UpstashRestFront from "./fixtures/UpstashRestFront.ts"
import * as WeightsFile from "./fixtures/WeightsFile.ts"

const feed = (name: string) => readFileSync(new URL(`fixtures/feeds/${name}`, import.meta.url))

const check = (port: number, url: string) =>
  Effect.map(postJson(port, { url }, {}, "/api/check?findings=true"), (answer) => {
    const { score, verdict, findings } = JSON.parse(answer.body) as typeof ScanResult.Encoded
    return {
      status: answer.status,
      checkerStatus: answer.headers["checker-status"],
      remaining: Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1]),
      score,
      verdict,
      kinds: findings?.map(({ kind }) => kind)
    }
  })

const untilReady = (port: number) =>
  until(send(port, { method: "GET", path: "/health/ready" }), ({ status }) => status === 200)

/** A weights file that has learned up to this day. */
const weightsOf = (learnedUpTo: string) =>
  Effect.map(ServiceProcess.temporaryFolder, (folder) => {
    const file = join(folder, "weights.bin")
    writeFileSync(file, WeightsFile.withFields({ learnedUpTo }))
    return file
  })

/** The message of a line of standard error in JSON that says why the service cannot start; nothing else is printed. */
const fatalIn = ({ code, stderr, stdout }: ServiceProcess.Ended) => {
  const { level, message, time: _, ...rest } = JSON.parse(stderr)
  assert.deepStrictEqual([code, stdout, level, rest], [1, "", "fatal", {}])
  return message
}

/** Waits until the service accepts no new connection. */
const untilClosing = (port: number) =>
  until(Effect.either(send(port, { method: "GET", path: "/health/live" })), Either.isLeft)

/** Higher than any count of a process in this test. */
const SHARED_COUNT = 500_000

describe("the process", () => {
  it.scopedLive(
    "serves without configuration when the feeds are off, and exits with 0 on two signals, as npm sends them",
    () =>
      Effect.gen(function* () {
        const service = yield* ServiceProcess.make({})
        assert.deepInclude(yield* check(service.port, "https://example.com/"), {
          status: 200,
          score: 0,
          verdict: "safe",
          kinds: [],
          checkerStatus:
            "heuristics=ok, feed_a=not-configured, reputation_lookup=not-configured, feed_b=not-configured, feed_c=not-configured, feed_d=not-configured"
        })
        // The shutdown waits a second for an idle connection.
        const idle = Net.connect(service.port, "127.0.0.1").on("error", () => undefined)
        yield* Effect.promise(() => once(idle, "connect"))
        yield* service.kill("SIGINT")
        yield* untilClosing(service.port)
        yield* service.kill("SIGINT")
        const { code, signal, stderr } = yield* service.ended
        assert.deepStrictEqual([code, signal, stderr], [0, null, ""])
      })
  )

  it.scopedLive(
    "logs the signal with the requests in flight, and as its last line the end, and exits with 0",
    () =>
      Effect.gen(function* () {
        const google = yield* SafeBrowsingServer.make({ delay: 300 })
        const service = yield* ServiceProcess.make({
          // Without a warning about the age of the shipped weights, which depends on the day of the test.
          MODEL_FILE: yield* weightsOf(new Date().toISOString().slice(0, 10)),
          REPUTATION_API_URL: google.url.href,
          REPUTATION_API_KEY: "key"
        })
        const checking = yield* Effect.fork(postJson(service.port, { url: "https://example.com/" }))
        yield* untilTrue(() => google.received.length > 0)
        yield* service.kill("SIGTERM")
        assert.strictEqual((yield* Fiber.join(checking)).status, 200)
        const { code, signal, stdout } = yield* service.ended
        assert.deepStrictEqual([code, signal], [0, null])
        const lines = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
          // The local lists may arrive before the signal, or not; by the clock a check is slow on a busy machine.
          .filter(({ characters, feed }) => feed === undefined && characters === undefined)
        assert.deepStrictEqual(
          lines.map(({ time: _time, milliseconds: _milliseconds, requestId: _id, ...line }) => line),
          [
            {
              level: "info",
              message: `Listening on http://127.0.0.1:${service.port} (page /, API docs /docs, health /health/ready)`,
              port: service.port
            },
            { level: "info", message: "shutting down", requestsInFlight: 1 },
            { level: "info", message: "request", method: "POST", path: "/api/check", status: 200 },
            {
              level: "info",
              message: "checks summarized",
              checked: 1,
              suspicious: 0,
              phishing: 0,
              incomplete: 0
            },
            { level: "info", message: "shut down" }
          ]
        )
      })
  )

  it.scopedLive("prints in one line of LOG_FORMAT why it cannot start, and exits with 1", () =>
    Effect.gen(function* () {
      const bad = { PORT: "http\u009b2J\u202e", CACHE_REST_TOKEN: "secret", TRUSTED_PROXY: "1" }
      const line =
        'PORT must be a whole number from 0 to 65,535 (it is "http\u009b2J\u202e"); CACHE_REST_URL must be set when CACHE_REST_TOKEN is set. Hint: TRUSTED_PROXY is not a setting of this service and is ignored. Did you mean TRUSTED_PROXIES?'
      const [inJson, plain, withoutFormat] = yield* Effect.all(
        [
          ServiceProcess.runToEnd(bad),
          ServiceProcess.runToEnd({ ...bad, LOG_FORMAT: "pretty" }),
          ServiceProcess.runToEnd({ LOG_FORMAT: "xml" })
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(fatalIn(inJson), line)
      // Escaped for a terminal.
      const printed = line.replace("\u009b2J\u202e", "\\u{9b}2J\\u{202e}")
      assert.deepStrictEqual([plain.code, plain.stdout, plain.stderr], [1, "", `${printed}\n`])
      // The default of a program without a terminal.
      assert.strictEqual(fatalIn(withoutFormat), 'LOG_FORMAT must be one of pretty, json (it is "xml")')

      const { port } = yield* ServiceProcess.make({})
      const taken = `PORT ${port} is in use by another program. Stop that program, or set PORT to another port`
      const [onPort, onAdminPort] = yield* Effect.all(
        [
          ServiceProcess.runToEnd({ PORT: String(port) }),
          ServiceProcess.runToEnd({ ADMIN_PORT: String(port), LOG_LEVEL: "none" })
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(fatalIn(onPort), taken)
      assert.strictEqual(fatalIn(onAdminPort), taken.replaceAll("PORT", "ADMIN_PORT"))
    })
  )

  it.scopedLive("tries DATA_DIR at the start, and says in one line why it cannot be used", () =>
    Effect.gen(function* () {
      const folder = yield* ServiceProcess.temporaryFolder
      const file = join(folder, "file")
      writeFileSync(file, "")
      const service = yield* ServiceProcess.make({ DATA_DIR: file })
      assert.deepStrictEqual(
        service
          .output()
          .match(/"level":"warning".*DATA_DIR.*/g)
          ?.map((text) => JSON.parse(`{${text}`).message),
        [
          `DATA_DIR: "${file}" cannot be written to (ENOTDIR). Threat lists are in memory only, and each start downloads them`
        ]
      )
      const missing = join(folder, "made", "at", "the", "start")
      assert.notInclude((yield* ServiceProcess.make({ DATA_DIR: missing })).output(), "DATA_DIR")
      assert.deepStrictEqual(readdirSync(missing), [])
    })
  )

  it.scopedLive("warns once of old weights in MODEL_FILE, and shows their day in health and metrics", () =>
    Effect.gen(function* () {
      const service = yield* ServiceProcess.make({ MODEL_FILE: yield* weightsOf("2020-02-29") })
      const get = (path: string) =>
        Effect.map(send(service.port, { method: "GET", path }), ({ body }) => body)
      assert.deepStrictEqual(JSON.parse(yield* get("/health/ready")).heuristics, {
        learnedUpTo: "2020-02-29"
      })
      assert.include(
        yield* get("/metrics"),
        "\nthreat_scoring_model_learned_up_to_timestamp_seconds 1582934400\n"
      )
      const warnings = service.output().match(/"level":"warning".*2020-02-29/g)
      assert.lengthOf(warnings ?? [], 1)
    })
  )

  it.scopedLive("prints in one line why it cannot use MODEL_FILE, and exits with 1", () =>
    Effect.gen(function* () {
      const file = join(yield* ServiceProcess.temporaryFolder, "random.bin")
      writeFileSync(file, Buffer.alloc(5000, "no weights"))
      const ended = yield* ServiceProcess.runToEnd({ MODEL_FILE: file })
      assert.strictEqual(fatalIn(ended), `MODEL_FILE: "${file}" is damaged, or is not a weights file`)
    })
  )

  it.scopedLive("prints in one line which list of the operator it cannot read, and exits with 1", () =>
    Effect.gen(function* () {
      const folder = yield* ServiceProcess.temporaryFolder
      const fifo = join(folder, "fifo")
      execFileSync("mkfifo", [fifo])
      const ended = yield* ServiceProcess.runToEnd({ ALLOW_LIST: fifo, BLOCK_LIST: join(folder, "missing") })
      assert.strictEqual(
        fatalIn(ended),
        `ALLOW_LIST: "${fifo}" is not a regular file; BLOCK_LIST: "${folder}/missing" cannot be read (ENOENT)`
      )
    })
  )

  it.scopedLive(
    "protects popular sites from a single row of a feed, and shows both in health",
    () =>
      Effect.gen(function* () {
        const server = yield* FeedServer.make()
        server.serve("/list", FeedServer.document("daily.example\nhttps://evil.daily.example/\n"))
        server.serve(
          "/ranking.gz",
          FeedServer.document(FeedServer.gzip("1,www.daily.example\r\n2,secure-login-bank.top\r\n"))
        )
        const service = yield* ServiceProcess.make({
          FEED_D_URL: server.url("/list").href,
          FEED_D_NAME: "Our own list",
          FEED_A_URLS: "marked-value",
          POPULAR_URL: server.url("/ranking.gz").href,
          POPULAR_FORMAT: "ranked-csv"
        })
        const health = Effect.map(untilReady(service.port), ({ body }) => JSON.parse(body))
        // Being ready does not wait for the ranking.
        const { feeds, popular } = yield* until(health, ({ popular }) => popular.fetchedAt !== null)
        assert.deepInclude(popular, { enabled: true, source: "127.0.0.1", entries: 2, lastError: null })
        assert.deepInclude(feeds.feed_d, { source: "Our own list", entries: 2 })
        assert.include(
          service.output(),
          "FEED_A_URLS is not a setting of this service and is ignored. Did you mean FEED_A_URL?"
        )
        assert.notInclude(service.output(), "marked-value")
        const alone = yield* check(service.port, "https://daily.example/news")
        assert.deepInclude(alone, { score: 30, verdict: "safe", kinds: ["unconfirmedListing"] })
        assert.deepInclude(yield* check(service.port, "https://evil.daily.example/x"), { score: 80 })
        const named = yield* check(service.port, "http://www.secure-login-bank.top/login")
        assert.deepInclude(named, { score: 10 })
        assert.strictEqual(named.kinds?.at(-1), "notHttps")
        const tenant = yield* check(service.port, "https://my.secure-login-bank.top/login")
        assert.isAtLeast(tenant.score, 40)
      }),
    60_000
  )

  it.scopedLive(
    "says which domain is new, and in health and metrics how old the list is and why there is no newer one",
    () =>
      Effect.gen(function* () {
        const server = yield* FeedServer.make()
        const names = ["paypal-login.top", "login-netflix.top", "weebly.com", "new.example"]
        server.serve("/nrd7.txt.gz", FeedServer.document(FeedServer.gzip(`${names.join("\n")}\n`)))
        server.serve("/ranking", FeedServer.document("1,login-netflix.top\n"))
        const service = yield* ServiceProcess.make({
          NEW_DOMAINS_URL: server.url("/nrd7.txt.gz").href,
          NEW_DOMAINS_REFRESH: "3 seconds",
          POPULAR_URL: server.url("/ranking").href,
          POPULAR_FORMAT: "ranked-csv"
        })
        const health = Effect.map(untilReady(service.port), ({ body }) => JSON.parse(body))
        const { newDomains } = yield* until(
          health,
          ({ newDomains, popular }) => newDomains.fetchedAt !== null && popular.fetchedAt !== null
        )
        assert.deepInclude(newDomains, { source: "127.0.0.1", entries: 3, ignored: 1, lastError: null })

        // These are suspicious whatever the weights are.
        const isNamed = (host: string) =>
          Effect.map(check(service.port, `https://${host}/verify`), ({ kinds, score }) => {
            assert.isAtLeast(score, 40)
            return kinds?.includes("newDomain")
          })
        assert.isTrue(yield* isNamed("paypal-login.top"))
        assert.isTrue(yield* isNamed("shop.paypal-login.top"))
        assert.isFalse(yield* isNamed("paypal-login.xyz"))
        // The whole domain is in the ranking.
        assert.isFalse(yield* isNamed("paypal.login-netflix.top"))
        assert.isFalse(yield* isNamed("paypal-login.weebly.com"))

        server.serve("/nrd7.txt.gz", { _tag: "Status", status: 503 })
        const failed = yield* until(health, ({ newDomains }) => newDomains.stale)
        assert.deepInclude(failed, { status: "ready" })
        assert.strictEqual(failed.newDomains.entries, 3)
        assert.strictEqual(failed.newDomains.lastError.message, "Status (503)")
        assert.isFalse(yield* isNamed("paypal-login.top"))
        const { body } = yield* send(service.port, { method: "GET", path: "/metrics" })
        assert.include(body, '\nthreat_scoring_feed_entries{feed="new_domains"} 3\n')
        assert.match(
          body,
          /^threat_scoring_list_refreshes_total\{list="new_domains",outcome="failed"\} [1-9]/m
        )
      }),
    60_000
  )

  it.scopedLive.skipIf(!RedisServer.isInstalled)(
    "checks with all six checkers over real servers, prints no secret, and restarts with its lists",
    () =>
      Effect.gen(function* () {
        const feeds = yield* FeedServer.make()
        feeds.serve("/a.csv?key=key-in-address", FeedServer.document(feed("phishunt.csv")))
        feeds.serve("/b.csv", FeedServer.document(feed("tweetfeed.csv")))
        feeds.serve("/c.csv.gz", FeedServer.document(FeedServer.gzip(feed("phishtank.csv"))))
        feeds.serve("/d.txt", FeedServer.document(feed("lines.txt")))
        const google = yield* SafeBrowsingServer.make()
        google.list("severe.example/", "SOCIAL_ENGINEERING")
        google.list("garden.example/", "UNWANTED_SOFTWARE")
        const redis = yield* RedisServer.make
        const database = yield* UpstashRestFront.make({ path: redis.path })
        const folder = yield* ServiceProcess.temporaryFolder
        const environment = {
          DATA_DIR: folder,
          // No checker times out on a machine under load.
          CHECKER_TIMEOUT: "30 seconds",
          RATE_LIMIT: "1000000",
          FEED_A_URL: feeds.url("/a.csv?key=key-in-address").href,
          FEED_A_AUTH_HEADER: "Auth-Key: key-in-header",
          FEED_B_URL: feeds.url("/b.csv").href,
          FEED_C_URL: feeds.url("/c.csv.gz").href,
          FEED_D_URL: feeds.url("/d.txt").href,
          REPUTATION_API_KEY: "key-of-google",
          REPUTATION_API_URL: google.url.href,
          CACHE_REST_URL: database.url.href,
          CACHE_REST_TOKEN: Redacted.value(database.token)
        }
        const service = yield* ServiceProcess.make(environment)
        const ready = yield* untilReady(service.port)

        const ok = checkerIds.map((checker) => `${checker}=ok`).join(", ")
        for (const [url, score, kind] of [
          ["HTTPS://login.ExampleBank.example:443/#x", 100, "listedUrl"],
          ["https://shop.example.org/x/../pay?a=1", 70, "listedPage"],
          ["https://verify.example.com/accounts/a/b", 80, "listedDirectory"],
          ["https://www.bare.example/anything", 80, "listedHost"],
          ["https://severe.example/x", 100, "severeThreat"],
          ["https://garden.example/x", 40, "unwantedSoftware"]
        ] as const) {
          const { checkerStatus, ...result } = yield* check(service.port, url)
          assert.strictEqual(checkerStatus, ok)
          assert.deepInclude(result, { score, kinds: [kind] }, url)
        }
        const clean = yield* check(service.port, "https://docs.google.com/forms/d/another/viewform")
        assert.deepInclude(clean, { score: 0, kinds: [] })
        // The first counts are of the process alone while the database is slow to answer.
        yield* until(
          Effect.zipRight(
            check(service.port, "https://example.com/"),
            UpstashRestFront.counterKeys(database)
          ),
          (keys) => keys.length === 1
        )
        yield* UpstashRestFront.setCounter(database, SHARED_COUNT)

        yield* service.kill("SIGTERM")
        yield* service.ended
        const fetched = feeds.received.length
        const again = yield* ServiceProcess.make(environment)
        const listed = yield* check(again.port, "https://login.examplebank.example/")
        assert.strictEqual(listed.score, 100)
        yield* until(
          check(again.port, "https://example.com/"),
          ({ remaining }) => remaining < Number(environment.RATE_LIMIT) - SHARED_COUNT
        )
        assert.strictEqual(feeds.received.length, fetched, "no feed is fetched early")

        const printed = [service.output(), again.output(), ready.body].join("\n")
        for (const secret of [
          "key-in-address",
          "key-in-header",
          "key-of-google",
          environment.CACHE_REST_TOKEN
        ])
          assert.notInclude(printed, secret)
        const sentTo = (path: string) =>
          feeds.received.find((request) => request.path.startsWith(path))?.headers["auth-key"]
        assert.strictEqual(sentTo("/a.csv"), "key-in-header")
        assert.isUndefined(sentTo("/b.csv"))
      }),
    180_000
  )
})
