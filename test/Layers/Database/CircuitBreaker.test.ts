import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Fiber, Option, TestClock } from "effect"
import * as CircuitBreaker from "../../../src/Layers/Database/CircuitBreaker.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"

const PAUSE = Duration.seconds(5)

const setUp = Effect.gen(function* () {
  const events: Array<string> = []
  const breaker = yield* CircuitBreaker.make<string>({
    pause: PAUSE,
    onOutage: (error) => Effect.sync(() => events.push(`outage: ${error}`)),
    onRecovery: Effect.sync(() => events.push("recovery"))
  })
  return { breaker, events }
})

const success = Effect.succeed("value")
const failure = Effect.fail("broken")

describe("CircuitBreaker", () => {
  it.effect("returns the result", () =>
    Effect.gen(function* () {
      const { breaker, events } = yield* setUp
      deepStrictEqual(yield* breaker.call(success, "read"), Option.some("value"))
      deepStrictEqual(events, [])
      assert.isFalse(yield* breaker.isOutage)
    })
  )

  it.effect("makes no call during the pause after a failure", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      deepStrictEqual(yield* breaker.call(failure, "write"), Option.none())
      deepStrictEqual(yield* breaker.call(Effect.die("called"), "read"), Option.none())
      yield* TestClock.adjust("4999 millis")
      deepStrictEqual(yield* breaker.call(Effect.die("called"), "write"), Option.none())
      assert.isTrue(yield* breaker.isOutage)
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      assert.isFalse(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("makes one call as a probe and no other meanwhile", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* breaker.call(failure, "write")
      yield* TestClock.adjust(PAUSE)
      const answer = yield* Deferred.make<string, string>()
      const probe = yield* forkNow(breaker.call(Deferred.await(answer), "write"))
      deepStrictEqual(yield* breaker.call(Effect.die("called"), "write"), Option.none())
      yield* Deferred.succeed(answer, "value")
      deepStrictEqual(yield* Fiber.join(probe), Option.some("value"))
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("pauses again when the probe fails", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* breaker.call(failure, "write")
      yield* TestClock.adjust(PAUSE)
      deepStrictEqual(yield* breaker.call(failure, "write"), Option.none())
      yield* TestClock.adjust("4999 millis")
      deepStrictEqual(yield* breaker.call(Effect.die("called"), "write"), Option.none())
    })
  )

  it.effect("makes the next call the probe when the probe is interrupted", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* breaker.call(failure, "write")
      yield* TestClock.adjust(PAUSE)
      const probe = yield* forkNow(breaker.call(Effect.never, "write"))
      yield* Fiber.interrupt(probe)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("reports the start and the end of an outage once each", () =>
    Effect.gen(function* () {
      const { breaker, events } = yield* setUp
      for (let attempt = 0; attempt < 4; attempt++) {
        yield* breaker.call(failure, "write")
        yield* breaker.call(failure, "read")
        yield* TestClock.adjust(PAUSE)
      }
      deepStrictEqual(events, ["outage: broken"])
      yield* breaker.call(success, "write")
      yield* breaker.call(success, "write")
      deepStrictEqual(events, ["outage: broken", "recovery"])
      yield* breaker.call(failure, "read")
      deepStrictEqual(events, ["outage: broken", "recovery", "outage: broken"])
    })
  )

  it.effect("does not end an outage that a write began when a read succeeds", () =>
    Effect.gen(function* () {
      const { breaker, events } = yield* setUp
      yield* breaker.call(failure, "write")
      yield* TestClock.adjust(PAUSE)
      yield* breaker.call(failure, "read")
      yield* TestClock.adjust(PAUSE)
      deepStrictEqual(yield* breaker.call(success, "read"), Option.some("value"))
      assert.isTrue(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(failure, "write"), Option.none())
      deepStrictEqual(events, ["outage: broken"])
      yield* TestClock.adjust(PAUSE)
      yield* breaker.call(success, "write")
      deepStrictEqual(events, ["outage: broken", "recovery"])
    })
  )

  it.effect("does not end an outage by the late result of an earlier call", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      const answer = yield* Deferred.make<string, string>()
      const early = yield* forkNow(breaker.call(Deferred.await(answer), "write"))
      yield* breaker.call(failure, "write")
      yield* Deferred.succeed(answer, "value")
      deepStrictEqual(yield* Fiber.join(early), Option.some("value"))
      assert.isTrue(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(Effect.die("called"), "write"), Option.none())
    })
  )
})
