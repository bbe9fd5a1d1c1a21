import { execFileSync } from "node:child_process"
import {
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Fiber, Option } from "effect"
import * as Files from "../../../src/Layers/Files.ts"
import * as SnapshotFile from "../../../src/Lists/RefreshedList/SnapshotFile.ts"
import type { Feed } from "../../../src/Lists/ThreatFeed/Feed.ts"
import * as FeedSnapshot from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import * as ThreatListBytes from "../../../src/Lists/ThreatList/ThreatListBytes.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import * as HangingDisk from "../../fixtures/HangingDisk.ts"
import { eventuallyLater } from "../../fixtures/NextTurn.ts"
import { kindOf, listOf } from "../../fixtures/ThreatLists.ts"

const feed = {
  url: new URL("https://feeds.example/list?auth-key=SECRET"),
  format: "lines"
} satisfies Pick<Feed, "url" | "format">

/** The names of the files of two feeds without their endings. */
const FEED_A = `feed_a.${ThreatListBytes.VERSION}`
const FEED_B = `feed_b.${ThreatListBytes.VERSION}`

const snapshot: FeedSnapshot.FeedSnapshot = {
  list: listOf(["evil.example"]),
  fetchedAt: 1,
  answeredAt: 2,
  validators: { etag: '"x"', lastModified: undefined },
  counts: { skipped: 0, ignored: 0, firstSkipped: [] },
  shrunkenSince: undefined
}

/** What a process begins with, and how it saves: as `RefreshedList` does. */
const fileIn = Effect.fnUntraced(function* (
  directory: string,
  address: Pick<Feed, "url" | "format"> = feed,
  slot = "feed_a"
) {
  const format = FeedSnapshot.format(address)
  const path = join(directory, `${slot}.${format.version}.list`)
  let problem: string | undefined
  const noted = <A, R>(effect: Effect.Effect<A, string, R>, otherwise: A) =>
    Effect.catchAll(effect, (reason) =>
      Effect.sync(() => {
        problem = reason
        return otherwise
      })
    )
  const loaded = yield* noted(
    Effect.flatMap(SnapshotFile.load(path), (stored) => Effect.transposeMapOption(stored, format.decode)),
    Option.none()
  )
  return {
    loaded,
    problem: () => problem,
    save: (snapshot: FeedSnapshot.FeedSnapshot) =>
      noted(SnapshotFile.save(path, format.encode(snapshot)), undefined)
  }
})

/** The snapshot that a process would begin with. */
const loadedIn = (directory: string) => Effect.map(fileIn(directory), ({ loaded }) => loaded)

/** Why a process would begin without a snapshot. */
const errorIn = (directory: string, address: Pick<Feed, "url" | "format"> = feed, slot = "feed_a") =>
  Effect.map(fileIn(directory, address, slot), ({ problem }) => problem())

const temporaryDirectory = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

describe("SnapshotFile", () => {
  it.scoped("loads what was saved, in a directory that it makes", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "a", "b")
      const file = yield* fileIn(directory)
      deepStrictEqual(file.loaded, Option.none())
      yield* file.save(snapshot)
      const again = Option.getOrThrow(yield* loadedIn(directory))
      assert.strictEqual(again.fetchedAt, 1)
      assert.strictEqual(kindOf(again.list, "http://evil.example/x"), "listedHost")
      deepStrictEqual(readdirSync(directory), [`${FEED_A}.list`])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("reads at most 512 MiB", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, `${FEED_A}.list`), "")
      truncateSync(join(directory, `${FEED_A}.list`), 536_870_913)
      assert.strictEqual(yield* errorIn(directory), "TooLarge")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("is readable by the owner only and contains no address", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* (yield* fileIn(directory)).save(snapshot)
      const file = join(directory, `${FEED_A}.list`)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const content = readFileSync(file, "latin1")
      for (const word of ["SECRET", "feeds.example", "evil.example"]) assert.notInclude(content, word)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("refuses a snapshot of another address or format", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* (yield* fileIn(directory)).save(snapshot)
      for (const other of [
        { ...feed, url: new URL("https://feeds.example/other") },
        { ...feed, format: "phishtank-csv" as const }
      ]) {
        assert.strictEqual(yield* errorIn(directory, other), "OtherFeed")
      }
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("refuses a truncated or other file until a snapshot is saved", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = yield* fileIn(directory)
      yield* file.save(snapshot)
      const path = join(directory, `${FEED_A}.list`)
      truncateSync(path, Math.floor(statSync(path).size / 2))
      assert.strictEqual(yield* errorIn(directory), "Damaged")
      writeFileSync(path, "")
      assert.strictEqual(yield* errorIn(directory), "Damaged")

      yield* file.save(snapshot)
      assert.isTrue(Option.isSome(yield* loadedIn(directory)))
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("opens only a regular file: a pipe without a writer would never open", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, `${FEED_A}.list`)
      execFileSync("mkfifo", [path])
      const file = yield* fileIn(directory)
      assert.strictEqual(file.problem(), "NotAFile")
      yield* file.save(snapshot)
      assert.isTrue(Option.isSome(yield* loadedIn(directory)), "the file has replaced the pipe")

      symlinkSync("/dev/zero", join(directory, `${FEED_B}.list`))
      assert.strictEqual(yield* errorIn(directory, feed, "feed_b"), "NotAFile")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("waits ten seconds for a disk that does not respond, and then no longer", () =>
    Effect.gen(function* () {
      const { files, hang, made } = HangingDisk.make()
      hang(`/data/${FEED_A}.list`)
      const opening = Effect.provideService(fileIn("/data"), FileSystem.FileSystem, files)
      const start = yield* Clock.currentTimeMillis
      const loading = yield* forkNow(opening)
      yield* eventuallyLater(
        "the loading is over",
        "1 second",
        Effect.map(Fiber.poll(loading), Option.isSome)
      )
      const file = yield* Fiber.join(loading)
      assert.strictEqual(file.problem(), "Timeout")
      assert.strictEqual((yield* Clock.currentTimeMillis) - start, 10_000)
      const saving = yield* forkNow(Effect.provideService(file.save(snapshot), FileSystem.FileSystem, files))
      yield* eventuallyLater("the saving is over", "1 second", Effect.map(Fiber.poll(saving), Option.isSome))
      assert.strictEqual(file.problem(), "Timeout")
      assert.deepStrictEqual(made, [`stat /data/${FEED_A}.list`])
    }).pipe(
      Effect.provide(NodeContext.layer),
      // The operation that hangs would keep that of other tests.
      Effect.provideServiceEffect(Files.FileTurn, Effect.makeSemaphore(1))
    )
  )

  it.scoped("neither reads nor changes the file of another version", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = yield* fileIn(directory)
      const others = ["feed_a.list", "feed_a.2.list", `feed_a.${ThreatListBytes.VERSION + 1}.list`]
      for (const name of others) writeFileSync(join(directory, name), "of another version")
      deepStrictEqual(file.loaded, Option.none())
      yield* file.save(snapshot)
      assert.isTrue(Option.isSome(yield* loadedIn(directory)))
      for (const name of others)
        assert.strictEqual(readFileSync(join(directory, name), "utf8"), "of another version")
      deepStrictEqual(
        readdirSync(directory).sort(),
        [
          "feed_a.2.list",
          `${FEED_A}.list`,
          `feed_a.${ThreatListBytes.VERSION + 1}.list`,
          "feed_a.list"
        ].sort()
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("says the system's error code when the directory is not writable", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, "file"), "")
      const file = yield* fileIn(join(directory, "file"))
      assert.strictEqual(file.problem(), "ENOTDIR")
      yield* file.save(snapshot)
      assert.strictEqual(file.problem(), "ENOTDIR")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("removes temporary files of killed processes, and nothing else", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const twoHoursAgo = Date.now() / 1000 - 7200
      const write = (name: string, isOld: boolean) => {
        writeFileSync(join(directory, name), "x")
        if (isOld) utimesSync(join(directory, name), twoHoursAgo, twoHoursAgo)
      }
      write(`${FEED_A}.list.123`, true)
      write(`${FEED_A}.list.0b9f1f0a-5f0b-4f0e-9d5e-3c1f4f0f0a01`, true)
      write(`${FEED_A}.list.being-written`, false)
      write(`${FEED_A}.list`, true)
      write(`${FEED_B}.list.123`, true)
      write("feed_a.other", true)
      // Of another version.
      write("feed_a.list", true)
      write("feed_a.list.123", true)
      write(`feed_a.${ThreatListBytes.VERSION + 1}.list.123`, true)
      yield* (yield* fileIn(directory)).save(snapshot)
      deepStrictEqual(
        readdirSync(directory).sort(),
        [
          `${FEED_A}.list`,
          `${FEED_A}.list.being-written`,
          `feed_a.${ThreatListBytes.VERSION + 1}.list.123`,
          "feed_a.list",
          "feed_a.list.123",
          "feed_a.other",
          `${FEED_B}.list.123`
        ].sort()
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("leaves the previous snapshot and no temporary file when the disk is full", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* (yield* fileIn(directory)).save(snapshot)
      const files = yield* FileSystem.FileSystem
      const full = (method: string) =>
        Effect.fail(
          new SystemError({
            module: "FileSystem",
            method,
            reason: "Unknown",
            cause: Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
          })
        )
      const fullDisk: FileSystem.FileSystem = {
        ...files,
        open: (...args) =>
          Effect.map(files.open(...args), (open) =>
            Object.assign(Object.create(open), { writeAll: () => full("writeAll") })
          )
      }
      const file = yield* fileIn(directory)
      const other = { ...snapshot, list: listOf(["other.example"]), fetchedAt: 3 }
      yield* Effect.provideService(file.save(other), FileSystem.FileSystem, fullDisk)
      assert.strictEqual(file.problem(), "ENOSPC")
      deepStrictEqual(readdirSync(directory), [`${FEED_A}.list`])
      assert.strictEqual(Option.getOrThrow(yield* loadedIn(directory)).fetchedAt, 1)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
