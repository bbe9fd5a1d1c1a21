import type { FileSystem, Path } from "@effect/platform"
import { Context, Effect, Layer, Option, Record } from "effect"
import { AppConfig, type AppConfigShape, type FeedConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import { SharedStore } from "../Layers/SharedStore.ts"
import type * as FeedKeeper from "./ThreatFeed/FeedKeeper.ts"
import * as FeedSource from "./ThreatFeed/FeedSource.ts"
import * as SharedLists from "./ThreatFeed/Fleet/SharedLists.ts"
import type { FeedWorker } from "./ThreatFeed/Worker/FeedWorker.ts"
import * as ThreatFeed from "./ThreatFeed.ts"

/** The four feeds by slot; None where the operator switched the slot off. */
export type ThreatFeedsShape = Readonly<Record<FeedSlot, Option.Option<ThreatFeed.ThreatFeed>>>

const feedOf = ({ address, ...config }: FeedConfig): Option.Option<FeedKeeper.Feed> =>
  Option.map(address, (url) => ({ ...config, url, source: FeedSource.of(config.format, url) }))

/** Makes the feeds of the slots that are on, all at once. */
export const forEach = <E, R>(
  feeds: AppConfigShape["feeds"],
  make: (feed: FeedKeeper.Feed) => Effect.Effect<ThreatFeed.ThreatFeed, E, R>
): Effect.Effect<ThreatFeedsShape, E, R> =>
  Effect.all(
    Record.map(feeds, (config) => Effect.transposeMapOption(feedOf(config), make)),
    { concurrency: "unbounded" }
  )

export class ThreatFeeds extends Context.Tag("app/Checkers/ThreatFeeds")<ThreatFeeds, ThreatFeedsShape>() {
  /** Waits for the lists in the data directory, not for any feed and not for the database. */
  static readonly layer: Layer.Layer<
    ThreatFeeds,
    never,
    AppConfig | FeedWorker | FileSystem.FileSystem | Path.Path | SharedStore
  > = Layer.scoped(
    ThreatFeeds,
    Effect.gen(function* () {
      const { feeds, dataDir } = yield* AppConfig
      const lists = yield* Effect.transposeMapOption(yield* SharedStore, (store) =>
        SharedLists.make(
          store,
          Object.values(feeds).flatMap((config) => Option.toArray(feedOf(config)))
        )
      )
      return yield* forEach(feeds, (feed) =>
        ThreatFeed.make(
          feed,
          dataDir,
          Option.flatMapNullable(lists, (lists) => lists.get(feed.slot))
        )
      )
    })
  )
}
