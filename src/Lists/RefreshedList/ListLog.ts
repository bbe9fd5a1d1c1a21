import { Clock, Duration, Effect } from "effect"
import type { ListError } from "../ListError.ts"
import type { Definition, Snapshot } from "./Definition.ts"

type LoggedList<S extends Snapshot> = Omit<Definition<S, never>, "request">

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

const origins = {
  refresh: "is up to date",
  replica: "was taken from another replica",
  disk: "was loaded from DATA_DIR"
} as const

/** Logs the list that is used from now on. */
export const used = <S extends Snapshot>(
  { describe, name, source }: LoggedList<S>,
  snapshot: S,
  origin: keyof typeof origins
) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const age = origin === "disk" ? `, ${inWords(Math.max(0, now - snapshot.answeredAt))} old` : ""
    const { counts, entries, skipped: rows } = describe(snapshot)
    const skipped = rows === "" ? "" : `. Skipped rows: ${rows}`
    return Effect.logInfo(
      `${name} ${origins[origin]}: ${count(entries, "entry", "entries")} from ${source}${age}${skipped}`,
      { feed: name, source, entries, ...counts }
    )
  })

/** Warns that a refresh failed. `wait`: until the next try. */
export const failed = <S extends Snapshot>(
  { failureText, name, source }: LoggedList<S>,
  error: ListError,
  wait: Duration.Duration
) =>
  Effect.logWarning(failureText(error, wait), {
    feed: name,
    source,
    reason: error.message,
    nextTryInSeconds: Math.round(Duration.toSeconds(wait))
  })
