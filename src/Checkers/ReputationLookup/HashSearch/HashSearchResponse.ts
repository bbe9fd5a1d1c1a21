import { Data, Duration, Schema } from "effect"
import type { ExpressionHash } from "../ExpressionHash.ts"

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

/** The response cannot be read and says nothing about any URL. */
export class MalformedResponse extends Data.TaggedError("MalformedResponse")<{
  /** Contains nothing of the response. */
  readonly reason:
    | "ContentType"
    | "TooLarge"
    | "Json"
    | "Protobuf"
    | "NoKnownField"
    | "UnexpectedWireType"
    | "HashLength"
}> {}

/** One detail of a listed hash. `threat` is undefined for an unknown type. */
export interface Detail {
  readonly threat: ThreatType | undefined
  readonly hasAttributes: boolean
}

/** By name for JSON, by number for protobuf; JSON allows both. */
const threatTypes: ReadonlyMap<string | number, ThreatType> = new Map(
  ThreatType.literals.flatMap(
    (threat, index): ReadonlyArray<[string | number, ThreatType]> => [
      [threat, threat],
      [index + 1, threat]
    ]
  )
)

/** `threatType(2)` and `threatType("SOCIAL_ENGINEERING")` are `"SOCIAL_ENGINEERING"`; `threatType(99)` is undefined. */
export const threatType = (value: string | number): ThreatType | undefined => threatTypes.get(value)

/**
 * The hash with the threats that count for a page; empty when none does. A detail counts when its type is known and it has
 * no attribute: CANARY must not be enforced, FRAME_ONLY is not about pages, and a detail with an unknown attribute must be
 * dropped.
 */
export const listedHash = (
  hash: ExpressionHash,
  details: ReadonlyArray<Detail>
): ReadonlyArray<ListedHash> => {
  const [first, ...others] = details.flatMap(({ threat, hasAttributes }) =>
    threat === undefined || hasAttributes ? [] : [threat]
  )
  return first === undefined ? [] : [{ hash, threats: [first, ...others] }]
}

const MILLIS_PER_SECOND = 1000
const NANOS_PER_MILLI = 1_000_000

/** A `google.protobuf.Duration` in whole milliseconds, rounded down; zero for a negative one. */
export const cacheDuration = (seconds: number, nanos: number): Duration.Duration =>
  Duration.millis(Math.floor(seconds * MILLIS_PER_SECOND + nanos / NANOS_PER_MILLI))
