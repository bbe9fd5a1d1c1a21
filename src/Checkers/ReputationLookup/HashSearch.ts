import { Cause, Context, Duration, Effect, Either, Exit, FiberId, Layer, Option } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { Cache } from "../../Layers/Cache.ts"
import * as CircuitBreaker from "../../Layers/CircuitBreaker.ts"
import type { HttpGet } from "../../Layers/Outbound.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import * as Timeouts from "../../Layers/Time/Timeouts.ts"
import type { HashPrefix } from "../../Lists/ExpressionHash.ts"
import type { LastError } from "../../Lists/RefreshedList.ts"
import * as HashSearchClient from "./HashSearch/HashSearchClient.ts"
import type { HashSearchResponse, ListedHash } from "./HashSearch/HashSearchResponse.ts"
import { reasons, SearchError } from "./HashSearch/SearchError.ts"
import * as PrefixCache from "./PrefixCache.ts"

/** Chromium's for the same request. */
const CALL_TIMEOUT = Duration.seconds(3)

/** Calls in flight, each with other prefixes. At 50 ms a call this is 5,000 a second; it bounds the sockets of calls that hang. */
const MAX_CALLS = 256

/** The key of the call that is the probe; no list of prefixes. It is never shared. */
const PROBE = "probe"

/** When searches are paused, and for how long: 5 s doubling to 2 minutes. */
const RULES: CircuitBreaker.Rules = { maxFailuresInARow: 3, minPauseMs: 5000, maxPauseMs: 120_000 }

/** The bound on `Retry-After`: a wait of days would switch the lookup off unnoticed. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** The failure of requests that were sent together. The longest `Retry-After` counts. */
export const failure = (errors: ReadonlyArray<SearchError>): CircuitBreaker.Outcome => {
  const waits = errors.flatMap(({ wait }) => Option.toArray(wait)).map(Duration.toMillis)
  return { retryAfterMs: Math.min(Math.max(0, ...waits), MAX_RETRY_AFTER_MS) }
}

export interface SearchStatus {
  /** Whether searches are made (`closed`), one probes whether the service is back (`half-open`), or none is (`open`). */
  readonly breaker: CircuitBreaker.State
  /** The last error of a search that was sent; the next success removes it. */
  readonly lastError: Option.Option<LastError>
}

/** Counts searches by `ok`, or why they have no answer. One that is shared by several checks counts once, unless it is not sent. */
export const searchCounter = Effect.map(Metrics, ({ counter }) => {
  const counters = new Map(
    (["ok", ...reasons] as const).map((outcome) => [
      outcome,
      counter(
        "threat_scoring_reputation_searches_total",
        "Searches of Safe Browsing: ok, or why there is no answer. A search that several checks share counts once; a bulk request makes up to 16. Paused and TooManyCalls were not sent. Missing without a key",
        { outcome }
      )
    ])
  )
  return (outcome: "ok" | SearchError["reason"]): void => void counters.get(outcome)?.update(1)
})

/** An effect that updates the gauge of the circuit breaker. */
export const breakerGauge = (status: Effect.Effect<SearchStatus>) =>
  Effect.map(Metrics, ({ gauge }) => {
    const open = gauge(
      "threat_scoring_reputation_breaker_open",
      "1 while searches fail and only a probe is sent from time to time; missing without a key"
    )
    return Effect.map(status, ({ breaker }) => open.update(breaker === "closed" ? 0 : 1))
  })

/** A search that has started. */
export interface Search {
  /** The hashes that Safe Browsing lists under the prefixes, also of other URLs. Undefined while the search runs. */
  readonly result: () => Exit.Exit<ReadonlyArray<ListedHash>, SearchError> | undefined
  /** Calls back once there is a result; at once, if there is one already. */
  readonly onEnd: (listener: () => void) => void
}

export interface HashSearchShape {
  /**
   * Starts a search for each list of prefixes, of at least one and at most 400, and waits for none. Nothing else of a URL
   * leaves the process. Each response is cached for each of its prefixes.
   *
   * Concurrent searches for the same prefixes share one call of up to 3 seconds. It runs in the layer's scope, in the trace of
   * the caller that started it, and outlives its callers.
   *
   * The calls that this starts are together one success or, if any fails, one failure. After three failures in a row every
   * search fails at once with `Paused`, also the one whose prefixes are sent as the probe, in the background.
   */
  readonly start: (requests: ReadonlyArray<ReadonlyArray<HashPrefix>>) => Effect.Effect<ReadonlyArray<Search>>
  readonly status: Effect.Effect<SearchStatus>
}

/** Made once: an error costs more than a search that is not sent may. */
const notSent = (reason: SearchError["reason"]): Search => {
  const failure = Exit.fail(new SearchError({ reason }))
  return { result: () => failure, onEnd: (listener) => listener() }
}
const paused = notSent("Paused")
const tooManyCalls = notSent("TooManyCalls")

const timedOut = Exit.fail(new SearchError({ reason: "Timeout" }))

/** Calls that are one event for the circuit breaker. */
interface Batch {
  readonly call: CircuitBreaker.Call
  running: number
  succeeded: number
  readonly errors: Array<SearchError>
}

const make = Effect.fnUntraced(function* (service: HashSearchClient.Service) {
  const clock = yield* Effect.clock
  const scope = yield* Effect.scope
  const cache = yield* Cache
  const client = yield* HashSearchClient.make(service)
  const count = yield* searchCounter
  const calls = new Map<string, Search>()
  const timeouts = Timeouts.make(CALL_TIMEOUT)
  const breaker = CircuitBreaker.make(RULES, () => MonotonicTime.millis(clock))
  let lastError = Option.none<LastError>()
  /** Since the last success. */
  let isKeyRefused = false

  /** At once, not after three failures: no other service mends it. */
  const logRefusedKey = (errors: ReadonlyArray<SearchError>): Effect.Effect<void> => {
    const refusal = errors.find(({ reason }) => reason === "KeyRefused")
    if (refusal === undefined || isKeyRefused) return Effect.void
    isKeyRefused = true
    return Effect.logWarning(`${refusal.message}. Is the key right, and is its quota used up?`)
  }

  /** Logs a refused key, the begin of an outage, with the reason, and its end. */
  const batchEnded = ({ call, errors, succeeded }: Batch): Effect.Effect<void> => {
    const [error] = errors
    const wasClosed = breaker.state() === "closed"
    breaker.end(call, error !== undefined ? failure(errors) : succeeded > 0 ? "succeeded" : "interrupted")
    const isClosed = breaker.state() === "closed"
    if (error !== undefined)
      lastError = Option.some({ message: error.message, at: clock.unsafeCurrentTimeMillis() })
    else if (succeeded > 0 && isClosed) lastError = Option.none()
    if (errors.length === 0 && succeeded > 0) isKeyRefused = false
    const logged = logRefusedKey(errors)
    if (wasClosed === isClosed) return logged
    return Effect.zipRight(
      logged,
      isClosed
        ? Effect.logInfo("Searches of Safe Browsing succeed again")
        : Effect.annotateLogs(
            Effect.logWarning("Searches of Safe Browsing failed and are paused; probes go on"),
            { reason: error?.message }
          )
    )
  }

  /** Counts the result of a call, stores its response, and reports its batch if it is the last one. */
  const callEnded = (
    exit: Exit.Exit<HashSearchResponse, SearchError>,
    prefixes: ReadonlyArray<HashPrefix>,
    batch: Batch
  ): Effect.Effect<void> => {
    const next = Exit.match(exit, {
      onSuccess: (response) => {
        batch.succeeded++
        count("ok")
        return Effect.interruptible(PrefixCache.store(cache, prefixes, response))
      },
      onFailure: (cause) =>
        Either.match(Cause.failureOrCause(cause), {
          onLeft: (error) => {
            batch.errors.push(error)
            count(error.reason)
            return Effect.void
          },
          // Only the searches that wait for the call would see its defect.
          onRight: (cause) =>
            batch.call === "probe" && !Cause.isInterrupted(cause)
              ? Effect.logError("A probe of Safe Browsing failed", cause)
              : Effect.void
        })
    })
    return --batch.running === 0 ? Effect.zipRight(batchEnded(batch), next) : next
  }

  /** A search that other callers can join from now on, and the call that it waits for. */
  const makeCall = (key: string, prefixes: ReadonlyArray<HashPrefix>, batch: Batch) => {
    const listeners: Array<() => void> = []
    let result: ReturnType<Search["result"]>
    const search: Search = {
      result: () => result,
      onEnd: (listener) => (result === undefined ? void listeners.push(listener) : listener())
    }
    calls.set(key, search)
    batch.running++
    let isOver = false
    const run = Effect.withFiberRuntime<void>((fiber) =>
      Effect.flatMap(
        timeouts.start(() => {
          isOver = true
          fiber.unsafeInterruptAsFork(FiberId.none)
        }),
        (stop) =>
          Effect.flatMap(Effect.exit(Effect.interruptible(client.search(prefixes))), (ended) => {
            stop()
            const exit = isOver && Exit.isInterrupted(ended) ? timedOut : ended
            calls.delete(key)
            result = Exit.map(exit, ({ listed }) => listed)
            for (const listener of listeners) listener()
            return callEnded(exit, prefixes, batch)
          })
      )
    )
    return { search, run }
  }

  const startAll = (requests: ReadonlyArray<ReadonlyArray<HashPrefix>>, call: CircuitBreaker.Call) => {
    const batch: Batch = { call, running: 0, succeeded: 0, errors: [] }
    const isProbe = call === "probe"
    const runs: Array<Effect.Effect<void>> = []
    const searches = requests.map((prefixes) => {
      const key = isProbe ? PROBE : prefixes.join()
      const inFlight = calls.get(key)
      if (inFlight !== undefined) return inFlight
      if (!isProbe && calls.size >= MAX_CALLS) {
        count("TooManyCalls")
        return tooManyCalls
      }
      const { run, search } = makeCall(key, prefixes, batch)
      runs.push(run)
      return search
    })
    return Effect.as(
      Effect.forEach(runs, (run) => Effect.forkIn(run, scope), { discard: true }),
      searches
    )
  }

  return {
    // Uninterruptible: others join a call as soon as it is in `calls`, so it must be forked.
    start: (requests) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (requests.length === 0) return Effect.succeed([])
          const call = breaker.start()
          if (call === "call") return startAll(requests, call)
          for (const _ of requests) count("Paused")
          const allPaused = requests.map(() => paused)
          return call === undefined
            ? Effect.succeed(allPaused)
            : Effect.as(startAll(requests.slice(0, 1), call), allPaused)
        })
      ),
    status: Effect.sync(() => ({ breaker: breaker.state(), lastError }))
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
