import { Clock, Duration, Effect, Option } from "effect"
import { now } from "../../../Layers/MonotonicTime.ts"
import type { Feed, FeedKeeper, Outcome } from "../FeedKeeper.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import * as FleetPublisher from "./FleetPublisher.ts"
import type { SharedList, Standing } from "./SharedList.ts"

/** When the feed may be asked again: one for the whole fleet while the database answers. */
interface Plan {
  readonly failures: number
  readonly nextAt: number
}

/**
 * What one replica of a fleet knows about a feed and can do about it; `FleetLoop` says when.
 *
 * While what is kept came from the database, or was published there, a replica follows whatever stands there. What it kept
 * before (from its disk, or fetched while the database was away) is published if it is newer than that.
 */
export const make = Effect.fnUntraced(function* (
  feed: Feed,
  shared: SharedList,
  keeper: FeedKeeper,
  untilFirst: Duration.Duration
) {
  const held = Effect.sync(() => keeper.kept().snapshot)

  let plan: Plan = { failures: 0, nextAt: (yield* now) + Duration.toMillis(untilFirst) }
  /** What was seen last, and whether the list that stands there is the one that is kept. */
  let seen: Standing | undefined
  let isInSync = false

  let hasNews = false
  const publisher = FleetPublisher.make(shared, feed.refresh)
  /** After a failure that the others could not be told. */
  let restUntil = 0

  const dueAt = () => Math.max(plan.nextAt, restUntil)
  const planOf = ({ failures, wait }: Outcome) =>
    Effect.map(now, (at): Plan => ({ failures, nextAt: at + Duration.toMillis(wait) }))
  /** A time of this member by the clock of the machine, to be told to others. */
  const dateOf = (time: number) =>
    Effect.zipWith(Clock.currentTimeMillis, now, (date, at) => Math.round(date + time - at))

  /** A head that is seen again says nothing new, least of all how long to wait from now on. */
  const planBy = Effect.fnUntraced(function* ({ head, manifest }: Standing) {
    if (Option.isNone(manifest) || isSameHead(head, seen)) return
    const { failures, nextAt, snapshot, trouble } = manifest.value
    const askedAt = Math.max(snapshot?.answeredAt ?? 0, trouble?.at ?? 0)
    const date = yield* Clock.currentTimeMillis
    const wait = FeedSchedule.untilAttempt({ askedAt, nextAt }, feed.refresh, date)
    plan = { failures, nextAt: (yield* now) + Duration.toMillis(wait) }
  })

  /** Takes over what stands in the database, unless what is kept is newer. */
  const follow = Effect.fnUntraced(function* (standing: Standing) {
    const before = yield* held
    const date = yield* Clock.currentTimeMillis
    const manifest = Option.getOrUndefined(standing.manifest)
    const snapshot = manifest?.snapshot
    const isNewer = Option.exists(
      before,
      ({ answeredAt }) =>
        snapshot !== undefined &&
        !isInSync &&
        answeredAt > snapshot.answeredAt &&
        !FeedSchedule.isImpossible(answeredAt, date)
    )
    hasNews = isNewer || (snapshot === undefined && Option.isSome(before))
    if (manifest !== undefined && !isNewer) {
      yield* planBy(standing)
      yield* keeper.takeTrouble(Option.fromNullable(manifest.trouble))
    }
    if (snapshot === undefined) isInSync = false
    else if (!isNewer) {
      const loaded = yield* shared.load(snapshot, before)
      isInSync = Option.isSome(loaded)
      if (Option.isSome(loaded)) yield* keeper.take(loaded.value)
      // Who has no list does not wait for somebody else to mend what stands there, and tries it once.
      else if (Option.isNone(before) && !isSameHead(standing.head, seen))
        plan = { ...plan, nextAt: yield* now }
    }
    seen = standing
  })

  const inSyncWith = (standing: Standing) => {
    seen = standing
    isInSync = true
    hasNews = false
  }

  const untold = (outcome: Outcome) => {
    seen = undefined
    if (Option.isSome(outcome.snapshot)) {
      isInSync = false
      hasNews = true
    } else restUntil = plan.nextAt
  }

  return {
    held,
    follow,
    dueAt,
    isSeen: (head: Standing["head"]) => isSameHead(head, seen),

    /** Not while there is nothing to publish. */
    publishAt: () => (hasNews ? publisher.notBefore() : Number.POSITIVE_INFINITY),

    /** Publishes what is kept. */
    publishHeld: Effect.fnUntraced(function* (standing: Standing) {
      const { snapshot, fetchTrouble } = keeper.kept()
      if (Option.isNone(snapshot)) return
      const published = yield* publisher.publish(standing, {
        failures: plan.failures,
        nextAt: yield* dateOf(plan.nextAt),
        snapshot: snapshot.value,
        trouble: Option.getOrUndefined(fetchTrouble)
      })
      if (typeof published === "object") inSyncWith(published)
      return published
    }),

    /** Asks the feed and publishes what comes of it. `Outrun` after the lease was lost. */
    fetchForAll: Effect.fnUntraced(function* (standing: Standing) {
      const outcome = yield* keeper.ask(plan.failures)
      const next = yield* planOf(outcome)
      const at = yield* Clock.currentTimeMillis
      const published = yield* publisher.publish(standing, {
        failures: next.failures,
        nextAt: yield* dateOf(next.nextAt),
        snapshot: Option.getOrUndefined(outcome.snapshot),
        trouble: Option.getOrUndefined(Option.map(outcome.error, ({ message }) => ({ message, at })))
      })
      if (published === "Outrun") {
        const current = yield* Effect.option(shared.standing)
        // What another replica has fetched is taken over, unless it got nothing or the database has lost it.
        const isTakenOver = (after: Standing) =>
          Option.isNone(outcome.snapshot)
            ? Option.isSome(after.manifest)
            : answeredAt(after) !== undefined && answeredAt(after) !== answeredAt(standing)
        if (Option.exists(current, isTakenOver)) return published
      }
      yield* keeper.settle(outcome)
      plan = next
      if (typeof published !== "object") untold(outcome)
      else if (Option.isSome(outcome.snapshot)) inSyncWith(published)
      else seen = published
      return published
    }),

    fetchAlone: Effect.gen(function* () {
      yield* Effect.logInfo("A threat list is fetched for this replica alone")
      const outcome = yield* keeper.ask(plan.failures)
      plan = yield* planOf(outcome)
      yield* keeper.settle(outcome)
      untold(outcome)
    })
  }
})

export type FleetMember = Effect.Effect.Success<ReturnType<typeof make>>

/** When the feed gave its last answer that all know. */
const answeredAt = ({ manifest }: Standing): number | undefined =>
  Option.getOrUndefined(manifest)?.snapshot?.answeredAt

const isSameHead = (head: Standing["head"], seen: Standing | undefined): boolean =>
  seen !== undefined && Option.getOrUndefined(head) === Option.getOrUndefined(seen.head)
