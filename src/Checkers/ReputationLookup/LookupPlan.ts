import { Array as Arr } from "effect"
import type { ReputationMode } from "../../Layers/AppConfig.ts"
import type { ListsAge, LocalLists } from "../../Lists/HashLists.ts"
import * as ExpressionHash from "../../Url/ExpressionHash.ts"
import { MAX_PREFIXES } from "./HashSearchClient.ts"

/** Requests that one bulk check sends: 500 URLs have some 5,000 prefixes, and other checks need some of the 256 calls. */
export const MAX_REQUESTS = 16

type Prefixes = ReadonlyArray<ExpressionHash.HashPrefix>

/**
 * How a lookup without a confirmed finding is decided: by the local lists alone, or by asking about `prefixes`. Plain data of
 * one moment: a list that is replaced meanwhile changes no lookup that has begun.
 */
export interface LookupPlan {
  /** To be answered by the cache or a search, each once; no other prefix may leave the process. */
  readonly prefixes: Prefixes
  /** Those of `prefixes` that a threat list has. */
  readonly localHits: ReadonlySet<ExpressionHash.HashPrefix>
  /** Whether the threat lists decide about other prefixes, none of which they have. */
  readonly isLeftToLists: boolean
  readonly age: ListsAge
}

/** The state of `decide`: nothing is listed, nothing is listed as far as older data says, or nothing can be said. */
export type Decision = "ok" | "stale" | "unknown"

/**
 * Plans the lookup of the addresses with these hashes, for the prefixes that are not `cached`: a cached answer wins over a list
 * until it expires.
 *
 * In `real-time` an address of which the global cache has a whole hash is left to the threat lists, as every address is in
 * `local-list`: of its prefixes only those in a list are asked about. Of other addresses all are
 * (https://developers.google.com/safe-browsing/reference/Local.List.Mode, Real.Time.Mode and No.Storage.Real.Time.Mode).
 */
export const make = (
  mode: ReputationMode,
  lists: LocalLists,
  addresses: ReadonlyArray<ReadonlyArray<ExpressionHash.ExpressionHash>>,
  cached: ReadonlyMap<ExpressionHash.HashPrefix, unknown>
): LookupPlan => {
  const prefixes = new Set<ExpressionHash.HashPrefix>()
  const localHits = new Set<ExpressionHash.HashPrefix>()
  let isLeftToLists = false
  for (const hashes of addresses) {
    const byLists = mode === "local-list" || hashes.some(lists.isLikelySafe)
    for (const hash of hashes) {
      const prefix = ExpressionHash.prefix(hash)
      if (cached.has(prefix)) continue
      const isHit = lists.hasThreat(hash)
      if (isHit) localHits.add(prefix)
      if (isHit || !byLists) prefixes.add(prefix)
      else isLeftToLists = true
    }
  }
  return { prefixes: [...prefixes], localHits, isLeftToLists, age: lists.age }
}

/**
 * The state of a lookup of which these prefixes of the plan have no answer, and the others none that lists one of its hashes.
 * A prefix in a list without an answer is never a finding, and never clean.
 */
export const decide = ({ age, isLeftToLists, localHits }: LookupPlan, unanswered: Prefixes): Decision => {
  if (unanswered.length === 0 && !isLeftToLists) return "ok"
  if (age === "unusable" || unanswered.some((prefix) => localHits.has(prefix))) return "unknown"
  return unanswered.length > 0 || age === "stale" ? "stale" : "ok"
}

/**
 * The requests about the prefixes of many lookups, each once: at most 400 sorted prefixes each, and at most MAX_REQUESTS. The last
 * prefixes are left out if there are more. Those of a lookup may be in several requests, and are mostly in one.
 */
export const requestsFor = (lookups: ReadonlyArray<Prefixes>): ReadonlyArray<Prefixes> => {
  const distinct = [...new Set(lookups.flat())].slice(0, MAX_REQUESTS * MAX_PREFIXES)
  return Arr.chunksOf(distinct, MAX_PREFIXES).map((request) => request.sort())
}
