import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import type { CheckerStatus } from "../../src/Checkers/Checker/CheckerNames.ts"
import type { Outcome } from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import type { DecisionsOn } from "../../src/Checkers/OperatorDecisions.ts"
import * as Check from "../../src/Cli/Check.ts"
import * as Formats from "../../src/Cli/Formats.ts"
import type { Batch } from "../../src/Cli/Lines.ts"
import * as Output from "../../src/Cli/Output.ts"
import * as Tally from "../../src/Cli/Tally.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { finding } from "../fixtures/Findings.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import { make as recording } from "../fixtures/RecordedOutput.ts"
import { environment, type FakeCheckers, fakeCheckers } from "../fixtures/ServiceUnderTest.ts"

const outcome = (
  checker: Outcome["checker"],
  status: CheckerStatus = "ok",
  findings: Outcome["findings"] = []
): Outcome => ({ checker, status, findings, elapsed: 0.5 })

/**
 * `bad` is listed; `odd` is suspicious, with a feed that timed out; what begins with `text` is not a URL; all other URLs are
 * clean.
 */
const outcomesOf = (url: string): ReadonlyArray<Outcome> => [
  outcome(
    "heuristics",
    "ok",
    url === "odd"
      ? [finding("scriptScheme", { reason: "A \u001b[31mprogram" })]
      : url.startsWith("text")
        ? [finding("malformed", { reason: "Not a URL" })]
        : []
  ),
  outcome(
    "feed_a",
    url === "odd" ? "timeout" : "ok",
    url === "bad"
      ? [finding("listedUrl", { checker: "feed_a", source: "feed.example", reason: "Listed" })]
      : []
  ),
  outcome("reputation_lookup", "not-configured")
]

const services = (
  checkAll: FakeCheckers["checkAll"] = (url) => Effect.succeed(outcomesOf(url)),
  decisionsOn?: DecisionsOn
) =>
  Layer.mergeAll(
    Layer.succeed(Checkers, fakeCheckers({ checkAll }, decisionsOn)),
    AppConfig.layer.pipe(Layer.provide(environment({})))
  )

const input = (...urls: ReadonlyArray<ReadonlyArray<string>>) => ({
  batches: Stream.fromIterable(
    urls.map((urls, index): Batch => ({ urls, unreadable: [], bytesRead: index + 1 }))
  ),
  bytes: urls.length
})

const settings = (
  name: keyof typeof Formats.byName,
  more: Partial<Parameters<typeof Check.run>[1]> = {}
) => ({
  format: Formats.byName[name](false),
  only: "safe" as const,
  policy: Tally.defaultPolicy,
  ...more
})

const json = settings("json")
const table = settings("table")

describe("Check.run", () => {
  it.effect("writes a line of JSON for each URL, in order, and the missing checkers as a notice", () =>
    Effect.gen(function* () {
      const { output, written, noticed } = recording()
      const tally = yield* Check.run(input(["ok", "bad"], ["odd"]), json, output)
      const lines = written.join("").trimEnd().split("\n")
      assert.deepStrictEqual(JSON.parse(lines[1] ?? ""), {
        url: "bad",
        score: 100,
        verdict: "phishing",
        reasons: ["Listed"],
        findings: [
          {
            checker: "feed_a",
            kind: "listedUrl",
            points: 100,
            source: "feed.example",
            reason: "Listed",
            details: {}
          }
        ],
        executionTimeMs: { heuristics: 0.5, feed_a: 0.5, reputation_lookup: 0.5 },
        checkers: { heuristics: "ok", feed_a: "ok", reputation_lookup: "not-configured" },
        complete: true
      })
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).url),
        ["ok", "bad", "odd"]
      )
      assert.deepStrictEqual(noticed, ["Incomplete: no answer from feed_a (timeout) for 1\n"])
      assert.strictEqual(Tally.exitStatus(tally), 1)
    }).pipe(Effect.provide(services()))
  )

  it.effect("counts an IP address of a text only if a list has it", () =>
    Effect.gen(function* () {
      const { output, written } = recording()
      const urls = ["odd", "bad", "odd"]
      const places = [true, true, false].map((isAddress, index) => ({ line: index + 1, isAddress }))
      const batches = Stream.succeed<Batch>({ urls, places, unreadable: [], bytesRead: 1 })
      yield* Check.run({ batches }, table, output)
      assert.deepStrictEqual(written.join("").match(/^\w+ +\d+ {2}\w+/gm), [
        "safe            0  odd",
        "phishing      100  bad",
        "suspicious     40  odd"
      ])
    }).pipe(Effect.provide(services()))
  )

  it.effect("writes a table with reasons, totals and missing checkers, escaped for a terminal", () =>
    Effect.gen(function* () {
      const { output, written, noticed } = recording()
      yield* Check.run(input(["http://ok.example/", "bad", "odd"]), table, output)
      assert.strictEqual(
        written.join(""),
        `verdict     score  url
safe            0  hxxp://ok[.]example/
phishing      100  bad
                   Listed
suspicious     40  odd
                   A \\u{1b}[31mprogram
3 checked: 1 phishing, 1 suspicious, 1 safe
Incomplete: no answer from feed_a (timeout) for 1
`
      )
      assert.deepStrictEqual(noticed, [])
    }).pipe(Effect.provide(services()))
  )

  const decisionsOn: DecisionsOn = ({ submitted }) =>
    submitted === "bad"
      ? ["allow"]
      : submitted === "ok"
        ? [finding("blocked", { reason: "Blocked" })]
        : [undefined]

  it.effect("lets the operator's lists decide, and says so in JSON and in the table", () =>
    Effect.gen(function* () {
      const jsonLines = recording()
      yield* Check.run(input(["ok", "bad", "odd"]), json, jsonLines.output)
      const reports = jsonLines.written
        .join("")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        reports.map(({ override, score, reasons }) => [override, score, reasons]),
        [
          ["block", 100, ["Blocked"]],
          ["allow", 0, []],
          [undefined, 40, ["A \u001b[31mprogram"]]
        ]
      )
      const shown = recording()
      const tally = yield* Check.run(input(["ok", "bad"]), table, shown.output)
      assert.strictEqual(
        shown.written.join(""),
        `verdict     score  url
phishing      100  ok
                   Blocked
safe            0  bad
                   Allowed by the operator's list (ALLOW_LIST)
2 checked: 1 phishing, 0 suspicious, 1 safe
`
      )
      assert.strictEqual(Tally.exitStatus(tally), 1)
    }).pipe(Effect.provide(services(undefined, decisionsOn)))
  )

  it.effect("makes no link of what a reason quotes, but leaves a publisher's link", () =>
    Effect.gen(function* () {
      const { output, written } = recording()
      yield* Check.run(input(["x"]), table, output)
      assert.include(written.join(""), '"go to hxxp://bad.example"\n')
      assert.include(written.join(""), "See https://list.example\n")
    }).pipe(
      Effect.provide(
        services(() =>
          Effect.succeed([
            outcome("heuristics", "ok", [
              finding("malformed", { reason: 'No address: "go to http://bad.example"' }),
              finding("severeThreat", { reason: "See https://list.example" })
            ])
          ])
        )
      )
    )
  )

  it.effect("colours the verdict if colours are enabled", () =>
    Effect.gen(function* () {
      const { output, written } = recording()
      yield* Check.run(input(["bad"]), { ...table, format: Formats.byName.table(true) }, output)
      assert.include(written.join(""), "\u001b[31mphishing  \u001b[39m")
    }).pipe(Effect.provide(services()))
  )

  it.effect("shows findings only in a table, and how many are safe", () =>
    Effect.gen(function* () {
      for (const [only, written] of [
        [
          "suspicious",
          `verdict     score  url
phishing      100  bad
                   Listed
not a URL      40  text
                   Not a URL
5 checked: 1 phishing, 0 suspicious, 3 safe (--all shows them); 1 is not a URL
`
        ],
        [
          "phishing",
          `verdict     score  url
phishing      100  bad
                   Listed
5 checked: 1 phishing, 0 suspicious, 3 safe; 1 is not a URL
`
        ]
      ] as const) {
        const recorded = recording()
        yield* Check.run(input(["a", "b"], ["bad", "c", "text"]), { ...table, only }, recorded.output)
        assert.strictEqual(recorded.written.join(""), written)
      }
    }).pipe(Effect.provide(services()))
  )

  it.effect("counts text that is not a URL by itself, and ends with 2", () =>
    Effect.gen(function* () {
      const { output, noticed, written } = recording()
      const tally = yield* Check.run(input(["text 1", "text 2", "a"]), json, output)
      assert.strictEqual(Tally.exitStatus(tally), 2)
      assert.deepStrictEqual(noticed, ["2 are not URLs\n"])
      assert.strictEqual(JSON.parse(written.join("").split("\n")[0] ?? "").verdict, "suspicious")
      const quiet = recording()
      yield* Check.run(input(["text"]), json, Output.quiet(quiet.output))
      assert.deepStrictEqual(quiet.noticed, ["1 is not a URL\n"])
    }).pipe(Effect.provide(services()))
  )

  it.effect("writes CSV: a record a line, quoted if needed, and no cell that is a formula", () =>
    Effect.gen(function* () {
      const { output, written, noticed } = recording()
      const urls = ["bad", "odd", "a,b", 'c"d', "e\r\nf", "=1+1", " @x", "-1", "text", "ok"]
      const only = (url: string): ReturnType<DecisionsOn> => (url === "ok" ? ["allow"] : [undefined])
      yield* Check.run(input(urls), settings("csv"), output).pipe(
        Effect.provide(services(undefined, ({ submitted }) => only(submitted)))
      )
      assert.strictEqual(
        written.join(""),
        `url,score,verdict,reasons,kinds,incomplete,override
bad,100,phishing,Listed,listedUrl,,
odd,40,suspicious,A \\u{1b}[31mprogram,scriptScheme,feed_a,
"a,b",0,safe,,,,
"c""d",0,safe,,,,
e\\u{d}\\u{a}f,0,safe,,,,
'=1+1,0,safe,,,,
' @x,0,safe,,,,
'-1,0,safe,,,,
text,40,suspicious,Not a URL,malformed,,
ok,0,safe,,,,allow
`
      )
      assert.deepStrictEqual(noticed, [
        "1 is not a URL\n",
        "Incomplete: no answer from feed_a (timeout) for 1\n"
      ])
    })
  )

  it.effect("writes the header of CSV without a row too", () =>
    Effect.gen(function* () {
      const { output, written } = recording()
      yield* Check.run(input(["a"]), settings("csv", { only: "phishing" }), output)
      assert.deepStrictEqual(written, ["url,score,verdict,reasons,kinds,incomplete,override\n"])
    }).pipe(Effect.provide(services()))
  )

  it.effect("has exit status 0 for safe URLs, and 2 if any line was not checked, in one line a reason", () =>
    Effect.gen(function* () {
      const { output, noticed } = recording()
      assert.strictEqual(Tally.exitStatus(yield* Check.run(input(["a"], ["b"]), json, output)), 0)
      const bytesRead = 1
      const batches = Stream.make(
        { urls: ["bad"], unreadable: [{ line: 7, reason: "too long for a URL" }], bytesRead },
        { urls: [], unreadable: [{ line: 8, reason: "not UTF-8" }], bytesRead },
        { urls: [], unreadable: [{ line: 9, reason: "not UTF-8" }], bytesRead }
      )
      const tally = yield* Check.run({ batches }, json, Output.quiet(output))
      assert.strictEqual(Tally.exitStatus(tally), 2)
      assert.deepStrictEqual(noticed, [
        "Line 7 is too long for a URL and was not checked\n",
        "2 lines are not UTF-8 and were not checked; the first is line 8\n"
      ])
    }).pipe(Effect.provide(services()))
  )

  const statuses = (feedA: CheckerStatus, feedB: CheckerStatus) =>
    services(() =>
      Effect.succeed([
        outcome("feed_a", feedA, [finding("listedUrl", { checker: "feed_a" })]),
        outcome("feed_b", feedB),
        outcome("reputation_lookup", "not-configured")
      ])
    )
  const because = "Exit status 2 because of --strict"
  for (const [what, feedA, feedB, strictness, status, notice] of [
    [
      "ignores silent checkers without --strict",
      "ok",
      "timeout",
      "off",
      1,
      "no answer from feed_b (timeout)"
    ],
    ["ends with 1 if all have answered", "ok", "ok", "stale", 1, undefined],
    ["counts a timeout", "ok", "timeout", "unanswered", 2, `no answer from feed_b (timeout). ${because}`],
    [
      "counts a list that is missing",
      "ok",
      "unavailable",
      "stale",
      2,
      `no answer from feed_b (unavailable). ${because}`
    ],
    [
      "counts a checker that failed",
      "ok",
      "failed",
      "unanswered",
      2,
      `no answer from feed_b (failed). ${because}`
    ],
    ["does not count an old list", "stale", "ok", "unanswered", 1, undefined],
    ["counts an old list with stale", "stale", "ok", "stale", 2, `old lists in feed_a (stale). ${because}`],
    [
      "names both with stale",
      "stale",
      "malformed",
      "stale",
      2,
      `no answer from feed_b (malformed); old lists in feed_a (stale). ${because}`
    ]
  ] as const)
    it.effect(`--strict ${what}`, () =>
      Effect.gen(function* () {
        const { output, noticed, written } = recording()
        const policy = { failOn: "suspicious", strictness } as const
        const tally = yield* Check.run(input(["bad"]), { ...json, policy }, output)
        assert.strictEqual(Tally.exitStatus(tally, policy), status)
        assert.deepStrictEqual(noticed, notice === undefined ? [] : [`Incomplete: ${notice}\n`])
        const quiet = recording()
        yield* Check.run(input(["bad"]), { ...json, policy }, Output.quiet(quiet.output))
        assert.deepStrictEqual(quiet.noticed, status === 2 ? noticed : [])
        yield* Check.run(input(["bad"]), { ...table, policy }, output)
        assert.strictEqual(written.join("").includes(`\nIncomplete: ${notice}\n`), notice !== undefined)
      }).pipe(Effect.provide(statuses(feedA, feedB)))
    )

  it.effect("has exit status 0 for suspicious URLs with --fail-on phishing", () =>
    Effect.gen(function* () {
      const { output } = recording()
      const policy = { failOn: "phishing", strictness: "off" } as const
      const statusOf = (...urls: ReadonlyArray<string>) =>
        Effect.map(Check.run(input(urls), { ...json, policy }, output), (tally) =>
          Tally.exitStatus(tally, policy)
        )
      assert.strictEqual(yield* statusOf("odd"), 0)
      assert.strictEqual(yield* statusOf("odd", "bad"), 1)
    }).pipe(Effect.provide(services()))
  )

  it.effect("reads a batch only after the reports of the previous one were written", () =>
    Effect.gen(function* () {
      const { output } = recording()
      const taken = yield* Deferred.make<void>()
      let read = 0
      const batches = Stream.repeatEffect(
        Effect.sync((): Batch => ({ urls: [`${++read}`], unreadable: [], bytesRead: 0 }))
      )
      const slow = { ...output, write: () => Deferred.await(taken) }
      const fiber = yield* Effect.fork(Check.run({ batches }, json, slow))
      // Runs all fibers until each of them waits.
      yield* adjust(0)
      assert.strictEqual(read, 1)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(services()))
  )

  it.effect("ends quietly when its output is closed, with what was checked", () =>
    Effect.gen(function* () {
      const { output, noticed } = recording()
      const fails = (code: string) => ({ ...output, write: () => new Output.OutputClosed({ code }) })
      for (const [urls, status] of [
        [["a"], 0],
        [["bad"], 1]
      ] as const) {
        const tally = yield* Check.run(input(urls, ["odd"]), json, fails("EPIPE"))
        assert.strictEqual(Tally.exitStatus(tally), status)
        assert.strictEqual(Tally.total(tally), 1)
      }
      const error = yield* Effect.flip(Check.run(input(["a"]), json, fails("ENOSPC")))
      assert.strictEqual(error.message, "Cannot write the results: ENOSPC")
      assert.deepStrictEqual(noticed, [])
    }).pipe(Effect.provide(services()))
  )

  it.effect("draws a progress bar on a terminal for long input, and erases it before results", () =>
    Effect.gen(function* () {
      const { output, noticed } = recording(true)
      const fiber = yield* Effect.fork(Check.run(input(["a"], ["b"], ["c"], ["d"]), json, output))
      yield* adjust("2400 millis")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(noticed, [
        "\r\u001b[2K\u001b[?7l[############............]  50 %  2 checked, 2/s\u001b[?7h",
        "\r\u001b[2K",
        "\r\u001b[2K\u001b[?7l[##################......]  75 %  3 checked, 2/s\u001b[?7h",
        "\r\u001b[2K",
        "\r\u001b[2K\u001b[?7l[########################] 100 %  4 checked, 2/s\u001b[?7h",
        "\r\u001b[2K"
      ])
    }).pipe(Effect.provide(services((url) => Effect.delay(Effect.succeed(outcomesOf(url)), "600 millis"))))
  )

  it.effect("leaves the progress bar if it writes no results", () =>
    Effect.gen(function* () {
      const { output, noticed } = recording(true)
      const batches = input(["a"], ["b"], ["c"])
      const fiber = yield* Effect.fork(Check.run(batches, { ...table, only: "phishing" }, output))
      yield* adjust("3 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(noticed, [
        "\r\u001b[2K\u001b[?7l[########................]  33 %  1 checked, 1/s\u001b[?7h",
        "\r\u001b[2K\u001b[?7l[################........]  66 %  2 checked, 1/s\u001b[?7h",
        "\r\u001b[2K\u001b[?7l[########################] 100 %  3 checked, 1/s\u001b[?7h",
        "\r\u001b[2K"
      ])
    }).pipe(Effect.provide(services((url) => Effect.delay(Effect.succeed(outcomesOf(url)), "1 second"))))
  )
})
