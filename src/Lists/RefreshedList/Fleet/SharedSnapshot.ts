import { Duration, Effect, Option, Schema } from "effect"
import { DatabaseError } from "../../../Layers/CacheDatabase/UpstashRest.ts"
import { holdLease, type SharedStoreShape, type StoredBody } from "../../SharedStore.ts"
import * as ListSchedule from "../ListSchedule.ts"
import type { Shared } from "../ListState.ts"
import * as SnapshotBytes from "../SnapshotBytes.ts"

/**
 * Part of every key: during a rollout replicas of two versions use one database, and must not read each other's manifests.
 * Increase it with each change of the manifest or of its use.
 */
const MANIFEST_VERSION = 3

/** Bounds the memory that a damaged manifest can claim. Enough for thirty million URLs. */
const MAX_LIST_BYTES = 268_435_456

const MIN_PIECE_BYTES = 1024

const Whole = Schema.Int.pipe(Schema.nonNegative())

/** The list that the fleet shares: where its body is, and when the source last answered. */
const SharedList = Schema.Struct({
  body: Schema.Struct({
    id: Schema.NonEmptyString,
    bytes: Whole.pipe(Schema.between(1, MAX_LIST_BYTES)),
    pieceBytes: Whole.pipe(Schema.greaterThanOrEqualTo(MIN_PIECE_BYTES))
  }),
  answeredAt: SnapshotBytes.EpochMillis
})

const Manifest = Schema.Struct({
  /** Missing while the fleet has no list. */
  list: Schema.optional(SharedList),
  /** How many refreshes in a row have failed. */
  failures: Whole,
  /** Earliest next request, by the writer's clock. */
  nextAt: SnapshotBytes.EpochMillis,
  /** Why there is no newer list. Contains no address, key or row. */
  lastError: Schema.optional(
    Schema.Struct({ message: Schema.String.pipe(Schema.maxLength(200)), at: SnapshotBytes.EpochMillis })
  ),
  /** That of the snapshot, with the list of `list`: see `SnapshotFormat`. Missing while the replica has no snapshot. */
  metadata: Schema.optional(Schema.String)
})

/** What the replicas of a fleet share about a list besides its body: at most a few kilobytes of JSON. */
export type Manifest = typeof Manifest.Type

export const encodeManifest: (manifest: Manifest) => string = Schema.encodeSync(Schema.parseJson(Manifest))

/** None when the text is not a manifest: the caller may replace it. */
export const decodeManifest: (text: string) => Option.Option<Manifest> = Schema.decodeUnknownOption(
  Schema.parseJson(Manifest)
)

/** A manifest as it was read. Compared by its text. `text` undefined: no manifest. Only `manifest` undefined: it cannot be read. */
export interface RemoteState {
  readonly text: string | undefined
  readonly manifest: Manifest | undefined
}

/** Lists survive three days without a refresh. */
const MIN_TIME_TO_LIVE = Duration.days(3)

/** For a body that no manifest names yet, and for a replaced one, which another replica may be reading. */
const UNNAMED_TIME_TO_LIVE = Duration.minutes(10)

export interface Publication<S> {
  /** The manifest that this one replaces. */
  readonly before: RemoteState
  readonly snapshot: Option.Option<S>
  /** The body of the snapshot's list, if it was stored before. */
  readonly body: StoredBody | undefined
  readonly failures: number
  readonly nextAt: number
  readonly lastError: Manifest["lastError"]
}

/**
 * A snapshot in the shared store: one manifest, the body that it names, and one lease.
 *
 * The manifest is overwritten without a comparison. A replica whose lease has run out unnoticed may overwrite a newer one:
 * that costs one refresh.
 */
export const make = <S extends { readonly answeredAt: number }>(
  store: SharedStoreShape,
  { digest, format, interval, kind }: Shared<S>
) => {
  const timeToLive = Duration.max(MIN_TIME_TO_LIVE, Duration.times(interval, 2))
  // Replicas that could not read each other's manifests or bodies use different names.
  const name = `${kind}:${MANIFEST_VERSION}:${format.magic}.${format.version}:${digest}`

  const storeBody = Effect.fnUntraced(function* (snapshot: S) {
    const body = yield* store.storeBody(name, SnapshotBytes.encode(format, snapshot), UNNAMED_TIME_TO_LIVE)
    // A database without memory may have removed it already.
    if (!(yield* store.extendBody(name, body, timeToLive)))
      return yield* new DatabaseError({ reason: "Refused" })
    return body
  })

  /** Stores the list anew when its body has lost a piece. */
  const listOf = Effect.fnUntraced(function* (snapshot: S, known: StoredBody | undefined) {
    const isWhole = known !== undefined && (yield* store.extendBody(name, known, timeToLive))
    const body = isWhole ? known : yield* storeBody(snapshot)
    return { body, answeredAt: snapshot.answeredAt }
  })

  return {
    read: Effect.gen(function* () {
      const text = yield* store.text(name)
      return {
        text: Option.getOrUndefined(text),
        manifest: Option.getOrUndefined(Option.flatMap(text, decodeManifest))
      } satisfies RemoteState
    }),

    /** None when the body is not whole. The metadata of the manifest may be later than those in the body. */
    load: Effect.fnUntraced(function* (body: StoredBody) {
      const bytes = yield* store.body(name, body)
      const decoded = yield* Effect.transposeMapOption(bytes, (bytes) =>
        Effect.option(SnapshotBytes.decode(format, bytes))
      )
      return Option.flatten(decoded)
    }),

    /** Stores the list, if the source has answered with one, unless its body is there, then the manifest. The body of the manifest before expires in minutes. */
    publish: Effect.fnUntraced(function* ({ before, snapshot, body, ...update }: Publication<S>) {
      const { failures, lastError, nextAt } = update
      const list =
        Option.isSome(snapshot) && snapshot.value.answeredAt > 0
          ? yield* listOf(snapshot.value, body)
          : undefined
      const manifest: Manifest = {
        failures,
        nextAt,
        ...(list !== undefined && { list }),
        ...(lastError !== undefined && { lastError }),
        ...(Option.isSome(snapshot) && { metadata: format.metadata(snapshot.value) })
      }
      const text = encodeManifest(manifest)
      yield* store.setText(name, text, timeToLive)
      const old = before.manifest?.list?.body
      if (old !== undefined && old.id !== list?.body.id)
        yield* Effect.ignore(store.extendBody(name, old, UNNAMED_TIME_TO_LIVE))
      return { text, manifest } satisfies RemoteState
    }),

    /** See `holdLease`. */
    underLease: holdLease(store, name, ListSchedule.leaseDuration(interval))
  }
}
