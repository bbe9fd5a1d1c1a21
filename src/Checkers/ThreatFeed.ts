import { Cause, Clock, Duration, Effect, Either, Option, Random, Ref } from "effect"
import type { FeedSlot } from "../Layers/AppConfig.ts"
import { FeedError } from "./ThreatFeed/FeedError.ts"
import * as FeedRefresh from "./ThreatFeed/FeedRefresh.ts"
import * as FeedSchedule from "./ThreatFeed/FeedSchedule.ts"
import type { FeedSnapshot } from "./ThreatFeed/FeedSnapshot.ts"
import type { FeedStatus, Trouble } from "./ThreatFeed/FeedStatus.ts"
import * as SnapshotFile from "./ThreatFeed/SnapshotFile.ts"
import * as TimeSlices from "./ThreatFeed/TimeSlices.ts"
import type { ThreatList } from "./ThreatList.ts"

export interface Feed extends FeedRefresh.Feed {
  readonly slot: FeedSlot
  readonly refresh: Duration.Duration
}

/** The list to look into. */
export interface HeldList {
  readonly list: ThreatList
  /** When its document was last the feed's answer; milliseconds since 1970. */
  readonly fetchedAt: number
  /** It is older than three refresh intervals. What it says counts; that it is old must be said too. */
  readonly isStale: boolean
}

/** A feed that keeps itself fresh. Neither of its effects waits for anything. */
export interface ThreatFeed {
  readonly sourceName: string
  /** None: there is no list yet. */
  readonly held: Effect.Effect<Option.Option<HeldList>>
  readonly status: Effect.Effect<FeedStatus>
}

interface State {
  readonly snapshot: Option.Option<FeedSnapshot>
  readonly fetchTrouble: Option.Option<Trouble>
  readonly saveTrouble: Option.Option<Trouble>
}

const trouble = (message: string) =>
  Effect.map(Clock.currentTimeMillis, (at): Option.Option<Trouble> => Option.some({ message, at }))

/**
 * Starts a feed that lives in the background of the scope: with the list that the data directory holds, if there is one,
 * and a download whenever one is due. Whatever goes wrong the last good list stays, and nothing but the end of the scope
 * ends the loop.
 *
 * Readers see what is held through one reference: the list before or the new one.
 */
export const make = Effect.fn("ThreatFeed.make")(
  function* (feed: Feed, dataDirectory: string) {
    const slices = yield* TimeSlices.make
    const file = yield* SnapshotFile.make(dataDirectory, feed.slot, feed, slices)
    const state = yield* Ref.make<State>({
      snapshot: yield* file.load,
      fetchTrouble: Option.none(),
      saveTrouble: Option.none()
    })
    const update = (change: Partial<State>) => Ref.update(state, (before) => ({ ...before, ...change }))

    /** Only the first of several failures in a row is logged. */
    const save = Effect.fnUntraced(function* (snapshot: FeedSnapshot) {
      const saved = yield* Effect.either(file.save(snapshot))
      if (Either.isRight(saved)) return yield* update({ saveTrouble: Option.none() })
      if (Option.isNone((yield* Ref.get(state)).saveTrouble))
        yield* Effect.logWarning("A threat list is kept in memory only", Cause.fail(saved.left))
      yield* update({ saveTrouble: yield* trouble(`not saved (${saved.left.detail})`) })
    })

    const complain = Effect.fnUntraced(function* (error: FeedError) {
      yield* update({ fetchTrouble: yield* trouble(error.message) })
      yield* Effect.logWarning("A threat list was not refreshed", Cause.fail(error))
    })

    const refresh = Effect.gen(function* () {
      const { snapshot: held } = yield* Ref.get(state)
      const { snapshot, refusal } = yield* FeedRefresh.refresh(feed, held, slices)
      yield* update({ snapshot: Option.some(snapshot), fetchTrouble: Option.none() })
      if (Option.isSome(refusal)) yield* complain(refusal.value)
      else
        yield* Effect.logInfo("A threat list was refreshed").pipe(
          Effect.annotateLogs({ entries: snapshot.list.header.entries, ...snapshot.counts })
        )
      yield* save(snapshot)
    }).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(
          Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
          new FeedError({ reason: "Defect" })
        )
      )
    )

    /** Refreshes once; gives how often in a row that has failed by now, and how long to wait. */
    const cycle = Effect.fnUntraced(function* (failuresBefore: number) {
      const refreshed = yield* Effect.either(refresh)
      const random = yield* Random.next
      if (Either.isRight(refreshed))
        return { failures: 0, wait: FeedSchedule.afterAnswer(feed.refresh, random) }
      yield* complain(refreshed.left)
      const failures = failuresBefore + 1
      const retryAfter = refreshed.left.retryAfter ?? Option.none()
      return { failures, wait: FeedSchedule.afterFailure(failures, feed.refresh, retryAfter, random) }
    })

    const untilFirst = Effect.gen(function* () {
      const { snapshot } = yield* Ref.get(state)
      if (Option.isNone(snapshot)) return Duration.zero
      // The clock may have been set back since the answer.
      const age = Math.max(0, (yield* Clock.currentTimeMillis) - snapshot.value.answeredAt)
      return Duration.subtract(FeedSchedule.afterAnswer(feed.refresh, yield* Random.next), age)
    })

    yield* Effect.forkScoped(
      Effect.gen(function* () {
        let next = { failures: 0, wait: yield* untilFirst }
        for (;;) {
          yield* Effect.sleep(next.wait)
          next = yield* cycle(next.failures)
        }
      })
    )

    const read = <A>(view: (state: State, now: number) => A) =>
      Effect.zipWith(Ref.get(state), Clock.currentTimeMillis, view)
    const isStale = ({ fetchedAt }: FeedSnapshot, now: number) =>
      FeedSchedule.isStale(fetchedAt, feed.refresh, now)

    return {
      sourceName: feed.source.name,
      held: read(({ snapshot }, now) =>
        Option.map(snapshot, (held) => ({
          list: held.list,
          fetchedAt: held.fetchedAt,
          isStale: isStale(held, now)
        }))
      ),
      status: read(({ snapshot, fetchTrouble, saveTrouble }, now) => ({
        sourceName: feed.source.name,
        held: Option.map(snapshot, (held) => ({
          entries: held.list.header.entries,
          ...held.counts,
          fetchedAt: held.fetchedAt,
          isStale: isStale(held, now)
        })),
        fetchTrouble,
        saveTrouble
      }))
    } satisfies ThreatFeed
  },
  (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name })
)
