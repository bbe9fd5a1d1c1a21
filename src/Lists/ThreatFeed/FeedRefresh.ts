import { Cause, Clock, Duration, Effect, Either, Option, Random, Redacted } from "effect"
import * as OutboundHttp from "../../Layers/Outbound/HttpExchange.ts"
import * as Program from "../../Layers/Program.ts"
import * as LastSeen from "../ThreatList/LastSeen.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import type { Feed } from "./Feed.ts"
import * as FeedAcceptance from "./FeedAcceptance.ts"
import { FeedError } from "./FeedError.ts"
import { FeedLog } from "./FeedLog.ts"
import * as FeedMetrics from "./FeedMetrics.ts"
import * as FeedSchedule from "./FeedSchedule.ts"
import { type FeedSnapshot, noValidators } from "./FeedSnapshot.ts"
import type { BuildRequest, DocumentRequest, Limits } from "./FeedWorker/ThreadMessages.ts"
import { FeedWorker } from "./FeedWorker.ts"

const TIMEOUT = Duration.minutes(5)

/**
 * A list of 8,388,608 records takes up to 440 MB while it is built; all feeds may be building at once. A document of
 * 256 MiB could hold sixteen times as many, in a quarter of a megabyte of gzip; the largest public feed has some two
 * million.
 */
const LIMITS: Limits = {
  connectTimeoutMs: Duration.toMillis(OutboundHttp.CONNECT_TIMEOUT),
  idleTimeoutMs: 30_000,
  maxBodyBytes: 268_435_456,
  maxKeys: 8_388_608
}

/** PhishTank requires this form and limits other clients more (https://www.phishtank.com/developer_info.php). */
const userAgent = ({ format }: Pick<Feed, "format">): string =>
  format === "phishtank-csv" ? `phishtank/${Program.nameAndVersion}` : Program.nameAndVersion

/** The ranking of popular sites, as a feed's refresh uses it: to count the rows about them. */
export interface Ranking {
  /** None while there is none. A stale one counts. */
  readonly list: () => Option.Option<ThreatList>
  /** Waits until there is a ranking, or the first attempt to get one has failed. */
  readonly firstAttempt: Effect.Effect<void>
}

/**
 * How long a feed's first refresh waits for the ranking, which is downloaded at the same time. A ranking takes a second or
 * two; it must not delay readiness for long, because the counts are only for health.
 */
const MAX_WAIT_FOR_RANKING = Duration.seconds(5)

/** Without a list of its own the feed's next document is the one to count; with one the next refresh is early enough. */
const awaitRanking = (previous: Option.Option<FeedSnapshot>, ranking: Option.Option<Ranking>) =>
  Option.match(ranking, {
    onNone: () => Effect.void,
    onSome: ({ firstAttempt, list }) =>
      Option.isSome(previous) || Option.isSome(list())
        ? Effect.void
        : Effect.asVoid(Effect.timeoutOption(firstAttempt, MAX_WAIT_FOR_RANKING))
  })

/** The request for a feed's document, whatever is known of earlier ones. */
export const documentRequest = (feed: Pick<Feed, "url" | "format" | "authHeader">): DocumentRequest => ({
  url: feed.url.href.slice(0, feed.url.href.length - feed.url.hash.length),
  headers: { "accept-encoding": "gzip", "user-agent": userAgent(feed) },
  authHeaders: Option.match(feed.authHeader, {
    onNone: () => ({}),
    onSome: ({ name, value }) => ({ [name]: Redacted.value(value) })
  }),
  limits: LIMITS
})

/** `now` is in milliseconds since 1970. */
const requestOf = (
  feed: Feed,
  previous: FeedSnapshot | undefined,
  ranking: ThreatList | undefined,
  now: number
): BuildRequest => {
  const hasRetention = Duration.greaterThan(feed.retention, Duration.zero)
  // Retention was just switched off: the list still has entries of earlier documents. Ask without validators, so that a full
  // document replaces the mixed list.
  const header = previous?.list.header
  const isMixed = !hasRetention && header?.entriesInDocument !== header?.entries
  // The document was read while there was no ranking: ask without validators, so that its rows are counted.
  const isUncounted = ranking !== undefined && previous?.counts.unconfirmed === undefined
  const { etag, lastModified } = (isMixed || isUncounted ? undefined : previous?.validators) ?? noValidators
  const earlier = hasRetention ? previous : undefined
  const request = documentRequest(feed)
  return {
    ...request,
    headers: {
      ...request.headers,
      ...(etag !== undefined && { "if-none-match": etag }),
      ...(lastModified !== undefined && { "if-modified-since": lastModified })
    },
    format: feed.format,
    category: feed.source.category,
    oldestDay: hasRetention ? LastSeen.dayOf(now - Duration.toMillis(feed.retention)) : undefined,
    earlier: earlier && { bytes: earlier.list.bytes, fetchedAt: earlier.fetchedAt },
    ranking: ranking?.bytes
  }
}

const listOf = (bytes: ThreatListBytes.Bytes) =>
  Effect.map(Effect.orDie(ThreatListBytes.open(bytes)), (opened) => new ThreatList(opened))

const build = Effect.fnUntraced(function* (
  feed: Feed,
  previous: Option.Option<FeedSnapshot>,
  ranking: Option.Option<Ranking>
) {
  const worker = yield* FeedWorker
  yield* awaitRanking(previous, ranking)
  const request = requestOf(
    feed,
    Option.getOrUndefined(previous),
    Option.getOrUndefined(Option.flatMap(ranking, ({ list }) => list())),
    yield* Clock.currentTimeMillis
  )
  return yield* Effect.timeoutFail(worker.build(request), {
    duration: TIMEOUT,
    onTimeout: () => new FeedError({ reason: "Timeout", detail: "5 minutes in all" })
  })
})

/**
 * Requests a feed once and yields the snapshot to use from now on. A document that is too small yields an `error` and the
 * previous list, in a snapshot that stores since when. The ranking is None for itself, and where it is off. Fails unless the
 * feed answered 200 or 304.
 */
export const refresh = (
  feed: Feed,
  previous: Option.Option<FeedSnapshot>,
  ranking: Option.Option<Ranking>
): Effect.Effect<FeedAcceptance.Acceptance, FeedError, FeedWorker> =>
  Effect.gen(function* () {
    const response = yield* build(feed, previous, ranking)
    const now = yield* Clock.currentTimeMillis
    const times = { fetchedAt: now, answeredAt: now, shrunkenSince: undefined }
    if (response._tag === "NotModified") {
      if (Option.isNone(previous)) return yield* new FeedError({ reason: "Status", detail: "304" })
      const list = response.bytes === undefined ? previous.value.list : yield* listOf(response.bytes)
      return { snapshot: { ...previous.value, list, ...times }, error: Option.none() }
    }
    const { counts, validators } = response
    const list = yield* listOf(response.bytes)
    return FeedAcceptance.judge(previous, { list, counts, validators, ...times })
  }).pipe(Effect.withSpan("FeedRefresh.refresh", { root: true, attributes: { source: feed.source.name } }))

/** The outcome of one refresh. */
export interface RefreshOutcome {
  /** The snapshot to use from now on. None: the previous one. */
  readonly snapshot: Option.Option<FeedSnapshot>
  /** Why there is no newer list. */
  readonly error: Option.Option<FeedError>
  /** Refreshes in a row without a document. A document that was refused for its size does not count. */
  readonly failures: number
  /** How long to send no request to the feed. */
  readonly wait: Duration.Duration
}

/**
 * The `refresh` of one feed for a loop: counts it in the metrics and says how long to wait for the next one. Never fails: a
 * defect is logged and is an outcome too. Changes nothing else: the caller must pass it to `FeedState.settle`.
 */
export const make = (feed: Feed, ranking: Option.Option<Ranking>) =>
  Effect.zipWith(FeedMetrics.refreshCounter(feed.slot), FeedLog, (count, log) =>
    Effect.fnUntraced(function* (previous: Option.Option<FeedSnapshot>, failuresBefore: number) {
      const refreshed = yield* refresh(feed, previous, ranking).pipe(
        log.watch(feed.slot, Option.isNone(previous)),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
            new FeedError({ reason: "Defect" })
          )
        ),
        Effect.either
      )
      const random = yield* Random.next
      if (Either.isRight(refreshed)) {
        const { error, snapshot } = refreshed.right
        count(error)
        return {
          snapshot: Option.some(snapshot),
          error,
          failures: 0,
          wait: FeedSchedule.afterAnswer(feed.refresh, random)
        } satisfies RefreshOutcome
      }
      const error = refreshed.left
      const failures = failuresBefore + 1
      count(Option.some(error))
      return {
        snapshot: Option.none(),
        error: Option.some(error),
        failures,
        wait: FeedSchedule.afterFailure(failures, feed.refresh, error.retryAfter ?? Option.none(), random)
      } satisfies RefreshOutcome
    })
  )

export type FeedRefresh = Effect.Effect.Success<ReturnType<typeof make>>
