import { Array as Arr, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { LRUCache } from "lru-cache"
import { CacheDatabase } from "./CacheDatabase.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import * as MonotonicTime from "./Time/MonotonicTime.ts"

/** The threat types of Safe Browsing v5, in the order of their numbers, which start at 1. */
export const ThreatType = Schema.Literal(
  "MALWARE",
  "SOCIAL_ENGINEERING",
  "UNWANTED_SOFTWARE",
  "POTENTIALLY_HARMFUL_APPLICATION"
)
export type ThreatType = typeof ThreatType.Type

/** A listed expression with the threats that count for a page, at least one. */
export const ListedHash = Schema.Struct({
  hash: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  threats: Schema.NonEmptyArray(ThreatType)
})
export type ListedHash = typeof ListedHash.Type

/** The response of Safe Browsing about some prefixes of hashes. */
export interface HashSearchResponse {
  /** Every listed hash under one of the requested prefixes, also of other URLs: compare the whole hash. */
  readonly listed: ReadonlyArray<ListedHash>
  /** How long the response is valid for every requested prefix, listed or not. Zero: do not cache it. */
  readonly cacheDuration: Duration.Duration
}

/** Hexadecimal digits of a prefix. */
const PREFIX_LENGTH = 8

/** What is listed under each prefix that is cached. */
export type Cached = ReadonlyMap<string, ReadonlyArray<ListedHash>>

/** Prefixes and listed hashes together, in memory: 12 to 17 MB. */
const MAX_IN_MEMORY = 63_000

/** A prefix with more is not cached. */
const MAX_HASHES = 64

/**
 * Google's terms forbid to treat a URL as unsafe unless that was confirmed within the past 30 minutes
 * (https://developers.google.com/safe-browsing/v4/terms).
 */
const MAX_TIME_TO_LIVE_LISTED = Duration.minutes(30)

/** The longest time for which v5 lets a client cache a response without matches. */
const MAX_TIME_TO_LIVE_NOT_LISTED = Duration.hours(24)

/** The longest time for which a prefix with these hashes is cached. */
const maxTimeToLive = (listed: ReadonlyArray<ListedHash>): Duration.Duration =>
  listed.length === 0 ? MAX_TIME_TO_LIVE_NOT_LISTED : MAX_TIME_TO_LIVE_LISTED

/** A value of the database. */
const Value = Schema.parseJson(Schema.Array(ListedHash).pipe(Schema.maxItems(MAX_HASHES)))
const decodeValue = Schema.decodeOption(Value)

/** A longer value is treated as missing: `store` stores none, and decoding 4 MB would block the process for 0.2 s. */
const MAX_VALUE_CHARACTERS = 16 * 1024

/** Nearly every value is an empty list: decoding the 6,000 of a bulk request would take 30 ms. */
const decode = (value: string): Option.Option<ReadonlyArray<ListedHash>> => {
  if (value === "[]") return Option.some([])
  return value.length > MAX_VALUE_CHARACTERS ? Option.none() : decodeValue(value)
}

/** What the keys in the database begin with: the rate limit has keys there too. */
const NAMESPACE = "reputation:"

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

/** What is listed under a prefix, and when that expires, in monotonic milliseconds. */
interface Entry {
  readonly listed: ReadonlyArray<ListedHash>
  readonly deadline: number
}

const make = Effect.gen(function* () {
  const database = yield* CacheDatabase
  const clock = yield* Effect.clock
  const now = () => MonotonicTime.millis(clock)
  // lru-cache's own expiry treats a clock that starts at 0 as no expiry.
  const memory = new LRUCache<string, Entry>({
    maxSize: MAX_IN_MEMORY,
    sizeCalculation: ({ listed }) => 1 + listed.length
  })

  /** Reads the memory of this process only; synchronous. */
  const peekMany = (prefixes: ReadonlyArray<string>): Cached => {
    const at = now()
    const cached = new Map<string, ReadonlyArray<ListedHash>>()
    for (const prefix of prefixes) {
      const entry = memory.get(prefix)
      if (entry !== undefined && entry.deadline > at) cached.set(prefix, entry.listed)
    }
    return cached
  }

  /** Copies what the database has of the prefixes to memory. */
  const fetch = (prefixes: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const sentAt = now()
      const command = ["EVAL", GET_MANY, prefixes.length, ...prefixes.map((prefix) => NAMESPACE + prefix)]
      return Effect.map(database.send("read", Values, [command]), (reply) => {
        const [[values, millisLeft]] = Option.getOrElse(reply, () => [[[], []]] as const)
        for (const [index, prefix] of prefixes.entries()) {
          const listed = Option.getOrUndefined(Option.flatMap(Option.fromNullable(values[index]), decode))
          const left = millisLeft[index] ?? 0
          // A value that expires later than any that `store` stores is of unknown age.
          if (listed === undefined || left > Duration.toMillis(maxTimeToLive(listed))) continue
          // From the time of the command, not of the reply: a copy expires no later than the original.
          const deadline = sentAt + left
          // An expired value would replace one that another check has stored since.
          if (deadline > now()) memory.set(prefix, { listed, deadline })
        }
      })
    })

  return {
    peekMany,
    /** Reads memory first, then the database for the missing prefixes, in one command. */
    getMany: (prefixes: ReadonlyArray<string>): Effect.Effect<Cached> =>
      Effect.suspend(() => {
        const local = peekMany(prefixes)
        const missing = prefixes.filter((prefix) => !local.has(prefix))
        return missing.length === 0
          ? Effect.succeed(local)
          : Effect.map(fetch(missing), () => peekMany(prefixes))
      }),
    /**
     * Stores the response for every requested prefix, listed or not, for `cacheDuration`, but at most 24 hours, and 30 minutes
     * if a hash is listed. Only digests are stored: the prefix, and the hashes of the response.
     */
    store: (
      prefixes: ReadonlyArray<string>,
      { listed, cacheDuration }: HashSearchResponse
    ): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (Duration.equals(cacheDuration, Duration.zero)) return Effect.void
        const byPrefix = Arr.groupBy(listed, ({ hash }) => hash.slice(0, PREFIX_LENGTH))
        const found = prefixes
          .map((prefix) => ({ prefix, listed: byPrefix[prefix] ?? [] }))
          .filter(({ listed }) => listed.length <= MAX_HASHES)
          .map((entry) => ({
            ...entry,
            millis: Duration.toMillis(Duration.min(cacheDuration, maxTimeToLive(entry.listed)))
          }))
        if (found.length === 0) return Effect.void
        const at = now()
        for (const { prefix, listed, millis } of found) memory.set(prefix, { listed, deadline: at + millis })
        const command = [
          "EVAL",
          SET_MANY,
          found.length,
          ...found.map(({ prefix }) => NAMESPACE + prefix),
          // Redis takes whole milliseconds and rejects an expiry of 0.
          ...found.flatMap(({ listed, millis }) => [JSON.stringify(listed), Math.max(1, Math.ceil(millis))])
        ]
        return Effect.asVoid(database.send("write", Stored, [command]))
      }),
    /** Of the database. */
    status: database.status
  }
})

export type CacheShape = Effect.Effect.Success<typeof make>

/**
 * What Safe Browsing has answered about prefixes of hashes, shared by all replicas when a cache database is configured.
 *
 * No operation fails: while the database is down, slow or returns invalid data, the memory of this process is used;
 * the outage is logged once and shown by `status`. None takes longer than a command, `CACHE_TIMEOUT`.
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
