/** A weekday, then a time: `Date.parse` alone reads a year out of any text. */
const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]{0,6},? .*\d\d:\d\d:\d\d/

/** The obsolete form of a date, which has no time zone and is in GMT (RFC 9110, section 5.6.7). */
const ASCTIME = /\d\d:\d\d:\d\d \d{4}$/

const MILLIS_PER_SECOND = 1_000

/**
 * What `RetryAfter.parse` reads, in milliseconds, never below 0; undefined if the header is absent or cannot be read. Without
 * Effect, for the promise client.
 *
 * `retryAfterMillis("120", now)` is 120,000.
 */
export const retryAfterMillis = (header: string | null | undefined, now: number): number | undefined => {
  const value = header?.trim() ?? ""
  if (/^\d+$/.test(value)) return Number(value) * MILLIS_PER_SECOND
  if (!DATE.test(value)) return undefined
  const wait = Date.parse(value.replace(ASCTIME, "$& GMT")) - now
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0)
}
