import { Effect, Stream } from "effect"
import type { FeedFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/Category.ts"
import type { ThreatListBuilder } from "../ThreatList/ThreatListBuilder.ts"
import * as FeedEntry from "./FeedEntry.ts"
import { FeedError } from "./FeedError.ts"
import * as FeedFormat from "./FeedFormat.ts"
import type { FeedRow } from "./FeedRow.ts"
import type { TimeSlices } from "./TimeSlices.ts"

/** What became of a document's rows. */
export interface RowCounts {
  /** Rows that are no entry of the format, or no URL. */
  readonly skipped: number
  /** Entries that name a whole shared host. */
  readonly ignored: number
}

/**
 * Puts a document's entries into a list as its bytes arrive; at no time is more than a piece of it held as text.
 *
 * Fails when the document cannot be read to its end or has not one usable entry: then the builder is of no more use.
 */
export const intake = Effect.fn("FeedIntake.intake")(function* (
  body: Stream.Stream<Uint8Array, FeedError>,
  format: FeedFormatName,
  category: Category,
  builder: ThreatListBuilder,
  slices: TimeSlices
) {
  const reader = FeedFormat.reader(format, category)
  let used = 0
  let ignored = 0
  let unusable = 0

  function* add(rows: Iterable<FeedRow>): Generator<void> {
    for (const { text, category } of rows) {
      const entry = FeedEntry.parse(text)
      if (entry === "Unusable") unusable++
      else if (entry === "SharedRoot") ignored++
      else {
        used++
        for (const { host, path, coverage } of entry) builder.add(host, path, coverage, category)
      }
      yield
    }
  }

  yield* Stream.runForEach(body, (piece) =>
    Effect.zipRight(
      slices.run(add(reader.read(piece))),
      reader.problem === undefined ? Effect.void : new FeedError({ reason: reader.problem })
    )
  )
  yield* slices.run(add(reader.end()))
  if (reader.problem !== undefined) return yield* new FeedError({ reason: reader.problem })
  if (used === 0) return yield* new FeedError({ reason: "Empty" })
  return { skipped: reader.skipped + unusable, ignored } satisfies RowCounts
})
