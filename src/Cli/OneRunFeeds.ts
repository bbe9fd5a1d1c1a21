import { Clock, type Duration, Effect, Fiber, Layer, Option } from "effect"
import * as FeedKeeper from "../Checkers/ThreatFeed/FeedKeeper.ts"
import * as ThreatFeed from "../Checkers/ThreatFeed.ts"
import * as ThreatFeeds from "../Checkers/ThreatFeeds.ts"
import { AppConfig } from "../Layers/AppConfig.ts"

/**
 * The feed for a run that may be over in a moment and be repeated at once. A list of the data directory that is not stale
 * will do, and nobody is asked. Else the feed is asked once, which `wait` is waited for; a list that comes later is used
 * from then on, and kept for the next run.
 */
const make = Effect.fnUntraced(function* (
  feed: FeedKeeper.Feed,
  dataDirectory: string,
  wait: Duration.Duration
) {
  const keeper = yield* FeedKeeper.make(feed, dataDirectory)
  const threatFeed = ThreatFeed.of(feed, keeper)
  const held = threatFeed.held(yield* Clock.currentTimeMillis)
  if (Option.exists(held, ({ isStale }) => !isStale)) return threatFeed
  yield* Effect.logInfo("Fetching a threat list")
  const asked = yield* Effect.forkScoped(Effect.flatMap(keeper.ask(0), keeper.settle))
  const inTime = yield* Effect.timeoutOption(Fiber.await(asked), wait)
  if (Option.isNone(inTime)) yield* Effect.logWarning("A threat list did not come in time")
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
