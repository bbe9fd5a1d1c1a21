import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  ConfigProvider,
  Context,
  Deferred,
  Duration,
  Effect,
  Either,
  Exit,
  Fiber,
  Layer,
  Logger,
  Option,
  Scope,
  TestClock,
  Tracer
} from "effect"
import {
  type Answer,
  HashSearch,
  type HashSearchShape,
  type Search
} from "../../../src/Checkers/ReputationLookup/HashSearch.ts"
import type { SearchError } from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import { Cache, type CacheShape, type ListedHash } from "../../../src/Layers/Cache.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import * as ExpressionHash from "../../../src/Url/ExpressionHash.ts"
import * as HashSearchDouble from "../../fixtures/HashSearchDouble.ts"
import { answer, type Respond, status } from "../../fixtures/HashSearchDouble.ts"
import { collect } from "../../fixtures/LogLines.ts"
import { adjust, nextTurn } from "../../fixtures/NextTurn.ts"

const KEY = "key-that-nobody-may-see"

const phish = ExpressionHash.ofExpression("phish.example.com/")
const prefixes = [ExpressionHash.prefix(phish)]
const listed: ReadonlyArray<ListedHash> = [{ hash: phish, threats: ["SOCIAL_ENGINEERING"] }]
const confirms = answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })

/** Any other prefix, by its number. */
const other = (number: number): ReadonlyArray<string> => [number.toString(16).padStart(8, "0")]

const config = Layer.provide(
  AppConfig.layer,
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["REPUTATION_API_KEY", KEY]]), { pathDelim: "_" }))
)

/** What is known about these prefixes together. */
const answerTo = (prefixes: ReadonlyArray<string>, search: Search): Answer =>
  Exit.map(Option.getOrThrow(Exit.all(prefixes.map(search.answerTo))), (listed) => listed.flat())

/** The result of a search. */
type Searched = Effect.Effect<ReadonlyArray<ListedHash>, SearchError>

/** A cache that is written only. */
const cacheThat = (store: CacheShape["store"]) => Layer.mock(Cache, { store, peekMany: () => new Map() })

/** The searches of a service that answers by `respond`, with what they send, cache, count and log. */
const setup = (respond: Respond, store?: CacheShape["store"]) =>
  Effect.gen(function* () {
    const double = HashSearchDouble.make(respond)
    const writes: Array<Parameters<CacheShape["store"]>> = []
    const { lines, layer: logger } = collect()
    const context = yield* Layer.build(
      HashSearch.layer.pipe(
        Layer.provide([
          config,
          double.layer,
          cacheThat(store ?? ((...write) => Effect.sync(() => void writes.push(write))))
        ]),
        Layer.provideMerge(Layer.merge(Metrics.layer, logger))
      )
    )
    const { start, status } = Option.getOrThrow(Context.get(context, HashSearch))
    const search = (prefixes: ReadonlyArray<string>): Searched =>
      Effect.flatMap(start([prefixes]), (search) =>
        Effect.flatMap(search.ended, () => answerTo(prefixes, search))
      )
    const { text } = Context.get(context, Metrics)
    return {
      search: (prefixes: ReadonlyArray<string>) => Effect.provide(search(prefixes), logger),
      start: (requests: ReadonlyArray<ReadonlyArray<string>>) => Effect.provide(start(requests), logger),
      /** Without a logger of its own, which takes operations of the fiber. */
      unlogged: search,
      status,
      sent: double.sent,
      writes,
      /** Level, message and reason of each line of the log. */
      logs: () => lines.map(({ level, message, reason }) => [level, message, reason]),
      /** The counted searches by outcome, without those that did not occur. */
      counted: () =>
        Object.fromEntries(
          Array.from(
            text().matchAll(/^threat_scoring_reputation_searches_total\{outcome="(\w+)"\} (\d+)$/gm),
            ([, outcome = "", count]) => [outcome, Number(count)] as const
          ).filter(([, count]) => count > 0)
        )
    }
  })

/** A service whose behaviour can be changed. */
const changing = (first: Respond) => {
  const service = { respond: first }
  return { service, respond: (request: HashSearchDouble.SentRequest) => service.respond(request) }
}

/** A service that answers after `go`. */
const controlled = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const respond: Respond = (request) => Effect.zipRight(Deferred.await(gate), confirms(request))
  return { ...(yield* setup(respond)), go: Effect.zipRight(Deferred.succeed(gate, undefined), settled) }
})

/** Runs everything that does not wait for time, the reading of bodies included. */
const settled = Effect.repeatN(Effect.zipRight(nextTurn, adjust(0)), 3)

const later = (duration: Duration.DurationInput) => Effect.zipRight(adjust(duration), settled)

/** What was found, or the message of the error. */
const outcome = (search: Searched) =>
  Effect.merge(Effect.mapError(search, ({ message }: SearchError) => message))

/** An outcome that is known without waiting for a response. */
const atOnce = (search: Searched) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(outcome(search))
    yield* settled
    const exit = fiber.unsafePoll()
    return exit === null ? "waits" : yield* exit
  })

/** Opens the circuit breaker of a service that fails. */
const failThree = (search: (prefixes: ReadonlyArray<string>) => Searched) =>
  Effect.zipRight(
    Effect.forEach([901, 902, 903], (number) => outcome(search(other(number)))),
    settled
  )

/** Before a search that yields after so many: Effect needs a dozen to begin and to end a fiber. */
const operations = Effect.forEach(Array(12), () => Effect.void)

const statusOf = (status: HashSearchShape["status"]) =>
  Effect.map(status, ({ breaker, lastError }) => [breaker, Option.getOrNull(lastError)])

const BEGIN = "Searches of Safe Browsing failed and are paused; probes go on"
const KEY_REFUSED =
  "Safe Browsing refuses REPUTATION_API_KEY (403). Is the key right, and is its quota used up?"
const END = "Searches of Safe Browsing succeed again"

describe("HashSearch", () => {
  it.scoped("finds what the service lists, and stores it for the prefixes", () =>
    Effect.gen(function* () {
      const { search, sent, writes, counted, status } = yield* setup(confirms)
      assert.deepStrictEqual(yield* search(prefixes), listed)
      assert.deepStrictEqual(
        sent.map(({ prefixes }) => prefixes),
        [prefixes]
      )
      assert.deepStrictEqual(writes, [[["1c4fa2f5"], { listed, cacheDuration: Duration.seconds(300) }]])
      assert.deepStrictEqual(counted(), { ok: 1 })
      assert.deepStrictEqual(yield* statusOf(status), ["closed", null])
    })
  )

  it.scoped("is off without a key", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        HashSearch.layer.pipe(
          Layer.provide([
            AppConfig.layer,
            HashSearchDouble.make(confirms).layer,
            cacheThat(() => Effect.void)
          ]),
          Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map())))
        )
      )
      assert.isTrue(Option.isNone(Context.get(context, HashSearch)))
    })
  )

  describe("a call", () => {
    it.scoped("is shared by concurrent searches for the same prefixes, and only by those", () =>
      Effect.gen(function* () {
        const { search, sent, go, counted } = yield* controlled
        const same = yield* Effect.fork(
          Effect.all([search(prefixes), search(prefixes), search(prefixes)], { concurrency: "unbounded" })
        )
        yield* settled
        const different = yield* Effect.fork(search(other(1)))
        yield* settled
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [prefixes, other(1)]
        )
        yield* go
        assert.deepStrictEqual(yield* Fiber.join(same), [listed, listed, listed])
        assert.deepStrictEqual(yield* Fiber.join(different), [])
        assert.deepStrictEqual(counted(), { ok: 2 })
      })
    )

    it.scoped("has only the prefixes that no running call has", () =>
      Effect.gen(function* () {
        const { start, sent, go } = yield* controlled
        yield* start([[...prefixes, ...other(1)]])
        const both = [...prefixes, ...other(2)].sort()
        const joined = yield* start([both])
        yield* settled
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [[...prefixes, ...other(1)], other(2)]
        )
        yield* go
        assert.deepStrictEqual(answerTo(both, joined), Exit.succeed(listed))
      })
    )

    it.scoped("shares its failure too, and is not shared after its end", () =>
      Effect.gen(function* () {
        const { search, sent } = yield* setup((request) => Effect.delay(status(500)(request), "1 second"))
        const both = yield* Effect.fork(
          Effect.all([outcome(search(prefixes)), outcome(search(prefixes))], { concurrency: "unbounded" })
        )
        yield* settled
        yield* later("1 second")
        assert.deepStrictEqual(yield* Fiber.join(both), ["Status (500)", "Status (500)"])
        assert.lengthOf(sent, 1)
        assert.strictEqual(yield* atOnce(search(prefixes)), "waits")
        assert.lengthOf(sent, 2)
      })
    )

    it.scoped("is one, whose result every search gets, wherever the search that starts it yields", () =>
      Effect.gen(function* () {
        for (const { respond, expected } of [
          { respond: confirms, expected: listed },
          { respond: () => Effect.fail("Transport" as const), expected: "Unreachable (ECONNREFUSED)" }
        ])
          for (let yieldsAfter = 28; yieldsAfter < 56; yieldsAfter++) {
            const { unlogged, sent } = yield* setup(respond)
            const searching = Effect.zipRight(operations, outcome(unlogged(prefixes)))
            const both = yield* Effect.forkAll([
              Effect.withMaxOpsBeforeYield(searching, yieldsAfter),
              Effect.withMaxOpsBeforeYield(searching, yieldsAfter)
            ])
            yield* settled
            const results = yield* Fiber.poll(both)
            assert.deepStrictEqual(results, Option.some(Exit.succeed([expected, expected])), `${yieldsAfter}`)
            if (respond === confirms) assert.lengthOf(sent, 1)
          }
      })
    )

    it.scoped("is in the trace of the search that started it, and so is the write to the cache", () =>
      Effect.gen(function* () {
        const traces: Array<string> = []
        const noteTrace = (name: string) =>
          Effect.map(Effect.orDie(Effect.currentParentSpan), ({ traceId }) => {
            traces.push(`${name} ${traceId}`)
          })
        const { search } = yield* setup(
          (request) => Effect.zipRight(noteTrace("call"), confirms(request)),
          () => noteTrace("write")
        )
        const traceId = yield* Effect.zipRight(
          search(prefixes),
          Effect.map(Effect.currentSpan, ({ traceId }) => traceId)
        ).pipe(Effect.withSpan("request"))
        yield* settled
        assert.deepStrictEqual(traces, [`call ${traceId}`, `write ${traceId}`])
      })
    )

    it.scoped("continues when the search that started it is interrupted", () =>
      Effect.gen(function* () {
        const { search, sent, go } = yield* controlled
        const interrupted = yield* Effect.fork(search(prefixes))
        yield* settled
        const waiting = yield* Effect.fork(search(prefixes))
        yield* settled
        assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(interrupted)))
        yield* go
        assert.deepStrictEqual(yield* Fiber.join(waiting), listed)
        assert.lengthOf(sent, 1)
      })
    )

    it.scoped("is stored when no search waits for it any more", () =>
      Effect.gen(function* () {
        const { search, writes, go } = yield* controlled
        const interrupted = yield* Effect.fork(search(prefixes))
        yield* settled
        yield* Fiber.interrupt(interrupted)
        yield* go
        assert.deepStrictEqual(
          writes.map(([prefixes]) => prefixes),
          [["1c4fa2f5"]]
        )
      })
    )

    it.scoped("times out 3 seconds after its start, whoever joined it later, and is aborted", () =>
      Effect.gen(function* () {
        const { search, sent, counted } = yield* setup(() => Effect.never)
        const first = yield* Effect.fork(outcome(search(prefixes)))
        yield* settled
        yield* later("2 seconds")
        const joined = yield* Effect.fork(outcome(search(prefixes)))
        const second = yield* Effect.fork(outcome(search(other(1))))
        yield* settled
        yield* later("999 millis")
        assert.isNull(first.unsafePoll())
        yield* later("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(first), "Timeout")
        assert.deepStrictEqual(yield* Fiber.join(joined), "Timeout")
        assert.deepStrictEqual(
          sent.map(({ signal }) => signal.aborted),
          [true, false]
        )
        yield* later("1999 millis")
        assert.isNull(second.unsafePoll())
        yield* later("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(second), "Timeout")
        assert.deepStrictEqual(counted(), { Timeout: 2 })

        yield* later("1 hour")
        const third = yield* Effect.fork(outcome(search(other(2))))
        yield* settled
        yield* later("3 seconds")
        assert.deepStrictEqual(yield* Fiber.join(third), "Timeout")
        assert.lengthOf(sent, 3)
      })
    )

    it.scoped(
      "is one of at most 256; a search above that is not sent, which is no failure of the service",
      () =>
        Effect.gen(function* () {
          const { search, sent, go, counted, status } = yield* controlled
          const calls = yield* Effect.fork(
            Effect.forEach(Array(256).keys(), (number) => search(other(number)), { concurrency: "unbounded" })
          )
          yield* settled
          for (let at = 0; at < 4; at++) assert.strictEqual(yield* atOnce(search(prefixes)), "TooManyCalls")
          assert.lengthOf(sent, 256)
          assert.deepStrictEqual(yield* statusOf(status), ["closed", null])
          yield* go
          yield* Fiber.join(calls)
          assert.deepStrictEqual(yield* search(prefixes), listed)
          assert.deepStrictEqual(counted(), { ok: 257, TooManyCalls: 4 })
        })
    )

    it.effect("does not outlive the layer", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { search, sent } = yield* Scope.extend(
          setup(() => Effect.never),
          scope
        )
        const caller = yield* Effect.fork(search(prefixes))
        yield* settled
        assert.lengthOf(sent, 1)
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(sent[0]?.signal.aborted)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.await(caller)))
      })
    )

    it.effect("yields its result before the cache write ends, which ends with the layer", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        let interrupted = 0
        const { search } = yield* Scope.extend(
          setup(confirms, () =>
            Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
          ),
          scope
        )
        assert.deepStrictEqual(yield* search(prefixes), listed)
        yield* settled
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(interrupted, 1)
      })
    )
  })

  describe("the circuit breaker", () => {
    it.scoped(
      "opens after three failures in a row and closes when a probe succeeds, with a log line each",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(1_000_000)
          const { service, respond } = changing(status(503))
          const { search, sent, writes, logs, counted, status: state } = yield* setup(respond)
          for (let at = 0; at < 3; at++) {
            assert.deepStrictEqual(logs(), [])
            assert.strictEqual(yield* atOnce(search(other(at))), "Status (503)")
          }
          const lastError = { message: "Status (503)", at: 1_000_000 }
          assert.deepStrictEqual(yield* statusOf(state), ["open", lastError])
          for (let at = 0; at < 9; at++) assert.strictEqual(yield* atOnce(search(other(at))), "Paused")
          yield* later("4999 millis")
          assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
          assert.lengthOf(sent, 3)

          const gate = yield* Deferred.make<void>()
          service.respond = (request) => Effect.zipRight(Deferred.await(gate), confirms(request))
          yield* later("1 millis")
          assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
          assert.deepStrictEqual(sent[3]?.prefixes, prefixes)
          assert.deepStrictEqual(yield* statusOf(state), ["half-open", lastError])
          for (const searched of [prefixes, other(1), other(2)])
            assert.strictEqual(yield* atOnce(search(searched)), "Paused")
          assert.lengthOf(sent, 4)

          yield* Effect.zipRight(Deferred.succeed(gate, undefined), settled)
          assert.deepStrictEqual(yield* statusOf(state), ["closed", null])
          assert.deepStrictEqual(
            writes.map(([prefixes]) => prefixes),
            [["1c4fa2f5"]]
          )
          assert.deepStrictEqual(yield* search(other(1)), [])
          assert.deepStrictEqual(counted(), { Status: 3, Paused: 14, ok: 2 })
          assert.deepStrictEqual(logs(), [
            ["warning", BEGIN, "Status (503)"],
            ["info", END, undefined]
          ])
        })
    )

    it.scoped("probes after 5, 10, 20, 40, 80 and 120 seconds, with one log line for all", () =>
      Effect.gen(function* () {
        const { search, sent, logs } = yield* setup(() => Effect.fail("Transport"))
        for (let at = 0; at < 3; at++) yield* outcome(search(prefixes))
        let probes = 0
        for (const seconds of [5, 10, 20, 40, 80, 120, 120]) {
          yield* later(Duration.millis(seconds * 1000 - 1))
          yield* atOnce(search(prefixes))
          assert.lengthOf(sent, 3 + probes)
          yield* later("1 millis")
          assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
          assert.lengthOf(sent, 3 + ++probes)
        }
        assert.deepStrictEqual(logs(), [["warning", BEGIN, "Unreachable (ECONNREFUSED)"]])
      })
    )

    it.scoped("does not let searches wait for calls that hang when it opens, or for a probe that hangs", () =>
      Effect.gen(function* () {
        const { search, sent, status } = yield* setup(() => Effect.never)
        const first = yield* Effect.forkAll([0, 1, 2].map((at) => outcome(search(other(at)))))
        yield* settled
        yield* later("2 seconds")
        const hanging = yield* Effect.fork(outcome(search(prefixes)))
        yield* settled
        yield* later("1 second")
        assert.deepStrictEqual(yield* Fiber.join(first), ["Timeout", "Timeout", "Timeout"])
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        yield* later("2 seconds")
        assert.strictEqual(yield* Fiber.join(hanging), "Timeout")
        yield* later("3 seconds")
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        assert.lengthOf(sent, 5)
        yield* later("3 seconds")
        assert.isTrue(sent[4]?.signal.aborted)
        assert.strictEqual((yield* status).breaker, "open")
      })
    )

    it.scoped("keeps the last error while it is open, also when a call from before succeeds", () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const { service, respond } = changing((request) =>
          Effect.zipRight(Deferred.await(gate), confirms(request))
        )
        const { search, status: state } = yield* setup(respond)
        const early = yield* Effect.fork(search(prefixes))
        yield* settled
        service.respond = status(403)
        yield* failThree(search)
        yield* Effect.zipRight(Deferred.succeed(gate, undefined), settled)
        assert.deepStrictEqual(yield* Fiber.join(early), listed)
        const message = "Safe Browsing refuses REPUTATION_API_KEY (403)"
        assert.deepStrictEqual(yield* statusOf(state), ["open", { message, at: 0 }])
      })
    )

    it.scoped("says that the key is refused, in the log at the first time", () =>
      Effect.gen(function* () {
        const { search, sent, logs, status: state } = yield* setup(status(403))
        const message = "Safe Browsing refuses REPUTATION_API_KEY (403)"
        assert.strictEqual(yield* outcome(search(prefixes)), message)
        yield* settled
        assert.deepStrictEqual(logs(), [["warning", KEY_REFUSED, undefined]])
        for (let at = 0; at < 2; at++) assert.strictEqual(yield* outcome(search(prefixes)), message)
        yield* settled
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        assert.lengthOf(sent, 3)
        assert.deepStrictEqual(yield* statusOf(state), ["open", { message, at: 0 }])
        assert.deepStrictEqual(logs(), [
          ["warning", KEY_REFUSED, undefined],
          ["warning", BEGIN, message]
        ])
      })
    )

    it.scoped("sends nothing before the Retry-After of a 429 or 503 has passed, an hour at most", () =>
      Effect.gen(function* () {
        for (const [code, retryAfter, seconds] of [
          [429, "30", 30],
          [503, "30", 30],
          [429, "86400", 3600],
          [503, "9".repeat(400), 3600]
        ] as const) {
          const { search, sent } = yield* setup(status(code, { "retry-after": retryAfter }))
          yield* failThree(search)
          yield* later(Duration.millis(seconds * 1000 - 1))
          assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
          assert.lengthOf(sent, 3)
          yield* later("1 millis")
          yield* atOnce(search(prefixes))
          assert.lengthOf(sent, 4)
        }
      })
    )

    it.scoped("counts a response that cannot be read, and any other status, as a failure", () =>
      Effect.gen(function* () {
        const { service, respond } = changing(status(404))
        const { search, status: state } = yield* setup(respond)
        yield* outcome(search(prefixes))
        service.respond = HashSearchDouble.reply("<html>", { "content-type": "text/html" })
        yield* outcome(search(prefixes))
        service.respond = status(400)
        yield* outcome(search(prefixes))
        yield* settled
        assert.deepStrictEqual(yield* statusOf(state), [
          "open",
          { message: "Safe Browsing refuses the request (400)", at: 0 }
        ])
      })
    )

    it.scoped("does not open when searches are interrupted", () =>
      Effect.gen(function* () {
        const { search, status } = yield* setup(() => Effect.never)
        for (let at = 0; at < 4; at++) {
          const fiber = yield* Effect.fork(search(prefixes))
          yield* settled
          yield* Fiber.interrupt(fiber)
        }
        assert.deepStrictEqual(yield* statusOf(status), ["closed", null])
      })
    )

    it.scoped("lets the next search probe after a defect in a probe, which is logged", () =>
      Effect.gen(function* () {
        const { service, respond } = changing(status(403))
        const { search, sent, logs, status: state } = yield* setup(respond)
        yield* failThree(search)
        yield* later("5 seconds")
        service.respond = () => Effect.dieMessage("broken")
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        assert.strictEqual((yield* state).breaker, "open")
        service.respond = confirms
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        assert.strictEqual((yield* state).breaker, "closed")
        assert.lengthOf(sent, 5)
        assert.deepStrictEqual(
          logs().map((line) => line.slice(0, 2)),
          [
            ["warning", KEY_REFUSED],
            ["warning", BEGIN],
            ["error", "A search of Safe Browsing failed"],
            ["info", END]
          ]
        )
      })
    )

    it.scoped("goes on probing, and every call ends, wherever a search is interrupted", () =>
      Effect.gen(function* () {
        for (let yieldsAfter = 28; yieldsAfter < 56; yieldsAfter++) {
          const { service, respond } = changing(() => Effect.never)
          const { unlogged, sent, status: state } = yield* setup(respond)
          const interrupted = Effect.gen(function* () {
            const searching = Effect.zipRight(operations, unlogged(prefixes))
            const fiber = yield* Effect.fork(Effect.withMaxOpsBeforeYield(searching, yieldsAfter))
            yield* Effect.yieldNow()
            yield* Fiber.interrupt(fiber)
            yield* later("3 seconds")
          })
          yield* interrupted
          assert.isTrue(
            sent.every(({ signal }) => signal.aborted),
            `${yieldsAfter}`
          )
          service.respond = status(403)
          yield* failThree(unlogged)
          yield* later("5 seconds")
          service.respond = () => Effect.never
          yield* interrupted
          assert.strictEqual((yield* state).breaker, "open", `${yieldsAfter}`)
        }
      })
    )

    it.effect("ends the probe with the layer", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { service, respond } = changing(status(403))
        const { search, sent } = yield* Scope.extend(setup(respond), scope)
        yield* failThree(search)
        yield* later("5 seconds")
        service.respond = () => Effect.never
        assert.strictEqual(yield* atOnce(search(prefixes)), "Paused")
        assert.isFalse(sent[3]?.signal.aborted)
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(sent[3]?.signal.aborted)
      })
    )
  })

  describe("requests that are started together", () => {
    const requests = [prefixes, other(1), other(2)]
    /** What is known of these requests. */
    const results = (search: Search, of: ReadonlyArray<ReadonlyArray<string>> = requests) =>
      of.map((prefixes) =>
        Exit.match(answerTo(prefixes, search), {
          onSuccess: (listed) => listed.length,
          onFailure: (cause) =>
            Either.match(Cause.failureOrCause(cause), {
              onLeft: ({ message }) => message,
              onRight: () => "defect"
            })
        })
      )

    it.scoped("are sent at once, have a result each as soon as it is there, and are cached each", () =>
      Effect.gen(function* () {
        const { sent, start, writes } = yield* setup((request) =>
          request.prefixes[0] === prefixes[0] ? confirms(request) : Effect.never
        )
        const searches = yield* start([prefixes, other(1), other(2)])
        yield* settled
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [prefixes, other(1), other(2)]
        )
        assert.deepStrictEqual(results(searches), [1, "Timeout", "Timeout"])
        assert.lengthOf(writes, 1)
        yield* later("3 seconds")
        assert.deepStrictEqual(results(searches), [1, "Timeout", "Timeout"])
      })
    )

    it.scoped("are one failure if one of them fails, with its message and the longest Retry-After", () =>
      Effect.gen(function* () {
        const waits: Readonly<Record<string, string>> = { "00000001": "7", "00000002": "30" }
        const {
          counted,
          sent,
          start,
          status: state
        } = yield* setup((request) => {
          const wait = waits[request.prefixes[0] ?? ""]
          return wait === undefined ? confirms(request) : status(503, { "retry-after": wait })(request)
        })
        for (let batch = 1; batch <= 3; batch++) {
          assert.strictEqual((yield* state).breaker, "closed")
          const searches = yield* start([prefixes, other(1), other(2)])
          yield* settled
          assert.deepStrictEqual(results(searches), [1, "Status (503)", "Status (503)"])
          assert.lengthOf(sent, 3 * batch)
        }
        assert.deepStrictEqual(yield* statusOf(state), ["open", { message: "Status (503)", at: 0 }])
        yield* later("29 seconds")
        assert.deepStrictEqual(results(yield* start(requests)), ["Paused", "Paused", "Paused"])
        assert.deepStrictEqual(counted(), { ok: 3, Status: 6, Paused: 3 })
      })
    )

    it.scoped("are one success if none fails, which ends a row of failures", () =>
      Effect.gen(function* () {
        const { service, respond } = changing(status(500))
        const { start, status: state } = yield* setup(respond)
        for (let round = 0; round < 3; round++) {
          service.respond = status(500)
          for (let at = 0; at < 2; at++) yield* Effect.zipRight(start([other(1), other(2)]), settled)
          service.respond = confirms
          yield* Effect.zipRight(start([prefixes, other(1)]), settled)
          assert.deepStrictEqual(yield* statusOf(state), ["closed", null])
        }
      })
    )

    it.scoped("join a call for the same prefixes, whose failure then counts once", () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const {
          sent,
          start,
          status: state
        } = yield* setup((request) => Effect.zipRight(Deferred.await(gate), status(500)(request)))
        for (let at = 0; at < 3; at++) yield* start([prefixes])
        const searches = yield* start([other(1), prefixes])
        yield* settled
        assert.lengthOf(sent, 2)
        yield* Effect.zipRight(Deferred.succeed(gate, undefined), settled)
        assert.deepStrictEqual(results(searches, [other(1), prefixes]), ["Status (500)", "Status (500)"])
        assert.strictEqual((yield* state).breaker, "closed")
      })
    )

    it.scoped("are sent as far as 256 calls allow", () =>
      Effect.gen(function* () {
        const { sent, start, status: state } = yield* setup(() => Effect.never)
        yield* start(Array.from({ length: 255 }, (_, number) => other(number)))
        const searches = yield* start([prefixes, other(300), other(301)])
        yield* settled
        assert.lengthOf(sent, 256)
        assert.deepStrictEqual(results(searches, [prefixes, other(300), other(301)]), [
          "Timeout",
          "TooManyCalls",
          "TooManyCalls"
        ])
        assert.strictEqual((yield* state).breaker, "closed")
      })
    )

    it.scoped("probe with the first of them only", () =>
      Effect.gen(function* () {
        const { service, respond } = changing(status(500))
        const { search, sent, start, status: state } = yield* setup(respond)
        yield* failThree(search)
        yield* later("5 seconds")
        service.respond = confirms
        assert.deepStrictEqual(results(yield* start(requests)), ["Paused", "Paused", "Paused"])
        yield* settled
        assert.deepStrictEqual(
          sent.slice(3).map(({ prefixes }) => prefixes),
          [prefixes]
        )
        assert.strictEqual((yield* state).breaker, "closed")
      })
    )

    it.scoped("are no probe if there are none", () =>
      Effect.gen(function* () {
        const { search, start, status: state } = yield* setup(status(500))
        yield* failThree(search)
        yield* later("5 seconds")
        yield* start([])
        assert.strictEqual((yield* state).breaker, "open")
      })
    )
  })

  it.scoped("shows the key in no error, log or span", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        context: (execute) => execute(),
        span: (name, parent, context, links, startTime, kind) => {
          const attributes = new Map<string, unknown>()
          const span: Tracer.Span = {
            _tag: "Span",
            name,
            spanId: "span",
            traceId: "trace",
            parent,
            context,
            links: [...links],
            kind,
            sampled: true,
            status: { _tag: "Started", startTime },
            attributes,
            end: () => {},
            attribute: (key, value) => attributes.set(key, value),
            event: () => {},
            addLinks: () => {}
          }
          spans.push(span)
          return span
        }
      })
      const record = <Output>(logger: Logger.Logger<unknown, Output>) =>
        Logger.add(Logger.map(logger, (line) => void lines.push(String(line))))
      const loggers = Layer.mergeAll(
        record(Logger.jsonLogger),
        record(Logger.logfmtLogger),
        record(Logger.stringLogger)
      )
      yield* Effect.gen(function* () {
        for (const respond of [
          status(401),
          HashSearchDouble.reply("<html>", { "content-type": "text/html" }),
          () => Effect.fail("Transport" as const)
        ]) {
          const { search, sent } = yield* setup(respond)
          const error = yield* Effect.flip(Effect.withSpan(search(prefixes), "check"))
          yield* Effect.logError(error)
          yield* Effect.logError("A checker failed", error, yield* Effect.cause(search(prefixes)))
          lines.push(String(error), error.message, JSON.stringify(error), error.stack ?? "")
          assert.strictEqual(sent[0]?.headers["x-goog-api-key"], KEY)
          assert.isUndefined(sent[0]?.headers.traceparent)
          assert.notInclude(sent[0]?.url ?? KEY, KEY)
        }
      }).pipe(Effect.provide(Layer.merge(loggers, Layer.setTracer(tracer))))
      assert.isAbove(lines.length, 12)
      assert.isAbove(spans.length, 2)
      assert.notInclude(lines.join("\n"), KEY)
      assert.notInclude(JSON.stringify(spans.map(({ name, attributes }) => [name, ...attributes])), KEY)
    })
  )
})
