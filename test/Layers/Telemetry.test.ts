import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as Telemetry from "../../src/Layers/Telemetry.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

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
