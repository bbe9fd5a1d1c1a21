import { Args, Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { FileSystem } from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Duration, Effect, Option, Stream } from "effect"
import * as Program from "../Layers/Program.ts"
import * as Check from "./Check.ts"
import * as Lines from "./Lines.ts"
import type { Output } from "./Output.ts"
import { printable } from "./Printable.ts"
import * as Services from "./Services.ts"
import * as Tally from "./Tally.ts"

/** How the program ends: with an exit status, or by becoming the server. */
export type Ending = "Serve" | 0 | 1 | 2

/** What the commands know of where they run. */
export interface Surroundings {
  readonly output: Output
  readonly isTerminalIn: boolean
  readonly isTerminalOut: boolean
  readonly colour: boolean
}

/** A first run fetches some megabytes, for which 30 seconds do on most connections. */
const WAIT = "30 seconds"

const decodeWait = (text: string): Option.Option<Duration.Duration> =>
  text === "0"
    ? Option.some(Duration.zero)
    : Option.filter(Duration.decodeUnknown(text), (wait) => Duration.isFinite(wait))

const urls = Args.text({ name: "url" }).pipe(
  Args.withDescription("What to check; without any, the lines of --file or of standard input"),
  Args.repeated
)

const file = Options.file("file", { exists: "yes" }).pipe(
  Options.withDescription("A file with one URL a line"),
  Options.optional
)

const json = Options.boolean("json").pipe(
  Options.withDescription("One JSON object a line, as elsewhere than on a terminal")
)

const table = Options.boolean("table").pipe(Options.withDescription("A table, as on a terminal"))

const wait = Options.text("wait").pipe(
  Options.filterMap(decodeWait, 'Expected a duration such as "30 seconds", or 0'),
  Options.withDescription("How long to wait for lists that are not there yet, or old"),
  Options.withDefault(Duration.decode(WAIT))
)

const ofFile = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size } = yield* files.stat(path)
    return { batches: Lines.batches(files.stream(path)), bytes: Option.some(Number(size)) }
  })

const ofArguments = (urls: ReadonlyArray<string>) => ({
  batches: Stream.succeed({ urls, unreadable: [], bytesRead: 0 }),
  bytes: Option.none()
})

/** What is wrong with what was given beyond what each part says; undefined when nothing is. */
const misuse = (
  {
    urls,
    file,
    json,
    table
  }: { urls: ReadonlyArray<string>; file: Option.Option<string>; json: boolean; table: boolean },
  { isTerminalIn }: Surroundings
): string | undefined => {
  // The library takes options that it does not know, or that it has read already, for arguments.
  const unread = urls.find((url) => url.startsWith("-"))
  if (unread !== undefined)
    return ["--json", "--table", "--file", "--wait"].includes(unread)
      ? `Give ${unread} once`
      : `No URL begins with "-", and there is no option ${printable(unread)}`
  if (json && table) return "Ask for --json or for --table"
  if (urls.length > 0 && Option.isSome(file)) return "Give URLs or --file, not both"
  if (urls.length === 0 && Option.isNone(file) && isTerminalIn)
    return "Nothing to check: give URLs, --file, or lines on standard input"
  return undefined
}

const check = (surroundings: Surroundings, end: (ending: Ending) => Effect.Effect<void>) =>
  Command.make("check", { urls, file, json, table, wait }, (given) =>
    Effect.gen(function* () {
      const problem = misuse(given, surroundings)
      if (problem !== undefined)
        return yield* Effect.zipRight(
          surroundings.output.notice(`${problem}\n`),
          Effect.fail(ValidationError.invalidArgument(HelpDoc.p(problem)))
        )
      const input =
        given.urls.length > 0
          ? ofArguments(given.urls)
          : Option.isSome(given.file)
            ? yield* ofFile(given.file.value)
            : { batches: Lines.batches(NodeStream.stdin), bytes: Option.none<number>() }
      const isTable = given.table || (surroundings.isTerminalOut && !given.json)
      const format = isTable
        ? ({ _tag: "Table", colour: surroundings.colour } as const)
        : ({ _tag: "JsonLines" } as const)
      const tally = yield* Check.run(input, format, surroundings.output).pipe(
        Effect.provide(Services.layer(given.wait, surroundings.output))
      )
      yield* end(Tally.exitStatus(tally))
    })
  ).pipe(
    Command.withDescription(
      "Checks URLs here, without a server. Exit status: 0 all safe, 1 something suspicious or phishing, 2 not everything could be checked"
    )
  )

const serve = (end: (ending: Ending) => Effect.Effect<void>) =>
  Command.make("serve", {}, () => end("Serve")).pipe(
    Command.withDescription("Runs the service; the environment configures it")
  )

/** The command line, for `process.argv`. `end` hears how the program is to end. */
export const run = (surroundings: Surroundings, end: (ending: Ending) => Effect.Effect<void>) =>
  Command.run(
    Command.make(Program.name).pipe(
      Command.withDescription("Tells whether URLs are phishing"),
      Command.withSubcommands([check(surroundings, end), serve(end)])
    ),
    { name: Program.name, version: Program.version }
  )
