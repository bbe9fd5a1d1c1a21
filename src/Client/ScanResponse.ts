import type { HttpClientResponse } from "@effect/platform"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { ScanResult } from "../Http/ScanResult.ts"
import * as RetryAfter from "../Layers/Outbound/RetryAfter.ts"
import { checkerStatuses, listOverride, type Scan } from "./Scan.ts"
import {
  BadRequest,
  RateLimited,
  type ScoringError,
  ServerError,
  TooLarge,
  UnexpectedAnswer,
  Unreachable
} from "./ScoringError.ts"

const decodeScan = Schema.decodeUnknown(Schema.parseJson(ScanResult))

/** Zero if there is no such header. */
const retryAfterOf = ({ headers }: HttpClientResponse.HttpClientResponse): Effect.Effect<Duration.Duration> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    Option.getOrElse(RetryAfter.parse(headers["retry-after"], now), () => Duration.zero)
  )

const readScan = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Scan, ScoringError> =>
  Effect.gen(function* () {
    const body = yield* Effect.mapError(response.text, (cause) => new Unreachable({ cause }))
    const result = yield* Effect.mapError(
      decodeScan(body),
      (cause) => new UnexpectedAnswer({ status: response.status, cause })
    )
    const override = listOverride(response.headers["list-override"])
    return {
      ...result,
      checkers: checkerStatuses(response.headers["checker-status"]),
      ...(override !== undefined && { listOverride: override })
    }
  })

/**
 * Decodes a response of `POST /api/check`. Only the status decides which error it is: a proxy may have sent it, with a
 * body of its own.
 */
export const read = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Scan, ScoringError> => {
  const { status } = response
  if (status === 200) return readScan(response)
  if (status === 400) return new BadRequest({ message: "The URL to check is empty" })
  if (status === 413) return new TooLarge({ message: "The URL to check is too long" })
  if (status === 429)
    return Effect.flatMap(retryAfterOf(response), (retryAfter) => new RateLimited({ retryAfter }))
  if (status >= 500)
    return Effect.flatMap(retryAfterOf(response), (retryAfter) => new ServerError({ status, retryAfter }))
  return new UnexpectedAnswer({ status })
}
