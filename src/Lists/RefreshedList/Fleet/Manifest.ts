import { type Option, Schema } from "effect"

/** The latest time of a Date (https://tc39.es/ecma262/#sec-time-values-and-time-range). A later one throws when formatted. */
const MAX_EPOCH_MILLIS = 8_640_000_000_000_000

/** A stored time, in milliseconds since 1970, by the clock of the machine that stored it. */
export const EpochMillis = Schema.Number.pipe(Schema.between(0, MAX_EPOCH_MILLIS))

/**
 * Part of every key: during a rollout replicas of two versions use one database, and must not read each other's manifests.
 * Increase it with each change of the manifest or of its use.
 */
export const VERSION = 3

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
  answeredAt: EpochMillis
})

export type SharedList = typeof SharedList.Type

const Manifest = Schema.Struct({
  /** Missing while the fleet has no list. */
  list: Schema.optional(SharedList),
  /** How many refreshes in a row have failed. */
  failures: Whole,
  /** Earliest next request, by the writer's clock. */
  nextAt: EpochMillis,
  /** Why there is no newer list. Contains no address, key or row. */
  lastError: Schema.optional(
    Schema.Struct({ message: Schema.String.pipe(Schema.maxLength(200)), at: EpochMillis })
  ),
  /** That of the snapshot, with the list of `list`: see `SnapshotFormat`. Missing while the replica has no snapshot. */
  metadata: Schema.optional(Schema.String)
})

/** What the replicas of a fleet share about a list besides its body: at most a few kilobytes of JSON. */
export type Manifest = typeof Manifest.Type

export const encode: (manifest: Manifest) => string = Schema.encodeSync(Schema.parseJson(Manifest))

/** None when the text is no manifest: the caller may replace it. */
export const decode: (text: string) => Option.Option<Manifest> = Schema.decodeUnknownOption(
  Schema.parseJson(Manifest)
)
