import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"
import * as Program from "../Program.ts"
import { Metrics } from "./Metrics.ts"

const NANOS_PER_SECOND = 1e9
const MICROS_PER_SECOND = 1e6
const MILLIS_PER_SECOND = 1000

/** Of the timer whose lateness is the lag of the event loop: short enough to see a pause of some milliseconds. */
const LAG_RESOLUTION_MS = 10

/**
 * Returns an effect that updates the gauges of this process, named as other Prometheus clients name them. Each run reads the lag
 * of the event loop since the run before; the first one starts the measurement, and the scope ends it.
 */
export const make = Effect.gen(function* () {
  const { counter, gauge } = yield* Metrics
  const histogram = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
  yield* Effect.addFinalizer(() => Effect.sync(() => histogram.disable()))
  gauge("threat_scoring_build_info", "1, with the version of the service", {
    version: Program.version
  }).update(1)
  const cpu = counter("process_cpu_seconds_total", "CPU time of all threads, user and system")
  const resident = gauge("process_resident_memory_bytes", "Resident memory")
  const started = gauge("process_start_time_seconds", "Start time, in seconds since 1970")
  const heapUsed = gauge("nodejs_heap_size_used_bytes", "Used JavaScript heap")
  const external = gauge("nodejs_external_memory_bytes", "Memory of objects outside the JavaScript heap")
  const lagP99 = gauge(
    "nodejs_eventloop_lag_p99_seconds",
    "99th percentile of the lag of the event loop since the last scrape, of whichever scraper; measured from the first one on"
  )
  const lagMax = gauge("nodejs_eventloop_lag_max_seconds", "Maximum of the lag since the last scrape")
  started.update(performance.timeOrigin / MILLIS_PER_SECOND)

  let countedSeconds = 0
  /** The histogram measures the time between two runs of its timer: without lag, the resolution. */
  const lagSeconds = (nanos: number) =>
    histogram.count === 0 ? 0 : Math.max(0, nanos / NANOS_PER_SECOND - LAG_RESOLUTION_MS / MILLIS_PER_SECOND)
  return Effect.sync(() => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / MICROS_PER_SECOND
    cpu.update(seconds - countedSeconds)
    countedSeconds = seconds
    const memory = process.memoryUsage()
    resident.update(memory.rss)
    heapUsed.update(memory.heapUsed)
    external.update(memory.external)
    lagP99.update(lagSeconds(histogram.percentile(99)))
    lagMax.update(lagSeconds(histogram.max))
    if (!histogram.enable()) histogram.reset()
  })
})
