import { Duration, Effect, Either, Option, Schema } from "effect"
import type { CacheShape } from "../../Layers/Cache.ts"
import * as ExpressionHash from "./ExpressionHash.ts"
import { type HashSearchResponse, ListedHash } from "./HashSearch/HashSearchResponse.ts"

/**
 * Google's terms forbid to treat a URL as unsafe unless that was confirmed within the past 30 minutes
 * (https://developers.google.com/safe-browsing/v4/terms).
 */
const MAX_TIME_TO_LIVE_LISTED = Duration.minutes(30)

/** The longest time for which v5 lets a client cache a response without matches. */
const MAX_TIME_TO_LIVE_NOT_LISTED = Duration.hours(24)

const keyOf = (prefix: ExpressionHash.HashPrefix): string => `reputation:${prefix}`

const Value = Schema.parseJson(Schema.Array(ListedHash))
const decode = Schema.decodeEither(Value)
const encode = Schema.encodeSync(Value)

/** Nearly every value. It is compared as text, which spares the decoding. */
const NOTHING_LISTED = encode([])

/** What the cache has for some prefixes. */
export interface Cached {
  readonly listed: ReadonlyArray<ListedHash>
  /** The prefixes that are not cached, or whose value cannot be read. Sorted and distinct: equal sets are equal lists. */
  readonly missing: ReadonlyArray<ExpressionHash.HashPrefix>
}

const decodeAll =
  (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) =>
  (values: ReadonlyArray<Option.Option<string>>): Cached => {
    const listed: Array<ListedHash> = []
    const missing: Array<ExpressionHash.HashPrefix> = []
    prefixes.forEach((prefix, index) => {
      const value = Option.getOrUndefined(values[index] ?? Option.none())
      if (value === NOTHING_LISTED) return
      const hashes = value === undefined ? Either.left(undefined) : decode(value)
      if (Either.isRight(hashes)) listed.push(...hashes.right)
      else missing.push(prefix)
    })
    return { listed, missing: missing.length === 0 ? missing : [...new Set(missing)].sort() }
  }

/** Reads all prefixes in one call of the cache. */
export const getMany = (
  cache: CacheShape,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
): Effect.Effect<Cached> => Effect.map(cache.getMany(prefixes.map(keyOf)), decodeAll(prefixes))

/** Reads the memory of this process only; a prefix that only the database has is missing. */
export const peekMany = (cache: CacheShape, prefixes: ReadonlyArray<ExpressionHash.HashPrefix>): Cached =>
  decodeAll(prefixes)(cache.peekMany(prefixes.map(keyOf)))

/**
 * Stores the response for every requested prefix, listed or not, for `cacheDuration` within the bounds above. Only digests
 * are stored: the prefix, and the hashes of the response.
 */
export const store = (
  cache: CacheShape,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>,
  { listed, cacheDuration }: HashSearchResponse
): Effect.Effect<void> => {
  if (Duration.equals(cacheDuration, Duration.zero)) return Effect.void
  return cache.setMany(
    prefixes.map((prefix) => {
      const hashes = listed.filter(({ hash }) => ExpressionHash.prefix(hash) === prefix)
      return {
        key: keyOf(prefix),
        value: encode(hashes),
        timeToLive: Duration.min(
          cacheDuration,
          hashes.length > 0 ? MAX_TIME_TO_LIVE_LISTED : MAX_TIME_TO_LIVE_NOT_LISTED
        )
      }
    })
  )
}
