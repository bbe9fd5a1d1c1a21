import { BinaryReader } from "@bufbuild/protobuf/wire"
import { Duration, Either } from "effect"
import * as ProtobufMessage from "../../../Lists/HashLists/ProtobufMessage.ts"
import {
  type HashSearchResponse,
  type ListedHash,
  MalformedResponse,
  ThreatType
} from "./HashSearchResponse.ts"

const { bytes, varint } = ProtobufMessage

const HASH_BYTES = 32

/** Whether a packed field has elements, all of which are varints. */
const hasVarints = (bytes: Uint8Array): boolean => {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) reader.int64()
  return bytes.length > 0
}

/**
 * The threat of a detail, if it counts for a page: its type is known and it has no attribute. CANARY must not be enforced,
 * FRAME_ONLY is not about pages, and a detail with an unknown attribute must be dropped.
 */
const readDetail = (message: Uint8Array): ReadonlyArray<ThreatType> => {
  let hasAttributes = false
  const { threat } = ProtobufMessage.read(message, {
    // The numbers start at 1.
    threat: varint(1, (reader) => ThreatType.literals[reader.int32() - 1]),
    attribute: varint(2, (reader) => {
      reader.int32()
      hasAttributes = true
    }),
    attributes: bytes(2, (packed) => {
      if (hasVarints(packed)) hasAttributes = true
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
  if (hash?.length !== HASH_BYTES) throw new MalformedResponse({ reason: "HashLength" })
  const [first, ...others] = threats
  return first === undefined ? [] : [{ hash: Buffer.from(hash).toString("hex"), threats: [first, ...others] }]
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
  if (Object.keys(known).length === 0 && message.length > 0)
    throw new MalformedResponse({ reason: "NoKnownField" })
  return { listed, cacheDuration: known.cacheDuration ?? Duration.zero }
}

/**
 * Reads a `SearchHashesResponse` (`google/security/safebrowsing/v5/safebrowsing.proto` of
 * github.com/googleapis/googleapis). Never throws. Empty bytes are a valid response without matches and without duration.
 *
 * Unknown fields are skipped. Two rules are stricter than protobuf's, so that a response to another request is not read as
 * "nothing listed": a known field of another wire type is `Malformed`, and so are bytes without any known field.
 *
 * The bytes `12 03 08 ac 02` are `{ listed: [], cacheDuration: Duration.seconds(300) }`.
 */
export const decode = (message: Uint8Array): Either.Either<HashSearchResponse, MalformedResponse> =>
  Either.try({
    try: () => readResponse(message),
    // The reader throws an Error on bytes that are not protobuf.
    catch: (error) =>
      error instanceof MalformedResponse ? error : new MalformedResponse({ reason: "Protobuf" })
  })
