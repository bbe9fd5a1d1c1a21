import { Duration, Option } from "effect"
import { FeedError } from "./FeedError.ts"
import type { FeedSnapshot } from "./Snapshot/FeedSnapshot.ts"

/** A smaller part of the entries before is taken for a mistake of the publisher. */
const LEAST_PART = 0.5

/** By then the publisher means it. */
const LONGEST_DOUBT = Duration.toMillis(Duration.days(1))

/** What is held after a document came, and why it is not the document. */
export interface Acceptance {
  readonly snapshot: FeedSnapshot
  readonly refusal: Option.Option<FeedError>
}

/**
 * Judges a new document, as a list, by the one held: with less than half of its entries it is refused, until documents
 * have been so small for a day. The entries that a list keeps from earlier documents do not count.
 */
export const judge = (held: Option.Option<FeedSnapshot>, found: FeedSnapshot): Acceptance => {
  const accepted: Acceptance = { snapshot: found, refusal: Option.none() }
  if (Option.isNone(held)) return accepted
  const before = held.value.list.header.current
  const now = found.list.header.current
  if (now >= before * LEAST_PART) return accepted

  // The clock may have been set back since.
  const shrunkenSince = Math.min(held.value.shrunkenSince ?? found.answeredAt, found.answeredAt)
  if (found.answeredAt - shrunkenSince >= LONGEST_DOUBT) return accepted
  return {
    snapshot: { ...held.value, answeredAt: found.answeredAt, shrunkenSince },
    refusal: Option.some(new FeedError({ reason: "Shrunken", detail: `${now} entries after ${before}` }))
  }
}
