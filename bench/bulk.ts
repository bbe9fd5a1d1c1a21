/** URLs a second of bulk requests, compared with single requests, a bare server, and a loop without HTTP. */
import * as EmptySafeBrowsing from "./EmptySafeBrowsing.ts"
import { Report } from "./Measurement.ts"
import * as Servers from "./Servers.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 500_000
const URLS = 200
const PER_REQUEST = 100
/** Bulk requests at once: as many as the service takes. */
const BULK_CONNECTIONS = 8
const WARM_UP = 10_000
const ROUNDS = 5
const SECONDS = 2

const report = new Report(
  `POST /api/checks: ${PER_REQUEST} URLs a request, ${ENTRIES.toLocaleString("en")} list entries, all six checkers`
)
const { baseline, checked, service: startService } = await Servers.make(main, ENTRIES, URLS)
const reputation = await EmptySafeBrowsing.make()
const service = await startService({ ...reputation.environment, LOG_LEVEL: "warning" })
const ours: Servers.Server = { name: "the service", pid: service.pid, port: service.port }
const bare = await baseline("bare node:http, the same functions without Effect", "bare")

interface UrlRound {
  readonly urlsPerSecond: number
  readonly cpu: number
  readonly p99: number
}

const round = async (server: Servers.Server, isBulk: boolean): Promise<UrlRound> => {
  const urls = isBulk ? PER_REQUEST : 1
  const length = { duration: SECONDS }
  const { cpu, p99, perSecond } = await Servers.round(
    server,
    checked,
    isBulk ? BULK_CONNECTIONS : 16,
    length,
    urls
  )
  return { urlsPerSecond: perSecond * urls, cpu: cpu / urls, p99 }
}

const loop = async (): Promise<UrlRound> => {
  const response = await fetch(`http://127.0.0.1:${bare.port}/loop`, {
    method: "POST",
    body: JSON.stringify({ urls: checked })
  })
  const { perSecond } = (await response.json()) as { readonly perSecond: number }
  return { urlsPerSecond: perSecond, cpu: 1e6 / perSecond, p99: 0 }
}

const kinds = [
  ["single requests, 16 connections", () => round(ours, false)],
  [`bulk requests, ${BULK_CONNECTIONS} connections`, () => round(ours, true)],
  ["bare node:http, single requests, 16 connections", () => round(bare, false)],
  [`bare node:http, bulk requests, ${BULK_CONNECTIONS} connections`, () => round(bare, true)],
  ["the same functions in a loop without HTTP", loop]
] as const

// By count, not by time: code that is not compiled yet stays slow for long on a busy machine.
for (const server of [ours, bare]) {
  await Servers.round(server, checked, 16, { amount: WARM_UP })
  await Servers.round(server, checked, BULK_CONNECTIONS, { amount: WARM_UP / PER_REQUEST }, PER_REQUEST)
}

const rounds = kinds.map((): Array<UrlRound> => [])
for (let i = 0; i < ROUNDS; i++)
  for (const [index, [, run]] of kinds.entries()) rounds[index]?.push(await run())

report.section("URLs a second")
for (const [index, [name]] of kinds.entries()) {
  const measured = rounds[index] ?? []
  report.add(
    name,
    "URLs/s",
    measured.map(({ urlsPerSecond }) => urlsPerSecond)
  )
  report.add(
    "  CPU time of its process a URL",
    "us",
    measured.map(({ cpu }) => cpu)
  )
}

const [single = [], bulk = [], , bareBulk = [], looped = []] = rounds
const addRatio = (what: string, others: ReadonlyArray<UrlRound>) =>
  report.add(
    what,
    "times",
    bulk.map(({ urlsPerSecond }, i) => urlsPerSecond / (others[i]?.urlsPerSecond ?? 0))
  )
addRatio("bulk over single requests (goal: at least 2)", single)
addRatio("bulk over the loop without HTTP (goal: at least 0.7)", looped)
addRatio("bulk over the bare server's", bareBulk)

/** Single requests, alone and beside as many bulk requests as the service takes at once. */
const beside = async () => {
  let isRunning = true
  const background = async () => {
    while (isRunning)
      await Servers.round(ours, checked, BULK_CONNECTIONS, { amount: BULK_CONNECTIONS * 2 }, PER_REQUEST)
  }
  const bulks = background()
  const measured = await round(ours, false)
  isRunning = false
  await bulks
  return measured
}
const alone: Array<UrlRound> = []
const besides: Array<UrlRound> = []
for (let i = 0; i < ROUNDS; i++) {
  alone.push(await round(ours, false))
  besides.push(await beside())
}
report.section("Single requests at 16 connections")
const p99s = (rounds: ReadonlyArray<UrlRound>) => rounds.map(({ p99 }) => p99)
report.add("p99 alone", "ms", p99s(alone))
report.add(`p99 beside ${BULK_CONNECTIONS} connections with bulk requests`, "ms", p99s(besides))
report.add(
  "p99 beside them over alone (goal: at most 2)",
  "times",
  besides.map(({ p99 }, i) => p99 / (alone[i]?.p99 ?? 0))
)

await service.stop()
reputation.stop()
report.write(jsonFile)
process.exit(0)
