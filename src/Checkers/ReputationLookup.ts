import type { HttpClient } from "@effect/platform"
import { Context, Duration, Effect, Either, Exit, Fiber, FiberMap, FiberSet, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { Cache } from "../Layers/Cache.ts"
import { type Checker, CheckerError, type CheckerResult, nothingFound, type Submission } from "./Checker.ts"
import * as LookupExpression from "./LookupExpression.ts"
import * as PrivateHost from "./PrivateHost.ts"
import * as ExpressionHash from "./ReputationLookup/ExpressionHash.ts"
import type { ListedHash, ThreatType } from "./ReputationLookup/HashSearch.ts"
import * as HashSearchClient from "./ReputationLookup/HashSearchClient.ts"
import * as PrefixCache from "./ReputationLookup/PrefixCache.ts"
import type { Finding } from "./Verdict.ts"

/** A call is shared, so it outlives impatient callers; this ends one that hangs. */
const CALL_LIMIT = Duration.seconds(10)

/** What the end of the process waits for answers to be cached; the cache gives up a write sooner. */
const WRITES_LIMIT = Duration.seconds(1)

/** Different questions at the same time. At 50 ms a call it is 5,000 a second; when all hang, it bounds the sockets held. */
const MOST_CALLS = 256

/** Google asks for this beside its warnings (https://developers.google.com/safe-browsing/reference/Appropriate.Usage). */
const ADVISORY = "Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"

const found = (kind: Finding["kind"], suspicion: string): CheckerResult => ({
  findings: [{ kind, reason: `${suspicion}. ${ADVISORY}` }],
  stale: false
})

/** The answer for each threat, the worst first. The wording is qualified, as Google's terms ask. */
const answers: ReadonlyArray<readonly [threat: ThreatType, answer: CheckerResult]> = [
  [
    "SOCIAL_ENGINEERING",
    found(
      "severeThreat",
      "Suspected phishing: this page may trick visitors into revealing personal information"
    )
  ],
  ["MALWARE", found("severeThreat", "Suspected malware: this page may harm the visitor's device")],
  [
    "UNWANTED_SOFTWARE",
    found("unwantedSoftware", "Suspected unwanted software: this page may offer harmful programs")
  ],
  [
    "POTENTIALLY_HARMFUL_APPLICATION",
    found("unwantedSoftware", "Suspected harmful application: this page may offer an app that does harm")
  ]
]

/**
 * The hashes of all expressions that the lookup is to be asked about; none for what has no host, nor for a host that exists
 * inside a private network only: the service cannot know it, and its name is nobody's business. Chromium leaves such hosts
 * out too (`safe_browsing::CanGetReputationOfUrl`).
 */
export const hashes = (url: Submission["url"]): ReadonlyArray<ExpressionHash.ExpressionHash> =>
  Either.isLeft(url) || PrivateHost.isPrivate(url.right.host)
    ? []
    : LookupExpression.expressionsOf(url.right).map(ExpressionHash.ofExpression)

/** The worst threat among the listed hashes that are really this URL's. */
export const answer = (
  hashes: ReadonlyArray<ExpressionHash.ExpressionHash>,
  listed: ReadonlyArray<ListedHash>
): CheckerResult => {
  if (listed.length === 0) return nothingFound
  const threats = new Set(listed.flatMap(({ hash, threats }) => (hashes.includes(hash) ? threats : [])))
  return answers.find(([threat]) => threats.has(threat))?.[1] ?? nothingFound
}

const nothingToAsk = Exit.succeed(nothingFound)

const isSevere = ({ findings }: CheckerResult): boolean =>
  findings.some(({ kind }) => kind === "severeThreat")

/**
 * What the cache alone lets conclude. Nothing can be worse than severe, so then the rest need not be asked, nor the service
 * be up.
 */
const conclusion = (
  asked: ReadonlyArray<ExpressionHash.ExpressionHash>,
  { listed, missing }: PrefixCache.Known
): Option.Option<CheckerResult> => {
  const cached = answer(asked, listed)
  return missing.length === 0 || isSevere(cached) ? Option.some(cached) : Option.none()
}

/**
 * Checker `reputation_lookup`: Google Safe Browsing v5, in the mode that keeps no list
 * (https://developers.google.com/safe-browsing/reference).
 *
 * Only four-byte prefixes of hashes leave the process, and only those that the cache does not know. Nothing is found for
 * what is not asked about (see `hashes`).
 *
 * Equal questions at the same time share one call. The call belongs to the layer's scope, not to a caller: who gives up
 * leaves it running for the others, and its answer is cached even when nobody waits any more. At most 256 calls run at a
 * time; a question beyond them is `Unavailable` at once.
 *
 * Without a key every check fails with `NotConfigured`; else with the errors of `HashSearchClient`, or `Timeout` when the
 * call did not end.
 */
export class ReputationLookup extends Context.Tag("app/Checkers/ReputationLookup")<
  ReputationLookup,
  Checker
>() {
  static readonly layer: Layer.Layer<ReputationLookup, never, AppConfig | Cache | HttpClient.HttpClient> =
    Layer.scoped(
      ReputationLookup,
      Effect.gen(function* () {
        const { reputation, checkerTimeout: budget } = yield* AppConfig
        const id = "reputation_lookup"
        if (Option.isNone(reputation.key)) {
          const notConfigured = Exit.fail(new CheckerError({ checker: id, reason: "NotConfigured" }))
          return { id, budget, check: () => notConfigured }
        }
        const cache = yield* Cache
        const client = yield* HashSearchClient.make({
          key: reputation.key.value,
          baseUrl: reputation.baseUrl
        })
        const writes = yield* FiberSet.make<void>()
        // Begins at once, so that what is kept in memory is there before the call is forgotten.
        const write = yield* FiberSet.runtime(writes)<never>()
        yield* Effect.addFinalizer(() =>
          Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(writes)), WRITES_LIMIT)
        )
        const calls = yield* FiberMap.make<string, ReadonlyArray<ListedHash>, CheckerError>()
        const start = yield* FiberMap.runtime(calls)<never>()
        const places = yield* Effect.makeSemaphore(MOST_CALLS)

        const call = (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) =>
          client.search(prefixes).pipe(
            Effect.timeoutFail({
              duration: CALL_LIMIT,
              onTimeout: () => new CheckerError({ checker: id, reason: "Timeout" })
            }),
            places.withPermitsIfAvailable(1),
            Effect.flatMap(
              Option.match({
                onNone: () =>
                  new CheckerError({ checker: id, reason: "Unavailable", cause: "too many calls" }),
                onSome: Effect.succeed
              })
            ),
            Effect.tap((answer) => Effect.sync(() => write(PrefixCache.remember(cache, prefixes, answer)))),
            Effect.map(({ listed }) => listed)
          )

        const sharedCall = (prefixes: ReadonlyArray<ExpressionHash.HashPrefix>) =>
          Effect.suspend(() => {
            const question = prefixes.join()
            const running = FiberMap.unsafeGet(calls, question)
            return Fiber.join(Option.getOrElse(running, () => start(question, call(prefixes))))
          })

        const check = ({ url }: Submission): Effect.Effect<CheckerResult, CheckerError> => {
          const asked = hashes(url)
          if (asked.length === 0) return nothingToAsk
          const prefixes = asked.map(ExpressionHash.prefix)
          const held = conclusion(asked, PrefixCache.held(cache, prefixes))
          if (Option.isSome(held)) return Exit.succeed(held.value)
          return Effect.flatMap(PrefixCache.known(cache, prefixes), (known) => {
            const cached = conclusion(asked, known)
            if (Option.isSome(cached)) return Effect.succeed(cached.value)
            const { listed, missing } = known
            return Effect.map(sharedCall(missing), (others) => answer(asked, [...listed, ...others]))
          })
        }

        return { id, budget, check }
      })
    )
}
