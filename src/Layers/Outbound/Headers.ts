// Without Effect: the promise client and the thread of the lists load this.

/**
 * The media type of a Content-Type header (RFC 9110, section 8.3.1), in lower case and without parameters; empty if absent.
 *
 * `mediaTypeOf("Text/HTML; charset=utf-8")` is `"text/html"`.
 */
export const mediaTypeOf = (contentType = ""): string =>
  (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

/** A weekday, then a time: `Date.parse` alone reads a year out of any text. */
const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]{0,6},? .*\d\d:\d\d:\d\d/

/** The obsolete form of a date, which has no time zone and is in GMT (RFC 9110, section 5.6.7). */
const ASCTIME = /\d\d:\d\d:\d\d \d{4}$/

const MILLIS_PER_SECOND = 1_000

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3) as milliseconds, never below 0; undefined if the header is absent or
 * cannot be read.
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
