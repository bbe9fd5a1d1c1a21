import { Duration, Either } from "effect"
import {
  cacheDuration,
  type Detail,
  type HashSearchAnswer,
  type ListedHash,
  listedHash,
  MalformedAnswer,
  type ThreatType,
  threatType
} from "./HashSearch.ts"
import * as Protobuf from "./Protobuf.ts"

const HASH_BYTES = 32

const malformed = (problem: string) => Either.left(new MalformedAnswer({ problem }))

const unreadable = <A>(read: Either.Either<A, Protobuf.MalformedProtobuf>) =>
  Either.mapLeft(read, ({ reason }) => new MalformedAnswer({ problem: reason }))

/** Every message here numbers its fields 1 and 2. */
const knownFields = (message: Uint8Array) =>
  Either.map(unreadable(Protobuf.fields(message)), (fields) =>
    fields.filter(({ number }) => number === 1 || number === 2)
  )

const duration = (message: Uint8Array): Either.Either<Duration.Duration, MalformedAnswer> =>
  Either.gen(function* () {
    let seconds = 0
    let nanos = 0
    for (const field of yield* knownFields(message)) {
      if (field.wire !== "Varint") return yield* malformed("UnexpectedWireType")
      if (field.number === 1) seconds = field.value
      else nanos = field.value
    }
    return cacheDuration(seconds, nanos)
  })

const detail = (message: Uint8Array): Either.Either<Detail, MalformedAnswer> =>
  Either.gen(function* () {
    let threat: ThreatType | undefined
    let hasAttributes = false
    for (const field of yield* knownFields(message)) {
      if (field.number === 2 && field.wire === "Bytes") {
        const attributes = yield* unreadable(Protobuf.packed(field.value))
        hasAttributes ||= attributes.length > 0
      } else if (field.wire !== "Varint") return yield* malformed("UnexpectedWireType")
      else if (field.number === 2) hasAttributes = true
      else threat = threatType(field.value)
    }
    return { threat, hasAttributes }
  })

const fullHash = (message: Uint8Array): Either.Either<ReadonlyArray<ListedHash>, MalformedAnswer> =>
  Either.gen(function* () {
    let hash: Uint8Array = new Uint8Array()
    const details: Array<Detail> = []
    for (const field of yield* knownFields(message)) {
      if (field.wire !== "Bytes") return yield* malformed("UnexpectedWireType")
      if (field.number === 1) hash = field.value
      else details.push(yield* detail(field.value))
    }
    return hash.length === HASH_BYTES
      ? listedHash(Buffer.from(hash).toString("hex"), details)
      : yield* malformed("HashLength")
  })

/**
 * Reads a `SearchHashesResponse` (`google/security/safebrowsing/v5/safebrowsing.proto` of
 * github.com/googleapis/googleapis). Never throws.
 *
 * Fields with unknown numbers are passed over, as protobuf asks. It is stricter than protobuf in two points, because an
 * answer to another question must not pass for "nothing listed": a known field of another wire type is refused, and so
 * are bytes that hold neither of the message's fields. No bytes at all are the message without matches and without
 * duration.
 *
 * The bytes `12 03 08 ac 02` are `{ listed: [], cacheDuration: Duration.seconds(300) }`.
 */
export const decode = (message: Uint8Array): Either.Either<HashSearchAnswer, MalformedAnswer> =>
  Either.gen(function* () {
    const fields = yield* knownFields(message)
    if (fields.length === 0 && message.length > 0) return yield* malformed("NoKnownField")
    const listed: Array<ListedHash> = []
    let kept = Duration.zero
    for (const field of fields) {
      if (field.wire !== "Bytes") return yield* malformed("UnexpectedWireType")
      if (field.number === 1) listed.push(...(yield* fullHash(field.value)))
      else kept = yield* duration(field.value)
    }
    return { listed, cacheDuration: kept }
  })
