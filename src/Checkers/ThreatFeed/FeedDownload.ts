import {
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import { Clock, Duration, Effect, identity, Option, Redacted, type Scope, Stream } from "effect"
import type { FeedConfig, FeedFormatName } from "../../Layers/AppConfig.ts"
import * as NodeGetClient from "../../Layers/NodeGetClient.ts"
import * as OutboundHttp from "../../Layers/OutboundHttp.ts"
import * as Program from "../../Layers/Program.ts"
import * as RetryAfter from "../RetryAfter.ts"
import * as FeedBody from "./FeedBody.ts"
import { FeedError } from "./FeedError.ts"
import * as FeedHop from "./FeedHop.ts"

/** What a server lets us say to be told "not modified" the next time. */
export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

export const noValidators: Validators = { etag: undefined, lastModified: undefined }

/** A feed's answer. The body is as it was sent, and has to be read before the scope of the download closes. */
export interface Document {
  readonly _tag: "Document"
  readonly body: FeedBody.FeedBody
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

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "no connection"

/** Keeps nothing of the error but its code: the rest of it knows the address, which may hold a key. */
const transportError = ({ cause }: HttpClientError.HttpClientError): FeedError => {
  const detail = codeOf(cause)
  return new FeedError({
    reason:
      detail === OutboundHttp.NOT_PUBLIC
        ? "ForbiddenRedirect"
        : detail === NodeGetClient.CONNECT_TIMED_OUT
          ? "Timeout"
          : "Unreachable",
    detail
  })
}

const request = (
  feed: FeedAddress,
  { url, isAtHome }: FeedHop.FeedHop,
  validators: Validators
): HttpClientRequest.HttpClientRequest =>
  // As text: a URL object would have its query decoded and encoded again, which breaks signed addresses.
  HttpClientRequest.get(url.href.slice(0, url.href.length - url.hash.length)).pipe(
    HttpClientRequest.setHeaders({
      "accept-encoding": "gzip",
      "user-agent": userAgent(feed.format),
      ...(validators.etag !== undefined && { "if-none-match": validators.etag }),
      ...(validators.lastModified !== undefined && { "if-modified-since": validators.lastModified }),
      ...(isAtHome &&
        Option.isSome(feed.authHeader) && {
          [feed.authHeader.value.name]: Redacted.value(feed.authHeader.value.value)
        })
    })
  )

/** Follows redirects to an answer that is none. */
const follow = (
  client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>,
  feed: FeedAddress,
  validators: Validators,
  hop: FeedHop.FeedHop
): Effect.Effect<HttpClientResponse.HttpClientResponse, FeedError, Scope.Scope> =>
  Effect.gen(function* () {
    const response = yield* client.execute(request(feed, hop, validators)).pipe(
      hop.mayConnectInside ? identity : OutboundHttp.toPublicAddresses,
      Effect.mapError(transportError),
      Effect.timeoutFail({
        duration: Duration.sum(OutboundHttp.CONNECT_TIMEOUT, FeedBody.LONGEST_SILENCE),
        onTimeout: () => new FeedError({ reason: "Timeout", detail: "no answer" })
      })
    )
    const location = response.headers.location
    if (!redirectStatuses.has(response.status) || location === undefined) return response
    if (hop.redirects === MOST_REDIRECTS) return yield* new FeedError({ reason: "TooManyRedirects" })
    const next = yield* Effect.mapError(
      FeedHop.next(hop, location),
      () => new FeedError({ reason: "ForbiddenRedirect" })
    )
    return yield* follow(client, feed, validators, next)
  })

/**
 * Asks for a feed, conditionally when there are validators of the document held. The body has to be read within the scope
 * that this needs; closing it ends the connection. Neither an address, least of all the one a redirect leads to, nor a
 * header is part of any result, log or span.
 */
export const download = Effect.fn("FeedDownload.download")(function* (
  feed: FeedAddress,
  validators: Validators
) {
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const response = yield* follow(client, feed, validators, FeedHop.first(feed.url))
  if (response.status === 304) return { _tag: "NotModified" } satisfies NotModified
  if (response.status !== 200)
    return yield* new FeedError({
      reason: "Status",
      detail: String(response.status),
      retryAfter: RetryAfter.parse(response.headers["retry-after"], yield* Clock.currentTimeMillis)
    })
  return {
    _tag: "Document",
    body: FeedBody.receive(Stream.mapError(response.stream, transportError), response.headers),
    validators: { etag: response.headers.etag, lastModified: response.headers["last-modified"] }
  } satisfies Document
})
