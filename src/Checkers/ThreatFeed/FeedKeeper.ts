import { Cause, Clock, type Duration, Effect, Either, MutableRef, Option, Random } from "effect"
import type { FeedSlot } from "../../Layers/AppConfig.ts"
import { FeedError } from "./FeedError.ts"
import * as FeedRefresh from "./FeedRefresh.ts"
import * as FeedSchedule from "./FeedSchedule.ts"
import type { Trouble } from "./FeedStatus.ts"
import * as RefreshMetrics from "./RefreshMetrics.ts"
import type { FeedSnapshot } from "./Snapshot/FeedSnapshot.ts"
import * as SnapshotFile from "./Snapshot/SnapshotFile.ts"
import * as TimeSlices from "./TimeSlices.ts"

export interface Feed extends FeedRefresh.Feed {
  readonly slot: FeedSlot
  readonly refresh: Duration.Duration
}

/** What is kept of a feed. */
export interface Kept {
  readonly snapshot: Option.Option<FeedSnapshot>
  readonly fetchTrouble: Option.Option<Trouble>
  readonly saveTrouble: Option.Option<Trouble>
}

/** What came of asking a feed. */
export interface Outcome {
  /** What is to be kept from now on; None: what was kept before. */
  readonly snapshot: Option.Option<FeedSnapshot>
  readonly error: Option.Option<FeedError>
  /** How often in a row asking has failed by now. */
  readonly failures: number
  /** How long to leave the feed alone. */
  readonly wait: Duration.Duration
}

const troubleNow = (message: string) =>
  Effect.map(Clock.currentTimeMillis, (at): Option.Option<Trouble> => Option.some({ message, at }))

/** Networks and disks fail: one word says how, and a stack would say nothing. */
const logFailure = (message: string, failure: { readonly message: string }) =>
  Effect.annotateLogs(Effect.logWarning(message), { reason: failure.message })

/**
 * Begins with the list that the data directory holds, if there is one.
 *
 * What is done once in a refresh has never been run often enough to be compiled: three to four milliseconds in all when a list
 * comes. So others run between its parts.
 */
export const make = Effect.fnUntraced(function* (feed: Feed, dataDirectory: string) {
  const count = yield* RefreshMetrics.make(feed.slot)
  const slices = yield* TimeSlices.make
  const file = yield* SnapshotFile.make(dataDirectory, feed.slot, feed, slices)
  const loaded = yield* Effect.either(file.load)
  if (Either.isLeft(loaded)) yield* logFailure("A kept threat list cannot be used", loaded.left)
  const kept = MutableRef.make<Kept>({
    snapshot: Option.flatten(Either.getRight(loaded)),
    fetchTrouble: Option.none(),
    saveTrouble: Either.isLeft(loaded)
      ? yield* troubleNow(`kept list not usable (${loaded.left.detail})`)
      : Option.none()
  })
  const update = (change: Partial<Kept>) =>
    Effect.sync(() => void MutableRef.update(kept, (before) => ({ ...before, ...change })))

  const replaceBy = (snapshot: FeedSnapshot, change: Partial<Kept>) =>
    Effect.sync(() => {
      MutableRef.update(kept, (before) => ({ ...before, ...change, snapshot: Option.some(snapshot) }))
    })

  /** Only the first of several failures in a row is logged. */
  const save = Effect.fnUntraced(function* (snapshot: FeedSnapshot) {
    const saved = yield* Effect.either(file.save(snapshot))
    if (Either.isRight(saved)) return yield* update({ saveTrouble: Option.none() })
    if (Option.isNone(MutableRef.get(kept).saveTrouble))
      yield* logFailure("A threat list is kept in memory only", saved.left)
    yield* update({ saveTrouble: yield* troubleNow(`not saved (${saved.left.detail})`) })
  })

  const refresh = Effect.flatMap(TimeSlices.letOthersRun, () =>
    FeedRefresh.refresh(feed, MutableRef.get(kept).snapshot)
  ).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(
        Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
        new FeedError({ reason: "Defect" })
      )
    )
  )

  return {
    kept: (): Kept => MutableRef.get(kept),

    /** Asks the feed once. Whatever comes of it changes nothing yet. */
    ask: Effect.fnUntraced(function* (failuresBefore: number) {
      const refreshed = yield* Effect.either(refresh)
      yield* TimeSlices.letOthersRun
      const random = yield* Random.next
      count(Either.isLeft(refreshed) ? Option.some(refreshed.left) : refreshed.right.refusal)
      if (Either.isRight(refreshed))
        return {
          snapshot: Option.some(refreshed.right.snapshot),
          error: refreshed.right.refusal,
          failures: 0,
          wait: FeedSchedule.afterAnswer(feed.refresh, random)
        } satisfies Outcome
      const failures = failuresBefore + 1
      const retryAfter = refreshed.left.retryAfter ?? Option.none()
      return {
        snapshot: Option.none(),
        error: Option.some(refreshed.left),
        failures,
        wait: FeedSchedule.afterFailure(failures, feed.refresh, retryAfter, random)
      } satisfies Outcome
    }),

    /** Makes what came of asking what is kept, and tells it. Readers see the list before or the new one. */
    settle: Effect.fnUntraced(function* ({ snapshot, error }: Outcome) {
      if (Option.isSome(snapshot)) yield* replaceBy(snapshot.value, { fetchTrouble: Option.none() })
      yield* TimeSlices.letOthersRun
      if (Option.isSome(error)) {
        yield* update({ fetchTrouble: yield* troubleNow(error.value.message) })
        yield* logFailure("A threat list was not refreshed", error.value)
      } else if (Option.isSome(snapshot))
        yield* Effect.logInfo("A threat list was refreshed").pipe(
          Effect.annotateLogs({ entries: snapshot.value.list.header.entries, ...snapshot.value.counts })
        )
      yield* TimeSlices.letOthersRun
      if (Option.isSome(snapshot)) yield* save(snapshot.value)
    }),

    /** Makes what another replica came to know what is kept here. */
    take: Effect.fnUntraced(function* (snapshot: FeedSnapshot) {
      const before = MutableRef.get(kept).snapshot
      yield* replaceBy(snapshot, {})
      if (!Option.exists(before, ({ list }) => list === snapshot.list))
        yield* Effect.logInfo("A threat list was taken from another replica").pipe(
          Effect.annotateLogs({ entries: snapshot.list.header.entries })
        )
      if (!Option.exists(before, ({ answeredAt }) => answeredAt === snapshot.answeredAt))
        yield* save(snapshot)
    }),

    /** The same for why there is nothing newer. */
    takeTrouble: (fetchTrouble: Option.Option<Trouble>) => update({ fetchTrouble })
  }
})

/** Holds a feed's list and keeps it on disk. Nothing of it fails: what is held stays, and what went wrong is told. */
export type FeedKeeper = Effect.Effect.Success<ReturnType<typeof make>>
