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
const MAX_POLL_INTERVAL = Duration.seconds(45)

/** Minimum reads of the manifest in a refresh interval. */
const MIN_POLLS_AN_INTERVAL = 4

/** Maximum duration of a lease: how long the other replicas wait after one died during its refresh. */
const MAX_LEASE = Duration.seconds(30)

/** Maximum time that a replica with a list waits for the database before it refreshes alone. */
const MAX_WAIT_FOR_DATABASE = Duration.minutes(10)

/** Maximum time that a replica without a list waits for the database before it refreshes alone. */
const MAX_FIRST_WAIT_FOR_DATABASE = Duration.seconds(10)

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

/** How long to wait at `now` when the feed last answered at `answeredAt`, before this process started. */
export const afterRestart = (
  answeredAt: number,
  refresh: Duration.Duration,
  now: number,
  random: number
): Duration.Duration =>
  isImpossible(answeredAt, now)
    ? Duration.zero
    : Duration.subtract(jittered(refresh, random), Math.max(0, now - answeredAt))

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

/** How long until a replica reads the manifest again. Random, so that replicas do not read it at the same time. */
export const manifestPollDelay = (refresh: Duration.Duration, random: number): Duration.Duration =>
  Duration.times(
    Duration.min(MAX_POLL_INTERVAL, Duration.times(refresh, 1 / MIN_POLLS_AN_INTERVAL)),
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
export const beforeFallback = (
  refresh: Duration.Duration,
  hasList: boolean,
  random: number
): Duration.Duration =>
  Duration.times(
    Duration.min(hasList ? MAX_WAIT_FOR_DATABASE : MAX_FIRST_WAIT_FOR_DATABASE, refresh),
    (1 + random) / 2
  )

/**
 * How long a replica waits at `now` when another one sent a request at `requestedAt` and planned the next for `nextAt`, both
 * by that replica's clock. At most `nextAt - requestedAt`, in case our clock is behind, and at most the longest wait that
 * `jittered` and `afterFailure` yield, in case the manifest is wrong.
 */
export const untilAttempt = (
  { requestedAt, nextAt }: { readonly requestedAt: number; readonly nextAt: number },
  refresh: Duration.Duration,
  now: number
): Duration.Duration =>
  Duration.min(nextAt - Math.max(requestedAt, now), jittered(Duration.max(refresh, MAX_RETRY_AFTER), 1))

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

/** Lists that are due within this time are requested together. */
const TOGETHER_MS = Duration.toMillis(Duration.minutes(1))

/** The random time that an overdue list waits after a start, so that processes do not start requests together. */
const MAX_START_DELAY_MS = Duration.toMillis(Duration.minutes(1))

const FIRST_BACKOFF_MS = Duration.toMillis(Duration.minutes(15))

/** Of a back-off, and of a list that Google refuses by its name. */
export const MAX_BACKOFF_MS = Duration.toMillis(Duration.days(1))

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

/**
 * Whether a list is in a request at `now`. The first one that is due always is: after the clock has been set back too.
 */
export const isInRequest = (dueAt: number, firstDueAt: number, now: number): boolean =>
  dueAt <= Math.max(firstDueAt, now) + TOGETHER_MS

/** How many milliseconds until a request. At most a day, whatever the clock was when the time was stored. */
export const untilRequest = (firstDueAt: number, now: number): number =>
  Math.min(Math.max(firstDueAt - now, 0), MAX_BACKOFF_MS)

/**
 * When a stored list is due after a start: not before its time, and after a random wait of up to a minute if that is over.
 * `attemptedAt` is the time of the last request; one in the future says that a clock was wrong, and nothing about when.
 */
export const dueAfterRestart = (dueAt: number, attemptedAt: number, now: number, random: number): number =>
  dueAt > now && !isImpossible(attemptedAt, now) ? dueAt : now + Math.floor(MAX_START_DELAY_MS * random)
