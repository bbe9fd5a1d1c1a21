/**
 * Runs inside the service. Measures how late a timer of one millisecond is, how long the main thread is busy between two of
 * its ticks, and garbage collection. Busy is the time in which the event loop was active, or its CPU time if that is less:
 * then another program had the core. `process.cpuUsage` makes the system update the thread's CPU time.
 */
export const probe = `
import { openSync, readSync } from "node:fs"
import { constants, monitorEventLoopDelay, performance, PerformanceObserver } from "node:perf_hooks"
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const schedule = openSync("/proc/thread-self/schedstat", "r")
const text = Buffer.alloc(64)
const cpuTime = () => {
  process.cpuUsage()
  return Number(text.latin1Slice(0, readSync(schedule, text, 0, text.length, 0)).split(" ")[0]) / 1e6
}
let last = { cpu: cpuTime(), ...performance.eventLoopUtilization() }
let held = 0
setInterval(() => {
  const now = { cpu: cpuTime(), ...performance.eventLoopUtilization() }
  held = Math.max(held, Math.min(now.active - last.active, now.cpu - last.cpu))
  last = now
}, 1).unref()
let collecting = 0
let oldCollections = 0
const collected = (entries) => {
  for (const { duration, detail } of entries) {
    collecting = Math.max(collecting, duration)
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) oldCollections++
  }
}
const collections = new PerformanceObserver((list) => collected(list.getEntries()))
collections.observe({ entryTypes: ["gc"] })
process.on("message", (question) => {
  if (question === "memory") {
    // Twice: buffers without a reference are freed beside the program, at the latest by the next collection.
    globalThis.gc()
    globalThis.gc()
    return process.send(process.memoryUsage())
  }
  collected(collections.takeRecords())
  const lateness = { lateness: delay.max / 1e6, lateness99: delay.percentile(99) / 1e6 }
  process.send({ held, collecting, oldCollections, ...lateness })
  delay.reset()
  held = collecting = oldCollections = 0
})
process.channel.unref()
`

export interface Responsiveness {
  /** The longest time between two turns of the event loop, in milliseconds. */
  readonly held: number
  /** The longest garbage collection, in milliseconds of wall-clock time. */
  readonly collecting: number
  /** Collections of the whole heap. */
  readonly oldCollections: number
  /** The largest delay of a timer, in milliseconds. */
  readonly lateness: number
  readonly lateness99: number
}

/** After a garbage collection, in MB (10^6 bytes). */
export interface Memory {
  /** Objects and buffers. */
  readonly used: number
  readonly resident: number
}
