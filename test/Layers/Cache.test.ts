import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Duration, Effect, Fiber, Layer, Option } from "effect"
import * as FastCheck from "effect/FastCheck"
import { Cache } from "../../src/Layers/Cache.ts"
import * as UpstashPipeline from "../../src/Layers/CacheDatabase/UpstashPipeline.ts"
import { DatabaseError } from "../../src/Layers/CacheDatabase/UpstashRest.ts"
import { CacheDatabase } from "../../src/Layers/CacheDatabase.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as CacheDatabaseDouble from "../fixtures/CacheDatabaseDouble.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import * as NanosClock from "../fixtures/NanosClock.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"

const HOUR_MS = Duration.toMillis("1 hour")

const unreachable = new DatabaseError({ reason: "Unreachable", code: "ECONNREFUSED" })

const entry = (key: string, value: string, timeToLive: Duration.DurationInput) => ({
  key,
  value,
  timeToLive: Duration.decode(timeToLive)
})

/** Of every value that these tests store. */
const maxTimeToLive = () => Duration.hours(1)

const inMemory = Effect.provide(Cache, Cache.inMemory)

/** Replicas over the double of a database. */
const setUp = Effect.map(CacheDatabaseDouble.make, ({ replica, ...database }) => ({
  ...database,
  replica: Effect.map(replica(Cache.layer), (context) => Context.get(context, Cache))
}))

describe("Cache in memory", () => {
  it.effect("returns one element for each key, in order", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      assert.strictEqual(yield* cache.status, "in-process")
      yield* cache.setMany([entry("a", "1", "1 minute"), entry("b", "2", "1 minute")])
      const expected = [Option.some("2"), Option.none(), Option.some("1"), Option.some("2")]
      deepStrictEqual(yield* cache.getMany(["b", "x", "a", "b"], maxTimeToLive), expected)
      deepStrictEqual(cache.peekMany(["b", "x", "a", "b"]), expected)
    })
  )

  it.effect("removes a value at its deadline", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      yield* cache.setMany([entry("a", "1", "1 minute")])
      yield* adjust("59999 millis")
      deepStrictEqual(yield* cache.getMany(["a"], maxTimeToLive), [Option.some("1")])
      yield* adjust("1 millis")
      deepStrictEqual(yield* cache.getMany(["a"], maxTimeToLive), [Option.none()])
    })
  )

  it.effect("does not store a value whose time to live is zero", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      yield* cache.setMany([entry("a", "1", Duration.zero)])
      deepStrictEqual(yield* cache.getMany(["a"], maxTimeToLive), [Option.none()])
    })
  )

  it.effect("stores the latest 12 MB of 100,000 values", () =>
    Effect.gen(function* () {
      const ADDED = 100_000
      const cache = yield* inMemory
      const name = (index: number) => `address ${String(index).padStart(7, "0")}`
      for (let first = 0; first < ADDED; first += 1000)
        yield* cache.setMany(
          Array.from({ length: 1000 }, (_, index) => entry(name(first + index), "[]", "1 hour"))
        )
      const values = cache.peekMany(Array.from({ length: ADDED }, (_, index) => name(index)))
      const weight = name(0).length + 2 + 180
      const stored = Math.floor(12_000_000 / weight)
      assert.strictEqual(values.filter(Option.isSome).length, stored)
      assert.isTrue(values.slice(-stored).every(Option.isSome))
    })
  )

  it.effect("evicts the least recently used value, and none for a value larger than the whole memory", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      const value = "x".repeat(1_000_000)
      for (let index = 0; index < 11; index++) yield* cache.setMany([entry(`${index}`, value, "1 hour")])
      cache.peekMany(["0"])
      yield* cache.setMany([entry("11", value, "1 hour")])
      yield* cache.setMany([entry("large", value.repeat(12), "1 hour")])
      const keys = Array.from({ length: 12 }, (_, index) => `${index}`)
      const stored = cache.peekMany(keys)
      deepStrictEqual(
        keys.filter((_, index) => Option.isNone(stored[index] ?? Option.none())),
        ["1"]
      )
      deepStrictEqual(cache.peekMany(["large"]), [Option.none()])
    })
  )

  it.effect("keeps its deadlines when the machine's clock is set an hour back or forth", () =>
    Effect.gen(function* () {
      const { clock, advance, setDate } = yield* NanosClock.make
      const test = Effect.gen(function* () {
        const cache = yield* inMemory
        yield* cache.setMany([entry("a", "1", "20 minutes")])
        setDate(HOUR_MS)
        deepStrictEqual(yield* cache.getMany(["a"], maxTimeToLive), [Option.some("1")])
        setDate(-HOUR_MS)
        advance(Duration.toMillis("20 minutes"))
        deepStrictEqual(yield* cache.getMany(["a"], maxTimeToLive), [Option.none()])
      })
      yield* Effect.withClock(test, clock)
    })
  )
})

describe("Cache over a database", () => {
  it.scoped("shares values between replicas", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute"), entry("b", "2", "1 minute")])
      deepStrictEqual(yield* other.getMany(["b", "x", "a"], maxTimeToLive), [
        Option.some("2"),
        Option.none(),
        Option.some("1")
      ])
      assert.strictEqual(yield* other.status, "shared")
    })
  )

  it.scoped("reads from the database only keys that this process neither wrote nor read", () =>
    Effect.gen(function* () {
      const { sent, replica } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute"), entry("b", "2", "1 minute")])
      yield* other.setMany([entry("c", "3", "1 minute")])
      sent.length = 0
      deepStrictEqual(yield* one.getMany(["a", "b"], maxTimeToLive), [Option.some("1"), Option.some("2")])
      deepStrictEqual(sent, [])
      deepStrictEqual(yield* one.getMany(["a", "c", "b"], maxTimeToLive), [
        Option.some("1"),
        Option.some("3"),
        Option.some("2")
      ])
      deepStrictEqual(sent, ["get reputation:c"])
      yield* one.getMany(["a", "c", "b"], maxTimeToLive)
      yield* one.getMany([], maxTimeToLive)
      deepStrictEqual(sent, ["get reputation:c"])
      deepStrictEqual(one.peekMany(["a", "d", "c"]), [Option.some("1"), Option.none(), Option.some("3")])
      deepStrictEqual(sent, ["get reputation:c"])
    })
  )

  it.scoped("expires the copy of a shared value with the original", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute")])
      yield* adjust("30 seconds")
      state.distance = "100 millis"
      const reading = yield* forkNow(other.getMany(["a"], maxTimeToLive))
      yield* adjust("100 millis")
      deepStrictEqual(yield* Fiber.join(reading), [Option.some("1")])
      state.distance = Duration.zero
      yield* adjust("29899 millis")
      sent.length = 0
      deepStrictEqual(yield* other.getMany(["a"], maxTimeToLive), [Option.some("1")])
      deepStrictEqual(sent, [])
      yield* adjust("1 millis")
      deepStrictEqual(yield* other.getMany(["a"], maxTimeToLive), [Option.none()])
      deepStrictEqual(sent, ["get reputation:a"])
    })
  )

  it.scoped("returns the values of this process while the database is down", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const cache = yield* replica
      yield* cache.setMany([entry("before", "1", "1 minute")])
      state.fault = unreachable
      for (let failures = 0; failures < 3; failures++)
        deepStrictEqual(yield* cache.getMany(["before", "unknown"], maxTimeToLive), [
          Option.some("1"),
          Option.none()
        ])
      assert.strictEqual(yield* cache.status, "unreachable")
      sent.length = 0
      yield* cache.setMany([entry("meanwhile", "2", "1 minute")])
      deepStrictEqual(yield* cache.getMany(["before", "meanwhile", "unknown"], maxTimeToLive), [
        Option.some("1"),
        Option.some("2"),
        Option.none()
      ])
      deepStrictEqual(sent, [])
    })
  )

  it.scoped("sends no command for no keys, and does not count that as a recovery", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const cache = yield* replica
      state.fault = unreachable
      for (let failures = 0; failures < 3; failures++) yield* cache.getMany(["a"], maxTimeToLive)
      yield* adjust("1 second")
      sent.length = 0
      yield* cache.setMany([])
      yield* cache.setMany([entry("a", "1", Duration.zero)])
      deepStrictEqual(yield* cache.getMany([], maxTimeToLive), [])
      deepStrictEqual(sent, [])
      assert.strictEqual(yield* cache.status, "unreachable")
    })
  )

  it.scoped("behaves as one map with deadlines, whatever two replicas read and write", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp
      const replicas = [yield* replica, yield* replica]
      const step = FastCheck.record({
        key: FastCheck.constantFrom("a", "b", "c"),
        replica: FastCheck.constantFrom(0, 1),
        isWrite: FastCheck.boolean(),
        pauseMs: FastCheck.constantFrom(0, 0, 400, 1000)
      })
      for (const [run, steps] of FastCheck.sample(FastCheck.array(step), {
        numRuns: 60
      }).entries()) {
        const model = new Map<string, number>()
        for (const { isWrite, key, pauseMs, replica } of steps) {
          if (pauseMs > 0) yield* adjust(pauseMs)
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const cache = yield* Effect.fromNullable(replicas[replica])
          const name = `${run} ${key}`
          // All write the same value: a copy may be older than what another replica writes.
          if (isWrite && (model.get(key) ?? 0) <= now) {
            yield* cache.setMany([entry(name, key, "1 second")])
            model.set(key, now + 1000)
          }
          const expected = (model.get(key) ?? 0) > now ? Option.some(key) : Option.none()
          deepStrictEqual(yield* cache.getMany([name], maxTimeToLive), [expected])
        }
      }
    })
  )

  it.scoped.each<[name: string, reply: ReadonlyArray<unknown>]>([
    ["no value", [[["1"], ["x"]]]],
    ["a number as value", [[[1], [1]]]],
    ["a text", ["1"]],
    ["one list", [[["1"]]]],
    ["nothing", []]
  ])("reads nothing from a reply with %s", ([, reply]) =>
    Effect.gen(function* () {
      const { text } = yield* Metrics
      const context = yield* Layer.build(
        Layer.provide(Cache.layer, CacheDatabase.over({ send: () => Effect.succeed(reply) }))
      )
      deepStrictEqual(yield* Context.get(context, Cache).getMany(["a"], maxTimeToLive), [Option.none()])
      assert.match(text(), /threat_scoring_cache_failures_total{reason="Malformed"} [1-4]/)
    }).pipe(Effect.provide(Metrics.layer))
  )
})

describe.skipIf(!RedisServer.isInstalled)("Cache over redis-server (needs the program)", () => {
  const setUp = Effect.gen(function* () {
    const front = yield* UpstashRestFront.make(yield* RedisServer.make)
    const replica = Effect.map(
      Layer.build(
        Layer.provide(
          Cache.layer,
          Layer.unwrapScoped(Effect.map(UpstashPipeline.make(front), CacheDatabase.over))
        )
      ),
      (context) => Context.get(context, Cache)
    )
    return {
      front,
      redis: (...command: ReadonlyArray<string>) => UpstashRestFront.command(front, command),
      replicas: [yield* replica, yield* replica] as const
    }
  })

  it.scoped(
    "stores values with the time that they have to live, and reads them with what is left of it",
    () =>
      Effect.gen(function* () {
        const { front, redis, replicas } = yield* setUp
        const [one, other] = replicas
        const text = '[{"hash":"q\\"\n\u0000 \u{1f41f}"}]'
        yield* one.setMany([
          entry("a", text, "1 minute"),
          entry("b", "", "90 seconds"),
          entry("c", "1", Duration.micros(60_000_001n))
        ])
        yield* redis("SET", "reputation:for ever", "x")
        yield* redis("SET", "reputation:for a century", "x", "EX", String(36_500 * 86_400))
        for (const [key, min, max] of [
          ["a", 50_000, 60_000],
          ["b", 80_000, 90_000],
          ["c", 50_000, 60_001]
        ] as const) {
          const left = Number(yield* redis("PTTL", `reputation:${key}`))
          assert.isTrue(left > min && left <= max)
        }
        const keys = ["b", "missing", "a", "for ever", "for a century"]
        // A value without an expiry, or with one that is later than any of ours, is none of ours.
        const expected = [Option.some(""), Option.none(), Option.some(text), Option.none(), Option.none()]
        deepStrictEqual(yield* other.getMany(keys, maxTimeToLive), expected)
        deepStrictEqual(other.peekMany(keys), expected)
        yield* adjust("60 seconds")
        deepStrictEqual(other.peekMany(["a", "b"]), [Option.none(), Option.some("")])
        const requests = front.requestCount
        yield* other.getMany(["b"], maxTimeToLive)
        assert.strictEqual(front.requestCount, requests)
      })
  )

  it.scoped("reads from a full database, and writes nothing to it", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      const [one, other] = replicas
      yield* one.setMany([entry("a", "1", "1 minute")])
      yield* redis("CONFIG", "SET", "maxmemory", "1")
      yield* one.setMany([entry("b", "1", "1 minute")])
      deepStrictEqual(yield* other.getMany(["a", "b"], maxTimeToLive), [Option.some("1"), Option.none()])
    })
  )
})
