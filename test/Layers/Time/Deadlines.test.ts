import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Exit, FastCheck, Scope, TestClock, TestContext } from "effect"
import * as Deadlines from "../../../src/Layers/Time/Deadlines.ts"

const setup = Effect.map(Deadlines.make, ({ add }) => {
  const passed: Array<string> = []
  return { passed, add: (millis: number, name = String(millis)) => add(millis, () => passed.push(name)) }
})

/** Deadlines that are added after a pause each, and removed in a pause if they are to be. Times are multiples of 10 ms. */
const STEP_MS = 10
const times = (...steps: ReadonlyArray<number>) => FastCheck.constantFrom(...steps.map((at) => at * STEP_MS))
const never = Number.POSITIVE_INFINITY
const additions = FastCheck.array(
  FastCheck.record({
    pause: times(0, 0, 1, 3),
    wait: times(1, 2, 3, 4, 5, 6),
    removedAfter: times(never, never, 1, 3)
  }),
  { maxLength: 12 }
)

const property = FastCheck.asyncProperty(additions, (additions) =>
  Effect.gen(function* () {
    const { add } = yield* Deadlines.make
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const expected: Array<string> = []
    const passed: Array<string> = []
    const removals: Array<{ readonly at: number; readonly remove: () => void }> = []
    const goOn = (millis: number) =>
      Effect.forEach(Array(millis / STEP_MS), () =>
        Effect.map(TestClock.adjust(STEP_MS), () => {
          for (const { at, remove } of removals) if (at === now()) remove()
        })
      )
    for (const [name, { pause, wait, removedAfter }] of additions.entries()) {
      yield* goOn(pause)
      if (wait <= removedAfter) expected.push(`${name} at ${now() + wait}`)
      removals.push({
        at: now() + removedAfter,
        remove: add(wait, () => passed.push(`${name} at ${now()}`))
      })
    }
    yield* goOn(10 * STEP_MS)
    assert.deepStrictEqual(passed.sort(), expected.sort())
  }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
)

describe("Deadlines", () => {
  it.scoped("pass at their time, in whatever order they are added, each once", () =>
    Effect.gen(function* () {
      const { add, passed } = yield* setup
      for (const millis of [300, 100, 200, 100]) add(millis)
      yield* TestClock.adjust("99 millis")
      assert.deepStrictEqual(passed, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(passed, ["100", "100"])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(passed, ["100", "100", "200"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(passed, ["100", "100", "200", "300"])
    })
  )

  it.scoped("do not pass after they were removed, not even by one that passes at the same time", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const passed: Array<string> = []
      const remove = deadlines.add(100, () => passed.push("removed before"))
      deadlines.add(100, () => {
        passed.push("first")
        removeSecond()
      })
      const removeSecond = deadlines.add(100, () => passed.push("second"))
      deadlines.add(200, () => passed.push("last"))
      remove()
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(passed, ["first", "last"])
    })
  )

  it.effect("do not pass after the scope is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { add, passed } = yield* Scope.extend(setup, scope)
      add(100)
      yield* Scope.close(scope, Exit.void)
      add(50)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(passed, [])
    })
  )

  it.scoped("need few fibers, however often a short one is added to a long one", () =>
    Effect.gen(function* () {
      const { add, passed } = yield* setup
      let removeLong = add(500)
      for (let step = 0; step < 100; step++) {
        add(1)
        const next = add(500)
        yield* TestClock.adjust("1 millis")
        removeLong()
        removeLong = next
        assert.isAtMost(Chunk.size(yield* TestClock.sleeps()), 2)
      }
      assert.lengthOf(passed, 100)
      yield* TestClock.adjust("498 millis")
      assert.lengthOf(passed, 100)
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(passed, 101)
    })
  )

  it.effect("pass at their time after any additions and removals", () =>
    Effect.promise(() => FastCheck.assert(property, { seed: 15, numRuns: 20 }))
  )
})
