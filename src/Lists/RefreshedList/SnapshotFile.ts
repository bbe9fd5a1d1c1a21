import { createHash, randomUUID } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { FileSystem } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Cause, Clock, Duration, Effect, Layer, Option, Schema } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import * as Files from "../../Layers/Files.ts"
import { nextTurn } from "../../Layers/Time/Slices.ts"
import type { Stored } from "./Definition.ts"

/** Copying or hashing so many bytes takes one or two milliseconds: the next turn of the event loop goes on. */
const MAX_STEP_BYTES = 1_048_576

/** The same bytes in pieces of at most so many. */
export function* pieces(parts: Iterable<Uint8Array>, maxBytes: number): Generator<Uint8Array> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += maxBytes) yield part.subarray(at, at + maxBytes)
}

/**
 * The SHA-256 of a snapshot, with the lengths of its parts, in hexadecimal. Requests are served between two steps. Not by
 * `webcrypto`, which copies all bytes at once on this thread.
 */
export const digestOf = Effect.fnUntraced(function* ({ metadata, parts }: Stored) {
  const digest = createHash("sha256").update(JSON.stringify([metadata, parts.map(({ length }) => length)]))
  for (const piece of pieces(parts, MAX_STEP_BYTES)) {
    digest.update(piece)
    if (piece.length === MAX_STEP_BYTES) yield* nextTurn
  }
  return digest.digest("hex")
})

const sharedCopy = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  let at = 0
  for (const piece of pieces([bytes], MAX_STEP_BYTES)) {
    copy.set(piece, at)
    at += piece.length
    if (piece.length === MAX_STEP_BYTES) yield* nextTurn
  }
  return copy
})

/** The first line of a file. */
const Head = Schema.parseJson(
  Schema.Struct({
    metadata: Schema.String,
    /** The length of each part, in bytes. */
    parts: Schema.Array(Schema.Int.pipe(Schema.nonNegative())),
    digest: Schema.String
  })
)
const encodeHead = Schema.encodeSync(Head)
const decodeHead = Schema.decodeUnknown(Head)

const MAX_HEAD_BYTES = 65_536
const NEW_LINE = "\n"

/** Writing a piece takes about a millisecond. */
const MAX_PIECE_BYTES = 262_144

/** The content of a file, in pieces of at most 256 KiB: a line of JSON, then the parts. */
export const encode = Effect.fnUntraced(function* (stored: Stored) {
  const { metadata, parts } = stored
  const digest = yield* digestOf(stored)
  const head = encodeHead({ metadata, parts: parts.map(({ length }) => length), digest })
  return pieces([Buffer.from(head + NEW_LINE), ...parts], MAX_PIECE_BYTES)
})

/** Reads what `encode` made and fails on everything else. */
export const decode = Effect.fnUntraced(function* (file: Uint8Array) {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  const headEnd = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(NEW_LINE)
  const head = yield* Effect.mapError(
    decodeHead(bytes.toString("utf8", 0, headEnd)),
    () => "Damaged" as const
  )
  let at = headEnd + 1
  const parts = head.parts.map((length) => {
    at += length
    return bytes.subarray(at - length, at)
  })
  const digest = yield* digestOf({ metadata: head.metadata, parts })
  if (at !== bytes.length || digest !== head.digest) return yield* Effect.fail("Damaged" as const)
  // Each with a buffer of its own: one that is replaced must not stay with the others.
  return { metadata: head.metadata, parts: yield* Effect.forEach(parts, sharedCopy) } satisfies Stored
})

/** A disk that hangs must not end the refreshes. A list of 30 MB takes less than a second. */
const SAVE_TIMEOUT = Duration.minutes(1)

const READABLE_BY_OWNER = 0o600

/** A temporary file of this age was left by a process that was killed. */
const MAX_TEMPORARY_AGE_MS = Duration.toMillis(Duration.hours(1))

/** Enough for the largest feed that a worker thread builds, and for all lists of Safe Browsing. */
const MAX_FILE_BYTES = 536_870_912

/** What the disk or the file system says: the code of a system or call error, such as `EACCES` or `Timeout`. */
const codeOf = (error: PlatformError.PlatformError): string => errorCodeOf(error.cause) ?? error.message

/** Replicas that share the directory use the same name: the file is empty, and each removes it. */
const TRIED_FILE = ".write-test"

/** Tries whether files can be written to DATA_DIR, which it makes if it is missing. Logs why not. */
export const tried = Layer.effectDiscard(
  Effect.gen(function* () {
    const { dataDir } = yield* AppConfig
    const files = yield* FileSystem.FileSystem
    const file = join(dataDir, TRIED_FILE)
    yield* Files.makeDirectory(dataDir).pipe(
      Effect.zipRight(Effect.scoped(files.open(file, { flag: "w", mode: READABLE_BY_OWNER }))),
      Effect.zipRight(Effect.ignore(files.remove(file))),
      // The start waits so long for a network folder whose server is gone. A busy machine may need seconds.
      Files.within(),
      Effect.catchAll((error) => {
        const isTimeout = error._tag === "SystemError" && error.reason === "TimedOut"
        const problem = isTimeout
          ? `did not respond within ${Duration.toSeconds(Files.TIMEOUT)} seconds`
          : `cannot be written to (${codeOf(error)})`
        return Effect.logWarning(
          `DATA_DIR: ${JSON.stringify(dataDir)} ${problem}. Threat lists are in memory only, and each start downloads them`,
          { path: dataDir }
        )
      })
    )
  })
)

/** Loads the snapshot of the last process; None for no file. Fails with the reason why the file cannot be used. */
export const load = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.gen(function* () {
      const { size, type } = yield* files.stat(file)
      // A pipe without a writer would never open.
      if (type !== "File") return yield* Effect.fail("NotAFile")
      if (size > MAX_FILE_BYTES) return yield* Effect.fail("TooLarge")
      return yield* files.readFile(file)
    })
  ).pipe(
    Files.within(),
    Effect.flatMap((bytes) => Effect.asSome(decode(bytes))),
    Effect.catchIf(
      (error) => typeof error !== "string" && error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeedNone
    ),
    Effect.mapError((error) => (typeof error === "string" ? error : codeOf(error)))
  )

/** Whole, or not at all: another process may write to the same directory. */
const write = Effect.fnUntraced(function* (file: string, stored: Stored) {
  const files = yield* FileSystem.FileSystem
  const content = yield* encode(stored)
  const temporary = `${file}.${randomUUID()}`
  yield* Effect.gen(function* () {
    const open = yield* files.open(temporary, { flag: "w", mode: READABLE_BY_OWNER })
    for (const piece of content) yield* open.writeAll(piece)
    yield* open.sync
  }).pipe(
    Effect.scoped,
    Effect.zipRight(Effect.suspend(() => files.rename(temporary, file))),
    Effect.onError(() => Effect.ignore(files.remove(temporary)))
  )
})

const removeAbandoned = Effect.fnUntraced(
  function* (file: string) {
    const files = yield* FileSystem.FileSystem
    const now = yield* Clock.currentTimeMillis
    for (const name of yield* files.readDirectory(dirname(file))) {
      if (!name.startsWith(`${basename(file)}.`)) continue
      const temporary = join(dirname(file), name)
      const { mtime } = yield* files.stat(temporary)
      if (Option.exists(mtime, (written) => now - written.getTime() > MAX_TEMPORARY_AGE_MS))
        yield* files.remove(temporary)
    }
  },
  // Another process may have removed one: the next save removes the others.
  Effect.ignore
)

/**
 * Saves a snapshot: writes a new file, then renames it, so that a reader sees a whole one. Takes at most a minute; interrupted,
 * it goes on in the background, and removes what it has written if it fails. Fails with the reason.
 */
export const save = (file: string, stored: Stored) =>
  Files.makeDirectory(dirname(file)).pipe(
    Effect.zipRight(removeAbandoned(file)),
    Effect.zipRight(write(file, stored)),
    Files.within(SAVE_TIMEOUT),
    Effect.mapError(codeOf),
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(
        Effect.logError("Saving a threat list failed", Cause.die(defect)),
        Effect.fail("Defect")
      )
    )
  )
