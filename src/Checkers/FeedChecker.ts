import { type Duration, Exit, Option } from "effect"
import type { FeedSlot } from "../Layers/AppConfig.ts"
import type { PopularSitesShape } from "../Lists/PopularSites.ts"
import type { CurrentList, ThreatFeed } from "../Lists/ThreatFeed.ts"
import type { ListedMatch, Match, OtherPagesMatch } from "../Lists/ThreatList.ts"
import * as AddressText from "../Url/AddressText.ts"
import * as PrivateHost from "../Url/PrivateHost.ts"
import type { Address, Submission } from "../Url/Submission.ts"
import { type Checker, CheckerError, nothingFound } from "./Checker.ts"
import type { Finding } from "./Verdict.ts"

/** What a list has: of a submitted URL with its host, which names the address that a link leads to already. */
const listed = (kind: ListedMatch["kind"] | "otherSpelling", { relation, url }: Address): string => {
  const on = relation === "submitted" ? ` on ${AddressText.shortHost(url.host)}` : ""
  switch (kind) {
    case "listedUrl":
      return `This address${on} is`
    case "otherSpelling":
      return `Another address of the same content${on} is`
    case "listedHost":
      return `The address ${AddressText.shortHost(url.host)} belongs to a site that is`
    case "listedDirectory":
      return `The page${on} is in a folder that is`
    case "listedPage":
      return `Another address of the same page${on} is`
  }
}

/** One address of a submission, and the list in which it is looked up. */
interface Lookup {
  readonly slot: FeedSlot
  readonly current: CurrentList
  readonly publisher: string
  readonly address: Address
  /** The index of the address. */
  readonly addressIndex: number
}

/** `PhishTank as phishing (list of 2026-11-21 09:00 UTC)` */
const listName = ({ category }: Match, { current, publisher }: Lookup): string => {
  const minute = new Date(current.fetchedAt).toISOString().slice(0, 16).replace("T", " ")
  return `${publisher} as ${category} (list of ${minute} UTC)`
}

const nothing: ReadonlyArray<Finding> = []

const clean = Exit.succeed(nothingFound)

/** A row about a whole popular site says nothing about a URL that merely carries its address, nor do other pages. */
const carriedFinding = (match: Match, lookup: Lookup): Finding | undefined =>
  match.kind === "otherPagesListed" || match.needsSecondPublisher
    ? undefined
    : {
        checker: lookup.slot,
        kind: "carriedListing",
        source: lookup.publisher,
        reason: `The link contains the address ${AddressText.short(lookup.address.url)}, which is listed by ${listName(match, lookup)}`,
        addressIndex: lookup.addressIndex
      }

/** On a popular site many people write pages, whoever listed some of them. */
const otherPagesFinding = (
  match: OtherPagesMatch,
  lookup: Lookup,
  { isOnSite }: PopularSitesShape
): Finding | undefined => {
  const { addressIndex, address, publisher, slot } = lookup
  if (isOnSite(address.url.host)) return undefined
  const on = address.relation === "submitted" ? ` on ${AddressText.shortHost(address.url.host)}` : " there"
  const reason = `${match.pages} other pages${on} are listed by ${listName(match, lookup)}`
  return {
    checker: slot,
    kind: match.kind,
    source: publisher,
    reason: AddressText.inReason(address, reason),
    addressIndex
  }
}

const listedFinding = (match: ListedMatch, lookup: Lookup): Finding => {
  const { addressIndex, address, current, publisher, slot } = lookup
  const what = listed(match.isOtherSpelling ? "otherSpelling" : match.kind, address)
  const reason = AddressText.inReason(address, `${what} listed by ${listName(match, lookup)}`)
  return {
    checker: slot,
    kind: match.kind,
    source: publisher,
    reason,
    addressIndex,
    ...(match.needsSecondPublisher && {
      needsSecondPublisher: {
        publisher,
        isStale: current.isStale,
        reason: `${reason}, but no other list confirms it`
      }
    })
  }
}

const finding = (match: Match, lookup: Lookup, popularSites: PopularSitesShape): Finding | undefined => {
  if (lookup.address.relation === "carried") return carriedFinding(match, lookup)
  return match.kind === "otherPagesListed"
    ? otherPagesFinding(match, lookup, popularSites)
    : listedFinding(match, lookup)
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
