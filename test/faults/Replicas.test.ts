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

/** By the schedule a lease then ends after twice as long, many times within a pause. */
const REFRESH = "2 seconds"

const PAUSE = Duration.minutes(1)

const rows = (count: number) => Array.from({ length: count }, (_, i) => `https://h${i}.example/`).join("\n")

const setUp = Effect.fnUntraced(function* (machine: Readonly<Record<string, string>> = {}) {
  const feeds = yield* FeedServer.make()
  const publish = (count: number) =>
    feeds.serve(PATH, FeedServer.document(rows(count), { etag: `"${count}"` }))
  publish(1)
  const way = yield* Upstream.make({ behind: feeds.url("/") })
  const database = yield* UpstashRestFront.make(yield* RedisServer.make)
  const start = (name: string) =>
    WatchedService.make({
      ...machine,
      FEED_D_URL: `http://127.0.0.1:${way.port}${PATH}`,
      FEED_D_FORMAT: "lines",
      FEED_D_REFRESH: REFRESH,
      FEED_D_AUTH_HEADER: `x-replica: ${name}`,
      CACHE_REST_URL: database.url.href,
      CACHE_REST_TOKEN: Redacted.value(database.token)
    })
  const replicas = yield* Effect.forEach(
    ["1", "2", "3"],
    (name) => Effect.map(start(name), (service) => [name, service] as const),
    { concurrency: "unbounded" }
  )
  const services = new Map(replicas)
  for (const service of services.values())
    yield* until(
      Effect.zipRight(service.check(WatchedService.submission("new.example")), service.health),
      ({ cache, httpStatus }) => cache === "shared" && httpStatus === 200
    )
  return { way, publish, services, start }
})

const entriesOf = (service: WatchedService.WatchedService) =>
  Effect.map(service.health, ({ feeds }) => feeds.feed_d?.entries)

/** Requests of one caller to each replica in turn, several at a time; what number each was told to be. */
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

/**
 * Again, unless the database was used all the time: on a loaded machine it may seem too slow for a moment, and then a
 * replica counts for itself for five seconds.
 */
const undisturbed = <A, R>(
  services: ReadonlyArray<WatchedService.WatchedService>,
  effect: Effect.Effect<A, Error, R>
) => {
  const outages = () =>
    services.flatMap((service) => service.log()).filter(({ annotations }) => annotations.service === "Cache")
      .length
  const areShared = Effect.forEach(services, (service) =>
    until(
      Effect.zipRight(service.check(WatchedService.submission("new.example")), service.health),
      ({ cache }) => cache === "shared"
    )
  )
  return Effect.gen(function* () {
    yield* areShared
    const before = outages()
    const result = yield* effect
    return { result, isDisturbed: outages() > before }
  }).pipe(
    Effect.repeat({ while: ({ isDisturbed }) => isDisturbed, times: 20 }),
    Effect.map(({ result }) => result)
  )
}

/** Each got the next number, and nobody the same. */
const assertExact = (services: ReadonlyArray<WatchedService.WatchedService>, requests: number) =>
  Effect.map(
    undisturbed(services, Effect.zip(spread(services, 1), spread(services, requests))),
    ([[first = 0], counts]) => assert.deepStrictEqual(sorted(counts), sequence(first + 1, requests))
  )

const sorted = (counts: ReadonlyArray<number>) => [...counts].sort((a, b) => a - b)
const sequence = (first: number, length: number) => Array.from({ length }, (_, i) => first + i)

/** The replica that has asked the feed, which now says nothing, for all. */
const holderOf = ({ way, services }: Effect.Effect.Success<ReturnType<typeof setUp>>) =>
  Effect.gen(function* () {
    yield* way.misbehave("reads and says nothing")
    const asked = way.received.length
    yield* untilTrue(() => way.received.length > asked)
    const name = /\nx-replica\n(\d)/.exec(way.received.at(-1) ?? "")?.[1] ?? "none"
    const holder = services.get(name)
    return holder === undefined ? yield* Effect.dieMessage(`no replica ${name}`) : { name, holder }
  })

/** However many replicas there are: at most one download for each that one replica alone would make, and one more. */
const downloadsOfOne = <A, E, R>(way: Upstream.Upstream, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = way.received.length
    const start = Date.now()
    const result = yield* effect
    assert.isAtMost(way.received.length - before, 1 + (Date.now() - start) / 2000)
    return result
  })

describe.skipIf(!RedisServer.isInstalled)("three replicas with one database (need redis-server)", () => {
  it.scopedLive("count a caller who is spread over them exactly, also when one of them is killed", () =>
    Effect.gen(function* () {
      const { services, start } = yield* setUp()
      const [first, second, third] = [...services.values()]
      if (first === undefined || second === undefined || third === undefined) return assert.fail("three")
      yield* assertExact([first, second, third], 60)

      // In the middle of its requests: some of those are counted and never answered, none is counted twice.
      const answered = yield* undisturbed(
        [first, second],
        Effect.gen(function* () {
          const doomed = yield* start("4")
          const cut = yield* Effect.fork(Effect.option(spread([doomed], 200)))
          const living = yield* Effect.fork(spread([first, second], 60))
          yield* doomed.check(WatchedService.submission("new.example"))
          yield* doomed.kill("SIGKILL")
          yield* doomed.ended
          yield* Fiber.join(cut)
          return yield* Fiber.join(living)
        })
      )
      assert.strictEqual(new Set(answered).size, 60)
      yield* assertExact([first, second], 30)
    })
  )

  it.scopedLive("go on without one that is paused in the middle of a download, and take it in again", () =>
    Effect.gen(function* () {
      const world = yield* setUp()
      const { way, publish, services } = world
      const { name, holder } = yield* holderOf(world)
      yield* holder.kill("SIGSTOP")
      const pause = yield* Effect.fork(Effect.sleep(PAUSE))
      const others = [...services].flatMap(([other, service]) => (other === name ? [] : [service]))

      // The connection of the paused one is cut, which it will notice.
      publish(3)
      yield* way.heal
      yield* downloadsOfOne(
        way,
        Effect.forEach(others, (service) => until(entriesOf(service), (entries) => entries === 3))
      )
      const [first] = others
      if (first === undefined) return assert.fail("two others")
      yield* assertExact(others, 30)
      const listed = yield* first.check(WatchedService.submission("h2.example"))
      assert.deepInclude(listed, { status: 200, verdict: "phishing" })

      yield* downloadsOfOne(way, Fiber.join(pause))
      yield* holder.kill("SIGCONT")
      yield* downloadsOfOne(
        way,
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
    it.scopedLive(`fetch as before when the clock of all of them is set ${direction} by an hour`, () =>
      Effect.gen(function* () {
        const { way, publish, services } = yield* setUp(Machine.clock())
        const all = [...services.values()]
        publish(2)
        yield* Effect.forEach(all, (service) => until(entriesOf(service), (entries) => entries === 2))
        yield* Effect.forEach(all, (service) => service.kill(signal))
        publish(3)
        yield* downloadsOfOne(
          way,
          Effect.forEach(all, (service) => until(entriesOf(service), (entries) => entries === 3))
        )
        publish(4)
        yield* Effect.forEach(all, (service) => until(entriesOf(service), (entries) => entries === 4))
      })
    )
})
