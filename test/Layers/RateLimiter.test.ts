import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ConfigProvider, Context, Duration, Effect, Fiber, Layer, Redacted, Schema } from "effect"
import * as FastCheck from "effect/FastCheck"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { DatabaseError } from "../../src/Layers/CacheDatabase/UpstashRest.ts"
import { CacheDatabase } from "../../src/Layers/CacheDatabase.ts"
import { type LimitedCount, RateLimiter } from "../../src/Layers/RateLimiter.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as CacheDatabaseDouble from "../fixtures/CacheDatabaseDouble.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import * as NanosClock from "../fixtures/NanosClock.ts"
import { adjust, nextTurn } from "../fixtures/NextTurn.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import { runs } from "../fixtures/Seed.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"

type Environment = Readonly<Record<string, string>>

const DATABASE = { CACHE_REST_URL: "https://cache.example", CACHE_REST_TOKEN: "token-of-the-database" }

const WINDOW = Duration.minutes(15)

/** Of `setUp` unless another is given. */
const LIMIT = 1000

const unreachable = new DatabaseError({ reason: "Unreachable", code: "ECONNREFUSED" })

const configured = (env: Environment) =>
  Layer.provide(
    AppConfig.layer,
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env))))
  )

/** The rate limiter of one process with the given environment. */
const inProcess = (env: Environment) =>
  Layer.build(
    RateLimiter.layer.pipe(Layer.provide(CacheDatabase.layer), Layer.provide(configured(env)))
  ).pipe(Effect.map((context) => Context.get(context, RateLimiter)))

/** Replicas over the double of a database. */
const setUp = (env: Environment = {}) =>
  Effect.map(CacheDatabaseDouble.make, ({ replica, ...database }) => ({
    ...database,
    replica: replica(
      Layer.provide(RateLimiter.layer, configured({ ...DATABASE, RATE_LIMIT: String(LIMIT), ...env }))
    ).pipe(Effect.map((context) => Context.get(context, RateLimiter)))
  }))

/** The key of one address in the database. */
const keyOf = (env: Environment, address = "192.0.2.1") =>
  Effect.gen(function* () {
    const { replica, stored } = yield* setUp(env)
    yield* (yield* replica).count(address, 1)
    return [...stored.keys()].join()
  })

describe("RateLimiter in memory", () => {
  it.scoped("counts each address in a window that starts with its first request", () =>
    Effect.gen(function* () {
      const limiter = yield* inProcess({})
      assert.deepStrictEqual(yield* limiter.count("192.0.2.1", 1), {
        limit: 100,
        current: 1,
        resetAfter: Duration.minutes(15)
      })
      yield* adjust("10 minutes")
      assert.strictEqual((yield* limiter.count("192.0.2.2", 1)).current, 1)
      for (let sent = 2; sent <= 100; sent++) yield* limiter.count("192.0.2.1", 1)
      assert.deepStrictEqual(yield* limiter.count("192.0.2.1", 1), {
        limit: 100,
        current: 101,
        resetAfter: Duration.minutes(5)
      })
      yield* adjust("5 minutes")
      assert.strictEqual((yield* limiter.count("192.0.2.1", 1)).current, 1)
      assert.strictEqual((yield* limiter.count("192.0.2.2", 1)).current, 2)
    })
  )

  it.scoped("counts a request as its amount if that fits the limit, else as one, and each refusal once", () =>
    Effect.gen(function* () {
      const limiter = yield* inProcess({})
      const { text } = yield* Metrics
      const count = (amount: number) =>
        Effect.map(limiter.count("192.0.2.1", amount), ({ current }) => current)
      const counts = yield* Effect.forEach([50, 51, 50, 49, 48, 1, 30, 1], count)
      assert.deepStrictEqual(counts, [50, 101, 101, 101, 101, 55, 85, 86])
      assert.include(text(), "threat_scoring_rate_limit_refused_total 4")
      assert.deepStrictEqual(yield* Effect.forEach([14, 14, 1], count), [100, 114, 102])
      assert.include(text(), "threat_scoring_rate_limit_refused_total 6")
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("counts at the limit in the same step, and nothing below it or after the window", () =>
    Effect.gen(function* () {
      const { text } = yield* Metrics
      const limiter = yield* inProcess({ RATE_LIMIT: "3" })
      assert.strictEqual(limiter.countAtLimit("192.0.2.1"), undefined)
      yield* limiter.count("192.0.2.1", 2)
      assert.strictEqual(limiter.countAtLimit("192.0.2.1"), undefined)
      yield* limiter.count("192.0.2.1", 1)
      yield* adjust("14 minutes")
      for (const current of [4, 5, 6])
        assert.deepStrictEqual(limiter.countAtLimit("192.0.2.1"), {
          limit: 3,
          current,
          resetAfter: Duration.minutes(1)
        })
      assert.strictEqual(limiter.countAtLimit("192.0.2.2"), undefined)
      assert.strictEqual((yield* limiter.count("192.0.2.1", 5)).current, 11)
      assert.include(text(), "threat_scoring_rate_limit_refused_total 4")
      yield* adjust("1 minute")
      assert.strictEqual(limiter.countAtLimit("192.0.2.1"), undefined)
      assert.strictEqual((yield* limiter.count("192.0.2.1", 1)).current, 1)
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("takes limit and window from the configuration", () =>
    Effect.gen(function* () {
      const limiter = yield* inProcess({ RATE_LIMIT: "3", RATE_LIMIT_WINDOW: "2 minutes" })
      assert.deepStrictEqual(yield* limiter.count("192.0.2.1", 1), {
        limit: 3,
        current: 1,
        resetAfter: Duration.minutes(2)
      })
    })
  )

  it.scoped("ends windows in time when the machine's clock is set an hour back or forth", () =>
    Effect.gen(function* () {
      const HOUR_MS = Duration.toMillis("1 hour")
      const { clock, advance, setDate } = yield* NanosClock.make
      const test = Effect.gen(function* () {
        const limiter = yield* inProcess({ RATE_LIMIT: "1" })
        yield* limiter.count("192.0.2.1", 1)
        setDate(HOUR_MS)
        assert.strictEqual(limiter.countAtLimit("192.0.2.1")?.current, 2)
        setDate(-HOUR_MS)
        advance(Duration.toMillis(WINDOW) - 1)
        assert.strictEqual((yield* limiter.count("192.0.2.1", 1)).current, 3)
        advance(1)
        assert.strictEqual((yield* limiter.count("192.0.2.1", 1)).current, 1)
      })
      yield* Effect.withClock(test, clock)
    })
  )

  /** A client counts some amounts, after a pause each. */
  const requests = FastCheck.array(
    FastCheck.record({
      address: FastCheck.constantFrom("192.0.2.1", "192.0.2.2", "2001:db8::/64"),
      amount: FastCheck.oneof(FastCheck.constant(1), FastCheck.integer({ min: 1, max: 12 })),
      pauseMs: FastCheck.constantFrom(0, 0, 0, 1, 300, 999, 1000)
    }),
    { maxLength: 60, size: "max" }
  )

  it.scoped("agrees with a plain model, alone and over a database", () =>
    Effect.gen(function* () {
      const env = { RATE_LIMIT: "10", RATE_LIMIT_WINDOW: "1 second" }
      const { replica } = yield* setUp(env)
      const limiters = [yield* inProcess(env), yield* replica]
      let refusals = 0
      const samples = FastCheck.sample(requests, { numRuns: runs(40) })
      for (const steps of samples) {
        yield* adjust("1 second")
        const model = new Map<string, { current: number; end: number }>()
        for (const { address, amount, pauseMs } of steps) {
          if (pauseMs > 0) yield* adjust(pauseMs)
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const last = model.get(address)
          const window = last !== undefined && last.end > now ? last : { current: 0, end: now + 1000 }
          const current = window.current + amount
          model.set(address, { ...window, current: current <= 10 ? current : window.current + 1 })
          const expected = { limit: 10, current, resetAfter: Duration.millis(window.end - now) }
          if (current > 10) refusals++
          for (const limiter of limiters) {
            const isAtLimit = window.current >= 10
            if (isAtLimit && amount === 1) assert.deepStrictEqual(limiter.countAtLimit(address), expected)
            else {
              if (!isAtLimit) assert.strictEqual(limiter.countAtLimit(address), undefined)
              assert.deepStrictEqual(yield* limiter.count(address, amount), expected)
            }
          }
        }
      }
      assert.isAbove(refusals, samples.length)
    })
  )
})

describe("the keys of RateLimiter", () => {
  it.scoped("are keyed hashes of fixed length in place of addresses", () =>
    Effect.gen(function* () {
      for (const address of ["192.0.2.1", "2001:db8:1:2::/64", "x".repeat(10_000)]) {
        const key = yield* keyOf({}, address)
        assert.match(key, /^rate:900000:[\w-]{22}$/)
        assert.notInclude(key, address)
      }
    })
  )

  it.scoped("stay the same from version to version, so that old and new replicas share counters", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* keyOf({}), "rate:900000:Iizvj2Rqq9-Fgiocp5_yjq")
    })
  )

  it.scoped("are derived from the database's token", () =>
    Effect.gen(function* () {
      const key = yield* keyOf({})
      assert.strictEqual(yield* keyOf({}), key)
      assert.notStrictEqual(yield* keyOf({}, "192.0.2.2"), key)
      assert.notStrictEqual(yield* keyOf({ CACHE_REST_TOKEN: "another-token" }), key)
    })
  )

  it.scoped("are those of one window", () =>
    Effect.gen(function* () {
      const key = yield* keyOf({})
      assert.notStrictEqual(yield* keyOf({ RATE_LIMIT_WINDOW: "1 minute" }), key)
      assert.strictEqual(yield* keyOf({ RATE_LIMIT: "7" }), key)
    })
  )
})

describe("RateLimiter over a database", () => {
  it.scoped("counts a client exactly over replicas", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp()
      const [one, other] = [yield* replica, yield* replica]
      deepStrictEqual(yield* one.count("caller", 1), { limit: LIMIT, current: 1, resetAfter: WINDOW })
      yield* adjust("1 minute")
      deepStrictEqual(yield* other.count("caller", 1), {
        limit: LIMIT,
        current: 2,
        resetAfter: Duration.minutes(14)
      })
      assert.strictEqual((yield* one.count("caller", 1)).current, 3)
    })
  )

  it.scoped("continues from the last count and window in an outage", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp()
      const [one, other] = [yield* replica, yield* replica]
      for (let sent = 0; sent < 60; sent++) yield* one.count("caller", 1)
      for (let sent = 0; sent < 30; sent++) yield* other.count("caller", 1)
      yield* adjust("5 minutes")
      state.fault = unreachable
      deepStrictEqual(yield* other.count("caller", 1), {
        limit: LIMIT,
        current: 91,
        resetAfter: Duration.minutes(10)
      })
      for (let sent = 0; sent < 19; sent++) yield* other.count("caller", 1)
      assert.strictEqual((yield* other.count("caller", 1)).current, 111)
      assert.strictEqual((yield* other.count("other caller", 1)).current, 1)
    })
  )

  it.scoped("uses the larger of the shared count and its own after an outage", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp()
      const [one, other] = [yield* replica, yield* replica]
      for (let sent = 0; sent < 60; sent++) yield* one.count("caller", 1)
      state.fault = unreachable
      for (let sent = 0; sent < 40; sent++) yield* one.count("caller", 1)
      state.fault = Effect.void
      yield* adjust("30 seconds")
      const resetAfter = Duration.subtract(WINDOW, "30 seconds")
      deepStrictEqual(yield* one.count("caller", 1), { limit: LIMIT, current: 101, resetAfter })
      deepStrictEqual(yield* other.count("caller", 1), { limit: LIMIT, current: 62, resetAfter })
      for (let sent = 0; sent < 60; sent++) yield* other.count("caller", 1)
      deepStrictEqual(yield* one.count("caller", 1), { limit: LIMIT, current: 123, resetAfter })
    })
  )

  it.scoped("counts a caller over the limit without a command, until the window ends", () =>
    Effect.gen(function* () {
      const { replica, sent, state } = yield* setUp({ RATE_LIMIT: "10" })
      const [one, other] = [yield* replica, yield* replica]
      yield* one.count("caller", 1)
      yield* adjust("1 minute")
      for (let count = 2; count <= 12; count++) yield* other.count("caller", 1)
      state.distance = "400 millis"
      const reading = yield* forkNow(one.count("caller", 1))
      yield* adjust("400 millis")
      // The other replica's refusals are not in the shared count.
      assert.strictEqual((yield* Fiber.join(reading)).current, 11)
      sent.length = 0
      for (let current = 12; current <= 2000; current++)
        assert.strictEqual((yield* one.count("caller", 1)).current, current)
      deepStrictEqual(sent, [])
      state.distance = Duration.zero
      // The rest of the window was 14 minutes when the command was sent.
      yield* adjust(Duration.subtract(Duration.minutes(14), Duration.millis(401)))
      deepStrictEqual(yield* one.count("caller", 1), {
        limit: 10,
        current: 2001,
        resetAfter: Duration.millis(1)
      })
      deepStrictEqual(sent, [])
      yield* adjust("1 millis")
      deepStrictEqual(yield* one.count("caller", 1), { limit: 10, current: 1, resetAfter: WINDOW })
      deepStrictEqual(sent, ["add 1"])
    })
  )

  it.scoped("refuses none of a burst up to the limit, and all of it beyond", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp({ RATE_LIMIT: "100" })
      const replicas = [yield* replica, yield* replica]
      state.distance = "100 millis"
      const burst = yield* Effect.forEach(replicas, (limiter) =>
        Effect.replicateEffect(forkNow(limiter.count("caller", 1)), 150)
      )
      yield* adjust("100 millis")
      const counts = yield* Fiber.joinAll(burst.flat())
      assert.lengthOf(
        counts.filter(({ current }) => current <= 100),
        100
      )
    })
  )

  it.scoped("adds only one of an amount that does not fit, so that a smaller one still does", () =>
    Effect.gen(function* () {
      const { replica, sent } = yield* setUp({ RATE_LIMIT: "100" })
      const [one, other] = [yield* replica, yield* replica]
      const add = (limiter: RateLimiter["Type"], amount: number) =>
        Effect.map(limiter.count("caller", amount), ({ current }) => current)
      assert.strictEqual(yield* add(one, 60), 60)
      sent.length = 0
      assert.strictEqual(yield* add(other, 50), 110)
      assert.strictEqual(yield* add(one, 50), 111)
      assert.strictEqual(yield* add(one, 50), 112)
      // The first replica knows that 50 do not fit, the other does not.
      deepStrictEqual(sent, ["add 50", "add 1", "add 1"])
      assert.strictEqual(yield* add(other, 10), 73)
      assert.strictEqual(yield* add(one, 27), 100)
      sent.length = 0
      assert.strictEqual(yield* add(one, 50), 150)
      assert.strictEqual(yield* add(one, 1), 102)
      deepStrictEqual(sent, [])
      assert.strictEqual(yield* add(other, 1), 101)
    })
  )

  it.scoped("continues in an outage from what was stored, not from an amount that was refused", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp({ RATE_LIMIT: "100" })
      const [one, other] = [yield* replica, yield* replica]
      yield* one.count("caller", 60)
      assert.strictEqual((yield* other.count("caller", 50)).current, 110)
      state.fault = unreachable
      yield* adjust("5 minutes")
      deepStrictEqual(yield* other.count("caller", 30), {
        limit: 100,
        current: 91,
        resetAfter: Duration.minutes(10)
      })
      assert.strictEqual((yield* other.count("caller", 10)).current, 101)
      assert.strictEqual((yield* other.count("caller", 8)).current, 100)
      assert.strictEqual((yield* other.count("caller", 8)).current, 108)
      assert.strictEqual((yield* one.count("caller", 40)).current, 100)
    })
  )

  it.scoped("lets concurrent amounts pass a replica up to the limit while the database hangs", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp({ RATE_LIMIT: "100" })
      const limiter = yield* replica
      state.fault = Effect.delay(new DatabaseError({ reason: "Timeout" }), "500 millis")
      const adding = yield* Effect.forEach([60, 60, 60, 1], (amount) =>
        forkNow(limiter.count("caller", amount))
      )
      yield* adjust("500 millis")
      const counts = yield* Fiber.joinAll(adding)
      // Each has added one when it was sent: to these four the first that fails adds its rest of 59.
      deepStrictEqual(
        counts.map(({ current }) => current).sort((a, b) => a - b),
        [4, 63, 122, 122]
      )
    })
  )

  it.scoped("adds amounts to its own count when the database was restarted empty", () =>
    Effect.gen(function* () {
      const { replica, restartEmpty, sent } = yield* setUp({ RATE_LIMIT: "100" })
      const [one, other] = [yield* replica, yield* replica]
      yield* one.count("caller", 80)
      yield* restartEmpty
      sent.length = 0
      assert.strictEqual((yield* one.count("caller", 15)).current, 95)
      assert.strictEqual((yield* one.count("caller", 6)).current, 101)
      assert.strictEqual((yield* one.count("caller", 4)).current, 100)
      deepStrictEqual(sent, ["add 15", "add 1", "add 4"])
      assert.strictEqual((yield* other.count("caller", 80)).current, 100)
    })
  )

  it.scoped("counts any amounts of two replicas as one counter does", () =>
    Effect.gen(function* () {
      const request = FastCheck.record({
        amount: FastCheck.oneof(FastCheck.constant(1), FastCheck.integer({ min: 1, max: 25 })),
        replica: FastCheck.constantFrom(0, 1)
      })
      const { replica } = yield* setUp({ RATE_LIMIT: "60" })
      const replicas = [yield* replica, yield* replica]
      const samples = FastCheck.sample(FastCheck.array(request, { maxLength: 40 }), { numRuns: 500 })
      for (const [run, requests] of samples.entries()) {
        let counter = 0
        for (const { amount, replica } of requests) {
          const limiter = yield* Effect.fromNullable(replicas[replica])
          const { current } = yield* limiter.count(`caller ${run}`, amount)
          // At the limit a replica does not know the other's refusals.
          if (counter < 60) assert.strictEqual(current, counter + amount)
          else assert.isAbove(current, 60)
          counter += counter + amount <= 60 ? amount : 1
        }
      }
    })
  )

  it.scoped("continues from the highest count when replies arrive out of order", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp()
      const limiter = yield* replica
      for (let sent = 0; sent < 50; sent++) yield* limiter.count("caller", 1)
      state.distance = Duration.millis(150)
      const late = yield* forkNow(limiter.count("caller", 1))
      state.distance = Duration.zero
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 52)
      yield* adjust("150 millis")
      assert.strictEqual((yield* Fiber.join(late)).current, 51)
      state.fault = unreachable
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 53)
    })
  )

  it.scoped("ends a window during an outage at the same time as without one", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp()
      const limiter = yield* replica
      for (let sent = 0; sent < 120; sent++) yield* limiter.count("caller", 1)
      state.fault = unreachable
      yield* adjust("14 minutes")
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 121)
      yield* adjust("1 minute")
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 1)
    })
  )

  it.scoped("continues from its own count when the database was restarted empty", () =>
    Effect.gen(function* () {
      const { replica, restartEmpty } = yield* setUp()
      const limiter = yield* replica
      for (let sent = 0; sent < 80; sent++) yield* limiter.count("caller", 1)
      yield* restartEmpty
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 81)
      assert.strictEqual((yield* (yield* replica).count("caller", 1)).current, 2)
    })
  )

  it.scoped("pauses for a database that hangs, and probes it, when no client waits for the timeout", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp()
      const limiter = yield* replica
      sent.length = 0
      state.fault = Effect.delay(new DatabaseError({ reason: "Timeout" }), "500 millis")
      const sentAt: Array<number> = []
      for (let millis = 0; millis < 10_000; millis += 250) {
        const request = yield* forkNow(limiter.count("a", 1))
        yield* adjust("250 millis")
        yield* Fiber.interruptFork(request)
        while (sentAt.length < sent.length) sentAt.push(millis)
      }
      deepStrictEqual(sentAt, [0, 250, 500, 750, 2000, 4500, 9000])
    })
  )

  it.scoped("counts in the same step what a reply has brought to the limit", () =>
    Effect.gen(function* () {
      const { replica, sent } = yield* setUp({ RATE_LIMIT: "100" })
      const [one, other] = [yield* replica, yield* replica]
      yield* one.count("caller", 99)
      assert.strictEqual(other.countAtLimit("caller"), undefined)
      assert.strictEqual((yield* other.count("caller", 1)).current, 100)
      sent.length = 0
      assert.strictEqual(other.countAtLimit("caller")?.current, 101)
      assert.strictEqual(one.countAtLimit("caller"), undefined)
      deepStrictEqual(sent, [])
    })
  )

  it.scoped("ends a window in time when the database says that it ends later", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp({ RATE_LIMIT: "1", RATE_LIMIT_WINDOW: "10 seconds" })
      for (const millisLeft of [Number.MAX_SAFE_INTEGER, 900_000]) {
        const limiter = yield* replica
        const client = `caller ${millisLeft}`
        state.count = () => Effect.succeed([2, millisLeft])
        const refused = { limit: 1, current: 2, resetAfter: Duration.seconds(10) }
        deepStrictEqual(yield* limiter.count(client, 1), refused)
        yield* adjust("9999 millis")
        deepStrictEqual(limiter.countAtLimit(client), {
          limit: 1,
          current: 3,
          resetAfter: Duration.millis(1)
        })
        yield* adjust("1 millis")
        assert.strictEqual(limiter.countAtLimit(client), undefined)
        deepStrictEqual(yield* limiter.count(client, 1), refused)
      }
    })
  )

  it.scoped("bounds the count that a database returns, and counts exactly from there", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp({ RATE_LIMIT: "1000000000" })
      const limiter = yield* replica
      state.count = () => Effect.succeed([Number.MAX_SAFE_INTEGER, 1000])
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 2 ** 32)
      assert.strictEqual(limiter.countAtLimit("caller")?.current, 2 ** 32 + 1)
    })
  )

  it.scoped("counts by itself when the reply is of another shape", () =>
    Effect.gen(function* () {
      const { text } = yield* Metrics
      const { replica, state } = yield* setUp()
      const replies = [
        null,
        "1",
        [1],
        ["1", "900000"],
        [0, 900_000],
        [1.5, 9],
        [1, -1],
        [1, 9, 1],
        [2 ** 53, 9]
      ]
      for (const [index, reply] of replies.entries()) {
        state.count = () => Effect.succeed(reply)
        assert.deepStrictEqual(yield* (yield* replica).count("caller", 7), {
          limit: LIMIT,
          current: 7,
          resetAfter: WINDOW
        })
        assert.include(text(), `threat_scoring_cache_failures_total{reason="Malformed"} ${index + 1}`)
      }
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("leaves the next window alone when the reply of the last one is late", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp({ RATE_LIMIT: "9", RATE_LIMIT_WINDOW: "1 second" })
      const limiter = yield* replica
      state.distance = "1500 millis"
      const late = yield* forkNow(limiter.count("caller", 9))
      yield* adjust("1 second")
      state.distance = Duration.zero
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 1)
      yield* adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(late)).current, 9)
      assert.strictEqual(limiter.countAtLimit("caller"), undefined)
      assert.strictEqual((yield* limiter.count("caller", 1)).current, 2)
    })
  )

  it.scoped("lets the limit pass, refuses nothing that fits, however commands and replies overtake", () =>
    Effect.gen(function* () {
      const LIMIT = 60
      const { replica, state, stored } = yield* setUp({ RATE_LIMIT: String(LIMIT) })
      /** Commands wait to be executed, and their replies to be delivered. */
      const commands: Array<() => void> = []
      const replies: Array<() => void> = []
      state.count = (execute) =>
        Effect.async((resume) => {
          commands.push(() => {
            const result = execute()
            replies.push(() => resume(Effect.succeed(result)))
          })
        })
      const value = () => Number([...stored.values()][0]?.value ?? 0)
      const step = FastCheck.record({
        kind: FastCheck.constantFrom("send", "execute", "reply"),
        amount: FastCheck.oneof(FastCheck.constant(1), FastCheck.integer({ min: 1, max: 40 })),
        replica: FastCheck.constantFrom(0, 1),
        place: FastCheck.nat({ max: 1000 })
      })
      const samples = FastCheck.sample(FastCheck.array(step, { maxLength: 60, size: "max" }), {
        numRuns: runs(1000)
      })
      const takeOne = (waiting: Array<() => void>, place: number) => {
        for (const run of waiting.splice(place % Math.max(1, waiting.length), 1)) run()
        return nextTurn
      }
      const takeAll = Effect.gen(function* () {
        while (commands.length > 0) yield* takeOne(commands, 0)
        while (replies.length > 0) yield* takeOne(replies, 0)
      })
      const replicas = [yield* replica, yield* replica]
      let refusals = 0
      for (const [run, steps] of samples.entries()) {
        const client = `caller ${run}`
        stored.clear()
        const sent: Array<readonly [amount: number, count: Fiber.Fiber<LimitedCount>]> = []
        for (const { amount, kind, place, replica } of steps)
          if (kind === "send") {
            const limiter = yield* Effect.fromNullable(replicas[replica])
            sent.push([amount, yield* forkNow(limiter.count(client, amount))])
          } else yield* takeOne(kind === "execute" ? commands : replies, place)
        yield* takeAll

        const counts = yield* Effect.forEach(sent, ([amount, count]) =>
          Effect.map(Fiber.join(count), ({ current }) => ({ amount, isRefused: current > LIMIT }))
        )
        const refused = counts.filter(({ isRefused }) => isRefused)
        refusals += refused.length
        const passed = counts.reduce((sum, { amount, isRefused }) => sum + (isRefused ? 0 : amount), 0)
        const total = passed + refused.length
        assert.isAtMost(passed, LIMIT)
        assert.strictEqual(Math.min(value(), LIMIT), Math.min(total, LIMIT))
        for (const { amount } of refused) assert.isAbove(total - 1 + amount, LIMIT, "refused what fits")
        // With the database emptied, the replicas' own counts show.
        for (const limiter of replicas) {
          stored.clear()
          const own = yield* forkNow(limiter.count(client, 1))
          yield* takeAll
          assert.isAtMost((yield* Fiber.join(own)).current, total + 1)
        }
      }
      assert.isAbove(refusals, samples.length)
    })
  )
})

describe.skipIf(!RedisServer.isInstalled)("RateLimiter over redis-server (needs the program)", () => {
  const setUp = Effect.gen(function* () {
    const database = yield* RedisServer.make
    const front = yield* UpstashRestFront.make(database)
    const env = { CACHE_REST_URL: front.url.href, CACHE_REST_TOKEN: Redacted.value(front.token) }
    return {
      env,
      front,
      replicas: [yield* inProcess(env), yield* inProcess(env)] as const
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
        yield* adjust("30 seconds")
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

  it.scoped("adds an amount that fits the limit, and of one that does not fit only one", () =>
    Effect.gen(function* () {
      const { env, front } = yield* setUp
      const redis = (...command: ReadonlyArray<string>) => UpstashRestFront.command(front, command)
      const stored = yield* Effect.forEach([60, 41, 40, 39, 30, 9, 7, 1, 5], (amount) =>
        Effect.gen(function* () {
          // Knows nothing of the counts before: the database decides.
          const { current } = yield* (yield* inProcess(env)).count("192.0.2.1", amount)
          const [key = ""] = yield* UpstashRestFront.counterKeys(front)
          assert.isAbove(Number(yield* redis("PTTL", key)), 0)
          return [current, yield* redis("GET", key)]
        })
      )
      assert.deepStrictEqual(stored, [
        [60, "60"],
        [101, "61"],
        [101, "62"],
        [101, "63"],
        [93, "93"],
        [102, "94"],
        [101, "95"],
        [96, "96"],
        [101, "97"]
      ])
    })
  )

  it.scoped("does not prolong a window, and ends one that would not end in time", () =>
    Effect.gen(function* () {
      const { env, front } = yield* setUp
      const redis = (...command: ReadonlyArray<string>) => UpstashRestFront.command(front, command)
      const count = Effect.flatMap(inProcess(env), ({ count }) => count("192.0.2.1", 1))
      assert.deepStrictEqual(yield* count, { limit: 100, current: 1, resetAfter: WINDOW })
      const [key = ""] = yield* UpstashRestFront.counterKeys(front)

      yield* redis("PEXPIRE", key, "60000")
      const { current, resetAfter } = yield* count
      assert.strictEqual(current, 2)
      assert.isTrue(
        Duration.between(resetAfter, { minimum: Duration.seconds(50), maximum: Duration.minutes(1) })
      )

      // Its expiry is lost, or the database's clock was set back by an hour.
      for (const command of [["PERSIST"], ["PEXPIRE", String(Duration.toMillis("75 minutes"))]] as const) {
        yield* redis(command[0], key, ...command.slice(1))
        assert.deepStrictEqual((yield* count).resetAfter, WINDOW)
        const left = Number(yield* redis("PTTL", key))
        assert.isTrue(left > 0 && left <= Duration.toMillis(WINDOW))
      }
      yield* redis("PEXPIRE", key, "0")
      assert.deepStrictEqual(yield* count, { limit: 100, current: 1, resetAfter: WINDOW })
    })
  )

  it.scoped("counts by itself while the database is full, or has a key of another type", () =>
    Effect.gen(function* () {
      const { front, replicas } = yield* setUp
      const redis = (...command: ReadonlyArray<string>) => UpstashRestFront.command(front, command)
      yield* counts([replicas[0]], "192.0.2.1", 3, 1)
      const [key = ""] = yield* UpstashRestFront.counterKeys(front)
      yield* redis("CONFIG", "SET", "maxmemory", "1")
      assert.deepStrictEqual(yield* counts([replicas[0]], "192.0.2.1", 2, 1), [4, 5])
      yield* redis("CONFIG", "SET", "maxmemory", "0")
      yield* redis("DEL", key)
      yield* redis("LPUSH", key, "x")
      assert.deepStrictEqual(yield* counts([replicas[0]], "192.0.2.1", 1), [6])
      assert.deepStrictEqual(yield* counts([replicas[0]], "192.0.2.2", 1), [1])
    })
  )
})
