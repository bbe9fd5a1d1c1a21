import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Exit, Layer, Option, Scope, TestClock } from "effect"
import { DatabaseError } from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import type { SharedStoreShape } from "../../../src/Lists/SharedStore.ts"
import { type Feed, sourceOf } from "../../../src/Lists/ThreatFeed/Feed.ts"
import * as FeedSnapshot from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import * as ThreatFeed from "../../../src/Lists/ThreatFeed.ts"
import {
  type FeedPublisher,
  hosts,
  openDocument,
  pass as passFor,
  make as publisher,
  status
} from "../../fixtures/FeedPublisher.ts"
import * as ListWorkerInProcess from "../../fixtures/ListWorkerInProcess.ts"
import * as MemoryDisk from "../../fixtures/MemoryDisk.ts"
import { eventually, eventuallyLater } from "../../fixtures/NextTurn.ts"
import * as SharedStoreDouble from "../../fixtures/SharedStoreDouble.ts"

const start = Date.UTC(2026, 10, 21, 9)
const REFRESH = Duration.minutes(10)

const feedAt = (url: URL): Feed => ({
  slot: "feed_c",
  url,
  format: "lines",
  authHeader: Option.none(),
  source: sourceOf("lines", url),
  refresh: REFRESH,
  retention: Duration.zero
})
const usual = feedAt(new URL("https://feeds.example/list"))

const { magic, version: VERSION } = FeedSnapshot.format(usual)
const FORMAT = `${magic}.${VERSION}`

/** Short steps: a fiber that waits during a step continues at its end. */
const pass = (duration: Duration.DurationInput, publishers: ReadonlyArray<FeedPublisher>) =>
  passFor(duration, publishers, "15 seconds")

const throughGate = (store: SharedStoreShape, gate: Effect.Effect<void, DatabaseError>): SharedStoreShape => {
  const gated =
    <Args extends ReadonlyArray<unknown>, A>(command: (...args: Args) => Effect.Effect<A, DatabaseError>) =>
    (...args: Args) =>
      Effect.zipRight(gate, command(...args))
  return {
    text: gated(store.text),
    setText: gated(store.setText),
    body: gated(store.body),
    storeBody: gated(store.storeBody),
    extendBody: gated(store.extendBody),
    lease: gated(store.lease),
    endLease: gated(store.endLease)
  }
}

/** The store under other names. */
const withNames = (store: SharedStoreShape, rename: (name: string) => string): SharedStoreShape => ({
  text: (name) => store.text(rename(name)),
  setText: (name, ...args) => store.setText(rename(name), ...args),
  body: (name, ...args) => store.body(rename(name), ...args),
  storeBody: (name, ...args) => store.storeBody(rename(name), ...args),
  extendBody: (name, ...args) => store.extendBody(rename(name), ...args),
  lease: (name, ...args) => store.lease(rename(name), ...args),
  endLease: (name, ...args) => store.endLease(rename(name), ...args)
})

/** A process of the fleet. */
const replica = (
  database: SharedStoreDouble.SharedStoreDouble,
  answers: FeedPublisher,
  disk = MemoryDisk.make(),
  feed = usual
) =>
  Effect.gen(function* () {
    const latch = yield* Effect.makeLatch(true)
    let isDead = false
    const gate = Effect.zipRight(
      latch.await,
      Effect.suspend(() => (isDead ? new DatabaseError({ reason: "Unreachable" }) : Effect.void))
    )
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const running = yield* ThreatFeed.make(feed, "data", Option.some(throughGate(database.store, gate))).pipe(
      Scope.extend(scope),
      Effect.provide([Layer.provide(ListWorkerInProcess.layer, answers.layer), disk.layer])
    )
    const current = Effect.map(running.status, ({ current }) => Option.getOrUndefined(current))
    return {
      entries: Effect.map(current, (current) => current?.entries),
      fetchedAt: Effect.map(current, (current) => current?.fetchedAt),
      error: Effect.map(running.status, ({ refreshError }) =>
        Option.getOrUndefined(Option.map(refreshError, ({ message }) => message))
      ),
      nextAttemptAt: Effect.map(running.status, ({ nextAttemptAt }) => Option.getOrUndefined(nextAttemptAt)),
      /** As the system ends a process: its lease is not ended. */
      die: Effect.suspend(() => {
        isDead = true
        return Scope.close(scope, Exit.void)
      }),
      /** Commands to the database wait until `wakeUp`. */
      fallAsleep: latch.close,
      wakeUp: latch.open
    }
  })

type Replica = Effect.Effect.Success<ReturnType<typeof replica>>

const three = (database: SharedStoreDouble.SharedStoreDouble, answers: FeedPublisher) =>
  Effect.all([replica(database, answers), replica(database, answers), replica(database, answers)])

const entriesOf = (fleet: ReadonlyArray<Replica>) => Effect.forEach(fleet, ({ entries }) => entries)

/** Waits, without the clock, until all replicas use a list of so many entries. */
const untilAllUse = (fleet: ReadonlyArray<Replica>, count: number) =>
  eventually(
    `all replicas use ${count} entries`,
    Effect.map(entriesOf(fleet), (entries) => entries.every((entries) => entries === count))
  )

/** The same, while the time passes. */
const untilAllUseLater = (fleet: ReadonlyArray<Replica>, count: number) =>
  eventuallyLater(
    `all replicas use ${count} entries`,
    "10 seconds",
    Effect.map(entriesOf(fleet), (entries) => entries.every((entries) => entries === count))
  )

const untilErrors = (fleet: ReadonlyArray<Replica>, message: string | undefined) =>
  eventually(
    `all replicas show the error ${message}`,
    Effect.map(
      Effect.forEach(fleet, ({ error }) => error),
      (errors) => errors.every((error) => error === message)
    )
  )

/** A replica that sleeps in the middle of a download of one entry, and one that has published five meanwhile. */
const pausedPastItsLease = Effect.gen(function* () {
  const database = SharedStoreDouble.make()
  const slow = openDocument()
  const early = publisher(slow.answer)
  const late = publisher(hosts(5))
  const sleeper = yield* replica(database, early)
  yield* eventually(
    "the early publisher gets a request",
    Effect.sync(() => early.sent.length === 1)
  )
  yield* sleeper.fallAsleep
  const awake = yield* replica(database, late)
  for (let drops = 0; drops < 3; drops++) {
    yield* pass("20 seconds", [late])
    slow.write("http://old.example/\n")
  }
  yield* untilAllUse([awake], 5)
  const endDownload = Effect.zipRight(
    Effect.sync(slow.close),
    eventually(
      "the early response has ended",
      Effect.sync(() => early.ended() === 1)
    )
  )
  return { awake, database, endDownload, late, sleeper }
})

/** Starts at nine o'clock. */
const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => Effect.zipRight(TestClock.setTime(start), test()))

describe("a fleet", () => {
  inTime("fetches once for all replicas, which use the list within a minute", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(1))
      const fleet = yield* three(database, answers)
      yield* pass("10 seconds", [answers])
      yield* untilAllUse(fleet, 1)
      for (const count of [2, 3]) {
        answers.publish(hosts(count))
        yield* pass("12 minutes", [answers])
        yield* untilAllUse(fleet, count)
        assert.strictEqual(answers.sent.length, count)
      }
      const now = yield* Clock.currentTimeMillis
      const minutes = [...database.entries].flatMap(([key, { until }]) =>
        key.startsWith("body ") ? [(until - now) / 60_000] : []
      )
      assert.strictEqual(minutes.length, 2)
      assert.isAtMost(minutes[0] ?? 0, 10, "of the previous body, which another replica may be reading")
      assert.isAbove(minutes[1] ?? 0, 2 * 24 * 60)
    })
  )

  inTime("says at every replica when the list is refreshed next", () =>
    Effect.gen(function* () {
      const answers = publisher(hosts(1))
      const fleet = yield* three(SharedStoreDouble.make(), answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 1)
      for (const { nextAttemptAt } of fleet) {
        const wait = ((yield* nextAttemptAt) ?? 0) - start
        assert.isAtLeast(wait, Duration.toMillis(REFRESH))
        assert.isAtMost(wait, Duration.toMillis(REFRESH) + Duration.toMillis("2 minutes"))
      }
    })
  )

  inTime("reads the manifest once in 30 to 45 seconds, and sends nothing else while nothing is due", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(1))
      const running = yield* replica(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse([running], 1)
      const before = database.commands.length
      yield* pass("8 minutes", [answers])
      const commands = database.commands.slice(before)
      deepStrictEqual(new Set(commands), new Set(["text"]))
      assert.isAtLeast(commands.length, 9)
      assert.isAtMost(commands.length, 17)
    })
  )

  inTime("shares that nothing has changed, without storing the list again", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2, { etag: '"2"' }))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 2)
      answers.publish(status(304))
      yield* pass("26 minutes", [answers])
      assert.strictEqual(answers.sent.length, 3)
      for (const { headers } of answers.sent.slice(1)) assert.strictEqual(headers["if-none-match"], '"2"')
      assert.strictEqual(database.count("storeBody"), 1)
      const times = new Set(yield* Effect.forEach(fleet, ({ fetchedAt }) => fetchedAt))
      assert.strictEqual(times.size, 1)
      assert.isAbove([...times][0] ?? 0, start + Duration.toMillis("20 minutes"))
    })
  )

  inTime("stores a list with retained entries anew only when some of them have expired", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(3))
      const feed = { ...usual, retention: Duration.minutes(30) }
      // A quarter to twelve: what was last seen on this day expires half an hour after its end.
      yield* TestClock.adjust("885 minutes")
      const running = yield* replica(database, answers, MemoryDisk.make(), feed)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse([running], 3)
      answers.publish(hosts(2, { etag: '"2"' }))
      yield* pass("12 minutes", [answers])
      assert.strictEqual(yield* running.entries, 3)
      assert.strictEqual(database.count("storeBody"), 2)
      answers.publish(status(304))
      yield* pass("14 minutes", [answers])
      assert.strictEqual(yield* running.entries, 3)
      assert.strictEqual(database.count("storeBody"), 2)
      yield* pass("28 minutes", [answers])
      yield* untilAllUse([running], 2)
      assert.strictEqual(database.count("storeBody"), 3)
    })
  )

  inTime("that was down for two days starts with its list, and after three days without", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2, { etag: '"2"' }))
      const first = yield* replica(database, answers)
      yield* pass("1 minutes", [answers])
      answers.publish(status(304))
      yield* pass("11 minutes", [answers])
      yield* first.die
      yield* TestClock.adjust("71 hours")
      const refused = publisher(status(503))
      const second = yield* replica(database, refused)
      yield* untilAllUse([second], 2)
      yield* second.die
      yield* TestClock.adjust("73 hours")
      const third = yield* replica(database, refused)
      yield* untilErrors([third], "Status (503)")
      assert.isUndefined(yield* third.entries)
    })
  )

  inTime("backs off together, and every replica shows why there is no newer list", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(10))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 10)
      answers.publish(status(500))
      // Due after 10 to 11 minutes, then after 1, 2 and 4 more, each up to a tenth longer, and seen within 45 seconds.
      yield* pass("20 minutes", [answers])
      assert.strictEqual(answers.sent.length, 5)
      yield* untilErrors(fleet, "Status (500)")
      answers.publish(hosts(4))
      yield* pass("11 minutes", [answers])
      yield* untilErrors(fleet, "Shrunken (4 entries after 10)")
      assert.strictEqual(answers.sent.length, 6)
      answers.publish(hosts(11))
      yield* pass("12 minutes", [answers])
      yield* untilAllUse(fleet, 11)
      yield* untilErrors(fleet, undefined)
    })
  )

  inTime("waits as long as Retry-After says, new replicas too", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(status(429, { "retry-after": "1200" }))
      yield* three(database, answers)
      yield* pass("10 minutes", [answers])
      yield* replica(database, answers)
      yield* pass("9 minutes", [answers])
      assert.strictEqual(answers.sent.length, 1)
      yield* pass("4 minutes", [answers])
      assert.strictEqual(answers.sent.length, 2)
    })
  )

  inTime("makes a replica with an empty or an old disk ready without a request to the feed", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const disk = MemoryDisk.make()
      const first = yield* replica(database, answers, disk)
      yield* untilAllUse([first], 2)
      yield* eventually(
        "the list is saved",
        Effect.sync(() => disk.files.has("data/feed_c.6.snapshot"))
      )
      const old = Buffer.from(disk.files.get("data/feed_c.6.snapshot") ?? "")
      answers.publish(hosts(3))
      yield* pass("12 minutes", [answers])
      yield* untilAllUse([first], 3)
      const refused = publisher(status(503))
      yield* untilAllUse([yield* replica(database, refused)], 3)
      const older = MemoryDisk.make()
      older.files.set("data/feed_c.6.snapshot", old)
      yield* untilAllUse([yield* replica(database, refused, older)], 3)
      const saved = ({ files }: MemoryDisk.MemoryDisk) =>
        files.get("data/feed_c.6.snapshot") ?? Buffer.alloc(0)
      yield* eventually(
        "both disks have the same file",
        Effect.sync(() => saved(older).equals(saved(disk)))
      )
      assert.strictEqual(refused.sent.length, 0)
    })
  )

  inTime("does not load a list that the replica has on its disk", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const disk = MemoryDisk.make()
      const first = yield* replica(database, publisher(hosts(2)), disk)
      yield* eventually(
        "the list is saved",
        Effect.sync(() => disk.files.has("data/feed_c.6.snapshot"))
      )
      yield* first.die
      const refused = publisher(status(503))
      const again = yield* replica(database, refused, disk)
      yield* pass("1 minutes", [refused])
      assert.strictEqual(yield* again.entries, 2)
      assert.notInclude(database.commands, "body")
    })
  )

  inTime("fetches once for all replicas of a database that was emptied, when one is due", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 2)
      database.clear()
      yield* pass("1 minutes", [answers])
      assert.strictEqual(answers.sent.length, 1)
      answers.publish(hosts(3))
      const fourth = yield* replica(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse([...fleet, fourth], 3)
      assert.strictEqual(answers.sent.length, 2)
    })
  )

  inTime("replaces a text that is no manifest", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, publisher(hosts(2)))
      yield* untilAllUse([first], 2)
      yield* first.die
      for (const [key, entry] of database.entries)
        if (key.startsWith("text ")) database.entries.set(key, { ...entry, value: "nonsense" })
      const answers = publisher(hosts(3))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 3)
      assert.strictEqual(answers.sent.length, 1)
    })
  )

  inTime("goes on when the disk of one replica hangs", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const disk = MemoryDisk.make()
      disk.error = Effect.never
      const hanging = yield* replica(database, answers, disk)
      yield* pass("15 seconds", [answers])
      yield* untilAllUse([hanging], 2)
      const other = yield* replica(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse([other], 2)
      assert.strictEqual(answers.sent.length, 1)
      answers.publish(hosts(3))
      yield* pass("12 minutes", [answers])
      yield* untilAllUse([other], 3)
    })
  )

  inTime("shares neither keys nor a lease with replicas of the version before", () =>
    Effect.gen(function* () {
      const digest = FeedSnapshot.feedDigest(usual)
      const before = `feed:${FORMAT}:${digest}`
      const database = SharedStoreDouble.make()
      const until = Number.POSITIVE_INFINITY
      const theirs = new Map<string, SharedStoreDouble.Entry>([
        [`text ${before}`, { value: '{"snapshot":{"version":"1"}}', until }],
        [`lease ${before}`, { value: "token", until }],
        [`body ${before} 1`, { value: Buffer.from("list"), until }]
      ])
      for (const [key, entry] of theirs) database.entries.set(key, entry)
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 2)
      answers.publish(hosts(3))
      yield* pass("12 minutes", [answers])
      yield* untilAllUse(fleet, 3)
      for (const [key, entry] of theirs) assert.strictEqual(database.entries.get(key), entry)
      const ours = [...database.names].filter((name) => name !== before)
      deepStrictEqual(ours, [`feed:3:${FORMAT}:${digest}`])
      // Their keys are `shared:<name>`, `shared:<name>:lease` and `shared:<name>:<id>:<piece>`.
      for (const name of ours) assert.isFalse(name.startsWith(before) || before.startsWith(name))
    })
  )

  inTime(
    "runs beside a fleet of the version before: each fetches once, on disks and a database that they share",
    () =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const disk = MemoryDisk.make()
        const name = `feed:3:${FORMAT}:${FeedSnapshot.feedDigest(usual)}`
        const nameBefore = name.replace(`.${VERSION}:`, `.${VERSION - 1}:`)
        // Such a replica differs in the names of its keys and file.
        const before = {
          ...database,
          store: withNames(database.store, (own) => own.replace(name, nameBefore))
        }
        const theirs = publisher(hosts(2))
        const older = [yield* replica(before, theirs), yield* replica(before, theirs)]
        yield* pass("1 minutes", [theirs])
        yield* untilAllUse(older, 2)
        const stored = [...database.entries].filter(([key]) => !key.startsWith("lease "))
        const fileBefore = "data/feed_c.snapshot"
        disk.files.set(fileBefore, Buffer.from("a list of the version before"))

        const ours = publisher(hosts(3))
        const newer = [yield* replica(database, ours, disk), yield* replica(database, ours)]
        yield* pass("1 minutes", [theirs, ours])
        yield* untilAllUse(newer, 3)
        deepStrictEqual([theirs.sent.length, ours.sent.length], [1, 1])
        deepStrictEqual(yield* entriesOf(older), [2, 2])
        for (const [key, entry] of stored) assert.strictEqual(database.entries.get(key), entry, key)
        yield* eventually(
          "the list is saved",
          Effect.sync(() => disk.files.has("data/feed_c.6.snapshot"))
        )
        assert.strictEqual(disk.files.get(fileBefore)?.toString(), "a list of the version before")

        theirs.publish(hosts(4))
        ours.publish(hosts(5))
        yield* pass("12 minutes", [theirs, ours])
        yield* untilAllUse(older, 4)
        yield* untilAllUse(newer, 5)
        deepStrictEqual([theirs.sent.length, ours.sent.length], [2, 2])
        deepStrictEqual(database.names, new Set([name, nameBefore]))
      })
  )

  inTime("has one replica fetch for all when a piece of the list is missing", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 2)
      database.evict()
      answers.publish(hosts(3))
      const fourth = yield* replica(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse([...fleet, fourth], 3)
      assert.strictEqual(answers.sent.length, 2)

      database.evict()
      answers.publish(status(304))
      yield* pass("11 minutes", [answers])
      yield* untilAllUse([yield* replica(database, publisher(status(503)))], 3)
    })
  )

  inTime("does not send more requests to a server that refuses because the shared list is damaged", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, publisher(hosts(2)))
      yield* untilAllUse([first], 2)
      yield* first.die
      database.damage()
      const answers = publisher(status(429, { "retry-after": "3600" }))
      yield* three(database, answers)
      yield* pass("15 minutes", [answers])
      assert.strictEqual(answers.sent.length, 1)
    })
  )

  inTime("waits for its database, each replica for a random time, before replicas fetch alone", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(fleet, 2)
      database.isAway = () => true
      answers.publish(hosts(3))
      yield* pass("14 minutes", [answers])
      assert.strictEqual(answers.sent.length, 1, "at least 5 minutes after the feed was due")
      yield* pass("7 minutes", [answers])
      assert.strictEqual(answers.sent.length, 4)
      yield* untilAllUse(fleet, 3)
      const times = yield* Effect.forEach(fleet, ({ fetchedAt }) => fetchedAt)
      assert.isAbove(new Set(times).size, 1, String(times))

      database.isAway = () => false
      answers.publish(hosts(4))
      yield* pass("12 minutes", [answers])
      yield* untilAllUse(fleet, 4)
      assert.strictEqual(new Set(yield* Effect.forEach(fleet, ({ fetchedAt }) => fetchedAt)).size, 1)
      assert.isAtMost(answers.sent.length, 6)
    })
  )

  inTime(
    "stays with what a replica fetched while the database was away, and shares it with the next refresh",
    () =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const answers = publisher(hosts(2))
        const alone = yield* replica(database, answers)
        yield* pass("1 minutes", [answers])
        database.isAway = () => true
        answers.publish(hosts(3, { etag: '"3"' }))
        yield* pass("21 minutes", [answers])
        yield* untilAllUse([alone], 3)
        answers.publish(status(304))
        database.isAway = () => false
        yield* pass("1 minutes", [answers])
        yield* untilAllUse([alone], 3)
        yield* pass("12 minutes", [answers])
        const other = yield* replica(database, publisher(status(503)))
        yield* untilAllUse([alone, other], 3)
      })
  )

  inTime("fetches once for all when the database is back in time", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("9 minutes", [answers])
      database.isAway = () => true
      answers.publish(hosts(3))
      yield* pass("4 minutes", [answers])
      database.isAway = () => false
      yield* pass("2 minutes", [answers])
      yield* untilAllUse(fleet, 3)
      assert.strictEqual(answers.sent.length, 2)
    })
  )

  inTime("keeps fetching when the database can be read and not written, with few commands", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      database.isAway = (command) => command !== "text" && command !== "body"
      const answers = publisher(hosts(2))
      const alone = yield* replica(database, answers)
      for (const count of [3, 4]) {
        answers.publish(hosts(count))
        yield* pass("22 minutes", [answers])
        yield* untilAllUse([alone], count)
      }
      assert.isAtMost(answers.sent.length, 5)
      assert.isAtMost(database.commands.length, 100)
    })
  )

  inTime("uses a list for which the database has no room, and stores it when there is room again", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      let tries = 0
      let isFull = true
      database.isAway = (command) => {
        if (command === "storeBody") tries++
        return isFull && command === "storeBody"
      }
      const answers = publisher(hosts(2))
      const alone = yield* replica(database, answers)
      yield* pass("9 minutes", [answers])
      yield* untilAllUse([alone], 2)
      deepStrictEqual([answers.sent.length, tries], [1, 1])
      isFull = false
      answers.publish(hosts(3))
      yield* pass("3 minutes", [answers])
      yield* untilAllUse([alone, yield* replica(database, publisher(status(503)))], 3)
      deepStrictEqual([answers.sent.length, tries], [2, 2])
    })
  )

  inTime("replaces a replica that died during its refresh half a minute later", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const silent = publisher(() => "silence")
      const answers = publisher(hosts(2))
      const dying = yield* replica(database, silent)
      yield* eventually(
        "the silent publisher gets a request",
        Effect.sync(() => silent.sent.length === 1)
      )
      const others = [yield* replica(database, answers), yield* replica(database, answers)]
      yield* pass("20 seconds", [answers])
      yield* dying.die
      assert.strictEqual(answers.sent.length, 0)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse(others, 2)
      assert.strictEqual(answers.sent.length, 1)
    })
  )

  inTime("goes on with the list of the other replica when one was paused past its lease", () =>
    Effect.gen(function* () {
      const { awake, database, endDownload, late, sleeper } = yield* pausedPastItsLease
      yield* endDownload
      yield* sleeper.wakeUp
      yield* pass("2 minutes", [late])
      yield* untilAllUse([sleeper, awake], 5)
      yield* untilAllUse([yield* replica(database, publisher(status(503)))], 5)
    })
  )

  inTime("does not replace the other replica's list when one was paused and cannot read the manifest", () =>
    Effect.gen(function* () {
      const { awake, database, endDownload, late, sleeper } = yield* pausedPastItsLease
      const texts = () => [...database.entries].filter(([key]) => key.startsWith("text "))
      const before = texts()
      yield* endDownload
      database.isAway = (command) => command === "text"
      yield* sleeper.wakeUp
      yield* untilAllUse([sleeper], 1)
      deepStrictEqual(texts(), before)
      database.isAway = () => false
      yield* pass("2 minutes", [late])
      yield* untilAllUse([awake], 5)
    })
  )

  inTime("goes on after defects in publishing, saving and reading", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      let isBroken = true
      let isUnreadable = false
      const store: SharedStoreShape = {
        ...database.store,
        setText: (...args) =>
          isBroken ? Effect.dieMessage("a bug in publishing") : database.store.setText(...args),
        text: (...args) =>
          isUnreadable ? Effect.dieMessage("a bug in reading") : database.store.text(...args)
      }
      const disk = MemoryDisk.make()
      disk.error = Effect.dieMessage("a bug in saving")
      const answers = publisher(hosts(2))
      const running = yield* replica({ ...database, store }, answers, disk)
      yield* pass("1 minutes", [answers])
      yield* untilAllUse([running], 2)
      disk.error = undefined
      isBroken = false
      answers.publish(hosts(3))
      yield* untilAllUseLater([running], 3)
      yield* untilAllUseLater([yield* replica(database, publisher(status(503)))], 3)
      assert.strictEqual(answers.sent.length, 2)
      isUnreadable = true
      yield* pass("5 minutes", [answers])
      isUnreadable = false
      answers.publish(hosts(4))
      yield* untilAllUseLater([running], 4)
    })
  )

  inTime("shares no list with another address", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, publisher(hosts(2)))
      yield* untilAllUse([first], 2)
      const answers = publisher(hosts(3))
      const other = feedAt(new URL("https://feeds.example/other"))
      yield* untilAllUse([yield* replica(database, answers, MemoryDisk.make(), other)], 3)
      assert.strictEqual(answers.sent.length, 1)
      yield* untilAllUse([yield* replica(database, publisher(status(503)))], 2)
    })
  )

  inTime("does not share a file: each replica reads its own", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "url-threat-scoring-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const file = join(folder, "list.txt")
      const database = SharedStoreDouble.make()
      const answers = publisher(status(503))
      const ours = feedAt(pathToFileURL(file))
      writeFileSync(file, "a.example\n")
      const first = yield* replica(database, answers, MemoryDisk.make(), ours)
      yield* untilAllUse([first], 1)
      writeFileSync(file, "a.example\nb.example\n")
      const second = yield* replica(database, answers, MemoryDisk.make(), ours)
      yield* untilAllUse([second], 2)
      assert.strictEqual(yield* first.entries, 1)
      yield* TestClock.adjust("11 minutes")
      yield* untilAllUse([first, second], 2)
      deepStrictEqual([database.commands, answers.sent], [[], []])
    })
  )
})
