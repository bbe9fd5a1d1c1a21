/** What the sections of the part `deployed` share: the database, Safe Browsing, the servers and the report. */
import * as ListHealth from "./ListHealth.ts"
import type * as Load from "./Load.ts"
import { percentile, Report } from "./Measurement.ts"
import * as PlainDatabase from "./PlainDatabase.ts"
import * as PlainHttp from "./PlainHttp.ts"
import * as Redis from "./Redis.ts"
import * as SafeBrowsing from "./SafeBrowsing.ts"
import * as Servers from "./Servers.ts"

const [, , main = ""] = process.argv
export const ENTRIES = 500_000
export const URLS = 200
export const ROUNDS = 3
const CALLS = 500
const LIST = "se-4b"

export const report = new Report(
  `POST /api/check with database and key: ${ENTRIES.toLocaleString("en")} list entries, ${URLS} mixed URLs or new ones`
)

export const redis = await Redis.start()
export const google = await SafeBrowsing.start()
await google.run({ _tag: "PublishThreats", name: LIST, entries: ENTRIES, replaced: 0, expressions: [] })
export const servers = await Servers.make(main, ENTRIES, URLS)

export const database = redis.environment
export const noStorage = { ...google.environment, REPUTATION_MODE: "no-storage" }
export const localList = { ...google.environment, REPUTATION_MODE: "local-list" }

export const start = async (environment: Readonly<Record<string, string>>) => {
  const service = await servers.service({ LOG_LEVEL: "warning", ...environment })
  if (environment.REPUTATION_MODE === "local-list")
    await ListHealth.until(service.port, LIST, ({ entries }) => entries > 0)
  return service
}

let urls = 0
/** Eight prefixes each. No earlier call has returned it. */
export const newUrl = () => `https://host-${urls++}.shop.example/dir/page.html?item=1`

export interface Measured extends Servers.Round {
  readonly calls: number
  readonly commands: number
}

export const round = async (
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

/** The differences of the rounds, each with the other's of the same turn. */
export const addMore = (
  what: string,
  unit: string,
  rounds: ReadonlyArray<number>,
  others: ReadonlyArray<number>
) =>
  report.add(
    what,
    unit,
    rounds.map((value, i) => value - (others[i] ?? 0))
  )

const plainDatabase = PlainDatabase.make(database)

/** A count by Node's own client, in the same words as the service's: milliseconds, median. */
export const roundTrip = async () =>
  percentile(await PlainHttp.times(CALLS, () => plainDatabase.count("round trip")), 0.5)
