import { Clock, Effect, Option } from "effect"
import type { FeedSlot } from "../../Layers/AppConfig.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import type { ThreatFeed } from "../ThreatFeed.ts"

const MILLIS_PER_SECOND = 1000

/** Updates the gauges of a feed's list: its size and age. */
export const make = (feed: FeedSlot, { status }: ThreatFeed) =>
  Effect.map(Metrics, ({ gauge }) => {
    const entries = gauge("threat_scoring_feed_entries", "Distinct URLs and hosts on the list", { feed })
    const age = gauge(
      "threat_scoring_feed_age_seconds",
      "Since the list was last the feed's answer; NaN while there is none",
      { feed }
    )
    const stale = gauge("threat_scoring_feed_stale", "1 for a list older than three refresh intervals", {
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
