import { FileSystem, type Error as PlatformError } from "@effect/platform"
import { Data, Effect, Option } from "effect"
import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import { ListReader } from "./ListReader.ts"

/** A file of the operator cannot be used. */
export class ListFileError extends Data.TaggedError("ListFileError")<{
  /** `NotRegular`: a folder, a device, a named pipe or a socket. `System`: the operating system refuses. */
  readonly reason: "NotRegular" | "TooLarge" | "System"
  /** Follows the path in a sentence. Contains nothing of the file. */
  readonly message: string
}> {}

const MAX_FILE_BYTES = 16_777_216

/** Reading a chunk takes at most 10 ms, also if each line is one character. Requests are served between two chunks. */
const CHUNK_BYTES = 4096

/** Changes with the content of a path, unless the new content is of the same size, in the same file, within a millisecond. */
type Version = string

const notRegular = new ListFileError({ reason: "NotRegular", message: "is not a regular file" })
const tooLarge = new ListFileError({ reason: "TooLarge", message: "is larger than 16 MiB" })

const systemError = (error: PlatformError.PlatformError): ListFileError => {
  const code = errorCodeOf(error.cause) ?? (error._tag === "SystemError" ? error.reason : error._tag)
  return new ListFileError({ reason: "System", message: `cannot be read (${code})` })
}

const checked = ({
  type,
  size,
  dev,
  ino,
  mtime
}: FileSystem.File.Info): Effect.Effect<Version, ListFileError> => {
  if (type !== "File") return notRegular
  if (size > MAX_FILE_BYTES) return tooLarge
  const written = Option.map(mtime, (time) => time.getTime())
  return Effect.succeed([dev, Option.getOrNull(ino), size, Option.getOrNull(written)].join())
}

/** The version of the file at a path. Does not open it: opening a named pipe would block. */
export const version = (path: string): Effect.Effect<Version, ListFileError, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.stat(path)),
    Effect.mapError(systemError),
    Effect.flatMap(checked)
  )

/** Reads the list of a regular file of at most 16 MiB, chunk by chunk, so that requests are served meanwhile. */
export const read = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* version(path)
    const file = yield* files.open(path, { flag: "r" })
    // Again, of the file that is open: the path may name another one by now.
    const opened = yield* Effect.flatMap(file.stat, checked)
    const reader = new ListReader()
    let bytes = 0
    while (true) {
      const chunk = yield* file.readAlloc(CHUNK_BYTES)
      if (Option.isNone(chunk)) break
      bytes += chunk.value.length
      if (bytes > MAX_FILE_BYTES) return yield* tooLarge
      reader.read(chunk.value)
    }
    reader.end()
    return { version: opened, reader }
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => (error._tag === "ListFileError" ? error : systemError(error)))
  )
