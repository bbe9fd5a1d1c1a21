import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Option, TestClock } from "effect"
import * as MemoryCache from "../../../src/Layers/Cache/MemoryCache.ts"
import * as NanosClock from "../../fixtures/NanosClock.ts"

const WINDOW = Duration.minutes(15)
const LIMIT = 1000
const HOUR_MS = Duration.toMillis("1 hour")

const entry = (key: string, value: string, timeToLive: Duration.DurationInput) => ({
  key,
  value,
  timeToLive: Duration.decode(timeToLive)
})

describe("MemoryCache", () => {
  it.effect("returns one element for each key, in order", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      yield* cache.setMany([entry("a", "1", "1 minute"), entry("b", "2", "1 minute")])
      deepStrictEqual(yield* cache.getMany(["b", "x", "a", "b"]), [
        Option.some("2"),
        Option.none(),
        Option.some("1"),
        Option.some("2")
      ])
    })
  )

  it.effect("removes a value at its deadline", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      yield* cache.setMany([entry("a", "1", "1 minute")])
      yield* TestClock.adjust("59999 millis")
      deepStrictEqual(yield* cache.getMany(["a"]), [Option.some("1")])
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* cache.getMany(["a"]), [Option.none()])
    })
  )

  it.effect("does not store a value whose time to live is zero", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      yield* cache.setMany([entry("a", "1", Duration.zero)])
      deepStrictEqual(yield* cache.getMany(["a"]), [Option.none()])
    })
  )

  it.effect("counts in a fixed window that starts with the first amount", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      deepStrictEqual(yield* cache.add("a", 1, WINDOW, LIMIT), { current: 1, resetAfter: WINDOW })
      yield* TestClock.adjust("10 minutes")
      for (let current = 2; current <= 200; current++) {
        deepStrictEqual(yield* cache.add("a", 1, WINDOW, LIMIT), {
          current,
          resetAfter: Duration.minutes(5)
        })
      }
      assert.strictEqual((yield* cache.add("b", 1, WINDOW, LIMIT)).current, 1)
      yield* TestClock.adjust("5 minutes")
      deepStrictEqual(yield* cache.add("a", 1, WINDOW, LIMIT), { current: 1, resetAfter: WINDOW })
    })
  )

  it.effect("adds an amount that fits the limit, and of one that does not fit only one", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      const add = (amount: number) =>
        Effect.map(cache.add("a", amount, WINDOW, 100), ({ current }) => current)
      const counts = yield* Effect.forEach([50, 51, 50, 49, 48, 1, 30, 1], add)
      assert.deepStrictEqual(counts, [50, 101, 101, 101, 101, 55, 85, 86])
      assert.strictEqual(yield* add(14), 100)
      assert.strictEqual(yield* add(14), 114)
      assert.strictEqual(yield* add(1), 102)
    })
  )

  it.effect("evicts no caller with ten requests, after any number of new addresses", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      for (let sent = 0; sent < 150; sent++) yield* cache.add("caller", 1, WINDOW, LIMIT)
      for (let address = 0; address < 200_000; address++)
        yield* cache.add(`address ${address}`, 1, WINDOW, LIMIT)
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 151)
      // the new addresses themselves were evicted
      assert.strictEqual((yield* cache.add("address 0", 1, WINDOW, LIMIT)).current, 1)
    })
  )

  it.effect("stores the latest 32,768 new callers and 12 MB of values after 200,000 of each", () =>
    Effect.gen(function* () {
      const ADDED = 200_000
      const cache = yield* MemoryCache.make
      const name = (index: number) => `address ${String(index).padStart(7, "0")}`
      for (let index = 0; index < ADDED; index++) yield* cache.add(name(index), 1, WINDOW, LIMIT)
      let stored = 0
      while ((yield* cache.add(name(ADDED - 1 - stored), 1, WINDOW, LIMIT)).current > 1) stored++
      assert.strictEqual(stored, 32_768)
      for (let index = 0; index < ADDED; index++) yield* cache.setMany([entry(name(index), "[]", "1 hour")])
      const values = yield* cache.getMany(Array.from({ length: ADDED }, (_, index) => name(index)))
      const weight = name(0).length + 2 + 180
      assert.strictEqual(values.filter(Option.isSome).length, Math.floor(12_000_000 / weight))
      assert.isTrue(Option.isSome(values.at(-1) ?? Option.none()))
    })
  )

  it.effect("evicts no counter for values", () =>
    Effect.gen(function* () {
      const cache = yield* MemoryCache.make
      yield* cache.add("caller", 1, WINDOW, LIMIT)
      const value = "x".repeat(1000)
      for (let index = 0; index < 20_000; index++) yield* cache.setMany([entry(`${index}`, value, "1 hour")])
      assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 2)
      deepStrictEqual(yield* cache.getMany(["0", "19999"]), [Option.none(), Option.some(value)])
    })
  )

  it.effect("keeps its deadlines when the machine's clock is set an hour back or forth", () =>
    Effect.gen(function* () {
      const { clock, advance, setDate } = yield* NanosClock.make
      const test = Effect.gen(function* () {
        const cache = yield* MemoryCache.make
        yield* cache.setMany([entry("a", "1", "20 minutes")])
        yield* cache.add("caller", 1, WINDOW, LIMIT)
        setDate(HOUR_MS)
        assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 2)
        deepStrictEqual(yield* cache.getMany(["a"]), [Option.some("1")])
        setDate(-HOUR_MS)
        advance(Duration.toMillis(WINDOW))
        assert.strictEqual((yield* cache.add("caller", 1, WINDOW, LIMIT)).current, 1)
      })
      yield* Effect.withClock(test, clock)
    })
  )
})
