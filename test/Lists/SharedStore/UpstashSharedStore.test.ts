import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Option, Redacted, TestClock } from "effect"
import * as UpstashSharedStore from "../../../src/Lists/SharedStore/UpstashSharedStore.ts"
import type { StoredBody } from "../../../src/Lists/SharedStore.ts"
import * as RedisServer from "../../fixtures/RedisServer.ts"
import { until } from "../../fixtures/Until.ts"
import * as UpstashRestFront from "../../fixtures/UpstashRestFront.ts"

const DAY = Duration.days(1)
const MINUTE = Duration.minutes(1)

const overRedis = Effect.gen(function* () {
  const redis = yield* RedisServer.make
  const front = yield* UpstashRestFront.make({ path: redis.path })
  return { front, store: yield* UpstashSharedStore.make(front) }
})

const timesToLive = (front: UpstashRestFront.UpstashRestFront, keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(UpstashRestFront.command(front, ["PTTL", key]), Number))

const keys = (front: UpstashRestFront.UpstashRestFront) =>
  Effect.map(UpstashRestFront.command(front, ["KEYS", "*"]), (keys) => (keys as Array<string>).sort())

const pieces = ({ id }: StoredBody, count: number) =>
  Array.from({ length: count }, (_, i) => `shared:list:${id}:${i}`)

describe.skipIf(!RedisServer.isInstalled)("UpstashSharedStore over a real database", () => {
  it.scopedLive("reads the text that was set, until it expires", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      deepStrictEqual(yield* store.text("list"), Option.none())
      yield* store.setText("list", "1", DAY)
      yield* store.setText("list", "2", MINUTE)
      deepStrictEqual(yield* store.text("list"), Option.some("2"))
      const [left = 0] = yield* timesToLive(front, ["shared:list"])
      assert.closeTo(left, 60_000, 10_000)
    })
  )

  it.scopedLive.each([1, 262_143, 262_144, 262_145, 1_000_000])(
    "reads %i bytes as they were stored",
    (size) =>
      Effect.gen(function* () {
        const { store } = yield* overRedis
        const bytes = randomBytes(size)
        const parts = [bytes.subarray(0, 7), bytes.subarray(7, 7), bytes.subarray(7)]
        const body = yield* store.storeBody("list", parts, MINUTE)
        assert.deepInclude(body, { bytes: size, pieceBytes: 262_144 })
        assert.isTrue(bytes.equals(Option.getOrThrow(yield* store.body("list", body))))
      })
  )

  it.scopedLive("sends no request that Upstash refuses in the smallest plan", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const lengths: Array<number> = []
      front.onRequest = () => lengths.push(front.lastRequest.body.length)
      const body = yield* store.storeBody("list", [randomBytes(3_000_000)], MINUTE)
      yield* store.extendBody("list", body, DAY)
      assert.strictEqual(lengths.length, 13)
      assert.isBelow(Math.max(...lengths), 400_000)
    })
  )

  it.scopedLive("stores every piece of a body for the same time, which can be changed", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const body = yield* store.storeBody("list", [randomBytes(300_000)], MINUTE)
      for (const left of yield* timesToLive(front, pieces(body, 2))) assert.closeTo(left, 60_000, 10_000)
      assert.isTrue(yield* store.extendBody("list", body, DAY))
      for (const left of yield* timesToLive(front, pieces(body, 2)))
        assert.closeTo(left, Duration.toMillis(DAY), 60_000)
    })
  )

  it.scopedLive("says that a piece of a body is missing", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const body = yield* store.storeBody("list", [randomBytes(600_000)], MINUTE)
      yield* UpstashRestFront.command(front, ["DEL", pieces(body, 3)[1] ?? ""])
      assert.isFalse(yield* store.extendBody("list", body, DAY))
      deepStrictEqual(yield* store.body("list", body), Option.none())
    })
  )

  it.scopedLive("reads nothing of a body of which a piece is truncated", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const body = yield* store.storeBody("list", [randomBytes(300_000)], MINUTE)
      yield* UpstashRestFront.command(front, ["SET", pieces(body, 2)[1] ?? "", "AAAA"])
      deepStrictEqual(yield* store.body("list", body), Option.none())
    })
  )

  it.scopedLive("removes the pieces of a body that could not be stored, and nothing else", () =>
    // The other piece of the two that are sent at a time may arrive after that, and expires.
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const other = yield* store.storeBody("list", [randomBytes(10)], MINUTE)
      let requests = 0
      front.onRequest = () => {
        requests++
        front.fault =
          requests === 3
            ? (response) =>
                response.end('[{"error":"OOM command not allowed when used memory > \'maxmemory\'."}]')
            : undefined
      }
      const error = yield* Effect.flip(store.storeBody("list", [randomBytes(2_000_000)], MINUTE))
      assert.strictEqual(error.message, "Refused (OOM)")
      const left = yield* keys(front)
      assert.includeMembers(left, pieces(other, 1))
      assert.isAtMost(left.length, 2)
    })
  )

  it.scopedLive("leases to one token at a time, until the lease ends or expires", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      assert.isTrue(yield* store.lease("list", "a", MINUTE))
      assert.isFalse(yield* store.lease("list", "b", MINUTE))
      assert.isTrue(yield* store.lease("list", "a", Duration.minutes(2)))
      const [left = 0] = yield* timesToLive(front, ["shared:list:lease"])
      assert.isAbove(left, 60_000)
      yield* store.endLease("list", "b")
      assert.isFalse(yield* store.lease("list", "b", MINUTE))
      yield* store.endLease("list", "a")
      assert.isTrue(yield* store.lease("list", "b", Duration.millis(20)))
      yield* until(store.lease("list", "a", MINUTE), (isLeased) => isLeased)
    })
  )
})

describe("UpstashSharedStore", () => {
  const answer =
    (body: string, status = 200) =>
    (response: ServerResponse) =>
      response.writeHead(status).end(body)

  it.scopedLive.each<[name: string, fault: (response: ServerResponse) => void, message: string]>([
    ["a reset", (response) => response.destroy(), "Unreachable"],
    ["HTML", answer("<html>Welcome</html>"), "Malformed"],
    ["too few results", answer("[]"), "Malformed"],
    ["a number", answer('[{"result":1}]'), "Malformed"],
    ["a used-up quota", answer('{"error":"ERR max daily request limit exceeded."}', 400), "Refused (ERR)"]
  ])("fails on %s with a reason that does not repeat the command", ([, fault, message]) =>
    Effect.gen(function* () {
      const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
      front.fault = fault
      const error = yield* Effect.flip((yield* UpstashSharedStore.make(front)).text("SECRET"))
      assert.strictEqual(error.message.slice(0, message.length), message)
      assert.notInclude(JSON.stringify(error), "SECRET")
    })
  )

  it.scopedLive("fails on a wrong token", () =>
    Effect.gen(function* () {
      const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
      const store = yield* UpstashSharedStore.make({ ...front, token: Redacted.make("wrong") })
      assert.strictEqual((yield* Effect.flip(store.text("list"))).message, "Refused (WRONGPASS)")
    })
  )

  it.scoped("times out when the database does not answer, in a finalizer too", () =>
    Effect.gen(function* () {
      const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
      front.fault = () => undefined
      const received = Effect.async<void>((resume) => {
        front.onRequest = () => resume(Effect.void)
      })
      const store = yield* UpstashSharedStore.make(front)
      const pending = yield* Effect.fork(Effect.flip(Effect.uninterruptible(store.endLease("list", "a"))))
      yield* received
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
    })
  )
})
