import { randomUUID } from "node:crypto"
import { Data, Duration, Effect, Option, Schema, Stream } from "effect"
import { CacheError } from "../Cache/CacheError.ts"
import * as UpstashCall from "../Cache/UpstashCall.ts"
import type { Body, SharedStoreShape } from "../SharedStore.ts"
import * as BodyPieces from "./BodyPieces.ts"

/** What a command without a body may take. Nobody waits for it but a background loop. */
const SMALL_BUDGET = Duration.seconds(5)

/** What a command with a piece of a body may take: enough for 35 KB a second. */
const PIECE_BUDGET = Duration.seconds(10)

const CALLS_A_BODY = 2

/** How long pieces live that no head speaks of yet, or none any more. */
const GRACE = Duration.minutes(10)

/** ARGV: the expected head, the new one, time to live, grace, number of pieces. KEYS: the head, pieces, dropped pieces. */
const SWITCH = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 'Outrun' end
local last = 1 + tonumber(ARGV[5])
for i = 2, last do
  if redis.call('EXISTS', KEYS[i]) == 0 then return 'BodyGone' end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
for i = 2, last do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
for i = last + 1, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
return 'Switched'`

/** Also takes a lease that has expired, and that of a database that was emptied, when nobody else has it. */
const LEASE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

const END_LEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const one = <A, I>(schema: Schema.Schema<A, I>) => Schema.Tuple(schema)
const Heads = one(Schema.Array(Schema.NullOr(Schema.String)))
const Piece = one(Schema.NullOr(Schema.String))
const Stored = one(Schema.Literal("OK"))
const Count = one(Schema.Int)
const Switched = one(Schema.Literal("Switched", "Outrun", "BodyGone"))

const headKey = (name: string) => `shared:${name}`
const leaseKey = (name: string) => `shared:${name}:lease`

const keysOf = (name: string, body: Option.Option<Body>): Array<string> =>
  Option.match(body, { onNone: () => [], onSome: (body) => BodyPieces.keys(name, body) })

class Gone extends Data.TaggedError("Gone") {}

export const make = (database: UpstashCall.CacheDatabase): SharedStoreShape => {
  const call = UpstashCall.make(database)

  const ask = <A, I>(
    schema: Schema.Schema<readonly [A], I>,
    command: UpstashCall.Command,
    budget = SMALL_BUDGET
  ): Effect.Effect<A, CacheError> =>
    // interruptible, so that the budget holds in a finalizer too
    Effect.interruptible(call([command])).pipe(
      Effect.timeoutFail({ duration: budget, onTimeout: () => new CacheError({ reason: "Timeout" }) }),
      Effect.flatMap(UpstashCall.results),
      Effect.flatMap(Schema.decodeUnknown(schema)),
      Effect.map(([answer]) => answer),
      Effect.catchTag("ParseError", () => new CacheError({ reason: "Malformed" }))
    )

  const remove = (keys: ReadonlyArray<string>) =>
    keys.length === 0 ? Effect.void : Effect.asVoid(ask(Count, (pipeline) => pipeline.del(...keys)))

  return {
    heads: (names) =>
      ask(Heads, (pipeline) => pipeline.mget(...names.map(headKey))).pipe(
        Effect.filterOrFail(
          (heads) => heads.length === names.length,
          () => new CacheError({ reason: "Malformed" })
        ),
        Effect.map((heads) => heads.map(Option.fromNullable))
      ),

    body: (name, body) =>
      Effect.suspend(() => {
        const bytes = Buffer.alloc(body.bytes)
        return Effect.forEach(
          BodyPieces.keys(name, body),
          (key, index) => {
            const at = index * body.pieceBytes
            return ask(Piece, (pipeline) => pipeline.get(key), PIECE_BUDGET).pipe(
              Effect.filterOrFail(
                (text) =>
                  text !== null &&
                  bytes.write(text, at, "base64") === Math.min(body.pieceBytes, body.bytes - at),
                () => new Gone()
              )
            )
          },
          { concurrency: CALLS_A_BODY, discard: true }
        ).pipe(
          Effect.as(Option.some(bytes)),
          Effect.catchTag("Gone", () => Effect.succeedNone)
        )
      }),

    storeBody: (name, bytes) =>
      Effect.suspend(() => {
        const version = randomUUID()
        const keys: Array<string> = []
        let total = 0
        return Stream.fromIteratorSucceed(BodyPieces.of(bytes), 1).pipe(
          Stream.mapEffect(
            (piece) =>
              Effect.suspend(() => {
                const key = BodyPieces.key(name, version, keys.length)
                keys.push(key)
                total += piece.length
                return ask(
                  Stored,
                  (pipeline) => pipeline.set(key, piece.toString("base64"), { px: Duration.toMillis(GRACE) }),
                  PIECE_BUDGET
                )
              }),
            { concurrency: CALLS_A_BODY }
          ),
          Stream.runDrain,
          Effect.onError(() => Effect.ignore(remove(keys))),
          Effect.map(() => ({ version, bytes: total, pieceBytes: BodyPieces.PIECE_BYTES }))
        )
      }),

    removeBody: (name, body) => remove(BodyPieces.keys(name, body)),

    switchHead: (name, { expected, head, body, dropped, timeToLive }) => {
      const pieces = keysOf(name, body)
      const keys = [headKey(name), ...pieces, ...keysOf(name, dropped)]
      const millis = Math.ceil(Duration.toMillis(timeToLive))
      const words = [
        Option.getOrElse(expected, () => ""),
        head,
        millis,
        Duration.toMillis(GRACE),
        pieces.length
      ]
      return ask(Switched, (pipeline) => pipeline.eval(SWITCH, keys, words))
    },

    lease: (name, token, duration) =>
      Effect.map(
        ask(Count, (pipeline) =>
          pipeline.eval(LEASE, [leaseKey(name)], [token, Math.ceil(Duration.toMillis(duration))])
        ),
        (count) => count === 1
      ),

    endLease: (name, token) =>
      Effect.asVoid(ask(Count, (pipeline) => pipeline.eval(END_LEASE, [leaseKey(name)], [token])))
  }
}
