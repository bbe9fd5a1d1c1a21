import { Duration, Effect, Either, Option, Schema } from "effect"
import type { CacheShape } from "../../Layers/Cache.ts"
import * as ExpressionHash from "./ExpressionHash.ts"
import { type HashSearchAnswer, ListedHash } from "./HashSearch.ts"

/**
 * Google's terms forbid to treat a URL as unsafe unless it was confirmed within the past 30 minutes
 * (https://developers.google.com/safe-browsing/v4/terms).
 */
const LONGEST_WHEN_LISTED = Duration.minutes(30)

/** The longest that v5 lets a client keep an answer without matches. */
const LONGEST_WHEN_NOT_LISTED = Duration.hours(24)

const key = (prefix: ExpressionHash.HashPrefix): string => `reputation:${prefix}`

const Value = Schema.parseJson(Schema.Array(ListedHash))
const decode = Schema.decodeEither(Value)
const encode = Schema.encodeSync(Value)

/** Nearly every value, so it is recognized without decoding. */
const NOTHING_LISTED = encode([])

/** What the cache says about some prefixes. */
export interface Known {
  readonly listed: ReadonlyArray<ListedHash>
  /** To be asked for: not in the cache, or not readable there. Sorted and each once, so equal sets are equal lists. */
  readonly missing: ReadonlyArray<ExpressionHash.HashPrefix>
}

const read =
  (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) =>
  (values: ReadonlyArray<Option.Option<string>>): Known => {
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

/** Looks all prefixes up in one call. */
export const known = (
  cache: CacheShape,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
): Effect.Effect<Known> => Effect.map(cache.getMany(prefixes.map(key)), read(prefixes))

/** Looks all prefixes up in what this process holds; what only the database has is missing then. */
export const held = (cache: CacheShape, prefixes: ReadonlyArray<ExpressionHash.HashPrefix>): Known =>
  read(prefixes)(cache.peekMany(prefixes.map(key)))

/**
 * Keeps the answer for every prefix that was asked, listed or not, for as long as it holds. Only digests are stored:
 * the prefix, and the hashes of the service's answer.
 */
export const remember = (
  cache: CacheShape,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>,
  { listed, cacheDuration }: HashSearchAnswer
): Effect.Effect<void> => {
  if (Duration.equals(cacheDuration, Duration.zero)) return Effect.void
  return cache.setMany(
    prefixes.map((prefix) => {
      const hashes = listed.filter(({ hash }) => ExpressionHash.prefix(hash) === prefix)
      return {
        key: key(prefix),
        value: encode(hashes),
        timeToLive: Duration.min(
          cacheDuration,
          hashes.length > 0 ? LONGEST_WHEN_LISTED : LONGEST_WHEN_NOT_LISTED
        )
      }
    })
  )
}
