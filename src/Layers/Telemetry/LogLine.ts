import { Cause, Either, HashMap, Inspectable, type Logger } from "effect"
import { printable, printableJson } from "./Printable.ts"

type Fields = Readonly<Record<string, unknown>>

/** Fields that the message says already: a JSON line has them, a line on a terminal does not repeat them. */
class JsonOnly {
  readonly fields: Fields
  constructor(fields: Fields) {
    this.fields = fields
  }
}

/** `Effect.logInfo("feed_a has 12 entries", jsonOnly({ feed: "feed_a", entries: 12 }))`. Replaces annotations of these names. */
export const jsonOnly = (fields: Fields) => new JsonOnly(fields)

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
  partsOf(record)
    .filter((part) => !(part instanceof JsonOnly))
    .map(toText)
    .join(" ")

const jsonOnlyOf = (record: LogRecord): Fields =>
  Object.assign({}, ...partsOf(record).map((part) => (part instanceof JsonOnly ? part.fields : {})))

/** The annotations that the message does not say, by the alphabet. */
export const shownFieldsOf = (record: LogRecord): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const said = jsonOnlyOf(record)
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

/** The level by its name in LOG_LEVEL. */
const levelOf = ({ logLevel }: LogRecord): string => logLevel._tag.toLowerCase()

const valueInJson = (value: unknown): unknown =>
  value === null || ["string", "number", "boolean", "undefined"].includes(typeof value)
    ? value
    : toText(value)

/**
 * One JSON object without nested ones: `level`, `time`, `message`, then the fields, then `cause` if there is one. Escaped for
 * terminals, and for readers that end a line at U+2028 or U+0085.
 */
export const json = (record: LogRecord): string =>
  printableJson(
    JSON.stringify({
      level: levelOf(record),
      time: record.date.toISOString(),
      message: textOf(record),
      ...Object.fromEntries(
        [...shownFieldsOf(record), ...Object.entries(jsonOnlyOf(record))].map(([name, value]) => [
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

/** In the time zone of the process. */
const clockTime = (date: Date): string => date.toTimeString().slice(0, "17:30:05".length)

/**
 * One line for people: `17:30:05 WARN  A message. name=value`. A cause, which only a bug has, follows on lines of its own.
 */
export const forPeople =
  (hasColors: boolean) =>
  (record: LogRecord): string => {
    const paint = (color: number, text: string) =>
      hasColors && text !== "" ? `\u001b[${color}m${text}\u001b[0m` : text
    const fields = shownFieldsOf(record).map(([name, value]) => ` ${printable(name)}=${shown(value)}`)
    const label = record.logLevel.label.padEnd("ERROR".length)
    const color = colors[record.logLevel._tag] ?? CYAN
    const line = `${paint(DIM, clockTime(record.date))} ${paint(color, label)} ${printable(textOf(record))}${paint(DIM, fields.join(""))}`
    const cause = causeOf(record)
    if (cause === undefined) return line
    return [line, ...cause.split("\n").map((text) => `  ${printable(text)}`)].join("\n")
  }
