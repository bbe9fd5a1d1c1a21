import {
  Headers,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import {
  BigInt as BigIntNumber,
  Clock,
  Duration,
  Effect,
  Either,
  Option,
  Redacted,
  Ref,
  Stream
} from "effect"
import { errorCodeOf } from "../../../Layers/ErrorCode.ts"
import * as RetryAfter from "../../../Layers/Outbound/RetryAfter.ts"
import type { HashPrefix } from "../ExpressionHash.ts"
import * as HashSearchJson from "./HashSearchJson.ts"
import * as HashSearchProtobuf from "./HashSearchProtobuf.ts"
import { type HashSearchResponse, MalformedResponse } from "./HashSearchResponse.ts"
import { SearchError } from "./SearchError.ts"

/** Google's header for an API key. A key in the URL would appear in logs and traces. */
const KEY_HEADER = "x-goog-api-key"

/** A listed hash takes about 50 bytes (200 as JSON), and a URL has at most 30 prefixes. */
const MAX_RESPONSE_BYTES = 64 * 1024

/** The bound on `Retry-After`: a wait of days would switch the lookup off unnoticed. */
const MAX_WAIT = Duration.hours(1)

/** After a 429 without `Retry-After`. */
const DEFAULT_WAIT = Duration.seconds(5)

const OK = 200
const TOO_MANY_REQUESTS = 429
const SERVICE_UNAVAILABLE = 503

/** `detail` is a text of our own: the client's errors contain the request with the key. */
const unreachable = (error: HttpClientError.HttpClientError) =>
  new SearchError({ reason: "Unreachable", detail: errorCodeOf(error.cause) ?? error.reason })

const mediaType = (contentType = ""): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

/**
 * Decodes a body by its Content-Type: the service has sent protobuf when JSON was requested. Another type, such as the HTML
 * page of a proxy, and a missing one are malformed.
 */
const decode = (
  contentType: string | undefined,
  body: Uint8Array
): Either.Either<HashSearchResponse, MalformedResponse> => {
  switch (mediaType(contentType)) {
    case "application/x-protobuf":
    case "application/protobuf":
      return HashSearchProtobuf.decode(body)
    case "application/json":
      return HashSearchJson.decode(new TextDecoder().decode(body))
    default:
      return Either.left(new MalformedResponse({ reason: "ContentType" }))
  }
}

const tooLarge = new MalformedResponse({ reason: "TooLarge" })

const boundedBody = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    if (Number(response.headers["content-length"]) > MAX_RESPONSE_BYTES) return Effect.fail(tooLarge)
    const chunks: Array<Uint8Array> = []
    let size = 0
    return response.stream.pipe(
      Stream.runForEach((chunk) => {
        size += chunk.length
        chunks.push(chunk)
        return size > MAX_RESPONSE_BYTES ? Effect.fail(tooLarge) : Effect.void
      }),
      Effect.map(() => Buffer.concat(chunks))
    )
  })

/** How long the service asks to wait before the next request, if it does. */
const wait = (
  { status, headers }: HttpClientResponse.HttpClientResponse,
  now: number
): Option.Option<Duration.Duration> => {
  if (status !== TOO_MANY_REQUESTS && status !== SERVICE_UNAVAILABLE) return Option.none()
  return RetryAfter.parse(headers["retry-after"], now).pipe(
    Option.orElse(() => (status === TOO_MANY_REQUESTS ? Option.some(DEFAULT_WAIT) : Option.none())),
    Option.map(Duration.min(MAX_WAIT))
  )
}

export interface HashSearchClient {
  /**
   * Requests the hashes that are listed under the prefixes, at most 1,000. Nothing else of a URL leaves the process.
   *
   * `Paused`, without a request, until the `Retry-After` of a 429 or 503 has passed; `Malformed` for a response that cannot be
   * read or is larger than 64 KiB. It has no timeout.
   */
  readonly search: (prefixes: ReadonlyArray<HashPrefix>) => Effect.Effect<HashSearchResponse, SearchError>
}

/** Where Safe Browsing is, and the key for it. */
export interface Service {
  readonly key: Redacted.Redacted
  readonly baseUrl: URL
}

/** A client of Safe Browsing v5 `hashes:search` at `baseUrl`; query and fragment of that are dropped. */
export const make = (service: Service): Effect.Effect<HashSearchClient, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.withTracerPropagation(false),
      HttpClient.withScope // closing the scope aborts a body that is not read to its end
    )
    const { origin, pathname } = service.baseUrl
    const address = `${origin}${pathname.replace(/\/$/, "")}/v5/hashes:search`
    // Monotonic: setting the wall clock back must not extend a wait.
    const waitUntil = yield* Ref.make(0n)

    const requestFor = (prefixes: ReadonlyArray<HashPrefix>) =>
      HttpClientRequest.get(address, {
        accept: "application/x-protobuf",
        headers: { [KEY_HEADER]: Redacted.value(service.key) },
        urlParams: [
          ["alt", "proto"],
          ...prefixes.map(
            (prefix) => ["hashPrefixes", Buffer.from(prefix, "hex").toString("base64")] as const
          )
        ]
      })

    const search = (prefixes: ReadonlyArray<HashPrefix>) =>
      Effect.gen(function* () {
        if ((yield* Clock.currentTimeNanos) < (yield* Ref.get(waitUntil)))
          return yield* new SearchError({ reason: "Paused" })
        const response = yield* client.execute(requestFor(prefixes))
        if (response.status !== OK) {
          const now = yield* Clock.currentTimeNanos
          const requested = wait(response, yield* Clock.currentTimeMillis)
          if (Option.isSome(requested)) {
            // Concurrent responses may ask for different waits: the longest counts.
            yield* Ref.update(waitUntil, BigIntNumber.max(now + Duration.unsafeToNanos(requested.value)))
          }
          return yield* new SearchError({ reason: "Status", detail: String(response.status) })
        }
        return yield* decode(response.headers["content-type"], yield* boundedBody(response))
      }).pipe(
        Effect.scoped,
        Effect.catchTags({
          RequestError: unreachable,
          ResponseError: unreachable,
          MalformedResponse: ({ reason }) => new SearchError({ reason: "Malformed", detail: reason })
        }),
        Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, KEY_HEADER])
      )

    return { search }
  })
