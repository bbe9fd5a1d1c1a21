import type { Writable } from "node:stream"
import { Cause, Duration, Effect, Exit, Layer, Logger, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as LogLine from "./Telemetry/LogLine.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/**
 * The maximum of text that is buffered for a slow reader: 1 MiB. Streams count strings in characters; log lines are almost all
 * ASCII, where a character is a byte.
 */
export const MAX_BUFFERED_CHARACTERS = 1_048_576

/** How long the process waits for a slow reader before it exits. */
const FLUSH_TIMEOUT = Duration.seconds(1)

/** Standard output or standard error. */
export interface OutputStream extends Writable {
  /** Only of a terminal. Heeds NO_COLOR and TERM. */
  readonly hasColors?: () => boolean
}

export interface LogOutput {
  /** Writes whole lines, or drops them if the buffer is full. Blocks only if the stream is a file or a terminal. */
  readonly write: (lines: string) => void
  /** Waits, for at most a second, until all earlier lines are written or have failed. */
  readonly flush: Effect.Effect<void>
}

/**
 * Writes log lines to a stream of the process. Drops lines while its reader is too slow, so that the buffer is bounded, and
 * after its reader has closed the pipe (EPIPE), so that the process does not end. Calls `onDrop` for each write that is lost.
 *
 * Node buffers writes to a pipe or a socket without limit, and writes to files and terminals synchronously
 * (https://nodejs.org/api/process.html#a-note-on-process-io).
 */
export const logOutput = (stream: OutputStream, onDrop = (): void => undefined): LogOutput => {
  // Without a listener an error would end the process. The callback of each write gets it too.
  stream.on("error", () => undefined)
  const onWritten = (error: Error | null | undefined) => {
    if (error !== null && error !== undefined) onDrop()
  }
  return {
    write: (lines) => {
      if (stream.writableLength + lines.length > MAX_BUFFERED_CHARACTERS) onDrop()
      else stream.write(lines, onWritten)
    },
    flush: Effect.async<void>((resume) => {
      stream.write("", () => resume(Effect.void))
    }).pipe(Effect.interruptible, Effect.timeoutOption(FLUSH_TIMEOUT), Effect.asVoid)
  }
}

/**
 * Logs to the stream in LOG_FORMAT: one JSON object a line, or text for people, with colours if the terminal has them. Counts
 * lines that are dropped.
 */
const toStream = (stream: OutputStream) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { logFormat, logLevel } = yield* AppConfig
      const dropped = (yield* Metrics).counter(
        "threat_scoring_log_lines_dropped_total",
        "Log lines that were dropped: the program that reads them was too slow or had ended, or the disk was full"
      )
      const output = logOutput(stream, () => dropped.update(1))
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
