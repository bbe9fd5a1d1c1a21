import { Duration, Option } from "effect"
import { ListError } from "../ListError.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"

/** A document with a smaller part of the previous entries is taken for a mistake of the publisher. */
const MIN_PART = 0.5

/** After so long only small documents, they are taken for intended. */
const MAX_REFUSAL_MS = Duration.toMillis(Duration.days(1))

/** The snapshot to use from now on. With an error it has the list of the previous document. */
export interface Acceptance {
  readonly snapshot: FeedSnapshot
  readonly error: Option.Option<ListError>
}

/**
 * Accepts the snapshot of a new document, or refuses it with `Shrunken` when it has less than half of the entries of the
 * previous one, unless all documents have been that small for a day. Only entries of the documents themselves count, not those of the retention.
 */
export const accept = (previous: Option.Option<FeedSnapshot>, next: FeedSnapshot): Acceptance => {
  const accepted: Acceptance = { snapshot: next, error: Option.none() }
  if (Option.isNone(previous)) return accepted
  const before = previous.value.list.header.entriesInDocument
  const now = next.list.header.entriesInDocument
  if (now >= before * MIN_PART) return accepted

  // The clock may have been set back since then.
  const shrunkenSince = Math.min(previous.value.shrunkenSince ?? next.answeredAt, next.answeredAt)
  if (next.answeredAt - shrunkenSince >= MAX_REFUSAL_MS) return accepted
  return {
    snapshot: { ...previous.value, answeredAt: next.answeredAt, shrunkenSince },
    error: Option.some(new ListError({ reason: "Shrunken", detail: `${now} entries after ${before}` }))
  }
}
