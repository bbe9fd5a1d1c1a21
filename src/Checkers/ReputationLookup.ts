import { Context, Duration, Effect, Exit, identity, Layer, Option } from "effect"
import { AppConfig, type ReputationMode } from "../Layers/AppConfig.ts"
import { Cache } from "../Layers/Cache.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import {
  type Check,
  type Checker,
  type CheckerBatch,
  CheckerError,
  type CheckerResult,
  nothingFound
} from "./Checker.ts"
import * as PrivateHost from "./Hosts/PrivateHost.ts"
import * as LookupExpression from "./LookupExpression.ts"
import * as ExpressionHash from "./ReputationLookup/ExpressionHash.ts"
import { HashLists, noLists } from "./ReputationLookup/HashLists.ts"
import type { ListedHash, ThreatType } from "./ReputationLookup/HashSearch/HashSearchResponse.ts"
import type { SearchError } from "./ReputationLookup/HashSearch/SearchError.ts"
import { HashSearch, type StartedSearch } from "./ReputationLookup/HashSearch.ts"
import * as LookupMetrics from "./ReputationLookup/LookupMetrics.ts"
import * as LookupPlan from "./ReputationLookup/LookupPlan.ts"
import * as PrefixCache from "./ReputationLookup/PrefixCache.ts"
import * as PrefixGroups from "./ReputationLookup/PrefixGroups.ts"
import * as AddressText from "./Submission/AddressText.ts"
import type { Address, Submission } from "./Submission.ts"
import type { Finding, FindingKind } from "./Verdict.ts"

/** Google requires this text beside a warning (https://developers.google.com/safe-browsing/reference/Appropriate.Usage). */
const ADVISORY = "Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"

/** What is said about a threat. Google's terms ask for qualified words ("suspected"). */
interface Suspicion {
  readonly threat: ThreatType
  readonly isSevere: boolean
  /** "Suspected ...", "which is suspected of ...". */
  readonly name: string
  /** What the page may do. */
  readonly may: string
}

/** The worst threat first. */
const suspicions: ReadonlyArray<Suspicion> = [
  {
    threat: "SOCIAL_ENGINEERING",
    isSevere: true,
    name: "phishing",
    may: "may trick visitors into revealing personal information"
  },
  {
    threat: "MALWARE",
    isSevere: true,
    name: "malware",
    may: "may harm the visitor's device"
  },
  {
    threat: "UNWANTED_SOFTWARE",
    isSevere: false,
    name: "unwanted software",
    may: "may offer harmful programs"
  },
  {
    threat: "POTENTIALLY_HARMFUL_APPLICATION",
    isSevere: false,
    name: "harmful applications",
    may: "may offer an app that does harm"
  }
]

const ID = "reputation_lookup"

/** Whose lists a finding rests on. */
const SOURCE = "Google Safe Browsing"

const kindOf = ({ relation }: Address, { isSevere }: Suspicion): FindingKind => {
  if (relation === "carried") return isSevere ? "carriedListing" : "carriedUnwantedSoftware"
  return isSevere ? "severeThreat" : "unwantedSoftware"
}

const sentence = ({ relation, url }: Address, { name, may }: Suspicion): string => {
  if (relation === "carried")
    return `The link contains the address ${AddressText.short(url)}, which is suspected of ${name}: it ${may}`
  const host = AddressText.shortHost(url.host)
  return relation === "submitted"
    ? `Suspected ${name}: the page on ${host} ${may}`
    : `Suspected ${name}: the link leads to ${host}, which ${may}`
}

const finding = (address: Address, about: number, suspicion: Suspicion): Finding => ({
  checker: ID,
  kind: kindOf(address, suspicion),
  source: SOURCE,
  reason: `${sentence(address, suspicion)}. ${ADVISORY}`,
  about
})

/**
 * The hashes of all lookup expressions of an address. Empty for a host of a private network: Safe Browsing cannot know it and
 * must not see its name. Chromium omits the same hosts (`safe_browsing::CanGetReputationOfUrl`).
 */
const hashesOfAddress = ({ url }: Address): ReadonlyArray<ExpressionHash.ExpressionHash> =>
  PrivateHost.isPrivate(url.host) ? [] : LookupExpression.expressionsOf(url).map(ExpressionHash.ofExpression)

/** The hashes of each address of a submission (see `hashesOfAddress`). */
type AddressHashes = ReadonlyArray<ReadonlyArray<ExpressionHash.ExpressionHash>>

export const hashesOf = ({ addresses }: Submission): AddressHashes => addresses.map(hashesOfAddress)

/** The prefixes of the hashes. Addresses on one host have some in common. */
export const prefixesOf = (hashes: AddressHashes): ReadonlyArray<ExpressionHash.HashPrefix> => {
  const prefixes = hashes.flatMap((hashes) => hashes.map(ExpressionHash.prefix))
  return hashes.length > 1 ? [...new Set(prefixes)] : prefixes
}

/**
 * The worst threat of each address, among the listed hashes that are its own: others share only the prefix with one of them.
 */
export const resultFor = (
  { addresses }: Submission,
  hashes: AddressHashes,
  listed: ReadonlyArray<ListedHash>
): CheckerResult => {
  if (listed.length === 0) return nothingFound
  const findings = addresses.flatMap((address, about) => {
    const own = listed.filter(({ hash }) => hashes[about]?.includes(hash))
    const worst = suspicions.find(({ threat }) => own.some(({ threats }) => threats.includes(threat)))
    return worst === undefined ? [] : [finding(address, about, worst)]
  })
  return findings.length === 0 ? nothingFound : { findings, stale: false }
}

const isSevere = ({ findings }: CheckerResult): boolean =>
  findings.some(({ kind }) => kind === "severeThreat")

const clean = Exit.succeed(nothingFound)
const cleanByOldData = Exit.succeed({ findings: [], stale: true } satisfies CheckerResult)

const failure = (reason: CheckerError["reason"], cause?: string) =>
  Exit.fail(new CheckerError({ checker: ID, reason, cause }))

// Made once: an error has a stack, and in an outage these are the results of most checks.
const notConfigured = failure("NotConfigured")
const paused = failure("Unavailable", "Paused")
const noUsableList = failure("Unavailable", "no local list, or one that is over 24 hours old")

/** With `no-storage` the error says what went wrong; with lists, that these cannot say more. */
const failed = (mode: ReputationMode, { message, reason }: SearchError) => {
  const isNamed = mode === "no-storage" && (reason === "Timeout" || reason === "Malformed")
  return failure(isNamed ? reason : "Unavailable", message)
}

/** Where a lookup gets the answers that are not in memory: alone, or in a group with others. */
interface Source {
  /** What the cache has for the prefixes of the plan. */
  readonly cached: Effect.Effect<PrefixCache.Cached>
  /** Starts the search for those that it does not have, or joins it. */
  readonly search: (missing: ReadonlyArray<ExpressionHash.HashPrefix>) => Effect.Effect<StartedSearch>
}

/** What is known about a group of prefixes when its search has started. */
interface AskedGroup {
  readonly cached: ReadonlyArray<ListedHash>
  readonly missing: ReadonlySet<ExpressionHash.HashPrefix>
  readonly started: StartedSearch
}

/** Of a group the part that a lookup of these prefixes would have alone: it may have planned to leave others to the lists. */
const ownSource = (
  prefixes: ReadonlyArray<ExpressionHash.HashPrefix>,
  group: Effect.Effect<AskedGroup>
): Source => {
  const own = (listed: ReadonlyArray<ListedHash>) =>
    listed.filter(({ hash }) => prefixes.includes(ExpressionHash.prefix(hash)))
  return {
    cached: Effect.map(group, ({ cached, missing }) => ({
      listed: own(cached),
      missing: prefixes.filter((prefix) => missing.has(prefix))
    })),
    search: () =>
      Effect.map(group, ({ started }) => ({ wait: (millis) => Effect.map(started.wait(millis), own) }))
  }
}

/** Of a group whose answers are all cached. */
const nothingToSearch: StartedSearch = { wait: () => Exit.succeed([]) }

/**
 * Checker `reputation_lookup`: Google Safe Browsing v5, by the procedure of `REPUTATION_MODE`
 * (https://developers.google.com/safe-browsing/reference).
 *
 * Only four-byte prefixes of hashes leave the process, and of those only what `LookupPlan` says. A submission's addresses are
 * looked up together; one without expression hashes (see `hashesOfAddress`) yields no finding.
 *
 * A confirmed listing is a finding whatever else fails. Without one, a search that fails or has not ended after
 * `CHECKER_TIMEOUT` leaves the decision to the local lists: `stale`, or `Unavailable` if they have a prefix or are too old. With
 * `no-storage` the search's error is the checker's: `Timeout`, `Malformed` or `Unavailable`. Without a key every check fails
 * with `NotConfigured`.
 *
 * The lookups of a batch share reads of the cache and searches, of at most 400 prefixes each. Each waits within its own
 * `CHECKER_TIMEOUT`, and has the result of a single lookup.
 */
export class ReputationLookup extends Context.Tag("app/Checkers/ReputationLookup")<
  ReputationLookup,
  Checker
>() {
  static readonly layer: Layer.Layer<ReputationLookup, never, AppConfig | Cache | HashLists | HashSearch> =
    Layer.scoped(
      ReputationLookup,
      Effect.gen(function* () {
        const config = yield* AppConfig
        const timeoutMs = Duration.toMillis(config.checkerTimeout)
        /** Of a read of the cache database: see `Cache`. */
        const maxReadMs = Option.map(config.cache, ({ timeout }) => Duration.toMillis(timeout))
        // The lists decide when the time is over: a second timer of `Checkers` would cost each search 60 us more.
        const budget = Duration.infinity
        const cache = yield* Cache
        const services = Option.all({ hashLists: yield* HashLists, hashSearch: yield* HashSearch })
        if (Option.isNone(services)) return { id: ID, budget, check: () => notConfigured }
        const { hashLists, hashSearch } = services.value
        const { mode } = hashLists
        const metrics = yield* LookupMetrics.make
        const scope = yield* Effect.scope

        /**
         * Reads prefixes that are not in memory from the database, if there is one. A read that may exceed `CHECKER_TIMEOUT` has
         * nothing then; others need no timer.
         */
        const read = (
          prefixes: ReadonlyArray<ExpressionHash.HashPrefix>
        ): Effect.Effect<PrefixCache.Cached> => {
          if (Option.isNone(maxReadMs)) return Exit.succeed({ listed: [], missing: prefixes })
          const cached = PrefixCache.getMany(cache, prefixes)
          if (timeoutMs > maxReadMs.value) return cached
          return Effect.timeoutTo(cached, {
            duration: timeoutMs,
            onSuccess: identity,
            onTimeout: () => ({ listed: [], missing: prefixes })
          })
        }

        /** The outcome by what is known at this moment. */
        const conclude = (
          plan: LookupPlan.LookupPlan,
          found: CheckerResult,
          unanswered: ReadonlyArray<ExpressionHash.HashPrefix>,
          error: Option.Option<SearchError>
        ): Exit.Exit<CheckerResult, CheckerError> => {
          if (found.findings.length > 0) return Exit.succeed(found)
          switch (LookupPlan.decide(plan, unanswered)) {
            case "ok":
              return clean
            case "stale":
              return cleanByOldData
            case "unknown":
              return Option.match(error, {
                onNone: () => noUsableList,
                onSome: (error) => (error.reason === "Paused" ? paused : failed(mode, error))
              })
          }
        }

        /** Waits for a search, and counts whether Safe Browsing confirms a local hit of these addresses. */
        const searched = (
          search: Effect.Effect<StartedSearch>,
          prefixes: ReadonlyArray<ExpressionHash.HashPrefix>,
          millisLeft: number,
          { localHits }: LookupPlan.LookupPlan,
          hashes: AddressHashes
        ) => {
          const hits = prefixes.filter((prefix) => localHits.includes(prefix))
          const listed = Effect.flatMap(search, ({ wait }) => wait(millisLeft))
          if (hits.length === 0) return listed
          metrics.localHit.update(1)
          return Effect.tap(listed, (listed) => {
            const isConfirmed = listed.some(
              ({ hash }) =>
                hits.includes(ExpressionHash.prefix(hash)) && hashes.some((own) => own.includes(hash))
            )
            if (isConfirmed) metrics.confirmedHit.update(1)
          })
        }

        /** `sourceOf` gets the prefixes of the plan; it is not called for a lookup that is decided at once. */
        const lookUp = (
          submission: Submission,
          sourceOf: (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) => Source
        ): Check => {
          const hashes = hashesOf(submission)
          const prefixes = prefixesOf(hashes)
          if (prefixes.length === 0) return clean
          const inMemory = PrefixCache.peekMany(cache, prefixes)
          const found = resultFor(submission, hashes, inMemory.listed)
          // A severe threat decides. One of an address that the URL merely carries is not severe.
          if (inMemory.missing.length === 0 || isSevere(found)) return Exit.succeed(found)
          const lists = mode === "no-storage" ? noLists : hashLists.current(submission.receivedAt)
          const plan = LookupPlan.make(mode, lists, hashes, inMemory.missing)
          if (plan.prefixes.length === 0) return conclude(plan, found, [], Option.none())

          const { cached, search } = sourceOf(plan.prefixes)
          return Effect.clockWith((clock) => {
            const end = MonotonicTime.millis(clock) + timeoutMs
            // Only what the lists want confirmed is read from the database: it can have an answer about another prefix only for
            // the minutes in which the lists of two replicas differ, and reading all of them would cost each check a command.
            return Effect.flatMap(cached, ({ listed: inDatabase, missing }) => {
              const listed = [...inMemory.listed, ...inDatabase]
              const found = resultFor(submission, hashes, listed)
              if (missing.length === 0 || isSevere(found))
                return conclude(plan, found, missing, Option.none())
              const millisLeft = end - MonotonicTime.millis(clock)
              return Effect.matchEffect(searched(search(missing), missing, millisLeft, plan, hashes), {
                onFailure: (error) => conclude(plan, found, missing, Option.some(error)),
                onSuccess: (more) =>
                  conclude(plan, resultFor(submission, hashes, [...listed, ...more]), [], Option.none())
              })
            })
          })
        }

        const check = (submission: Submission): Check =>
          lookUp(submission, (prefixes) => ({ cached: read(prefixes), search: hashSearch.start }))

        const ask = (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>): Effect.Effect<AskedGroup> =>
          Effect.flatMap(read(prefixes), ({ listed, missing }) =>
            Effect.map(
              missing.length === 0 ? Exit.succeed(nothingToSearch) : hashSearch.start(missing),
              (started) => ({ cached: listed, missing: new Set(missing), started })
            )
          )

        const batch = (): CheckerBatch => {
          const groups = PrefixGroups.make(ask, scope)
          return {
            add: (submission) => lookUp(submission, (prefixes) => ownSource(prefixes, groups.add(prefixes))),
            send: groups.send
          }
        }

        return { id: ID, budget, check, batch }
      })
    )
}
