import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { LRUCache } from "lru-cache"
import type { Command } from "./CacheDatabase/UpstashRest.ts"
import { CacheDatabase } from "./CacheDatabase.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import * as MonotonicTime from "./Time/MonotonicTime.ts"

export interface CacheEntry {
  /** Without `NAMESPACE`. */
  readonly key: string
  readonly value: string
  /** Finite. An entry with no time left is not stored. */
  readonly timeToLive: Duration.Duration
}

/** The sum of ENTRY_OVERHEAD_BYTES and the characters of key and value: 63,000 prefixes of the reputation lookup in 12 MB. */
const MAX_VALUE_BYTES = 12_000_000

/** Approximately what an entry takes beside its characters. */
const ENTRY_OVERHEAD_BYTES = 180

/** Values with the time that each has left to live, by the database's clock. */
const GET_MANY = `
local values, left = {}, {}
for i, key in ipairs(KEYS) do
  values[i] = redis.call('GET', key)
  left[i] = values[i] and redis.call('PTTL', key) or 0
end
return {values, left}`

const Values = Schema.Tuple(
  Schema.Tuple(Schema.Array(Schema.NullOr(Schema.String)), Schema.Array(Schema.Int))
)

/** One command, however many values: a hosted database counts commands. */
const SET_MANY = `
for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[2 * i - 1], 'PX', ARGV[2 * i]) end
return 'OK'`

const Stored = Schema.Tuple(Schema.Literal("OK"))

/**
 * What every key begins with in the database, where the rate limit has keys too. Not in memory: adding it to a key took as long
 * as five reads, and a check reads several keys.
 */
const NAMESPACE = "reputation:"

/** Redis takes whole milliseconds and rejects an expiry of 0. */
const setCommand = (entries: ReadonlyArray<CacheEntry>): Command => [
  "EVAL",
  SET_MANY,
  entries.length,
  ...entries.map(({ key }) => NAMESPACE + key),
  ...entries.flatMap(({ timeToLive, value }) => [
    value,
    Math.max(1, Math.ceil(Duration.toMillis(timeToLive)))
  ])
]

/** A value, and when it expires, in monotonic milliseconds. */
interface StoredValue {
  readonly value: string
  readonly deadline: number
}

const make = Effect.gen(function* () {
  const database = yield* CacheDatabase
  const clock = yield* Effect.clock
  const now = () => MonotonicTime.millis(clock)
  // lru-cache's own expiry treats a clock that starts at 0 as no expiry.
  const memory = new LRUCache<string, StoredValue>({
    maxSize: MAX_VALUE_BYTES,
    sizeCalculation: ({ value }, key) => key.length + value.length + ENTRY_OVERHEAD_BYTES
  })

  /** Reads the memory of this process only; synchronous. */
  const peekMany = (keys: ReadonlyArray<string>): ReadonlyArray<Option.Option<string>> => {
    const at = now()
    return keys.map((key) => {
      const stored = memory.get(key)
      return stored !== undefined && stored.deadline > at ? Option.some(stored.value) : Option.none()
    })
  }

  /** Copies values from the database to memory. */
  const fetch = (keys: ReadonlyArray<string>, maxTimeToLive: (value: string) => Duration.Duration) =>
    Effect.suspend(() => {
      const sentAt = now()
      return Effect.map(
        database.send("read", Values, [
          ["EVAL", GET_MANY, keys.length, ...keys.map((key) => NAMESPACE + key)]
        ]),
        (reply) => {
          const [[values, millisLeft]] = Option.getOrElse(reply, () => [[[], []]] as const)
          for (const [index, key] of keys.entries()) {
            const value = values[index]
            const left = millisLeft[index] ?? 0
            // From the time of the command, not of the reply: a copy expires no later than the original.
            const deadline = sentAt + left
            if (typeof value !== "string" || left > Math.ceil(Duration.toMillis(maxTimeToLive(value))))
              continue
            // An expired value would replace one that another check has stored since.
            if (deadline > now()) memory.set(key, { value, deadline })
          }
        }
      )
    })

  return {
    peekMany,
    /**
     * One element for each key, in order; None for a key that is not stored. Reads memory first, then the database for the
     * missing keys, in one command. A value of the database that has longer to live than `maxTimeToLive`, for which it would be
     * stored, is not used: it is of unknown age, and a shorter copy would be made again and again.
     */
    getMany: (keys: ReadonlyArray<string>, maxTimeToLive: (value: string) => Duration.Duration) =>
      Effect.suspend(() => {
        const local = peekMany(keys)
        const missing = keys.filter((_, index) => Option.isNone(local[index] ?? Option.none()))
        return missing.length === 0
          ? Effect.succeed(local)
          : Effect.map(fetch(missing, maxTimeToLive), () => peekMany(keys))
      }),
    setMany: (entries: ReadonlyArray<CacheEntry>) =>
      Effect.suspend(() => {
        const living = entries.filter(({ timeToLive }) => Duration.greaterThan(timeToLive, Duration.zero))
        if (living.length === 0) return Effect.void
        const at = now()
        for (const { key, timeToLive, value } of living)
          memory.set(key, { value, deadline: at + Duration.toMillis(timeToLive) })
        return Effect.asVoid(database.send("write", Stored, [setCommand(living)]))
      }),
    /** Of the database. */
    status: database.status
  }
})

export type CacheShape = Effect.Effect.Success<typeof make>

/**
 * Short-lived values, shared by all replicas when a cache database is configured.
 *
 * No operation fails: while the database is down, slow or returns invalid data, the memory of this process is used;
 * the outage is logged once and shown by `status`. None takes longer than a command, `CACHE_TIMEOUT`. Every value expires.
 */
export class Cache extends Context.Tag("app/Layers/Cache")<Cache, CacheShape>() {
  static readonly layer: Layer.Layer<Cache, never, CacheDatabase> = Layer.effect(Cache, make)

  static readonly inMemory: Layer.Layer<Cache> = Layer.provide(Cache.layer, CacheDatabase.none)

  /** An effect that updates the gauges of the cache. */
  static readonly gauges = Effect.zipWith(Cache, Metrics, ({ status }, { gauge }) => {
    const shared = gauge("threat_scoring_cache_shared", "1 if a cache database is configured, otherwise 0")
    const open = gauge(
      "threat_scoring_cache_circuit_open",
      "1 during an outage: the last commands of the cache and the rate limit failed, and this process works without the database. Shared lists do not change it"
    )
    return Effect.map(status, (status) => {
      shared.update(status === "in-process" ? 0 : 1)
      open.update(status === "unreachable" ? 1 : 0)
    })
  })
}
