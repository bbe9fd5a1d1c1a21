import { createHash } from "node:crypto"
import { Effect, Either, Schema } from "effect"
import * as Program from "../../Layers/Program.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import type { Feed } from "./Feed.ts"
import * as SnapshotBytes from "./FeedSnapshot/SnapshotBytes.ts"

/** What a server needs to answer that its document has not changed. */
export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

export const noValidators: Validators = { etag: undefined, lastModified: undefined }

/** How many rows of a document are not on its list, or not for certain. */
export interface RowCounts {
  /** Rows that are no row of the format, no URL, or about something else than a URL or a host. */
  readonly skipped: number
  /** Entries that name a whole shared host. */
  readonly ignored: number
  /** Entries for a whole popular site or a directory of it, which are on the list. Absent: there was no ranking to tell. */
  readonly unconfirmed?: number
}

/** The last accepted document of a feed as a list, and what the next refresh needs. Times are milliseconds since 1970. */
export interface FeedSnapshot {
  readonly list: ThreatList
  /** When the feed last answered with this document, or that it has not changed. */
  readonly fetchedAt: number
  /** When the feed last answered with any document, accepted or not. */
  readonly answeredAt: number
  readonly validators: Validators
  readonly counts: RowCounts
  /** Since when all documents have been too small to be accepted. */
  readonly shrunkenSince: number | undefined
}

/** Identifies an address and a format without showing them: an address may hold a key. */
export const feedDigest = ({ url, format }: Pick<Feed, "url" | "format">): string =>
  createHash("sha256").update(`${format} ${url.href}`).digest("hex")

/** The latest time of a Date (https://tc39.es/ecma262/#sec-time-values-and-time-range). A later one throws when formatted. */
const MAX_EPOCH_MILLIS = 8_640_000_000_000_000

/** A stored time, in milliseconds since 1970, by the clock of the machine that stored it. */
export const EpochMillis = Schema.Number.pipe(Schema.between(0, MAX_EPOCH_MILLIS))

const Metadata = Schema.parseJson(
  Schema.Struct({
    feed: Schema.String,
    program: Schema.String,
    fetchedAt: EpochMillis,
    answeredAt: EpochMillis,
    etag: Schema.optional(Schema.String),
    lastModified: Schema.optional(Schema.String),
    skipped: Schema.Number,
    ignored: Schema.Number,
    unconfirmed: Schema.optionalWith(Schema.Number, { exact: true }),
    shrunkenSince: Schema.optional(EpochMillis)
  })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const MAGIC = "THRTFD01"

/**
 * The version of what `encode` writes and `decode` reads, part of the names of files and of keys in the database: another
 * version's are neither read nor changed. It is that of the list inside: increase that one with each change of the metadata.
 */
export const VERSION = ThreatListBytes.VERSION

/** The format that `encode` writes and `decode` reads. */
export const FORMAT = `${MAGIC}.${VERSION}`

/** A snapshot as bytes, piece by piece. `feed` is the digest of its feed. */
export const encode = (snapshot: FeedSnapshot, feed: string): Generator<Uint8Array> => {
  const { list, validators, counts, ...times } = snapshot
  const metadata = encodeMetadata({
    feed,
    program: Program.nameAndVersion,
    ...times,
    ...validators,
    ...counts
  })
  return SnapshotBytes.encode(MAGIC, metadata, [list.bytes])
}

/** Reads what `encode` wrote and fails on everything else. The list is a copy. */
export const decode = Effect.fnUntraced(function* (bytes: Uint8Array, feed: string) {
  const { content, metadata: text } = yield* SnapshotBytes.decode(MAGIC, bytes)
  const metadata = decodeMetadata(text)
  const list = ThreatListBytes.open(content)
  if (Either.isLeft(metadata) || Either.isLeft(list)) return yield* SnapshotBytes.damaged
  const { program, etag, lastModified, fetchedAt, answeredAt, skipped, ignored, unconfirmed } = metadata.right
  if (metadata.right.feed !== feed) return yield* new SnapshotBytes.UnusableSnapshot({ reason: "OtherFeed" })
  return {
    list: new ThreatList(list.right),
    fetchedAt,
    answeredAt,
    // Another version of this program may read rows differently: its list serves until the feed is fetched anew.
    validators: program === Program.nameAndVersion ? { etag, lastModified } : noValidators,
    counts: { skipped, ignored, ...(unconfirmed !== undefined && { unconfirmed }) },
    shrunkenSince: metadata.right.shrunkenSince
  } satisfies FeedSnapshot
})

/** The bytes of a feed's snapshots, in its file and in the shared store. */
export const format = (feed: Pick<Feed, "url" | "format">): SnapshotBytes.SnapshotFormat<FeedSnapshot> => {
  const digest = feedDigest(feed)
  return {
    encode: (snapshot) => encode(snapshot, digest),
    decode: (bytes) => decode(bytes, digest)
  }
}
