import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { ListSlot } from "../../Layers/AppConfig.ts"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"
import type { Feed } from "./Feed.ts"
import type { FeedError } from "./FeedError.ts"
import { failureText, isOfNetwork, placeOf } from "./FeedLog/FailureText.ts"
import { count, inWords } from "./FeedLog/Quantity.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"

const nextTry = Option.match<Readonly<Record<string, number>>, Duration.Duration>({
  onNone: () => ({}),
  onSome: (wait) => ({ nextTryInSeconds: Math.round(Duration.toSeconds(wait)) })
})

const identity = ({ slot, source }: Feed) => ({ feed: slot, source: source.name })

const logFailure = (feed: Feed, error: FeedError, wait: Option.Option<Duration.Duration>) =>
  Effect.logWarning(
    failureText(feed, error, wait),
    jsonOnly({ ...identity(feed), reason: error.message, ...nextTry(wait) })
  )

const logList = (feed: Feed, { counts, list }: FeedSnapshot, verb: string, more = "") => {
  const { entries } = list.header
  return Effect.logInfo(
    `${feed.slot} ${verb}: ${count(entries, "entry", "entries")} from ${feed.source.name}${more}`,
    jsonOnly({ ...identity(feed), entries, ...counts })
  )
}

/** Logs that a list was read from the data directory. */
export const loaded = (feed: Feed, snapshot: FeedSnapshot) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    logList(
      feed,
      snapshot,
      "was loaded from DATA_DIR",
      `, ${inWords(Math.max(0, now - snapshot.fetchedAt))} old`
    )
  )

export const takenFromReplica = (feed: Feed, snapshot: FeedSnapshot) =>
  logList(feed, snapshot, "was taken from another replica")

/** Logs the list after a refresh, and warns if more than half of a new document was skipped. */
export const refreshed = (feed: Feed, snapshot: FeedSnapshot, isNew: boolean) => {
  const { counts, list } = snapshot
  const used = list.header.entriesInDocument + counts.ignored
  const warning = Effect.logWarning(
    `${feed.slot}: ${count(counts.skipped, "line", "lines")} of ${placeOf(feed)} were skipped, more than the ${used.toLocaleString("en-US")} that can be used. Is ${feed.slot.toUpperCase()}_FORMAT right?`,
    jsonOnly({ ...identity(feed), entries: list.header.entries, ...counts })
  )
  return Effect.zipRight(
    logList(feed, snapshot, "is up to date"),
    Effect.when(warning, () => isNew && counts.skipped > used)
  )
}

/** Logs refreshes that failed, for all lists together. */
interface FeedLogShape {
  /** Wraps the refresh of a list. `isFirst`: there is no list yet. */
  readonly watch: (
    slot: ListSlot,
    isFirst: boolean
  ) => <A, E, R>(refresh: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** `wait`: until the next try. */
  readonly failed: (feed: Feed, error: FeedError, wait: Duration.Duration) => Effect.Effect<void>
  /** The publisher answered. */
  readonly answered: (slot: ListSlot) => Effect.Effect<void>
}

const atOnce: FeedLogShape = {
  watch: () => (refresh) => refresh,
  failed: (feed, error) => logFailure(feed, error, Option.none()),
  answered: () => Effect.void
}

/** Refreshes of lists that are due at the same time fail within this time where there is no network. */
const ROUND_STARTS = Duration.seconds(2)

/** Where nothing responds, each list takes ten seconds, one after the other. */
const MAX_ROUND = Duration.minutes(1)

interface Failure {
  readonly feed: Feed
  readonly error: FeedError
  /** Milliseconds since 1970. */
  readonly nextAt: number
}

const logRound = (failures: ReadonlyArray<Failure>) =>
  Effect.gen(function* () {
    const [first, ...others] = failures
    if (first === undefined) return
    const nextAt = Math.min(...failures.map(({ nextAt }) => nextAt))
    const wait = Duration.millis(Math.max(0, nextAt - (yield* Clock.currentTimeMillis)))
    if (others.length === 0) return yield* logFailure(first.feed, first.error, Option.some(wait))
    yield* Effect.logWarning(
      `${failures.length} lists could not be fetched (no network?); next try in ${inWords(Duration.toMillis(wait))}`,
      jsonOnly(nextTry(Option.some(wait)))
    ).pipe(
      Effect.annotateLogs({
        feeds: failures
          .map(({ feed }) => feed.slot)
          .sort()
          .join(","),
        reason: [...new Set(failures.map(({ error }) => error.message))].join(", ")
      })
    )
  })

const make = Effect.gen(function* () {
  /** The lists whose publisher could not be reached the last time. */
  const unreachable = new Map<ListSlot, Failure>()
  /** Those of them that the log has not said yet. */
  const unlogged = new Set<ListSlot>()
  /** Lists that are tried for the first time, or again. */
  const tried = new Set<ListSlot>()
  const hasFailure = yield* Effect.makeLatch()
  const isRoundOver = yield* Effect.makeLatch()

  /** A list that is tried again only after the round is not waited for. */
  const changed = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const roundEnd = now + Duration.toMillis(MAX_ROUND)
    return tried.size === 0 &&
      [...unreachable.values()].every(({ feed, nextAt }) => unlogged.has(feed.slot) || nextAt > roundEnd)
      ? isRoundOver.open
      : isRoundOver.close
  })

  const log = Effect.suspend(() => {
    const failures = [...unreachable.values()].filter(({ feed }) => unlogged.has(feed.slot))
    unlogged.clear()
    return Effect.zipRight(hasFailure.close, logRound(failures))
  })

  yield* BackgroundLoop.fork(
    "feed_log",
    hasFailure.await.pipe(
      Effect.zipRight(Effect.sleep(ROUND_STARTS)),
      Effect.zipRight(Effect.timeoutOption(isRoundOver.await, MAX_ROUND)),
      Effect.zipRight(log)
    )
  )

  // Of a process that ends before the round does.
  yield* Effect.addFinalizer(() => log)

  const answered = (slot: ListSlot) =>
    Effect.suspend(() => {
      unreachable.delete(slot)
      unlogged.delete(slot)
      return changed
    })

  return {
    watch: (slot, isFirst) => (refresh) =>
      Effect.suspend(() => {
        if (!isFirst && !unreachable.has(slot)) return refresh
        tried.add(slot)
        return Effect.ensuring(
          Effect.zipRight(changed, refresh),
          Effect.suspend(() => {
            tried.delete(slot)
            return changed
          })
        )
      }),
    failed: (feed, error, wait) =>
      isOfNetwork(feed, error)
        ? Effect.flatMap(Clock.currentTimeMillis, (now) => {
            unreachable.set(feed.slot, { feed, error, nextAt: now + Duration.toMillis(wait) })
            unlogged.add(feed.slot)
            return Effect.zipRight(changed, hasFailure.open)
          })
        : Effect.zipRight(answered(feed.slot), logFailure(feed, error, Option.some(wait))),
    answered
  } satisfies FeedLogShape
})

/**
 * Logs failed refreshes. Without `layer`, as in a run of the command, each at once and without a next try.
 *
 * With it, publishers that cannot be reached share a line: it is logged when all lists that are due within a minute have been
 * tried, at the latest a minute after the first failure. Other failures are logged at once.
 */
export class FeedLog extends Context.Reference<FeedLog>()("app/Checkers/FeedLog", {
  defaultValue: () => atOnce
}) {
  static readonly layer = Layer.scoped(FeedLog, make)
}
