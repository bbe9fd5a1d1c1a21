import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock } from "effect"
import { nextTurn } from "../../../src/Layers/Time/Slices.ts"
import * as Timeouts from "../../../src/Layers/Time/Timeouts.ts"

const adjust = (duration: Duration.DurationInput) =>
  Effect.zipRight(TestClock.adjust(duration), Effect.zipRight(nextTurn, nextTurn))

describe("start", () => {
  it.effect("calls back each after its duration, in order, and not the stopped ones", () =>
    Effect.gen(function* () {
      const { start } = Timeouts.make(Duration.seconds(2))
      const ended: Array<string> = []
      yield* start(() => ended.push("first"))
      yield* adjust("500 millis")
      const stop = yield* start(() => ended.push("stopped"))
      yield* start(() => ended.push("second"))
      yield* adjust("1 seconds")
      stop()
      assert.deepStrictEqual(ended, [])
      yield* adjust("500 millis")
      assert.deepStrictEqual(ended, ["first"])
      yield* adjust("499 millis")
      assert.deepStrictEqual(ended, ["first"])
      yield* adjust("1 millis")
      assert.deepStrictEqual(ended, ["first", "second"])
    })
  )

  it.effect("works again after a time without timeouts", () =>
    Effect.gen(function* () {
      const { start } = Timeouts.make(Duration.seconds(2))
      let ended = 0
      for (const expected of [1, 2, 3]) {
        yield* start(() => ended++)
        yield* adjust("1 minute")
        assert.strictEqual(ended, expected)
      }
    })
  )

  it.effect("outlives the fiber that was the first to start one", () =>
    Effect.gen(function* () {
      const { start } = Timeouts.make(Duration.seconds(2))
      let ended = 0
      const first = yield* Effect.fork(
        Effect.zipRight(Effect.uninterruptible(start(() => ended++)), Effect.never)
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* start(() => ended++)
      yield* adjust("2 seconds")
      assert.strictEqual(ended, 2)
    })
  )
})
