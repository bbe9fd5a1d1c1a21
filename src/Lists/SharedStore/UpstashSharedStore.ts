import { randomUUID } from "node:crypto"
import { Data, Duration, Effect, Layer, Option, Schema, type Scope, Stream } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import * as DatabaseBreaker from "../../Layers/CacheDatabase/DatabaseBreaker.ts"
import * as UpstashRest from "../../Layers/CacheDatabase/UpstashRest.ts"
import { SharedStore, type SharedStoreShape, type StoredBody } from "../SharedStore.ts"

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

/**
 * 350 KB in base64, one request each. Upstash refuses requests of 10 MB in its smallest plans
 * (https://upstash.com/docs/redis/troubleshooting/max_request_size_exceeded), and writing large JSON blocks the thread.
 */
const MAX_PIECE_BYTES = 262_144

const pieceKey = (name: string, id: string, index: number) => `shared:${name}:${id}:${index}`

/** The keys of a body's pieces, in order. */
const pieceKeys = (name: string, { id, bytes, pieceBytes }: StoredBody): Array<string> =>
  Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, index) => pieceKey(name, id, index))

/** The same bytes in pieces of `MAX_PIECE_BYTES`; the last may be shorter. */
function* split(bytes: Iterable<Uint8Array>): Generator<Buffer> {
  let piece = Buffer.alloc(MAX_PIECE_BYTES)
  let filled = 0
  for (const chunk of bytes)
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + MAX_PIECE_BYTES - filled)
      piece.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < MAX_PIECE_BYTES) continue
      yield piece
      piece = Buffer.alloc(MAX_PIECE_BYTES)
      filled = 0
    }
  if (filled > 0) yield piece.subarray(0, filled)
}

const Text = Schema.Tuple(Schema.NullOr(Schema.String))
const Stored = Schema.Tuple(Schema.Literal("OK"))
const Count = Schema.Tuple(Schema.Int)
const Counts = Schema.Array(Schema.Int)

const textKey = (name: string) => `shared:${name}`
const leaseKey = (name: string) => `shared:${name}:lease`

const millis = (duration: Duration.Duration) => Math.ceil(Duration.toMillis(duration))

class PieceMissing extends Data.TaggedError("PieceMissing") {}

export const make = (
  database: UpstashRest.DatabaseConfig
): Effect.Effect<SharedStoreShape, never, Scope.Scope> => Effect.map(UpstashRest.make(database), overDatabase)

const overDatabase = (sendCommands: UpstashRest.SendCommands): SharedStoreShape => {
  const call = (commands: ReadonlyArray<UpstashRest.Command>) =>
    Effect.async<ReadonlyArray<UpstashRest.Reply>, UpstashRest.DatabaseError>((resume) =>
      Effect.sync(sendCommands(commands, resume))
    )

  const send = <A, I>(
    results: Schema.Schema<A, I>,
    commands: ReadonlyArray<UpstashRest.Command>,
    timeout = SMALL_TIMEOUT
  ): Effect.Effect<A, UpstashRest.DatabaseError> =>
    // Interruptible, so that the timeout also works in a finalizer.
    Effect.interruptible(call(commands)).pipe(
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () => new UpstashRest.DatabaseError({ reason: "Timeout" })
      }),
      Effect.flatMap(UpstashRest.results),
      Effect.flatMap(Schema.decodeUnknown(results)),
      Effect.catchTag("ParseError", () => new UpstashRest.DatabaseError({ reason: "Malformed" }))
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
          pieceKeys(name, body),
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
        return Stream.fromIteratorSucceed(split(bytes), 1).pipe(
          Stream.mapEffect(
            (piece) => {
              const key = pieceKey(name, id, keys.length)
              keys.push(key)
              total += piece.length
              return set(key, piece.toString("base64"), timeToLive, PIECE_TIMEOUT)
            },
            { concurrency: PIECES_AT_ONCE }
          ),
          Stream.runDrain,
          Effect.onError(() => Effect.ignore(Effect.suspend(() => remove(keys)))),
          Effect.map(() => ({ id, bytes: total, pieceBytes: MAX_PIECE_BYTES }))
        )
      }),

    extendBody: (name, body, timeToLive) =>
      Effect.map(
        send(
          Counts,
          pieceKeys(name, body).map((key) => (pipeline) => pipeline.pexpire(key, millis(timeToLive)))
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

/** Opens at the first failure: background loops send few commands, which take up to 10 seconds. */
const breaker = DatabaseBreaker.make({
  service: "SharedStore",
  meanwhile: "sharing no threat lists",
  rules: { maxFailuresInARow: 1, minPauseMs: 5000, maxPauseMs: 5000 },
  onSkip: () => undefined
})

/** Sends no commands for 5 seconds after one failed, and logs each outage once. */
const withCircuitBreaker = (store: SharedStoreShape): Effect.Effect<SharedStoreShape> =>
  Effect.map(breaker, (database) => {
    const through =
      (access: DatabaseBreaker.Access) =>
      <Args extends ReadonlyArray<unknown>, A>(
        command: (...args: Args) => Effect.Effect<A, UpstashRest.DatabaseError>
      ) =>
      (...args: Args): Effect.Effect<A, UpstashRest.DatabaseError> =>
        Effect.flatMap(
          database.call(command(...args), access),
          Option.match({
            onNone: () => new UpstashRest.DatabaseError({ reason: "Unreachable" }),
            onSome: Effect.succeed
          })
        )
    const read = through("read")
    const write = through("write")
    return {
      text: read(store.text),
      setText: write(store.setText),
      body: read(store.body),
      storeBody: write(store.storeBody),
      extendBody: write(store.extendBody),
      lease: write(store.lease),
      endLease: write(store.endLease)
    }
  })

/** The store in the cache database, if CACHE_REST_URL is set. */
export const layer: Layer.Layer<SharedStore, never, AppConfig> = Layer.scoped(
  SharedStore,
  Effect.flatMap(AppConfig, ({ cache }) =>
    Effect.transposeMapOption(cache, (database) => Effect.flatMap(make(database), withCircuitBreaker))
  )
)
