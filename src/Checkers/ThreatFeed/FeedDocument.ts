import { createGunzip } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { type Chunk, Effect, Option, Stream } from "effect"
import { capped, type FeedBody } from "./FeedBody.ts"
import { FeedError } from "./FeedError.ts"

/** A `.gz` file may be sent with a content encoding of gzip on top. */
const MOST_GZIP_LAYERS = 2

/** Large enough to come back from zlib's threads seldom. */
const GUNZIP_PIECE = 65_536

/** What a document is shows in its first bytes that are no white space; so many are looked at. */
const SHORTEST_BEGINNING = 10
const LONGEST_BEGINNING = 1024

type Pull = Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<FeedError>>

interface Beginning {
  readonly bytes: Uint8Array
  readonly isAll: boolean
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const firstWords = (beginning: Uint8Array): string =>
  latin1(beginning)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()

const isTelling = (beginning: Uint8Array): boolean =>
  beginning.length >= LONGEST_BEGINNING ||
  (beginning.length >= SHORTEST_BEGINNING && firstWords(beginning) !== "")

/** By the magic numbers of RFC 1952, bzip2 (with that of its first block) and PKWARE's APPNOTE. */
const kind = (beginning: Uint8Array): "gzip" | "bzip2" | "zip" | "HTML" | "document" => {
  const bytes = latin1(beginning)
  if (bytes.startsWith("\x1f\x8b")) return "gzip"
  if (/^BZh[1-9]1AY&SY/.test(bytes)) return "bzip2"
  if (bytes.startsWith("PK\x03\x04") || bytes.startsWith("PK\x05\x06")) return "zip"
  return firstWords(beginning).startsWith("<") ? "HTML" : "document"
}

const gunzip = (body: FeedBody): FeedBody =>
  body.pipe(
    NodeStream.pipeThroughSimple(() => createGunzip({ chunkSize: GUNZIP_PIECE })),
    Stream.mapError((error) =>
      error._tag === "FeedError" ? error : new FeedError({ reason: "Corrupt", detail: "gzip" })
    )
  )

/** The first bytes of a body, as many as tell what it is, and whether they are all that there is. */
const beginning = (pull: Pull, bytes: Uint8Array = new Uint8Array()): Effect.Effect<Beginning, FeedError> =>
  isTelling(bytes)
    ? Effect.succeed({ bytes, isAll: false })
    : Effect.matchEffect(pull, {
        onSuccess: (pieces) => beginning(pull, Buffer.concat([bytes, ...pieces])),
        onFailure: Option.match({
          onNone: () => Effect.succeed({ bytes, isAll: true }),
          onSome: Effect.fail
        })
      })

/** Takes off the layers of gzip that the bytes show, and refuses what is no feed. */
const unwrap = (body: FeedBody, layers: number): FeedBody =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      // Not `Stream.peel`: it makes a defect of an error that comes after what was peeled off.
      const pull = yield* Stream.toPull(body)
      const { bytes, isAll } = yield* beginning(pull)
      const first = Stream.make(bytes)
      const whole = isAll ? first : Stream.concat(first, Stream.fromPull(Effect.succeed(pull)))
      const found = kind(bytes)
      if (found === "document") return whole
      if (found === "gzip" && layers > 0) return unwrap(capped(gunzip(whole)), layers - 1)
      return yield* new FeedError({ reason: "NotAFeed", detail: found })
    })
  )

/**
 * The document in a body: decompressed by what its bytes show, whatever was said about it; never larger than 256 MiB, and
 * refused when it is HTML or an archive. A body that breaks off in the middle of gzip may fail with `Corrupt` instead of
 * its own error.
 */
export const decode = (body: FeedBody): FeedBody => unwrap(body, MOST_GZIP_LAYERS)
