import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import * as BackgroundLoop from "../../../src/Layers/Time/BackgroundLoop.ts"
import { collect } from "../../fixtures/LogLines.ts"
import { adjust } from "../../fixtures/NextTurn.ts"

const failOnce = (failure: Effect.Effect<never>) =>
  Effect.gen(function* () {
    const steps = yield* Ref.make(0)
    const { lines, layer } = collect()
    const fiber = yield* BackgroundLoop.fork(
      "test",
      Effect.flatMap(
        Ref.updateAndGet(steps, (count) => count + 1),
        (count) => (count === 1 ? failure : Effect.sleep("1 second"))
      )
    ).pipe(Effect.provide(layer))
    yield* adjust("9 seconds")
    assert.strictEqual(yield* Ref.get(steps), 1)
    yield* adjust("2 seconds")
    assert.strictEqual(yield* Ref.get(steps), 3)
    assert.strictEqual(lines.length, 1)
    return fiber
  })

describe("a background loop", () => {
  it.scoped("goes on after a defect, which it logs, 10 seconds later", () => failOnce(Effect.die("bug")))

  it.scoped("goes on after a step that interrupted itself", () => failOnce(Effect.interrupt))

  it.effect("ends with its scope", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.scoped(BackgroundLoop.fork("test", Effect.sleep("1 second")))
      assert.isTrue((yield* Fiber.await(fiber))._tag === "Failure")
    })
  )
})
