import { Duration, Option } from "effect"

/** Adds up to this part to a wait, so that many processes do not send requests at the same time. */
const JITTER = 0.1

const FIRST_RETRY = Duration.minutes(1)

/** The wait between retries grows to the refresh interval, or to this if the interval is shorter. */
const MIN_RETRY_CAP = Duration.minutes(5)

/** Maximum that a Retry-After header can request: a wrong header must not stop a feed for ever. */
const MAX_RETRY_AFTER = Duration.days(1)

/** A timer of JavaScript lasts at most 24.8 days; Effect never ends a longer sleep. */
const MAX_WAIT = Duration.days(24)

const STALE_AFTER_INTERVALS = 3

/** Maximum difference between the clocks of a fleet, as in Kerberos (https://www.rfc-editor.org/rfc/rfc4120). */
const MAX_CLOCK_SKEW_MS = Duration.toMillis(Duration.minutes(5))

/** Maximum time between two reads of the manifest: all replicas have a new list within a minute. */
const MAX_LOOK_INTERVAL = Duration.seconds(45)

/** Minimum reads of the manifest in a refresh interval. */
const MIN_LOOKS_AN_INTERVAL = 4

/** Maximum duration of a lease: how long the other replicas wait after one died during its refresh. */
const MAX_LEASE = Duration.seconds(30)

/** Maximum time that a replica with a list waits for the database before it refreshes alone. */
const MAX_WAIT_ALONE = Duration.minutes(10)

/** Maximum time that a replica without a list waits for the database before it refreshes alone. */
const MAX_FIRST_WAIT_ALONE = Duration.seconds(10)

const jittered = (wait: Duration.Duration, random: number): Duration.Duration =>
  Duration.min(Duration.times(wait, 1 + JITTER * random), MAX_WAIT)

/** How long to wait after a response, for a `random` from 0 to 1. */
export const afterAnswer = (refresh: Duration.Duration, random: number): Duration.Duration =>
  jittered(refresh, random)

/**
 * How long to wait after the nth failure in a row: a minute (or the refresh interval if that is shorter), doubled each time
 * up to the refresh interval or 5 minutes, whichever is longer. Not shorter than `retryAfter`, of which at most a day counts.
 * Up to a tenth longer by `random`, and at most 24 days.
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
  const requested = Duration.min(
    Option.getOrElse(retryAfter, () => Duration.zero),
    MAX_RETRY_AFTER
  )
  const wait = Duration.min(grown, Duration.max(refresh, MIN_RETRY_CAP))
  return jittered(Duration.max(wait, requested), random)
}

/** Whether a stored time, in milliseconds, is in the future at `now`: then a clock was wrong and the age is unknown. */
export const isImpossible = (time: number, now: number): boolean => time - now > MAX_CLOCK_SKEW_MS

/** Whether a list fetched at `fetchedAt` is too old at `now`, or of unknown age. */
export const isStale = (fetchedAt: number, refresh: Duration.Duration, now: number): boolean =>
  now - fetchedAt > STALE_AFTER_INTERVALS * Duration.toMillis(refresh) || isImpossible(fetchedAt, now)

/** How long to wait at `now` when the feed last answered at `answeredAt`, before this process started. */
export const afterRestart = (
  answeredAt: number,
  refresh: Duration.Duration,
  now: number,
  random: number
): Duration.Duration =>
  isImpossible(answeredAt, now)
    ? Duration.zero
    : Duration.subtract(afterAnswer(refresh, random), Math.max(0, now - answeredAt))

/** How long until a replica reads the manifest again. Random, so that replicas do not read it at the same time. */
export const untilLook = (refresh: Duration.Duration, random: number): Duration.Duration =>
  Duration.times(
    Duration.min(MAX_LOOK_INTERVAL, Duration.times(refresh, 1 / MIN_LOOKS_AN_INTERVAL)),
    1 - random / 3
  )

/** How long a lease lasts without a renewal. */
export const leaseDuration = (refresh: Duration.Duration): Duration.Duration =>
  Duration.min(MAX_LEASE, Duration.times(refresh, 2))

/**
 * How long a replica whose feed is due waits for the database before it refreshes alone: 5 to 10 minutes, so that a short
 * outage costs the feed's server nothing and replicas do not refresh at the same time. 5 to 10 seconds without a list. At most
 * one refresh interval.
 */
export const beforeAlone = (
  refresh: Duration.Duration,
  hasList: boolean,
  random: number
): Duration.Duration =>
  Duration.times(Duration.min(hasList ? MAX_WAIT_ALONE : MAX_FIRST_WAIT_ALONE, refresh), (1 + random) / 2)

/**
 * How long a replica waits at `now` when another one sent a request at `requestedAt` and planned the next for `nextAt`, both
 * by that replica's clock. At most `nextAt - requestedAt`, in case our clock is behind, and at most the longest wait that
 * `afterAnswer` and `afterFailure` yield, in case the manifest is wrong.
 */
export const untilAttempt = (
  { requestedAt, nextAt }: { readonly requestedAt: number; readonly nextAt: number },
  refresh: Duration.Duration,
  now: number
): Duration.Duration =>
  Duration.min(nextAt - Math.max(requestedAt, now), jittered(Duration.max(refresh, MAX_RETRY_AFTER), 1))
