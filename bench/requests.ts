/** Requests a second, latency and memory, compared with servers that call the same functions without Effect. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { listedIn, mixed, SLOTS } from "./CheckedUrls.ts"
import * as EmptySafeBrowsing from "./EmptySafeBrowsing.ts"
import * as ListMaking from "./ListMaking.ts"
import * as Load from "./Load.ts"
import { processCpuSeconds, Report, residentMegabytes } from "./Measurement.ts"
import * as Service from "./Service.ts"

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
const REST_MILLIS = 10_000

const report = new Report(
  `POST /api/check: ${ENTRIES.toLocaleString("en")} list entries, ${URLS} mixed URLs, all six checkers`
)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
const children: Array<ChildProcess> = []
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

const perSlot = ENTRIES / SLOTS.length
const checked = mixed(URLS, perSlot)
const knownFile = join(folder, "known.json")
writeFileSync(knownFile, JSON.stringify(checked))
const documents = SLOTS.map((_, slot) => ListMaking.lines(listedIn(slot, perSlot)))
const listFiles: Array<string> = []
for (const document of documents) {
  const file = join(folder, `${listFiles.length}.list`)
  writeFileSync(file, await ListMaking.make(main, document))
  listFiles.push(file)
}

interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
}

const baseline = async (name: string, kind: "bare" | "fastify"): Promise<Server> => {
  const script = join(import.meta.dirname, "Baseline.mjs")
  const child = spawn(process.execPath, [script, kind, main, knownFile, ...listFiles], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.push(child)
  const [line = ""] = await new Promise<ReadonlyArray<string>>((resolve, reject) => {
    createInterface(child.stdout).once("line", (line) => resolve([line]))
    child.once("exit", () => reject(new Error(`${name} ended`)))
  })
  return { name, pid: child.pid ?? 0, port: JSON.parse(line).port }
}

/** The service with its lists loaded, and its smallest resident memory in the next REST_MILLIS. */
const startService = async (environment: Readonly<Record<string, string>>) => {
  const feeds = await Promise.all(documents.map(() => Service.publisher()))
  const loading = feeds.map((feed, slot) => feed.publish(documents[slot] ?? Buffer.alloc(0)))
  const service = await Service.start(
    main,
    {
      ...Object.fromEntries(
        feeds.flatMap((feed, slot) => [
          [`${SLOTS[slot]}_URL`, feed.url],
          [`${SLOTS[slot]}_FORMAT`, "lines"]
        ])
      ),
      ...environment
    },
    "as it is"
  )
  await Promise.all(loading)
  for (;;) {
    const { status } = await fetch(`http://127.0.0.1:${service.port}/health/ready`)
    if (status === 200) break
    await pause(50)
  }
  let least = Number.POSITIVE_INFINITY
  for (let waited = 0; waited < REST_MILLIS; waited += 100) {
    await pause(100)
    least = Math.min(least, residentMegabytes(service.pid))
  }
  for (const feed of feeds) feed.stop()
  return { service, least }
}

const reputation = await EmptySafeBrowsing.make()
const { service, least } = await startService({ ...reputation.environment, LOG_LEVEL: "warning" })
const servers: ReadonlyArray<Server> = [
  { name: "the service", pid: service.pid, port: service.port },
  await baseline("Fastify 5, the same functions without Effect", "fastify"),
  await baseline("bare node:http, the same functions without Effect", "bare")
]

let requests = 0
const round = async (server: Server, connections: number, length: Load.Length = { duration: SECONDS }) => {
  const cpu = processCpuSeconds(server.pid)
  const measured = await Load.run(server.port, checked, connections, length)
  if (server.pid === service.pid) requests += measured.requests
  return { ...measured, cpu: ((processCpuSeconds(server.pid) - cpu) * 1e6) / measured.requests }
}

// By count, not by time: code that is not compiled yet stays slow for long on a busy machine.
for (const server of servers) await round(server, 64, { amount: WARM_UP })
const warmMemory = residentMegabytes(service.pid)

const measure = async (connections: number, chosen: ReadonlyArray<Server>) => {
  const rounds = chosen.map((): Array<Awaited<ReturnType<typeof round>>> => [])
  for (let i = 0; i < ROUNDS; i++)
    for (const [index, server] of chosen.entries()) rounds[index]?.push(await round(server, connections))
  const medians = chosen.map((server, index) => {
    const of = (pick: (measured: Awaited<ReturnType<typeof round>>) => number) =>
      (rounds[index] ?? []).map(pick)
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
  if (requests < due) await round(servers[0] as Server, 16, { amount: due - requests })
  report.add(`after ${requests.toLocaleString("en")} requests`, "MB", [residentMegabytes(service.pid)])
}

await service.stop()
reputation.stop()
report.write(jsonFile)
process.exit(0)
