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

/** How much later than the replica that refreshes the others look, and at most. A download rarely takes longer. */
const SPREAD = 0.1
const MAX_SPREAD_MS = Duration.toMillis(Duration.minutes(1))

/** How long the other replicas wait after one died during its refresh. */
const MAX_LEASE = Duration.minutes(1)

/** The random time that an overdue list waits after a start, so that processes do not start requests together. */
const MAX_START_DELAY_MS = Duration.toMillis(Duration.minutes(1))

/** The wait and up to a tenth more, for a `random` from 0 to 1: how long to wait after a response. At most 24 days. */
export const jittered = (wait: Duration.Duration, random: number): Duration.Duration =>
  Duration.min(Duration.times(wait, 1 + JITTER * random), MAX_WAIT)

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

/**
 * How long to wait at `now` after a start with a stored list, which is due `wait` after its source answered. One that is overdue
 * waits for a `random` part of a minute, from 0 to 1. Without a list: not at all.
 */
export const untilFirst = (
  stored: Option.Option<{ readonly answeredAt: number }>,
  wait: Duration.Duration,
  now: number,
  random: number
): Duration.Duration => {
  if (Option.isNone(stored)) return Duration.zero
  const { answeredAt } = stored.value
  const left = isImpossible(answeredAt, now) ? 0 : Duration.toMillis(wait) - Math.max(0, now - answeredAt)
  return Duration.millis(left > 0 ? left : MAX_START_DELAY_MS * random)
}

/** A time by a clock that only goes forward, in milliseconds, and the date, in milliseconds since 1970. */
export interface Moment {
  readonly millis: number
  readonly date: number
}

/**
 * When a list is due that was due at `dueAt`, both by the clock that only goes forward, if the date has jumped from one moment to
 * the other. Forward, as after a suspension of the machine: so much earlier. Back: at once, because the age of the list is
 * unknown. Of a jump of at most MAX_CLOCK_SKEW_MS: unchanged.
 */
export const dueAfterJump = (dueAt: number, before: Moment, now: Moment): number => {
  const jump = now.date - before.date - (now.millis - before.millis)
  if (jump > MAX_CLOCK_SKEW_MS) return dueAt - jump
  return jump < -MAX_CLOCK_SKEW_MS ? Math.min(dueAt, now.millis) : dueAt
}

/** How long a lease lasts, for a list that is refreshed at this interval. */
export const leaseDuration = (refresh: Duration.Duration): Duration.Duration =>
  Duration.min(MAX_LEASE, Duration.times(refresh, 2))

/**
 * How long a replica waits at `now` when another one wrote at `writtenAt` that the next request is due at `nextAt`, both by that
 * replica's clock. At most the difference, in case our clock is behind, and at most the longest wait that `jittered` and
 * `afterFailure` yield. Zero: it is due, or a clock was wrong. Otherwise a `random` time later than the writer, so that this replica finds what the
 * writer has downloaded.
 */
export const untilShared = (
  { nextAt, writtenAt }: { readonly nextAt: number; readonly writtenAt: number },
  now: number,
  random: number
): Duration.Duration => {
  if (isImpossible(writtenAt, now)) return Duration.zero
  const left = Math.min(nextAt - Math.max(writtenAt, now), Duration.toMillis(MAX_WAIT))
  if (left <= 0) return Duration.zero
  const spread = Math.min(SPREAD * Math.max(nextAt - writtenAt, 0), MAX_SPREAD_MS)
  return Duration.millis(left + (spread * (1 + random)) / 2)
}

// ----- Safe Browsing: https://developers.google.com/safe-browsing/v4/request-frequency

/** The wait that version 4 usually asked for. The waits of version 5 are not published. Counts where Google asks for none. */
export const USUAL_WAIT = Duration.minutes(30)

/** Of a wait that Google asks for: a list that is due after a day would be unusable until its update is done. */
const MAX_WAIT_AFTER_ANSWER_MS = Duration.toMillis(Duration.hours(23))

/** A list without an update for longer is not used to say that a URL is not listed. */
const MAX_AGE_MS = Duration.toMillis(Duration.days(1))

/** A list is fresh for so many waits. Google's Go client counted one, and failed at each update. */
const FRESH_WAITS = 2

/** A shorter wait counts as 0: Google has more to send at once. */
const MIN_WAIT_MS = 1000

/** How long to wait for what Google has to send at once: a service that always says so gets four rounds a minute. */
const WAIT_FOR_MORE_MS = Duration.toMillis(Duration.seconds(15))

const FIRST_BACKOFF_MS = Duration.toMillis(Duration.minutes(15))

const MAX_BACKOFF_MS = Duration.toMillis(Duration.days(1))

/** See `ListsAge`. */
export type Age = "fresh" | "stale" | "unusable"

/** How old a list is that Google last answered for at `fetchedAt` and asked not to be asked about for `waitMillis`. */
export const ageOf = (fetchedAt: number, waitMillis: number, now: number): Age => {
  if (isImpossible(fetchedAt, now)) return "stale"
  const age = now - fetchedAt
  if (age > MAX_AGE_MS) return "unusable"
  return age > FRESH_WAITS * (waitMillis < MIN_WAIT_MS ? Duration.toMillis(USUAL_WAIT) : waitMillis)
    ? "stale"
    : "fresh"
}

/**
 * How many milliseconds to wait after the nth failure in a row: 15 to 30 minutes for a `random` from 0 to 1, doubled each time
 * up to a day. Not shorter than `retryAfter`, of which at most a day counts.
 */
export const backoff = (
  failures: number,
  retryAfter: Option.Option<Duration.Duration>,
  random: number
): number => {
  const requested = Option.match(retryAfter, { onNone: () => 0, onSome: Duration.toMillis })
  const grown = FIRST_BACKOFF_MS * 2 ** (failures - 1) * (1 + random)
  return Math.ceil(Math.min(Math.max(grown, requested), MAX_BACKOFF_MS))
}

/** How many milliseconds to wait after an answer that asks for `waitMillis`. */
export const requestedWait = (waitMillis: number): number =>
  waitMillis < MIN_WAIT_MS ? WAIT_FOR_MORE_MS : Math.min(waitMillis, MAX_WAIT_AFTER_ANSWER_MS)
