import { randomUUID } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Clock, Data, Duration, Effect, Option, Stream } from "effect"
import { errorCodeOf } from "../../../Layers/ErrorCode.ts"
import type { SnapshotFormat, UnusableSnapshot } from "./SnapshotBytes.ts"
import { SnapshotDisk } from "./SnapshotDisk.ts"

/** There is a snapshot that cannot be used. The caller goes on without it. */
class NotLoaded extends Data.TaggedError("NotLoaded")<{
  /** The reason of an `UnusableSnapshot`, `NotAFile`, `Timeout`, or the system's error code, such as `EACCES`. */
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

/** The snapshot could not be written. The previous file is unchanged. */
export class NotSaved extends Data.TaggedError("NotSaved")<{
  /** The system's error code, such as `ENOSPC`. */
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
  /** None when there is no snapshot. Opens only a regular file: a pipe without a writer would never open. Takes at most 10 seconds. */
  readonly load: Effect.Effect<Option.Option<S>, NotLoaded>
  /** Writes a new file, then renames it: a reader sees the whole new snapshot or the whole previous one. */
  readonly save: (snapshot: S) => Effect.Effect<void, NotSaved>
}

/** Of a disk that does not respond, for example of a network. The service does not listen before. */
const LOAD_TIMEOUT = Duration.seconds(10)

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
  const disk = yield* SnapshotDisk

  /** Waits for its turn. Interrupted, it goes on in the background: nothing ends a call to a disk that does not respond. */
  const onDisk = <A, E>(calls: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.disconnect(disk.withPermits(1)(Effect.uninterruptible(calls)))

  const load = files.stat(file).pipe(
    Effect.filterOrFail(
      ({ type }) => type === "File",
      () => new NotLoaded({ detail: "NotAFile" })
    ),
    Effect.zipRight(files.readFile(file)),
    onDisk,
    Effect.flatMap(format.decode),
    Effect.asSome,
    Effect.catchIf(isNotFound, () => Effect.succeedNone),
    Effect.mapError((error) =>
      error._tag === "NotLoaded"
        ? error
        : new NotLoaded({ detail: error._tag === "UnusableSnapshot" ? error.reason : detailOf(error) })
    ),
    Effect.timeoutFail({ duration: LOAD_TIMEOUT, onTimeout: () => new NotLoaded({ detail: "Timeout" }) })
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
      onDisk,
      Effect.mapError((error) => new NotSaved({ detail: detailOf(error) }))
    )
  }

  return { path: file, load, save } satisfies SnapshotFile<S>
})

const isNotFound = (error: PlatformError.PlatformError | UnusableSnapshot | NotLoaded): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

const detailOf = (error: PlatformError.PlatformError): string => errorCodeOf(error.cause) ?? error.message
