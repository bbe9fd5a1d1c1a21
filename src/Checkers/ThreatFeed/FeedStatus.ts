import type { Option } from "effect"

/** Something that went wrong, in words that hold no address, key or row. It is forgotten with the next success. */
export interface Trouble {
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What health tells about a feed. */
export interface FeedStatus {
  readonly sourceName: string
  /** None: there is no list yet. */
  readonly held: Option.Option<{
    /** Distinct URLs and hosts. */
    readonly entries: number
    /** Rows of the last document that are no entry, or no URL. */
    readonly skipped: number
    /** Entries of the last document that name a whole shared host. */
    readonly ignored: number
    /** When the last document was last the feed's answer; milliseconds since 1970. */
    readonly fetchedAt: number
    readonly isStale: boolean
  }>
  /** Why there is nothing newer. */
  readonly fetchTrouble: Option.Option<Trouble>
  /** Why a restart would begin without the list, or with an older one. */
  readonly saveTrouble: Option.Option<Trouble>
}
