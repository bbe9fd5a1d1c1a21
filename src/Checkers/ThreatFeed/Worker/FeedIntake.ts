import { Either } from "effect"
import type { FeedFormatName } from "../../../Layers/AppConfig.ts"
import type { Category } from "../../ThreatList/Category.ts"
import type { HashKey } from "../../ThreatList/KeyedHash.ts"
import type { StampClock } from "../../ThreatList/StampClock.ts"
import { ThreatListBuilder } from "../../ThreatList/ThreatListBuilder.ts"
import * as ThreatListBytes from "../../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../ThreatList.ts"
import * as FeedEntry from "../Format/FeedEntry.ts"
import * as FeedFormat from "../Format/FeedFormat.ts"
import { PlainEntries } from "../Format/PlainEntries.ts"
import type { FeedBody } from "./FeedBody.ts"
import * as FeedDocument from "./FeedDocument.ts"
import { ListFailure } from "./ListFailure.ts"

/**
 * The most keys that a list is made of, duplicates included, in 200 MB of memory at most. A document of the largest size
 * could hold sixteen times as many, in a quarter of a megabyte of gzip; the largest public feed has some two million.
 */
const MOST_KEYS = 8_388_608

const refuseTooMany = ({ keys }: ThreatListBuilder): void => {
  if (keys > MOST_KEYS) throw new ListFailure("TooLarge", "more entries than can be held")
}

/** What became of a document's rows. */
export interface RowCounts {
  /** Rows that are no entry of the format, or no URL. */
  readonly skipped: number
  /** Entries that name a whole shared host. */
  readonly ignored: number
}

/** Which list is to be made. Plain data, fit to be sent to another thread. */
export interface Order {
  readonly hashKey: HashKey
  /** Undefined for a list that keeps nothing of the one before. */
  readonly stampClock: StampClock | undefined
  /** How to read the document. Undefined: there is none, and what of the earlier list is still kept is the list. */
  readonly document: { readonly format: FeedFormatName; readonly category: Category } | undefined
  /** The list before this one, if any of it is to be kept: see `ThreatListBuilder.keep`. */
  readonly earlier: { readonly bytes: ThreatListBytes.Bytes; readonly seenAt: number | undefined } | undefined
}

/** A list that was made, as its bytes. */
export interface Made {
  readonly bytes: ThreatListBytes.Bytes
  readonly counts: RowCounts
}

const read = async (
  body: FeedBody,
  { format, category }: NonNullable<Order["document"]>,
  builder: ThreatListBuilder
): Promise<RowCounts> => {
  const plain = new PlainEntries(builder, category)
  const reader = FeedFormat.reader(format, category, (bytes, start, end) => plain.take(bytes, start, end))
  let used = 0
  let ignored = 0
  let unusable = 0

  const add = (rows: ReturnType<typeof reader.read>) => {
    for (const { text, category } of rows) {
      const entry = FeedEntry.parse(text)
      if (entry === "Unusable") unusable++
      else if (entry === "SharedRoot") ignored++
      else {
        used++
        for (const { host, path, coverage } of entry) builder.add(host, path, coverage, category)
      }
    }
    if (reader.problem !== undefined) throw new ListFailure(reader.problem)
    refuseTooMany(builder)
  }

  for await (const piece of FeedDocument.decode(body)) add(reader.read(piece))
  add(reader.end())
  if (used + plain.used === 0) throw new ListFailure("Empty")
  return { skipped: reader.skipped + unusable, ignored: ignored + plain.ignored }
}

const nothing: RowCounts = { skipped: 0, ignored: 0 }

/**
 * Makes the list of a document as its bytes arrive, compressed or not; at no time is more than a piece of it held as text.
 * It computes for seconds: not for the thread that answers requests (see `FeedWorker`).
 *
 * Rejects with a `ListFailure` when the document cannot be read to its end, has not one usable entry or too many. The body
 * is undefined when the order knows of no document.
 */
export const make = async (order: Order, body: FeedBody | undefined): Promise<Made> => {
  const { hashKey, stampClock, document, earlier } = order
  const builder = new ThreatListBuilder(hashKey, stampClock)
  if ((document === undefined) !== (body === undefined))
    throw new Error("an order that does not fit its body")
  const counts = document === undefined || body === undefined ? nothing : await read(body, document, builder)
  if (earlier !== undefined) {
    const list = new ThreatList(Either.getOrThrowWith(ThreatListBytes.open(earlier.bytes), (error) => error))
    builder.keep(list, earlier.seenAt)
    refuseTooMany(builder)
  }
  return { bytes: builder.build().bytes, counts }
}
