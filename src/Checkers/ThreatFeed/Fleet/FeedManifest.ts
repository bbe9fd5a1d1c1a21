import { Data, Either, Option, Schema } from "effect"
import { EpochMillis } from "../FeedSnapshot/EpochMillis.ts"

/** Part of every key and manifest. Rises with each change of what replicas store or mean by it. */
export const VERSION = 2

/** Bounds what a damaged manifest can allocate; some thirty million URLs. */
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
  version: Schema.Literal(VERSION),
  /** Missing while the fleet has no list. */
  list: Schema.optional(SharedList),
  /** How many refreshes in a row have failed. */
  failures: Whole,
  /** No replica sends a request to the feed before; by the clock of the replica that sent the last one. */
  nextAt: EpochMillis,
  /** Why there is no newer list. Holds no address, key or row. */
  lastError: Schema.optional(
    Schema.Struct({ message: Schema.String.pipe(Schema.maxLength(200)), at: EpochMillis })
  )
})

/** What the replicas of a fleet share about a feed besides the body of its list: a few hundred bytes of JSON. */
export type FeedManifest = typeof FeedManifest.Type

/** The manifest is of another version of this program. The caller must not overwrite it. */
class UnknownVersion extends Data.TaggedError("UnknownVersion") {}

const encodeJson = Schema.encodeSync(Schema.parseJson(FeedManifest))
const decodeJson = Schema.decodeUnknownOption(Schema.parseJson(FeedManifest))
const decodeVersion = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ version: Schema.Number })))

export const encode = (manifest: Omit<FeedManifest, "version">): string =>
  encodeJson({ ...manifest, version: VERSION })

/** None when the text is no manifest: the caller may replace it. */
export const decode = (text: string): Either.Either<Option.Option<FeedManifest>, UnknownVersion> =>
  Option.exists(decodeVersion(text), ({ version }) => version !== VERSION)
    ? Either.left(new UnknownVersion())
    : Either.right(decodeJson(text))
