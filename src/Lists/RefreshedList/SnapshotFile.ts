import { randomUUID } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Cause, Clock, Duration, Effect, Either, Layer, MutableRef, Option, Stream } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import * as Files from "../../Layers/Files.ts"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
import * as SnapshotBytes from "./SnapshotBytes.ts"

/** The last error of its kind; the next success removes it. */
export interface LastError {
  /** Contains no address, key or row. */
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export const errorNow = (message: string) =>
  Effect.map(Clock.currentTimeMillis, (at): Option.Option<LastError> => Option.some({ message, at }))

/** A disk that hangs must not end the refreshes. A list of 30 MB takes less than a second. */
const SAVE_TIMEOUT = Duration.minutes(1)

const READABLE_BY_OWNER = 0o600

/** A temporary file of this age was left by a process that was killed. */
const MAX_TEMPORARY_AGE_MS = Duration.toMillis(Duration.hours(1))

/** What the disk or the file system says: the code of a system or call error, such as `EACCES` or `Timeout`. */
const codeOf = (error: PlatformError.PlatformError): string => errorCodeOf(error.cause) ?? error.message

/** The start waits so long. A disk takes milliseconds; a network folder whose server is gone never responds. */
const TRY_TIMEOUT = Duration.seconds(2)

/** Replicas that share the directory use the same name: the file is empty, and each removes it. */
const TRIED_FILE = ".write-test"

/** Tries whether files can be written to DATA_DIR, which it makes if it is missing. Logs why not. */
export const tried = Layer.effectDiscard(
  Effect.gen(function* () {
    const { dataDir } = yield* AppConfig
    const files = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).join(dataDir, TRIED_FILE)
    yield* Files.makeDirectory(dataDir).pipe(
      Effect.zipRight(Effect.scoped(files.open(file, { flag: "w", mode: READABLE_BY_OWNER }))),
      Effect.zipRight(Effect.ignore(files.remove(file))),
      Effect.mapError((error) => `cannot be written to (${codeOf(error)})`),
      Files.within(TRY_TIMEOUT),
      Effect.mapError((problem) =>
        typeof problem === "string"
          ? problem
          : `did not respond within ${Duration.toSeconds(TRY_TIMEOUT)} seconds`
      ),
      Effect.catchAll((problem) =>
        Effect.logWarning(
          `DATA_DIR: ${JSON.stringify(dataDir)} ${problem}. Threat lists are in memory only, and each start downloads them`,
          jsonOnly({ path: dataDir })
        )
      )
    )
  })
)

/** The snapshot in a directory, and how later ones are saved there. */
export interface SnapshotFile<S> {
  /** The snapshot of the last process. None: there is none that can be used. */
  readonly loaded: Option.Option<S>
  /** Why a restart would start without the last snapshot. */
  readonly error: () => Option.Option<LastError>
  /**
   * Writes a new file, then renames it: a reader sees a whole snapshot. Takes at most a minute. Logs the first of several
   * errors in a row.
   */
  readonly save: (snapshot: S) => Effect.Effect<void>
}

/**
 * Loads the snapshot of a source. Never fails. The file is `source.version.list`, with the version of its format: replicas of
 * two versions can share a directory, and a downgrade finds its own file.
 */
export const make = Effect.fn("SnapshotFile.make")(function* <S>(
  directory: string,
  source: string,
  format: SnapshotBytes.SnapshotFormat<S>
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(directory, `${source}.${format.version}.list`)

  /** Whole, or not at all: another process may write to the same directory. */
  const write = Effect.fnUntraced(function* (snapshot: S) {
    const temporary = `${file}.${randomUUID()}`
    yield* Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* files.open(temporary, { flag: "w", mode: READABLE_BY_OWNER })
          const pieces = Stream.fromIteratorSucceed(SnapshotBytes.encode(format, snapshot), 1)
          yield* Stream.runForEach(pieces, (piece) => open.writeAll(piece))
          yield* open.sync
        })
      )
      yield* files.rename(temporary, file)
    }).pipe(Effect.onError(() => Effect.ignore(files.remove(temporary))))
  })

  const removeAbandoned = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const name of yield* files.readDirectory(directory)) {
      const temporary = path.join(directory, name)
      if (!temporary.startsWith(`${file}.`)) continue
      const { mtime } = yield* files.stat(temporary)
      if (Option.exists(mtime, (written) => now - written.getTime() > MAX_TEMPORARY_AGE_MS))
        yield* files.remove(temporary)
    }
  }).pipe(
    // Another process may have removed one: the next save removes the others.
    Effect.ignore
  )

  /** Reads only a regular file: a pipe without a writer would never open. */
  const load = Effect.gen(function* () {
    const { size, type } = yield* files.stat(file)
    if (type !== "File") return yield* new SnapshotBytes.UnusableSnapshot({ reason: "NotAFile" })
    if (size > SnapshotBytes.MAX_SNAPSHOT_BYTES)
      return yield* new SnapshotBytes.UnusableSnapshot({ reason: "TooLarge" })
    return yield* files.readFile(file)
  }).pipe(
    Files.within(),
    Effect.flatMap((bytes) => Effect.asSome(SnapshotBytes.decode(format, bytes))),
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeedNone
    )
  )

  const save = Effect.fnUntraced(function* (snapshot: S) {
    yield* Files.makeDirectory(directory)
    yield* removeAbandoned
    yield* write(snapshot)
  })

  /** Without a cause: a stack says nothing about a disk. */
  const warn = (message: string, reason: string) =>
    Effect.annotateLogs(Effect.logWarning(message), { path: file, reason })

  const error = MutableRef.make<Option.Option<LastError>>(Option.none())
  const loaded = yield* Effect.catchAll(
    load,
    Effect.fnUntraced(function* (cause) {
      const reason = cause._tag === "UnusableSnapshot" ? cause.reason : codeOf(cause)
      yield* warn("A saved threat list cannot be used and is fetched anew", reason)
      MutableRef.set(error, yield* errorNow(`saved list not usable (${reason})`))
      return Option.none<S>()
    })
  )

  let isUnsaved = false

  return {
    loaded,
    error: () => MutableRef.get(error),
    save: Effect.fnUntraced(function* (snapshot) {
      const saved = yield* save(snapshot).pipe(
        // Interrupted, it goes on in the background, and removes what it has written if it fails.
        Files.within(SAVE_TIMEOUT),
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.mapError(codeOf),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logError("Saving a threat list failed", Cause.die(defect)),
            Effect.fail("Defect")
          )
        ),
        Effect.either
      )
      const wasUnsaved = isUnsaved
      isUnsaved = Either.isLeft(saved)
      if (Either.isRight(saved)) return void MutableRef.set(error, Option.none())
      if (!wasUnsaved)
        yield* warn("A threat list is in memory only. Can the service write to DATA_DIR?", saved.left)
      MutableRef.set(error, yield* errorNow(`not saved (${saved.left})`))
    })
  } satisfies SnapshotFile<S>
})
