import { Array as Arr, Duration, Effect, Either, Option, Schema } from "effect"
import type { CacheShape } from "../../Layers/Cache.ts"
import * as ExpressionHash from "../../Lists/ExpressionHash.ts"
import { type HashSearchResponse, ListedHash } from "./HashSearch/HashSearchResponse.ts"

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

const Value = Schema.parseJson(Schema.Array(ListedHash))
const decode = Schema.decodeEither(Value)
const encode = Schema.encodeSync(Value)

/** Nearly every value. It is compared as text, which spares the decoding. */
const NOTHING_LISTED = encode([])

/** The longest time for which `store` stores a value. */
const maxTimeToLive = (value: string): Duration.Duration =>
  value === NOTHING_LISTED ? MAX_TIME_TO_LIVE_NOT_LISTED : MAX_TIME_TO_LIVE_LISTED

/** Undefined for a value that is not used. */
const hashesIn = (value: string): ReadonlyArray<ListedHash> | undefined => {
  if (value === NOTHING_LISTED) return []
  if (value.length > MAX_VALUE_CHARACTERS) return undefined
  const hashes = Either.getOrUndefined(decode(value))
  return hashes !== undefined && hashes.length <= MAX_HASHES ? hashes : undefined
}

/** What the cache has for some prefixes. */
export interface Cached {
  readonly listed: ReadonlyArray<ListedHash>
  /** The prefixes that are not cached, or whose value cannot be read or is too large, in the order in which they were asked for. */
  readonly missing: ReadonlyArray<ExpressionHash.HashPrefix>
}

const decodeAll =
  (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) =>
  (values: ReadonlyArray<Option.Option<string>>): Cached => {
    const listed: Array<ListedHash> = []
    const missing: Array<ExpressionHash.HashPrefix> = []
    prefixes.forEach((prefix, index) => {
      const value = Option.getOrUndefined(values[index] ?? Option.none())
      const hashes = value === undefined ? undefined : hashesIn(value)
      if (hashes === undefined) missing.push(prefix)
      else listed.push(...hashes)
    })
    return { listed, missing }
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
  const whenListed = Duration.min(cacheDuration, MAX_TIME_TO_LIVE_LISTED)
  const whenNotListed = Duration.min(cacheDuration, MAX_TIME_TO_LIVE_NOT_LISTED)
  const byPrefix = Arr.groupBy(listed, ({ hash }) => ExpressionHash.prefix(hash))
  return cache.setMany(
    prefixes.flatMap((prefix) => {
      const hashes = byPrefix[prefix] ?? []
      if (hashes.length === 0) return [{ key: prefix, value: NOTHING_LISTED, timeToLive: whenNotListed }]
      return hashes.length > MAX_HASHES
        ? []
        : [{ key: prefix, value: encode(hashes), timeToLive: whenListed }]
    })
  )
}
