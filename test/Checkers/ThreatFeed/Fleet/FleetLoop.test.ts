import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Exit, Layer, Option, Scope } from "effect"
import * as FeedSource from "../../../../src/Checkers/ThreatFeed/FeedSource.ts"
import * as SharedLists from "../../../../src/Checkers/ThreatFeed/Fleet/SharedLists.ts"
import * as ThreatFeed from "../../../../src/Checkers/ThreatFeed.ts"
import { CacheError } from "../../../../src/Layers/Cache/CacheError.ts"
import type { SharedStoreShape } from "../../../../src/Layers/SharedStore.ts"
import * as FeedWorkerInProcess from "../../../fixtures/FeedWorkerInProcess.ts"
import * as HttpClientDouble from "../../../fixtures/HttpClientDouble.ts"
import * as MemoryDisk from "../../../fixtures/MemoryDisk.ts"
import * as SharedStoreDouble from "../../../fixtures/SharedStoreDouble.ts"
import { settled, VirtualClock } from "../../../fixtures/VirtualClock.ts"

const start = Date.UTC(2026, 10, 21, 9)
const REFRESH = Duration.minutes(10)
const YEAR = Duration.toMillis(Duration.days(365))

const feedAt = (url: URL): ThreatFeed.Feed => ({
  slot: "feed_c",
  url,
  format: "lines",
  authHeader: Option.none(),
  source: FeedSource.of("lines", url),
  refresh: REFRESH,
  retention: Duration.zero
})
const usual = feedAt(new URL("https://feeds.example/list"))

/** A publisher whose answer can be changed. */
const publisher = (first: () => HttpClientDouble.DoubleAnswer) => {
  let answer = first
  const double = HttpClientDouble.make(() => answer())
  return {
    ...double,
    publish: (next: () => HttpClientDouble.DoubleAnswer) => {
      answer = next
    }
  }
}
type Publisher = ReturnType<typeof publisher>

const hosts =
  (count: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(Array.from({ length: count }, (_, i) => `http://h${i}.example/\n`).join(""), { headers })

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status: code, headers })

/** A test that begins at nine o'clock. */
const inTime = <A, E>(name: string, test: (clock: VirtualClock) => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => {
    const clock = new VirtualClock(start)
    return Effect.withClock(test(clock), clock)
  })

const throughGate = (store: SharedStoreShape, gate: Effect.Effect<void, CacheError>): SharedStoreShape => ({
  heads: (names) => Effect.zipRight(gate, store.heads(names)),
  body: (name, body) => Effect.zipRight(gate, store.body(name, body)),
  storeBody: (name, bytes) => Effect.zipRight(gate, store.storeBody(name, bytes)),
  removeBody: (name, body) => Effect.zipRight(gate, store.removeBody(name, body)),
  switchHead: (name, step) => Effect.zipRight(gate, store.switchHead(name, step)),
  lease: (name, token, duration) => Effect.zipRight(gate, store.lease(name, token, duration)),
  endLease: (name, token) => Effect.zipRight(gate, store.endLease(name, token))
})

/** A process of the fleet. */
const replica = (
  database: ReturnType<typeof SharedStoreDouble.make>,
  answers: Publisher,
  disk = MemoryDisk.make(),
  feed = usual
) =>
  Effect.gen(function* () {
    const latch = yield* Effect.makeLatch(true)
    let isDead = false
    const gate = Effect.zipRight(
      latch.await,
      Effect.suspend(() => (isDead ? new CacheError({ reason: "Unreachable" }) : Effect.void))
    )
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const running = yield* Effect.gen(function* () {
      const lists = yield* SharedLists.make(throughGate(database.store, gate), [feed])
      return yield* ThreatFeed.make(feed, "data", Option.fromNullable(lists.get(feed.slot)))
    }).pipe(
      Scope.extend(scope),
      Effect.provide([Layer.provide(FeedWorkerInProcess.layer, answers.layer), disk.layer])
    )
    yield* settled
    const held = Effect.map(running.status, ({ held }) => Option.getOrUndefined(held))
    return {
      entries: Effect.map(held, (held) => held?.entries),
      isStale: Effect.map(held, (held) => held?.isStale === true),
      fetchedAt: Effect.map(held, (held) => (held === undefined ? undefined : held.fetchedAt - start)),
      trouble: Effect.map(running.status, ({ fetchTrouble }) =>
        Option.getOrUndefined(Option.map(fetchTrouble, ({ message }) => message))
      ),
      /** It ends as the system ends a process: nobody is told. */
      die: Effect.suspend(() => {
        isDead = true
        return Scope.close(scope, Exit.void)
      }),
      /** It does not get to use the database until `wakeUp`. */
      fallAsleep: latch.close,
      wakeUp: Effect.zipRight(latch.open, settled)
    }
  })

const three = (database: ReturnType<typeof SharedStoreDouble.make>, answers: Publisher) =>
  Effect.all([replica(database, answers), replica(database, answers), replica(database, answers)])

const entriesOf = (fleet: ReadonlyArray<{ readonly entries: Effect.Effect<number | undefined> }>) =>
  Effect.forEach(fleet, ({ entries }) => entries)

describe("FleetLoop", () => {
  inTime("fetches once for all, and all have the list within a minute", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(1))
      const fleet = yield* three(database, answers)
      yield* pass("5 seconds")
      deepStrictEqual(yield* entriesOf(fleet), [1, 1, 1])
      for (const count of [2, 3]) {
        answers.publish(hosts(count))
        yield* pass("11 minutes")
        yield* pass("1 minutes")
        deepStrictEqual(yield* entriesOf(fleet), [count, count, count])
        assert.strictEqual(answers.sent.length, count)
      }
      assert.strictEqual(database.bodies(), 2, "the one before is there for who is reading it")
    })
  )

  inTime(
    "looks at the database once in half a minute at most, and does nothing else while nothing is due",
    ({ pass }) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const running = yield* replica(database, publisher(hosts(1)))
        yield* pass("1 minutes")
        assert.strictEqual(yield* running.entries, 1)
        const before = database.commands.length
        yield* pass("8 minutes")
        const commands = database.commands.slice(before)
        deepStrictEqual(new Set(commands), new Set(["heads"]))
        assert.isAtLeast(commands.length, 10)
        assert.isAtMost(commands.length, 16)
      })
  )

  inTime("tells all that nothing has changed, without storing the list again", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2, { etag: '"2"' }))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes")
      answers.publish(status(304))
      yield* pass("26 minutes")
      assert.strictEqual(answers.sent.length, 3)
      deepStrictEqual(
        new Set(answers.sent.slice(1).map(({ headers }) => headers["if-none-match"])),
        new Set(['"2"'])
      )
      assert.strictEqual(database.commands.filter((command) => command === "storeBody").length, 1)
      const times = new Set(yield* Effect.forEach(fleet, ({ fetchedAt }) => fetchedAt))
      assert.strictEqual(times.size, 1)
      assert.isAbove([...times][0] ?? 0, Duration.toMillis("20 minutes"))
    })
  )

  inTime(
    "stores a list that keeps entries anew only when some of them are past their retention",
    ({ pass }) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const stored = () => database.commands.filter((command) => command === "storeBody").length
        const answers = publisher(hosts(3))
        const feed = { ...usual, retention: Duration.hours(1) }
        const running = yield* replica(database, answers, MemoryDisk.make(), feed)
        answers.publish(hosts(2, { etag: '"2"' }))
        yield* pass("12 minutes")
        assert.strictEqual(yield* running.entries, 3)
        assert.strictEqual(stored(), 2)
        answers.publish(status(304))
        yield* pass("45 minutes")
        assert.strictEqual(yield* running.entries, 3)
        assert.strictEqual(stored(), 2)
        yield* pass("30 minutes")
        assert.strictEqual(yield* running.entries, 2)
        assert.strictEqual(stored(), 3)
      })
  )

  inTime(
    "has a list for a fleet that was down for two days, and after three days none any more",
    ({ pass }) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const answers = publisher(hosts(2, { etag: '"2"' }))
        const first = yield* replica(database, answers)
        yield* pass("1 minutes")
        answers.publish(status(304))
        yield* pass("11 minutes")
        yield* first.die
        yield* pass("71 hours")
        answers.publish(status(503))
        const second = yield* replica(database, answers)
        assert.strictEqual(yield* second.entries, 2)
        yield* second.die
        database.isAway = () => true
        yield* pass("73 hours")
        database.isAway = () => false
        assert.strictEqual(yield* (yield* replica(database, answers)).entries, undefined)
      })
  )

  inTime("backs off as one, and tells all why there is nothing newer", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(10))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes")
      answers.publish(status(500))
      // Due after 10 to 11 minutes, then after 1, 2 and 4 more, each up to a tenth longer, and noticed at once.
      yield* pass("20 minutes")
      assert.strictEqual(answers.sent.length, 5)
      const troubles = yield* Effect.forEach(fleet, ({ trouble }) => trouble)
      deepStrictEqual(troubles, ["Status (500)", "Status (500)", "Status (500)"])
      answers.publish(hosts(4))
      yield* pass("11 minutes")
      deepStrictEqual(
        yield* Effect.forEach(fleet, ({ trouble }) => trouble),
        Array(3).fill("Shrunken (4 entries after 10)")
      )
      assert.strictEqual(answers.sent.length, 6)
      answers.publish(hosts(11))
      yield* pass("12 minutes")
      deepStrictEqual(yield* entriesOf(fleet), [11, 11, 11])
      deepStrictEqual(yield* Effect.forEach(fleet, ({ trouble }) => trouble), Array(3).fill(undefined))
    })
  )

  inTime(
    "leaves a server alone for as long as it asks, also by replicas that it has told nothing",
    ({ pass }) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const answers = publisher(status(429, { "retry-after": "3600" }))
        yield* three(database, answers)
        yield* pass("10 minutes")
        yield* replica(database, answers)
        yield* pass("49 minutes")
        assert.strictEqual(answers.sent.length, 1)
        yield* pass("8 minutes")
        assert.strictEqual(answers.sent.length, 2)
      })
  )

  inTime("is ready with an empty disk, or an older one, without asking the feed", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const disk = MemoryDisk.make()
      const first = yield* replica(database, answers, disk)
      const old = Buffer.from(disk.files.get("data/feed_c.snapshot") ?? "")
      answers.publish(hosts(3))
      yield* pass("12 minutes")
      assert.strictEqual(yield* first.entries, 3)
      const refused = publisher(status(503))
      assert.strictEqual(yield* (yield* replica(database, refused)).entries, 3)
      const older = MemoryDisk.make()
      older.files.set("data/feed_c.snapshot", old)
      assert.strictEqual(yield* (yield* replica(database, refused, older)).entries, 3)
      const saved = ({ files }: MemoryDisk.MemoryDisk) => files.get("data/feed_c.snapshot") ?? Buffer.alloc(0)
      assert.isTrue(saved(older).equals(saved(disk)))
      assert.strictEqual(refused.sent.length, 0)
    })
  )

  inTime("does not load what it has from its disk", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const disk = MemoryDisk.make()
      const first = yield* replica(database, publisher(hosts(2)), disk)
      yield* first.die
      const again = yield* replica(database, publisher(status(503)), disk)
      yield* pass("1 minutes")
      assert.strictEqual(yield* again.entries, 2)
      assert.notInclude(database.commands, "body")
    })
  )

  inTime("fills a database that was emptied, without a download", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      yield* three(database, answers)
      yield* pass("1 minutes")
      database.clear()
      yield* pass("1 minutes")
      const refused = publisher(status(503))
      assert.strictEqual(yield* (yield* replica(database, refused)).entries, 2)
      assert.strictEqual(answers.sent.length + refused.sent.length, 1)
      assert.strictEqual(database.commands.filter((command) => command === "storeBody").length, 2)
    })
  )

  inTime("replaces what is no manifest", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const store = {
        ...database.store,
        heads: (names: ReadonlyArray<string>) =>
          Effect.map(database.store.heads(names), (heads) =>
            heads.map((head) => Option.orElseSome(head, () => "nonsense"))
          ),
        switchHead: (name: string, step: Parameters<SharedStoreShape["switchHead"]>[1]) =>
          database.store.switchHead(name, {
            ...step,
            expected: Option.filter(step.expected, (head) => head !== "nonsense")
          })
      }
      const answers = publisher(hosts(2))
      const fleet = yield* three({ ...database, store }, answers)
      yield* pass("1 minutes")
      deepStrictEqual(yield* entriesOf(fleet), [2, 2, 2])
      assert.strictEqual(answers.sent.length, 1)
    })
  )

  inTime("lets one replica fetch for all when the list in the database is not whole", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes")
      database.evict()
      answers.publish(hosts(3))
      const fourth = yield* replica(database, answers)
      yield* pass("1 minutes")
      deepStrictEqual(yield* entriesOf([...fleet, fourth]), [3, 3, 3, 3])
      assert.strictEqual(answers.sent.length, 2)

      database.evict()
      answers.publish(status(304))
      yield* pass("11 minutes")
      assert.strictEqual(yield* (yield* replica(database, publisher(status(503)))).entries, 3)
    })
  )

  inTime("asks a server that refuses no more often because the list in the database is damaged", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, publisher(hosts(2)))
      yield* first.die
      database.damage()
      const answers = publisher(status(429, { "retry-after": "3600" }))
      yield* three(database, answers)
      yield* pass("50 minutes")
      assert.strictEqual(answers.sent.length, 1)
    })
  )

  inTime(
    "waits for the database to come back, each replica for another time, and then fetches alone",
    ({ pass }) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const answers = publisher(hosts(2))
        const fleet = yield* three(database, answers)
        yield* pass("1 minutes")
        database.isAway = () => true
        answers.publish(hosts(3))
        yield* pass("14 minutes")
        assert.strictEqual(answers.sent.length, 1, "at least half of ten minutes after it was due")
        yield* pass("7 minutes")
        assert.strictEqual(answers.sent.length, 4)
        deepStrictEqual(yield* entriesOf(fleet), [3, 3, 3])
        const times = yield* Effect.forEach(fleet, ({ fetchedAt }) => fetchedAt)
        assert.strictEqual(new Set(times).size, 3, String(times))

        database.isAway = () => false
        yield* pass("2 minutes")
        assert.strictEqual(new Set(yield* Effect.forEach(fleet, ({ fetchedAt }) => fetchedAt)).size, 1)
        answers.publish(hosts(4))
        yield* pass("12 minutes")
        deepStrictEqual(yield* entriesOf(fleet), [4, 4, 4])
        assert.isAtMost(answers.sent.length, 6)
      })
  )

  inTime("publishes what it fetched while the database was away", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const alone = yield* replica(database, answers)
      yield* pass("1 minutes")
      database.isAway = () => true
      answers.publish(hosts(3))
      yield* pass("21 minutes")
      assert.strictEqual(yield* alone.entries, 3)
      answers.publish(status(503))
      database.isAway = () => false
      yield* pass("1 minutes")
      const other = yield* replica(database, publisher(status(503)))
      deepStrictEqual(yield* entriesOf([alone, other]), [3, 3])
    })
  )

  inTime("fetches once for all when the database comes back in time", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("9 minutes")
      database.isAway = () => true
      answers.publish(hosts(3))
      yield* pass("4 minutes")
      database.isAway = () => false
      yield* pass("2 minutes")
      deepStrictEqual(yield* entriesOf(fleet), [3, 3, 3])
      assert.strictEqual(answers.sent.length, 2)
    })
  )

  inTime("waits seconds only when it has no list", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      database.isAway = () => true
      const alone = yield* replica(database, publisher(hosts(2)))
      yield* pass("10 seconds")
      assert.strictEqual(yield* alone.entries, 2)
    })
  )

  inTime("keeps fetching when the database can be read and not written, and does not storm it", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      database.isAway = (command) => command !== "heads" && command !== "body"
      const answers = publisher(hosts(2))
      const alone = yield* replica(database, answers)
      for (const count of [3, 4]) {
        answers.publish(hosts(count))
        yield* pass("22 minutes")
        assert.strictEqual(yield* alone.entries, count)
      }
      assert.isAtMost(answers.sent.length, 5)
      assert.isAtMost(database.commands.length, 100)
    })
  )

  inTime("keeps a list that the database has no room for, and tries less and less to store it", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      let tries = 0
      database.isAway = (command) => {
        if (command === "storeBody") tries++
        return command === "storeBody"
      }
      const answers = publisher(hosts(2))
      const alone = yield* replica(database, answers)
      yield* pass("9 minutes")
      assert.strictEqual(yield* alone.entries, 2)
      assert.strictEqual(answers.sent.length, 1)
      assert.isAtLeast(tries, 3)
      assert.isAtMost(tries, 5)
    })
  )

  inTime(
    "goes on for a replica that died while it fetched, half a minute later, with one download more",
    ({ pass }) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const answers = publisher(hosts(2))
        const dying = yield* replica(
          database,
          publisher(() => "silence")
        )
        const others = [yield* replica(database, answers), yield* replica(database, answers)]
        yield* pass("20 seconds")
        yield* dying.die
        assert.strictEqual(answers.sent.length, 0)
        yield* pass("1 minutes")
        deepStrictEqual(yield* entriesOf(others), [2, 2])
        assert.strictEqual(answers.sent.length, 1)
      })
  )

  inTime("does not let a replica that slept past its lease overwrite what came meanwhile", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const early = publisher(() => "silence")
      const controller: Array<ReadableStreamDefaultController<Uint8Array>> = []
      early.publish(
        () =>
          new Response(new ReadableStream<Uint8Array>({ start: (opened) => void controller.push(opened) }))
      )
      const late = publisher(hosts(5))
      const sleeper = yield* replica(database, early)
      assert.strictEqual(early.sent.length, 1)
      yield* sleeper.fallAsleep
      const awake = yield* replica(database, late)
      for (let drops = 0; drops < 3; drops++) {
        yield* pass("20 seconds")
        for (const opened of controller) opened.enqueue(Buffer.from("http://old.example/\n"))
      }
      assert.strictEqual(yield* awake.entries, 5)
      for (const opened of controller) opened.close()
      yield* settled
      yield* sleeper.wakeUp
      yield* pass("2 minutes")
      deepStrictEqual(yield* entriesOf([sleeper, awake]), [5, 5])
      assert.strictEqual(yield* (yield* replica(database, publisher(status(503)))).entries, 5)
    })
  )

  inTime("keeps what a replica fetched while another took its lease and got nothing", ({ pass }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const controller: Array<ReadableStreamDefaultController<Uint8Array>> = []
      const slow = publisher(
        () =>
          new Response(new ReadableStream<Uint8Array>({ start: (opened) => void controller.push(opened) }))
      )
      const sleeper = yield* replica(database, slow)
      yield* sleeper.fallAsleep
      const refused = publisher(status(429, { "retry-after": "3600" }))
      const awake = yield* replica(database, refused)
      for (let drops = 0; drops < 3; drops++) {
        yield* pass("20 seconds")
        for (const opened of controller) opened.enqueue(Buffer.from(`http://h${drops}.example/\n`))
      }
      assert.strictEqual(refused.sent.length, 1)
      for (const opened of controller) opened.close()
      yield* settled
      yield* sleeper.wakeUp
      yield* pass("2 minutes")
      deepStrictEqual(yield* entriesOf([sleeper, awake]), [3, 3])
      deepStrictEqual([slow.sent.length, refused.sent.length], [1, 1])
    })
  )

  inTime("goes on at its pace when the clock of its machine is set back", ({ pass, setDate }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const fleet = yield* three(database, answers)
      yield* pass("1 minutes")
      setDate(start - YEAR)
      answers.publish(hosts(3))
      yield* pass("11 minutes")
      deepStrictEqual(yield* entriesOf(fleet), [3, 3, 3])
      assert.strictEqual(answers.sent.length, 2)
      yield* pass("22 minutes")
      assert.strictEqual(answers.sent.length, 4)
    })
  )

  inTime("waits no longer than others meant to whose clock was ahead", ({ pass, setDate }) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = publisher(hosts(2))
      const first = yield* replica(database, answers)
      yield* pass("1 minutes")
      yield* first.die
      setDate(start - YEAR)
      answers.publish(hosts(3))
      const second = yield* replica(database, answers)
      assert.strictEqual(yield* second.entries, 2)
      assert.isTrue(yield* second.isStale)
      yield* pass("9 minutes")
      assert.strictEqual(answers.sent.length, 1)
      yield* pass("2 minutes")
      assert.strictEqual(yield* second.entries, 3)
      assert.isFalse(yield* second.isStale)
    })
  )

  inTime("does not publish a list from the future over one of today", ({ pass, setDate }) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const early = yield* replica(SharedStoreDouble.make(), publisher(hosts(2)), disk)
      yield* early.die
      setDate(start - YEAR)
      const database = SharedStoreDouble.make()
      const today = yield* replica(database, publisher(hosts(3)))
      const late = yield* replica(database, publisher(status(503)), disk)
      yield* pass("1 minutes")
      deepStrictEqual(yield* entriesOf([today, late]), [3, 3])
    })
  )

  inTime("shares no list with another address", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      yield* replica(database, publisher(hosts(2)))
      const answers = publisher(hosts(3))
      const other = feedAt(new URL("https://feeds.example/other"))
      const running = yield* replica(database, answers, MemoryDisk.make(), other)
      assert.strictEqual(yield* running.entries, 3)
      assert.strictEqual(answers.sent.length, 1)
      assert.strictEqual(yield* (yield* replica(database, publisher(status(503)))).entries, 2)
    })
  )
})
