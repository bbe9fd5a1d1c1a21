import { Clock, Effect, Option, Stream } from "effect"
import { Checkers } from "../Checkers/Checkers.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Batch } from "./Lines.ts"
import type { Output } from "./Output.ts"
import * as ProgressBar from "./ProgressBar.ts"
import * as Report from "./Report.ts"
import * as Table from "./Table.ts"
import * as Tally from "./Tally.ts"

export type Format = { readonly _tag: "JsonLines" } | ({ readonly _tag: "Table" } & Table.Style)

export interface Input<E, R> {
  readonly batches: Stream.Stream<Batch, E, R>
  /** How many bytes it has, where that is known. */
  readonly bytes: Option.Option<number>
}

/**
 * How many URLs wait for the reputation lookup at a time. Without it nothing waits for anything, and more than one at a time
 * would only cost.
 */
const AT_A_TIME = 64

/** Short inputs need no progress bar. */
const MILLIS_BEFORE_BAR = 1_000

const MILLIS_BETWEEN_BARS = 100

const draw = (tally: Tally.Tally, millis: number, part: number | undefined): string => {
  const { safe, suspicious, phishing } = tally.verdicts
  return ProgressBar.draw({ checked: safe + suspicious + phishing, seconds: millis / 1_000, part })
}

/**
 * Checks each URL of the input and writes the reports in its order, batch for batch: the next is read when the one before
 * has been taken. What is left at the end is what was counted.
 */
export const run = Effect.fn("Check.run")(function* <E, R>(
  input: Input<E, R>,
  format: Format,
  output: Output
) {
  const checkers = yield* Checkers
  const { reputation } = yield* AppConfig
  const concurrency = Option.isSome(reputation.key) ? AT_A_TIME : 1
  const tally = Tally.make()
  const start = yield* Clock.currentTimeMillis
  let drawnAt: number | undefined

  const text = (report: Report.Report): string => {
    Tally.add(tally, report)
    return format._tag === "JsonLines" ? Report.jsonLine(report) : Table.row(report, format)
  }

  const eraseBar = Effect.suspend(() =>
    drawnAt === undefined ? Effect.void : output.notice(ProgressBar.erase)
  )
  const drawBar = (bytesRead: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (!output.isWatched || now - start < MILLIS_BEFORE_BAR) return Effect.void
      if (drawnAt !== undefined && now - drawnAt < MILLIS_BETWEEN_BARS) return Effect.void
      drawnAt = now
      const part = Option.getOrUndefined(Option.map(input.bytes, (bytes) => bytesRead / Math.max(bytes, 1)))
      return output.notice(ProgressBar.inPlace(draw(tally, now - start, part)))
    })

  if (format._tag === "Table") yield* output.write(Table.header(format))
  yield* Stream.runForEach(input.batches, ({ urls, unreadable, bytesRead }) =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.forEach(urls, (url) => checkers.checkAll(url), { concurrency })
      const reports = outcomes.map((outcomes, index) => Report.make(urls[index] ?? "", outcomes))
      if (output.isShared || unreadable.length > 0) yield* eraseBar
      yield* output.write(reports.map(text).join(""))
      for (const { line, why } of unreadable)
        yield* output.notice(`Line ${line} is ${why} and was not checked\n`)
      tally.unchecked += unreadable.length
      yield* drawBar(bytesRead)
    })
  ).pipe(Effect.ensuring(eraseBar))
  if (format._tag === "Table") yield* output.write(Table.footer(tally, format))
  else {
    const gaps = Tally.gaps(tally)
    if (gaps !== undefined) yield* output.notice(`Incomplete: ${gaps}\n`)
  }
  return tally
})
