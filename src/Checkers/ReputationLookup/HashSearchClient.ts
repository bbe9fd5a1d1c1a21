/** What a search of Safe Browsing sends, and what it yields: a response, or a `SearchError`. */

import { BinaryReader } from "@bufbuild/protobuf/wire"
import { Array as Arr, Clock, Data, Duration, Effect, Either, Redacted } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import { type HashSearchResponse, type ListedHash, ThreatType } from "../../Layers/Cache.ts"
import { mediaTypeOf, retryAfterMillis } from "../../Layers/Outbound/Headers.ts"
import type { ReceivedResponse } from "../../Layers/Outbound/HttpExchange.ts"
import { HttpGet } from "../../Layers/Outbound.ts"
import * as ProtobufMessage from "../../Lists/HashLists/ProtobufMessage.ts"
import { messageOf, refusalOf } from "../../Lists/ListError.ts"
import * as ExpressionHash from "../../Url/ExpressionHash.ts"

export const reasons = [
  "Unreachable",
  "Timeout",
  "Status",
  "KeyRefused",
  "RequestRefused",
  "Malformed",
  "Paused",
  "TooManyCalls"
] as const

/**
 * Why a search has no answer. It says nothing about any URL; nothing is cached.
 *
 * - `Unreachable`: no connection, or it broke; `detail` is the system's error code.
 * - `Timeout`: no answer in time.
 * - `Status`: any other status than 200; `detail` is the status. Redirects are not followed.
 * - `KeyRefused`, `RequestRefused`: see `refusalOf`; `detail` is the status.
 * - `Malformed`: the response cannot be read; `detail` is `ContentType`, `TooLarge`, `Protobuf`, `NoKnownField` or `HashLength`.
 * - `Paused`: not asked, because the last searches failed. The circuit breaker has the reason.
 * - `TooManyCalls`: not asked, because too many calls are in flight, or in one bulk request.
 */
export class SearchError extends Data.TaggedError("SearchError")<{
  readonly reason: (typeof reasons)[number]
  /** Contains no key, no prefix and no URL. */
  readonly detail?: string
  /** How long the service asks to wait; absent if it does not ask. */
  readonly retryAfterMs?: number | undefined
}> {
  override get message(): string {
    return messageOf(this.reason, this.detail)
  }
}

const malformed = (detail: string) => new SearchError({ reason: "Malformed", detail })

const { bytes, varint } = ProtobufMessage

const HASH_BYTES = 32

/**
 * The threat of a detail, if it counts for a page: its type is known and it has no attribute. CANARY must not be enforced,
 * FRAME_ONLY is not about pages, and a detail with an unknown attribute must be dropped.
 */
const readDetail = (message: Uint8Array): ReadonlyArray<ThreatType> => {
  let hasAttributes = false
  const readAttribute = (reader: BinaryReader) => {
    reader.int32()
    hasAttributes = true
  }
  const { threat } = ProtobufMessage.read(message, {
    // The numbers start at 1.
    threat: varint(1, (reader) => ThreatType.literals[reader.int32() - 1]),
    attribute: varint(2, readAttribute),
    attributes: bytes(2, (packed) => {
      const reader = new BinaryReader(packed)
      while (reader.pos < reader.len) readAttribute(reader)
    })
  })
  return hasAttributes || threat === undefined ? [] : [threat]
}

/** Empty if no threat counts. */
const readFullHash = (message: Uint8Array): ReadonlyArray<ListedHash> => {
  const found: Array<ThreatType> = []
  const { hash } = ProtobufMessage.read(message, {
    hash: bytes(1, (hash) => hash),
    details: bytes(2, (detail) => found.push(...readDetail(detail)))
  })
  if (hash?.length !== HASH_BYTES) throw malformed("HashLength")
  // A value of the cache would be too large with each threat as often as it is sent.
  const threats = [...new Set(found)]
  return Arr.isNonEmptyArray(threats) ? [{ hash: Buffer.from(hash).toString("hex"), threats }] : []
}

const readResponse = (message: Uint8Array): HashSearchResponse => {
  const listed: Array<ListedHash> = []
  const known = ProtobufMessage.read(message, {
    fullHashes: bytes(1, (fullHash) => listed.push(...readFullHash(fullHash))),
    // Zero if it is negative.
    cacheDuration: bytes(2, (duration) =>
      Duration.millis(Math.floor(ProtobufMessage.durationMillis(duration)))
    )
  })
  if (Object.keys(known).length === 0 && message.length > 0) throw malformed("NoKnownField")
  return { listed, cacheDuration: known.cacheDuration ?? Duration.zero }
}

/**
 * Reads a `SearchHashesResponse` (`google/security/safebrowsing/v5/safebrowsing.proto` of
 * github.com/googleapis/googleapis). Never throws; a `SearchError` is of the reason `Malformed`. Empty bytes are a valid
 * response without matches and without duration.
 *
 * Unknown fields are skipped. Two rules are stricter than protobuf's, so that a response to another request is not read as
 * "nothing listed": a known field of another wire type is `Malformed`, and so are bytes without any known field.
 *
 * The bytes `12 03 08 ac 02` are `{ listed: [], cacheDuration: Duration.seconds(300) }`.
 */
export const decode = (message: Uint8Array): Either.Either<HashSearchResponse, SearchError> =>
  Either.try({
    try: () => readResponse(message),
    // The reader throws an Error on bytes that are not protobuf.
    catch: (error) => (error instanceof SearchError ? error : malformed("Protobuf"))
  })

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
 * Makes searches by Safe Browsing v5 `hashes:search` at `baseUrl`, whose query and fragment are dropped.
 *
 * A search requests the hashes that are listed under the prefixes, of which there is at least one and at most MAX_PREFIXES.
 * Nothing else of a URL leaves the process. `Malformed` for a response that cannot be read or is larger than 256 KiB. It has no
 * timeout.
 */
export const make = ({ key, baseUrl: { origin, pathname } }: Pick<ReputationConfig, "key" | "baseUrl">) =>
  Effect.map(HttpGet, ({ get }) => {
    const address = `${origin}${pathname.replace(/\/$/, "")}/v5/hashes:search?alt=proto`
    const headers = { accept: "application/x-protobuf", [KEY_HEADER]: Redacted.value(key) }
    const parameter = (prefix: ExpressionHash.HashPrefix) =>
      `&hashPrefixes=${encodeURIComponent(Buffer.from(prefix, "hex").toString("base64"))}`
    return (
      prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
    ): Effect.Effect<HashSearchResponse, SearchError> => {
      const requested = new Set(prefixes)
      return Effect.matchEffect(
        get({ url: address + prefixes.map(parameter).join(""), headers, maxBodyBytes }),
        {
          onFailure: ({ code }) => new SearchError({ reason: "Unreachable", detail: code }),
          onSuccess: (response) =>
            response.status === OK
              ? Either.map(read(response), ({ cacheDuration, listed }) => ({
                  // Google's service is known to send others: nothing says how long they are valid.
                  listed: listed.filter(({ hash }) => requested.has(ExpressionHash.prefix(hash))),
                  cacheDuration
                }))
              : Effect.flatMap(Clock.currentTimeMillis, (now) => refused(response, now))
        }
      )
    }
  })
