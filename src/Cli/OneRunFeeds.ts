import { Clock, type Duration, Effect, Fiber, Layer, Option } from "effect"
import type { Feed } from "../Checkers/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../Checkers/ThreatFeed/FeedRefresh.ts"
import * as FeedState from "../Checkers/ThreatFeed/FeedState.ts"
import * as ThreatFeed from "../Checkers/ThreatFeed.ts"
import * as ThreatFeeds from "../Checkers/ThreatFeeds.ts"
import { AppConfig } from "../Layers/AppConfig.ts"

/**
 * A feed for one run of the command. Uses the list of the data directory unless it is stale; else refreshes once and waits
 * for that at most for `wait`. A list that arrives later is used from then on, and saved for the next run.
 */
const make = Effect.fnUntraced(function* (feed: Feed, dataDirectory: string, wait: Duration.Duration) {
  const state = yield* FeedState.make(feed, dataDirectory)
  const threatFeed = ThreatFeed.fromState(feed, state)
  const current = threatFeed.current(yield* Clock.currentTimeMillis)
  if (Option.exists(current, ({ isStale }) => !isStale)) return threatFeed
  yield* Effect.logInfo("Fetching a threat list")
  const refresh = yield* FeedRefresh.make(feed)
  const refreshing = yield* Effect.forkScoped(Effect.flatMap(refresh(state.get().snapshot, 0), state.settle))
  const inTime = yield* Effect.timeoutOption(Fiber.await(refreshing), wait)
  if (Option.isNone(inTime)) yield* Effect.logWarning("A threat list did not arrive in time")
  return threatFeed
})

/** The four feeds of one run. They are not shared with a fleet. */
export const layer = (wait: Duration.Duration) =>
  Layer.scoped(
    ThreatFeeds.ThreatFeeds,
    Effect.gen(function* () {
      const { feeds, dataDir } = yield* AppConfig
      return yield* ThreatFeeds.forEach(feeds, (feed) =>
        Effect.annotateLogs(make(feed, dataDir, wait), { feed: feed.slot, source: feed.source.name })
      )
    })
  )
