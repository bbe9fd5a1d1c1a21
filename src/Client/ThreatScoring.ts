// Not from the index of @effect/platform, which also loads its servers.
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import type { Scan } from "./Scan.ts"
import * as ScanResponse from "./ScanResponse.ts"
import { type ScoringError, TimedOut, Unreachable } from "./ScoringError.ts"

export type * from "./Scan.ts"
export * from "./ScoringError.ts"

export interface Options {
  /** Address of the service, such as `https://scoring.example`; may have a path. */
  readonly baseUrl: string | URL
  /** Timeout of one check, retries and waits included; 10 seconds by default. A number is milliseconds. */
  readonly timeout?: Duration.DurationInput
  /** Maximum number of retries; 2 by default. */
  readonly retries?: number
}

/** The service's slowest checker has 2 seconds: enough for that and two retries. */
const DEFAULT_TIMEOUT = Duration.seconds(10)

const DEFAULT_RETRIES = 2

/** Wait before the first retry; doubles with each further one. */
const FIRST_BACKOFF = Duration.millis(250)

/** Statuses of a gateway that cannot reach the service: https://www.rfc-editor.org/rfc/rfc9110#section-15.6 */
const GATEWAY_STATUSES = [502, 503, 504]

/** Minimum wait before a retry; undefined if the error must not be retried. */
const minRetryWait = (error: ScoringError): Duration.Duration | undefined => {
  if (error._tag === "RateLimited") return error.retryAfter
  if (error._tag === "Unreachable") return Duration.zero
  return error._tag === "ServerError" && GATEWAY_STATUSES.includes(error.status)
    ? error.retryAfter
    : undefined
}

/** Exponential backoff, but never shorter than `Retry-After`. Outputs the wait. */
const backoff = Schedule.identity<ScoringError>().pipe(
  Schedule.intersect(Schedule.exponential(FIRST_BACKOFF).pipe(Schedule.jittered)),
  Schedule.modifyDelay(([error], delay) => Duration.max(delay, minRetryWait(error) ?? Duration.zero)),
  Schedule.delays
)

/** A client of the service. */
export class ThreatScoring extends Context.Tag("url-threat-scoring/ThreatScoring")<
  ThreatScoring,
  {
    /**
     * Scores one URL without fetching it. Retries 429, 502, 503, 504 and connection errors with exponential backoff, and
     * not before `Retry-After` has passed. Fails at once if the timeout would end before the next retry.
     */
    readonly check: (url: string) => Effect.Effect<Scan, ScoringError>
  }
>() {
  /** Works with any `HttpClient`. In browsers use `FetchHttpClient.layer` and disable tracer propagation (CORS). */
  static readonly make = ({ baseUrl, retries = DEFAULT_RETRIES, ...options }: Options) =>
    Effect.map(HttpClient.HttpClient, (client): ThreatScoring["Type"] => {
      const timeout = Duration.decode(options.timeout ?? DEFAULT_TIMEOUT)
      const address = `${String(baseUrl).replace(/\/+$/, "")}/api/check`

      const attempt = (url: string) =>
        HttpClientRequest.post(address).pipe(
          HttpClientRequest.acceptJson,
          HttpClientRequest.bodyUnsafeJson({ url }),
          client.execute,
          Effect.mapError((cause) => new Unreachable({ cause })),
          Effect.flatMap(ScanResponse.read)
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
              while: (error) => minRetryWait(error) !== undefined
            }),
            Effect.timeoutFail({ duration: timeout, onTimeout: () => new TimedOut({ timeout }) })
          )
        })

      return { check }
    })

  static readonly layer = (options: Options): Layer.Layer<ThreatScoring, never, HttpClient.HttpClient> =>
    Layer.effect(ThreatScoring, ThreatScoring.make(options))
}
