import type { Option } from "effect"

/** The last error of its kind; the next success removes it. */
export interface LastError {
  /** Holds no address, key or row. */
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What `/health/ready` and the metrics show of a feed. */
export interface FeedStatus {
  readonly sourceName: string
  /** None while there is no list. */
  readonly current: Option.Option<{
    /** Distinct URLs and hosts. */
    readonly entries: number
    /** Rows of the last document that are not an entry or not a URL. */
    readonly skipped: number
    /** Entries of the last document that name a whole shared host. */
    readonly ignored: number
    /** When the feed last answered with this document, or that it has not changed. Milliseconds since 1970. */
    readonly fetchedAt: number
    readonly isStale: boolean
  }>
  /** Why there is no newer list. */
  readonly refreshError: Option.Option<LastError>
  /** Why a restart would start without this list. */
  readonly saveError: Option.Option<LastError>
}
