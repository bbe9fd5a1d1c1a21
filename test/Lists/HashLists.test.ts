import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Exit, Layer, Option, Scope, TestClock } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as ExpressionHash from "../../src/Lists/ExpressionHash.ts"
import { HashLists, type HashListsShape } from "../../src/Lists/HashLists.ts"
import { ListError } from "../../src/Lists/ListError.ts"
import { SharedStore } from "../../src/Lists/SharedStore.ts"
import { failing, make as google, type ListUpdatesDouble, listing } from "../fixtures/ListUpdatesDouble.ts"
import { logged } from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { eventually, eventuallyLater, nextTurn } from "../fixtures/NextTurn.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const start = Date.UTC(2026, 10, 21, 9)
const KEY = "SECRET-KEY"
const FILE = "data/safe-browsing.1.snapshot"

const EVIL = "evil.example/"
const SAFE = "safe.example/"

const hash = ExpressionHash.ofExpression

type Env = Readonly<Record<string, string>>

const twoLists: Env = { REPUTATION_MODE: "local-list", REPUTATION_LISTS: "se-4b,mw-4b" }

const config = (env: Env) =>
  Layer.provide(AppConfig.layer, environment({ REPUTATION_API_KEY: KEY, DATA_DIR: "data", ...env }))

const built = (
  layer: Layer.Layer<HashLists, never, never>
): Effect.Effect<HashListsShape, never, Scope.Scope> =>
  Effect.map(
    Effect.flatMap(Layer.build(layer), (context) => Effect.provide(HashLists, context)),
    Option.getOrThrow
  )

/** A process at work. Without a disk of its own it begins without lists. */
const started = (answers: ListUpdatesDouble, env: Env = twoLists, disk = MemoryDisk.make()) =>
  built(
    HashLists.layer.pipe(
      Layer.provide([answers.layer, disk.layer, Layer.succeed(SharedStore, Option.none())]),
      Layer.provide(config(env)),
      Layer.orDie
    )
  )

/** A process that starts and ends. */
const whileStarted = <A, E, R>(
  answers: ListUpdatesDouble,
  disk: MemoryDisk.MemoryDisk,
  use: (lists: HashListsShape) => Effect.Effect<A, E, R>,
  env: Env = twoLists
) => Effect.scoped(Effect.flatMap(started(answers, env, disk), use))

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => Effect.zipRight(TestClock.setTime(start), test()))

const current = (lists: HashListsShape) => Effect.map(Clock.currentTimeMillis, lists.current)

const age = (lists: HashListsShape) => Effect.map(current(lists), ({ age }) => age)

const hasThreat = (lists: HashListsShape, expression = EVIL) =>
  Effect.map(current(lists), ({ hasThreat }) => hasThreat(hash(expression)))

const statusOf = (lists: HashListsShape, name: string) =>
  Effect.map(lists.status, (status) => status.find((list) => list.name === name) ?? assert.fail(name))

const errorOf = (lists: HashListsShape, name: string) =>
  Effect.map(statusOf(lists, name), ({ lastError }) =>
    Option.getOrUndefined(Option.map(lastError, ({ message }) => message))
  )

const untilSent = (answers: ListUpdatesDouble, count: number) =>
  eventually(
    `${count} requests are sent`,
    Effect.sync(() => answers.sent.length === count)
  )

const untilFetched = (lists: HashListsShape, time: number) =>
  eventually(
    `all lists are fetched at ${time} or later`,
    Effect.map(lists.status, (status) => status.every(({ fetchedAt }) => (fetchedAt ?? 0) >= time))
  )

const untilError = (lists: HashListsShape, name: string, message: string | undefined) =>
  eventually(
    `the error of ${name} is ${message}`,
    Effect.map(errorOf(lists, name), (found) => found === message)
  )

/** Until what the last update led to is done, the file included. */
const settled = Effect.repeatN(nextTurn, 20)

const pass = (duration: Duration.DurationInput) =>
  Effect.zipRight(settled, Effect.zipRight(TestClock.adjust(duration), settled))

const renames = (disk: MemoryDisk.MemoryDisk) => disk.done.filter((step) => step.startsWith("rename")).length

describe("local lists", () => {
  inTime("are there as soon as they have come, and the start does not wait for them", () =>
    Effect.gen(function* () {
      const answers = google(() => Effect.never)
      const lists = yield* started(answers)
      assert.strictEqual(lists.mode, "local-list")
      assert.strictEqual(yield* age(lists), "unusable")
      assert.isFalse(yield* hasThreat(lists))
      deepStrictEqual(yield* statusOf(lists, "se-4b"), {
        name: "se-4b",
        entries: 0,
        fetchedAt: undefined,
        isStale: false,
        nextUpdateAt: start,
        lastError: Option.none()
      })

      const other = yield* started(google(listing([EVIL])))
      yield* untilFetched(other, start)
      assert.strictEqual(yield* age(other), "fresh")
      assert.isTrue(yield* hasThreat(other))
      assert.isFalse(yield* hasThreat(other, SAFE))
      deepStrictEqual(yield* statusOf(other, "mw-4b"), {
        name: "mw-4b",
        entries: 1,
        fetchedAt: start,
        isStale: false,
        nextUpdateAt: start + 1_800_000,
        lastError: Option.none()
      })
    })
  )

  inTime(
    "are requested together from REPUTATION_API_URL with the key in a header, and from nowhere else",
    () =>
      Effect.gen(function* () {
        const answers = google(listing([EVIL]))
        const lists = yield* started(answers, {
          ...twoLists,
          REPUTATION_API_URL: "https://proxy.example/google/"
        })
        yield* untilFetched(lists, start)
        deepStrictEqual(answers.names(), [["se-4b", "mw-4b"]])
        const [request] = answers.sent
        assert.strictEqual(request?.baseUrl, "https://proxy.example/google")
        deepStrictEqual(request?.authHeaders, { "x-goog-api-key": KEY })
        assert.notInclude(JSON.stringify({ ...request, authHeaders: {} }), KEY)
      })
  )

  inTime("have the global cache in real-time mode, which counts while all lists are fresh", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      answers.answer(listing([SAFE]), "gc-32b")
      const lists = yield* started(answers, { REPUTATION_LISTS: "se-4b" })
      yield* untilFetched(lists, start)
      deepStrictEqual(answers.names(), [["se-4b", "gc-32b"]])
      const isLikelySafe = (expression: string) =>
        Effect.map(current(lists), ({ isLikelySafe }) => isLikelySafe(hash(expression)))
      assert.isTrue(yield* isLikelySafe(SAFE))
      assert.isFalse(yield* isLikelySafe(EVIL))
      assert.isFalse(yield* hasThreat(lists, SAFE))

      answers.answer(failing("Status", "503"), "se-4b")
      yield* pass("30 minutes")
      yield* untilError(lists, "se-4b", "Status (503)")
      yield* pass("29 minutes")
      assert.isTrue(yield* isLikelySafe(SAFE))
      yield* pass("2 minutes")
      assert.strictEqual(yield* age(lists), "stale")
      assert.isFalse(yield* isLikelySafe(SAFE))
    })
  )

  inTime("do not count as likely safe what the global cache knew two waits ago", () =>
    Effect.gen(function* () {
      const answers = google(listing([SAFE]))
      const lists = yield* started(answers, { REPUTATION_LISTS: "se-4b" })
      yield* untilFetched(lists, start)
      answers.answer(failing("Status", "503"), "gc-32b")
      for (let halfHour = 0; halfHour < 3; halfHour++) yield* pass("30 minutes")
      const { age, isLikelySafe } = yield* current(lists)
      assert.strictEqual(age, "fresh")
      assert.isFalse(isLikelySafe(hash(SAFE)))
    })
  )

  inTime("are requested again when their wait is over, each with its version and bytes", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      answers.answer(listing([EVIL], Duration.toMillis("2 hours")), "mw-4b")
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      yield* pass("29 minutes")
      assert.strictEqual(answers.sent.length, 1)
      answers.answer(listing([SAFE]))
      yield* pass("1 minutes")
      yield* untilSent(answers, 2)
      yield* eventually("the threat is listed", hasThreat(lists, SAFE))
      deepStrictEqual(answers.names()[1], ["se-4b"])
      const request = answers.sent[1]?.lists[0]
      assert.strictEqual(request?.bytes?.length, 4)
      assert.strictEqual(request?.version?.length, 64)
      assert.isTrue(yield* hasThreat(lists, EVIL), "on the other list")
    })
  )

  inTime(
    "go on with the old lists during an update and after one that failed (google/safebrowsing 69 and 113)",
    () =>
      Effect.gen(function* () {
        const answers = google(listing([EVIL]))
        const lists = yield* started(answers)
        yield* untilFetched(lists, start)
        answers.answer(() => Effect.never)
        yield* pass("30 minutes")
        yield* untilSent(answers, 2)
        assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["fresh", true])
        yield* pass("4 minutes")
        yield* untilError(lists, "se-4b", "Timeout")
        assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["fresh", true])

        answers.answer(failing("ChecksumMismatch"))
        yield* pass("35 minutes")
        yield* untilError(lists, "se-4b", "ChecksumMismatch")
        assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["stale", true])
        yield* pass("23 hours")
        assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["unusable", true])
      })
  )

  inTime("use the lists of one moment in a lookup that an update overtakes", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      const before = yield* current(lists)
      answers.answer(listing([SAFE]))
      yield* pass("30 minutes")
      yield* eventually("the threat is listed", hasThreat(lists, SAFE))
      assert.deepStrictEqual([before.hasThreat(hash(EVIL)), before.hasThreat(hash(SAFE))], [true, false])
    })
  )

  inTime("request the whole list after a checksum that is wrong, alone and after its back-off", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      answers.answer(failing("ChecksumMismatch"), "mw-4b")
      yield* pass("30 minutes")
      yield* untilError(lists, "mw-4b", "ChecksumMismatch")
      yield* pass("14 minutes")
      assert.strictEqual(answers.sent.length, 2)
      answers.answer(listing([SAFE]), "mw-4b")
      yield* pass("16 minutes")
      yield* untilError(lists, "mw-4b", undefined)
      const request = answers.sent.flatMap(({ lists }) => lists).filter(({ name }) => name === "mw-4b")[2]
      deepStrictEqual(request, { name: "mw-4b", version: undefined, bytes: undefined })
    })
  )

  inTime("leave the others when one list comes anew as a whole", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      answers.answer(listing([SAFE]), "mw-4b")
      answers.answer(failing("Status", "503"), "se-4b")
      yield* pass("30 minutes")
      yield* eventually("the threat is listed", hasThreat(lists, SAFE))
      assert.isTrue(yield* hasThreat(lists, EVIL))
      deepStrictEqual(
        (yield* lists.status).map(({ entries }) => entries),
        [1, 1]
      )
    })
  )

  inTime("are stale, and say so, when Google refuses one of them by its name", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      answers.answer(failing("RequestRefused", "400"), "mw-4b")
      const lists = yield* started(answers)
      yield* untilError(lists, "mw-4b", "Safe Browsing refuses the request (400)")
      assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["stale", true])
      assert.isUndefined(yield* errorOf(lists, "se-4b"))
    })
  )

  inTime("show an outage in the status, and its end (google/safebrowsing 68)", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      answers.answer(failing("Status", "503"))
      yield* pass("30 minutes")
      yield* untilError(lists, "se-4b", "Status (503)")
      const { fetchedAt, lastError, nextUpdateAt } = yield* statusOf(lists, "se-4b")
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(fetchedAt, start)
      assert.strictEqual(Option.getOrThrow(lastError).at, now)
      assert.isAtLeast(nextUpdateAt, now + Duration.toMillis("15 minutes"))
      assert.isAtMost(nextUpdateAt, now + Duration.toMillis("30 minutes"))
      assert.isFalse((yield* statusOf(lists, "se-4b")).isStale)
      yield* pass("31 minutes")
      assert.isTrue((yield* statusOf(lists, "se-4b")).isStale)
      answers.answer(listing([SAFE]))
      yield* pass("1 hour")
      yield* untilError(lists, "se-4b", undefined)
      assert.strictEqual(yield* age(lists), "fresh")
    })
  )

  inTime("wait as long as Retry-After says", () =>
    Effect.gen(function* () {
      const answers = google(failing("Status", "429", { retryAfter: "7200" }))
      const lists = yield* started(answers)
      yield* untilError(lists, "se-4b", "Status (429)")
      yield* pass("119 minutes")
      assert.strictEqual(answers.sent.length, 1)
      yield* pass("1 minutes")
      yield* untilSent(answers, 2)
    })
  )

  inTime("ask again every 15 seconds while Google has more", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL], 0))
      yield* started(answers)
      yield* untilSent(answers, 1)
      yield* pass("14 seconds")
      assert.strictEqual(answers.sent.length, 1)
      yield* pass("1 seconds")
      yield* untilSent(answers, 2)
    })
  )

  inTime("survive a thread that dies, a defect and a thread that hangs", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      const faults: ReadonlyArray<readonly [Parameters<typeof answers.answer>[0], string]> = [
        [() => new ListError({ reason: "WorkerDied", detail: "exit 1" }), "WorkerDied (exit 1)"],
        [() => Effect.dieMessage("a bug"), "Defect"],
        [() => Effect.never, "Timeout"]
      ]
      for (const [answer, message] of faults) {
        answers.answer(answer)
        yield* eventuallyLater(
          `the error is ${message}`,
          "1 hour",
          Effect.map(errorOf(lists, "se-4b"), (found) => found === message)
        )
        assert.isTrue(yield* hasThreat(lists))
      }
      answers.answer(listing([SAFE]))
      yield* eventuallyLater(
        "the error is gone",
        "1 hour",
        Effect.map(errorOf(lists, "se-4b"), (found) => found === undefined)
      )
    })
  )

  inTime("end with their scope, in the middle of an update", () =>
    Effect.gen(function* () {
      const answers = google(() => Effect.never)
      const scope = yield* Scope.make()
      yield* Scope.extend(started(answers), scope)
      yield* untilSent(answers, 1)
      yield* Scope.close(scope, Exit.void)
      yield* pass("1 day")
      assert.strictEqual(answers.sent.length, 1)
    })
  )
})

describe("local lists after a restart", () => {
  inTime("are there at once, and nothing is requested before its time (google/safebrowsing 24)", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      yield* whileStarted(answers, disk, (lists) => Effect.zipRight(untilFetched(lists, start), settled))
      yield* TestClock.adjust("20 minutes")
      yield* whileStarted(answers, disk, (lists) =>
        Effect.gen(function* () {
          assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["fresh", true])
          yield* pass("9 minutes")
          assert.strictEqual(answers.sent.length, 1)
          yield* pass("1 minutes")
          yield* untilSent(answers, 2)
          assert.strictEqual(answers.sent[1]?.lists[0]?.bytes?.length, 4)
        })
      )
    })
  )

  inTime("are requested within a minute when they are overdue", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      yield* whileStarted(answers, disk, (lists) => Effect.zipRight(untilFetched(lists, start), settled))
      yield* TestClock.adjust("3 hours")
      yield* whileStarted(answers, disk, (lists) =>
        Effect.gen(function* () {
          assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["stale", true])
          yield* pass("1 minutes")
          yield* untilSent(answers, 2)
          deepStrictEqual(answers.names()[1], ["se-4b", "mw-4b"])
        })
      )
    })
  )

  inTime("keep their back-off, even before there is a list", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(failing("Status", "503"))
      yield* whileStarted(answers, disk, (lists) =>
        Effect.zipRight(untilError(lists, "se-4b", "Status (503)"), settled)
      )
      for (let restart = 0; restart < 5; restart++)
        yield* whileStarted(answers, disk, (lists) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* errorOf(lists, "se-4b"), "Status (503)")
            yield* pass("2 minutes")
          })
        )
      assert.strictEqual(answers.sent.length, 1)
      yield* whileStarted(answers, disk, () => Effect.zipRight(pass("20 minutes"), untilSent(answers, 2)))
    })
  )

  inTime("are requested once a minute at most by a process that ends before each answer", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(() => Effect.never)
      yield* whileStarted(answers, disk, () => untilSent(answers, 1))
      for (let restart = 0; restart < 10; restart++)
        yield* whileStarted(answers, disk, () => pass("5 seconds"))
      assert.strictEqual(answers.sent.length, 1)
      yield* whileStarted(answers, disk, () => Effect.zipRight(pass("10 seconds"), untilSent(answers, 2)))
    })
  )

  inTime("are requested once a minute at most by such a process, also one with another list", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      yield* whileStarted(answers, disk, (lists) => Effect.zipRight(untilFetched(lists, start), settled))
      answers.answer(() => Effect.never)
      const more = { ...twoLists, REPUTATION_LISTS: "se-4b,mw-4b,uws-4b" }
      for (let restart = 0; restart < 10; restart++)
        yield* whileStarted(answers, disk, () => pass("5 seconds"), more)
      deepStrictEqual(answers.names(), [["se-4b", "mw-4b"], ["uws-4b"]])
    })
  )

  inTime("with another key are requested without the back-off of the key before", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(failing("KeyRefused", "403"))
      yield* whileStarted(answers, disk, (lists) =>
        Effect.zipRight(untilError(lists, "se-4b", "Safe Browsing refuses REPUTATION_API_KEY (403)"), settled)
      )
      answers.answer(listing([EVIL]))
      yield* whileStarted(
        answers,
        disk,
        (lists) => Effect.zipRight(untilFetched(lists, start), Effect.map(hasThreat(lists), assert.isTrue)),
        { ...twoLists, REPUTATION_API_KEY: "ANOTHER-KEY" }
      )
    })
  )

  inTime("of another REPUTATION_API_URL are not used", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* whileStarted(google(listing([EVIL])), disk, (lists) =>
        Effect.zipRight(untilFetched(lists, start), settled)
      )
      const answers = google(() => Effect.never)
      yield* whileStarted(
        answers,
        disk,
        (lists) =>
          Effect.gen(function* () {
            assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["unusable", false])
            const saveError = Option.getOrThrow(yield* lists.saveError)
            assert.strictEqual(saveError.message, "saved list not usable (OtherService)")
            yield* untilSent(answers, 1)
          }),
        { ...twoLists, REPUTATION_API_URL: "https://other.example" }
      )
    })
  )

  inTime("drop a list that is no longer configured, and fetch a new one at once", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      yield* whileStarted(answers, disk, (lists) => Effect.zipRight(untilFetched(lists, start), settled))
      yield* TestClock.adjust("10 minutes")
      yield* whileStarted(
        answers,
        disk,
        (lists) =>
          Effect.gen(function* () {
            yield* untilSent(answers, 2)
            yield* untilFetched(lists, start)
            deepStrictEqual(answers.names()[1], ["uws-4b"])
            deepStrictEqual(
              (yield* lists.status).map(({ fetchedAt, name }) => [name, fetchedAt]),
              [
                ["mw-4b", start],
                ["uws-4b", start + 600_000]
              ]
            )
          }),
        { ...twoLists, REPUTATION_LISTS: "mw-4b,uws-4b" }
      )
    })
  )

  inTime("are logged with their entries", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      yield* whileStarted(answers, disk, (lists) => Effect.zipRight(untilFetched(lists, start), settled))
      const [, lines] = yield* logged(whileStarted(answers, disk, () => settled))
      assert.lengthOf(lines, 1)
      assert.deepInclude(lines[0], {
        level: "info",
        message: "safe_browsing was loaded from DATA_DIR: 2 entries from Safe Browsing, 1 second old",
        feed: "safe_browsing",
        source: "Safe Browsing",
        entries: 2
      })
    })
  )

  inTime("are fetched anew, with a word in log and status, when the file is damaged", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      yield* whileStarted(answers, disk, (lists) => Effect.zipRight(untilFetched(lists, start), settled))
      const whole = disk.files.get(FILE) ?? assert.fail("no file")
      disk.files.set(FILE, whole.subarray(0, whole.length - 40))
      const [, lines] = yield* logged(
        whileStarted(answers, disk, (lists) =>
          Effect.gen(function* () {
            const { message } = Option.getOrThrow(yield* lists.saveError)
            assert.strictEqual(message, "saved list not usable (Damaged)")
            yield* untilFetched(lists, start)
            yield* settled
            deepStrictEqual(yield* lists.saveError, Option.none())
          })
        )
      )
      assert.isUndefined(answers.sent[1]?.lists[0]?.version)
      assert.deepStrictEqual(lines[0], {
        level: "warning",
        message: "A saved threat list cannot be used and is fetched anew",
        feed: "safe_browsing",
        source: "Safe Browsing",
        path: FILE,
        reason: "Damaged"
      })
    })
  )
})

describe("the file of local lists", () => {
  inTime("is written aside under a name of its own, flushed and renamed, once for each update", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers, twoLists, disk)
      yield* untilFetched(lists, start)
      yield* settled
      deepStrictEqual([...disk.files.keys()], [FILE])
      const steps = disk.done.filter((step, i) => step !== disk.done[i - 1])
      // Once before the first request, which would be for whole lists again, and once with the lists.
      assert.strictEqual(renames(disk), 2)
      const [open = "", ...last] = steps.slice(-4)
      assert.match(open, /^open data\/safe-browsing\.1\.snapshot\.[0-9a-f-]{36}$/)
      deepStrictEqual(last, ["write", "sync", `rename ${FILE}`])

      yield* pass("29 minutes")
      assert.strictEqual(renames(disk), 2)
      yield* pass("1 minutes")
      yield* untilSent(answers, 2)
      yield* settled
      assert.strictEqual(renames(disk), 3)
    })
  )

  inTime("contains neither the key nor an address", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers, twoLists, disk)
      yield* untilFetched(lists, start)
      yield* settled
      const content = disk.files.get(FILE)?.toString("latin1") ?? ""
      assert.include(content, "se-4b")
      for (const secret of [KEY, "safebrowsing.googleapis.com", "evil.example"])
        assert.notInclude(content, secret)
    })
  )

  inTime("may be written by two processes on one directory, which both find whole lists", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const answers = google(listing([EVIL]))
      const [one, two] = yield* Effect.all([
        started(answers, twoLists, disk),
        started(answers, { ...twoLists, REPUTATION_LISTS: "se-4b" }, disk)
      ])
      yield* untilFetched(one, start)
      // The second one has read that the first has just sent a request.
      yield* pass("1 minutes")
      yield* untilFetched(two, start)
      yield* settled
      const temporary = new Set(disk.done.filter((step) => step.startsWith("open")))
      assert.strictEqual(temporary.size, renames(disk))
      deepStrictEqual([...disk.files.keys()], [FILE])
      yield* whileStarted(
        google(() => Effect.never),
        disk,
        (lists) => Effect.map(hasThreat(lists), assert.isTrue)
      )
    })
  )

  inTime("cannot be written: the lists are used, and the reason is in log and status", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      disk.error = Effect.dieMessage("a bug")
      const answers = google(listing([EVIL]))
      const [lists, lines] = yield* logged(
        Effect.tap(started(answers, twoLists, disk), (lists) =>
          Effect.zipRight(untilFetched(lists, start), settled)
        )
      )
      assert.isTrue(yield* hasThreat(lists))
      assert.strictEqual(Option.getOrThrow(yield* lists.saveError).message, "not saved (Defect)")
      assert.strictEqual(lines.filter(({ message }) => message.includes("in memory only")).length, 1)
    })
  )

  inTime("does not hold up updates when the disk hangs", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      disk.error = Effect.never
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers, twoLists, disk)
      yield* pass("5 seconds")
      yield* untilFetched(lists, start)
      assert.isTrue(yield* hasThreat(lists))
      yield* pass("1 minutes")
      assert.strictEqual(Option.getOrThrow(yield* lists.saveError).message, "not saved (Timeout)")
      yield* pass("30 minutes")
      yield* untilSent(answers, 2)
    })
  )
})

describe("the log of local lists", () => {
  inTime(
    "has one line when updates begin to fail or fail for another reason, with lists and reason, and nothing of the key",
    () =>
      Effect.gen(function* () {
        const answers = google(listing([EVIL]))
        const [, lines] = yield* logged(
          Effect.gen(function* () {
            const lists = yield* started(answers)
            yield* untilFetched(lists, start)
            answers.answer(failing("KeyRefused", "403"))
            yield* pass("31 minutes")
            for (let hour = 0; hour < 6; hour++) yield* pass("1 hour")
            yield* untilError(lists, "mw-4b", "Safe Browsing refuses REPUTATION_API_KEY (403)")
            assert.isAtLeast(answers.sent.length, 4)
            answers.answer(listing([SAFE]))
            answers.answer(failing("ChecksumMismatch"), "mw-4b")
            for (let hour = 0; hour < 9; hour++) yield* pass("1 hour")
            yield* untilError(lists, "se-4b", undefined)
            answers.answer(listing([SAFE]), "mw-4b")
            yield* pass("1 day")
            yield* untilError(lists, "mw-4b", undefined)
          })
        )
        // The random wait is not compared.
        deepStrictEqual(
          [...new Set(lines.map(({ message }) => message.replace(/; next try in \d+ \w+/, "")))],
          [
            "safe_browsing is up to date: 2 entries from Safe Browsing",
            "safe_browsing: se-4b, mw-4b cannot be updated: Safe Browsing refuses REPUTATION_API_KEY (403)",
            "safe_browsing: mw-4b cannot be updated: ChecksumMismatch"
          ]
        )
        assert.lengthOf(
          lines.filter(({ message }) => message.includes("REPUTATION_API_KEY")),
          1
        )
        assert.notInclude(JSON.stringify(lines), KEY)
      })
  )

  inTime("contains no key when an update dies with the request", () =>
    Effect.gen(function* () {
      const answers = google((list) => Effect.die(new Error(`a bug with ${list.name}`)))
      const [, lines] = yield* logged(
        Effect.gen(function* () {
          const lists = yield* started(answers)
          yield* untilError(lists, "se-4b", "Defect")
        })
      )
      assert.isAbove(lines.length, 0)
      assert.notInclude(JSON.stringify(lines), KEY)
    })
  )
})

describe("the metrics of local lists", () => {
  inTime("count the updates of each list by outcome", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      answers.answer(failing("ChecksumMismatch"), "mw-4b")
      const lists = yield* started(answers)
      yield* eventually(
        "the list has one entry",
        Effect.map(statusOf(lists, "se-4b"), ({ entries }) => entries === 1)
      )
      yield* pass("30 minutes")
      yield* settled
      const { text } = yield* Metrics
      deepStrictEqual(
        text()
          .split("\n")
          .filter((line) => line.startsWith("threat_scoring_reputation_list_updates_total")),
        [
          'threat_scoring_reputation_list_updates_total{list="mw-4b",outcome="changed"} 0',
          'threat_scoring_reputation_list_updates_total{list="mw-4b",outcome="failed"} 2',
          'threat_scoring_reputation_list_updates_total{list="mw-4b",outcome="unchanged"} 0',
          'threat_scoring_reputation_list_updates_total{list="se-4b",outcome="changed"} 1',
          'threat_scoring_reputation_list_updates_total{list="se-4b",outcome="failed"} 0',
          'threat_scoring_reputation_list_updates_total{list="se-4b",outcome="unchanged"} 1'
        ]
      )
    }).pipe(Effect.provide(Metrics.layer))
  )
})

describe("without lists", () => {
  it.scoped.each<[name: string, env: Env, mode: string | undefined]>([
    ["in mode no-storage", { REPUTATION_MODE: "no-storage" }, "no-storage"],
    ["without a key", { REPUTATION_API_KEY: "" }, undefined]
  ])("nothing is read, requested or written %s", ([, env, mode]) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      disk.files.set(FILE, Buffer.from("of another mode"))
      const answers = google(listing([EVIL]))
      const layer = HashLists.layer.pipe(
        Layer.provide([answers.layer, disk.layer, Layer.succeed(SharedStore, Option.none())]),
        Layer.provide(config(env))
      )
      const lists = Option.getOrUndefined(
        yield* Effect.flatMap(Layer.build(layer), (built) => Effect.provide(HashLists, built))
      )
      yield* pass("1 day")
      assert.strictEqual(lists?.mode, mode)
      if (lists !== undefined) {
        assert.strictEqual(yield* age(lists), "unusable")
        deepStrictEqual(yield* lists.status, [])
        deepStrictEqual(yield* lists.saveError, Option.none())
      }
      deepStrictEqual([answers.sent, disk.done], [[], []])
      assert.strictEqual(disk.files.get(FILE)?.toString(), "of another mode")
    })
  )
})

describe("the lists of one run of the command", () => {
  const saved = (disk: MemoryDisk.MemoryDisk, env: Env = twoLists) =>
    built(HashLists.saved.pipe(Layer.provide(disk.layer), Layer.provide(config(env)), Layer.orDie))

  const savedLists = Effect.gen(function* () {
    const disk = MemoryDisk.make()
    yield* whileStarted(google(listing([EVIL])), disk, (lists) =>
      Effect.zipRight(untilFetched(lists, start), settled)
    )
    return disk
  })

  inTime("are those of the data directory while all of them are fresh", () =>
    Effect.gen(function* () {
      const disk = yield* savedLists
      const before = [...disk.done]
      yield* TestClock.adjust("1 hour")
      const lists = yield* saved(disk)
      assert.strictEqual(lists.mode, "local-list")
      assert.isTrue(yield* hasThreat(lists))
      yield* pass("1 day")
      deepStrictEqual(
        disk.done.filter((step) => !step.startsWith("read")),
        before
      )
    })
  )

  inTime(
    "are none, in mode no-storage, when one is stale, missing or of another service, or the file is damaged",
    () =>
      Effect.gen(function* () {
        const disk = yield* savedLists
        const isWithout = (lists: HashListsShape) =>
          Effect.gen(function* () {
            assert.strictEqual(lists.mode, "no-storage")
            assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["unusable", false])
          })
        yield* isWithout(yield* saved(disk, { ...twoLists, REPUTATION_LISTS: "se-4b,uws-4b" }))
        yield* isWithout(yield* saved(disk, { ...twoLists, REPUTATION_MODE: "real-time" }))
        yield* isWithout(yield* saved(disk, { ...twoLists, REPUTATION_API_URL: "https://other.example" }))
        yield* isWithout(yield* saved(MemoryDisk.make()))
        yield* TestClock.adjust("61 minutes")
        yield* isWithout(yield* saved(disk))
        disk.files.set(FILE, Buffer.from("damaged"))
        yield* isWithout(yield* saved(disk))
      })
  )
})
