import { Cause, Context, Duration, Effect, Either, Exit, Layer, Option, type Runtime } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { Cache } from "../../Layers/Cache.ts"
import * as CircuitBreaker from "../../Layers/CircuitBreaker.ts"
import type { HttpGet } from "../../Layers/Outbound.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import type { LastError } from "../ThreatFeed/FeedState.ts"
import type { HashPrefix } from "./ExpressionHash.ts"
import * as HashSearchClient from "./HashSearch/HashSearchClient.ts"
import type { HashSearchResponse, ListedHash } from "./HashSearch/HashSearchResponse.ts"
import * as SearchBreaker from "./HashSearch/SearchBreaker.ts"
import { SearchError } from "./HashSearch/SearchError.ts"
import * as SearchMetrics from "./HashSearch/SearchMetrics.ts"
import * as SharedCalls from "./HashSearch/SharedCalls.ts"
import * as PrefixCache from "./PrefixCache.ts"

/** Chromium's for the same request. */
const CALL_TIMEOUT = Duration.seconds(3)

/** Calls in flight, each with other prefixes. At 50 ms a call this is 5,000 a second; it bounds the sockets of calls that hang. */
const MAX_CALLS = 256

/** The key of the call that is the probe; no list of prefixes. Nobody joins it. */
const PROBE = "probe"

/** Whether searches are made (`closed`), one probes whether the service is back (`half-open`), or none is (`open`). */
type BreakerState = "closed" | "open" | "half-open"

const stateOf = {
  Closed: "closed",
  Open: "open",
  HalfOpen: "half-open"
} as const satisfies Record<CircuitBreaker.CircuitBreaker["_tag"], BreakerState>

export interface SearchStatus {
  readonly breaker: BreakerState
  /** The last error of a search that was sent; the next success removes it. */
  readonly lastError: Option.Option<LastError>
}

/** A search that has begun. */
export interface StartedSearch {
  /**
   * The hashes that Safe Browsing lists under the prefixes, also of other URLs. Waits at most so many milliseconds: then it
   * fails with `Timeout`, while the call goes on. Any number of waits may begin at any time, also after the call.
   */
  readonly wait: (millis: number) => Effect.Effect<ReadonlyArray<ListedHash>, SearchError>
}

export interface HashSearchShape {
  /**
   * Begins to search for prefixes, at least one and at most 400, and does not wait for it. Nothing else of a URL leaves the
   * process. The response is cached for each prefix.
   *
   * Concurrent searches for the same prefixes share one call of up to 3 seconds. It runs in the layer's scope, in the trace of
   * the search that started it: interrupting a wait does not interrupt the call, and its response is cached in any case.
   *
   * After several failures (see `SearchBreaker`) every wait fails at once with `Paused`, also for the search whose prefixes are
   * sent as the probe, in the background.
   */
  readonly start: (prefixes: ReadonlyArray<HashPrefix>) => Effect.Effect<StartedSearch>
  readonly status: Effect.Effect<SearchStatus>
}

/** Made once: an error costs more than a search that is not sent may. */
const notSent = (reason: SearchError["reason"]): StartedSearch => {
  const failure = Exit.fail(new SearchError({ reason }))
  return { wait: () => failure }
}
const paused = notSent("Paused")
const tooManyCalls = notSent("TooManyCalls")

const make = Effect.fnUntraced(function* (service: HashSearchClient.Service) {
  const clock = yield* Effect.clock
  const cache = yield* Cache
  const client = yield* HashSearchClient.make(service)
  const count = yield* SearchMetrics.searches
  const calls = yield* SharedCalls.make<HashSearchResponse, SearchError>({
    timeout: CALL_TIMEOUT,
    timeoutError: new SearchError({ reason: "Timeout" })
  })
  let breaker = CircuitBreaker.initial
  let lastError = Option.none<LastError>()

  /** Logs the begin of an outage, with the reason, and its end. */
  const happened = (event: CircuitBreaker.Event, now: number, reason?: string): Effect.Effect<void> => {
    const wasClosed = breaker._tag === "Closed"
    breaker = CircuitBreaker.next(SearchBreaker.RULES, breaker, event, now)
    const isClosed = breaker._tag === "Closed"
    if (wasClosed === isClosed) return Effect.void
    return isClosed
      ? Effect.logInfo("Searches of Safe Browsing succeed again")
      : Effect.annotateLogs(
          Effect.logWarning("Searches of Safe Browsing failed and are paused; probes go on"),
          { reason }
        )
  }

  const succeeded = (
    response: HashSearchResponse,
    prefixes: ReadonlyArray<HashPrefix>,
    isProbe: boolean
  ): Effect.Effect<void> => {
    count("ok")
    const logged = happened({ _tag: "Succeeded", isProbe }, MonotonicTime.millis(clock))
    if (breaker._tag === "Closed") lastError = Option.none()
    return Effect.zipRight(logged, PrefixCache.store(cache, prefixes, response))
  }

  const failed = (error: SearchError, isProbe: boolean): Effect.Effect<void> => {
    const { message, reason } = error
    count(reason)
    lastError = Option.some({ message, at: clock.unsafeCurrentTimeMillis() })
    return happened(SearchBreaker.failure(error, isProbe), MonotonicTime.millis(clock), message)
  }

  /** Interrupted, or a defect, which nobody but the searches that wait for the call would see. */
  const ended = (cause: Cause.Cause<never>, isProbe: boolean) =>
    Effect.zipRight(
      happened({ _tag: "Ended", isProbe }, MonotonicTime.millis(clock)),
      isProbe && !Cause.isInterrupted(cause)
        ? Effect.logError("A probe of Safe Browsing failed", cause)
        : Effect.void
    )

  const startCall = (key: string, prefixes: ReadonlyArray<HashPrefix>, runtime: Runtime.Runtime<never>) => {
    const isProbe = key === PROBE
    const settle = Exit.matchEffect({
      onSuccess: (response: HashSearchResponse) => succeeded(response, prefixes, isProbe),
      onFailure: (cause: Cause.Cause<SearchError>) =>
        Either.match(Cause.failureOrCause(cause), {
          onLeft: (error) => failed(error, isProbe),
          onRight: (cause) => ended(cause, isProbe)
        })
    })
    return calls.start(key, client.search(prefixes), settle, runtime)
  }

  return {
    start: (prefixes) =>
      // One step: see `SharedCalls.start`.
      Effect.map(Effect.runtime<never>(), (runtime) => {
        const now = MonotonicTime.millis(clock)
        const permission = CircuitBreaker.permission(breaker, now)
        if (permission === "Call") {
          const key = prefixes.join()
          const inFlight = calls.get(key)
          if (inFlight === undefined && calls.size() >= MAX_CALLS) {
            count("TooManyCalls")
            return tooManyCalls
          }
          const call = inFlight ?? startCall(key, prefixes, runtime)
          return { wait: (millis) => Effect.map(call.wait(millis), ({ listed }) => listed) }
        }
        count("Paused")
        if (permission === "Probe") {
          breaker = CircuitBreaker.next(SearchBreaker.RULES, breaker, { _tag: "ProbeStarted" }, now)
          startCall(PROBE, prefixes, runtime)
        }
        return paused
      }),
    status: Effect.sync(() => ({ breaker: stateOf[breaker._tag], lastError }))
  } satisfies HashSearchShape
})

/** Searches of Safe Browsing v5 (`hashes:search`). None without REPUTATION_API_KEY. */
export class HashSearch extends Context.Tag("app/Checkers/HashSearch")<
  HashSearch,
  Option.Option<HashSearchShape>
>() {
  static readonly layer: Layer.Layer<HashSearch, never, AppConfig | Cache | HttpGet> = Layer.scoped(
    HashSearch,
    Effect.flatMap(AppConfig, ({ reputation }) => Effect.transposeMapOption(reputation, make))
  )
}
