import { Duration, Effect, Schema } from "effect"
import { CacheError } from "../Database/CacheError.ts"
import * as UpstashPipeline from "../Database/UpstashPipeline.ts"
import type * as Database from "../Database.ts"
import type { RemoteCache } from "./RemoteCache.ts"

/**
 * Adds one, and the rest of the amount if that makes at most the limit. Arguments: the window in milliseconds, the rest, the
 * limit. Sets the expiry also of a counter without one, so that every counter expires, and of one that would outlive its
 * window: Redis expires keys by the date, which may be set back.
 */
const ADD = `
local rest = tonumber(ARGV[2])
local current = redis.call('INCR', KEYS[1]) + rest
if rest > 0 and current <= tonumber(ARGV[3]) then redis.call('INCRBY', KEYS[1], rest) end
local left = redis.call('PTTL', KEYS[1])
if left < 0 or left > tonumber(ARGV[1]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {current, left}`

/** Values with the time that each has left to live, by the database's clock. */
const GET_MANY = `
local values, left = {}, {}
for i, key in ipairs(KEYS) do
  values[i] = redis.call('GET', key)
  left[i] = values[i] and redis.call('PTTL', key) or 0
end
return {values, left}`

const Counts = Schema.Tuple(
  Schema.Tuple(Schema.Int.pipe(Schema.positive()), Schema.Int.pipe(Schema.nonNegative()))
)

const Values = Schema.Tuple(
  Schema.Tuple(Schema.Array(Schema.NullOr(Schema.String)), Schema.Array(Schema.Int))
)

const Stored = Schema.Array(Schema.Literal("OK"))

/** Redis takes whole milliseconds and rejects an expiry of 0. */
const wholeMillis = (duration: Duration.Duration) => Math.max(1, Math.ceil(Duration.toMillis(duration)))

export const make = (database: Database.CacheDatabase) =>
  Effect.map(UpstashPipeline.make(database), ({ send }): RemoteCache => {
    const execute = <A, I>(schema: Schema.Schema<A, I>, commands: ReadonlyArray<Database.Command>) =>
      send(commands).pipe(
        Effect.flatMap(Schema.decodeUnknown(schema)),
        Effect.catchTag("ParseError", () => new CacheError({ reason: "Malformed" }))
      )

    return {
      getMany: (keys) =>
        execute(Values, [(pipeline) => pipeline.eval(GET_MANY, [...keys], [])]).pipe(
          Effect.map(([[values, millisLeft]]) =>
            keys.flatMap((key, index) => {
              const value = values[index]
              const timeToLive = Duration.millis(Math.max(0, millisLeft[index] ?? 0))
              return typeof value === "string" ? [{ key, value, timeToLive }] : []
            })
          )
        ),
      setMany: (entries) =>
        execute(
          Stored,
          entries.map(({ key, value, timeToLive }): Database.Command => {
            return (pipeline) => pipeline.set(key, value, { px: wholeMillis(timeToLive) })
          })
        ),
      add: (key, amount, window, limit) =>
        execute(Counts, [
          (pipeline) => pipeline.eval(ADD, [key], [wholeMillis(window), amount - 1, limit])
        ]).pipe(
          Effect.map(([[current, millisLeft]]) => ({ current, resetAfter: Duration.millis(millisLeft) }))
        )
    }
  })
