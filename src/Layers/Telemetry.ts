import type { Writable } from "node:stream"
import {
  Cause,
  Duration,
  Effect,
  Either,
  Exit,
  HashMap,
  Inspectable,
  Layer,
  Logger,
  Option,
  Predicate
} from "effect"
import { AppConfig } from "./AppConfig.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import * as OtlpTracing from "./Telemetry/OtlpTracing.ts"
import { printable, printableJson } from "./Telemetry/Printable.ts"

/**
 * A plain object of a message: fields that its text says already, as in
 * `Effect.logInfo("feed_a has 12 entries", { feed: "feed_a", entries: 12 })`. A JSON line has them, a line on a terminal does not
 * repeat them. They replace annotations of these names.
 */
type Fields = Readonly<Record<string, unknown>>

const isFields = (part: unknown): part is Fields =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

type LogRecord = Logger.Logger.Options<unknown>

const partsOf = ({ message }: LogRecord): ReadonlyArray<unknown> =>
  Array.isArray(message) ? message : [message]

/** A logger that throws would end the fiber that logs. */
const orElse = (text: () => string, instead: () => string): string =>
  Either.getOrElse(Either.try(text), instead)

const toText = (value: unknown): string =>
  orElse(
    () => Inspectable.toStringUnknown(value, 0),
    () => "(a value that has no text)"
  )

/** The message without its fields. */
export const textOf = (record: LogRecord): string =>
  partsOf(record).filter(Predicate.not(isFields)).map(toText).join(" ")

const fieldsOf = (record: LogRecord): Fields => Object.assign({}, ...partsOf(record).filter(isFields))

/** The annotations that the message does not say, by the alphabet. */
export const shownFieldsOf = (record: LogRecord): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const said = fieldsOf(record)
  return [...HashMap.entries(record.annotations)]
    .filter(([name, value]) => !Object.hasOwn(said, name) && value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

const causeOf = ({ cause }: LogRecord): string | undefined =>
  Cause.isEmpty(cause)
    ? undefined
    : orElse(
        () => Cause.pretty(cause, { renderErrorCause: true }),
        // Of an error that is its own cause, which `pretty` cannot show.
        () => {
          const error = Cause.squash(cause)
          return toText(error instanceof Error ? error.stack : error)
        }
      )

const valueInJson = (value: unknown): unknown =>
  value === null || ["string", "number", "boolean", "undefined"].includes(typeof value)
    ? value
    : toText(value)

/**
 * One JSON object without nested ones: `level`, `time`, `message`, then the fields, then `cause` if there is one. Escaped for
 * terminals, and for readers that end a line at U+2028 or U+0085.
 */
export const jsonLine = (record: LogRecord): string =>
  printableJson(
    JSON.stringify({
      level: record.logLevel._tag.toLowerCase(),
      time: record.date.toISOString(),
      message: textOf(record),
      ...Object.fromEntries(
        [...shownFieldsOf(record), ...Object.entries(fieldsOf(record))].map(([name, value]) => [
          name,
          valueInJson(value)
        ])
      ),
      cause: causeOf(record)
    })
  )

const shown = (value: unknown): string => {
  const text = toText(value)
  return printable(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))
}

/** The codes of ECMA-48 for colours. */
const DIM = 2
const CYAN = 36
const colors: Readonly<Record<string, number>> = { Fatal: 31, Error: 31, Warning: 33, Info: 32 }

/**
 * One line for people: `17:30:05 WARN  A message. name=value`, in the time zone of the process. A cause, which only a bug has,
 * follows on lines of its own.
 */
export const lineForPeople =
  (hasColors: boolean) =>
  (record: LogRecord): string => {
    const paint = (color: number, text: string) =>
      hasColors && text !== "" ? `\u001b[${color}m${text}\u001b[0m` : text
    const fields = shownFieldsOf(record).map(([name, value]) => ` ${printable(name)}=${shown(value)}`)
    const label = record.logLevel.label.padEnd("ERROR".length)
    const color = colors[record.logLevel._tag] ?? CYAN
    const time = record.date.toTimeString().slice(0, "17:30:05".length)
    const line = `${paint(DIM, time)} ${paint(color, label)} ${printable(textOf(record))}${paint(DIM, fields.join(""))}`
    const cause = causeOf(record)
    if (cause === undefined) return line
    return [line, ...cause.split("\n").map((text) => `  ${printable(text)}`)].join("\n")
  }

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

/**
 * Writes log lines to a stream of the process. Drops lines while its reader is too slow, so that the buffer is bounded, and
 * after its reader has closed the pipe (EPIPE), so that the process does not end. Calls `onDrop` for each write that is lost.
 *
 * Node buffers writes to a pipe or a socket without limit, and writes to files and terminals synchronously
 * (https://nodejs.org/api/process.html#a-note-on-process-io).
 */
export const logOutput = (stream: OutputStream, onDrop = (): void => undefined) => {
  // Without a listener an error would end the process. The callback of each write gets it too.
  stream.on("error", () => undefined)
  const onWritten = (error: Error | null | undefined) => {
    if (error !== null && error !== undefined) onDrop()
  }
  return {
    /** Writes whole lines, or drops them if the buffer is full. Blocks only if the stream is a file or a terminal. */
    write: (lines: string): void => {
      if (stream.writableLength + lines.length > MAX_BUFFERED_CHARACTERS) onDrop()
      else stream.write(lines, onWritten)
    },
    /** Waits, for at most a second, until all earlier lines are written or have failed. */
    flush: Effect.async<void>((resume) => {
      stream.write("", () => resume(Effect.void))
    }).pipe(Effect.interruptible, Effect.timeoutOption(FLUSH_TIMEOUT), Effect.asVoid)
  }
}

/**
 * Logs to standard output in LOG_FORMAT: one JSON object a line, or text for people, with colours if the terminal has them. Counts
 * lines that are dropped.
 */
export const logging = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { logFormat, logLevel } = yield* AppConfig
    const dropped = (yield* Metrics).counter(
      "threat_scoring_log_lines_dropped_total",
      "Log lines that were dropped: the program that reads them was too slow or had ended, or the disk was full"
    )
    const stream: OutputStream = process.stdout
    const output = logOutput(stream, () => dropped.update(1))
    const format = logFormat === "json" ? jsonLine : lineForPeople(stream.hasColors?.() === true)
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

/** The metrics, the log, which counts lines that are dropped, and the traces, whose exporter logs and counts lost spans. */
export const layer = OtlpTracing.layer.pipe(Layer.provideMerge(logging), Layer.provideMerge(Metrics.layer))

/** Logs the end of a shutdown, when every layer that uses this one has been released. */
export const logEnd = Layer.scopedDiscard(
  Effect.addFinalizer((exit) =>
    // A layer that fails during the start interrupts those beside it: that is not a shutdown.
    Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.logInfo("shut down") : Effect.void
  )
)
