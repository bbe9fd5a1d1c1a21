import { Cause, Context, Duration, Effect, Exit, Fiber, Layer, LogLevel, Option, Runtime } from "effect"
import { AppConfig, type ReputationConfig } from "../../Layers/AppConfig.ts"
import { Cache, type HashSearchResponse, type ListedHash } from "../../Layers/Cache.ts"
import * as CircuitBreaker from "../../Layers/Outbound/CircuitBreaker.ts"
import type { HttpGet } from "../../Layers/Outbound.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import { nextTurn } from "../../Layers/Time/Slices.ts"
import type { LastError } from "../../Lists/RefreshedList.ts"
import type * as ExpressionHash from "../../Url/ExpressionHash.ts"
import * as HashSearchClient from "./HashSearchClient.ts"

/** Chromium's for the same request. */
const CALL_TIMEOUT = Duration.seconds(3)

/** Calls in flight, each with other prefixes. At 50 ms a call this is 5,000 a second; it bounds the sockets of calls that hang. */
const MAX_CALLS = 256

/** When searches are paused, and for how long: 5 s doubling to 2 minutes. */
const RULES: CircuitBreaker.Rules = { maxFailuresInARow: 3, minPauseMs: 5000, maxPauseMs: 120_000 }

/** The bound on `Retry-After`: a wait of days would switch the lookup off unnoticed. */
const MAX_RETRY_AFTER_MS = 3_600_000

export interface SearchStatus {
  /** Whether searches are made (`closed`), one probes whether the service is back (`half-open`), or none is (`open`). */
  readonly breaker: CircuitBreaker.State
  /** The last error of a search that was sent; the next success removes it. */
  readonly lastError: Option.Option<LastError>
}

/** Counts searches by `ok`, or why they have no answer. One that is shared by several checks counts once, unless it is not sent. */
export const searchCounter = Effect.map(Metrics, ({ counter }) => {
  const counters = new Map(
    (["ok", ...HashSearchClient.reasons] as const).map((outcome) => [
      outcome,
      counter(
        "threat_scoring_reputation_searches_total",
        "Searches of Safe Browsing: ok, or why there is no answer. A search that several checks share counts once; a bulk request makes up to 16. Paused and TooManyCalls were not sent. Missing without a key",
        { outcome }
      )
    ])
  )
  return (outcome: "ok" | HashSearchClient.SearchError["reason"]): void =>
    void counters.get(outcome)?.update(1)
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

/** What Safe Browsing lists under a prefix, also of other URLs, or why that is not known. */
export type Answer = Exit.Exit<ReadonlyArray<ListedHash>, HashSearchClient.SearchError>

/** A search that was started. Its calls end one by one. */
export interface Search {
  /** What is known now about one of its prefixes: `Timeout` while the call that asks about it runs. */
  readonly answerTo: (prefix: ExpressionHash.HashPrefix) => Answer
  /** Waits until all calls have ended. */
  readonly ended: Effect.Effect<void>
}

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
  readonly start: (requests: ReadonlyArray<ReadonlyArray<ExpressionHash.HashPrefix>>) => Effect.Effect<Search>
  readonly status: Effect.Effect<SearchStatus>
}

/** A request that was sent: the fiber ends with its answer, for all of its prefixes. */
type Call = Fiber.RuntimeFiber<Answer>

// Made once: an error costs more than a search that is not sent may.
export const timedOut: Answer = Exit.fail(new HashSearchClient.SearchError({ reason: "Timeout" }))
const tooManyCalls: Answer = Exit.fail(new HashSearchClient.SearchError({ reason: "TooManyCalls" }))
const paused: Answer = Exit.fail(new HashSearchClient.SearchError({ reason: "Paused" }))

/** What a call says about one of its prefixes; without a call too many are in flight. */
const answerOf = (call: Call | undefined, prefix: ExpressionHash.HashPrefix): Answer => {
  if (call === undefined) return tooManyCalls
  const answer = Exit.flatten(call.unsafePoll() ?? Exit.succeed(timedOut))
  return Exit.map(answer, (listed) => listed.filter(({ hash }) => hash.startsWith(prefix)))
}

/** Why a call failed; none for a defect. */
const errorsOf = (exit: Exit.Exit<unknown, HashSearchClient.SearchError>) =>
  Exit.isFailure(exit) ? [...Cause.failures(exit.cause)] : []

const make = Effect.fnUntraced(function* (config: ReputationConfig) {
  const clock = yield* Effect.clock
  const scope = yield* Effect.scope
  const cache = yield* Cache
  const request = yield* HashSearchClient.make(config)
  const count = yield* searchCounter
  /** The running call that asks about a prefix. */
  const callOf = new Map<ExpressionHash.HashPrefix, Call>()
  let running = 0
  const breaker = CircuitBreaker.make(RULES, () => MonotonicTime.millis(clock))
  let lastError = Option.none<LastError>()
  /** Since the last success. */
  let isKeyRefused = false

  /** Tells the circuit breaker how calls that were started together have ended. Logs the begin and the end of an outage. */
  const report = Effect.fnUntraced(function* (
    as: CircuitBreaker.Call,
    exits: ReadonlyArray<Exit.Exit<unknown, HashSearchClient.SearchError>>
  ) {
    const errors = exits.flatMap(errorsOf)
    const [error] = errors
    const hasSucceeded = error === undefined && exits.some(Exit.isSuccess)
    const retryAfterMs = Math.max(0, ...errors.map(({ retryAfterMs = 0 }) => retryAfterMs))
    const wasClosed = breaker.state() === "closed"
    if (error !== undefined) {
      breaker.end(as, { retryAfterMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) })
      lastError = Option.some({ message: error.message, at: clock.unsafeCurrentTimeMillis() })
    } else breaker.end(as, hasSucceeded ? "succeeded" : "interrupted")
    const isClosed = breaker.state() === "closed"
    if (hasSucceeded && isClosed) {
      lastError = Option.none()
      isKeyRefused = false
    }
    const refusal = errors.find(({ reason }) => reason === "KeyRefused")
    if (refusal !== undefined && !isKeyRefused) {
      isKeyRefused = true
      // At once, not after three failures: no other service mends it.
      yield* Effect.logWarning(`${refusal.message}. Is the key right, and is its quota used up?`)
    }
    if (wasClosed && !isClosed)
      yield* Effect.annotateLogs(
        Effect.logWarning("Searches of Safe Browsing failed and are paused; probes go on"),
        { reason: error?.message }
      )
    if (!wasClosed && isClosed) yield* Effect.logInfo("Searches of Safe Browsing succeed again")
  })

  /** After a pause of this process a response may have arrived unread: it is read before the timeout counts. */
  const timeout = Effect.sleep(CALL_TIMEOUT).pipe(
    Effect.zipRight(nextTurn),
    Effect.zipRight(new HashSearchClient.SearchError({ reason: "Timeout" }))
  )

  /** Starts the calls that are one event for the circuit breaker. */
  const startAll = (
    requests: ReadonlyArray<ReadonlyArray<ExpressionHash.HashPrefix>>,
    as: CircuitBreaker.Call,
    runtime: Runtime.Runtime<never>
  ): Search => {
    let sent = 0
    const exits: Array<Exit.Exit<HashSearchResponse, HashSearchClient.SearchError>> = []

    /** Other searches can join the call from now on, unless it is the probe. */
    const send = (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>): void => {
      const run = Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.interruptible(Effect.raceFirst(request(prefixes), timeout)))
        running--
        for (const prefix of prefixes) if (callOf.get(prefix) === call) callOf.delete(prefix)
        if (exits.push(exit) === sent) yield* report(as, exits)
        for (const { reason } of errorsOf(exit)) count(reason)
        if (Exit.isSuccess(exit)) {
          count("ok")
          const storing = Effect.interruptible(cache.store(prefixes, exit.value))
          yield* Effect.withUnhandledErrorLogLevel(Effect.forkIn(storing, scope), Option.some(LogLevel.Error))
        }
        // No check has to see the defect: it may have timed out, or have another call's confirmation or error.
        else if (Cause.isDie(exit.cause))
          yield* Effect.logError("A search of Safe Browsing failed", exit.cause)
        return Exit.map(exit, ({ listed }) => listed)
      })
      const call: Call = Runtime.runFork(runtime)(run, { scope, immediate: false })
      running++
      sent++
      if (as !== "probe") for (const prefix of prefixes) callOf.set(prefix, call)
    }

    const calls = new Map<ExpressionHash.HashPrefix, Call>()
    for (const prefixes of requests) {
      const unasked = as === "probe" ? prefixes : prefixes.filter((prefix) => !callOf.has(prefix))
      if (unasked.length > 0 && as !== "probe" && running >= MAX_CALLS) count("TooManyCalls")
      else if (unasked.length > 0) send(unasked)
      for (const prefix of prefixes) {
        const call = callOf.get(prefix)
        if (call !== undefined) calls.set(prefix, call)
      }
    }
    return {
      answerTo: (prefix) => answerOf(calls.get(prefix), prefix),
      ended: Effect.asVoid(Fiber.awaitAll(new Set(calls.values())))
    }
  }

  return {
    // In one step: a search that comes meanwhile finds the calls in `callOf`.
    start: (requests) =>
      Effect.map(Effect.runtime<never>(), (runtime) => {
        const as = requests.length === 0 ? "call" : breaker.start()
        if (as === "call") return startAll(requests, as, runtime)
        for (const _ of requests) count("Paused")
        if (as === "probe") startAll(requests.slice(0, 1), as, runtime)
        return { answerTo: () => paused, ended: Effect.void }
      }),
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
