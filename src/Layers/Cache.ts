import { Context, type Duration, type Effect, type Option } from "effect"

export interface CacheEntry {
  readonly key: string
  readonly value: string
  /** Finite. An entry with no time left is not stored. */
  readonly timeToLive: Duration.Duration
}

/** A counter, as `add` returns it. */
export interface Count {
  /** The value before, plus the amount, also if that is over the limit and only one was added. */
  readonly current: number
  /** Until the counter starts again at zero. */
  readonly resetAfter: Duration.Duration
}

/** The store in use, for health. Known from the last command: reading it sends none. */
export type CacheStatus = "in-process" | "shared" | "shared (unreachable, in-process meanwhile)"

/**
 * Short-lived values and counters, shared by all replicas when a cache database is configured.
 *
 * No operation fails: while the database is down, slow or returns invalid data, the memory of this process is used;
 * the outage is logged once and shown by `status`. None takes longer than a command, `CACHE_TIMEOUT`. Every value expires.
 */
export interface CacheShape {
  /**
   * One element for each key, in order; None for a key that is not stored. Reads memory first, then the database for the
   * missing keys, in one command.
   */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Option.Option<string>>>
  /** Reads the memory of this process only; synchronous. */
  readonly peekMany: (keys: ReadonlyArray<string>) => ReadonlyArray<Option.Option<string>>
  readonly setMany: (entries: ReadonlyArray<CacheEntry>) => Effect.Effect<void>
  /**
   * Adds `amount`, an integer of at least 1, to a counter if that makes at most `limit`, else adds one. The counter's fixed
   * window starts with the first amount and ends `window` later.
   *
   * With a database, the count is the larger of the database's and this process's. A counter that has reached `limit` is
   * counted here only, until its window ends: then the count is exact for one replica, and a lower bound in a fleet. So is it
   * during an outage, when counting continues from the last count that the database returned. After an outage or a loss of
   * data, concurrent amounts above 1 may add up to more than `limit`, until the window ends.
   *
   * Interruption waits for the command, at most `CACHE_TIMEOUT`.
   */
  readonly add: (
    key: string,
    amount: number,
    window: Duration.Duration,
    limit: number
  ) => Effect.Effect<Count>
  readonly status: Effect.Effect<CacheStatus>
}

/** The port. `Cache/ConfiguredCache.ts` chooses the implementation. */
export class Cache extends Context.Tag("app/Layers/Cache")<Cache, CacheShape>() {}
