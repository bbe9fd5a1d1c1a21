import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import {
  environment,
  LIST,
  listIn,
  logged,
  lookup,
  publish,
  untilEntries,
  untilListed
} from "../fixtures/ListedService.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import * as SafeBrowsingLists from "../fixtures/SafeBrowsingLists.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import * as SmallDisk from "../fixtures/SmallDisk.ts"
import { until, untilTrue } from "../fixtures/Until.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

const LISTS = ["se-4b", "mw-4b", "uws-4b"]

const FILE = "safe_browsing.3.list"

/** 200 KB. */
const MANY = 50_000

/** Of a list that changes all the time. */
const SHORT_WAIT_SECONDS = 1

const setUp = Effect.gen(function* () {
  const google = yield* SafeBrowsingServer.make()
  publish(google, ["listed.example"])
  const start = (folder: string, more: Readonly<Record<string, string>> = {}) =>
    WatchedService.make(environment("local-list", google.url, { DATA_DIR: folder, ...more }))
  const setWait = (seconds: number) => {
    for (const name of LISTS) google.lists.setWait(name, seconds)
  }
  const publishMany = (more: number) =>
    google.lists.publishExpressions(LIST, ["listed.example/"], SafeBrowsingLists.bulk(MANY + more))
  return { google, start, setWait, publishMany }
})

const fileIn = (folder: string) => join(folder, FILE)

/** Waits until the file has lists, and is not the `damaged` one. */
const untilSaved = (folder: string, damaged: Uint8Array = Buffer.alloc(0)) =>
  untilTrue(() => {
    if (!existsSync(fileIn(folder))) return false
    const bytes = readFileSync(fileIn(folder))
    return !bytes.equals(damaged) && bytes.includes("answeredAt")
  })

/** The lists decide, and what they have is confirmed. */
const assertDecides = (service: WatchedService.WatchedService) =>
  Effect.gen(function* () {
    const [ofClean, score] = yield* lookup(service, "clean.example")
    // Stale: lists with a short wait, on a machine under load.
    assert.include(["ok", "stale"], ofClean)
    assert.strictEqual(score, 0)
    assert.deepStrictEqual(yield* lookup(service, "listed.example"), ["ok", 100])
  })

const kill = (service: WatchedService.WatchedService) =>
  Effect.zipRight(service.kill("SIGKILL"), service.ended)

const NO_REQUEST_WITHIN = Duration.seconds(2)

describe("local lists after SIGKILL", () => {
  it.scopedLive("are in use at once, and are not requested early", () =>
    Effect.gen(function* () {
      const { google, start } = yield* setUp
      const folder = yield* ServiceProcess.temporaryFolder
      const first = yield* start(folder)
      const nextUpdate = listIn(yield* untilListed(first))?.nextUpdate
      yield* untilSaved(folder)
      yield* until(first.health, ({ reputationLookup }) => reputationLookup.saveError === null)
      yield* assertDecides(first)
      yield* kill(first)
      for (let life = 0; life < 3; life++) {
        const next = yield* start(folder)
        yield* assertDecides(next)
        // The first process counted from the end of the update, the others from Google's answer.
        const millis = Date.parse(listIn(yield* next.health)?.nextUpdate ?? "") - Date.parse(nextUpdate ?? "")
        assert.closeTo(millis, 0, 1000)
        yield* Effect.sleep(NO_REQUEST_WITHIN)
        yield* kill(next)
      }
      assert.strictEqual(google.lists.received.length, 1)
    })
  )

  it.scopedLive("are whole at any moment of an update", () =>
    Effect.gen(function* () {
      const { publishMany, setWait, start } = yield* setUp
      setWait(SHORT_WAIT_SECONDS)
      const folder = yield* ServiceProcess.temporaryFolder
      publishMany(0)
      const first = yield* start(folder)
      yield* untilListed(first)
      yield* untilSaved(folder)
      yield* kill(first)
      for (let life = 1; life < 6; life++) {
        const next = yield* start(folder)
        assert.isAtLeast(listIn(yield* next.health)?.entries ?? 0, MANY)
        yield* assertDecides(next)
        assert.deepStrictEqual(logged(next, "A saved threat list cannot be used and is fetched anew"), [])
        publishMany(life)
        yield* Effect.sleep(life * 100)
        yield* kill(next)
      }
    })
  )
})

describe("local lists with a data directory", () => {
  const corrupted: ReadonlyArray<readonly [name: string, corrupt: (bytes: Buffer) => Buffer]> = [
    ["half-written", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    ["foreign", () => Buffer.from("<!doctype html>".repeat(10_000))],
    ["altered", (bytes) => Buffer.from(bytes).fill(0xaa, bytes.length - 1)]
  ]

  it.scopedLive("with a damaged file begin without lists, which is logged, and are fetched anew", () =>
    Effect.gen(function* () {
      const { google, start } = yield* setUp
      const first = yield* ServiceProcess.temporaryFolder
      const service = yield* start(first)
      yield* untilListed(service)
      yield* untilSaved(first)
      const good = readFileSync(fileIn(first))
      yield* kill(service)

      for (const [name, corrupt] of corrupted) {
        const folder = yield* ServiceProcess.temporaryFolder
        const damaged = corrupt(good)
        writeFileSync(fileIn(folder), damaged)
        const requests = google.lists.received.length
        const next = yield* start(folder)
        yield* untilListed(next)
        yield* assertDecides(next)
        assert.strictEqual(
          logged(next, "A saved threat list cannot be used and is fetched anew").length,
          1,
          name
        )
        assert.deepStrictEqual(google.lists.received[requests]?.versions, [], name)
        yield* untilSaved(folder, damaged)
        yield* kill(next)
        const again = yield* start(folder)
        yield* assertDecides(again)
        assert.strictEqual(google.lists.received.length, requests + 1, name)
        yield* kill(again)
      }
    })
  )

  it.scopedLive.skipIf(!SmallDisk.canMount)(
    "that is full stay in memory, and are saved when it has space",
    () =>
      Effect.gen(function* () {
        const { google, publishMany, setWait, start } = yield* setUp
        setWait(SHORT_WAIT_SECONDS)
        publishMany(0)
        const folder = yield* SmallDisk.make
        const service = yield* start(folder)
        const health = yield* until(
          service.health,
          ({ reputationLookup }) => reputationLookup.saveError != null
        )
        assert.strictEqual(health.reputationLookup.saveError?.message, "not saved (ENOSPC)")
        yield* untilListed(service)
        yield* assertDecides(service)
        publishMany(10)
        yield* until(service.health, (health) => (listIn(health)?.entries ?? 0) > MANY + 5)
        assert.deepStrictEqual(logged(service, WatchedService.IN_MEMORY_ONLY), ["ENOSPC"], "once")
        yield* until(
          Effect.sync(() => readdirSync(folder)),
          (files) => files.every((file) => file === FILE)
        )

        SmallDisk.mount(folder, "remount", "size=16m")
        yield* until(service.health, ({ reputationLookup }) => reputationLookup.saveError === null)
        const requests = google.lists.received.length
        setWait(1800)
        yield* untilTrue(() => google.lists.received.length > requests)
        yield* Effect.sleep("500 millis")
        yield* kill(service)
        const again = yield* start(folder)
        yield* assertDecides(again)
      })
  )

  it.scopedLive.skipIf(!SmallDisk.canMount)("that is read-only stay in memory", () =>
    Effect.gen(function* () {
      const { publishMany, setWait, start } = yield* setUp
      setWait(SHORT_WAIT_SECONDS)
      const folder = yield* SmallDisk.make
      SmallDisk.mount(folder, "remount", "ro", "size=16m")
      const service = yield* start(folder)
      yield* until(
        service.health,
        ({ reputationLookup }) => reputationLookup.saveError?.message === "not saved (EROFS)"
      )
      yield* untilListed(service)
      publishMany(0)
      yield* until(service.health, (health) => (listIn(health)?.entries ?? 0) >= MANY)
      yield* assertDecides(service)
    })
  )

  it.scopedLive(
    "that is deleted, or has a folder in place of the file, stay in memory and are saved again",
    () =>
      Effect.gen(function* () {
        const { publishMany, setWait, start } = yield* setUp
        setWait(SHORT_WAIT_SECONDS)
        const folder = join(yield* ServiceProcess.temporaryFolder, "data")
        const service = yield* start(folder)
        yield* untilListed(service)
        yield* untilSaved(folder)
        rmSync(folder, { recursive: true })
        publishMany(0)
        yield* untilSaved(folder)
        rmSync(fileIn(folder))
        mkdirSync(join(fileIn(folder), "foreign"), { recursive: true })
        publishMany(1)
        yield* until(service.health, ({ reputationLookup }) => reputationLookup.saveError != null)
        yield* assertDecides(service)
        rmSync(fileIn(folder), { recursive: true })
        publishMany(2)
        yield* until(service.health, ({ reputationLookup }) => reputationLookup.saveError === null)
        yield* untilSaved(folder)
      })
  )

  it.scopedLive("that two processes use are whole, and a third process has them at once", () =>
    Effect.gen(function* () {
      const { publishMany, setWait, start } = yield* setUp
      setWait(SHORT_WAIT_SECONDS)
      publishMany(0)
      const folder = yield* ServiceProcess.temporaryFolder
      const two = yield* Effect.all([start(folder), start(folder)], { concurrency: "unbounded" })
      for (let round = 1; round <= 5; round++) {
        publishMany(10 * round)
        for (const service of two)
          yield* until(service.health, (health) => (listIn(health)?.entries ?? 0) > MANY + 10 * round - 5)
        const third = yield* start(folder)
        assert.isAtLeast(listIn(yield* third.health)?.entries ?? 0, MANY)
        assert.deepStrictEqual(logged(third, "A saved threat list cannot be used and is fetched anew"), [])
        yield* assertDecides(third)
        yield* third.kill("SIGTERM")
        yield* third.ended
      }
      for (const service of two) {
        assert.deepStrictEqual(logged(service, WatchedService.IN_MEMORY_ONLY), [])
        yield* service.kill("SIGTERM")
        yield* service.ended
      }
      // A process that ends while it saves leaves its temporary file, which a later save removes.
      const files = readdirSync(folder).filter((name) => !name.startsWith(`${FILE}.`))
      assert.deepStrictEqual(files, [FILE])
    })
  )
})

/** Shorter than a lease. */
const FLEET_WAIT_SECONDS = 3

const UPDATED = "safe_browsing is up to date"
const TAKEN = "safe_browsing was taken from another replica"

/** How the replica got the entries that it has. */
const lastChange = (service: WatchedService.WatchedService) =>
  service
    .log()
    .map(({ message }) => String(message).split(":")[0])
    .findLast((message) => message === UPDATED || message === TAKEN)

const untilAllHave = (services: Iterable<WatchedService.WatchedService>, entries: number) =>
  Effect.forEach(services, (service) => untilEntries(service, entries, LIST, "2 minutes"), {
    concurrency: "unbounded"
  })

describe.skipIf(!RedisServer.isInstalled)(
  "local lists of three replicas with one database (need redis-server)",
  () => {
    it.scopedLive(
      "are updated by one of them, also when that one is killed",
      () =>
        Effect.gen(function* () {
          const { google, setWait, start } = yield* setUp
          setWait(FLEET_WAIT_SECONDS)
          const database = yield* UpstashRestFront.make(yield* RedisServer.make)
          const startReplica = Effect.flatMap(ServiceProcess.temporaryFolder, (folder) =>
            start(folder, {
              CACHE_REST_URL: database.url.href,
              CACHE_REST_TOKEN: Redacted.value(database.token)
            })
          )
          /** Checks that all replicas together send at most one request more than one replica alone. */
          const requestsOfOne = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
            Effect.gen(function* () {
              const before = google.lists.received.length
              const begin = Date.now()
              const result = yield* effect
              assert.isAtMost(
                google.lists.received.length - before,
                1 + (Date.now() - begin) / (1000 * FLEET_WAIT_SECONDS)
              )
              return result
            })

          const replicas = yield* requestsOfOne(
            Effect.gen(function* () {
              const started = yield* Effect.all([startReplica, startReplica, startReplica], {
                concurrency: "unbounded"
              })
              yield* untilAllHave(started, 1)
              return started
            })
          )
          const living = new Set(replicas)
          const hosts = ["listed.example"]
          for (let round = 1; round <= 3; round++) {
            hosts.push(`h${round}.example`)
            publish(google, hosts)
            yield* requestsOfOne(untilAllHave(living, hosts.length))
            for (const service of living)
              assert.deepStrictEqual(yield* lookup(service, `h${round}.example`), ["ok", 100])
            const updater = [...living].find((service) => lastChange(service) === UPDATED)
            if (updater === undefined) return assert.fail("no replica updates the lists")
            if (round === 1) {
              const another = yield* requestsOfOne(startReplica)
              yield* requestsOfOne(untilAllHave([another], hosts.length))
              living.add(another)
            }
            yield* kill(updater)
            living.delete(updater)
          }
        }),
      600_000
    )
  }
)
