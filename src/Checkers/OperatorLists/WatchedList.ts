import type { FileSystem } from "@effect/platform"
import { Clock, Effect, Option } from "effect"
import type { LastError } from "../ThreatFeed/FeedState.ts"
import * as ListFile from "./ListFile.ts"
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

const read = (path: string) =>
  Effect.gen(function* () {
    const { version, reader } = yield* ListFile.read(path)
    const { list, skipped, skippedLines } = reader
    const readAt = yield* Clock.currentTimeMillis
    yield* Effect.logInfo("A list of the operator was read").pipe(
      Effect.annotateLogs({ path, entries: list.entries })
    )
    // Without their text: it may be a private address.
    if (skipped > 0)
      yield* Effect.logWarning(
        "Lines of a list of the operator are no URL and no host, and are skipped. Correct these lines"
      ).pipe(Effect.annotateLogs({ path, skipped, lines: skippedLines.join(" ") }))
    return { version, list, skipped, readAt }
  })

/** Reads the file of a variable. Fails if it cannot be read now; later errors are in `status`. */
export const make = Effect.fnUntraced(function* (variable: string, path: string) {
  const annotated = Effect.annotateLogs({ list: variable })
  let current = yield* annotated(read(path))
  let lastError: Option.Option<LastError> = Option.none()

  const failed = ({ message }: ListFile.ListFileError) =>
    Effect.gen(function* () {
      if (Option.exists(lastError, (before) => before.message === message)) return
      lastError = Option.some({ message, at: yield* Clock.currentTimeMillis })
      yield* Effect.logWarning("A list of the operator was not read again and stays as it was").pipe(
        Effect.annotateLogs({ path, reason: message })
      )
    })

  const poll = ListFile.version(path).pipe(
    Effect.flatMap((version) => (version === current.version ? Effect.succeed(current) : read(path))),
    Effect.matchEffect({
      onFailure: failed,
      onSuccess: (next) =>
        Effect.sync(() => {
          current = next
          lastError = Option.none()
        })
    }),
    annotated
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
