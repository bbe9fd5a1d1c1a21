import { Either } from "effect"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import * as PrivateHost from "./PrivateHost.ts"
import * as CarriedAddresses from "./Submission/CarriedAddresses.ts"
import type { InnerAddress } from "./Submission/InnerAddress.ts"
import * as Wrapper from "./Submission/Wrapper.ts"
import * as UrlExpressions from "./UrlExpressions.ts"

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
  const ends: Array<Carrier> = []
  const fallback = CanonicalUrl.fallbackOf(submitted)?.url
  const hasFallback = fallback !== undefined && !isSame(url.right, fallback)
  if (hasFallback) addresses.push(address(fallback, "fallback"))
  addDestinations(addresses, 0, submitted, 0, ends)
  if (hasFallback) addDestinations(addresses, 1, CanonicalUrl.format(fallback), 0, ends)
  addCarried(addresses, ends)
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

/** An address as it was written, of which it is not known yet what it carries. */
interface Carrier extends InnerAddress {
  /** How many addresses deep it stands inside the submitted URL. */
  readonly level: number
  /** Whether it may be a link of a wrapper. */
  readonly mayLead: boolean
}

/** What an address leads to, if it is a link of a wrapper that can be read. */
const destinationsOf = (url: CanonicalUrl.CanonicalUrl, text: string): ReadonlyArray<InnerAddress> => {
  const wrapper = Wrapper.find(url)
  return wrapper === undefined ? [] : Wrapper.destinationsOf(wrapper, url, CanonicalUrl.writtenRest(text))
}

/**
 * Adds the destinations of the address at `index`, which was written as `text`, and theirs. Appends the addresses that lead
 * nowhere to `ends`: what they carry is read later, so that it cannot take the place of a destination.
 */
const addDestinations = (
  addresses: Array<Address>,
  index: number,
  text: string,
  level: number,
  ends: Array<Carrier>
): void => {
  const outer = addresses[index]
  if (outer === undefined) return
  const destinations = level === MAX_LEVELS ? [] : destinationsOf(outer.url, text)
  if (destinations.length === 0) ends.push({ text, url: outer.url, level, mayLead: false })
  for (const { text, url } of destinations) {
    const known = indexOf(addresses, url)
    if (known === undefined && addresses.length > MAX_INNER_ADDRESSES) return
    const at = known ?? addresses.push(address(url, "destination")) - 1
    // A link that leads back to an earlier address is judged itself.
    if (at > index) addresses[index] = { ...outer, isWrapper: true }
    if (known === undefined) addDestinations(addresses, at, text, level + 1, ends)
  }
}

/** Adds what the addresses carry, then what lies inside that, so that no address hides those beside it. */
const addCarried = (addresses: Array<Address>, ends: ReadonlyArray<Carrier>): void => {
  const queue = [...ends]
  // The loop goes on to what is added to the queue.
  for (const { text, url, level, mayLead } of queue) {
    if (level === MAX_LEVELS) continue
    const destinations = mayLead ? destinationsOf(url, text) : []
    for (const inner of destinations.length > 0 ? destinations : carriedBy(url, text)) {
      if (PrivateHost.isPrivate(inner.url.host) || indexOf(addresses, inner.url) !== undefined) continue
      if (addresses.length > MAX_INNER_ADDRESSES) return
      addresses.push(address(inner.url, "carried"))
      queue.push({ ...inner, level: level + 1, mayLead: true })
    }
  }
}

const carriedBy = (url: CanonicalUrl.CanonicalUrl, text: string): ReadonlyArray<InnerAddress> =>
  CarriedAddresses.mayCarry(url) ? CarriedAddresses.find(CanonicalUrl.writtenRest(text)) : []

const indexOf = (addresses: ReadonlyArray<Address>, url: CanonicalUrl.CanonicalUrl): number | undefined => {
  const index = addresses.findIndex((address) => isSame(address.url, url))
  return index === -1 ? undefined : index
}

/** Whether lists know two URLs by the same expression, which has no scheme. */
const isSame = (one: CanonicalUrl.CanonicalUrl, other: CanonicalUrl.CanonicalUrl): boolean =>
  one.host === other.host && UrlExpressions.pathAndQuery(one) === UrlExpressions.pathAndQuery(other)
