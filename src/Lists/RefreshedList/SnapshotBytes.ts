import { createHash } from "node:crypto"
import { Data, Effect, Option, Schema } from "effect"
import { nextTurn } from "../../Layers/Time/Slices.ts"

/** The latest time of a Date (https://tc39.es/ecma262/#sec-time-values-and-time-range). A later one throws when formatted. */
const MAX_EPOCH_MILLIS = 8_640_000_000_000_000

/** A stored time, in milliseconds since 1970, by the clock of the machine that stored it. */
export const EpochMillis = Schema.Number.pipe(Schema.between(0, MAX_EPOCH_MILLIS))

/** How the snapshots of one source are written: as metadata, which is small, and as content, which changes less often. */
export interface SnapshotFormat<S> {
  /** Eight characters. */
  readonly magic: string
  /** Part of the names of files and of keys in the database: another version's are neither read nor changed. */
  readonly version: number
  /** JSON with the times of the snapshot, and what the next request needs. */
  readonly metadata: (snapshot: S) => string
  /** The list itself. The arrays are the same objects until the list changes. */
  readonly content: (snapshot: S) => ReadonlyArray<Uint8Array>
  /** Reads both. The content is a view of memory that is not shared between threads: what is to stay must be copied. */
  readonly decode: (metadata: string, content: Uint8Array) => Effect.Effect<S, UnusableSnapshot>
  /** The snapshot with the metadata of a later one with the same content. None: the text is not such metadata. */
  readonly withMetadata: (snapshot: S, metadata: string) => Option.Option<S>
}

/** The caller must go on without the snapshot. */
export class UnusableSnapshot extends Data.TaggedError("UnusableSnapshot")<{
  /**
   * `Damaged`: cut off, changed, or of another version of this format. `OtherFeed`: of another address or format.
   * `OtherService`: of another Safe Browsing service. `NotAFile`: a folder, a pipe or a device. `TooLarge`: above
   * `MAX_SNAPSHOT_BYTES`.
   */
  readonly reason: "Damaged" | "OtherFeed" | "OtherService" | "NotAFile" | "TooLarge"
}> {
  override get message(): string {
    return this.reason
  }
}

export const damaged = new UnusableSnapshot({ reason: "Damaged" })

const MAGIC_BYTES = 8
const PREFIX_BYTES = MAGIC_BYTES + Uint32Array.BYTES_PER_ELEMENT
export const DIGEST_BYTES = 32

/** Hashing a piece takes about a millisecond. */
const MAX_PIECE_BYTES = 262_144

/** Copying or hashing so many bytes takes one or two milliseconds: the next turn of the event loop goes on. */
const MAX_STEP_BYTES = 1_048_576

/** Enough for the largest feed that a worker thread builds, and for all lists of Safe Browsing. */
export const MAX_SNAPSHOT_BYTES = 536_870_912

/** Whether there is an earlier snapshot which differs at most in its metadata. */
export const hasSameContent = <S>(
  { content }: SnapshotFormat<S>,
  earlier: Option.Option<S>,
  snapshot: S
): boolean =>
  Option.exists(earlier, (earlier) => {
    const before = content(earlier)
    const parts = content(snapshot)
    return parts.length === before.length && parts.every((part, index) => part === before[index])
  })

/**
 * The magic number, the length of the metadata, the metadata, the content, and the SHA-256 of all that, in pieces of at most
 * 256 KiB: requests are served between two pieces. The last piece is the digest.
 */
export function* encode<S>(format: SnapshotFormat<S>, snapshot: S): Generator<Uint8Array> {
  const text = Buffer.from(format.metadata(snapshot))
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.write(format.magic, "latin1")
  prefix.writeUInt32LE(text.length, MAGIC_BYTES)

  const digest = createHash("sha256").update(prefix).update(text)
  yield prefix
  yield text
  for (const part of format.content(snapshot))
    for (let at = 0; at < part.length; at += MAX_PIECE_BYTES) {
      const piece = part.subarray(at, at + MAX_PIECE_BYTES)
      digest.update(piece)
      yield piece
    }
  yield digest.digest()
}

const eachStep = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  take: (piece: Uint8Array, at: number) => void
) {
  for (let at = 0; at < bytes.length; at += MAX_STEP_BYTES) {
    if (at > 0) yield* nextTurn
    take(bytes.subarray(at, at + MAX_STEP_BYTES), at)
  }
})

/** Reads what `encode` wrote and fails on everything else. Requests are served between two steps. */
export const decode = Effect.fnUntraced(function* <S>(format: SnapshotFormat<S>, bytes: Uint8Array) {
  const signed = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, bytes.length - DIGEST_BYTES))
  if (signed.length < PREFIX_BYTES || signed.toString("latin1", 0, MAGIC_BYTES) !== format.magic)
    return yield* damaged
  const contentAt = PREFIX_BYTES + signed.readUInt32LE(MAGIC_BYTES)
  if (contentAt > signed.length) return yield* damaged
  // Not by `webcrypto`, which copies all bytes at once on this thread.
  const digest = createHash("sha256")
  yield* eachStep(signed, (piece) => digest.update(piece))
  if (!digest.digest().equals(bytes.subarray(signed.length))) return yield* damaged
  return yield* format.decode(signed.toString("utf8", PREFIX_BYTES, contentAt), signed.subarray(contentAt))
})

/** A copy that threads can share. Requests are served while it is made. */
export const sharedCopy = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  yield* eachStep(bytes, (piece, at) => copy.set(piece, at))
  return copy
})
