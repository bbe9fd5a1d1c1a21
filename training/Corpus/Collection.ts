/** Collects rows for the corpus: from the feeds of the service's configuration, and from lists of ordinary addresses. */

import { Clock, Duration, Effect, Either, Option } from "effect"
import {
  AppConfig,
  type FeedConfig,
  type FeedFormatName,
  type RankingFormatName
} from "../../src/Layers/AppConfig.ts"
import { ListError } from "../../src/Lists/ListError.ts"
import type { Body } from "../../src/Lists/ListWorker/Body.ts"
import * as Download from "../../src/Lists/ListWorker/Download.ts"
import type { DocumentRequest } from "../../src/Lists/ListWorker/Messages.ts"
import { failureText } from "../../src/Lists/ThreatFeed/FailureText.ts"
import * as Feed from "../../src/Lists/ThreatFeed/Feed.ts"
import * as FeedEntry from "../../src/Lists/ThreatFeed/FeedFormat/FeedEntry.ts"
import * as FeedReader from "../../src/Lists/ThreatFeed/FeedFormat/FeedReader.ts"
import * as FeedFormat from "../../src/Lists/ThreatFeed/FeedFormat.ts"
import * as FeedRefresh from "../../src/Lists/ThreatFeed/FeedRefresh.ts"
import type { Category } from "../../src/Lists/ThreatList/ListRecord.ts"
import * as BenignLists from "./BenignLists.ts"
import * as CorpusFolder from "./CorpusFolder.ts"
import * as Days from "./Days.ts"
import * as Intake from "./Intake.ts"
import * as RowLimits from "./RowLimits.ts"

/** The result of one source. */
interface SourceReport {
  readonly source: string
  readonly isPhishing: boolean
  /** Why there is nothing of it: one sentence without secrets. */
  readonly result: Either.Either<Intake.Counts, string>
}

export interface Report {
  readonly sources: ReadonlyArray<SourceReport>
  /** The name of the new file. None: no row was added. */
  readonly file: Option.Option<string>
}

/** Of one source, as in the service. */
const TIMEOUT = Duration.minutes(5)

/** Of one source. The largest public feed has some two million; a document of 256 MiB could hold thirty times as many. */
const MAX_ROWS = 3_000_000
const CONCURRENT_DOWNLOADS = 4

type Parts = Pick<Intake.Offer, "rows" | "damaged" | "unused">

/** Reads a document with the limits of the service's feeds; the connection ends with the effect. */
const readDocument = <A>(
  request: DocumentRequest,
  get: Download.Get,
  read: (body: Body) => Promise<A>
): Effect.Effect<A, ListError> =>
  Effect.tryPromise({
    try: async (interrupted) => {
      const connections = new AbortController()
      const signal = AbortSignal.any([interrupted, connections.signal])
      try {
        const download = await Download.download(request, get, signal)
        if (download._tag === "NotModified") throw new ListError("Status", "304")
        return await read(download.body)
      } finally {
        connections.abort()
      }
    },
    catch: (error) => error
  }).pipe(
    Effect.catchAll((error) => (error instanceof ListError ? Effect.fail(error) : Effect.die(error))),
    Effect.timeoutFail({
      duration: TIMEOUT,
      onTimeout: () => new ListError("Timeout", "5 minutes in all")
    })
  )

/** Formats of no publisher have no categories of their own: such a list is read as the phishing feed that the operator has configured. */
const isPhishing = (category: Category, format: FeedFormatName): boolean =>
  category === "phishing" ||
  category === "suspected phishing" ||
  (category === "malicious" && (format === "lines" || format === "hosts" || format === "csv"))

const limitRows = (count: number, max: number): void => {
  if (count > max) throw new ListError("TooLarge", "more rows than a source may have")
}

const readFeed =
  (feed: Feed.Feed, format: FeedFormatName, maxRows: number) =>
  async (body: Body): Promise<Parts> => {
    const reader = FeedFormat.reader(format, Option.getOrUndefined(feed.column))
    const rows: Array<Intake.OfferedRow> = []
    let unused = 0
    const add = (found: Iterable<FeedReader.FeedRow>) => {
      for (const row of found)
        if (isPhishing(row.category ?? feed.source.category, format))
          rows.push({ text: row.text, published: row.published })
        else unused++
      limitRows(rows.length, maxRows)
    }
    for await (const chunk of body) add(reader.read(chunk))
    add(reader.end())
    const { total, unexpected } = reader.skipped
    return { rows, damaged: unexpected, unused: unused + total - unexpected }
  }

const readLinks =
  (maxRows: number) =>
  async (body: Body): Promise<Parts> => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of body) chunks.push(chunk)
    const links = BenignLists.linksOf(Buffer.concat(chunks).toString("utf8"))
    limitRows(links.length, maxRows)
    const rows = links.filter(({ length }) => length <= FeedReader.MAX_ENTRY_LENGTH)
    return {
      rows: rows.map((text) => ({ text, published: undefined })),
      damaged: links.length - rows.length,
      unused: 0
    }
  }

const readRanking =
  (format: RankingFormatName) =>
  async (body: Body): Promise<Parts> => {
    const reader = FeedFormat.reader(format)
    const rows: Array<Intake.OfferedRow> = []
    let unreadable = 0
    let unused = 0
    const add = (found: Iterable<FeedReader.FeedRow>) => {
      for (const { text } of found) {
        const site = FeedEntry.parseRanked(text)
        if (site === "SharedHost") unused++
        else if (typeof site === "string") unreadable++
        else rows.push(...site.map(({ host }) => ({ text: `https://${host}/`, published: undefined })))
      }
    }
    for await (const chunk of body) {
      add(reader.read(chunk))
      if (reader.isFull) break
    }
    add(reader.end())
    return { rows, damaged: reader.skipped.unexpected + unreadable, unused }
  }

interface Source {
  readonly name: string
  readonly isPhishing: boolean
  readonly parts: Effect.Effect<Parts, string>
}

/** Names of sources are written as those of the development data. */
const sourceName = (publisher: string): string => publisher.toLowerCase()

/** None for a slot that is off. A ranking is no feed of phishing. */
const feedSource = (config: FeedConfig, get: Download.Get, maxRows: number): Option.Option<Source> =>
  Option.flatMap(Feed.fromConfig(config), (feed) => {
    const { format } = feed
    if (format === "majestic-csv" || format === "ranked-csv") return Option.none()
    return Option.some({
      name: sourceName(feed.source.name),
      isPhishing: true,
      parts: readDocument(FeedRefresh.documentRequest(feed), get, readFeed(feed, format, maxRows)).pipe(
        Effect.mapError((error) => failureText(feed, error, Option.none()))
      )
    })
  })

const listSource = (
  { name, format, url }: BenignLists.BenignList,
  get: Download.Get,
  maxRows: number
): Source => ({
  name: format === "links" ? name : `${name}${RowLimits.BARE_DOMAINS}`,
  isPhishing: false,
  parts: readDocument(
    FeedRefresh.documentRequest({
      url,
      format: format === "links" ? "lines" : format,
      authHeader: Option.none()
    }),
    get,
    format === "links" ? readLinks(maxRows) : readRanking(format)
  ).pipe(
    Effect.filterOrFail(
      ({ rows }) => rows.length > 0,
      () => new ListError("Empty")
    ),
    Effect.mapError(({ message }) => `${name}: ${message}`)
  )
})

/** The ranking of the configuration, as a list of ordinary domains. */
const rankingList = (config: FeedConfig): ReadonlyArray<BenignLists.BenignList> =>
  Option.match(Feed.fromConfig(config), {
    onNone: () => [],
    onSome: ({ format, source, url }) =>
      format === "majestic-csv" || format === "ranked-csv"
        ? [{ name: sourceName(source.name), format, url }]
        : []
  })

const sourcesOf = (folder: string, maxRows: number) =>
  Effect.gen(function* () {
    const { feeds, popular, proxies } = yield* AppConfig
    const get = Download.make(proxies)
    const lists = yield* BenignLists.ofFolder(folder, rankingList(popular))
    return [
      ...Object.values(feeds).flatMap((feed) => Option.toArray(feedSource(feed, get, maxRows))),
      ...lists.map((list) => listSource(list, get, maxRows))
    ]
  })

/** The corpus so far; empty if there is no folder yet. */
const corpusSoFar = (folder: string) =>
  CorpusFolder.read(folder).pipe(
    Effect.catchIf(
      ({ code, path }) => code === "ENOENT" && path === folder,
      () => Effect.succeed({ rows: [], logins: [] })
    )
  )

/** Adds what is new of all sources to the corpus of a folder. A source that fails is reported, and the others are used. */
export const collect = (
  folder: string,
  maxRows = MAX_ROWS
): Effect.Effect<Report, CorpusFolder.CorpusError | BenignLists.BenignListsError, AppConfig> =>
  Effect.gen(function* () {
    const sources = yield* sourcesOf(folder, maxRows)
    const read = yield* Effect.forEach(
      sources,
      ({ name, isPhishing, parts }) =>
        Effect.either(Effect.map(parts, (parts) => ({ source: name, isPhishing, ...parts }))),
      { concurrency: CONCURRENT_DOWNLOADS }
    )
    const corpus = yield* corpusSoFar(folder)
    const today = Days.dayOf(yield* Clock.currentTimeMillis)
    const offers = read.flatMap((offer) => (Either.isRight(offer) ? [offer.right] : []))
    const { rows, counts } = Intake.take(corpus, offers, today)
    const file = yield* CorpusFolder.append(folder, rows)
    const countsOf = new Map(offers.map((offer, index) => [offer, counts[index]]))
    return {
      sources: sources.map(({ name, isPhishing }, index) => ({
        source: name,
        isPhishing,
        result: Either.flatMap(read[index] ?? Either.left("not read"), (offer) =>
          Either.fromNullable(countsOf.get(offer), () => "not read")
        )
      })),
      file
    }
  })

/** Whether both classes have a source that answered. */
export const isComplete = ({ sources }: Report): boolean =>
  [true, false].every((isPhishing) =>
    sources.some((source) => source.isPhishing === isPhishing && Either.isRight(source.result))
  )
