import { Duration, Option } from "effect"

/** Waits are longer by up to this part, so that many processes do not ask at one moment. Never shorter. */
const JITTER = 0.1

const FIRST_RETRY = Duration.minutes(1)

/** Waits between retries grow up to the refresh interval, and up to this where that is even shorter. */
const LEAST_LONGEST_RETRY = Duration.minutes(5)

/** No server is granted more, or one wrong header would end a feed. */
const LONGEST_RETRY_AFTER = Duration.days(1)

/** No timer of JavaScript runs for 25 days; Effect would take such a wait for an endless one. */
const LONGEST_WAIT = Duration.days(24)

const INTERVALS_UNTIL_STALE = 3

const jittered = (wait: Duration.Duration, random: number): Duration.Duration =>
  Duration.min(Duration.times(wait, 1 + JITTER * random), LONGEST_WAIT)

/** How long to wait after an answer, for a `random` from 0 to 1. */
export const afterAnswer = (refresh: Duration.Duration, random: number): Duration.Duration =>
  jittered(refresh, random)

/**
 * How long to wait after the nth failure in a row: a minute or the refresh interval if that is shorter, twice as long each
 * time up to the refresh interval; and at least as long as the server asks.
 *
 * `afterFailure(3, Duration.hours(6), Option.none(), 0)` is four minutes.
 */
export const afterFailure = (
  failures: number,
  refresh: Duration.Duration,
  retryAfter: Option.Option<Duration.Duration>,
  random: number
): Duration.Duration => {
  const grown = Duration.times(Duration.min(FIRST_RETRY, refresh), 2 ** (failures - 1))
  const asked = Duration.min(
    Option.getOrElse(retryAfter, () => Duration.zero),
    LONGEST_RETRY_AFTER
  )
  const wait = Duration.min(grown, Duration.max(refresh, LEAST_LONGEST_RETRY))
  return jittered(Duration.max(wait, asked), random)
}

/** Whether a document that was last the feed's answer at `fetchedAt` is too old at `now`, in milliseconds. */
export const isStale = (fetchedAt: number, refresh: Duration.Duration, now: number): boolean =>
  now - fetchedAt > INTERVALS_UNTIL_STALE * Duration.toMillis(refresh)
