// Not from the index of @effect/platform, which also loads its servers.
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import {
  Chunk,
  Clock,
  Context,
  Data,
  Duration,
  Effect,
  Either,
  Layer,
  Option,
  Schedule,
  Stream
} from "effect"
import * as BaseUrl from "./BaseUrl.ts"
import {
  DEFAULT_BULK_TIMEOUT_MS,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  FIRST_BACKOFF_MS,
  minRetryWaitMillis,
  type Problem,
  problemOf
} from "./Problem.ts"
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
import { checkOf, type ScoringRequest } from "./ScoringRequest.ts"
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

const readResponse = <A>(
  { read }: ScoringRequest<A>,
  { headers, status, text }: HttpClientResponse,
  unreachable: (error: HttpClientError) => Unreachable
): Effect.Effect<A, ScoringError> =>
  Effect.gen(function* () {
    const header: Header = (name) => headers[name]
    const problem = problemOf(status, header, yield* Clock.currentTimeMillis)
    if (problem !== undefined) return yield* errorOf(problem)
    const body = yield* Effect.mapError(text, unreachable)
    return yield* Effect.try({
      try: () => read(body, header),
      catch: (cause) => new UnexpectedAnswer({ status, cause })
    })
  })

/** The URLs of a request are to be sent again at once, in smaller requests. */
class Divided extends Data.TaggedError("Divided") {}

/** A client of the service. */
export class ThreatScoring extends Context.Tag("url-threat-scoring/ThreatScoring")<
  ThreatScoring,
  {
    /**
     * Scores one URL without fetching it. Retries 429, 502, 503, 504 and connection errors with exponential backoff, and
     * not before `Retry-After` has passed. Fails at once if the timeout would end before the next retry.
     */
    readonly check: (url: string) => Effect.Effect<Scan, ScoringError>
    /**
     * Scores any number of URLs, and emits their results in order: a `TooLarge` for a URL that is too long, a `Scan` for each
     * other. Sends one request after the other, each when its results are pulled, with as many URLs as the service allows, at
     * most 500. Waits and retries like `check`, with a timeout for each request. Fails with a `BadRequest` before the first
     * request if a URL is empty.
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
      const service = BaseUrl.parse(baseUrl)
      if (service === undefined) return yield* new InvalidBaseUrl({ baseUrl: BaseUrl.redacted(baseUrl) })
      const client = HttpClient.withScope(
        HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
      )
      // The error of the HTTP client has the request, and so the password of the base URL.
      const unreachable = ({ cause, message }: HttpClientError) =>
        new Unreachable({ baseUrl: service.baseUrl, cause: cause ?? message })

      const attempt = <A, E>(
        request: ScoringRequest<A>,
        onResponse: (response: HttpClientResponse) => Effect.Effect<void, E>
      ): Effect.Effect<A, ScoringError | E> =>
        HttpClientRequest.post(`${service.address}${request.suffix}`).pipe(
          HttpClientRequest.setHeaders(service.headers),
          HttpClientRequest.acceptJson,
          // Text, because Node 20 cannot send bytes again after a redirect.
          HttpClientRequest.setBody(HttpBody.raw(request.body, { contentType: "application/json" })),
          client.execute,
          Effect.mapError(unreachable),
          Effect.tap(onResponse),
          Effect.flatMap((response) => readResponse(request, response, unreachable)),
          // Closes the connections of error responses, because their bodies are not read.
          Effect.scoped
        )

      const retrying = <A, E extends ScoringError>(
        attempt: Effect.Effect<A, E>,
        defaultTimeoutMillis: number
      ): Effect.Effect<A, E | TimedOut> =>
        Effect.flatMap(Clock.currentTimeMillis, (start) => {
          const timeout = Duration.decode(options.timeout ?? defaultTimeoutMillis)
          const isInTime = (wait: Duration.Duration) =>
            Effect.map(
              Clock.currentTimeMillis,
              (now) => now + Duration.toMillis(wait) < start + Duration.toMillis(timeout)
            )
          return attempt.pipe(
            Effect.retry({
              schedule: Schedule.whileOutputEffect(backoff, isInTime),
              times: retries,
              while: (error) => minRetryWaitMillis(error) !== undefined
            }),
            Effect.timeoutFail({ duration: timeout, onTimeout: () => new TimedOut({ timeout }) })
          )
        })

      const check = (url: string) =>
        retrying(
          attempt(checkOf(url), () => Effect.void),
          DEFAULT_TIMEOUT_MS
        )

      const checkMany = (urls: ReadonlyArray<string>) =>
        Stream.unwrap(
          Effect.clockWith((clock) => {
            if (urls.includes("")) return new BadRequest()
            const chunkFrom = urlChunks(urls, () => clock.unsafeCurrentTimeMillis())
            const send = (
              from: number
            ): Effect.Effect<
              ReadonlyArray<Either.Either<Scan, TooLarge>>,
              Exclude<ScoringError, BadRequest | TooLarge>
            > =>
              Effect.suspend(() => {
                const chunk = chunkFrom(from)
                if (typeof chunk === "number") return new RateLimited({ retryAfter: Duration.millis(chunk) })
                return attempt(chunk, ({ headers, status }) =>
                  chunk.divide(status, (name) => headers[name]) ? new Divided() : Effect.void
                ).pipe(
                  Effect.map((scans) => scans.map((scan) => Either.right(scan))),
                  Effect.catchTags({
                    Divided: () => send(from),
                    TooLarge: (error) => Effect.succeed([Either.left(error)]),
                    // No URL that is sent is empty.
                    BadRequest: () => new UnexpectedAnswer({ status: 400 })
                  })
                )
              })
            const results = Stream.unfoldChunkEffect(0, (from) =>
              from < urls.length
                ? Effect.map(retrying(send(from), DEFAULT_BULK_TIMEOUT_MS), (results) =>
                    Option.some([Chunk.unsafeFromArray(results), from + results.length] as const)
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
