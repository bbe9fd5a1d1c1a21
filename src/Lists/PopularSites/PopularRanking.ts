import type { FileSystem, Path } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { SharedStore } from "../SharedStore.ts"
import * as Feed from "../ThreatFeed/Feed.ts"
import type * as FeedRefresh from "../ThreatFeed/FeedRefresh.ts"
import type { FeedWorker } from "../ThreatFeed/FeedWorker.ts"
import * as ThreatFeed from "../ThreatFeed.ts"

/** The ranking of popular domains, refreshed like a feed. */
export interface Ranking extends FeedRefresh.Ranking, Pick<ThreatFeed.ThreatFeed, "status"> {}

/** None: the operator has switched it off. */
export class PopularRanking extends Context.Tag("app/Checkers/PopularRanking")<
  PopularRanking,
  Option.Option<Ranking>
>() {
  static readonly off = Layer.succeed(PopularRanking, Option.none())

  /** Waits for the data directory to be read, not for the ranking or the database. */
  static readonly layer: Layer.Layer<
    PopularRanking,
    never,
    AppConfig | FeedWorker | FileSystem.FileSystem | Path.Path | SharedStore
  > = Layer.scoped(
    PopularRanking,
    Effect.gen(function* () {
      const { popular, dataDir } = yield* AppConfig
      const store = yield* SharedStore
      return yield* Effect.transposeMapOption(Feed.fromConfig(popular), (feed) =>
        ThreatFeed.make(feed, dataDir, store)
      )
    })
  )
}
