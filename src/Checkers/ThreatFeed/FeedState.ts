import { Cause, Clock, Deferred, Effect, Either, MutableRef, Option } from "effect"
import type { Feed } from "./Feed.ts"
import type { FeedError } from "./FeedError.ts"
import * as SnapshotFile from "./FeedSnapshot/SnapshotFile.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"

/** The last error of its kind; the next success removes it. */
export interface LastError {
  /** Contains no address, key or row. */
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

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
}

/** The snapshot of a feed that checks use, and its last errors. */
interface FeedState {
  readonly snapshot: Option.Option<FeedSnapshot>
  readonly refreshError: Option.Option<LastError>
  readonly saveError: Option.Option<LastError>
}

const errorNow = (message: string) =>
  Effect.map(Clock.currentTimeMillis, (at): Option.Option<LastError> => Option.some({ message, at }))

/** Without a cause: a stack says nothing about a network or a disk. */
const logReason = (message: string, error: { readonly message: string }) =>
  Effect.annotateLogs(Effect.logWarning(message), { reason: error.message })

/** Starts with the snapshot in the data directory, if there is one, and saves each later one there. Never fails. */
export const make = Effect.fnUntraced(function* (feed: Feed, dataDirectory: string) {
  const file = yield* SnapshotFile.make(dataDirectory, feed.slot, feed)
  const loaded = yield* Effect.either(file.load)
  if (Either.isLeft(loaded)) yield* logReason("A saved threat list cannot be used", loaded.left)
  const state = MutableRef.make<FeedState>({
    snapshot: Option.flatten(Either.getRight(loaded)),
    refreshError: Option.none(),
    saveError: Either.isLeft(loaded)
      ? yield* errorNow(`saved list not usable (${loaded.left.detail})`)
      : Option.none()
  })
  const get = (): FeedState => MutableRef.get(state)
  const attempted = yield* Deferred.make<void>()
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

  /** Logs only the first of several errors in a row. */
  const save = Effect.fnUntraced(function* (snapshot: FeedSnapshot) {
    const saved = yield* file.save(snapshot).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(
          Effect.logError("Saving a threat list failed", Cause.die(defect)),
          new SnapshotFile.NotSaved({ detail: "Defect" })
        )
      ),
      Effect.either
    )
    if (Either.isRight(saved)) return yield* update({ saveError: Option.none() })
    if (Option.isNone(get().saveError)) yield* logReason("A threat list is in memory only", saved.left)
    yield* update({ saveError: yield* errorNow(`not saved (${saved.left.detail})`) })
  })

  return {
    get,

    /** Waits until there is a list or a refresh has failed, here or on the replica that refreshes for all. */
    firstAttempt: Deferred.await(attempted),

    setRefreshError: (refreshError: Option.Option<LastError>) => update({ refreshError }),

    /** Uses, logs and saves the outcome of a refresh. Without a snapshot the previous one stays. */
    settle: Effect.fnUntraced(function* ({
      snapshot,
      error
    }: {
      readonly snapshot: Option.Option<FeedSnapshot>
      readonly error: Option.Option<FeedError>
    }) {
      yield* update({
        snapshot: Option.orElse(snapshot, () => get().snapshot),
        refreshError: Option.isSome(error) ? yield* errorNow(error.value.message) : Option.none()
      })
      if (Option.isSome(error)) yield* logReason("A threat list was not refreshed", error.value)
      else if (Option.isSome(snapshot))
        yield* Effect.logInfo("A threat list was refreshed").pipe(
          Effect.annotateLogs({ entries: snapshot.value.list.header.entries, ...snapshot.value.counts })
        )
      if (Option.isSome(snapshot)) yield* save(snapshot.value)
    }),

    /** Uses and saves a snapshot that another replica has published. */
    take: Effect.fnUntraced(function* (snapshot: FeedSnapshot) {
      const before = get().snapshot
      yield* update({ snapshot: Option.some(snapshot) })
      if (!Option.exists(before, ({ list }) => list === snapshot.list))
        yield* Effect.logInfo("A threat list was taken from another replica").pipe(
          Effect.annotateLogs({ entries: snapshot.list.header.entries })
        )
      if (!Option.exists(before, ({ answeredAt }) => answeredAt === snapshot.answeredAt))
        yield* save(snapshot)
    })
  }
})

/** Where a feed's state is read and changed. `get` waits for nothing. */
export type FeedStateRef = Effect.Effect.Success<ReturnType<typeof make>>
