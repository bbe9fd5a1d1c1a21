import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import * as ProcessMetrics from "../../../src/Layers/Telemetry/ProcessMetrics.ts"

const PAUSE_MS = 200
const PAUSE_SECONDS = PAUSE_MS / 1000

const blockEventLoop = Effect.sync(() => {
  const end = performance.now() + PAUSE_MS
  while (performance.now() < end);
})

describe("ProcessMetrics", () => {
  it.scopedLive("have the lag of the event loop since the last run", () =>
    Effect.gen(function* () {
      const update = yield* ProcessMetrics.make
      const { text } = yield* Metrics
      const maxLag = Effect.zipRight(
        update,
        Effect.sync(() => Number(/^nodejs_eventloop_lag_max_seconds (.+)$/m.exec(text())?.[1]))
      )
      /** Some runs of the histogram's timer. */
      const wait = Effect.sleep("50 millis")
      assert.strictEqual(yield* maxLag, 0)
      yield* wait
      yield* blockEventLoop
      yield* wait
      assert.isAbove(yield* maxLag, PAUSE_SECONDS / 2)
      assert.strictEqual(yield* maxLag, 0)
    }).pipe(Effect.provide(Metrics.layer))
  )
})
