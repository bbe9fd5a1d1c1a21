import { Data, Duration, Schema } from "effect"
import type { ExpressionHash } from "./ExpressionHash.ts"

/** The threat types of Safe Browsing v5, in the order of their numbers, which begin at 1. */
export const ThreatType = Schema.Literal(
  "MALWARE",
  "SOCIAL_ENGINEERING",
  "UNWANTED_SOFTWARE",
  "POTENTIALLY_HARMFUL_APPLICATION"
)
export type ThreatType = typeof ThreatType.Type

/** A listed expression that counts for a page, with at least one threat. */
export const ListedHash = Schema.Struct({
  hash: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  threats: Schema.NonEmptyArray(ThreatType)
})
export type ListedHash = typeof ListedHash.Type

/**
 * The answer of Safe Browsing v5 `hashes:search`
 * (https://developers.google.com/safe-browsing/reference/rest/v5/hashes/search).
 */
export interface HashSearchAnswer {
  /** Every listed hash under one of the prefixes asked: it may be somebody else's, so compare it whole. */
  readonly listed: ReadonlyArray<ListedHash>
  /** How long the answer holds for every prefix asked, listed or not. Zero: it must not be kept. */
  readonly cacheDuration: Duration.Duration
}

/** The answer cannot be read: report it as such, it says nothing about any URL. */
export class MalformedAnswer extends Data.TaggedError("MalformedAnswer")<{
  /** What is wrong, without anything of the answer's content. */
  readonly problem: string
}> {}

/** What one detail of a listed hash says. `threat` is undefined for a type that is not known here. */
export interface Detail {
  readonly threat: ThreatType | undefined
  readonly hasAttributes: boolean
}

/** By name for JSON, by number for protobuf; JSON may hold either. */
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
 * The hash with the threats that count for a page, or nothing when none does. A detail counts when its type is known and
 * it has no attribute: of the two attributes that exist, CANARY must not be enforced and FRAME_ONLY is not about pages,
 * and a detail with an unknown one must be dropped.
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

/** A `google.protobuf.Duration` in whole milliseconds, rounded down; a negative one is none, as in `Duration`. */
export const cacheDuration = (seconds: number, nanos: number): Duration.Duration =>
  Duration.millis(Math.floor(seconds * MILLIS_PER_SECOND + nanos / NANOS_PER_MILLI))
