import * as FixedRate from "./FixedRate.ts"
import { urls } from "./InventedFeed.ts"
import { percentile, type Report, residentMegabytes, wallSeconds } from "./Measurement.ts"
import * as Publisher from "./Publisher.ts"
import * as Service from "./Service.ts"

const CHECKS_PER_SECOND = 100
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Makes V8 compile what the service runs all the time. */
const WARMUP = { perSecond: 250, millis: 4000 }
/** Eight seconds after a start V8 collects a few times to return memory. */
const SETTLING_MILLIS = 10_000
/** Also the length of each time at rest. */
const REFRESH_SECONDS = 4
/** A new list is on disk within it. */
const SAVING_MILLIS = 700
const REFRESH_ROUNDS = 3

/** The service while it refreshes a list of a million URLs. */
export const refreshing = async (report: Report, main: string, compressed: Uint8Array) => {
  const feed = await Publisher.make()
  const service = await Service.start(main, {
    FEED_D_URL: feed.url,
    FEED_D_FORMAT: "lines",
    FEED_D_REFRESH: `${REFRESH_SECONDS} seconds`
  })
  const checked = [...urls(500), ...urls(500, 3), ...urls(500, 4)]
  const load = (perSecond: number) => FixedRate.load(service.port, checked, perSecond)
  const warmup = load(WARMUP.perSecond)
  await pause(WARMUP.millis)
  warmup.stop()
  await pause(SETTLING_MILLIS)
  const steady = load(CHECKS_PER_SECOND)
  const rest: Array<{ held: number; times: ReadonlyArray<number> }> = []
  const busy: Array<{ held: number; times: ReadonlyArray<number>; seconds: number; above: number }> = []
  // The first list comes into a process without one: it has a line of its own.
  for (let round = 0; round <= REFRESH_ROUNDS; round++) {
    await service.responsiveness()
    steady.take()
    const before = residentMegabytes(service.pid)
    await feed.publish(compressed)
    rest.push({ held: (await service.responsiveness()).held, times: steady.take().times })
    const start = process.hrtime.bigint()
    let peak = before
    const sampling = setInterval(() => {
      peak = Math.max(peak, residentMegabytes(service.pid))
    }, 10)
    await service.refreshed()
    const seconds = wallSeconds(start)
    const { times } = steady.take()
    await pause(SAVING_MILLIS)
    clearInterval(sampling)
    busy.push({ held: (await service.responsiveness()).held, times, seconds, above: peak - before })
  }
  const { failures } = steady.take()
  steady.stop()
  await service.stop()
  feed.stop()

  report.section(
    `The service during a refresh: ${CHECKS_PER_SECOND} checks a second on loopback, real process`
  )
  const p99 = (what: string, rounds: ReadonlyArray<{ times: ReadonlyArray<number> }>) => {
    const times = rounds.slice(1).flatMap(({ times }) => times)
    return report.add(`p99 of /api/check ${what}, of ${times.length}`, "ms", [percentile(times, 0.99)])
  }
  const atRest = p99("at rest", rest)
  const during = p99("during a refresh", busy)
  report.ratio("p99 during a refresh over p99 at rest (goal: at most 2)", during / atRest)
  const of = <A>(rounds: ReadonlyArray<A>, pick: (round: A) => number) => rounds.slice(1).map(pick)
  report.add(
    "longest hold of the main thread at rest",
    "ms",
    of(rest, ({ held }) => held)
  )
  report.add(
    "longest hold of the main thread during a refresh (goal: at most 20)",
    "ms",
    of(busy, ({ held }) => held)
  )
  report.add(
    "seconds from request to list",
    "s",
    of(busy, ({ seconds }) => seconds)
  )
  report.add("resident memory above rest, the first list", "MB", [busy[0]?.above ?? 0])
  report.add(
    "resident memory above rest, another list",
    "MB",
    of(busy, ({ above }) => above)
  )
  report.add("checks that failed", "", [failures])
}
