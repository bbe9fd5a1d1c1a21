import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "effect/FastCheck"
import * as Counters from "../../../src/Layers/Cache/Counters.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"

const WINDOW = 900_000
const LIMIT = 8

const setUp = Effect.gen(function* () {
  const { text } = yield* Metrics
  const counters = yield* Counters.make
  return {
    ...counters,
    add: (key: string, count: number, now: number) => {
      for (let sent = 1; sent < count; sent++) counters.increment(key, WINDOW, LIMIT, now)
      return counters.increment(key, WINDOW, LIMIT, now).current
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
        assert.deepStrictEqual(increment("a", WINDOW, LIMIT, current), { current, deadline: WINDOW + 1 })
      assert.strictEqual(increment("a", WINDOW, LIMIT, WINDOW).current, 2 * LIMIT + 1)
      assert.deepStrictEqual(increment("a", WINDOW, LIMIT, WINDOW + 1), {
        current: 1,
        deadline: 2 * WINDOW + 1
      })
    })
  )

  it.effect("adds the rest of an amount up to the limit, and returns the sum also if it is over it", () =>
    Effect.gen(function* () {
      const { addRest, increment } = yield* setUp
      const addFive = (now: number) => addRest("a", 4, increment("a", WINDOW, LIMIT, now), LIMIT, now)
      assert.deepStrictEqual(addFive(1), { current: 5, deadline: WINDOW + 1 })
      assert.strictEqual(addFive(2).current, 10)
      assert.strictEqual(increment("a", WINDOW, LIMIT, 3).current, 7)
      assert.strictEqual(addRest("a", 1, increment("b", WINDOW, LIMIT, 3), LIMIT, 3).current, LIMIT)
      assert.strictEqual(addFive(4).current, LIMIT + 5)
      assert.strictEqual(increment("a", WINDOW, LIMIT, 5).current, LIMIT + 2)
    })
  )

  it.effect("adds the rest to what was counted since, and none to the counter of the next window", () =>
    Effect.gen(function* () {
      const { addRest, increment } = yield* setUp
      const first = increment("a", WINDOW, LIMIT, 0)
      increment("a", WINDOW, LIMIT, 1)
      assert.deepStrictEqual(addRest("a", 3, first, LIMIT, 2), { current: 5, deadline: WINDOW })
      increment("a", WINDOW, LIMIT, WINDOW)
      assert.deepStrictEqual(addRest("a", 3, first, LIMIT, WINDOW), { current: 4, deadline: WINDOW })
      assert.strictEqual(increment("a", WINDOW, LIMIT, WINDOW).current, 2)
    })
  )

  it.effect("adds the rest to a counter that was evicted in the meantime", () =>
    Effect.gen(function* () {
      const { add, addRest, increment } = yield* setUp
      const first = increment("a", WINDOW, LIMIT, 0)
      for (let other = 0; other < 33_000; other++) add(`other ${other}`, 1, 1)
      assert.deepStrictEqual(addRest("a", 3, first, LIMIT, 2), { current: 4, deadline: WINDOW })
      assert.strictEqual(add("a", 1, 3), 5)
    })
  )

  it.effect("evicts no counter that an amount has brought to the limit, and one that it has not", () =>
    Effect.gen(function* () {
      const { add, addRest, increment } = yield* setUp
      addRest("blocked", LIMIT - 1, increment("blocked", WINDOW, LIMIT, 0), LIMIT, 0)
      addRest("refused", LIMIT, increment("refused", WINDOW, LIMIT, 0), LIMIT, 0)
      for (let other = 0; other < 33_000; other++) add(`other ${other}`, 1, 1)
      assert.strictEqual(add("blocked", 1, 2), LIMIT + 1)
      assert.strictEqual(add("refused", 1, 2), 1)
    })
  )

  it.effect("takes over a larger count with its window", () =>
    Effect.gen(function* () {
      const { add, increment, raise } = yield* setUp
      add("a", 3, 0)
      raise("a", { current: 5, deadline: 1000 }, LIMIT, 10)
      assert.deepStrictEqual(increment("a", WINDOW, LIMIT, 20), { current: 6, deadline: 1000 })
      raise("b", { current: 70, deadline: 1000 }, LIMIT, 10)
      assert.deepStrictEqual(increment("b", WINDOW, LIMIT, 999), { current: 71, deadline: 1000 })
      assert.strictEqual(increment("b", WINDOW, LIMIT, 1000).current, 1)
    })
  )

  it.effect("keeps a larger count with its own window", () =>
    Effect.gen(function* () {
      const { add, increment, raise } = yield* setUp
      add("a", 7, 0)
      raise("a", { current: 6, deadline: 1000 }, LIMIT, 10)
      assert.deepStrictEqual(increment("a", WINDOW, LIMIT, 20), { current: 8, deadline: WINDOW })
    })
  )

  it.effect("takes over no count whose window has ended", () =>
    Effect.gen(function* () {
      const { increment, raise } = yield* setUp
      raise("a", { current: 70, deadline: 1000 }, LIMIT, 1000)
      assert.strictEqual(increment("a", WINDOW, LIMIT, 1000).current, 1)
      raise("a", { current: 70, deadline: 1000 }, LIMIT, 1001)
      assert.strictEqual(increment("a", WINDOW, LIMIT, 1001).current, 2)
    })
  )

  it.effect("keeps counters at their limit while 34,000 other clients send requests in turn", () =>
    Effect.gen(function* () {
      const { add, evicted } = yield* setUp
      const blocked = Array.from({ length: 32_768 }, (_, index) => `blocked ${index}`)
      for (const key of blocked) assert.strictEqual(add(key, LIMIT, 0), LIMIT)
      for (let other = 0; other < 200_000; other++)
        assert.strictEqual(add(`other ${other % 34_000}`, 1, 1) > LIMIT, false)
      for (const key of blocked) assert.strictEqual(add(key, 1, WINDOW - 1), LIMIT + 1)
      assert.strictEqual(evicted(), 0)
    })
  )

  it.effect("evicts the counter at its limit whose window ends first for one more, and counts it", () =>
    Effect.gen(function* () {
      const { add, evicted, raise } = yield* setUp
      for (let index = 0; index < 32_768; index++)
        raise(`blocked ${index}`, { current: LIMIT, deadline: 10_000 + ((index + 5) % 32_768) }, LIMIT, 0)
      assert.strictEqual(evicted(), 0)
      assert.strictEqual(add("new", LIMIT - 1, 0), LIMIT - 1)
      assert.strictEqual(evicted(), 0)
      assert.strictEqual(add("new", 1, 0), LIMIT)
      assert.strictEqual(evicted(), 1)
      assert.strictEqual(add("blocked 32763", 1, 0), 1)
      assert.strictEqual(add("blocked 32764", 1, 0), LIMIT + 1)
      assert.strictEqual(add("new", 1, 0), LIMIT + 1)
    })
  )

  it.effect("lets no new client share the counter of another, also when all places are taken", () =>
    Effect.gen(function* () {
      const { add } = yield* setUp
      for (let index = 0; index < 40_000; index++) add(`blocked ${index}`, LIMIT, 0)
      for (let index = 0; index < 1000; index++) assert.strictEqual(add(`new ${index}`, 1, 0), 1)
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
      const replicas = [yield* Counters.make, yield* Counters.make]
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
            const own = counters.increment(key, SHORT_WINDOW, LIMIT, now)
            if (isShared && own.current <= LIMIT) {
              const isOver = shared.deadline <= now
              shared = {
                current: isOver ? 1 : shared.current + 1,
                deadline: isOver ? now + SHORT_WINDOW : shared.deadline
              }
              counters.raise(key, shared, LIMIT, now)
            }
            for (const { current, deadline } of [own, shared]) {
              const inWindow = sent.filter((at) => at >= deadline - SHORT_WINDOW).length
              assert.isTrue(deadline <= now || current <= inWindow)
            }
          }
        }),
        { seed: 1, numRuns: 2000 }
      )
    })
  )
})
