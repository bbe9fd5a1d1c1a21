/** What the sections of the part `reputation` share: Safe Browsing, the URLs, the service and the report. */
import type { Behaviour } from "../test/fixtures/SafeBrowsingServer.ts"
import { urls } from "./InventedFeed.ts"
import * as ListHealth from "./ListHealth.ts"
import { Report } from "./Measurement.ts"
import * as SafeBrowsing from "./SafeBrowsing.ts"
import * as Service from "./Service.ts"

export const [, , main = "", jsonFile = ""] = process.argv
export const ENTRIES = 4_000_000
export const REPLACED = 5_000
export const CONNECTIONS = 16
export const MODES = ["no-storage", "local-list", "real-time"] as const
export type Mode = (typeof MODES)[number]
export const LIST = "se-4b"
/** In the global cache. */
export const PART_LIKELY_SAFE = 4
export const PART_LISTED = 50

export const report = new Report(`Reputation lookups against ${ENTRIES.toLocaleString("en")} hashes`)
export const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** An expression of each of the URLs. */
const hostExpressions = (all: Iterable<string>) => [...all].map((url) => `${new URL(url).hostname}/`)
const every = <A>(nth: number, all: ReadonlyArray<A>, from = 0) => all.filter((_, i) => i % nth === from)

export const CHECKED_URLS = 5_000
export const checked = [...urls(CHECKED_URLS, 21)]

let fresh = 0
/** A URL that no earlier call has returned: no cache has it. */
export const freshUrl = () => `https://h${++fresh}.example/p${fresh}`

/** To see whether a local hit can be confirmed. Each is checked once. */
export const probes = Array.from({ length: 2_000 }, (_, i) => `https://listed${i}.example/`)

export const google = await SafeBrowsing.start()
export const publish = (replaced: number) =>
  google.run({
    _tag: "PublishThreats",
    name: LIST,
    entries: ENTRIES,
    replaced,
    expressions: hostExpressions([...every(PART_LISTED, checked, 1), ...probes])
  })
export const behave = (behaviour: Behaviour) => google.run({ _tag: "Behave", behaviour })
export const count = () => google.run({ _tag: "Count" })

await publish(0)
await google.run({
  _tag: "PublishLikelySafe",
  expressions: hostExpressions([...every(PART_LIKELY_SAFE, checked), ...urls(15_000, 22)])
})

export const untilLists = ({ port }: Service.Service, isExpected: (list: ListHealth.ListHealth) => boolean) =>
  ListHealth.until(port, LIST, isExpected)

export const startService = async (
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
