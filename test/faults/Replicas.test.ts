import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Redacted } from "effect"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as Machine from "../fixtures/Machine.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import { until, untilTrue } from "../fixtures/Until.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"
import * as Upstream from "../fixtures/Upstream.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

const PATH = `/d.txt?key=${WatchedService.SECRET}-in-address`

/** A lease expires after twice this time, often within a pause. */
const REFRESH = "2 seconds"

const PAUSE = Duration.minutes(1)

const rows = (count: number) => Array.from({ length: count }, (_, i) => `https://h${i}.example/`).join("\n")

const setUp = Effect.fnUntraced(function* (machine: Readonly<Record<string, string>> = {}) {
  const feeds = yield* FeedServer.make()
  const publish = (count: number) =>
    feeds.serve(PATH, FeedServer.document(rows(count), { etag: `"${count}"` }))
  publish(1)
  const proxy = yield* Upstream.make({ target: feeds.url("/") })
  const database = yield* UpstashRestFront.make(yield* RedisServer.make)
  const start = () =>
    WatchedService.make({
      ...machine,
      FEED_D_URL: `http://127.0.0.1:${proxy.port}${PATH}`,
      FEED_D_FORMAT: "lines",
      FEED_D_REFRESH: REFRESH,
      CACHE_REST_URL: database.url.href,
      CACHE_REST_TOKEN: Redacted.value(database.token)
    })
  const replicas = yield* Effect.forEach(
    ["1", "2", "3"],
    (name) => Effect.map(start(), (service) => [name, service] as const),
    { concurrency: "unbounded" }
  )
  const services = new Map(replicas)
  for (const service of services.values())
    yield* until(
      Effect.zipRight(service.check(WatchedService.submission("new.example")), service.health),
      ({ cache, httpStatus }) => cache === "shared" && httpStatus === 200
    )
  return { proxy, publish, services, start }
})

const entriesOf = (service: WatchedService.WatchedService) =>
  Effect.map(service.health, ({ feeds }) => feeds.feed_d?.entries)

/** Sends requests of one caller to the replicas in turn, three at a time, and returns their counts. */
const spread = (services: ReadonlyArray<WatchedService.WatchedService>, requests: number) =>
  Effect.forEach(
    Array.from({ length: requests }, (_, i) => i),
    (i) => {
      const service = services[i % services.length]
      return service === undefined
        ? Effect.dieMessage("no replica")
        : Effect.map(service.check(WatchedService.submission("new.example")), ({ counted }) => counted)
    },
    { concurrency: 3 }
  )

/** Commands of a replica that failed or were not sent, by its metrics. */
const uncounted = (service: WatchedService.WatchedService) =>
  Effect.map(service.metrics, (metrics) =>
    Array.from(
      metrics.matchAll(/^threat_scoring_cache_(?:failures|skipped)_total\S* (\d+)$/gm),
      ([, count]) => Number(count)
    ).reduce((sum, count) => sum + count, 0)
  )

/**
 * Repeats the effect until each replica counted all requests with the database: on a machine under load a response may be
 * late, and a replica then counts that request alone.
 */
const withoutOutage = <A, R>(
  services: ReadonlyArray<WatchedService.WatchedService>,
  effect: Effect.Effect<A, Error, R>
) => {
  const outages = Effect.map(Effect.forEach(services, uncounted), (counts) => counts.join())
  const areShared = Effect.forEach(services, (service) =>
    until(
      Effect.zipRight(service.check(WatchedService.submission("new.example")), service.health),
      ({ cache }) => cache === "shared"
    )
  )
  return Effect.gen(function* () {
    yield* areShared
    const before = yield* outages
    const result = yield* effect
    return { result, hadOutage: (yield* outages) !== before }
  }).pipe(
    Effect.repeat({ while: ({ hadOutage }) => hadOutage, times: 20 }),
    Effect.map(({ result }) => result)
  )
}

/**
 * Each request is counted once. Of requests at the same time to one replica, one may get the count of a later one, if the
 * database counted them in another order.
 */
const assertExact = (services: ReadonlyArray<WatchedService.WatchedService>, requests: number) =>
  Effect.map(
    withoutOutage(services, Effect.zip(spread(services, 1), spread(services, requests))),
    ([[first = 0], counts]) => {
      const told = sorted(counts)
      assert.strictEqual(told.at(-1), first + requests)
      for (const [index, count] of told.entries()) assert.isAtLeast(count, first + 1 + index)
    }
  )

const sorted = (counts: ReadonlyArray<number>) => [...counts].sort((a, b) => a - b)

/** The replica with the lease, whose download hangs. */
const holderOf = ({ proxy, services }: Effect.Effect.Success<ReturnType<typeof setUp>>) =>
  Effect.gen(function* () {
    yield* proxy.misbehave("reads and sends nothing")
    const before = proxy.received.length
    yield* untilTrue(() => proxy.received.length > before)
    const refreshing = Effect.filter([...services], ([, service]) =>
      Effect.map(service.health, ({ feeds }) => feeds.feed_d?.nextAttemptAt === null)
    )
    const [found] = yield* until(refreshing, ({ length }) => length === 1)
    return found === undefined ? yield* Effect.dieMessage("no replica") : { name: found[0], holder: found[1] }
  })

/**
 * Checks that all replicas together make at most one download more than one replica alone. The additional one: a replica whose
 * connections to the database were closed while it was paused fetches once for itself.
 */
const downloadsOfOne = <A, E, R>(proxy: Upstream.Upstream, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = proxy.received.length
    const start = Date.now()
    const result = yield* effect
    assert.isAtMost(proxy.received.length - before, 2 + (Date.now() - start) / 2000)
    return result
  })

describe.skipIf(!RedisServer.isInstalled)("three replicas with one database (need redis-server)", () => {
  it.scopedLive("count the requests of a caller to all of them exactly, also when one is killed", () =>
    Effect.gen(function* () {
      const { services, start } = yield* setUp()
      const [first, second, third] = [...services.values()]
      if (first === undefined || second === undefined || third === undefined)
        return assert.fail("not three replicas")
      yield* assertExact([first, second, third], 60)

      // Killed in the middle of its requests: some are counted without a response, none twice.
      const answered = yield* withoutOutage(
        [first, second],
        Effect.gen(function* () {
          const doomed = yield* start()
          const killed = yield* Effect.fork(Effect.option(spread([doomed], 200)))
          const living = yield* Effect.fork(spread([first, second], 60))
          yield* doomed.check(WatchedService.submission("new.example"))
          yield* doomed.kill("SIGKILL")
          yield* doomed.ended
          yield* Fiber.join(killed)
          return yield* Fiber.join(living)
        })
      )
      // Nearly 60: requests at the same time may get the same count, see `assertExact`.
      assert.isAtLeast(new Set(answered).size, 55)
      yield* assertExact([first, second], 30)
    })
  )

  it.scopedLive(
    "refresh without one that is paused in the middle of a download, and with it afterwards",
    () =>
      Effect.gen(function* () {
        const world = yield* setUp()
        const { proxy, publish, services } = world
        const { name, holder } = yield* holderOf(world)
        yield* holder.kill("SIGSTOP")
        const pause = yield* Effect.fork(Effect.sleep(PAUSE))
        const others = [...services].flatMap(([other, service]) => (other === name ? [] : [service]))

        // Closes the connection of the paused replica.
        publish(3)
        yield* proxy.heal
        yield* downloadsOfOne(
          proxy,
          Effect.forEach(others, (service) => until(entriesOf(service), (entries) => entries === 3))
        )
        const [first] = others
        if (first === undefined) return assert.fail("not two others")
        yield* assertExact(others, 30)
        const listed = yield* first.check(WatchedService.submission("h2.example"))
        assert.deepInclude(listed, { status: 200, verdict: "phishing" })

        yield* downloadsOfOne(proxy, Fiber.join(pause))
        yield* holder.kill("SIGCONT")
        yield* downloadsOfOne(
          proxy,
          Effect.gen(function* () {
            yield* until(entriesOf(holder), (entries) => entries === 3)
            publish(4)
            yield* Effect.forEach([...services.values()], (service) =>
              until(entriesOf(service), (entries) => entries === 4)
            )
          })
        )
        yield* assertExact([...services.values()], 30)
      })
  )

  for (const [direction, signal] of [
    ["forwards", "SIGUSR2"],
    ["backwards", "SIGHUP"]
  ] as const)
    it.scopedLive(`fetch as before when all clocks are set ${direction} by an hour`, () =>
      Effect.gen(function* () {
        const { proxy, publish, services } = yield* setUp(Machine.clock())
        const all = [...services.values()]
        publish(2)
        yield* Effect.forEach(all, (service) => until(entriesOf(service), (entries) => entries === 2))
        yield* Effect.forEach(all, (service) => service.kill(signal))
        publish(3)
        yield* downloadsOfOne(
          proxy,
          Effect.forEach(all, (service) => until(entriesOf(service), (entries) => entries === 3))
        )
        publish(4)
        yield* Effect.forEach(all, (service) => until(entriesOf(service), (entries) => entries === 4))
      })
    )
})
