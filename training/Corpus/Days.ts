/** Days in UTC as text such as `2026-02-01`, which sorts by time. */

const DAY_MS = 86_400_000
const DAY_CHARS = 10

/** `millis` since 1970. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, DAY_CHARS)

export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS)

/** `2026-03-31` is `2026-02-28`: the same day of the month before, or its last day. */
export const monthBefore = (day: string): string => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  const lastOfMonthBefore = new Date(Date.UTC(year, month - 1, 0))
  return dayOf(lastOfMonthBefore.setUTCDate(Math.min(date, lastOfMonthBefore.getUTCDate())))
}

/** `2026-02-01` is `2026-02`. */
export const monthOf = (day: string): string => day.slice(0, "2026-02".length)
