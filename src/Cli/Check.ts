import { Clock, Effect, Option, Stream } from "effect"
import { type Verdict, verdicts } from "../Checkers/Checker/CheckerNames.ts"
import { type Checked, Checkers } from "../Checkers/Checkers.ts"
import { type Result, resultOf } from "../Checkers/Result.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import { type Format, whereOf } from "./Formats.ts"
import type { Batch, Place } from "./Lines.ts"
import * as Output from "./Output.ts"
import * as Tally from "./Tally.ts"

interface Input<E, R> {
  readonly batches: Stream.Stream<Batch, E, R>
  /** Undefined if unknown. */
  readonly bytes?: number | undefined
}

interface Settings {
  readonly format: Format
  /** Only results of this verdict or a worse one are written. */
  readonly only: Verdict
  /** Decides only what the last lines say. */
  readonly policy: Tally.Policy
}

/** URLs checked at a time with the reputation lookup. Without it no checker waits, so concurrency would only cost. */
const CONCURRENCY = 64

/** Short inputs show no progress bar. */
const PROGRESS_BAR_DELAY_MS = 1_000

const MIN_REDRAW_INTERVAL_MS = 100

const BAR_WIDTH = 24

/** How an address in a log looks says nothing: it counts only if a list has it. */
const withoutHeuristics = (checked: Checked): Checked => ({
  ...checked,
  outcomes: checked.outcomes.map((outcome) =>
    outcome.checker === "heuristics" ? { ...outcome, findings: [] } : outcome
  )
})

/**
 * Returns the progress as one line, without a line break. Of 12,000 URLs in 4 seconds, the half of the input, it is
 * `"[############............]  50 %  12,000 checked, 3,000/s"`; without a bar if the length of the input is unknown.
 */
const progressLine = (checked: number, millis: number, fraction: number | undefined): string => {
  const perSecond = Math.round(checked / Math.max(millis / 1_000, 1))
  const numbers = `${Tally.shown(checked)} checked, ${Tally.shown(perSecond)}/s`
  if (fraction === undefined) return numbers
  const full = Math.round(Math.min(fraction, 1) * BAR_WIDTH)
  const percent = String(Math.floor(Math.min(fraction, 1) * 100)).padStart(3)
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${percent} %  ${numbers}`
}

/** Erases the current line. */
const ERASE = "\r\u001b[2K"

/** Disables wrapping for the line: `ERASE` would remove only the last row of a wrapped one. */
const unwrapped = (line: string): string => `\u001b[?7l${line}\u001b[?7h`

/** Writes what follows the results: totals of a table, and what the user must know of the others. */
const writeEnd = Effect.fnUntraced(function* (
  tally: Tally.Tally,
  { format, only, policy }: Settings,
  output: Output.Output
) {
  for (const line of Tally.unreadableLines(tally)) yield* output.notice(`${line}\n`)
  if (Tally.total(tally) === 0) return yield* output.warn("0 checked\n")
  if (format.footer !== undefined) return yield* output.write(format.footer(tally, only, policy))
  const notUrls = Tally.notUrls(tally)
  if (notUrls !== undefined) yield* output.notice(`${notUrls}\n`)
  const gaps = Tally.gaps(tally, policy)
  const isError = Tally.failsStrictly(tally, policy)
  if (gaps !== undefined) yield* (isError ? output.notice : output.warn)(`${gaps}\n`)
})

/**
 * Checks each URL of the input and writes its result, in the order of the input. Reads the next batch when the results of the
 * previous one have been written. Returns the totals: of what was checked, if the reader of the output closes it.
 */
export const run = Effect.fn("Check.run")(function* <E, R>(
  input: Input<E, R>,
  settings: Settings,
  output: Output.Output
) {
  const checkers = yield* Checkers
  const { reputation } = yield* AppConfig
  const { format, only } = settings
  const concurrency = Option.isSome(reputation) ? CONCURRENCY : 1
  const tally = Tally.make()
  const start = yield* Clock.currentTimeMillis
  let isHeaderWritten = false
  let firstPlace: Place | undefined
  let drawnAt: number | undefined

  const row = (result: Result | undefined, place: Place | undefined): string => {
    if (result === undefined)
      return place !== undefined && only === "safe" ? (format.blank?.(place) ?? "") : ""
    Tally.add(tally, result, place && whereOf(place))
    return verdicts.indexOf(result.verdict) >= verdicts.indexOf(only) ? format.row(result, place) : ""
  }

  const write = (rows: string) => {
    const text = (isHeaderWritten ? "" : format.header(firstPlace)) + rows
    isHeaderWritten = true
    return output.write(text)
  }

  const eraseBar = Effect.suspend(() => (drawnAt === undefined ? Effect.void : output.notice(ERASE)))
  const drawBar = (bytesRead: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (!output.hasProgress || now - start < PROGRESS_BAR_DELAY_MS) return Effect.void
      if (drawnAt !== undefined && now - drawnAt < MIN_REDRAW_INTERVAL_MS) return Effect.void
      drawnAt = now
      const fraction = input.bytes === undefined ? undefined : bytesRead / Math.max(input.bytes, 1)
      const line = progressLine(Tally.total(tally), now - start, fraction)
      return output.notice(ERASE + unwrapped(line))
    })

  yield* Stream.runForEach(input.batches, ({ urls, places = [], unreadable, bytesRead }) =>
    Effect.gen(function* () {
      firstPlace ??= places[0]
      const results = yield* Effect.forEach(
        urls,
        (url, index) =>
          url === "" && places[index]?.record !== undefined
            ? Effect.succeed(undefined)
            : Effect.map(checkers.checkAll(url), (checked) =>
                resultOf(url, places[index]?.isAddress === true ? withoutHeuristics(checked) : checked)
              ),
        { concurrency }
      )
      for (const { reason, ...place } of unreadable) Tally.addUnreadable(tally, whereOf(place), reason)
      const rows = results.map((result, index) => row(result, places[index])).join("")
      if (rows !== "" && output.isSameTerminal) yield* eraseBar
      if (rows !== "") yield* write(rows)
      yield* drawBar(bytesRead)
    })
  ).pipe(
    Effect.ensuring(eraseBar),
    Effect.zipRight(Effect.suspend(() => (format.footer === undefined ? write("") : Effect.void))),
    Effect.zipRight(Effect.suspend(() => writeEnd(tally, settings, output))),
    Output.endIfClosed
  )
  return tally
})
