import { type Duration, Effect, Fiber, Layer, Option } from "effect"
import * as FeedKeeper from "../Checkers/ThreatFeed/FeedKeeper.ts"
import * as FeedSource from "../Checkers/ThreatFeed/FeedSource.ts"
import * as ThreatFeed from "../Checkers/ThreatFeed.ts"
import { ThreatFeeds } from "../Checkers/ThreatFeeds.ts"
import { AppConfig, type FeedConfig } from "../Layers/AppConfig.ts"

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
  const held = yield* threatFeed.held
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
    ThreatFeeds,
    Effect.gen(function* () {
      const { feeds, dataDir } = yield* AppConfig
      const start = ({ address, ...config }: FeedConfig) =>
        Effect.transposeMapOption(address, (url) => {
          const source = FeedSource.of(config.format, url)
          return Effect.annotateLogs(make({ ...config, url, source }, dataDir, wait), {
            feed: config.slot,
            source: source.name
          })
        })
      return yield* Effect.all(
        {
          feed_a: start(feeds.feed_a),
          feed_b: start(feeds.feed_b),
          feed_c: start(feeds.feed_c),
          feed_d: start(feeds.feed_d)
        },
        { concurrency: "unbounded" }
      )
    })
  )
