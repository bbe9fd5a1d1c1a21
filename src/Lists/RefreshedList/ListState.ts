import { Clock, type Duration, Effect, MutableRef, Option, Random } from "effect"
import type { ListError } from "../ListError.ts"
import * as ListLog from "./ListLog.ts"
import * as SnapshotBytes from "./SnapshotBytes.ts"
import * as SnapshotFile from "./SnapshotFile.ts"

/** A list with its times and what the next request needs. Never modified: a refresh makes another one. */
export interface Snapshot {
  /** When the source last answered, in milliseconds since 1970. 0: never, and there is no list yet. */
  readonly answeredAt: number
}

export const hasList = ({ answeredAt }: Snapshot): boolean => answeredAt > 0

/** The outcome of one refresh. */
export interface Refreshed<S> {
  /** The snapshot to use from now on. None: the previous one. */
  readonly snapshot: Option.Option<S>
  /** Whether the source answered about any list. */
  readonly isAnswered: boolean
  /** Why there is no newer list. */
  readonly error: Option.Option<ListError>
  /** Refreshes in a row that failed. */
  readonly failures: number
  /** How long to send no request. */
  readonly wait: Duration.Duration
  /** How long until what failed is requested again, for the log: longer than `wait` when another part of the list is due before. */
  readonly retryWait: Duration.Duration
}

/** What the replicas of a fleet share. */
export interface Shared<S> {
  /** Identifies the source without an address or a key: who refreshes something else has another lease. */
  readonly kind: "feed" | "hash-lists"
  readonly digest: string
  /** The usual time between two refreshes. */
  readonly interval: Duration.Duration
  readonly format: SnapshotBytes.SnapshotFormat<S>
}

/** One use of a refreshed list: what to request, how to read the answer, and when the next request is due. */
export interface Definition<S extends Snapshot, R> extends ListLog.LoggedList<S>, Shared<S> {
  /** The beginning of the names of its files. */
  readonly file: string
  /** The snapshot at a start, from the data directory's. */
  readonly first: (stored: Option.Option<S>, now: number, random: number) => Option.Option<S>
  /** How long the first refresh after a start waits. */
  readonly untilFirst: (snapshot: Option.Option<S>, now: number, random: number) => Duration.Duration
  /**
   * Requests once after so many failures in a row, and counts the outcome in the metrics. `save`: for what has to be in the data
   * directory before the request, so that a process that ends before each answer does not send one at each start.
   */
  readonly refresh: (
    previous: Option.Option<S>,
    failures: number,
    save: (snapshot: S) => Effect.Effect<void>
  ) => Effect.Effect<Refreshed<S>, never, R>
}

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
  const { format } = definition
  const file = yield* SnapshotFile.make(dataDirectory, definition.file, format)
  const state = MutableRef.make<ListState<S>>({
    snapshot: definition.first(file.loaded, yield* Clock.currentTimeMillis, yield* Random.next),
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
  use(get().snapshot)
  yield* Effect.transposeMapOption(Option.filter(get().snapshot, hasList), (snapshot) =>
    ListLog.used(definition, snapshot, "disk")
  )

  return {
    /** Waits for nothing. */
    get,

    /** Why a restart would start without this list. */
    saveError: file.error,

    /** Saves a snapshot without using it. */
    save: file.save,

    setNextAttemptAt: (nextAttemptAt: Option.Option<number>) => Effect.sync(() => update({ nextAttemptAt })),

    /**
     * Uses, logs and saves the outcome of a refresh. An error is logged, by `logFailure`, unless it is the same as that of the
     * refresh before.
     */
    applyRefresh: Effect.fnUntraced(function* (
      { snapshot, error, retryWait }: Refreshed<S>,
      logFailure: (error: ListError, inUse: Option.Option<S>) => Effect.Effect<void> = (error, inUse) =>
        ListLog.failed(definition, error, retryWait, inUse)
    ) {
      const { snapshot: before, lastError: errorBefore } = get()
      const after = Option.orElse(snapshot, () => before)
      const lastError = Option.isSome(error)
        ? yield* SnapshotFile.errorNow(error.value.message)
        : Option.none()
      use(after)
      update({ lastError })
      if (Option.isSome(error)) {
        if (!Option.exists(errorBefore, ({ message }) => message === error.value.message))
          yield* logFailure(error.value, after)
      } else if (Option.isSome(snapshot)) {
        yield* ListLog.used(definition, snapshot.value, "refresh")
      }
      if (Option.isSome(snapshot)) yield* file.save(snapshot.value)
    }),

    /** Uses what another replica has published besides a list: its last error. */
    applyManifest: (lastError: Option.Option<SnapshotFile.LastError>) =>
      Effect.sync(() => update({ lastError })),

    /** Uses and saves a snapshot that another replica has published. */
    adoptShared: Effect.fnUntraced(function* (snapshot: S) {
      const before = get().snapshot
      use(Option.some(snapshot))
      if (!SnapshotBytes.hasSameContent(format, before, snapshot))
        yield* ListLog.used(definition, snapshot, "replica")
      yield* file.save(snapshot)
    })
  }
})

/** Where a list's state is read and changed. */
export interface ListStateRef<S extends Snapshot>
  extends Effect.Effect.Success<ReturnType<typeof make<S, never>>> {}
