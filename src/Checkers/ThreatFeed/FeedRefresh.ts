import { randomFillSync } from "node:crypto"
import { Clock, Duration, Effect, Option } from "effect"
import type { HashKey } from "../ThreatList/KeyedHash.ts"
import * as StampClock from "../ThreatList/StampClock.ts"
import { ThreatListBuilder } from "../ThreatList/ThreatListBuilder.ts"
import * as FeedAcceptance from "./FeedAcceptance.ts"
import * as FeedDownload from "./FeedDownload.ts"
import { FeedError } from "./FeedError.ts"
import * as FeedIntake from "./FeedIntake.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"
import type { FeedSource } from "./FeedSource.ts"
import type { TimeSlices } from "./TimeSlices.ts"

/** What is refreshed. */
export interface Feed extends FeedDownload.FeedAddress {
  readonly source: FeedSource
  readonly retention: Duration.Duration
}

const LONGEST_REFRESH = Duration.minutes(5)

const newHashKey = Effect.sync((): HashKey => {
  const [high = 0, low = 0] = randomFillSync(new Uint32Array(2))
  return [high, low]
})

/**
 * The list of a document that is still the feed's answer. Its entries are seen once more; those kept from earlier
 * documents are not, and go when their retention is over.
 */
const withoutExpired = (
  held: FeedSnapshot,
  retention: Duration.Duration,
  now: number,
  slices: TimeSlices
) => {
  const { hashKey, entries, current } = held.list.header
  if (entries === current) return Effect.succeed(held.list)
  const builder = new ThreatListBuilder(hashKey, StampClock.make(now, retention))
  return Effect.zipRight(slices.run(builder.keep(held.list, undefined)), slices.run(builder.build()))
}

/** The new document as a list, with what it does not hold any more but the retention keeps. */
const listOf = Effect.fn(function* (
  feed: Feed,
  body: FeedDownload.Document["body"],
  held: Option.Option<FeedSnapshot>,
  slices: TimeSlices
) {
  const keepsEntries = Duration.greaterThan(feed.retention, Duration.zero)
  const earlier = Option.filter(held, () => keepsEntries)
  const hashKey = Option.isSome(earlier) ? earlier.value.list.header.hashKey : yield* newHashKey
  const clock = keepsEntries ? StampClock.make(yield* Clock.currentTimeMillis, feed.retention) : undefined
  const builder = new ThreatListBuilder(hashKey, clock)
  const counts = yield* FeedIntake.intake(body, feed.format, feed.source.category, builder, slices)
  if (Option.isSome(earlier)) yield* slices.run(builder.keep(earlier.value.list, earlier.value.fetchedAt))
  return { list: yield* slices.run(builder.build()), counts }
})

/**
 * Asks the feed once and makes a list of what it answers. The error says why there is nothing new; a document that is
 * refused for its size is no error but part of the answer, because it is to be remembered.
 */
export const refresh = (feed: Feed, held: Option.Option<FeedSnapshot>, slices: TimeSlices) =>
  Effect.gen(function* () {
    const answer = yield* FeedDownload.download(
      feed,
      Option.match(held, { onNone: () => FeedDownload.noValidators, onSome: ({ validators }) => validators })
    )
    if (answer._tag === "NotModified") {
      if (Option.isNone(held)) return yield* new FeedError({ reason: "Status", detail: "304" })
      const now = yield* Clock.currentTimeMillis
      const list = yield* withoutExpired(held.value, feed.retention, now, slices)
      const snapshot = { ...held.value, list, fetchedAt: now, answeredAt: now, shrunkenSince: undefined }
      return { snapshot, refusal: Option.none() } satisfies FeedAcceptance.Acceptance
    }
    const { list, counts } = yield* listOf(feed, answer.body, held, slices)
    const now = yield* Clock.currentTimeMillis
    return FeedAcceptance.judge(held, {
      list,
      counts,
      fetchedAt: now,
      answeredAt: now,
      validators: answer.validators,
      shrunkenSince: undefined
    })
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({
      duration: LONGEST_REFRESH,
      onTimeout: () => new FeedError({ reason: "Timeout", detail: "5 minutes in all" })
    }),
    Effect.withSpan("FeedRefresh.refresh", { attributes: { source: feed.source.name } })
  )
