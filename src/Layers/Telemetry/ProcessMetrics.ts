import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"
import * as Program from "../Program.ts"
import { Metrics } from "./Metrics.ts"

const MICROS_PER_SECOND = 1e6
const NANOS_PER_SECOND = 1e9
const MILLIS_PER_SECOND = 1000

/** Often enough to see a stall of some milliseconds, and no cost that could be measured. */
const LAG_RESOLUTION_MILLIS = 10

/**
 * What this process takes of the machine, under the names that other Prometheus clients use. The effect reads it anew;
 * the lag of the event loop is watched from its first run on.
 */
export const make = Effect.map(Metrics, ({ counter, gauge }) => {
  gauge("threat_scoring_build_info", "1, with the version that runs", { version: Program.version }).update(1)
  const cpu = counter("process_cpu_seconds_total", "CPU time of all threads, user and system")
  const resident = gauge("process_resident_memory_bytes", "Memory of the process that is in RAM")
  const started = gauge("process_start_time_seconds", "When the process started, in seconds since 1970")
  const heapUsed = gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use")
  const heapTotal = gauge("nodejs_heap_size_total_bytes", "JavaScript heap taken from the system")
  const external = gauge("nodejs_external_memory_bytes", "Memory of objects outside of the JavaScript heap")
  const handles = gauge("nodejs_active_resources", "Sockets, timers and others that keep the process alive")
  const lagMean = gauge("nodejs_eventloop_lag_mean_seconds", "Mean lag of the event loop since the last look")
  const lagP99 = gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the lag since the last look")
  const lagMost = gauge("nodejs_eventloop_lag_max_seconds", "Longest lag since the last look")
  started.update(performance.timeOrigin / MILLIS_PER_SECOND)

  let counted = 0
  let lag: ReturnType<typeof monitorEventLoopDelay> | undefined
  return Effect.sync(() => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / MICROS_PER_SECOND
    cpu.update(seconds - counted)
    counted = seconds
    const memory = process.memoryUsage()
    resident.update(memory.rss)
    heapUsed.update(memory.heapUsed)
    heapTotal.update(memory.heapTotal)
    external.update(memory.external)
    handles.update(process.getActiveResourcesInfo().length)
    if (lag === undefined) {
      lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MILLIS })
      lag.enable()
    }
    // What it measures is the time between two of its own timers: without any lag, the resolution.
    const beyond = (nanos: number) =>
      lag?.count === 0 ? 0 : Math.max(0, nanos / NANOS_PER_SECOND - LAG_RESOLUTION_MILLIS / MILLIS_PER_SECOND)
    lagMean.update(beyond(lag.mean))
    lagP99.update(beyond(lag.percentile(99)))
    lagMost.update(beyond(lag.max))
    lag.reset()
  })
})
