import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"
import { Duration, Either } from "effect"
import {
  type HashSearchResponse,
  type ListedHash,
  MalformedResponse,
  ThreatType
} from "./HashSearchResponse.ts"

const HASH_BYTES = 32

/** Reads one field. False: the field is unknown or of another wire type, and nothing was read. */
type FieldReader = (reader: BinaryReader, field: number, wireType: WireType) => boolean

const isKnown = (field: number): boolean => field === 1 || field === 2

/** Calls `read` for each field 1 and 2, skips the others, and returns how many were known. Throws on invalid bytes. */
const readMessage = (message: Uint8Array, read: FieldReader): number => {
  const reader = new BinaryReader(message)
  let known = 0
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (!isKnown(field)) reader.skip(wireType, field)
    else if (read(reader, field, wireType)) known++
    else throw new MalformedResponse({ reason: "UnexpectedWireType" })
  }
  return known
}

const MILLIS_PER_SECOND = 1000
const NANOS_PER_MILLI = 1_000_000

/** A `google.protobuf.Duration` in whole milliseconds, rounded down; zero for a negative one. */
const readDuration = (message: Uint8Array): Duration.Duration => {
  let seconds = 0
  let nanos = 0
  readMessage(message, (reader, field, wireType) => {
    if (wireType !== WireType.Varint) return false
    if (field === 1) seconds = Number(reader.int64())
    else nanos = reader.int32()
    return true
  })
  return Duration.millis(Math.floor(seconds * MILLIS_PER_SECOND + nanos / NANOS_PER_MILLI))
}

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
  let threat: ThreatType | undefined
  let hasAttributes = false
  readMessage(message, (reader, field, wireType) => {
    if (field === 2 && wireType === WireType.LengthDelimited) {
      hasAttributes = hasVarints(reader.bytes()) || hasAttributes
      return true
    }
    if (wireType !== WireType.Varint) return false
    const value = reader.int32()
    // The numbers start at 1.
    if (field === 1) threat = ThreatType.literals[value - 1]
    else hasAttributes = true
    return true
  })
  return hasAttributes || threat === undefined ? [] : [threat]
}

/** Empty if no threat counts. */
const readFullHash = (message: Uint8Array): ReadonlyArray<ListedHash> => {
  let hash: Uint8Array = new Uint8Array()
  const threats: Array<ThreatType> = []
  readMessage(message, (reader, field, wireType) => {
    if (wireType !== WireType.LengthDelimited) return false
    const bytes = reader.bytes()
    if (field === 1) hash = bytes
    else threats.push(...readDetail(bytes))
    return true
  })
  if (hash.length !== HASH_BYTES) throw new MalformedResponse({ reason: "HashLength" })
  const [first, ...others] = threats
  return first === undefined ? [] : [{ hash: Buffer.from(hash).toString("hex"), threats: [first, ...others] }]
}

const readResponse = (message: Uint8Array): HashSearchResponse => {
  const listed: Array<ListedHash> = []
  let duration = Duration.zero
  const known = readMessage(message, (reader, field, wireType) => {
    if (wireType !== WireType.LengthDelimited) return false
    const bytes = reader.bytes()
    if (field === 1) listed.push(...readFullHash(bytes))
    else duration = readDuration(bytes)
    return true
  })
  if (known === 0 && message.length > 0) throw new MalformedResponse({ reason: "NoKnownField" })
  return { listed, cacheDuration: duration }
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
    // The reader throws an Error on bytes that are no protobuf.
    catch: (error) =>
      error instanceof MalformedResponse ? error : new MalformedResponse({ reason: "Protobuf" })
  })
