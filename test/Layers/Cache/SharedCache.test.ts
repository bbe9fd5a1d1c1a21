import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ConfigProvider, Duration, Effect, Fiber, Layer, Logger, Option, TestClock } from "effect"
import * as FastCheck from "effect/FastCheck"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import * as ConfiguredCache from "../../../src/Layers/Cache/ConfiguredCache.ts"
import * as MemoryCache from "../../../src/Layers/Cache/MemoryCache.ts"
import type { RemoteCache } from "../../../src/Layers/Cache/RemoteCache.ts"
import * as SharedCache from "../../../src/Layers/Cache/SharedCache.ts"
import { Cache, type CacheEntry, type Count } from "../../../src/Layers/Cache.ts"
import { CacheError } from "../../../src/Layers/Database/CacheError.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"

const WINDOW = Duration.minutes(15)
const LIMIT = 1000

/** The first opens the connection; the second sets the status, or further ones while they fail. */
const COMMANDS_AT_START = 2

const entry = (key: string, value: string, timeToLive: Duration.DurationInput): CacheEntry => ({
  key,
  value,
  timeToLive: Duration.decode(timeToLive)
})

/** A cache database for any number of replicas, with faults to set and a record of its commands. */
const fakeDatabase = Effect.gen(function* () {
  let counters = yield* MemoryCache.make
  const stored = new Map<string, { readonly value: string; readonly deadline: number }>()
  const sent: Array<string> = []
  const state: {
    /** Runs before each command. */
    fault: Effect.Effect<void, CacheError>
    /** Runs before each write. */
    writeFault: Effect.Effect<void, CacheError>
    /** The delay of each reply. */
    distance: Duration.DurationInput
  } = { fault: Effect.void, writeFault: Effect.void, distance: Duration.zero }
  const run = <A>(command: string, effect: Effect.Effect<A>) =>
    Effect.suspend(() => {
      sent.push(command)
      return state.fault
    }).pipe(
      Effect.zipRight(command.startsWith("get") ? Effect.void : Effect.suspend(() => state.writeFault)),
      Effect.zipRight(effect),
      Effect.tap(() => Effect.sleep(state.distance))
    )
  const now = Effect.clockWith((clock) => clock.currentTimeMillis)
  const remote: RemoteCache = {
    getMany: (keys) =>
      run(
        `get ${keys.join(" ")}`,
        Effect.map(now, (now) =>
          keys.flatMap((key) => {
            const found = stored.get(key)
            return found === undefined || found.deadline <= now
              ? []
              : [entry(key, found.value, Duration.millis(found.deadline - now))]
          })
        )
      ),
    setMany: (entries) =>
      run(
        `set ${entries.map(({ key }) => key).join(" ")}`,
        Effect.map(now, (now) => {
          for (const { key, timeToLive, value } of entries) {
            stored.set(key, { value, deadline: now + Duration.toMillis(timeToLive) })
          }
        })
      ),
    add: (key, amount, window, limit) =>
      run(
        `add ${amount} ${key}`,
        Effect.suspend(() => counters.add(key, amount, window, limit))
      )
  }
  const replica = Effect.gen(function* () {
    const before = sent.length
    const context = yield* Layer.build(SharedCache.layer(Effect.succeed(remote)))
    yield* turnsUntil(() => sent.length >= before + COMMANDS_AT_START)
    return yield* Effect.provide(Cache, context)
  })
  const restartEmpty = Effect.map(MemoryCache.make, (empty) => {
    counters = empty
    stored.clear()
  })
  return { sent, replica, restartEmpty, state }
})

/** Failures in a row that begin an outage. */
const FAILURES = 5

/** Longer than the first pause of an outage. */
const PAUSE = Duration.seconds(1)

const unreachable = new CacheError({ reason: "Unreachable", code: "ECONNREFUSED" })

describe("Cache in process", () => {
  it.effect("is the cache without a configured database", () =>
    Effect.gen(function* () {
      const cache = yield* Cache
      assert.strictEqual(yield* cache.status, "in-process")
      yield* cache.setMany([entry("a", "1", "1 minute")])
      deepStrictEqual(yield* cache.getMany(["a", "b"]), [Option.some("1"), Option.none()])
      yield* cache.add("c", 1, WINDOW, LIMIT)
      deepStrictEqual(yield* cache.add("c", 1, WINDOW, LIMIT), { current: 2, resetAfter: WINDOW })
    }).pipe(
      Effect.provide(ConfiguredCache.layer),
      Effect.provide(AppConfig.layer),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
    )
  )
})

describe("Cache over a database", () => {
  it.scoped("sends a command at start, which shows a wrong configuration", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* fakeDatabase
      yield* replica
      deepStrictEqual(sent, ["get start", "get start"])
      state.fault = new CacheError({ reason: "Refused", code: "WRONGPASS" })
      const cache = yield* replica
      yield* turnsUntil(() => sent.length === 2 + 1 + FAILURES)
      assert.strictEqual(yield* cache.status, "shared (unreachable, in-process meanwhile)")
    })
  )

  it.scoped("does not count a slow first command as an outage", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      state.fault = Effect.suspend(() => {
        state.fault = Effect.void
        return new CacheError({ reason: "Timeout" })
      })
      const cache = yield* replica
      assert.strictEqual(yield* cache.status, "shared")
      yield* cache.add("a", 1, Duration.minutes(1), LIMIT)
      assert.strictEqual((yield* (yield* replica).add("a", 1, Duration.minutes(1), LIMIT)).current, 2)
    })
  )

  it.scoped("shares values between replicas", () =>
    Effect.gen(function* () {
      const { replica } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute"), entry("b", "2", "1 minute")])
      deepStrictEqual(yield* other.getMany(["b", "x", "a"]), [
        Option.some("2"),
        Option.none(),
        Option.some("1")
      ])
      assert.strictEqual(yield* other.status, "shared")
    })
  )

  it.scoped("reads from the database only keys that this process neither wrote nor read", () =>
    Effect.gen(function* () {
      const { sent, replica } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute"), entry("b", "2", "1 minute")])
      yield* other.setMany([entry("c", "3", "1 minute")])
      sent.length = 0
      deepStrictEqual(yield* one.getMany(["a", "b"]), [Option.some("1"), Option.some("2")])
      deepStrictEqual(sent, [])
      deepStrictEqual(yield* one.getMany(["a", "c", "b"]), [
        Option.some("1"),
        Option.some("3"),
        Option.some("2")
      ])
      deepStrictEqual(sent, ["get c"])
      yield* one.getMany(["a", "c", "b"])
      yield* one.getMany([])
      deepStrictEqual(sent, ["get c"])
      deepStrictEqual(one.peekMany(["a", "d", "c"]), [Option.some("1"), Option.none(), Option.some("3")])
      deepStrictEqual(sent, ["get c"])
    })
  )

  it.scoped("expires the copy of a shared value with the original", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute")])
      yield* TestClock.adjust("30 seconds")
      state.distance = "100 millis"
      const reading = yield* forkNow(other.getMany(["a"]))
      yield* TestClock.adjust("100 millis")
      deepStrictEqual(yield* Fiber.join(reading), [Option.some("1")])
      state.distance = Duration.zero
      yield* TestClock.adjust("29899 millis")
      sent.length = 0
      deepStrictEqual(yield* other.getMany(["a"]), [Option.some("1")])
      deepStrictEqual(sent, [])
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* other.getMany(["a"]), [Option.none()])
      deepStrictEqual(sent, ["get a"])
    })
  )

  it.scoped("counts a client exactly over replicas", () =>
    Effect.gen(function* () {
      const { replica } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      deepStrictEqual(yield* one.add("caller", 1, WINDOW, LIMIT), { current: 1, resetAfter: WINDOW })
      yield* TestClock.adjust("1 minute")
      deepStrictEqual(yield* other.add("caller", 1, WINDOW, LIMIT), {
        current: 2,
        resetAfter: Duration.minutes(14)
      })
      assert.strictEqual((yield* one.add("caller", 1, WINDOW, LIMIT)).current, 3)
    })
  )

  it.scoped("continues from the last count and window in an outage", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      for (let sent = 0; sent < 60; sent++) yield* one.add("caller", 1, WINDOW, LIMIT)
      for (let sent = 0; sent < 30; sent++) yield* other.add("caller", 1, WINDOW, LIMIT)
      yield* TestClock.adjust("5 minutes")
      state.fault = unreachable
      deepStrictEqual(yield* other.add("caller", 1, WINDOW, LIMIT), {
        current: 91,
        resetAfter: Duration.minutes(10)
      })
      for (let sent = 0; sent < 19; sent++) yield* other.add("caller", 1, WINDOW, LIMIT)
      assert.strictEqual((yield* other.add("caller", 1, WINDOW, LIMIT)).current, 111)
      assert.strictEqual((yield* other.add("other caller", 1, WINDOW, LIMIT)).current, 1)
    })
  )

  it.scoped("uses the larger of the shared count and its own after an outage", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      for (let sent = 0; sent < 60; sent++) yield* one.add("caller", 1, WINDOW, LIMIT)
      state.fault = unreachable
      for (let sent = 0; sent < 40; sent++) yield* one.add("caller", 1, WINDOW, LIMIT)
      state.fault = Effect.void
      yield* TestClock.adjust("30 seconds")
      const resetAfter = Duration.subtract(WINDOW, "30 seconds")
      deepStrictEqual(yield* one.add("caller", 1, WINDOW, LIMIT), { current: 101, resetAfter })
      deepStrictEqual(yield* other.add("caller", 1, WINDOW, LIMIT), { current: 62, resetAfter })
      for (let sent = 0; sent < 60; sent++) yield* other.add("caller", 1, WINDOW, LIMIT)
      deepStrictEqual(yield* one.add("caller", 1, WINDOW, LIMIT), { current: 123, resetAfter })
    })
  )

  it.scoped("counts a caller over the limit without a command, until the window ends", () =>
    Effect.gen(function* () {
      const { replica, sent, state } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.add("caller", 1, WINDOW, 10)
      yield* TestClock.adjust("1 minute")
      for (let count = 2; count <= 12; count++) yield* other.add("caller", 1, WINDOW, 10)
      state.distance = "400 millis"
      const reading = yield* forkNow(one.add("caller", 1, WINDOW, 10))
      yield* TestClock.adjust("400 millis")
      // The other replica's refusals are not in the shared count.
      assert.strictEqual((yield* Fiber.join(reading)).current, 11)
      sent.length = 0
      for (let current = 12; current <= 2000; current++)
        assert.strictEqual((yield* one.add("caller", 1, WINDOW, 10)).current, current)
      deepStrictEqual(sent, [])
      state.distance = Duration.zero
      // The rest of the window was 14 minutes when the command was sent.
      yield* TestClock.adjust(Duration.subtract(Duration.minutes(14), Duration.millis(401)))
      deepStrictEqual(yield* one.add("caller", 1, WINDOW, 10), {
        current: 2001,
        resetAfter: Duration.millis(1)
      })
      deepStrictEqual(sent, [])
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* one.add("caller", 1, WINDOW, 10), { current: 1, resetAfter: WINDOW })
      deepStrictEqual(sent, ["add 1 caller"])
    })
  )

  it.scoped("refuses none of a burst up to the limit, and all of it beyond", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const replicas = [yield* replica, yield* replica]
      state.distance = "100 millis"
      const burst = yield* Effect.forEach(replicas, (cache) =>
        Effect.replicateEffect(forkNow(cache.add("caller", 1, WINDOW, 100)), 150)
      )
      yield* TestClock.adjust("100 millis")
      const counts = yield* Fiber.joinAll(burst.flat())
      assert.lengthOf(
        counts.filter(({ current }) => current <= 100),
        100
      )
    })
  )

  it.scoped("adds only one of an amount that does not fit, so that a smaller one still does", () =>
    Effect.gen(function* () {
      const { replica, sent } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      const add = (cache: Cache["Type"], amount: number) =>
        Effect.map(cache.add("caller", amount, WINDOW, 100), ({ current }) => current)
      assert.strictEqual(yield* add(one, 60), 60)
      sent.length = 0
      assert.strictEqual(yield* add(other, 50), 110)
      assert.strictEqual(yield* add(one, 50), 111)
      assert.strictEqual(yield* add(one, 50), 112)
      // The first replica knows that 50 do not fit, the other does not.
      deepStrictEqual(sent, ["add 50 caller", "add 1 caller", "add 1 caller"])
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
      const { replica, state } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.add("caller", 60, WINDOW, 100)
      assert.strictEqual((yield* other.add("caller", 50, WINDOW, 100)).current, 110)
      state.fault = unreachable
      yield* TestClock.adjust("5 minutes")
      deepStrictEqual(yield* other.add("caller", 30, WINDOW, 100), {
        current: 91,
        resetAfter: Duration.minutes(10)
      })
      assert.strictEqual((yield* other.add("caller", 10, WINDOW, 100)).current, 101)
      assert.strictEqual((yield* other.add("caller", 8, WINDOW, 100)).current, 100)
      assert.strictEqual((yield* other.add("caller", 8, WINDOW, 100)).current, 108)
      assert.strictEqual((yield* one.add("caller", 40, WINDOW, 100)).current, 100)
    })
  )

  it.scoped("lets concurrent amounts pass a replica up to the limit while the database hangs", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const cache = yield* replica
      state.fault = Effect.delay(new CacheError({ reason: "Timeout" }), "500 millis")
      const adding = yield* Effect.forEach([60, 60, 60, 1], (amount) =>
        forkNow(cache.add("caller", amount, WINDOW, 100))
      )
      yield* TestClock.adjust("500 millis")
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
      const { replica, restartEmpty, sent } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.add("caller", 80, WINDOW, 100)
      yield* restartEmpty
      sent.length = 0
      assert.strictEqual((yield* one.add("caller", 15, WINDOW, 100)).current, 95)
      assert.strictEqual((yield* one.add("caller", 6, WINDOW, 100)).current, 101)
      assert.strictEqual((yield* one.add("caller", 4, WINDOW, 100)).current, 100)
      deepStrictEqual(sent, ["add 15 caller", "add 1 caller", "add 4 caller"])
      assert.strictEqual((yield* other.add("caller", 80, WINDOW, 100)).current, 100)
    })
  )

  it.scoped("counts any amounts of two replicas as one counter does", () =>
    Effect.gen(function* () {
      const request = FastCheck.record({
        amount: FastCheck.oneof(FastCheck.constant(1), FastCheck.integer({ min: 1, max: 25 })),
        replica: FastCheck.constantFrom(0, 1)
      })
      const { replica } = yield* fakeDatabase
      const replicas = [yield* replica, yield* replica]
      const runs = FastCheck.sample(FastCheck.array(request, { maxLength: 40 }), { seed: 1, numRuns: 500 })
      for (const [run, requests] of runs.entries()) {
        let counter = 0
        for (const { amount, replica } of requests) {
          const cache = yield* Effect.fromNullable(replicas[replica])
          const { current } = yield* cache.add(`caller ${run}`, amount, WINDOW, 60)
          // At the limit a replica does not know the other's refusals.
          if (counter < 60) assert.strictEqual(current, counter + amount)
          else assert.isAbove(current, 60)
          counter += counter + amount <= 60 ? amount : 1
        }
      }
    })
  )

  it.scoped("lets the limit pass, refuses nothing that fits, however commands and replies overtake", () =>
    Effect.gen(function* () {
      const LIMIT = 60
      /** A counter whose commands wait to be executed, and whose replies wait to be delivered. */
      let value = 0
      const commands: Array<() => void> = []
      const replies: Array<() => void> = []
      const remote: RemoteCache = {
        getMany: () => Effect.succeed([]),
        setMany: () => Effect.void,
        add: (_, amount, window, limit) =>
          Effect.async((resume) => {
            commands.push(() => {
              const current = value + amount
              value += current <= limit ? amount : 1
              replies.push(() => resume(Effect.succeed({ current, resetAfter: window })))
            })
          })
      }
      const step = FastCheck.record({
        kind: FastCheck.constantFrom("send", "execute", "reply"),
        amount: FastCheck.oneof(FastCheck.constant(1), FastCheck.integer({ min: 1, max: 40 })),
        replica: FastCheck.constantFrom(0, 1),
        place: FastCheck.nat({ max: 1000 })
      })
      const runs = FastCheck.sample(FastCheck.array(step, { maxLength: 60, size: "max" }), {
        seed: 1,
        numRuns: 1000
      })
      const takeOne = (waiting: Array<() => void>, place: number) => {
        for (const run of waiting.splice(place % Math.max(1, waiting.length), 1)) run()
        return nextTurn
      }
      const takeAll = Effect.gen(function* () {
        while (commands.length > 0) yield* takeOne(commands, 0)
        while (replies.length > 0) yield* takeOne(replies, 0)
      })
      const replicas = yield* Effect.replicateEffect(
        Effect.flatMap(Layer.build(SharedCache.layer(Effect.succeed(remote))), (context) =>
          Effect.provide(Cache, context)
        ),
        2
      )
      let refusals = 0
      for (const [run, steps] of runs.entries()) {
        const key = `caller ${run}`
        value = 0
        const sent: Array<readonly [amount: number, count: Fiber.Fiber<Count>]> = []
        for (const { amount, kind, place, replica } of steps)
          if (kind === "send") {
            const cache = yield* Effect.fromNullable(replicas[replica])
            sent.push([amount, yield* forkNow(cache.add(key, amount, WINDOW, LIMIT))])
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
        assert.strictEqual(Math.min(value, LIMIT), Math.min(total, LIMIT))
        for (const { amount } of refused) assert.isAbove(total - 1 + amount, LIMIT, "refused what fits")
        // With the database emptied, the replicas' own counts show.
        for (const cache of replicas) {
          value = 0
          const own = yield* forkNow(cache.add(key, 1, WINDOW, LIMIT))
          yield* takeAll
          assert.isAtMost((yield* Fiber.join(own)).current, total + 1)
        }
      }
      assert.isAbove(refusals, 1000)
    })
  )

  it.scoped("continues from the highest count when replies arrive out of order", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const cache = yield* replica
      for (let sent = 0; sent < 50; sent++) yield* cache.add("caller", 1, WINDOW, LIMIT)
      state.distance = Duration.millis(150)
      const late = yield* forkNow(cache.add("caller", 1, WINDOW, LIMIT))
      state.distance = Duration.zero
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 52)
      yield* TestClock.adjust("150 millis")
      assert.strictEqual((yield* Fiber.join(late)).current, 51)
      state.fault = unreachable
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 53)
    })
  )

  it.scoped("ends a window during an outage at the same time as without one", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const cache = yield* replica
      for (let sent = 0; sent < 120; sent++) yield* cache.add("caller", 1, WINDOW, LIMIT)
      state.fault = unreachable
      yield* TestClock.adjust("14 minutes")
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 121)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 1)
    })
  )

  it.scoped("continues from its own count when the database was restarted empty", () =>
    Effect.gen(function* () {
      const { replica, restartEmpty } = yield* fakeDatabase
      const cache = yield* replica
      for (let sent = 0; sent < 80; sent++) yield* cache.add("caller", 1, WINDOW, LIMIT)
      yield* restartEmpty
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 81)
      assert.strictEqual((yield* (yield* replica).add("caller", 1, WINDOW, LIMIT)).current, 2)
    })
  )

  it.scoped("returns the values of this process while the database is down", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* fakeDatabase
      const cache = yield* replica
      yield* cache.setMany([entry("before", "1", "1 minute")])
      state.fault = unreachable
      for (let failures = 0; failures < FAILURES; failures++)
        deepStrictEqual(yield* cache.getMany(["before", "unknown"]), [Option.some("1"), Option.none()])
      sent.length = 0
      yield* cache.setMany([entry("meanwhile", "2", "1 minute")])
      deepStrictEqual(yield* cache.getMany(["before", "meanwhile", "unknown"]), [
        Option.some("1"),
        Option.some("2"),
        Option.none()
      ])
      deepStrictEqual(sent, [])
    })
  )

  it.scoped(
    "logs the start of an outage with its reason and its end, once each, and shows it in the status",
    () =>
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const logger = Logger.make(({ annotations, logLevel, message }) => {
          lines.push([logLevel.label, message, Object.fromEntries(annotations)])
        })
        yield* Effect.gen(function* () {
          const { replica, state } = yield* fakeDatabase
          const cache = yield* replica
          state.fault = unreachable
          for (let second = 0; second < 12; second++) {
            yield* cache.add("caller", 1, WINDOW, LIMIT)
            yield* cache.getMany(["a"])
            yield* cache.setMany([entry("b", "1", "1 minute")])
            yield* TestClock.adjust("1 second")
          }
          assert.strictEqual(yield* cache.status, "shared (unreachable, in-process meanwhile)")
          state.fault = Effect.void
          yield* TestClock.adjust("5 seconds")
          yield* cache.add("caller", 1, WINDOW, LIMIT)
          yield* cache.add("caller", 1, WINDOW, LIMIT)
          assert.strictEqual(yield* cache.status, "shared")
        }).pipe(Effect.provide(Logger.add(logger)))
        deepStrictEqual(lines, [
          [
            "WARN",
            ["Cache database failed, counting and caching in this process meanwhile"],
            { service: "Cache", reason: "Unreachable (ECONNREFUSED)" }
          ],
          ["INFO", ["Cache database is used again"], { service: "Cache" }]
        ])
      })
  )

  it.scoped("does not end an outage when a full database can be read", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const [one, other] = [yield* replica, yield* replica]
      yield* one.setMany([entry("a", "1", "1 minute")])
      state.writeFault = new CacheError({ reason: "Refused", code: "OOM" })
      for (let failures = 0; failures < FAILURES; failures++)
        yield* other.setMany([entry("b", "2", "1 minute")])
      yield* TestClock.adjust(PAUSE)
      deepStrictEqual(yield* other.getMany(["a", "b"]), [Option.some("1"), Option.some("2")])
      assert.strictEqual(yield* other.status, "shared (unreachable, in-process meanwhile)")
      state.writeFault = Effect.void
      yield* other.setMany([entry("b", "2", "1 minute")])
      assert.strictEqual(yield* other.status, "shared")
    })
  )

  it.scoped("sends no command for no keys, and does not count that as a recovery", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* fakeDatabase
      const cache = yield* replica
      state.fault = unreachable
      for (let failures = 0; failures < FAILURES; failures++) yield* cache.add("caller", 1, WINDOW, LIMIT)
      yield* TestClock.adjust(PAUSE)
      sent.length = 0
      yield* cache.setMany([])
      yield* cache.setMany([entry("a", "1", Duration.zero)])
      deepStrictEqual(yield* cache.getMany([]), [])
      deepStrictEqual(sent, [])
      assert.strictEqual(yield* cache.status, "shared (unreachable, in-process meanwhile)")
    })
  )

  it.scoped(
    "sends five commands to a database that is down, and a probe after 1, 2, 4, 8, 16 and 30 seconds",
    () =>
      Effect.gen(function* () {
        const { sent, replica, state } = yield* fakeDatabase
        const cache = yield* replica
        sent.length = 0
        state.fault = unreachable
        const sentAt: Array<number> = []
        for (let second = 0; second < 100; second++) {
          yield* Effect.all([
            cache.add("a", 1, WINDOW, LIMIT),
            cache.add("b", 1, WINDOW, LIMIT),
            cache.getMany(["c"]),
            cache.getMany(["d"]),
            cache.getMany(["e"]),
            cache.getMany(["f"])
          ])
          while (sentAt.length < sent.length) sentAt.push(second)
          yield* TestClock.adjust("1 second")
        }
        deepStrictEqual(sentAt, [0, 0, 0, 0, 0, 1, 3, 7, 15, 31, 61, 91])
      })
  )

  it.scoped("pauses for a database that hangs, and probes it, when no client waits for the timeout", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* fakeDatabase
      const cache = yield* replica
      sent.length = 0
      state.fault = Effect.delay(new CacheError({ reason: "Timeout" }), "500 millis")
      const sentAt: Array<number> = []
      for (let millis = 0; millis < 10_000; millis += 250) {
        const request = yield* forkNow(cache.add("a", 1, WINDOW, LIMIT))
        yield* TestClock.adjust("250 millis")
        yield* Fiber.interruptFork(request)
        while (sentAt.length < sent.length) sentAt.push(millis)
      }
      deepStrictEqual(sentAt, [0, 250, 500, 750, 1000, 1250, 2500, 5000, 9500])
      assert.strictEqual(yield* cache.status, "shared (unreachable, in-process meanwhile)")
    })
  )

  it.scoped("pauses when half of 20 commands in ten seconds failed", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const cache = yield* replica
      // Of the commands at start one counts.
      for (let count = 1; count <= 19; count++) {
        if (count === 19) yield* TestClock.adjust("9 seconds")
        state.fault = count % 2 === 1 ? unreachable : Effect.void
        assert.strictEqual(yield* cache.status, "shared")
        yield* cache.add("a", 1, WINDOW, LIMIT)
      }
      assert.strictEqual(yield* cache.status, "shared (unreachable, in-process meanwhile)")
    })
  )

  it.scoped("uses a database that fails once in a hundred commands for all others", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* fakeDatabase
      const cache = yield* replica
      sent.length = 0
      for (let count = 1; count <= 1000; count++) {
        state.fault = count % 100 === 0 ? new CacheError({ reason: "Timeout" }) : Effect.void
        assert.strictEqual((yield* cache.add("a", 1, WINDOW, LIMIT)).current, count)
      }
      assert.lengthOf(sent, 1000)
      assert.strictEqual(yield* cache.status, "shared")
    })
  )

  for (const [rule, pause, status] of [
    [
      "begins an outage when half of 20 commands in ten seconds fail",
      "9 seconds",
      "shared (unreachable, in-process meanwhile)"
    ],
    ["begins no outage when half of 20 commands in a longer time fail", "10 seconds", "shared"]
  ] as const)
    it.scoped(rule, () =>
      Effect.gen(function* () {
        const { replica, state } = yield* fakeDatabase
        const cache = yield* replica
        const send = (fault: Effect.Effect<void, CacheError>) => {
          state.fault = fault
          return cache.add("a", 1, WINDOW, LIMIT)
        }
        // Later than the commands at start.
        yield* TestClock.adjust("10 seconds")
        for (let pair = 0; pair < 9; pair++) {
          if (pair === 1) yield* TestClock.adjust(pause)
          yield* send(Effect.void)
          yield* send(unreachable)
        }
        yield* send(unreachable)
        assert.strictEqual(yield* cache.status, "shared", "after 19 commands")
        yield* send(unreachable)
        assert.strictEqual(yield* cache.status, status, "after 20 commands")
      })
    )

  it.scoped("counts what it did not send, by reason", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* fakeDatabase
      const { text } = yield* Metrics
      const cache = yield* replica
      state.fault = unreachable
      for (let sent = 0; sent < FAILURES + 3; sent++) yield* cache.add("a", 1, WINDOW, LIMIT)
      assert.include(text(), 'threat_scoring_cache_skipped_total{reason="Open"} 3')
      assert.include(text(), 'threat_scoring_cache_skipped_total{reason="Waiting"} 0')
    }).pipe(Effect.provide(Metrics.layer))
  )
})
