import { randomUUID } from "node:crypto"
import { Data, Duration, Effect, Option, Schema, type Scope, Stream } from "effect"
import { CacheError } from "../Database/CacheError.ts"
import * as Database from "../Database.ts"
import type { SharedStoreShape } from "../SharedStore.ts"
import * as BodyPieces from "./BodyPieces.ts"

/** For a request without a piece of a body. Only background loops wait for it. */
const SMALL_TIMEOUT = Duration.seconds(5)

/** For a request with a piece of a body: enough at 35 KB/s. */
const PIECE_TIMEOUT = Duration.seconds(10)

const PIECES_AT_ONCE = 2

/** Also takes a lease that has expired, or that an emptied database has lost. */
const LEASE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

const END_LEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const Text = Schema.Tuple(Schema.NullOr(Schema.String))
const Stored = Schema.Tuple(Schema.Literal("OK"))
const Count = Schema.Tuple(Schema.Int)
const Counts = Schema.Array(Schema.Int)

const textKey = (name: string) => `shared:${name}`
const leaseKey = (name: string) => `shared:${name}:lease`

const millis = (duration: Duration.Duration) => Math.ceil(Duration.toMillis(duration))

class PieceMissing extends Data.TaggedError("PieceMissing") {}

export const make = (database: Database.CacheDatabase): Effect.Effect<SharedStoreShape, never, Scope.Scope> =>
  Effect.map(Database.make(database), overDatabase)

const overDatabase = (sendCommands: Database.SendCommands): SharedStoreShape => {
  const call = (commands: ReadonlyArray<Database.Command>) =>
    Effect.async<ReadonlyArray<Database.Reply>, CacheError>((resume) =>
      Effect.sync(sendCommands(commands, resume))
    )

  const send = <A, I>(
    results: Schema.Schema<A, I>,
    commands: ReadonlyArray<Database.Command>,
    timeout = SMALL_TIMEOUT
  ): Effect.Effect<A, CacheError> =>
    // Interruptible, so that the timeout also works in a finalizer.
    Effect.interruptible(call(commands)).pipe(
      Effect.timeoutFail({ duration: timeout, onTimeout: () => new CacheError({ reason: "Timeout" }) }),
      Effect.flatMap(Database.results),
      Effect.flatMap(Schema.decodeUnknown(results)),
      Effect.catchTag("ParseError", () => new CacheError({ reason: "Malformed" }))
    )

  const set = (key: string, value: string, timeToLive: Duration.Duration, timeout?: Duration.Duration) =>
    Effect.asVoid(send(Stored, [(pipeline) => pipeline.set(key, value, { px: millis(timeToLive) })], timeout))

  const remove = (keys: ReadonlyArray<string>) =>
    keys.length === 0 ? Effect.void : send(Count, [(pipeline) => pipeline.del(...keys)])

  return {
    text: (name) =>
      Effect.map(send(Text, [(pipeline) => pipeline.get(textKey(name))]), ([text]) =>
        Option.fromNullable(text)
      ),

    setText: (name, text, timeToLive) => set(textKey(name), text, timeToLive),

    body: (name, body) =>
      Effect.suspend(() => {
        const bytes = Buffer.alloc(body.bytes)
        return Effect.forEach(
          BodyPieces.keys(name, body),
          (key, index) => {
            const at = index * body.pieceBytes
            const length = Math.min(body.pieceBytes, body.bytes - at)
            return send(Text, [(pipeline) => pipeline.get(key)], PIECE_TIMEOUT).pipe(
              Effect.filterOrFail(
                ([text]) => text !== null && bytes.write(text, at, "base64") === length,
                () => new PieceMissing()
              )
            )
          },
          { concurrency: PIECES_AT_ONCE, discard: true }
        ).pipe(
          Effect.as(Option.some(bytes)),
          Effect.catchTag("PieceMissing", () => Effect.succeedNone)
        )
      }),

    storeBody: (name, bytes, timeToLive) =>
      Effect.suspend(() => {
        const id = randomUUID()
        const keys: Array<string> = []
        let total = 0
        return Stream.fromIteratorSucceed(BodyPieces.split(bytes), 1).pipe(
          Stream.mapEffect(
            (piece) => {
              const key = BodyPieces.key(name, id, keys.length)
              keys.push(key)
              total += piece.length
              return set(key, piece.toString("base64"), timeToLive, PIECE_TIMEOUT)
            },
            { concurrency: PIECES_AT_ONCE }
          ),
          Stream.runDrain,
          Effect.onError(() => Effect.ignore(Effect.suspend(() => remove(keys)))),
          Effect.map(() => ({ id, bytes: total, pieceBytes: BodyPieces.MAX_PIECE_BYTES }))
        )
      }),

    extendBody: (name, body, timeToLive) =>
      Effect.map(
        send(
          Counts,
          BodyPieces.keys(name, body).map((key) => (pipeline) => pipeline.pexpire(key, millis(timeToLive)))
        ),
        (counts) => counts.every((count) => count === 1)
      ),

    lease: (name, token, duration) =>
      Effect.map(
        send(Count, [(pipeline) => pipeline.eval(LEASE, [leaseKey(name)], [token, millis(duration)])]),
        ([count]) => count === 1
      ),

    endLease: (name, token) =>
      Effect.asVoid(send(Count, [(pipeline) => pipeline.eval(END_LEASE, [leaseKey(name)], [token])]))
  }
}
