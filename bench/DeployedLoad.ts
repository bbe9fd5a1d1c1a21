import {
  addMore,
  database,
  localList,
  type Measured,
  newUrl,
  noStorage,
  ROUNDS,
  report,
  round,
  roundTrip,
  servers,
  start,
  URLS
} from "./DeployedSetup.ts"
import type * as Load from "./Load.ts"
import type * as Servers from "./Servers.ts"

const SECONDS = Number(process.env.SECONDS ?? 2)
const WARM_UP = 10_000
const WARM_UP_NEW = 2_000

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

const addRatio = (what: string, rounds: Rounds, others: Rounds) =>
  report.add(
    what,
    "times",
    rounds.map(({ perSecond }, i) => perSecond / (others[i]?.perSecond ?? 0))
  )

const cpuOf = (rounds: Rounds) => rounds.map(({ cpu }) => cpu)

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

/** Requests a second, CPU time and latency of all settings in turn. */
export const load = async () => {
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
