import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as Telemetry from "../../src/Layers/Telemetry.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const yields = Effect.yieldNow().pipe(Effect.repeatN(50))

describe("the log of the service", () => {
  it.effect("has no line of an error that the code expects, also with LOG_LEVEL=trace", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const collector = Logger.add(Logger.make(({ message }) => void lines.push(message)))
      yield* Effect.fork(Effect.fail("expected")).pipe(
        Effect.flatMap(Fiber.await),
        Effect.provide(Layer.merge(Telemetry.logging, collector)),
        Effect.provide([AppConfig.layer, Metrics.layer]),
        Effect.provide(environment({ LOG_LEVEL: "trace" }))
      )
      assert.deepStrictEqual(lines, [])
    })
  )
})

describe("the end of the process", () => {
  const launch = (...layers: readonly [Layer.Layer<never, string>, Layer.Layer<never, string>]) => {
    const { lines, layer } = LogLines.collect()
    return {
      messages: () => lines.map(({ message }) => message),
      run: Layer.mergeAll(...layers).pipe(
        Layer.provide(Telemetry.logEnd),
        Layer.launch,
        Effect.provide(layer),
        Effect.exit
      )
    }
  }
  const failing = Layer.effectDiscard(Effect.fail("cannot start"))
  const starting = Layer.effectDiscard(Effect.never)

  it.effect("is in the log", () =>
    Effect.gen(function* () {
      const { messages, run } = launch(Layer.empty, Layer.empty)
      const fiber = yield* Effect.fork(Effect.interruptible(run))
      yield* yields
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(messages(), ["shut down"])
    })
  )

  it.effect("is not in the log as a shutdown if the start fails, which interrupts other layers", () =>
    Effect.gen(function* () {
      const { messages, run } = launch(starting, failing)
      assert.isTrue(Exit.isFailure(yield* run))
      assert.deepStrictEqual(messages(), [])
    })
  )
})
