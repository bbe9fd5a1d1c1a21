import { Array as Arr, Duration, Effect, Option, Schema } from "effect"
import type { CacheShape } from "../../Layers/Cache.ts"
import * as ExpressionHash from "../../Url/ExpressionHash.ts"
import { type HashSearchResponse, ListedHash } from "./HashSearchClient.ts"

/**
 * Google's terms forbid to treat a URL as unsafe unless that was confirmed within the past 30 minutes
 * (https://developers.google.com/safe-browsing/v4/terms).
 */
const MAX_TIME_TO_LIVE_LISTED = Duration.minutes(30)

/** The longest time for which v5 lets a client cache a response without matches. */
const MAX_TIME_TO_LIVE_NOT_LISTED = Duration.hours(24)

/**
 * A cached value that is longer, in characters, or has more hashes is ignored: `store` writes none, and decoding it would cost
 * every check that meets it.
 */
const MAX_VALUE_CHARACTERS = 16 * 1024
const MAX_HASHES = 64

const Value = Schema.parseJson(Schema.Array(ListedHash).pipe(Schema.maxItems(MAX_HASHES)))
const decode = Schema.decodeOption(Value)
const encode = Schema.encodeSync(Value)

/** Nearly every value. It is compared as text, which spares the decoding. */
const NOTHING_LISTED = encode([])

/** The longest time for which `store` stores a value. */
const maxTimeToLive = (value: string): Duration.Duration =>
  value === NOTHING_LISTED ? MAX_TIME_TO_LIVE_NOT_LISTED : MAX_TIME_TO_LIVE_LISTED

/** None for a value that is not used. */
const hashesIn = (value: string): Option.Option<ReadonlyArray<ListedHash>> => {
  if (value === NOTHING_LISTED) return Option.some([])
  return value.length > MAX_VALUE_CHARACTERS ? Option.none() : decode(value)
}

/** What is listed under each prefix that is cached; none for one whose value cannot be read or is too large. */
export type Cached = ReadonlyMap<ExpressionHash.HashPrefix, ReadonlyArray<ListedHash>>

const decodeAll =
  (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) =>
  (values: ReadonlyArray<Option.Option<string>>): Cached => {
    const cached = new Map<ExpressionHash.HashPrefix, ReadonlyArray<ListedHash>>()
    prefixes.forEach((prefix, index) => {
      const hashes = Option.flatMap(values[index] ?? Option.none(), hashesIn)
      if (Option.isSome(hashes)) cached.set(prefix, hashes.value)
    })
    return cached
  }

/** Reads all prefixes in one call of the cache. */
export const getMany = (
  cache: CacheShape,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
): Effect.Effect<Cached> => Effect.map(cache.getMany(prefixes, maxTimeToLive), decodeAll(prefixes))

/** Reads the memory of this process only; a prefix that only the database has is missing. */
export const peekMany = (cache: CacheShape, prefixes: ReadonlyArray<ExpressionHash.HashPrefix>): Cached =>
  decodeAll(prefixes)(cache.peekMany(prefixes))

/**
 * Stores the response for every requested prefix, listed or not, for `cacheDuration` within the bounds above. Only digests
 * are stored: the prefix, and the hashes of the response. A prefix with more than MAX_HASHES is not stored.
 */
export const store = (
  cache: CacheShape,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>,
  { listed, cacheDuration }: HashSearchResponse
): Effect.Effect<void> => {
  if (Duration.equals(cacheDuration, Duration.zero)) return Effect.void
  const byPrefix = Arr.groupBy(listed, ({ hash }) => ExpressionHash.prefix(hash))
  return cache.setMany(
    prefixes.flatMap((prefix) => {
      const hashes: ReadonlyArray<ListedHash> = byPrefix[prefix] ?? []
      if (hashes.length > MAX_HASHES) return []
      const value = hashes.length === 0 ? NOTHING_LISTED : encode(hashes)
      return [{ key: prefix, value, timeToLive: Duration.min(cacheDuration, maxTimeToLive(value)) }]
    })
  )
}
