import { Clock, Duration, Effect, Option, Random } from "effect"
import type { SharedStoreShape } from "./SharedStore.ts"
import type { Feed } from "./ThreatFeed/Feed.ts"
import * as FeedLog from "./ThreatFeed/FeedLog.ts"
import * as FeedRefresh from "./ThreatFeed/FeedRefresh.ts"
import * as FeedSchedule from "./ThreatFeed/FeedSchedule.ts"
import * as FeedSnapshot from "./ThreatFeed/FeedSnapshot.ts"
import * as FeedState from "./ThreatFeed/FeedState.ts"
import type { FeedWorker } from "./ThreatFeed/FeedWorker.ts"
import * as FeedManifest from "./ThreatFeed/Fleet/FeedManifest.ts"
import * as Fleet from "./ThreatFeed/Fleet.ts"
import * as SingleReplica from "./ThreatFeed/SingleReplica.ts"
import type { ThreatList } from "./ThreatList.ts"

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
  readonly status: Effect.Effect<FeedState.FeedStatus>
}

/** A feed, or the ranking, as its state shows it. */
export const fromState = (feed: Feed, state: FeedState.FeedStateRef): ThreatFeed & FeedRefresh.Ranking => {
  const isStale = ({ fetchedAt }: FeedSnapshot.FeedSnapshot, now: number) =>
    FeedSchedule.isStale(fetchedAt, feed.refresh, now)

  return {
    sourceName: feed.source.name,
    list: () => Option.map(state.get().snapshot, ({ list }) => list),
    firstAttempt: state.firstAttempt,
    current: (now) =>
      Option.map(state.get().snapshot, (snapshot) => ({
        list: snapshot.list,
        fetchedAt: snapshot.fetchedAt,
        isStale: isStale(snapshot, now)
      })),
    status: Effect.map(Clock.currentTimeMillis, (now) => {
      const { snapshot, refreshError, nextAttemptAt } = state.get()
      return {
        sourceName: feed.source.name,
        current: Option.map(snapshot, (snapshot) => ({
          entries: snapshot.list.header.entries,
          ...snapshot.counts,
          fetchedAt: snapshot.fetchedAt,
          isStale: isStale(snapshot, now)
        })),
        refreshError,
        saveError: state.saveError(),
        nextAttemptAt
      }
    })
  }
}

/** A feed as a background loop refreshes it and a fleet shares it. */
const replica = (feed: Feed, state: FeedState.FeedStateRef, refresh: FeedRefresh.FeedRefresh) =>
  ({
    name: feed.slot,
    shared: {
      name: `feed:${FeedManifest.VERSION}:${FeedSnapshot.FORMAT}:${FeedSnapshot.feedDigest(feed)}`,
      interval: feed.refresh,
      format: FeedSnapshot.format(feed),
      times: ({ fetchedAt, answeredAt, shrunkenSince }) => ({
        fetchedAt,
        answeredAt,
        ...(shrunkenSince !== undefined && { shrunkenSince })
      })
    },
    current: state.get,
    isSameList: (one, other) => one.list === other.list,
    refresh: (failures) => refresh(state.get().snapshot, failures),
    settle: state.settle,
    setNextAttemptAt: state.setNextAttemptAt,
    follow: ({ lastError }) => state.setRefreshError(Option.fromNullable(lastError)),
    take: (snapshot, { list: { fetchedAt, answeredAt, shrunkenSince } }) =>
      state.take({ ...snapshot, fetchedAt, answeredAt, shrunkenSince })
  }) satisfies Fleet.Replica<FeedSnapshot.FeedSnapshot, FeedRefresh.RefreshOutcome, FeedWorker>

/**
 * Starts a feed in the background of the scope: with the list of the data directory, if there is one, and a refresh whenever
 * one is due: by this replica or, with a shared store and unless the feed is a file, by any replica of the fleet. After an
 * error the last good list stays. `ranking`: see `FeedRefresh.refresh`.
 */
export const make = Effect.fn("ThreatFeed.make")(
  function* (
    feed: Feed,
    dataDirectory: string,
    store: Option.Option<SharedStoreShape>,
    ranking: Option.Option<FeedRefresh.Ranking> = Option.none()
  ) {
    const state = yield* FeedState.make(feed, dataDirectory)
    const refresh = yield* FeedRefresh.make(feed, ranking)
    const { snapshot } = state.get()
    if (Option.isSome(snapshot)) yield* FeedLog.loaded(feed, snapshot.value)
    // A file is read at each start, however recent the saved list is, and by each replica.
    const isFile = feed.url.protocol === "file:"
    const untilFirst =
      Option.isNone(snapshot) || isFile
        ? Duration.zero
        : FeedSchedule.afterRestart(
            snapshot.value.answeredAt,
            feed.refresh,
            yield* Clock.currentTimeMillis,
            yield* Random.next
          )
    yield* Option.match(isFile ? Option.none() : store, {
      onNone: () => SingleReplica.fork(replica(feed, state, refresh), untilFirst),
      onSome: (store) => Fleet.fork(replica(feed, state, refresh), store, untilFirst)
    })
    return fromState(feed, state)
  },
  (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name })
)
