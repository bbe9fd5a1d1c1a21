import { createHash } from "node:crypto"
import { Duration, Either, Option, Redacted, Schema } from "effect"
import * as Program from "../../Layers/Program.ts"
import { ListError } from "../ListError.ts"
import { type Answer, EpochMillis, type SnapshotFormat } from "../RefreshedList/Definition.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import type { Feed } from "./Feed.ts"

const Document = Schema.Struct({
  /** When the feed last responded with this document, or that it has not changed. */
  fetchedAt: EpochMillis,
  /** When the feed last responded with any document, accepted or not. */
  answeredAt: EpochMillis,
  validators: Schema.Struct({
    etag: Schema.optional(Schema.String),
    lastModified: Schema.optional(Schema.String)
  }),
  counts: Schema.Struct({
    skipped: Schema.Number,
    ignored: Schema.Number,
    firstSkipped: Schema.Array(Schema.Struct({ line: Schema.Number, reason: Schema.String }))
  }),
  /** Since when all documents have been refused as too small. */
  shrunkenSince: Schema.optional(EpochMillis)
})

/** The list of a feed's last accepted document, and what the next refresh needs. Times are milliseconds since 1970. */
export interface FeedSnapshot extends Schema.Schema.Type<typeof Document> {
  readonly list: ThreatList
}

type Digested = Pick<Feed, "url" | "format"> & Partial<Pick<Feed, "column" | "slot">>

/** Returns a hash that identifies a feed's address and format: an address may contain a key. */
export const feedDigest = ({ url, format, column = Option.none(), slot }: Digested): string => {
  // A list of registrable domains: see `BuildRequest.isHostList`.
  const kind = slot === "new_domains" ? "new_domains:" : ""
  const ofColumn = Option.match(column, { onNone: () => "", onSome: (column) => `:${column}` })
  return createHash("sha256").update(`${kind}${format}${ofColumn} ${url.href}`).digest("hex")
}

/** Returns a hash that also identifies the auth header: replicas with another one do not share, theirs may be refused. */
export const sharedDigest = (feed: Digested & Pick<Feed, "authHeader">): string =>
  Option.match(feed.authHeader, {
    onNone: () => feedDigest(feed),
    onSome: ({ name, value }) =>
      createHash("sha256")
        .update(`${feedDigest(feed)} ${name}: ${Redacted.value(value)}`)
        .digest("hex")
  })

const Metadata = Schema.parseJson(
  Schema.Struct({ feed: Schema.String, program: Schema.String, ...Document.fields })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const isShared = (bytes: Uint8Array | undefined): bytes is ThreatListBytes.Bytes =>
  bytes?.buffer instanceof SharedArrayBuffer

/** Encodes and decodes the snapshots of a feed for its file and the database. */
export const format = (feed: Digested): SnapshotFormat<FeedSnapshot> => {
  const digest = feedDigest(feed)
  return {
    // Increase the version of lists with each change of the metadata.
    version: ThreatListBytes.VERSION,
    encode: ({ list, ...document }) => ({
      metadata: encodeMetadata({ feed: digest, program: Program.nameAndVersion, ...document }),
      parts: [list.bytes]
    }),
    decode: ({ metadata, parts: [bytes, ...others] }) =>
      Either.gen(function* () {
        const damaged = () => "Damaged" as const
        const { feed, program, ...document } = yield* Either.mapLeft(decodeMetadata(metadata), damaged)
        if (feed !== digest) return yield* Either.left("OtherFeed" as const)
        const opened = isShared(bytes) && others.length === 0 ? ThreatListBytes.open(bytes) : Option.none()
        const list = new ThreatList(yield* Either.fromOption(opened, damaged))
        // Another version of this program may read rows differently: without validators, the next request is unconditional.
        return program === Program.nameAndVersion
          ? { ...document, list }
          : { ...document, list, validators: {} }
      })
  }
}

/** A document with a smaller part of the previous entries is treated as a mistake of the publisher. */
const MIN_PART = 0.5

/** After this time, small documents are accepted as intended. */
const MAX_REFUSAL_MS = Duration.toMillis(Duration.days(1))

/**
 * Accepts the snapshot of a new document, or refuses it with `Shrunken` and returns the previous list. A document is refused if it has
 * less than half of the previous document's entries, unless all documents have been that small for a day. Retained entries do not
 * count.
 */
export const accept = (previous: Option.Option<FeedSnapshot>, next: FeedSnapshot): Answer<FeedSnapshot> => {
  const accepted = { snapshot: next, error: Option.none() }
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
