import { Cause, Context, Effect, Either, Layer } from "effect"
import { AppConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import {
  type Answer,
  type Checker,
  CheckerError,
  type CheckerId,
  type CheckerStatus,
  type Subject
} from "./Checker.ts"
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

/** One checker within its budget. A defect is that checker's failure, not the request's; it is logged here, once. */
const answer = (checker: Checker, subject: Subject): Effect.Effect<Answer, CheckerError> =>
  Effect.suspend(() => checker.check(subject)).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(
        Effect.logError("A checker failed", Cause.die(defect)).pipe(
          Effect.annotateLogs("checker", checker.id)
        ),
        new CheckerError({ checker: checker.id, reason: "Defect", cause: defect })
      )
    ),
    Effect.timeoutFail({
      duration: checker.budget,
      onTimeout: () => new CheckerError({ checker: checker.id, reason: "Timeout" })
    })
  )

const outcome = (checker: CheckerId, result: Either.Either<Answer, CheckerError>, elapsed: number): Outcome =>
  Either.match(result, {
    onLeft: (error) => ({ checker, status: statusOfError[error.reason], findings: [], elapsed }),
    onRight: ({ findings, stale }) => ({ checker, status: stale ? "stale" : "ok", findings, elapsed })
  })

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
    readonly checkAll: (submitted: string) => Effect.Effect<ReadonlyArray<Outcome>>
    /** For health: an outage that callers see must be seen there too. */
    readonly latest: Effect.Effect<LatestStatuses>
  }
>() {
  /**
   * All at once, each timed with the Clock. The URL is parsed once for everybody; that time counts as the heuristics',
   * whose work it is by the specification.
   */
  static readonly make = (checkers: ReadonlyArray<Checker>): Checkers["Type"] => {
    const latest = new Map<CheckerId, CheckerStatus>()
    const note = (outcome: Outcome): Outcome => {
      latest.set(outcome.checker, outcome.status)
      return outcome
    }
    const checkAll: Checkers["Type"]["checkAll"] = (submitted) =>
      Effect.clockWith((clock) => {
        const start = clock.unsafeCurrentTimeNanos()
        const subject: Subject = { submitted, url: CanonicalUrl.parse(submitted) }
        return Effect.forEach(
          checkers,
          (checker) =>
            Effect.suspend(() => {
              const from = checker.id === "heuristics" ? start : clock.unsafeCurrentTimeNanos()
              return Effect.map(Effect.either(answer(checker, subject)), (result) =>
                note(outcome(checker.id, result, milliseconds(from, clock.unsafeCurrentTimeNanos())))
              )
            }),
          { concurrency: "unbounded" }
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
      return Checkers.make([
        yield* Heuristics,
        feed("feed_a"),
        yield* ReputationLookup,
        feed("feed_b"),
        feed("feed_c"),
        feed("feed_d")
      ])
    })
  ).pipe(Layer.provide([Heuristics.layer, ReputationLookup.layer]))
}
