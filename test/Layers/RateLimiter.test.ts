import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Redacted, Schema, TestClock } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as ConfiguredCache from "../../src/Layers/Cache/ConfiguredCache.ts"
import * as MemoryCache from "../../src/Layers/Cache/MemoryCache.ts"
import { Cache } from "../../src/Layers/Cache.ts"
import { RateLimiter } from "../../src/Layers/RateLimiter.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"

const DATABASE = { CACHE_REST_URL: "https://cache.example", CACHE_REST_TOKEN: "token-of-the-database" }

/** The rate limiter of one process with the given environment. */
const replica = <E>(env: Readonly<Record<string, string>>, cache: Layer.Layer<Cache, E, AppConfig>) =>
  Layer.build(
    RateLimiter.layer.pipe(
      Layer.provide(cache),
      Layer.provide(AppConfig.layer),
      Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))))
    )
  ).pipe(Effect.flatMap((context) => Effect.provide(RateLimiter, context)))

/** A cache that records the keys it counts. */
const recorder = () => {
  const keys: Array<string> = []
  const layer = Layer.mock(Cache, {
    peekMany: () => [],
    add: (key, _amount, resetAfter) =>
      Effect.sync(() => {
        keys.push(key)
        return { current: 1, resetAfter }
      })
  })
  return { keys, layer }
}

/** The key of one address. */
const keyOf = (env: Readonly<Record<string, string>>, address = "192.0.2.1") =>
  Effect.gen(function* () {
    const { keys, layer } = recorder()
    const limiter = yield* replica(env, layer)
    yield* limiter.count(address, 1)
    return keys.join()
  })

describe("RateLimiter", () => {
  it.scoped("counts each address in a window that starts with its first request", () =>
    Effect.gen(function* () {
      const limiter = yield* replica({}, MemoryCache.layer)
      assert.deepStrictEqual(yield* limiter.count("192.0.2.1", 1), {
        limit: 100,
        current: 1,
        resetAfter: Duration.minutes(15)
      })
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* limiter.count("192.0.2.2", 1)).current, 1)
      for (let sent = 2; sent <= 100; sent++) yield* limiter.count("192.0.2.1", 1)
      assert.deepStrictEqual(yield* limiter.count("192.0.2.1", 1), {
        limit: 100,
        current: 101,
        resetAfter: Duration.minutes(5)
      })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* limiter.count("192.0.2.1", 1)).current, 1)
      assert.strictEqual((yield* limiter.count("192.0.2.2", 1)).current, 2)
    })
  )

  it.scoped("counts a request as its amount if that fits the limit, else as one, and each refusal once", () =>
    Effect.gen(function* () {
      const limiter = yield* replica({}, MemoryCache.layer)
      const { text } = yield* Metrics
      const currents = yield* Effect.forEach([60, 50, 39, 1], (amount) =>
        Effect.map(limiter.count("192.0.2.1", amount), ({ current }) => current)
      )
      assert.deepStrictEqual(currents, [60, 110, 100, 101])
      assert.include(text(), "threat_scoring_rate_limit_refused_total 2")
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("takes limit and window from the configuration", () =>
    Effect.gen(function* () {
      const limiter = yield* replica({ RATE_LIMIT: "3", RATE_LIMIT_WINDOW: "2 minutes" }, MemoryCache.layer)
      assert.deepStrictEqual(yield* limiter.count("192.0.2.1", 1), {
        limit: 3,
        current: 1,
        resetAfter: Duration.minutes(2)
      })
    })
  )

  it.scoped("stores a keyed hash of fixed length in place of an address", () =>
    Effect.gen(function* () {
      for (const address of ["192.0.2.1", "2001:db8:1:2::/64", "x".repeat(10_000)]) {
        const key = yield* keyOf(DATABASE, address)
        assert.match(key, /^rate:900000:[\w-]{22}$/)
        assert.notInclude(key, address)
      }
    })
  )

  it.scoped("derives the same key for an address in all replicas of one database, from its token", () =>
    Effect.gen(function* () {
      const key = yield* keyOf(DATABASE)
      assert.strictEqual(yield* keyOf(DATABASE), key)
      assert.notStrictEqual(yield* keyOf(DATABASE, "192.0.2.2"), key)
      assert.notStrictEqual(yield* keyOf({ ...DATABASE, CACHE_REST_TOKEN: "another-token" }), key)
    })
  )

  it.scoped("uses a random key per process without a database", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(yield* keyOf({}), yield* keyOf({}))
    })
  )

  it.scoped("separates the counters of different windows", () =>
    Effect.gen(function* () {
      const key = yield* keyOf(DATABASE)
      assert.notStrictEqual(yield* keyOf({ ...DATABASE, RATE_LIMIT_WINDOW: "1 minute" }), key)
      assert.strictEqual(yield* keyOf({ ...DATABASE, RATE_LIMIT: "7" }), key)
    })
  )
})

describe.skipIf(!RedisServer.isInstalled)("RateLimiter over redis-server (needs the program)", () => {
  const setUp = Effect.gen(function* () {
    const database = yield* RedisServer.make
    const front = yield* UpstashRestFront.make(database)
    const env = { CACHE_REST_URL: front.url.href, CACHE_REST_TOKEN: Redacted.value(front.token) }
    return {
      database,
      front,
      replicas: [
        yield* replica(env, ConfiguredCache.layer),
        yield* replica(env, ConfiguredCache.layer)
      ] as const
    }
  })

  const Dump = Schema.Array(Schema.Tuple(Schema.String, Schema.String, Schema.Number))

  const counts = (
    limiters: ReadonlyArray<RateLimiter["Type"]>,
    address: string,
    requests: number,
    concurrency: number | "unbounded" = "unbounded"
  ) =>
    Effect.forEach(
      Array.from({ length: requests }, (_, index) => limiters[index % limiters.length]),
      (limiter) => Effect.flatMap(Effect.fromNullable(limiter), ({ count }) => count(address, 1)),
      { concurrency }
    ).pipe(Effect.map((counts) => counts.map(({ current }) => current).sort((a, b) => a - b)))

  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)

  it.scoped("counts a client exactly over requests to two replicas in turn", () =>
    Effect.gen(function* () {
      const { replicas } = yield* setUp
      assert.deepStrictEqual(yield* counts(replicas, "192.0.2.1", 100, 1), numbers(1, 100))
      assert.deepStrictEqual(yield* counts(replicas, "192.0.2.2", 3, 1), numbers(1, 3))
    })
  )

  it.scoped("lets exactly the limit of concurrent requests to two replicas pass", () =>
    Effect.gen(function* () {
      const { replicas } = yield* setUp
      const passed = (yield* counts(replicas, "192.0.2.1", 250)).filter((current) => current <= 100)
      assert.lengthOf(passed, 100)
    })
  )

  it.scoped("lets concurrent requests of any amounts to two replicas pass up to the limit", () =>
    Effect.gen(function* () {
      const { front, replicas } = yield* setUp
      const counted = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, index) => ({ amount: 1 + ((index * 7) % 12), index })),
        ({ amount, index }) =>
          Effect.map(replicas[index % 2 === 0 ? 0 : 1].count("192.0.2.1", amount), ({ current }) => ({
            amount,
            isRefused: current > 100
          })),
        { concurrency: "unbounded" }
      )
      const passed = counted.reduce((sum, { amount, isRefused }) => sum + (isRefused ? 0 : amount), 0)
      const refused = counted.filter(({ isRefused }) => isRefused)
      for (const { amount } of refused) assert.isAbove(passed + refused.length - 1 + amount, 100)
      assert.isTrue(passed > 100 - 12 && passed <= 100)
      const [key = ""] = yield* UpstashRestFront.counterKeys(front)
      assert.isAtLeast(Number(yield* UpstashRestFront.command(front, ["GET", key])), 100)
    })
  )

  it.scoped("sends no command for a client over the limit", () =>
    Effect.gen(function* () {
      const {
        front,
        replicas: [one]
      } = yield* setUp
      yield* counts([one], "192.0.2.1", 100)
      const requests = front.requestCount
      assert.deepStrictEqual(yield* counts([one], "192.0.2.1", 2000), numbers(101, 2100))
      assert.strictEqual(front.requestCount, requests)
    })
  )

  it.scoped("stores one key per client, which expires and contains no address", () =>
    Effect.gen(function* () {
      const { front, replicas } = yield* setUp
      yield* counts(replicas, "192.0.2.1", 4)
      yield* counts(replicas, "2001:db8:1:2::", 4)
      const dump = yield* UpstashRestFront.command(front, [
        "EVAL",
        "local all = {} for i, key in ipairs(redis.call('KEYS', '*')) do all[i] = {key, redis.call('GET', key), redis.call('PTTL', key)} end return all",
        "0"
      ])
      const rows = Schema.decodeUnknownSync(Dump)(dump)
      assert.lengthOf(rows, 2)
      for (const [key, value, millisLeft] of rows) {
        assert.match(key, /^rate:900000:[\w-]{22}$/)
        assert.strictEqual(value, "4")
        assert.isTrue(millisLeft > 0 && millisLeft <= 900_000)
      }
    })
  )

  it.scoped(
    "lets no client pass more than the limit at each replica when the database fails and comes back",
    () =>
      Effect.gen(function* () {
        const {
          front,
          replicas: [one, other]
        } = yield* setUp
        assert.deepStrictEqual(yield* counts([one, other], "192.0.2.1", 60, 1), numbers(1, 60))
        front.fault = (response) => response.destroy()
        // 60 was the other's request: the last count that this replica saw is 59.
        assert.deepStrictEqual(yield* counts([one], "192.0.2.1", 41, 1), numbers(60, 100))
        front.fault = undefined
        yield* TestClock.adjust("30 seconds")
        const requests = front.requestCount
        assert.deepStrictEqual(yield* counts([one], "192.0.2.1", 20, 1), numbers(101, 120))
        assert.strictEqual(front.requestCount, requests)
        assert.deepStrictEqual(yield* counts([other], "192.0.2.1", 60, 1), numbers(61, 120))
      })
  )

  it.scoped("continues from its own count when the database was restarted empty", () =>
    Effect.gen(function* () {
      const { front, replicas } = yield* setUp
      yield* counts(replicas, "192.0.2.1", 80, 1)
      yield* UpstashRestFront.command(front, ["FLUSHALL"])
      assert.deepStrictEqual(yield* counts([replicas[1]], "192.0.2.1", 4, 1), numbers(81, 84))
      assert.strictEqual((yield* replicas[0].count("192.0.2.1", 1)).current, 80)
    })
  )
})
