import { assert, describe } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Exit, Option, Scope, TestClock } from "effect"
import { DatabaseError } from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import * as SharedSnapshot from "../../../src/Lists/RefreshedList/Fleet/SharedSnapshot.ts"
import type { SharedStoreShape } from "../../../src/Lists/SharedStore.ts"
import * as JumpingDate from "../../fixtures/JumpingDate.ts"
import * as MemoryDisk from "../../fixtures/MemoryDisk.ts"
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

const pass = (duration: Duration.DurationInput) => Effect.zipRight(TestClock.adjust(duration), settled)

/** From one answer until all replicas have the next. */
const passRefresh = pass(Duration.sum(REFRESH, Duration.minutes(2)))

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
    const gate = Effect.zipRight(
      latch.await,
      Effect.suspend(() => (isDead ? new DatabaseError({ reason: "Unreachable" }) : Effect.void))
    )
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const list = yield* Scope.extend(source.start(disk, throughGate(database.store, gate), isOther), scope)
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

const three = (database: SharedStoreDouble.SharedStoreDouble, source: Source) =>
  Effect.all([replica(database, source), replica(database, source), replica(database, source)])

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

const textsIn = (database: SharedStoreDouble.SharedStoreDouble) =>
  [...database.entries].flatMap(([key, { value }]) => (key.startsWith("text ") ? [String(value)] : []))

/** How a database loses what the fleet has stored. */
const losses: ReadonlyArray<
  readonly [what: string, lose: (database: SharedStoreDouble.SharedStoreDouble) => void]
> = [
  ["everything", (database) => database.clear()],
  ["a piece of the list", (database) => database.evict()],
  ["a byte of the list", (database) => database.damage()],
  [
    "the manifest",
    ({ entries }) => {
      for (const [key, entry] of entries)
        if (key.startsWith("text ")) entries.set(key, { ...entry, value: "nonsense" })
    }
  ]
]

/** What every list does in a fleet. `FleetState.test.ts` has the decisions of a replica as a table. */
describe.each(kinds)("a fleet with %s", (_, kind) => {
  const inTime = testsOf(kind)

  for (const minutes of [30, -30])
    inTime(`requests it once, within a minute, after the date jumps by ${minutes} minutes`, (source) =>
      Effect.gen(function* () {
        const { clock, jump } = yield* JumpingDate.make
        const fleet = yield* Effect.withClock(three(SharedStoreDouble.make(), source), clock)
        yield* pass("1 minute")
        assertAllUse(fleet, 1)
        source.answer(Effect.succeed("second"))
        jump(minutes * 60_000)
        yield* pass("2 minutes")
        assert.strictEqual(source.requestedAt.length, 2)
        assertAllUse(fleet, 2)
      })
    )

  /** A replica that sleeps while it requests the first list, and one that has published the second meanwhile. */
  const pausedPastItsLease = (source: Source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const download = yield* Effect.makeLatch()
      source.answer(Effect.as(download.await, "first"))
      const sleeper = yield* replica(database, source)
      yield* sleeper.fallAsleep
      source.answer(Effect.succeed("second"))
      const awake = yield* replica(database, source)
      yield* pass("1 minutes")
      assertAllUse([awake], 2)
      return { awake, database, endDownload: Effect.zipRight(download.open, settled), sleeper }
    })

  inTime("requests once for all replicas, which use the list within a minute", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const fleet = yield* three(database, source)
      yield* pass("15 seconds")
      assertAllUse(fleet, 1)
      const before = database.commands.length
      yield* pass("9 minutes")
      const commands = database.commands.slice(before)
      deepStrictEqual(new Set(commands), new Set(["text"]))
      // Each replica looks once in 30 to 45 seconds.
      assert.isAtLeast(commands.length, 3 * 9)
      assert.isAtMost(commands.length, 3 * 19)
      for (const { state } of fleet) {
        const wait = Option.getOrThrow(state().nextAttemptAt) - START
        assert.isAtLeast(wait, Duration.toMillis(REFRESH))
        assert.isAtMost(wait, Duration.toMillis(REFRESH) + Duration.toMillis("2 minutes"))
      }

      source.answer(Effect.succeed("second"))
      yield* pass("3 minutes")
      assertAllUse(fleet, 2)
      assert.strictEqual(source.requestedAt.length, 2)
      const now = yield* Clock.currentTimeMillis
      const minutes = [...database.entries].flatMap(([key, { until }]) =>
        key.startsWith("body ") ? [(until - now) / 60_000] : []
      )
      assert.strictEqual(minutes.length, 2)
      assert.isAtMost(minutes[0] ?? 0, 10, "of the previous body, which another replica may be reading")
      assert.isAbove(minutes[1] ?? 0, 2 * 24 * 60)
    })
  )

  inTime("requests once when another replica was faster between a look and the lease", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const latch = yield* Effect.makeLatch(true)
      const store: SharedStoreShape = {
        ...database.store,
        lease: (...args) => Effect.zipRight(latch.await, database.store.lease(...args))
      }
      const slow = yield* replica({ ...database, store }, source)
      const fast = yield* replica(database, source)
      yield* latch.close
      yield* fast.fallAsleep
      yield* passRefresh
      yield* fast.wakeUp
      source.answer(Effect.succeed("second"))
      yield* pass("1 minutes")
      deepStrictEqual([slow.entries(), fast.entries(), source.requestedAt.length], [1, 2, 2])
      yield* latch.open
      yield* settled
      deepStrictEqual([slow.entries(), fast.entries(), source.requestedAt.length], [2, 2, 2])
    })
  )

  inTime(
    "stores the list under a name with the versions of the formats, and neither address nor key",
    (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        yield* replica(database, source)
        const [name = "", ...others] = database.names
        deepStrictEqual(others, [])
        assert.match(name, kind.storeName)
        const stored = [...database.entries].map(
          ([key, { value }]) => `${key} ${Buffer.from(value).toString("latin1")}`
        )
        for (const secret of [SECRET, "example"]) assert.notInclude(stored.join(), secret)
      })
  )

  inTime("shares that nothing has changed, without storing the list again", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const fleet = [yield* replica(database, source), yield* replica(database, source)]
      yield* passRefresh
      yield* passRefresh
      assert.strictEqual(source.requestedAt.length, 3)
      assert.strictEqual(database.count("storeBody"), 1)
      source.answer(refused())
      const times = new Set(
        [...fleet, yield* replica(database, source)].map(({ answeredAt }) => answeredAt())
      )
      deepStrictEqual([...times], source.requestedAt.slice(-1))
    })
  )

  inTime("has its list after two days without a replica, not after three", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, source)
      yield* passRefresh
      yield* first.die
      source.answer(refused())
      yield* TestClock.adjust("71 hours")
      const second = yield* replica(database, source)
      assertAllUse([second], 1)
      yield* second.die
      yield* TestClock.adjust("73 hours")
      const third = yield* replica(database, source)
      assertErrors([third], "Status (429)")
      assertAllUse([third], 0)
    })
  )

  inTime(
    "gives its list to a new replica, which saves it once, and loads it only if it has another",
    (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const file = `${kind.file}.snapshot`
        const disks = [MemoryDisk.make(), MemoryDisk.make(), MemoryDisk.make()] as const
        const [disk, empty, old] = disks
        yield* Effect.scoped(replica(SharedStoreDouble.make(), source, old))
        yield* TestClock.adjust("1 minutes")
        source.answer(Effect.succeed("second"))
        const first = yield* replica(database, source, disk)
        source.answer(refused())
        const others = [yield* replica(database, source, empty), yield* replica(database, source, old)]
        assertAllUse(others, 2)
        for (const { files } of disks) deepStrictEqual(files.get(file), disk.files.get(file))
        assert.strictEqual(empty.done.filter((step) => step.startsWith("rename")).length, 1)

        yield* first.die
        const before = database.count("body")
        const again = yield* replica(database, source, disk)
        yield* pass("1 minutes")
        assertAllUse([again], 2)
        assert.strictEqual(database.count("body"), before)

        const alone = yield* replica(SharedStoreDouble.make(), source, empty)
        yield* pass("1 minutes")
        assertAllUse([alone], 2)
        assert.strictEqual(source.requestedAt.length, 2)
      })
  )

  inTime("backs off together, before there is a list too, and each replica shows why", (source) =>
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
      for (const text of textsIn(database))
        assert.isUndefined(Option.getOrThrow(SharedSnapshot.decodeManifest(text)).list)
      source.answer(Effect.succeed("first"))
      yield* pass("6 minutes")
      assertAllUse(all, 1)
      assertErrors(all, undefined)

      source.answer(refused())
      const sent = source.requestedAt.length
      let replicas = all
      for (let failures = 1; failures <= 4; failures++) {
        const dueAt = replicas.map(({ state }) => Option.getOrThrow(state().nextAttemptAt))
        yield* TestClock.setTime(Math.min(...dueAt))
        yield* pass("45 seconds")
        assert.strictEqual(source.requestedAt.length, sent + failures)
        assertErrors(replicas, "Status (429)")
        assertAllUse(replicas, 1)
        if (failures !== 2) continue
        for (const { die } of replicas) yield* die
        replicas = [yield* replica(database, source)]
      }
      // Longer and longer waits, which no replica begins anew.
      const [one = 0, two = 0, three = 0, four = 0] = source.requestedAt.slice(sent)
      assert.isAbove(four - three, 1.9 * (two - one))
    })
  )

  inTime(
    "does not request before its back-off ends when it could not share that its request failed",
    (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const refusedOne = yield* replica(database, source)
        yield* pass("9 minutes")
        database.isAway = () => true
        source.answer(refused("40 minutes"))
        yield* pass("14 minutes")
        assertErrors([refusedOne], "Status (429)")
        database.isAway = () => false
        source.answer(Effect.succeed("second"))
        const other = yield* replica(database, source)
        yield* pass("1 minutes")
        assertAllUse([refusedOne, other], 2)
        yield* other.die
        // At least 40 minutes after the request that was refused, a quarter of an hour after the start.
        yield* pass("30 minutes")
        assert.strictEqual(source.requestedAt.length, 3)
        yield* pass("16 minutes")
        assert.isAbove(source.requestedAt.length, 3)
      })
  )

  for (const [what, lose] of losses)
    inTime(`has one replica request for all when the database has lost ${what}`, (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        const fleet = [yield* replica(database, source), yield* replica(database, source)]
        yield* pass("1 minutes")
        assertAllUse(fleet, 1)
        lose(database)
        yield* pass("1 minutes")
        assert.strictEqual(source.requestedAt.length, 1, "none is due")
        source.answer(Effect.succeed("second"))
        const late = yield* replica(database, source)
        yield* pass("1 minutes")
        assertAllUse([...fleet, late], 2)
        assert.strictEqual(source.requestedAt.length, 2)
      })
    )

  inTime("stores a list that the database has lost again, also when it has not changed", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      yield* replica(database, source)
      database.evict()
      yield* passRefresh
      assert.strictEqual(source.requestedAt.length, 2)
      source.answer(refused())
      assertAllUse([yield* replica(database, source)], 1)
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime("waits for its database before replicas request alone, each at a random time", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const fleet = yield* three(database, source)
      yield* pass("9 minutes")
      database.isAway = () => true
      source.answer(Effect.succeed("second"))
      yield* pass("4 minutes")
      database.isAway = () => false
      yield* pass("2 minutes")
      assertAllUse(fleet, 2)
      assert.strictEqual(source.requestedAt.length, 2, "the database was back in time")

      database.isAway = () => true
      source.answer(Effect.succeed("first"))
      yield* pass("12 minutes")
      assert.strictEqual(source.requestedAt.length, 2, "at least 5 minutes after the list was due")
      yield* pass("10 minutes")
      assert.strictEqual(source.requestedAt.length, 5)
      assertAllUse(fleet, 1)
      assert.isAbove(new Set(fleet.map(({ answeredAt }) => answeredAt())).size, 1)

      database.isAway = () => false
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse(fleet, 2)
      assert.strictEqual(new Set(fleet.map(({ answeredAt }) => answeredAt())).size, 1)
      assert.isAtMost(source.requestedAt.length, 7)
    })
  )

  inTime("stays with what a replica requested while the database was away, and shares it later", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const alone = yield* replica(database, source)
      database.isAway = () => true
      source.answer(Effect.succeed("second"))
      yield* pass("23 minutes")
      assertAllUse([alone], 2)
      database.isAway = () => false
      yield* pass("1 minutes")
      assertAllUse([alone], 2)
      yield* passRefresh
      source.answer(refused())
      assertAllUse([alone, yield* replica(database, source)], 2)
    })
  )

  inTime(
    "requests for each replica when the database can be read and not written, with few commands",
    (source) =>
      Effect.gen(function* () {
        const database = SharedStoreDouble.make()
        database.isAway = (command) => command !== "text" && command !== "body"
        const alone = yield* replica(database, source)
        yield* pass("23 minutes")
        source.answer(Effect.succeed("second"))
        yield* pass("23 minutes")
        assertAllUse([alone], 2)
        assert.isAtMost(source.requestedAt.length, 5)
        assert.isAtMost(database.commands.length, 100)
      })
  )

  inTime("uses a list for which the database has no room, and stores it when there is room again", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      let tries = 0
      let isFull = true
      database.isAway = (command) => {
        if (command === "storeBody") tries++
        return isFull && command === "storeBody"
      }
      const alone = yield* replica(database, source)
      yield* pass("9 minutes")
      assertAllUse([alone], 1)
      deepStrictEqual([source.requestedAt.length, tries], [1, 1])
      isFull = false
      source.answer(Effect.succeed("second"))
      yield* pass("3 minutes")
      source.answer(refused())
      assertAllUse([alone, yield* replica(database, source)], 2)
      deepStrictEqual([source.requestedAt.length, tries], [2, 2])
    })
  )

  inTime("replaces a replica that died during its request half a minute later", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      source.answer(Effect.never)
      const dying = yield* replica(database, source)
      source.answer(Effect.succeed("first"))
      const others = [yield* replica(database, source), yield* replica(database, source)]
      yield* pass("15 seconds")
      yield* dying.die
      assert.strictEqual(source.requestedAt.length, 1)
      yield* pass("1 minutes")
      assertAllUse(others, 1)
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime("is requested by another replica when one ends", (source) =>
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

  inTime("goes on with the list of the other replica when one was paused past its lease", (source) =>
    Effect.gen(function* () {
      const { awake, database, endDownload, sleeper } = yield* pausedPastItsLease(source)
      yield* endDownload
      yield* sleeper.wakeUp
      yield* pass("2 minutes")
      source.answer(refused())
      assertAllUse([sleeper, awake, yield* replica(database, source)], 2)
    })
  )

  inTime(
    "does not replace the other replica's list when one was paused and cannot read the manifest",
    (source) =>
      Effect.gen(function* () {
        const { awake, database, endDownload, sleeper } = yield* pausedPastItsLease(source)
        const before = textsIn(database)
        yield* endDownload
        database.isAway = (command) => command === "text"
        yield* sleeper.wakeUp
        yield* settled
        assertAllUse([sleeper], 1)
        deepStrictEqual(textsIn(database), before)
        database.isAway = () => false
        yield* pass("2 minutes")
        assertAllUse([awake], 2)
      })
  )

  inTime("goes on when the disk of one replica hangs", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const disk = MemoryDisk.make()
      disk.error = Effect.never
      const hanging = yield* replica(database, source, disk)
      yield* pass("15 seconds")
      assertAllUse([hanging], 1)
      deepStrictEqual(
        [...database.entries.keys()].filter((key) => key.startsWith("lease ")),
        [],
        "the lease does not wait for the disk"
      )
      const other = yield* replica(database, source)
      assertAllUse([other], 1)
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse([other], 2)
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime("goes on after defects in publishing, saving and reading", (source) =>
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
      const running = yield* replica({ ...database, store }, source, disk)
      assertAllUse([running], 1)
      disk.error = undefined
      isBroken = false
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse([running, yield* replica(database, source)], 2)
      assert.strictEqual(source.requestedAt.length, 2)
      isUnreadable = true
      source.answer(Effect.succeed("first"))
      yield* pass("23 minutes")
      assertAllUse([running], 1)
      isUnreadable = false
      source.answer(Effect.succeed("second"))
      yield* passRefresh
      assertAllUse([running], 2)
    })
  )

  inTime("shares no list with another address", (source) =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, source)
      source.answer(Effect.succeed("second"))
      const other = yield* replica(database, source, MemoryDisk.make(), true)
      yield* pass("1 minutes")
      deepStrictEqual([first.entries(), other.entries(), source.requestedAt.length], [1, 2, 2])
      source.answer(refused())
      assertAllUse([yield* replica(database, source)], 1)
    })
  )
})
