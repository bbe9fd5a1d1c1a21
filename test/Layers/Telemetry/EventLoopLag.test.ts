import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as EventLoopLag from "../../../src/Layers/Telemetry/EventLoopLag.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"

const PAUSE_MS = 200
const PAUSE_SECONDS = PAUSE_MS / 1000

const blockEventLoop = Effect.sync(() => {
  const end = performance.now() + PAUSE_MS
  while (performance.now() < end);
})

/** Reads until the histogram's timer has run, which the real clock drives. */
const readUntil = (read: Effect.Effect<EventLoopLag.EventLoopLag>, isEnough: (max: number) => boolean) =>
  read.pipe(Effect.zipLeft(nextTurn), Effect.repeat({ until: ({ max }) => isEnough(max) }))

describe("EventLoopLag", () => {
  it.scoped("reads the same pause for each of two readers, and none two minutes later", () =>
    Effect.gen(function* () {
      const lag = yield* EventLoopLag.make
      yield* readUntil(lag, (max) => max > 0)
      yield* blockEventLoop
      const first = yield* readUntil(lag, (max) => max >= PAUSE_SECONDS / 2)
      assert.isAtLeast((yield* lag).max, first.max)
      assert.isAtLeast((yield* lag).p99, first.mean)
      yield* TestClock.adjust("1 minute")
      assert.isAtLeast((yield* lag).max, first.max)
      assert.isAtLeast((yield* lag).max, first.max)
      yield* TestClock.adjust("1 minute")
      yield* lag
      assert.isBelow((yield* lag).max, first.max)
    })
  )
})
