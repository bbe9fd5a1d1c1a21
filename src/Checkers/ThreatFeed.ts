import { Clock, Duration, Effect, Option, Random } from "effect"
import * as FeedKeeper from "./ThreatFeed/FeedKeeper.ts"
import * as FeedSchedule from "./ThreatFeed/FeedSchedule.ts"
import type { FeedStatus } from "./ThreatFeed/FeedStatus.ts"
import * as FleetLoop from "./ThreatFeed/Fleet/FleetLoop.ts"
import type { SharedList } from "./ThreatFeed/Fleet/SharedList.ts"
import type { FeedSnapshot } from "./ThreatFeed/Snapshot/FeedSnapshot.ts"
import type { ThreatList } from "./ThreatList.ts"

export type { Feed } from "./ThreatFeed/FeedKeeper.ts"

/** The list to look into. */
export interface HeldList {
  readonly list: ThreatList
  /** When its document was last the feed's answer; milliseconds since 1970. */
  readonly fetchedAt: number
  /** It is older than three refresh intervals. What it says counts; that it is old must be said too. */
  readonly isStale: boolean
}

/** A feed that keeps itself fresh. Nothing of it waits for anything. */
export interface ThreatFeed {
  readonly sourceName: string
  /** At a time by the Clock, in milliseconds since 1970. None: there is no list yet. */
  readonly held: (now: number) => Option.Option<HeldList>
  readonly status: Effect.Effect<FeedStatus>
}

/** The feed as its keeper knows it. */
export const of = (feed: FeedKeeper.Feed, keeper: FeedKeeper.FeedKeeper): ThreatFeed => {
  const isStale = ({ fetchedAt }: FeedSnapshot, now: number) =>
    FeedSchedule.isStale(fetchedAt, feed.refresh, now)

  return {
    sourceName: feed.source.name,
    held: (now) =>
      Option.map(keeper.kept().snapshot, (held) => ({
        list: held.list,
        fetchedAt: held.fetchedAt,
        isStale: isStale(held, now)
      })),
    status: Effect.map(Clock.currentTimeMillis, (now) => {
      const { snapshot, fetchTrouble, saveTrouble } = keeper.kept()
      return {
        sourceName: feed.source.name,
        held: Option.map(snapshot, (held) => ({
          entries: held.list.header.entries,
          ...held.counts,
          fetchedAt: held.fetchedAt,
          isStale: isStale(held, now)
        })),
        fetchTrouble,
        saveTrouble
      }
    })
  }
}

/** Asks the feed whenever it is due, for ever. */
const runAlone = Effect.fnUntraced(function* (keeper: FeedKeeper.FeedKeeper, untilFirst: Duration.Duration) {
  let next = { failures: 0, wait: untilFirst }
  for (;;) {
    yield* Effect.sleep(next.wait)
    const outcome = yield* keeper.ask(next.failures)
    yield* keeper.settle(outcome)
    next = outcome
  }
})

/**
 * Starts a feed that lives in the background of the scope: with the list that the data directory holds, if there is one,
 * and a download whenever one is due, by this replica or, with a shared list, by any of the fleet. Whatever goes wrong the
 * last good list stays, and nothing but the end of the scope ends the loop.
 */
export const make = Effect.fn("ThreatFeed.make")(
  function* (feed: FeedKeeper.Feed, dataDirectory: string, shared: Option.Option<SharedList>) {
    const keeper = yield* FeedKeeper.make(feed, dataDirectory)

    const untilFirst = yield* Effect.gen(function* () {
      const { snapshot } = keeper.kept()
      if (Option.isNone(snapshot)) return Duration.zero
      return FeedSchedule.afterRestart(
        snapshot.value.answeredAt,
        feed.refresh,
        yield* Clock.currentTimeMillis,
        yield* Random.next
      )
    })

    yield* Effect.forkScoped(
      Option.match(shared, {
        onNone: () => runAlone(keeper, untilFirst),
        onSome: (shared) => FleetLoop.run(feed, shared, keeper, untilFirst)
      })
    )

    return of(feed, keeper)
  },
  (effect, { slot, source }) => Effect.annotateLogs(effect, { feed: slot, source: source.name })
)
