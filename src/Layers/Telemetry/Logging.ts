import { Console as NodeConsole } from "node:console"
import { Writable } from "node:stream"
import { Console, Effect, Layer, Logger, LogLevel } from "effect"
import { AppConfig } from "../AppConfig.ts"
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

/** A console that passes its lines to `write`. Effect's loggers use its `log` and `group`. */
const consoleOn = (write: (lines: string) => void, hasColors: boolean) => {
  const stdout = new Writable({
    decodeStrings: false,
    write: (lines, _encoding, done) => {
      write(String(lines))
      done()
    }
  })
  return new NodeConsole({ stdout, ignoreErrors: false, colorMode: hasColors })
}

/**
 * Logs to the stream in LOG_FORMAT: one JSON object a line, or text for people. Counts lines that are dropped, and logs their
 * number when it can write again.
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
      const effectConsole = yield* Effect.console
      const loggers = Layer.mergeAll(
        Console.setConsole({
          ...effectConsole,
          unsafe: consoleOn(output.write, stream.isTTY === true)
        }),
        logFormat === "json" ? Logger.json : Logger.pretty,
        Logger.minimumLogLevel(levels[logLevel])
      )
      yield* Effect.addFinalizer(() => output.flush)
      return loggers
    })
  )

/** Logs to standard output. */
export const layer = Layer.suspend(() => toStream(process.stdout))
