import { randomUUID } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Clock, Data, Duration, Effect, Option } from "effect"
import type { FeedSlot } from "../../../Layers/AppConfig.ts"
import type { FeedAddress } from "../FeedSource.ts"
import type { TimeSlices } from "../TimeSlices.ts"
import * as FeedSnapshot from "./FeedSnapshot.ts"

/** There is a snapshot that cannot be used; the caller goes on without. */
export class NotLoaded extends Data.TaggedError("NotLoaded")<{
  /** `Damaged`, `OtherFeed`, or the system's word for it, such as `EACCES`. */
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

/** The snapshot could not be written; the one before still stands, if there was one. */
export class NotSaved extends Data.TaggedError("NotSaved")<{
  /** The system's word for it, such as `ENOSPC`. */
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

/** Where a slot's last good list outlives the process. */
export interface SnapshotFile {
  /** None when there is no snapshot. */
  readonly load: Effect.Effect<Option.Option<FeedSnapshot.FeedSnapshot>, NotLoaded>
  /** Writes aside, then renames: whatever happens, there is a whole snapshot, this one or the one before. */
  readonly save: (snapshot: FeedSnapshot.FeedSnapshot) => Effect.Effect<void, NotSaved>
}

/** The list holds the key of its hashes. */
const READABLE_BY_OWNER = 0o600

/** Nobody writes one file for so long: what is left aside since then is of a process that was killed. */
const ABANDONED_AFTER = Duration.toMillis(Duration.hours(1))

export const make = Effect.fn("SnapshotFile.make")(function* (
  directory: string,
  slot: FeedSlot,
  feed: FeedAddress,
  slices: TimeSlices
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const digest = FeedSnapshot.feedDigest(feed)
  const file = path.join(directory, `${slot}.snapshot`)

  const load = Effect.flatMap(files.readFile(file), (bytes) =>
    Effect.flatten(slices.run(FeedSnapshot.decode(bytes, digest)))
  ).pipe(
    Effect.asSome,
    Effect.catchIf(isNotFound, () => Effect.succeedNone),
    Effect.mapError(
      (error) => new NotLoaded({ detail: error._tag === "UnusableSnapshot" ? error.reason : codeOf(error) })
    )
  )

  const write = (open: FileSystem.File, snapshot: FeedSnapshot.FeedSnapshot) =>
    Effect.suspend(() => {
      const pieces = FeedSnapshot.encode(snapshot, digest)
      let piece = pieces.next()
      return Effect.whileLoop({
        while: () => piece.done !== true,
        body: () => open.writeAll(piece.value),
        step: () => {
          piece = pieces.next()
        }
      })
    })

  const removeAbandoned = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const names = yield* files.readDirectory(directory)
    yield* Effect.forEach(
      names.filter((name) => name.startsWith(`${slot}.snapshot.`)).map((name) => path.join(directory, name)),
      (aside) =>
        files.stat(aside).pipe(
          Effect.flatMap(({ type, mtime }) =>
            type === "File" && Option.exists(mtime, (written) => now - written.getTime() > ABANDONED_AFTER)
              ? files.remove(aside)
              : Effect.void
          ),
          // Another process may have been faster.
          Effect.ignore
        ),
      { discard: true }
    )
  }).pipe(Effect.ignore)

  const save = (snapshot: FeedSnapshot.FeedSnapshot) => {
    // Another process, perhaps of another container, may write to the same directory.
    const aside = `${file}.${randomUUID()}`
    return Effect.gen(function* () {
      yield* files.makeDirectory(directory, { recursive: true })
      yield* removeAbandoned
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* files.open(aside, { flag: "w", mode: READABLE_BY_OWNER })
          yield* write(open, snapshot)
          yield* open.sync
        })
      )
      yield* files.rename(aside, file)
    }).pipe(
      Effect.onError(() => Effect.ignore(files.remove(aside))),
      Effect.mapError((error) => new NotSaved({ detail: codeOf(error) }))
    )
  }

  return { load, save } satisfies SnapshotFile
})

const isNotFound = (error: PlatformError.PlatformError | FeedSnapshot.UnusableSnapshot): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

const codeOf = ({ cause, message }: PlatformError.PlatformError): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : message
