/** Checks as the service is deployed: with a cache database behind its REST interface, and with a key. All on loopback. */
import * as ListHealth from "./ListHealth.ts"
import type * as Load from "./Load.ts"
import { percentile, Report } from "./Measurement.ts"
import * as PlainDatabase from "./PlainDatabase.ts"
import * as PlainHttp from "./PlainHttp.ts"
import * as Redis from "./Redis.ts"
import * as SafeBrowsing from "./SafeBrowsing.ts"
import * as Servers from "./Servers.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ENTRIES = 500_000
const URLS = 200
const ROUNDS = 3
const SECONDS = Number(process.env.SECONDS ?? 2)
const WARM_UP = 10_000
const WARM_UP_NEW = 2_000
const CALLS = 500
/** Checks before memory is measured a second time. */
const SERVED = 5_000
const LIST = "se-4b"

const report = new Report(
  `POST /api/check with database and key: ${ENTRIES.toLocaleString("en")} list entries, ${URLS} mixed URLs or new ones`
)

const redis = await Redis.start()
const google = await SafeBrowsing.start()
await google.run({ _tag: "PublishThreats", name: LIST, entries: ENTRIES, replaced: 0, expressions: [] })
const servers = await Servers.make(main, ENTRIES, URLS)

const database = redis.environment
const noStorage = { ...google.environment, REPUTATION_MODE: "no-storage" }
const localList = { ...google.environment, REPUTATION_MODE: "local-list" }

const start = async (environment: Readonly<Record<string, string>>) => {
  const service = await servers.service({ LOG_LEVEL: "warning", ...environment })
  if (environment.REPUTATION_MODE === "local-list")
    await ListHealth.until(service.port, LIST, ({ entries }) => entries > 0)
  return service
}

let urls = 0
/** Like those of the part `lookup`: eight prefixes each. No earlier call has returned it. */
const newUrl = () => `https://host-${urls++}.shop.example/dir/page.html?item=1`

interface Measured extends Servers.Round {
  readonly calls: number
  readonly commands: number
}

const round = async (
  server: Servers.Server,
  checked: Load.Urls,
  connections: number,
  length: Load.Length
): Promise<Measured> => {
  const before = await redis.count()
  const measured = await Servers.round(server, checked, connections, length)
  const after = await redis.count()
  const each = (key: keyof Redis.Counts) => (after[key] - before[key]) / measured.requests
  return { ...measured, calls: each("calls"), commands: each("commands") }
}

const quantities = [
  ["perSecond", "", "requests/s"],
  ["cpu", "  CPU time of its process a check", "us"],
  ["p50", "  p50", "ms"],
  ["p99", "  p99", "ms"]
] as const

const databaseQuantities = [
  ["calls", "  REST calls a check", ""],
  ["commands", "  commands a check", ""]
] as const

type Rounds = ReadonlyArray<Measured>

const add = (name: string, rounds: Rounds, hasDatabase: boolean) => {
  for (const [key, what, unit] of [...quantities, ...(hasDatabase ? databaseQuantities : [])])
    report.add(
      what === "" ? name : what,
      unit,
      rounds.map((round) => round[key])
    )
}

/** The differences of the rounds, each with the other's of the same turn. */
const addMore = (what: string, unit: string, rounds: ReadonlyArray<number>, others: ReadonlyArray<number>) =>
  report.add(
    what,
    unit,
    rounds.map((value, i) => value - (others[i] ?? 0))
  )

const addRatio = (what: string, rounds: Rounds, others: Rounds) =>
  report.add(
    what,
    "times",
    rounds.map(({ perSecond }, i) => perSecond / (others[i]?.perSecond ?? 0))
  )

const cpuOf = (rounds: Rounds) => rounds.map(({ cpu }) => cpu)

const plainDatabase = PlainDatabase.make(database)

/** A count by Node's own client, in the same words as the service's: milliseconds, median. */
const roundTrip = async () =>
  percentile(await PlainHttp.times(CALLS, () => plainDatabase.count("round trip")), 0.5)

const startAll = async () => {
  const services = {
    none: ["no database, no key", await start({})],
    database: ["database", await start(database)],
    noStorage: ["key, no-storage", await start(noStorage)],
    localList: ["key, local-list", await start(localList)],
    both: ["database and key, no-storage", await start({ ...database, ...noStorage })],
    bothLocalList: ["database and key, local-list", await start({ ...database, ...localList })]
  } as const
  const plain = {
    plain: await servers.baseline("plain functions and their lookup", "lookup", noStorage),
    plainDatabase: await servers.baseline("the same with the database", "lookup", {
      ...noStorage,
      ...database
    })
  }
  const named = Object.entries(services).map(
    ([key, [name, { pid, port }]]) => [key, { name, pid, port }] as const
  )
  return {
    all: { ...Object.fromEntries(named), ...plain } as Readonly<
      Record<keyof typeof services | keyof typeof plain, Servers.Server>
    >,
    stop: () => Promise.all(Object.values(services).map(([, service]) => service.stop()))
  }
}

type Name = keyof Awaited<ReturnType<typeof startAll>>["all"]

const withDatabase: ReadonlySet<Name> = new Set(["database", "both", "bothLocalList", "plainDatabase"])

/** All in turn, ROUNDS times. */
const measure = async (
  all: Readonly<Record<Name, Servers.Server>>,
  title: string,
  checked: Load.Urls,
  connections: number
) => {
  const names = Object.keys(all) as ReadonlyArray<Name>
  const rounds = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Array<Measured>
  >
  const trips: Array<number> = []
  for (let i = 0; i < ROUNDS; i++) {
    trips.push(await roundTrip())
    for (const name of names)
      rounds[name].push(await round(all[name], checked, connections, { duration: SECONDS }))
  }
  report.section(`${title}, ${connections} ${connections === 1 ? "connection" : "connections"}`)
  for (const name of names) add(all[name].name, rounds[name], withDatabase.has(name))
  return { ...rounds, trips }
}

const load = async () => {
  const { all, stop } = await startAll()
  // By count, not by time: code that is not compiled yet stays slow for long on a busy machine.
  for (const server of Object.values(all)) {
    await round(server, servers.checked, 16, { amount: WARM_UP })
    await round(server, newUrl, 16, { amount: WARM_UP_NEW })
  }

  const cpuGoals = { 1: 400, 16: 120 } as const
  for (const connections of [1, 16, 64] as const) {
    const title = `${URLS} URLs again and again`
    const { none, database, trips } = await measure(all, title, servers.checked, connections)
    const goal = connections === 64 ? "" : ` (goal: at most ${cpuGoals[connections]})`
    addMore(`CPU time more with the database${goal}`, "us", cpuOf(database), cpuOf(none))
    if (connections !== 1) continue
    report.add("p50 of the database's round trip by plain node:http", "ms", trips)
    addMore(
      "p50 with the database over that (goal: at most 0.5)",
      "ms",
      database.map(({ p50 }) => p50),
      trips
    )
  }
  for (const connections of [1, 16, 64] as const) {
    const rounds = await measure(all, "Each check a new URL", newUrl, connections)
    const goal = (least: number) => (connections === 16 ? ` (goal: at least ${least})` : "")
    addRatio(`no-storage over plain functions${goal(0.5)}`, rounds.noStorage, rounds.plain)
    addRatio(`  both with the database${goal(0.5)}`, rounds.both, rounds.plainDatabase)
    addRatio(`local-list over no key${goal(0.85)}`, rounds.localList, rounds.none)
    addRatio(`  both with the database${goal(0.85)}`, rounds.bothLocalList, rounds.database)
  }
  await stop()
}

const memory = async () => {
  const kinds = [
    ["without database and key", {}],
    ["with database and key, no-storage", { ...database, ...noStorage }],
    ["with database and key, local-list", { ...database, ...localList }]
  ] as const
  // A process that has not served yet has a small young generation, unless it has written its lists to the database.
  const states = ["right after the start", `after ${SERVED.toLocaleString("en")} checks`] as const
  const rounds = states.map(() => kinds.map((): Array<number> => []))
  for (let i = 0; i < ROUNDS; i++) {
    const services = await Promise.all(kinds.map(([, environment]) => start(environment)))
    for (const [state] of states.entries()) {
      if (state > 0)
        for (const { pid, port } of services)
          await round({ name: "", pid, port }, servers.checked, 16, { amount: SERVED })
      const least = await Promise.all(services.map(Servers.memoryAtRest))
      for (const [kind, megabytes] of least.entries()) rounds[state]?.[kind]?.push(megabytes)
    }
    await Promise.all(services.map((service) => service.stop()))
  }
  for (const [state, when] of states.entries()) {
    const measured = rounds[state] ?? []
    report.section(`Resident memory at rest ${when}, ${ENTRIES.toLocaleString("en")} list entries`)
    for (const [kind, [name]] of kinds.entries()) {
      report.add(name, "MB", measured[kind] ?? [])
      if (kind > 0) addMore("  more (goal: at most 20)", "MB", measured[kind] ?? [], measured[0] ?? [])
    }
  }
}

const sections: Readonly<Record<string, () => Promise<void>>> = { load, memory }
const only = process.env.SECTIONS?.split(",")
for (const [name, run] of Object.entries(sections)) if (only?.includes(name) ?? true) await run()
redis.stop()
google.stop()
report.write(jsonFile)
process.exit(0)
