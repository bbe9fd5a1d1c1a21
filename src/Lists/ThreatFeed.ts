import type { FileSystem } from "@effect/platform"
import { Clock, Context, Effect, Layer, Option, Record } from "effect"
import { AppConfig, type AppConfigShape, type ListSlot } from "../Layers/AppConfig.ts"
import type { RowCounts } from "./ListWorker/Messages.ts"
import type { ListWorker } from "./ListWorker.ts"
import * as ListSchedule from "./RefreshedList/ListSchedule.ts"
import * as RefreshedList from "./RefreshedList.ts"
import { SharedStore, type SharedStoreShape } from "./SharedStore.ts"
import { type Feed, fromConfig } from "./ThreatFeed/Feed.ts"
import * as FeedRefresh from "./ThreatFeed/FeedRefresh.ts"
import type { FeedSnapshot } from "./ThreatFeed/FeedSnapshot.ts"

/** The list that a check uses. */
export interface CurrentList extends Pick<FeedSnapshot, "list" | "fetchedAt"> {
  /** Whether it is older than three refresh intervals. Its findings count, but results must say that it is stale. */
  readonly isStale: boolean
}

/** The state of a feed in `/health/ready` and the metrics. */
export interface FeedStatus
  extends RefreshedList.ListStatus,
    RowCounts,
    Pick<RefreshedList.ListState<FeedSnapshot>, "saveError" | "nextAttemptAt"> {
  readonly sourceName: string
}

/** Of a feed without a list. */
export const noList = {
  entries: 0,
  skipped: 0,
  ignored: 0,
  firstSkipped: [],
  fetchedAt: undefined,
  isStale: false
} satisfies Partial<FeedStatus>

/** A feed, or the ranking of popular sites, that refreshes itself. */
export interface ThreatFeed {
  readonly sourceName: string
  /** The list at a time in milliseconds since 1970. None while there is no list. */
  readonly current: (now: number) => Option.Option<CurrentList>
  readonly status: Effect.Effect<FeedStatus>
}

/** Returns a feed, or the ranking, that reads the state of its list. */
export const fromState = (
  { refresh, source }: Feed,
  state: () => RefreshedList.ListState<FeedSnapshot>
): ThreatFeed => {
  const current = (now: number) =>
    Option.map(state().snapshot, ({ counts, fetchedAt, list }) => {
      const isStale = ListSchedule.isStale(fetchedAt, refresh, now)
      return { counts, fetchedAt, list, isStale }
    })
  return {
    sourceName: source.name,
    current,
    status: Effect.map(Clock.currentTimeMillis, (now) => {
      const { lastError, saveError, nextAttemptAt } = state()
      const shown = Option.match(current(now), {
        onNone: () => noList,
        onSome: ({ counts, list, ...age }) => ({ entries: list.header.entries, ...counts, ...age })
      })
      return { sourceName: source.name, ...shown, lastError, saveError, nextAttemptAt }
    })
  }
}

/** Starts a feed, or the ranking, in the scope: see `RefreshedList.start`. */
export const make = Effect.fn("ThreatFeed.make")(function* (
  feed: Feed,
  dataDirectory: string,
  store: Option.Option<SharedStoreShape>
) {
  return fromState(feed, yield* RefreshedList.start(FeedRefresh.definition(feed), dataDirectory, store))
})

/** The four feeds, the ranking of popular sites and the list of new domains, by slot. None: the slot is off. */
export type ThreatFeedsShape = Readonly<Record<ListSlot, Option.Option<ThreatFeed>>>

/** Opens the lists of all slots that are on, concurrently. */
export const forEach = <E, R>(
  { feeds, newDomains, popular }: Pick<AppConfigShape, "feeds" | "newDomains" | "popular">,
  open: (feed: Feed) => Effect.Effect<ThreatFeed, E, R>
): Effect.Effect<ThreatFeedsShape, E, R> =>
  Effect.all(
    // The ranking first: without it, mistakes of feeds about popular sites count in full.
    Record.map({ popular, new_domains: newDomains, ...feeds }, (config) =>
      Effect.transposeMapOption(fromConfig(config), open)
    ),
    { concurrency: "unbounded" }
  )

export class ThreatFeeds extends Context.Tag("app/Lists/ThreatFeeds")<ThreatFeeds, ThreatFeedsShape>() {
  /** Reads the data directory first. Does not wait for a download or the database. */
  static readonly layer: Layer.Layer<
    ThreatFeeds,
    never,
    AppConfig | ListWorker | FileSystem.FileSystem | SharedStore
  > = Layer.scoped(
    ThreatFeeds,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const store = yield* SharedStore
      return yield* forEach(config, (feed) => make(feed, config.dataDir, store))
    })
  )
}
