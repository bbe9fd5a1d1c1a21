import { Cause, type Clock, Context, Duration, Effect, Either, Exit, identity, Layer } from "effect"
import { AppConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import type { Slices } from "../Layers/Time/Slices.ts"
import * as CheckerMetrics from "./Checker/CheckerMetrics.ts"
import * as CheckerSpan from "./Checker/CheckerSpan.ts"
import {
  type Check,
  type Checker,
  CheckerError,
  type CheckerId,
  type CheckerResult,
  type CheckerStatus,
  type Outcome
} from "./Checker.ts"
import * as FeedChecker from "./FeedChecker.ts"
import { Heuristics } from "./Heuristics.ts"
import { PopularSites } from "./Hosts/PopularSites.ts"
import { ReputationLookup } from "./ReputationLookup.ts"
import * as Submission from "./Submission.ts"
import { ThreatFeeds } from "./ThreatFeeds.ts"

const NANOS_PER_MICRO = 1000
const MICROS_PER_MILLI = 1000

/** To the microsecond: finer digits are noise. Never negative, even if the clock was set back. */
const millisOf = (nanos: bigint): number =>
  Math.max(0, Math.trunc(Number(nanos) / NANOS_PER_MICRO) / MICROS_PER_MILLI)

/** A stopwatch: each call returns the nanoseconds since the call before it. */
const laps = (clock: Clock.Clock): (() => bigint) => {
  let from = clock.unsafeCurrentTimeNanos()
  return () => {
    const to = clock.unsafeCurrentTimeNanos()
    const lap = to - from
    from = to
    return lap
  }
}

const statusOfError = {
  Timeout: "timeout",
  Unavailable: "unavailable",
  Malformed: "malformed",
  NotConfigured: "not-configured"
} as const satisfies Record<CheckerError["reason"], CheckerStatus>

/** A defect instead of an exception. */
const start = (check: Checker["check"], submission: Submission.Submission): Check =>
  Either.getOrElse(Either.try({ try: () => check(submission), catch: identity }), Exit.die)

/** Checks of many submitted strings together. */
export interface Batch {
  /**
   * Adds a string, and computes at once what the checkers ask third parties about it. Returns its check, to be called once,
   * after `send`: the checkers run when it is called, and an Exit is returned unless one of them waits.
   */
  readonly add: (submitted: string) => () => Effect.Effect<ReadonlyArray<Outcome>>
  /** Sends what was added since the last time; does not wait for third parties. */
  readonly send: Effect.Effect<void>
}

/** `Exit.isExit`, with the types of the effect. */
export const hasEnded = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** Runs the six checkers on one submitted string. */
export class Checkers extends Context.Tag("app/Checkers/Checkers")<
  Checkers,
  {
    /** One outcome for each checker, in their order. Never fails: the error of a checker is its outcome. */
    readonly checkAll: (submitted: string) => Effect.Effect<ReadonlyArray<Outcome>>
    readonly checkMany: <A>(
      submitted: ReadonlyArray<string>,
      slices: Slices,
      resultOf: (submitted: string, outcomes: ReadonlyArray<Outcome>) => A
    ) => Effect.Effect<ReadonlyArray<A>>
    /** Begins checks of many strings, about which third parties are asked together. Each check is as `checkAll`. */
    readonly batch: Effect.Effect<Batch>
    /** The last status of each checker that has run, for health. */
    readonly latest: Effect.Effect<ReadonlyMap<CheckerId, CheckerStatus>>
  }
>() {
  /**
   * Runs all checkers: what computes at once one after the other, what waits concurrently and within its budget. Each is timed
   * by the Clock. The submission is read once, for all of them, which counts as time of the first checker, the heuristics.
   * `observe` sees every outcome.
   */
  static readonly make = (
    checkers: ReadonlyArray<Checker>,
    observe: (outcome: Outcome) => void = () => undefined
  ): Checkers["Type"] => {
    const latest = new Map<CheckerId, CheckerStatus>()

    const outcomeOf = (
      checker: CheckerId,
      status: CheckerStatus,
      { findings }: Pick<CheckerResult, "findings">,
      nanos: bigint
    ): Outcome => {
      const outcome = { checker, status, findings, elapsed: millisOf(nanos) }
      latest.set(checker, status)
      observe(outcome)
      return outcome
    }

    /**
     * The outcome of a checker that has ended. A defect, or an interruption that the checker caused itself, is that checker's
     * `failed` and logged here; the request goes on.
     */
    const settle = (
      { id }: Checker,
      exit: Exit.Exit<CheckerResult, CheckerError>,
      nanos: bigint
    ): Effect.Effect<Outcome> => {
      if (Exit.isSuccess(exit))
        return Exit.succeed(outcomeOf(id, exit.value.stale ? "stale" : "ok", exit.value, nanos))
      const nothing = { findings: [] }
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: ({ reason }) => Exit.succeed(outcomeOf(id, statusOfError[reason], nothing, nanos)),
        onRight: (cause) =>
          Effect.logError("A checker failed", cause).pipe(
            Effect.annotateLogs({ checker: id }),
            Effect.map(() => outcomeOf(id, "failed", nothing, nanos))
          )
      })
    }

    const withinBudget = (
      checker: Checker,
      running: Effect.Effect<CheckerResult, CheckerError>,
      spent: bigint
    ): Effect.Effect<Outcome> =>
      Effect.clockWith((clock) => {
        const lap = laps(clock)
        const bounded = Duration.isFinite(checker.budget)
          ? Effect.timeoutFail(running, {
              duration: checker.budget,
              onTimeout: () => new CheckerError({ checker: checker.id, reason: "Timeout" })
            })
          : running
        return bounded.pipe(
          Effect.exit,
          Effect.flatMap((exit) => settle(checker, exit, spent + lap()))
        )
      })

    const inOrder = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> =>
      checkers.flatMap(({ id }) => outcomes.filter(({ checker }) => checker === id))

    /** `spent`: nanoseconds that count as time of the first checker. */
    const run = (
      clock: Clock.Clock,
      submission: Submission.Submission,
      checks: ReadonlyArray<Checker["check"]>,
      spent: bigint
    ): Effect.Effect<ReadonlyArray<Outcome>> => {
      const lap = laps(clock)
      const running = checkers.map((checker, index) => {
        const started = start(checks[index] ?? checker.check, submission)
        const time = index === 0 ? spent + lap() : lap()
        return hasEnded(started) ? settle(checker, started, time) : withinBudget(checker, started, time)
      })
      const known = running.flatMap((outcome) =>
        hasEnded(outcome) && Exit.isSuccess(outcome) ? [outcome.value] : []
      )
      if (known.length === running.length) return Exit.succeed(known)
      // Forking a finished Exit would cost as much as a checker: only what waits gets a fiber.
      const waiting = running.filter((outcome) => !hasEnded(outcome))
      // Neither does the only one that waits: its fiber would take a third of the CPU time of such a check.
      if (waiting.length <= 1) return Effect.all(running)
      return Effect.map(Effect.all(waiting, { concurrency: "unbounded" }), (late) =>
        inOrder([...known, ...late])
      )
    }

    const read = (clock: Clock.Clock, submitted: string) => {
      const lap = laps(clock)
      const submission = Submission.read(submitted, clock.unsafeCurrentTimeMillis())
      return { submission, spent: lap() }
    }

    const checkAll = (submitted: string): Effect.Effect<ReadonlyArray<Outcome>> =>
      Effect.clockWith((clock) => {
        const { spent, submission } = read(clock, submitted)
        return run(clock, submission, [], spent)
      })

    const batch = Effect.map(Effect.clock, (clock): Batch => {
      const batches = checkers.map(({ batch }) => batch?.())
      return {
        add: (submitted) => {
          const { spent, submission } = read(clock, submitted)
          const checks = checkers.map(({ check }, index) => {
            const own = batches[index]
            if (own === undefined) return check
            const added = start(own.add, submission)
            return () => added
          })
          return () => run(clock, submission, checks, spent)
        },
        send: Effect.forEach(
          batches.filter((batch) => batch !== undefined),
          ({ send }) => send,
          { discard: true }
        )
      }
    })

    return {
      checkAll,
      checkMany: (urls, slices, resultOf) =>
        Effect.flatMap(Effect.forEach(urls, checkAll, { concurrency: 32 }), (all) =>
          slices.map(urls, (url, index) => resultOf(url, all[index] ?? []))
        ),
      batch,
      latest: Effect.sync(() => new Map(latest))
    }
  }

  /** The six checkers of the API contract. */
  static readonly layer = Layer.effect(
    Checkers,
    Effect.gen(function* () {
      const { checkerTimeout } = yield* AppConfig
      const feeds = yield* ThreatFeeds
      const popularSites = yield* PopularSites
      const feed = (slot: FeedSlot) => FeedChecker.make(slot, feeds[slot], popularSites, checkerTimeout)
      return Checkers.make(
        yield* CheckerSpan.traced([
          yield* Heuristics,
          feed("feed_a"),
          yield* ReputationLookup,
          feed("feed_b"),
          feed("feed_c"),
          feed("feed_d")
        ]),
        yield* CheckerMetrics.make
      )
    })
  )
}
