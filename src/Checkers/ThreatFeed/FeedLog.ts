import { fileURLToPath } from "node:url"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { ListSlot } from "../../Layers/AppConfig.ts"
import * as BackgroundLoop from "../../Layers/BackgroundLoop.ts"
import { CONNECT_TIMED_OUT } from "../../Layers/Outbound/HttpRequest.ts"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
import type { Feed } from "./Feed.ts"
import type { FeedError } from "./FeedError.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"

const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"]
] as const

/** A wait of 58 seconds is a minute. */
const MIN_PART_OF_UNIT = 0.9

/** `inWords(63_000)` is `"1 minute"`. */
const inWords = (millis: number): string => {
  const [length, unit] =
    units.find(([length]) => millis >= length * MIN_PART_OF_UNIT) ?? ([1000, "second"] as const)
  const rounded = Math.max(1, Math.round(millis / length))
  return count(rounded, unit, `${unit}s`)
}

const isFile = ({ url }: Feed): boolean => url.protocol === "file:"

/** The path of a file; of an address, which may contain a key, only the publisher. */
const placeOf = (feed: Feed): string =>
  isFile(feed) ? JSON.stringify(fileURLToPath(feed.url)) : feed.source.name

/** What happened, and what the operator can check if that may help. */
const explanation = (
  feed: Feed,
  { reason, detail, message }: FeedError
): readonly [string, advice?: string] => {
  const setting = feed.slot.toUpperCase()
  const place = placeOf(feed)
  const isFormatRight = `Is ${setting}_FORMAT right?`
  const because = detail === undefined ? "" : ` (${detail})`
  switch (reason) {
    case "Unreachable":
      return isFile(feed)
        ? [`${place} cannot be read${because}`, `Is ${setting}_URL right?`]
        : [`${place} cannot be reached${because}`]
    case "Timeout":
      return [`${place} is too slow${because}`]
    case "Status":
      return detail === "401" || detail === "403"
        ? [`${place} responded with status ${detail}`, `Does it need a key in ${setting}_AUTH_HEADER?`]
        : detail === "404" || detail === "410"
          ? [`${place} responded with status ${detail}`, `Is ${setting}_URL right?`]
          : [`${place} responded with status ${detail}`]
    case "TooManyRedirects":
      return [`${place} redirects too often`, `Is ${setting}_URL right?`]
    case "ForbiddenRedirect":
      return [`${place} redirects to plain HTTP or into a private network, which is not followed`]
    case "TooLarge":
      return [`the document is too large${because}`]
    case "NotAFeed":
      return [`the document is not a list in the format ${feed.format}${because}`, isFormatRight]
    case "Columns":
      return [`the columns are not those of ${feed.format}`, isFormatRight]
    case "Empty":
      return ["the document has no usable entry", isFormatRight]
    case "Corrupt":
      return [`the document is damaged${because}`]
    case "Shrunken":
      return [`the new document is much smaller${because} and is not used`]
    case "WorkerDied":
    case "Defect":
      return [`refreshing the list failed: ${message}`]
  }
}

/** `feed_a: the columns are not those of phishunt-csv. Is FEED_A_FORMAT right?` */
const failureText = (feed: Feed, error: FeedError, wait: Option.Option<Duration.Duration>): string => {
  const [what, advice] = explanation(feed, error)
  if (advice !== undefined) return `${feed.slot}: ${what}. ${advice}`
  const next = Option.map(wait, (wait) => `; next try in ${inWords(Duration.toMillis(wait))}`)
  return `${feed.slot}: ${what}${Option.getOrElse(next, () => "")}`
}

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

/** Logs the list after a refresh, and warns if most of a new document could not be used. */
export const refreshed = (feed: Feed, snapshot: FeedSnapshot, isNew: boolean) => {
  const { counts, list } = snapshot
  const used = list.header.entriesInDocument + counts.ignored
  const warning = Effect.logWarning(
    `${feed.slot}: more than half of the document was skipped: ${count(counts.skipped, "line", "lines")} of ${placeOf(feed)}, and ${used.toLocaleString("en-US")} can be used. Is ${feed.slot.toUpperCase()}_FORMAT right?`,
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

/** The details of errors that every list has without a network. */
const NETWORK_CODES: ReadonlySet<string | undefined> = new Set([
  CONNECT_TIMED_OUT,
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT"
])

const isOfNetwork = (feed: Feed, { detail }: FeedError): boolean => !isFile(feed) && NETWORK_CODES.has(detail)

const make = Effect.gen(function* () {
  /** The lists whose publisher could not be reached the last time. */
  const unreachable = new Map<ListSlot, Failure>()
  /** Those of them that the log has not said yet. */
  const unlogged = new Set<ListSlot>()
  /** Lists that are tried for the first time, or again. */
  const tried = new Set<ListSlot>()
  const hasFailure = yield* Effect.makeLatch()
  const isRoundOver = yield* Effect.makeLatch()

  const changed = Effect.suspend(() =>
    tried.size === 0 && [...unreachable.keys()].every((slot) => unlogged.has(slot))
      ? isRoundOver.open
      : isRoundOver.close
  )

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
 * With it, publishers that cannot be reached share a line: it is logged when all lists of the round have been tried, at the
 * latest a minute after the first failure. Other failures are logged at once.
 */
export class FeedLog extends Context.Reference<FeedLog>()("app/Checkers/FeedLog", {
  defaultValue: () => atOnce
}) {
  static readonly layer = Layer.scoped(FeedLog, make)
}
