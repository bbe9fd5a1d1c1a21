import { Cause, Clock, Context, Duration, Effect, Either, Layer, MutableRef, Option } from "effect"
import * as SnapshotFile from "./SnapshotFile.ts"

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
const MAX_SAVE = Duration.minutes(1)

/**
 * The files that a fault of the disk concerns. With `layer` all lists share them, so that one line of the log is enough for all;
 * without it each list has a line.
 */
export class FaultyFiles extends Context.Reference<FaultyFiles>()("app/Lists/FaultyFiles", {
  defaultValue: (): Set<string> | undefined => undefined
}) {
  static readonly layer = Layer.sync(FaultyFiles, () => new Set())
}

/**
 * Loads the snapshot of a file, if there is one, and yields how to save later ones. Logs the first of several errors in a row.
 * Never fails.
 */
export const make = Effect.fnUntraced(function* <S>(file: SnapshotFile.SnapshotFile<S>) {
  /** Without a cause: a stack says nothing about a disk. */
  const warn = (message: string, { detail }: { readonly detail: string }) =>
    Effect.annotateLogs(Effect.logWarning(message), { path: file.path, reason: detail })
  const faulty = (yield* FaultyFiles) ?? new Set()
  /** Logs the first fault. */
  const warnOfDisk = (message: string, error: { readonly detail: string }) =>
    Effect.suspend(() => {
      const isFirst = faulty.size === 0
      faulty.add(file.path)
      return isFirst ? warn(message, error) : Effect.void
    })
  const loaded = yield* Effect.either(file.load)
  if (Either.isLeft(loaded))
    yield* loaded.left.isOfDisk
      ? warnOfDisk(
          `DATA_DIR: ${JSON.stringify(file.path)} cannot be read (${loaded.left.detail}). Threat lists are in memory only`,
          loaded.left
        )
      : warn("A saved threat list cannot be used and is fetched anew", loaded.left)
  const error = MutableRef.make<Option.Option<LastError>>(
    Either.isLeft(loaded) ? yield* errorNow(`saved list not usable (${loaded.left.detail})`) : Option.none()
  )

  const saved = {
    /** Why a restart would start without the last snapshot. */
    error: (): Option.Option<LastError> => MutableRef.get(error),

    save: Effect.fnUntraced(function* (snapshot: S) {
      const saved = yield* file.save(snapshot).pipe(
        Effect.timeoutFail({
          duration: MAX_SAVE,
          onTimeout: () => new SnapshotFile.NotSaved({ detail: "Timeout" })
        }),
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logError("Saving a threat list failed", Cause.die(defect)),
            new SnapshotFile.NotSaved({ detail: "Defect" })
          )
        ),
        Effect.either
      )
      if (Either.isRight(saved)) {
        faulty.delete(file.path)
        return void MutableRef.set(error, Option.none())
      }
      yield* warnOfDisk("A threat list is in memory only. Can the service write to DATA_DIR?", saved.left)
      MutableRef.set(error, yield* errorNow(`not saved (${saved.left.detail})`))
    })
  }
  return [Option.flatten(Either.getRight(loaded)), saved] as const
})
