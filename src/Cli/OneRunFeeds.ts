import { Clock, Context, type Duration, Effect, Fiber, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { PopularRanking } from "../Lists/PopularSites/PopularRanking.ts"
import * as Feed from "../Lists/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../Lists/ThreatFeed/FeedRefresh.ts"
import * as FeedState from "../Lists/ThreatFeed/FeedState.ts"
import * as ThreatFeed from "../Lists/ThreatFeed.ts"
import * as ThreatFeeds from "../Lists/ThreatFeeds.ts"

/**
 * A feed, or the ranking, for one run of the command, and an effect that waits for its list. Uses the list of the data
 * directory unless it is stale; else refreshes once and waits for that at most for `wait`. A list that arrives later is used
 * from then on, and saved for the next run.
 */
const make = Effect.fnUntraced(
  function* (
    feed: Feed.Feed,
    dataDirectory: string,
    wait: Duration.Duration,
    ranking: Option.Option<FeedRefresh.Ranking>
  ) {
    const state = yield* FeedState.make(feed, dataDirectory)
    const threatFeed = ThreatFeed.fromState(feed, state)
    const current = threatFeed.current(yield* Clock.currentTimeMillis)
    if (Option.exists(current, ({ isStale }) => !isStale)) return { threatFeed, arrival: Effect.void }
    yield* Effect.logInfo("Fetching a threat list")
    const refresh = yield* FeedRefresh.make(feed, ranking)
    const refreshing = yield* Effect.forkScoped(
      Effect.flatMap(refresh(state.get().snapshot, 0), state.settle)
    )
    const arrival = Effect.flatMap(
      Effect.timeoutOption(Fiber.await(refreshing), wait),
      Option.match({
        onNone: () => Effect.logWarning("A threat list did not arrive in time"),
        onSome: () => Effect.void
      })
    )
    return { threatFeed, arrival: annotated(arrival, feed) }
  },
  (effect, feed) => annotated(effect, feed)
)

const annotated = <A, E, R>(effect: Effect.Effect<A, E, R>, { slot, source }: Feed.Feed) =>
  Effect.annotateLogs(effect, { feed: slot, source: source.name })

/** The four feeds and the ranking of one run, fetched at the same time. They are not shared with a fleet. */
export const layer = (wait: Duration.Duration) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { feeds, popular, dataDir } = yield* AppConfig
      const started = yield* Effect.transposeMapOption(Feed.fromConfig(popular), (feed) =>
        make(feed, dataDir, wait, Option.none())
      )
      const ranking = Option.map(started, ({ threatFeed }) => threatFeed)
      // The rows about popular sites are counted for health only: no feed waits for a late ranking here.
      const rankingNow = Option.map(ranking, (ranking) => ({ ...ranking, firstAttempt: Effect.void }))
      const untilRanking = Option.match(started, {
        onNone: () => Effect.void,
        onSome: ({ arrival }) => arrival
      })
      const [threatFeeds] = yield* Effect.all(
        [
          ThreatFeeds.forEach(feeds, (feed) =>
            Effect.tap(make(feed, dataDir, wait, rankingNow), ({ arrival }) => arrival).pipe(
              Effect.map(({ threatFeed }) => threatFeed)
            )
          ),
          untilRanking
        ],
        { concurrency: "unbounded" }
      )
      return Context.make(ThreatFeeds.ThreatFeeds, threatFeeds).pipe(Context.add(PopularRanking, ranking))
    })
  )
