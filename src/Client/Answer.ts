import type { HttpClientResponse } from "@effect/platform"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { ScanResult } from "../Http/ScanResult.ts"
import * as RetryAfter from "../Layers/Outbound/RetryAfter.ts"
import { checkerStatuses, type Scan } from "./Scan.ts"
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

const retryAfter = ({ headers }: HttpClientResponse.HttpClientResponse) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    Option.getOrElse(RetryAfter.parse(headers["retry-after"], now), () => Duration.zero)
  )

const scan = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Scan, ScoringError> =>
  Effect.gen(function* () {
    const body = yield* Effect.mapError(response.text, (cause) => new Unreachable({ cause }))
    const result = yield* Effect.mapError(
      decodeScan(body),
      (cause) => new UnexpectedAnswer({ status: response.status, cause })
    )
    return { ...result, checkers: checkerStatuses(response.headers["checker-status"]) }
  })

/**
 * What an answer means. Errors are told by their status alone: proxies in front of the service answer some of them too,
 * with bodies of their own.
 */
export const read = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Scan, ScoringError> => {
  const { status } = response
  if (status === 200) return scan(response)
  if (status === 400) return new BadRequest({ message: "The URL to check is empty" })
  if (status === 413) return new TooLarge({ message: "The URL to check is too long" })
  if (status === 429)
    return Effect.flatMap(retryAfter(response), (retryAfter) => new RateLimited({ retryAfter }))
  if (status >= 500)
    return Effect.flatMap(retryAfter(response), (retryAfter) => new ServerError({ status, retryAfter }))
  return new UnexpectedAnswer({ status })
}
