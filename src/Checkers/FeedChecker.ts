import { type Duration, Exit, Option } from "effect"
import type { FeedSlot } from "../Layers/AppConfig.ts"
import type { PopularSitesShape } from "../Lists/PopularSites.ts"
import type { CurrentList, ThreatFeed } from "../Lists/ThreatFeed.ts"
import type { Match } from "../Lists/ThreatList.ts"
import * as PrivateHost from "../Url/PrivateHost.ts"
import type { Address, Submission } from "../Url/Submission.ts"
import {
  about,
  type Checker,
  CheckerError,
  type Finding,
  findingOf,
  innerHost,
  nothingFound
} from "./Checker.ts"
import { type Found, type NamedList, shortAddress } from "./Kinds.ts"

/** One address of a submission, and the list in which it is looked up. */
interface Lookup {
  readonly slot: FeedSlot
  readonly current: CurrentList
  readonly publisher: string
  readonly address: Address
  /** The index of the address. */
  readonly addressIndex: number
}

const namedList = ({ category }: Match, { current, publisher }: Lookup): NamedList => ({
  publisher,
  category,
  date: `${new Date(current.fetchedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`
})

const clean = Exit.succeed(nothingFound)

/** A finding about the address of a lookup. */
const listingOf = (found: Found, { address, addressIndex, current, publisher, slot }: Lookup): Finding =>
  about(address, {
    checker: slot,
    ...findingOf(found),
    source: publisher,
    addressIndex,
    ...(current.isStale && { isStale: true })
  })

/** On a popular site many people write pages, whoever listed some of them. */
const finding = (match: Match, lookup: Lookup, { isOnSite }: PopularSitesShape): Finding | undefined => {
  const { relation, url } = lookup.address
  const { host } = url
  const list = namedList(match, lookup)
  const page = { host, list, ...innerHost(lookup.address) }
  // Neither a row about a whole popular site nor other pages say anything about a URL that merely carries the address.
  if (relation === "carried")
    return match.kind === "otherPagesListed" || match.needsSecondPublisher
      ? undefined
      : listingOf({ kind: "carriedListing", address: shortAddress(url), list }, lookup)
  if (match.kind === "otherPagesListed")
    return isOnSite(host) ? undefined : listingOf({ kind: match.kind, pages: match.pages, ...page }, lookup)
  const { isCopied, isOtherSpelling, kind, needsSecondPublisher } = match
  return {
    ...listingOf({ kind, isOtherSpelling, ...page }, lookup),
    ...(needsSecondPublisher && { needsSecondPublisher }),
    ...(isCopied && { isCopied })
  }
}

/**
 * What a list says about the addresses of a submission: one finding at most about each. A private host inside a URL is not
 * looked up.
 */
export const findings = (
  slot: FeedSlot,
  current: CurrentList,
  publisher: string,
  addresses: ReadonlyArray<Address>,
  popularSites: PopularSitesShape
): ReadonlyArray<Finding> =>
  addresses.flatMap((address, addressIndex) => {
    if (addressIndex > 0 && PrivateHost.isPrivate(address.url.host)) return []
    const match = current.list.match(address.expressions, popularSites.isSite)
    const listing = match && finding(match, { slot, current, publisher, address, addressIndex }, popularSites)
    return listing === undefined ? [] : [listing]
  })

/**
 * The checker of one feed slot: looks a URL, and the addresses inside it, up in the list that the feed holds, in memory.
 *
 * Fails with `NotConfigured` when the slot is off (None), with `Unavailable` while there is no list yet. A stale list
 * answers, and the answer says that it is stale.
 */
export const make = (
  slot: FeedSlot,
  feed: Option.Option<ThreatFeed>,
  popularSites: PopularSitesShape,
  budget: Duration.Duration
): Checker => {
  const failed = (reason: CheckerError["reason"]) => Exit.fail(new CheckerError({ checker: slot, reason }))
  const notConfigured = failed("NotConfigured")
  const unavailable = failed("Unavailable")
  const check = ({ addresses, receivedAt }: Submission) => {
    if (Option.isNone(feed)) return notConfigured
    const { current, sourceName } = feed.value
    const list = Option.getOrUndefined(current(receivedAt))
    if (list === undefined) return unavailable
    const found = findings(slot, list, sourceName, addresses, popularSites)
    return found.length === 0 && !list.isStale
      ? clean
      : Exit.succeed({ findings: found, stale: list.isStale })
  }
  return { id: slot, budget, check }
}
