import { Duration, Option } from "effect"

/** A weekday, then a time: `Date.parse` alone reads a year out of any text. */
const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]{0,6},? .*\d\d:\d\d:\d\d/

/** The obsolete form of a date, which has no time zone and is in GMT (RFC 9110, section 5.6.7). */
const ASCTIME = /\d\d:\d\d:\d\d \d{4}$/

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or a date, which is taken relative to `now` in
 * milliseconds since 1970. None if the header is absent or cannot be read. The value has no upper bound: the caller sets one.
 *
 * `parse("120", now)` is `Option.some(Duration.seconds(120))`; a date in the past is `Option.some(Duration.zero)`.
 */
export const parse = (header: string | undefined, now: number): Option.Option<Duration.Duration> => {
  const value = header?.trim() ?? ""
  if (/^\d+$/.test(value)) return Option.some(Duration.seconds(Number(value)))
  const date = DATE.test(value) ? Date.parse(value.replace(ASCTIME, "$& GMT")) : Number.NaN
  return Number.isNaN(date) ? Option.none() : Option.some(Duration.millis(date - now))
}
