import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as RedisServer from "../test/fixtures/RedisServer.ts"
import * as UpstashRestFront from "../test/fixtures/UpstashRestFront.ts"
import { mainThreadCpuSeconds, wallSeconds } from "./Measurement.ts"
import { count, ENTRIES, google, main, pause, report, startService, untilLists } from "./ReputationSetup.ts"
import * as Service from "./Service.ts"

const START_ROUNDS = 5

export const starts = async () => {
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
const WAIT_SECONDS = 10
const FLEET_SECONDS = 30

export const fleet = async () => {
  await google.run({ _tag: "SetWait", seconds: WAIT_SECONDS })
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
  await google.run({ _tag: "SetWait", seconds: 1800 })
}
