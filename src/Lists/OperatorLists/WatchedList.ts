import type { FileSystem } from "@effect/platform"
import { Clock, Effect, Option } from "effect"
import * as Files from "../../Layers/Files.ts"
import { jsonOnly } from "../../Layers/Telemetry/LogLine.ts"
import * as Slices from "../../Layers/Time/Slices.ts"
import type { LastError } from "../RefreshedList.ts"
import { ListReader } from "./ListReader.ts"
import type { OperatorList } from "./OperatorList.ts"

/** What `/health/ready` shows of a list of the operator. */
export interface ListStatus {
  /** Distinct URLs, directories and hosts. */
  readonly entries: number
  /** Lines that are no entry. */
  readonly skipped: number
  /** Milliseconds since 1970. */
  readonly readAt: number
  /** Why a change of the file is not in use. */
  readonly lastError: Option.Option<LastError>
}

/** The file of one variable, as it was last read. */
export interface WatchedList {
  readonly list: () => OperatorList
  readonly status: () => ListStatus
  /** Reads the file again if it has changed. An error is logged once; the list then stays as it is. */
  readonly poll: Effect.Effect<void, never, FileSystem.FileSystem>
}

const logRead = (variable: string, path: string, { list, skipped, skippedLines }: ListReader) =>
  Effect.gen(function* () {
    // As JSON: a path may contain a line break.
    const place = JSON.stringify(path)
    const fields = { list: variable, path, entries: list.entries, skipped }
    yield* Effect.logInfo(
      `${variable} was read: ${list.entries === 1 ? "1 entry" : `${list.entries.toLocaleString("en-US")} entries`} from ${place}`,
      jsonOnly(fields)
    )
    // Without their text: it may be a private address.
    const lines = skippedLines.join(" ")
    const found = skipped === 1 ? "a line that is" : `${skipped.toLocaleString("en-US")} lines that are`
    const others = skipped > skippedLines.length ? " and others" : ""
    if (skipped > 0)
      yield* Effect.logWarning(
        `${variable}: ${place} has ${found} no URL and no host. Correct what is skipped: line ${lines}${others}`,
        jsonOnly({ ...fields, lines })
      )
  })

const MAX_FILE_BYTES = 16_777_216

/** Bytes that are read in one step of a slice. Lines of one character each take 3 ms. */
const STEP_BYTES = 1024

const stepsOf = (chunk: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(chunk.length / STEP_BYTES) }, (_, step) =>
    chunk.subarray(step * STEP_BYTES, (step + 1) * STEP_BYTES)
  )

const read = (variable: string, path: string) =>
  Effect.gen(function* () {
    const reader = new ListReader()
    const slices = yield* Slices.make
    const version = yield* Files.read(path, MAX_FILE_BYTES, (chunk) =>
      Effect.asVoid(slices.map(stepsOf(chunk), (step) => reader.read(step)))
    )
    reader.end()
    const { list, skipped } = reader
    const readAt = yield* Clock.currentTimeMillis
    yield* logRead(variable, path, reader)
    return { version, list, skipped, readAt }
  })

/** Reads the file of a variable. Fails if it cannot be read now; later errors are in `status`. */
export const make = Effect.fnUntraced(function* (variable: string, path: string) {
  let current = yield* read(variable, path)
  let lastError: Option.Option<LastError> = Option.none()

  const failed = ({ message }: Files.FileError) =>
    Effect.gen(function* () {
      if (Option.exists(lastError, (before) => before.message === message)) return
      lastError = Option.some({ message, at: yield* Clock.currentTimeMillis })
      yield* Effect.logWarning(
        `${variable}: ${JSON.stringify(path)} ${message}. The list stays as it was read before`,
        jsonOnly({ list: variable, path, reason: message })
      )
    })

  const poll = Files.version(path, MAX_FILE_BYTES).pipe(
    Effect.flatMap((version) =>
      version === current.version ? Effect.succeed(current) : read(variable, path)
    ),
    Effect.matchEffect({
      onFailure: failed,
      onSuccess: (next) =>
        Effect.sync(() => {
          current = next
          lastError = Option.none()
        })
    })
  )

  return {
    list: () => current.list,
    status: () => ({
      entries: current.list.entries,
      skipped: current.skipped,
      readAt: current.readAt,
      lastError
    }),
    poll
  } satisfies WatchedList
})
