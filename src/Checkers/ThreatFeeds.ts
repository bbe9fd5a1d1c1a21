import type { FileSystem, Path } from "@effect/platform"
import { Context, Effect, Layer, Option, Record } from "effect"
import { AppConfig, type AppConfigShape, type FeedConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import { SharedStore } from "../Layers/SharedStore.ts"
import * as FeedSource from "./ThreatFeed/FeedSource.ts"
import type { FeedWorker } from "./ThreatFeed/FeedWorker.ts"
import * as ThreatFeed from "./ThreatFeed.ts"

/** The four feeds by slot. None: the operator has switched the slot off. */
export type ThreatFeedsShape = Readonly<Record<FeedSlot, Option.Option<ThreatFeed.ThreatFeed>>>

const feedOf = ({ address, ...config }: FeedConfig): Option.Option<ThreatFeed.Feed> =>
  Option.map(address, (url) => ({ ...config, url, source: FeedSource.of(config.format, url) }))

/** Makes the feeds of all slots that are on, concurrently. */
export const forEach = <E, R>(
  feeds: AppConfigShape["feeds"],
  make: (feed: ThreatFeed.Feed) => Effect.Effect<ThreatFeed.ThreatFeed, E, R>
): Effect.Effect<ThreatFeedsShape, E, R> =>
  Effect.all(
    Record.map(feeds, (config) => Effect.transposeMapOption(feedOf(config), make)),
    { concurrency: "unbounded" }
  )

export class ThreatFeeds extends Context.Tag("app/Checkers/ThreatFeeds")<ThreatFeeds, ThreatFeedsShape>() {
  /** Waits until the data directory is read, and for no feed and no database. */
  static readonly layer: Layer.Layer<
    ThreatFeeds,
    never,
    AppConfig | FeedWorker | FileSystem.FileSystem | Path.Path | SharedStore
  > = Layer.scoped(
    ThreatFeeds,
    Effect.gen(function* () {
      const { feeds, dataDir } = yield* AppConfig
      const store = yield* SharedStore
      return yield* forEach(feeds, (feed) => ThreatFeed.make(feed, dataDir, store))
    })
  )
}
