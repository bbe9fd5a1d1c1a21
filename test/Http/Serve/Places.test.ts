import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Places from "../../../src/Http/Serve/Places.ts"

/** A request that enters, or waits; `leave` closes it. */
const entering = (places: ReturnType<typeof Places.make>, names: Array<string>) =>
  Effect.fnUntraced(function* (name: string) {
    let leave = (): void => undefined
    const fiber = yield* places
      .enter(name.slice(0, 1), (listener) => {
        leave = listener
      })
      .pipe(
        Effect.tap(() => Effect.sync(() => names.push(name))),
        Effect.fork
      )
    yield* settled
    return {
      fiber,
      leave: Effect.zipRight(
        Effect.sync(() => leave()),
        settled
      )
    }
  })

const settled = Effect.repeatN(Effect.yieldNow(), 20)

describe("Places", () => {
  it.effect(
    "are given in the order of arrival, but an address without a free one does not delay others",
    () =>
      Effect.gen(function* () {
        const entered: Array<string> = []
        const enter = entering(Places.make({ max: 3, maxPerAddress: 2 }), entered)
        const [a1, a2] = [yield* enter("a1"), yield* enter("a2")]
        yield* enter("a3")
        yield* enter("b1")
        assert.deepStrictEqual(entered, ["a1", "a2", "b1"])
        yield* enter("c1")
        yield* a1.leave
        yield* a1.leave
        yield* a2.leave
        assert.deepStrictEqual(entered.slice(3).sort(), ["a3", "c1"])
      })
  )

  it.effect("are free for others when a request leaves that waits, also after its timeout", () =>
    Effect.gen(function* () {
      const entered: Array<string> = []
      const enter = entering(Places.make({ max: 1, maxPerAddress: 1 }), entered)
      const first = yield* enter("a1")
      const gone = yield* enter("b1")
      const timedOut = yield* enter("c1")
      yield* Fiber.interrupt(timedOut.fiber)
      yield* gone.leave
      yield* timedOut.leave
      yield* enter("d1")
      yield* first.leave
      assert.deepStrictEqual(entered, ["a1", "d1"])
    })
  )
})
