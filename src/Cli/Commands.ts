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

/** How the program ends: with an exit status, or by starting the server. */
export type Ending = "Serve" | 0 | 1 | 2

/** The standard streams, and whether they are terminals. */
export interface Streams {
  readonly output: Output
  readonly isStdinTerminal: boolean
  readonly isStdoutTerminal: boolean
  readonly colour: boolean
}

/** A first run fetches some megabytes, which takes less on most connections. */
const DEFAULT_WAIT = "30 seconds"

const decodeWait = (text: string): Option.Option<Duration.Duration> =>
  text === "0"
    ? Option.some(Duration.zero)
    : Option.filter(Duration.decodeUnknown(text), (wait) => Duration.isFinite(wait))

const urls = Args.text({ name: "url" }).pipe(
  Args.withDescription("URLs to check; without any, the lines of --file or of standard input"),
  Args.repeated
)

const file = Options.file("file", { exists: "yes" }).pipe(
  Options.withDescription("A file with one URL a line"),
  Options.optional
)

const json = Options.boolean("json").pipe(
  Options.withDescription("One JSON object a line; the default unless the output is a terminal")
)

const table = Options.boolean("table").pipe(Options.withDescription("A table; the default on a terminal"))

const wait = Options.text("wait").pipe(
  Options.filterMap(decodeWait, 'Expected a duration such as "30 seconds", or 0'),
  Options.withDescription("How long to wait for threat lists that are missing or stale"),
  Options.withDefault(Duration.decode(DEFAULT_WAIT))
)

const fileInput = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size } = yield* files.stat(path)
    return { batches: Lines.batches(files.stream(path)), bytes: Option.some(Number(size)) }
  })

const argumentsInput = (urls: ReadonlyArray<string>) => ({
  batches: Stream.succeed({ urls, unreadable: [], bytesRead: 0 }),
  bytes: Option.none()
})

/** Checks the combination of arguments. Returns an error message, or undefined. */
const usageError = (
  {
    urls,
    file,
    json,
    table
  }: { urls: ReadonlyArray<string>; file: Option.Option<string>; json: boolean; table: boolean },
  { isStdinTerminal }: Streams
): string | undefined => {
  // @effect/cli reads unknown and repeated options as arguments.
  const option = urls.find((url) => url.startsWith("-"))
  if (option !== undefined)
    return ["--json", "--table", "--file", "--wait"].includes(option)
      ? `Give ${option} once`
      : `No URL begins with "-", and there is no option ${printable(option)}`
  if (json && table) return "Use --json or --table, not both"
  if (urls.length > 0 && Option.isSome(file)) return "Give URLs or --file, not both"
  if (urls.length === 0 && Option.isNone(file) && isStdinTerminal)
    return "Nothing to check: give URLs, --file, or lines on standard input"
  return undefined
}

const check = (streams: Streams, end: (ending: Ending) => Effect.Effect<void>) =>
  Command.make("check", { urls, file, json, table, wait }, (given) =>
    Effect.gen(function* () {
      const error = usageError(given, streams)
      if (error !== undefined)
        return yield* Effect.zipRight(
          streams.output.notice(`${error}\n`),
          Effect.fail(ValidationError.invalidArgument(HelpDoc.p(error)))
        )
      const input =
        given.urls.length > 0
          ? argumentsInput(given.urls)
          : Option.isSome(given.file)
            ? yield* fileInput(given.file.value)
            : { batches: Lines.batches(NodeStream.stdin), bytes: Option.none<number>() }
      const isTable = given.table || (streams.isStdoutTerminal && !given.json)
      const format = isTable
        ? ({ _tag: "Table", colour: streams.colour } as const)
        : ({ _tag: "JsonLines" } as const)
      const tally = yield* Check.run(input, format, streams.output).pipe(
        Effect.provide(Services.layer(given.wait, streams.output))
      )
      yield* end(Tally.exitStatus(tally))
    })
  ).pipe(
    Command.withDescription(
      "Checks URLs in this process, without a server. Exit status: 0 all safe, 1 at least one is suspicious or phishing, 2 not all could be checked"
    )
  )

const serve = (end: (ending: Ending) => Effect.Effect<void>) =>
  Command.make("serve", {}, () => end("Serve")).pipe(
    Command.withDescription("Runs the service, configured by environment variables")
  )

/** Runs the command line for `process.argv`. Calls `end` once, with how the program must end. */
export const run = (streams: Streams, end: (ending: Ending) => Effect.Effect<void>) =>
  Command.run(
    Command.make(Program.name).pipe(
      Command.withDescription("Checks whether URLs are phishing"),
      Command.withSubcommands([check(streams, end), serve(end)])
    ),
    { name: Program.name, version: Program.version }
  )
