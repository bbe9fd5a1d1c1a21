import { Either } from "effect"
import type { FeedFormatName } from "../../Layers/AppConfig.ts"
import type { Body } from "../ListWorker/Body.ts"
import type { Get } from "../ListWorker/Connection.ts"
import * as Download from "../ListWorker/Download.ts"
import { type BuildRequest, type BuildResponse, isFile, type RowCounts } from "../ListWorker/Messages.ts"
import { orDefect, ThrownListError } from "../ListWorker/ThrownListError.ts"
import { ThreatListBuilder } from "../ThreatList/ThreatListBuilder.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import * as FeedEntry from "./FeedFormat/FeedEntry.ts"
import type { FeedRow } from "./FeedFormat/FeedRow.ts"
import * as FeedFormat from "./FeedFormat.ts"
import * as FeedFile from "./ListBuild/FeedFile.ts"
import * as RankingDocument from "./ListBuild/RankingDocument.ts"

/** A document of which a smaller part can be read is an error message, a page, or a list in another format. */
const MIN_READABLE_PART = 0.1

const limitRecords = (builder: ThreatListBuilder, { limits }: BuildRequest): void => {
  if (builder.records > limits.maxKeys)
    throw new ThrownListError("TooLarge", "more entries than a list may have")
}

const openedList = (bytes: ThreatListBytes.Bytes): ThreatListBytes.Opened =>
  Either.getOrThrowWith(ThreatListBytes.open(bytes), (error) => error)

/** Adds the entries of a document as its chunks arrive; at no time is more than a chunk of it in memory as text. */
const addDocument = async (
  builder: ThreatListBuilder,
  body: Body,
  format: FeedFormatName,
  request: BuildRequest
): Promise<RowCounts> => {
  const { category } = request
  const reader = FeedFormat.reader(format, category)
  const counts = { used: 0, ignored: 0, unusable: 0 }

  const add = (rows: Iterable<FeedRow>) => {
    for (const { text, category } of rows) {
      const entry = FeedEntry.parse(text)
      if (entry._tag === "Unusable") counts.unusable++
      else if (entry._tag === "SharedHost") counts.ignored++
      else {
        counts.used++
        for (const { host, path, coverage } of entry.expressions) builder.add(host, path, coverage, category)
      }
    }
    limitRecords(builder, request)
  }

  for await (const chunk of body) add(reader.read(chunk))
  add(reader.end())
  const unreadable = counts.unusable + reader.unreadable
  const readable = counts.used + counts.ignored + reader.unused
  const all = readable + unreadable
  if (readable < all * MIN_READABLE_PART)
    throw new ThrownListError("NotAFeed", `${readable} of ${all} lines can be read`)
  if (counts.used === 0) throw new ThrownListError("Empty")
  return { skipped: unreadable + reader.unused, ignored: counts.ignored }
}

/** Adds the entries of the earlier list that are not past their retention. `fetchedAt`: see `ThreatListBuilder.keep`. */
const addEarlier = (
  builder: ThreatListBuilder,
  { bytes }: NonNullable<BuildRequest["earlier"]>,
  fetchedAt: number | undefined
): ThreatListBytes.Header => {
  const earlier = openedList(bytes)
  builder.keep(earlier, fetchedAt)
  return earlier.header
}

/** The earlier list without the entries past their retention; undefined when there are none of those. */
const withoutExpired = (
  builder: ThreatListBuilder,
  earlier: NonNullable<BuildRequest["earlier"]>
): ThreatListBytes.Bytes | undefined => {
  const { records } = addEarlier(builder, earlier, undefined)
  return builder.records === records ? undefined : builder.build().bytes
}

const buildOrThrow = async (request: BuildRequest, get: Get, signal: AbortSignal): Promise<BuildResponse> => {
  const { oldestDay, earlier } = request
  const builder = new ThreatListBuilder(oldestDay)
  const download = isFile(request)
    ? FeedFile.read(request, signal)
    : await Download.download(request, get, signal)
  if (download._tag === "NotModified")
    return {
      _tag: "NotModified",
      bytes: earlier === undefined ? undefined : withoutExpired(builder, earlier)
    }
  const { format } = request
  const counts =
    format === "majestic-csv" || format === "ranked-csv"
      ? await RankingDocument.add(builder, download.body, format)
      : await addDocument(builder, download.body, format, request)
  if (earlier !== undefined) {
    addEarlier(builder, earlier, earlier.fetchedAt)
    limitRecords(builder, request)
  }
  const { bytes } = builder.build()
  return { _tag: "NewDocument", bytes, counts, validators: download.validators }
}

/**
 * Downloads or reads a feed's document and builds the list of it. Computes for up to seconds: for the worker thread only.
 * Rejects only with defects, and closes its connections and files whatever happens.
 */
export const build = async (request: BuildRequest, get: Get): Promise<BuildResponse> => {
  const connections = new AbortController()
  try {
    return await buildOrThrow(request, get, connections.signal)
  } catch (error) {
    const { reason, detail, retryAfter } = orDefect(error)
    return { _tag: "Failed", reason, detail, retryAfter }
  } finally {
    connections.abort()
  }
}
