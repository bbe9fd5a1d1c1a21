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
import { Clock, Effect, Either, Fiber, Option } from "effect"
import * as Files from "../../../../src/Layers/Files.ts"
import type { Feed } from "../../../../src/Lists/ThreatFeed/Feed.ts"
import * as SnapshotFile from "../../../../src/Lists/ThreatFeed/FeedSnapshot/SnapshotFile.ts"
import * as FeedSnapshot from "../../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import { eventuallyLater } from "../../../fixtures/FeedPublisher.ts"
import { forkNow } from "../../../fixtures/ForkNow.ts"
import * as HangingDisk from "../../../fixtures/HangingDisk.ts"
import { kindOf, listOf } from "../../../fixtures/ThreatLists.ts"

const feed = {
  url: new URL("https://feeds.example/list?auth-key=SECRET"),
  format: "lines"
} satisfies Pick<Feed, "url" | "format">

const snapshot: FeedSnapshot.FeedSnapshot = {
  list: listOf(["evil.example"]),
  fetchedAt: 1,
  answeredAt: 2,
  validators: { etag: '"x"', lastModified: undefined },
  counts: { skipped: 0, ignored: 0 },
  shrunkenSince: undefined
}

const fileIn = (directory: string, address: Pick<Feed, "url" | "format"> = feed, slot = "feed_a") =>
  SnapshotFile.make(directory, slot, FeedSnapshot.VERSION, FeedSnapshot.format(address))

const temporaryDirectory = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

describe("SnapshotFile", () => {
  it.scoped("loads what was saved, in a directory that it makes", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "a", "b")
      const file = yield* fileIn(directory)
      deepStrictEqual(yield* file.load, Option.none())
      yield* file.save(snapshot)
      yield* file.save({ ...snapshot, fetchedAt: 3 })

      const again = Option.getOrThrow(yield* (yield* fileIn(directory)).load)
      assert.strictEqual(again.fetchedAt, 3)
      assert.strictEqual(kindOf(again.list, "http://evil.example/x"), "listedHost")
      deepStrictEqual(readdirSync(directory), ["feed_a.4.snapshot"])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("is readable by the owner only and contains no address", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* (yield* fileIn(directory)).save(snapshot)
      const file = join(directory, "feed_a.4.snapshot")
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
        const file = yield* fileIn(directory, other)
        assert.strictEqual((yield* Effect.flip(file.load)).message, "OtherFeed")
      }
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("refuses a truncated or other file until a snapshot is saved", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = yield* fileIn(directory)
      yield* file.save(snapshot)
      const path = join(directory, "feed_a.4.snapshot")
      truncateSync(path, Math.floor(statSync(path).size / 2))
      assert.strictEqual((yield* Effect.flip(file.load)).message, "Damaged")
      writeFileSync(path, "")
      assert.strictEqual((yield* Effect.flip(file.load)).message, "Damaged")

      yield* file.save(snapshot)
      assert.isTrue(Option.isSome(yield* file.load))
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("opens only a regular file: a pipe without a writer would never open", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "feed_a.4.snapshot")
      execFileSync("mkfifo", [path])
      const file = yield* fileIn(directory)
      assert.strictEqual((yield* Effect.flip(file.load)).message, "NotAFile")
      yield* file.save(snapshot)
      assert.isTrue(Option.isSome(yield* file.load), "the file has replaced the pipe")

      symlinkSync("/dev/zero", join(directory, "feed_b.4.snapshot"))
      const device = yield* fileIn(directory, feed, "feed_b")
      assert.strictEqual((yield* Effect.flip(device.load)).message, "NotAFile")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("waits ten seconds for a disk that does not respond, and then no longer", () =>
    Effect.gen(function* () {
      const { files, hang, made } = HangingDisk.make()
      hang("/data")
      const bounded = Files.bounded(files, new Files.CallsUnderWay())
      const file = yield* Effect.provideService(fileIn("/data"), FileSystem.FileSystem, bounded)
      const start = yield* Clock.currentTimeMillis
      const loading = yield* forkNow(Effect.flip(file.load))
      yield* eventuallyLater("1 second", Effect.map(Fiber.poll(loading), Option.isSome))
      assert.strictEqual((yield* Fiber.join(loading)).message, "Timeout")
      assert.strictEqual((yield* Clock.currentTimeMillis) - start, 10_000)
      assert.strictEqual((yield* Effect.flip(file.load)).message, "Hangs")
      assert.strictEqual((yield* Effect.flip(file.save(snapshot))).message, "Hangs")
      assert.deepStrictEqual(made, ["stat /data"])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("neither reads nor changes the file of another version", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = yield* fileIn(directory)
      const others = ["feed_a.snapshot", "feed_a.2.snapshot", "feed_a.5.snapshot"]
      for (const name of others) writeFileSync(join(directory, name), "of another version")
      deepStrictEqual(yield* file.load, Option.none())
      yield* file.save(snapshot)
      assert.isTrue(Option.isSome(yield* file.load))
      for (const name of others)
        assert.strictEqual(readFileSync(join(directory, name), "utf8"), "of another version")
      deepStrictEqual(readdirSync(directory).sort(), [
        "feed_a.2.snapshot",
        "feed_a.4.snapshot",
        "feed_a.5.snapshot",
        "feed_a.snapshot"
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("fails with the system's error code when the directory is not writable", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, "file"), "")
      const file = yield* Effect.provide(fileIn(join(directory, "file")), Files.layer)
      assert.strictEqual((yield* Effect.flip(file.load)).message, "ENOTDIR")
      const saved = yield* Effect.either(file.save(snapshot))
      deepStrictEqual(saved, Either.left(new SnapshotFile.NotSaved({ detail: "ENOTDIR" })))
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("may be saved by processes that share the directory at the same time", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const files = yield* FileSystem.FileSystem
      const opened = new Set<string>()
      const watched: FileSystem.FileSystem = {
        ...files,
        open: (path, options) => {
          opened.add(path)
          return files.open(path, options)
        }
      }
      const file = yield* Effect.provideService(fileIn(directory), FileSystem.FileSystem, watched)
      const saves = Array.from({ length: 5 }, (_, i) => file.save({ ...snapshot, fetchedAt: i }))
      yield* Effect.all(saves, { concurrency: "unbounded" })
      assert.strictEqual(opened.size, 5)
      assert.isTrue(Option.isSome(yield* file.load))
      deepStrictEqual(readdirSync(directory), ["feed_a.4.snapshot"])
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
      write("feed_a.4.snapshot.123", true)
      write("feed_a.4.snapshot.0b9f1f0a-5f0b-4f0e-9d5e-3c1f4f0f0a01", true)
      write("feed_a.4.snapshot.being-written", false)
      write("feed_a.4.snapshot", true)
      write("feed_b.4.snapshot.123", true)
      write("feed_a.other", true)
      // Of another version.
      write("feed_a.snapshot", true)
      write("feed_a.snapshot.123", true)
      write("feed_a.5.snapshot.123", true)
      yield* (yield* fileIn(directory)).save(snapshot)
      deepStrictEqual(readdirSync(directory).sort(), [
        "feed_a.4.snapshot",
        "feed_a.4.snapshot.being-written",
        "feed_a.5.snapshot.123",
        "feed_a.other",
        "feed_a.snapshot",
        "feed_a.snapshot.123",
        "feed_b.4.snapshot.123"
      ])
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
      const file = yield* Effect.provideService(fileIn(directory), FileSystem.FileSystem, fullDisk)
      const saved = yield* Effect.either(file.save({ ...snapshot, fetchedAt: 3 }))
      deepStrictEqual(saved, Either.left(new SnapshotFile.NotSaved({ detail: "ENOSPC" })))
      deepStrictEqual(readdirSync(directory), ["feed_a.4.snapshot"])
      assert.strictEqual(Option.getOrThrow(yield* file.load).fetchedAt, 1)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
