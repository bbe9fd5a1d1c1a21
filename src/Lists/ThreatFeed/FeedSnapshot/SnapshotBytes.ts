import { createHash, webcrypto } from "node:crypto"
import { Data, Effect } from "effect"

/** How the snapshots of one source are written as bytes, in a file and in the shared store. */
export interface SnapshotFormat<S> {
  /** Piece by piece: requests are served between two pieces. */
  readonly encode: (snapshot: S) => IterableIterator<Uint8Array>
  /** Reads what `encode` wrote and fails on everything else. */
  readonly decode: (bytes: Uint8Array) => Effect.Effect<S, UnusableSnapshot>
}

/** The caller must go on without the snapshot. */
export class UnusableSnapshot extends Data.TaggedError("UnusableSnapshot")<{
  /**
   * `Damaged`: cut off, changed, or of another version of this format. `OtherFeed`: of another address or format.
   * `OtherService`: of another Safe Browsing service.
   */
  readonly reason: "Damaged" | "OtherFeed" | "OtherService"
}> {
  override get message(): string {
    return this.reason
  }
}

export const damaged = new UnusableSnapshot({ reason: "Damaged" })

const MAGIC_BYTES = 8
const PREFIX_BYTES = MAGIC_BYTES + Uint32Array.BYTES_PER_ELEMENT
const DIGEST_BYTES = 32

/** Hashing a piece takes about a millisecond. */
const MAX_PIECE_BYTES = 262_144

/**
 * A magic number of eight characters, the length of the metadata, the metadata (JSON), the content, and the SHA-256 of all
 * that, in pieces of at most 256 KiB.
 */
export function* encode(
  magic: string,
  metadata: string,
  content: ReadonlyArray<Uint8Array>
): Generator<Uint8Array> {
  const text = Buffer.from(metadata)
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.write(magic, "latin1")
  prefix.writeUInt32LE(text.length, MAGIC_BYTES)

  const digest = createHash("sha256").update(prefix).update(text)
  yield prefix
  yield text
  for (const part of content)
    for (let at = 0; at < part.length; at += MAX_PIECE_BYTES) {
      const piece = part.subarray(at, at + MAX_PIECE_BYTES)
      digest.update(piece)
      yield piece
    }
  yield digest.digest()
}

/**
 * The metadata and the content of what `encode` wrote with this magic number; fails on everything else. The content is a view
 * of `bytes`. The digest is computed on another thread.
 */
export const decode = Effect.fnUntraced(function* (magic: string, bytes: Uint8Array) {
  const signed = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, bytes.length - DIGEST_BYTES))
  if (signed.length < PREFIX_BYTES || signed.toString("latin1", 0, MAGIC_BYTES) !== magic)
    return yield* damaged
  const contentAt = PREFIX_BYTES + signed.readUInt32LE(MAGIC_BYTES)
  if (contentAt > signed.length) return yield* damaged

  const digest = yield* Effect.promise(() => webcrypto.subtle.digest("SHA-256", signed))
  if (!Buffer.from(digest).equals(bytes.subarray(signed.length))) return yield* damaged
  return { metadata: signed.toString("utf8", PREFIX_BYTES, contentAt), content: signed.subarray(contentAt) }
})
