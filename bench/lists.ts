/**
 * Threat lists of a million entries: memory, lookups, building, and how a refresh delays checks. A list of two million new
 * domains: the same, and the cost of a check.
 */
import { gunzipSync, gzipSync } from "node:zlib"
import { Option } from "effect"
import * as ThreatListBytes from "../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../src/Lists/ThreatList.ts"
import * as Submission from "../src/Url/Submission.ts"
import { fill, shapes } from "../test/fixtures/HostileShapes.ts"
import { urls } from "./InventedFeed.ts"
import { holding } from "./ListLookup.ts"
import * as ListMaking from "./ListMaking.ts"
import { refreshing } from "./ListRefresh.ts"
import { cpuSeconds, percentile, Report, wallSeconds } from "./Measurement.ts"
import { newDomains } from "./NewDomainNames.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 1_000_000
const ROUNDS = 5
const INTAKE_ROUNDS = 3

const report = new Report(`Threat lists of ${ENTRIES.toLocaleString("en")} URLs`)
const gc = globalThis.gc ?? (() => {})

const text = Buffer.from(`${[...urls(ENTRIES)].join("\n")}\n`, "latin1")
const compressed = gzipSync(text)

const lists = await ListMaking.start(main)

const makeList = async (): Promise<ThreatList> =>
  new ThreatList(Option.getOrThrow(ThreatListBytes.open(await lists.make(compressed))))

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

// First, while this process is small: a garbage collection of the load generator would count as latency.
gc()
await refreshing(report, main, compressed)
await intake()
const list = await makeList()
holding(report, list, text)
reading(list)
await newDomains(report, main)
report.write(jsonFile)
process.exit(0)
