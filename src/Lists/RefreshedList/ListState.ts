import { type Duration, Effect, MutableRef, Option } from "effect"
import type { ListError } from "../ListError.ts"
import type { Definition, Outcome, Snapshot } from "./Definition.ts"
import * as ListLog from "./ListLog.ts"
import * as SnapshotBytes from "./SnapshotBytes.ts"
import * as SnapshotFile from "./SnapshotFile.ts"

/** A list in use. */
export interface ListState<S> {
  readonly snapshot: Option.Option<S>
  /** Why there is no newer list. */
  readonly lastError: Option.Option<SnapshotFile.LastError>
  /** Milliseconds since 1970. None while a refresh runs. */
  readonly nextAttemptAt: Option.Option<number>
}

declare global {
  interface ArrayBufferConstructor {
    /** In ES2024, and in Node 20. */
    new (byteLength: number, options: { readonly maxByteLength: number }): ArrayBuffer
  }
}

/**
 * V8 does not count shared memory: it would let replaced lists pile up until something else fills its heap. It counts these
 * buffers, each as large as a list and collected with it. A resizable one has pages of its own: never touched, they take no
 * memory.
 */
const weights = new WeakMap<Uint8Array, ArrayBuffer>()

const weigh = (bytes: Uint8Array): void => {
  if (!weights.has(bytes)) weights.set(bytes, new ArrayBuffer(bytes.length, { maxByteLength: bytes.length }))
}

/**
 * Starts with the snapshot in the data directory, if there is one, and saves each later one there. Each access to
 * the directory waits at most 10 seconds. Never fails.
 */
export const make = Effect.fnUntraced(function* <S extends Snapshot, R>(
  definition: Definition<S, R>,
  dataDirectory: string
) {
  const { format, name } = definition
  const file = yield* SnapshotFile.make(dataDirectory, name, format)
  const state = MutableRef.make<ListState<S>>({
    snapshot: file.loaded,
    lastError: Option.none(),
    nextAttemptAt: Option.none()
  })
  const get = (): ListState<S> => MutableRef.get(state)
  const update = (change: Partial<ListState<S>>) =>
    MutableRef.update(state, (before) => ({ ...before, ...change }))
  const use = (snapshot: Option.Option<S>) => {
    for (const bytes of Option.match(snapshot, { onNone: () => [], onSome: format.content })) weigh(bytes)
    update({ snapshot })
  }
  use(file.loaded)
  yield* Effect.transposeMapOption(file.loaded, (snapshot) => ListLog.used(definition, snapshot, "disk"))

  return {
    /** Waits for nothing. */
    get,

    /** Why a restart would start without this list. */
    saveError: file.error,

    save: file.save,

    setNextAttemptAt: (nextAttemptAt: Option.Option<number>) => Effect.sync(() => update({ nextAttemptAt })),

    /**
     * Uses and logs the outcome of a refresh. An error is logged, by `logFailure`, unless it is the same as that of the refresh
     * before.
     */
    applyOutcome: Effect.fnUntraced(function* (
      { snapshot, error }: Outcome<S>,
      wait: Duration.Duration,
      logFailure: (error: ListError) => Effect.Effect<void> = (error) =>
        ListLog.failed(definition, error, wait)
    ) {
      const before = get()
      const lastError = Option.isSome(error)
        ? yield* SnapshotFile.errorNow(error.value.message)
        : Option.none()
      use(snapshot)
      update({ lastError })
      if (Option.isSome(error)) {
        if (!Option.exists(before.lastError, ({ message }) => message === error.value.message))
          yield* logFailure(error.value)
      } else if (Option.isSome(snapshot)) {
        yield* ListLog.used(definition, snapshot.value, "refresh")
      }
    }),

    /** Uses what another replica has published: its last error, and its snapshot if that is newer. */
    applyShared: Effect.fnUntraced(function* (
      lastError: Option.Option<SnapshotFile.LastError>,
      newer: Option.Option<S>
    ) {
      const before = get().snapshot
      update({ lastError })
      if (Option.isNone(newer)) return
      use(newer)
      if (!SnapshotBytes.hasSameContent(format, before, newer.value))
        yield* ListLog.used(definition, newer.value, "replica")
    })
  }
})

/** Where a list's state is read and changed. */
export interface ListStateRef<S extends Snapshot>
  extends Effect.Effect.Success<ReturnType<typeof make<S, never>>> {}
