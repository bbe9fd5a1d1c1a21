import { DateTime, Effect, Option, Record } from "effect"
import { Checkers } from "../Checkers/Checkers.ts"
import { PopularRanking } from "../Checkers/Hosts/PopularSites/PopularRanking.ts"
import type { ListStatus } from "../Checkers/OperatorLists/WatchedList.ts"
import { OperatorLists } from "../Checkers/OperatorLists.ts"
import { type HashListStatus, HashLists } from "../Checkers/ReputationLookup/HashLists.ts"
import { HashSearch } from "../Checkers/ReputationLookup/HashSearch.ts"
import type { FeedStatus, LastError } from "../Checkers/ThreatFeed/FeedState.ts"
import { ThreatFeeds } from "../Checkers/ThreatFeeds.ts"
import { Cache } from "../Layers/Cache.ts"
import type { Live, NotReady, Ready } from "./Api.ts"
import { json } from "./JsonResponse.ts"
import type { Route } from "./Route.ts"

const isoTime = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const errorOf = Option.match({
  onNone: () => null,
  onSome: ({ message, at }: LastError) => ({ message, at: isoTime(at) })
})

const downloadHealth = ({ sourceName, current, refreshError, saveError }: FeedStatus) => ({
  enabled: true as const,
  source: sourceName,
  entries: Option.match(current, { onNone: () => 0, onSome: ({ entries }) => entries }),
  ignored: Option.match(current, { onNone: () => 0, onSome: ({ ignored }) => ignored }),
  skipped: Option.match(current, { onNone: () => 0, onSome: ({ skipped }) => skipped }),
  fetchedAt: Option.match(current, {
    onNone: () => null,
    onSome: ({ fetchedAt }) => isoTime(fetchedAt)
  }),
  stale: Option.exists(current, ({ isStale }) => isStale),
  lastError: errorOf(refreshError),
  saveError: errorOf(saveError)
})

const feedHealth = (status: FeedStatus) => ({
  ...downloadHealth(status),
  unconfirmed: Option.getOrNull(Option.flatMapNullable(status.current, ({ unconfirmed }) => unconfirmed))
})

const ifEnabled = <A>(
  list: Option.Option<{ readonly status: Effect.Effect<FeedStatus> }>,
  health: (status: FeedStatus) => A
) =>
  Option.match(list, {
    onNone: () => Effect.succeed({ enabled: false as const }),
    onSome: ({ status }) => Effect.map(status, health)
  })

const operatorListHealth = Option.match({
  onNone: () => ({ enabled: false }) as const,
  onSome: ({ entries, skipped, readAt, lastError }: ListStatus) => ({
    enabled: true as const,
    entries,
    skipped,
    readAt: isoTime(readAt),
    lastError: errorOf(lastError)
  })
})

const localListHealth = ({ name, entries, fetchedAt, isStale, nextUpdateAt, lastError }: HashListStatus) => ({
  name,
  entries,
  fetchedAt: fetchedAt === undefined ? null : isoTime(fetchedAt),
  stale: isStale,
  nextUpdate: isoTime(nextUpdateAt),
  lastError: errorOf(lastError)
})

const reputationHealth = Effect.gen(function* () {
  const services = Option.all({ lists: yield* HashLists, search: yield* HashSearch })
  if (Option.isNone(services)) return Effect.succeed({ enabled: false as const })
  const { lists, search } = services.value
  return Effect.gen(function* () {
    const { breaker, lastError } = yield* search.status
    return {
      enabled: true as const,
      mode: lists.mode,
      lists: (yield* lists.status).map(localListHealth),
      saveError: errorOf(yield* lists.saveError),
      search: { breaker, lastError: errorOf(lastError) }
    }
  })
})

/** Liveness, and readiness with what an operator wants to know. Not rate-limited, and without secrets. */
export const routes = Effect.gen(function* () {
  const reputationLookup = yield* reputationHealth
  const feeds = yield* ThreatFeeds
  const ranking = yield* PopularRanking
  const lists = yield* OperatorLists
  const cache = yield* Cache
  const checkers = yield* Checkers

  const ready = Effect.gen(function* () {
    const health = {
      feeds: yield* Effect.all(Record.map(feeds, (feed) => ifEnabled(feed, feedHealth))),
      popular: yield* ifEnabled(ranking, downloadHealth),
      overrides: Record.map(yield* lists.status, operatorListHealth),
      cache: yield* cache.status,
      reputationLookup: yield* reputationLookup,
      checkers: Object.fromEntries(yield* checkers.latest)
    }
    const isReady = Object.values(health.feeds).every((feed) => !feed.enabled || feed.fetchedAt !== null)
    return isReady
      ? json(200, { status: "ready", ...health } satisfies typeof Ready.Encoded)
      : json(503, { status: "not-ready", ...health } satisfies typeof NotReady.Encoded)
  })

  return [
    {
      path: "/health/live",
      method: "GET",
      handle: () => Effect.succeed(json(200, { status: "live" } satisfies typeof Live.Encoded))
    },
    { path: "/health/ready", method: "GET", handle: () => ready }
  ] satisfies ReadonlyArray<Route>
})
