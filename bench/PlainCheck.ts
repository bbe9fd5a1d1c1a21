/**
 * What a developer who wants nothing but speed would write: the very functions that the six checkers are made of, called
 * one after the other, without Effect, limits, caches that expire, or anything that can fail.
 */
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { Effect, Option } from "effect"
import type { CheckerResult } from "../src/Checkers/Checker.ts"
import * as FeedChecker from "../src/Checkers/FeedChecker.ts"
import * as ModelFile from "../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as Heuristics from "../src/Checkers/Heuristics.ts"
import * as ReputationLookup from "../src/Checkers/ReputationLookup.ts"
import * as Verdict from "../src/Checkers/Verdict.ts"
import type { FeedSlot } from "../src/Layers/AppConfig.ts"
import type { CurrentList } from "../src/Lists/ThreatFeed.ts"
import * as ThreatListBytes from "../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../src/Lists/ThreatList.ts"
import * as Submission from "../src/Url/Submission.ts"

export interface PlainAnswer {
  readonly url: string
  readonly score: number
  readonly verdict: ReturnType<typeof Verdict.verdict>
  readonly reasons: ReadonlyArray<string>
  readonly executionTimeMs: Readonly<Record<string, number>>
}

const noPopularSites = { isSite: () => false, isOnSite: () => false }

/** A lookup's result for a submission. */
export type Lookup = (submission: Submission.Submission) => CheckerResult

export type PlainCheck = (submission: Submission.Submission, lookup: Lookup) => PlainAnswer

/** Has the responses about the prefixes of these URLs, none of which is listed, and finds nothing. */
const knownLookup = (known: ReadonlyArray<string>): Lookup => {
  const reputation = new Map<string, ReadonlyArray<never>>()
  for (const url of known)
    for (const prefix of ReputationLookup.prefixesOf(
      ReputationLookup.hashesOf(Submission.read(url, Date.now()))
    ))
      reputation.set(prefix, [])
  return (submission) => {
    const hashes = ReputationLookup.hashesOf(submission)
    const listed = ReputationLookup.prefixesOf(hashes).flatMap((prefix) => reputation.get(prefix) ?? [])
    return ReputationLookup.resultFor(submission, hashes, listed)
  }
}

/** Has the weights beside `main`, and looks into the lists of the given files. */
export const make = async (main: string, listFiles: ReadonlyArray<string>): Promise<PlainCheck> => {
  const model = await Effect.runPromise(ModelFile.load(new URL("./model.bin", pathToFileURL(main))))
  const fetchedAt = Date.now()
  const lists = listFiles.map((file): CurrentList => {
    const stored = readFileSync(file)
    const bytes = new Uint8Array(new SharedArrayBuffer(stored.length))
    bytes.set(stored)
    return { list: new ThreatList(Option.getOrThrow(ThreatListBytes.open(bytes))), fetchedAt, isStale: false }
  })
  return (submission, lookup) => {
    const times: Array<number> = []
    const timed = <A>(work: () => A, from = performance.now()): A => {
      const result = work()
      times.push(Math.round((performance.now() - from) * 1000) / 1000)
      return result
    }
    const start = performance.now()
    const inList = (slot: FeedSlot, list: CurrentList | undefined) =>
      timed(() =>
        list === undefined
          ? []
          : FeedChecker.findings(slot, list, "bench", submission.addresses, noPopularSites)
      )
    const findings = [
      ...timed(() => Heuristics.findings(model, submission), start),
      ...inList("feed_a", lists[0]),
      ...timed(() => lookup(submission).findings),
      ...inList("feed_b", lists[1]),
      ...inList("feed_c", lists[2]),
      ...inList("feed_d", lists[3])
    ]
    const judged = Verdict.judge(findings)
    const [heuristics = 0, feed_a = 0, reputation_lookup = 0, feed_b = 0, feed_c = 0, feed_d = 0] = times
    return {
      url: submission.submitted,
      score: judged.score,
      verdict: judged.verdict,
      reasons: judged.findings.map(({ reason }) => reason),
      executionTimeMs: { heuristics, feed_a, reputation_lookup, feed_b, feed_c, feed_d }
    }
  }
}

/** A check of a URL, with the responses about `known`. */
export const makeKnown = async (
  main: string,
  listFiles: ReadonlyArray<string>,
  known: ReadonlyArray<string>
) => {
  const check = await make(main, listFiles)
  const lookup = knownLookup(known)
  return (url: string): PlainAnswer => check(Submission.read(url, Date.now()), lookup)
}

export type KnownCheck = Awaited<ReturnType<typeof makeKnown>>
