import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Commands from "../../src/Cli/Commands.ts"

/** Parses a command line as on a terminal. Fails if it would check anything. */
const parse = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const noticed: Array<string> = []
    const endings: Array<Commands.Ending> = []
    const streams: Commands.Streams = {
      output: {
        write: () => Effect.dieMessage("nothing should be checked"),
        notice: (text) => Effect.sync(() => void noticed.push(text)),
        hasProgress: false,
        isSameTerminal: false
      },
      isStdinTerminal: true,
      isStdoutTerminal: true,
      colour: false
    }
    const run = Commands.run(streams, (ending) => Effect.sync(() => void endings.push(ending)))
    const exit = yield* Effect.either(run(["node", "url-threat-scoring", ...args]))
    return { outcome: exit._tag, noticed: noticed.join(""), endings }
  }).pipe(Effect.provide(NodeContext.layer))

describe("the commands", () => {
  for (const [args, notice] of [
    [["--jsn", "x"], 'No URL begins with "-", and there is no option --jsn\n'],
    [["--\u001b[2J"], 'No URL begins with "-", and there is no option --\\u{1b}[2J\n'],
    [["--json", "--json"], "Give --json once\n"],
    [["--file", import.meta.filename, "--file", import.meta.filename], "Give --file once\n"],
    [["--json", "--table", "x"], "Use --json or --table, not both\n"],
    [["--file", import.meta.filename, "x"], "Give URLs or --file, not both\n"],
    [[], "Nothing to check: give URLs, --file, or lines on standard input\n"]
  ] as const)
    it.effect(`reject check ${JSON.stringify(args)}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* parse("check", ...args), {
          outcome: "Left",
          noticed: notice,
          endings: []
        })
      })
    )

  it.effect("end with Serve for serve", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parse("serve"), { outcome: "Right", noticed: "", endings: ["Serve"] })
    })
  )
})
