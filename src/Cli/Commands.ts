import { createReadStream } from "node:fs"
import { Args, Command, Options } from "@effect/cli"
import { FileSystem } from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Data, Effect, Either, Option, Stream } from "effect"
import * as Program from "../Layers/Program.ts"
import * as Arguments from "./Arguments.ts"
import * as Check from "./Check.ts"
import * as Completions from "./Completions.ts"
import { DEFAULT_WAIT } from "./Help.ts"
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

// The descriptions are read in completion scripts only: the help is in Help.ts.

const urls = Args.text({ name: "url" }).pipe(Args.repeated)

const file = Options.text("file").pipe(Options.optional)

/** Only for completions, which then complete paths: its errors do not name the option. */
const path = Options.file("file").pipe(
  Options.withDescription("Read URLs from a file, one a line"),
  Options.optional
)

const json = Options.boolean("json").pipe(Options.withDescription("Write one JSON object a line"))

const table = Options.boolean("table").pipe(Options.withDescription("Write a table"))

const wait = Options.text("wait").pipe(
  Options.withDescription("Wait for missing or old threat lists; 0 does not wait"),
  Options.withDefault(DEFAULT_WAIT)
)

const failOn = Options.choice("fail-on", ["suspicious", "phishing"]).pipe(
  Options.withDescription("Exit with 1 from this verdict on"),
  Options.withDefault(Tally.defaultPolicy.failOn)
)

/** Only for completions: `Arguments` reads it. */
const strict = Options.boolean("strict").pipe(
  Options.withDescription("Exit with 2 if a checker did not answer; --strict=stale also if its list is old")
)

/** The file cannot be opened, or reading it failed. `code` is the system's error code. */
class UnreadableFile extends Data.TaggedError("UnreadableFile")<{
  readonly path: string
  readonly code: string
}> {
  override get message(): string {
    return `--file: "${this.path}" cannot be read (${this.code})`
  }
}

/** Not the stream of `FileSystem`, which reads at positions: a pipe, as `<(...)` and `/dev/stdin`, has none. */
const chunksOf = (path: string): Stream.Stream<Uint8Array, UnreadableFile> =>
  NodeStream.fromReadable(
    () => createReadStream(path),
    (error) =>
      new UnreadableFile({ path, code: error instanceof Error && "code" in error ? String(error.code) : "" })
  )

/** Fails with a message for the user. */
const fileInput = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* Effect.mapError(files.stat(path), (error) =>
      error._tag === "SystemError" && error.reason === "NotFound" ? "does not exist" : "cannot be read"
    )
    if (type === "Directory") return yield* Effect.fail("is a directory")
    const bytes = type === "File" ? Option.some(Number(size)) : Option.none<number>()
    return { batches: Lines.batches(chunksOf(path)), bytes }
  }).pipe(Effect.mapError((problem) => `--file: "${printable(path)}" ${problem}`))

const argumentsInput = (urls: ReadonlyArray<string>) => ({
  batches: Stream.succeed({ urls, unreadable: [], bytesRead: 0 }),
  bytes: Option.none()
})

interface Given {
  readonly urls: ReadonlyArray<string>
  readonly file: Option.Option<string>
  readonly json: boolean
  readonly table: boolean
}

/** Fails with a message for the user if the arguments do not go together. */
const inputOf = (given: Given, { isStdinTerminal }: Streams) => {
  const { file, json, table, urls } = given
  if (json && table) return Effect.fail("Use --json or --table, not both")
  if (urls.length > 0 && Option.isSome(file)) return Effect.fail("Give URLs or --file, not both")
  if (urls.length > 0) return Effect.succeed(argumentsInput(urls))
  if (Option.isSome(file)) return fileInput(file.value)
  return isStdinTerminal
    ? Effect.fail("Nothing to check: give URLs, --file, or lines on standard input")
    : Effect.succeed({ batches: Lines.batches(NodeStream.stdin), bytes: Option.none<number>() })
}

type End = (ending: Ending) => Effect.Effect<void>

const reject = ({ output }: Streams, end: End, message: string) =>
  Effect.zipRight(output.notice(`${message.trimEnd()}\n`), end(2))

const check = (streams: Streams, end: End, strictness: Tally.Strictness, fileOption: typeof file) =>
  Command.make("check", { urls, file: fileOption, json, table, wait, failOn, strict }, (given) =>
    Effect.gen(function* () {
      const input = yield* Effect.either(inputOf(given, streams))
      if (Either.isLeft(input)) return yield* reject(streams, end, input.left)
      const waitTime = Option.getOrThrow(Arguments.decodeWait(given.wait))
      const isTable = given.table || (streams.isStdoutTerminal && !given.json)
      const format = isTable
        ? ({ _tag: "Table", colour: streams.colour } as const)
        : ({ _tag: "JsonLines" } as const)
      const policy = { failOn: given.failOn, strictness }
      const tally = yield* Check.run(input.right, format, streams.output, policy).pipe(
        Effect.provide(Services.layer(waitTime, streams.output))
      )
      yield* end(Tally.exitStatus(tally, policy))
    })
  ).pipe(Command.withDescription("Check URLs, without a server"))

const serve = (end: End) =>
  Command.make("serve", {}, () => end("Serve")).pipe(Command.withDescription("Run the HTTP service"))

/** Runs the command line for `process.argv`. Calls `end` once, with how the program must end. */
export const run = (streams: Streams, end: End) => (argv: ReadonlyArray<string>) => {
  const [node = "", script = "", ...args] = argv
  const commandWith = (strictness: Tally.Strictness, fileOption: typeof file) =>
    Command.make(Program.name).pipe(
      Command.withSubcommands([check(streams, end, strictness, fileOption), serve(end)])
    )
  const print = (text: string) => Effect.zipRight(streams.output.write(text), end(0))
  return Effect.gen(function* () {
    const request = Arguments.read(args)
    if (Either.isLeft(request)) return yield* reject(streams, end, request.left)
    switch (request.right._tag) {
      case "Help":
        return yield* print(request.right.text)
      case "Version":
        return yield* print(`${Program.version}\n`)
      case "Completions":
        return yield* Effect.flatMap(Completions.script(commandWith("off", path), request.right.shell), print)
      case "Command": {
        const { args, strictness } = request.right
        const command = Command.run(commandWith(strictness, file), {
          name: Program.name,
          version: Program.version
        })
        return yield* command([node, script, ...args])
      }
    }
  })
}
