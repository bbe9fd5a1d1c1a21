import { createHash } from "node:crypto"
import { Duration, Either, Option, Schema } from "effect"
import * as Program from "../../Layers/Program.ts"
import { ListError } from "../ListError.ts"
import type { RowCounts, Validators } from "../ListWorker/Messages.ts"
import type { SnapshotFormat } from "../RefreshedList/Definition.ts"
import * as SnapshotBytes from "../RefreshedList/SnapshotBytes.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import type { Feed } from "./Feed.ts"

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

type Digested = Pick<Feed, "url" | "format"> & Partial<Pick<Feed, "column" | "slot">>

/** Identifies an address and how it is read without showing them: an address may hold a key. */
export const feedDigest = ({ url, format, column = Option.none(), slot }: Digested): string => {
  // A list of registrable domains: see `BuildRequest.isHostList`.
  const kind = slot === "new_domains" ? "new_domains:" : ""
  const ofColumn = Option.match(column, { onNone: () => "", onSome: (column) => `:${column}` })
  return createHash("sha256").update(`${kind}${format}${ofColumn} ${url.href}`).digest("hex")
}

const Metadata = Schema.parseJson(
  Schema.Struct({
    feed: Schema.String,
    program: Schema.String,
    fetchedAt: SnapshotBytes.EpochMillis,
    answeredAt: SnapshotBytes.EpochMillis,
    etag: Schema.optional(Schema.String),
    lastModified: Schema.optional(Schema.String),
    skipped: Schema.Number,
    ignored: Schema.Number,
    firstSkipped: Schema.Array(Schema.Struct({ line: Schema.Number, reason: Schema.String })),
    shrunkenSince: Schema.optional(SnapshotBytes.EpochMillis)
  })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

/** A snapshot but its list. */
const readMetadata = (text: string, feed: string) =>
  Either.gen(function* () {
    const metadata = yield* Either.mapLeft(decodeMetadata(text), () => SnapshotBytes.damaged)
    if (metadata.feed !== feed)
      return yield* Either.left(new SnapshotBytes.UnusableSnapshot({ reason: "OtherFeed" }))
    const {
      program,
      etag,
      lastModified,
      fetchedAt,
      answeredAt,
      skipped,
      ignored,
      firstSkipped,
      shrunkenSince
    } = metadata
    // Another version of this program may read rows differently: its list serves until the feed is fetched anew.
    const isOurs = program === Program.nameAndVersion
    return {
      fetchedAt,
      answeredAt,
      validators: { etag: isOurs ? etag : undefined, lastModified: isOurs ? lastModified : undefined },
      counts: { skipped, ignored, firstSkipped },
      shrunkenSince
    }
  })

const isShared = (bytes: Uint8Array): bytes is ThreatListBytes.Bytes =>
  bytes.buffer instanceof SharedArrayBuffer

/** How the snapshots of a feed are stored: in its file and in the database. */
export const format = (feed: Digested): SnapshotFormat<FeedSnapshot> => {
  const digest = feedDigest(feed)
  return {
    // That of the list inside: increase it with each change of the metadata.
    version: ThreatListBytes.VERSION,
    encode: ({ list, validators, counts, ...times }) => ({
      metadata: encodeMetadata({
        feed: digest,
        program: Program.nameAndVersion,
        ...times,
        ...validators,
        ...counts
      }),
      parts: [list.bytes]
    }),
    decode: ({ metadata, parts: [bytes, ...others] }) =>
      Either.gen(function* () {
        const read = yield* readMetadata(metadata, digest)
        if (bytes === undefined || !isShared(bytes) || others.length > 0)
          return yield* Either.left(SnapshotBytes.damaged)
        const opened = yield* Either.fromOption(ThreatListBytes.open(bytes), () => SnapshotBytes.damaged)
        return { ...read, list: new ThreatList(opened) }
      })
  }
}

/** A document with a smaller part of the previous entries is taken for a mistake of the publisher. */
const MIN_PART = 0.5

/** After so long only small documents, they are taken for intended. */
const MAX_REFUSAL_MS = Duration.toMillis(Duration.days(1))

/** The snapshot to use from now on. With an error it has the list of the previous document. */
export interface Acceptance {
  readonly snapshot: FeedSnapshot
  readonly error: Option.Option<ListError>
}

/**
 * Accepts the snapshot of a new document, or refuses it with `Shrunken` when it has less than half of the entries of the
 * previous one, unless all documents have been that small for a day. Only entries of the documents themselves count, not retained ones.
 */
export const accept = (previous: Option.Option<FeedSnapshot>, next: FeedSnapshot): Acceptance => {
  const accepted: Acceptance = { snapshot: next, error: Option.none() }
  if (Option.isNone(previous)) return accepted
  const before = previous.value.list.header.entriesInDocument
  const now = next.list.header.entriesInDocument
  if (now >= before * MIN_PART) return accepted

  // The clock may have been set back since then.
  const shrunkenSince = Math.min(previous.value.shrunkenSince ?? next.answeredAt, next.answeredAt)
  if (next.answeredAt - shrunkenSince >= MAX_REFUSAL_MS) return accepted
  return {
    snapshot: { ...previous.value, answeredAt: next.answeredAt, shrunkenSince },
    error: Option.some(new ListError("Shrunken", `${now} entries after ${before}`))
  }
}
