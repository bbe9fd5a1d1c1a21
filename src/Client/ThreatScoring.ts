// Not from the index of @effect/platform, which also loads its servers.
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import * as BaseUrl from "./BaseUrl.ts"
import {
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  FIRST_BACKOFF_MS,
  minRetryWaitMillis,
  type Problem,
  problemOf
} from "./Problem.ts"
import * as Scan from "./Scan.ts"
import {
  BadRequest,
  InvalidBaseUrl,
  RateLimited,
  type ScoringError,
  ServerError,
  TimedOut,
  TooLarge,
  UnexpectedAnswer,
  Unreachable
} from "./ScoringError.ts"

export type { Scan, ScanFinding } from "./Scan.ts"
export * from "./ScoringError.ts"

export interface Options {
  /** Address of the service, such as `https://scoring.example`; may have a path. */
  readonly baseUrl: string | URL
  /** Timeout of one check, retries and waits included; 10 seconds by default. A number is milliseconds. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Maximum number of retries; 2 by default. */
  readonly retries?: number | undefined
}

/** Exponential backoff, but never shorter than `Retry-After`. Outputs the wait. */
const backoff = Schedule.identity<ScoringError>().pipe(
  Schedule.intersect(Schedule.exponential(FIRST_BACKOFF_MS).pipe(Schedule.jittered)),
  Schedule.modifyDelay(([error], delay) => Duration.max(delay, minRetryWaitMillis(error) ?? 0)),
  Schedule.delays
)

const errorOf = (problem: Problem): ScoringError => {
  switch (problem._tag) {
    case "BadRequest":
      return new BadRequest()
    case "TooLarge":
      return new TooLarge()
    case "RateLimited":
      return new RateLimited({ retryAfter: Duration.millis(problem.retryAfterMillis) })
    case "ServerError":
      return new ServerError({
        status: problem.status,
        retryAfter: Duration.millis(problem.retryAfterMillis)
      })
    case "UnexpectedAnswer":
      return new UnexpectedAnswer({ status: problem.status })
  }
}

const readResponse = (
  { headers, status, text }: HttpClientResponse,
  unreachable: (error: HttpClientError) => Unreachable
): Effect.Effect<Scan.Scan, ScoringError> =>
  Effect.gen(function* () {
    const header: Scan.Header = (name) => headers[name]
    const problem = problemOf(status, header, yield* Clock.currentTimeMillis)
    if (problem !== undefined) return yield* errorOf(problem)
    const body = yield* Effect.mapError(text, unreachable)
    return yield* Effect.try({
      try: () => Scan.read(body, header),
      catch: (cause) => new UnexpectedAnswer({ status, cause })
    })
  })

/** A client of the service. */
export class ThreatScoring extends Context.Tag("url-threat-scoring/ThreatScoring")<
  ThreatScoring,
  {
    /**
     * Scores one URL without fetching it. Retries 429, 502, 503, 504 and connection errors with exponential backoff, and
     * not before `Retry-After` has passed. Fails at once if the timeout would end before the next retry.
     */
    readonly check: (url: string) => Effect.Effect<Scan.Scan, ScoringError>
  }
>() {
  /**
   * Works with any `HttpClient`; in browsers use `FetchHttpClient.layer`. Sends no tracing headers: proxies between a page
   * and the service may not allow them.
   */
  static readonly make = ({ baseUrl, retries = DEFAULT_RETRIES, ...options }: Options) =>
    Effect.gen(function* () {
      const service = BaseUrl.parse(baseUrl)
      if (service === undefined) return yield* new InvalidBaseUrl({ baseUrl: BaseUrl.redacted(baseUrl) })
      const client = HttpClient.withScope(
        HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
      )
      const timeout = Duration.decode(options.timeout ?? DEFAULT_TIMEOUT_MS)
      // The error of the HTTP client has the request, and so the password of the base URL.
      const unreachable = ({ cause, message }: HttpClientError) =>
        new Unreachable({ baseUrl: service.baseUrl, cause: cause ?? message })

      const attempt = (url: string) =>
        HttpClientRequest.post(service.address).pipe(
          HttpClientRequest.setHeaders(service.headers),
          HttpClientRequest.acceptJson,
          // Text, because Node 20 cannot send bytes again after a redirect.
          HttpClientRequest.setBody(
            HttpBody.raw(JSON.stringify({ url }), { contentType: "application/json" })
          ),
          client.execute,
          Effect.mapError(unreachable),
          Effect.flatMap((response) => readResponse(response, unreachable)),
          // Closes the connections of error responses, because their bodies are not read.
          Effect.scoped
        )

      const check = (url: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (start) => {
          const isInTime = (wait: Duration.Duration) =>
            Effect.map(
              Clock.currentTimeMillis,
              (now) => now + Duration.toMillis(wait) < start + Duration.toMillis(timeout)
            )
          return attempt(url).pipe(
            Effect.retry({
              schedule: Schedule.whileOutputEffect(backoff, isInTime),
              times: retries,
              while: (error) => minRetryWaitMillis(error) !== undefined
            }),
            Effect.timeoutFail({ duration: timeout, onTimeout: () => new TimedOut({ timeout }) })
          )
        })

      return ThreatScoring.of({ check })
    })

  static readonly layer = (
    options: Options
  ): Layer.Layer<ThreatScoring, InvalidBaseUrl, HttpClient.HttpClient> =>
    Layer.effect(ThreatScoring, ThreatScoring.make(options))
}
