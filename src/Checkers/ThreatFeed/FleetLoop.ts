import { Cause, Clock, Duration, Effect, Either, Option, Random } from "effect"
import { CacheError } from "../../Layers/CacheError.ts"
import type { Feed, FeedKeeper, Outcome } from "./FeedKeeper.ts"
import * as FeedSchedule from "./FeedSchedule.ts"
import type { News, SharedList, Standing } from "./SharedList.ts"

/** How soon a replica without a list asks again whether the one that fetches it has ended. */
const IMPATIENCE = Duration.toMillis(Duration.seconds(5))

const LONGEST_SLEEP = Duration.toMillis(Duration.days(1))

/** When the feed may be asked again: one for the whole fleet while the database answers. */
interface Plan {
  readonly failures: number
  readonly nextAt: number
}

/**
 * Keeps a feed fresh as one of a fleet, for ever. Whoever gets the lease when the feed is due asks it for all; the others
 * take over what comes of it, be it a list or the reason why there is none.
 *
 * While what is kept came from the database, or was published there, a replica follows whatever stands there. What it kept
 * before (from its disk, or fetched while the database was away) is published if it is newer than that.
 */
export const run = Effect.fnUntraced(function* (
  feed: Feed,
  shared: SharedList,
  keeper: FeedKeeper,
  untilFirst: Duration.Duration
) {
  const now = Clock.currentTimeMillis
  const held = Effect.map(keeper.kept, ({ snapshot }) => snapshot)

  let plan: Plan = { failures: 0, nextAt: (yield* now) + Duration.toMillis(untilFirst) }
  /** What was seen last, and whether the list that stands there is the one that is kept. */
  let seen: Standing | undefined
  let isInSync = false
  /** The version of a list that stands there and is not whole. */
  let broken: string | undefined

  let hasNews = false
  let publishFailures = 0
  let publishAt = 0
  /** After a failure that the others could not be told. */
  let restUntil = 0
  /** Nothing more is tried before then or before the next look at the fleet. */
  let pauseUntil = 0
  /** Since the feed is due and the database away. */
  let aloneAt: number | undefined

  const dueAt = () => Math.max(plan.nextAt, restUntil)
  const planOf = (outcome: Outcome) =>
    Effect.map(now, (at) => ({
      failures: outcome.failures,
      nextAt: Math.round(at + Duration.toMillis(outcome.wait))
    }))

  /** Takes over what stands in the database, unless what is kept is newer. */
  const follow = Effect.fnUntraced(function* (standing: Standing) {
    const before = yield* held
    const at = yield* now
    const manifest = Option.getOrUndefined(standing.manifest)
    const snapshot = manifest?.snapshot
    const isNewer = Option.exists(
      before,
      ({ answeredAt }) => snapshot !== undefined && !isInSync && answeredAt > snapshot.answeredAt
    )
    hasNews = isNewer || (snapshot === undefined && Option.isSome(before))
    if (manifest !== undefined && !isNewer) {
      const nextAt = Math.min(manifest.nextAt, FeedSchedule.latestAttempt(feed.refresh, at))
      plan = { failures: manifest.failures, nextAt }
      yield* keeper.takeTrouble(Option.fromNullable(manifest.trouble))
    }
    if (snapshot === undefined) isInSync = false
    else if (!isNewer && snapshot.version !== broken) {
      const loaded = yield* shared.load(snapshot, before)
      isInSync = Option.isSome(loaded)
      broken = isInSync ? undefined : snapshot.version
      if (Option.isSome(loaded)) yield* keeper.take(loaded.value)
    }
    // Who has no list does not wait for somebody else to mend what stands there.
    if (snapshot !== undefined && snapshot.version === broken && Option.isNone(before))
      plan = { ...plan, nextAt: at }
    seen = standing
    return standing
  })

  const publishFailed = Effect.gen(function* () {
    publishFailures++
    const wait = FeedSchedule.afterFailure(publishFailures, feed.refresh, Option.none(), yield* Random.next)
    publishAt = (yield* now) + Duration.toMillis(wait)
  })

  const published = (standing: Standing) => {
    seen = standing
    isInSync = true
    hasNews = false
    publishFailures = 0
  }

  /** A bug of ours must not make a list of no use that was fetched already. */
  const publish = (standing: Standing, news: News) =>
    Effect.either(
      Effect.catchAllDefect(shared.publish(standing, news), (defect) =>
        Effect.zipRight(
          Effect.logError("Publishing a threat list failed", Cause.die(defect)),
          new CacheError({ reason: "Malformed" })
        )
      )
    )

  const publishHeld = Effect.fnUntraced(function* (standing: Standing) {
    const { snapshot, fetchTrouble } = yield* keeper.kept
    if (Option.isNone(snapshot)) return
    const news = { ...plan, snapshot: snapshot.value, trouble: Option.getOrUndefined(fetchTrouble) }
    const result = yield* publish(standing, news)
    if (Either.isLeft(result)) yield* publishFailed
    else if (Option.isSome(result.right)) published(result.right.value)
    else pauseUntil = Number.POSITIVE_INFINITY
  })

  const fetchForAll = Effect.fnUntraced(function* (standing: Standing) {
    const outcome = yield* keeper.ask(plan.failures)
    const next = yield* planOf(outcome)
    const at = yield* now
    const result = yield* publish(standing, {
      ...next,
      snapshot: Option.getOrUndefined(outcome.snapshot),
      trouble: Option.getOrUndefined(Option.map(outcome.error, ({ message }) => ({ message, at })))
    })
    if (Either.isRight(result) && Option.isNone(result.right)) {
      pauseUntil = Number.POSITIVE_INFINITY
      const current = yield* Effect.option(shared.standing)
      // Another replica has fetched meanwhile, because this one lost its lease: what that one has is taken over.
      if (Option.exists(current, ({ manifest }) => Option.isSome(manifest))) return
    }
    yield* keeper.settle(outcome)
    plan = next
    if (Either.isRight(result) && Option.isSome(result.right)) {
      if (Option.isSome(outcome.snapshot)) published(result.right.value)
      else seen = result.right.value
    } else {
      yield* publishFailed
      untold(outcome)
    }
  })

  const untold = (outcome: Outcome) => {
    seen = undefined
    if (Option.isSome(outcome.snapshot)) {
      isInSync = false
      hasNews = true
    } else restUntil = plan.nextAt
  }

  const fetchAlone = Effect.gen(function* () {
    yield* Effect.logInfo("A threat list is fetched for this replica alone")
    const outcome = yield* keeper.ask(plan.failures)
    plan = yield* planOf(outcome)
    yield* keeper.settle(outcome)
    untold(outcome)
  })

  const actForAll = Effect.gen(function* () {
    const standing = yield* Effect.flatMap(shared.standing, follow)
    const at = yield* now
    if (at >= dueAt()) yield* fetchForAll(standing)
    else if (hasNews && at >= publishAt) yield* publishHeld(standing)
  })

  const databaseIsAway = Effect.gen(function* () {
    const at = yield* now
    pauseUntil = Number.POSITIVE_INFINITY
    if (at < dueAt()) return
    aloneAt ??=
      at +
      Duration.toMillis(
        FeedSchedule.beforeAlone(feed.refresh, Option.isSome(yield* held), yield* Random.next)
      )
    if (at < aloneAt) {
      pauseUntil = aloneAt
      return
    }
    aloneAt = undefined
    yield* fetchAlone
  })

  const act = Effect.gen(function* () {
    const result = yield* Effect.either(shared.underLease(actForAll))
    if (Either.isLeft(result)) return yield* databaseIsAway
    aloneAt = undefined
    if (Option.isSome(result.right)) return
    const isWaiting = Option.isNone(yield* held)
    pauseUntil = isWaiting ? (yield* now) + IMPATIENCE : Number.POSITIVE_INFINITY
  })

  const wantedAt = () => Math.max(pauseUntil, hasNews ? Math.min(publishAt, dueAt()) : dueAt())

  const turn = Effect.gen(function* () {
    const wait = Math.min(LONGEST_SLEEP, Math.max(0, wantedAt() - (yield* now)))
    const look = yield* Effect.timeoutOption(shared.nextHead, wait)
    if (Option.isSome(look)) {
      pauseUntil = 0
      // It may have been asked for before this replica published: what stands there now is asked for again.
      if (Option.isSome(look.value) && !isSameHead(look.value.value, seen))
        yield* Effect.ignore(Effect.flatMap(shared.standing, follow))
    }
    if ((yield* now) >= wantedAt()) yield* act
  }).pipe(
    Effect.catchAllDefect((defect) => {
      pauseUntil = Number.POSITIVE_INFINITY
      return Effect.logError("Sharing a threat list failed", Cause.die(defect))
    })
  )

  return yield* Effect.forever(turn)
})

const isSameHead = (head: Standing["head"], seen: Standing | undefined): boolean =>
  seen !== undefined && Option.getOrUndefined(head) === Option.getOrUndefined(seen.head)
