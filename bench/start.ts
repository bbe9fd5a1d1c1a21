/** Time from the start of the process to its first response: empty data directory and no feed reachable, and four saved lists. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { urls } from "./InventedFeed.ts"
import { lines } from "./ListMaking.ts"
import { mainThreadCpuSeconds, Report, wallSeconds } from "./Measurement.ts"
import * as Publisher from "./Publisher.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 9

/** As many as a large feed has. */
const LISTED_URLS = 125_000

const FEEDS = ["FEED_A", "FEED_B", "FEED_C", "FEED_D"]

/** Of 20 ms: half a minute. */
const MAX_WAITS = 1_500

/** The discard port on loopback: no server listens there. */
const NOWHERE = "http://127.0.0.1:9/feed"

const feedsFrom = (url: string) =>
  Object.fromEntries(
    FEEDS.flatMap((feed) => [
      [`${feed}_URL`, url],
      [`${feed}_FORMAT`, "lines"]
    ])
  )

const start = async (environment: Readonly<Record<string, string>>) => {
  const began = process.hrtime.bigint()
  const service = await Service.start(main, environment, "as it is")
  const measured = { seconds: wallSeconds(began), cpu: mainThreadCpuSeconds(service.pid) }
  await service.stop()
  return measured
}

/** Saves the lists in the folder, and returns an environment that reads them there. */
const saved = async (folder: string) => {
  const publisher = await Publisher.make()
  void publisher.publish(lines(urls(LISTED_URLS)))
  const environment = { ...feedsFrom(publisher.url), DATA_DIR: folder }
  const service = await Service.start(main, environment, "as it is")
  const snapshots = () => readdirSync(folder).filter((name) => name.endsWith(".list"))
  for (let waits = 0; snapshots().length < FEEDS.length; waits++) {
    if (waits > MAX_WAITS) throw new Error("the lists were not saved")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await service.stop()
  publisher.stop()
  return environment
}

const report = new Report("From the start of the process to the first 200")
const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
const environments = { empty: feedsFrom(NOWHERE), saved: await saved(folder) }
const rounds: Record<keyof typeof environments, Array<Awaited<ReturnType<typeof start>>>> = {
  empty: [],
  saved: []
}
for (let i = 0; i < ROUNDS; i++) {
  rounds.empty.push(await start(environments.empty))
  rounds.saved.push(await start(environments.saved))
}
rmSync(folder, { recursive: true, force: true })

for (const [section, all] of [
  ["Empty DATA_DIR: seconds", rounds.empty],
  ["Four lists in DATA_DIR: seconds", rounds.saved]
] as const) {
  report.section(section)
  report.add(
    "node dist/main.js (goal: about 1)",
    "s",
    all.map(({ seconds }) => seconds)
  )
  report.add(
    "CPU time of its main thread",
    "s",
    all.map(({ cpu }) => cpu)
  )
}
report.write(jsonFile)
process.exit(0)
