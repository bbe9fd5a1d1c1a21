import type { Headers } from "@effect/platform"
import { Duration, Effect, Stream } from "effect"
import { FeedError } from "./FeedError.ts"

/** A server that sends nothing for so long is given up. */
export const LONGEST_SILENCE = Duration.seconds(30)

/** The most that a document may hold after decompression, and in any compressed form of it. */
const LARGEST_BODY = 268_435_456

export type FeedBody = Stream.Stream<Uint8Array, FeedError>

/** Fails when there is more of it than a document may hold. */
export const capped = (body: FeedBody): FeedBody =>
  Stream.suspend(() => {
    let total = 0
    return Stream.mapChunksEffect(body, (pieces) => {
      for (const piece of pieces) total += piece.length
      return total > LARGEST_BODY ? new FeedError({ reason: "TooLarge" }) : Effect.succeed(pieces)
    })
  })

/** Fails when it ends earlier or later than its server announced. */
const ofLength = (body: FeedBody, announced: number): FeedBody =>
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

/**
 * An answer's body as it is sent, never larger than 256 MiB; it fails when it is HTML by its headers, not of the announced
 * length, or after `LONGEST_SILENCE` without a byte.
 */
export const receive = (body: FeedBody, headers: Headers.Headers): FeedBody => {
  if (headers["content-type"]?.toLowerCase().startsWith("text/html"))
    return Stream.fail(new FeedError({ reason: "NotAFeed", detail: "HTML" }))
  const announced = headers["content-length"]
  const audible = Stream.timeoutFail(
    body,
    () => new FeedError({ reason: "Timeout", detail: "no byte for 30 seconds" }),
    LONGEST_SILENCE
  )
  return capped(announced === undefined ? audible : ofLength(audible, Number(announced)))
}
