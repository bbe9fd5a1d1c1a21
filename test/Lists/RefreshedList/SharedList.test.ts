import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Exit, Option, Scope, TestClock } from "effect"
import { DatabaseError } from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import { ListError } from "../../../src/Lists/ListError.ts"
import * as SharedList from "../../../src/Lists/RefreshedList/SharedList.ts"
import type { SharedStoreShape } from "../../../src/Lists/SharedStore.ts"
import * as FeedSnapshot from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import * as JumpingDate from "../../fixtures/JumpingDate.ts"
import * as MemoryDisk from "../../fixtures/MemoryDisk.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import {
  kinds,
  REFRESH,
  refused,
  SECRET,
  type Source,
  START,
  type Started,
  settled,
  testsOf
} from "../../fixtures/RefreshedLists.ts"
import * as SharedStoreDouble from "../../fixtures/SharedStoreDouble.ts"
import { listOf } from "../../fixtures/ThreatLists.ts"

const pass = (duration: Duration.DurationInput) => Effect.zipRight(adjust(duration), settled)

/** From one answer until all replicas have the next. */
const passRefresh = pass(Duration.sum(REFRESH, Duration.minutes(3)))

/** A process of the fleet. */
const replica = (
  database: SharedStoreDouble.SharedStoreDouble,
  source: Source,
  disk = MemoryDisk.make(),
  isOther = false
) =>
  Effect.gen(function* () {
    const latch = yield* Effect.makeLatch(true)
    let isDead = false
    const store: SharedStoreShape = {
      send: (commands) =>
        Effect.zipRight(
          latch.await,
          Effect.suspend(() =>
            isDead ? new DatabaseError({ reason: "Unreachable" }) : database.store.send(commands)
          )
        )
    }
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const list = yield* Scope.extend(source.start(disk, store, isOther), scope)
    yield* settled
    return {
      ...list,
      answeredAt: () => Option.getOrThrow(list.state().snapshot).answeredAt,
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

const fleetOf = (size: number, database: SharedStoreDouble.SharedStoreDouble, source: Source) =>
  Effect.all(Array.from({ length: size }, () => replica(database, source)))

const assertAllUse = (fleet: ReadonlyArray<Started>, expected: number) =>
  deepStrictEqual(
    fleet.map(({ entries }) => entries()),
    fleet.map(() => expected)
  )

const assertErrors = (fleet: ReadonlyArray<Started>, expected: string | undefined) =>
  deepStrictEqual(
    fleet.map(({ error }) => error()),
    fleet.map(() => expected)
  )

const losses: ReadonlyArray<
  readonly [what: string, lose: (database: SharedStoreDouble.SharedStoreDouble) => void]
> = [
  ["everything", (database) => database.clear()],
  ["the list's body", (database) => database.evict()],
  ["a byte of the list", (database) => database.damage()],
  [
    "the key",
    (database) => {
      for (const key of database.versions())
        database.entries.set(key, { value: "nonsense", until: Number.POSITIVE_INFINITY })
    }
  ]
]

/** The definition of the ranking is that of a feed, with another name. */
const definitions = kinds.filter(([description]) => description !== "the ranking")

/** What replicas share of every list. */
describe.each(definitions)("replicas with %s", (_, kind) => {
  const inTime = testsOf(kind)

  for (const size of [2, 5])
    inTime(`request it once for all ${size} of them at each refresh, with few commands`, (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const fleet = yield* fleetOf(size, database, source)
        yield* pass("15 seconds")
        assertAllUse(fleet, 1)
        assert.strictEqual(source.requestedAt.length, 1)
        const before = database.commands.length
        yield* pass("9 minutes")
        assert.strictEqual(database.commands.length, before, "none is due")

        yield* pass("4 minutes")
        assert.strictEqual(source.requestedAt.length, 2)
        // Of the replica that requests it: look, lease and look, publish, end the lease. The others look.
        assert.strictEqual(database.commands.length, before + 5 + size - 1)
        assert.strictEqual(database.stored(), 1, "nothing has changed")
        assert.strictEqual(new Set(fleet.map(({ answeredAt }) => answeredAt())).size, 1)

        source.answer(Effect.succeed("second"))
        yield* passRefresh
        assertAllUse(fleet, 2)
        assert.strictEqual(source.requestedAt.length, 3)
        deepStrictEqual([database.stored(), database.pieces().length], [2, 1], "the old body is removed")
        deepStrictEqual(database.leases(), [])
      })
    )

  inTime("request it once when their clocks differ by five minutes", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const fleet = yield* Effect.forEach([0, 5, 2], (minutes) =>
        Effect.flatMap(JumpingDate.make, ({ clock, jump }) => {
          jump(minutes * 60_000)
          return Effect.withClock(replica(database, source), clock)
        })
      )
      assertAllUse(fleet, 1)
      source.answer(Effect.succeed("second"))
      yield* pass(Duration.sum(REFRESH, Duration.minutes(7)))
      assertAllUse(fleet, 2)
      assert.isAtMost(source.requestedAt.length, 3)
    })
  )

  for (const minutes of [30, -30])
    inTime(`request it at most once more after the date jumps by ${minutes} minutes`, (source) =>
      Effect.gen(function* () {
        const { clock, jump } = yield* JumpingDate.make
        const fleet = yield* Effect.withClock(fleetOf(3, SharedStoreDouble.make(), source), clock)
        yield* pass("1 minute")
        assertAllUse(fleet, 1)
        source.answer(Effect.succeed("second"))
        jump(minutes * 60_000)
        yield* passRefresh
        assertAllUse(fleet, 2)
        assert.isAtMost(source.requestedAt.length, 3)
      })
    )

  inTime("request it once when another one was faster between a look and the lease", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const latch = yield* Effect.makeLatch(true)
      const store: SharedStoreShape = {
        send: (commands) =>
          Effect.zipRight(commands.length > 1 ? latch.await : Effect.void, database.store.send(commands))
      }
      yield* latch.close
      const slow = yield* replica({ ...database, store }, source)
      const fast = yield* replica(database, source)
      deepStrictEqual([slow.entries(), fast.entries(), source.requestedAt.length], [0, 1, 1])
      yield* latch.open
      yield* settled
      deepStrictEqual([slow.entries(), fast.entries(), source.requestedAt.length], [1, 1, 1])
      deepStrictEqual(database.leases(), [])
    })
  )

  inTime("store it under keys with the versions of the formats, and neither address nor key", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      yield* replica(database, source)
      const [key = "", ...others] = database.versions()
      deepStrictEqual(others, [])
      assert.match(key, kind.storeName)
      for (const [name, ...args] of database.commands) {
        assert.isTrue(String(args[0]).startsWith(key))
        const stored = `${name} ${args.join(" ")} ${Buffer.from(String(args[1]), "base64").toString("latin1")}`
        for (const secret of [SECRET, "example"]) assert.notInclude(stored, secret)
      }
    })
  )

  inTime("leave alone what another version has stored", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      yield* replica(database, source)
      const [key = ""] = database.versions()
      const { value, until } = database.entries.get(key) ?? assert.fail("no version")
      const old = key.replace(/^list:\d+/, "list:3")
      database.clear()
      database.entries.set(old, { value, until })
      const fleet = yield* fleetOf(2, database, source)
      yield* pass("1 minute")
      assertAllUse(fleet, 1)
      assert.strictEqual(source.requestedAt.length, 2, "once by each version")
      deepStrictEqual(database.entries.get(old), { value, until })
    })
  )

  inTime("have it after two days without one of them, not after three", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, source)
      yield* passRefresh
      yield* first.die
      source.answer(refused())
      yield* adjust("71 hours")
      const second = yield* replica(database, source)
      assertAllUse([second], 1)
      yield* second.die
      yield* adjust("73 hours")
      const third = yield* replica(database, source)
      assertErrors([third], "Status (429)")
      assertAllUse([third], 0)
    })
  )

  inTime("give it to a new one at once, to one with an older list when that is due, and save it", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const file = `${kind.file}.list`
      const disks = [MemoryDisk.make(), MemoryDisk.make(), MemoryDisk.make()] as const
      const [disk, empty, old] = disks
      yield* Effect.scoped(replica(SharedStoreDouble.make(), source, old))
      yield* adjust("1 minutes")
      source.answer(Effect.succeed("second"))
      const first = yield* replica(database, source, disk)
      source.answer(refused())
      const late = yield* replica(database, source, empty)
      const saved = yield* replica(database, source, old)
      assertAllUse([late], 2)
      assertAllUse([saved], 1)
      yield* pass("11 minutes")
      assertAllUse([first, late, saved], 2)
      for (const { files } of disks) deepStrictEqual(files.get(file), disk.files.get(file))
      assert.strictEqual(empty.done.filter((step) => step.startsWith("rename")).length, 1)

      yield* first.die
      const loads = () =>
        database.commands.filter((command) => command[0] === "GET" && database.isPiece(command)).length
      const before = loads()
      const again = yield* replica(database, source, disk)
      yield* pass("1 minutes")
      assertAllUse([again], 2)
      assert.strictEqual(loads(), before)
    })
  )

  inTime("back off together, before there is a list too, and each shows why", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      source.answer(refused("40 minutes"))
      const first = yield* replica(database, source)
      yield* pass("10 minutes")
      const late = yield* replica(database, source)
      const all = [first, late]
      yield* pass("29 minutes")
      assertErrors(all, "Status (429)")
      assert.strictEqual(source.requestedAt.length, 1)
      source.answer(Effect.succeed("first"))
      yield* pass("7 minutes")
      assertAllUse(all, 1)
      assertErrors(all, undefined)
      assert.strictEqual(source.requestedAt.length, 2)

      source.answer(refused())
      let replicas = all
      const sent = source.requestedAt.length
      for (let failures = 1; failures <= 4; failures++) {
        const dueAt = replicas.map(({ state }) => Option.getOrThrow(state().nextAttemptAt))
        yield* TestClock.setTime(Math.max(...dueAt))
        yield* pass("1 second")
        assert.strictEqual(source.requestedAt.length, sent + failures)
        assertErrors(replicas, "Status (429)")
        assertAllUse(replicas, 1)
        if (failures !== 2) continue
        for (const { die } of replicas) yield* die
        replicas = [yield* replica(database, source)]
      }
      // Longer and longer waits, which no replica begins anew.
      const [one = 0, two = 0, three = 0, four = 0] = source.requestedAt.slice(sent)
      assert.isAbove(four - three, 1.8 * (two - one))
    })
  )

  inTime("do not request before a back-off ends that could not be shared", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const refusedOne = yield* replica(database, source)
      yield* pass("9 minutes")
      database.isAway = () => true
      source.answer(refused("40 minutes"))
      yield* pass("4 minutes")
      assertErrors([refusedOne], "Status (429)")
      database.isAway = () => false
      source.answer(Effect.succeed("second"))
      const sent = source.requestedAt.length
      yield* pass("30 minutes")
      assert.strictEqual(source.requestedAt.length, sent)
      yield* pass("16 minutes")
      assertAllUse([refusedOne], 2)
    })
  )

  for (const [what, lose] of losses)
    inTime(`have one of them request it for all when the database has lost ${what}`, (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const fleet = yield* fleetOf(2, database, source)
        lose(database)
        yield* pass("1 minutes")
        assert.strictEqual(source.requestedAt.length, 1, "none is due")
        source.answer(Effect.succeed("second"))
        const late = yield* replica(database, source)
        yield* pass("1 minutes")
        assertAllUse([late], 2)
        assert.strictEqual(source.requestedAt.length, 2)
        yield* pass(Duration.sum(REFRESH, Duration.minutes(2)))
        assertAllUse([...fleet, late], 2)
        assert.isAtMost(source.requestedAt.length, 3)
      })
    )

  inTime("each request it while the database is away, and together again when it is back", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const fleet = yield* fleetOf(3, database, source)
      database.isAway = () => true
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse(fleet, 2)
      assert.strictEqual(source.requestedAt.length, 4)

      database.isAway = () => false
      source.answer(Effect.succeed("first"))
      yield* passRefresh
      assertAllUse(fleet, 1)
      const sent = source.requestedAt.length
      assert.isAtMost(sent, 7)
      yield* passRefresh
      assert.strictEqual(source.requestedAt.length, sent + 1)
      assert.strictEqual(new Set(fleet.map(({ answeredAt }) => answeredAt())).size, 1)
    })
  )

  inTime("request it when their own interval is over, if the one that wrote has a longer one", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const old = yield* replica(database, source)
      const [key = ""] = database.versions()
      const { until, value } = database.entries.get(key) ?? assert.fail("no version")
      const version = JSON.parse(value)
      const nextAt = version.writtenAt + Duration.toMillis("7 days")
      database.entries.set(key, { value: JSON.stringify({ ...version, nextAt }), until })
      yield* old.die
      const fleet = yield* fleetOf(2, database, source)
      assertAllUse(fleet, 1)
      assert.strictEqual(source.requestedAt.length, 1)
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse(fleet, 2)
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime("request it themselves if the database answers something else about the lease", (source) =>
    Effect.gen(function* () {
      const { store } = SharedStoreDouble.make()
      const send: SharedStoreShape["send"] = (commands) =>
        Effect.map(store.send(commands), (results) => results.map(() => 1))
      const alone = yield* replica({ ...SharedStoreDouble.make(), store: { send } }, source)
      assertAllUse([alone], 1)
    })
  )

  inTime("do not request it early at a start without the database", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const disk = MemoryDisk.make()
      yield* (yield* replica(database, source, disk)).die
      database.isAway = () => true
      const again = yield* replica(database, source, disk)
      yield* pass("8 minutes")
      assertAllUse([again], 1)
      assert.strictEqual(source.requestedAt.length, 1)
      yield* pass("4 minutes")
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime("use a list for which the database has no room, and store it when there is room again", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      database.isAway = (command) => command[0] === "SET" && database.isPiece(command)
      const alone = yield* replica(database, source)
      assertAllUse([alone], 1)
      deepStrictEqual([database.pieces(), database.leases()], [[], []])
      database.isAway = () => false
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      source.answer(refused())
      assertAllUse([alone, yield* replica(database, source)], 2)
    })
  )

  inTime("let another one try when the one that requests it cannot reach the source", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const reachable = kind.make()
      const cutOff = yield* replica(database, source)
      const other = yield* replica(database, reachable)
      assertAllUse([cutOff, other], 1)
      source.answer(refused())
      reachable.answer(Effect.succeed("second"))
      yield* pass("70 minutes")
      assertAllUse([cutOff, other], 2)
      assertErrors([cutOff, other], undefined)
    })
  )

  inTime("publish an error of any length", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const text = "columns ".repeat(100)
      source.answer(Effect.fail(new ListError("Columns", text)))
      const fleet = yield* fleetOf(2, database, source)
      assert.strictEqual(source.requestedAt.length, 1)
      for (const { error } of fleet) assert.include(error(), "Columns (columns")
    })
  )

  inTime("request it again when the database has lost a newer one before all have loaded it", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const fleet = yield* fleetOf(2, database, source)
      source.answer(Effect.succeed("second"))
      // The first of them publishes it.
      yield* adjust(REFRESH)
      while (database.stored() < 2) yield* pass("1 second")
      database.evict()
      yield* pass("3 minutes")
      assertAllUse(fleet, 2)
      assert.isAtMost(source.requestedAt.length, 3)
    })
  )

  inTime("replace one that died during its request within the lease of a minute", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      source.answer(Effect.never)
      const dying = yield* replica(database, source)
      source.answer(Effect.succeed("first"))
      const others = yield* fleetOf(2, database, source)
      yield* pass("15 seconds")
      yield* dying.die
      assert.strictEqual(source.requestedAt.length, 1)
      yield* pass("50 seconds")
      assertAllUse(others, 1)
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime("replace one at once that ends during its request", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      source.answer(Effect.never)
      const scope = yield* Scope.make()
      yield* Scope.extend(replica(database, source), scope)
      source.answer(Effect.succeed("first"))
      const other = yield* replica(database, source)
      assert.strictEqual(source.requestedAt.length, 1)
      yield* Scope.close(scope, Exit.void)
      yield* pass("15 seconds")
      assertAllUse([other], 1)
    })
  )

  inTime("go on when one was paused past its lease", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const download = yield* Effect.makeLatch()
      source.answer(Effect.as(download.await, "first"))
      const sleeper = yield* replica(database, source)
      yield* sleeper.fallAsleep
      source.answer(Effect.succeed("second"))
      const awake = yield* replica(database, source)
      yield* pass("2 minutes")
      assertAllUse([awake], 2)
      yield* download.open
      yield* settled
      yield* sleeper.wakeUp
      yield* passRefresh
      yield* passRefresh
      source.answer(refused())
      assertAllUse([sleeper, awake, yield* replica(database, source)], 2)
    })
  )

  for (const [outcome, end] of [
    ["fails", refused()],
    ["succeeds", Effect.succeed("first" as const)]
  ] as const)
    inTime(`keep what another has published when a request ${outcome} after its lease`, (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const slow = yield* replica(database, source)
        const other = yield* replica(database, source)
        source.answer(Effect.zipRight(Effect.sleep("3 minutes"), end))
        yield* TestClock.setTime(Option.getOrThrow(slow.state().nextAttemptAt))
        yield* settled
        assert.strictEqual(source.requestedAt.length, 2)
        source.answer(Effect.succeed("second"))
        yield* pass("150 seconds")
        assertAllUse([other], 2)
        yield* pass("40 seconds")
        source.answer(refused())
        assertAllUse([other, yield* replica(database, source)], 2)
        deepStrictEqual([database.pieces().length, source.requestedAt.length], [1, 3])
      })
    )

  inTime("go on when the disk of one hangs", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const disk = MemoryDisk.make()
      disk.error = Effect.never
      const hanging = yield* replica(database, source, disk)
      yield* pass("15 seconds")
      assertAllUse([hanging], 1)
      deepStrictEqual(database.leases(), [], "the lease does not wait for the disk")
      assertAllUse([yield* replica(database, source)], 1)
      assert.strictEqual(source.requestedAt.length, 1)
    })
  )

  inTime("go on after defects in publishing and reading", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      let broken: string | undefined = "SET"
      const store: SharedStoreShape = {
        send: (commands) =>
          commands.length === 1 && commands[0]?.[0] === broken
            ? Effect.dieMessage("a bug")
            : database.store.send(commands)
      }
      const running = yield* replica({ ...database, store }, source)
      assertAllUse([running], 1)
      broken = undefined
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse([running, yield* replica(database, source)], 2)
      broken = "GET"
      yield* passRefresh
      broken = undefined
      source.answer(Effect.succeed("first"))
      yield* passRefresh
      assertAllUse([running], 1)
    })
  )

  inTime("share it with none that has another address", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, source)
      source.answer(Effect.succeed("second"))
      const other = yield* replica(database, source, MemoryDisk.make(), true)
      deepStrictEqual([first.entries(), other.entries(), source.requestedAt.length], [1, 2, 2])
    })
  )

  inTime("show the time at which each looks next", (source) =>
    Effect.gen(function* () {
      const fleet = yield* fleetOf(2, SharedStoreDouble.make(), source)
      const now = yield* Clock.currentTimeMillis
      for (const { state } of fleet) {
        const wait = Option.getOrThrow(state().nextAttemptAt) - now
        assert.isAtLeast(wait, Duration.toMillis(REFRESH))
        assert.isAtMost(wait, 1.2 * Duration.toMillis(REFRESH))
      }
    })
  )
})

describe("a list that does not change", () => {
  it.effect("lives on, and is stored again once a day", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const url = new URL("https://lists.example/")
      const format = FeedSnapshot.format({ url, format: "lines" })
      const list = { digest: "a", format }
      const shared = SharedList.make(database.store, list, Duration.minutes(1))
      const snapshot = {
        list: listOf(["a.example"]),
        fetchedAt: 1,
        answeredAt: 1,
        validators: { etag: undefined, lastModified: undefined },
        counts: { skipped: 0, ignored: 0, firstSkipped: [] },
        shrunkenSince: undefined
      }
      for (let hours = 0; hours < 24 * 7; hours += 6) {
        yield* TestClock.setTime(START + hours * 3_600_000)
        const published = Option.some({ ...snapshot, answeredAt: START + hours * 3_600_000 })
        yield* shared.publish(
          yield* shared.read,
          { snapshot: published, failures: 0, lastError: Option.none() },
          START + (hours + 6) * 3_600_000
        )
      }
      deepStrictEqual([database.stored(), database.pieces().length], [7, 1])
      const version = yield* Effect.flatMap(shared.read, Option.fromNullable)
      const other = SharedList.make(database.store, list, Duration.minutes(1))
      assert.isTrue(Option.isSome(yield* other.load(version, Option.none())))
    })
  )
})
