import { Duration, Option } from "effect"
import { retryAfterMillis } from "./Headers.ts"

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or a date, which is taken relative to `now` in
 * milliseconds since 1970. None if the header is absent or cannot be read. The value has no upper bound: the caller sets one.
 *
 * `parse("120", now)` is `Option.some(Duration.seconds(120))`; a date in the past is `Option.some(Duration.zero)`.
 */
export const parse = (header: string | undefined, now: number): Option.Option<Duration.Duration> =>
  Option.map(Option.fromNullable(retryAfterMillis(header, now)), Duration.millis)
