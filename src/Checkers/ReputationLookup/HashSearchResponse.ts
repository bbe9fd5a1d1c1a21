/** What a search of Safe Browsing yields: a response, which this file reads, or a `SearchError`. */

import { BinaryReader } from "@bufbuild/protobuf/wire"
import { Array as Arr, Data, Duration, Either, Schema } from "effect"
import * as ProtobufMessage from "../../Lists/HashLists/ProtobufMessage.ts"
import { messageOf } from "../../Lists/ListError.ts"

/** The threat types of Safe Browsing v5, in the order of their numbers, which start at 1. */
export const ThreatType = Schema.Literal(
  "MALWARE",
  "SOCIAL_ENGINEERING",
  "UNWANTED_SOFTWARE",
  "POTENTIALLY_HARMFUL_APPLICATION"
)
export type ThreatType = typeof ThreatType.Type

/** A listed expression with the threats that count for a page, at least one. */
export const ListedHash = Schema.Struct({
  hash: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  threats: Schema.NonEmptyArray(ThreatType)
})
export type ListedHash = typeof ListedHash.Type

/**
 * The response of Safe Browsing v5 `hashes:search`
 * (https://developers.google.com/safe-browsing/reference/rest/v5/hashes/search).
 */
export interface HashSearchResponse {
  /** Every listed hash under one of the requested prefixes, also of other URLs: compare the whole hash. */
  readonly listed: ReadonlyArray<ListedHash>
  /** How long the response is valid for every requested prefix, listed or not. Zero: do not cache it. */
  readonly cacheDuration: Duration.Duration
}

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

export const malformed = (detail: string) => new SearchError({ reason: "Malformed", detail })

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
  const threats: Array<ThreatType> = []
  const { hash } = ProtobufMessage.read(message, {
    hash: bytes(1, (hash) => hash),
    details: bytes(2, (detail) => threats.push(...readDetail(detail)))
  })
  if (hash?.length !== HASH_BYTES) throw malformed("HashLength")
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
