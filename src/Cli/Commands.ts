import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"
import { parseEnv } from "node:util"
import { FileSystem } from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { type Duration, Effect, type Layer, Stream } from "effect"
import type { Checkers } from "../Checkers/Checkers.ts"
import type { AppConfig } from "../Layers/AppConfig.ts"
import { errorCodeOf } from "../Layers/ErrorCode.ts"
import { isSuffix } from "../Text/Suffixes.ts"
import * as PrivateHost from "../Url/PrivateHost.ts"
import * as Arguments from "./Arguments.ts"
import * as Check from "./Check.ts"
import * as Extract from "./Extract.ts"
import * as Formats from "./Formats.ts"
import * as Lines from "./Lines.ts"
import * as Output from "./Output.ts"
import * as Tally from "./Tally.ts"

/** How the program ends: with an exit status, or by starting the server. */
export type Ending = "Serve" | 0 | 1 | 2

/** The standard streams, whether they are terminals, and the environment. */
export interface Surroundings {
  readonly output: Output.Output
  /** Called only if it is read. */
  readonly stdin: () => Readable
  readonly isStdinTerminal: boolean
  readonly isStdoutTerminal: boolean
  readonly hasColours: boolean
  readonly environment: NodeJS.ProcessEnv
}

/** The checkers of one run, which waits so long for lists and logs to the output. */
type ServicesOf<E, R> = (
  wait: Duration.Duration,
  output: Output.Output
) => Layer.Layer<Checkers | AppConfig, E, R>

const rejected = (message: string) => new Lines.InvalidInput({ message })

const stat = (option: "--file" | "--env-file" | "--extract", path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const info = yield* Effect.mapError(files.stat(path), (error) =>
      error._tag === "SystemError" && error.reason === "NotFound" ? "does not exist" : "cannot be read"
    )
    return info.type === "Directory"
      ? yield* Effect.fail(
          `is a directory${option === "--extract" ? `; give its files, such as ${path.replace(/\/$/, "")}/*` : ""}`
        )
      : info
  }).pipe(Effect.mapError((problem) => rejected(`${option}: "${path}" ${problem}`)))

/** Not the stream of `FileSystem`, which reads at positions: a pipe, as `<(...)` and `/dev/stdin`, has none. */
const chunksOf = (what: string, stream: () => Readable): Stream.Stream<Uint8Array, Lines.InvalidInput> =>
  inUtf8(
    NodeStream.fromReadable(stream, (error) => rejected(`${what} cannot be read (${errorCodeOf(error)})`))
  )

/** Spreadsheets and PowerShell write UTF-16, with a byte order mark. */
const inUtf8 = <E>(chunks: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    let decoder: InstanceType<typeof TextDecoder> | undefined
    let isFirst = true
    return Stream.map(chunks, (bytes) => {
      if (isFirst) {
        const mark = `${bytes[0]} ${bytes[1]}`
        if (mark === "255 254") decoder = new TextDecoder("utf-16le")
        if (mark === "254 255") decoder = new TextDecoder("utf-16be")
      }
      isFirst = false
      return decoder === undefined ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }))
    })
  })

/** A path, or a name that is also no host: its last label would be the extension of a file. */
const FILE_NAME =
  /^(?:[a-z]:[/\\].*|(?:[^\s./\\?#:@]+[/\\](?:[^\s/\\?#:@]+[/\\])*)?[^\s/?#:@\\[\]]+\.([a-z]\w{0,9}))$/i

const isFileName = (text: string): boolean => {
  const [path, extension] = FILE_NAME.exec(text) ?? []
  if (path === undefined) return false
  return extension === undefined || !(isSuffix(extension) || PrivateHost.isPrivate(text.toLowerCase()))
}

/** A name of a file in place of a URL would be checked as a host. */
const refuseFiles = (urls: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    for (const url of urls.slice(0, MAX_NAMES)) {
      if (url.includes("://") || url === "") continue
      const isFile = yield* Effect.orElseSucceed(files.exists(url), () => false)
      if (isFile)
        return yield* rejected(
          `"${url}" is a file. Read it with --file "${url}", or any text with --extract "${url}"`
        )
      if (isFileName(url))
        return yield* rejected(`"${url}" does not exist. If it is a host, write https:// in front of it`)
    }
  })

/** Of a command line. */
const MAX_NAMES = 100

/** Fails with a message for the user if there is nothing to read. */
const inputOf = (request: Arguments.Check, { isStdinTerminal, stdin }: Surroundings) =>
  Effect.gen(function* () {
    const { column, file, isExtracting, urls } = request
    const reading = (what: string, stream: () => Readable, name?: string) => {
      const chunks = chunksOf(what, stream)
      return isExtracting ? Extract.batches(chunks, name) : Lines.batches(chunks, column)
    }
    yield* refuseFiles(urls)
    if (urls.length > 0)
      return { batches: Stream.succeed<Lines.Batch>({ urls, unreadable: [], bytesRead: 0 }) }
    const files = request.files.length > 0 ? request.files : file === undefined ? [] : [file]
    if (file === "-" || (files.length === 0 && !isStdinTerminal))
      return { batches: reading("Standard input", stdin) }
    if (files.length === 0)
      return yield* rejected("Nothing to check: give URLs, --file, or - for lines that you type")
    const option = request.files.length > 0 ? "--extract" : "--file"
    const infos = yield* Effect.forEach(files, (path) => stat(option, path))
    const streams = files.map((path) =>
      reading(`${option}: "${path}"`, () => createReadStream(path), files.length > 1 ? path : undefined)
    )
    const [first, ...others] = infos
    return {
      batches: streams.reduce((all, next) => Stream.concat(all, next)),
      bytes: first?.type === "File" && others.length === 0 ? Number(first.size) : undefined
    }
  })

const check = <E, R>(request: Arguments.Check, surroundings: Surroundings, servicesOf: ServicesOf<E, R>) =>
  Effect.gen(function* () {
    const { hasColours, isStdoutTerminal } = surroundings
    const output = request.isQuiet ? Output.quiet(surroundings.output) : surroundings.output
    const input = yield* inputOf(request, surroundings)
    const name = request.format ?? (isStdoutTerminal ? "table" : "json")
    const format = Formats.byName[name](hasColours)
    const only = request.only ?? (name === "table" ? "suspicious" : "safe")
    const tally = yield* Check.run(input, { format, only, policy: request.policy }, output).pipe(
      Effect.provide(servicesOf(request.wait, output))
    )
    return Tally.exitStatus(tally, request.policy)
  })

/** Sets the variables of a file, as `node --env-file` does: those that are set already stay. */
const loadEnvFile = (path: string, environment: NodeJS.ProcessEnv) =>
  Effect.gen(function* () {
    yield* stat("--env-file", path)
    const bytes = yield* Effect.mapError((yield* FileSystem.FileSystem).readFile(path), () =>
      rejected(`--env-file: "${path}" cannot be read`)
    )
    // The decoder removes a byte order mark, which would become a part of the first name.
    for (const [name, value] of Object.entries(parseEnv(new TextDecoder().decode(bytes))))
      environment[name] ??= value
  })

/** Runs a command line, without the name of the program. */
export const run = <E, R>(
  args: ReadonlyArray<string>,
  surroundings: Surroundings,
  servicesOf: ServicesOf<E, R>
) =>
  Effect.gen(function* () {
    const request = yield* Effect.mapError(Arguments.read(args), rejected)
    if (request._tag === "Print") {
      yield* Output.endIfClosed(surroundings.output.write(request.text))
      return 0 satisfies Ending
    }
    if (request.envFile !== undefined) yield* loadEnvFile(request.envFile, surroundings.environment)
    return request._tag === "Serve" ? request._tag : yield* check(request, surroundings, servicesOf)
  })
