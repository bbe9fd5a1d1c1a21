import { Clock, Duration, Effect, Option, Redacted, type Scope } from "effect"
import type { FeedConfig, FeedFormatName } from "../../../Layers/AppConfig.ts"
import * as RetryAfter from "../../../Layers/Outbound/RetryAfter.ts"
import * as OutboundHttp from "../../../Layers/Outbound.ts"
import * as Program from "../../../Layers/Program.ts"
import { FeedError } from "../FeedError.ts"
import * as TimeSlices from "../TimeSlices.ts"
import * as FeedHop from "./FeedHop.ts"
import type { Made, Order } from "./FeedIntake.ts"
import * as FeedSilence from "./FeedSilence.ts"
import { type FeedAnswer, type FeedRequest, FeedWorker } from "./FeedWorker.ts"

/** What a server lets us say to be told "not modified" the next time. */
export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

export const noValidators: Validators = { etag: undefined, lastModified: undefined }

/** A feed's answer, of which nothing but the head has been read. */
export interface Document {
  readonly _tag: "Document"
  /** See `FeedAnswer`; before the scope of the download closes. Fails too when the server falls silent. */
  readonly make: (order: Order) => Effect.Effect<Made, FeedError>
  readonly validators: Validators
}

/** The answer that the document of the validators is still the feed's. */
export interface NotModified {
  readonly _tag: "NotModified"
}

/** A feed's address and how to ask there. */
export interface FeedAddress {
  readonly url: URL
  readonly format: FeedFormatName
  readonly authHeader: FeedConfig["authHeader"]
}

const MOST_REDIRECTS = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** PhishTank asks for this form and limits others more (https://www.phishtank.com/developer_info.php). */
const userAgent = (format: FeedFormatName): string =>
  format === "phishtank-csv" ? `phishtank/${Program.nameAndVersion}` : Program.nameAndVersion

const requestOf = (
  feed: FeedAddress,
  { url, isAtHome, mayConnectInside }: FeedHop.FeedHop,
  validators: Validators
): FeedRequest => ({
  url: url.href.slice(0, url.href.length - url.hash.length),
  headers: {
    "accept-encoding": "gzip",
    "user-agent": userAgent(feed.format),
    ...(validators.etag !== undefined && { "if-none-match": validators.etag }),
    ...(validators.lastModified !== undefined && { "if-modified-since": validators.lastModified }),
    ...(isAtHome &&
      Option.isSome(feed.authHeader) && {
        [feed.authHeader.value.name]: Redacted.value(feed.authHeader.value.value)
      })
  },
  connectTimeout: Duration.toMillis(OutboundHttp.CONNECT_TIMEOUT),
  mayConnectInside
})

/** Follows redirects to an answer that is none. */
const follow = (
  worker: FeedWorker["Type"],
  feed: FeedAddress,
  validators: Validators,
  hop: FeedHop.FeedHop
): Effect.Effect<FeedAnswer, FeedError, Scope.Scope> =>
  Effect.gen(function* () {
    const request = requestOf(feed, hop, validators)
    yield* TimeSlices.letOthersRun
    const answer = yield* Effect.timeoutFail(worker.get(request), {
      duration: Duration.sum(OutboundHttp.CONNECT_TIMEOUT, FeedSilence.LONGEST_SILENCE),
      onTimeout: () => new FeedError({ reason: "Timeout", detail: "no answer" })
    })
    const { location } = answer.headers
    if (!redirectStatuses.has(answer.status) || location === undefined) return answer
    if (hop.redirects === MOST_REDIRECTS) return yield* new FeedError({ reason: "TooManyRedirects" })
    const next = yield* Effect.mapError(
      FeedHop.next(hop, location),
      () => new FeedError({ reason: "ForbiddenRedirect" })
    )
    return yield* follow(worker, feed, validators, next)
  })

/**
 * Asks for a feed, conditionally when there are validators of the document held. The list has to be made within the scope
 * that this needs; closing it ends the connection. Neither an address, least of all the one a redirect leads to, nor a
 * header is part of any result, log or span.
 */
export const download = Effect.fn("FeedDownload.download")(function* (
  feed: FeedAddress,
  validators: Validators
) {
  const { status, headers, heard, make } = yield* follow(
    yield* FeedWorker,
    feed,
    validators,
    FeedHop.first(feed.url)
  )
  if (status === 304) return { _tag: "NotModified" } satisfies NotModified
  if (status !== 200)
    return yield* new FeedError({
      reason: "Status",
      detail: String(status),
      retryAfter: RetryAfter.parse(headers["retry-after"], yield* Clock.currentTimeMillis)
    })
  if (headers["content-type"]?.toLowerCase().startsWith("text/html"))
    return yield* new FeedError({ reason: "NotAFeed", detail: "HTML" })
  return {
    _tag: "Document",
    make: (order) => FeedSilence.limit(make(order), heard),
    validators: { etag: headers.etag, lastModified: headers["last-modified"] }
  } satisfies Document
})
