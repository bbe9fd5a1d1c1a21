import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import * as Slices from "../../../src/Layers/Time/Slices.ts"

/** A clock that each read moves on by a millisecond, so that a slice has a fixed number of steps. */
const stepping = Effect.map(Effect.clock, (clock): Clock.Clock => {
  let nanos = 0n
  return {
    ...clock,
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanos: clock.currentTimeNanos,
    unsafeCurrentTimeNanos: () => {
      nanos += 1_000_000n
      return nanos
    }
  }
})

const withSteppingClock = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.flatMap(stepping, (clock) => Effect.withClock(effect, clock))

const turns = () => {
  let count = 0
  let isRunning = true
  const next = () => {
    count++
    if (isRunning) setImmediate(next)
  }
  setImmediate(next)
  return {
    count: () => count,
    stop: () => {
      isRunning = false
    }
  }
}

describe("map", () => {
  it.live("returns the results in order, with the index of each item", () =>
    Effect.gen(function* () {
      const slices = yield* Slices.make
      const results = yield* slices.map(["a", "b", "c"], (item, index) => `${index}${item}`)
      assert.deepStrictEqual(results, ["0a", "1b", "2c"])
      assert.deepStrictEqual(yield* slices.map([], () => 1), [])
    })
  )

  it.live("lets the event loop turn after at most 2 ms, and lets two users alternate", () =>
    withSteppingClock(
      Effect.gen(function* () {
        const slices = yield* Slices.make
        const order: Array<string> = []
        const items = Array.from({ length: 6 }, (_, index) => index)
        const loop = turns()
        yield* Effect.all(
          [
            slices.map(items, () => order.push(`a${loop.count()}`)),
            slices.map(items, () => order.push(`b${loop.count()}`))
          ],
          { concurrency: "unbounded" }
        )
        loop.stop()
        const users = order.map((entry) => entry.slice(0, 1)).join("")
        assert.strictEqual(users, "aabbaabbaabb")
        const turnsOfA = order.filter((entry) => entry.startsWith("a")).map((entry) => entry.slice(1))
        assert.strictEqual(new Set(turnsOfA).size, 3)
        assert.strictEqual(new Set(order.map((entry) => entry.slice(1))).size, 6)
      })
    )
  )

  it.live("is a defect if a step throws, and releases the permit", () =>
    Effect.gen(function* () {
      const slices = yield* Slices.make
      const exit = yield* Effect.exit(
        slices.map([1], () => {
          throw new Error("of a step")
        })
      )
      assert.deepStrictEqual(exit, Exit.die(new Error("of a step")))
      assert.deepStrictEqual(yield* slices.map([1], (item) => item), [1])
    })
  )

  it.live("computes nothing more after an interruption", () =>
    withSteppingClock(
      Effect.gen(function* () {
        const slices = yield* Slices.make
        let steps = 0
        const fiber = yield* Effect.fork(slices.map(Array.from({ length: 100 }), () => steps++))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
        const atInterruption = steps
        yield* Effect.sleep(Duration.millis(1))
        assert.isBelow(atInterruption, 100)
        assert.strictEqual(steps, atInterruption)
      })
    )
  )
})
