import { randomFillSync } from "node:crypto"
import { Clock, Duration, Effect, Option } from "effect"
import type { HashKey } from "../ThreatList/KeyedHash.ts"
import * as StampClock from "../ThreatList/StampClock.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import * as FeedAcceptance from "./FeedAcceptance.ts"
import { FeedError } from "./FeedError.ts"
import type { FeedSource } from "./FeedSource.ts"
import type { FeedSnapshot } from "./Snapshot/FeedSnapshot.ts"
import * as FeedDownload from "./Worker/FeedDownload.ts"
import type * as FeedIntake from "./Worker/FeedIntake.ts"
import { FeedWorker } from "./Worker/FeedWorker.ts"

/** What is refreshed. */
export interface Feed extends FeedDownload.FeedAddress {
  readonly source: FeedSource
  readonly retention: Duration.Duration
}

/** From the request to the list. To ask takes less, with all redirects. */
const LONGEST_REFRESH = Duration.minutes(5)

const newHashKey = Effect.sync((): HashKey => {
  const [high = 0, low = 0] = randomFillSync(new Uint32Array(2))
  return [high, low]
})

const earlierOf = ({ list, fetchedAt }: FeedSnapshot) => ({ bytes: list.bytes, seenAt: fetchedAt })

const makeList = (
  order: Effect.Effect<FeedIntake.Order>,
  make: FeedDownload.Document["make"],
  limit: Duration.Duration
) =>
  Effect.gen(function* () {
    const worker = yield* FeedWorker
    // The wait for the turn does not count: another feed's slow server would take it away from this one.
    const { bytes, counts } = yield* worker.inTurn(
      Effect.timeoutFail(
        Effect.flatMap(order, (order) => make(order)),
        {
          duration: limit,
          onTimeout: () => new FeedError({ reason: "Timeout", detail: "5 minutes in all" })
        }
      )
    )
    const opened = yield* Effect.orDie(ThreatListBytes.open(bytes))
    return { list: new ThreatList(opened), counts }
  })

/** Whether the list keeps anything from earlier documents that is past its retention by a new clock. */
const hasExpired = ({ header, sections }: ThreatList, stampClock: StampClock.StampClock): boolean => {
  const itsClock = header.stampClock
  if (itsClock === undefined || header.entries === header.current) return false
  return sections.stamps.some((stamp) => StampClock.time(itsClock, stamp) < stampClock.epoch)
}

/**
 * The list of a document that is still the feed's answer. Its entries are seen once more; those kept from earlier
 * documents are not, and go when their retention is over. Until then it is the very list that is held, which nobody has to
 * store anew.
 */
const withoutExpired = Effect.fnUntraced(function* (
  feed: Feed,
  held: FeedSnapshot,
  limit: Duration.Duration
) {
  const { hashKey } = held.list.header
  const stampClock = StampClock.make(yield* Clock.currentTimeMillis, feed.retention)
  if (!hasExpired(held.list, stampClock)) return held.list
  const earlier = { ...earlierOf(held), seenAt: undefined }
  const order = Effect.succeed({ hashKey, stampClock, document: undefined, earlier })
  return (yield* makeList(order, (yield* FeedWorker).make, limit)).list
})

/** The new document as a list, with what it does not hold any more but the retention keeps. */
const listOf = (
  feed: Feed,
  make: FeedDownload.Document["make"],
  held: Option.Option<FeedSnapshot>,
  limit: Duration.Duration
) => {
  const document = { format: feed.format, category: feed.source.category }
  const order = Effect.gen(function* () {
    if (!Duration.greaterThan(feed.retention, Duration.zero))
      return { hashKey: yield* newHashKey, stampClock: undefined, document, earlier: undefined }
    const stampClock = StampClock.make(yield* Clock.currentTimeMillis, feed.retention)
    if (Option.isNone(held)) return { hashKey: yield* newHashKey, stampClock, document, earlier: undefined }
    const { hashKey } = held.value.list.header
    return { hashKey, stampClock, document, earlier: earlierOf(held.value) }
  })
  return makeList(order, make, limit)
}

/**
 * Asks the feed once and makes a list of what it answers. The error says why there is nothing new; a document that is
 * refused for its size is no error but part of the answer, because it is to be remembered.
 */
export const refresh = (feed: Feed, held: Option.Option<FeedSnapshot>) =>
  Effect.gen(function* () {
    const [asking, answer] = yield* Effect.timed(
      FeedDownload.download(
        feed,
        Option.match(held, {
          onNone: () => FeedDownload.noValidators,
          onSome: ({ validators }) => validators
        })
      )
    )
    const limit = Duration.subtract(LONGEST_REFRESH, asking)
    if (answer._tag === "NotModified") {
      if (Option.isNone(held)) return yield* new FeedError({ reason: "Status", detail: "304" })
      const now = yield* Clock.currentTimeMillis
      const list = yield* withoutExpired(feed, held.value, limit)
      const snapshot = { ...held.value, list, fetchedAt: now, answeredAt: now, shrunkenSince: undefined }
      return { snapshot, refusal: Option.none() } satisfies FeedAcceptance.Acceptance
    }
    const { list, counts } = yield* listOf(feed, answer.make, held, limit)
    const now = yield* Clock.currentTimeMillis
    const accepted = FeedAcceptance.judge(held, {
      list,
      counts,
      fetchedAt: now,
      answeredAt: now,
      validators: answer.validators,
      shrunkenSince: undefined
    })
    return accepted
  }).pipe(
    Effect.scoped,
    Effect.withSpan("FeedRefresh.refresh", { root: true, attributes: { source: feed.source.name } })
  )
