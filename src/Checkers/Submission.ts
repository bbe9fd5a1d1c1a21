import { Either } from "effect"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import * as PrivateHost from "./Hosts/PrivateHost.ts"
import * as CarriedAddresses from "./Submission/CarriedAddresses.ts"
import type { InnerAddress } from "./Submission/InnerAddress.ts"
import * as Wrapper from "./Submission/Wrapper.ts"
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
  /** Its `destination` is among the addresses, and is judged in place of it. */
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
  if (Either.isLeft(url)) return { submitted, url, addresses: [], receivedAt }
  const addresses = [address(url.right, "submitted")]
  const fallback = CanonicalUrl.fallbackOf(submitted)
  const hasFallback = fallback !== undefined && !isSame(url.right, fallback)
  if (hasFallback) addresses.push(address(fallback, "fallback"))
  addInside(addresses, 0, submitted, 1)
  if (hasFallback) addInside(addresses, 1, CanonicalUrl.format(fallback), 1)
  return { submitted, url, addresses, receivedAt }
}

/** Bounds the time for a hostile URL. Honest ones have one or two. */
const MAX_INNER_ADDRESSES = 4

/** An address inside an address inside the URL. */
const MAX_LEVELS = 2

const address = (url: CanonicalUrl.CanonicalUrl, relation: Address["relation"]): Address => ({
  url,
  expressions: UrlExpressions.expressionsOf(url),
  relation,
  isWrapper: false
})

interface Inside {
  readonly relation: "destination" | "carried"
  readonly found: ReadonlyArray<InnerAddress>
}

/** What an address leads to, if it is a link of a wrapper that can be read; else what it carries. */
const inside = ({ url, relation }: Address, text: string): Inside | undefined => {
  const wrapper = Wrapper.find(url)
  const mayCarry = CarriedAddresses.mayCarry(url)
  if (wrapper === undefined && !mayCarry) return undefined
  const rest = CanonicalUrl.writtenRest(text)
  const destinations = wrapper === undefined ? [] : Wrapper.destinationsOf(wrapper, url.host, rest)
  if (destinations.length > 0)
    return { relation: relation === "carried" ? "carried" : "destination", found: destinations }
  return mayCarry ? { relation: "carried", found: CarriedAddresses.find(rest) } : undefined
}

/** Adds the addresses inside the one at `index`, which was written as `text`. */
const addInside = (addresses: Array<Address>, index: number, text: string, level: number): void => {
  const outer = addresses[index]
  if (outer === undefined) return
  const inner = inside(outer, text)
  if (inner === undefined) return
  for (const { text, url } of inner.found) {
    if (inner.relation === "carried" && PrivateHost.isPrivate(url.host)) continue
    const known = addresses.findIndex((address) => isSame(address.url, url))
    if (known === -1 && addresses.length > MAX_INNER_ADDRESSES) return
    const isNew =
      known === -1 || (inner.relation === "destination" && addresses[known]?.relation === "carried")
    const at = known === -1 ? addresses.length : known
    if (isNew) addresses[at] = address(url, inner.relation)
    // A link that leads back to an earlier address is judged itself.
    if (inner.relation === "destination" && at > index) addresses[index] = { ...outer, isWrapper: true }
    if (isNew && level < MAX_LEVELS) addInside(addresses, at, text, level + 1)
  }
}

/** Whether lists know two URLs by the same expression, which has no scheme. */
const isSame = (one: CanonicalUrl.CanonicalUrl, other: CanonicalUrl.CanonicalUrl): boolean =>
  one.host === other.host && UrlExpressions.pathAndQuery(one) === UrlExpressions.pathAndQuery(other)
