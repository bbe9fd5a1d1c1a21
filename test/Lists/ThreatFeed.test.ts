import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { FileSystem, Path } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Exit, Layer, Option, Scope, TestClock } from "effect"
import { type Feed, sourceOf } from "../../src/Lists/ThreatFeed/Feed.ts"
import * as ThreatFeed from "../../src/Lists/ThreatFeed.ts"
import { document, hosts, openDocument, pass, make as publisher, status } from "../fixtures/FeedPublisher.ts"
import type * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"
import * as ListWorkerInProcess from "../fixtures/ListWorkerInProcess.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { eventually, eventuallyLater } from "../fixtures/NextTurn.ts"
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
    authHeader: Option.none(),
    source: sourceOf(format, url),
    refresh: Duration.hours(1),
    retention: Duration.zero,
    ...changes
  }
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => `http://h${i}.example/`)

const broken = (bytes: Buffer) => bytes.fill(0x55, 30, 40)

/** Starts at nine o'clock. */
const atNine = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.zipRight(TestClock.setTime(start), effect)

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => atNine(test()))

const entries = (feed: ThreatFeed.ThreatFeed) =>
  Effect.map(feed.status, ({ current }) =>
    Option.match(current, { onNone: () => 0, onSome: ({ entries }) => entries })
  )

const untilEntries = (feed: ThreatFeed.ThreatFeed, count: number) =>
  eventually(
    `the feed has ${count} entries`,
    Effect.map(entries(feed), (entries) => entries === count)
  ).pipe(Effect.zipRight(TestClock.adjust(0)))

const refreshError = (feed: ThreatFeed.ThreatFeed) =>
  Effect.map(feed.status, ({ refreshError }) =>
    Option.getOrUndefined(Option.map(refreshError, ({ message }) => message))
  )

const untilError = (feed: ThreatFeed.ThreatFeed, message: string) =>
  eventually(
    `the error is ${message}`,
    Effect.map(refreshError(feed), (found) => found === message)
  ).pipe(Effect.zipRight(TestClock.adjust(0)))

const current = (feed: ThreatFeed.ThreatFeed) => Effect.map(Clock.currentTimeMillis, feed.current)

const kind = (feed: ThreatFeed.ThreatFeed, url: string) =>
  Effect.map(current(feed), (current) =>
    Option.getOrUndefined(Option.map(current, ({ list }) => kindOf(list, url)))
  )

const isStale = (feed: ThreatFeed.ThreatFeed) =>
  Effect.map(current(feed), (current) => Option.getOrUndefined(Option.map(current, ({ isStale }) => isStale)))

const noDisk = FileSystem.layerNoop({
  makeDirectory: () =>
    Effect.fail(
      new SystemError({
        module: "FileSystem",
        method: "makeDirectory",
        reason: "Unknown",
        cause: Object.assign(new Error("read-only file system"), { code: "EROFS" })
      })
    ),
  remove: () => Effect.void
}).pipe(Layer.merge(Path.layer))

/** A feed at nine o'clock. Without a disk it cannot save anything. */
const started = (
  answers: ReturnType<typeof publisher>,
  changes: Partial<Feed> = {},
  disk: MemoryDisk.MemoryDisk["layer"] = noDisk
) =>
  Effect.provide(ThreatFeed.make(feed(changes), "data", Option.none()), [
    Layer.provide(ListWorkerInProcess.layer, answers.layer),
    disk
  ])

/** A process that starts and ends. */
const whileStarted = <A, E, R>(
  answers: ReturnType<typeof publisher>,
  disk: MemoryDisk.MemoryDisk,
  use: (feed: ThreatFeed.ThreatFeed) => Effect.Effect<A, E, R>,
  changes: Partial<Feed> = {}
) => Effect.scoped(Effect.flatMap(started(answers, changes, disk.layer), use))

describe("ThreatFeed", () => {
  inTime("waits for nothing, and uses the list when it has arrived", () =>
    Effect.gen(function* () {
      const answers = publisher(() => "silence")
      const waiting = yield* started(answers)
      deepStrictEqual(yield* current(waiting), Option.none())
      deepStrictEqual(yield* waiting.status, {
        sourceName: "feeds.example",
        current: Option.none(),
        refreshError: Option.none(),
        saveError: Option.none(),
        nextAttemptAt: Option.none()
      })

      const other = yield* started(
        publisher(
          document(["http://evil.example/a", "http://evil.example/a", "https://github.com/", "no url"])
        )
      )
      yield* untilEntries(other, 1)
      assert.strictEqual(yield* kind(other, "https://EVIL.example/a"), "listedUrl")
      deepStrictEqual(
        (yield* other.status).current,
        Option.some({
          entries: 1,
          skipped: 1,
          ignored: 1,
          fetchedAt: start,
          isStale: false
        })
      )
    })
  )

  inTime(
    "says when the next attempt is due: a minute after a failure, the refresh interval after a list",
    () =>
      Effect.gen(function* () {
        const answers = publisher(status(403))
        const running = yield* started(answers)
        const waitFrom = (time: number) =>
          Effect.map(running.status, ({ nextAttemptAt }) =>
            Option.getOrUndefined(Option.map(nextAttemptAt, (at) => at - time))
          )
        yield* untilError(running, "Status (403)")
        yield* eventually(
          "the next attempt has a time",
          Effect.map(waitFrom(start), (wait) => wait !== undefined)
        )
        const untilRetry = yield* waitFrom(start)
        assert.isAtLeast(Number(untilRetry), 60_000)
        assert.isAtMost(Number(untilRetry), 66_000)

        answers.publish(hosts(2))
        yield* pass("67 seconds", [answers])
        yield* untilEntries(running, 2)
        yield* eventually(
          "the next attempt has a time",
          Effect.map(waitFrom(start), (wait) => wait !== undefined)
        )
        assert.isAtLeast(Number(yield* waitFrom(start)), Duration.toMillis("1 hour"))
      })
  )

  inTime("sends a conditional request after each refresh interval", () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(2, { etag: '"1"' }))
      const running = yield* started(answers)
      yield* untilEntries(running, 2)
      answers.publish(hosts(3, { etag: '"2"' }))
      yield* pass("59 minutes", [answers])
      assert.strictEqual(answers.sent.length, 1)
      yield* pass("7 minutes", [answers])
      yield* untilEntries(running, 3)
      yield* pass("67 minutes", [answers])
      yield* eventually(
        "three requests are sent",
        Effect.sync(() => answers.sent.length === 3)
      )
      deepStrictEqual(
        answers.sent.map(({ headers }) => headers["if-none-match"]),
        [undefined, '"1"', '"2"']
      )
    })
  )

  inTime('counts "not modified" as a fetch of the same list', () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(2, { etag: '"1"' }))
      const running = yield* started(answers)
      yield* untilEntries(running, 2)
      answers.publish(status(304))
      for (let hour = 0; hour < 5; hour++) yield* pass("67 minutes", [answers])
      assert.isAtLeast(answers.sent.length, 5)
      assert.strictEqual(yield* isStale(running), false)
      assert.strictEqual(yield* entries(running), 2)
      const { current } = yield* running.status
      assert.isAbove(Option.getOrThrow(current).fetchedAt, start + Duration.toMillis("4 hours"))
    })
  )

  it.scoped.each<[name: string, answer: () => HttpClientDouble.DoubleAnswer, message: string]>([
    ["401", status(401), "Status (401)"],
    ["403", status(403), "Status (403)"],
    ["404", status(404), "Status (404)"],
    ["429", status(429), "Status (429)"],
    ["500", status(500), "Status (500)"],
    ["509", status(509), "Status (509)"],
    ["no connection", () => ({ code: "ECONNREFUSED" }), "Unreachable (ECONNREFUSED)"],
    ["no such name", () => ({ code: "ENOTFOUND" }), "Unreachable (ENOTFOUND)"],
    ["an expired certificate", () => ({ code: "CERT_HAS_EXPIRED" }), "Unreachable (CERT_HAS_EXPIRED)"],
    ["redirects in a circle", status(302, { location: address }), "TooManyRedirects"],
    ["a redirect to plain HTTP", status(302, { location: "http://feeds.example/" }), "ForbiddenRedirect"],
    ["a page of HTML", () => new Response("<!doctype html>"), "NotAFeed (HTML)"],
    ["an archive", () => new Response("PK\x03\x04 and so on"), "NotAFeed (zip)"],
    ["bzip2", () => new Response("BZh91AY&SY and so on"), "NotAFeed (bzip2)"],
    ["a broken gzip", () => new Response(broken(gzipSync(rows(500).join("\n")))), "Corrupt (gzip)"],
    ["a cut gzip", () => new Response(gzipSync(rows(500).join("\n")).subarray(0, 500)), "Corrupt (gzip)"],
    ["an empty body", () => new Response(""), "Empty"],
    ["a body of one byte", () => new Response("\n"), "Empty"],
    ["nothing but comments", document(["# nothing"]), "Empty"],
    ["one word", () => new Response("OK"), "NotAFeed (0 of 1 lines can be read)"],
    [
      "another format",
      document(["phish_id,url", "1,http://a.example/"]),
      "NotAFeed (0 of 2 lines can be read)"
    ],
    [
      "a few entries in a text",
      document(["See:", "http://a.example/", ...Array.from({ length: 20 }, () => "no entry")]),
      "NotAFeed (1 of 22 lines can be read)"
    ],
    ["a shrunken list", hosts(4), "Shrunken (4 entries after 10)"]
  ])("keeps the last good list through %s, and shows it in status and log", ([, answer, message]) =>
    Effect.gen(function* () {
      const answers = publisher(hosts(10))
      const running = yield* started(answers)
      yield* untilEntries(running, 10)
      answers.publish(answer)
      yield* pass("66 minutes", [answers])
      yield* untilError(running, message)
      assert.strictEqual(yield* kind(running, "http://h7.example/"), "listedUrl")
      assert.strictEqual(yield* entries(running), 10)

      answers.publish(hosts(11))
      yield* eventuallyLater(
        "the feed has 11 entries",
        "20 seconds",
        Effect.map(entries(running), (entries) => entries === 11)
      )
      assert.isUndefined(yield* refreshError(running))
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

  inTime(
    "reads a table with a new column, rejects one without one of ours, and goes on with the old one",
    () =>
      Effect.gen(function* () {
        const header =
          "phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target"
        const row = "1,http://a.example/,x,x,yes,x,yes,Other"
        const answers = publisher(document([header, row]))
        const running = yield* started(answers, { format: "phishtank-csv" })
        yield* untilEntries(running, 1)
        answers.publish(document([`${header},new`, `${row},x`, `${row.replace("a.", "b.")},x`]))
        yield* pass("66 minutes", [answers])
        yield* untilEntries(running, 2)
        answers.publish(document([header.replace("url", "link"), row]))
        yield* pass("66 minutes", [answers])
        yield* untilError(running, 'Columns (no column "url")')
        assert.strictEqual(yield* kind(running, "http://b.example/"), "listedUrl")
      })
  )

  inTime("times out when the server does not answer, and tries again", () =>
    Effect.gen(function* () {
      const answers = publisher(() => "silence")
      const running = yield* started(answers)
      yield* eventually(
        "a request is sent",
        Effect.sync(() => answers.sent.length === 1)
      )
      yield* pass("5 minutes", [answers])
      yield* untilError(running, "Timeout (5 minutes in all)")
      answers.publish(hosts(1))
      yield* pass("1 hour", [answers])
      yield* untilEntries(running, 1)
    })
  )

  inTime("times out after five minutes while the body still arrives", () =>
    Effect.gen(function* () {
      const slow = openDocument()
      const answers = publisher(slow.answer)
      const running = yield* started(answers)
      yield* eventually(
        "a request is sent",
        Effect.sync(() => answers.sent.length === 1)
      )
      for (let drops = 0; drops < 15; drops++) {
        assert.isUndefined(yield* refreshError(running))
        slow.write("http://a.example/\n")
        yield* TestClock.adjust("20 seconds")
      }
      yield* untilError(running, "Timeout (5 minutes in all)")
    })
  )

  inTime("backs off after failures, and no longer after a success", () =>
    Effect.gen(function* () {
      const answers = publisher(status(500))
      const running = yield* started(answers)
      const minutes: Array<number> = []
      let seen = 0
      for (let minute = 0; minute < 50; minute++) {
        if (answers.sent.length > seen) minutes.push(minute)
        seen = answers.sent.length
        yield* pass("1 minute", [answers])
      }
      const gaps = minutes.slice(1).map((at, i) => at - (minutes[i] ?? 0))
      for (const [i, least] of [1, 2, 4, 8, 16].entries()) {
        assert.isAtLeast(gaps[i] ?? 0, least)
        assert.isAtMost(gaps[i] ?? 0, Math.ceil(least * 1.1) + 1)
      }
      answers.publish(hosts(1))
      yield* pass("1 hour", [answers])
      yield* untilEntries(running, 1)
    })
  )

  it.scoped.each([401, 403, 429, 509])("waits as long as Retry-After says with %i", (code) =>
    Effect.gen(function* () {
      const answers = publisher(status(code, { "retry-after": "7200" }))
      const running = yield* started(answers)
      yield* untilError(running, `Status (${code})`)
      answers.publish(hosts(1))
      yield* pass("119 minutes", [answers])
      assert.strictEqual(answers.sent.length, 1)
      yield* pass("14 minutes", [answers])
      yield* untilEntries(running, 1)
    }).pipe(atNine)
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
          assert.strictEqual(yield* refreshError(running), "Shrunken (4 entries after 10)")
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
          assert.isUndefined(yield* refreshError(running))
        })
      )
    })
  )

  inTime("accepts the old document again when the server says that nothing has changed", () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(10, { etag: '"10"' }))
      const running = yield* started(answers)
      yield* untilEntries(running, 10)
      answers.publish(hosts(4))
      for (let hour = 0; hour < 15; hour++) yield* pass("66 minutes", [answers])
      answers.publish(status(304))
      for (let hour = 0; hour < 2; hour++) yield* pass("66 minutes", [answers])
      assert.isUndefined(yield* refreshError(running))
      answers.publish(hosts(4))
      for (let hour = 0; hour < 15; hour++) yield* pass("66 minutes", [answers])
      assert.strictEqual(yield* refreshError(running), "Shrunken (4 entries after 10)")
      for (let hour = 0; hour < 10; hour++) yield* pass("66 minutes", [answers])
      yield* untilEntries(running, 4)
    })
  )

  inTime("is ready at once after a restart, and sends no request early", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = publisher(hosts(2, { etag: '"1"' }))
      yield* whileStarted(answers, disk, (running) => untilEntries(running, 2))
      yield* pass("20 minutes", [answers])
      yield* whileStarted(answers, disk, (running) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* kind(running, "http://h1.example/x"), "listedHost")
          yield* pass("39 minutes", [answers])
          assert.strictEqual(answers.sent.length, 1)
          yield* pass("7 minutes", [answers])
          yield* eventually(
            "two requests are sent",
            Effect.sync(() => answers.sent.length === 2)
          )
          assert.strictEqual(answers.sent[1]?.headers["if-none-match"], '"1"')
        })
      )
    })
  )

  inTime("refreshes at once after a restart when it is due, and says that its list is stale", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = publisher(hosts(2))
      yield* whileStarted(answers, disk, (running) => untilEntries(running, 2))
      yield* pass("1 day", [answers])
      answers.publish(() => "silence")
      yield* whileStarted(answers, disk, (running) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* isStale(running), true)
          assert.strictEqual(yield* kind(running, "http://h1.example/x"), "listedHost")
          yield* eventually(
            "two requests are sent",
            Effect.sync(() => answers.sent.length === 2)
          )
        })
      )
    })
  )

  inTime("does not use the saved list of another address or format", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* whileStarted(publisher(hosts(2)), disk, (running) => untilEntries(running, 2))
      for (const changes of [
        { url: new URL("https://feeds.example/other") },
        { format: "urlhaus-csv" as const }
      ])
        yield* whileStarted(
          publisher(() => "silence"),
          disk,
          (running) => Effect.map(current(running), (current) => deepStrictEqual(current, Option.none())),
          changes
        )
    })
  )

  inTime("says that its saved list is damaged, and goes on without", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* whileStarted(publisher(hosts(2)), disk, (running) => untilEntries(running, 2))
      const path = "data/feed_c.6.snapshot"
      const whole = disk.files.get(path) ?? Buffer.alloc(0)
      disk.files.set(path, whole.subarray(0, whole.length / 2))
      const answers = publisher(status(503))
      yield* whileStarted(answers, disk, (running) =>
        Effect.gen(function* () {
          deepStrictEqual(
            (yield* running.status).saveError,
            Option.some({ message: "saved list not usable (Damaged)", at: start })
          )
          deepStrictEqual(yield* current(running), Option.none())
          answers.publish(hosts(2))
          yield* pass("2 minutes", [answers])
          yield* untilEntries(running, 2)
          deepStrictEqual((yield* running.status).saveError, Option.none())
        })
      ).pipe(
        LogLines.logged,
        Effect.map(([, [first]]) =>
          assert.deepInclude(first, {
            level: "warning",
            message: "A saved threat list cannot be used and is fetched anew",
            path: "data/feed_c.6.snapshot",
            reason: "Damaged"
          })
        )
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
      assert.strictEqual(Option.getOrThrow((yield* running.status).current).isStale, true)
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

  inTime("replaces the list when there is no retention", () =>
    Effect.gen(function* () {
      const answers = publisher(document(["http://gone.example/"]))
      const running = yield* started(answers)
      yield* untilEntries(running, 1)
      answers.publish(document(["http://new.example/"]))
      yield* pass("66 minutes", [answers])
      yield* eventually(
        "the new URL is listed",
        Effect.map(kind(running, "http://new.example/"), (kind) => kind === "listedUrl")
      )
      assert.isUndefined(yield* kind(running, "http://gone.example/"))
    })
  )

  inTime("goes on after a defect in refreshing", () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(2))
      const running = yield* started(answers)
      yield* untilEntries(running, 2)
      answers.publish(() => {
        throw new Error("a bug")
      })
      yield* pass("66 minutes", [answers])
      yield* untilError(running, "Defect")
      answers.publish(hosts(3))
      yield* pass("1 hour", [answers])
      yield* untilEntries(running, 3)
    })
  )

  inTime("goes on refreshing after a defect in saving", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      disk.error = Effect.dieMessage("a bug")
      const answers = publisher(hosts(2))
      const running = yield* started(answers, {}, disk.layer)
      yield* untilEntries(running, 2)
      assert.strictEqual(Option.getOrThrow((yield* running.status).saveError).message, "not saved (Defect)")
      disk.error = undefined
      answers.publish(hosts(3))
      yield* pass("66 minutes", [answers])
      yield* untilEntries(running, 3)
      deepStrictEqual((yield* running.status).saveError, Option.none())
    })
  )

  inTime("ends with its scope, in the middle of a download", () =>
    Effect.gen(function* () {
      const answers = publisher(() => "silence")
      const scope = yield* Scope.make()
      yield* Scope.extend(started(answers), scope)
      yield* eventually(
        "a request is sent",
        Effect.sync(() => answers.sent.length === 1)
      )
      yield* Scope.close(scope, Exit.void)
      yield* pass("1 day", [answers])
      assert.strictEqual(answers.sent.length, 1)
    })
  )

  inTime("goes on in memory when the data directory is not writable, and logs that once", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      yield* Effect.gen(function* () {
        const answers = publisher(hosts(2))
        const running = yield* started(answers)
        yield* untilEntries(running, 2)
        yield* eventually(
          "the error of saving is shown",
          Effect.map(running.status, ({ saveError }) => Option.isSome(saveError))
        )
        answers.publish(hosts(3))
        yield* pass("66 minutes", [answers])
        yield* untilEntries(running, 3)
        const { saveError, refreshError } = yield* running.status
        assert.strictEqual(Option.getOrThrow(saveError).message, "not saved (EROFS)")
        deepStrictEqual(refreshError, Option.none())
      }).pipe(Effect.provide(layer))
      deepStrictEqual(
        lines.flatMap(({ message, path, reason }) => (path === undefined ? [] : [[message, path, reason]])),
        [
          [
            "A threat list is in memory only. Can the service write to DATA_DIR?",
            "data/feed_c.6.snapshot",
            "EROFS"
          ]
        ]
      )
    })
  )

  inTime("logs what happens with slot and source, and never an address", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      yield* Effect.gen(function* () {
        const answers = publisher(() => ({ code: "ECONNREFUSED" }))
        const running = yield* started(answers)
        yield* untilError(running, "Unreachable (ECONNREFUSED)")
        answers.publish(status(302, { location: "http://signed.example/?Signature=SECRET" }))
        yield* pass("66 seconds", [answers])
        yield* untilError(running, "ForbiddenRedirect")
        answers.publish(() => {
          throw new Error("a bug")
        })
        yield* pass("132 seconds", [answers])
        yield* untilError(running, "Defect")
        answers.publish(hosts(2))
        yield* pass("264 seconds", [answers])
        yield* untilEntries(running, 2)
      }).pipe(Effect.provide(layer))
      deepStrictEqual(
        lines.map(({ level, message }) => `${level} ${message}`),
        [
          "warning feed_c: feeds.example cannot be reached (ECONNREFUSED); next try in 1 minute",
          "warning feed_c: feeds.example redirects to plain HTTP or into a private network, which is not followed; next try in 2 minutes",
          "error Refreshing a threat list failed",
          "warning feed_c: refreshing the list failed: Defect; next try in 4 minutes",
          "info feed_c is up to date: 2 entries from feeds.example",
          "warning A threat list is in memory only. Can the service write to DATA_DIR?"
        ]
      )
      for (const line of lines) assert.deepInclude(line, { feed: "feed_c", source: "feeds.example" })
      assert.deepInclude(lines[0], { reason: "Unreachable (ECONNREFUSED)" })
      assert.notProperty(lines[0], "cause")
      assert.include(lines[2]?.cause, "a bug")
      assert.deepInclude(lines[4], { entries: 2, skipped: 0, ignored: 0 })
      const printed = JSON.stringify(lines)
      assert.notInclude(printed, "SECRET")
      assert.notInclude(printed, "https://feeds.example")
    })
  )

  inTime("writes a temporary file, flushes it, renames it, and leaves nothing else", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* whileStarted(publisher(hosts(2)), disk, (running) => untilEntries(running, 2))
      deepStrictEqual([...disk.files.keys()], ["data/feed_c.6.snapshot"])
      const [open = "", ...steps] = disk.done.filter((step, i) => step !== disk.done[i - 1])
      assert.match(open, /^open data\/feed_c\.6\.snapshot\.[0-9a-f-]{36}$/)
      deepStrictEqual(steps, ["write", "sync", "rename data/feed_c.6.snapshot"])
    })
  )

  inTime("ends every connection with the refresh that it belongs to", () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(2))
      const running = yield* started(answers)
      yield* untilEntries(running, 2)
      assert.strictEqual(answers.ended(), 1)
      answers.publish(status(404))
      yield* pass("66 minutes", [answers])
      yield* untilError(running, "Status (404)")
      assert.strictEqual(answers.ended(), answers.sent.length)
    })
  )

  inTime("reads a file at each start, however recent the saved list is", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "url-threat-scoring-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const file = join(folder, "our list.txt")
      const answers = publisher(status(503))
      const disk = MemoryDisk.make()
      const ours = { url: pathToFileURL(file) }
      writeFileSync(file, "a.example\n")
      yield* whileStarted(answers, disk, (running) => untilEntries(running, 1), ours)
      writeFileSync(file, "a.example\nb.example\n")
      yield* whileStarted(answers, disk, (running) => untilEntries(running, 2), ours)
      rmSync(file)
      const kept = (running: ThreatFeed.ThreatFeed) =>
        Effect.zipRight(untilError(running, "Unreachable (ENOENT)"), untilEntries(running, 2))
      yield* whileStarted(answers, disk, kept, ours)
    })
  )
})
