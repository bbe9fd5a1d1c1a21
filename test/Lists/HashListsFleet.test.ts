import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, type Duration, Effect, Exit, Layer, Option, Scope, TestClock } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { DatabaseError } from "../../src/Layers/CacheDatabase/UpstashRest.ts"
import * as ExpressionHash from "../../src/Lists/ExpressionHash.ts"
import { HashLists } from "../../src/Lists/HashLists.ts"
import * as SharedSnapshot from "../../src/Lists/RefreshedList/Fleet/SharedSnapshot.ts"
import { SharedStore, type SharedStoreShape } from "../../src/Lists/SharedStore.ts"
import { failing, make as google, type ListUpdatesDouble, listing } from "../fixtures/ListUpdatesDouble.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { eventually, eventuallyLater, nextTurn } from "../fixtures/NextTurn.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"
import * as SharedStoreDouble from "../fixtures/SharedStoreDouble.ts"

const start = Date.UTC(2026, 10, 21, 9)

const EVIL = "evil.example/"
const WORSE = "worse.example/"

const usual = {
  REPUTATION_API_KEY: "SECRET-KEY",
  REPUTATION_MODE: "local-list",
  REPUTATION_LISTS: "se-4b,mw-4b",
  DATA_DIR: "data"
}

/** A process of the fleet. */
const replica = (
  database: SharedStoreDouble.SharedStoreDouble,
  answers: ListUpdatesDouble,
  env: Readonly<Record<string, string>> = usual,
  disk = MemoryDisk.make()
) =>
  Effect.gen(function* () {
    let isDead = false
    const store: SharedStoreShape = {
      ...database.store,
      // A process that the system ends does not end its lease.
      endLease: (...args) =>
        Effect.suspend(() =>
          isDead ? new DatabaseError({ reason: "Unreachable" }) : database.store.endLease(...args)
        )
    }
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const context = yield* HashLists.layer.pipe(
      Layer.provide([answers.layer, disk.layer, Layer.succeed(SharedStore, Option.some(store))]),
      Layer.provide(Layer.provide(AppConfig.layer, environment(env))),
      Layer.orDie,
      Layer.build,
      Scope.extend(scope)
    )
    const lists = Option.getOrThrow(yield* Effect.provide(HashLists, context))
    return {
      lists,
      has: (expression: string) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          lists.current(now).hasThreat(ExpressionHash.ofExpression(expression))
        ),
      error: (name: string) =>
        Effect.map(lists.status, (status) =>
          Option.getOrUndefined(
            Option.map(
              Option.flatMap(
                Option.fromNullable(status.find((list) => list.name === name)),
                ({ lastError }) => lastError
              ),
              ({ message }) => message
            )
          )
        ),
      die: Effect.suspend(() => {
        isDead = true
        return Scope.close(scope, Exit.void)
      })
    }
  })

type Replica = Effect.Effect.Success<ReturnType<typeof replica>>

const all = (fleet: ReadonlyArray<Replica>, holds: (replica: Replica) => Effect.Effect<boolean>) =>
  Effect.map(Effect.forEach(fleet, holds), (held) => held.every((holds) => holds))

/** Waits, while the time passes, until all replicas have an expression. */
const untilAllHave = (fleet: ReadonlyArray<Replica>, expression: string) =>
  eventuallyLater(
    `all replicas list ${expression}`,
    "5 seconds",
    all(fleet, ({ has }) => has(expression))
  )

const settled = Effect.repeatN(nextTurn, 20)

/** In short steps: a fiber that begins to wait during a step continues at its end. */
const pass = (minutes: number, step: Duration.DurationInput = "15 seconds") =>
  Effect.repeatN(Effect.zipRight(settled, TestClock.adjust(step)), minutes * 4 - 1).pipe(
    Effect.zipRight(settled)
  )

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => Effect.zipRight(TestClock.setTime(start), test()))

const nameIn = (database: SharedStoreDouble.SharedStoreDouble) => {
  const [name = assert.fail("nothing is shared")] = database.names
  return name
}

const manifestIn = (database: SharedStoreDouble.SharedStoreDouble) => {
  const { value } = database.entries.get(`text ${nameIn(database)}`) ?? assert.fail("no manifest")
  return Option.getOrThrow(SharedSnapshot.decodeManifest(String(value)))
}

describe("a fleet with local lists", () => {
  inTime("requests once for all replicas, which use the lists within a minute", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = google(listing([EVIL]))
      const fleet = yield* Effect.all([
        replica(database, answers),
        replica(database, answers),
        replica(database, answers)
      ])
      yield* untilAllHave(fleet, EVIL)
      assert.strictEqual(answers.sent.length, 1)
      answers.answer(listing([WORSE]), "se-4b")
      yield* pass(31)
      yield* untilAllHave(fleet, WORSE)
      assert.strictEqual(answers.sent.length, 2)
      assert.isAtMost((yield* Clock.currentTimeMillis) - start, 33 * 60_000)
      assert.strictEqual(database.count("storeBody"), 2)
    })
  )

  inTime("stores the lists under a name with the versions of the formats, and neither key nor address", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      yield* untilAllHave([yield* replica(database, google(listing([EVIL])))], EVIL)
      yield* settled
      assert.match(nameIn(database), /^hash-lists:3:THRTHL01\.1:[0-9a-f]{64}$/)
      const stored = [...database.entries].map(
        ([key, { value }]) => `${key} ${Buffer.from(value).toString("latin1")}`
      )
      assert.notInclude(stored.join(), "SECRET-KEY")
      assert.notInclude(stored.join(), "googleapis")
    })
  )

  inTime("shares that nothing is new without storing the lists again", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = google(listing([EVIL]))
      const fleet = yield* Effect.all([replica(database, answers), replica(database, answers)])
      yield* untilAllHave(fleet, EVIL)
      yield* pass(62)
      assert.strictEqual(answers.sent.length, 3)
      assert.strictEqual(database.count("storeBody"), 1)
      for (const { lists } of fleet)
        for (const { fetchedAt } of yield* lists.status) assert.isAtLeast(fetchedAt ?? 0, start + 60 * 60_000)
      const other = yield* replica(database, google(failing("Status", "503")))
      yield* untilAllHave([other], EVIL)
      deepStrictEqual(yield* other.lists.status, yield* fleet[0]?.lists.status ?? Effect.succeed([]))
    })
  )

  inTime("serves a new replica without a request to Google", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const first = yield* replica(database, google(listing([EVIL])))
      yield* untilAllHave([first], EVIL)
      yield* settled
      const refused = google(failing("KeyRefused", "403"))
      yield* untilAllHave([yield* replica(database, refused)], EVIL)
      assert.strictEqual(refused.sent.length, 0)
    })
  )

  inTime("saves the lists and the back-off of another replica, once", () =>
    Effect.gen(function* () {
      for (const answer of [listing([EVIL]), failing("Status", "503")]) {
        const database = SharedStoreDouble.make()
        const answers = google(answer)
        yield* replica(database, answers)
        yield* eventually(
          "the first request is sent",
          Effect.sync(() => answers.sent.length === 1)
        )
        yield* settled
        const disk = MemoryDisk.make()
        const refused = google(failing("KeyRefused", "403"))
        const second = yield* replica(database, refused, usual, disk)
        yield* eventuallyLater(
          "the disk has a file",
          "1 seconds",
          Effect.sync(() => disk.files.size === 1)
        )
        yield* settled
        assert.strictEqual(disk.done.filter((step) => step.startsWith("rename")).length, 1)

        const restarted = yield* replica(SharedStoreDouble.make(), refused, usual, disk)
        deepStrictEqual(yield* restarted.lists.status, yield* second.lists.status)
        yield* pass(1)
        assert.strictEqual(refused.sent.length, 0)
      }
    })
  )

  inTime("backs off together before there is a list, new replicas too, and each shows why", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = google(failing("Status", "503"))
      const fleet = yield* Effect.all([replica(database, answers), replica(database, answers)])
      yield* eventuallyLater(
        "all replicas show the error",
        "5 seconds",
        all(fleet, ({ error }) => Effect.map(error("se-4b"), (message) => message === "Status (503)"))
      )
      const late = yield* replica(database, answers)
      yield* pass(13)
      assert.strictEqual(answers.sent.length, 1)
      assert.strictEqual(yield* late.error("mw-4b"), "Status (503)")
      assert.isUndefined(manifestIn(database).list)
      yield* pass(17)
      assert.strictEqual(answers.sent.length, 2)
      answers.answer(listing([EVIL]))
      yield* pass(60)
      yield* untilAllHave([...fleet, late], EVIL)
      assert.isUndefined(yield* late.error("mw-4b"))
    })
  )

  inTime("shares the back-off of one list, and the update of the others", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = google(listing([EVIL]))
      const fleet = yield* Effect.all([replica(database, answers), replica(database, answers)])
      yield* untilAllHave(fleet, EVIL)
      answers.answer(listing([EVIL, WORSE]), "se-4b")
      answers.answer(failing("ChecksumMismatch"), "mw-4b")
      yield* pass(31)
      yield* untilAllHave(fleet, WORSE)
      for (const { error } of fleet) {
        assert.strictEqual(yield* error("mw-4b"), "ChecksumMismatch")
        assert.isUndefined(yield* error("se-4b"))
      }
      // Whichever replica is next requests the list alone, as a whole and once.
      answers.answer(listing([WORSE]), "mw-4b")
      yield* pass(30)
      const requests = answers.sent.slice(2).flatMap(({ lists }) => lists)
      const [mismatched, ...more] = requests.filter(({ name }) => name === "mw-4b")
      deepStrictEqual(mismatched, { name: "mw-4b", version: undefined, bytes: undefined })
      deepStrictEqual(more, [])
    })
  )

  inTime("replaces a replica that died during its update half a minute later", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const silent = google(() => Effect.never)
      const answers = google(listing([EVIL]))
      const dying = yield* replica(database, silent)
      yield* eventually(
        "the silent upstream gets a request",
        Effect.sync(() => silent.sent.length === 1)
      )
      const others = yield* Effect.all([replica(database, answers), replica(database, answers)])
      yield* dying.die
      yield* untilAllHave(others, EVIL)
      assert.strictEqual(answers.sent.length, 1)
      assert.isAtLeast((yield* Clock.currentTimeMillis) - start, 30_000)
    })
  )

  inTime("fetches for itself while the database is away, and shares with the next update", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      database.isAway = () => true
      const answers = google(listing([EVIL]))
      const alone = yield* replica(database, answers)
      yield* untilAllHave([alone], EVIL)
      database.isAway = () => false
      yield* pass(32)
      const refused = google(failing("Status", "503"))
      yield* untilAllHave([yield* replica(database, refused)], EVIL)
      deepStrictEqual([answers.sent.length, refused.sent.length], [2, 0])
    })
  )

  inTime("starts with the lists of the data directory, without a request, beside an empty database", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const first = yield* replica(SharedStoreDouble.make(), google(listing([EVIL])), usual, disk)
      yield* untilAllHave([first], EVIL)
      yield* settled
      yield* first.die
      const answers = google(failing("Status", "503"))
      const again = yield* replica(SharedStoreDouble.make(), answers, usual, disk)
      assert.isTrue(yield* again.has(EVIL))
      yield* pass(1)
      assert.strictEqual(answers.sent.length, 0)
    })
  )

  inTime("shares nothing with replicas of another key or of other lists", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      yield* untilAllHave([yield* replica(database, google(listing([EVIL])))], EVIL)
      for (const env of [
        { ...usual, REPUTATION_API_KEY: "OTHER-KEY" },
        { ...usual, REPUTATION_LISTS: "se-4b" }
      ]) {
        const answers = google(listing([WORSE]))
        yield* untilAllHave([yield* replica(database, answers, env)], WORSE)
        assert.strictEqual(answers.sent.length, 1)
      }
      assert.strictEqual(database.names.size, 3)
    })
  )

  inTime("has one replica request for all when the stored lists are gone", () =>
    Effect.gen(function* () {
      const database = SharedStoreDouble.make()
      const answers = google(listing([EVIL]))
      const first = yield* replica(database, answers)
      yield* untilAllHave([first], EVIL)
      yield* settled
      database.evict()
      yield* untilAllHave([yield* replica(database, answers)], EVIL)
      assert.strictEqual(answers.sent.length, 2)
      yield* pass(2)
      assert.strictEqual(answers.sent.length, 2)
    })
  )
})
