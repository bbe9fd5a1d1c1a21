import { Context, Effect, Layer, Option } from "effect"
import { AppConfig, type ReputationMode } from "../../Layers/AppConfig.ts"
import type { LastError } from "../ThreatFeed/FeedState.ts"
import type { ExpressionHash } from "./ExpressionHash.ts"

/**
 * What the threat lists together can say about a hash that none of them has.
 *
 * - `fresh`: each is younger than twice its wait.
 * - `stale`: one is older, none is older than 24 hours; or Google refuses one by its name, and the others are there.
 * - `unusable`: one is older than 24 hours or is missing.
 */
export type ListsAge = "fresh" | "stale" | "unusable"

/** The local lists as one lookup uses them, all of the same moment. */
export interface LocalLists {
  readonly age: ListsAge
  /** Whether a threat list has the hash's prefix. Not a finding: it has to be confirmed. */
  readonly hasThreat: (hash: ExpressionHash) => boolean
  /** Whether the global cache has the whole hash. False unless it and the threat lists are fresh, and in `local-list`. */
  readonly isLikelySafe: (hash: ExpressionHash) => boolean
}

/** What `/health/ready` and the metrics show of a list. Times are milliseconds since 1970. */
export interface HashListStatus {
  readonly name: string
  readonly entries: number
  /** When Google last answered for this list; undefined without a list. */
  readonly fetchedAt: number | undefined
  readonly isStale: boolean
  /** Not before this time. */
  readonly nextUpdateAt: number
  readonly lastError: Option.Option<LastError>
}

/** The local lists of Safe Browsing, which update themselves. No member waits for anything. */
export interface HashListsShape {
  /** The procedure of lookups: the configured one, or `no-storage` where no list can be used, as in a run of the command. */
  readonly mode: ReputationMode
  /** At a time in milliseconds since 1970. */
  readonly current: (now: number) => LocalLists
  readonly status: Effect.Effect<ReadonlyArray<HashListStatus>>
  /** Why a restart would start without these lists. */
  readonly saveError: Effect.Effect<Option.Option<LastError>>
}

export const noLists: LocalLists = { age: "unusable", hasThreat: () => false, isLikelySafe: () => false }

/** None without REPUTATION_API_KEY. */
export class HashLists extends Context.Tag("app/Checkers/HashLists")<
  HashLists,
  Option.Option<HashListsShape>
>() {
  static readonly layer: Layer.Layer<HashLists, never, AppConfig> = Layer.effect(
    HashLists,
    Effect.map(AppConfig, ({ reputation }) =>
      Option.map(reputation, ({ mode }) => ({
        mode,
        current: () => noLists,
        status: Effect.succeed([]),
        saveError: Effect.succeedNone
      }))
    )
  )
}
