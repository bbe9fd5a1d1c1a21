import { Either } from "effect"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import * as UrlExpressions from "./ThreatList/UrlExpressions.ts"

/** An address that threat lists and the reputation lookup are asked about: the submitted one, or one inside it. */
export interface Address {
  readonly url: CanonicalUrl.CanonicalUrl
  readonly expressions: UrlExpressions.UrlExpressions
  /**
   * - `submitted`: the submitted URL itself.
   * - `destination`: a known wrapper, such as a search engine's redirector, leads there. It is judged in place of the wrapper.
   * - `fallback`: an app link opens it when the app is missing. It is judged like the submitted URL.
   * - `carried`: it stands in a path or query, perhaps only as a parameter.
   */
  readonly relation: "submitted" | "destination" | "fallback" | "carried"
  /** A `destination` of this address follows. */
  readonly isWrapper: boolean
}

/** A submitted URL, read once for all checkers. */
export interface Submission {
  /** Exactly as the caller sent it. */
  readonly submitted: string
  /** `Left`: there is no host to look up; only the heuristics report something. */
  readonly url: Either.Either<CanonicalUrl.CanonicalUrl, CanonicalUrl.InvalidUrl>
  /** First `url`, unless that is `Left`, then the addresses inside it. */
  readonly addresses: ReadonlyArray<Address>
  /** By the Clock, in milliseconds since 1970. Checkers judge the age of their data by it. */
  readonly receivedAt: number
}

/** Reads a submitted string. Takes linear time and never throws. `receivedAt` is in milliseconds since 1970. */
export const read = (submitted: string, receivedAt: number): Submission => {
  const url = CanonicalUrl.parse(submitted)
  return { submitted, url, addresses: Either.isLeft(url) ? [] : addressesOf(url.right), receivedAt }
}

const addressesOf = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<Address> => [
  { url, expressions: UrlExpressions.expressionsOf(url), relation: "submitted", isWrapper: false }
]
