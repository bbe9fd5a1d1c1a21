/** Threat lists of a million entries: what they weigh, what a look-up costs, and who notices when one is taken in. */
import { gunzipSync, gzipSync } from "node:zlib"
import { Either, Option } from "effect"
import * as CanonicalUrl from "../src/Checkers/CanonicalUrl.ts"
import * as FeedIntake from "../src/Checkers/ThreatFeed/Worker/FeedIntake.ts"
import * as ThreatListBytes from "../src/Checkers/ThreatList/ThreatListBytes.ts"
import * as UrlExpressions from "../src/Checkers/ThreatList/UrlExpressions.ts"
import { type Match, ThreatList } from "../src/Checkers/ThreatList.ts"
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
const PIECE = 65_536
const CHECKS_PER_SECOND = 100

const report = new Report(`Threat lists of ${ENTRIES.toLocaleString("en")} URLs`)
const gc = globalThis.gc ?? (() => {})
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const text = Buffer.from(`${[...urls(ENTRIES)].join("\n")}\n`, "latin1")
const compressed = gzipSync(text)

const lists = await ListMaking.start(main)

const pieces = async function* () {
  for (let at = 0; at < compressed.length; at += PIECE) yield compressed.subarray(at, at + PIECE)
}

/** All of it in this thread, on one core but for inflating. */
const takeInHere = () => FeedIntake.make(ListMaking.order, pieces())

const takeIn = async (): Promise<ThreatList> =>
  new ThreatList(Either.getOrThrow(ThreatListBytes.open(await lists.make(compressed))))

const splitAndAdd = (): Set<string> => {
  const set = new Set<string>()
  for (const line of gunzipSync(compressed).toString("latin1").split("\n")) if (line !== "") set.add(line)
  return set
}

/** Million lines a second, by the clock and by the CPU time of all threads. */
const speed = async (work: () => unknown) => {
  gc()
  const cpu = process.cpuUsage()
  const began = process.hrtime.bigint()
  await work()
  return { wall: ENTRIES / 1000 / wallSeconds(began), cpu: ENTRIES / 1000 / cpuSeconds(cpu) }
}

const intake = async () => {
  report.section(`Intake of ${(text.length / 1e6).toFixed(0)} MB of lines, gzip: thousand lines a second`)
  const ours: Array<{ wall: number; cpu: number }> = []
  const here: Array<{ wall: number; cpu: number }> = []
  const plain: Array<{ wall: number; cpu: number }> = []
  for (let round = 0; round < INTAKE_ROUNDS; round++) {
    ours.push(await speed(takeIn))
    here.push(await speed(takeInHere))
    plain.push(await speed(splitAndAdd))
  }
  const walls = (rounds: typeof ours) => rounds.map(({ wall }) => wall)
  const cpus = (rounds: typeof ours) => rounds.map(({ cpu }) => cpu)
  const mine = report.add("worker thread", "klines/s", walls(ours))
  report.add("the same by CPU time of all threads", "klines/CPU s", cpus(ours))
  report.add("the same work in this thread, without a request", "klines/s", walls(here))
  const baseline = report.add("split into a Set<string>, canonicalizing nothing", "klines/s", walls(plain))
  report.add("the same by CPU time of all threads", "klines/CPU s", cpus(plain))
  report.ratio("speed of the plain split over ours", baseline / mine)
}

/** Strings of their own, as the characters of a request are: hashed by nobody yet, part of nothing larger. */
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

const expressionsOf = (url: CanonicalUrl.CanonicalUrl): number => {
  const { hostStarts, pathEnds } = UrlExpressions.of(url)
  // The exact one beside each host with each path.
  return 1 + hostStarts.length * pathEnds.length
}

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
  const ours = report.add("list with its room to grow, everything counted", "B", [
    list.bytes.buffer.byteLength / list.header.entries
  ])
  report.add("keys an entry", "keys", [list.header.keys / list.header.entries])
  const theirs = report.add("Set<string> of the same URLs", "B", [bytes / set.size])
  report.ratio("memory of the Set over ours", theirs / ours)

  report.section("Look-up: nanoseconds an expression")
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
        const began = process.hrtime.bigint()
        const found = work()
        if (found !== (what === "hit" ? chosen.length : 0)) throw new Error(`${found} ${what}s`)
        return (wallSeconds(began) * 1e9) / count
      }
      const lists = (count: number) => () =>
        canonical.reduce((sum, url) => {
          let match: Match | undefined
          for (let i = 0; i < count; i++) match = list.match(url)
          return sum + (match === undefined ? 0 : 1)
        }, 0)
      const expressions = canonical.reduce((sum, url) => sum + expressionsOf(url), 0)
      one.push(timed(lists(1), expressions))
      four.push(timed(lists(FEEDS), FEEDS * expressions))
      const strings = fresh(chosen)
      inSet.push(timed(() => strings.reduce((sum, url) => sum + (set.has(url) ? 1 : 0), 0), strings.length))
    }
    const mine = report.add(`${what} in one list, the making of the expressions included`, "ns", one)
    report.add(`${what} in each of four lists that share the making`, "ns", four)
    const theirs = report.add(`${what} in the Set<string>, one exact string`, "ns", inSet)
    report.ratio(`time of our ${what} over the Set's, an expression`, mine / theirs)
  }

  report.section("False matches")
  report.add("expected in 10^9 look-ups: keys * 10^9 / 2^64", "", [(list.header.keys * 1e9) / 2 ** 64])
  let asked = 0
  let matched = 0
  for (let i = 0; asked < 10_000_000; i++) {
    const url: CanonicalUrl.CanonicalUrl = {
      ...{
        scheme: "http",
        host: `m${i.toString(36)}.example`,
        path: `/${(i * 7919).toString(36)}/x`,
        query: "y"
      },
      ...{ port: undefined, userInfo: undefined, unescapeRounds: 0 }
    }
    if (list.match(url) !== undefined) matched++
    asked += expressionsOf(url)
  }
  report.add(`found of ${asked.toLocaleString("en")} expressions that are not listed`, "", [matched])
}

const HOSTILE_BYTES = 65_536

const hostile: Readonly<Record<string, string>> = {
  "nested escapes": `http://a.example/${"%25".repeat(HOSTILE_BYTES)}`,
  "escapes in the host": `http://${"%2e%61".repeat(HOSTILE_BYTES)}/`,
  "escapes of escapes": `http://a.example/${"%2541".repeat(HOSTILE_BYTES)}`,
  "dot segments": `http://a.example/${"a/../".repeat(HOSTILE_BYTES)}`,
  slashes: `http://a.example${"/".repeat(HOSTILE_BYTES)}`,
  directories: `http://a.example/${"ab/".repeat(HOSTILE_BYTES)}`,
  labels: `http://${"a.".repeat(HOSTILE_BYTES)}example/`,
  dots: `http://${".".repeat(HOSTILE_BYTES)}a.example/`,
  "at signs": `http://${"a@".repeat(HOSTILE_BYTES)}`,
  colons: `http://a.example${":1".repeat(HOSTILE_BYTES)}`,
  backslashes: `http:${"\\".repeat(HOSTILE_BYTES)}`,
  "an escaped scheme": `http%3A%2F%2F${"%2525".repeat(HOSTILE_BYTES)}`,
  "letters for IDNA": `http://${"ü".repeat(HOSTILE_BYTES)}.example/`,
  "a path of other scripts": `http://a.example/${"世".repeat(HOSTILE_BYTES)}`,
  "digits and dots": `http://${"1.".repeat(HOSTILE_BYTES)}`,
  "an address in brackets": `http://[${"0:".repeat(HOSTILE_BYTES)}]/`,
  "blanks around": `${" ".repeat(HOSTILE_BYTES)}a.example`,
  "a long query": `http://a.example/?${"a=%%&".repeat(HOSTILE_BYTES)}`,
  "line breaks": "\n\t".repeat(HOSTILE_BYTES)
}

const canonicalizing = (list: ThreatList) => {
  report.section("Canonicalizing 64 KiB of malice and looking it up in a list: milliseconds")
  const worst = { shape: "", rounds: [0] }
  for (const [shape, text] of Object.entries(hostile)) {
    const rounds = Array.from({ length: 3 * ROUNDS }, (_, round) => {
      // Another string each time, or a cache of one would be measured.
      const bytes = Buffer.from(text).subarray(0, HOSTILE_BYTES - 4)
      const url = `${bytes.toString()}${1000 + round}`
      const began = process.hrtime.bigint()
      Option.map(Either.getRight(CanonicalUrl.parse(url)), (canonical) => list.match(canonical))
      return wallSeconds(began) * 1000
    })
    if (percentile(rounds, 0.5) > percentile(worst.rounds, 0.5)) Object.assign(worst, { shape, rounds })
  }
  report.add(`the worst of ${Object.keys(hostile).length} shapes: ${worst.shape}`, "ms", worst.rounds)
}

/** Enough requests that the service has compiled what it runs all the time. */
const WARMING = { perSecond: 250, millis: 4000 }
/** V8 looks eight seconds after a start whether it can do with less memory, and collects a few times. */
const SETTLING_MILLIS = 10_000
/** Also how long each time at rest is. */
const REFRESH_SECONDS = 4
/** A list that is told to be held is written to disk within it. */
const SAVING_MILLIS = 700
const NOTICED_ROUNDS = 3

const noticing = async (checksPerSecond: number, roundCount: number) => {
  const feed = await Service.publisher()
  const service = await Service.start(main, {
    FEED_D_URL: feed.url,
    FEED_D_FORMAT: "lines",
    FEED_D_REFRESH: `${REFRESH_SECONDS} seconds`
  })
  const asked = [...[...urls(500)], ...urls(500, 3), ...urls(500, 4)]
  const load = (perSecond: number) => Service.load(service.port, asked, perSecond)
  if (checksPerSecond > 0) {
    const warming = load(WARMING.perSecond)
    await pause(WARMING.millis)
    warming.stop()
  }
  await pause(SETTLING_MILLIS)
  const steady = load(checksPerSecond)
  const rest: Array<Service.Responsiveness & { times: ReadonlyArray<number> }> = []
  const busy: Array<
    Service.Responsiveness & { times: ReadonlyArray<number>; seconds: number; above: number }
  > = []
  // The first list comes into a process that has none: it is told apart.
  for (let round = 0; round <= roundCount; round++) {
    await service.responsiveness()
    steady.take()
    const before = residentMegabytes(service.pid)
    await feed.publish(compressed)
    rest.push({ ...(await service.responsiveness()), times: steady.take().times })
    const began = process.hrtime.bigint()
    let most = before
    const looking = setInterval(() => {
      most = Math.max(most, residentMegabytes(service.pid))
    }, 10)
    await service.refreshed()
    const seconds = wallSeconds(began)
    const { times } = steady.take()
    await pause(SAVING_MILLIS)
    clearInterval(looking)
    busy.push({ ...(await service.responsiveness()), times, seconds, above: most - before })
  }
  const { failures } = steady.take()
  steady.stop()
  await service.stop()
  feed.stop()

  const of = <A>(rounds: ReadonlyArray<A>, pick: (round: A) => number) => rounds.slice(1).map(pick)
  const holds = (what: string) => {
    const resting = report.add(
      `longest hold of the main thread at rest${what}`,
      "ms",
      of(rest, ({ held }) => held)
    )
    const taking = report.add(
      `longest hold of the main thread during intake${what}`,
      "ms",
      of(busy, ({ held }) => held)
    )
    report.add("the second less the first", "ms", [taking - resting])
    const collecting = (when: string, rounds: typeof rest) =>
      report.add(
        `longest pause to collect garbage, by the clock, ${when}${what}`,
        "ms",
        of(rounds, ({ collecting }) => collecting)
      )
    collecting("at rest", rest)
    collecting("during intake", busy)
    report.add(
      `collections of the whole heap during intake${what}`,
      "",
      of(busy, ({ oldCollections }) => oldCollections)
    )
  }
  if (checksPerSecond === 0) {
    report.section("The service during an intake, while nobody asks it: the main thread's own work")
    holds("")
    return
  }
  report.section(`The service during an intake: ${checksPerSecond} checks a second on loopback, real process`)
  const p99 = (what: string, rounds: typeof rest) => {
    const times = rounds.slice(1).flatMap(({ times }) => times)
    return report.add(`p99 of /api/check ${what}, of ${times.length}`, "ms", [percentile(times, 0.99)])
  }
  const idle = p99("at rest", rest)
  const during = p99("during intake", busy)
  report.ratio("p99 during intake over p99 at rest", during / idle)
  holds(", checks included")
  report.add(
    "99 of 100 timers are less late, at rest",
    "ms",
    of(rest, ({ lateness99 }) => lateness99)
  )
  report.add(
    "99 of 100 timers are less late, during intake",
    "ms",
    of(busy, ({ lateness99 }) => lateness99)
  )
  report.add(
    "seconds from request to list",
    "s",
    of(busy, ({ seconds }) => seconds)
  )
  report.add("resident memory above rest, the first list", "MB", [busy[0]?.above ?? 0])
  report.add(
    "resident memory above rest, another list while one is held",
    "MB",
    of(busy, ({ above }) => above)
  )
  report.add("checks that failed", "", [failures])
}

// First, while this process is small: what asks the service must not stop to collect garbage.
gc()
await noticing(CHECKS_PER_SECOND, NOTICED_ROUNDS)
await noticing(0, NOTICED_ROUNDS)
await intake()
const list = await takeIn()
holding(list)
canonicalizing(list)
report.write(jsonFile)
process.exit(0)
