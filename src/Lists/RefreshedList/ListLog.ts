import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { CONNECT_TIMED_OUT } from "../../Layers/Outbound/HttpRequest.ts"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"
import type { ListError } from "../ListError.ts"

/** A list as the log names and describes it. */
export interface LoggedList<S> {
  /** Such as `feed_a`. */
  readonly name: string
  /** The publisher. */
  readonly source: string
  /** Whether it is read from a file of this machine. */
  readonly isFile: boolean
  readonly entries: (snapshot: S) => number
  /** When the source last answered with this list, in milliseconds since 1970. */
  readonly fetchedAt: (snapshot: S) => number
  /** Further numbers for JSON lines. */
  readonly counts: (snapshot: S) => Readonly<Record<string, number>>
  /** Whether a failure is worth a line of its own. */
  readonly isNews: (before: Option.Option<S>, after: Option.Option<S>) => boolean
  /** What makes a new list look wrong, with a question to the operator. */
  readonly doubt: (snapshot: S) => Option.Option<string>
  /** What happened and what to check, in plain words. `wait`: until the next try. */
  readonly failureText: (
    error: ListError,
    wait: Option.Option<Duration.Duration>,
    snapshot: Option.Option<S>
  ) => string
}

/** `count(1234, "entry", "entries")` is `"1,234 entries"`. */
export const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"]
] as const

/** A wait of 58 seconds is a minute. */
const MIN_PART_OF_UNIT = 0.9

/** A time in milliseconds. `inWords(63_000)` is `"1 minute"`. */
export const inWords = (millis: number): string => {
  const [length, unit] =
    units.find(([length]) => millis >= length * MIN_PART_OF_UNIT) ?? ([1000, "second"] as const)
  const rounded = Math.max(1, Math.round(millis / length))
  return count(rounded, unit, `${unit}s`)
}

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

/** Whether it is an error that every list has without a network. */
export const isOfNetwork = ({ isFile }: { readonly isFile: boolean }, { detail }: ListError): boolean =>
  !isFile && NETWORK_CODES.has(detail)

const nextTry = Option.match<Readonly<Record<string, number>>, Duration.Duration>({
  onNone: () => ({}),
  onSome: (wait) => ({ nextTryInSeconds: Math.round(Duration.toSeconds(wait)) })
})

const identity = ({ name, source }: Pick<LoggedList<never>, "name" | "source">) => ({ feed: name, source })

const logList = <S>(list: LoggedList<S>, snapshot: S, verb: string, more = "") => {
  const entries = list.entries(snapshot)
  return Effect.logInfo(
    `${list.name} ${verb}: ${count(entries, "entry", "entries")} from ${list.source}${more}`,
    jsonOnly({ ...identity(list), entries, ...list.counts(snapshot) })
  )
}

/** Logs that a list was read from the data directory. */
export const loaded = <S>(list: LoggedList<S>, snapshot: S) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    logList(
      list,
      snapshot,
      "was loaded from DATA_DIR",
      `, ${inWords(Math.max(0, now - list.fetchedAt(snapshot)))} old`
    )
  )

export const takenFromReplica = <S>(list: LoggedList<S>, snapshot: S) =>
  logList(list, snapshot, "was taken from another replica")

/** Logs the list after a refresh, and warns if a new one looks wrong. */
export const refreshed = <S>(list: LoggedList<S>, snapshot: S, isNew: boolean) =>
  Effect.zipRight(
    logList(list, snapshot, "is up to date"),
    Effect.transposeMapOption(
      Option.filter(list.doubt(snapshot), () => isNew),
      (doubt) =>
        Effect.logWarning(
          `${list.name}: ${doubt}`,
          jsonOnly({ ...identity(list), entries: list.entries(snapshot), ...list.counts(snapshot) })
        )
    )
  )

/** A refresh that failed, as the log says it. */
interface Failure {
  readonly name: string
  readonly source: string
  readonly error: ListError
  readonly text: (wait: Option.Option<Duration.Duration>) => string
  /** Milliseconds since 1970. */
  readonly nextAt: number
}

const logFailure = ({ error, text, ...list }: Failure, wait: Option.Option<Duration.Duration>) =>
  Effect.logWarning(text(wait), jsonOnly({ ...identity(list), reason: error.message, ...nextTry(wait) }))

const failureOf = <S>(
  list: LoggedList<S>,
  error: ListError,
  wait: Duration.Duration,
  snapshot: Option.Option<S>
) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now): Failure => ({
      name: list.name,
      source: list.source,
      error,
      text: (wait) => list.failureText(error, wait, snapshot),
      nextAt: now + Duration.toMillis(wait)
    })
  )

/** Logs refreshes that failed, for all lists together. */
interface ListLogShape {
  /** `wait`: until the next try. `snapshot`: the one in use. */
  readonly failed: <S>(
    list: LoggedList<S>,
    error: ListError,
    wait: Duration.Duration,
    snapshot: Option.Option<S>
  ) => Effect.Effect<void>
  /** The publisher answered, or no line is to say that it did not. */
  readonly answered: (list: { readonly name: string }) => Effect.Effect<void>
}

const atOnce: ListLogShape = {
  failed: (list, error, wait, snapshot) =>
    Effect.flatMap(failureOf(list, error, wait, snapshot), (failure) => logFailure(failure, Option.none())),
  answered: () => Effect.void
}

/** Lists that were tried at the same time, or a minute later, fail within this time where there is no network. */
const ROUND = Duration.seconds(10)

const logRound = (failures: ReadonlyArray<Failure>) =>
  Effect.gen(function* () {
    const [first, ...others] = failures
    if (first === undefined) return
    const nextAt = Math.min(...failures.map(({ nextAt }) => nextAt))
    const wait = Duration.millis(Math.max(0, nextAt - (yield* Clock.currentTimeMillis)))
    if (others.length === 0) return yield* logFailure(first, Option.some(wait))
    yield* Effect.logWarning(
      `${failures.length} lists could not be fetched (no network?); next try in ${inWords(Duration.toMillis(wait))}`,
      jsonOnly(nextTry(Option.some(wait)))
    ).pipe(
      Effect.annotateLogs({
        feeds: failures
          .map(({ name }) => name)
          .sort()
          .join(","),
        reason: [...new Set(failures.map(({ error }) => error.message))].join(", ")
      })
    )
  })

const make = Effect.gen(function* () {
  /** The lists whose publisher cannot be reached, as long as the log has not said so. */
  const unreachable = new Map<string, Failure>()
  const hasFailure = yield* Effect.makeLatch()

  const log = Effect.suspend(() => {
    const failures = [...unreachable.values()]
    unreachable.clear()
    return Effect.zipRight(hasFailure.close, logRound(failures))
  })

  yield* BackgroundLoop.fork(
    "feed_log",
    hasFailure.await.pipe(Effect.zipRight(Effect.sleep(ROUND)), Effect.zipRight(log))
  )

  // Of a process that ends before the round does.
  yield* Effect.addFinalizer(() => log)

  const answered = ({ name }: { readonly name: string }) => Effect.sync(() => void unreachable.delete(name))

  return {
    failed: (list, error, wait, snapshot) =>
      Effect.flatMap(failureOf(list, error, wait, snapshot), (failure) => {
        if (!isOfNetwork(list, error))
          return Effect.zipRight(answered(list), logFailure(failure, Option.some(wait)))
        unreachable.set(list.name, failure)
        return hasFailure.open
      }),
    answered
  } satisfies ListLogShape
})

/**
 * Logs failed refreshes. Without `layer`, as in a run of the command, each at once and without a next try.
 *
 * With it, publishers that cannot be reached share a line, which is logged 10 seconds after the first failure. Other failures
 * are logged at once.
 */
export class ListLog extends Context.Reference<ListLog>()("app/Lists/ListLog", {
  defaultValue: () => atOnce
}) {
  static readonly layer = Layer.scoped(ListLog, make)
}
