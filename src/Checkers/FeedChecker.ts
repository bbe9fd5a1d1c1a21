import { type Duration, Either, Exit, Option } from "effect"
import type { FeedSlot } from "../Layers/AppConfig.ts"
import { type Checker, CheckerError, nothingFound, type Submission } from "./Checker.ts"
import type { ThreatFeed } from "./ThreatFeed.ts"
import * as UrlExpressions from "./ThreatList/UrlExpressions.ts"
import type { Match, ThreatList } from "./ThreatList.ts"
import type { Finding } from "./Verdict.ts"

const listed = {
  listedUrl: "This exact URL is listed by",
  listedHost: "Its host, or one above it, is listed by",
  listedDirectory: "It lies below a directory listed by",
  listedPage: "The same page, with another query or on a parent host, is listed by"
} as const satisfies Record<Match["kind"], string>

/** `This exact URL is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)` */
const reason = ({ kind, category }: Match, sourceName: string, fetchedAt: number): string => {
  const minute = new Date(fetchedAt).toISOString().slice(0, 16).replace("T", " ")
  return `${listed[kind]} ${sourceName} as ${category} (list of ${minute} UTC)`
}

const nothing: ReadonlyArray<Finding> = []

const clean = Exit.succeed(nothingFound)

/** What a list says about a URL: one finding at most. `fetchedAt` is in milliseconds since 1970. */
export const findings = (
  list: ThreatList,
  sourceName: string,
  fetchedAt: number,
  url: Submission["url"]
): ReadonlyArray<Finding> => {
  const match = Either.isRight(url) ? list.match(UrlExpressions.expressionsOf(url.right)) : undefined
  return match === undefined ? nothing : [{ kind: match.kind, reason: reason(match, sourceName, fetchedAt) }]
}

/**
 * The checker of one feed slot: looks a URL up in the list that the feed holds, in memory.
 *
 * Fails with `NotConfigured` when the slot is off (None), with `Unavailable` while there is no list yet. A stale list
 * answers, and the answer says that it is stale.
 */
export const make = (slot: FeedSlot, feed: Option.Option<ThreatFeed>, budget: Duration.Duration): Checker => {
  if (Option.isNone(feed)) {
    const notConfigured = Exit.fail(new CheckerError({ checker: slot, reason: "NotConfigured" }))
    return { id: slot, budget, check: () => notConfigured }
  }
  const { current, sourceName } = feed.value
  const unavailable = Exit.fail(new CheckerError({ checker: slot, reason: "Unavailable" }))
  return {
    id: slot,
    budget,
    check: ({ receivedAt, url }) => {
      const looked = current(receivedAt)
      if (Option.isNone(looked)) return unavailable
      const { list, fetchedAt, isStale } = looked.value
      const found = findings(list, sourceName, fetchedAt, url)
      return found === nothing && !isStale ? clean : Exit.succeed({ findings: found, stale: isStale })
    }
  }
}
