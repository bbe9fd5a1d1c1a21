import { Effect, Layer, Logger, LogLevel } from "effect"
import { AppConfig } from "../AppConfig.ts"

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

/** Logs to standard output, by LOG_FORMAT: one JSON object a line, or text for people. */
export const layer = Layer.unwrapEffect(
  Effect.map(AppConfig, ({ logFormat, logLevel }) =>
    Layer.merge(logFormat === "json" ? Logger.json : Logger.pretty, Logger.minimumLogLevel(levels[logLevel]))
  )
)
