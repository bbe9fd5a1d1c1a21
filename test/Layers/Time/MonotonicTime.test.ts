import { assert, describe, it } from "@effect/vitest"
import { type Clock, Duration, Effect, TestClock } from "effect"
import { cachedFor, now } from "../../../src/Layers/Time/MonotonicTime.ts"
import { adjust } from "../../fixtures/NextTurn.ts"

describe("now", () => {
  it.effect("advances by as many milliseconds as the clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9))
      const start = yield* now
      for (let passed = 1; passed <= 100; passed++) {
        yield* adjust("1 millis")
        assert.strictEqual((yield* now) - start, passed)
      }
    })
  )
})

describe("cachedFor", () => {
  it.effect("returns a value again for a second, also when the date is set back by an hour", () =>
    Effect.gen(function* () {
      const time = { date: 0, nanos: 0n }
      const clock: Clock.Clock = Object.assign(Object.create(yield* Effect.clock), {
        currentTimeMillis: Effect.sync(() => time.date),
        unsafeCurrentTimeNanos: () => time.nanos
      })
      let runs = 0
      const cached = yield* cachedFor(
        Effect.sync(() => ++runs),
        Duration.seconds(1)
      )
      const read = Effect.withClock(cached, clock)
      assert.strictEqual(yield* read, 1)
      time.nanos = 999_000_000n
      assert.strictEqual(yield* read, 1)
      time.nanos = 1_000_000_000n
      time.date = -3_600_000
      assert.strictEqual(yield* read, 2)
    })
  )
})
