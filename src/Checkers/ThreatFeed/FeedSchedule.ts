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

/** What the clocks of a fleet may differ by: as Kerberos has it (https://www.rfc-editor.org/rfc/rfc4120). */
const CLOCK_SKEW = Duration.toMillis(Duration.minutes(5))

/** How often a replica looks at what the others have: what one has fetched, all have within a minute. */
const LONGEST_BETWEEN_LOOKS = Duration.seconds(45)

/** A feed that is fetched every few seconds is looked at so many times as often. */
const LOOKS_AN_INTERVAL = 4

/** How long a replica that died while it fetched keeps the others from fetching. */
const LONGEST_LEASE = Duration.seconds(30)

/** How long, at most, a replica waits for the database to come back when a feed is due, before it fetches for itself. */
const LONGEST_WAIT_ALONE = Duration.minutes(10)

/** The same when it has no list: it answers less until then. */
const LONGEST_FIRST_WAIT_ALONE = Duration.seconds(10)

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

/**
 * Whether a time that was noted before lies in the future at `now`, in milliseconds: then a clock was wrong, or was set
 * since, and nobody knows how long ago it was.
 */
export const isImpossible = (time: number, now: number): boolean => time - now > CLOCK_SKEW

/** Whether a document that was last the feed's answer at `fetchedAt` is too old at `now`, or of unknown age. */
export const isStale = (fetchedAt: number, refresh: Duration.Duration, now: number): boolean =>
  now - fetchedAt > INTERVALS_UNTIL_STALE * Duration.toMillis(refresh) || isImpossible(fetchedAt, now)

/** How long to wait at `now` when the feed last answered at `answeredAt`, before this process began. */
export const afterRestart = (
  answeredAt: number,
  refresh: Duration.Duration,
  now: number,
  random: number
): Duration.Duration =>
  isImpossible(answeredAt, now)
    ? Duration.zero
    : Duration.subtract(afterAnswer(refresh, random), Math.max(0, now - answeredAt))

/** How long until a replica looks again at what the others have. Different each time, so that they do not look at once. */
export const untilLook = (refresh: Duration.Duration, random: number): Duration.Duration =>
  Duration.times(
    Duration.min(LONGEST_BETWEEN_LOOKS, Duration.times(refresh, 1 / LOOKS_AN_INTERVAL)),
    1 - random / 3
  )

/** How long a replica may fetch without a sign of life, which it gives several times as often. */
export const lease = (refresh: Duration.Duration): Duration.Duration =>
  Duration.min(LONGEST_LEASE, Duration.times(refresh, 2))

/**
 * How long a replica to which a feed is due waits for the database to come back before it fetches for itself: at least
 * half of ten minutes, so that a short outage costs the feed's server nothing, and random beyond that, so that replicas
 * do not fetch at one moment. For a replica without a list, at most ten seconds. Never longer than a refresh interval.
 */
export const beforeAlone = (
  refresh: Duration.Duration,
  hasList: boolean,
  random: number
): Duration.Duration =>
  Duration.times(
    Duration.min(hasList ? LONGEST_WAIT_ALONE : LONGEST_FIRST_WAIT_ALONE, refresh),
    (1 + random) / 2
  )

/**
 * How long a replica waits at `now` when one of the fleet asked at `askedAt` and set `nextAt` for the next attempt. Nobody
 * asked in the future: the other's clock is ahead then, or was set back since.
 */
export const untilAttempt = (
  { askedAt, nextAt }: { readonly askedAt: number; readonly nextAt: number },
  refresh: Duration.Duration,
  now: number
): Duration.Duration =>
  Duration.min(nextAt - Math.max(askedAt, now), jittered(Duration.max(refresh, LONGEST_RETRY_AFTER), 1))
