import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer, Option, Random, type Scope, TestClock } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { HashLists, type HashListsShape } from "../../src/Lists/HashLists.ts"
import { ListWorker } from "../../src/Lists/ListWorker.ts"
import { SharedStore } from "../../src/Lists/SharedStore.ts"
import * as ExpressionHash from "../../src/Url/ExpressionHash.ts"
import { listWorkerProgram } from "../fixtures/BuiltService.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { adjust, eventually, nextTurn } from "../fixtures/NextTurn.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const start = Date.UTC(2026, 10, 21, 9)

/** A process at work with the real worker thread, by the clock of the test. */
const started = (server: SafeBrowsingServer.SafeBrowsingServer, names: string, disk = MemoryDisk.make()) =>
  Effect.gen(function* () {
    const worker = Layer.effect(
      ListWorker,
      Effect.suspend(() => ListWorker.make(listWorkerProgram))
    )
    const config = environment({
      REPUTATION_API_KEY: "SECRET-KEY",
      REPUTATION_API_URL: server.url.href,
      REPUTATION_LISTS: names,
      DATA_DIR: "data"
    })
    const context = yield* HashLists.layer.pipe(
      Layer.provide([worker, disk.layer, Layer.succeed(SharedStore, Option.none())]),
      Layer.provide(Layer.provide(AppConfig.layer, config)),
      Layer.orDie,
      Layer.build
    )
    return Option.getOrThrow(yield* Effect.provide(HashLists, context))
  })

/** A back-off of 22.5 minutes. */
const random = Random.fixed([0.5])

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => Effect.zipRight(TestClock.setTime(start), Effect.withRandom(test(), random)))

const current = (lists: HashListsShape) => Effect.map(Clock.currentTimeMillis, lists.current)

const has = (lists: HashListsShape, expression: string) =>
  Effect.map(current(lists), ({ hasThreat }) => hasThreat(ExpressionHash.ofExpression(expression)))

const entriesOf = (lists: HashListsShape) =>
  Effect.map(lists.status, (status) => status.map(({ entries, name }) => `${name} ${entries}`))

const untilEntries = (lists: HashListsShape, ...expected: ReadonlyArray<string>) =>
  eventually(
    `the entries are ${expected.join()}`,
    Effect.map(entriesOf(lists), (found) => found.join() === expected.join())
  ).pipe(Effect.zipRight(Effect.repeatN(nextTurn, 20)))

const errorsOf = (lists: HashListsShape) =>
  Effect.map(lists.status, (status) =>
    status.map(({ lastError }) => Option.getOrUndefined(Option.map(lastError, ({ message }) => message)))
  )

const untilErrors = (lists: HashListsShape, ...expected: ReadonlyArray<string | undefined>) =>
  eventually(
    `the errors are ${expected.join()}`,
    Effect.map(errorsOf(lists), (found) => found.join() === expected.join())
  ).pipe(Effect.zipRight(Effect.repeatN(nextTurn, 20)))

/** Lets the time pass to the next update, and waits until that is done: by the clock of the test it takes no time. */
const nextUpdate = (lists: HashListsShape) =>
  Effect.gen(function* () {
    const dueAt = Effect.map(lists.status, (status) =>
      Math.min(...status.map(({ nextUpdateAt }) => nextUpdateAt))
    )
    yield* Effect.repeatN(nextTurn, 20)
    const before = yield* dueAt
    yield* TestClock.setTime(before)
    yield* eventually(
      "the next update has another time",
      Effect.map(dueAt, (dueAt) => dueAt !== before)
    )
    yield* Effect.repeatN(nextTurn, 20)
  })

describe("updates of local lists by the worker thread", () => {
  inTime("bring whole lists, then changes of them, and after a restart too", () =>
    Effect.gen(function* () {
      const server = yield* SafeBrowsingServer.make()
      server.lists.publishExpressions("se-4b", ["a.example/", "b.example/"])
      server.lists.publishExpressions("gc-32b", ["safe.example/"])
      const disk = MemoryDisk.make()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const lists = yield* started(server, "se-4b,mw-4b", disk)
          yield* untilEntries(lists, "se-4b 2", "mw-4b 0", "gc-32b 1")
          const { age, isLikelySafe } = yield* current(lists)
          assert.strictEqual(age, "fresh")
          assert.isTrue(isLikelySafe(ExpressionHash.ofExpression("safe.example/")))

          server.lists.publishExpressions("se-4b", ["b.example/", "c.example/", "d.example/"])
          yield* nextUpdate(lists)
          yield* untilEntries(lists, "se-4b 3", "mw-4b 0", "gc-32b 1")
          assert.deepStrictEqual(
            [yield* has(lists, "a.example/"), yield* has(lists, "d.example/")],
            [false, true]
          )
        })
      )
      server.lists.publishExpressions("mw-4b", ["d.example/"])
      yield* adjust("30 minutes")
      const again = yield* started(server, "se-4b,mw-4b", disk)
      assert.isTrue(yield* has(again, "c.example/"))
      yield* nextUpdate(again)
      yield* untilEntries(again, "se-4b 3", "mw-4b 1", "gc-32b 1")

      const { received } = server.lists
      deepStrictEqual(
        received.map(({ names, versions }) => [names.join(), versions.length]),
        [
          ["se-4b,mw-4b,gc-32b", 0],
          ["se-4b,mw-4b,gc-32b", 3],
          ["se-4b,mw-4b,gc-32b", 3]
        ]
      )
      for (const { headers, line } of received) {
        assert.strictEqual(headers["x-goog-api-key"], "SECRET-KEY")
        assert.match(String(headers["user-agent"]), /^url-threat-scoring\//)
        assert.notInclude(line, "SECRET-KEY")
      }
      assert.strictEqual(server.received.length, 0)
    })
  )

  inTime("bring the lists anew as wholes after a checksum that is wrong", () =>
    Effect.gen(function* () {
      const server = yield* SafeBrowsingServer.make()
      server.lists.publishExpressions("se-4b", ["a.example/"])
      server.lists.publishExpressions("mw-4b", ["b.example/"])
      const lists = yield* started(server, "se-4b,mw-4b")
      yield* untilEntries(lists, "se-4b 1", "mw-4b 1", "gc-32b 0")
      server.lists.publishExpressions("se-4b", ["a.example/", "c.example/"])
      server.lists.behave({ _tag: "WrongChecksum" }, "se-4b")
      yield* nextUpdate(lists)
      yield* untilErrors(lists, "ChecksumMismatch", "ChecksumMismatch", "ChecksumMismatch")
      deepStrictEqual(yield* entriesOf(lists), ["se-4b 1", "mw-4b 1", "gc-32b 0"])
      assert.isTrue(yield* has(lists, "a.example/"))

      server.lists.behave({ _tag: "Protobuf" }, "se-4b")
      yield* nextUpdate(lists)
      yield* untilErrors(lists, undefined, undefined, undefined)
      deepStrictEqual(yield* entriesOf(lists), ["se-4b 2", "mw-4b 1", "gc-32b 0"])
      deepStrictEqual(
        server.lists.received.map(({ versions }) => versions.length),
        [0, 3, 0]
      )
    })
  )

  inTime("serve the other lists, and are stale, when one name is unknown", () =>
    Effect.gen(function* () {
      const server = yield* SafeBrowsingServer.make()
      server.lists.publishExpressions("se-4b", ["a.example/"])
      const lists = yield* started(server, "se-4b,gone-4b")
      yield* untilErrors(lists, undefined, "Safe Browsing refuses this list", undefined)
      deepStrictEqual(yield* entriesOf(lists), ["se-4b 1", "gone-4b 0", "gc-32b 0"])
      assert.strictEqual((yield* current(lists)).age, "stale")
      yield* nextUpdate(lists)
      const names = server.lists.received.map(({ names }) => names.join())
      deepStrictEqual(names, ["se-4b,gone-4b,gc-32b", "se-4b", "gone-4b", "gc-32b", "se-4b,gc-32b"])
    })
  )
})
