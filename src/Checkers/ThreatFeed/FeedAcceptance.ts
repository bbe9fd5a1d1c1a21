import { Duration, Option } from "effect"
import { FeedError } from "./FeedError.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"

/** With a smaller part of the entries before, a document is taken for a mistake of the publisher. */
const MIN_PART = 0.5

/** After so long of small documents it is no mistake. */
const MAX_REFUSAL_MS = Duration.toMillis(Duration.days(1))

/** The snapshot to use from now on, and why it has not the list of the new document. */
export interface Acceptance {
  readonly snapshot: FeedSnapshot
  readonly refusal: Option.Option<FeedError>
}

/**
 * Accepts the snapshot of a new document, or refuses it with `Shrunken` when it has less than half of the entries of the
 * previous one, unless all documents have been that small for a day. Entries kept from earlier documents do not count.
 */
export const judge = (previous: Option.Option<FeedSnapshot>, next: FeedSnapshot): Acceptance => {
  const accepted: Acceptance = { snapshot: next, refusal: Option.none() }
  if (Option.isNone(previous)) return accepted
  const before = previous.value.list.header.current
  const now = next.list.header.current
  if (now >= before * MIN_PART) return accepted

  // The clock may have been set back since.
  const shrunkenSince = Math.min(previous.value.shrunkenSince ?? next.answeredAt, next.answeredAt)
  if (next.answeredAt - shrunkenSince >= MAX_REFUSAL_MS) return accepted
  return {
    snapshot: { ...previous.value, answeredAt: next.answeredAt, shrunkenSince },
    refusal: Option.some(new FeedError({ reason: "Shrunken", detail: `${now} entries after ${before}` }))
  }
}
