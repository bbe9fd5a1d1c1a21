import { Duration, Option } from "effect"
import * as FeedSchedule from "../ThreatFeed/FeedSchedule.ts"

/** The wait that version 4 usually asked for. The waits of version 5 are not published. */
export const USUAL_INTERVAL = Duration.minutes(30)

/** Counts where Google has asked for no wait. */
const DEFAULT_WAIT_MS = Duration.toMillis(USUAL_INTERVAL)

/** Of a back-off and of a Retry-After header. */
const MAX_WAIT_MS = Duration.toMillis(Duration.days(1))

/** Of a wait that Google asks for: a list that is due after a day would be unusable until its update is done. */
const MAX_WAIT_AFTER_ANSWER_MS = Duration.toMillis(Duration.hours(23))

/** A list without an update for longer is not used to say that a URL is not listed. */
const MAX_AGE_MS = Duration.toMillis(Duration.days(1))

/** A list is fresh for so many waits. Google's Go client counted one, and failed at each update. */
const FRESH_WAITS = 2

/** A shorter wait counts as 0: Google has more to send at once. */
const MIN_WAIT_MS = 1000

/** After so many answers in a row that ask for another request at once, the next one waits. */
const MAX_ROUNDS = 20

const WAIT_AFTER_ROUNDS_MS = Duration.toMillis(Duration.minutes(5))

/** Lists that are due within this time are requested together. */
const TOGETHER_MS = Duration.toMillis(Duration.minutes(1))

/** The random time that an overdue list waits after a start, so that processes do not start requests together. */
const MAX_START_DELAY_MS = Duration.toMillis(Duration.minutes(1))

const FIRST_BACKOFF_MS = Duration.toMillis(Duration.minutes(15))

/** See `ListsAge`. */
export type Age = "fresh" | "stale" | "unusable"

/** How old a list is that Google last answered for at `fetchedAt` and asked not to be asked about for `waitMillis`. */
export const ageOf = (fetchedAt: number, waitMillis: number, now: number): Age => {
  if (FeedSchedule.isImpossible(fetchedAt, now)) return "stale"
  const age = now - fetchedAt
  if (age > MAX_AGE_MS) return "unusable"
  return age > FRESH_WAITS * (waitMillis < MIN_WAIT_MS ? DEFAULT_WAIT_MS : waitMillis) ? "stale" : "fresh"
}

const ages: ReadonlyArray<Age> = ["fresh", "stale", "unusable"]

/** The worst age. At least one is needed. */
export const oldest = (of: ReadonlyArray<Age>): Age => ages.findLast((age) => of.includes(age)) ?? "unusable"

/**
 * How long to wait after the nth failure in a row: 15 to 30 minutes for a `random` from 0 to 1, doubled each time up to a day
 * (https://developers.google.com/safe-browsing/v4/request-frequency). Not shorter than `retryAfter`, of which at most a day
 * counts.
 */
export const afterFailure = (
  failures: number,
  retryAfter: Option.Option<Duration.Duration>,
  random: number
): number => {
  const backoff = FIRST_BACKOFF_MS * 2 ** (failures - 1) * (1 + random)
  const requested = Option.match(retryAfter, { onNone: () => 0, onSome: Duration.toMillis })
  return Math.ceil(Math.min(Math.max(backoff, requested), MAX_WAIT_MS))
}

/**
 * How long to wait after an answer that asks for `waitMillis`, and how many answers in a row have asked for 0 since the last
 * longer wait.
 */
export const afterAnswer = (
  waitMillis: number,
  roundsBefore: number
): { readonly wait: number; readonly rounds: number } => {
  if (waitMillis >= MIN_WAIT_MS) return { wait: Math.min(waitMillis, MAX_WAIT_AFTER_ANSWER_MS), rounds: 0 }
  return roundsBefore < MAX_ROUNDS
    ? { wait: 0, rounds: roundsBefore + 1 }
    : { wait: WAIT_AFTER_ROUNDS_MS, rounds: 0 }
}

/**
 * Whether a list is requested in an update at `now`. The first one that is due always is: after the clock has been set back
 * too.
 */
export const isInUpdate = (dueAt: number, firstDueAt: number, now: number): boolean =>
  dueAt <= Math.max(firstDueAt, now) + TOGETHER_MS

/** How long until an update. At most a day, whatever the clock was when the time was stored. */
export const untilUpdate = (firstDueAt: number, now: number): number =>
  Math.min(Math.max(firstDueAt - now, 0), MAX_WAIT_MS)

/**
 * When a stored list is due after a start: not before its time, and after a random wait of up to a minute if that is over.
 * `attemptedAt` is the time of the last request; one in the future says that a clock was wrong, and nothing about when.
 */
export const afterRestart = (dueAt: number, attemptedAt: number, now: number, random: number): number =>
  dueAt > now && !FeedSchedule.isImpossible(attemptedAt, now)
    ? dueAt
    : now + Math.floor(MAX_START_DELAY_MS * random)
