/** Requests a second, latency and memory, compared with servers that call the same functions without Effect. */
import * as EmptySafeBrowsing from "./EmptySafeBrowsing.ts"
import type * as Load from "./Load.ts"
import { Report, residentMegabytes } from "./Measurement.ts"
import * as Servers from "./Servers.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 500_000
const URLS = 200
const WARM_UP = 30_000
/** Of each server, one after the other: V8 optimizes the same code better in some processes than in others. */
const PROCESSES = 3
/** Of each process. */
const ROUNDS = 2
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

/** What was measured of the processes of one server. */
interface Rounds {
  readonly name: string
  /** With 16 connections. */
  readonly with16: Array<Servers.Round>
  /** With 64 connections. */
  readonly with64: Array<Servers.Round>
}
const noRounds = (name: string): Rounds => ({ name, with16: [], with64: [] })
const ours = noRounds("the service")
const fastify = noRounds("Fastify 5, the same functions without Effect")
const bare = noRounds("bare node:http, the same functions without Effect")

/** Megabytes of each process of the service. */
const resident = {
  rest: [] as Array<number>,
  warm: [] as Array<number>,
  end: [] as Array<number>,
  /** By the number of requests, of the last process. */
  soaked: new Map<number, number>()
}

const measureProcesses = async (isLast: boolean) => {
  const service = await startService({ ...reputation.environment, LOG_LEVEL: "warning" })
  resident.rest.push(await Servers.memoryAtRest(service))
  const server: Servers.Server = { name: ours.name, pid: service.pid, port: service.port }
  const servers: ReadonlyArray<readonly [Servers.Server, Rounds]> = [
    [server, ours],
    [await baseline(fastify.name, "fastify"), fastify],
    [await baseline(bare.name, "bare"), bare]
  ]
  let requests = 0
  const round = async (server: Servers.Server, connections: number, length: Load.Length) => {
    const measured = await Servers.round(server, checked, connections, length)
    if (server.pid === service.pid) requests += measured.requests
    return measured
  }
  // By count, not by time: code that is not compiled yet stays slow for long on a busy machine.
  for (const [server] of servers) await round(server, 64, { amount: WARM_UP })
  resident.warm.push(residentMegabytes(service.pid))
  for (let i = 0; i < ROUNDS; i++)
    for (const [server, { with16 }] of servers) with16.push(await round(server, 16, { duration: SECONDS }))
  for (let i = 0; i < ROUNDS; i++)
    for (const [server, { with64 }] of servers.slice(0, 2))
      with64.push(await round(server, 64, { duration: SECONDS }))
  resident.end.push(residentMegabytes(service.pid))
  if (isSoaked && isLast)
    for (let due = REQUESTS / STEPS; due <= REQUESTS; due += REQUESTS / STEPS) {
      if (requests < due) await round(server, 16, { amount: due - requests })
      resident.soaked.set(requests, residentMegabytes(service.pid))
    }
  await service.stop()
  for (const [{ pid }] of servers.slice(1)) process.kill(pid)
}

for (let i = 1; i <= PROCESSES; i++) {
  report.section(`Measuring process ${i} of ${PROCESSES}`)
  await measureProcesses(i === PROCESSES)
}

const add = (name: string, measured: ReadonlyArray<Servers.Round>) => {
  const median = (what: string, unit: string, pick: (round: Servers.Round) => number) =>
    report.add(what, unit, measured.map(pick))
  return {
    perSecond: median(name, "requests/s", ({ perSecond }) => perSecond),
    cpu: median("  its CPU time a request, all threads", "us", ({ cpu }) => cpu),
    p50: median("  p50", "ms", ({ p50 }) => p50),
    p99: median("  p99", "ms", ({ p99 }) => p99)
  }
}

report.section("16 connections, closed loop")
const service16 = add(ours.name, ours.with16)
const fastify16 = add(fastify.name, fastify.with16)
const bare16 = add(bare.name, bare.with16)
report.ratio("requests/s over Fastify's (goal: at least 0.6)", service16.perSecond / fastify16.perSecond)
report.ratio("requests/s over bare node:http's (goal: at least 0.5)", service16.perSecond / bare16.perSecond)
report.ratio("CPU time a request over Fastify's", service16.cpu / fastify16.cpu)
report.ratio("CPU time a request over bare node:http's", service16.cpu / bare16.cpu)

report.section("64 connections, closed loop")
const service64 = add(ours.name, ours.with64)
const fastify64 = add(fastify.name, fastify.with64)
report.ratio("p99 over Fastify's (goal: at most 2)", service64.p99 / fastify64.p99)

report.section("Resident memory of the service")
report.add("at rest, after loading the lists (goal: at most 200)", "MB", resident.rest)
report.add("after warming up", "MB", resident.warm)
report.add("after the rounds", "MB", resident.end)
for (const [requests, megabytes] of resident.soaked)
  report.add(`after ${requests.toLocaleString("en")} requests`, "MB", [megabytes])

reputation.stop()
report.write(jsonFile)
process.exit(0)
