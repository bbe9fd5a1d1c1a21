import { randomUUID } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Clock, Data, Duration, Effect, Option, Stream } from "effect"
import { errorCodeOf } from "../../../Layers/ErrorCode.ts"
import type { SnapshotFormat, UnusableSnapshot } from "./SnapshotBytes.ts"

/** There is a snapshot that cannot be used. The caller goes on without it. */
class NotLoaded extends Data.TaggedError("NotLoaded")<{
  /** The reason of an `UnusableSnapshot`, `NotAFile`, or the code of a system or call error, such as `EACCES` or `Timeout`. */
  readonly detail: string
  /** Whether the disk is to blame, not the content of the file. */
  readonly isOfDisk: boolean
}> {
  override get message(): string {
    return this.detail
  }
}

/** The snapshot could not be written. The previous file is unchanged. */
export class NotSaved extends Data.TaggedError("NotSaved")<{
  /** The code of a system or call error, such as `ENOSPC` or `Timeout`. */
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

/** The file of the last snapshot of one source. */
export interface SnapshotFile<S> {
  /** For the log. */
  readonly path: string
  /** None when there is no snapshot. Opens only a regular file: a pipe without a writer would never open. */
  readonly load: Effect.Effect<Option.Option<S>, NotLoaded>
  /** Writes a new file, then renames it: a reader sees the whole new snapshot or the whole previous one. */
  readonly save: (snapshot: S) => Effect.Effect<void, NotSaved>
}

/** The file of a feed contains the key of the list's hashes. */
const READABLE_BY_OWNER = 0o600

/** A temporary file of this age was left by a process that was killed. */
const MAX_TEMPORARY_AGE_MS = Duration.toMillis(Duration.hours(1))

/**
 * The file is `source.version.snapshot`, with the version of its format: replicas of two versions can share a directory, and
 * a downgrade finds its own file.
 */
export const make = Effect.fn("SnapshotFile.make")(function* <S>(
  directory: string,
  source: string,
  version: number,
  format: SnapshotFormat<S>
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const name = `${source}.${version}.snapshot`
  const file = path.join(directory, name)

  // The directory first: where it hangs, one call hangs for all lists.
  const load = files.stat(directory).pipe(
    Effect.zipRight(files.stat(file)),
    Effect.filterOrFail(
      ({ type }) => type === "File",
      () => new NotLoaded({ detail: "NotAFile", isOfDisk: false })
    ),
    Effect.zipRight(files.readFile(file)),
    Effect.flatMap(format.decode),
    Effect.asSome,
    Effect.catchIf(isNotFound, () => Effect.succeedNone),
    Effect.mapError((error) =>
      error._tag === "NotLoaded"
        ? error
        : error._tag === "UnusableSnapshot"
          ? new NotLoaded({ detail: error.reason, isOfDisk: false })
          : new NotLoaded({ detail: detailOf(error), isOfDisk: true })
    )
  )

  const write = (open: FileSystem.File, snapshot: S) =>
    Stream.runForEach(Stream.fromIteratorSucceed(format.encode(snapshot), 1), (piece) => open.writeAll(piece))

  const removeAbandoned = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const names = yield* files.readDirectory(directory)
    yield* Effect.forEach(
      names.filter((other) => other.startsWith(`${name}.`)).map((other) => path.join(directory, other)),
      (temporary) =>
        files.stat(temporary).pipe(
          Effect.flatMap(({ type, mtime }) =>
            type === "File" &&
            Option.exists(mtime, (written) => now - written.getTime() > MAX_TEMPORARY_AGE_MS)
              ? files.remove(temporary)
              : Effect.void
          ),
          // Another process may have removed it.
          Effect.ignore
        ),
      { discard: true }
    )
  }).pipe(Effect.ignore)

  const save = (snapshot: S) => {
    // Another process may write to the same directory.
    const temporary = `${file}.${randomUUID()}`
    return Effect.gen(function* () {
      yield* files.makeDirectory(directory, { recursive: true })
      yield* removeAbandoned
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* files.open(temporary, { flag: "w", mode: READABLE_BY_OWNER })
          yield* write(open, snapshot)
          yield* open.sync
        })
      )
      yield* files.rename(temporary, file)
    }).pipe(
      Effect.onError(() => Effect.ignore(files.remove(temporary))),
      // Interrupted, it goes on in the background, and removes what it has written if it fails.
      Effect.uninterruptible,
      Effect.disconnect,
      Effect.mapError((error) => new NotSaved({ detail: detailOf(error) }))
    )
  }

  return { path: file, load, save } satisfies SnapshotFile<S>
})

const isNotFound = (error: PlatformError.PlatformError | UnusableSnapshot | NotLoaded): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

const detailOf = (error: PlatformError.PlatformError): string => errorCodeOf(error.cause) ?? error.message
