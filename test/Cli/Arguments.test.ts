import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Arguments from "../../src/Cli/Arguments.ts"
import * as Help from "../../src/Cli/Help.ts"

const command = (args: ReadonlyArray<string>, strictness = "off") =>
  Either.right({ _tag: "Command", args, strictness })

describe("Arguments.read", () => {
  for (const [args, expected] of [
    [[], Either.left(Help.text)],
    [["--help"], Either.right({ _tag: "Help", text: Help.text })],
    [["check", "x", "-h"], Either.right({ _tag: "Help", text: Help.text })],
    [["help", "serve"], Either.right({ _tag: "Help", text: Help.serveText })],
    [["serve", "--help"], Either.right({ _tag: "Help", text: Help.serveText })],
    [["--version"], Either.right({ _tag: "Version" })],
    [["--completions", "zsh"], Either.right({ _tag: "Completions", shell: "zsh" })],
    [["check", "--completions=bash"], Either.right({ _tag: "Completions", shell: "bash" })],
    [["serve"], command(["serve"])],
    [["check", "a", "--json", "b"], command(["check", "a", "b", "--json"])],
    [
      ["check", "--wait=5 seconds", "--file", "a=b", "--fail-on", "phishing"],
      command(["check", "--wait", "5 seconds", "--file", "a=b", "--fail-on", "phishing"])
    ],
    [["check", "--wait", "30s"], command(["check", "--wait", "30s"])],
    [["check", "--strict", "stale"], command(["check", "stale"], "unanswered")],
    [["check", "--strict=stale", "a"], command(["check", "a"], "stale")]
  ] as const)
    it(`reads ${JSON.stringify(args)}`, () => {
      assert.deepStrictEqual<unknown>(Arguments.read(args), expected)
    })

  for (const [args, message] of [
    [["chekc"], "Unknown command chekc. Did you mean check?"],
    [["CHECK"], "Unknown command CHECK. Did you mean check?"],
    [["srve"], "Unknown command srve. Did you mean serve?"],
    [["example.com"], "Unknown command example.com. Did you mean check example.com?"],
    [["scan"], "Unknown command scan. --help shows all commands and options"],
    [["\u001b[2J"], "Unknown command \\u{1b}[2J. --help shows all commands and options"],
    [["--versoin"], "Unknown option --versoin. Did you mean --version?"],
    [["--json", "x"], "Give the command first: check --json"],
    [["--completions"], "--completions must be bash, zsh or fish"],
    [["--completions", "tcsh"], "--completions must be bash, zsh or fish"],
    [["serve", "x"], "serve takes no arguments: environment variables configure it"],
    [["check", "--jsn", "x"], "Unknown option --jsn. Did you mean --json?"],
    [["check", "--failon=phishing"], "Unknown option --failon. Did you mean --fail-on?"],
    [["check", "--wizard"], "Unknown option --wizard. --help shows all commands and options"],
    [["check", "-x"], "Unknown option -x. --help shows all commands and options"],
    [["check", "--json", "--json"], "Give --json once"],
    [["check", "--file", "a", "--file=b"], "Give --file once"],
    [["check", "--json=no"], "--json takes no value"],
    [["check", "--file"], "--file needs a value: the path of a file with one URL a line"],
    [["check", "--file="], "--file needs a value: the path of a file with one URL a line"],
    [["check", "--wait", "--json"], '--wait needs a value: a duration such as 30s or "5 minutes", or 0'],
    [["check", "--wait", "soon"], '--wait must be a duration such as 30s or "5 minutes", or 0, not "soon"'],
    [["check", "--fail-on", "safe"], '--fail-on must be suspicious or phishing, not "safe"'],
    [["check", "--strict=all"], '--strict must be --strict or --strict=stale, not "all"']
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
    for (const option of ["--file", "--json", "--table", "--wait", "--fail-on", "--strict[=stale]"])
      assert.match(Help.text, new RegExp(`^ {2}${option.replace(/[[\]]/g, "\\$&")} .*?\\(default`, "ms"))
  })
})
