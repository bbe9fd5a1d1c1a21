import { Clock, Duration, Effect, Option, Schema } from "effect"
import { DatabaseError } from "../../Layers/CacheDatabase/UpstashRest.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import type { SharedStoreShape } from "../SharedStore.ts"
import { type Definition, EpochMillis, type Snapshot, type Stored } from "./Definition.ts"
import * as ListSchedule from "./ListSchedule.ts"
import * as SnapshotFile from "./SnapshotFile.ts"

/**
 * Part of every key: during a rollout replicas of two versions use one database, and must not read each other's lists. Increase
 * it with each change of `Version` or of its use.
 */
const PROTOCOL = 5

/** Lists survive so long without a refresh. */
const MIN_TIME_TO_LIVE = Duration.days(3)

/** How often a list that does not change is stored again, so that it lives on. */
const STORE_AGAIN_AFTER_MS = Duration.toMillis(Duration.days(1))

/** Bounds the memory that a damaged key can claim. Enough for thirty million URLs. */
const MAX_LIST_BYTES = 268_435_456

/**
 * 350 KB in base64, one request each. Upstash refuses requests of 10 MB in its smallest plans
 * (https://upstash.com/docs/redis/troubleshooting/max_request_size_exceeded), and writing large JSON blocks the thread.
 */
const MAX_PIECE_BYTES = 262_144

const PIECES_AT_ONCE = 2

const MAX_MESSAGE_CHARS = 200

const Whole = Schema.Int.pipe(Schema.nonNegative())

const List = Schema.Struct({
  /** The digest of the parts, which are stored under it. */
  id: Schema.NonEmptyString,
  /** The length of each part, in bytes. */
  parts: Schema.Array(Whole).pipe(
    Schema.filter((parts) => parts.reduce((sum, length) => sum + length, 0) <= MAX_LIST_BYTES)
  ),
  metadata: Schema.String,
  answeredAt: EpochMillis,
  /** When the parts were stored. */
  storedAt: EpochMillis
})

/** What replicas share of a list: one key of at most a few kilobytes of JSON, beside the pieces of the list's parts. */
const Version = Schema.Struct({
  /** Missing while the fleet has no list. */
  list: Schema.optional(List),
  /** When this was written, and when the next request is due, by the writer's clock. */
  writtenAt: EpochMillis,
  nextAt: EpochMillis,
  /** How many refreshes in a row have failed. */
  failures: Whole,
  /** Why there is no newer list. Contains no address, key or row. */
  lastError: Schema.optional(
    Schema.Struct({
      message: Schema.String.pipe(Schema.maxLength(MAX_MESSAGE_CHARS)),
      at: EpochMillis
    })
  )
})

export type Version = typeof Version.Type

const encodeVersion = Schema.encodeSync(Schema.parseJson(Version))
const decode = Schema.decodeUnknownOption(Schema.parseJson(Version))

/** Undefined for a key that is missing, or that nobody can read: the next refresh replaces it. */
const decodeVersion = (text: unknown): Version | undefined => Option.getOrUndefined(decode(text))

/** The same for the same list, whatever its times. */
const idOf = (parts: Stored["parts"]) => SnapshotFile.digestOf({ metadata: "", parts })

/** What a refresh leaves to the other replicas. */
interface Publication<S> extends Pick<Version, "failures"> {
  readonly snapshot: Option.Option<S>
  readonly lastError: Option.Option<NonNullable<Version["lastError"]>>
}

/**
 * A list in the shared store: one key, the pieces of the list that it names, and one lease. The key is overwritten without a
 * comparison: if a replica is paused while it publishes, its older list may replace a newer one until the next refresh.
 *
 * `lease`: how long the other replicas wait after one died during its refresh. A refresh that takes longer may be made twice; then
 * the version stays that was published first.
 */
export const make = <S extends Snapshot>(
  store: SharedStoreShape,
  { digest, format }: Pick<Definition<S, never>, "digest" | "format">,
  lease: Duration.Duration
) => {
  // Replicas that could not read each other's versions or lists use different keys.
  const key = `list:${PROTOCOL}:${format.version}:${digest}`
  const leaseKey = `${key}:lease`
  const pieceKey = (id: string, index: number) => `${key}:${id}:${index}`
  const millis = (duration: Duration.Duration) => Math.ceil(Duration.toMillis(duration))

  const setFor = (key: string, value: string, timeToLive: Duration.Duration) =>
    store.send([["SET", key, value, "PX", millis(timeToLive)]])
  const remove = (keys: ReadonlyArray<string>) => Effect.ignore(store.send([["DEL", ...keys]]))
  const removeList = ({ id, parts }: Pick<typeof List.Type, "id" | "parts">) => {
    const count = parts.reduce((sum, length) => sum + Math.ceil(length / MAX_PIECE_BYTES), 0)
    return remove(Array.from({ length: count }, (_, index) => pieceKey(id, index)))
  }

  const eachPiece = <A, E>(
    id: string,
    parts: ReadonlyArray<Uint8Array>,
    use: (key: string, piece: Buffer) => Effect.Effect<A, E>
  ) =>
    Effect.forEach(
      SnapshotFile.pieces(parts, MAX_PIECE_BYTES),
      (piece, index) => use(pieceKey(id, index), Buffer.from(piece.buffer, piece.byteOffset, piece.length)),
      { concurrency: PIECES_AT_ONCE }
    )

  /** The id of the list whose pieces this process has stored or loaded last. */
  let knownId: string | undefined

  /** None when a piece is missing or damaged. */
  const loadParts = Effect.fnUntraced(function* ({ id, parts }: typeof List.Type) {
    const loaded = parts.map((length) => new Uint8Array(new SharedArrayBuffer(length)))
    const areWhole = yield* eachPiece(id, loaded, (key, piece) =>
      Effect.map(
        store.send([["GET", key]]),
        ([text]) => typeof text === "string" && piece.write(text, "base64") === piece.length
      )
    )
    const isWhole = areWhole.every((isWhole) => isWhole) && (yield* idOf(loaded)) === id
    if (!isWhole) return Option.none()
    knownId = id
    return Option.some(loaded)
  })

  return {
    read: Effect.map(store.send([["GET", key]]), ([text]) => decodeVersion(text)),

    /**
     * Takes the lease, and ends it when `use` has ended. `use` gets the key as it is then: another replica may have published
     * since the last look. `isHeld`: another replica cannot have the lease yet. None: another replica has it.
     */
    withLease: <A, E, R>(
      use: (version: Version | undefined, isHeld: Effect.Effect<boolean>) => Effect.Effect<A, E, R>
    ) =>
      Effect.gen(function* () {
        const takenAt = yield* MonotonicTime.now
        const [taken, text] = yield* store.send([
          ["SET", leaseKey, "1", "NX", "PX", millis(lease)],
          ["GET", key]
        ])
        if (taken === null) return Option.none<A>()
        // Otherwise all replicas would wait for ever for one that has the lease.
        if (taken !== "OK") return yield* new DatabaseError({ reason: "Malformed" })
        const isHeld = Effect.map(MonotonicTime.now, (now) => now - takenAt < Duration.toMillis(lease))
        const end = Effect.whenEffect(remove([leaseKey]), isHeld)
        return yield* Effect.asSome(Effect.ensuring(use(decodeVersion(text), isHeld), end))
      }),

    /** The snapshot of a version: the one in use unless the version's is newer. None: the version has none, or lacks a piece. */
    load: Effect.fnUntraced(function* ({ list }: Version, inUse: Option.Option<S>) {
      if (list === undefined) return Option.none<S>()
      const now = yield* Clock.currentTimeMillis
      const isNew = ({ answeredAt }: S) =>
        answeredAt >= list.answeredAt && !ListSchedule.isImpossible(answeredAt, now)
      if (Option.exists(inUse, isNew)) return inUse
      const own = Option.map(inUse, (own) => format.encode(own).parts)
      const isSame = Option.contains(yield* Effect.transposeMapOption(own, idOf), list.id)
      const parts = isSame ? own : yield* loadParts(list)
      return Option.flatMap(parts, (parts) =>
        Option.getRight(format.decode({ metadata: list.metadata, parts }))
      )
    }),

    /** Stores the list, unless it is there, then the key, and removes the list that it replaces. */
    publish: Effect.fnUntraced(function* (
      before: Version | undefined,
      { snapshot, failures, lastError }: Publication<S>,
      nextAt: number
    ) {
      const now = yield* Clock.currentTimeMillis
      const timeToLive = Duration.max(MIN_TIME_TO_LIVE, Duration.millis(2 * (nextAt - now)))
      const old = before?.list

      const stored = Effect.fnUntraced(function* (snapshot: S) {
        const { metadata, parts } = format.encode(snapshot)
        const id = yield* idOf(parts)
        const lengths = parts.map(({ length }) => length)
        const list = { id, parts: lengths, metadata, answeredAt: snapshot.answeredAt }
        const isThere = old?.id === id && knownId === id
        if (isThere && now - old.storedAt < STORE_AGAIN_AFTER_MS) return { ...list, storedAt: old.storedAt }
        yield* eachPiece(id, parts, (key, piece) => setFor(key, piece.toString("base64"), timeToLive)).pipe(
          Effect.onError(() => (old?.id === id ? Effect.void : removeList(list)))
        )
        knownId = id
        return { ...list, storedAt: now }
      })

      const list = Option.getOrUndefined(yield* Effect.transposeMapOption(snapshot, stored))
      const error = Option.map(lastError, ({ message, at }) => ({
        message: message.slice(0, MAX_MESSAGE_CHARS),
        at
      }))
      const version = { list, writtenAt: now, nextAt, failures, lastError: Option.getOrUndefined(error) }
      yield* setFor(key, encodeVersion(version), timeToLive)
      if (old !== undefined && old.id !== list?.id) yield* removeList(old)
    })
  }
}

export type SharedList<S extends Snapshot> = ReturnType<typeof make<S>>
