import type { HttpClient } from "@effect/platform"
import { Context, Duration, Effect, Fiber, FiberMap, FiberSet, Layer, Option, Tracer } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { Cache } from "../../Layers/Cache.ts"
import type { LastError } from "../ThreatFeed/FeedState.ts"
import type { HashPrefix } from "./ExpressionHash.ts"
import * as HashSearchClient from "./HashSearch/HashSearchClient.ts"
import type { ListedHash } from "./HashSearch/HashSearchResponse.ts"
import { SearchError } from "./HashSearch/SearchError.ts"
import * as PrefixCache from "./PrefixCache.ts"

/** A shared call continues when its callers time out. This ends a call that hangs. */
const CALL_TIMEOUT = Duration.seconds(10)

/** How long the shutdown waits for cache writes. The cache itself ends a write sooner. */
const WRITES_TIMEOUT = Duration.seconds(1)

/** Calls in flight, each with other prefixes. At 50 ms a call this is 5,000 a second; it bounds the sockets of calls that hang. */
const MAX_CALLS = 256

/** Whether searches are made (`closed`), one probes whether the service is back (`half-open`), or none is (`open`). */
export type BreakerState = "closed" | "open" | "half-open"

export interface SearchStatus {
  readonly breaker: BreakerState
  /** The last error of a search that was sent; the next success removes it. */
  readonly lastError: Option.Option<LastError>
}

export interface HashSearchShape {
  /**
   * The hashes that Safe Browsing lists under the prefixes, at most 1,000, also of other URLs. Nothing else of a URL leaves the
   * process. The response is cached for each prefix.
   *
   * Concurrent searches for the same prefixes share one call. It runs in the layer's scope, in the trace of the search that
   * started it: interrupting a search does not interrupt the call, and its response is cached in any case.
   */
  readonly search: (
    prefixes: ReadonlyArray<HashPrefix>
  ) => Effect.Effect<ReadonlyArray<ListedHash>, SearchError>
  readonly status: Effect.Effect<SearchStatus>
}

/** The same effect, to be run by another fiber, with the current span as its parent. */
const withCurrentSpan = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.serviceOption(Tracer.ParentSpan),
    Option.match({ onNone: () => effect, onSome: (span) => Effect.withParentSpan(effect, span) })
  )

const make = Effect.fnUntraced(function* (service: HashSearchClient.Service) {
  const cache = yield* Cache
  const client = yield* HashSearchClient.make(service)
  const writes = yield* FiberSet.make<void>()
  // The fiber starts at once: the memory cache is written before the call leaves the map of calls.
  const write = yield* FiberSet.runtime(writes)<never>()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(writes)), WRITES_TIMEOUT)
  )
  const calls = yield* FiberMap.make<string, ReadonlyArray<ListedHash>, SearchError>()
  const start = yield* FiberMap.runtime(calls)<never>()
  const permits = yield* Effect.makeSemaphore(MAX_CALLS)

  const call = (prefixes: ReadonlyArray<HashPrefix>) =>
    client.search(prefixes).pipe(
      Effect.timeoutFail({
        duration: CALL_TIMEOUT,
        onTimeout: () => new SearchError({ reason: "Timeout" })
      }),
      permits.withPermitsIfAvailable(1),
      Effect.flatMap(
        Option.match({
          onNone: () => new SearchError({ reason: "TooManyCalls" }),
          onSome: Effect.succeed
        })
      ),
      Effect.tap((response) =>
        Effect.map(withCurrentSpan(PrefixCache.store(cache, prefixes, response)), (stored) => write(stored))
      ),
      Effect.map(({ listed }) => listed)
    )

  return {
    search: (prefixes) =>
      Effect.flatMap(withCurrentSpan(call(prefixes)), (call) => {
        const key = prefixes.join()
        return Fiber.join(Option.getOrElse(FiberMap.unsafeGet(calls, key), () => start(key, call)))
      }),
    status: Effect.succeed({ breaker: "closed", lastError: Option.none() })
  } satisfies HashSearchShape
})

/** Searches of Safe Browsing v5 (`hashes:search`). None without REPUTATION_API_KEY. */
export class HashSearch extends Context.Tag("app/Checkers/HashSearch")<
  HashSearch,
  Option.Option<HashSearchShape>
>() {
  static readonly layer: Layer.Layer<HashSearch, never, AppConfig | Cache | HttpClient.HttpClient> =
    Layer.scoped(
      HashSearch,
      Effect.flatMap(AppConfig, ({ reputation }) => Effect.transposeMapOption(reputation, make))
    )
}
