/** Latency of checks with a cache database 5 ms away, and with a reputation service that hangs. */
import { Agent } from "node:http"
import { mixed } from "./CheckedUrls.ts"
import * as Database from "./Database.ts"
import * as EmptySafeBrowsing from "./EmptySafeBrowsing.ts"
import * as Load from "./Load.ts"
import { percentile, Report } from "./Measurement.ts"
import * as PlainHttp from "./PlainHttp.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 5
const SECONDS = 2
const WARM_UP = 10_000
const DISTANCE_MILLIS = 5
const BUDGET_MILLIS = 300
const PER_SECOND = 200
const CALLS = 200
const HANGING_PER_SECOND = 20
/** Far below the capacity of one core: a check waits only for the database. */
const LOW_PER_SECOND = 400

const report = new Report(
  "Latency of checks with a distant cache database and with a reputation service that hangs"
)
const checked = mixed(200, 1000)

/** The milliseconds of sequential calls with one command, by Node's own client. */
const callTimes = async (url: string): Promise<ReadonlyArray<number>> => {
  const agent = new Agent({ keepAlive: true })
  const times = await PlainHttp.times(CALLS, () => PlainHttp.send(url, { agent, body: '[["PING"]]' }))
  agent.destroy()
  return times
}

const atADistance = async () => {
  const cache = await Database.make(DISTANCE_MILLIS)
  const called = percentile(await callTimes(cache.environment.CACHE_REST_URL), 0.5)
  const reputation = await EmptySafeBrowsing.make()
  const service = await Service.start(
    main,
    { ...reputation.environment, ...cache.environment, LOG_LEVEL: "warning" },
    "as it is"
  )
  await Load.run(service.port, checked, 16, { amount: WARM_UP })
  const calls: Array<number> = []
  const rounds: Array<Load.Round> = []
  for (let i = 0; i < ROUNDS; i++) {
    const before = cache.database.calls
    const round = await Load.run(service.port, checked, 16, { duration: SECONDS })
    rounds.push(round)
    calls.push((cache.database.calls - before) / round.requests)
  }
  report.section(`Cache database at ${DISTANCE_MILLIS} ms, 16 connections`)
  report.add("p50 of a call by Node's own client, without load", "ms", [called])
  report.add("REST calls a check (goal: at most 0.6)", "", calls)
  report.add(
    "p50",
    "ms",
    rounds.map(({ p50 }) => p50)
  )
  report.add(
    "p99",
    "ms",
    rounds.map(({ p99 }) => p99)
  )
  report.section(`The same, ${LOW_PER_SECOND} checks a second`)
  const low = Service.load(service.port, checked, LOW_PER_SECOND)
  const medians: Array<number> = []
  for (let i = 0; i < ROUNDS; i++) {
    low.take()
    await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
    medians.push(percentile(low.take().times, 0.5))
  }
  low.stop()
  report.add("p50, including delays of the load generator", "ms", medians)
  await service.stop()
  cache.stop()
  reputation.stop()
}

const hanging = async () => {
  const reputation = await EmptySafeBrowsing.make()
  const service = await Service.start(
    main,
    { ...reputation.environment, LOG_LEVEL: "warning", CHECKER_TIMEOUT: `${BUDGET_MILLIS} millis` },
    "as it is"
  )
  await Load.run(service.port, checked, 16, { amount: WARM_UP })
  const seconds = async (load: Service.Load) => {
    load.take()
    await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
    return percentile(load.take().times, 0.99)
  }
  const before: Array<number> = []
  const during: Array<number> = []
  const hung: Array<number> = []
  const known = Service.load(service.port, checked, PER_SECOND)
  for (let i = 0; i < ROUNDS; i++) {
    reputation.lookup.hanging = false
    before.push(await seconds(known))
    reputation.lookup.hanging = true
    const unknown = Array.from({ length: 10_000 }, (_, at) => `https://h${i}x${at}.example/`)
    const waiting = Service.load(service.port, unknown, HANGING_PER_SECOND)
    const [ofKnown, ofUnknown] = await Promise.all([seconds(known), seconds(waiting)])
    during.push(ofKnown)
    hung.push(ofUnknown)
    waiting.stop()
  }
  known.stop()
  report.section(
    `The reputation service hangs, budget ${BUDGET_MILLIS} ms, ${PER_SECOND} other checks a second`
  )
  report.add(`p99 of a check that looks up (goal: at most ${BUDGET_MILLIS + 20})`, "ms", hung)
  const during99 = report.add("p99 of the others meanwhile", "ms", during)
  report.ratio(
    "over their p99 before (goal: unchanged)",
    during99 / report.add("p99 of the others before", "ms", before)
  )
  await service.stop()
  reputation.stop()
}

await atADistance()
await hanging()
report.write(jsonFile)
process.exit(0)
