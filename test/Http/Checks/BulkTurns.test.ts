import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber } from "effect"
import * as BulkTurns from "../../../src/Http/Checks/BulkTurns.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import * as NanosClock from "../../fixtures/NanosClock.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"

/** Turns on a clock that only the steps move. */
const turnsOn = Effect.gen(function* () {
  const { clock, advance } = yield* NanosClock.make
  return { turns: yield* Effect.withClock(BulkTurns.make, clock), advance }
})

describe("BulkTurns", () => {
  it.effect("lets all requests together compute for one slice in a turn, one request after the other", () =>
    Effect.gen(function* () {
      const { turns, advance } = yield* turnsOn
      const log: Array<string> = []
      const join = (name: string, count: number) => {
        let left = count
        return turns.join(() => {
          advance(1)
          log.push(name)
          return --left > 0
        })
      }
      for (const [name, count] of [
        ["a", 5],
        ["b", 1],
        ["c", 2]
      ] as const)
        join(name, count).wake()
      assert.deepStrictEqual(log, [])
      const perTurn: Array<string> = []
      for (let seen = 0; seen < 8; seen = log.length) {
        yield* nextTurn
        perTurn.push(log.slice(seen).join(""))
      }
      // Two steps of one millisecond are a slice.
      assert.strictEqual(Duration.toMillis(BulkTurns.MAX_SLICE), 2)
      assert.deepStrictEqual(perTurn, ["aa", "bc", "aa", "ca"])
    })
  )

  it.effect("computes in one turn what takes less than a slice, and nothing more when there is nothing", () =>
    Effect.gen(function* () {
      const { turns } = yield* turnsOn
      let steps = 0
      const share = turns.join(() => ++steps % 100 !== 0)
      share.wake()
      share.wake()
      yield* nextTurn
      assert.strictEqual(steps, 100)
      yield* Effect.repeatN(nextTurn, 3)
      assert.strictEqual(steps, 100)
      share.wake()
      yield* nextTurn
      assert.strictEqual(steps, 200)
    })
  )

  it.effect("begins no step of a request that has left, also if it left in its own step", () =>
    Effect.gen(function* () {
      const { turns, advance } = yield* turnsOn
      const steps = { waiting: 0, leaving: 0, other: 0 }
      const waiting = turns.join(() => {
        steps.waiting++
        return true
      })
      const leaving = turns.join(() => {
        steps.leaving++
        waiting.leave()
        leaving.leave()
        return true
      })
      const other = turns.join(() => {
        advance(1)
        return ++steps.other < 5
      })
      leaving.wake()
      waiting.wake()
      other.wake()
      yield* turnsUntil(() => steps.other === 5)
      waiting.wake()
      leaving.wake()
      yield* Effect.repeatN(nextTurn, 3)
      assert.deepStrictEqual(steps, { waiting: 0, leaving: 1, other: 5 })
    })
  )

  it.effect("each computes all items in order, `one` a single value", () =>
    Effect.gen(function* () {
      const { turns } = yield* turnsOn
      const seen: Array<string> = []
      yield* BulkTurns.each(turns, ["a", "b", "c"], (item) => void seen.push(item))
      yield* BulkTurns.each(turns, [], () => assert.fail("no item"))
      assert.deepStrictEqual(seen, ["a", "b", "c"])
      assert.strictEqual(yield* BulkTurns.one(turns, () => 42), 42)
    })
  )

  it.effect("what a step throws is a defect, and ends neither the process nor the turns of others", () =>
    Effect.gen(function* () {
      const { turns } = yield* turnsOn
      const bug = new Error("bug")
      const fail = () => {
        throw bug
      }
      let others = 0
      const other = yield* forkNow(BulkTurns.each(turns, [1, 2, 3], () => void others++))
      assert.deepStrictEqual(yield* Effect.exit(BulkTurns.each(turns, [1, 2], fail)), Exit.die(bug))
      assert.deepStrictEqual(yield* Effect.exit(BulkTurns.one(turns, fail)), Exit.die(bug))
      yield* Fiber.join(other)
      assert.strictEqual(others, 3)
    })
  )

  it.effect("computes nothing more when it is interrupted", () =>
    Effect.gen(function* () {
      const { turns, advance } = yield* turnsOn
      const seen: Array<number> = []
      const items = [0, 1, 2, 3, 4, 5, 6, 7]
      const running = yield* forkNow(
        BulkTurns.each(turns, items, (item) => {
          advance(1)
          seen.push(item)
        })
      )
      yield* nextTurn
      assert.deepStrictEqual(seen, [0, 1])
      yield* Fiber.interrupt(running)
      yield* Effect.repeatN(nextTurn, 3)
      assert.deepStrictEqual(seen, [0, 1])
    })
  )
})
