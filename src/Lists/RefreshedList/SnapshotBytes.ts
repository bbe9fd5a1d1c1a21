import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { nextTurn } from "../../Layers/Time/Slices.ts"

/** The latest time of a Date (https://tc39.es/ecma262/#sec-time-values-and-time-range). A later one throws when formatted. */
const MAX_EPOCH_MILLIS = 8_640_000_000_000_000

/** A stored time, in milliseconds since 1970, by the clock of the machine that stored it. */
export const EpochMillis = Schema.Number.pipe(Schema.between(0, MAX_EPOCH_MILLIS))

/** A snapshot as it is stored. */
export interface Stored {
  /** JSON with the times of the snapshot, and what the next request needs. */
  readonly metadata: string
  /** The list itself, in memory that threads share. The arrays are the same objects until the list changes. */
  readonly parts: ReadonlyArray<Uint8Array>
}

/**
 * Why the caller must go on without a snapshot. `Damaged`: cut off, changed, or of another version of this format. `OtherFeed`: of
 * another address or format. `OtherService`: of another Safe Browsing service.
 */
export type UnusableSnapshot = "Damaged" | "OtherFeed" | "OtherService"

/** Copying or hashing so many bytes takes one or two milliseconds: the next turn of the event loop goes on. */
const MAX_STEP_BYTES = 1_048_576

/** The same bytes in pieces of at most so many. */
export function* pieces(parts: Iterable<Uint8Array>, maxBytes: number): Generator<Uint8Array> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += maxBytes) yield part.subarray(at, at + maxBytes)
}

/**
 * The SHA-256 of a snapshot, with the lengths of its parts, in hexadecimal. Requests are served between two steps. Not by
 * `webcrypto`, which copies all bytes at once on this thread.
 */
export const digestOf = Effect.fnUntraced(function* ({ metadata, parts }: Stored) {
  const digest = createHash("sha256").update(JSON.stringify([metadata, parts.map(({ length }) => length)]))
  for (const piece of pieces(parts, MAX_STEP_BYTES)) {
    digest.update(piece)
    if (piece.length === MAX_STEP_BYTES) yield* nextTurn
  }
  return digest.digest("hex")
})

const sharedCopy = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  let at = 0
  for (const piece of pieces([bytes], MAX_STEP_BYTES)) {
    copy.set(piece, at)
    at += piece.length
    if (piece.length === MAX_STEP_BYTES) yield* nextTurn
  }
  return copy
})

/** The first line of a file. */
const Head = Schema.parseJson(
  Schema.Struct({
    metadata: Schema.String,
    /** The length of each part, in bytes. */
    parts: Schema.Array(Schema.Int.pipe(Schema.nonNegative())),
    digest: Schema.String
  })
)
const encodeHead = Schema.encodeSync(Head)
const decodeHead = Schema.decodeUnknown(Head)

const MAX_HEAD_BYTES = 65_536
const NEW_LINE = "\n"

/** Writing a piece takes about a millisecond. */
const MAX_PIECE_BYTES = 262_144

/** The content of a file, in pieces of at most 256 KiB: a line of JSON, then the parts. */
export const encode = Effect.fnUntraced(function* (stored: Stored) {
  const { metadata, parts } = stored
  const digest = yield* digestOf(stored)
  const head = encodeHead({ metadata, parts: parts.map(({ length }) => length), digest })
  return pieces([Buffer.from(head + NEW_LINE), ...parts], MAX_PIECE_BYTES)
})

/** Reads what `encode` made and fails on everything else. */
export const decode = Effect.fnUntraced(function* (file: Uint8Array) {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  const headEnd = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(NEW_LINE)
  const head = yield* Effect.mapError(
    decodeHead(bytes.toString("utf8", 0, headEnd)),
    () => "Damaged" as const
  )
  let at = headEnd + 1
  const parts = head.parts.map((length) => {
    at += length
    return bytes.subarray(at - length, at)
  })
  const digest = yield* digestOf({ metadata: head.metadata, parts })
  if (at !== bytes.length || digest !== head.digest) return yield* Effect.fail("Damaged" as const)
  // Each with a buffer of its own: one that is replaced must not stay with the others.
  return { metadata: head.metadata, parts: yield* Effect.forEach(parts, sharedCopy) } satisfies Stored
})
