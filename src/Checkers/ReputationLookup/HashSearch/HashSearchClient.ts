import { Array as Arr, Clock, Duration, Effect, Either, Option, Redacted } from "effect"
import { mediaTypeOf } from "../../../Layers/Outbound/Headers.ts"
import type { ReceivedResponse } from "../../../Layers/Outbound/HttpExchange.ts"
import * as RetryAfter from "../../../Layers/Outbound/RetryAfter.ts"
import { HttpGet } from "../../../Layers/Outbound.ts"
import * as ExpressionHash from "../ExpressionHash.ts"
import * as Refusal from "../Refusal.ts"
import * as HashSearchJson from "./HashSearchJson.ts"
import * as HashSearchProtobuf from "./HashSearchProtobuf.ts"
import { type HashSearchResponse, type ListedHash, MalformedResponse } from "./HashSearchResponse.ts"
import { SearchError } from "./SearchError.ts"

/** Google's header for an API key. A key in the URL would appear in logs and traces. */
const KEY_HEADER = "x-goog-api-key"

/**
 * Prefixes of one search, which make an address of 11 KiB: node's servers accept 16 KiB. Google's own limit is 1,000
 * (https://developers.google.com/safe-browsing/reference/rest/v5/hashes/search).
 */
export const MAX_PREFIXES = 400

/** What one address has. A request with more may be refused for its size and sent again in parts. */
const MIN_PREFIXES = 30

/** A listed hash takes about 50 bytes (200 as JSON). 400 prefixes with three listed hashes each, as JSON, fit. */
const MAX_RESPONSE_BYTES = 256 * 1024

/** The text of an error of Google with all of its details takes about 1 KiB. */
const MAX_REFUSAL_BYTES = 8 * 1024

/** What a 429 without `Retry-After` asks for. */
const DEFAULT_WAIT = Duration.seconds(5)

const OK = 200
const BAD_REQUEST = 400
const CONTENT_TOO_LARGE = 413
const URI_TOO_LONG = 414
const HEADERS_TOO_LARGE = 431
const TOO_MANY_REQUESTS = 429
const SERVICE_UNAVAILABLE = 503

const maxBodyBytes = (status: number): number => {
  if (status === OK) return MAX_RESPONSE_BYTES
  return status === BAD_REQUEST ? MAX_REFUSAL_BYTES : 0
}

/**
 * Decodes a body by its Content-Type: the service has sent protobuf when JSON was requested. Another type, such as the HTML
 * page of a proxy, and a missing one are malformed.
 */
const decode = ({
  headers,
  body,
  isWhole
}: ReceivedResponse): Either.Either<HashSearchResponse, MalformedResponse> => {
  if (!isWhole) return Either.left(new MalformedResponse({ reason: "TooLarge" }))
  switch (mediaTypeOf(headers["content-type"])) {
    case "application/x-protobuf":
    case "application/protobuf":
      return HashSearchProtobuf.decode(body)
    case "application/json":
      return HashSearchJson.decode(new TextDecoder().decode(body))
    default:
      return Either.left(new MalformedResponse({ reason: "ContentType" }))
  }
}

/** How long the service asks to wait before the next request, if it does. */
const retryAfter = ({ status, headers }: ReceivedResponse, now: number): Option.Option<Duration.Duration> => {
  if (status !== TOO_MANY_REQUESTS && status !== SERVICE_UNAVAILABLE) return Option.none()
  return Option.orElse(RetryAfter.parse(headers["retry-after"], now), () =>
    status === TOO_MANY_REQUESTS ? Option.some(DEFAULT_WAIT) : Option.none()
  )
}

/** The server, or a proxy on the way to it, refuses the size of the request. */
const isTooLarge = (status: number): boolean =>
  status === CONTENT_TOO_LARGE || status === URI_TOO_LONG || status === HEADERS_TOO_LARGE

const refused = (response: ReceivedResponse, now: number): SearchError => {
  const { status, body } = response
  return new SearchError({
    reason: Refusal.refusal(status, Buffer.from(body).toString("latin1")) ?? "Status",
    detail: String(status),
    retryAfter: retryAfter(response, now)
  })
}

/**
 * The hashes under the requested prefixes, each once. Google's service is known to send others; they are not cached and must
 * not count, because nothing says how long they are valid.
 */
const requested = (
  listed: ReadonlyArray<ListedHash>,
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
): ReadonlyArray<ListedHash> => {
  const isRequested = new Set(prefixes)
  const byHash = new Map<ExpressionHash.ExpressionHash, ListedHash>()
  for (const { hash, threats } of listed) {
    if (!isRequested.has(ExpressionHash.prefix(hash))) continue
    const [first, ...others] = new Set([...(byHash.get(hash)?.threats ?? []), ...threats])
    if (first !== undefined) byHash.set(hash, { hash, threats: [first, ...others] })
  }
  return [...byHash.values()]
}

/** The response to a request of all prefixes of these responses. */
const merged = (responses: ReadonlyArray<HashSearchResponse>): HashSearchResponse => ({
  listed: responses.flatMap(({ listed }) => listed),
  cacheDuration: responses
    .map(({ cacheDuration }) => cacheDuration)
    .reduce((first, second) => Duration.min(first, second))
})

export interface HashSearchClient {
  /**
   * Requests the hashes that are listed under the prefixes, of which there is at least one and at most MAX_PREFIXES. Nothing
   * else of a URL leaves the process.
   *
   * A 413, 414 or 431 to more than 30 prefixes halves the number that this client sends in one request, and the prefixes are
   * sent again in as many requests as that needs, concurrently.
   *
   * `Malformed` for a response that cannot be read or is larger than 256 KiB. It has no timeout.
   */
  readonly search: (
    prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
  ) => Effect.Effect<HashSearchResponse, SearchError>
}

/** Where Safe Browsing is, and the key for it. */
export interface Service {
  readonly key: Redacted.Redacted
  readonly baseUrl: URL
}

/** A client of Safe Browsing v5 `hashes:search` at `baseUrl`; query and fragment of that are dropped. */
export const make = ({
  key,
  baseUrl: { origin, pathname }
}: Service): Effect.Effect<HashSearchClient, never, HttpGet> =>
  Effect.map(HttpGet, ({ get }) => {
    const address = `${origin}${pathname.replace(/\/$/, "")}/v5/hashes:search?alt=proto`
    const headers = { accept: "application/x-protobuf", [KEY_HEADER]: Redacted.value(key) }
    const parameter = (prefix: ExpressionHash.HashPrefix) =>
      `&hashPrefixes=${encodeURIComponent(Buffer.from(prefix, "hex").toString("base64"))}`
    /** Of one request. */
    let maxPrefixes = MAX_PREFIXES

    /** Halves the number of prefixes of a request until it is less than this, unless a concurrent request has done that. */
    const sendFewerThan = (prefixes: number, status: number): Effect.Effect<void> => {
      if (maxPrefixes < prefixes) return Effect.void
      while (maxPrefixes >= prefixes) maxPrefixes = Math.max(MIN_PREFIXES, Math.floor(maxPrefixes / 2))
      return Effect.logInfo(
        `Safe Browsing refuses ${prefixes} prefixes in a request (${status}): sending at most ${maxPrefixes}`
      )
    }

    const request = (
      prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
    ): Effect.Effect<HashSearchResponse, SearchError> =>
      Effect.matchEffect(get({ url: address + prefixes.map(parameter).join(""), headers, maxBodyBytes }), {
        onFailure: ({ code }) => new SearchError({ reason: "Unreachable", detail: code }),
        onSuccess: (response) => {
          const { status } = response
          if (status === OK)
            return Either.mapBoth(decode(response), {
              onLeft: ({ reason }) => new SearchError({ reason: "Malformed", detail: reason }),
              onRight: ({ listed, cacheDuration }) => ({
                listed: requested(listed, prefixes),
                cacheDuration
              })
            })
          return isTooLarge(status) && prefixes.length > MIN_PREFIXES
            ? Effect.zipRight(sendFewerThan(prefixes.length, status), search(prefixes))
            : Effect.flatMap(Clock.currentTimeMillis, (now) => refused(response, now))
        }
      })

    const search: HashSearchClient["search"] = (prefixes) =>
      prefixes.length <= maxPrefixes
        ? request(prefixes)
        : Effect.map(
            Effect.all(Arr.chunksOf(prefixes, maxPrefixes).map(request), { concurrency: "unbounded" }),
            merged
          )

    return {
      // Suspended: how many prefixes a request may have is known when it is sent.
      search: (prefixes) => Effect.suspend(() => search(prefixes))
    }
  })
