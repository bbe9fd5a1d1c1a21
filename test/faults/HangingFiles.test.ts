import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until } from "../fixtures/Until.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** A read of it waits for the next message of the kernel, as a read from a stalled network folder waits for its server. */
const HANGING = "/proc/kmsg"

/** Only root may read it. */
const canHang = process.platform === "linux" && process.getuid?.() === 0

/** A link, as the system's own file can only be named through one. */
const hangingLink = Effect.map(ServiceProcess.temporaryFolder, (folder) => {
  const link = join(folder, "link")
  symlinkSync(HANGING, link)
  return link
})

const messagesOf = (log: string): ReadonlyArray<unknown> =>
  log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).message)

/** Clock ticks of processor time that the process has used. */
const ticks = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? []
  return Number(fields[11]) + Number(fields[12])
}

describe("a file that hangs", () => {
  for (const variable of ["ALLOW_LIST", "MODEL_FILE"])
    it.scopedLive.skipIf(!canHang)(`at the start is told in a line that names ${variable}`, () =>
      Effect.gen(function* () {
        const link = yield* hangingLink
        // The read holds the process.
        const ended = yield* ServiceProcess.runToEnd({ [variable]: link }, Duration.seconds(1))
        assert.strictEqual(ended.signal, "SIGKILL")
        assert.deepStrictEqual(messagesOf(ended.stderr), [
          `${variable}: "${link}" did not respond within 10 seconds`
        ])
      })
    )

  it.scopedLive.skipIf(!canHang)(
    "of the operator keeps the last entries, is told once, and delays nothing",
    () =>
      Effect.gen(function* () {
        const folder = yield* ServiceProcess.temporaryFolder
        const list = join(folder, "block.txt")
        const replace = (make: (path: string) => void) => {
          make(`${list}.new`)
          renameSync(`${list}.new`, list)
        }
        writeFileSync(list, "first.example")
        const service = yield* WatchedService.make({ BLOCK_LIST: list })
        const errorOfList = Effect.map(service.health, ({ overrides }) => overrides.block?.lastError)
        replace((path) => symlinkSync(HANGING, path))
        const error = yield* until(errorOfList, (error) => error != null)
        assert.strictEqual(error?.message, "did not respond within 10 seconds")
        assert.strictEqual((yield* service.check(WatchedService.submission("first.example"))).score, 100)

        // The lists of the data directory and the checks are not delayed.
        yield* Effect.sleep("11 seconds")
        assert.strictEqual((yield* service.check(WatchedService.submission("first.example"))).score, 100)
        const warnings = service.log().filter(({ level }) => level === "warning")
        assert.strictEqual(warnings.length, 1)

        yield* service.kill("SIGTERM")
        yield* until(
          Effect.sync(() => service.log().at(-1)?.message),
          (message) => message === "shut down"
        )
        yield* service.kill("SIGKILL")
      })
  )

  it.scopedLive.skipIf(!canHang)("of each feed is named, and leaves threads to other files", () =>
    Effect.gen(function* () {
      const link = yield* hangingLink
      const list = join(yield* ServiceProcess.temporaryFolder, "block.txt")
      writeFileSync(list, "first.example")
      const feeds = ["A", "B", "C", "D"].flatMap((slot) => [
        [`FEED_${slot}_URL`, `file://${link}`],
        [`FEED_${slot}_FORMAT`, "lines"],
        [`FEED_${slot}_REFRESH`, "1s"]
      ])
      const service = yield* WatchedService.make({ BLOCK_LIST: list, ...Object.fromEntries(feeds) })
      yield* until(service.health, ({ feeds }) =>
        Object.values(feeds).every(({ lastError }) => lastError?.message.startsWith("Timeout") === true)
      )
      writeFileSync(`${list}.new`, "second.example")
      renameSync(`${list}.new`, list)
      yield* until(
        service.check(WatchedService.submission("second.example")),
        ({ score }) => score === 100,
        Duration.seconds(40)
      )
      yield* service.kill("SIGKILL")
    })
  )
})

describe("a data directory that cannot be one", () => {
  for (const [directory, reason] of [
    ["/etc/passwd", "ENOTDIR"],
    ["/proc/x/y", "ENOENT"]
  ] as const)
    it.scopedLive(`${directory} is named in the log, and shown for each list in health`, () =>
      Effect.gen(function* () {
        const list = join(yield* ServiceProcess.temporaryFolder, "list.txt")
        writeFileSync(list, "listed.example")
        const feed = { URL: `file://${list}`, FORMAT: "lines" }
        const service = yield* WatchedService.make({
          DATA_DIR: directory,
          ...Object.fromEntries(
            ["FEED_A", "FEED_B"].flatMap((slot) =>
              Object.entries(feed).map(([name, value]) => [`${slot}_${name}`, value])
            )
          )
        })
        const { feeds } = yield* until(service.health, ({ feeds }) =>
          [feeds.feed_a, feeds.feed_b].every((feed) => feed?.saveError?.message === `not saved (${reason})`)
        )
        assert.isNotNull(feeds.feed_a?.nextAttemptAt)
        const warnings = service.log().filter(({ level }) => level === "warning")
        const messages = warnings.map(({ message }) => message)
        assert.strictEqual(
          messages[0],
          `DATA_DIR: "${directory}" cannot be written to (${reason}). Threat lists are in memory only, and each start downloads them`
        )
        assert.include(messages, WatchedService.IN_MEMORY_ONLY)
        const before = ticks(service.pid)
        yield* Effect.sleep("2 seconds")
        assert.isBelow(ticks(service.pid) - before, 60, "of 200")
        yield* service.kill("SIGTERM")
        assert.strictEqual((yield* service.ended).code, 0)
      })
    )
})
