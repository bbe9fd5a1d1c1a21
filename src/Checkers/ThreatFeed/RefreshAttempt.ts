import { Cause, type Duration, Effect, Either, Option, Random } from "effect"
import type { FeedSlot } from "../../Layers/AppConfig.ts"
import { FeedError } from "./FeedError.ts"
import * as FeedRefresh from "./FeedRefresh.ts"
import * as FeedSchedule from "./FeedSchedule.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"
import * as RefreshMetrics from "./RefreshMetrics.ts"

export interface Feed extends FeedRefresh.Feed {
  readonly slot: FeedSlot
  readonly refresh: Duration.Duration
}

export interface RefreshOutcome {
  /** The snapshot to use from now on; None: the previous one. */
  readonly snapshot: Option.Option<FeedSnapshot>
  /** Why there is no newer list. */
  readonly error: Option.Option<FeedError>
  /** How many attempts in a row have failed. */
  readonly failures: number
  /** How long to send no request to the feed. */
  readonly wait: Duration.Duration
}

/**
 * Refreshes a feed once, counts the outcome in the metrics, and says how long to wait before the next attempt. Never fails:
 * a defect is logged and is an outcome too. Changes nothing: the caller settles the outcome.
 */
export const make = (feed: Feed) =>
  Effect.map(RefreshMetrics.make(feed.slot), (count) =>
    Effect.fnUntraced(function* (previous: Option.Option<FeedSnapshot>, failuresBefore: number) {
      const refreshed = yield* FeedRefresh.refresh(feed, previous).pipe(
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
            new FeedError({ reason: "Defect" })
          )
        ),
        Effect.either
      )
      const random = yield* Random.next
      if (Either.isRight(refreshed)) {
        const { refusal, snapshot } = refreshed.right
        count(refusal)
        return {
          snapshot: Option.some(snapshot),
          error: refusal,
          failures: 0,
          wait: FeedSchedule.afterAnswer(feed.refresh, random)
        } satisfies RefreshOutcome
      }
      const error = refreshed.left
      const failures = failuresBefore + 1
      count(Option.some(error))
      return {
        snapshot: Option.none(),
        error: Option.some(error),
        failures,
        wait: FeedSchedule.afterFailure(failures, feed.refresh, error.retryAfter ?? Option.none(), random)
      } satisfies RefreshOutcome
    })
  )

export type RefreshAttempt = Effect.Effect.Success<ReturnType<typeof make>>
