import { assert, describe, it, vi } from "@effect/vitest"
import { Context, Duration, Effect, Option } from "effect"
import { type ListedHash, ThreatType } from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import * as PrefixCache from "../../../src/Checkers/ReputationLookup/PrefixCache.ts"
import { Cache, type CacheEntry, type CacheShape } from "../../../src/Layers/Cache.ts"
import * as CacheDatabaseDouble from "../../fixtures/CacheDatabaseDouble.ts"
import { adjust } from "../../fixtures/NextTurn.ts"

const PREFIX = "1c4fa2f5"
const timeToLive = Duration.minutes(5)

/** Distinct listed hashes under PREFIX. */
const hashes = (
  count: number,
  threats: ListedHash["threats"] = ["SOCIAL_ENGINEERING"]
): ReadonlyArray<ListedHash> =>
  Array.from({ length: count }, (_, at) => ({ hash: PREFIX + String(at).padStart(56, "0"), threats }))

const makeCache: Effect.Effect<CacheShape> = Effect.provide(Cache, Cache.inMemory)

const put = (cache: CacheShape, value: string) => cache.setMany([{ key: PREFIX, value, timeToLive }])

describe("PrefixCache", () => {
  it.effect("reads a value of 16 KiB, and treats a longer one as missing", () =>
    Effect.gen(function* () {
      const cache = yield* makeCache
      const listed = hashes(1)
      const json = JSON.stringify(listed)
      yield* put(cache, json.padEnd(16_384))
      assert.deepStrictEqual(PrefixCache.peekMany(cache, [PREFIX]), new Map([[PREFIX, listed]]))
      yield* put(cache, json.padEnd(16_385))
      assert.deepStrictEqual(PrefixCache.peekMany(cache, [PREFIX]), new Map())
      assert.deepStrictEqual(yield* PrefixCache.getMany(cache, [PREFIX]), new Map())
    })
  )

  it.effect("does not parse a value of 1.2 MB, and overwrites it", () =>
    Effect.gen(function* () {
      const cache = yield* makeCache
      yield* put(cache, JSON.stringify(hashes(12_000)))
      const parse = vi.spyOn(JSON, "parse")
      const cached = PrefixCache.peekMany(cache, [PREFIX])
      const calls = parse.mock.calls.length
      parse.mockRestore()
      assert.deepStrictEqual([cached, calls], [new Map(), 0])
      yield* PrefixCache.store(cache, [PREFIX], { listed: [], cacheDuration: timeToLive })
      assert.deepStrictEqual(PrefixCache.peekMany(cache, [PREFIX]), new Map([[PREFIX, []]]))
    })
  )

  it.effect("reads a value of 64 hashes, and treats one of more as missing", () =>
    Effect.gen(function* () {
      const cache = yield* makeCache
      yield* put(cache, JSON.stringify(hashes(64)))
      assert.deepStrictEqual(PrefixCache.peekMany(cache, [PREFIX]), new Map([[PREFIX, hashes(64)]]))
      yield* put(cache, JSON.stringify(hashes(65)))
      assert.deepStrictEqual(PrefixCache.peekMany(cache, [PREFIX]), new Map())
    })
  )

  it.effect("stores 64 hashes of all threats under a prefix so that they can be read", () =>
    Effect.gen(function* () {
      const cache = yield* makeCache
      const [first, ...others] = ThreatType.literals
      const listed = hashes(64, [first, ...others])
      yield* PrefixCache.store(cache, [PREFIX, "00000001"], { listed, cacheDuration: timeToLive })
      assert.deepStrictEqual(
        PrefixCache.peekMany(cache, [PREFIX, "00000001"]),
        new Map([
          [PREFIX, listed],
          ["00000001", []]
        ])
      )
    })
  )

  it.effect(
    "stores listed prefixes for at most 30 minutes, others for at most 24 hours, and none for no time",
    () =>
      Effect.gen(function* () {
        const minutes = (cacheDuration: Duration.DurationInput) =>
          Effect.gen(function* () {
            const writes: Array<CacheEntry> = []
            const setMany = (entries: ReadonlyArray<CacheEntry>) =>
              Effect.sync(() => void writes.push(...entries))
            const response = { listed: hashes(1), cacheDuration: Duration.decode(cacheDuration) }
            yield* PrefixCache.store({ ...(yield* makeCache), setMany }, [PREFIX, "00000001"], response)
            return writes.map(({ timeToLive }) => Duration.toMinutes(timeToLive))
          })
        assert.deepStrictEqual(yield* minutes("5 minutes"), [5, 5])
        assert.deepStrictEqual(yield* minutes("2 hours"), [30, 120])
        assert.deepStrictEqual(yield* minutes("365 days"), [30, 24 * 60])
        assert.deepStrictEqual(yield* minutes(0), [])
      })
  )

  it.scoped.each<[value: string, listed: ReadonlyArray<ListedHash>, max: Duration.DurationInput]>([
    ["[]", [], "24 hours"],
    [JSON.stringify(hashes(1)), hashes(1), "30 minutes"]
  ])(
    "uses %s of the database only if it expires as what is stored here, and overwrites it",
    ([value, listed, max]) =>
      Effect.gen(function* () {
        const { replica, stored } = yield* CacheDatabaseDouble.make
        const cache = Context.get(yield* replica(Cache.layer), Cache)
        const maxMs = Duration.toMillis(max)
        const put = (deadline: number) => stored.set(`reputation:${PREFIX}`, { value, deadline })
        put(maxMs + 1)
        const missing = new Map()
        assert.deepStrictEqual(yield* PrefixCache.getMany(cache, [PREFIX]), missing)
        put(maxMs)
        assert.deepStrictEqual(yield* PrefixCache.getMany(cache, [PREFIX]), new Map([[PREFIX, listed]]))
        put(Number.MAX_SAFE_INTEGER)
        yield* adjust(maxMs)
        assert.deepStrictEqual(yield* PrefixCache.getMany(cache, [PREFIX]), missing)
        yield* PrefixCache.store(cache, [PREFIX], { listed: [], cacheDuration: timeToLive })
        assert.strictEqual(
          stored.get(`reputation:${PREFIX}`)?.deadline,
          maxMs + Duration.toMillis(timeToLive)
        )
      })
  )

  it.effect("does not store a prefix with more than 64 hashes, but the others of the response", () =>
    Effect.gen(function* () {
      const cache = yield* makeCache
      yield* PrefixCache.store(cache, [PREFIX, "00000001"], { listed: hashes(65), cacheDuration: timeToLive })
      assert.deepStrictEqual(cache.peekMany([PREFIX, "00000001"]), [Option.none(), Option.some("[]")])
    })
  )
})
