import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ConfigProvider, Context, Effect, Fiber, Layer, Option, Schema } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { DatabaseError } from "../../src/Layers/CacheDatabase/UpstashRest.ts"
import { CacheDatabase } from "../../src/Layers/CacheDatabase.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as CacheDatabaseDouble from "../fixtures/CacheDatabaseDouble.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import { logged } from "../fixtures/LogLines.ts"
import { adjust, turnsUntil } from "../fixtures/NextTurn.ts"

const unreachable = new DatabaseError({ reason: "Unreachable", code: "ECONNREFUSED" })

/** Failures in a row that begin an outage. */
const FAILURES = 3

const setUp = Effect.map(CacheDatabaseDouble.make, ({ replica, ...database }) => ({
  ...database,
  replica: Effect.map(replica(Layer.empty), (context) => {
    const { send, status } = Context.get(context, CacheDatabase)
    return {
      status,
      read: send("read", Schema.Tuple(Schema.NullOr(Schema.String)), [["GET", "a"]]),
      write: send("write", Schema.Tuple(Schema.Literal("OK")), [["SET", "b", "1", "PX", 60_000]])
    }
  })
}))

describe("CacheDatabase", () => {
  it.scoped("is none without a configured database", () =>
    Effect.gen(function* () {
      const { send, status } = yield* CacheDatabase
      assert.strictEqual(yield* status, "in-process")
      deepStrictEqual(yield* send("read", Schema.Unknown, []), Option.none())
    }).pipe(
      Effect.provide(CacheDatabase.layer),
      Effect.provide(AppConfig.layer),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
    )
  )

  it.scoped("returns the decoded results", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp
      const { read, status, write } = yield* replica
      deepStrictEqual(yield* read, Option.some([null]))
      deepStrictEqual(yield* write, Option.some(["OK"]))
      assert.strictEqual(yield* status, "shared")
    })
  )

  it.scoped("sends a command at start, which shows a wrong configuration", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      yield* replica
      deepStrictEqual(sent, ["get start", "get start"])
      state.fault = new DatabaseError({ reason: "Refused", code: "WRONGPASS" })
      const { status } = yield* replica
      yield* turnsUntil("the failing commands at start are sent", () => sent.length === 2 + 1 + FAILURES)
      assert.strictEqual(yield* status, "unreachable")
    })
  )

  it.scoped("does not count a slow first command as an outage", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp
      state.fault = Effect.suspend(() => {
        state.fault = Effect.void
        return new DatabaseError({ reason: "Timeout" })
      })
      const { status, write } = yield* replica
      assert.strictEqual(yield* status, "shared")
      deepStrictEqual(yield* write, Option.some(["OK"]))
    })
  )

  it.scoped(
    "logs the start of an outage with its reason and its end, once each, and shows it in the status",
    () =>
      Effect.gen(function* () {
        const [, lines] = yield* Effect.gen(function* () {
          const { replica, state } = yield* setUp
          const { read, status, write } = yield* replica
          state.fault = unreachable
          for (let second = 0; second < 12; second++) {
            yield* read
            yield* write
            yield* adjust("1 second")
          }
          assert.strictEqual(yield* status, "unreachable")
          state.fault = Effect.void
          yield* adjust("5 seconds")
          yield* write
          yield* write
          assert.strictEqual(yield* status, "shared")
        }).pipe(logged)
        deepStrictEqual(lines, [
          {
            level: "warning",
            message: "Cache database failed, counting and caching in this process meanwhile",
            service: "Cache",
            reason: "Unreachable (ECONNREFUSED)"
          },
          { level: "info", message: "Cache database is used again", service: "Cache" }
        ])
      })
  )

  it.scoped("does not end an outage when a full database can be read", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp
      const { read, status, write } = yield* replica
      state.writeFault = new DatabaseError({ reason: "Refused", code: "OOM" })
      for (let failures = 0; failures < FAILURES; failures++) yield* write
      yield* adjust("1 second")
      deepStrictEqual(yield* read, Option.some([null]))
      assert.strictEqual(yield* status, "unreachable")
      state.writeFault = Effect.void
      yield* write
      assert.strictEqual(yield* status, "shared")
    })
  )

  it.scoped(
    "sends three commands to a database that is down, and a probe after 1, 2, 4, 8, 16 and 30 seconds",
    () =>
      Effect.gen(function* () {
        const { sent, replica, state } = yield* setUp
        const { read, write } = yield* replica
        sent.length = 0
        state.fault = unreachable
        const sentAt: Array<number> = []
        for (let second = 0; second < 100; second++) {
          yield* Effect.all([write, write, read, read])
          while (sentAt.length < sent.length) sentAt.push(second)
          yield* adjust("1 second")
        }
        deepStrictEqual(sentAt, [0, 0, 0, 1, 3, 7, 15, 31, 61, 91])
      })
  )

  it.scoped("lets commands wait for a database that hangs during one timeout, then only the probe", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const { status, write } = yield* replica
      sent.length = 0
      state.fault = Effect.delay(new DatabaseError({ reason: "Timeout" }), "500 millis")
      const waiting = yield* Effect.replicateEffect(forkNow(write), 100)
      yield* adjust("500 millis")
      for (const result of yield* Fiber.joinAll(waiting)) deepStrictEqual(result, Option.none())
      assert.strictEqual(yield* status, "unreachable")
      for (let more = 0; more < 100; more++) deepStrictEqual(yield* write, Option.none())
      assert.lengthOf(sent, 100)
      yield* adjust("1 second")
      const probe = yield* forkNow(write)
      for (let more = 0; more < 100; more++) deepStrictEqual(yield* write, Option.none())
      assert.lengthOf(sent, 101)
      yield* adjust("500 millis")
      deepStrictEqual(yield* Fiber.join(probe), Option.none())
    })
  )

  it.scoped("makes the next command the probe when the probe is interrupted", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp
      const { status, write } = yield* replica
      state.fault = unreachable
      for (let failures = 0; failures < FAILURES; failures++) yield* write
      yield* adjust("1 second")
      state.fault = Effect.never
      yield* Fiber.interrupt(yield* forkNow(write))
      state.fault = Effect.void
      deepStrictEqual(yield* write, Option.some(["OK"]))
      assert.strictEqual(yield* status, "shared")
    })
  )

  it.scoped("uses a database that fails in two of three commands", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const { status, write } = yield* replica
      sent.length = 0
      for (let count = 1; count <= 300; count++) {
        state.fault = count % 3 === 0 ? Effect.void : new DatabaseError({ reason: "Timeout" })
        yield* write
      }
      assert.lengthOf(sent, 300)
      assert.strictEqual(yield* status, "shared")
    })
  )

  it.scoped("counts its commands, what failed, by reason, and what it did not send", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp
      const { text } = yield* Metrics
      const { read } = yield* replica
      state.fault = unreachable
      for (let sent = 0; sent < FAILURES + 4; sent++) yield* read
      for (const line of [
        // One of the two at start, which is not counted as the first one.
        "threat_scoring_cache_commands_total 4",
        'threat_scoring_cache_failures_total{reason="Unreachable"} 3',
        "threat_scoring_cache_skipped_total 4"
      ])
        assert.include(text(), line)
    }).pipe(Effect.provide(Metrics.layer))
  )
})
