/** Commands to the cache database of three replicas with the default lists, over 24 simulated hours without a request. */
import { Effect, Exit, Layer, Logger, Option, Scope, TestClock, TestContext } from "effect"
import { AppConfig } from "../src/Layers/AppConfig.ts"
import type { NewDocument, NotModified } from "../src/Lists/ListWorker/Messages.ts"
import { ListWorker } from "../src/Lists/ListWorker.ts"
import { SharedStore } from "../src/Lists/SharedStore.ts"
import { ThreatFeeds } from "../src/Lists/ThreatFeed.ts"
import * as MemoryDisk from "../test/fixtures/MemoryDisk.ts"
import { adjust, nextTurn } from "../test/fixtures/NextTurn.ts"
import { rankingOf } from "../test/fixtures/Rankings.ts"
import * as SharedStoreDouble from "../test/fixtures/SharedStoreDouble.ts"
import { listOf } from "../test/fixtures/ThreatLists.ts"
import { Report } from "./Measurement.ts"

const [, , , jsonFile = ""] = process.argv
const REPLICAS = 3
const HOURS = 24
const MAX_COMMANDS = 1500

/** Publishers whose documents change at each refresh, or never. */
const publishers = (isChanging: boolean) => {
  let documents = 0
  const layer = Layer.mock(ListWorker, {
    build: ({ format, headers }) =>
      Effect.sync((): NewDocument | NotModified => {
        if (!isChanging && headers["if-none-match"] !== undefined)
          return { _tag: "NotModified", bytes: undefined }
        const host = `h${++documents}.example`
        return {
          _tag: "NewDocument",
          bytes: (format === "majestic-csv" ? rankingOf([host]) : listOf([host])).bytes,
          counts: { skipped: 0, ignored: 0, firstSkipped: [] },
          validators: { etag: host, lastModified: undefined }
        }
      })
  })
  return { layer, requests: () => documents }
}

const measured = (isChanging: boolean) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 27))
    const database = SharedStoreDouble.make()
    const { layer, requests } = publishers(isChanging)
    const scope = yield* Scope.make()
    for (let replica = 0; replica < REPLICAS; replica++)
      yield* ThreatFeeds.layer.pipe(
        Layer.provide([
          layer,
          MemoryDisk.make().layer,
          Layer.succeed(SharedStore, Option.some(database.store))
        ]),
        Layer.provide(AppConfig.layer),
        Layer.buildWithScope(scope)
      )
    for (let minute = 0; minute < HOURS * 60; minute++) {
      yield* adjust("1 minute")
      yield* Effect.repeatN(nextTurn, 5)
    }
    yield* Scope.close(scope, Exit.void)
    return { commands: database.commands.length, documents: requests() }
  }).pipe(Effect.provide([TestContext.TestContext, Logger.remove(Logger.defaultLogger)]), Effect.orDie)

const report = new Report(`Commands of ${REPLICAS} replicas with the default lists`)
report.section(`${HOURS} hours without a request`)
const still = await Effect.runPromise(measured(false))
report.add(`nothing changes; at most ${MAX_COMMANDS.toLocaleString("en")}`, "commands", [still.commands])
const changing = await Effect.runPromise(measured(true))
report.add("each list changes at each refresh; bodies of one piece", "commands", [changing.commands])
report.add("documents that the publishers sent then", "documents", [changing.documents])
report.write(jsonFile)
