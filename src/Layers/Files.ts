import { dirname, resolve } from "node:path"
import { FileSystem } from "@effect/platform"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import { defaultTeardown, type Teardown } from "@effect/platform/Runtime"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Context, Data, Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { errorCodeOf } from "./ErrorCode.ts"

/**
 * Calls of the file system may never return, for example on a network folder whose server is gone, and nothing ends them.
 * Each occupies one of the four threads on which Node accesses files and looks up names.
 */

/** Calls at once, those that hang included: half of Node's threads. */
const MAX_CALLS = 2

/** The longest wait for one call, and for those before it on its path. */
const CALL_TIMEOUT = Duration.seconds(10)

/** Of a whole list at once to a slow disk, or of what the system has buffered. */
const WRITE_TIMEOUT = Duration.minutes(1)

/** How long the process waits at its end for calls that may still return. */
const END_TIMEOUT = Duration.seconds(1)

const END_POLL = Duration.millis(50)

/** A call has not returned in time, or was not made because of earlier ones that have not returned. */
const timeoutAfter = (duration: Duration.Duration, path: string, method: string) => ({
  duration,
  onTimeout: (): PlatformError =>
    new SystemError({
      module: "FileSystem",
      method,
      reason: "TimedOut",
      pathOrDescriptor: path,
      cause: { code: "Timeout" }
    })
})

const isSystemError = (error: PlatformError, reason: SystemError["reason"]): boolean =>
  error._tag === "SystemError" && error.reason === reason

/** The system's own codes do not become this reason. */
const isTimeout = (error: PlatformError): boolean => isSystemError(error, "TimedOut")

/** The calls that have not returned: at most one on a path, and at most `MAX_CALLS` on Node's threads. */
export class CallsUnderWay {
  readonly #pool = Effect.unsafeMakeSemaphore(MAX_CALLS)
  readonly #locks = new Map<string, { readonly lock: Effect.Semaphore; users: number }>()
  readonly #running = new Set<string>()

  get paths(): ReadonlyArray<string> {
    return [...this.#running]
  }

  /** Waits until all calls have returned, for at most a second. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    this.#running.size === 0 ? Effect.void : Effect.sleep(END_POLL)
  ).pipe(
    Effect.repeat({ until: () => this.#running.size === 0 }),
    Effect.interruptible,
    Effect.timeoutOption(END_TIMEOUT),
    Effect.asVoid
  )

  /**
   * Makes a call when its path and a thread are free. Fails with the reason `TimedOut` after the timeout, which ends the wait,
   * not the call, as does an interruption.
   */
  run<A>(
    method: string,
    path: string,
    call: Effect.Effect<A, PlatformError>,
    timeout = CALL_TIMEOUT
  ): Effect.Effect<A, PlatformError> {
    return this.#pooled(path, call).pipe(
      Effect.disconnect,
      Effect.timeoutFail(timeoutAfter(timeout, path, method))
    )
  }

  /** Makes a call when the one on its path has returned, however late that is. Waits as long as `run`. */
  runLate(path: string, call: Effect.Effect<void>): Effect.Effect<void> {
    return this.#pooled(path, call).pipe(
      Effect.uninterruptible,
      Effect.disconnect,
      Effect.timeoutOption(CALL_TIMEOUT),
      Effect.asVoid
    )
  }

  /** Reserves a path for a thread of its own, and yields what to call when the thread has ended. */
  hold(path: string): Effect.Effect<() => void, PlatformError> {
    return Effect.gen(this, function* () {
      const isHeld = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const holding = Effect.zipRight(Deferred.succeed(isHeld, undefined), Deferred.await(ended))
      const fiber = yield* Effect.forkDaemon(this.#alone(path, this.#counted(path, holding)))
      yield* Deferred.await(isHeld).pipe(
        Effect.timeoutFail(timeoutAfter(CALL_TIMEOUT, path, "hold")),
        Effect.onError(() => Effect.zipRight(Deferred.succeed(ended, undefined), Fiber.interruptFork(fiber)))
      )
      return () => Deferred.unsafeDone(ended, Exit.void)
    })
  }

  #pooled<A, E>(path: string, call: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.#alone(path, this.#pool.withPermits(1)(this.#counted(path, call)))
  }

  #alone<A, E>(path: string, call: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const used = this.#locks.get(path) ?? { lock: Effect.unsafeMakeSemaphore(1), users: 0 }
        used.users++
        this.#locks.set(path, used)
        return used
      }),
      ({ lock }) => lock.withPermits(1)(call),
      (used) =>
        Effect.sync(() => {
          used.users--
          if (used.users === 0) this.#locks.delete(path)
        })
    )
  }

  #counted<A, E>(path: string, call: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.#running.add(path)
      return call
    }).pipe(Effect.ensuring(Effect.sync(() => this.#running.delete(path))), Effect.uninterruptible)
  }
}

/** The calls of the process. */
export class FileCalls extends Context.Reference<FileCalls>()("app/Layers/Files/FileCalls", {
  defaultValue: () => new CallsUnderWay()
}) {}

/** The file system, of which each call ends within its timeout: see `CallsUnderWay.run`. */
export const bounded = (files: FileSystem.FileSystem, calls: CallsUnderWay): FileSystem.FileSystem => {
  const run = calls.run.bind(calls)

  /** Makes the directory and those above it. Node's own way never ends below `/proc`, where no directory can be made. */
  const makeDirectory = (path: string): Effect.Effect<void, PlatformError> => {
    const make = run("makeDirectory", path, files.makeDirectory(path))
    return make.pipe(
      Effect.catchIf(
        (error) => isSystemError(error, "NotFound") && dirname(path) !== path,
        () => Effect.zipRight(makeDirectory(dirname(path)), make)
      ),
      Effect.catchIf(
        (error) => isSystemError(error, "AlreadyExists"),
        () => Effect.void
      )
    )
  }

  const open: FileSystem.FileSystem["open"] = (path, options) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      // The file may be opened, or a call on it may return, after its caller has timed out.
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
          return run("sync", path, file.sync, WRITE_TIMEOUT)
        },
        // Moves a number, makes no call.
        seek: (offset, from) => file.seek(offset, from),
        read: (buffer) => run("read", path, file.read(buffer)),
        readAlloc: (size) => run("readAlloc", path, file.readAlloc(size)),
        truncate: (length) => run("truncate", path, file.truncate(length)),
        write: (bytes) => run("write", path, file.write(bytes), WRITE_TIMEOUT),
        writeAll: (bytes) => run("writeAll", path, file.writeAll(bytes), WRITE_TIMEOUT)
      }
    })

  // What nothing here uses fails, instead of waiting without a limit.
  return FileSystem.makeNoop({
    open,
    stat: (path) => run("stat", path, files.stat(path)),
    readLink: (path) => run("readLink", path, files.readLink(path)),
    readFile: (path) => run("readFile", path, files.readFile(path)),
    readDirectory: (path) => run("readDirectory", path, files.readDirectory(path)),
    // Always recursive: nothing here wants another.
    makeDirectory,
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

/**
 * Logs the end of a shutdown, when every layer that uses this one has been released. The last line says which calls on files
 * hold the process, if there are any: see `teardown`.
 */
export const logEnd = Layer.scopedDiscard(
  Effect.flatMap(FileCalls, (calls) =>
    Effect.addFinalizer((exit) =>
      Effect.gen(function* () {
        // A layer that fails during the start interrupts those beside it: that is not a shutdown.
        if (Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)) yield* Effect.logInfo("shut down")
        yield* calls.end
        const paths = calls.paths.map((path) => JSON.stringify(path)).join(" and ")
        if (paths !== "")
          yield* Effect.logWarning(
            `${paths} does not respond and would hold the process, which ends by SIGKILL`
          )
      })
    )
  )
)

/** A file that the operator names cannot be used. */
export class FileError extends Data.TaggedError("FileError")<{
  /** `NotRegular`: a folder, a device, a named pipe or a socket. `System`: the operating system refuses. */
  readonly reason: "NotRegular" | "TooLarge" | "System" | "Timeout"
  /** Follows the path in a sentence. Contains nothing of the file. */
  readonly message: string
}> {}

const MEBIBYTE = 1_048_576

const fileError = (error: PlatformError): FileError => {
  if (isTimeout(error))
    return new FileError({
      reason: "Timeout",
      message: `did not respond within ${Duration.toSeconds(CALL_TIMEOUT)} seconds`
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

/** Stands in for what the system refuses. A call that does not respond still fails. */
const ifRefused =
  <A>(value: A) =>
  (error: PlatformError): Effect.Effect<A, PlatformError> =>
    isTimeout(error) ? Effect.fail(error) : Effect.succeed(value)

/** Where a link leads, or the path itself. A link can be replaced, and what is there then be read, while its target hangs. */
const targetOf = (path: string): Effect.Effect<string, PlatformError, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readLink(path)).pipe(
    Effect.map((target) => resolve(dirname(path), target)),
    Effect.catchAll(ifRefused(path))
  )

/**
 * Reserves a file for a thread of its own that reads it: see `CallsUnderWay.hold`. Fails if the file does not respond; what
 * the system refuses is the thread's to report.
 */
export const reserve = (path: string): Effect.Effect<() => void, PlatformError> =>
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

/** Each read takes a turn of the event loop, and the start waits for the weights. */
const CHUNK_BYTES = 1_048_576

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
