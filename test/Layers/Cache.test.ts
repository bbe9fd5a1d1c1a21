import { assert, describe, it, vi } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import * as FastCheck from "effect/FastCheck"
import { Cache, type CacheShape, type ListedHash, ThreatType } from "../../src/Layers/Cache.ts"
import * as UpstashPipeline from "../../src/Layers/CacheDatabase/UpstashPipeline.ts"
import { DatabaseError } from "../../src/Layers/CacheDatabase/UpstashRest.ts"
import { CacheDatabase } from "../../src/Layers/CacheDatabase.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as CacheDatabaseDouble from "../fixtures/CacheDatabaseDouble.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import * as NanosClock from "../fixtures/NanosClock.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"

const HOUR_MS = Duration.toMillis("1 hour")

const unreachable = new DatabaseError({ reason: "Unreachable", code: "ECONNREFUSED" })

const A = "0000000a"
const B = "0000000b"
const C = "0000000c"
const X = "0000000f"

/** Distinct listed hashes under a prefix. */
const hashes = (
  prefix: string,
  count = 1,
  threats: ListedHash["threats"] = ["SOCIAL_ENGINEERING"]
): ReadonlyArray<ListedHash> =>
  Array.from({ length: count }, (_, at) => ({ hash: prefix + String(at).padStart(56, "0"), threats }))

/** Stores a response in which the prefixes have one listed hash each. */
const list = (cache: CacheShape, prefixes: ReadonlyArray<string>, duration: Duration.DurationInput) =>
  cache.store(prefixes, {
    listed: prefixes.flatMap((prefix) => hashes(prefix)),
    cacheDuration: Duration.decode(duration)
  })

/** Stores a response in which nothing is listed. */
const listNothing = (cache: CacheShape, prefixes: ReadonlyArray<string>, duration: Duration.DurationInput) =>
  cache.store(prefixes, { listed: [], cacheDuration: Duration.decode(duration) })

/** What is cached if these prefixes have one listed hash each. */
const cachedOf = (...prefixes: ReadonlyArray<string>) =>
  new Map(prefixes.map((prefix) => [prefix, hashes(prefix)] as const))

const none = new Map()

const inMemory = Effect.provide(Cache, Cache.inMemory)

/** Replicas over the double of a database. */
const setUp = Effect.map(CacheDatabaseDouble.make, ({ replica, ...database }) => ({
  ...database,
  replica: Effect.map(replica(Cache.layer), (context) => Context.get(context, Cache))
}))

describe("Cache in memory", () => {
  it.effect("returns what is listed under each prefix that it has", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      assert.strictEqual(yield* cache.status, "in-process")
      yield* cache.store([A, B, C], {
        listed: [...hashes(A, 2), ...hashes(B)],
        cacheDuration: Duration.minutes(1)
      })
      const expected = new Map([
        [C, []],
        [A, hashes(A, 2)],
        [B, hashes(B)]
      ])
      deepStrictEqual(yield* cache.getMany([C, X, A, B, A]), expected)
      deepStrictEqual(cache.peekMany([C, X, A, B, A]), expected)
    })
  )

  it.effect("removes a value at its deadline", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      yield* list(cache, [A], "1 minute")
      yield* adjust("59999 millis")
      deepStrictEqual(yield* cache.getMany([A]), cachedOf(A))
      yield* adjust("1 millis")
      deepStrictEqual(yield* cache.getMany([A]), none)
      deepStrictEqual(cache.peekMany([A]), none)
    })
  )

  it.effect("does not store a response without a duration", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      yield* list(cache, [A], Duration.zero)
      deepStrictEqual(yield* cache.getMany([A]), none)
    })
  )

  it.effect("stores the latest 63,000 of 100,000 prefixes", () =>
    Effect.gen(function* () {
      const ADDED = 100_000
      const cache = yield* inMemory
      const prefixes = Array.from({ length: ADDED }, (_, index) => index.toString(16).padStart(8, "0"))
      for (let first = 0; first < ADDED; first += 1000)
        yield* listNothing(cache, prefixes.slice(first, first + 1000), "1 hour")
      deepStrictEqual([...cache.peekMany(prefixes).keys()], prefixes.slice(-63_000))
    })
  )

  it.effect("evicts the least recently used prefix, whose listed hashes count too", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      const prefixes = Array.from({ length: 970 }, (_, index) => index.toString(16).padStart(8, "0"))
      const [first = "", second = ""] = prefixes
      for (const prefix of prefixes) {
        // 969 prefixes with 64 hashes each count 62,985.
        if (prefix === prefixes.at(-1)) cache.peekMany([first])
        yield* cache.store([prefix], { listed: hashes(prefix, 64), cacheDuration: Duration.minutes(5) })
      }
      const cached = cache.peekMany(prefixes)
      deepStrictEqual(
        prefixes.filter((prefix) => !cached.has(prefix)),
        [second]
      )
    })
  )

  it.effect("does not store a prefix with more than 64 hashes, but the others of the response", () =>
    Effect.gen(function* () {
      const cache = yield* inMemory
      const response = (count: number) => ({
        listed: hashes(A, count),
        cacheDuration: Duration.minutes(5)
      })
      yield* cache.store([A, B], response(65))
      deepStrictEqual(cache.peekMany([A, B]), new Map([[B, []]]))
      yield* cache.store([A, B], response(64))
      assert.lengthOf(cache.peekMany([A]).get(A) ?? [], 64)
    })
  )

  it.effect("keeps its deadlines when the machine's clock is set an hour back or forth", () =>
    Effect.gen(function* () {
      const { clock, advance, setDate } = yield* NanosClock.make
      const test = Effect.gen(function* () {
        const cache = yield* inMemory
        yield* list(cache, [A], "20 minutes")
        setDate(HOUR_MS)
        deepStrictEqual(yield* cache.getMany([A]), cachedOf(A))
        setDate(-HOUR_MS)
        advance(Duration.toMillis("20 minutes"))
        deepStrictEqual(yield* cache.getMany([A]), none)
      })
      yield* Effect.withClock(test, clock)
    })
  )
})

describe("Cache over a database", () => {
  it.scoped("stores a response as digests only, in one command, for at most 24 hours or 30 minutes", () =>
    Effect.gen(function* () {
      const { sent, stored, replica } = yield* setUp
      const cache = yield* replica
      sent.length = 0
      for (const [cacheDuration, minutesListed, minutesNotListed] of [
        ["5 minutes", 5, 5],
        ["2 hours", 30, 120],
        ["365 days", 30, 24 * 60]
      ] as const) {
        const listed = hashes(A, 1, ["MALWARE", "SOCIAL_ENGINEERING"])
        yield* cache.store([A, B], { listed, cacheDuration: Duration.decode(cacheDuration) })
        deepStrictEqual(Object.fromEntries(stored), {
          "reputation:0000000a": {
            value: `[{"hash":"${A}${"0".repeat(56)}","threats":["MALWARE","SOCIAL_ENGINEERING"]}]`,
            deadline: minutesListed * 60_000
          },
          "reputation:0000000b": { value: "[]", deadline: minutesNotListed * 60_000 }
        })
      }
      deepStrictEqual(sent, Array(3).fill("set reputation:0000000a reputation:0000000b"))
    })
  )

  it.scoped("shares values between replicas", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* list(one, [A, B], "1 minute")
      yield* listNothing(one, [C], "1 minute")
      deepStrictEqual(yield* other.getMany([B, X, A, C]), new Map([...cachedOf(B, A), [C, []]]))
      assert.strictEqual(yield* other.status, "shared")
    })
  )

  it.scoped("shares 64 hashes of all threats under a prefix", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      const [first, ...others] = ThreatType.literals
      const listed = hashes(A, 64, [first, ...others])
      yield* one.store([A], { listed, cacheDuration: Duration.minutes(5) })
      deepStrictEqual(yield* other.getMany([A]), new Map([[A, listed]]))
    })
  )

  it.scoped("reads from the database only prefixes that this process neither wrote nor read", () =>
    Effect.gen(function* () {
      const { sent, replica } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* list(one, [A, B], "1 minute")
      yield* list(other, [C], "1 minute")
      sent.length = 0
      deepStrictEqual(yield* one.getMany([A, B]), cachedOf(A, B))
      deepStrictEqual(sent, [])
      deepStrictEqual(yield* one.getMany([A, C, B]), cachedOf(A, C, B))
      deepStrictEqual(sent, ["get reputation:0000000c"])
      yield* one.getMany([A, C, B])
      yield* one.getMany([])
      deepStrictEqual(sent, ["get reputation:0000000c"])
      deepStrictEqual(one.peekMany([A, X, C]), cachedOf(A, C))
      deepStrictEqual(sent, ["get reputation:0000000c"])
    })
  )

  it.scoped("expires the copy of a shared value with the original", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* list(one, [A], "1 minute")
      yield* adjust("30 seconds")
      state.distance = "100 millis"
      const reading = yield* forkNow(other.getMany([A]))
      yield* adjust("100 millis")
      deepStrictEqual(yield* Fiber.join(reading), cachedOf(A))
      state.distance = Duration.zero
      yield* adjust("29899 millis")
      sent.length = 0
      deepStrictEqual(yield* other.getMany([A]), cachedOf(A))
      deepStrictEqual(sent, [])
      yield* adjust("1 millis")
      deepStrictEqual(yield* other.getMany([A]), none)
      deepStrictEqual(sent, ["get reputation:0000000a"])
    })
  )

  it.scoped("does not replace what another check stored meanwhile by a value that has expired", () =>
    Effect.gen(function* () {
      const { replica, state } = yield* setUp
      const [one, other] = [yield* replica, yield* replica]
      yield* list(one, [A], "100 millis")
      state.distance = "100 millis"
      const reading = yield* forkNow(other.getMany([A]))
      yield* forkNow(listNothing(other, [A], "1 minute"))
      yield* adjust("100 millis")
      const expected = new Map([[A, []]])
      deepStrictEqual(yield* Fiber.join(reading), expected)
      deepStrictEqual(other.peekMany([A]), expected)
    })
  )

  it.scoped("returns the values of this process while the database is down", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const cache = yield* replica
      yield* list(cache, [A], "1 minute")
      state.fault = unreachable
      for (let failures = 0; failures < 3; failures++)
        deepStrictEqual(yield* cache.getMany([A, X]), cachedOf(A))
      assert.strictEqual(yield* cache.status, "unreachable")
      sent.length = 0
      yield* list(cache, [B], "1 minute")
      deepStrictEqual(yield* cache.getMany([A, B, X]), cachedOf(A, B))
      deepStrictEqual(sent, [])
    })
  )

  it.scoped("sends no command without a prefix, and does not count that as a recovery", () =>
    Effect.gen(function* () {
      const { sent, replica, state } = yield* setUp
      const cache = yield* replica
      state.fault = unreachable
      for (let failures = 0; failures < 3; failures++) yield* cache.getMany([A])
      yield* adjust("1 second")
      sent.length = 0
      yield* list(cache, [], "1 minute")
      yield* list(cache, [A], Duration.zero)
      yield* cache.store([A], { listed: hashes(A, 65), cacheDuration: Duration.minutes(1) })
      deepStrictEqual(yield* cache.getMany([]), none)
      deepStrictEqual(sent, [])
      assert.strictEqual(yield* cache.status, "unreachable")
    })
  )

  it.scoped("behaves as one map with deadlines, whatever two replicas read and write", () =>
    Effect.gen(function* () {
      const { replica } = yield* setUp
      const replicas = [yield* replica, yield* replica]
      const step = FastCheck.record({
        key: FastCheck.constantFrom(A, B, C),
        replica: FastCheck.constantFrom(0, 1),
        isWrite: FastCheck.boolean(),
        pauseMs: FastCheck.constantFrom(0, 0, 400, 1000)
      })
      for (const [run, steps] of FastCheck.sample(FastCheck.array(step), {
        numRuns: 60
      }).entries()) {
        const model = new Map<string, number>()
        for (const { isWrite, key, pauseMs, replica } of steps) {
          if (pauseMs > 0) yield* adjust(pauseMs)
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const cache = yield* Effect.fromNullable(replicas[replica])
          const prefix = `${run.toString(16).padStart(7, "0")}${key.at(-1)}`
          // All write the same value: a copy may be older than what another replica writes.
          if (isWrite && (model.get(key) ?? 0) <= now) {
            yield* list(cache, [prefix], "1 second")
            model.set(key, now + 1000)
          }
          const expected = (model.get(key) ?? 0) > now ? cachedOf(prefix) : none
          deepStrictEqual(yield* cache.getMany([prefix]), expected)
        }
      }
    })
  )

  it.scoped.each<[value: string, listed: ReadonlyArray<ListedHash>, max: Duration.DurationInput]>([
    ["[]", [], "24 hours"],
    [JSON.stringify(hashes(A)), hashes(A), "30 minutes"]
  ])("uses %s only if it expires as what is stored here, and overwrites it", ([value, listed, max]) =>
    Effect.gen(function* () {
      const { replica, stored } = yield* setUp
      const cache = yield* replica
      const maxMs = Duration.toMillis(max)
      const put = (deadline: number) => stored.set(`reputation:${A}`, { value, deadline })
      put(maxMs + 1)
      deepStrictEqual(yield* cache.getMany([A]), none)
      put(maxMs)
      deepStrictEqual(yield* cache.getMany([A]), new Map([[A, listed]]))
      put(Number.MAX_SAFE_INTEGER)
      yield* adjust(maxMs)
      deepStrictEqual(yield* cache.getMany([A]), none)
      yield* listNothing(cache, [A], "5 minutes")
      assert.strictEqual(stored.get(`reputation:${A}`)?.deadline, maxMs + 300_000)
    })
  )

  it.scoped.each<[name: string, value: string]>([
    ["no text", ""],
    ["an object", "{}"],
    ["half of a list", "["],
    ["null", "null"],
    ["a short hash", '[{"hash":"abc","threats":["MALWARE"]}]'],
    ["a hash without threats", `[{"hash":"${A}${"0".repeat(56)}","threats":[]}]`],
    ["an unknown threat", `[{"hash":"${A}${"0".repeat(56)}","threats":["OTHER"]}]`],
    ["65 hashes", JSON.stringify(hashes(A, 65))],
    ["12,000 hashes", JSON.stringify(hashes(A, 12_000))]
  ])("treats a value of %s as missing, and overwrites it", ([, value]) =>
    Effect.gen(function* () {
      const { replica, stored } = yield* setUp
      const cache = yield* replica
      stored.set(`reputation:${A}`, { value, deadline: 60_000 })
      yield* list(cache, [B], "1 minute")
      deepStrictEqual(yield* cache.getMany([A, B]), cachedOf(B))
      yield* listNothing(cache, [A], "1 minute")
      deepStrictEqual(yield* cache.getMany([A]), new Map([[A, []]]))
      deepStrictEqual(stored.get(`reputation:${A}`)?.value, "[]")
    })
  )

  it.scoped("does not parse a value of more than 16 KiB", () =>
    Effect.gen(function* () {
      const { replica, stored } = yield* setUp
      const [short, long] = ["0000000d", "0000000e"]
      const put = (prefix: string, value: string) =>
        stored.set(`reputation:${prefix}`, { value, deadline: 60_000 })
      put(short, JSON.stringify(hashes(short)).padEnd(16_384))
      put(long, JSON.stringify(hashes(long)).padEnd(16_385))
      put(A, JSON.stringify(hashes(A, 40_000)))
      // Would take 3 MB of memory as one hash.
      put(B, `[{"hash":"${B}${"0".repeat(56)}","threats":["MALWARE"${',"MALWARE"'.repeat(390_000)}]}]`)
      const cache = yield* replica
      const parse = vi.spyOn(JSON, "parse")
      const cached = yield* cache.getMany([short, long, A, B])
      const parsed = parse.mock.calls.map(([text]) => text.length)
      parse.mockRestore()
      deepStrictEqual([cached, parsed], [cachedOf(short), [16_384]])
    })
  )

  it.scoped.each<[name: string, reply: ReadonlyArray<unknown>]>([
    ["no value", [[["[]"], ["x"]]]],
    ["a number as value", [[[1], [1]]]],
    ["a text", ["[]"]],
    ["one list", [[["[]"]]]],
    ["nothing", []]
  ])("reads nothing from a reply with %s", ([, reply]) =>
    Effect.gen(function* () {
      const { text } = yield* Metrics
      const context = yield* Layer.build(
        Layer.provide(Cache.layer, CacheDatabase.over({ send: () => Effect.succeed(reply) }))
      )
      deepStrictEqual(yield* Context.get(context, Cache).getMany([A]), none)
      assert.match(text(), /threat_scoring_cache_failures_total{reason="Malformed"} [1-4]/)
    }).pipe(Effect.provide(Metrics.layer))
  )
})

describe.skipIf(!RedisServer.isInstalled)("Cache over redis-server (needs the program)", () => {
  const setUp = Effect.gen(function* () {
    const front = yield* UpstashRestFront.make(yield* RedisServer.make)
    const replica = Effect.map(
      Layer.build(
        Layer.provide(
          Cache.layer,
          Layer.unwrapScoped(Effect.map(UpstashPipeline.make(front), CacheDatabase.over))
        )
      ),
      (context) => Context.get(context, Cache)
    )
    return {
      front,
      redis: (...command: ReadonlyArray<string>) => UpstashRestFront.command(front, command),
      replicas: [yield* replica, yield* replica] as const
    }
  })

  it.scoped(
    "stores values with the time that they have to live, and reads them with what is left of it",
    () =>
      Effect.gen(function* () {
        const { front, redis, replicas } = yield* setUp
        const [one, other] = replicas
        yield* list(one, [A], "1 minute")
        yield* listNothing(one, [B], "90 seconds")
        yield* list(one, [C], Duration.micros(60_000_001n))
        const [FOR_EVER, CENTURY] = ["0000000d", "0000000e"]
        yield* redis("SET", `reputation:${FOR_EVER}`, "[]")
        yield* redis("SET", `reputation:${CENTURY}`, "[]", "EX", String(36_500 * 86_400))
        for (const [prefix, min, max] of [
          [A, 50_000, 60_000],
          [B, 80_000, 90_000],
          [C, 50_000, 60_001]
        ] as const) {
          const left = Number(yield* redis("PTTL", `reputation:${prefix}`))
          assert.isTrue(left > min && left <= max)
        }
        const prefixes = [B, X, A, FOR_EVER, CENTURY]
        // A value without an expiry, or with one that is later than any of ours, is none of ours.
        const expected = new Map([[B, []], ...cachedOf(A)])
        deepStrictEqual(yield* other.getMany(prefixes), expected)
        deepStrictEqual(other.peekMany(prefixes), expected)
        yield* adjust("60 seconds")
        deepStrictEqual(other.peekMany([A, B]), new Map([[B, []]]))
        const requests = front.requestCount
        yield* other.getMany([B])
        assert.strictEqual(front.requestCount, requests)
      })
  )

  it.scoped("reads from a full database, and writes nothing to it", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      const [one, other] = replicas
      yield* list(one, [A], "1 minute")
      yield* redis("CONFIG", "SET", "maxmemory", "1")
      yield* list(one, [B], "1 minute")
      deepStrictEqual(yield* other.getMany([A, B]), cachedOf(A))
    })
  )
})
