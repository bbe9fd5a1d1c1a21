import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"
import { now } from "../Time/MonotonicTime.ts"

/** Short enough to see a pause of some milliseconds. */
const RESOLUTION_MS = 10

/** How long one histogram is used at least. Prometheus scrapes more often. */
const WINDOW_MS = 60_000

const NANOS_PER_SECOND = 1e9

/** In seconds. */
export interface EventLoopLag {
  readonly mean: number
  readonly p99: number
  readonly max: number
}

const start = (): IntervalHistogram => {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}

/** The histogram measures the time between two of its timers: without lag, the resolution. */
const lagIn = (histogram: IntervalHistogram): EventLoopLag => {
  const seconds = (nanos: number) =>
    histogram.count === 0 ? 0 : Math.max(0, nanos / NANOS_PER_SECOND - RESOLUTION_MS / 1000)
  return {
    mean: seconds(histogram.mean),
    p99: seconds(histogram.percentile(99)),
    max: seconds(histogram.max)
  }
}

/**
 * Returns an effect that reads the lag of the event loop over at least the last minute, or since its first run, which starts
 * the measurement. Any number of readers get the same: of two histograms the older one is read, and the first read after a
 * minute resets it and makes it the newer one. The scope ends the measurement.
 */
export const make = Effect.gen(function* () {
  let histograms: readonly [older: IntervalHistogram, newer: IntervalHistogram] | undefined
  let resetAt = 0
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const histogram of histograms ?? []) histogram.disable()
    })
  )
  return Effect.map(now, (now): EventLoopLag => {
    if (histograms === undefined) {
      histograms = [start(), start()]
      resetAt = now
    }
    const [older, newer] = histograms
    const lag = lagIn(older)
    if (now - resetAt >= WINDOW_MS) {
      older.reset()
      histograms = [newer, older]
      resetAt = now
    }
    return lag
  })
})
