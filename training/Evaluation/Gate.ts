/**
 * Decides whether weights that are learned anew may replace the current ones: trains without the last month, and compares
 * both on that month.
 */

import { Effect } from "effect"
import * as ModelFile from "../../src/Checkers/Heuristics/Model/ModelFile.ts"
import type { Model, ModelWeights } from "../../src/Checkers/Heuristics/Model.ts"
import type { Corpus, CorpusError } from "../Corpus/CorpusFolder.ts"
import type { LabelledUrl } from "../Corpus/LabelledUrl.ts"
import * as Learnable from "../Corpus/Learnable.ts"
import * as MatchedShape from "../Corpus/MatchedShape.ts"
import * as RowLimits from "../Corpus/RowLimits.ts"
import * as Bootstrap from "./Bootstrap.ts"
import { evaluateUrl } from "./EvaluatedUrl.ts"
import * as LastMonth from "./LastMonth.ts"

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
  /** None if undecided. */
  readonly full: ReadonlyArray<Bootstrap.Comparison>
  readonly matched: ReadonlyArray<Bootstrap.Comparison>
  /** The phishing of each source with enough rows, against all benign rows. */
  readonly bySource: ReadonlyArray<{
    readonly source: string
    readonly comparisons: ReadonlyArray<Bootstrap.Comparison>
  }>
  readonly logins: LoginResult
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
const judge = (model: Model, row: LabelledUrl): Bootstrap.Judgement => {
  const { value, score } = evaluateUrl(model, row)
  return { value, score }
}

const alarmsOf = (model: Model, logins: ReadonlyArray<LabelledUrl>): ReadonlyArray<string> =>
  logins.filter((row) => evaluateUrl(model, row).score >= PHISHING_SCORE).map(({ url }) => url)

const worseMeasures = (
  shape: string,
  comparisons: ReadonlyArray<Bootstrap.Comparison>
): ReadonlyArray<string> =>
  comparisons.filter(({ isWorse }) => isWorse).map(({ measure }) => `${measure}${shape}`)

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
  train: (learnable: Learnable.Learnable) => Effect.Effect<ModelWeights>
): Effect.Effect<GateResult, CorpusError> =>
  Effect.gen(function* () {
    const { after, newest, earlier, later } = LastMonth.divide(corpus.rows, current.learnedUpTo)
    const logins = Learnable.heldOutLogins(corpus)
    const test = RowLimits.limitGroups(
      RowLimits.limit(later).rows,
      (row) => `${row.isPhishing ? 1 : 0} ${LastMonth.siteOf(row) ?? row.url}`,
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
        full: [],
        matched: [],
        bySource: [],
        logins: { pages: logins.length, alarms: [], currentAlarms: 0 }
      } satisfies GateResult

    const learnable = yield* Learnable.learnable({ ...corpus, rows: earlier }, folder)
    const weights = yield* train(learnable)
    const candidate = yield* Effect.orDie(ModelFile.decode(ModelFile.encode(weights), "the new weights"))
    const rows = test.map((row) => ({
      isPhishing: row.isPhishing,
      source: row.source,
      site: LastMonth.siteOf(row) ?? row.url,
      current: judge(current, row),
      candidate: judge(candidate, row)
    }))
    const full = Bootstrap.compare(rows)
    const matched = Bootstrap.compare(rows.filter((_, index) => marks[index] === 1))
    const bySource = sourcesOf(test).map((source) => ({
      source,
      comparisons: Bootstrap.compare(rows.filter((row) => !row.isPhishing || row.source === source)).filter(
        ({ measure }) => Bootstrap.atCurrentFalsePositives.has(measure)
      )
    }))
    const alarms = alarmsOf(candidate, logins)
    // The reasons are published, the rows are not.
    const reasons = [
      ...worseMeasures("", full),
      ...worseMeasures(", matched shape", matched),
      ...bySource.flatMap(({ comparisons, source }) => worseMeasures(`, ${source}`, comparisons)),
      ...(alarms.length > 0 ? [`${alarms.length} login pages have a score of ${PHISHING_SCORE} or more`] : [])
    ]
    return {
      ...counted,
      verdict: reasons.length === 0 ? "pass" : "worse",
      reasons,
      full,
      matched,
      bySource,
      logins: { pages: logins.length, alarms, currentAlarms: alarmsOf(current, logins).length }
    } satisfies GateResult
  })
