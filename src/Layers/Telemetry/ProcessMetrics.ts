import { Effect } from "effect"
import * as Program from "../Program.ts"
import * as EventLoopLag from "./EventLoopLag.ts"
import { Metrics } from "./Metrics.ts"

const MICROS_PER_SECOND = 1e6
const MILLIS_PER_SECOND = 1000

/**
 * Returns an effect that updates the gauges of this process, named as other Prometheus clients name them. The lag of the
 * event loop is measured from the effect's first run on.
 */
export const make = Effect.gen(function* () {
  const { counter, gauge } = yield* Metrics
  const lagOf = yield* EventLoopLag.make
  gauge("threat_scoring_build_info", "1, with the version that runs", { version: Program.version }).update(1)
  const cpu = counter("process_cpu_seconds_total", "CPU time of all threads, user and system")
  const resident = gauge("process_resident_memory_bytes", "Memory of the process that is in RAM")
  const started = gauge("process_start_time_seconds", "When the process started, in seconds since 1970")
  const heapUsed = gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use")
  const heapTotal = gauge("nodejs_heap_size_total_bytes", "JavaScript heap taken from the system")
  const external = gauge("nodejs_external_memory_bytes", "Memory of objects outside of the JavaScript heap")
  const handles = gauge("nodejs_active_resources", "Sockets, timers and others that keep the process alive")
  const lagMean = gauge("nodejs_eventloop_lag_mean_seconds", "Mean lag of the event loop in the last minutes")
  const lagP99 = gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the lag in the last minutes")
  const lagMax = gauge("nodejs_eventloop_lag_max_seconds", "Longest lag in the last minutes")
  started.update(performance.timeOrigin / MILLIS_PER_SECOND)

  let countedSeconds = 0
  return Effect.map(lagOf, (lag) => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / MICROS_PER_SECOND
    cpu.update(seconds - countedSeconds)
    countedSeconds = seconds
    const memory = process.memoryUsage()
    resident.update(memory.rss)
    heapUsed.update(memory.heapUsed)
    heapTotal.update(memory.heapTotal)
    external.update(memory.external)
    handles.update(process.getActiveResourcesInfo().length)
    lagMean.update(lag.mean)
    lagP99.update(lag.p99)
    lagMax.update(lag.max)
  })
})
