import { dirname, resolve } from "node:path"
import { FileSystem } from "@effect/platform"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import { defaultTeardown, type Teardown } from "@effect/platform/Runtime"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Data, Deferred, Duration, Effect, Exit, Layer, Option, Scope } from "effect"
import { errorCodeOf } from "./ErrorCode.ts"
import { nextTurn } from "./Time/Slices.ts"

/**
 * Calls of the file system may never return, for example on a network folder whose server is gone, and nothing ends them.
 * Each occupies one of the four threads on which Node accesses files and looks up names.
 */

/** Calls at once, those that hang included: half of Node's threads. */
const MAX_CALLS = 2

/** The longest wait for one call. A call that takes longer hangs. */
const CALL_LIMIT = Duration.seconds(10)

/** Of a whole list at once to a slow disk, or of what the system has buffered. */
const WRITE_LIMIT = Duration.minutes(1)

/** How long the process waits for a thread to end, and before its own end for calls that may still return. */
const END_LIMIT = Duration.seconds(1)

/**
 * Why there is no result of a call.
 *
 * - `Timeout`: it has not returned within its limit.
 * - `Hangs`: an earlier call on the same path has not returned. No other is made until then.
 * - `OthersHang`: two calls on other paths have not returned. No other is made until one has.
 */
class CallError extends Data.TaggedError("CallError")<{
  readonly code: "Timeout" | "Hangs" | "OthersHang"
}> {}

interface Call {
  readonly path: string
  /** On one of Node's threads. Otherwise on a thread of its own. */
  readonly isPooled: boolean
  hangs: boolean
}

/** The calls that have not returned: at most one on a path, and at most `MAX_CALLS` on Node's threads. */
export class CallsUnderWay {
  readonly #calls = new Map<string, Call>()
  readonly #waiting = new Set<() => void>()

  get paths(): ReadonlyArray<string> {
    return [...this.#calls.keys()]
  }

  /** Waits until all calls have returned, for at most a second. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => this.#untilNone).pipe(
    Effect.interruptible,
    Effect.timeoutOption(END_LIMIT),
    Effect.asVoid
  )

  /**
   * Makes a call when its path and a thread are free. Fails with `Hangs` or `OthersHang` instead of waiting for a call that
   * hangs. Interruption ends the wait, not the call.
   */
  run<A, E>(path: string, limit: Duration.Duration, effect: Effect.Effect<A, E>) {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function* () {
        const result = yield* Deferred.make<A, E | CallError>()
        const call = yield* this.#begin(path, true, restore)
        yield* Effect.forkDaemon(
          Effect.flatMap(Effect.exit(effect), (exit) => {
            this.#remove(call)
            return Deferred.done(result, exit)
          })
        )
        // One more turn: after a pause of the process the timer ends before a call that has returned is known.
        const limited = Effect.zipRight(Effect.sleep(limit), nextTurn).pipe(
          Effect.zipRight(Effect.sync(() => this.#hang(call))),
          Effect.zipRight(Deferred.fail(result, new CallError({ code: "Timeout" })))
        )
        yield* Effect.forkDaemon(
          Effect.interruptible(Effect.raceFirst(limited, Effect.exit(Deferred.await(result))))
        )
        return yield* restore(Deferred.await(result))
      })
    )
  }

  /** Makes a call when the one on its path has returned, however long that takes. */
  runLate(path: string, effect: Effect.Effect<void>): Effect.Effect<void> {
    return this.run(path, CALL_LIMIT, effect).pipe(
      Effect.catchAll(({ code }) =>
        code === "Timeout" ? Effect.void : Effect.zipRight(this.#changed, this.runLate(path, effect))
      )
    )
  }

  /**
   * Reserves a path for a thread of its own, and yields what to call when the thread has ended. If it has not a second after
   * the scope was closed, it hangs.
   */
  hold(path: string): Effect.Effect<() => void, CallError, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        Effect.uninterruptibleMask((restore) => this.#begin(path, false, restore)),
        (call) =>
          Effect.forkDaemon(
            Effect.delay(
              Effect.sync(() => this.#hang(call)),
              END_LIMIT
            )
          )
      ),
      (call) => () => this.#remove(call)
    )
  }

  readonly #changed = Effect.async<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.#waiting.add(wake)
    return Effect.sync(() => this.#waiting.delete(wake))
  })

  readonly #untilNone: Effect.Effect<void> = Effect.suspend(() =>
    this.#calls.size === 0 ? Effect.void : Effect.zipRight(this.#changed, this.#untilNone)
  )

  #begin(
    path: string,
    isPooled: boolean,
    restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
  ): Effect.Effect<Call, CallError> {
    return Effect.suspend(() => {
      const same = this.#calls.get(path)
      const pooled = isPooled ? Array.from(this.#calls.values()).filter((call) => call.isPooled) : []
      if (same?.hangs === true) return new CallError({ code: "Hangs" })
      if (pooled.length >= MAX_CALLS && pooled.every(({ hangs }) => hangs))
        return new CallError({ code: "OthersHang" })
      if (same !== undefined || pooled.length >= MAX_CALLS)
        return Effect.zipRight(restore(this.#changed), this.#begin(path, isPooled, restore))
      const call = { path, isPooled, hangs: false }
      this.#calls.set(path, call)
      return Effect.succeed(call)
    })
  }

  #remove(call: Call): void {
    if (this.#calls.get(call.path) === call) this.#calls.delete(call.path)
    this.#wake()
  }

  #hang(call: Call): void {
    call.hangs = true
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}

/** The calls of the process. */
export class FileCalls extends Context.Reference<FileCalls>()("app/Layers/Files/FileCalls", {
  defaultValue: () => new CallsUnderWay()
}) {}

/** Makes the directory and those above it. Node's own way never ends below `/proc`, where no directory can be made. */
const makeDirectories = (
  make: (path: string) => Effect.Effect<void, PlatformError>,
  path: string
): Effect.Effect<void, PlatformError> =>
  Effect.catchAll(make(path), (error) => {
    const reason = error._tag === "SystemError" ? error.reason : undefined
    if (reason === "AlreadyExists") return Effect.void
    const above = dirname(path)
    return reason !== "NotFound" || above === path
      ? Effect.fail(error)
      : Effect.zipRight(
          makeDirectories(make, above),
          Effect.catchIf(
            make(path),
            (again) => again._tag === "SystemError" && again.reason === "AlreadyExists",
            () => Effect.void
          )
        )
  })

/** The file system, of which each call ends within its limit: by a `SystemError` whose cause is a `CallError`. */
export const bounded = (files: FileSystem.FileSystem, calls: CallsUnderWay): FileSystem.FileSystem => {
  const run = <A>(
    method: string,
    path: string,
    effect: Effect.Effect<A, PlatformError>,
    limit = CALL_LIMIT
  ): Effect.Effect<A, PlatformError> =>
    Effect.mapError(calls.run(path, limit, effect), (error) =>
      error._tag === "CallError"
        ? new SystemError({
            module: "FileSystem",
            method,
            reason: error.code === "Timeout" ? "TimedOut" : "Busy",
            pathOrDescriptor: path,
            cause: error
          })
        : error
    )

  const open: FileSystem.FileSystem["open"] = (path, options) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      // The file may be opened, or a call on it may return, when nobody waits any longer.
      const close = calls.runLate(path, Scope.close(scope, Exit.void))
      yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? close : Effect.forkDaemon(close)))
      const file = yield* run("open", path, Scope.extend(files.open(path, options), scope))
      return {
        [FileSystem.FileTypeId]: FileSystem.FileTypeId,
        fd: file.fd,
        get stat() {
          return run("stat", path, file.stat)
        },
        get sync() {
          return run("sync", path, file.sync, WRITE_LIMIT)
        },
        // Moves a number, makes no call.
        seek: (offset, from) => file.seek(offset, from),
        read: (buffer) => run("read", path, file.read(buffer)),
        readAlloc: (size) => run("readAlloc", path, file.readAlloc(size)),
        truncate: (length) => run("truncate", path, file.truncate(length)),
        write: (bytes) => run("write", path, file.write(bytes), WRITE_LIMIT),
        writeAll: (bytes) => run("writeAll", path, file.writeAll(bytes), WRITE_LIMIT)
      }
    })

  // What nothing here uses fails, instead of waiting without a limit.
  return FileSystem.makeNoop({
    open,
    stat: (path) => run("stat", path, files.stat(path)),
    readLink: (path) => run("readLink", path, files.readLink(path)),
    readFile: (path) => run("readFile", path, files.readFile(path)),
    readDirectory: (path) => run("readDirectory", path, files.readDirectory(path)),
    makeDirectory: (path, options) => {
      const make = (path: string) => run("makeDirectory", path, files.makeDirectory(path))
      return options?.recursive === true ? makeDirectories(make, path) : make(path)
    },
    rename: (from, to) => run("rename", to, files.rename(from, to)),
    remove: (path) => run("remove", path, files.remove(path))
  })
}

/** The file system of the machine, bounded. */
export const layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.zipWith(FileSystem.FileSystem, FileCalls, bounded)
).pipe(Layer.provide(NodeFileSystem.layer))

/**
 * Ends the process when its layers have ended: by SIGKILL if a call on a file has not returned, because `process.exit` would
 * wait for it.
 */
export const teardown =
  (calls: CallsUnderWay): Teardown =>
  (exit, onExit) => {
    if (calls.paths.length > 0) process.kill(process.pid, "SIGKILL")
    else defaultTeardown(exit, onExit)
  }

/** A file that the operator names cannot be used. */
export class FileError extends Data.TaggedError("FileError")<{
  /** `NotRegular`: a folder, a device, a named pipe or a socket. `System`: the operating system refuses. */
  readonly reason: "NotRegular" | "TooLarge" | "System" | CallError["code"]
  /** Follows the path in a sentence. Contains nothing of the file. */
  readonly message: string
}> {}

const MEBIBYTE = 1_048_576

const messages = {
  Timeout: `did not respond within ${Duration.toSeconds(CALL_LIMIT)} seconds`,
  Hangs: "is not read while an earlier read of it hangs",
  OthersHang: "is not read while two reads of other files hang"
} as const satisfies Record<CallError["code"], string>

const fileError = (error: PlatformError | CallError): FileError => {
  if (error._tag === "CallError") return new FileError({ reason: error.code, message: messages[error.code] })
  if (error.cause instanceof CallError) return fileError(error.cause)
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

/** Stands in for what the system refuses. A call that does not respond still fails. */
const ifRefused =
  <A>(value: A) =>
  (error: PlatformError): Effect.Effect<A, CallError> =>
    error.cause instanceof CallError ? Effect.fail(error.cause) : Effect.succeed(value)

/** Where a link leads, or the path itself. A link can be replaced, and what is there then be read, while its target hangs. */
const targetOf = (path: string): Effect.Effect<string, CallError, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.readLink(path)),
    Effect.map((target) => resolve(dirname(path), target)),
    Effect.catchAll(ifRefused(path))
  )

/**
 * Reserves a file for a thread of its own that reads it: see `CallsUnderWay.hold`. Fails if the file does not respond; what
 * the system refuses is the thread's to report.
 */
export const reserve = (path: string): Effect.Effect<() => void, CallError, Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const target = yield* targetOf(path)
    const firstByte = Effect.flatMap(files.open(target), (file) => file.readAlloc(1))
    yield* files.stat(target).pipe(
      Effect.flatMap(({ type }) => (type === "File" ? Effect.scoped(firstByte) : Effect.void)),
      Effect.catchAll(ifRefused(undefined))
    )
    return yield* (yield* FileCalls).hold(target)
  }).pipe(Effect.provide(layer))

/** The version of a regular file of at most `maxBytes`. Does not open it: opening a named pipe would block. */
export const version = (
  path: string,
  maxBytes: number
): Effect.Effect<Version, FileError, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => Effect.flatMap(targetOf(path), files.stat)).pipe(
    Effect.mapError(fileError),
    Effect.flatMap((info) => checkedVersion(info, maxBytes))
  )

const CHUNK_BYTES = 65_536

/** Reads a regular file of at most `maxBytes`, chunk by chunk, and yields its version. */
export const read = <R>(
  path: string,
  maxBytes: number,
  take: (chunk: Uint8Array) => Effect.Effect<void, never, R>
): Effect.Effect<Version, FileError, FileSystem.FileSystem | R> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* version(path, maxBytes)
    const file = yield* files.open(yield* targetOf(path), { flag: "r" })
    // Again, of the file that is open: the path may name another one by now.
    const opened = yield* Effect.flatMap(file.stat, (info) => checkedVersion(info, maxBytes))
    let bytes = 0
    while (true) {
      const chunk = yield* file.readAlloc(CHUNK_BYTES)
      if (Option.isNone(chunk)) return opened
      bytes += chunk.value.length
      if (bytes > maxBytes) return yield* tooLarge(maxBytes)
      yield* take(chunk.value)
    }
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => (error._tag === "FileError" ? error : fileError(error)))
  )
