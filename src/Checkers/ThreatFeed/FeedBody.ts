import { createGunzip } from "node:zlib"
import type { Headers } from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { type Chunk, Duration, Effect, Option, Stream } from "effect"
import { FeedError } from "./FeedError.ts"

/** A server that sends nothing for so long is given up. */
export const LONGEST_SILENCE = Duration.seconds(30)

/** The most that a document may hold after decompression, and in any compressed form of it. */
const LARGEST_BODY = 268_435_456

/** A `.gz` file may be sent with a content encoding of gzip on top. */
const MOST_GZIP_LAYERS = 2

/** Large enough to come back from zlib's threads seldom, small enough to be a short piece of work. */
const GUNZIP_PIECE = 65_536

/** What a document is shows in its first bytes that are no white space; so many are looked at. */
const SHORTEST_BEGINNING = 10
const LONGEST_BEGINNING = 1024

type Body = Stream.Stream<Uint8Array, FeedError>
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

/** Fails when there is more of it than a document may hold. */
const capped = (body: Body): Body =>
  Stream.suspend(() => {
    let total = 0
    return Stream.mapChunksEffect(body, (pieces) => {
      for (const piece of pieces) total += piece.length
      return total > LARGEST_BODY ? new FeedError({ reason: "TooLarge" }) : Effect.succeed(pieces)
    })
  })

/** Fails when it ends earlier or later than its server announced. */
const ofLength = (body: Body, announced: number): Body =>
  Stream.suspend(() => {
    let total = 0
    return body.pipe(
      Stream.tap((piece) =>
        Effect.sync(() => {
          total += piece.length
        })
      ),
      Stream.concat(
        Stream.suspend(() =>
          total === announced
            ? Stream.empty
            : Stream.fail(new FeedError({ reason: "Corrupt", detail: "not of the announced length" }))
        )
      )
    )
  })

const gunzip = (body: Body): Body =>
  Stream.suspend(() => {
    // A body that breaks off makes gunzip complain too, and first: what broke it is the better answer.
    let broken: FeedError | undefined
    return body.pipe(
      Stream.tapError((error) =>
        Effect.sync(() => {
          broken = error
        })
      ),
      NodeStream.pipeThroughSimple(() => createGunzip({ chunkSize: GUNZIP_PIECE })),
      Stream.mapError(() => broken ?? new FeedError({ reason: "Corrupt", detail: "gzip" }))
    )
  })

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
const unwrap = (body: Body, layers: number): Body =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      // Not `Stream.peel`: it makes a defect of an error that comes after what was peeled off.
      const pull = yield* Stream.toPull(capped(body))
      const { bytes, isAll } = yield* beginning(pull)
      const first = Stream.make(bytes)
      const whole = isAll ? first : Stream.concat(first, Stream.fromPull(Effect.succeed(pull)))
      const found = kind(bytes)
      if (found === "document") return whole
      if (found === "gzip" && layers > 0) return unwrap(gunzip(whole), layers - 1)
      return yield* new FeedError({ reason: "NotAFeed", detail: found })
    })
  )

/**
 * The document in an answer's body: decompressed, whether the headers say that it is compressed or not, never larger than
 * 256 MiB and refused when it is HTML or an archive. Fails as well after `LONGEST_SILENCE` without a byte.
 */
export const decode = (body: Body, headers: Headers.Headers): Body => {
  if (headers["content-type"]?.toLowerCase().startsWith("text/html"))
    return Stream.fail(new FeedError({ reason: "NotAFeed", detail: "HTML" }))
  const announced = headers["content-length"]
  const audible = Stream.timeoutFail(
    body,
    () => new FeedError({ reason: "Timeout", detail: "no byte for 30 seconds" }),
    LONGEST_SILENCE
  )
  return unwrap(announced === undefined ? audible : ofLength(audible, Number(announced)), MOST_GZIP_LAYERS)
}
