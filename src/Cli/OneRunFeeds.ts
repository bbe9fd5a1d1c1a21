import { Clock, type Duration, Effect, Fiber, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as RefreshedList from "../Lists/RefreshedList.ts"
import type * as Feed from "../Lists/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../Lists/ThreatFeed/FeedRefresh.ts"
import * as ThreatFeed from "../Lists/ThreatFeed.ts"
import * as ThreatFeeds from "../Lists/ThreatFeeds.ts"

/**
 * A feed, or the ranking, for one run of the command. Uses the list of the data directory unless it is stale; else refreshes
 * once and waits for that at most for `wait`. A list that arrives later is used from then on, and saved for the next run.
 */
const make = Effect.fnUntraced(
  function* (feed: Feed.Feed, dataDirectory: string, wait: Duration.Duration) {
    const { refresh, state } = yield* RefreshedList.open(yield* FeedRefresh.definition(feed), dataDirectory)
    const threatFeed = ThreatFeed.fromState(feed, state)
    const current = threatFeed.current(yield* Clock.currentTimeMillis)
    if (Option.exists(current, ({ isStale }) => !isStale)) return threatFeed
    yield* Effect.logInfo("Fetching a threat list")
    const refreshing = yield* Effect.forkScoped(
      Effect.flatMap(refresh(0), (refreshed) => state.applyRefresh(refreshed, false))
    )
    if (Option.isNone(yield* Effect.timeoutOption(Fiber.await(refreshing), wait)))
      yield* Effect.logWarning("A threat list did not arrive in time")
    return threatFeed
  },
  (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name })
)

/** The four feeds and the ranking of one run, fetched at the same time. They are not shared with a fleet. */
export const layer = (wait: Duration.Duration) =>
  Layer.scoped(
    ThreatFeeds.ThreatFeeds,
    Effect.flatMap(AppConfig, (config) =>
      ThreatFeeds.forEach(config, (feed) => make(feed, config.dataDir, wait))
    )
  )
