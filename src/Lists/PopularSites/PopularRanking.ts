import type { FileSystem, Path } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import type { ListWorker } from "../ListWorker.ts"
import { SharedStore } from "../SharedStore.ts"
import * as Feed from "../ThreatFeed/Feed.ts"
import * as ThreatFeed from "../ThreatFeed.ts"

/** None: the operator has switched it off. */
export class PopularRanking extends Context.Tag("app/Checkers/PopularRanking")<
  PopularRanking,
  Option.Option<ThreatFeed.Ranking>
>() {
  static readonly off = Layer.succeed(PopularRanking, Option.none())

  /** Waits for the data directory to be read, not for the ranking or the database. */
  static readonly layer: Layer.Layer<
    PopularRanking,
    never,
    AppConfig | ListWorker | FileSystem.FileSystem | Path.Path | SharedStore
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
