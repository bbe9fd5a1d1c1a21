import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Option, Redacted, TestClock } from "effect"
import * as UpstashSharedStore from "../../../src/Layers/SharedStore/UpstashSharedStore.ts"
import type { Body, Switch } from "../../../src/Layers/SharedStore.ts"
import * as RedisServer from "../../fixtures/RedisServer.ts"
import * as UpstashRestFront from "../../fixtures/UpstashRestFront.ts"

const DAY = Duration.days(1)

const overRedis = Effect.gen(function* () {
  const redis = yield* RedisServer.make
  const front = yield* UpstashRestFront.make({ path: redis.path })
  return { front, store: UpstashSharedStore.make(front) }
})

const step = (change: Partial<Switch>): Switch => ({
  expected: Option.none(),
  head: "1",
  body: Option.none(),
  dropped: Option.none(),
  timeToLive: DAY,
  ...change
})

const timesToLive = (front: UpstashRestFront.UpstashRestFront, keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(UpstashRestFront.ask(front, ["PTTL", key]), Number))

const keys = (front: UpstashRestFront.UpstashRestFront) =>
  Effect.map(UpstashRestFront.ask(front, ["KEYS", "*"]), (keys) => (keys as Array<string>).sort())

const pieces = ({ version }: Body, count: number) =>
  Array.from({ length: count }, (_, i) => `shared:list:${version}:${i}`)

describe.skipIf(!RedisServer.isInstalled)("UpstashSharedStore over a real database", () => {
  it.scopedLive.each([1, 262_143, 262_144, 262_145, 1_000_000])("gives back %i bytes as they were", (size) =>
    Effect.gen(function* () {
      const { store } = yield* overRedis
      const bytes = randomBytes(size)
      const parts = [bytes.subarray(0, 7), bytes.subarray(7, 7), bytes.subarray(7)]
      const body = yield* store.storeBody("list", parts.values())
      assert.deepInclude(body, { bytes: size, pieceBytes: 262_144 })
      assert.isTrue(bytes.equals(Option.getOrThrow(yield* store.body("list", body))))
    })
  )

  it.scopedLive("sends no request that Upstash refuses in the smallest plan", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const lengths: Array<number> = []
      front.onRequest = () => lengths.push(front.lastRequest.body.length)
      const body = yield* store.storeBody("list", [randomBytes(3_000_000)].values())
      yield* store.switchHead("list", step({ body: Option.some(body) }))
      assert.strictEqual(lengths.length, 13)
      assert.isBelow(Math.max(...lengths), 400_000)
    })
  )

  it.scopedLive("keeps a body for minutes, and for as long as its head from when one speaks of it", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const first = yield* store.storeBody("list", [randomBytes(300_000)].values())
      for (const left of yield* timesToLive(front, pieces(first, 2))) assert.closeTo(left, 600_000, 60_000)
      yield* store.switchHead("list", step({ body: Option.some(first) }))
      const day = Duration.toMillis(DAY)
      for (const left of yield* timesToLive(front, ["shared:list", ...pieces(first, 2)]))
        assert.closeTo(left, day, 60_000)

      const second = yield* store.storeBody("list", [randomBytes(10)].values())
      const dropped = { expected: Option.some("1"), head: "2", dropped: Option.some(first) }
      yield* store.switchHead("list", step({ ...dropped, body: Option.some(second) }))
      for (const left of yield* timesToLive(front, pieces(first, 2))) assert.closeTo(left, 600_000, 60_000)
      for (const left of yield* timesToLive(front, pieces(second, 1))) assert.closeTo(left, day, 60_000)
      deepStrictEqual((yield* store.heads(["other", "list"])).map(Option.getOrNull), [null, "2"])
    })
  )

  it.scopedLive("switches only from the head that was expected, and only to a whole body", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const body = yield* store.storeBody("list", [randomBytes(600_000)].values())
      assert.strictEqual(
        yield* store.switchHead("list", step({ expected: Option.some("0"), body: Option.some(body) })),
        "Outrun"
      )
      assert.strictEqual(yield* store.switchHead("list", step({ body: Option.some(body) })), "Switched")
      assert.strictEqual(yield* store.switchHead("list", step({ head: "2" })), "Outrun")

      yield* UpstashRestFront.ask(front, ["DEL", pieces(body, 3)[2] ?? ""])
      const again = step({ expected: Option.some("1"), head: "2", body: Option.some(body) })
      assert.strictEqual(yield* store.switchHead("list", again), "BodyGone")
      deepStrictEqual((yield* store.heads(["list"])).map(Option.getOrNull), ["1"])
      assert.isTrue(Option.isNone(yield* store.body("list", body)))
    })
  )

  it.scopedLive("gives nothing of a body of which a piece is cut off", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const body = yield* store.storeBody("list", [randomBytes(300_000)].values())
      yield* UpstashRestFront.ask(front, ["SET", pieces(body, 2)[1] ?? "", "AAAA"])
      assert.isTrue(Option.isNone(yield* store.body("list", body)))
    })
  )

  it.scopedLive("removes what it stored of a body that cannot be stored to its end, and nothing else", () =>
    // But for the one other piece that was on its way: it may arrive after that, and expires.
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const other = yield* store.storeBody("list", [randomBytes(10)].values())
      let requests = 0
      front.onRequest = () => {
        requests++
        front.fault =
          requests === 3
            ? (response) =>
                response.end('[{"error":"OOM command not allowed when used memory > \'maxmemory\'."}]')
            : undefined
      }
      const error = yield* Effect.flip(store.storeBody("list", [randomBytes(2_000_000)].values()))
      assert.strictEqual(error.message, "Refused (OOM)")
      const [kept = ""] = pieces(other, 1)
      const left = yield* keys(front)
      assert.include(left, kept)
      assert.isAtMost(left.length, 2)
      yield* store.removeBody("list", other)
      assert.notInclude(yield* keys(front), kept)
    })
  )

  it.scopedLive("leases to one token at a time, until it ends or expires", () =>
    Effect.gen(function* () {
      const { store, front } = yield* overRedis
      const minute = Duration.minutes(1)
      assert.isTrue(yield* store.lease("list", "a", minute))
      assert.isFalse(yield* store.lease("list", "b", minute))
      assert.isTrue(yield* store.lease("list", "a", Duration.minutes(2)))
      const [left = 0] = yield* timesToLive(front, ["shared:list:lease"])
      assert.isAbove(left, 60_000)
      yield* store.endLease("list", "b")
      assert.isFalse(yield* store.lease("list", "b", minute))
      yield* store.endLease("list", "a")
      assert.isTrue(yield* store.lease("list", "b", Duration.millis(20)))
      yield* Effect.sleep("60 millis")
      assert.isTrue(yield* store.lease("list", "a", minute))
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
    ["too few heads", answer('[{"result":[]}]'), "Malformed"],
    ["something else than heads", answer('[{"result":[1]}]'), "Malformed"],
    ["a used-up quota", answer('{"error":"ERR max daily request limit exceeded."}', 400), "Refused (ERR)"]
  ])("fails on %s, and says why without what it sent", ([, fault, message]) =>
    Effect.gen(function* () {
      const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
      front.fault = fault
      const error = yield* Effect.flip(UpstashSharedStore.make(front).heads(["SECRET"]))
      assert.strictEqual(error.message.slice(0, message.length), message)
      assert.notInclude(JSON.stringify(error), "SECRET")
    })
  )

  it.scopedLive("fails on a wrong token", () =>
    Effect.gen(function* () {
      const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
      const store = UpstashSharedStore.make({ url: front.url, token: Redacted.make("wrong") })
      assert.strictEqual((yield* Effect.flip(store.heads(["list"]))).message, "Refused (WRONGPASS)")
    })
  )

  it.scoped("gives up a database that says nothing, a finalizer's command too", () =>
    Effect.gen(function* () {
      const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
      front.fault = () => undefined
      const received = Effect.async<void>((resume) => {
        front.onRequest = () => resume(Effect.void)
      })
      const store = UpstashSharedStore.make(front)
      const asking = yield* Effect.fork(Effect.flip(Effect.uninterruptible(store.endLease("list", "a"))))
      yield* received
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(asking)).message, "Timeout")
    })
  )
})
