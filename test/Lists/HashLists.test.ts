import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Layer, Option, type Scope, TestClock } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { HashLists, type HashListsShape } from "../../src/Lists/HashLists.ts"
import { SharedStore, type SharedStoreShape } from "../../src/Lists/SharedStore.ts"
import * as ExpressionHash from "../../src/Url/ExpressionHash.ts"
import { failing, make as google, type ListUpdatesDouble, listing } from "../fixtures/ListUpdatesDouble.ts"
import { logged } from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { adjust, eventually, nextTurn } from "../fixtures/NextTurn.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const start = Date.UTC(2026, 10, 21, 9)
const KEY = "SECRET-KEY"
const FILE = "data/safe_browsing.3.list"

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
const started = (
  answers: ListUpdatesDouble,
  env: Env = twoLists,
  disk = MemoryDisk.make(),
  store?: SharedStoreShape
) =>
  built(
    HashLists.layer.pipe(
      Layer.provide([answers.layer, disk.layer, Layer.succeed(SharedStore, Option.fromNullable(store))]),
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
  Effect.zipRight(settled, Effect.zipRight(adjust(duration), settled))

/** What is special for these lists: `RefreshedList.test.ts` has what every list does. */
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

      const disk = MemoryDisk.make()
      disk.error = Effect.dieMessage("a bug")
      const other = yield* started(google(listing([EVIL])), twoLists, disk)
      yield* untilFetched(other, start)
      yield* settled
      assert.strictEqual(Option.getOrThrow(yield* other.saveError).message, "not saved (Defect)")
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

      answers.answer(failing("Status", "503"))
      yield* pass("30 minutes")
      yield* untilError(lists, "se-4b", "Status (503)")
      yield* pass("29 minutes")
      assert.isTrue(yield* isLikelySafe(SAFE))
      yield* pass("2 minutes")
      assert.strictEqual(yield* age(lists), "stale")
      assert.isFalse(yield* isLikelySafe(SAFE))
    })
  )

  inTime("are requested together after the longest wait, each with its version and bytes", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      answers.answer(listing([EVIL], Duration.toMillis("2 hours")), "mw-4b")
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      yield* pass("119 minutes")
      assert.strictEqual(answers.sent.length, 1)
      answers.answer(listing([SAFE]))
      yield* pass("1 minutes")
      yield* untilSent(answers, 2)
      yield* eventually("the threat is listed", hasThreat(lists, SAFE))
      const request = answers.sent[1]?.lists[0]
      assert.strictEqual(request?.bytes?.length, 4)
      assert.strictEqual(request?.version?.length, 64)
      assert.isTrue(yield* hasThreat(lists, EVIL), "on the other list")
    })
  )

  inTime("are requested as wholes after a checksum that does not match, once", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      const lists = yield* started(answers)
      yield* untilFetched(lists, start)
      answers.answer(failing("ChecksumMismatch"), "mw-4b")
      yield* pass("30 minutes")
      yield* untilError(lists, "mw-4b", "ChecksumMismatch")
      assert.isTrue(yield* hasThreat(lists))
      answers.answer(listing([SAFE]), "mw-4b")
      yield* pass("31 minutes")
      yield* untilError(lists, "mw-4b", undefined)
      yield* pass("31 minutes")
      deepStrictEqual(
        answers.sent.map(({ lists }) => lists.map(({ version }) => version !== undefined)),
        [
          [false, false],
          [true, true],
          [false, false],
          [true, true]
        ]
      )
    })
  )

  inTime("leave out one that Google refuses by its name until a restart, which makes them stale", () =>
    Effect.gen(function* () {
      const answers = google(listing([EVIL]))
      answers.answer(() => "refused", "mw-4b")
      const disk = MemoryDisk.make()
      const [, lines] = yield* logged(
        whileStarted(answers, disk, (lists) =>
          Effect.gen(function* () {
            yield* untilError(lists, "mw-4b", "Safe Browsing refuses this list")
            assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["stale", true])
            assert.isUndefined(yield* errorOf(lists, "se-4b"))
            yield* pass("31 minutes")
          })
        )
      )
      deepStrictEqual(answers.names(), [["se-4b", "mw-4b"], ["se-4b"]])
      assert.lengthOf(
        lines.filter(({ message }) => message.includes("refuses mw-4b, left out until a restart")),
        1
      )
      yield* whileStarted(answers, disk, () => pass("31 minutes"))
      deepStrictEqual(answers.names()[2], ["se-4b", "mw-4b"])
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
      assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["stale", true])
      yield* pass("1 day")
      assert.deepStrictEqual([yield* age(lists), yield* hasThreat(lists)], ["unusable", true])
      answers.answer(listing([SAFE]))
      yield* pass("1 day")
      yield* untilError(lists, "se-4b", undefined)
      assert.strictEqual(yield* age(lists), "fresh")
    })
  )
})

describe("the log of local lists", () => {
  inTime(
    "has one line when updates begin to fail or fail for another reason, with the reason, and nothing of the key",
    () =>
      Effect.gen(function* () {
        const answers = google(listing([EVIL]))
        const [, lines] = yield* logged(
          Effect.gen(function* () {
            const lists = yield* started(answers)
            yield* untilFetched(lists, start)
            answers.answer(failing("KeyRefused", "403"))
            yield* pass("31 minutes")
            yield* pass("31 minutes")
            yield* untilError(lists, "mw-4b", "Safe Browsing refuses REPUTATION_API_KEY (403)")
            assert.strictEqual(answers.sent.length, 3)
            answers.answer(failing("ChecksumMismatch"))
            yield* pass("61 minutes")
            answers.answer(failing("Unreachable", "PROXY_STATUS_407"))
            yield* pass("121 minutes")
            answers.answer(listing([SAFE]))
            yield* pass("241 minutes")
            yield* untilError(lists, "mw-4b", undefined)
          })
        )
        // The random wait is not compared.
        deepStrictEqual(
          [...new Set(lines.map(({ message }) => message.replace(/; next try in \d+ \w+/, "")))],
          [
            "safe_browsing is up to date: 2 entries from Safe Browsing",
            "safe_browsing: the local lists cannot be updated: Safe Browsing refuses REPUTATION_API_KEY (403)",
            "safe_browsing: the local lists cannot be updated: ChecksumMismatch",
            "safe_browsing: the local lists cannot be updated: Unreachable (PROXY_STATUS_407). Does HTTPS_PROXY have the right user name and password?"
          ]
        )
        assert.lengthOf(
          lines.filter(({ message }) => message.includes("REPUTATION_API_KEY")),
          1
        )
        assert.notInclude(JSON.stringify(lines), KEY)
      })
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
      yield* adjust("1 hour")
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
        yield* adjust("61 minutes")
        yield* isWithout(yield* saved(disk))
        disk.files.set(FILE, Buffer.from("damaged"))
        yield* isWithout(yield* saved(disk))
      })
  )
})
