import { Either } from "effect"
import { ThreatListBuilder } from "../../ThreatList/ThreatListBuilder.ts"
import * as ThreatListBytes from "../../ThreatList/ThreatListBytes.ts"
import * as FeedEntry from "../FeedFormat/FeedEntry.ts"
import type { FeedRow } from "../FeedFormat/FeedRow.ts"
import { PlainEntries } from "../FeedFormat/PlainEntries.ts"
import * as FeedFormat from "../FeedFormat.ts"
import type { RowCounts } from "../FeedSnapshot.ts"
import { ThrownFeedError } from "../ThrownFeedError.ts"
import type { FeedBody } from "./FeedBody.ts"
import * as FeedDownload from "./FeedDownload.ts"
import type { BuildRequest, BuildResponse } from "./ThreadMessages.ts"

const limitKeys = (builder: ThreatListBuilder, { limits }: BuildRequest): void => {
  if (builder.keys > limits.maxKeys)
    throw new ThrownFeedError("TooLarge", "more entries than a list may have")
}

/** Adds the entries of a document as its chunks arrive; at no time is more than a chunk of it in memory as text. */
const addDocument = async (
  builder: ThreatListBuilder,
  body: FeedBody,
  request: BuildRequest
): Promise<RowCounts> => {
  const { format, category } = request
  const plain = new PlainEntries(builder, category)
  const reader = FeedFormat.reader(format, category, (bytes, start, end) => plain.take(bytes, start, end))
  let used = 0
  let ignored = 0
  let unusable = 0

  const add = (rows: Iterable<FeedRow>) => {
    for (const { text, category } of rows) {
      const entry = FeedEntry.parse(text)
      if (entry._tag === "Unusable") unusable++
      else if (entry._tag === "SharedHost") ignored++
      else {
        used++
        for (const { host, path, coverage } of entry.expressions) builder.add(host, path, coverage, category)
      }
    }
    limitKeys(builder, request)
  }

  for await (const chunk of body) add(reader.read(chunk))
  add(reader.end())
  if (used + plain.used === 0) throw new ThrownFeedError("Empty")
  return { skipped: reader.skipped + unusable, ignored: ignored + plain.ignored }
}

/** Adds the entries of the earlier list that are not past their retention. `fetchedAt`: see `ThreatListBuilder.keep`. */
const addEarlier = (
  builder: ThreatListBuilder,
  { bytes }: NonNullable<BuildRequest["earlier"]>,
  fetchedAt: number | undefined
): ThreatListBytes.Header => {
  const earlier = Either.getOrThrowWith(ThreatListBytes.open(bytes), (error) => error)
  builder.keep(earlier, fetchedAt)
  return earlier.header
}

/** The earlier list without the entries past their retention; undefined when there are none of those. */
const withoutExpired = (
  builder: ThreatListBuilder,
  earlier: NonNullable<BuildRequest["earlier"]>
): ThreatListBytes.Bytes | undefined => {
  const { keys } = addEarlier(builder, earlier, undefined)
  return builder.keys === keys ? undefined : builder.build().bytes
}

const buildOrThrow = async (
  request: BuildRequest,
  get: FeedDownload.Get,
  signal: AbortSignal
): Promise<BuildResponse> => {
  const { hashKey, stampClock, earlier } = request
  const builder = new ThreatListBuilder(hashKey, stampClock)
  const download = await FeedDownload.download(request, get, signal)
  if (download._tag === "NotModified")
    return {
      _tag: "NotModified",
      bytes: earlier === undefined ? undefined : withoutExpired(builder, earlier)
    }
  const counts = await addDocument(builder, download.body, request)
  if (earlier !== undefined) {
    addEarlier(builder, earlier, earlier.fetchedAt)
    limitKeys(builder, request)
  }
  const { bytes } = builder.build()
  return { _tag: "NewDocument", bytes, counts, validators: download.validators }
}

/**
 * Downloads a feed's document and builds the list of it. Computes for up to seconds: for the worker thread only. Rejects
 * only with defects, and closes its connections whatever happens.
 */
export const build = async (request: BuildRequest, get: FeedDownload.Get): Promise<BuildResponse> => {
  const connections = new AbortController()
  try {
    return await buildOrThrow(request, get, connections.signal)
  } catch (error) {
    if (!(error instanceof ThrownFeedError)) throw error
    const { reason, detail, retryAfter } = error
    return { _tag: "Failed", reason, detail, retryAfter }
  } finally {
    connections.abort()
  }
}
