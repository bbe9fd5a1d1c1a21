import type { FileSystem, Path } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import { AppConfig, type FeedConfig, type FeedSlot } from "../Layers/AppConfig.ts"
import { SharedStore } from "../Layers/SharedStore.ts"
import * as FeedSource from "./ThreatFeed/FeedSource.ts"
import type { FeedWorker } from "./ThreatFeed/FeedWorker.ts"
import * as SharedLists from "./ThreatFeed/SharedLists.ts"
import * as ThreatFeed from "./ThreatFeed.ts"

/** The four feeds by slot; None where the operator switched the slot off. */
export type ThreatFeedsShape = Readonly<Record<FeedSlot, Option.Option<ThreatFeed.ThreatFeed>>>

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
      const feedOf = ({ address, ...config }: FeedConfig) =>
        Option.map(address, (url) => ({ ...config, url, source: FeedSource.of(config.format, url) }))
      const lists = yield* Effect.transposeMapOption(yield* SharedStore, (store) =>
        SharedLists.make(
          store,
          Object.values(feeds).flatMap((config) => Option.toArray(feedOf(config)))
        )
      )
      const start = (config: FeedConfig) =>
        Effect.transposeMapOption(feedOf(config), (feed) =>
          ThreatFeed.make(
            feed,
            dataDir,
            Option.flatMapNullable(lists, (lists) => lists.get(feed.slot))
          )
        )
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
}
