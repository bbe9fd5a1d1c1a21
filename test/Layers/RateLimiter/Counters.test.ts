import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "effect/FastCheck"
import { MAX_COUNTERS, makeCounters } from "../../../src/Layers/RateLimiter.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import { runs } from "../../fixtures/Seed.ts"

const WINDOW = 900_000
const LIMIT = 8

const setUp = Effect.gen(function* () {
  const { text } = yield* Metrics
  const counters = yield* makeCounters(LIMIT, WINDOW)
  return {
    ...counters,
    add: (key: string, count: number, now: number) => {
      for (let sent = 1; sent < count; sent++) counters.increment(key, now)
      return counters.increment(key, now).current
    },
    /** The metric. */
    evicted: () => Number(/^threat_scoring_rate_limit_evicted_total (\d+)/m.exec(text())?.[1])
  }
}).pipe(Effect.provide(Metrics.layer))

describe("Counters", () => {
  it.effect("counts in a fixed window that starts with the first increment", () =>
    Effect.gen(function* () {
      const { increment } = yield* setUp
      for (let current = 1; current <= 2 * LIMIT; current++)
        assert.deepStrictEqual(increment("a", current), { current, deadline: WINDOW + 1 })
      assert.strictEqual(increment("a", WINDOW).current, 2 * LIMIT + 1)
      assert.deepStrictEqual(increment("a", WINDOW + 1), {
        current: 1,
        deadline: 2 * WINDOW + 1
      })
    })
  )

  it.effect("adds the rest of an amount up to the limit, and returns the sum also if it is over it", () =>
    Effect.gen(function* () {
      const { addRest, increment } = yield* setUp
      const addFive = (now: number) => addRest("a", 4, increment("a", now), now)
      assert.deepStrictEqual(addFive(1), { current: 5, deadline: WINDOW + 1 })
      assert.strictEqual(addFive(2).current, 10)
      assert.strictEqual(increment("a", 3).current, 7)
      assert.strictEqual(addRest("a", 1, increment("b", 3), 3).current, LIMIT)
      assert.strictEqual(addFive(4).current, LIMIT + 5)
      assert.strictEqual(increment("a", 5).current, LIMIT + 2)
    })
  )

  it.effect("adds the rest to what was counted since, and none to the counter of the next window", () =>
    Effect.gen(function* () {
      const { addRest, increment } = yield* setUp
      const first = increment("a", 0)
      increment("a", 1)
      assert.deepStrictEqual(addRest("a", 3, first, 2), { current: 5, deadline: WINDOW })
      increment("a", WINDOW)
      assert.deepStrictEqual(addRest("a", 3, first, WINDOW), { current: 4, deadline: WINDOW })
      assert.strictEqual(increment("a", WINDOW).current, 2)
    })
  )

  it.effect("adds the rest to a counter that was evicted in the meantime", () =>
    Effect.gen(function* () {
      const { add, addRest, increment } = yield* setUp
      const first = increment("a", 0)
      for (let other = 0; other < MAX_COUNTERS; other++) add(`other ${other}`, 1, 1)
      assert.deepStrictEqual(addRest("a", 3, first, 2), { current: 4, deadline: WINDOW })
      assert.strictEqual(add("a", 1, 3), 5)
    })
  )

  it.effect("takes over a larger count with its window", () =>
    Effect.gen(function* () {
      const { add, increment, raise } = yield* setUp
      add("a", 3, 0)
      raise("a", { current: 5, deadline: 1000 }, 10)
      assert.deepStrictEqual(increment("a", 20), { current: 6, deadline: 1000 })
      raise("b", { current: 70, deadline: 1000 }, 10)
      assert.deepStrictEqual(increment("b", 999), { current: 71, deadline: 1000 })
      assert.strictEqual(increment("b", 1000).current, 1)
    })
  )

  it.effect("keeps a larger count with its own window", () =>
    Effect.gen(function* () {
      const { add, increment, raise } = yield* setUp
      add("a", 7, 0)
      raise("a", { current: 6, deadline: 1000 }, 10)
      assert.deepStrictEqual(increment("a", 20), { current: 8, deadline: WINDOW })
    })
  )

  it.effect("takes over no count whose window has ended", () =>
    Effect.gen(function* () {
      const { increment, raise } = yield* setUp
      raise("a", { current: 70, deadline: 1000 }, 1000)
      assert.strictEqual(increment("a", 1000).current, 1)
      raise("a", { current: 70, deadline: 1000 }, 1001)
      assert.strictEqual(increment("a", 1001).current, 2)
    })
  )

  it.effect("evicts the least recently used counter for one more, and counts one at its limit", () =>
    Effect.gen(function* () {
      const { add, evicted, get } = yield* setUp
      assert.strictEqual(add("blocked", LIMIT, 0), LIMIT)
      assert.strictEqual(add("blocked and idle", LIMIT, 0), LIMIT)
      for (let other = 3; other <= MAX_COUNTERS; other++) add(`other ${other}`, LIMIT - 1, 0)
      assert.strictEqual(add("blocked", 1, 1), LIMIT + 1)
      assert.strictEqual(evicted(), 0)
      add("new", 1, 1)
      assert.strictEqual(evicted(), 1)
      assert.strictEqual(get("blocked and idle", 1), undefined)
      add("another", 1, 1)
      assert.strictEqual(get("other 3", 1), undefined)
      assert.strictEqual(evicted(), 1, "it was below its limit")
      assert.strictEqual(add("blocked", 1, 1), LIMIT + 2)
    })
  )

  it.effect("counts no eviction of a counter whose window has ended", () =>
    Effect.gen(function* () {
      const { add, evicted } = yield* setUp
      add("blocked", LIMIT, 0)
      yield* adjust(WINDOW)
      for (let other = 0; other < MAX_COUNTERS; other++) add(`other ${other}`, 1, WINDOW)
      assert.strictEqual(evicted(), 0)
    })
  )

  it.effect("keeps a client at its limit while it sends one request for each of 90,000 others", () =>
    Effect.gen(function* () {
      const { add } = yield* setUp
      for (let round = 0; round < 3; round++) {
        assert.strictEqual(add("blocked", LIMIT, round), LIMIT * (round + 1))
        for (let other = 0; other < 90_000; other++) add(`other ${round} ${other}`, 1, round)
      }
    })
  )

  it.effect("never counts more than was sent in a window, whatever counts of others it takes over", () =>
    Effect.gen(function* () {
      const step = FastCheck.record({
        pause: FastCheck.constantFrom(0, 0, 0, 1, 5, 40),
        replica: FastCheck.constantFrom(0, 1),
        isShared: FastCheck.boolean()
      })
      const SHORT_WINDOW = 60
      const replicas = [yield* makeCounters(LIMIT, SHORT_WINDOW), yield* makeCounters(LIMIT, SHORT_WINDOW)]
      let run = 0
      FastCheck.assert(
        FastCheck.property(FastCheck.array(step, { maxLength: 200 }), (steps) => {
          const key = `run ${run++}`
          const sent: Array<number> = []
          let now = 0
          let shared = { current: 0, deadline: 0 }
          for (const { pause, replica, isShared } of steps) {
            now += pause
            sent.push(now)
            const counters = replicas[replica]
            if (counters === undefined) throw new Error("no replica")
            const own = counters.increment(key, now)
            if (isShared && own.current <= LIMIT) {
              const isOver = shared.deadline <= now
              shared = {
                current: isOver ? 1 : shared.current + 1,
                deadline: isOver ? now + SHORT_WINDOW : shared.deadline
              }
              counters.raise(key, shared, now)
            }
            for (const { current, deadline } of [own, shared]) {
              const inWindow = sent.filter((at) => at >= deadline - SHORT_WINDOW).length
              assert.isTrue(deadline <= now || current <= inWindow)
            }
          }
        }),
        { numRuns: runs(2000) }
      )
    })
  )
})
