import { type Cause, Context, Data, Duration, Effect, Either, Layer, Stream } from "effect"
import * as Promises from "./promise.ts"
import type { Scan } from "./Scan.ts"

export type { FindingDetails, Scan, ScanFinding } from "./Scan.ts"

type PromiseError = new (fields: never) => Error & { readonly _tag: string }

/** Makes a `Data.TaggedError` with the fields, the tag and the message of an error of the promise client. */
const tagged = <C extends PromiseError, Fields = ConstructorParameters<C>[0]>(Original: C) =>
  class extends Data.TaggedError(Original.prototype.name)<object> {
    override get message(): string {
      return new Original(this as never).message
    }
  } as unknown as new (
    fields: Fields
  ) => Cause.YieldableError & Pick<InstanceType<C>, "_tag"> & Fields

/** Status 400: the URL is empty. Retrying does not help. */
export class BadRequest extends tagged(Promises.BadRequest) {}

/** The URL is longer than 64 KiB of JSON, or status 413 for it alone. Retrying does not help. */
export class TooLarge extends tagged(Promises.TooLarge) {}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfter` is longer than the rest
 * of its timeout. Wait for `retryAfter` before the next check.
 */
export class RateLimited extends tagged(Promises.RateLimited) {
  /** `retryAfterMillis` as a duration. */
  get retryAfter(): Duration.Duration {
    return Duration.millis(this.retryAfterMillis)
  }
}

/** A `status` from 500: the service or a proxy in front of it failed. Or 408: it did not get the request in time. */
export class ServerError extends tagged(Promises.ServerError) {
  /** `retryAfterMillis` as a duration. */
  get retryAfter(): Duration.Duration {
    return Duration.millis(this.retryAfterMillis)
  }
}

/** No response from `baseUrl`: no connection, or the connection broke. */
export class Unreachable extends tagged(Promises.Unreachable) {}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends tagged(Promises.TimedOut) {
  /** `timeoutMillis` as a duration. */
  get timeout(): Duration.Duration {
    return Duration.millis(this.timeoutMillis)
  }
}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends tagged(Promises.UnexpectedAnswer) {}

/** The client cannot be made with this `baseUrl`. */
export class InvalidBaseUrl extends tagged(Promises.InvalidBaseUrl) {}

const errors = {
  BadRequest,
  TooLarge,
  RateLimited,
  ServerError,
  Unreachable,
  TimedOut,
  UnexpectedAnswer,
  InvalidBaseUrl
}

type AnyError = InstanceType<(typeof errors)[keyof typeof errors]>

/** All errors of `check` and of `checkMany`. */
export type ScoringError = Exclude<AnyError, InvalidBaseUrl>

/** Converts an error of the promise client. Throws any other error again, which makes it a defect. */
const errorOf = <E extends AnyError>(error: unknown): E => {
  const { _tag, ...fields } = Object(error)
  if (!Object.hasOwn(errors, _tag)) throw error
  return new errors[_tag as keyof typeof errors](fields) as E
}

export interface Options extends Omit<Promises.Options, "timeout"> {
  /**
   * Timeout of one check, or of each request of `checkMany`, retries and waits included; by default 10 seconds, and 2 minutes
   * for a request of `checkMany`. A number is milliseconds.
   */
  readonly timeout?: Duration.DurationInput | undefined
}

/** The promise client for programs with Effect: interruption aborts the request. */
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
  static readonly make = ({
    timeout,
    ...options
  }: Options): Effect.Effect<ThreatScoring["Type"], InvalidBaseUrl> =>
    Effect.gen(function* () {
      const client = yield* Effect.try({
        try: () =>
          new Promises.ThreatScoring({
            ...options,
            timeout: timeout === undefined ? undefined : Duration.toMillis(timeout)
          }),
        catch: errorOf<InvalidBaseUrl>
      })

      const check = (url: string) =>
        Effect.tryPromise({ try: (signal) => client.check(url, { signal }), catch: errorOf<ScoringError> })

      const iterate = (urls: ReadonlyArray<string>): AsyncIterator<Scan | Promises.TooLarge> => {
        const controller = new AbortController()
        const results = client.checkMany(urls, controller)
        return {
          next: () => results.next(),
          // Aborts first: a generator returns only after its pending `next`.
          return: () => {
            controller.abort()
            return results.return()
          }
        }
      }

      const checkMany = (urls: ReadonlyArray<string>) =>
        Stream.fromAsyncIterable(
          { [Symbol.asyncIterator]: () => iterate(urls) },
          errorOf<Exclude<ScoringError, TooLarge>>
        ).pipe(
          Stream.map((result) =>
            result instanceof Promises.TooLarge ? Either.left(new TooLarge({})) : Either.right(result)
          )
        )

      return ThreatScoring.of({ check, checkMany })
    })

  static readonly layer = (options: Options): Layer.Layer<ThreatScoring, InvalidBaseUrl> =>
    Layer.effect(ThreatScoring, ThreatScoring.make(options))
}
