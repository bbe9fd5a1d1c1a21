import { randomUUID } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Either,
  Layer,
  MutableRef,
  Option,
  Schema,
  Stream
} from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
import * as SnapshotBytes from "./SnapshotBytes.ts"

/**
 * The files that a fault of the disk concerns. With `layer` all lists share them, so that one line of the log is enough for all;
 * without it each list has a line.
 */
export class FaultyFiles extends Context.Reference<FaultyFiles>()("app/Lists/FaultyFiles", {
  defaultValue: (): Set<string> | undefined => undefined
}) {
  static readonly layer = Layer.sync(FaultyFiles, () => new Set())

  /** Also tries at the start whether files can be written to DATA_DIR. If not, logs the one line. */
  static readonly tried = Layer.effect(
    FaultyFiles,
    Effect.flatMap(AppConfig, ({ dataDir }) =>
      tryToWrite(dataDir).pipe(
        Effect.map(() => new Set<string>()),
        Effect.catchAll((problem) =>
          Effect.logWarning(
            `DATA_DIR: ${JSON.stringify(dataDir)} ${problem}. Threat lists are in memory only, and each start downloads them`,
            jsonOnly({ path: dataDir })
          ).pipe(Effect.as(new Set([dataDir])))
        )
      )
    )
  )
}

/** The start waits so long. A disk takes milliseconds; a network folder whose server is gone never responds. */
const TRY_TIMEOUT = Duration.seconds(2)

/** Replicas that share the directory use the same name: the file is empty, and each removes it. */
const TRIED_FILE = ".write-test"

/** Makes the directory if it is missing. Fails with why no file can be written to it. */
const tryToWrite = (directory: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).join(directory, TRIED_FILE)
    yield* files.makeDirectory(directory, { recursive: true })
    yield* Effect.scoped(files.open(file, { flag: "w", mode: READABLE_BY_OWNER }))
    yield* Effect.ignore(files.remove(file))
  }).pipe(
    Effect.mapError((error) => `cannot be written to (${codeOf(error)})`),
    Effect.timeoutFail({
      duration: TRY_TIMEOUT,
      onTimeout: () => `did not respond within ${Duration.toSeconds(TRY_TIMEOUT)} seconds`
    })
  )

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

/** The metadata of a snapshot have a few kilobytes: a longer text would only delay the start. */
const MAX_TIMES_BYTES = 1_048_576

/** A temporary file of this age was left by a process that was killed. */
const MAX_TEMPORARY_AGE_MS = Duration.toMillis(Duration.hours(1))

/** The metadata of the snapshot with this digest, when it has changed since the snapshot was written. */
const LaterTimes = Schema.parseJson(Schema.Struct({ digest: Schema.String, metadata: Schema.String }))
const encodeTimes = Schema.encodeSync(LaterTimes)
const decodeTimes = Schema.decodeUnknownOption(LaterTimes)

const digestOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(-SnapshotBytes.DIGEST_BYTES)).toString("hex")

/** What the disk or the file system says: the code of a system or call error, such as `EACCES` or `Timeout`. */
const codeOf = (error: PlatformError.PlatformError): string => errorCodeOf(error.cause) ?? error.message

/** Another file at the same path, or other content of the file, has another one. */
const versionOf = ({ ino, mtime, size }: FileSystem.File.Info): string =>
  [Option.getOrNull(ino), size, Option.getOrNull(mtime)?.getTime()].join()

/** The snapshot in a directory, and how later ones are saved there. */
export interface SnapshotFile<S> {
  /** The snapshot of the last process. None: there is none that can be used. */
  readonly loaded: Option.Option<S>
  /** Why a restart would start without the last snapshot. */
  readonly error: () => Option.Option<LastError>
  /**
   * Writes a new file, then renames it: a reader sees a whole snapshot. If only the metadata has changed since the file was
   * written, a small file is written beside it. Takes at most a minute. Logs the first of several errors in a row.
   */
  readonly save: (snapshot: S) => Effect.Effect<void>
}

/**
 * Loads the snapshot of a source. Never fails.
 *
 * The file is `source.version.snapshot`, with the version of its format: replicas of two versions can share a directory, and
 * a downgrade finds its own file. Later metadata are in `source.version.times`.
 */
export const make = Effect.fn("SnapshotFile.make")(function* <S>(
  directory: string,
  source: string,
  format: SnapshotBytes.SnapshotFormat<S>
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(directory, `${source}.${format.version}.snapshot`)
  const timesFile = path.join(directory, `${source}.${format.version}.times`)

  /** Reads only a regular file: a pipe without a writer would never open. */
  const read = Effect.fnUntraced(function* (file: string, maxBytes: number) {
    const info = yield* files.stat(file)
    if (info.type !== "File") return yield* new SnapshotBytes.UnusableSnapshot({ reason: "NotAFile" })
    if (info.size > maxBytes) return yield* new SnapshotBytes.UnusableSnapshot({ reason: "TooLarge" })
    return { bytes: yield* files.readFile(file), version: versionOf(info) }
  })

  /** Whole, or not at all: another process may write to the same directory. */
  const write = (file: string, pieces: IterableIterator<Uint8Array>, isSynced: boolean) => {
    const temporary = `${file}.${randomUUID()}`
    return Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* files.open(temporary, { flag: "w", mode: READABLE_BY_OWNER })
          yield* Stream.runForEach(Stream.fromIteratorSucceed(pieces, 1), (piece) => open.writeAll(piece))
          if (isSynced) yield* open.sync
        })
      )
      const info = yield* files.stat(temporary)
      yield* files.rename(temporary, file)
      return versionOf(info)
    }).pipe(Effect.onError(() => Effect.ignore(files.remove(temporary))))
  }

  const removeAbandoned = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const name of yield* files.readDirectory(directory)) {
      const temporary = path.join(directory, name)
      if (!temporary.startsWith(`${file}.`) && !temporary.startsWith(`${timesFile}.`)) continue
      const { mtime } = yield* files.stat(temporary)
      if (Option.exists(mtime, (written) => now - written.getTime() > MAX_TEMPORARY_AGE_MS))
        yield* files.remove(temporary)
    }
  }).pipe(
    // Another process may have removed one: the next save removes the others.
    Effect.ignore
  )

  /** The snapshot whose content is in the file, with the version and the digest of the file. */
  let written: { readonly snapshot: S; readonly version: string; readonly digest: string } | undefined

  const load = Effect.gen(function* () {
    // The directory first: where it hangs, one call hangs for all lists.
    yield* files.stat(directory)
    const { bytes, version } = yield* read(file, SnapshotBytes.MAX_SNAPSHOT_BYTES)
    const times = yield* Effect.option(read(timesFile, MAX_TIMES_BYTES))
    const snapshot = yield* SnapshotBytes.decode(format, bytes)
    const digest = digestOf(bytes)
    written = { snapshot, version, digest }
    return Option.flatMap(times, ({ bytes }) => decodeTimes(Buffer.from(bytes).toString())).pipe(
      Option.filter((times) => times.digest === digest),
      Option.flatMap(({ metadata }) => format.withMetadata(snapshot, metadata)),
      Option.orElseSome(() => snapshot)
    )
  }).pipe(
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeedNone
    )
  )

  const saveTimes = (snapshot: S, digest: string) =>
    write(
      timesFile,
      [Buffer.from(encodeTimes({ digest, metadata: format.metadata(snapshot) }))].values(),
      false
    )

  const saveAll = Effect.fnUntraced(function* (snapshot: S) {
    written = undefined
    let last: Uint8Array = new Uint8Array()
    const pieces = function* () {
      for (last of SnapshotBytes.encode(format, snapshot)) yield last
    }
    const version = yield* write(file, pieces(), true)
    written = { snapshot, version, digest: digestOf(last) }
  })

  const save = Effect.fnUntraced(function* (snapshot: S) {
    yield* files.makeDirectory(directory, { recursive: true })
    yield* removeAbandoned
    const before = written
    const isSame =
      before !== undefined &&
      SnapshotBytes.hasSameContent(format, Option.some(before.snapshot), snapshot) &&
      // It may have been removed, cut off, or replaced by another process.
      Option.exists(yield* Effect.option(files.stat(file)), (info) => versionOf(info) === before.version)
    yield* isSame ? saveTimes(snapshot, before.digest) : saveAll(snapshot)
  })

  /** Without a cause: a stack says nothing about a disk. */
  const warn = (message: string, reason: string) =>
    Effect.annotateLogs(Effect.logWarning(message), { path: file, reason })
  const faulty = (yield* FaultyFiles) ?? new Set()
  /** Logs the first fault. */
  const warnOfDisk = (warning: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const isFirst = faulty.size === 0
      faulty.add(file)
      return isFirst ? warning : Effect.void
    })

  const error = MutableRef.make<Option.Option<LastError>>(Option.none())
  const loaded = yield* Effect.catchAll(
    load,
    Effect.fnUntraced(function* (cause) {
      const isOfDisk = cause._tag !== "UnusableSnapshot"
      const reason = isOfDisk ? codeOf(cause) : cause.reason
      yield* isOfDisk
        ? warnOfDisk(
            Effect.logWarning(
              `DATA_DIR: ${JSON.stringify(file)} cannot be read (${reason}). Threat lists are in memory only`,
              jsonOnly({ path: file, reason })
            )
          )
        : warn("A saved threat list cannot be used and is fetched anew", reason)
      MutableRef.set(error, yield* errorNow(`saved list not usable (${reason})`))
      return Option.none<S>()
    })
  )

  return {
    loaded,
    error: () => MutableRef.get(error),
    save: Effect.fnUntraced(function* (snapshot) {
      const saved = yield* save(snapshot).pipe(
        // Interrupted, it goes on in the background, and removes what it has written if it fails.
        Effect.uninterruptible,
        Effect.disconnect,
        Effect.mapError(codeOf),
        Effect.timeoutFail({ duration: SAVE_TIMEOUT, onTimeout: () => "Timeout" }),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logError("Saving a threat list failed", Cause.die(defect)),
            Effect.fail("Defect")
          )
        ),
        Effect.either
      )
      if (Either.isRight(saved)) {
        faulty.delete(file)
        faulty.delete(directory)
        return void MutableRef.set(error, Option.none())
      }
      yield* warnOfDisk(
        warn("A threat list is in memory only. Can the service write to DATA_DIR?", saved.left)
      )
      MutableRef.set(error, yield* errorNow(`not saved (${saved.left})`))
    })
  } satisfies SnapshotFile<S>
})
