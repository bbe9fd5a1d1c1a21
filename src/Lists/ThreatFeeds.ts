import type { FileSystem } from "@effect/platform"
import { Context, Effect, Layer, type Option, Record } from "effect"
import { AppConfig, type AppConfigShape, type ListSlot } from "../Layers/AppConfig.ts"
import type { ListWorker } from "./ListWorker.ts"
import { SharedStore } from "./SharedStore.ts"
import * as Feed from "./ThreatFeed/Feed.ts"
import * as ThreatFeed from "./ThreatFeed.ts"

/** The four feeds, the ranking of popular sites and the list of new domains, by slot. None: the slot is off. */
export type ThreatFeedsShape = Readonly<Record<ListSlot, Option.Option<ThreatFeed.ThreatFeed>>>

/** Makes the feeds of all slots that are on, and the ranking, concurrently. */
export const forEach = <E, R>(
  { feeds, newDomains, popular }: Pick<AppConfigShape, "feeds" | "newDomains" | "popular">,
  make: (feed: Feed.Feed) => Effect.Effect<ThreatFeed.ThreatFeed, E, R>
): Effect.Effect<ThreatFeedsShape, E, R> =>
  Effect.all(
    // The ranking first: without it a feed's mistakes about popular sites count in full.
    Record.map({ popular, new_domains: newDomains, ...feeds }, (config) =>
      Effect.transposeMapOption(Feed.fromConfig(config), make)
    ),
    { concurrency: "unbounded" }
  )

export class ThreatFeeds extends Context.Tag("app/Lists/ThreatFeeds")<ThreatFeeds, ThreatFeedsShape>() {
  /** Waits for the data directory to be read, not for a feed or the database. */
  static readonly layer: Layer.Layer<
    ThreatFeeds,
    never,
    AppConfig | ListWorker | FileSystem.FileSystem | SharedStore
  > = Layer.scoped(
    ThreatFeeds,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const store = yield* SharedStore
      return yield* forEach(config, (feed) => ThreatFeed.make(feed, config.dataDir, store))
    })
  )
}
