/**
 * Until when the weights have learned: the newest day on which phishing in the training data was first seen, such as
 * `2026-06-30`, in UTC. Phishing kits change, so weights find less with every month.
 */

import { DateTime, Duration, Option } from "effect"

/** Six months. The alert ThreatScoringWeightsOld has the same limit. */
export const MAX_AGE = Duration.days(183)

/** Whether a text is a day of the calendar, as `2026-06-30`. */
export const isDay = (text: string): boolean =>
  Option.exists(DateTime.make(`${text}T00:00:00Z`), (time) => DateTime.formatIsoDateUtc(time) === text)

/** The beginning of the day, in milliseconds since 1970. */
export const millisOf = (day: string): number => Date.parse(day)

/** Whether weights that have learned up to this day are older than `MAX_AGE`. */
export const isOld = (day: string, now: number): boolean => now - millisOf(day) > Duration.toMillis(MAX_AGE)

/** Whether the day has not begun. Then the clock or a date in the training data is wrong, and `isOld` says nothing. */
export const isInFuture = (day: string, now: number): boolean => millisOf(day) > now
