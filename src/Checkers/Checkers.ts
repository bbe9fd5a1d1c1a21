import { Cause, Context, Effect, Either, Exit, identity, Layer } from "effect"
import { AppConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import * as RunAhead from "../Layers/RunAhead.ts"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import * as CheckerMetrics from "./Checker/CheckerMetrics.ts"
import * as CheckerSpan from "./Checker/CheckerSpan.ts"
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
import * as Stopwatch from "./Stopwatch.ts"
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
  NotConfigured: "not-configured"
} as const satisfies Record<CheckerError["reason"], CheckerStatus>

/**
 * What a checker's failure is reported as. A defect is that checker's failure, not the request's; it is logged here, once.
 * An interruption is the request's.
 */
const failure = (
  checker: CheckerId,
  cause: Cause.Cause<CheckerError>
): CheckerStatus | Effect.Effect<CheckerStatus> =>
  Either.match(Cause.failureOrCause(cause), {
    onLeft: ({ reason }): CheckerStatus | Effect.Effect<CheckerStatus> => statusOfError[reason],
    onRight: (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logError("A checker failed", cause).pipe(
            Effect.annotateLogs({ checker }),
            Effect.as("failed" as const)
          )
  })

/** A checker may take its budget; then it is interrupted. Both run from here on, before anybody waits for them. */
const withinBudget = (
  { budget, id }: Checker,
  begun: Effect.Effect<Answer, CheckerError>
): Effect.Effect<Effect.Effect<Answer, CheckerError>> => {
  const timeout = Effect.suspend(() => new CheckerError({ checker: id, reason: "Timeout" }))
  return Effect.map(RunAhead.start(Effect.sleep(budget)), (deadline) =>
    Effect.raceFirst(begun, Effect.zipRight(deadline, timeout))
  )
}

/** How far a checker came without waiting: to its outcome, or to what waits for that. */
type Begun = Outcome | Effect.Effect<Outcome>

const isOutcome = <A>(begun: Outcome | Effect.Effect<A>): begun is Outcome => !Effect.isEffect(begun)

const lifted = <A>(begun: Outcome | Effect.Effect<A>): Effect.Effect<A | Outcome> =>
  isOutcome(begun) ? Effect.succeed(begun) : begun

/** A checker's Exit if it computes at once, else what it would do; what it throws is its defect. */
const ask = ({ check }: Checker, subject: Subject): Effect.Effect<Answer, CheckerError> =>
  Either.getOrElse(Either.try({ try: () => check(subject), catch: identity }), Exit.die)

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
   * All at once, each timed with the Clock. The URL is parsed once for everybody; that time counts as the first checker's:
   * the heuristics', whose work it is by the specification. `measure` is told every outcome, within the request: it must
   * not take time.
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

    const succeeded = (checker: CheckerId, { findings, stale }: Answer, elapsed: () => number): Outcome =>
      note({ checker, status: stale ? "stale" : "ok", findings, elapsed: elapsed() })

    const failed = (checker: CheckerId, cause: Cause.Cause<CheckerError>, elapsed: () => number): Begun => {
      // Before what failed is logged, which happens later and is nobody's time.
      const took = elapsed()
      const noted = (status: CheckerStatus) => note({ checker, status, findings: [], elapsed: took })
      const status = failure(checker, cause)
      return Effect.isEffect(status) ? Effect.map(status, noted) : noted(status)
    }

    const settled = (
      checker: CheckerId,
      answer: Effect.Effect<Answer, CheckerError>,
      elapsed: () => number
    ): Begun => {
      if (!RunAhead.isFinished(answer))
        return Effect.matchCauseEffect(answer, {
          onSuccess: (answer) => Effect.succeed(succeeded(checker, answer, elapsed)),
          onFailure: (cause) => lifted(failed(checker, cause, elapsed))
        })
      return Exit.isSuccess(answer)
        ? succeeded(checker, answer.value, elapsed)
        : failed(checker, answer.cause, elapsed)
    }

    /**
     * One checker, run as far as it goes without waiting. So only what waits has a fiber and a timer of its own
     * (bench/README.md tells what they cost), and no checker's time holds another one's work.
     */
    const begin = (
      checker: Checker,
      subject: Subject,
      { lap, leave, putOff }: Stopwatch.Stopwatch
    ): Outcome | Effect.Effect<Begun> => {
      const { id, neverWaits } = checker
      const asked = ask(checker, subject)
      if (RunAhead.isFinished(asked)) return settled(id, asked, lap)
      // The others are asked before it is run.
      const goOn = putOff()
      if (neverWaits)
        return settled(id, asked, () => {
          goOn()
          return lap()
        })
      return Effect.flatMap(RunAhead.start(asked), (begun): Effect.Effect<Begun> => {
        goOn()
        return RunAhead.isFinished(begun)
          ? Effect.succeed(settled(id, begun, lap))
          : Effect.map(withinBudget(checker, begun), (answer) => settled(id, answer, leave()))
      })
    }

    const checkAll: Checkers["Type"]["checkAll"] = (submitted, admission) =>
      Effect.clockWith((clock) => {
        const stopwatch = Stopwatch.start(clock)
        const url = CanonicalUrl.parse(submitted)
        const askedAt = clock.unsafeCurrentTimeMillis()
        const subject: Subject =
          admission === undefined ? { submitted, url, askedAt } : { submitted, url, askedAt, admission }
        const computed = checkers.map((checker) => begin(checker, subject, stopwatch))
        if (computed.every(isOutcome)) return Effect.succeed(computed)
        return Effect.flatMap(Effect.all(computed.map(lifted)), (begun) => {
          if (begun.every(isOutcome)) return Effect.succeed(begun)
          // What waits runs already. One alone is waited for in this fiber.
          const isOneAlone = begun.filter(isOutcome).length === begun.length - 1
          return Effect.all(begun.map(lifted), { concurrency: isOneAlone ? 1 : "unbounded" })
        })
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
  ).pipe(Layer.provide([Heuristics.layer, ReputationLookup.layer]))
}
