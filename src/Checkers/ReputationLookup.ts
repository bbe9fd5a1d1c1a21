import { Cause, Context, Effect, Either, Exit, Fiber, Layer, LogLevel, Option, Runtime } from "effect"
import { AppConfig, type ReputationMode } from "../Layers/AppConfig.ts"
import { Cache, type Cached, type ListedHash } from "../Layers/Cache.ts"
import { nextTurn } from "../Layers/Time/Slices.ts"
import { HashLists, noLists } from "../Lists/HashLists.ts"
import * as ExpressionHash from "../Url/ExpressionHash.ts"
import * as PrivateHost from "../Url/PrivateHost.ts"
import type { Address, Submission } from "../Url/Submission.ts"
import * as UrlExpressions from "../Url/UrlExpressions.ts"
import {
  type AskingChecker,
  type CheckExit,
  CheckerError,
  type CheckerResult,
  type Decide,
  type Finding,
  innerHost,
  nothingFound
} from "./Checker.ts"
import { findingOf, shortAddress } from "./Kinds.ts"
import * as HashSearch from "./ReputationLookup/HashSearch.ts"
import type { SearchError } from "./ReputationLookup/HashSearchClient.ts"
import * as LookupPlan from "./ReputationLookup/LookupPlan.ts"

/** Google requires this text beside a warning (https://developers.google.com/safe-browsing/reference/Appropriate.Usage). */
const ADVISORY = "Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"

/** What is said about each threat, the worst first. Google's terms ask for qualified words ("suspected"). */
const suspicions = [
  { threat: "SOCIAL_ENGINEERING", isSevere: true, name: "phishing" },
  { threat: "MALWARE", isSevere: true, name: "malware" },
  { threat: "UNWANTED_SOFTWARE", isSevere: false, name: "unwanted software" },
  { threat: "POTENTIALLY_HARMFUL_APPLICATION", isSevere: false, name: "harmful applications" }
] as const

const ID = "reputation_lookup"

/** The publisher of the list. */
const SOURCE = "Google Safe Browsing"

const finding = (
  address: Address,
  addressIndex: number,
  { isSevere, name: threat }: (typeof suspicions)[number]
): Finding => {
  const { reason, ...found } = findingOf(
    address.relation === "carried"
      ? {
          kind: isSevere ? "carriedListing" : "carriedUnwantedSoftware",
          address: shortAddress(address.url),
          threat
        }
      : {
          kind: isSevere ? "severeThreat" : "unwantedSoftware",
          host: address.url.host,
          threat,
          ...innerHost(address)
        }
  )
  return { checker: ID, ...found, source: SOURCE, reason: `${reason}. ${ADVISORY}`, addressIndex }
}

/**
 * The hashes of all lookup expressions of an address. Empty for a host of a private network: Safe Browsing cannot know it and
 * must not see its name. Chromium omits the same hosts (`safe_browsing::CanGetReputationOfUrl`).
 */
const hashesOfAddress = ({ url }: Address): ReadonlyArray<ExpressionHash.ExpressionHash> =>
  PrivateHost.isPrivate(url.host)
    ? []
    : UrlExpressions.safeBrowsingExpressions(url).map(ExpressionHash.ofExpression)

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
  const findings = addresses.flatMap((address, addressIndex) => {
    const own = listed.filter(({ hash }) => hashes[addressIndex]?.includes(hash))
    const worst = suspicions.find(({ threat }) => own.some(({ threats }) => threats.includes(threat)))
    return worst === undefined ? [] : [finding(address, addressIndex, worst)]
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
  if (reason === "Paused") return paused
  const isNamed = mode === "no-storage" && (reason === "Timeout" || reason === "Malformed")
  return failure(isNamed ? reason : "Unavailable", message)
}

/** A lookup that memory does not decide. */
export interface Lookup {
  readonly submission: Submission
  readonly hashes: AddressHashes
  /** What memory has. */
  readonly listed: ReadonlyArray<ListedHash>
  readonly plan: LookupPlan.LookupPlan
}

/** As many with 150 prefixes each fit into the requests. */
const MAX_LOOKUPS_TOGETHER = 32

/**
 * Checker `reputation_lookup`: Google Safe Browsing v5, by the procedure of `REPUTATION_MODE`
 * (https://developers.google.com/safe-browsing/reference).
 *
 * Only four-byte prefixes of hashes leave the process, and of those only what `LookupPlan` says. A submission's addresses are
 * looked up together; one without expression hashes (see `hashesOfAddress`) yields no finding.
 *
 * A confirmed listing is a finding whatever else fails. Without one, a search that fails or has not ended within the budget
 * leaves the decision to the local lists: `stale`, or `Unavailable` if they have a prefix or are too old. With `no-storage` the
 * search's error is the checker's: `Timeout`, `Malformed` or `Unavailable`. Without a key every check fails with
 * `NotConfigured`.
 *
 * Lookups of one bulk request, and those that come in one turn of the event loop, share one read of the database and at most 16
 * searches; prefixes that do not fit are not asked about.
 */
export class ReputationLookup extends Context.Tag("app/Checkers/ReputationLookup")<
  ReputationLookup,
  AskingChecker<Lookup>
>() {
  static readonly layer = Layer.scoped(
    ReputationLookup,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const cache = yield* Cache
      const services = Option.all({ hashLists: yield* HashLists, hashSearch: yield* HashSearch.HashSearch })
      if (Option.isNone(services)) {
        return { id: ID, prepare: () => notConfigured, ask: () => Exit.succeed(() => notConfigured) }
      }
      const { hashLists, hashSearch } = services.value
      const { mode } = hashLists
      const scope = yield* Effect.scope

      /** The end of a check by what is known at this moment; `unanswered` are the prefixes without an answer, each with the reason. */
      const conclude = (
        plan: LookupPlan.LookupPlan,
        found: CheckerResult,
        unanswered: ReadonlyMap<ExpressionHash.HashPrefix, Cause.Cause<SearchError>> = new Map()
      ): CheckExit => {
        if (found.findings.length > 0) return Exit.succeed(found)
        const [cause] = unanswered.values()
        const error = cause && Cause.failureOrCause(cause)
        if (error !== undefined && Either.isRight(error)) return Exit.failCause(error.right)
        switch (LookupPlan.decide(plan, [...unanswered.keys()])) {
          case "ok":
            return clean
          case "stale":
            return cleanByOldData
          case "unknown":
            return error === undefined ? noUsableList : failed(mode, error.left)
        }
      }

      const prepare = (submission: Submission): CheckExit | Lookup => {
        const hashes = hashesOf(submission)
        const prefixes = prefixesOf(hashes)
        if (prefixes.length === 0) return clean
        const cached = cache.peekMany(prefixes)
        const listed = [...cached.values()].flat()
        const found = resultFor(submission, hashes, listed)
        // A severe threat decides. One of an address that the URL merely carries is not severe.
        if (cached.size === prefixes.length || isSevere(found)) return Exit.succeed(found)
        const lists = mode === "no-storage" ? noLists : hashLists.current(submission.receivedAt)
        const plan = LookupPlan.make(mode, lists, hashes, cached)
        return plan.prefixes.length === 0 ? conclude(plan, found) : { submission, hashes, listed, plan }
      }

      const askTogether = Effect.fnUntraced(function* (lookups: ReadonlyArray<Lookup>) {
        let inDatabase: Cached = new Map()
        /** Before the search has started nothing is answered. */
        let answerTo: HashSearch.Search["answerTo"] = () => HashSearch.timedOut

        /** What memory and the database have for the plan of a lookup, whatever other lookups have asked for. */
        const cachedFor = ({ hashes, listed, plan, submission }: Lookup) => {
          const cached = [...listed, ...plan.prefixes.flatMap((prefix) => inDatabase.get(prefix) ?? [])]
          const isDecided = isSevere(resultFor(submission, hashes, cached))
          return { cached, missing: plan.prefixes.filter((prefix) => !isDecided && !inDatabase.has(prefix)) }
        }

        const decide: Decide<Lookup> = (lookup) => {
          const { hashes, plan, submission } = lookup
          const { cached, missing } = cachedFor(lookup)
          // The calls that have its prefixes end one by one: what one confirms counts, whatever becomes of another.
          const confirmed: Array<ListedHash> = []
          const unanswered = new Map<ExpressionHash.HashPrefix, Cause.Cause<SearchError>>()
          for (const prefix of missing) {
            const answer = answerTo(prefix)
            if (Exit.isSuccess(answer)) confirmed.push(...answer.value)
            else unanswered.set(prefix, answer.cause)
          }
          return conclude(plan, resultFor(submission, hashes, [...cached, ...confirmed]), unanswered)
        }

        const asking = yield* Effect.gen(function* () {
          // Only what the lists want confirmed is read from the database: it can have an answer about another prefix only for
          // the minutes in which the lists of two replicas differ, and reading all of them would cost each check a command.
          const wanted = LookupPlan.requestsFor(lookups.map(({ plan }) => plan.prefixes))
          if (Option.isSome(config.cache)) inDatabase = yield* cache.getMany(wanted.flat())
          const missing = lookups.map((lookup) => cachedFor(lookup).missing)
          const search = yield* hashSearch.start(LookupPlan.requestsFor(missing))
          answerTo = search.answerTo
          yield* search.ended
          // Goes on when the wait ends: for the next check. Its defect is logged although no check may wait for it.
        }).pipe(Effect.forkIn(scope), Effect.withUnhandledErrorLogLevel(Option.some(LogLevel.Error)))
        const ended = yield* Effect.timeoutOption(Fiber.await(asking), config.checkerTimeout)
        // After a pause of this process a response may have arrived unread: it is read before the timeout counts.
        if (Option.isNone(ended)) yield* nextTurn
        if (Option.isSome(ended) && Exit.isFailure(ended.value)) {
          const defect = Exit.failCause(ended.value.cause)
          answerTo = () => defect
        }
        return decide
      })

      /** Lookups of one turn of the event loop, which takes more until it ends, and how each is decided. */
      let collecting:
        | { readonly lookups: Array<Lookup>; readonly asking: Fiber.Fiber<Decide<Lookup>> }
        | undefined

      /**
       * Checks that are under way at the same time ask together: one command to the database, and one search. With 16 callers
       * that costs 1 us each; `RequestResolver.dataLoader` took 180. A bulk request asks by itself.
       */
      const ask = (asked: ReadonlyArray<Lookup>): Effect.Effect<Decide<Lookup>> => {
        if (asked.length > 1) return askTogether(asked)
        return Effect.flatMap(Effect.runtime<never>(), (runtime) => {
          if (collecting === undefined || collecting.lookups.length >= MAX_LOOKUPS_TOGETHER) {
            const lookups: Array<Lookup> = []
            const askAll = Effect.suspend(() => {
              collecting = undefined
              return askTogether(lookups)
            })
            const asking = Runtime.runFork(runtime)(Effect.zipRight(nextTurn, askAll), { scope })
            collecting = { lookups, asking }
          }
          collecting.lookups.push(...asked)
          return Effect.flatten(Fiber.await(collecting.asking))
        })
      }

      return { id: ID, prepare, ask }
    })
  )
}
