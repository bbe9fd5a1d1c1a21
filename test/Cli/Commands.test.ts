import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import type { Outcome } from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import * as Commands from "../../src/Cli/Commands.ts"
import * as Help from "../../src/Cli/Help.ts"
import { OutputClosed } from "../../src/Cli/Output.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { finding } from "../fixtures/Findings.ts"
import * as Recording from "../fixtures/RecordedOutput.ts"
import { temporaryFolder } from "../fixtures/ServiceProcess.ts"
import { environment, fakeCheckers } from "../fixtures/ServiceUnderTest.ts"

const BAD = "http://paypa1-secure.example/login"

/** BAD is listed, addresses without HTTPS get their points, all others are clean. */
const outcomesOf = (url: string): ReadonlyArray<Outcome> => [
  {
    checker: "feed_a",
    status: "ok",
    elapsed: 0.5,
    findings:
      url === BAD
        ? [finding("listedUrl", { checker: "feed_a", source: "feed.example", reason: "Listed, today" })]
        : url.startsWith("https:")
          ? []
          : [finding("notHttps", { reason: "URL is not HTTPS" })]
  }
]

const services = () =>
  Layer.merge(
    Layer.succeed(Checkers, fakeCheckers({ checkAll: (url) => Effect.succeed(outcomesOf(url)) })),
    AppConfig.layer.pipe(Layer.provide(environment({})))
  )

/** Runs a command line, with standard input if there is one, else as on a terminal. */
const run = (
  args: ReadonlyArray<string>,
  stdin?: string,
  surroundings: Partial<Commands.Surroundings> = {}
) =>
  Effect.gen(function* () {
    const recorded = Recording.make()
    const all = {
      output: recorded.output,
      stdin: () => Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]),
      isStdinTerminal: stdin === undefined,
      isStdoutTerminal: false,
      hasColours: false,
      environment: {},
      ...surroundings
    }
    const ending = yield* Effect.either(Commands.run(args, all, services))
    return {
      ending: Either.getOrElse(ending, (error) => error.message),
      written: recorded.written.join(""),
      noticed: recorded.noticed.join("")
    }
  }).pipe(Effect.provide(NodeFileSystem.layer))

const folder = import.meta.dirname
const lines = (...texts: ReadonlyArray<string>) => texts.map((text) => `${text}\n`).join("")

const csv = lines(
  "id,Link,note",
  `1,https://example.com/,"a, b"`,
  `2,"${BAD}","two`,
  'lines"',
  "3,,none",
  "4"
)

describe("the commands", () => {
  for (const [args, message] of [
    [["chekc"], "Unknown command chekc; give check or serve, or --help"],
    [["check"], "Nothing to check: give URLs, --file, or - for lines that you type"],
    [["check", "--file", `${folder}/missing`], `--file: "${folder}/missing" does not exist`],
    [["check", "--file", folder], `--file: "${folder}" is a directory`],
    [["check", "--file", `${import.meta.filename}/x`], `--file: "${import.meta.filename}/x" cannot be read`],
    [["check", "--file", "/proc/self/mem"], '--file: "/proc/self/mem" cannot be read (EIO)'],
    [["serve", "--env-file", `${folder}/missing`], `--env-file: "${folder}/missing" does not exist`],
    [["check", "x", "--env-file", folder], `--env-file: "${folder}" is a directory`]
  ] as const)
    it.effect(`reject ${JSON.stringify(args.map((argument) => argument.replace(folder, "")))}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(args), { ending: message, written: "", noticed: "" })
      })
    )

  it.effect("end with Serve for serve", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["serve"]), { ending: "Serve", written: "", noticed: "" })
    })
  )

  it.effect("write the help to standard output, of which a reader may take a part", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["--help"]), { ending: 0, written: Help.text, noticed: "" })
      const output = { ...Recording.make().output, write: () => new OutputClosed({ code: "EPIPE" }) }
      assert.strictEqual((yield* run(["--help"], "", { output })).ending, 0)
    })
  )

  it.effect("write a table on a terminal, and JSON elsewhere", () =>
    Effect.gen(function* () {
      const onTerminal = yield* run(["check", "https://example.com/"], "", { isStdoutTerminal: true })
      assert.deepStrictEqual(onTerminal, {
        ending: 0,
        written: "1 checked: 0 phishing, 0 suspicious, 1 safe (--all shows it)\n",
        noticed: ""
      })
      const elsewhere = yield* run(["check", "https://example.com/"])
      assert.strictEqual(JSON.parse(elsewhere.written).verdict, "safe")
    })
  )

  for (const [args, written] of [
    [["--format", "csv", "--only", "phishing"], "url,score,verdict,reasons,kinds,incomplete,override\n"],
    [["--only", "suspicious"], ""],
    [
      ["--format", "table", "--all"],
      lines(
        "verdict     score  url",
        "safe            0  hxxps://example[.]com/",
        "safe           10  example[.]net",
        "                   URL is not HTTPS",
        "2 checked: 0 phishing, 0 suspicious, 2 safe"
      )
    ]
  ] as const)
    it.effect(`write for ${args.join(" ")}`, () =>
      Effect.gen(function* () {
        const result = yield* run(["check", "https://example.com/", "example.net", ...args])
        assert.deepStrictEqual(result, { ending: 0, written, noticed: "" })
      })
    )

  for (const args of [["-"], ["--file", "-"], []])
    it.effect(`read standard input for ${JSON.stringify(args)}`, () =>
      Effect.gen(function* () {
        const { ending, written } = yield* run(["check", ...args, "--format", "csv"], "https://example.com/")
        assert.strictEqual(ending, 0)
        assert.strictEqual(
          written,
          lines("url,score,verdict,reasons,kinds,incomplete,override", "https://example.com/,0,safe,,,,")
        )
      })
    )

  it.effect("fail if the input ends with an error, after the results of what was read", () =>
    Effect.gen(function* () {
      const stdin = () =>
        Readable.from(
          (async function* () {
            yield Buffer.from("https://example.com/\n")
            throw Object.assign(new Error("read"), { code: "EIO" })
          })()
        )
      const { ending, noticed, written } = yield* run(["check"], "", { stdin })
      assert.strictEqual(ending, "Standard input cannot be read (EIO)")
      assert.strictEqual(JSON.parse(written).url, "https://example.com/")
      assert.strictEqual(noticed, "")
    })
  )

  it.effect("check a column of a CSV", () =>
    Effect.gen(function* () {
      const args = ["check", "--column", "Link", "--format", "csv", "--only", "phishing"]
      assert.deepStrictEqual(yield* run(args, csv), {
        ending: 2,
        written: lines(
          "id,Link,note,url,score,verdict,reasons,kinds,incomplete,override",
          `2,${BAD},two\\u{a}lines,${BAD},100,phishing,"Listed, today",listedUrl,,`
        ),
        noticed: "Line 6 is shorter than the header and was not checked\n"
      })
    })
  )

  it.effect("name the columns if there is no such column, and notice a CSV whose column was not named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["check", "--column", "url"], csv), {
        ending: '--column: there is no column "url"; the columns are id, Link, note',
        written: "",
        noticed: ""
      })
      assert.strictEqual(
        (yield* run(["check"], csv)).ending,
        "Line 1 looks like CSV; name its column of URLs with --column, or read all links with --extract"
      )
    })
  )

  it.effect("say on standard error that nothing was checked, unless they are quiet", () =>
    Effect.gen(function* () {
      const nothing = { ending: 0, written: "", noticed: "0 checked\n" } as const
      assert.deepStrictEqual(yield* run(["check"], "\n# nothing\n"), nothing)
      assert.deepStrictEqual(yield* run(["check", "--format", "table"], ""), nothing)
      assert.deepStrictEqual(yield* run(["check", "-q"], ""), { ...nothing, noticed: "" })
    })
  )

  it.scoped("read variables from a file, without replacing one", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "settings")
      writeFileSync(file, '\ufeffPORT=1\nHOST="a b" # comment\nDATA_DIR=other\n')
      const environment = { DATA_DIR: "mine", EMPTY: "" }
      const { ending } = yield* run(["serve", "--env-file", file], "", { environment })
      assert.strictEqual(ending, "Serve")
      assert.deepStrictEqual<unknown>(environment, { DATA_DIR: "mine", EMPTY: "", PORT: "1", HOST: "a b" })
    })
  )
})
