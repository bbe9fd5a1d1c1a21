import { Clock, type Context, Duration, Effect, Fiber, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as ListLog from "../Lists/RefreshedList/ListLog.ts"
import * as RefreshedList from "../Lists/RefreshedList.ts"
import type * as Feed from "../Lists/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../Lists/ThreatFeed/FeedRefresh.ts"
import * as ThreatFeed from "../Lists/ThreatFeed.ts"
import * as ThreatFeeds from "../Lists/ThreatFeeds.ts"

/** Logs failures until `end`, which logs those of the network as one line: without a network each list has one. */
const makeLog = () => {
  const unreachable = new Map<string, string>()
  let hasEnded = false
  const log: Context.Tag.Service<typeof ListLog.ListLog> = {
    failed: (list, error, _wait, snapshot) =>
      Effect.suspend(() => {
        const text = list.failureText(error, Option.none(), snapshot)
        if (hasEnded) return Effect.void
        if (!ListLog.isOfNetwork(list, error)) return Effect.logWarning(text)
        unreachable.set(list.name, text)
        return Effect.void
      }),
    answered: () => Effect.void
  }
  const end = Effect.suspend(() => {
    hasEnded = true
    const [text, ...others] = unreachable.values()
    if (text === undefined) return Effect.void
    if (others.length === 0) return Effect.logWarning(text)
    const names = [...unreachable.keys()].sort().join(", ")
    return Effect.logWarning(`${unreachable.size} lists cannot be reached (no network?): ${names}`)
  })
  return { log, end }
}

/**
 * The four feeds and the ranking of one run of the command. Uses the list of the data directory unless it is stale; else
 * refreshes once and waits for that at most for `wait`, for all lists together. A list that arrives later is used from then on,
 * and saved for the next run. They are not shared with a fleet.
 */
export const layer = (wait: Duration.Duration) =>
  Layer.scoped(
    ThreatFeeds.ThreatFeeds,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const { end, log } = makeLog()
      /** The lists that are being refreshed, by their names. */
      const refreshing = new Map<string, Effect.Effect<void>>()

      const open = Effect.fnUntraced(
        function* (feed: Feed.Feed) {
          const definition = yield* FeedRefresh.definition(feed)
          const { refresh, state } = yield* RefreshedList.open(definition, config.dataDir)
          const threatFeed = ThreatFeed.fromState(feed, state)
          const current = threatFeed.current(yield* Clock.currentTimeMillis)
          if (!Option.exists(current, ({ isStale }) => !isStale)) {
            const fiber = yield* Effect.forkScoped(Effect.flatMap(refresh(0), state.applyRefresh))
            refreshing.set(
              feed.slot,
              Effect.asVoid(Fiber.await(fiber)).pipe(Effect.tap(() => refreshing.delete(feed.slot)))
            )
          }
          return threatFeed
        },
        (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name }),
        Effect.provideService(ListLog.ListLog, log)
      )

      const feeds = yield* ThreatFeeds.forEach(config, open)
      const names = () => [...refreshing.keys()].sort().join(", ")
      if (refreshing.size > 0) yield* Effect.logInfo(`Fetching ${names()}`)
      yield* Effect.all(refreshing.values(), { concurrency: "unbounded" }).pipe(Effect.timeoutOption(wait))
      yield* end
      if (refreshing.size > 0 && Duration.greaterThan(wait, Duration.zero))
        yield* Effect.logWarning(`${names()} did not arrive within ${Duration.format(wait)}`)
      return feeds
    })
  )
