import type { Duration, Effect } from "effect"
import type { CacheEntry, Count } from "../Cache.ts"
import type { CacheError } from "../Database/CacheError.ts"

/** The operations of a cache database. After a CacheError it is unknown whether the command was executed. */
export interface RemoteCache {
  /** The entries that exist, each with the time that it has left to live. Needs at least one key. */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<CacheEntry>, CacheError>
  /** Needs at least one entry. */
  readonly setMany: (entries: ReadonlyArray<CacheEntry>) => Effect.Effect<void, CacheError>
  /** `add` of the cache as one atomic command: what concurrent amounts of any number of replicas add up to is exact. */
  readonly add: (
    key: string,
    amount: number,
    window: Duration.Duration,
    limit: number
  ) => Effect.Effect<Count, CacheError>
}
