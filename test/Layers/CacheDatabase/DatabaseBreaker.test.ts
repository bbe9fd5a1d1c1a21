import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Option, TestClock } from "effect"
import * as DatabaseBreaker from "../../../src/Layers/CacheDatabase/DatabaseBreaker.ts"
import { DatabaseError } from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { logged } from "../../fixtures/LogLines.ts"

const PAUSE = Duration.seconds(5)
const RULES = {
  maxFailuresInARow: 2,
  minPauseMs: 5000,
  maxPauseMs: 5000
}

const setUp = Effect.gen(function* () {
  const skipped = { count: 0 }
  const breaker = yield* DatabaseBreaker.make({
    service: "Test",
    meanwhile: "testing",
    rules: RULES,
    onSkip: () => {
      skipped.count++
    }
  })
  return { breaker, skipped }
})

type Breaker = Effect.Effect.Success<typeof setUp>["breaker"]

const success = Effect.succeed("value")
const failure = new DatabaseError({ reason: "Refused", code: "OOM" })
const notCalled = Effect.die("called")

const opened = (breaker: Breaker, access: DatabaseBreaker.Access) =>
  Effect.zipRight(breaker.call(failure, access), breaker.call(failure, access))

const OUTAGE = {
  level: "warning",
  message: "Cache database failed, testing meanwhile",
  service: "Test",
  reason: "Refused (OOM)"
}
const RECOVERY = { level: "info", message: "Cache database is used again", service: "Test" }

const linesOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(logged(effect), ([, lines]) => lines)

/** That it uses a breaker: `CircuitBreaker.test.ts` has the rules. */
describe("DatabaseBreaker", () => {
  it.effect("returns the result", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      deepStrictEqual(yield* breaker.call(success, "read"), Option.some("value"))
      assert.isFalse(yield* breaker.isOutage)
    })
  )

  it.effect("sends the next command after a failure, and none after the failures of its rules", () =>
    Effect.gen(function* () {
      const { breaker, skipped } = yield* setUp
      deepStrictEqual(yield* breaker.call(failure, "write"), Option.none())
      assert.isFalse(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      yield* opened(breaker, "write")
      assert.isTrue(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(notCalled, "read"), Option.none())
      yield* TestClock.adjust("4999 millis")
      deepStrictEqual(yield* breaker.call(notCalled, "write"), Option.none())
      assert.strictEqual(skipped.count, 2)
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      assert.isFalse(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("makes the next command the probe when the probe is interrupted", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* opened(breaker, "write")
      yield* TestClock.adjust(PAUSE)
      const probe = yield* forkNow(breaker.call(Effect.never, "write"))
      yield* Fiber.interrupt(probe)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("logs the start and the end of an outage once each", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      const failing = Effect.forEach([1, 2, 3, 4], () =>
        Effect.zipRight(
          Effect.zipRight(opened(breaker, "write"), opened(breaker, "read")),
          TestClock.adjust(PAUSE)
        )
      )
      deepStrictEqual(yield* linesOf(failing), [OUTAGE])
      const recovering = Effect.zipRight(breaker.call(success, "write"), breaker.call(success, "write"))
      deepStrictEqual(yield* linesOf(recovering), [RECOVERY])
      deepStrictEqual(yield* linesOf(opened(breaker, "read")), [OUTAGE])
    })
  )

  it.effect("does not end an outage that a write began when a read succeeds", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* opened(breaker, "write")
      yield* TestClock.adjust(PAUSE)
      yield* breaker.call(failure, "read")
      yield* TestClock.adjust(PAUSE)
      deepStrictEqual(yield* breaker.call(success, "read"), Option.some("value"))
      assert.isTrue(yield* breaker.isOutage)
      deepStrictEqual(yield* linesOf(opened(breaker, "write")), [])
      yield* TestClock.adjust(PAUSE)
      deepStrictEqual(yield* linesOf(breaker.call(success, "write")), [RECOVERY])
    })
  )
})
