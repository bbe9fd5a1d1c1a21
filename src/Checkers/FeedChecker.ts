import { type Duration, Exit, Option } from "effect"
import type { FeedSlot } from "../Layers/AppConfig.ts"
import type { PopularSitesShape } from "../Lists/PopularSites.ts"
import type { CurrentList, ThreatFeed } from "../Lists/ThreatFeed.ts"
import type { Match } from "../Lists/ThreatList.ts"
import * as PrivateHost from "../Url/PrivateHost.ts"
import type { Address, Submission } from "../Url/Submission.ts"
import { about, type Checker, CheckerError, type Finding, innerHost, nothingFound } from "./Checker.ts"
import type { Facts } from "./Kinds/Details.ts"
import { type Found, findingOf, shortAddress } from "./Kinds.ts"

/** What a match says about an address, if anything. */
const foundBy = (
  match: Match,
  address: Address,
  list: Facts["list"],
  { isOnSite }: PopularSitesShape
): Found | undefined => {
  const { relation, url } = address
  const page = { host: url.host, list, ...innerHost(address) }
  // Neither a row about a whole popular site nor other pages say anything about a URL that merely carries the address.
  if (relation === "carried")
    return match.kind === "otherPagesListed" || match.needsSecondPublisher
      ? undefined
      : { kind: "carriedListing", address: shortAddress(url), list }
  if (match.kind !== "otherPagesListed")
    return { kind: match.kind, isOtherSpelling: match.isOtherSpelling, ...page }
  // Many people write pages on a popular site: a row for some of them says nothing about the others.
  return isOnSite(url.host) ? undefined : { kind: match.kind, pages: match.pages, ...page }
}

/**
 * What a list says about the addresses of a submission: one finding at most about each. A private host inside a URL is not
 * looked up.
 */
export const findings = (
  slot: FeedSlot,
  { fetchedAt, isStale, list }: CurrentList,
  publisher: string,
  addresses: ReadonlyArray<Address>,
  popularSites: PopularSitesShape
): ReadonlyArray<Finding> =>
  addresses.flatMap((address, addressIndex) => {
    if (addressIndex > 0 && PrivateHost.isPrivate(address.url.host)) return []
    const match = list.match(address.expressions, popularSites.isSite)
    if (match === undefined) return []
    const date = `${new Date(fetchedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`
    const found = foundBy(match, address, { publisher, category: match.category, date }, popularSites)
    if (found === undefined) return []
    return about(address, {
      checker: slot,
      ...findingOf(found),
      source: publisher,
      addressIndex,
      ...(isStale && { isStale }),
      ...(match.kind !== "otherPagesListed" && match.needsSecondPublisher && { needsSecondPublisher: true }),
      ...(match.kind !== "otherPagesListed" && match.isCopied && { isCopied: true })
    })
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
      ? Exit.succeed(nothingFound)
      : Exit.succeed({ findings: found, stale: list.isStale })
  }
  return { id: slot, budget, check }
}
