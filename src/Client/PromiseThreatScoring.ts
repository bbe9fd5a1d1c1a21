import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { Cause, Effect, Exit, Option } from "effect"
import * as Client from "./ThreatScoring.ts"

export type * from "./Scan.ts"
export * from "./ScoringError.ts"

/** The client for programs without Effect. Needs only `fetch`, so it also works in browsers. */
export class ThreatScoring {
  readonly #check: Client.ThreatScoring["Type"]["check"]

  constructor(options: Client.Options) {
    this.#check = Effect.runSync(
      Client.ThreatScoring.make(options).pipe(Effect.provide(FetchHttpClient.layer))
    ).check
  }

  /**
   * Scores one URL, with the retries of the Effect client. Rejects with a `ScoringError`, or with the signal's reason if it
   * is aborted.
   */
  async check(url: string, options: { readonly signal?: AbortSignal } = {}): Promise<Client.Scan> {
    options.signal?.throwIfAborted()
    const exit = await Effect.runPromiseExit(
      // The service's CORS headers do not allow tracing headers from other origins.
      Effect.locally(this.#check(url), HttpClient.currentTracerPropagation, false),
      options
    )
    if (Exit.isSuccess(exit)) return exit.value
    options.signal?.throwIfAborted()
    throw Option.getOrElse(Cause.failureOption(exit.cause), () => Cause.squash(exit.cause))
  }
}
