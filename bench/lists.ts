/** Threat lists of a million entries: memory, lookups, building, and how a refresh delays checks. */
import { gunzipSync, gzipSync } from "node:zlib"
import { Either } from "effect"
import * as ThreatListBytes from "../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../src/Lists/ThreatList.ts"
import * as CanonicalUrl from "../src/Url/CanonicalUrl.ts"
import * as Submission from "../src/Url/Submission.ts"
import { UrlExpressions } from "../src/Url/UrlExpressions.ts"
import { fill, shapes } from "../test/fixtures/HostileShapes.ts"
import { urls } from "./InventedFeed.ts"
import * as ListMaking from "./ListMaking.ts"
import { cpuSeconds, percentile, Report, residentMegabytes, wallSeconds } from "./Measurement.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 1_000_000
const ROUNDS = 5
const INTAKE_ROUNDS = 3
const LOOKUPS = 100_000
const FEEDS = 4
const CHECKS_PER_SECOND = 100

const report = new Report(`Threat lists of ${ENTRIES.toLocaleString("en")} URLs`)
const gc = globalThis.gc ?? (() => {})
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const text = Buffer.from(`${[...urls(ENTRIES)].join("\n")}\n`, "latin1")
const compressed = gzipSync(text)

const lists = await ListMaking.start(main)

const makeList = async (): Promise<ThreatList> =>
  new ThreatList(Either.getOrThrow(ThreatListBytes.open(await lists.make(compressed))))

const splitAndAdd = (): Set<string> => {
  const set = new Set<string>()
  for (const line of gunzipSync(compressed).toString("latin1").split("\n")) if (line !== "") set.add(line)
  return set
}

/** Thousand lines a second, by the clock and by the CPU time of all threads. */
const speed = async (work: () => unknown) => {
  gc()
  const cpu = process.cpuUsage()
  const start = process.hrtime.bigint()
  await work()
  return { wall: ENTRIES / 1000 / wallSeconds(start), cpu: ENTRIES / 1000 / cpuSeconds(cpu) }
}

const intake = async () => {
  report.section(`Intake of ${(text.length / 1e6).toFixed(0)} MB of lines, gzip: thousand lines a second`)
  const ours: Array<{ wall: number; cpu: number }> = []
  const plain: Array<{ wall: number; cpu: number }> = []
  for (let round = 0; round < INTAKE_ROUNDS; round++) {
    ours.push(await speed(makeList))
    plain.push(await speed(splitAndAdd))
  }
  const walls = (rounds: typeof ours) => rounds.map(({ wall }) => wall)
  const cpus = (rounds: typeof ours) => rounds.map(({ cpu }) => cpu)
  const mine = report.add("worker thread, its start included", "klines/s", walls(ours))
  report.add("the same by CPU time of all threads", "klines/CPU s", cpus(ours))
  const baseline = report.add("split into a Set<string>, canonicalizing nothing", "klines/s", walls(plain))
  report.add("the same by CPU time of all threads", "klines/CPU s", cpus(plain))
  report.ratio("speed of the plain split over ours", baseline / mine)
}

/** Copies of strings, without a cached hash and not part of a larger string, as the characters of a request are. */
const fresh = (values: Iterable<string>): Array<string> =>
  Array.from(values, (value) => Buffer.from(value, "latin1").toString("latin1"))

const weigh = <A>(make: () => A): { readonly made: A; readonly bytes: number } => {
  const used = () => {
    gc()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  const made = make()
  return { made, bytes: used() - before }
}

/** How many expressions a lookup tries: the exact one, and each host with each path. */
const countExpressions = (url: CanonicalUrl.CanonicalUrl): number => {
  const { hosts, paths } = new UrlExpressions(url)
  return 1 + hosts.length * paths.prefixes.length
}

const isListed = (list: ThreatList, url: CanonicalUrl.CanonicalUrl): boolean =>
  list.match(new UrlExpressions(url)) !== undefined

const holding = (list: ThreatList) => {
  report.section("Memory: bytes an entry")
  const { made: set, bytes } = weigh(() => {
    const strings = new Set<string>()
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf(10, start)
      strings.add(text.toString("latin1", start, end))
      start = end + 1
    }
    return strings
  })
  const ours = report.add("list, everything counted", "B", [
    list.bytes.buffer.byteLength / list.header.entries
  ])
  report.add("records an entry", "records", [list.header.records / list.header.entries])
  const theirs = report.add("Set<string> of the same URLs", "B", [bytes / set.size])
  report.ratio("memory of the Set over ours", theirs / ours)

  report.section("Lookup: nanoseconds an expression")
  const step = Math.floor(ENTRIES / LOOKUPS)
  const listed = [...set].filter((_, i) => i % step === 0)
  const unlisted = [...urls(LOOKUPS, 2)]
  for (const [what, chosen] of [
    ["hit", listed],
    ["miss", unlisted]
  ] as const) {
    const one: Array<number> = []
    const four: Array<number> = []
    const inSet: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) {
      const canonical = chosen.map((url) => Either.getOrThrow(CanonicalUrl.parse(url)))
      const timed = (work: () => number, count: number) => {
        const start = process.hrtime.bigint()
        const found = work()
        if (found !== (what === "hit" ? chosen.length : 0)) throw new Error(`${found} ${what}s`)
        return (wallSeconds(start) * 1e9) / count
      }
      const lists = (count: number) => () =>
        canonical.reduce((sum, url) => {
          const expressions = new UrlExpressions(url)
          let isFound = false
          for (let i = 0; i < count; i++) isFound = list.match(expressions) !== undefined
          return sum + (isFound ? 1 : 0)
        }, 0)
      const expressions = canonical.reduce((sum, url) => sum + countExpressions(url), 0)
      one.push(timed(lists(1), expressions))
      four.push(timed(lists(FEEDS), FEEDS * expressions))
      const strings = fresh(chosen)
      inSet.push(timed(() => strings.reduce((sum, url) => sum + (set.has(url) ? 1 : 0), 0), strings.length))
    }
    const mine = report.add(`${what} in one list, computing the expressions included`, "ns", one)
    report.add(`${what} in each of four lists, which use the same digests`, "ns", four)
    const theirs = report.add(`${what} in the Set<string>, one exact string`, "ns", inSet)
    report.ratio(`time of our ${what} over the Set's, an expression`, mine / theirs)
  }

  report.section("False matches")
  report.add("expected in 10^9 lookups: hosts * 10^9 / 2^64", "", [(list.header.hosts * 1e9) / 2 ** 64])
  let tried = 0
  let matched = 0
  for (let i = 0; tried < 10_000_000; i++) {
    const url: CanonicalUrl.CanonicalUrl = {
      ...{
        scheme: "http",
        host: `m${i.toString(36)}.example`,
        path: `/${(i * 7919).toString(36)}/x`,
        query: "y"
      },
      ...{ port: undefined, userInfo: undefined }
    }
    if (isListed(list, url)) matched++
    tried += countExpressions(url)
  }
  report.add(`found of ${tried.toLocaleString("en")} expressions that are not listed`, "", [matched])
}

const HOSTILE_BYTES = 65_536

const reading = (list: ThreatList) => {
  report.section("Reading 64 KiB of hostile text and looking its addresses up in a list: milliseconds")
  const worst = { shape: "", rounds: [0] }
  for (const shape of shapes) {
    const text = fill(shape, HOSTILE_BYTES - 4)
    const rounds = Array.from({ length: 3 * ROUNDS }, (_, round) => {
      // Another string each time, because V8 caches.
      const url = `${text}${1000 + round}`
      const start = process.hrtime.bigint()
      for (const { expressions } of Submission.read(url, 0).addresses) list.match(expressions)
      return wallSeconds(start) * 1000
    })
    if (percentile(rounds, 0.5) > percentile(worst.rounds, 0.5))
      Object.assign(worst, { shape: shape.name, rounds })
  }
  report.add(`the worst of ${shapes.length} shapes: ${worst.shape}`, "ms", worst.rounds)
}

/** Makes V8 compile what the service runs all the time. */
const WARMUP = { perSecond: 250, millis: 4000 }
/** Eight seconds after a start V8 collects a few times to return memory. */
const SETTLING_MILLIS = 10_000
/** Also the length of each time at rest. */
const REFRESH_SECONDS = 4
/** A new list is on disk within it. */
const SAVING_MILLIS = 700
const REFRESH_ROUNDS = 3

const refreshing = async () => {
  const feed = await Service.publisher()
  const service = await Service.start(main, {
    FEED_D_URL: feed.url,
    FEED_D_FORMAT: "lines",
    FEED_D_REFRESH: `${REFRESH_SECONDS} seconds`
  })
  const checked = [...urls(500), ...urls(500, 3), ...urls(500, 4)]
  const load = (perSecond: number) => Service.load(service.port, checked, perSecond)
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

// First, while this process is small: a garbage collection of the load generator would count as latency.
gc()
await refreshing()
await intake()
const list = await makeList()
holding(list)
reading(list)
report.write(jsonFile)
process.exit(0)
