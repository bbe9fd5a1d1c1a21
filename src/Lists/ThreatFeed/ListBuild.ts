import { Option } from "effect"
import { ListError } from "../ListError.ts"
import type { Body } from "../ListWorker/Body.ts"
import type { Get } from "../ListWorker/Download.ts"
import * as Download from "../ListWorker/Download.ts"
import type { BuildRequest, BuildResult, RowCounts } from "../ListWorker/Messages.ts"
import { HostListBuilder, ThreatListBuilder } from "../ThreatList/ThreatListBuilder.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import * as FeedEntry from "./FeedFormat/FeedEntry.ts"
import type { FeedRow } from "./FeedFormat/FeedReader.ts"
import { shownRows } from "./FeedFormat/SkippedRows.ts"
import * as FeedFormat from "./FeedFormat.ts"

type Builder = Pick<ThreatListBuilder, "add" | "records">

const limitRecords = (builder: Builder, { limits }: BuildRequest): void => {
  if (builder.records > limits.maxKeys) throw new ListError("TooLarge", "more entries than a list may have")
}

const isRanking = ({ format }: BuildRequest): boolean => format === "majestic-csv" || format === "ranked-csv"

const parserOf = (request: BuildRequest): ((text: string) => FeedEntry.FeedEntry) => {
  if (isRanking(request)) return FeedEntry.parseRanked
  return request.isHostList ? FeedEntry.parseRegistered : FeedEntry.parse
}

/**
 * Adds the entries of a document as its chunks arrive: at most one chunk of it is in memory as text. Does not read what a ranking
 * has beyond its maximum of rows. Rejects with `NotAFeed` if most rows are not used, and with `Empty`.
 */
const addDocument = async (builder: Builder, body: Body, request: BuildRequest): Promise<RowCounts> => {
  const reader = FeedFormat.reader(request.format, request.column)
  const { skipped } = reader
  const parse = parserOf(request)
  const counts = { used: 0, ignored: 0 }

  const add = (rows: Iterable<FeedRow>) => {
    for (const { text, line, isCopied, category = request.category } of rows) {
      const entry = parse(text)
      if (entry === "SharedHost") counts.ignored++
      else if (typeof entry === "string") skipped.add(line, entry)
      else {
        counts.used++
        for (const { host, path, coverage } of entry) builder.add(host, path, coverage, category, isCopied)
      }
    }
    limitRecords(builder, request)
  }

  for await (const chunk of body) {
    add(reader.read(chunk))
    if (reader.isFull) break
  }
  add(reader.end())
  const readable = counts.used + counts.ignored
  // An error message, a page, or a list in another format.
  if (skipped.unexpected > readable)
    throw new ListError(
      "NotAFeed",
      `${readable} of ${readable + skipped.unexpected} lines can be used; ${shownRows(skipped.first)}`
    )
  if (counts.used === 0) throw new ListError("Empty")
  return { skipped: skipped.total, ignored: counts.ignored, firstSkipped: skipped.first }
}

/**
 * Downloads or reads a feed's document and builds its list. Computes for seconds: call it in the worker thread only. Rejects with a
 * `ListError`. `signal` closes its connections and files.
 */
export const build = async (request: BuildRequest, get: Get, signal: AbortSignal): Promise<BuildResult> => {
  const download = await Download.download(request, get, signal)
  if (request.isHostList || isRanking(request)) {
    if (download._tag === "NotModified") return { _tag: "NotModified", bytes: undefined }
    const hosts = new HostListBuilder()
    const counts = await addDocument(hosts, download.body, request)
    return { _tag: "NewDocument", bytes: hosts.build().bytes, counts, validators: download.validators }
  }
  const builder = new ThreatListBuilder(request.oldestDay)
  const earlier = request.earlier && Option.getOrThrow(ThreatListBytes.open(request.earlier.bytes))
  if (download._tag === "NotModified") {
    if (earlier !== undefined) builder.keep(earlier, undefined)
    const hasExpired = builder.records !== (earlier?.header.records ?? 0)
    return { _tag: "NotModified", bytes: hasExpired ? builder.build().bytes : undefined }
  }
  const counts = await addDocument(builder, download.body, request)
  if (earlier !== undefined) {
    builder.keep(earlier, request.earlier?.fetchedAt, request.limits.maxKeys)
    limitRecords(builder, request)
  }
  const { bytes } = builder.build()
  return { _tag: "NewDocument", bytes, counts, validators: download.validators }
}
