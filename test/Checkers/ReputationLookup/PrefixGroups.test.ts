import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import * as PrefixGroups from "../../../src/Checkers/ReputationLookup/PrefixGroups.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"

/** So many prefixes from a number on, in order. */
const prefixes = (from: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => (from + index).toString(16).padStart(8, "0"))

/** Groups whose answer is their prefixes, after `go`; and what was asked. */
const setup = Effect.gen(function* () {
  const asked: Array<ReadonlyArray<string>> = []
  const gate = yield* Deferred.make<void>()
  const groups = PrefixGroups.make(
    (prefixes) => {
      asked.push(prefixes)
      return Effect.as(Deferred.await(gate), prefixes)
    },
    yield* Effect.scope
  )
  return { ...groups, asked, go: Deferred.succeed(gate, undefined) }
})

/** Before a wait that yields after so many: Effect needs a dozen to begin and to end a fiber. */
const operations = Effect.forEach(Array(12), () => Effect.void)

describe("PrefixGroups", () => {
  it.scoped("asks about a group once, about sorted and distinct prefixes", () =>
    Effect.gen(function* () {
      const { add, send, asked, go } = yield* setup
      const answers = [prefixes(3, 2), prefixes(1, 3), prefixes(3, 2)].map(add)
      yield* nextTurn
      assert.deepStrictEqual(asked, [])
      yield* send
      yield* send
      yield* nextTurn
      assert.deepStrictEqual(asked, [prefixes(1, 4)])
      yield* go
      assert.deepStrictEqual(yield* Effect.all(answers), Array(3).fill(prefixes(1, 4)))
      assert.lengthOf(asked, 1)
    })
  )

  it.scoped("has at most 400 prefixes in a group, and those of a lookup in the same", () =>
    Effect.gen(function* () {
      const { add, send, asked, go } = yield* setup
      const answers = [
        prefixes(0, 390),
        // Ten of them are in the group: it has 400 then.
        prefixes(380, 20),
        prefixes(400, 1),
        prefixes(0, 150),
        prefixes(401, 250)
      ].map(add)
      yield* send
      yield* nextTurn
      const second = [...prefixes(0, 150), ...prefixes(400, 1)]
      assert.deepStrictEqual(asked, [prefixes(0, 400), second, prefixes(401, 250)])
      yield* go
      assert.deepStrictEqual(yield* Effect.all(answers), [asked[0], asked[0], second, second, asked[2]])
    })
  )

  it.scoped("begins new groups after each send", () =>
    Effect.gen(function* () {
      const { add, send, asked } = yield* setup
      add(prefixes(1, 1))
      yield* send
      add(prefixes(1, 2))
      yield* send
      yield* nextTurn
      assert.deepStrictEqual(asked, [prefixes(1, 1), prefixes(1, 2)])
    })
  )

  it.scoped("asks about 16 groups when they are sent, and about others when an answer is waited for", () =>
    Effect.gen(function* () {
      const { add, send, asked } = yield* setup
      const answers = Array.from({ length: 20 }, (_, at) => add(prefixes(400 * at, 400)))
      yield* send
      yield* nextTurn
      assert.deepStrictEqual(
        asked,
        Array.from({ length: 16 }, (_, at) => prefixes(400 * at, 400))
      )
      for (const at of [0, 18, 18]) yield* Effect.fork(answers[at] ?? Effect.void)
      yield* nextTurn
      assert.deepStrictEqual(asked.slice(16), [prefixes(400 * 18, 400)])
    })
  )

  it.scoped("goes on asking when a wait is interrupted, also the one that began it, wherever it yields", () =>
    Effect.gen(function* () {
      for (let yieldsAfter = 28; yieldsAfter < 56; yieldsAfter++) {
        const { add, asked, go } = yield* setup
        const answer = add(prefixes(1, 1))
        const first = yield* Effect.fork(
          Effect.withMaxOpsBeforeYield(Effect.zipRight(operations, answer), yieldsAfter)
        )
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        const second = yield* Effect.fork(answer)
        yield* nextTurn
        yield* go
        assert.deepStrictEqual(yield* Fiber.join(second), prefixes(1, 1), `${yieldsAfter}`)
        assert.lengthOf(asked, 1)
      }
    })
  )

  it.scoped("yields a defect of the asking to every wait", () =>
    Effect.gen(function* () {
      const { add, send } = PrefixGroups.make(
        () => {
          throw new TypeError("thrown")
        },
        yield* Effect.scope
      )
      const answers = [add(prefixes(1, 1)), add(prefixes(2, 1))]
      yield* send
      for (const answer of answers)
        assert.deepStrictEqual(yield* Effect.exit(answer), Exit.die(new TypeError("thrown")))
    })
  )

  it.effect("stops asking when the scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      let isInterrupted = false
      const { add, send } = PrefixGroups.make(
        () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isInterrupted = true))),
        scope
      )
      const answer = add(prefixes(1, 1))
      yield* send
      yield* nextTurn
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isInterrupted)
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(answer)))
    })
  )
})
