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

interface Input<E, R> {
  readonly batches: Stream.Stream<Batch, E, R>
  /** Size in bytes, if known. */
  readonly bytes: Option.Option<number>
}

/** URLs checked at a time with the reputation lookup. Without it no checker waits, so concurrency would only cost. */
const CONCURRENCY = 64

/** Short inputs show no progress bar. */
const PROGRESS_BAR_DELAY_MS = 1_000

const MIN_REDRAW_INTERVAL_MS = 100

const progressLine = (tally: Tally.Tally, millis: number, fraction: number | undefined): string => {
  const { safe, suspicious, phishing } = tally.verdicts
  return ProgressBar.draw({ checked: safe + suspicious + phishing, seconds: millis / 1_000, fraction })
}

/**
 * Checks each URL of the input and writes a report for each, in the order of the input. Reads the next batch when the
 * reports of the previous one have been written. Returns the totals. `policy` only decides what the last line says.
 */
export const run = Effect.fn("Check.run")(function* <E, R>(
  input: Input<E, R>,
  format: Format,
  output: Output,
  policy: Tally.Policy = Tally.defaultPolicy
) {
  const checkers = yield* Checkers
  const { reputation } = yield* AppConfig
  const concurrency = Option.isSome(reputation) ? CONCURRENCY : 1
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
      if (!output.hasProgress || now - start < PROGRESS_BAR_DELAY_MS) return Effect.void
      if (drawnAt !== undefined && now - drawnAt < MIN_REDRAW_INTERVAL_MS) return Effect.void
      drawnAt = now
      const fraction = Option.getOrUndefined(
        Option.map(input.bytes, (bytes) => bytesRead / Math.max(bytes, 1))
      )
      return output.notice(ProgressBar.inPlace(progressLine(tally, now - start, fraction)))
    })

  if (format._tag === "Table") yield* output.write(Table.header(format))
  yield* Stream.runForEach(input.batches, ({ urls, unreadable, bytesRead }) =>
    Effect.gen(function* () {
      const reports = yield* Effect.forEach(
        urls,
        (url) => Effect.map(checkers.checkAll(url), (checked) => Report.make(url, checked)),
        { concurrency }
      )
      if (output.isSameTerminal || unreadable.length > 0) yield* eraseBar
      yield* output.write(reports.map(text).join(""))
      for (const { line, reason } of unreadable)
        yield* output.notice(`Line ${line} is ${reason} and was not checked\n`)
      tally.unchecked += unreadable.length
      yield* drawBar(bytesRead)
    })
  ).pipe(Effect.ensuring(eraseBar))
  if (format._tag === "Table") yield* output.write(Table.footer(tally, policy, format))
  else {
    const gaps = Tally.gaps(tally, policy)
    if (gaps !== undefined) yield* output.notice(`Incomplete: ${gaps}\n`)
  }
  return tally
})
