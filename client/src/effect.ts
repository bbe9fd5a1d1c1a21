// Not from the index of @effect/platform, which also loads its servers.
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import {
  type Cause,
  Chunk,
  Context,
  Data,
  Duration,
  Effect,
  Either,
  Layer,
  Option,
  Random,
  Stream
} from "effect"
import { CHECK_MANY_TIMEOUT_MS, CHECK_TIMEOUT_MS, DEFAULT_RETRIES } from "./Defaults.ts"
import * as Errors from "./Errors.ts"
import {
  type Answer,
  checkOf,
  checksOf,
  exchange,
  type NextAttempt,
  type Outgoing,
  type Scans,
  serviceAt
} from "./Protocol.ts"
import type { Scan } from "./Scan.ts"

export type { FindingDetails, Scan, ScanFinding } from "./Scan.ts"

/** A `Data.TaggedError` with the fields and the message of an error of the protocol. */
type Tagged<Tag extends Errors.ErrorTag> = new (
  fields: Errors.ErrorFields[Tag]
) => Cause.YieldableError & { readonly _tag: Tag } & Errors.ErrorFields[Tag]

const tagged = <Tag extends Errors.ErrorTag>(tag: Tag): Tagged<Tag> =>
  class extends Data.TaggedError(tag)<object> {
    override get message(): string {
      return Errors.messages[tag](this as never)
    }
  } as unknown as Tagged<Tag>

/** Status 400: the URL is empty. Retrying does not help. */
export class BadRequest extends tagged("BadRequest") {}

/** The URL is longer than 64 KiB of JSON, or status 413 for it alone. Retrying does not help. */
export class TooLarge extends tagged("TooLarge") {}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfter` is longer than the rest
 * of its timeout. Wait for `retryAfter` before the next check.
 */
export class RateLimited extends tagged("RateLimited") {
  /** `retryAfterMillis` as a duration. */
  get retryAfter(): Duration.Duration {
    return Duration.millis(this.retryAfterMillis)
  }
}

/** A `status` from 500: the service or a proxy in front of it failed. Or 408: it did not get the request in time. */
export class ServerError extends tagged("ServerError") {
  /** `retryAfterMillis` as a duration. */
  get retryAfter(): Duration.Duration {
    return Duration.millis(this.retryAfterMillis)
  }
}

/** No response from `baseUrl`: no connection, or the connection broke. */
export class Unreachable extends tagged("Unreachable") {}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends tagged("TimedOut") {
  /** `timeoutMillis` as a duration. */
  get timeout(): Duration.Duration {
    return Duration.millis(this.timeoutMillis)
  }
}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends tagged("UnexpectedAnswer") {}

/** The client cannot be made with this `baseUrl`. */
export class InvalidBaseUrl extends tagged("InvalidBaseUrl") {}

/** All errors of `check` and of `checkMany`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer

const errors = {
  BadRequest,
  TooLarge,
  RateLimited,
  ServerError,
  Unreachable,
  TimedOut,
  UnexpectedAnswer
}

const errorOf = ({ _tag, ...fields }: Errors.ScoringError): Exclude<ScoringError, TooLarge> =>
  new (errors[_tag] as new (fields: object) => Exclude<ScoringError, TooLarge>)(fields)

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

/** A client of the service. */
export class ThreatScoring extends Context.Tag("url-threat-scoring-client/ThreatScoring")<
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
      if ("_tag" in service) return yield* new InvalidBaseUrl(service)
      const client = HttpClient.withScope(
        HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
      )

      const send = ({ body, path }: Outgoing): Effect.Effect<Answer | Errors.Unreachable> =>
        HttpClientRequest.post(`${service.baseUrl}${path}`).pipe(
          // Text, because Node 20 cannot send bytes again after a redirect.
          HttpClientRequest.setBody(HttpBody.raw(body)),
          HttpClientRequest.setHeaders(service.headers),
          client.execute,
          Effect.flatMap(({ headers, status, text }) =>
            Effect.map(status === 200 ? text : Effect.succeed(""), (body) => ({
              status,
              header: (name: string) => headers[name],
              body
            }))
          ),
          // The error of the HTTP client has the request, and so the password of the base URL.
          Effect.catchAll(({ cause, message }) =>
            Effect.succeed(new Errors.Unreachable({ baseUrl: service.baseUrl, cause: cause ?? message }))
          ),
          // Closes the connections of error responses, because their bodies are not read.
          Effect.scoped
        )

      const run = (nextAttempt: NextAttempt, defaultTimeoutMillis: number) =>
        Effect.gen(function* () {
          const clock = yield* Effect.clock
          const timeout = Duration.decode(options.timeout ?? defaultTimeoutMillis)
          const timeoutMillis = Duration.toMillis(timeout)
          const now = () => clock.unsafeCurrentTimeMillis()
          const steps = exchange(nextAttempt, retries, timeoutMillis, now, yield* Random.next)
          const follow = Effect.gen(function* () {
            for (let step = steps.next(); ; ) {
              const { value } = step
              if (typeof value === "number") {
                yield* Effect.sleep(value)
                step = steps.next()
              } else if ("path" in value) step = steps.next(yield* send(value))
              else if ("_tag" in value) return yield* errorOf(value)
              else return value
            }
          })
          return yield* Effect.timeoutFail(follow, {
            duration: timeout,
            onTimeout: () => new TimedOut({ timeoutMillis })
          })
        })

      const check = (url: string) =>
        Effect.flatMap(run(checkOf(url), CHECK_TIMEOUT_MS), ([scan]) =>
          scan === undefined ? new TooLarge({}) : Effect.succeed(scan)
        )

      const checkMany = (urls: ReadonlyArray<string>) =>
        Stream.unwrap(
          Effect.clockWith((clock) => {
            const attemptFrom = checksOf(urls, () => clock.unsafeCurrentTimeMillis())
            const results = Stream.unfoldChunkEffect(0, (from) =>
              from < urls.length
                ? Effect.map(
                    run(() => attemptFrom(from), CHECK_MANY_TIMEOUT_MS),
                    (scans: Scans) =>
                      Option.some([
                        Chunk.unsafeFromArray(scans).pipe(
                          Chunk.map((scan) => Either.fromNullable(scan, () => new TooLarge({})))
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
