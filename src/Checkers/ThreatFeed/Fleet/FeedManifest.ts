import { type Option, Schema } from "effect"
import { NotedTime } from "../Snapshot/EpochMillis.ts"

/** Bounds what a damaged manifest can make a replica allocate: a list of some thirty million URLs. */
const LARGEST_LIST = 268_435_456

const Whole = Schema.Int.pipe(Schema.nonNegative())

/** The list that a fleet shares, and the times of its snapshot, which go on while the list stays. */
const SharedSnapshot = Schema.Struct({
  version: Schema.NonEmptyString,
  bytes: Whole.pipe(Schema.between(1, LARGEST_LIST)),
  pieceBytes: Whole.pipe(Schema.greaterThanOrEqualTo(1024)),
  fetchedAt: NotedTime,
  answeredAt: NotedTime,
  shrunkenSince: Schema.optional(NotedTime)
})

export type SharedSnapshot = typeof SharedSnapshot.Type

const FeedManifest = Schema.Struct({
  /** None has been published yet when it is missing. */
  snapshot: Schema.optional(SharedSnapshot),
  /** How often in a row the feed could not be read. */
  failures: Whole,
  /** Before then no replica asks the feed; by the clock of who asked last. */
  nextAt: NotedTime,
  /** Why there is nothing newer, in words that hold no address, key or row. */
  trouble: Schema.optional(
    Schema.Struct({ message: Schema.String.pipe(Schema.maxLength(200)), at: NotedTime })
  )
})

/** What the replicas of a fleet tell each other about a feed; a few hundred bytes. */
export type FeedManifest = typeof FeedManifest.Type

const Json = Schema.parseJson(FeedManifest)

export const encode = Schema.encodeSync(Json)

/** None for what is no manifest: the caller publishes one in its place. */
export const decode = (text: string): Option.Option<FeedManifest> => Schema.decodeUnknownOption(Json)(text)
