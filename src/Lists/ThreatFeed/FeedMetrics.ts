import { Clock, Effect, Option } from "effect"
import type { ListSlot } from "../../Layers/AppConfig.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import { type FeedError, reasons } from "./FeedError.ts"
import type { FeedStatus } from "./FeedState.ts"

const MILLIS_PER_SECOND = 1000

/** Yields an effect that updates the gauges of a feed's list: its size and age. */
export const gauges = (feed: ListSlot, status: Effect.Effect<FeedStatus>) =>
  Effect.map(Metrics, ({ gauge }) => {
    const entries = gauge("threat_scoring_feed_entries", "Distinct URLs and hosts on the list", { feed })
    const age = gauge(
      "threat_scoring_feed_age_seconds",
      "Seconds since the feed last confirmed the list; NaN while there is no list",
      { feed }
    )
    const stale = gauge("threat_scoring_feed_stale", "1 if the list is older than three refresh intervals", {
      feed
    })
    return Effect.zipWith(status, Clock.currentTimeMillis, ({ current }, now) => {
      entries.update(Option.match(current, { onNone: () => 0, onSome: ({ entries }) => entries }))
      age.update(
        Option.match(current, {
          onNone: () => Number.NaN,
          onSome: ({ fetchedAt }) => (now - fetchedAt) / MILLIS_PER_SECOND
        })
      )
      stale.update(Option.exists(current, ({ isStale }) => isStale) ? 1 : 0)
    })
  })

/** Yields a function that counts one refresh: without an error as a success, else by the reason. */
export const refreshCounter = (feed: ListSlot) =>
  Effect.map(Metrics, ({ counter }) => {
    const refreshes = counter("threat_scoring_feed_refreshes_total", "Successful refreshes", { feed })
    const failures = new Map(
      reasons.map((reason) => [
        reason,
        counter("threat_scoring_feed_failures_total", "Failed or refused refreshes", { feed, reason })
      ])
    )
    return Option.match<void, FeedError>({
      onNone: () => refreshes.update(1),
      onSome: ({ reason }) => failures.get(reason)?.update(1)
    })
  })
