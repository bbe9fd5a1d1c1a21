import { Clock, Effect, Either, Redacted } from "effect"
import { mediaTypeOf, retryAfterMillis } from "../../Layers/Outbound/Headers.ts"
import type { ReceivedResponse } from "../../Layers/Outbound/HttpExchange.ts"
import { HttpGet } from "../../Layers/Outbound.ts"
import * as ExpressionHash from "../../Lists/ExpressionHash.ts"
import { refusalOf } from "../../Lists/ListError.ts"
import {
  decode,
  type HashSearchResponse,
  type ListedHash,
  malformed,
  SearchError
} from "./HashSearchResponse.ts"

/** Google's header for an API key. A key in the URL would appear in logs and traces. */
const KEY_HEADER = "x-goog-api-key"

/**
 * Prefixes of one search, which make an address of 11 KiB: node's servers accept 16 KiB. Google's own limit is 1,000
 * (https://developers.google.com/safe-browsing/reference/rest/v5/hashes/search).
 */
export const MAX_PREFIXES = 400

/** A listed hash takes about 50 bytes: 400 prefixes with a dozen listed hashes each fit. */
const MAX_RESPONSE_BYTES = 256 * 1024

/** The text of an error of Google with all of its details takes about 1 KiB. */
const MAX_REFUSAL_BYTES = 8 * 1024

const OK = 200
const BAD_REQUEST = 400
const TOO_MANY_REQUESTS = 429
const SERVICE_UNAVAILABLE = 503

const maxBodyBytes = (status: number): number => {
  if (status === OK) return MAX_RESPONSE_BYTES
  return status === BAD_REQUEST ? MAX_REFUSAL_BYTES : 0
}

/** A missing Content-Type, or another than protobuf's (such as a proxy's HTML page), is malformed. */
const read = ({
  headers,
  body,
  isWhole
}: ReceivedResponse): Either.Either<HashSearchResponse, SearchError> => {
  if (!isWhole) return Either.left(malformed("TooLarge"))
  const type = mediaTypeOf(headers["content-type"])
  return type === "application/x-protobuf" || type === "application/protobuf"
    ? decode(body)
    : Either.left(malformed("ContentType"))
}

const refused = ({ body, headers, status }: ReceivedResponse, now: number): SearchError =>
  new SearchError({
    reason: refusalOf(status, Buffer.from(body).toString("latin1")) ?? "Status",
    detail: String(status),
    retryAfterMs:
      status === TOO_MANY_REQUESTS || status === SERVICE_UNAVAILABLE
        ? retryAfterMillis(headers["retry-after"], now)
        : undefined
  })

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

/**
 * Requests the hashes that are listed under the prefixes, of which there is at least one and at most MAX_PREFIXES. Nothing
 * else of a URL leaves the process.
 *
 * `Malformed` for a response that cannot be read or is larger than 256 KiB. It has no timeout.
 */
export type Search = (
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
) => Effect.Effect<HashSearchResponse, SearchError>

/** Where Safe Browsing is, and the key for it. */
export interface Service {
  readonly key: Redacted.Redacted
  readonly baseUrl: URL
}

/** Searches by Safe Browsing v5 `hashes:search` at `baseUrl`; query and fragment of that are dropped. */
export const make = ({
  key,
  baseUrl: { origin, pathname }
}: Service): Effect.Effect<Search, never, HttpGet> =>
  Effect.map(HttpGet, ({ get }) => {
    const address = `${origin}${pathname.replace(/\/$/, "")}/v5/hashes:search?alt=proto`
    const headers = { accept: "application/x-protobuf", [KEY_HEADER]: Redacted.value(key) }
    const parameter = (prefix: ExpressionHash.HashPrefix) =>
      `&hashPrefixes=${encodeURIComponent(Buffer.from(prefix, "hex").toString("base64"))}`
    return (prefixes) =>
      Effect.matchEffect(get({ url: address + prefixes.map(parameter).join(""), headers, maxBodyBytes }), {
        onFailure: ({ code }) => new SearchError({ reason: "Unreachable", detail: code }),
        onSuccess: (response) =>
          response.status === OK
            ? Either.map(read(response), ({ cacheDuration, listed }) => ({
                listed: requested(listed, prefixes),
                cacheDuration
              }))
            : Effect.flatMap(Clock.currentTimeMillis, (now) => refused(response, now))
      })
  })
