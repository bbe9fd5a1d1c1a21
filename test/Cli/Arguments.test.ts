import { assert, describe, it } from "@effect/vitest"
import { Duration, Either } from "effect"
import * as Arguments from "../../src/Cli/Arguments.ts"
import * as Help from "../../src/Cli/Help.ts"
import * as Program from "../../src/Layers/Program.ts"

const nothing: Arguments.Check = {
  _tag: "Check",
  urls: [],
  file: undefined,
  isExtracting: false,
  files: [],
  column: undefined,
  format: undefined,
  only: undefined,
  isQuiet: false,
  wait: Duration.seconds(30),
  policy: { failOn: "suspicious", strictness: "off" },
  envFile: undefined
}

const check = (given: Partial<Arguments.Check>): Arguments.Request => ({ ...nothing, ...given })

describe("Arguments.read", () => {
  for (const [args, expected] of [
    [["--help"], { _tag: "Print", text: Help.text }],
    [["check", "x", "-h"], { _tag: "Print", text: Help.text }],
    [["help", "serve"], { _tag: "Print", text: Help.serveText }],
    [["serve", "--help"], { _tag: "Print", text: Help.serveText }],
    [["check", "--fromat", "--help"], { _tag: "Print", text: Help.text }],
    [["--version"], { _tag: "Print", text: `${Program.version}\n` }],
    [["serve"], { _tag: "Serve", envFile: undefined }],
    [["serve", "--env-file", ".env"], { _tag: "Serve", envFile: ".env" }],
    [["check"], check({})],
    [["check", "a", "-q", "true"], check({ urls: ["a", "true"], isQuiet: true })],
    [["check", "-f", "a", "-o", "csv"], check({ file: "a", format: "csv" })],
    [["check", "--extract", "a.eml", "b.txt"], check({ isExtracting: true, files: ["a.eml", "b.txt"] })],
    [["check", "--extract", "-"], check({ isExtracting: true, file: "-" })],
    [["check", "- https://a.example/", "-q"], check({ urls: ["- https://a.example/"], isQuiet: true })],
    [["check", "-----https://a.example/"], check({ urls: ["-----https://a.example/"] })],
    [["--quiet", "check", "a"], check({ urls: ["a"], isQuiet: true })],
    [["check", "--", "--help", "-q"], check({ urls: ["--help", "-q"] })],
    [["check", "-"], check({ file: "-" })],
    [["check", "--file", "-", "--column", "my url"], check({ file: "-", column: "my url" })],
    [["check", "-", "--column=-x"], check({ file: "-", column: "-x" })],
    [["check", "--file", "a=b", "--format=csv"], check({ file: "a=b", format: "csv" })],
    [["check", "--only", "phishing"], check({ only: "phishing" })],
    [["check", "--all"], check({ only: "safe" })],
    [["check", "--wait=5 seconds"], check({ wait: Duration.seconds(5) })],
    [["check", "--wait", "90s"], check({ wait: Duration.seconds(90) })],
    [["check", "--wait", "0"], check({ wait: Duration.zero })],
    [["check", "--fail-on", "phishing"], check({ policy: { failOn: "phishing", strictness: "off" } })],
    [
      ["check", "--strict", "stale"],
      check({ urls: ["stale"], policy: { failOn: "suspicious", strictness: "unanswered" } })
    ],
    [
      ["check", "--strict=stale", "a"],
      check({ urls: ["a"], policy: { failOn: "suspicious", strictness: "stale" } })
    ],
    [["check", "--env-file", ".env"], check({ envFile: ".env" })]
  ] as const satisfies ReadonlyArray<readonly [ReadonlyArray<string>, Arguments.Request]>)
    it(`reads ${JSON.stringify(args)}`, () => {
      assert.deepStrictEqual<unknown>(Arguments.read(args), Either.right(expected))
    })

  const optionsOfCheck =
    "it has --all, --column, --env-file, --extract, --fail-on, --file, --format, --help, --only, --quiet, --strict, --wait"
  for (const [args, message] of [
    [[], "There is no command; give check or serve, or --help"],
    [["--file", "x"], "There is no command; give check or serve, or --help"],
    [["chekc"], "Unknown command chekc; give check or serve, or --help"],
    [["\u001b[2J"], "Unknown command \\u{1b}[2J; give check or serve, or --help"],
    [["serve", "x"], "serve takes no arguments: environment variables configure it"],
    [["serve", "--format", "json"], "serve has no option --format; it has --env-file, --help"],
    [["check", "--fromat", "json"], `check has no option --fromat; ${optionsOfCheck}`],
    [["check", "--__proto__"], `check has no option --__proto__; ${optionsOfCheck}`],
    [["check", "--\u001b[2J"], `check has no option --\\u{1b}[2J; ${optionsOfCheck}`],
    [["check", "-qx"], `check has no option -x; ${optionsOfCheck}`],
    [["check", "--json"], `check has no option --json; ${optionsOfCheck}`],
    [["check", "--all=no"], "--all takes no value"],
    [["check", "--file", "a", "--file=b"], "Give --file once"],
    [["check", "--file"], "--file needs a value: the path of a file, or - for standard input"],
    [["check", "--file="], "--file needs a value: the path of a file, or - for standard input"],
    [["check", "--column"], "--column needs a value: the name of a column in the first line of the CSV"],
    [["check", "--env-file"], "--env-file needs a value: the path of a file of environment variables"],
    [["check", "--wait", "--all"], '--wait needs a value: a duration such as 30s or "5 minutes", or 0'],
    [["check", "--wait", "soon"], '--wait must be a duration such as 30s or "5 minutes", or 0, not "soon"'],
    [["check", "--format", "xml"], '--format must be table, json or csv, not "xml"'],
    [["check", "--only", "safe"], '--only must be suspicious or phishing, not "safe"'],
    [["check", "--fail-on", "safe"], '--fail-on must be suspicious or phishing, not "safe"'],
    [["check", "--strict=all"], '--strict must be --strict or --strict=stale, not "all"'],
    [["check", "--all", "--only", "phishing"], "Give --all or --only, not both"],
    [["check", "--file", "a", "b"], "Give URLs or --file, not both"],
    [["check", "a", "-"], "Give URLs or -, not both"],
    [["check", "a", "--column", "url"], "--column needs --file or standard input, not URLs"]
  ] as const)
    it(`rejects ${JSON.stringify(args)}`, () => {
      assert.deepStrictEqual<unknown>(Arguments.read(args), Either.left(message))
    })
})

describe("the help", () => {
  for (const text of [Help.text, Help.serveText])
    it("has three examples, and no line above 80 columns", () => {
      const examples = /Examples:\n(.*?)\n\n/s.exec(text)?.[1] ?? ""
      assert.strictEqual(examples.match(/^ {2}\S/gm)?.length, 3)
      assert.isAtMost(Math.max(...text.split("\n").map(({ length }) => length)), 80)
    })

  it("has each option of check with its default", () => {
    const options = Either.match(Arguments.read(["check", "--unknown"]), {
      onLeft: (message) => message.match(/--[a-z-]+/g)?.slice(1) ?? [],
      onRight: () => []
    })
    assert.isAbove(options.length, 10)
    for (const option of options.filter((option) => option !== "--help"))
      assert.match(Help.text, new RegExp(`^ {2}(?:-[qfo], )?${option}[ \\[].*?\\(default`, "ms"))
  })
})
