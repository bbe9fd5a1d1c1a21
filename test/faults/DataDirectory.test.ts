import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync
} from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ThreatListBytes from "../../src/Lists/ThreatList/ThreatListBytes.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import * as SmallDisk from "../fixtures/SmallDisk.ts"
import { until, untilTrue } from "../fixtures/Until.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** A list of about 200 KB. */
const ENTRIES = 20_000
const KILLS = 4
/** A list of 3 MB, so that a kill falls into its save. */
const LONG_SAVE = 150_000
/** Of at most 100,000 rows that are read. */
const RANKED = 90_000

const rows = (first: number) =>
  Array.from({ length: ENTRIES }, (_, i) => `https://h${first + i}.example/`).join("\n")

const PATH = `/d.txt?key=${WatchedService.SECRET}-in-address`

const setUp = Effect.gen(function* () {
  const feeds = yield* FeedServer.make()
  /** Another document each time, so that there is something to save. */
  let published = 0
  const publish = () => {
    published++
    feeds.serve(PATH, FeedServer.document(rows(published), { etag: `"${published}"` }))
  }
  publish()
  const env = (folder: string, refresh = "1 second") => ({
    DATA_DIR: folder,
    FEED_D_URL: feeds.url(PATH).href,
    FEED_D_FORMAT: "lines",
    FEED_D_REFRESH: refresh
  })
  return { feeds, publish, env }
})

const snapshotIn = (folder: string) => join(folder, `feed_d.${ThreatListBytes.VERSION}.list`)
const feedOf = (service: WatchedService.WatchedService) =>
  Effect.map(service.health, ({ feeds }) => feeds.feed_d)
const untilSaved = (service: WatchedService.WatchedService, folder: string) =>
  until(
    feedOf(service),
    (feed) => feed?.fetchedAt != null && feed.saveError === null && existsSync(snapshotIn(folder))
  )
const savingFails = (reason: string) => (feed: WatchedService.FeedHealth | undefined) =>
  feed?.saveError?.message === `not saved (${reason})`

const assertAnswers = (service: WatchedService.WatchedService) =>
  Effect.gen(function* () {
    const listed = yield* service.check(WatchedService.submission("h10.example"))
    assert.deepInclude(listed, { status: 200, verdict: "phishing" })
    assert.strictEqual(listed.checkers.feed_d, "ok")
    assert.strictEqual((yield* service.health).httpStatus, 200)
  })

const warnings = (service: WatchedService.WatchedService, message: string) =>
  service.log().flatMap((line) => (line.message === message ? [line.reason] : []))

/** Ends the process. The next one with the folder has the list at once, without a fetch. */
const assertSaved = (
  world: Effect.Effect.Success<typeof setUp>,
  folder: string,
  before: WatchedService.WatchedService
) =>
  Effect.gen(function* () {
    yield* untilSaved(before, folder)
    yield* before.kill("SIGTERM")
    yield* before.ended
    const fetches = world.feeds.received.length
    const again = yield* WatchedService.make(world.env(folder, "1 hour"))
    yield* assertAnswers(again)
    assert.strictEqual(world.feeds.received.length, fetches)
  })

describe("a data directory with a fault", () => {
  it.scopedLive.skipIf(!SmallDisk.canMount)(
    "that is full removes no list from memory, and is used again when it has space",
    () =>
      Effect.gen(function* () {
        const world = yield* setUp
        const folder = yield* SmallDisk.make
        const service = yield* WatchedService.make(world.env(folder))
        yield* until(feedOf(service), savingFails("ENOSPC"))
        yield* assertAnswers(service)
        world.publish()
        const fetches = world.feeds.received.length
        yield* untilTrue(() => world.feeds.received.length > fetches + 2)
        assert.deepStrictEqual(warnings(service, WatchedService.IN_MEMORY_ONLY), ["ENOSPC"], "once")
        yield* until(
          Effect.sync(() => readdirSync(folder)),
          (files) => files.length === 0
        )
        const handles = service.handles().length

        SmallDisk.mount(folder, "remount", "size=16m")
        yield* untilSaved(service, folder)
        yield* untilTrue(() => service.handles().length <= handles + 1)
        yield* assertSaved(world, folder, service)
      })
  )

  it.scopedLive.skipIf(!SmallDisk.canMount)("that becomes read-only removes no list, old or new", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const folder = yield* SmallDisk.make
      SmallDisk.mount(folder, "remount", "size=16m")
      const service = yield* WatchedService.make(world.env(folder))
      yield* untilSaved(service, folder)
      const before = readFileSync(snapshotIn(folder))
      yield* until(
        Effect.sync(() => spawnSync("mount", ["-o", "remount,ro", folder]).status),
        (status) => status === 0 // not while it is written to
      )
      world.publish()
      yield* until(feedOf(service), savingFails("EROFS"))
      yield* assertAnswers(service)
      assert.isAtLeast(readFileSync(snapshotIn(folder)).length, before.length / 2)
      SmallDisk.mount(folder, "remount", "rw", "size=16m")
      yield* untilSaved(service, folder)
      yield* assertSaved(world, folder, service)
    })
  )

  it.scopedLive("that is deleted is created again", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const folder = join(yield* ServiceProcess.temporaryFolder, "data", "lists")
      const service = yield* WatchedService.make(world.env(folder))
      yield* untilSaved(service, folder)
      rmSync(folder, { recursive: true })
      world.publish()
      yield* untilTrue(() => existsSync(snapshotIn(folder)))
      yield* untilSaved(service, folder)
      yield* assertAnswers(service)
      yield* assertSaved(world, folder, service)
    })
  )

  const corrupted: ReadonlyArray<readonly [name: string, corrupt: (bytes: Buffer) => Buffer]> = [
    ["half-written", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    ["foreign", () => Buffer.from("<!doctype html>".repeat(10_000))],
    ["altered", (bytes) => Buffer.from(bytes).fill(0xaa, bytes.length >> 1, (bytes.length >> 1) + 1)]
  ]

  it.scopedLive("with a corrupt or foreign file counts as empty, which is logged, and gets a new file", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const first = yield* ServiceProcess.temporaryFolder
      const service = yield* WatchedService.make(world.env(first))
      yield* untilSaved(service, first)
      const good = readFileSync(snapshotIn(first))
      yield* service.kill("SIGKILL")

      for (const [name, corrupt] of corrupted) {
        const folder = yield* ServiceProcess.temporaryFolder
        writeFileSync(snapshotIn(folder), corrupt(good))
        const { ino } = statSync(snapshotIn(folder))
        world.feeds.serve(PATH, { _tag: "Status", status: 503 })
        const next = yield* WatchedService.make(world.env(folder))
        assert.strictEqual((yield* next.health).httpStatus, 503, name)
        const early = yield* next.check(WatchedService.submission("h10.example"))
        assert.strictEqual(early.checkers.feed_d, "unavailable", name)
        assert.strictEqual(
          warnings(next, "A saved threat list cannot be used and is fetched anew").length,
          1,
          name
        )
        world.publish()
        yield* until(feedOf(next), (feed) => feed?.fetchedAt != null)
        yield* assertAnswers(next)
        yield* untilTrue(() => statSync(snapshotIn(folder)).ino !== ino)
        if (name === "half-written") yield* assertSaved(world, folder, next)
        yield* next.kill("SIGKILL")
      }
    })
  )

  it.scopedLive("with a folder in place of a file leaves the list in memory", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const folder = yield* ServiceProcess.temporaryFolder
      mkdirSync(join(snapshotIn(folder), "foreign"), { recursive: true })
      const service = yield* WatchedService.make(world.env(folder))
      const isNotSaved = /^not saved \(E[A-Z]+\)$/
      yield* until(feedOf(service), (feed) => isNotSaved.test(feed?.saveError?.message ?? ""))
      yield* assertAnswers(service)
      assert.deepStrictEqual(warnings(service, "A saved threat list cannot be used and is fetched anew"), [
        "NotAFile"
      ])
      rmSync(snapshotIn(folder), { recursive: true })
      yield* untilSaved(service, folder)
    })
  )

  it.scopedLive(
    "in which a process was killed while it saved has the list of before or the new one, whole",
    () =>
      Effect.gen(function* () {
        const folder = yield* ServiceProcess.temporaryFolder
        const source = join(yield* ServiceProcess.temporaryFolder, "d.txt")
        // A file is read at each start.
        const env = { DATA_DIR: folder, FEED_D_URL: pathToFileURL(source).href, FEED_D_FORMAT: "lines" }
        const host = (i: number, version: number) => `h${i}-v${version}.example`
        const publish = (version: number) => {
          const hosts = Array.from({ length: LONG_SAVE }, (_, i) => host(i, version))
          writeFileSync(`${source}.new`, hosts.join("\n"))
          renameSync(`${source}.new`, source)
        }
        const listed = (service: WatchedService.WatchedService, version: number) =>
          Effect.forEach([0, LONG_SAVE >> 1, LONG_SAVE - 1], (i) =>
            Effect.map(
              service.check(WatchedService.submission(host(i, version))),
              ({ verdict }) => verdict === "phishing"
            )
          )
        publish(0)
        const first = yield* WatchedService.make(env)
        yield* untilSaved(first, folder)
        yield* first.kill("SIGKILL")

        let current = 0
        for (let version = 1; version <= KILLS; version++) {
          publish(version)
          const watcher = watch(folder)
          const service = yield* WatchedService.make(env)
          watcher.on("change", (_, name) => {
            if (String(name).startsWith(`${basename(snapshotIn(folder))}.`))
              Effect.runSync(service.kill("SIGKILL"))
          })
          yield* service.ended
          watcher.close()
          rmSync(source)

          const next = yield* WatchedService.make(env)
          const isNew = yield* listed(next, version)
          if (isNew.every((isListed) => isListed)) current = version
          else assert.deepStrictEqual(isNew, [false, false, false])
          assert.deepStrictEqual(yield* listed(next, current), [true, true, true])
          yield* next.kill("SIGKILL")
          yield* next.ended
        }
      })
  )

  it.scopedLive(
    "in which a process was killed while it saved the ranking has the one of before or the new one",
    () =>
      Effect.gen(function* () {
        const folder = yield* ServiceProcess.temporaryFolder
        const saved = `popular.${ThreatListBytes.VERSION}.list`
        const source = join(yield* ServiceProcess.temporaryFolder, "ranking.csv")
        // A file is read at each start.
        const env = {
          DATA_DIR: folder,
          POPULAR_URL: pathToFileURL(source).href,
          POPULAR_FORMAT: "ranked-csv"
        }
        /** Each version has one row more, which tells it from the others. */
        const publish = (version: number) => {
          const ranked = Array.from(
            { length: RANKED + version },
            (_, i) => `${i + 1},d${i}-v${version}.example`
          )
          writeFileSync(source, ranked.join("\n"))
        }
        publish(0)
        const first = yield* WatchedService.make(env)
        yield* untilTrue(() => existsSync(join(folder, saved)))
        yield* first.kill("SIGKILL")

        let current = RANKED
        for (let version = 1; version <= KILLS; version++) {
          publish(version)
          const watcher = watch(folder)
          const service = yield* WatchedService.make(env)
          watcher.on("change", (_, name) => {
            if (String(name).startsWith(`${saved}.`)) Effect.runSync(service.kill("SIGKILL"))
          })
          yield* service.ended
          watcher.close()
          rmSync(source)

          const next = yield* WatchedService.make(env)
          const { entries, saveError } = (yield* next.health).popular
          assert.include([current, RANKED + version], entries)
          assert.isNull(saveError)
          current = entries
          yield* next.kill("SIGKILL")
          yield* next.ended
        }
      })
  )
})
