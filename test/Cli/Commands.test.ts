import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Commands from "../../src/Cli/Commands.ts"
import * as Help from "../../src/Cli/Help.ts"
import * as Program from "../../src/Layers/Program.ts"

/** Runs a command line as on a terminal. Fails if it would check anything. */
const run = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const noticed: Array<string> = []
    const endings: Array<Commands.Ending> = []
    const streams: Commands.Streams = {
      output: {
        write: (text) => Effect.sync(() => void written.push(text)),
        notice: (text) => Effect.sync(() => void noticed.push(text)),
        hasProgress: false,
        isSameTerminal: false
      },
      isStdinTerminal: true,
      isStdoutTerminal: true,
      colour: false
    }
    const end = (ending: Commands.Ending) => Effect.sync(() => void endings.push(ending))
    yield* Commands.run(streams, end)(["node", "url-threat-scoring", ...args])
    return { written: written.join(""), noticed: noticed.join(""), endings }
  }).pipe(Effect.provide(NodeContext.layer))

describe("the commands", () => {
  for (const [args, notice] of [
    [["chekc"], "Unknown command chekc. Did you mean check?\n"],
    [["check", "--\u001b[2J"], "Unknown option --\\u{1b}[2J. --help shows all commands and options\n"],
    [["check", "--json", "--table", "x"], "Use --json or --table, not both\n"],
    [["check", "--file", import.meta.filename, "x"], "Give URLs or --file, not both\n"],
    [
      ["check", "--file", `${import.meta.filename}.txt`],
      `--file: "${import.meta.filename}.txt" does not exist\n`
    ],
    [["check", "--file", import.meta.dirname], `--file: "${import.meta.dirname}" is a directory\n`],
    [
      ["check", "--file", `${import.meta.filename}/x`],
      `--file: "${import.meta.filename}/x" cannot be read\n`
    ],
    [["check"], "Nothing to check: give URLs, --file, or lines on standard input\n"],
    [[], Help.text]
  ] as const)
    it.effect(
      `reject ${JSON.stringify(args.map((argument) => argument.replace(import.meta.dirname, "")))}`,
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* run(...args), { written: "", noticed: notice, endings: [2] })
        })
    )

  it.effect("end with Serve for serve", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run("serve"), { written: "", noticed: "", endings: ["Serve"] })
    })
  )

  it.effect("write the help and the version to standard output", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run("--help"), { written: Help.text, noticed: "", endings: [0] })
      assert.deepStrictEqual(yield* run("--version"), {
        written: `${Program.version}\n`,
        noticed: "",
        endings: [0]
      })
    })
  )

  it.effect("write completions that find both commands and have no undocumented option", () =>
    Effect.gen(function* () {
      const { endings, written: bash } = yield* run("--completions", "bash")
      assert.deepStrictEqual(endings, [0])
      // The name that the script gives to the program, and those that it looks for, have to be the same.
      assert.include(bash, 'cmd="url__threat__scoring"')
      assert.include(bash, "url__threat__scoring,check)")
      assert.match(bash, /^ *url__threat__scoring\)$/m)
      assert.include(bash, 'compgen -W "suspicious phishing"')
      const { written: zsh } = yield* run("--completions", "zsh")
      const { written: fish } = yield* run("--completions", "fish")
      for (const script of [bash, zsh, fish]) {
        assert.notMatch(script, /wizard|log-level|\bsh\b/)
        for (const word of ["check", "serve", "fail-on", "strict", "wait"]) assert.include(script, word)
      }
    })
  )
})
