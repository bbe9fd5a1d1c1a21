import { Cause, Context, Deferred, Duration, Effect, Either, Exit, FiberId, Layer, Option } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { Cache } from "../../Layers/Cache.ts"
import * as CircuitBreaker from "../../Layers/CircuitBreaker.ts"
import type { HttpGet } from "../../Layers/Outbound.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import { nextTurn } from "../../Layers/Time/Slices.ts"
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

/** What Safe Browsing lists under some prefixes, also of other URLs. */
type Answer = Exit.Exit<ReadonlyArray<ListedHash>, SearchError>

/** A request that was sent. */
export interface Call {
  readonly ended: Deferred.Deferred<void>
  /** Undefined while it runs. */
  answer: Answer | undefined
}

/** The call that asks about each prefix; none about those that are not sent because too many calls are in flight. */
export type Calls = ReadonlyMap<HashPrefix, Call>

/** Waits until all calls have ended. */
export const end = (calls: Calls): Effect.Effect<void> =>
  Effect.forEach(new Set(calls.values()), ({ ended }) => Deferred.await(ended), { discard: true })

/** What is known now about some prefixes: `Timeout` before anything was sent, and while a call runs. */
export const answerTo = (prefixes: ReadonlyArray<HashPrefix>, calls: Calls | undefined): Answer => {
  if (calls === undefined) return timedOut
  const listed: Array<ListedHash> = []
  for (const call of new Set(prefixes.map((prefix) => calls.get(prefix)))) {
    const answer = call === undefined ? tooManyCalls : (call.answer ?? timedOut)
    if (Exit.isFailure(answer)) return answer
    listed.push(...answer.value)
  }
  return Exit.succeed(listed)
}

/** What the calls about some prefixes have listed so far, whatever became of the others. */
export const listedFor = (
  prefixes: ReadonlyArray<HashPrefix>,
  calls: Calls | undefined
): ReadonlyArray<ListedHash> =>
  [...new Set(prefixes.map((prefix) => calls?.get(prefix)?.answer))].flatMap((answer) =>
    answer !== undefined && Exit.isSuccess(answer) ? answer.value : []
  )

export interface HashSearchShape {
  /**
   * Starts a call for each list of prefixes, of at least one and at most 400, and waits for none. Nothing else of a URL
   * leaves the process. Each response is cached for each of its prefixes.
   *
   * A prefix that a running call asks about is not sent again. A call takes up to 3 seconds, runs in
   * the layer's scope, in the trace of the caller that started it, and outlives its callers.
   *
   * The calls that this starts are together one success or, if any fails, one failure. After three failures in a row every
   * search fails at once with `Paused`, also the one whose prefixes are sent as the probe, in the background.
   */
  readonly start: (requests: ReadonlyArray<ReadonlyArray<HashPrefix>>) => Effect.Effect<Calls>
  readonly status: Effect.Effect<SearchStatus>
}

// Made once: an error costs more than a search that is not sent may.
const timedOut: Answer = Exit.fail(new SearchError({ reason: "Timeout" }))
const tooManyCalls: Answer = Exit.fail(new SearchError({ reason: "TooManyCalls" }))

const paused: Call = {
  ended: Deferred.unsafeMake(FiberId.none),
  answer: Exit.fail(new SearchError({ reason: "Paused" }))
}
Deferred.unsafeDone(paused.ended, Exit.void)

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
  const running = new Set<Call>()
  /** The call that asks about a prefix at the moment. */
  const callOf = new Map<HashPrefix, Call>()
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

  /** After a pause of this process a response may have arrived unread: it is read before the timeout counts. */
  const timeout = Effect.sleep(CALL_TIMEOUT).pipe(
    Effect.zipRight(nextTurn),
    Effect.zipRight(new SearchError({ reason: "Timeout" }))
  )

  /** Begins a call, which other searches can join from now on unless it is the probe. */
  const begin = (prefixes: ReadonlyArray<HashPrefix>, batch: Batch) => {
    const call: Call = { ended: Deferred.unsafeMake(FiberId.none), answer: undefined }
    running.add(call)
    if (batch.call !== "probe") for (const prefix of prefixes) callOf.set(prefix, call)
    batch.running++
    const run = Effect.raceFirst(client.search(prefixes), timeout).pipe(
      Effect.interruptible,
      Effect.exit,
      Effect.flatMap((exit) => {
        running.delete(call)
        for (const prefix of prefixes) if (callOf.get(prefix) === call) callOf.delete(prefix)
        call.answer = Exit.map(exit, ({ listed }) => listed)
        Deferred.unsafeDone(call.ended, Exit.void)
        return callEnded(exit, prefixes, batch)
      })
    )
    return { call, run }
  }

  const startAll = (requests: ReadonlyArray<ReadonlyArray<HashPrefix>>, as: CircuitBreaker.Call) => {
    const batch: Batch = { call: as, running: 0, succeeded: 0, errors: [] }
    const calls = new Map<HashPrefix, Call>()
    const runs: Array<Effect.Effect<void>> = []
    for (const prefixes of requests) {
      const unasked: Array<HashPrefix> = []
      for (const prefix of prefixes) {
        const call = callOf.get(prefix)
        if (call === undefined || as === "probe") unasked.push(prefix)
        else calls.set(prefix, call)
      }
      if (unasked.length === 0) continue
      if (as !== "probe" && running.size >= MAX_CALLS) {
        count("TooManyCalls")
        continue
      }
      const { call, run } = begin(unasked, batch)
      for (const prefix of unasked) calls.set(prefix, call)
      runs.push(run)
    }
    return Effect.as(
      Effect.forEach(runs, (run) => Effect.forkIn(run, scope), { discard: true }),
      calls
    )
  }

  return {
    // Uninterruptible: others join a call as soon as it is in `callOf`, so it must be forked.
    start: (requests) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (requests.length === 0) return Effect.succeed(new Map())
          const call = breaker.start()
          if (call === "call") return startAll(requests, call)
          for (const _ of requests) count("Paused")
          const allPaused = new Map(requests.flat().map((prefix) => [prefix, paused]))
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
