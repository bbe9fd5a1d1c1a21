import { Cause, Duration, Effect, Either, Option, Random } from "effect"
import { now } from "../../../Layers/MonotonicTime.ts"
import type { Feed, FeedKeeper } from "../FeedKeeper.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import * as FleetMember from "./FleetMember.ts"
import type { SharedList } from "./SharedList.ts"

/** How soon a replica without a list asks again whether the one that fetches it has ended. */
const IMPATIENCE = Duration.toMillis(Duration.seconds(5))

const LONGEST_SLEEP = Duration.toMillis(Duration.days(1))

const UNTIL_NEXT_LOOK = Number.POSITIVE_INFINITY

/**
 * Keeps a feed fresh as one of a fleet, for ever. Whoever gets the lease when the feed is due asks it for all; the others
 * take over what comes of it, be it a list or the reason why there is none. While the database is away each replica fetches
 * for itself, after a wait.
 */
export const run = Effect.fnUntraced(function* (
  feed: Feed,
  shared: SharedList,
  keeper: FeedKeeper,
  untilFirst: Duration.Duration
) {
  const member = yield* FleetMember.make(feed, shared, keeper, untilFirst)
  /** Nothing more is tried before then or before the next look at the fleet. */
  let pauseUntil = 0
  /** When to fetch alone: set when the feed is due and the database away. */
  let aloneAt: number | undefined

  const actForAll = Effect.gen(function* () {
    const standing = yield* shared.standing
    yield* member.follow(standing)
    const at = yield* now
    if (at >= member.dueAt()) return yield* member.fetchForAll(standing)
    return at >= member.publishAt() ? yield* member.publishHeld(standing) : undefined
  })

  const databaseIsAway = Effect.gen(function* () {
    const at = yield* now
    pauseUntil = UNTIL_NEXT_LOOK
    if (at < member.dueAt()) return
    if (aloneAt === undefined) {
      const hasList = Option.isSome(yield* member.held)
      aloneAt = at + Duration.toMillis(FeedSchedule.beforeAlone(feed.refresh, hasList, yield* Random.next))
    }
    if (at < aloneAt) {
      pauseUntil = aloneAt
      return
    }
    aloneAt = undefined
    yield* member.fetchAlone
  })

  const act = Effect.gen(function* () {
    const result = yield* Effect.either(shared.underLease(actForAll))
    if (Either.isLeft(result)) return yield* databaseIsAway
    aloneAt = undefined
    if (Option.isSome(result.right)) {
      if (result.right.value === "Outrun") pauseUntil = UNTIL_NEXT_LOOK
      return
    }
    const isWaiting = Option.isNone(yield* member.held)
    pauseUntil = isWaiting ? (yield* now) + IMPATIENCE : UNTIL_NEXT_LOOK
  })

  const wantedAt = () => Math.max(pauseUntil, Math.min(member.publishAt(), member.dueAt()))

  const turn = Effect.gen(function* () {
    const wait = Math.min(LONGEST_SLEEP, Math.max(0, wantedAt() - (yield* now)))
    const look = yield* Effect.timeoutOption(shared.nextHead, wait)
    if (Option.isSome(look)) {
      pauseUntil = 0
      // It may have been asked for before this replica published: what stands there now is asked for again.
      if (Option.isSome(look.value) && !member.isSeen(look.value.value))
        yield* Effect.ignore(Effect.flatMap(shared.standing, member.follow))
    }
    if ((yield* now) >= wantedAt()) yield* act
  }).pipe(
    Effect.catchAllDefect((defect) => {
      pauseUntil = UNTIL_NEXT_LOOK
      return Effect.logError("Sharing a threat list failed", Cause.die(defect))
    })
  )

  return yield* Effect.forever(turn)
})
