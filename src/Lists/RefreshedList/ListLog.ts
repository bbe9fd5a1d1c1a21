import { Clock, Duration, Effect, type Option } from "effect"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
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
  /** Of the document, the first rows that are not used, with the reason; empty for none. */
  readonly skipped: (snapshot: S) => string
  /** What happened and what to check, in plain words. `wait`: until the next try. */
  readonly failureText: (error: ListError, wait: Duration.Duration, snapshot: Option.Option<S>) => string
}

/**
 * Groups the digits of a whole number: `grouped(1234)` is `"1,234"`. `toLocaleString` would delay the start: it loads its locale
 * when the first saved list is logged.
 */
export const grouped = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")

/** `count(1234, "entry", "entries")` is `"1,234 entries"`. */
export const count = (number: number, one: string, many: string): string =>
  `${grouped(number)} ${number === 1 ? one : many}`

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
    const rows = list.skipped(snapshot)
    const skipped = rows === "" ? "" : `. Skipped rows: ${rows}`
    return Effect.logInfo(
      `${list.name} ${origins[origin]}: ${entries} from ${list.source}${age}${skipped}`,
      numbersOf(list, snapshot)
    )
  })

/** Warns that a refresh failed. `wait`: until the next try. `snapshot`: the one in use. */
export const failed = <S>(
  list: LoggedList<S>,
  error: ListError,
  wait: Duration.Duration,
  snapshot: Option.Option<S>
) =>
  Effect.logWarning(
    list.failureText(error, wait, snapshot),
    jsonOnly({
      feed: list.name,
      source: list.source,
      reason: error.message,
      nextTryInSeconds: Math.round(Duration.toSeconds(wait))
    })
  )
