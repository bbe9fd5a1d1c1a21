import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { LONGEST_WAIT, MOST_IN_FLIGHT, Overload } from "../../src/Layers/Overload.ts"
import { VirtualClock } from "../fixtures/VirtualClock.ts"

const admitted = (overload: Overload["Type"]) => overload.admit(Effect.succeed(true), Effect.succeed(false))

const nextTurn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

const taken = (overload: Overload["Type"]) => overload.inFlight(Effect.succeed(true), Effect.succeed(false))

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

  it.effect("refuses what the thread comes to too late in a turn of the event loop", () => {
    const clock = new VirtualClock(0)
    let millis = 0
    clock.unsafeCurrentTimeNanos = () => BigInt(millis) * 1_000_000n
    return Effect.gen(function* () {
      const overload = yield* Overload.make
      assert.isTrue(yield* admitted(overload))
      millis = LONGEST_WAIT
      assert.isTrue(yield* admitted(overload))
      millis++
      assert.isFalse(yield* admitted(overload))
      assert.isTrue(overload.isLate(clock))
      yield* nextTurn
      assert.isFalse(overload.isLate(clock))
      assert.isTrue(yield* admitted(overload))
    }).pipe(Effect.withClock(clock))
  })

  it.effect("refuses nobody because the process was stopped in the middle of a turn", () => {
    const clock = new VirtualClock(0)
    let millis = 0
    clock.unsafeCurrentTimeNanos = () => BigInt(millis) * 1_000_000n
    return Effect.gen(function* () {
      const overload = yield* Overload.make
      assert.isTrue(yield* admitted(overload))
      millis = 100
      assert.isTrue(yield* admitted(overload))
      millis += 3_600_000
      assert.isTrue(yield* admitted(overload))
      millis += LONGEST_WAIT - 100
      assert.isTrue(yield* admitted(overload))
      millis++
      assert.isFalse(yield* admitted(overload))
    }).pipe(Effect.withClock(clock))
  })
})
