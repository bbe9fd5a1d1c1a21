import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, LogLevel, Redacted, TestClock } from "effect"
import * as Telemetry from "../../../src/Layers/Telemetry.ts"

/** The lines that an effect logs, at 09:05:07 in UTC. */
const linesOf = (effect: Effect.Effect<unknown>, format: typeof Telemetry.jsonLine = Telemetry.jsonLine) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make((record) => void lines.push(format(record)))
    yield* TestClock.setTime(Date.UTC(2026, 10, 22, 9, 5, 7, 89))
    yield* effect.pipe(
      Logger.withMinimumLogLevel(LogLevel.All),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    return lines
  })

const time = "2026-11-22T09:05:07.089Z"

describe("a line of JSON", () => {
  it.effect("has level, time, message and the fields on one level, and nothing else", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.annotateLogs(Effect.logInfo("request"), {
          path: "/x",
          status: 200,
          isLast: true,
          none: undefined
        })
      )
      assert.deepStrictEqual(lines, [
        `{"level":"info","time":"${time}","message":"request","isLast":true,"path":"/x","status":200}`
      ])
    })
  )

  it.effect("names levels as LOG_LEVEL does", () =>
    Effect.gen(function* () {
      const levels = [
        Effect.logTrace,
        Effect.logDebug,
        Effect.logInfo,
        Effect.logWarning,
        Effect.logError,
        Effect.logFatal
      ]
      const lines = yield* linesOf(Effect.forEach(levels, (log) => log("x")))
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).level),
        ["trace", "debug", "info", "warning", "error", "fatal"]
      )
    })
  )

  it.effect("has no nested value, and no secret", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* linesOf(
        Effect.annotateLogs(Effect.logInfo("a", [{ b: 1 }]), {
          list: ["x", 1],
          big: 2n,
          secret: Redacted.make("marked"),
          nothing: null
        })
      )
      assert.deepStrictEqual(JSON.parse(line), {
        level: "info",
        time,
        message: 'a [{"b":1}]',
        list: '["x",1]',
        big: "2",
        secret: '"<redacted>"',
        nothing: null
      })
    })
  )

  it.effect("has no character that ends a line or that a terminal acts on, and keeps the values", () =>
    Effect.gen(function* () {
      const hostile = "a\r\n\u001b[2J\u007f\u0085\u009b31m\u202e\u2028\ud800 \u00e9"
      const [line = ""] = yield* linesOf(Effect.annotateLogs(Effect.logInfo(hostile), { [hostile]: hostile }))
      assert.notMatch(line, /[\p{C}\p{Zl}\p{Zp}]/u)
      assert.deepStrictEqual(JSON.parse(line), { level: "info", time, message: hostile, [hostile]: hostile })
    })
  )

  it.effect("has the cause of a bug as text, in one line", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* linesOf(Effect.logError("A request failed", Cause.die(new Error("boom"))))
      assert.notInclude(line, "\n")
      const { cause, ...others } = JSON.parse(line)
      assert.deepStrictEqual(others, { level: "error", time, message: "A request failed" })
      assert.match(cause, /^Error: boom\n {4}at /)
    })
  )
})

describe("each format", () => {
  it.effect("logs errors that are their own cause, and values without a text", () =>
    Effect.gen(function* () {
      const error = new Error("boom")
      error.cause = new Error("outer", { cause: error })
      const log = Effect.annotateLogs(Effect.logError("A bug", Cause.die(error)), {
        value: Object.assign(Object.create(null), { big: 1n })
      })
      const [json = ""] = yield* linesOf(log)
      const [people = ""] = yield* linesOf(log, Telemetry.lineForPeople(false))
      assert.match(JSON.parse(json).cause, /^Error: boom\n {4}at /)
      assert.strictEqual(JSON.parse(json).value, "(a value that has no text)")
      assert.match(people, /ERROR A bug value="\(a value that has no text\)"\n {2}Error: boom\n {6}at /)
    })
  )
})

describe("a line for people", () => {
  const plain = Telemetry.lineForPeople(false)
  /** Without the time, which is that of the machine's time zone. */
  const withoutTime = (lines: ReadonlyArray<string>) => lines.map((line) => line.replace(/^\d\d:05:07 /, ""))

  it.effect("has a time, a level, the message, and the fields that have a value, by the alphabet", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.annotateLogs(Effect.logWarning("request"), {
          traceId: "1",
          requestId: "2",
          b: "two words",
          a: 'x="',
          milliseconds: 3.5,
          status: 200,
          path: "/x",
          none: undefined,
          method: "GET"
        }),
        plain
      )
      assert.match(lines[0] ?? "", /^\d\d:05:07 /)
      assert.deepStrictEqual(withoutTime(lines), [
        'WARN  request a="x=\\"" b="two words" method=GET milliseconds=3.5 path=/x requestId=2 status=200 traceId=1'
      ])
    })
  )

  it.effect("does not repeat what the message says, which JSON has as fields", () =>
    Effect.gen(function* () {
      const log = Effect.annotateLogs(
        Effect.logInfo("feed_a has 2 entries", { feed: "feed_a", entries: 2 }),
        { feed: "feed_a", skipped: 1 }
      )
      assert.deepStrictEqual(withoutTime(yield* linesOf(log, plain)), [
        "INFO  feed_a has 2 entries skipped=1"
      ])
      const [line = ""] = yield* linesOf(log)
      assert.deepStrictEqual(JSON.parse(line), {
        level: "info",
        time,
        message: "feed_a has 2 entries",
        skipped: 1,
        feed: "feed_a",
        entries: 2
      })
    })
  )

  it.effect("is one line that no field and no message can end, move or colour", () =>
    Effect.gen(function* () {
      const hostile = "a\r\n09:00:00 INFO  forged\u001b[31m\u202e\u2028"
      const escaped = "a\\u{d}\\u{a}09:00:00 INFO  forged\\u{1b}[31m\\u{202e}\\u{2028}"
      const lines = yield* linesOf(
        Effect.annotateLogs(Effect.logInfo(hostile), { [hostile]: hostile }),
        plain
      )
      assert.deepStrictEqual(withoutTime(lines), [
        `INFO  ${escaped} ${escaped}="a\\r\\n09:00:00 INFO  forged\\u001b[31m\\u{202e}\\u{2028}"`
      ])
    })
  )

  it.effect("has the stack of a bug below it", () =>
    Effect.gen(function* () {
      const [text = ""] = yield* linesOf(
        Effect.annotateLogs(Effect.logError("A request failed", Cause.die(new Error("boom\u0007"))), {
          a: 1
        }),
        plain
      )
      const [line, first, second] = withoutTime(text.split("\n"))
      assert.deepStrictEqual([line, first], ["ERROR A request failed a=1", "  Error: boom\\u{7}"])
      assert.match(second ?? "", /^ {6}at /)
    })
  )

  it.effect("has colours if the terminal has them", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.annotateLogs(Effect.zipRight(Effect.logInfo("x"), Effect.logError("y")), { a: 1 }),
        Telemetry.lineForPeople(true)
      )
      assert.deepStrictEqual(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours begin with one
        lines.map((line) => line.replace(/^\u001b\[2m\d\d:05:07\u001b\[0m /, "")),
        [
          "\u001b[32mINFO \u001b[0m x\u001b[2m a=1\u001b[0m",
          "\u001b[31mERROR\u001b[0m y\u001b[2m a=1\u001b[0m"
        ]
      )
    })
  )
})
