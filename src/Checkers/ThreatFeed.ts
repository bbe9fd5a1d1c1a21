import { Clock, Duration, Effect, Option, Random, Ref } from "effect"
import * as BackgroundLoop from "../Layers/BackgroundLoop.ts"
import type { SharedStoreShape } from "../Layers/SharedStore.ts"
import * as FeedSchedule from "./ThreatFeed/FeedSchedule.ts"
import type { FeedSnapshot } from "./ThreatFeed/FeedSnapshot.ts"
import * as FeedState from "./ThreatFeed/FeedState.ts"
import type { FeedStatus } from "./ThreatFeed/FeedStatus.ts"
import * as SharedFeed from "./ThreatFeed/Fleet/SharedFeed.ts"
import * as FleetLoop from "./ThreatFeed/Fleet.ts"
import * as RefreshAttempt from "./ThreatFeed/RefreshAttempt.ts"
import type { ThreatList } from "./ThreatList.ts"

export type { Feed } from "./ThreatFeed/RefreshAttempt.ts"

/** The list that a check uses. */
export interface CurrentList {
  readonly list: ThreatList
  /** When the feed last answered with its document; milliseconds since 1970. */
  readonly fetchedAt: number
  /** Older than three refresh intervals. Its findings count; a result must say that it is stale. */
  readonly isStale: boolean
}

/** A feed that refreshes itself. Neither member waits for anything. */
export interface ThreatFeed {
  readonly sourceName: string
  /** At a time in milliseconds since 1970. None while there is no list. */
  readonly current: (now: number) => Option.Option<CurrentList>
  readonly status: Effect.Effect<FeedStatus>
}

/** A feed as its state shows it. */
export const fromState = (feed: RefreshAttempt.Feed, state: FeedState.FeedStateRef): ThreatFeed => {
  const isStale = ({ fetchedAt }: FeedSnapshot, now: number) =>
    FeedSchedule.isStale(fetchedAt, feed.refresh, now)

  return {
    sourceName: feed.source.name,
    current: (now) =>
      Option.map(state.get().snapshot, (snapshot) => ({
        list: snapshot.list,
        fetchedAt: snapshot.fetchedAt,
        isStale: isStale(snapshot, now)
      })),
    status: Effect.map(Clock.currentTimeMillis, (now) => {
      const { snapshot, refreshError, saveError } = state.get()
      return {
        sourceName: feed.source.name,
        current: Option.map(snapshot, (snapshot) => ({
          entries: snapshot.list.header.entries,
          ...snapshot.counts,
          fetchedAt: snapshot.fetchedAt,
          isStale: isStale(snapshot, now)
        })),
        refreshError,
        saveError
      }
    })
  }
}

/** Refreshes a feed whenever it is due. */
const forkAlone = Effect.fnUntraced(function* (
  feed: RefreshAttempt.Feed,
  state: FeedState.FeedStateRef,
  attempt: RefreshAttempt.RefreshAttempt,
  untilFirst: Duration.Duration
) {
  const next = yield* Ref.make({ failures: 0, wait: untilFirst })
  return yield* BackgroundLoop.fork(
    feed.slot,
    Effect.gen(function* () {
      const { failures, wait } = yield* Ref.get(next)
      yield* Effect.sleep(wait)
      const outcome = yield* attempt(state.get().snapshot, failures)
      yield* Ref.set(next, outcome)
      yield* state.settle(outcome)
    })
  )
})

/**
 * Starts a feed in the background of the scope: with the list of the data directory, if there is one, and a refresh whenever
 * one is due, by this replica or, with a shared store, by any replica of the fleet. After an error the last good list stays.
 */
export const make = Effect.fn("ThreatFeed.make")(
  function* (feed: RefreshAttempt.Feed, dataDirectory: string, store: Option.Option<SharedStoreShape>) {
    const state = yield* FeedState.make(feed, dataDirectory)
    const attempt = yield* RefreshAttempt.make(feed)
    const { snapshot } = state.get()
    const untilFirst = Option.isNone(snapshot)
      ? Duration.zero
      : FeedSchedule.afterRestart(
          snapshot.value.answeredAt,
          feed.refresh,
          yield* Clock.currentTimeMillis,
          yield* Random.next
        )
    yield* Option.match(store, {
      onNone: () => forkAlone(feed, state, attempt, untilFirst),
      onSome: (store) => FleetLoop.fork(feed, SharedFeed.make(store, feed), state, attempt, untilFirst)
    })
    return fromState(feed, state)
  },
  (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name })
)
