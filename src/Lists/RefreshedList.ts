import { Array as Arrays, Cause, Clock, Duration, Effect, Either, Equivalence, Option, Random } from "effect"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"
import type { ListError } from "./ListError.ts"
import type { Definition, Snapshot } from "./RefreshedList/Definition.ts"
import * as ListLog from "./RefreshedList/ListLog.ts"
import * as ListMetrics from "./RefreshedList/ListMetrics.ts"
import * as ListSchedule from "./RefreshedList/ListSchedule.ts"
import * as SharedList from "./RefreshedList/SharedList.ts"
import * as SnapshotFile from "./RefreshedList/SnapshotFile.ts"
import type { SharedStoreShape } from "./SharedStore.ts"

/** The last error of its kind; the next success removes it. */
export interface LastError {
  /** Contains no address, key or row. */
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A list in use. */
export interface ListState<S> {
  readonly snapshot: Option.Option<S>
  /** Refreshes in a row that have failed, by this replica or another one. */
  readonly failures: number
  /** Why there is no newer list. */
  readonly lastError: Option.Option<LastError>
  /** Why a restart would start without this list. */
  readonly saveError: Option.Option<LastError>
  /** Milliseconds since 1970. None while a refresh runs. */
  readonly nextAttemptAt: Option.Option<number>
}

/** What `/health/ready` and the metrics show of any list. */
export interface ListStatus extends ListMetrics.GaugedList {
  /** Why there is no newer list. */
  readonly lastError: Option.Option<LastError>
}

const errorNow = (message: string) =>
  Effect.map(Clock.currentTimeMillis, (at): LastError => ({ message, at }))

const haveSameParts = Arrays.getEquivalence(Equivalence.strict<Uint8Array>())

const isMessage = (error: Option.Option<LastError>, message: string) =>
  Option.exists(error, (error) => error.message === message)

/** Opens a list with the snapshot of the data directory, if there is one. Requests nothing. Never fails. */
export const open = Effect.fnUntraced(function* <S extends Snapshot, R>(
  definition: Definition<S, R>,
  dataDirectory: string
) {
  const { format, name, source, waits } = definition
  const file = `${dataDirectory}/${name}.${format.version}.list`
  let state: ListState<S> = {
    snapshot: Option.none(),
    failures: 0,
    lastError: Option.none(),
    saveError: Option.none(),
    nextAttemptAt: Option.none()
  }
  const update = (change: Partial<ListState<S>>) => {
    state = { ...state, ...change }
  }
  const counters = yield* ListMetrics.refreshCounters(name)
  const partsOf = (snapshot: Option.Option<S>) =>
    Option.match(snapshot, { onNone: () => [], onSome: (snapshot) => format.encode(snapshot).parts })
  const isSameList = (before: Option.Option<S>, after: Option.Option<S>) =>
    haveSameParts(partsOf(before), partsOf(after))
  /** Without a cause: a stack says nothing about a disk. */
  const warn = (message: string, reason: string) =>
    Effect.annotateLogs(Effect.logWarning(message), { path: file, reason })

  const loaded = yield* Effect.either(
    Effect.flatMap(SnapshotFile.load(file), (stored) => Effect.transposeMapOption(stored, format.decode))
  )
  if (Either.isLeft(loaded)) {
    yield* warn("A saved threat list cannot be used and is fetched anew", loaded.left)
    update({ saveError: Option.some(yield* errorNow(`saved list not usable (${loaded.left})`)) })
  } else {
    update({ snapshot: loaded.right })
    yield* Effect.transposeMapOption(loaded.right, (snapshot) => ListLog.used(definition, snapshot, "disk"))
  }

  return {
    /** Waits for nothing. */
    get: (): ListState<S> => state,

    showNextAttempt: (nextAttemptAt: Option.Option<number>) => Effect.sync(() => update({ nextAttemptAt })),

    /**
     * Requests once, and uses, counts and logs the outcome. Yields when the list is due, in milliseconds since 1970. An error is
     * logged, by `logFailure`, unless it is the same as that of the refresh before. Never fails.
     */
    refresh: Effect.fn("RefreshedList.refresh", { root: true, attributes: { source } })(function* (
      logFailure: (error: ListError, wait: Duration.Duration) => Effect.Effect<void> = (error, wait) =>
        ListLog.failed(definition, error, wait)
    ) {
      const { failures: before, lastError, snapshot: previous } = state
      const { error, isAnswer, snapshot } = yield* Effect.match(definition.request(previous), {
        onFailure: (error) => ({ snapshot: previous, error: Option.some(error), isAnswer: false }),
        onSuccess: ({ error, snapshot }) => ({ snapshot: Option.some(snapshot), error, isAnswer: true })
      })
      const failures = Option.isSome(error) ? before + 1 : 0
      const random = yield* Random.next
      const retryAfter = Option.getOrUndefined(error)?.retryAfterMillis
      const wait = isAnswer
        ? waits.afterAnswer(snapshot, random)
        : ListSchedule.afterFailure(failures, waits.backoff, retryAfter, random)
      const newError = yield* Effect.transposeMapOption(error, ({ message }) => errorNow(message))
      update({ snapshot, failures, lastError: newError })
      const success = isSameList(previous, snapshot) ? "unchanged" : "changed"
      counters[Option.isSome(error) ? "failed" : success].update(1)
      if (Option.isNone(error))
        yield* Effect.transposeMapOption(snapshot, (snapshot) =>
          ListLog.used(definition, snapshot, "refresh")
        )
      else if (!isMessage(lastError, error.value.message)) yield* logFailure(error.value, wait)
      return (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
    }),

    /** Uses what another replica has published: its errors, and its snapshot if there is one. */
    useShared: Effect.fnUntraced(function* (
      { failures, lastError }: Pick<SharedList.Version, "failures" | "lastError">,
      snapshot: Option.Option<S>
    ) {
      const before = state.snapshot
      update({ failures, lastError: Option.fromNullable(lastError) })
      if (Option.isNone(snapshot)) return
      update({ snapshot })
      if (!isSameList(before, snapshot)) yield* ListLog.used(definition, snapshot.value, "replica")
    }),

    /** Saves the snapshot in use. Logs each new reason why that is not possible. */
    save: Effect.suspend(() =>
      Effect.transposeMapOption(state.snapshot, (snapshot) =>
        SnapshotFile.save(file, format.encode(snapshot)).pipe(
          Effect.matchEffect({
            onSuccess: () => Effect.sync(() => update({ saveError: Option.none() })),
            onFailure: Effect.fnUntraced(function* (reason) {
              const message = `not saved (${reason})`
              if (!isMessage(state.saveError, message))
                yield* warn("A threat list is in memory only. Can the service write to DATA_DIR?", reason)
              update({ saveError: Option.some(yield* errorNow(message)) })
            })
          })
        )
      )
    )
  }
})

/** A list that is downloaded, kept in memory and on disk, and refreshed. */
export type OpenList<S extends Snapshot, R> = Effect.Effect.Success<ReturnType<typeof open<S, R>>>

/** How long the other replicas wait after one died during its refresh. */
const MAX_LEASE = Duration.minutes(1)

/** How soon a replica without a list looks again while another one has the lease. */
const RETRY_WITHOUT_LIST = Duration.seconds(5)

/**
 * Refreshes a list for all replicas: uses what another one has published; else takes the lease, requests and publishes. Yields when
 * the list is due. Fails if the database does, before anything is requested.
 */
const refreshShared = Effect.fnUntraced(function* <S extends Snapshot, R>(
  list: OpenList<S, R>,
  { waits }: Pick<Definition<S, R>, "waits">,
  shared: SharedList.SharedList<S>,
  lease: Duration.Duration
) {
  const inUse = () => list.get().snapshot

  /** Uses a version, if there is one. Undefined: a request is due all the same, or a newer list cannot be loaded. */
  const adopt = Effect.fnUntraced(function* (version: SharedList.Version | undefined) {
    if (version === undefined) return undefined
    const snapshot = yield* shared.load(version, inUse())
    yield* list.useShared(version, snapshot)
    if (version.list !== undefined && Option.isNone(snapshot)) return undefined
    // The writer may have another refresh interval, as before a change of the configuration.
    const maxWait = version.failures === 0 ? waits.afterAnswer(inUse(), 1) : Duration.infinity
    return ListSchedule.sharedDueAt(version, maxWait, yield* Clock.currentTimeMillis, yield* Random.next)
  })

  const publish = (before: SharedList.Version | undefined, nextAt: number) =>
    shared.publish(before, list.get(), nextAt).pipe(
      // The list is used all the same. The other replicas request it too.
      Effect.catchAll(({ message }) =>
        Effect.logWarning("A threat list is not shared with other replicas", { reason: message })
      ),
      Effect.catchAllDefect((defect) => Effect.logError("Sharing a threat list failed", Cause.die(defect)))
    )

  const adopted = yield* Effect.flatMap(shared.read, adopt)
  if (adopted !== undefined) return adopted
  const refreshed = yield* shared.withLease((version, isHeld) =>
    Effect.gen(function* () {
      // Another replica may have been faster between the two looks.
      const faster = yield* adopt(version)
      if (faster !== undefined) return faster
      const dueAt = yield* list.refresh()
      // After the lease another replica may have published: its version stays.
      const latest = (yield* isHeld) ? version : yield* Effect.orElseSucceed(shared.read, () => version)
      const other = latest?.writtenAt === version?.writtenAt ? undefined : latest
      const later = yield* Effect.orElseSucceed(adopt(other), () => undefined)
      if (later !== undefined) return later
      yield* publish(latest, dueAt)
      // Another replica may reach the source.
      return list.get().failures === 0
        ? dueAt
        : ListSchedule.dueAfterOthers(dueAt, yield* Clock.currentTimeMillis)
    })
  )
  const retry = Option.isSome(inUse()) ? lease : Duration.min(lease, RETRY_WITHOUT_LIST)
  const now = yield* Clock.currentTimeMillis
  return Option.getOrElse(refreshed, () => now + Duration.toMillis(retry))
})

/**
 * Opens a list, and refreshes it in the background of the scope whenever it is due. With a shared store one replica requests
 * it for all, unless the database fails. After an error the last good list stays.
 */
export const start = Effect.fnUntraced(
  function* <S extends Snapshot, R>(
    definition: Definition<S, R>,
    dataDirectory: string,
    store: Option.Option<SharedStoreShape>
  ) {
    const list = yield* open(definition, dataDirectory)
    // A file is read at each start, however recent the saved list is.
    const isFile = definition.digest === undefined
    const { snapshot } = list.get()
    const interval = definition.waits.afterAnswer(snapshot, yield* Random.next)
    const lease = Duration.min(MAX_LEASE, Duration.times(interval, 2))
    const shared = isFile
      ? Option.none()
      : Option.map(store, (store) => SharedList.make(store, definition, lease))
    const stored = isFile ? Option.none<S>() : snapshot
    const now = yield* Clock.currentTimeMillis
    let dueAt = ListSchedule.firstDueAt(stored, interval, now, yield* Random.next)

    const refresh = Option.match(shared, {
      onNone: () => list.refresh(),
      onSome: (shared) =>
        Effect.catchAll(refreshShared(list, definition, shared, lease), ({ message }) =>
          Effect.zipRight(
            Effect.logWarning("The cache database failed: a threat list is fetched for this replica alone", {
              reason: message
            }),
            list.refresh()
          )
        )
    })

    yield* BackgroundLoop.fork(
      definition.name,
      Effect.gen(function* () {
        yield* list.showNextAttempt(Option.some(dueAt))
        yield* ListSchedule.sleepUntil(dueAt)
        yield* list.showNextAttempt(Option.none())
        const before = list.get().snapshot
        dueAt = yield* refresh
        yield* list.showNextAttempt(Option.some(dueAt))
        if (list.get().snapshot !== before) yield* list.save
      })
    )
    return list.get
  },
  (effect, { name, source }) => Effect.annotateLogs(effect, { feed: name, source })
)
