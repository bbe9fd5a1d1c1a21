import { dirname } from "node:path"
import { FileSystem } from "@effect/platform"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import { Context, Data, Duration, Effect, Option } from "effect"
import { errorCodeOf } from "./ErrorCode.ts"

/** The longest wait for an operation, and for the one before it. */
export const TIMEOUT = Duration.seconds(10)

/**
 * One operation at a time. One that hangs, for example on a network folder whose server is gone, occupies one of the four threads
 * on which Node accesses files and looks up names; nothing ends it. Provide another turn for a file that must not wait for others
 * nor delay them.
 */
export class FileTurn extends Context.Reference<FileTurn>()("app/Layers/Files/FileTurn", {
  defaultValue: () => Effect.unsafeMakeSemaphore(1)
}) {}

/**
 * Ends the wait for an operation after a time, with the reason `TimedOut`, as does an interruption. The operation goes on in the
 * background, and closes its files when it returns. It begins when the one before it in the same turn has returned.
 */
export const within =
  (duration: Duration.Duration = TIMEOUT) =>
  <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E | PlatformError, R> =>
    Effect.flatMap(FileTurn, (turn) => turn.withPermits(1)(Effect.uninterruptible(operation))).pipe(
      Effect.disconnect,
      Effect.timeoutFail({
        duration,
        onTimeout: (): PlatformError =>
          new SystemError({
            module: "FileSystem",
            method: "within",
            reason: "TimedOut",
            cause: { code: "Timeout" }
          })
      })
    )

const isSystemError = (error: PlatformError, reason: SystemError["reason"]): boolean =>
  error._tag === "SystemError" && error.reason === reason

/** Makes the directory and those above it. Node's own way never ends below `/proc`, where no directory can be made. */
export const makeDirectory = (path: string): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const make = (yield* FileSystem.FileSystem).makeDirectory(path)
    yield* make.pipe(
      Effect.catchIf(
        (error) => isSystemError(error, "NotFound") && dirname(path) !== path,
        () => Effect.zipRight(makeDirectory(dirname(path)), make)
      ),
      Effect.catchIf(
        (error) => isSystemError(error, "AlreadyExists"),
        () => Effect.void
      )
    )
  })

/** A file that the operator names cannot be used. */
export class FileError extends Data.TaggedError("FileError")<{
  /** `NotRegular`: a folder, a device, a named pipe or a socket. `System`: the operating system refuses. */
  readonly reason: "NotRegular" | "TooLarge" | "System" | "Timeout"
  /** Follows the path in a sentence. Contains nothing of the file. */
  readonly message: string
}> {}

const MEBIBYTE = 1_048_576

/** The system's own codes do not become the reason `TimedOut`. */
const fileError = (error: PlatformError | FileError): FileError => {
  if (error._tag === "FileError") return error
  if (isSystemError(error, "TimedOut"))
    return new FileError({
      reason: "Timeout",
      message: `did not respond within ${Duration.toSeconds(TIMEOUT)} seconds`
    })
  const code = errorCodeOf(error.cause) ?? (error._tag === "SystemError" ? error.reason : error._tag)
  return new FileError({ reason: "System", message: `cannot be read (${code})` })
}

/** Changes with the content of a path, unless the new content is of the same size, in the same file, within a millisecond. */
export type Version = string

const checkedVersion = (
  { dev, ino, mtime, size, type }: FileSystem.File.Info,
  maxBytes: number
): Effect.Effect<Version, FileError> => {
  if (type !== "File") return new FileError({ reason: "NotRegular", message: "is not a regular file" })
  if (size > maxBytes) return tooLarge(maxBytes)
  const written = Option.map(mtime, (time) => time.getTime())
  return Effect.succeed([dev, Option.getOrNull(ino), size, Option.getOrNull(written)].join())
}

const tooLarge = (maxBytes: number): FileError =>
  new FileError({ reason: "TooLarge", message: `is larger than ${maxBytes / MEBIBYTE} MiB` })

/** Does not open the file: opening a named pipe would block. */
const versionOf = (path: string, maxBytes: number) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(path)).pipe(
    Effect.flatMap((info) => checkedVersion(info, maxBytes))
  )

/** The version of a regular file of at most `maxBytes`. */
export const version = (path: string, maxBytes: number) =>
  versionOf(path, maxBytes).pipe(within(), Effect.mapError(fileError))

/** Each read takes a turn of the event loop, and the start waits for the weights. */
const CHUNK_BYTES = 1_048_576

/** Reads a regular file of at most `maxBytes`. */
export const read = (path: string, maxBytes: number) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* versionOf(path, maxBytes)
    const file = yield* files.open(path, { flag: "r" })
    // Again, of the file that is open: the path may name another one by now.
    const version = yield* Effect.flatMap(file.stat, (info) => checkedVersion(info, maxBytes))
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    while (true) {
      const chunk = yield* file.readAlloc(CHUNK_BYTES)
      if (Option.isNone(chunk)) return { version, bytes: Buffer.concat(chunks) }
      bytes += chunk.value.length
      if (bytes > maxBytes) return yield* tooLarge(maxBytes)
      chunks.push(chunk.value)
    }
  }).pipe(Effect.scoped, within(), Effect.mapError(fileError))

/**
 * Reads the first byte of a regular file. Fails if it does not respond; what the system refuses is for the thread to report that
 * then reads it: no timeout ends a thread in a call.
 */
export const responds = (path: string): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { type } = yield* files.stat(path)
    if (type === "File") yield* (yield* files.open(path)).readAlloc(1)
  }).pipe(Effect.scoped, Effect.ignore, within())
