import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Overload from "../../../src/Http/Serve/Overload.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { turnsUntil } from "../../fixtures/NextTurn.ts"

describe("Overload", () => {
  it.effect("refuses with 503 while the maximum is in flight, and no longer", () =>
    Effect.gen(function* () {
      const { refuseWhenFull, inFlight } = yield* Overload.make
      const status = Effect.merge(
        Effect.mapBoth(
          refuseWhenFull(() => Effect.succeed(200)),
          {
            onFailure: ({ response }) => response.status,
            onSuccess: (status) => status
          }
        )
      )
      const finish = yield* Deferred.make<void>()
      const waiting = yield* Effect.forEach(Array.from({ length: Overload.MAX_IN_FLIGHT - 1 }), () =>
        forkNow(inFlight(Deferred.await(finish)))
      )
      assert.strictEqual(yield* status, 200)
      const last = yield* forkNow(inFlight(Effect.never))
      const { response: refused } = yield* Effect.flip(refuseWhenFull(() => Effect.void))
      assert.strictEqual((yield* Effect.flip(inFlight(Effect.void))).reason, "Unavailable")
      assert.deepStrictEqual(
        [refused.status, refused.headers["retry-after"], refused.body],
        [503, "1", '{"error":"The service is not available at the moment"}']
      )
      yield* Fiber.interrupt(last)
      assert.strictEqual(yield* status, 200)
      yield* Fiber.await(yield* forkNow(inFlight(Effect.dieMessage("bug"))))
      assert.strictEqual(yield* status, 200)
      yield* Deferred.succeed(finish, undefined)
      yield* Effect.forEach(waiting, Fiber.join)
      assert.strictEqual(yield* status, 200)
    })
  )

  it.effect("starts a bounded number of checks in a turn, the others later in the order of arrival", () =>
    Effect.gen(function* () {
      const { inFlight } = yield* Overload.make
      const started: Array<number> = []
      const total = 3 * Overload.MAX_STARTED_PER_TURN
      const fibers = yield* Effect.forEach(Array.from({ length: total }), (_, index) =>
        forkNow(inFlight(Effect.sync(() => started.push(index))))
      )
      const all = fibers.map((_, index) => index)
      assert.deepStrictEqual(started, all.slice(0, Overload.MAX_STARTED_PER_TURN))
      const gone = fibers[total - 1]
      if (gone !== undefined) yield* Fiber.interrupt(gone)
      yield* turnsUntil(`${total - 1} checks have started`, () => started.length === total - 1)
      assert.deepStrictEqual(started, all.slice(0, total - 1))
    })
  )

  it.effect("answers at most 8 clients over their limit in a turn", () =>
    Effect.gen(function* () {
      const { refuseInSlot } = yield* Overload.make
      let answered = 0
      const total = 3 * 8
      yield* Effect.forEach(Array.from({ length: total }), () =>
        forkNow(refuseInSlot(Effect.sync(() => answered++)))
      )
      assert.strictEqual(answered, 8)
      yield* turnsUntil(`${total} responses have arrived`, () => answered === total)
    })
  )
})
