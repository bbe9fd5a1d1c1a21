import { Effect, Layer, Logger, LogLevel, Option } from "effect"
import { AppConfig } from "../AppConfig.ts"
import * as LogLine from "./LogLine.ts"
import * as LogOutput from "./LogOutput.ts"
import { Metrics } from "./Metrics.ts"

/** By the values of `LOG_LEVEL`. */
export const levels = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  fatal: LogLevel.Fatal,
  none: LogLevel.None
} as const

/**
 * Logs to the stream in LOG_FORMAT: one JSON object a line, or text for people, with colours if the terminal has them. Counts
 * lines that are dropped, and logs their number when it can write again.
 */
const toStream = (stream: LogOutput.OutputStream) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { logFormat, logLevel } = yield* AppConfig
      const dropped = (yield* Metrics).counter(
        "threat_scoring_log_lines_dropped_total",
        "Log lines that were not written: their reader is too slow or has gone, or the disk is full"
      )
      let droppedLines = 0
      const output = LogOutput.make(stream, {
        onDrop: () => {
          droppedLines++
          dropped.update(1)
        },
        onRecovery: () => void Effect.runFork(Effect.provide(reportDropped, loggers))
      })
      const reportDropped = Effect.suspend(() =>
        Effect.annotateLogs(Effect.logWarning("Log lines were dropped"), { linesSinceStart: droppedLines })
      )
      const format = logFormat === "json" ? LogLine.json : LogLine.forPeople(stream.hasColors?.() === true)
      const loggers = Layer.mergeAll(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make((record) => output.write(`${format(record)}\n`))
        ),
        Logger.minimumLogLevel(levels[logLevel]),
        // Effect would log the failure of each fiber with its stack at level debug, also one that is handled elsewhere.
        Layer.setUnhandledErrorLogLevel(Option.none())
      )
      yield* Effect.addFinalizer(() => output.flush)
      return loggers
    })
  )

/** Logs to standard output. */
export const layer = Layer.suspend(() => toStream(process.stdout))
