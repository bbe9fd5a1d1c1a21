import { Deferred, type Duration, Effect, MutableRef, Option } from "effect"
import type { Feed } from "./Feed.ts"
import type { FeedError } from "./FeedError.ts"
import * as FeedLog from "./FeedLog.ts"
import * as SavedSnapshot from "./FeedSnapshot/SavedSnapshot.ts"
import * as SnapshotFile from "./FeedSnapshot/SnapshotFile.ts"
import * as FeedSnapshot from "./FeedSnapshot.ts"

export type LastError = SavedSnapshot.LastError

/** What `/health/ready` and the metrics show of a feed. */
export interface FeedStatus {
  readonly sourceName: string
  /** None while there is no list. */
  readonly current: Option.Option<{
    /** Distinct URLs and hosts. */
    readonly entries: number
    /** Rows of the last document that could not be read, or that name no URL and no host. */
    readonly skipped: number
    /** Entries of the last document that name a whole shared host. */
    readonly ignored: number
    /** Entries of the last document for a whole popular site or a directory of it. Absent: there was no ranking to tell. */
    readonly unconfirmed?: number
    /** When the feed last answered with this document, or that it has not changed. Milliseconds since 1970. */
    readonly fetchedAt: number
    readonly isStale: boolean
  }>
  /** Why there is no newer list. */
  readonly refreshError: Option.Option<LastError>
  /** Why a restart would start without this list. */
  readonly saveError: Option.Option<LastError>
  /** Milliseconds since 1970. None while a refresh runs. */
  readonly nextAttemptAt: Option.Option<number>
}

/** The snapshot of a feed that checks use, why there is no newer list, and when it is refreshed next. */
interface FeedState {
  readonly snapshot: Option.Option<FeedSnapshot.FeedSnapshot>
  readonly refreshError: Option.Option<LastError>
  readonly nextAttemptAt: Option.Option<number>
}

/** Starts with the snapshot in the data directory, if there is one, and saves each later one there. Never fails. */
export const make = Effect.fnUntraced(function* (feed: Feed, dataDirectory: string) {
  const format = FeedSnapshot.format(feed)
  const file = yield* SnapshotFile.make(dataDirectory, feed.slot, FeedSnapshot.VERSION, format)
  const [snapshot, saved] = yield* SavedSnapshot.make(file)
  const state = MutableRef.make<FeedState>({
    snapshot,
    refreshError: Option.none(),
    nextAttemptAt: Option.none()
  })
  const get = (): FeedState => MutableRef.get(state)
  const attempted = yield* Deferred.make<void>()
  const log = yield* FeedLog.FeedLog
  const update = (change: Partial<FeedState>) =>
    Effect.suspend(() => {
      const { refreshError, snapshot } = MutableRef.updateAndGet(state, (before) => ({
        ...before,
        ...change
      }))
      return Option.isSome(snapshot) || Option.isSome(refreshError)
        ? Effect.asVoid(Deferred.succeed(attempted, undefined))
        : Effect.void
    })
  yield* update({})

  return {
    get,

    /** Why a restart would start without the list. */
    saveError: saved.error,

    /** Waits until there is a list or a refresh has failed, here or on the replica that refreshes for all. */
    firstAttempt: Deferred.await(attempted),

    setNextAttemptAt: (nextAttemptAt: Option.Option<number>) => update({ nextAttemptAt }),

    setRefreshError: (refreshError: Option.Option<LastError>) => update({ refreshError }),

    /** Uses, logs and saves the outcome of a refresh. Without a snapshot the previous one stays. */
    settle: Effect.fnUntraced(function* ({
      snapshot,
      error,
      wait
    }: {
      readonly snapshot: Option.Option<FeedSnapshot.FeedSnapshot>
      readonly error: Option.Option<FeedError>
      readonly wait: Duration.Duration
    }) {
      const before = Option.getOrUndefined(get().snapshot)
      yield* update({
        snapshot: Option.orElse(snapshot, () => get().snapshot),
        refreshError: Option.isSome(error)
          ? yield* SavedSnapshot.errorNow(error.value.message)
          : Option.none()
      })
      if (Option.isSome(error)) yield* log.failed(feed, error.value, wait)
      else if (Option.isSome(snapshot)) {
        yield* log.answered(feed.slot)
        yield* FeedLog.refreshed(feed, snapshot.value, snapshot.value.list !== before?.list)
      }
      if (Option.isSome(snapshot)) yield* saved.save(snapshot.value)
    }),

    /** Uses and saves a snapshot that another replica has published. */
    take: Effect.fnUntraced(function* (snapshot: FeedSnapshot.FeedSnapshot) {
      const before = get().snapshot
      yield* update({ snapshot: Option.some(snapshot) })
      if (!Option.exists(before, ({ list }) => list === snapshot.list))
        yield* FeedLog.takenFromReplica(feed, snapshot)
      if (!Option.exists(before, ({ answeredAt }) => answeredAt === snapshot.answeredAt))
        yield* saved.save(snapshot)
    })
  }
})

/** Where a feed's state is read and changed. `get` waits for nothing. */
export type FeedStateRef = Effect.Effect.Success<ReturnType<typeof make>>
