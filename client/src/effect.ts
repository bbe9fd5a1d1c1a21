import { Context, Duration, Effect, Either, Layer, Stream } from "effect"
import * as Errors from "./Errors.ts"
import * as Promises from "./promise.ts"
import type { Scan } from "./Scan.ts"

export * from "./Errors.ts"
export type { FindingDetails, ReportedAddress, Scan, ScanFinding } from "./Scan.ts"

/** An error of the promise client. Throws any other error again, which makes it a defect. */
const typed = <E extends Errors.ScoringError | Errors.InvalidBaseUrl>(error: unknown): E => {
  if (!Object.hasOwn(Errors, Object(error)._tag)) throw error
  return error as E
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
    readonly check: (url: string) => Effect.Effect<Scan, Errors.ScoringError>
    /**
     * Scores any number of URLs, and emits their results in order: a `TooLarge` for a URL that is too long, a `Scan` for each
     * other. Sends one request after the other, each when its results are pulled, with as many URLs as the service allows, at
     * most 500. Waits and retries like `check`, with a timeout for each request; a 503 with `Retry-After` does not count as a
     * retry. Fails with a `BadRequest` before the first request if a URL is empty.
     */
    readonly checkMany: (
      urls: ReadonlyArray<string>
    ) => Stream.Stream<Either.Either<Scan, Errors.TooLarge>, Exclude<Errors.ScoringError, Errors.TooLarge>>
  }
>() {
  static readonly make = ({
    timeout,
    ...options
  }: Options): Effect.Effect<ThreatScoring["Type"], Errors.InvalidBaseUrl> =>
    Effect.gen(function* () {
      const client = yield* Effect.try({
        try: () =>
          new Promises.ThreatScoring({
            ...options,
            timeout: timeout === undefined ? undefined : Duration.toMillis(timeout)
          }),
        catch: typed<Errors.InvalidBaseUrl>
      })

      const check = (url: string) =>
        Effect.tryPromise({
          try: (signal) => client.check(url, { signal }),
          catch: typed<Errors.ScoringError>
        })

      const iterate = (urls: ReadonlyArray<string>): AsyncIterator<Scan | Errors.TooLarge> => {
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
          typed<Exclude<Errors.ScoringError, Errors.TooLarge>>
        ).pipe(
          Stream.map((result) =>
            result instanceof Errors.TooLarge ? Either.left(result) : Either.right(result)
          )
        )

      return ThreatScoring.of({ check, checkMany })
    })

  static readonly layer = (options: Options): Layer.Layer<ThreatScoring, Errors.InvalidBaseUrl> =>
    Layer.effect(ThreatScoring, ThreatScoring.make(options))
}
