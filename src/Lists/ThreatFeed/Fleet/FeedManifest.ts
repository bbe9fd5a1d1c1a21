import { type Option, Schema } from "effect"
import { EpochMillis } from "../FeedSnapshot.ts"

/**
 * Part of every key: during a rollout replicas of two versions use one database, and must not read each other's manifests.
 * Increase it with each change of the manifest or of its use.
 */
export const VERSION = 2

/** Bounds the memory that a damaged manifest can claim. Enough for thirty million URLs. */
const MAX_LIST_BYTES = 268_435_456

const MIN_PIECE_BYTES = 1024

const Whole = Schema.Int.pipe(Schema.nonNegative())

/** The list that the fleet shares: where its body is, and the times of its snapshot. */
const SharedList = Schema.Struct({
  body: Schema.Struct({
    id: Schema.NonEmptyString,
    bytes: Whole.pipe(Schema.between(1, MAX_LIST_BYTES)),
    pieceBytes: Whole.pipe(Schema.greaterThanOrEqualTo(MIN_PIECE_BYTES))
  }),
  fetchedAt: EpochMillis,
  answeredAt: EpochMillis,
  shrunkenSince: Schema.optional(EpochMillis)
})

export type SharedList = typeof SharedList.Type

const FeedManifest = Schema.Struct({
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
  /** What the snapshot's own module adds, and reads, such as the schedule of each list in a set. Missing for a feed. */
  details: Schema.optional(Schema.String)
})

/** What the replicas of a fleet share about a feed besides the body of its list: at most a few kilobytes of JSON. */
export type FeedManifest = typeof FeedManifest.Type

export const encode: (manifest: FeedManifest) => string = Schema.encodeSync(Schema.parseJson(FeedManifest))

/** None when the text is no manifest: the caller may replace it. */
export const decode: (text: string) => Option.Option<FeedManifest> = Schema.decodeUnknownOption(
  Schema.parseJson(FeedManifest)
)
