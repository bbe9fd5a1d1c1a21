import { DateTime, Duration, Effect, Option, Record } from "effect"
import { Checkers } from "../Checkers/Checkers.ts"
import { ConfiguredModel } from "../Checkers/Heuristics/ConfiguredModel.ts"
import { HashSearch, type HashSearchShape } from "../Checkers/ReputationLookup/HashSearch.ts"
import type { FeedSlot } from "../Layers/AppConfig.ts"
import { Cache } from "../Layers/Cache.ts"
import type { CacheStatus } from "../Layers/CacheDatabase.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import { type HashListStatus, HashLists, type HashListsShape } from "../Lists/HashLists.ts"
import { type OperatorListStatus, OperatorLists } from "../Lists/OperatorLists.ts"
import type { LastError } from "../Lists/RefreshedList.ts"
import { type FeedStatus, ThreatFeeds } from "../Lists/ThreatFeed.ts"
import type { Live, Readiness } from "./Api.ts"
import { json } from "./Response.ts"
import type { GetRoute } from "./Route.ts"

export const LIVE = "/health/live"

export const READY = "/health/ready"

const off = { enabled: false } as const

const isoTime = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const isoTimeOrNull = (millis: number | undefined) => (millis === undefined ? null : isoTime(millis))

const errorOf = Option.match({
  onNone: () => null,
  onSome: ({ message, at }: LastError) => ({ message, at: isoTime(at) })
})

const feedHealth = (feed: FeedStatus) => ({
  enabled: true as const,
  source: feed.sourceName,
  entries: feed.entries,
  ignored: feed.ignored,
  skipped: feed.skipped,
  firstSkipped: feed.firstSkipped,
  fetchedAt: isoTimeOrNull(feed.fetchedAt),
  stale: feed.isStale,
  lastError: errorOf(feed.lastError),
  saveError: errorOf(feed.saveError),
  nextAttemptAt: isoTimeOrNull(Option.getOrUndefined(feed.nextAttemptAt))
})

const ifEnabled = Option.match({
  onNone: () => Effect.succeed(off),
  onSome: ({ status }: { readonly status: Effect.Effect<FeedStatus> }) => Effect.map(status, feedHealth)
})

const operatorListHealth = Option.match({
  onNone: () => off,
  onSome: ({ entries, skipped, firstSkipped, fetchedAt, lastError }: OperatorListStatus) => ({
    enabled: true as const,
    entries,
    skipped,
    firstSkipped,
    readAt: isoTime(fetchedAt),
    lastError: errorOf(lastError)
  })
})

const localListHealth = ({ name, entries, fetchedAt, isStale, nextUpdateAt, lastError }: HashListStatus) => ({
  name,
  entries,
  fetchedAt: isoTimeOrNull(fetchedAt),
  stale: isStale,
  nextUpdate: isoTime(nextUpdateAt),
  lastError: errorOf(lastError)
})

const reputationHealth = (lists: HashListsShape, search: HashSearchShape) =>
  Effect.gen(function* () {
    const { breaker, lastError } = yield* search.status
    return {
      enabled: true as const,
      mode: lists.mode,
      lists: (yield* lists.status).map(localListHealth),
      saveError: errorOf(yield* lists.saveError),
      search: { breaker, lastError: errorOf(lastError) }
    }
  })

/** The words of the contract. */
const cacheHealth = {
  "in-process": "in-process",
  shared: "shared",
  unreachable: "shared (unreachable, in-process meanwhile)"
} as const satisfies Record<CacheStatus, Readiness["cache"]>

type Health = Omit<Extract<Readiness, { readonly status: "ready" }>, "status">

/**
 * Ready: each enabled feed has a list. Degraded: some have none, but each of these has failed at least once, and another has
 * one, so that one dead publisher does not stop a deployment. Not ready: a first attempt is not over, or no feed has a list.
 */
const readiness = (health: Health): Readiness => {
  const enabled = Record.toEntries(health.feeds).flatMap(([slot, feed]) =>
    feed.enabled ? [{ slot, feed }] : []
  )
  const without = enabled.filter(({ feed }) => feed.fetchedAt === null)
  if (without.length === 0) return { status: "ready", ...health }
  const missing: ReadonlyArray<FeedSlot> = without.map(({ slot }) => slot)
  const isWaiting = without.some(({ feed }) => feed.lastError === null)
  const status = isWaiting || without.length === enabled.length ? "not-ready" : "degraded"
  return { status, missing, ...health }
}

/** For `?strict`: `degraded` is `not-ready`, for load balancers that need a service with all of its lists. */
const strictly = (state: Readiness): Readiness =>
  state.status === "degraded" ? { ...state, status: "not-ready" } : state

const live = Effect.succeed(json(200, { status: "live" } satisfies typeof Live.Encoded))

const readyResponse = (state: Readiness): HttpResponse =>
  json(state.status === "not-ready" ? 503 : 200, state)

/** Of the copy that health, state and metrics are answered from. */
export const MAX_AGE = Duration.seconds(1)

/** Liveness, and readiness with what an operator wants to know, without secrets. */
export const routes = Effect.gen(function* () {
  const reputation = Option.zipWith(yield* HashLists, yield* HashSearch, reputationHealth)
  const { new_domains, popular, ...feeds } = yield* ThreatFeeds
  const lists = yield* OperatorLists
  const cache = yield* Cache
  const checkers = yield* Checkers
  const { learnedUpTo } = yield* ConfiguredModel

  const state = Effect.gen(function* () {
    return readiness({
      feeds: yield* Effect.all(Record.map(feeds, ifEnabled)),
      popular: yield* ifEnabled(popular),
      newDomains: yield* ifEnabled(new_domains),
      overrides: Record.map(yield* lists.status, operatorListHealth),
      heuristics: { learnedUpTo },
      cache: cacheHealth[yield* cache.status],
      reputationLookup: yield* Option.getOrElse(reputation, () => Effect.succeed(off)),
      checkers: Object.fromEntries(yield* checkers.latest)
    })
  })

  // Probes, pages and scrapers may ask as often as they like.
  const responses = yield* MonotonicTime.cachedFor(
    Effect.map(state, (state) => ({ normal: readyResponse(state), strict: readyResponse(strictly(state)) })),
    MAX_AGE
  )

  return [
    { path: LIVE, method: "GET", audience: "operators", handle: () => live },
    {
      path: READY,
      method: "GET",
      audience: "operators",
      handle: ({ query }) =>
        Effect.map(responses, ({ normal, strict }) => (query.has("strict") ? strict : normal))
    }
  ] satisfies ReadonlyArray<GetRoute>
})
