import { Effect, Option } from "effect"
import type { FeedSlot } from "../../Layers/AppConfig.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import { type FeedError, reasons } from "./FeedError.ts"

/** Counts refreshes of a feed, and failed ones by reason. None: refreshed. */
export const make = (feed: FeedSlot) =>
  Effect.map(Metrics, ({ counter }) => {
    const refreshes = counter("threat_scoring_feed_refreshes_total", "Answers of the feed that were taken", {
      feed
    })
    const failures = new Map(
      reasons.map((reason) => [
        reason,
        counter("threat_scoring_feed_failures_total", "Attempts that brought nothing to take", {
          feed,
          reason
        })
      ])
    )
    return Option.match<void, FeedError>({
      onNone: () => refreshes.update(1),
      onSome: ({ reason }) => failures.get(reason)?.update(1)
    })
  })
