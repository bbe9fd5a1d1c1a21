/** The reputation lookup against a Safe Browsing with millions of hashes, in each mode, and while that is down. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as RedisServer from "../test/fixtures/RedisServer.ts"
import type { Behaviour } from "../test/fixtures/SafeBrowsingServer.ts"
import * as UpstashRestFront from "../test/fixtures/UpstashRestFront.ts"
import { urls } from "./InventedFeed.ts"
import * as ListHealth from "./ListHealth.ts"
import * as Load from "./Load.ts"
import { mainThreadCpuSeconds, Report, residentMegabytes, wallSeconds } from "./Measurement.ts"
import type * as Probe from "./Probe.ts"
import * as SafeBrowsing from "./SafeBrowsing.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 4_000_000
const REPLACED = 5_000
const CONNECTIONS = 16
const MODES = ["no-storage", "local-list", "real-time"] as const
type Mode = (typeof MODES)[number]
const LIST = "se-4b"
/** In the global cache. */
const PART_LIKELY_SAFE = 4
const PART_LISTED = 50

const report = new Report(`Reputation lookups against ${ENTRIES.toLocaleString("en")} hashes`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** An expression of each of the URLs. */
const hostExpressions = (all: Iterable<string>) => [...all].map((url) => `${new URL(url).hostname}/`)
const every = <A>(nth: number, all: ReadonlyArray<A>, from = 0) => all.filter((_, i) => i % nth === from)

const CHECKED_URLS = 5_000
const checked = [...urls(CHECKED_URLS, 21)]

let fresh = 0
/** A URL that no earlier call has returned: no cache has it. */
const freshUrl = () => `https://h${++fresh}.example/p${fresh}`

/** To see whether a local hit can be confirmed. Each is checked once. */
const probes = Array.from({ length: 2_000 }, (_, i) => `https://listed${i}.example/`)

const google = await SafeBrowsing.start()
const publish = (replaced: number) =>
  google.run({
    _tag: "PublishThreats",
    name: LIST,
    entries: ENTRIES,
    replaced,
    expressions: hostExpressions([...every(PART_LISTED, checked, 1), ...probes])
  })
const behave = (behaviour: Behaviour) => google.run({ _tag: "Behave", behaviour })
const count = () => google.run({ _tag: "Count" })

await publish(0)
await google.run({
  _tag: "PublishLikelySafe",
  expressions: hostExpressions([...every(PART_LIKELY_SAFE, checked), ...urls(15_000, 22)])
})

const untilLists = ({ port }: Service.Service, isExpected: (list: ListHealth.ListHealth) => boolean) =>
  ListHealth.until(port, LIST, isExpected)

const startService = async (
  mode: Mode,
  environment: Readonly<Record<string, string>> = {},
  probed: "probed" | "as it is" = "as it is"
) => {
  const service = await Service.start(
    main,
    { ...google.environment, REPUTATION_MODE: mode, ...environment },
    probed
  )
  if (mode !== "no-storage") await untilLists(service, ({ entries }) => entries >= ENTRIES / 2)
  return service
}

const requestsOut = async () => {
  report.section(
    `What leaves the process: ${CHECKED_URLS} URLs once, 1 of ${PART_LIKELY_SAFE} in the global cache, 1 of ${PART_LISTED} listed`
  )
  const searches: Array<number> = []
  for (const mode of MODES) {
    const service = await startService(mode)
    const before = await count()
    // In turn: on several connections, each would begin with URLs that are the first for another.
    const { requests } = await Load.run(service.port, checked, 1, { amount: checked.length })
    const after = await count()
    searches.push((after.searches - before.searches) / requests)
    report.add(`${mode}: requests a check`, "", [(after.searches - before.searches) / requests])
    report.add(`${mode}: prefixes a check`, "", [(after.prefixes - before.prefixes) / requests])
    await service.stop()
  }
  const [all = 1, local = 0, realTime = 0] = searches
  report.ratio("requests in local-list over those in no-storage", local / all)
  report.ratio("requests in real-time over those in no-storage", realTime / all)
}

/** Eight seconds after a start V8 collects a few times to return memory. */
const SETTLING_MILLIS = 12_000
const REST_MILLIS = 5_000
const WAIT_SECONDS = 10
const UPDATES = 3

const settled = async (service: Service.Service) => {
  await Load.run(service.port, checked.slice(0, 100), CONNECTIONS, { amount: 2_000 })
  await pause(SETTLING_MILLIS)
  const { used } = await service.memory()
  // The system takes pages back one after the other.
  let resident = Number.POSITIVE_INFINITY
  for (let waited = 0; waited < REST_MILLIS; waited += 100) {
    await pause(100)
    resident = Math.min(resident, residentMegabytes(service.pid))
  }
  return { used, resident }
}

/** Runs one update of the list that `prepare` causes. */
const oneUpdate = async (service: Service.Service, prepare: () => Promise<unknown>) => {
  const before = await untilLists(service, () => true)
  // Between two updates.
  const { fetchedAt } = await untilLists(service, ({ fetchedAt }) => fetchedAt !== before.fetchedAt)
  await prepare()
  await service.responsiveness()
  await pause(1_000)
  const { held: rest } = await service.responsiveness()
  const updated = await untilLists(service, (list) => list.fetchedAt !== fetchedAt)
  const { lastUpdateAt } = await count()
  const seconds = (Date.parse(updated.fetchedAt ?? "") - lastUpdateAt) / 1000
  await pause(500)
  return { rest, seconds, held: (await service.responsiveness()).held }
}

const memoryAndUpdates = async () => {
  const without = await startService("no-storage", {}, "probed")
  const withoutLists = await settled(without)
  await without.stop()
  await google.run({ _tag: "SetWait", name: LIST, seconds: WAIT_SECONDS })
  const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
  const service = await startService("local-list", { DATA_DIR: folder }, "probed")
  const full: Array<Awaited<ReturnType<typeof oneUpdate>>> = []
  const partial: Array<Awaited<ReturnType<typeof oneUpdate>>> = []
  for (let i = 0; i < UPDATES; i++) {
    full.push(await oneUpdate(service, () => google.run({ _tag: "ForgetVersions", name: LIST })))
    partial.push(await oneUpdate(service, () => publish(i % 2 === 0 ? REPLACED : 0)))
  }
  await google.run({ _tag: "SetWait", name: LIST, seconds: 1800 })
  await pause(WAIT_SECONDS * 1000)
  const withLists = await settled(service)
  await service.stop()
  const loaded = await startService("local-list", { DATA_DIR: folder }, "probed")
  const fromDisk = await settled(loaded)
  await loaded.stop()
  rmSync(folder, { recursive: true, force: true })

  report.section("Memory at rest, after a garbage collection")
  report.add("without lists: objects and buffers", "MB", [withoutLists.used])
  report.add("without lists: resident", "MB", [withoutLists.resident])
  for (const [what, memory] of [
    ["updated", withLists],
    ["from disk", fromDisk]
  ] as const) {
    const perEntry = (key: keyof Probe.Memory) => [((memory[key] - withoutLists[key]) * 1e6) / ENTRIES]
    report.add(`an entry, ${what}: objects and buffers (goal: at most 5)`, "bytes", perEntry("used"))
    report.add(`an entry, ${what}: resident`, "bytes", perEntry("resident"))
  }

  for (const [what, rounds] of [
    ["full", full],
    [`partial (${REPLACED} of the entries replaced)`, partial]
  ] as const) {
    report.section(`A ${what} update, from its request to the list in use`)
    report.add(
      "time",
      "s",
      rounds.map(({ seconds }) => seconds)
    )
    report.add(
      "longest hold of the main thread in a second at rest",
      "ms",
      rounds.map(({ rest }) => rest)
    )
    report.add(
      "longest hold of the main thread during it (goal: at most 20)",
      "ms",
      rounds.map(({ held }) => held)
    )
  }
}

const START_ROUNDS = 5

const starts = async () => {
  const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
  await (await startService("local-list", { DATA_DIR: folder })).stop()
  const first200 = async (environment: Readonly<Record<string, string>>) => {
    const begin = process.hrtime.bigint()
    const service = await Service.start(
      main,
      { ...google.environment, REPUTATION_MODE: "local-list", ...environment },
      "as it is"
    )
    const live = wallSeconds(begin)
    await untilLists(service, ({ entries }) => entries >= ENTRIES / 2)
    const listed = wallSeconds(begin)
    const cpu = mainThreadCpuSeconds(service.pid)
    await service.stop()
    return { live, listed, cpu }
  }
  const fetched: Array<Awaited<ReturnType<typeof first200>>> = []
  const loaded: Array<Awaited<ReturnType<typeof first200>>> = []
  const { updates } = await count()
  for (let i = 0; i < START_ROUNDS; i++) {
    fetched.push(await first200({}))
    loaded.push(await first200({ DATA_DIR: folder }))
  }
  const requests = (await count()).updates - updates
  report.section("The start of the process: seconds")
  for (const [what, rounds] of [
    ["with an empty DATA_DIR", fetched],
    ["with lists in DATA_DIR", loaded]
  ] as const) {
    report.add(
      `first 200 ${what}`,
      "s",
      rounds.map(({ live }) => live)
    )
    report.add(
      "  until it has lists",
      "s",
      rounds.map(({ listed }) => listed)
    )
    report.add(
      "  CPU time of its main thread",
      "s",
      rounds.map(({ cpu }) => cpu)
    )
  }
  report.add(`requests for lists in ${START_ROUNDS} starts with each (goal: ${START_ROUNDS})`, "", [requests])
  rmSync(folder, { recursive: true, force: true })
}

const REPLICAS = 3
const FLEET_SECONDS = 30

const fleet = async () => {
  await google.run({ _tag: "SetWait", name: LIST, seconds: WAIT_SECONDS })
  const updatesOf = async (replicas: number, environment: Readonly<Record<string, string>> = {}) => {
    const services = await Promise.all(
      Array.from({ length: replicas }, () => startService("local-list", environment))
    )
    const { updates } = await count()
    await pause(FLEET_SECONDS * 1000)
    const after = await count()
    await Promise.all(services.map((service) => service.stop()))
    return after.updates - updates
  }
  report.section(`Requests for lists in ${FLEET_SECONDS} seconds, with a wait of ${WAIT_SECONDS} seconds`)
  const alone = report.add("one replica", "", [await updatesOf(1)])
  report.add(`${REPLICAS} replicas, each on its own`, "", [await updatesOf(REPLICAS)])
  const together = await Effect.gen(function* () {
    const database = yield* UpstashRestFront.make(yield* RedisServer.make)
    return yield* Effect.promise(() =>
      updatesOf(REPLICAS, {
        CACHE_REST_URL: database.url.href,
        CACHE_REST_TOKEN: Redacted.value(database.token)
      })
    )
  }).pipe(Effect.scoped, Effect.runPromise)
  report.add(`${REPLICAS} replicas with a shared store`, "", [together])
  report.ratio("the last over those of one replica (goal: 1)", together / alone)
  await google.run({ _tag: "SetWait", name: LIST, seconds: 1800 })
}

const CPU_ROUNDS = 7
const CPU_CHECKS = 10_000
const CPU_URLS = 500

const cost = async () => {
  const known = checked.slice(-CPU_URLS)
  const services = {
    none: await Service.start(main, { LOG_LEVEL: "warning" }, "as it is"),
    cached: await startService("no-storage", { LOG_LEVEL: "warning" }),
    local: await startService("local-list", { LOG_LEVEL: "warning" })
  }
  const micros = async ({ port, pid }: Service.Service) => {
    const cpu = mainThreadCpuSeconds(pid)
    const { requests } = await Load.run(port, known, CONNECTIONS, { amount: CPU_CHECKS })
    return ((mainThreadCpuSeconds(pid) - cpu) * 1e6) / requests
  }
  const warm = async (service: Service.Service) => {
    for (let i = 0; i < 3; i++) await micros(service)
  }
  for (const service of Object.values(services)) await warm(service)
  const rounds: Record<keyof typeof services, Array<number>> = { none: [], cached: [], local: [] }
  for (let i = 0; i < CPU_ROUNDS; i++)
    for (const which of ["none", "cached", "local"] as const)
      rounds[which].push(await micros(services[which]))
  for (const service of Object.values(services)) await service.stop()
  report.section(`CPU time of the main thread of a check, ${CPU_URLS} URLs again and again`)
  report.add("without a key", "µs", rounds.none)
  report.add("whose lookup is cached (no-storage)", "µs", rounds.cached)
  report.add("whose lookup local lists decide (local-list)", "µs", rounds.local)
  report.add(
    "the last over the one before (goal: at most 20)",
    "µs",
    rounds.local.map((micros, i) => micros - (rounds.cached[i] ?? 0))
  )
}

const STAGE_SECONDS = 5

const lookupStatus = async (port: number, url: string): Promise<string | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url })
  })
  await response.arrayBuffer()
  return /reputation_lookup=(\w+)/.exec(response.headers.get("checker-status") ?? "")?.[1]
}

const outage = async (mode: Mode) => {
  await behave({ _tag: "Protobuf" })
  const service = await startService(mode, { LOG_LEVEL: "warning" })
  const load = (length: Load.Length) => Load.run(service.port, freshUrl, CONNECTIONS, length)
  const stage = async () => {
    const cpu = mainThreadCpuSeconds(service.pid)
    const round = await load({ duration: STAGE_SECONDS })
    return { ...round, cpu: ((mainThreadCpuSeconds(service.pid) - cpu) * 1e6) / round.requests }
  }
  await load({ amount: 10_000 })
  const before = await stage()
  await behave({ _tag: "Hang" })
  const firstSeconds = await stage()
  const hanging = await stage()
  await behave({ _tag: "Status", status: 503 })
  await stage()
  const down = await stage()
  await behave({ _tag: "Protobuf" })
  const back = process.hrtime.bigint()
  for (const probe of probes) {
    if ((await lookupStatus(service.port, probe)) === "ok") break
    await pause(200)
  }
  const recovered = wallSeconds(back)
  const after = await stage()
  await service.stop()

  report.section(`An outage in ${mode}: ${CONNECTIONS} connections, each check another URL`)
  for (const [what, round] of [
    ["before", before],
    ["while it hangs, the first 5 seconds", firstSeconds],
    ["while it hangs, from the fifth second on", hanging],
    ["while it answers 503", down],
    ["after", after]
  ] as const) {
    report.add(`${what}: checks a second`, "", [round.perSecond])
    report.add("  p50", "ms", [round.p50])
    report.add("  p99", "ms", [round.p99])
    report.add("  CPU time of the main thread of a check", "µs", [round.cpu])
  }
  report.ratio("checks a second while it hangs over before (goal: 0.5)", hanging.perSecond / before.perSecond)
  report.ratio("checks a second while 503 over before (goal: 0.5)", down.perSecond / before.perSecond)
  report.ratio("checks a second after over before", after.perSecond / before.perSecond)
  report.add("until a local hit is confirmed again", "s", [recovered])
}

const sections: Readonly<Record<string, () => Promise<void>>> = {
  requestsOut,
  memoryAndUpdates,
  starts,
  fleet,
  cost,
  outage: async () => {
    for (const mode of MODES) await outage(mode)
  }
}
const only = process.env.SECTIONS?.split(",")
for (const [name, run] of Object.entries(sections)) if (only?.includes(name) ?? true) await run()
google.stop()
report.write(jsonFile)
process.exit(0)
