import { Effect, Exit, FiberSet, type Scope } from "effect"
import type { Outcome } from "../../Checkers/Checker.ts"
import { type Batch, hasEnded } from "../../Checkers/Checkers.ts"
import * as BulkTurns from "./BulkTurns.ts"

/** URLs of one bulk request whose check has started and whose result has not been dealt with. */
export const MAX_URLS_UNDER_WAY = 32

/** What one of the URLs yielded; a failure is a defect. */
export interface Ended<A> {
  /** Of the URL in the list. */
  readonly index: number
  readonly result: Exit.Exit<A>
}

interface Checks<A> {
  /**
   * Waits for results, and returns those that are there in the order in which they ended; none when all have been returned.
   * The earlier ones count as dealt with.
   */
  readonly next: Effect.Effect<ReadonlyArray<Ended<A>>>
}

/**
 * Checks the URLs, at most `MAX_URLS_UNDER_WAY` at once, and computes in turns with other requests. `resultOf` is part of that.
 * When the scope closes, the checks are interrupted and no more start.
 */
export const start = <A>(
  turns: BulkTurns.BulkTurns,
  batch: Batch,
  urls: ReadonlyArray<string>,
  resultOf: (url: string, outcomes: ReadonlyArray<Outcome>) => A
): Effect.Effect<Checks<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const checks: Array<ReturnType<Batch["add"]>> = []
    yield* BulkTurns.each(turns, urls, (url) => void checks.push(batch.add(url)))
    yield* batch.send
    const fork = yield* FiberSet.makeRuntime<never>()
    const anyEnded = yield* Effect.makeLatch()
    const toScore: Array<Ended<ReadonlyArray<Outcome>>> = []
    let ended: Array<Ended<A>> = []
    let started = 0
    let returned = 0
    let dealtWith = 0

    const score = ({ index, result }: Ended<ReadonlyArray<Outcome>>) => {
      const url = urls[index] ?? ""
      ended.push({
        index,
        result: Exit.flatMap(result, (outcomes) => BulkTurns.compute(() => resultOf(url, outcomes)))
      })
      anyEnded.unsafeOpen()
    }
    const check = (index: number, start: ReturnType<Batch["add"]>) => {
      const begun = BulkTurns.compute(start)
      if (Exit.isFailure(begun)) return score({ index, result: Exit.failCause(begun.cause) })
      if (hasEnded(begun.value)) return score({ index, result: begun.value })
      fork(begun.value).addObserver((result) => {
        toScore.push({ index, result })
        share.wake()
      })
    }
    const mayStart = () => started < checks.length && started - dealtWith < MAX_URLS_UNDER_WAY
    const step = () => {
      const next = toScore.shift()
      const start = checks[started]
      if (next !== undefined) score(next)
      else if (mayStart() && start !== undefined) check(started++, start)
      return toScore.length > 0 || mayStart()
    }
    const share = yield* Effect.acquireRelease(
      Effect.sync(() => turns.join(step)),
      ({ leave }) => Effect.sync(leave)
    )

    const take = Effect.sync(() => {
      const taken = ended
      ended = []
      returned += taken.length
      anyEnded.unsafeClose()
      return taken
    })
    return {
      next: Effect.suspend(() => {
        dealtWith = returned
        if (returned === checks.length) return Effect.succeed([])
        share.wake()
        return Effect.zipRight(anyEnded.await, take)
      })
    }
  })
