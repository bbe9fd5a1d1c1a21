import { Cause, Effect, Exit, Layer, Logger, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as LogLine from "./Telemetry/LogLine.ts"
import * as LogOutput from "./Telemetry/LogOutput.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/**
 * Logs to the stream in LOG_FORMAT: one JSON object a line, or text for people, with colours if the terminal has them. Counts
 * lines that are dropped.
 */
const toStream = (stream: LogOutput.OutputStream) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { logFormat, logLevel } = yield* AppConfig
      const dropped = (yield* Metrics).counter(
        "threat_scoring_log_lines_dropped_total",
        "Log lines that were dropped: the program that reads them was too slow or had ended, or the disk was full"
      )
      const output = LogOutput.make(stream, () => dropped.update(1))
      const format = logFormat === "json" ? LogLine.json : LogLine.forPeople(stream.hasColors?.() === true)
      yield* Effect.addFinalizer(() => output.flush)
      return Layer.mergeAll(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make((record) => output.write(`${format(record)}\n`))
        ),
        Logger.minimumLogLevel(logLevel),
        // Effect would log the failure of each fiber with its stack at level debug, also one that is handled elsewhere.
        Layer.setUnhandledErrorLogLevel(Option.none())
      )
    })
  )

/** Logs to standard output. */
export const logging = Layer.suspend(() => toStream(process.stdout))

/** The metrics, the log, which counts lines that are dropped, and the traces, whose exporter logs and counts lost spans. */
export const layer = Tracing.layer.pipe(Layer.provideMerge(logging), Layer.provideMerge(Metrics.layer))

/** Logs the end of a shutdown, when every layer that uses this one has been released. */
export const logEnd = Layer.scopedDiscard(
  Effect.addFinalizer((exit) =>
    // A layer that fails during the start interrupts those beside it: that is not a shutdown.
    Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.logInfo("shut down") : Effect.void
  )
)
