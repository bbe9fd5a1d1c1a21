import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import * as RunAhead from "../../src/Layers/RunAhead.ts"

describe("RunAhead", () => {
  it.effect("gives the Exit of what does not wait: success, failure and defect", () =>
    Effect.gen(function* () {
      const success = yield* RunAhead.start(Effect.map(Effect.clock, () => 1))
      assert.isTrue(RunAhead.isFinished(success))
      assert.strictEqual(yield* success, 1)
      const failure = yield* RunAhead.start(Effect.suspend(() => Effect.fail("no")))
      assert.isTrue(RunAhead.isFinished(failure))
      assert.strictEqual(yield* Effect.flip(failure), "no")
      const defect = yield* RunAhead.start(
        Effect.sync((): number => {
          throw new Error("bug")
        })
      )
      assert.isTrue(RunAhead.isFinished(defect))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(defect)))
    })
  )

  it.effect(
    "runs what waits as far as that at once, and gives what waits for the rest, on the same clock",
    () =>
      Effect.gen(function* () {
        const events: Array<string> = []
        const note = (event: string) => Effect.sync(() => void events.push(event))
        const begun = yield* RunAhead.start(
          note("begun").pipe(
            Effect.zipRight(Effect.sleep("1 second")),
            Effect.zipRight(note("finished")),
            Effect.as(7)
          )
        )
        assert.deepStrictEqual(events, ["begun"])
        assert.isFalse(RunAhead.isFinished(begun))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* begun, 7)
        assert.deepStrictEqual(events, ["begun", "finished"])
      })
  )

  it.effect("stops the rest when the wait for it is interrupted", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const begun = yield* RunAhead.start(
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      )
      const waiting = yield* Effect.fork(begun)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      yield* Deferred.await(stopped)
    })
  )
})
