import { Duration, Option } from "effect"

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
  const date = /^[A-Z]/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? Option.none() : Option.some(Duration.millis(date - now))
}
