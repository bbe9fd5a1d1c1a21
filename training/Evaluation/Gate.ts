/**
 * Decides whether weights that are learned anew may replace the current ones: trains without the last month, and compares
 * both on that month.
 */

import { Cause, Effect, type Exit, Option } from "effect"
import * as ModelFile from "../../src/Checkers/Heuristics/Model/ModelFile.ts"
import type { Model } from "../../src/Checkers/Heuristics/Model.ts"
import { type Corpus, CorpusError } from "../Corpus/CorpusFolder.ts"
import * as Days from "../Corpus/Days.ts"
import type { LabelledUrl } from "../Corpus/LabelledUrl.ts"
import * as Learnable from "../Corpus/Learnable.ts"
import * as MatchedShape from "../Corpus/MatchedShape.ts"
import * as RowLimits from "../Corpus/RowLimits.ts"
import * as Extraction from "../Extraction.ts"
import { evaluateUrl } from "./EvaluatedUrl.ts"
import * as PairedComparison from "./PairedComparison.ts"

/** How the login pages that no training may see are judged. */
interface LoginResult {
  readonly pages: number
  /** The pages with a score of 70 or more, by the weights without the last month. */
  readonly alarms: ReadonlyArray<string>
  /** How many have that by the current weights. */
  readonly currentAlarms: number
}

export interface GateResult {
  /** `undecided`: there are too few rows to compare. */
  readonly verdict: "pass" | "worse" | "undecided"
  /** Why it is not `pass`. */
  readonly reasons: ReadonlyArray<string>
  /** The days of the test: later than `after`, up to `newest`. */
  readonly after: string
  readonly newest: string
  readonly phishing: number
  readonly benign: number
  readonly matchedPairs: number
  /**
   * On all rows, on those of matched shape, and for each source with enough rows on its phishing and all benign rows. None if
   * undecided.
   */
  readonly comparisons: ReadonlyArray<PairedComparison.Comparison>
  readonly logins: LoginResult
}

/** The corpus divided in time, for a test on what came last. */
export interface LastMonth {
  /** The day after which the rows of the test were first seen. */
  readonly after: string
  /** The newest day of the corpus. `""` if no row has a date. */
  readonly newest: string
  /** What was first seen until then, and all rows without a date. */
  readonly earlier: ReadonlyArray<LabelledUrl>
  /** What was first seen later, on sites of which no earlier row has one. */
  readonly later: ReadonlyArray<LabelledUrl>
}

/** The registrable domain or tenant. Undefined for a string that is no URL. */
export const siteOf = ({ url }: LabelledUrl): string | undefined => {
  const parsed = Extraction.parse(url)
  return parsed === undefined ? undefined : Extraction.siteOf(parsed)
}

/**
 * Divides a corpus at the same day of the month before its newest one, or at the last day that the current weights have
 * learned from, if that is later: what they have seen is no test of them.
 */
export const divide = (rows: ReadonlyArray<LabelledUrl>, learnedUpTo: string): LastMonth => {
  const newest = rows.reduce((latest, { firstSeen }) => (firstSeen > latest ? firstSeen : latest), "")
  if (newest === "") return { after: "", newest, earlier: rows, later: [] }
  const monthBefore = Days.monthBefore(newest)
  const after = learnedUpTo > monthBefore ? learnedUpTo : monthBefore
  const earlier = rows.filter(({ firstSeen }) => firstSeen <= after)
  const earlierSites = new Set(earlier.map(siteOf))
  const later = rows.filter((row) => row.firstSeen > after && !earlierSites.has(siteOf(row)))
  return { after, newest, earlier, later }
}

/** With fewer rows, one more or less would move recall by more than weights of one month differ (some 0.02). */
const MIN_PHISHING_ROWS = 500
/** With fewer, 0.1 % of the benign rows is less than one. */
const MIN_BENIGN_ROWS = 1000
const MIN_MATCHED_PAIRS = 200
const MIN_LOGIN_PAGES = 100

/** Of one source of phishing, to be compared by itself. */
const MIN_SOURCE_ROWS = 200

/**
 * Of one site and class in the test. With thousands of rows a feed could let one site decide: the interval, which is by sites,
 * would be so wide that nothing is worse. Of 22,956 rows of phishing of May and June 2026 this leaves out 438.
 */
const MAX_ROWS_PER_SITE = 50

const PHISHING_SCORE = 70

const tooFew = (count: number, min: number, what: string): ReadonlyArray<string> =>
  count < min ? [`${count} ${what}; at least ${min} are needed`] : []

/** Scores are without the points for plain HTTP, which show where benign rows come from. */
const judge = (model: Model, row: LabelledUrl): PairedComparison.Judgement => {
  const { value, score } = evaluateUrl(model, row)
  return { value, score }
}

const alarmsOf = (model: Model, logins: ReadonlyArray<LabelledUrl>): ReadonlyArray<string> =>
  logins.filter((row) => evaluateUrl(model, row).score >= PHISHING_SCORE).map(({ url }) => url)

/** The sources of phishing with enough rows, by name. A month of the largest one alone would hide what others lose. */
const sourcesOf = (test: ReadonlyArray<LabelledUrl>): ReadonlyArray<string> => {
  const count = new Map<string, number>()
  for (const { isPhishing, source } of test) if (isPhishing) count.set(source, (count.get(source) ?? 0) + 1)
  return [...count].flatMap(([source, rows]) => (rows >= MIN_SOURCE_ROWS ? [source] : [])).sort()
}

/** Trains with `train`, which gets the rows and the login pages to learn from. */
export const run = (
  corpus: Corpus,
  folder: string,
  current: Model,
  train: (learnable: Learnable.Learnable) => Effect.Effect<Model>
): Effect.Effect<GateResult, CorpusError> =>
  Effect.gen(function* () {
    const { after, newest, earlier, later } = divide(corpus.rows, current.learnedUpTo)
    const logins = Learnable.heldOutLogins(corpus)
    const test = RowLimits.limitGroups(
      RowLimits.limit(later).rows,
      (row) => `${row.isPhishing ? 1 : 0} ${siteOf(row) ?? row.url}`,
      MAX_ROWS_PER_SITE
    )
    const marks = MatchedShape.mark(test)
    const phishing = test.filter(({ isPhishing }) => isPhishing).length
    const benign = test.length - phishing
    const matchedPairs = marks.reduce((sum, mark) => sum + mark, 0) / 2
    const counted = { after, newest, phishing, benign, matchedPairs }
    const missing = [
      ...tooFew(phishing, MIN_PHISHING_ROWS, "rows of phishing"),
      ...tooFew(benign, MIN_BENIGN_ROWS, "benign rows"),
      ...tooFew(matchedPairs, MIN_MATCHED_PAIRS, "pairs of matched shape"),
      ...tooFew(logins.length, MIN_LOGIN_PAGES, "login pages that were not learned from")
    ]
    if (missing.length > 0)
      return {
        ...counted,
        verdict: "undecided",
        reasons: missing,
        comparisons: [],
        logins: { pages: logins.length, alarms: [], currentAlarms: 0 }
      } satisfies GateResult

    const learnable = yield* Learnable.learnable({ ...corpus, rows: earlier }, folder)
    const weights = yield* train(learnable)
    const candidate = yield* Effect.orDie(ModelFile.decode(ModelFile.encode(weights), "the new weights"))
    const rows = test.map((row) => ({
      isPhishing: row.isPhishing,
      source: row.source,
      site: siteOf(row) ?? row.url,
      current: judge(current, row),
      candidate: judge(candidate, row)
    }))
    const among = (name: string, compared: typeof rows): ReadonlyArray<PairedComparison.Comparison> =>
      PairedComparison.compare(compared).map((comparison) => ({
        ...comparison,
        measure: `${comparison.measure}${name}`
      }))
    const comparisons = [
      ...among("", rows),
      ...among(
        ", matched shape",
        rows.filter((_, index) => marks[index] === 1)
      ),
      ...sourcesOf(test).flatMap((source) =>
        among(
          `, ${source}`,
          rows.filter((row) => !row.isPhishing || row.source === source)
        )
      )
    ]
    const alarms = alarmsOf(candidate, logins)
    // The reasons are published, the rows are not.
    const reasons = [
      ...comparisons.filter(({ isWorse }) => isWorse).map(({ measure }) => measure),
      ...(alarms.length > 0 ? [`${alarms.length} login pages have a score of ${PHISHING_SCORE} or more`] : [])
    ]
    return {
      ...counted,
      verdict: reasons.length === 0 ? "pass" : "worse",
      reasons,
      comparisons,
      logins: { pages: logins.length, alarms, currentAlarms: alarmsOf(current, logins).length }
    } satisfies GateResult
  })

/** Of `npm run evaluate -- --gate`. The workflow goes on with 0, ends in order with 2, and fails with the others. */
export const exitCodes = { pass: 0, worse: 1, undecided: 2, failed: 3 } as const

const isTooSmall = (error: unknown): boolean =>
  error instanceof CorpusError && (error.reason === "NoRows" || error.reason === "NoDates")

/** The exit status of a gate, which has failed if there is a defect or if a file cannot be read. */
export const exitCodeOf = (exit: Exit.Exit<GateResult, unknown>): number => {
  if (exit._tag === "Success") return exitCodes[exit.value.verdict]
  return Option.exists(Cause.failureOption(exit.cause), isTooSmall) ? exitCodes.undecided : exitCodes.failed
}
