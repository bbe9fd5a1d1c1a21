// Not from the package's index, which loads its servers too.
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import * as Answer from "./Answer.ts"
import type { Scan } from "./Scan.ts"
import { type ScoringError, TimedOut, Unreachable } from "./ScoringError.ts"

export type * from "./Scan.ts"
export * from "./ScoringError.ts"

export interface Options {
  /** Where the service is: `https://scoring.example`, with a path if it lies below one. */
  readonly baseUrl: string | URL
  /** For one check with all its tries and waits; 10 seconds by default. A number is milliseconds. */
  readonly timeout?: Duration.DurationInput
  /** How often a check is tried again; 2 by default. */
  readonly retries?: number
}

/** Above the service's own budget of 2 seconds for its slowest checker, with room for two more tries. */
const TIMEOUT = Duration.seconds(10)

const RETRIES = 2

/** The wait before the first retry; each further one is twice as long. */
const FIRST_WAIT = Duration.millis(250)

/** What a gateway answers while nothing is behind it: https://www.rfc-editor.org/rfc/rfc9110#section-15.6 */
const GATEWAY_STATUSES = [502, 503, 504]

/** Undefined: trying again changes nothing. */
const waitAtLeast = (error: ScoringError): Duration.Duration | undefined => {
  if (error._tag === "RateLimited") return error.retryAfter
  if (error._tag === "Unreachable") return Duration.zero
  return error._tag === "ServerError" && GATEWAY_STATUSES.includes(error.status)
    ? error.retryAfter
    : undefined
}

/** When to try again; the output is how long is waited for it. */
const backoff = Schedule.identity<ScoringError>().pipe(
  Schedule.intersect(Schedule.exponential(FIRST_WAIT).pipe(Schedule.jittered)),
  Schedule.modifyDelay(([error], delay) => Duration.max(delay, waitAtLeast(error) ?? Duration.zero)),
  Schedule.delays
)

/** The service as its clients see it. */
export class ThreatScoring extends Context.Tag("url-threat-scoring/ThreatScoring")<
  ThreatScoring,
  {
    /**
     * Scores one URL, which nobody fetches. A refusal for the rate limit, a gateway without a service and a broken
     * connection are tried again, after the time that `Retry-After` asks for if there is such a header. Where the timeout
     * leaves no time for that, the error comes at once.
     */
    readonly check: (url: string) => Effect.Effect<Scan, ScoringError>
  }
>() {
  /** Works with any `HttpClient`: `FetchHttpClient.layer` in browsers, there without tracer propagation (CORS). */
  static readonly make = ({ baseUrl, retries = RETRIES, ...options }: Options) =>
    Effect.map(HttpClient.HttpClient, (client): ThreatScoring["Type"] => {
      const timeout = Duration.decode(options.timeout ?? TIMEOUT)
      const address = `${String(baseUrl).replace(/\/+$/, "")}/api/check`

      const attempt = (url: string) =>
        HttpClientRequest.post(address).pipe(
          HttpClientRequest.acceptJson,
          HttpClientRequest.bodyUnsafeJson({ url }),
          client.execute,
          Effect.mapError((cause) => new Unreachable({ cause })),
          Effect.flatMap(Answer.read)
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
              while: (error) => waitAtLeast(error) !== undefined
            }),
            Effect.timeoutFail({ duration: timeout, onTimeout: () => new TimedOut({ timeout }) })
          )
        })

      return { check }
    })

  static readonly layer = (options: Options): Layer.Layer<ThreatScoring, never, HttpClient.HttpClient> =>
    Layer.effect(ThreatScoring, ThreatScoring.make(options))
}
