import { Cause, Context, Effect, Either, Exit, Layer } from "effect"
import { AppConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import * as RunAhead from "../Layers/RunAhead.ts"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import {
  type Answer,
  type Checker,
  CheckerError,
  type CheckerId,
  type CheckerStatus,
  type Subject
} from "./Checker.ts"
import * as CheckerMetrics from "./CheckerMetrics.ts"
import * as FeedChecker from "./FeedChecker.ts"
import { Heuristics } from "./Heuristics.ts"
import { ReputationLookup } from "./ReputationLookup.ts"
import { ThreatFeeds } from "./ThreatFeeds.ts"
import type { Finding } from "./Verdict.ts"

export interface Outcome {
  readonly checker: CheckerId
  readonly status: CheckerStatus
  readonly findings: ReadonlyArray<Finding>
  /** Milliseconds by the Clock, with three decimals. */
  readonly elapsed: number
}

const statusOfError = {
  Timeout: "timeout",
  Unavailable: "unavailable",
  Malformed: "malformed",
  NotConfigured: "not-configured",
  Defect: "failed"
} as const satisfies Record<CheckerError["reason"], CheckerStatus>

/** A defect is that checker's failure, not the request's; it is logged here, once. An interruption is the request's. */
const result = (
  checker: CheckerId,
  exit: Exit.Exit<Answer, CheckerError>
): Effect.Effect<Either.Either<Answer, CheckerError>> => {
  if (Exit.isSuccess(exit)) return Effect.succeed(Either.right(exit.value))
  return Either.match(Cause.failureOrCause(exit.cause), {
    onLeft: (error) => Effect.succeed(Either.left(error)),
    onRight: (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logError("A checker failed", cause).pipe(
            Effect.annotateLogs({ checker }),
            Effect.as(
              Either.left(new CheckerError({ checker, reason: "Defect", cause: Cause.squash(cause) }))
            )
          )
  })
}

const outcome = (checker: CheckerId, result: Either.Either<Answer, CheckerError>, elapsed: number): Outcome =>
  Either.match(result, {
    onLeft: (error) => ({ checker, status: statusOfError[error.reason], findings: [], elapsed }),
    onRight: ({ findings, stale }) => ({ checker, status: stale ? "stale" : "ok", findings, elapsed })
  })

/**
 * One checker, run as far as it goes without waiting: an Exit when that was all of it, else what waits for the rest within
 * the budget. So only what waits has a fiber and a timer of its own (bench/README.md tells what they cost), and no checker's
 * time holds another one's work.
 */
const begin = (checker: Checker, subject: Subject): Effect.Effect<Effect.Effect<Answer, CheckerError>> => {
  const check = Effect.suspend(() => checker.check(subject))
  if (checker.neverWaits) return Effect.exit(check)
  const timeout = Effect.suspend(() => new CheckerError({ checker: checker.id, reason: "Timeout" }))
  return Effect.flatMap(RunAhead.start(check), (begun) =>
    RunAhead.isFinished(begun)
      ? Effect.succeed(begun)
      : Effect.map(RunAhead.start(Effect.sleep(checker.budget)), (deadline) =>
          Effect.raceFirst(begun, Effect.zipRight(deadline, timeout))
        )
  )
}

const NANOS_PER_MICRO = 1000n
const MICROS_PER_MILLI = 1000

/** To the microsecond: finer digits are noise. A clock that was set back gives 0. */
const milliseconds = (from: bigint, to: bigint): number =>
  Math.max(0, Number((to - from) / NANOS_PER_MICRO) / MICROS_PER_MILLI)

/** What became of each checker the last time that it was asked; nothing of one that was never asked. */
export type LatestStatuses = ReadonlyMap<CheckerId, CheckerStatus>

/** Runs the checkers on one submitted string. */
export class Checkers extends Context.Tag("app/Checkers/Checkers")<
  Checkers,
  {
    /** One outcome for each checker, in their order. It cannot fail: what a checker fails with is its outcome. */
    readonly checkAll: (
      submitted: string,
      admission?: Effect.Effect<void>
    ) => Effect.Effect<ReadonlyArray<Outcome>>
    /** For health: an outage that callers see must be seen there too. */
    readonly latest: Effect.Effect<LatestStatuses>
  }
>() {
  /**
   * All at once, each timed with the Clock. The URL is parsed once for everybody; that time counts as the heuristics',
   * whose work it is by the specification. `measure` is told every outcome, within the request: it must not take time.
   */
  static readonly make = (
    checkers: ReadonlyArray<Checker>,
    measure: (outcome: Outcome) => void = () => undefined
  ): Checkers["Type"] => {
    const latest = new Map<CheckerId, CheckerStatus>()
    const note = (outcome: Outcome): Outcome => {
      latest.set(outcome.checker, outcome.status)
      measure(outcome)
      return outcome
    }
    const checkAll: Checkers["Type"]["checkAll"] = (submitted, admission) =>
      Effect.clockWith((clock) => {
        const start = clock.unsafeCurrentTimeNanos()
        const url = CanonicalUrl.parse(submitted)
        const subject: Subject = { submitted, url, ...(admission === undefined ? {} : { admission }) }
        const timed = (checker: Checker): Effect.Effect<Effect.Effect<Outcome>> => {
          const from = checker.id === "heuristics" ? start : clock.unsafeCurrentTimeNanos()
          const settle = (exit: Exit.Exit<Answer, CheckerError>) =>
            Effect.map(result(checker.id, exit), (result) =>
              note(outcome(checker.id, result, milliseconds(from, clock.unsafeCurrentTimeNanos())))
            )
          return Effect.flatMap(begin(checker, subject), (begun) =>
            RunAhead.isFinished(begun)
              ? Effect.exit(settle(begun))
              : Effect.succeed(Effect.flatMap(Effect.exit(begun), settle))
          )
        }
        return Effect.flatMap(
          Effect.forEach(checkers, (checker) => Effect.suspend(() => timed(checker))),
          (begun) => Effect.all(begun, { concurrency: begun.every(RunAhead.isFinished) ? 1 : "unbounded" })
        )
      })
    return { checkAll, latest: Effect.sync(() => latest) }
  }

  /** The six of the specification. */
  static readonly layer = Layer.effect(
    Checkers,
    Effect.gen(function* () {
      const { checkerTimeout } = yield* AppConfig
      const feeds = yield* ThreatFeeds
      const feed = (slot: FeedSlot) => FeedChecker.make(slot, feeds[slot], checkerTimeout)
      return Checkers.make(
        [
          yield* Heuristics,
          feed("feed_a"),
          yield* ReputationLookup,
          feed("feed_b"),
          feed("feed_c"),
          feed("feed_d")
        ],
        yield* CheckerMetrics.make
      )
    })
  ).pipe(Layer.provide([Heuristics.layer, ReputationLookup.layer]))
}
