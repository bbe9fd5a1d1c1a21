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

const numbersOf = <S>({ counts, entries, name, source }: LoggedList<S>, snapshot: S) =>
  jsonOnly({ feed: name, source, entries: entries(snapshot), ...counts(snapshot) })

const origins = {
  refresh: "is up to date",
  replica: "was taken from another replica",
  disk: "was loaded from DATA_DIR"
} as const

/** Logs the list that is used from now on. */
export const used = <S>(list: LoggedList<S>, snapshot: S, origin: keyof typeof origins) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const age = origin === "disk" ? `, ${inWords(Math.max(0, now - list.fetchedAt(snapshot)))} old` : ""
    const entries = count(list.entries(snapshot), "entry", "entries")
    return Effect.logInfo(
      `${list.name} ${origins[origin]}: ${entries} from ${list.source}${age}`,
      numbersOf(list, snapshot)
    )
  })

/** Warns if a new list looks wrong. */
export const doubted = <S>(list: LoggedList<S>, snapshot: S) =>
  Effect.transposeMapOption(list.doubt(snapshot), (doubt) =>
    Effect.logWarning(`${list.name}: ${doubt}`, numbersOf(list, snapshot))
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

const logFailure = <S>(
  list: LoggedList<S>,
  error: ListError,
  wait: Option.Option<Duration.Duration>,
  snapshot: Option.Option<S>
) =>
  Effect.logWarning(
    list.failureText(error, wait, snapshot),
    jsonOnly({ feed: list.name, source: list.source, reason: error.message, ...nextTry(wait) })
  )

const atOnce: ListLogShape = {
  failed: (list, error, _wait, snapshot) => logFailure(list, error, Option.none(), snapshot),
  answered: () => Effect.void
}

/** Lists that were tried at the same time, or a minute later, fail within this time where there is no network. */
const ROUND = Duration.seconds(10)

/** A list whose publisher cannot be reached. */
interface Unreachable {
  readonly reason: string
  /** Milliseconds since 1970. */
  readonly nextAt: number
  /** Logs it alone, with the time until the next try. */
  readonly log: (wait: Duration.Duration) => Effect.Effect<void>
}

const logRound = (lists: ReadonlyMap<string, Unreachable>) =>
  Effect.gen(function* () {
    const [first, ...others] = lists.values()
    if (first === undefined) return
    const nextAt = Math.min(first.nextAt, ...others.map(({ nextAt }) => nextAt))
    const wait = Duration.millis(Math.max(0, nextAt - (yield* Clock.currentTimeMillis)))
    if (others.length === 0) return yield* first.log(wait)
    yield* Effect.logWarning(
      `${lists.size} lists could not be fetched (no network?); next try in ${inWords(Duration.toMillis(wait))}`,
      jsonOnly(nextTry(Option.some(wait)))
    ).pipe(
      Effect.annotateLogs({
        feeds: [...lists.keys()].sort().join(","),
        reason: [...new Set([first, ...others].map(({ reason }) => reason))].join(", ")
      })
    )
  })

const make = Effect.gen(function* () {
  /** As long as the log has not said so. */
  const unreachable = new Map<string, Unreachable>()
  const hasFailure = yield* Effect.makeLatch()

  const log = Effect.suspend(() => {
    const lists = new Map(unreachable)
    unreachable.clear()
    return Effect.zipRight(hasFailure.close, logRound(lists))
  })

  yield* BackgroundLoop.fork(
    "feed_log",
    hasFailure.await.pipe(Effect.zipRight(Effect.sleep(ROUND)), Effect.zipRight(log))
  )

  // Of a process that ends before the round does.
  yield* Effect.addFinalizer(() => log)

  return {
    failed: Effect.fnUntraced(function* (list, error, wait, snapshot) {
      const log = (wait: Duration.Duration) => logFailure(list, error, Option.some(wait), snapshot)
      unreachable.delete(list.name)
      if (!isOfNetwork(list, error)) return yield* log(wait)
      const nextAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
      unreachable.set(list.name, { reason: error.message, nextAt, log })
      yield* hasFailure.open
    }),
    answered: ({ name }) => Effect.sync(() => void unreachable.delete(name))
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
