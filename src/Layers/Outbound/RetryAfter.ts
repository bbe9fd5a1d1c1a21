import { Duration, Option } from "effect"

/** A day, then a time: `Date.parse` reads years out of any words. */
const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]{0,6},? .*\d\d:\d\d:\d\d/

/** The oldest of the three forms of a date, which names no zone and is in GMT (RFC 9110, section 5.6.7). */
const ASCTIME = /\d\d:\d\d:\d\d \d{4}$/

/**
 * How long a server asks to be left alone (RFC 9110, section 10.2.3), as seconds or as a date, which counts from `now` in
 * milliseconds since 1970. None when the header is absent or cannot be read. How much of it to grant is the caller's
 * decision: the value has no upper bound.
 *
 * `parse("120", now)` is `Option.some(Duration.seconds(120))`; a date in the past is `Option.some(Duration.zero)`.
 */
export const parse = (header: string | undefined, now: number): Option.Option<Duration.Duration> => {
  const value = header?.trim() ?? ""
  if (/^\d+$/.test(value)) return Option.some(Duration.seconds(Number(value)))
  const date = DATE.test(value) ? Date.parse(value.replace(ASCTIME, "$& GMT")) : Number.NaN
  return Number.isNaN(date) ? Option.none() : Option.some(Duration.millis(date - now))
}
