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
  Predicate,
  Redacted,
  Ref,
  Stream
} from "effect"
import * as RetryAfter from "../../Layers/Outbound/RetryAfter.ts"
import { CheckerError } from "../Checker.ts"
import type { HashPrefix } from "./ExpressionHash.ts"
import { type HashSearchAnswer, MalformedAnswer } from "./HashSearch.ts"
import * as HashSearchJson from "./HashSearchJson.ts"
import * as HashSearchProtobuf from "./HashSearchProtobuf.ts"

/** The header that Google's services take a key in. A key in the address would end up in logs and traces. */
const KEY_HEADER = "x-goog-api-key"

/** An answer holds about 50 bytes a listed hash (200 as JSON), and a URL has at most 30 prefixes: more than enough. */
const MAXIMUM_ANSWER_BYTES = 64 * 1024

/** What of a `Retry-After` is granted: a day-long one, honoured to the letter, would switch the lookup off unnoticed. */
const LONGEST_WAIT = Duration.hours(1)

/** After a 429 that does not say how long. */
const DEFAULT_WAIT = Duration.seconds(5)

const OK = 200
const TOO_MANY_REQUESTS = 429
const SERVICE_UNAVAILABLE = 503

/** `cause` is a text of our own: the client's errors hold the request, and the request holds the key. */
const failure = (reason: "Unavailable" | "Malformed", cause: string) =>
  new CheckerError({ checker: "reputation_lookup", reason, cause })

const errorCode = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? ` ${cause.code}` : ""

const unreachable = (error: HttpClientError.HttpClientError) =>
  failure("Unavailable", `${error._tag} ${error.reason}${errorCode(error.cause)}`)

const mediaType = (contentType = ""): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

/**
 * Reads an answer by its Content-Type. The service has been seen to answer protobuf when asked for JSON, so the question
 * does not decide; anything else, such as the HTML page of a proxy or no type at all, is refused.
 */
const decode = (
  contentType: string | undefined,
  body: Uint8Array
): Either.Either<HashSearchAnswer, MalformedAnswer> => {
  switch (mediaType(contentType)) {
    case "application/x-protobuf":
    case "application/protobuf":
      return HashSearchProtobuf.decode(body)
    case "application/json":
      return HashSearchJson.decode(new TextDecoder().decode(body))
    default:
      return Either.left(new MalformedAnswer({ problem: "ContentType" }))
  }
}

const tooLarge = new MalformedAnswer({ problem: "TooLarge" })

const boundedBody = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    if (Number(response.headers["content-length"]) > MAXIMUM_ANSWER_BYTES) return Effect.fail(tooLarge)
    const chunks: Array<Uint8Array> = []
    let size = 0
    return response.stream.pipe(
      Stream.runForEach((chunk) => {
        size += chunk.length
        chunks.push(chunk)
        return size > MAXIMUM_ANSWER_BYTES ? Effect.fail(tooLarge) : Effect.void
      }),
      Effect.map(() => Buffer.concat(chunks))
    )
  })

/** How long the service wants to be left alone, if it says so. */
const wait = (
  { status, headers }: HttpClientResponse.HttpClientResponse,
  now: number
): Option.Option<Duration.Duration> => {
  if (status !== TOO_MANY_REQUESTS && status !== SERVICE_UNAVAILABLE) return Option.none()
  return RetryAfter.parse(headers["retry-after"], now).pipe(
    Option.orElse(() => (status === TOO_MANY_REQUESTS ? Option.some(DEFAULT_WAIT) : Option.none())),
    Option.map(Duration.min(LONGEST_WAIT))
  )
}

export interface HashSearchClient {
  /**
   * Asks which hashes are listed under the prefixes, at most 1,000. Nothing else of a URL leaves the process.
   *
   * `Unavailable` for every status but 200 (redirects are not followed), for a network failure, and, without asking, for as
   * long as a 429 or 503 told us to wait; `Malformed` for an answer that cannot be read or is larger than 64 KiB. No
   * bound on time: the caller's.
   */
  readonly search: (prefixes: ReadonlyArray<HashPrefix>) => Effect.Effect<HashSearchAnswer, CheckerError>
}

/** Safe Browsing v5 `hashes:search` at `baseUrl`, of which the path is kept and the rest after it is not. */
export const make = (service: {
  readonly key: Redacted.Redacted
  readonly baseUrl: URL
}): Effect.Effect<HashSearchClient, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.withTracerPropagation(false),
      HttpClient.withScope // a body that is not read to its end is cut off when the scope closes
    )
    const { origin, pathname } = service.baseUrl
    const address = `${origin}${pathname.replace(/\/$/, "")}/v5/hashes:search`
    // By the monotonic clock: setting the wall clock back must not lengthen a wait.
    const waitUntil = yield* Ref.make(0n)

    const question = (prefixes: ReadonlyArray<HashPrefix>) =>
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
          return yield* failure("Unavailable", "told to wait")
        const response = yield* client.execute(question(prefixes))
        if (response.status !== OK) {
          const now = yield* Clock.currentTimeNanos
          const told = wait(response, yield* Clock.currentTimeMillis)
          if (Option.isSome(told)) {
            // Of two calls that were under way at once the later answer may ask for less.
            yield* Ref.update(waitUntil, BigIntNumber.max(now + Duration.unsafeToNanos(told.value)))
          }
          return yield* failure("Unavailable", `answered ${response.status}`)
        }
        return yield* decode(response.headers["content-type"], yield* boundedBody(response))
      }).pipe(
        Effect.scoped,
        Effect.catchTags({
          RequestError: unreachable,
          ResponseError: unreachable,
          MalformedAnswer: ({ problem }) => failure("Malformed", problem)
        }),
        Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, KEY_HEADER])
      )

    return { search }
  })
