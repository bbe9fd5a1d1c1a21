import { randomFillSync } from "node:crypto"
import { Clock, Duration, Effect, Option, Redacted } from "effect"
import * as OutboundHttp from "../../Layers/Outbound.ts"
import * as Program from "../../Layers/Program.ts"
import type { HashKey } from "../ThreatList/KeyedHash.ts"
import * as StampClock from "../ThreatList/StampClock.ts"
import * as ThreatListBytes from "../ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../ThreatList.ts"
import * as FeedAcceptance from "./FeedAcceptance.ts"
import { FeedError } from "./FeedError.ts"
import type { FeedSnapshot } from "./FeedSnapshot.ts"
import type { FeedAddress, FeedSource } from "./FeedSource.ts"
import { type BuildRequest, type Limits, noValidators } from "./FeedWorker/BuildRequest.ts"
import { FeedWorker } from "./FeedWorker.ts"

/** What is refreshed. */
export interface Feed extends FeedAddress {
  readonly source: FeedSource
  readonly retention: Duration.Duration
}

const TIMEOUT = Duration.minutes(5)

/**
 * A list of 8,388,608 keys takes 200 MB while it is built. A document of 256 MiB could hold sixteen times as many, in a
 * quarter of a megabyte of gzip; the largest public feed has some two million.
 */
const LIMITS: Limits = {
  connectTimeoutMs: Duration.toMillis(OutboundHttp.CONNECT_TIMEOUT),
  idleTimeoutMs: 30_000,
  maxBodyBytes: 268_435_456,
  maxKeys: 8_388_608
}

const newHashKey = (): HashKey => {
  const [high = 0, low = 0] = randomFillSync(new Uint32Array(2))
  return [high, low]
}

/** PhishTank wants this form and limits others more (https://www.phishtank.com/developer_info.php). */
const userAgent = ({ format }: Feed): string =>
  format === "phishtank-csv" ? `phishtank/${Program.nameAndVersion}` : Program.nameAndVersion

/** `now` is in milliseconds since 1970. */
const requestOf = (feed: Feed, previous: FeedSnapshot | undefined, now: number): BuildRequest => {
  const hasRetention = Duration.greaterThan(feed.retention, Duration.zero)
  // A retention that was switched off: only a new document replaces the list that holds entries of earlier ones.
  const isOutdated = !hasRetention && previous?.list.header.current !== previous?.list.header.entries
  const { etag, lastModified } = (isOutdated ? undefined : previous?.validators) ?? noValidators
  // Lists with entries in common share a hash key: the entries are known by their hashes only.
  const earlier = hasRetention ? previous : undefined
  return {
    url: feed.url.href.slice(0, feed.url.href.length - feed.url.hash.length),
    headers: {
      "accept-encoding": "gzip",
      "user-agent": userAgent(feed),
      ...(etag !== undefined && { "if-none-match": etag }),
      ...(lastModified !== undefined && { "if-modified-since": lastModified })
    },
    ownHeaders: Option.match(feed.authHeader, {
      onNone: () => ({}),
      onSome: ({ name, value }) => ({ [name]: Redacted.value(value) })
    }),
    format: feed.format,
    category: feed.source.category,
    hashKey: earlier?.list.header.hashKey ?? newHashKey(),
    stampClock: hasRetention ? StampClock.make(now, feed.retention) : undefined,
    earlier: earlier && { bytes: earlier.list.bytes, seenAt: earlier.fetchedAt },
    limits: LIMITS
  }
}

const listOf = (bytes: ThreatListBytes.Bytes) =>
  Effect.map(Effect.orDie(ThreatListBytes.open(bytes)), (opened) => new ThreatList(opened))

const build = Effect.fnUntraced(function* (feed: Feed, previous: FeedSnapshot | undefined) {
  const worker = yield* FeedWorker
  const request = requestOf(feed, previous, yield* Clock.currentTimeMillis)
  return yield* Effect.timeoutFail(worker.build(request), {
    duration: TIMEOUT,
    onTimeout: () => new FeedError({ reason: "Timeout", detail: "5 minutes in all" })
  })
})

/**
 * Requests a feed once, builds the list of the response, and decides whether to accept it. The error says why there is no
 * new list. A document that is refused for its size is no error, but a `refusal` with a snapshot that remembers it.
 */
export const refresh = (
  feed: Feed,
  previous: Option.Option<FeedSnapshot>
): Effect.Effect<FeedAcceptance.Acceptance, FeedError, FeedWorker> =>
  Effect.gen(function* () {
    const response = yield* build(feed, Option.getOrUndefined(previous))
    const now = yield* Clock.currentTimeMillis
    if (response._tag === "NotModified") {
      if (Option.isNone(previous)) return yield* new FeedError({ reason: "Status", detail: "304" })
      const list = response.bytes === undefined ? previous.value.list : yield* listOf(response.bytes)
      const times = { fetchedAt: now, answeredAt: now, shrunkenSince: undefined }
      return { snapshot: { ...previous.value, list, ...times }, refusal: Option.none() }
    }
    const { counts, validators } = response
    const list = yield* listOf(response.bytes)
    const times = { fetchedAt: now, answeredAt: now, shrunkenSince: undefined }
    return FeedAcceptance.judge(previous, { list, counts, validators, ...times })
  }).pipe(Effect.withSpan("FeedRefresh.refresh", { root: true, attributes: { source: feed.source.name } }))
