import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import * as TimeSlices from "../../../src/Checkers/ThreatFeed/TimeSlices.ts"

/** Some microseconds of work. */
const burn = (): number => {
  let sum = 0
  for (let i = 0; i < 5_000; i++) sum += Math.sqrt(i)
  return sum
}

describe("TimeSlices", () => {
  it.live("gives the result of a computation, and the thread to others in between", () =>
    Effect.gen(function* () {
      const slices = yield* TimeSlices.make
      let steps = 0
      const seen: Array<number> = []
      const look = () => {
        seen.push(steps)
        if (steps < 3000) setImmediate(look)
      }
      setImmediate(look)
      const result = yield* slices.run(
        (function* () {
          for (; steps < 3000; steps++) {
            burn()
            yield
          }
          return "done"
        })()
      )
      assert.strictEqual(result, "done")
      const during = seen.filter((at) => at > 0 && at < 3000)
      assert.isAtLeast(during.length, 3)
    })
  )

  it.live("counts short computations in a row as one", () =>
    Effect.gen(function* () {
      const slices = yield* TimeSlices.make
      let turns = 0
      const look = () => {
        turns++
        handle = setImmediate(look)
      }
      let handle = setImmediate(look)
      for (let i = 0; i < 3000; i++)
        yield* slices.run(
          (function* () {
            for (let step = 0; step < 8; step++) {
              burn()
              yield
            }
          })()
        )
      clearImmediate(handle)
      assert.isAtLeast(turns, 3)
    })
  )

  it.live("makes a defect of an exception", () =>
    Effect.gen(function* () {
      const slices = yield* TimeSlices.make
      const error = new Error("broken")
      const exit = yield* Effect.exit(
        slices.run(
          (function* () {
            yield
            throw error
          })()
        )
      )
      assert.deepStrictEqual(exit, Exit.die(error))
    })
  )

  it.live("stops when it is interrupted", () =>
    Effect.gen(function* () {
      const slices = yield* TimeSlices.make
      let steps = 0
      const endless = function* () {
        for (;;) {
          burn()
          steps++
          yield
        }
      }
      const fiber = yield* Effect.fork(slices.run(endless()))
      while (steps === 0) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
      yield* Fiber.interrupt(fiber)
      const atInterruption = steps
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
      assert.strictEqual(steps, atInterruption)
    })
  )
})
