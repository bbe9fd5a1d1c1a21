import { randomUUID } from "node:crypto"
import { Clock, Duration, Effect, Option, Schema, Stream } from "effect"
import { DatabaseError } from "../../Layers/CacheDatabase/UpstashRest.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import type { SharedStoreShape } from "../SharedStore.ts"
import type { Definition, Snapshot } from "./Definition.ts"
import * as ListSchedule from "./ListSchedule.ts"
import * as SnapshotBytes from "./SnapshotBytes.ts"

/**
 * Part of every key: during a rollout replicas of two versions use one database, and must not read each other's lists. Increase
 * it with each change of `Version` or of its use.
 */
const PROTOCOL = 4

/** Lists survive so long without a refresh. */
const MIN_TIME_TO_LIVE = Duration.days(3)

/** Of a body that is not complete, or not named by the key yet. */
const INCOMPLETE_TIME_TO_LIVE = Duration.minutes(10)

/** How often a list that does not change is made to live on: the commands are as many as its pieces. */
const EXTEND_AFTER = Duration.days(1)

/** Bounds the memory that a damaged key can claim. Enough for thirty million URLs. */
const MAX_LIST_BYTES = 268_435_456

/**
 * 350 KB in base64, one request each. Upstash refuses requests of 10 MB in its smallest plans
 * (https://upstash.com/docs/redis/troubleshooting/max_request_size_exceeded), and writing large JSON blocks the thread.
 */
const MAX_PIECE_BYTES = 262_144

const PIECES_AT_ONCE = 2

const Whole = Schema.Int.pipe(Schema.nonNegative())

/** What replicas share of a list: one key of at most a few kilobytes of JSON, beside the pieces of the body that it names. */
const Version = Schema.Struct({
  /** Missing while the fleet has no list. */
  list: Schema.optional(
    Schema.Struct({
      id: Schema.NonEmptyString,
      bytes: Whole.pipe(Schema.between(1, MAX_LIST_BYTES)),
      answeredAt: SnapshotBytes.EpochMillis,
      /** See `EXTEND_AFTER`. */
      extendedAt: SnapshotBytes.EpochMillis
    })
  ),
  /** The metadata of the snapshot: they may be later than those in the body. */
  metadata: Schema.optional(Schema.String),
  /** When this was written, and when the next request is due, by the writer's clock. */
  writtenAt: SnapshotBytes.EpochMillis,
  nextAt: SnapshotBytes.EpochMillis,
  /** How many refreshes in a row have failed. */
  failures: Whole,
  /** Why there is no newer list. Contains no address, key or row. */
  lastError: Schema.optional(
    Schema.Struct({ message: Schema.String.pipe(Schema.maxLength(200)), at: SnapshotBytes.EpochMillis })
  )
})

export type Version = typeof Version.Type

const encodeVersion = Schema.encodeSync(Schema.parseJson(Version))
const decodeVersion = Schema.decodeUnknownOption(Schema.parseJson(Version))

/** None for a key that is missing, or that nobody can read: the next refresh replaces it. */
const versionOf = (text: unknown): Option.Option<Version> =>
  typeof text === "string" ? decodeVersion(text) : Option.none()

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

/** What a refresh leaves to the other replicas. */
export type Publication<S> = Pick<Version, "failures" | "nextAt" | "lastError"> & {
  readonly snapshot: Option.Option<S>
}

/** The lease, or who has it, with the key as it was then: another replica may have published since the last look. */
export interface Lease {
  readonly isOurs: boolean
  readonly version: Option.Option<Version>
}

/**
 * A list in the shared store: one key, the body that it names, and one lease. The key is overwritten without a comparison: if a
 * replica was paused past its lease, its older list may replace a newer one until the next refresh.
 */
export const make = <S extends Snapshot>(
  store: SharedStoreShape,
  {
    digest,
    format,
    lease
  }: Pick<Definition<S, never>, "format"> & {
    readonly digest: string
    /** How long the other replicas wait after one died during its refresh. A refresh that takes longer may be made twice. */
    readonly lease: Duration.Duration
  }
) => {
  // Replicas that could not read each other's versions or bodies use different keys.
  const key = `list:${PROTOCOL}:${format.magic}.${format.version}:${digest}`
  const leaseKey = `${key}:lease`
  const pieceKey = (id: string, index: number) => `${key}:${id}:${index}`
  const pieceKeys = ({ bytes, id }: { readonly bytes: number; readonly id: string }): Array<string> =>
    Array.from({ length: Math.ceil(bytes / MAX_PIECE_BYTES) }, (_, index) => pieceKey(id, index))
  const millis = (duration: Duration.Duration) => Math.ceil(Duration.toMillis(duration))

  const setFor = (key: string, value: string, timeToLive: Duration.Duration) =>
    store.send([["SET", key, value, "PX", millis(timeToLive)]])
  const remove = (keys: ReadonlyArray<string>) =>
    keys.length === 0 ? Effect.void : Effect.ignore(store.send([["DEL", ...keys]]))

  /** Whether no piece was missing. */
  const extend = (body: { readonly bytes: number; readonly id: string }, timeToLive: Duration.Duration) =>
    Effect.map(
      store.send(pieceKeys(body).map((piece) => ["PEXPIRE", piece, millis(timeToLive)])),
      (results) => results.every((result) => result === 1)
    )

  const storeBody = (snapshot: S, timeToLive: Duration.Duration) =>
    Effect.suspend(() => {
      const id = randomUUID()
      const pieces: Array<string> = []
      let bytes = 0
      return Stream.fromIteratorSucceed(split(SnapshotBytes.encode(format, snapshot)), 1).pipe(
        Stream.mapEffect(
          (piece) => {
            const name = pieceKey(id, pieces.length)
            pieces.push(name)
            bytes += piece.length
            return setFor(name, piece.toString("base64"), INCOMPLETE_TIME_TO_LIVE)
          },
          { concurrency: PIECES_AT_ONCE }
        ),
        Stream.runDrain,
        Effect.zipRight(Effect.suspend(() => extend({ id, bytes }, timeToLive))),
        // A database without memory may have removed a piece already.
        Effect.filterOrFail(
          (isWhole) => isWhole,
          () => new DatabaseError({ reason: "Refused" })
        ),
        Effect.onError(() => remove(pieces)),
        Effect.map(() => ({ id, bytes }))
      )
    })

  /** None when a piece is missing or damaged. */
  const load = (list: NonNullable<Version["list"]>): Effect.Effect<Option.Option<S>, DatabaseError> =>
    Effect.suspend(() => {
      const bytes = Buffer.alloc(list.bytes)
      return Effect.forEach(
        pieceKeys(list),
        (piece, index) =>
          Effect.map(store.send([["GET", piece]]), ([text]) => {
            const at = index * MAX_PIECE_BYTES
            return (
              typeof text === "string" &&
              bytes.write(text, at, "base64") === Math.min(MAX_PIECE_BYTES, list.bytes - at)
            )
          }),
        { concurrency: PIECES_AT_ONCE }
      ).pipe(
        Effect.flatMap((areWhole) =>
          areWhole.every((isWhole) => isWhole)
            ? Effect.option(SnapshotBytes.decode(format, bytes))
            : Effect.succeedNone
        )
      )
    })

  /** The body that this process has stored or loaded last, and the snapshot that is in it. */
  let known: { readonly id: string; readonly snapshot: S } | undefined

  return {
    read: Effect.map(store.send([["GET", key]]), ([text]) => versionOf(text)),

    /** Takes the lease unless another replica has it. */
    takeLease: Effect.map(
      store.send([
        ["SET", leaseKey, "1", "NX", "PX", millis(lease)],
        ["GET", key]
      ]),
      ([taken, text]): Lease => ({ isOurs: taken === "OK", version: versionOf(text) })
    ),

    /** Ends the lease, unless it may have expired since `takenAt`, in monotonic milliseconds: another replica may have it. */
    endLease: (takenAt: number) =>
      Effect.flatMap(MonotonicTime.now, (now) =>
        now - takenAt < Duration.toMillis(lease) ? remove([leaseKey]) : Effect.void
      ),

    /** The snapshot of a version that is newer than one. None: there is none, or it lacks a piece. */
    newer: Effect.fnUntraced(function* ({ list, metadata = "" }: Version, inUse: Option.Option<S>) {
      const now = yield* Clock.currentTimeMillis
      const isOurs = ({ answeredAt }: S) =>
        list !== undefined && answeredAt >= list.answeredAt && !ListSchedule.isImpossible(answeredAt, now)
      if (list === undefined || Option.exists(inUse, isOurs)) return Option.none<S>()
      const same = known?.id === list.id ? known.snapshot : undefined
      const isInUse =
        same !== undefined &&
        Option.exists(inUse, (snapshot) => SnapshotBytes.hasSameContent(format, Option.some(same), snapshot))
      const loaded = isInUse ? Option.some(same) : yield* load(list)
      const snapshot = Option.flatMap(loaded, (loaded) => format.withMetadata(loaded, metadata))
      if (Option.isSome(snapshot)) known = { id: list.id, snapshot: snapshot.value }
      return snapshot
    }),

    /** Stores the list, unless its body is there, then the key, and removes the body that it replaces. */
    publish: Effect.fnUntraced(function* (
      before: Option.Option<Version>,
      { snapshot, nextAt, ...update }: Publication<S>
    ) {
      const now = yield* Clock.currentTimeMillis
      const timeToLive = Duration.max(MIN_TIME_TO_LIVE, Duration.millis(2 * (nextAt - now)))
      const old = Option.getOrUndefined(Option.flatMapNullable(before, ({ list }) => list))

      const listOf = Effect.fnUntraced(function* (snapshot: S) {
        const { answeredAt } = snapshot
        const isStored =
          old !== undefined &&
          old.id === known?.id &&
          SnapshotBytes.hasSameContent(format, Option.some(known.snapshot), snapshot)
        if (isStored) {
          const isRecent = now - old.extendedAt < Duration.toMillis(EXTEND_AFTER)
          if (isRecent) return { ...old, answeredAt }
          if (yield* extend(old, timeToLive)) return { ...old, answeredAt, extendedAt: now }
        }
        const body = yield* storeBody(snapshot, timeToLive)
        known = { id: body.id, snapshot }
        return { ...body, answeredAt, extendedAt: now }
      })

      const list = Option.isSome(snapshot) ? yield* listOf(snapshot.value) : undefined
      const version: Version = {
        ...update,
        writtenAt: now,
        nextAt,
        ...(list !== undefined && { list }),
        ...(Option.isSome(snapshot) && { metadata: format.metadata(snapshot.value) })
      }
      yield* setFor(key, encodeVersion(version), timeToLive)
      if (old !== undefined && old.id !== list?.id) yield* remove(pieceKeys(old))
    })
  }
}

export type SharedList<S extends Snapshot> = ReturnType<typeof make<S>>
