import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Option } from "effect"
import { holdLease } from "../../src/Lists/SharedStore.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import * as SharedStoreDouble from "../fixtures/SharedStoreDouble.ts"

const underLease = (database: SharedStoreDouble.SharedStoreDouble) =>
  holdLease(database.store, "list", Duration.seconds(30))

/** An effect that runs until `end`. */
const work = Effect.gen(function* () {
  const end = yield* Deferred.make<string>()
  const started = yield* Deferred.make<void>()
  const state = { isInterrupted: false }
  const effect = Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(end)).pipe(
    Effect.onInterrupt(() =>
      Effect.sync(() => {
        state.isInterrupted = true
      })
    )
  )
  return {
    effect,
    state,
    started: Deferred.await(started),
    isStarted: Deferred.isDone(started),
    end: Deferred.succeed(end, "done")
  }
})

describe("A lease of the shared store", () => {
  it.effect("runs one effect at a time, and the next one when it has ended", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* work
      const running = yield* Effect.fork(underLease(database)(first.effect))
      yield* first.started
      assert.isTrue(Option.isNone(yield* underLease(database)(Effect.succeed("other"))))
      yield* first.end
      assert.strictEqual(Option.getOrNull(yield* Fiber.join(running)), "done")
      assert.strictEqual(Option.getOrNull(yield* underLease(database)(Effect.succeed("other"))), "other")
    })
  )

  it.effect("is renewed while the effect runs", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* work
      const running = yield* Effect.fork(underLease(database)(first.effect))
      for (let minute = 0; minute < 6; minute++) {
        yield* adjust("50 seconds")
        assert.isTrue(Option.isNone(yield* underLease(database)(Effect.void)))
      }
      yield* first.end
      assert.strictEqual(Option.getOrNull(yield* Fiber.join(running)), "done")
    })
  )

  it.effect("ends with the effect, however that ends", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      assert.deepStrictEqual(yield* Effect.exit(underLease(database)(Effect.fail("no"))), Exit.fail("no"))
      const first = yield* work
      const running = yield* Effect.fork(underLease(database)(first.effect))
      yield* first.started
      yield* Fiber.interrupt(running)
      assert.isTrue(first.state.isInterrupted)
      assert.strictEqual(Option.getOrNull(yield* underLease(database)(Effect.succeed("next"))), "next")
    })
  )

  it.effect("outlasts failures of the database, and is taken again when the database was emptied", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* work
      const running = yield* Effect.fork(underLease(database)(first.effect))
      yield* first.started
      database.isAway = () => true
      yield* adjust("5 minutes")
      database.isAway = () => false
      database.clear()
      yield* adjust("10 seconds")
      assert.isTrue(Option.isNone(yield* underLease(database)(Effect.void)))
      yield* first.end
      assert.strictEqual(Option.getOrNull(yield* Fiber.join(running)), "done")
    })
  )

  it.effect("interrupts the effect when another process came to have it", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* work
      const running = yield* Effect.fork(underLease(database)(first.effect))
      yield* first.started
      database.clear()
      const second = yield* work
      const other = yield* Effect.fork(underLease(database)(second.effect))
      yield* second.started
      yield* adjust("10 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(running)))
      assert.isTrue(first.state.isInterrupted)
      yield* adjust("40 seconds")
      yield* second.end
      assert.strictEqual(Option.getOrNull(yield* Fiber.join(other)), "done")
    })
  )

  it.effect("does not run the effect when the database is away", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      database.isAway = () => true
      const first = yield* work
      const error = yield* Effect.flip(underLease(database)(first.effect))
      assert.strictEqual(error.reason, "Unreachable")
      assert.isFalse(yield* first.isStarted)
    })
  )
})
