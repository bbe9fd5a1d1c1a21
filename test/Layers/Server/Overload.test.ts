import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scheduler } from "effect"
import { MOST_BEGUN, MOST_IN_FLIGHT, MOST_TAKEN_UP, Overload } from "../../../src/Layers/Server/Overload.ts"

const admitted = (overload: Overload["Type"]) => overload.admit(Effect.succeed(true), Effect.succeed(false))

const taken = (overload: Overload["Type"]) => overload.inFlight(Effect.succeed(true), Effect.succeed(false))

/** Immediates are run in the order in which they were set. */
const endOfTurn = Effect.promise(() => new Promise(setImmediate))

describe("Overload", () => {
  it.effect("refuses while as many requests are in flight as may be, and no longer", () =>
    Effect.gen(function* () {
      const overload = yield* Overload.make
      const answers = yield* Deferred.make<void>()
      const waiting = yield* Effect.forEach(Array.from({ length: MOST_IN_FLIGHT - 1 }), () =>
        Effect.fork(overload.inFlight(Deferred.await(answers), Effect.void))
      )
      const impatient = yield* Effect.fork(overload.inFlight(Effect.never, Effect.void))
      yield* Effect.yieldNow()
      assert.isFalse(yield* admitted(overload))
      assert.isFalse(yield* Effect.flatMap(Effect.fork(taken(overload)), Fiber.join))
      yield* Fiber.interrupt(impatient)
      assert.isTrue(yield* admitted(overload))
      const another = yield* Effect.fork(overload.inFlight(Effect.dieMessage("a bug"), Effect.void))
      yield* Fiber.await(another)
      assert.isTrue(yield* admitted(overload))
      yield* Deferred.succeed(answers, undefined)
      yield* Effect.forEach(waiting, Fiber.join)
      assert.isTrue(yield* admitted(overload))
    })
  )

  it.effect(
    "begins so many checks in a turn of the event loop, in their order, without those who went away",
    () =>
      Effect.gen(function* () {
        const overload = yield* Overload.make
        const begun: Array<number> = []
        const fibers = yield* Effect.forEach(Array.from({ length: 3 * MOST_BEGUN }), (_, index) =>
          Effect.fork(
            overload.inFlight(
              Effect.sync(() => void begun.push(index)),
              Effect.void
            )
          )
        )
        yield* Effect.yieldNow()
        const numbers = fibers.map((_, index) => index)
        assert.deepStrictEqual(begun, numbers.slice(0, MOST_BEGUN))
        for (const fiber of fibers.slice(MOST_BEGUN, MOST_BEGUN + 10)) yield* Fiber.interrupt(fiber)
        yield* endOfTurn
        assert.deepStrictEqual(begun.slice(MOST_BEGUN), numbers.slice(MOST_BEGUN + 10, 2 * MOST_BEGUN + 10))
        yield* endOfTurn
        assert.strictEqual(begun.length, fibers.length - 10)
      })
  )

  it.effect("begins a quarter as many checks as requests came in the turn before, if that is more", () =>
    Effect.gen(function* () {
      const overload = yield* Overload.make
      let begun = 0
      yield* Effect.forEach(Array.from({ length: 4 * MOST_BEGUN }), () =>
        Effect.fork(
          overload.inFlight(
            Effect.sync(() => void begun++),
            Effect.void
          )
        )
      )
      yield* Effect.yieldNow()
      for (let came = 0; came < 8 * MOST_BEGUN; came++) overload.takeUp(() => undefined)
      yield* endOfTurn
      assert.strictEqual(begun, 3 * MOST_BEGUN)
      yield* endOfTurn
      assert.strictEqual(begun, 4 * MOST_BEGUN)
    })
  )

  it.effect.each([1, 2, 3, 4])(
    "begins one whose fiber lets go of the thread at step %i until the turn that had no room for it is over",
    (step) =>
      Effect.gen(function* () {
        const overload = yield* Overload.make
        for (let begun = 0; begun < MOST_BEGUN; begun++) yield* taken(overload)
        let steps = 0
        const scheduler: Scheduler.Scheduler = {
          shouldYield: () => ++steps === step && 0,
          scheduleTask: (task) => void setImmediate(task)
        }
        const late = Effect.runFork(taken(overload), { scheduler })
        for (let turn = 0; turn < 4; turn++) yield* endOfTurn
        assert.deepStrictEqual(late.unsafePoll(), Exit.succeed(true))
      })
  )

  it.effect("leaves what came to a turn with too many requests for its end", () =>
    Effect.gen(function* () {
      const overload = yield* Overload.make
      let takenUp = 0
      const come = () => overload.takeUp(() => takenUp++)
      for (let came = 0; came < MOST_TAKEN_UP + 2; came++) come()
      assert.strictEqual(takenUp, MOST_TAKEN_UP)
      yield* endOfTurn
      assert.strictEqual(takenUp, MOST_TAKEN_UP + 2)
      come()
      assert.strictEqual(takenUp, MOST_TAKEN_UP + 3)
    })
  )
})
