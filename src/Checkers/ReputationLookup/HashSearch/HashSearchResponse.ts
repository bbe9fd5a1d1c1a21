import { Data, type Duration, Schema } from "effect"

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
  readonly reason: "ContentType" | "TooLarge" | "Protobuf" | "NoKnownField" | "HashLength"
}> {}
