import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted, Schedule } from "effect"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import { postJson, send } from "../fixtures/Request.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until, untilTrue } from "../fixtures/Until.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"

const REFRESH = Duration.seconds(2)
const PATH = "/d.txt?key=key-in-address"

const rows = (count: number) => Array.from({ length: count }, (_, i) => `http://h${i}.example/`).join("\n")

interface Health {
  readonly feeds: { readonly feed_d: { readonly entries: number; readonly nextAttemptAt: string | null } }
}

const feedOf = ({ port }: ServiceProcess.ServiceProcess) =>
  Effect.map(
    send(port, { method: "GET", path: "/health/ready" }),
    ({ body }) => (JSON.parse(body) as Health).feeds.feed_d
  )

const entries = (replica: ServiceProcess.ServiceProcess) =>
  Effect.map(feedOf(replica), ({ entries }) => entries)

const untilAllHave = (replicas: ReadonlyArray<ServiceProcess.ServiceProcess>, count: number) =>
  until(Effect.forEach(replicas, entries), (found) => found.every((entries) => entries === count))

/** The response of a replica for a listed URL as one line: `200 phishing feed_d=ok`. */
const checkListed = ({ port }: ServiceProcess.ServiceProcess) =>
  Effect.map(postJson(port, { url: "http://h0.example/" }), ({ status, body, headers }) => {
    const { verdict } = JSON.parse(body) as { readonly verdict: string }
    return `${status} ${verdict} ${/feed_d=[a-z-]+/.exec(String(headers["checker-status"]))?.[0]}`
  })

describe("a fleet of processes", () => {
  it.scopedLive.skipIf(!RedisServer.isInstalled)(
    "fetches a feed once for all replicas, also when one dies, and answers while the database is away",
    () =>
      Effect.gen(function* () {
        const feeds = yield* FeedServer.make()
        const publish = (count: number) =>
          feeds.serve(PATH, FeedServer.document(rows(count), { etag: `"${count}"` }))
        const redis = yield* RedisServer.make
        const databaseAt = { path: redis.path }
        const database = yield* UpstashRestFront.make(databaseAt)
        const start = () =>
          ServiceProcess.make({
            FEED_D_URL: feeds.url(PATH).href,
            FEED_D_FORMAT: "lines",
            FEED_D_REFRESH: `${Duration.toMillis(REFRESH)} millis`,
            RATE_LIMIT: "1000000",
            CACHE_REST_URL: database.url.href,
            CACHE_REST_TOKEN: Redacted.value(database.token)
          })

        /** Checks that all replicas together make at most one download more than one replica alone. */
        const downloadsOfOne = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.gen(function* () {
            const before = feeds.received.length
            const [time] = yield* Effect.timed(effect)
            const downloads = feeds.received.length - before
            assert.isAtMost(downloads, 1 + Duration.toMillis(time) / Duration.toMillis(REFRESH))
            return downloads
          })

        publish(1)
        const living = new Map<string, ServiceProcess.ServiceProcess>()
        const first = yield* downloadsOfOne(
          Effect.gen(function* () {
            yield* Effect.forEach(
              ["1", "2", "3"],
              (name) => Effect.map(start(), (replica) => living.set(name, replica)),
              { concurrency: "unbounded" }
            )
            yield* untilAllHave([...living.values()], 1)
            publish(2)
            yield* untilAllHave([...living.values()], 2)
          })
        )
        assert.isAtLeast(first, 2)

        const answers = new Set<string>()
        yield* Effect.forEach(living, ([name, replica]) =>
          checkListed(replica).pipe(
            Effect.catchAll((error) => Effect.succeed(String(error))),
            Effect.tap((answer) => {
              if (living.has(name)) answers.add(answer)
            }),
            Effect.repeat(Schedule.spaced("200 millis")),
            Effect.forkScoped
          )
        )

        // The replica that has the lease dies in the middle of its download.
        feeds.serve(PATH, { _tag: "Silence" })
        const before = feeds.received.length
        yield* untilTrue(() => feeds.received.length > before)
        const refreshing = Effect.filter([...living], ([, replica]) =>
          Effect.map(feedOf(replica), ({ nextAttemptAt }) => nextAttemptAt === null)
        )
        const [holder] = yield* until(refreshing, ({ length }) => length === 1)
        if (holder === undefined) return assert.fail("no replica")
        const [name, dying] = holder
        living.delete(name)
        yield* dying.kill("SIGKILL")
        yield* dying.ended
        assert.strictEqual(feeds.received.length, before + 1)
        publish(3)
        yield* downloadsOfOne(untilAllHave([...living.values()], 3))

        // The database stops and is replaced by an empty one.
        yield* redis.stop
        publish(4)
        yield* untilAllHave([...living.values()], 4)
        databaseAt.path = (yield* RedisServer.make).path
        yield* until(UpstashRestFront.command(database, ["KEYS", "list:*:0"]), (keys) => String(keys) !== "")
        yield* downloadsOfOne(
          Effect.zipRight(
            Effect.sleep(REFRESH),
            Effect.sync(() => publish(5))
          ).pipe(Effect.zipRight(untilAllHave([...living.values()], 5)))
        )

        // A replica without saved lists, while the feed responds with errors.
        feeds.serve(PATH, { _tag: "Status", status: 503 })
        const fourth = yield* start()
        yield* untilAllHave([fourth], 5)
        // Three intervals without a refresh make a list stale.
        assert.match(yield* checkListed(fourth), /^200 phishing feed_d=(ok|stale)$/)

        // A list may also become stale while a lease expires.
        answers.delete("200 phishing feed_d=stale")
        assert.deepStrictEqual([...answers], ["200 phishing feed_d=ok"])

        const keys = (yield* UpstashRestFront.command(database, ["KEYS", "*"])) as ReadonlyArray<string>
        const values = yield* Effect.forEach(
          keys.filter((key) => key.startsWith("list:")),
          (key) => UpstashRestFront.command(database, ["GET", key])
        )
        const texts = values.map(
          (value) => `${value}\n${Buffer.from(String(value), "base64").toString("latin1")}`
        )
        for (const secret of ["key-in-address", "127.0.0.1", "h0.example"])
          assert.notInclude([...keys, ...texts].join("\n"), secret)
      }),
    120_000
  )
})
