import { Data, type Duration, Option } from "effect"
import * as Refusal from "../../../Lists/HashLists/Refusal.ts"

export const reasons = [
  "Unreachable",
  "Timeout",
  "Status",
  "KeyRefused",
  "RequestRefused",
  "Malformed",
  "Paused",
  "TooManyCalls"
] as const

/**
 * Why a search has no answer. It says nothing about any URL; nothing is cached.
 *
 * - `Unreachable`: no connection, or it broke; `detail` is the system's error code.
 * - `Timeout`: no answer in time.
 * - `Status`: any other status than 200; `detail` is the status. Redirects are not followed.
 * - `KeyRefused`, `RequestRefused`: see `Refusal`; `detail` is the status.
 * - `Malformed`: the response cannot be read, or is too large; `detail` says which.
 * - `Paused`: not asked, because the last searches failed. The circuit breaker has the reason.
 * - `TooManyCalls`: not asked, because too many calls are in flight, or in one bulk request.
 */
export class SearchError extends Data.TaggedError("SearchError")<{
  readonly reason: (typeof reasons)[number]
  /** Contains no key, no prefix and no URL. */
  readonly detail?: string
  /** How long the service asks to wait. */
  readonly retryAfter?: Option.Option<Duration.Duration>
}> {
  override get message(): string {
    const { reason, detail = "" } = this
    if (reason === "KeyRefused" || reason === "RequestRefused") return Refusal.message(reason, detail)
    return detail === "" ? reason : `${reason} (${detail})`
  }

  get wait(): Option.Option<Duration.Duration> {
    return this.retryAfter ?? Option.none()
  }
}
