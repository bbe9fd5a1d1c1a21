import { Context, Effect, Exit, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { Cache } from "../Layers/Cache.ts"
import { type Checker, CheckerError, type CheckerResult, nothingFound } from "./Checker.ts"
import * as PrivateHost from "./Hosts/PrivateHost.ts"
import * as LookupExpression from "./LookupExpression.ts"
import * as ExpressionHash from "./ReputationLookup/ExpressionHash.ts"
import type { ListedHash, ThreatType } from "./ReputationLookup/HashSearch/HashSearchResponse.ts"
import { HashSearch } from "./ReputationLookup/HashSearch.ts"
import * as PrefixCache from "./ReputationLookup/PrefixCache.ts"
import * as AddressText from "./Submission/AddressText.ts"
import type { Address, Submission } from "./Submission.ts"
import type { Finding } from "./Verdict.ts"

/** Google requires this text beside a warning (https://developers.google.com/safe-browsing/reference/Appropriate.Usage). */
const ADVISORY = "Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"

/** What is said about a threat. Google's terms ask for qualified words ("suspected"). */
interface Suspicion {
  readonly threat: ThreatType
  readonly isSevere: boolean
  /** About a page that a link leads to. */
  readonly page: string
  /** About an address that a link carries: "which is suspected of ...". */
  readonly of: string
}

/** The worst threat first. */
const suspicions: ReadonlyArray<Suspicion> = [
  {
    threat: "SOCIAL_ENGINEERING",
    isSevere: true,
    page: "Suspected phishing: this page may trick visitors into revealing personal information",
    of: "phishing: it may trick visitors into revealing personal information"
  },
  {
    threat: "MALWARE",
    isSevere: true,
    page: "Suspected malware: this page may harm the visitor's device",
    of: "malware: it may harm the visitor's device"
  },
  {
    threat: "UNWANTED_SOFTWARE",
    isSevere: false,
    page: "Suspected unwanted software: this page may offer harmful programs",
    of: "unwanted software: it may offer harmful programs"
  },
  {
    threat: "POTENTIALLY_HARMFUL_APPLICATION",
    isSevere: false,
    page: "Suspected harmful application: this page may offer an app that does harm",
    of: "a harmful application: it may offer an app that does harm"
  }
]

const finding = (address: Address, about: number, { isSevere, page, of }: Suspicion): Finding =>
  address.relation === "carried"
    ? {
        kind: isSevere ? "carriedListing" : "carriedUnwantedSoftware",
        reason: `The link carries the address ${AddressText.short(address.url)}, which is suspected of ${of}. ${ADVISORY}`,
        about
      }
    : {
        kind: isSevere ? "severeThreat" : "unwantedSoftware",
        reason: `${AddressText.inReason(address, page)}. ${ADVISORY}`,
        about
      }

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

const noExpression = Exit.succeed(nothingFound)

const isSevere = ({ findings }: CheckerResult): boolean =>
  findings.some(({ kind }) => kind === "severeThreat")

/**
 * The result, if the cache suffices for it: all prefixes are cached, or the worst kind of threat was found already. That is
 * one of the submitted URL or of where it leads; one of an address that it merely carries decides nothing.
 */
const resultFromCache = (
  submission: Submission,
  hashes: AddressHashes,
  { listed, missing }: PrefixCache.Cached
): Option.Option<CheckerResult> => {
  const result = resultFor(submission, hashes, listed)
  return missing.length === 0 || isSevere(result) ? Option.some(result) : Option.none()
}

/**
 * Checker `reputation_lookup`: Google Safe Browsing v5 without a local list
 * (https://developers.google.com/safe-browsing/reference).
 *
 * Only four-byte prefixes of hashes leave the process, and only those that are not cached. A submission's addresses are looked
 * up together; one without expression hashes (see `hashesOfAddress`) yields no finding.
 *
 * Without a key every check fails with `NotConfigured`; else with `Timeout`, `Malformed` or `Unavailable` when a search fails.
 */
export class ReputationLookup extends Context.Tag("app/Checkers/ReputationLookup")<
  ReputationLookup,
  Checker
>() {
  static readonly layer: Layer.Layer<ReputationLookup, never, AppConfig | Cache | HashSearch> = Layer.effect(
    ReputationLookup,
    Effect.gen(function* () {
      const { checkerTimeout: budget } = yield* AppConfig
      const cache = yield* Cache
      const hashSearch = yield* HashSearch
      const id = "reputation_lookup"
      if (Option.isNone(hashSearch)) {
        const notConfigured = Exit.fail(new CheckerError({ checker: id, reason: "NotConfigured" }))
        return { id, budget, check: () => notConfigured }
      }
      const { search } = hashSearch.value

      const check = (submission: Submission): Effect.Effect<CheckerResult, CheckerError> => {
        const hashes = hashesOf(submission)
        const prefixes = prefixesOf(hashes)
        if (prefixes.length === 0) return noExpression
        const inMemory = resultFromCache(submission, hashes, PrefixCache.peekMany(cache, prefixes))
        if (Option.isSome(inMemory)) return Exit.succeed(inMemory.value)
        return Effect.flatMap(PrefixCache.getMany(cache, prefixes), (cached) =>
          Option.match(resultFromCache(submission, hashes, cached), {
            onSome: Effect.succeed,
            onNone: () =>
              Effect.mapBoth(search(cached.missing), {
                onFailure: ({ reason, message }) =>
                  new CheckerError({
                    checker: id,
                    reason: reason === "Timeout" || reason === "Malformed" ? reason : "Unavailable",
                    cause: message
                  }),
                onSuccess: (listed) => resultFor(submission, hashes, [...cached.listed, ...listed])
              })
          })
        )
      }

      return { id, budget, check }
    })
  )
}
