import { createHash } from "node:crypto"
import { Data, Either, Schema } from "effect"
import * as Program from "../../../Layers/Program.ts"
import * as ThreatListBytes from "../../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../ThreatList.ts"
import type { FeedAddress } from "../FeedSource.ts"
import { noValidators, type RowCounts, type Validators } from "../Worker/BuildRequest.ts"
import { NotedTime } from "./EpochMillis.ts"

/** All that is known of a feed: the last accepted document as a list, and what is needed to go on from there. */
export interface FeedSnapshot {
  readonly list: ThreatList
  /** When the document was last the feed's answer, new or not modified. Milliseconds since 1970, as all times here. */
  readonly fetchedAt: number
  /** When the feed last answered with any document, accepted or not. */
  readonly answeredAt: number
  readonly validators: Validators
  readonly counts: RowCounts
  /** Since when all documents have been too small to be accepted. */
  readonly shrunkenSince: number | undefined
}

/** The caller must go on without the snapshot. */
export class UnusableSnapshot extends Data.TaggedError("UnusableSnapshot")<{
  /** `Damaged`: cut off, changed, or of another version of this format. `OtherFeed`: of another address or format. */
  readonly reason: "Damaged" | "OtherFeed"
}> {
  override get message(): string {
    return this.reason
  }
}

/** Stands for an address and a format where neither may be read: an address may hold a key. */
export const feedDigest = ({ url, format }: Pick<FeedAddress, "url" | "format">): string =>
  createHash("sha256").update(`${format} ${url.href}`).digest("hex")

const Metadata = Schema.parseJson(
  Schema.Struct({
    feed: Schema.String,
    program: Schema.String,
    fetchedAt: NotedTime,
    answeredAt: NotedTime,
    etag: Schema.optional(Schema.String),
    lastModified: Schema.optional(Schema.String),
    skipped: Schema.Number,
    ignored: Schema.Number,
    shrunkenSince: Schema.optional(NotedTime)
  })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const MAGIC = Buffer.from("THRTFD01", "latin1")

/** Programs with another one cannot read what `encode` writes here. */
export const FORMAT = `${MAGIC.toString("latin1")}.${ThreatListBytes.VERSION}`

const PREFIX_BYTES = MAGIC.length + Uint32Array.BYTES_PER_ELEMENT
const DIGEST_BYTES = 32

/** Hashed or copied in one go: about a hundred microseconds, as several go by before anybody looks at the time. */
const PIECE = 65_536

/**
 * A snapshot as bytes, in pieces that fit a short moment each: a magic number, the length of the metadata, the metadata
 * as JSON, the list, and the SHA-256 of all that. `feed` is the digest of the feed that it is of.
 */
export function* encode(snapshot: FeedSnapshot, feed: string): Generator<Uint8Array> {
  const { list, validators, counts, ...times } = snapshot
  const metadata = Buffer.from(
    encodeMetadata({ feed, program: Program.nameAndVersion, ...times, ...validators, ...counts })
  )
  const prefix = Buffer.alloc(PREFIX_BYTES)
  MAGIC.copy(prefix)
  prefix.writeUInt32LE(metadata.length, MAGIC.length)

  const digest = createHash("sha256").update(prefix).update(metadata)
  yield prefix
  yield metadata
  for (let at = 0; at < list.bytes.length; at += PIECE) {
    const piece = list.bytes.subarray(at, at + PIECE)
    digest.update(piece)
    yield piece
  }
  yield digest.digest()
}

/** Reads what `encode` wrote; refuses everything else. The list is a copy. */
export function* decode(
  bytes: Uint8Array,
  feed: string
): Generator<void, Either.Either<FeedSnapshot, UnusableSnapshot>> {
  const damaged = Either.left(new UnusableSnapshot({ reason: "Damaged" }))
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, bytes.length - DIGEST_BYTES))
  if (content.length < PREFIX_BYTES || !content.subarray(0, MAGIC.length).equals(MAGIC)) return damaged
  const listAt = PREFIX_BYTES + content.readUInt32LE(MAGIC.length)
  if (listAt > content.length) return damaged

  const digest = createHash("sha256").update(content.subarray(0, listAt))
  const list = new Uint8Array(content.length - listAt)
  for (let at = listAt; at < content.length; at += PIECE) {
    const piece = content.subarray(at, at + PIECE)
    digest.update(piece)
    list.set(piece, at - listAt)
    yield
  }
  if (!digest.digest().equals(bytes.subarray(content.length))) return damaged

  const metadata = decodeMetadata(content.toString("utf8", PREFIX_BYTES, listAt))
  const opened = ThreatListBytes.open(list)
  if (Either.isLeft(metadata) || Either.isLeft(opened)) return damaged
  const { program, etag, lastModified, fetchedAt, answeredAt, skipped, ignored } = metadata.right
  if (metadata.right.feed !== feed) return Either.left(new UnusableSnapshot({ reason: "OtherFeed" }))
  return Either.right({
    list: new ThreatList(opened.right),
    fetchedAt,
    answeredAt,
    // Another version of this program may read entries otherwise, so its list serves only until the feed is read anew.
    validators: program === Program.nameAndVersion ? { etag, lastModified } : noValidators,
    counts: { skipped, ignored },
    shrunkenSince: metadata.right.shrunkenSince
  })
}
