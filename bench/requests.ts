/** Requests a second, latency and memory, compared with servers that call the same functions without Effect. */
import * as EmptySafeBrowsing from "./EmptySafeBrowsing.ts"
import type * as Load from "./Load.ts"
import { Report, residentMegabytes } from "./Measurement.ts"
import * as Servers from "./Servers.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 500_000
const URLS = 200
const WARM_UP = 30_000
const ROUNDS = 5
const SECONDS = 2
/** Only with `soak`: takes minutes. */
const REQUESTS = 1_000_000
const STEPS = 4
const isSoaked = process.env.SOAK === "1"

const report = new Report(
  `POST /api/check: ${ENTRIES.toLocaleString("en")} list entries, ${URLS} mixed URLs, all six checkers`
)
const { baseline, checked, service: startService } = await Servers.make(main, ENTRIES, URLS)

const reputation = await EmptySafeBrowsing.make()
const service = await startService({ ...reputation.environment, LOG_LEVEL: "warning" })
const least = await Servers.memoryAtRest(service)
const servers: ReadonlyArray<Servers.Server> = [
  { name: "the service", pid: service.pid, port: service.port },
  await baseline("Fastify 5, the same functions without Effect", "fastify"),
  await baseline("bare node:http, the same functions without Effect", "bare")
]

let requests = 0
const round = async (
  server: Servers.Server,
  connections: number,
  length: Load.Length = { duration: SECONDS }
) => {
  const measured = await Servers.round(server, checked, connections, length)
  if (server.pid === service.pid) requests += measured.requests
  return measured
}

// By count, not by time: code that is not compiled yet stays slow for long on a busy machine.
for (const server of servers) await round(server, 64, { amount: WARM_UP })
const warmMemory = residentMegabytes(service.pid)

const measure = async (connections: number, chosen: ReadonlyArray<Servers.Server>) => {
  const rounds = chosen.map((): Array<Servers.Round> => [])
  for (let i = 0; i < ROUNDS; i++)
    for (const [index, server] of chosen.entries()) rounds[index]?.push(await round(server, connections))
  const medians = chosen.map((server, index) => {
    const of = (pick: (measured: Servers.Round) => number) => (rounds[index] ?? []).map(pick)
    return {
      perSecond: report.add(
        `${server.name}`,
        "requests/s",
        of(({ perSecond }) => perSecond)
      ),
      cpu: report.add(
        "  its CPU time a request, all threads",
        "us",
        of(({ cpu }) => cpu)
      ),
      p50: report.add(
        "  p50",
        "ms",
        of(({ p50 }) => p50)
      ),
      p99: report.add(
        "  p99",
        "ms",
        of(({ p99 }) => p99)
      )
    }
  })
  return medians
}

report.section("16 connections, closed loop")
const [ours, fastify, bare] = await measure(16, servers)
if (ours !== undefined && fastify !== undefined && bare !== undefined) {
  report.ratio("requests/s over Fastify's (goal: at least 0.6)", ours.perSecond / fastify.perSecond)
  report.ratio("requests/s over bare node:http's (goal: at least 0.5)", ours.perSecond / bare.perSecond)
  report.ratio("CPU time a request over Fastify's", ours.cpu / fastify.cpu)
  report.ratio("CPU time a request over bare node:http's", ours.cpu / bare.cpu)
}

report.section("64 connections, closed loop")
const [ours64, fastify64] = await measure(64, servers.slice(0, 2))
if (ours64 !== undefined && fastify64 !== undefined)
  report.ratio("p99 over Fastify's (goal: at most 2)", ours64.p99 / fastify64.p99)

report.section("Resident memory of the service")
report.add("at rest, after loading the lists (goal: at most 200)", "MB", [least])
report.add("after warming up", "MB", [warmMemory])
report.add(`after ${requests.toLocaleString("en")} requests`, "MB", [residentMegabytes(service.pid)])
for (let due = REQUESTS / STEPS; due <= REQUESTS && isSoaked; due += REQUESTS / STEPS) {
  if (requests < due) await round(servers[0] as Servers.Server, 16, { amount: due - requests })
  report.add(`after ${requests.toLocaleString("en")} requests`, "MB", [residentMegabytes(service.pid)])
}

await service.stop()
reputation.stop()
report.write(jsonFile)
process.exit(0)
