import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Fiber, Logger, Option, TestClock } from "effect"
import * as DatabaseBreaker from "../../../src/Layers/CacheDatabase/DatabaseBreaker.ts"
import { DatabaseError } from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"

const PAUSE = Duration.seconds(5)
const RULES = {
  maxFailuresInARow: 2,
  minPauseMs: 5000,
  maxPauseMs: 5000
}

const setUp = Effect.gen(function* () {
  const skipped: Array<string> = []
  const breaker = yield* DatabaseBreaker.make({
    service: "Test",
    meanwhile: "testing",
    rules: RULES,
    onSkip: (reason) => skipped.push(reason)
  })
  return { breaker, skipped }
})

type Breaker = Effect.Effect.Success<typeof setUp>["breaker"]

const success = Effect.succeed("value")
const failure = new DatabaseError({ reason: "Refused", code: "OOM" })
const timeout = new DatabaseError({ reason: "Timeout" })
const notCalled = Effect.die("called")

const opened = (breaker: Breaker, access: DatabaseBreaker.Access) =>
  Effect.zipRight(breaker.call(failure, access), breaker.call(failure, access))

/** The lines logged by the effect, without those of the test. */
const linesOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ annotations, logLevel, message }) => {
      lines.push(`${logLevel.label} ${message} ${JSON.stringify(Object.fromEntries(annotations))}`)
    })
    return Effect.as(Effect.provide(effect, Logger.add(logger)), lines)
  })

const OUTAGE = 'WARN Cache database failed, testing meanwhile {"reason":"Refused (OOM)","service":"Test"}'
const RECOVERY = 'INFO Cache database is used again {"service":"Test"}'

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
      deepStrictEqual(skipped, ["Open", "Open"])
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      assert.isFalse(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("sends one command as a probe and no other meanwhile", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* opened(breaker, "write")
      yield* TestClock.adjust(PAUSE)
      const answer = yield* Deferred.make<string, DatabaseError>()
      const probe = yield* forkNow(breaker.call(Deferred.await(answer), "write"))
      deepStrictEqual(yield* breaker.call(notCalled, "write"), Option.none())
      yield* Deferred.succeed(answer, "value")
      deepStrictEqual(yield* Fiber.join(probe), Option.some("value"))
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
    })
  )

  it.effect("pauses again when the probe fails", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      yield* opened(breaker, "write")
      yield* TestClock.adjust(PAUSE)
      deepStrictEqual(yield* breaker.call(failure, "write"), Option.none())
      yield* TestClock.adjust("4999 millis")
      deepStrictEqual(yield* breaker.call(notCalled, "write"), Option.none())
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

  it.effect("does not end an outage by the late result of an earlier command", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      const answer = yield* Deferred.make<string, DatabaseError>()
      const early = yield* forkNow(breaker.call(Deferred.await(answer), "write"))
      yield* opened(breaker, "write")
      yield* Deferred.succeed(answer, "value")
      deepStrictEqual(yield* Fiber.join(early), Option.some("value"))
      assert.isTrue(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(notCalled, "write"), Option.none())
    })
  )

  it.effect("does not begin another outage by the late failures of commands sent before the last one", () =>
    Effect.gen(function* () {
      const { breaker } = yield* setUp
      const answer = yield* Deferred.make<string, DatabaseError>()
      const early = yield* Effect.replicateEffect(
        forkNow(breaker.call(Deferred.await(answer), "write")),
        RULES.maxFailuresInARow
      )
      yield* opened(breaker, "write")
      yield* TestClock.adjust(PAUSE)
      yield* breaker.call(success, "write")
      yield* Deferred.fail(answer, timeout)
      yield* Fiber.joinAll(early)
      assert.isFalse(yield* breaker.isOutage)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      yield* opened(breaker, "write")
      assert.isTrue(yield* breaker.isOutage)
    })
  )

  it.effect("lets at most 64 commands wait in the ten seconds after a timeout", () =>
    Effect.gen(function* () {
      const { breaker, skipped } = yield* setUp
      const answer = yield* Deferred.make<string, DatabaseError>()
      const wait = forkNow(breaker.call(Deferred.await(answer), "write"))
      const waiting = yield* Effect.replicateEffect(wait, 70)
      yield* breaker.call(timeout, "write")
      deepStrictEqual(yield* breaker.call(notCalled, "write"), Option.none())
      for (const fiber of waiting.slice(0, 7)) yield* Fiber.interrupt(fiber)
      const last = yield* wait
      deepStrictEqual(yield* breaker.call(notCalled, "read"), Option.none())
      deepStrictEqual(skipped, ["Waiting", "Waiting"])
      yield* TestClock.adjust("9999 millis")
      deepStrictEqual(yield* breaker.call(notCalled, "write"), Option.none())
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      yield* Deferred.succeed(answer, "value")
      yield* Fiber.joinAll([...waiting.slice(7), last])
    })
  )

  it.effect("lets any number of commands wait before a timeout, and after other failures", () =>
    Effect.gen(function* () {
      const { breaker, skipped } = yield* setUp
      yield* breaker.call(failure, "write")
      const waiting = yield* Effect.replicateEffect(forkNow(breaker.call(Effect.never, "write")), 100)
      deepStrictEqual(yield* breaker.call(success, "write"), Option.some("value"))
      deepStrictEqual(skipped, [])
      yield* Fiber.interruptAll(waiting)
    })
  )
})
