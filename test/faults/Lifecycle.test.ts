import { existsSync } from "node:fs"
import * as Http from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import * as ThreatListBytes from "../../src/Lists/ThreatList/ThreatListBytes.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as Machine from "../fixtures/Machine.ts"
import { postJson } from "../fixtures/Request.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until, untilTrue } from "../fixtures/Until.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

const PATH = `/d.txt?key=${WatchedService.SECRET}-in-address`

const feedEnv = (feeds: FeedServer.FeedServer, folder: string, refresh: string) => ({
  DATA_DIR: folder,
  FEED_D_URL: feeds.url(PATH).href,
  FEED_D_FORMAT: "lines",
  FEED_D_REFRESH: refresh
})

const publisher = Effect.map(FeedServer.make(), (feeds) => {
  feeds.serve(PATH, FeedServer.document("https://listed.example/\n"))
  return feeds
})

const untilReady = (service: WatchedService.WatchedService) =>
  until(service.health, ({ httpStatus }) => httpStatus === 200)

const assertListed = (service: WatchedService.WatchedService) =>
  Effect.map(service.check(WatchedService.submission("listed.example")), (answer) => {
    assert.deepInclude(answer, { status: 200, verdict: "phishing" })
    assert.include(["ok", "stale"], answer.checkers.feed_d)
  })

const CLIENTS = 64

/** Sends one request after the other on one connection, until the service closes it. */
const client = (port: number, name: number) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 })
    const results: Array<string> = []
    const done = (result: string) => {
      agent.destroy()
      resume(Effect.succeed([...results, result]))
    }
    const next = () => {
      const body = JSON.stringify({
        url: WatchedService.submission(`c${name}-${results.length}.example`)
      })
      const headers = { "content-type": "application/json", "content-length": body.length }
      const request = Http.request(
        { host: "127.0.0.1", port, method: "POST", path: "/api/check", headers, agent },
        (response) => {
          let text = ""
          response.on("data", (piece) => {
            text += piece
          })
          response.on("end", () => {
            JSON.parse(text)
            if (response.headers.connection === "close") return done(`${response.statusCode} last`)
            results.push(String(response.statusCode))
            next()
          })
          response.on("error", () => done("broken"))
        }
      )
      request.on("error", () => done("cut"))
      request.end(body)
    }
    next()
  })

describe("the life of a process", () => {
  it.live(
    "responds after SIGTERM to all accepted requests, closes each connection, and exits within 11 seconds",
    () =>
      Effect.gen(function* () {
        const terminated = Effect.gen(function* () {
          // Many requests are in flight at any time.
          const google = yield* SafeBrowsingServer.make({ delay: 300 })
          const service = yield* WatchedService.make({
            REPUTATION_API_URL: google.url.href,
            REPUTATION_API_KEY: `${WatchedService.SECRET}-of-reputation`
          })
          const load = yield* Effect.fork(
            Effect.forEach(
              Array.from({ length: CLIENTS }, (_, name) => name),
              (name) => client(service.port, name),
              { concurrency: "unbounded" }
            )
          )
          yield* untilTrue(() => google.received.length > 2 * CLIENTS)
          const [took, ended] = yield* Effect.timed(Effect.zipRight(service.kill("SIGTERM"), service.ended))
          const logged = service.log().filter(({ message }) => message === "request")
          const statuses = logged.map(({ status }) => status)
          return { took, ended, statuses, results: yield* Fiber.join(load) }
        })
        // Repeated when a machine under load had more than the maximum in flight, which the service logs as 503.
        const { took, ended, statuses, results } = yield* Effect.scoped(terminated).pipe(
          Effect.repeat({ while: ({ statuses }) => statuses.includes(503), times: 5 })
        )
        assert.deepStrictEqual([ended.code, ended.signal, ended.stderr], [0, null, ""])
        assert.isBelow(Duration.toSeconds(took), 11, "connections are closed after ten seconds")
        assert.deepStrictEqual([...new Set(statuses)], [200])
        const received = (status: string) =>
          results.flat().filter((result) => result.startsWith(status)).length
        assert.strictEqual(received("200"), statuses.length, "every accepted request")
        for (const answers of results) {
          assert.deepStrictEqual(
            answers.slice(0, -1).filter((status) => status !== "200"),
            []
          )
          // Requests after the signal get 503, which is not logged. A connection idle for a second is closed, and the next
          // request on it fails.
          assert.include(["200 last", "503 last", "cut"], answers.at(-1))
        }
        assert.isAbove(received("200 last"), 0)
      })
  )

  it.scopedLive("starts after SIGKILL with the saved lists, and fetches no feed early", () =>
    Effect.gen(function* () {
      const feeds = yield* publisher
      const folder = yield* ServiceProcess.temporaryFolder
      const refresh = 4000
      const env = feedEnv(feeds, folder, `${refresh} millis`)
      const first = yield* WatchedService.make(env)
      yield* untilReady(first)
      yield* untilTrue(() => existsSync(join(folder, `feed_d.${ThreatListBytes.VERSION}.list`)))
      const fetchedAt = Date.parse((yield* first.health).feeds.feed_d?.fetchedAt ?? "")
      yield* first.kill("SIGKILL")
      assert.strictEqual((yield* first.ended).signal, "SIGKILL")

      const fetches = feeds.received.length
      const second = yield* WatchedService.make(env)
      assert.strictEqual((yield* second.health).httpStatus, 200)
      yield* assertListed(second)
      const untilFetched = Effect.zipRight(
        untilTrue(() => feeds.received.length > fetches),
        Effect.sync(() => Date.now())
      )
      assert.isAtLeast(yield* untilFetched, fetchedAt + refresh)
    })
  )

  it.scopedLive("starts after SIGKILL at any moment of fetching and saving", () =>
    Effect.gen(function* () {
      const feeds = yield* publisher
      const folder = yield* ServiceProcess.temporaryFolder
      const env = feedEnv(feeds, folder, "1 second")
      for (let life = 0; life < 6; life++) {
        const rows = Array.from({ length: 20_000 }, (_, i) => `https://h${life}-${i}.example/`)
        feeds.serve(PATH, FeedServer.document(["https://listed.example/", ...rows].join("\n")))
        const service = yield* WatchedService.make(env)
        if (life > 0) {
          assert.strictEqual((yield* service.health).httpStatus, 200)
          yield* assertListed(service)
        }
        const fetches = feeds.received.length
        yield* untilTrue(() => feeds.received.length > fetches)
        if (life === 0)
          yield* untilTrue(() => existsSync(join(folder, `feed_d.${ThreatListBytes.VERSION}.list`)))
        // Each process is killed a little later: while it downloads, builds or saves the list, or after that.
        yield* Effect.sleep(life * 40)
        yield* service.kill("SIGKILL")
        yield* service.ended
      }
    })
  )
})

/** The signals of MachineClock.js. */
const FORWARDS = "SIGUSR2"
const BACKWARDS = "SIGHUP"

describe("a clock that is set by an hour", () => {
  for (const [direction, signal] of [
    ["forwards", FORWARDS],
    ["backwards", BACKWARDS]
  ] as const)
    it.scopedLive(`${direction} changes no count of a client, loses no list and stops no refresh`, () =>
      Effect.gen(function* () {
        const feeds = yield* publisher
        const google = yield* SafeBrowsingServer.make()
        google.list("severe.example/", "SOCIAL_ENGINEERING")
        const service = yield* WatchedService.make({
          ...Machine.clock(),
          ...feedEnv(feeds, yield* ServiceProcess.temporaryFolder, "1 second"),
          RATE_LIMIT: "5",
          RATE_LIMIT_WINDOW: "30 minutes",
          TRUSTED_PROXIES: "1",
          REPUTATION_API_URL: google.url.href,
          REPUTATION_API_KEY: `${WatchedService.SECRET}-of-reputation`
        })
        yield* untilReady(service)
        const send = Effect.map(
          postJson(
            service.port,
            { url: WatchedService.submission("severe.example") },
            { "x-forwarded-for": "192.0.2.1" }
          ),
          ({ status, headers, body }) => ({
            status,
            left: /r=(\d+);t=(\d+)/.exec(String(headers.ratelimit)),
            retryAfter: Number(headers["retry-after"]),
            body: JSON.parse(body)
          })
        )
        for (let sent = 1; sent <= 4; sent++) assert.strictEqual((yield* send).status, 200)
        const lookups = google.received.length
        const before = Date.parse((yield* service.health).feeds.feed_d?.fetchedAt ?? "")

        yield* service.kill(signal)
        const hour = 3_600_000 * (signal === FORWARDS ? 1 : -1)
        const fetchedAt = ({ feeds }: WatchedService.Health) => Date.parse(feeds.feed_d?.fetchedAt ?? "")
        yield* until(service.health, (health) => Math.abs(fetchedAt(health) - before - hour) < 60_000)
        const fetches = feeds.received.length
        yield* untilTrue(() => feeds.received.length > fetches + 2)
        yield* until(service.health, ({ feeds }) => feeds.feed_d?.stale === false)

        const fifth = yield* send
        assert.strictEqual(fifth.status, 200)
        assert.strictEqual(fifth.body.score, 100)
        assert.strictEqual(fifth.left?.[1], "0")
        assert.isAtLeast(Number(fifth.left?.[2]), 1700)
        assert.isAtMost(Number(fifth.left?.[2]), 1800)
        for (const elapsed of Object.values(fifth.body.executionTimeMs)) {
          assert.isAtLeast(Number(elapsed), 0)
          assert.isBelow(Number(elapsed), 60_000)
        }
        assert.strictEqual(google.received.length, lookups, "the cached result is used")
        const sixth = yield* send
        assert.strictEqual(sixth.status, 429)
        assert.isAtMost(sixth.retryAfter, 1800)
        assert.isAtLeast(sixth.retryAfter, 1700)
        assert.notInclude(service.output(), '"level":"error"')
      })
    )
})
