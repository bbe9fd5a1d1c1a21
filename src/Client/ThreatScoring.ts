// Not from the index of @effect/platform, which also loads its servers.
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import { Chunk, Clock, Context, Duration, Effect, Either, Layer, Option, Schedule, Stream } from "effect"
import { retryAfterMillis } from "../Layers/Outbound/Headers.ts"
import {
  DEFAULT_BULK_TIMEOUT_MS,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  FIRST_BACKOFF_MS,
  isBusy,
  minRetryWaitMillis
} from "./ErrorRules.ts"
import type { Header, Scan } from "./Scan.ts"
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
import { checkOf, redacted, type ScoringRequest, serviceAt } from "./ScoringRequest.ts"
import { urlChunks } from "./UrlChunks.ts"

export type { Scan, ScanFinding } from "./Scan.ts"
export * from "./ScoringError.ts"

export interface Options {
  /** Address of the service, such as `https://scoring.example`; may have a path. */
  readonly baseUrl: string | URL
  /**
   * Timeout of one check, or of each request of `checkMany`, retries and waits included; by default 10 seconds, and 2 minutes
   * for a request of `checkMany`. A number is milliseconds.
   */
  readonly timeout?: Duration.DurationInput | undefined
  /** Maximum number of retries; 2 by default. */
  readonly retries?: number | undefined
}

/** Waits by the schedule, varied, but never shorter than `Retry-After`. Outputs the wait. */
const backoff = (schedule: Schedule.Schedule<unknown>) =>
  Schedule.identity<ScoringError>().pipe(
    Schedule.intersect(Schedule.jittered(schedule)),
    Schedule.modifyDelay(([error], delay) => Duration.max(delay, minRetryWaitMillis(error) ?? 0)),
    Schedule.delays
  )

/**
 * The error of a response whose status is not 200. Only the status decides which it is: a proxy may have sent the response,
 * with a body of its own.
 */
const errorOf = (status: number, header: Header, now: number): ScoringError => {
  if (status === 400) return new BadRequest()
  if (status === 413) return new TooLarge()
  const retryAfter = Duration.millis(retryAfterMillis(header("retry-after"), now) ?? 0)
  if (status === 429) return new RateLimited({ retryAfter })
  if (status >= 500 || status === 408) return new ServerError({ status, retryAfter })
  return new UnexpectedAnswer({ status })
}

/** Returns undefined if the request is to be divided. */
const readResponse = <A>(
  { divide, read }: ScoringRequest<A>,
  { headers, status, text }: HttpClientResponse,
  unreachable: (error: HttpClientError) => Unreachable
): Effect.Effect<A | undefined, ScoringError> =>
  Effect.gen(function* () {
    const header: Header = (name) => headers[name]
    if (divide?.(status, header)) return undefined
    if (status !== 200) return yield* errorOf(status, header, yield* Clock.currentTimeMillis)
    const body = yield* Effect.mapError(text, unreachable)
    return yield* Effect.try({
      try: () => read(body, header),
      catch: (cause) => new UnexpectedAnswer({ status, cause })
    })
  })

/** A client of the service. */
export class ThreatScoring extends Context.Tag("url-threat-scoring/ThreatScoring")<
  ThreatScoring,
  {
    /**
     * Scores one URL without fetching it. Retries 408, 429, 502, 503, 504 and connection errors with exponential backoff, and
     * not before `Retry-After` has passed. Fails at once if the timeout would end before the next retry.
     */
    readonly check: (url: string) => Effect.Effect<Scan, ScoringError>
    /**
     * Scores any number of URLs, and emits their results in order: a `TooLarge` for a URL that is too long, a `Scan` for each
     * other. Sends one request after the other, each when its results are pulled, with as many URLs as the service allows, at
     * most 500. Waits and retries like `check`, with a timeout for each request; a 503 with `Retry-After` does not count as a
     * retry. Fails with a `BadRequest` before the first request if a URL is empty.
     */
    readonly checkMany: (
      urls: ReadonlyArray<string>
    ) => Stream.Stream<Either.Either<Scan, TooLarge>, Exclude<ScoringError, TooLarge>>
  }
>() {
  /**
   * Works with any `HttpClient`; in browsers use `FetchHttpClient.layer`. Sends no tracing headers: proxies between a page
   * and the service may not allow them.
   */
  static readonly make = ({ baseUrl, retries = DEFAULT_RETRIES, ...options }: Options) =>
    Effect.gen(function* () {
      const service = serviceAt(baseUrl)
      if (service === undefined) return yield* new InvalidBaseUrl({ baseUrl: redacted(baseUrl) })
      const client = HttpClient.withScope(
        HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
      )
      // The error of the HTTP client has the request, and so the password of the base URL.
      const unreachable = ({ cause, message }: HttpClientError) =>
        new Unreachable({ baseUrl: service.baseUrl, cause: cause ?? message })

      const attempt = <A>(request: ScoringRequest<A>): Effect.Effect<A | undefined, ScoringError> =>
        request.body === ""
          ? new TooLarge()
          : HttpClientRequest.post(`${service.baseUrl}${request.path}`).pipe(
              HttpClientRequest.setHeaders(service.headers),
              HttpClientRequest.acceptJson,
              // Text, because Node 20 cannot send bytes again after a redirect.
              HttpClientRequest.setBody(HttpBody.raw(request.body, { contentType: "application/json" })),
              client.execute,
              Effect.mapError(unreachable),
              Effect.flatMap((response) => readResponse(request, response, unreachable)),
              // Closes the connections of error responses, because their bodies are not read.
              Effect.scoped
            )

      /** Repeats `attempt` at once if it returns undefined. An error for which `isBusy` is true does not count as a retry. */
      const retrying = <A, E extends ScoringError>(
        attempt: Effect.Effect<A | undefined, E>,
        defaultTimeoutMillis: number,
        isBusy: (error: ScoringError) => boolean = () => false
      ): Effect.Effect<A, E | TimedOut> =>
        Effect.flatMap(Clock.currentTimeMillis, (start) => {
          const timeout = Duration.decode(options.timeout ?? defaultTimeoutMillis)
          const inTime = Schedule.whileOutputEffect((wait: Duration.Duration) =>
            Effect.map(
              Clock.currentTimeMillis,
              (now) => now + Duration.toMillis(wait) < start + Duration.toMillis(timeout)
            )
          )
          return attempt.pipe(
            Effect.repeat({ until: (answer): answer is A => answer !== undefined }),
            Effect.retry({ schedule: inTime(backoff(Schedule.spaced(FIRST_BACKOFF_MS))), while: isBusy }),
            Effect.retry({
              schedule: inTime(backoff(Schedule.exponential(FIRST_BACKOFF_MS))),
              times: retries,
              while: (error) => minRetryWaitMillis(error) !== undefined
            }),
            Effect.timeoutFail({ duration: timeout, onTimeout: () => new TimedOut({ timeout }) })
          )
        })

      const check = (url: string) => retrying(attempt(checkOf(url)), DEFAULT_TIMEOUT_MS)

      const checkMany = (urls: ReadonlyArray<string>) =>
        Stream.unwrap(
          Effect.clockWith((clock) => {
            if (urls.includes("")) return new BadRequest()
            const chunkFrom = urlChunks(urls, () => clock.unsafeCurrentTimeMillis())
            const attemptFrom = (from: number) =>
              Effect.suspend(() => {
                const chunk = chunkFrom(from)
                if (typeof chunk === "number") return new RateLimited({ retryAfter: Duration.millis(chunk) })
                return Effect.catchTags(attempt(chunk), {
                  TooLarge: () => Effect.succeed(chunk.tooLarge),
                  // No URL that is sent is empty.
                  BadRequest: () => new UnexpectedAnswer({ status: 400 })
                })
              })
            const results = Stream.unfoldChunkEffect(0, (from) =>
              from < urls.length
                ? Effect.map(retrying(attemptFrom(from), DEFAULT_BULK_TIMEOUT_MS, isBusy), (scans) =>
                    Option.some([
                      Chunk.unsafeFromArray(scans).pipe(
                        Chunk.map((scan) => Either.fromNullable(scan, () => new TooLarge()))
                      ),
                      from + scans.length
                    ] as const)
                  )
                : Effect.succeedNone
            )
            return Effect.succeed(results)
          })
        )

      return ThreatScoring.of({ check, checkMany })
    })

  static readonly layer = (
    options: Options
  ): Layer.Layer<ThreatScoring, InvalidBaseUrl, HttpClient.HttpClient> =>
    Layer.effect(ThreatScoring, ThreatScoring.make(options))
}
