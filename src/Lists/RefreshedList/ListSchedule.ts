import { Clock, Duration, Effect, Option } from "effect"

/** Adds up to this part to a wait, so that many processes do not send requests at the same time. */
const JITTER = 0.1

/** Maximum that a Retry-After header can request: a wrong header must not stop a feed for ever. */
const MAX_RETRY_AFTER = Duration.days(1)

const STALE_AFTER_INTERVALS = 3

/** Maximum difference between the clocks of a fleet, as in Kerberos (https://www.rfc-editor.org/rfc/rfc4120). */
const MAX_CLOCK_SKEW_MS = Duration.toMillis(Duration.minutes(5))

/** How much later than the replica that wrote the others look, and at most. A download rarely takes longer. */
const SPREAD = 0.1
const MAX_SPREAD_MS = Duration.toMillis(Duration.minutes(1))

const spreadOf = (wait: number): number => Math.min(SPREAD * wait, MAX_SPREAD_MS)

/** The random time that an overdue list waits after a start, so that processes do not start requests together. */
const MAX_START_DELAY_MS = Duration.toMillis(Duration.minutes(1))

/** The wait and up to a tenth more, for a `random` from 0 to 1: how long to wait after a response. */
export const jittered = (wait: Duration.Duration, random: number): Duration.Duration =>
  Duration.times(wait, 1 + JITTER * random)

/** The waits between retries: `first`, and up to `jitter` times that more; doubled after each failure up to `max`. */
export interface Backoff {
  readonly first: Duration.Duration
  readonly max: Duration.Duration
  readonly jitter: number
}

/** Of a feed: a minute (or the refresh interval if that is shorter), up to the interval or 5 minutes, whichever is longer. */
export const feedBackoff = (refresh: Duration.Duration): Backoff => ({
  first: Duration.min(Duration.minutes(1), refresh),
  max: Duration.max(Duration.minutes(5), refresh),
  jitter: JITTER
})

/**
 * How long to wait after the nth failure in a row, for a `random` from 0 to 1. Not shorter than `retryAfterMillis`, of which at
 * most a day counts. Not a `Schedule` of Effect: other replicas go on with the same count.
 *
 * `afterFailure(3, feedBackoff(Duration.hours(6)), undefined, 0)` is four minutes.
 */
export const afterFailure = (
  failures: number,
  { first, jitter, max }: Backoff,
  retryAfterMillis: number | undefined,
  random: number
): Duration.Duration => {
  const grown = Duration.times(first, 2 ** (failures - 1) * (1 + jitter * random))
  const requested = Duration.min(Duration.millis(retryAfterMillis ?? 0), MAX_RETRY_AFTER)
  return Duration.max(Duration.min(grown, max), requested)
}

/** Whether a stored time, in milliseconds, is in the future at `now`: then a clock was wrong and the age is unknown. */
export const isImpossible = (time: number, now: number): boolean => time - now > MAX_CLOCK_SKEW_MS

/** Whether a list fetched at `fetchedAt` is too old at `now`, or of unknown age. */
export const isStale = (fetchedAt: number, refresh: Duration.Duration, now: number): boolean =>
  now - fetchedAt > STALE_AFTER_INTERVALS * Duration.toMillis(refresh) || isImpossible(fetchedAt, now)

/**
 * When a stored list is due at a start, which is `wait` after its source answered. One that is overdue is due in a `random` part
 * of a minute, from 0 to 1, or of `wait` if that is shorter. Without a list: now. All times are milliseconds since 1970.
 */
export const firstDueAt = (
  stored: Option.Option<{ readonly answeredAt: number }>,
  wait: Duration.Duration,
  now: number,
  random: number
): number => {
  if (Option.isNone(stored)) return now
  const { answeredAt } = stored.value
  const waitMillis = Duration.toMillis(wait)
  const dueAt = Math.min(answeredAt, now) + waitMillis
  const isDue = dueAt <= now || isImpossible(answeredAt, now)
  return isDue ? now + Math.min(MAX_START_DELAY_MS, waitMillis) * random : dueAt
}

/**
 * When a replica looks next after another one wrote at `writtenAt` that the next request is due at `nextAt`, both by that
 * replica's clock: a `random` time later, so that it finds what the writer has downloaded. At most the difference, or `maxWait`,
 * after `now`, in case our clock is behind. Undefined: a request is due, or a clock was wrong.
 */
export const sharedDueAt = (
  { nextAt, writtenAt }: { readonly nextAt: number; readonly writtenAt: number },
  maxWait: Duration.Duration,
  now: number,
  random: number
): number | undefined => {
  const wait = Math.min(nextAt - writtenAt, Duration.toMillis(maxWait))
  const dueAt = Math.min(writtenAt, now) + wait
  if (dueAt <= now || isImpossible(writtenAt, now)) return undefined
  return dueAt + (spreadOf(wait) * (1 + random)) / 2
}

/** When the replica itself looks that wrote `nextAt` at `writtenAt`, if the others are to try first: after all of them. */
export const dueAfterOthers = (nextAt: number, writtenAt: number): number =>
  nextAt + 1.5 * spreadOf(nextAt - writtenAt)

/** How soon a jump of the date is noticed. */
const DATE_POLL_MS = Duration.toMillis(Duration.minutes(1))

/**
 * Sleeps until a date. A timer does not notice that the date jumps, and stops while the machine is suspended. Ends at once if
 * the date is set back by more than clocks differ: then the age of the list is unknown.
 */
export const sleepUntil = Effect.fnUntraced(function* (date: number) {
  let now = yield* Clock.currentTimeMillis
  while (now < date) {
    const wait = Math.min(date - now, DATE_POLL_MS)
    yield* Effect.sleep(wait)
    const expected = now + wait
    now = yield* Clock.currentTimeMillis
    if (isImpossible(expected, now)) return
  }
})
