import { Clock, Duration, Effect, Option, Redacted } from "effect"
import * as OutboundHttp from "../../Layers/Outbound/HttpExchange.ts"
import * as Program from "../../Layers/Program.ts"
import { ListError } from "../ListError.ts"
import type { BuildRequest, DocumentRequest, Limits } from "../ListWorker/Messages.ts"
import { failOnDefect, ListWorker } from "../ListWorker.ts"
import type { Definition } from "../RefreshedList/Definition.ts"
import * as ListSchedule from "../RefreshedList/ListSchedule.ts"
import * as ListRecord from "../ThreatList/ListRecord.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import { failureText, isFile } from "./FailureText.ts"
import type { Feed } from "./Feed.ts"
import { shownRows } from "./FeedFormat/SkippedRows.ts"
import * as FeedSnapshot from "./FeedSnapshot.ts"

const TIMEOUT = Duration.minutes(5)

/**
 * `maxKeys` limits the records of a document and the retained ones, duplicates included. All four feeds may build at once, at 32 bytes
 * a record, beside the old and the new lists at 23 bytes a record: at this limit they fit into the 768 MiB of the Kubernetes
 * manifest. A document of 256 MiB could have 64 times as many. Exceeding it refuses only the list of this publisher.
 */
const LIMITS: Limits = {
  connectTimeoutMs: Duration.toMillis(OutboundHttp.CONNECT_TIMEOUT),
  idleTimeoutMs: 30_000,
  maxBodyBytes: 268_435_456,
  maxKeys: 2_097_152
}

/** The maximum of names in the list of new domains, at 12 bytes each, and 8 more while it is built. */
const MAX_NEW_DOMAINS = 8_388_608

/** PhishTank requires this form and limits other clients more (https://www.phishtank.com/developer_info.php). */
const userAgent = ({ format }: Pick<Feed, "format">): string =>
  format === "phishtank-csv" ? `phishtank/${Program.nameAndVersion}` : Program.nameAndVersion

/** Returns the unconditional request for a feed's document. */
export const documentRequest = (feed: Pick<Feed, "url" | "format" | "authHeader">): DocumentRequest => ({
  url: feed.url.href.slice(0, feed.url.href.length - feed.url.hash.length),
  headers: { "accept-encoding": "gzip", "user-agent": userAgent(feed) },
  authHeaders: Option.match(feed.authHeader, {
    onNone: () => ({}),
    onSome: ({ name, value }) => ({ [name]: Redacted.value(value) })
  }),
  limits: LIMITS
})

/** `now` is in milliseconds since 1970. */
const requestOf = (
  feed: Feed,
  previous: FeedSnapshot.FeedSnapshot | undefined,
  now: number
): BuildRequest => {
  const hasRetention = Duration.greaterThan(feed.retention, Duration.zero)
  // Retention was just switched off, and the list still has entries of earlier documents: without validators, the response is a
  // whole document, which replaces it.
  const header = previous?.list.header
  const isMixed = !hasRetention && header?.entriesInDocument !== header?.entries
  const { etag, lastModified } = (isMixed ? undefined : previous?.validators) ?? {}
  const earlier = hasRetention ? previous : undefined
  const isHostList = feed.slot === "new_domains"
  const request = documentRequest(feed)
  return {
    ...request,
    ...(isHostList && { limits: { ...LIMITS, maxKeys: MAX_NEW_DOMAINS } }),
    headers: {
      ...request.headers,
      ...(etag !== undefined && { "if-none-match": etag }),
      ...(lastModified !== undefined && { "if-modified-since": lastModified })
    },
    format: feed.format,
    column: Option.getOrUndefined(feed.column),
    category: feed.source.category,
    isHostList,
    oldestDay: hasRetention ? ListRecord.dayOf(now - Duration.toMillis(feed.retention)) : undefined,
    earlier: earlier && { bytes: earlier.list.bytes, fetchedAt: earlier.fetchedAt }
  }
}

const isConditional = ({ headers }: ReturnType<typeof requestOf>): boolean =>
  "if-none-match" in headers || "if-modified-since" in headers

const listOf = (bytes: ThreatListBytes.Bytes) =>
  Effect.map(Effect.orDie(ThreatListBytes.open(bytes)), (opened) => new ThreatList(opened))

/**
 * Requests a feed once and yields the snapshot to use from now on. A document that is too small yields an `error` and the previous
 * list. Fails unless the feed responds with 200 or 304.
 */
export const request = Effect.fnUntraced(function* (
  feed: Feed,
  previous: Option.Option<FeedSnapshot.FeedSnapshot>
) {
  const worker = yield* ListWorker
  const request = requestOf(feed, Option.getOrUndefined(previous), yield* Clock.currentTimeMillis)
  const response = yield* Effect.timeoutFail(worker.build(request), {
    duration: TIMEOUT,
    onTimeout: () => new ListError("Timeout", "5 minutes in all")
  })
  const now = yield* Clock.currentTimeMillis
  const times = { fetchedAt: now, answeredAt: now, shrunkenSince: undefined }
  if (response._tag === "NotModified") {
    // A 304 to an unconditional request says nothing about the list.
    if (Option.isNone(previous) || !isConditional(request))
      return yield* Effect.fail(new ListError("Status", "304"))
    const list = response.bytes === undefined ? previous.value.list : yield* listOf(response.bytes)
    return { snapshot: { ...previous.value, list, ...times }, error: Option.none<ListError>() }
  }
  const { counts, validators } = response
  const list = yield* listOf(response.bytes)
  return FeedSnapshot.accept(previous, { list, counts, validators, ...times })
})

/** Returns the definition of a feed, or of the ranking, as a list that is refreshed. */
export const definition = (feed: Feed) =>
  ({
    name: feed.slot,
    source: feed.source.name,
    digest: isFile(feed) ? undefined : FeedSnapshot.sharedDigest(feed),
    format: FeedSnapshot.format(feed),
    request: (previous) => failOnDefect(request(feed, previous)),
    waits: {
      afterAnswer: (_, random) => ListSchedule.jittered(feed.refresh, random),
      backoff: ListSchedule.feedBackoff(feed.refresh)
    },
    describe: ({ counts: { firstSkipped, ...counts }, list }) => ({
      entries: list.header.entries,
      counts,
      skipped: shownRows(firstSkipped)
    }),
    failureText: (error, wait) => failureText(feed, error, Option.some(wait))
  }) satisfies Definition<FeedSnapshot.FeedSnapshot, ListWorker>
