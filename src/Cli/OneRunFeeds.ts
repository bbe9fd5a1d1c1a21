import { Clock, Duration, Effect, Fiber, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { ListError } from "../Lists/ListError.ts"
import * as RefreshedList from "../Lists/RefreshedList.ts"
import { failureText, isFile, isUnreachable } from "../Lists/ThreatFeed/FailureText.ts"
import type * as Feed from "../Lists/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../Lists/ThreatFeed/FeedRefresh.ts"
import * as ThreatFeed from "../Lists/ThreatFeed.ts"

/** A list that could not be refreshed. */
interface Failure {
  readonly name: string
  readonly text: string
  readonly isUnreachable: boolean
}

/** One line for each cause: without a network each list has the same. */
const linesOf = (failures: ReadonlyArray<Failure>): ReadonlyArray<string> => {
  const unreachable = failures.filter(({ isUnreachable }) => isUnreachable)
  const others = failures.filter(({ isUnreachable }) => !isUnreachable)
  const names = unreachable.map(({ name }) => name).sort()
  const line = `${names.length} lists cannot be reached (no network?): ${names.join(", ")}`
  return [
    ...others.map(({ text }) => text),
    ...(names.length > 1 ? [line] : unreachable.map(({ text }) => text))
  ]
}

/**
 * The feeds and the ranking of one run of the command. Uses the list of the data directory unless it is stale, or of a file,
 * which may have changed: then refreshes once and waits for that at most for `wait`, for all lists together. A list that arrives
 * later is used from then on, and saved for the next run. They are not shared with a fleet.
 */
export const layer = (wait: Duration.Duration) =>
  Layer.scoped(
    ThreatFeed.ThreatFeeds,
    Effect.gen(function* () {
      const config = yield* AppConfig
      /** Only those that happen during the wait are logged. */
      const failures: Array<Failure> = []
      const note = (feed: Feed.Feed) => (error: ListError) =>
        Effect.sync(() => {
          const text = failureText(feed, error, Option.none())
          failures.push({ name: feed.slot, text, isUnreachable: isUnreachable(feed, error) })
        })
      /** The lists that are being refreshed, by their names. */
      const refreshing = new Map<string, Effect.Effect<void>>()

      const open = Effect.fnUntraced(
        function* (feed: Feed.Feed) {
          const { get, refresh, save } = yield* RefreshedList.open(
            FeedRefresh.definition(feed),
            config.dataDir
          )
          const list = () => Option.getOrUndefined(get().snapshot)?.list
          const before = list()
          const threatFeed = ThreatFeed.fromState(feed, get)
          const current = threatFeed.current(yield* Clock.currentTimeMillis)
          if (isFile(feed) || !Option.exists(current, ({ isStale }) => !isStale)) {
            const fiber = yield* Effect.forkScoped(
              // Not again what has not changed.
              Effect.zipRight(
                refresh(note(feed)),
                Effect.when(save, () => get().failures === 0 && !(isFile(feed) && list() === before))
              )
            )
            refreshing.set(
              feed.slot,
              Effect.asVoid(Fiber.await(fiber)).pipe(Effect.tap(() => refreshing.delete(feed.slot)))
            )
          }
          return threatFeed
        },
        (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name })
      )

      const feeds = yield* ThreatFeed.forEach(config, open)
      const names = () => [...refreshing.keys()].sort().join(", ")
      if (refreshing.size > 0) yield* Effect.logInfo(`Fetching ${names()}`)
      yield* Effect.all(refreshing.values(), { concurrency: "unbounded" }).pipe(Effect.timeoutOption(wait))
      if (!Duration.greaterThan(wait, Duration.zero)) return feeds
      for (const line of linesOf(failures)) yield* Effect.logWarning(line)
      if (refreshing.size > 0)
        yield* Effect.logWarning(`${names()} did not arrive within ${Duration.format(wait)}`)
      return feeds
    })
  )
