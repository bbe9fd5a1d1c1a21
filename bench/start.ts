/**
 * Time from the start of the process to its first response: empty data directory and no feed reachable, and four saved lists. CPU
 * time from the start to the first lists.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { urls } from "./InventedFeed.ts"
import { lines } from "./ListMaking.ts"
import { mainThreadCpuSeconds, processCpuSeconds, Report, wallSeconds } from "./Measurement.ts"
import * as Publisher from "./Publisher.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 9

/** As many as a large feed has. */
const LISTED_URLS = 125_000

/** In each of four feeds, and in the ranking. */
const FIRST_URLS = 25_000
const RANKED = 100_000

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

/** Starts the service without lists. Returns what stops it, when it has saved so many. */
const withLists = async (environment: Readonly<Record<string, string>>, folder: string, lists: number) => {
  const service = await Service.start(main, { ...environment, DATA_DIR: folder }, "as it is")
  const saved = () => readdirSync(folder).filter((name) => name.endsWith(".list")).length
  for (let waits = 0; saved() < lists; waits++) {
    if (waits > MAX_WAITS) throw new Error("the lists were not saved")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return service
}

const publishing = async (document: Uint8Array) => {
  const publisher = await Publisher.make()
  void publisher.publish(document)
  return publisher
}

/** Saves the lists in the folder, and returns an environment that reads them there. */
const saved = async (folder: string) => {
  const publisher = await publishing(lines(urls(LISTED_URLS)))
  const environment = feedsFrom(publisher.url)
  const service = await withLists(environment, folder, FEEDS.length)
  await service.stop()
  publisher.stop()
  return { ...environment, DATA_DIR: folder }
}

/** CPU seconds of the process until it has four feeds and the ranking, all of them new. */
const firstLists = async () => {
  const publisher = await publishing(gzipSync(lines(urls(FIRST_URLS))))
  const rows = Array.from({ length: RANKED }, (_, index) => `${index + 1},site${index}.example`)
  const ranking = await publishing(gzipSync(lines(rows)))
  const environment = {
    ...feedsFrom(publisher.url),
    POPULAR_URL: ranking.url,
    POPULAR_FORMAT: "ranked-csv"
  }
  const rounds: Array<number> = []
  for (let i = 0; i < ROUNDS; i++) {
    const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
    const service = await withLists(environment, folder, FEEDS.length + 1)
    rounds.push(processCpuSeconds(service.pid))
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  publisher.stop()
  ranking.stop()
  return rounds
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
report.section(`From nothing to four feeds of ${FIRST_URLS.toLocaleString("en")} URLs and the ranking`)
report.add("CPU time of the process", "s", await firstLists())
report.write(jsonFile)
process.exit(0)
