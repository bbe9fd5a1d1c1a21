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

const nothing: ReadonlyArray<Finding> = []

const clean = Exit.succeed(nothingFound)

/** A finding about the address of a lookup; the list supplies the other details. */
const listingOf = (found: Found, { address, addressIndex, current, publisher, slot }: Lookup): Finding => {
  const finding: Finding = {
    checker: slot,
    ...findingOf(found),
    source: publisher,
    addressIndex,
    ...(current.isStale && { isStale: true })
  }
  return found.kind === "carriedListing" ? finding : about(address, finding)
}

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
): ReadonlyArray<Finding> => {
  let found: Array<Finding> | undefined
  for (const [addressIndex, address] of addresses.entries()) {
    if (addressIndex > 0 && PrivateHost.isPrivate(address.url.host)) continue
    const match = current.list.match(address.expressions, popularSites.isSite)
    const listing = match && finding(match, { slot, current, publisher, address, addressIndex }, popularSites)
    if (listing === undefined) continue
    found ??= []
    found.push(listing)
  }
  return found ?? nothing
}

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
  if (Option.isNone(feed)) {
    const notConfigured = Exit.fail(new CheckerError({ checker: slot, reason: "NotConfigured" }))
    return { id: slot, budget, check: () => notConfigured }
  }
  const { current, sourceName } = feed.value
  const unavailable = Exit.fail(new CheckerError({ checker: slot, reason: "Unavailable" }))
  return {
    id: slot,
    budget,
    check: ({ addresses, receivedAt }: Submission) => {
      const list = current(receivedAt)
      if (Option.isNone(list)) return unavailable
      const found = findings(slot, list.value, sourceName, addresses, popularSites)
      return found === nothing && !list.value.isStale
        ? clean
        : Exit.succeed({ findings: found, stale: list.value.isStale })
    }
  }
}
