import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Layer, Option, type Scope, TestClock } from "effect"
import type { SharedStoreShape } from "../../src/Lists/SharedStore.ts"
import { type Feed, sourceOf } from "../../src/Lists/ThreatFeed/Feed.ts"
import * as ThreatFeed from "../../src/Lists/ThreatFeed.ts"
import { document, hosts, pass, make as publisher, status } from "../fixtures/FeedPublisher.ts"
import type * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"
import * as ListWorkerInProcess from "../fixtures/ListWorkerInProcess.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { adjust, eventually, eventuallyLater } from "../fixtures/NextTurn.ts"
import * as SharedStoreDouble from "../fixtures/SharedStoreDouble.ts"
import { kindOf } from "../fixtures/ThreatLists.ts"

const address = "https://feeds.example/list?auth-key=SECRET"
const start = Date.UTC(2026, 10, 21, 9)

const feed = (changes: Partial<Feed> = {}): Feed => {
  const url = changes.url ?? new URL(address)
  const format = changes.format ?? "lines"
  return {
    slot: "feed_c",
    url,
    format,
    column: Option.none(),
    authHeader: Option.none(),
    source: sourceOf(format, url),
    refresh: Duration.hours(1),
    retention: Duration.zero,
    ...changes
  }
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => `http://h${i}.example/`)

/** Starts at nine o'clock. */
const atNine = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.zipRight(TestClock.setTime(start), effect)

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => atNine(test()))

const entries = (feed: ThreatFeed.ThreatFeed) => Effect.map(feed.status, ({ entries }) => entries)

const untilEntries = (feed: ThreatFeed.ThreatFeed, count: number) =>
  eventually(
    `the feed has ${count} entries`,
    Effect.map(entries(feed), (entries) => entries === count)
  ).pipe(Effect.zipRight(adjust(0)))

const lastError = (feed: ThreatFeed.ThreatFeed) =>
  Effect.map(feed.status, ({ lastError }) =>
    Option.getOrUndefined(Option.map(lastError, ({ message }) => message))
  )

const untilError = (feed: ThreatFeed.ThreatFeed, message: string) =>
  eventually(
    `the error is ${message}`,
    Effect.map(lastError(feed), (found) => found === message)
  ).pipe(Effect.zipRight(adjust(0)))

const current = (feed: ThreatFeed.ThreatFeed) => Effect.map(Clock.currentTimeMillis, feed.current)

const kind = (feed: ThreatFeed.ThreatFeed, url: string) =>
  Effect.map(current(feed), (current) =>
    Option.getOrUndefined(Option.map(current, ({ list }) => kindOf(list, url)))
  )

const isStale = (feed: ThreatFeed.ThreatFeed) =>
  Effect.map(current(feed), (current) => Option.getOrUndefined(Option.map(current, ({ isStale }) => isStale)))

/** A feed at nine o'clock. */
const started = (
  answers: ReturnType<typeof publisher>,
  changes: Partial<Feed> = {},
  disk = MemoryDisk.make(),
  store?: SharedStoreShape
) =>
  Effect.provide(ThreatFeed.make(feed(changes), "data", Option.fromNullable(store)), [
    Layer.provide(ListWorkerInProcess.layer, answers.layer),
    disk.layer
  ])

/** A process that starts and ends. */
const whileStarted = <A, E, R>(
  answers: ReturnType<typeof publisher>,
  disk: MemoryDisk.MemoryDisk,
  use: (feed: ThreatFeed.ThreatFeed) => Effect.Effect<A, E, R>,
  changes: Partial<Feed> = {}
) => Effect.scoped(Effect.flatMap(started(answers, changes, disk), use))

/** What is special for a feed: `RefreshedList.test.ts` has what every list does. */
describe("ThreatFeed", () => {
  inTime("waits for nothing, and uses the list when it has arrived", () =>
    Effect.gen(function* () {
      const answers = publisher(() => "silence")
      const waiting = yield* started(answers)
      deepStrictEqual(yield* current(waiting), Option.none())
      deepStrictEqual(yield* waiting.status, {
        sourceName: "feeds.example",
        entries: 0,
        skipped: 0,
        ignored: 0,
        firstSkipped: [],
        fetchedAt: undefined,
        isStale: false,
        lastError: Option.none(),
        saveError: Option.none(),
        nextAttemptAt: Option.none()
      })

      const lines = ["http://evil.example/a", "http://evil.example/a", "https://github.com/", "no url"]
      const disk = MemoryDisk.make()
      disk.error = Effect.dieMessage("a bug")
      const other = yield* started(publisher(document(lines)), {}, disk)
      yield* untilEntries(other, 1)
      assert.strictEqual(yield* kind(other, "https://EVIL.example/a"), "listedUrl")
      yield* eventually(
        "the next attempt has a time",
        Effect.map(other.status, ({ nextAttemptAt }) => Option.isSome(nextAttemptAt))
      )
      const { nextAttemptAt, ...shown } = yield* other.status
      assert.isAtLeast(Option.getOrThrow(nextAttemptAt), start + Duration.toMillis("1 hour"))
      deepStrictEqual(shown, {
        sourceName: "feeds.example",
        entries: 1,
        skipped: 1,
        ignored: 1,
        firstSkipped: [{ line: 4, reason: "Not a URL or host" }],
        fetchedAt: start,
        isStale: false,
        lastError: Option.none(),
        saveError: Option.some({ message: "not saved (Defect)", at: start })
      })
    })
  )

  it.scoped.each<[name: string, answer: () => HttpClientDouble.DoubleAnswer, message: string]>([
    ["a refusal", status(403), "Status (403)"],
    ["an outage", () => ({ code: "ECONNREFUSED" }), "Unreachable (ECONNREFUSED)"],
    ["a page of HTML", () => new Response("<!doctype html>"), "NotAFeed (HTML)"],
    ["a cut gzip", () => new Response(gzipSync(rows(500).join("\n")).subarray(0, 500)), "Corrupt (gzip)"],
    ["a shrunken list", hosts(4), "Shrunken (4 entries after 10)"]
  ])("keeps the last good list through %s, and shows it in status and log", ([, answer, message]) =>
    Effect.gen(function* () {
      const answers = publisher(hosts(10))
      const running = yield* started(answers)
      yield* untilEntries(running, 10)
      answers.publish(answer)
      // No further: the request may take five minutes of this clock, which does not wait for the thread that decompresses.
      yield* eventuallyLater(
        "the feed is requested again",
        "2 minutes",
        Effect.sync(() => answers.sent.length > 1)
      )
      yield* untilError(running, message)
      assert.strictEqual(yield* kind(running, "http://h7.example/"), "listedUrl")
      assert.strictEqual(yield* entries(running), 10)

      answers.publish(hosts(11))
      yield* eventuallyLater(
        "the feed has 11 entries",
        "20 seconds",
        Effect.map(entries(running), (entries) => entries === 11)
      )
      assert.isUndefined(yield* lastError(running))
      return message
    }).pipe(
      LogLines.logged,
      Effect.map(([message, lines]) => {
        const warnings = lines.filter(({ level }) => level === "warning").map(({ reason }) => reason)
        return assert.include(warnings, message)
      }),
      atNine
    )
  )

  inTime("accepts a list that has stayed small for a day, restarts included", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = publisher(hosts(10, { etag: '"10"' }))
      yield* whileStarted(answers, disk, (running) =>
        Effect.gen(function* () {
          yield* untilEntries(running, 10)
          answers.publish(hosts(4, { etag: '"4"' }))
          for (let hour = 0; hour < 12; hour++) yield* pass("1 hour", [answers])
          assert.strictEqual(yield* lastError(running), "Shrunken (4 entries after 10)")
          assert.strictEqual(yield* entries(running), 10)
          assert.strictEqual(answers.sent.at(-1)?.headers["if-none-match"], '"10"')
        })
      )
      yield* whileStarted(answers, disk, (running) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* entries(running), 10)
          for (let hour = 0; hour < 8; hour++) yield* pass("1 hour", [answers])
          assert.strictEqual(yield* entries(running), 10)
          for (let hour = 0; hour < 8; hour++) yield* pass("1 hour", [answers])
          assert.strictEqual(yield* entries(running), 4)
          assert.isUndefined(yield* lastError(running))
        })
      )
    })
  )

  inTime("is stale when its list is older than three refresh intervals", () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(2))
      const running = yield* started(answers)
      yield* untilEntries(running, 2)
      answers.publish(status(503))
      yield* pass("3 hours", [answers])
      assert.strictEqual(yield* isStale(running), false)
      yield* pass("1 millis", [answers])
      assert.strictEqual(yield* isStale(running), true)
      assert.strictEqual((yield* running.status).isStale, true)
      assert.strictEqual(yield* kind(running, "http://h1.example/"), "listedUrl")
    })
  )

  inTime(
    "keeps entries for the retention after the day on which they were last seen, restarts included",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const retention = { retention: Duration.hours(10) }
        const answers = publisher(document(["http://gone.example/", "http://stays.example/"]))
        yield* whileStarted(
          answers,
          disk,
          (running) =>
            Effect.gen(function* () {
              yield* untilEntries(running, 2)
              answers.publish(document(["http://stays.example/", "http://new.example/"], { etag: '"2"' }))
              yield* pass("66 minutes", [answers])
              yield* untilEntries(running, 3)
            }),
          retention
        )
        answers.publish(status(304))
        yield* whileStarted(
          answers,
          disk,
          (running) =>
            Effect.gen(function* () {
              // It is eight o'clock on the next day, then eleven: ten hours ago that day had begun.
              for (let refresh = 0; refresh < 20; refresh++) yield* pass("66 minutes", [answers])
              assert.strictEqual(yield* kind(running, "http://gone.example/"), "listedUrl")
              for (let refresh = 0; refresh < 3; refresh++) yield* pass("66 minutes", [answers])
              yield* untilEntries(running, 2)
              assert.isUndefined(yield* kind(running, "http://gone.example/"))
              assert.strictEqual(yield* kind(running, "http://new.example/"), "listedUrl")
            }),
          retention
        )
      })
  )

  inTime("is stored for a fleet anew only when some retained entries have expired", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(3))
      // A quarter to twelve: what was last seen on this day expires half an hour after its end.
      yield* adjust("885 minutes")
      const running = yield* started(
        answers,
        { refresh: Duration.minutes(10), retention: Duration.minutes(30) },
        MemoryDisk.make(),
        database.store
      )
      yield* untilEntries(running, 3)
      const passRefreshes = (minutes: number) => pass(Duration.minutes(minutes), [answers], "30 seconds")
      answers.publish(hosts(2, { etag: '"2"' }))
      yield* passRefreshes(13)
      deepStrictEqual([yield* entries(running), database.stored()], [3, 2])
      answers.publish(status(304))
      yield* passRefreshes(14)
      deepStrictEqual([yield* entries(running), database.stored()], [3, 2])
      yield* passRefreshes(28)
      deepStrictEqual([yield* entries(running), database.stored()], [2, 3])
    })
  )

  inTime("of a file is read at each start, however recent the saved list is, and by each replica", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "url-threat-scoring-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const file = join(folder, "our list.txt")
      const answers = publisher(status(503))
      const ours = { url: pathToFileURL(file) }
      const database = SharedStoreDouble.make()
      const [disk, otherDisk] = [MemoryDisk.make(), MemoryDisk.make()]
      writeFileSync(file, "a.example\n")
      const first = yield* started(answers, ours, disk, database.store)
      yield* untilEntries(first, 1)
      writeFileSync(file, "a.example\nb.example\n")
      for (const each of [disk, otherDisk])
        yield* untilEntries(yield* started(answers, ours, each, database.store), 2)
      assert.strictEqual(yield* entries(first), 1)
      yield* adjust("66 minutes")
      yield* untilEntries(first, 2)
      rmSync(file)
      const last = yield* started(answers, ours, disk, database.store)
      yield* untilError(last, "Unreachable (ENOENT)")
      assert.strictEqual(yield* entries(last), 2)
      deepStrictEqual([database.commands, answers.sent], [[], []])
    })
  )
})
