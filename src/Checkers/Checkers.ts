import { Array as Arr, Cause, type Clock, Context, Effect, Either, Exit, Layer } from "effect"
import { AppConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import { nextTurn, type Slices } from "../Layers/Time/Slices.ts"
import { OperatorLists } from "../Lists/OperatorLists.ts"
import { PopularSites } from "../Lists/PopularSites.ts"
import { ThreatFeeds } from "../Lists/ThreatFeed.ts"
import * as Submission from "../Url/Submission.ts"
import type { CheckerId, CheckerStatus } from "./Checker/CheckerNames.ts"
import * as CheckerTelemetry from "./Checker/CheckerTelemetry.ts"
import {
  type AskingChecker,
  type Check,
  type CheckExit,
  type Checker,
  CheckerError,
  type CheckerResult,
  type Decide,
  nothingFound,
  type Outcome
} from "./Checker.ts"
import * as FeedChecker from "./FeedChecker.ts"
import { Heuristics } from "./Heuristics.ts"
import * as OperatorDecisions from "./OperatorDecisions.ts"
import { ReputationLookup } from "./ReputationLookup.ts"
import type { Decision } from "./Verdict.ts"

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

/** The result of a computation, or what it throws as a defect. */
const attempt = <A>(compute: () => A): A | Exit.Exit<never> => {
  try {
    return compute()
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** `Exit.isExit`, with the types of the effect. */
const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** `Effect.flatMap`, which is an Exit if the effect is one. */
const andThen = <A, B, E>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Exit.Exit<B, E>
): Effect.Effect<B, E> => (isExit(effect) ? Exit.flatMap(effect, next) : Effect.flatMap(effect, next))

/** Whether a check has ended without asking. */
const isDecided = <Lookup>(lookup: CheckExit | Lookup): lookup is CheckExit => Exit.isExit(lookup)

/** Checks of a bulk request that wait, at once: with tracing on, all of them are effects, which take a millisecond each. */
const MAX_WAITING = 4

/**
 * All results in order, an Exit if none waits. Forking a finished Exit would cost as much as a checker, and so would a fiber for
 * the only one that waits.
 */
const inParallel = <A>(running: ReadonlyArray<Effect.Effect<A>>): Effect.Effect<ReadonlyArray<A>> => {
  const known: Array<A> = []
  for (const each of running) if (isExit(each) && Exit.isSuccess(each)) known.push(each.value)
  const waiting = running.length - known.length
  if (waiting === 0) return Exit.succeed(known)
  return Effect.all(running, { concurrency: waiting > 1 ? "unbounded" : 1 })
}

/** A check that computes for longer blocks the event loop for others: `CheckerTelemetry.slow`. No honest URL takes a tenth of it. */
const MAX_COMPUTING_NANOS = 50_000_000n

/** What was found out about one submitted string. */
export interface Checked {
  /** One for each checker, in their order. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** What the operator's lists say about each address, in the order of `Submission.addresses`; empty without lists. */
  readonly decisions: ReadonlyArray<Decision>
  /** Of the submission: empty if it is not a URL. */
  readonly addresses: ReadonlyArray<Submission.Address>
}

/** Runs the six checkers on submitted strings. */
export class Checkers extends Context.Tag("app/Checkers/Checkers")<
  Checkers,
  {
    /** Never fails: the error of a checker is its outcome. */
    readonly checkAll: (submitted: string) => Effect.Effect<Checked>
    /**
     * Checks many strings, about which a third party is asked once, and returns for each what `resultOf` makes of it, in order.
     * Computes in slices. What `resultOf` throws is a defect.
     */
    readonly checkMany: <A>(
      submitted: ReadonlyArray<string>,
      slices: Slices,
      resultOf: (submitted: string, checked: Checked) => A
    ) => Effect.Effect<ReadonlyArray<A>>
    /** The last status of each checker that has run, for health. */
    readonly latest: Effect.Effect<ReadonlyMap<CheckerId, CheckerStatus>>
  }
>() {
  /**
   * Runs all checkers: what computes at once one after the other, what waits concurrently and within its budget. At most one of
   * them asks a third party. Each is timed by the Clock. The submission is read once, for all of them and for the decisions,
   * which counts as time of the first checker, the heuristics.
   */
  static readonly make = <Lookup>(
    checkers: ReadonlyArray<Checker | AskingChecker<Lookup>>,
    telemetry: CheckerTelemetry.CheckerTelemetry = Effect.runSync(CheckerTelemetry.make),
    decisionsOn?: OperatorDecisions.DecisionsOn
  ): Checkers["Type"] => {
    const latest = new Map<CheckerId, CheckerStatus>()
    const asking = checkers.find((checker): checker is AskingChecker<Lookup> => "ask" in checker)

    const outcomeOf = (
      checker: CheckerId,
      status: CheckerStatus,
      findings: CheckerResult["findings"],
      nanos: bigint
    ): Outcome => {
      const outcome = { checker, status, findings, elapsed: millisOf(nanos) }
      latest.set(checker, status)
      telemetry.observe(outcome)
      return outcome
    }

    /**
     * The outcome of a check that has ended. A defect, or an interruption that the checker caused itself, is that checker's
     * `failed` and logged here; the request goes on.
     */
    const settle = (id: CheckerId, exit: CheckExit, nanos: bigint): Effect.Effect<Outcome> => {
      if (Exit.isSuccess(exit))
        return Exit.succeed(outcomeOf(id, exit.value.stale ? "stale" : "ok", exit.value.findings, nanos))
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: ({ reason }) => Exit.succeed(outcomeOf(id, statusOfError[reason], [], nanos)),
        onRight: (cause) =>
          Effect.logError("A checker failed", cause).pipe(
            Effect.annotateLogs({ checker: id }),
            Effect.map(() => outcomeOf(id, "failed", [], nanos))
          )
      })
    }

    /** Runs a check. `spent`: the nanoseconds that it took before. */
    const run = (
      clock: Clock.Clock,
      id: CheckerId,
      check: () => Check,
      spent: bigint
    ): Effect.Effect<Outcome> => {
      const lap = laps(clock)
      const started = attempt(() => telemetry.check(id, check))
      const computed = spent + lap()
      if (isExit(started)) return settle(id, started, computed)
      return Effect.suspend(() => {
        // Others have computed meanwhile.
        lap()
        return Effect.flatMap(Effect.exit(started), (exit) => settle(id, exit, computed + lap()))
      })
    }

    /** The check of a checker that asks nobody, within its budget. */
    const withinBudget = ({ budget, check, id }: Checker, submission: Submission.Submission): Check => {
      const started = check(submission)
      if (isExit(started)) return started
      return Effect.timeoutFail(started, {
        duration: budget,
        onTimeout: () => new CheckerError({ checker: id, reason: "Timeout" })
      })
    }

    /** Reads a submission, which counts as time of the first checker, and prepares the checker that asks, each in nanoseconds. */
    const prepare = (clock: Clock.Clock, submitted: string) => {
      const lap = laps(clock)
      const submission = Submission.read(submitted, clock.unsafeCurrentTimeMillis())
      const reading = lap()
      const lookup = attempt(() => asking?.prepare(submission) ?? Exit.succeed(nothingFound))
      return { submission, reading, lookup, preparing: lap() }
    }
    type Prepared = ReturnType<typeof prepare>

    const ask = (prepared: ReadonlyArray<Prepared>): Effect.Effect<Decide<Lookup>> => {
      const lookups = prepared.flatMap(({ lookup }) => (isDecided(lookup) ? [] : [lookup]))
      if (asking === undefined || lookups.length === 0) return Exit.die("nothing was asked")
      return telemetry.ask(
        asking.id,
        Effect.suspend(() => asking.ask(lookups))
      )
    }

    /** Runs all checkers, of which one decides by the `answer`, for which it has waited so long. */
    const runAll = (
      clock: Clock.Clock,
      { lookup, preparing, reading, submission }: Prepared,
      answer: Effect.Effect<Decide<Lookup>>,
      waited: bigint
    ): Effect.Effect<Checked> => {
      const decide = (): Check =>
        isDecided(lookup)
          ? lookup
          : andThen<Decide<Lookup>, CheckerResult, CheckerError>(answer, (decide) => decide(lookup))
      const computing = laps(clock)
      const outcomes = inParallel(
        checkers.map((checker, index) =>
          "ask" in checker
            ? run(clock, checker.id, decide, preparing + waited)
            : run(clock, checker.id, () => withinBudget(checker, submission), index === 0 ? reading : 0n)
        )
      )
      const nanos = reading + preparing + computing()
      const { addresses } = submission
      const checked = andThen(outcomes, (outcomes) =>
        Exit.succeed({ outcomes, decisions: decisionsOn?.(submission) ?? [], addresses })
      )
      return nanos > MAX_COMPUTING_NANOS
        ? Effect.zipRight(telemetry.slow(submission, millisOf(nanos)), checked)
        : checked
    }

    const checkAll = (submitted: string): Effect.Effect<Checked> =>
      Effect.clockWith((clock) => {
        const prepared = prepare(clock, submitted)
        return runAll(clock, prepared, ask([prepared]), 0n)
      })

    const checkMany: Checkers["Type"]["checkMany"] = (submitted, slices, resultOf) =>
      Effect.gen(function* () {
        const clock = yield* Effect.clock
        const prepared = yield* slices.map(submitted, (each) => prepare(clock, each))
        const lap = laps(clock)
        const answer = yield* Effect.exit(ask(prepared))
        const waited = lap()
        const running = yield* slices.map(prepared, (each) =>
          runAll(clock, each, answer, isDecided(each.lookup) ? 0n : waited)
        )
        const checked = yield* Effect.forEach(
          running,
          (each) => (isExit(each) ? each : Effect.zipRight(nextTurn, each)),
          { concurrency: running.every(isExit) ? 1 : MAX_WAITING }
        )
        return yield* slices.map(Arr.zip(submitted, checked), ([submitted, checked]) =>
          resultOf(submitted, checked)
        )
      })

    return { checkAll, checkMany, latest: Effect.sync(() => new Map(latest)) }
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
        [
          yield* Heuristics,
          feed("feed_a"),
          yield* ReputationLookup,
          feed("feed_b"),
          feed("feed_c"),
          feed("feed_d")
        ],
        yield* CheckerTelemetry.make,
        OperatorDecisions.make(yield* OperatorLists)
      )
    })
  )
}
