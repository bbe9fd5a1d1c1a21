import { Cause, Clock, Duration, Effect, Option, Random, Ref } from "effect"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import { ListError } from "./ListError.ts"
import * as Fleet from "./RefreshedList/Fleet.ts"
import * as ListSchedule from "./RefreshedList/ListSchedule.ts"
import * as ListState from "./RefreshedList/ListState.ts"
import type { SharedStoreShape } from "./SharedStore.ts"

export type { LastError } from "./RefreshedList/SnapshotFile.ts"
export type Definition<S extends ListState.Snapshot, R> = ListState.Definition<S, R>
export type Refreshed<S> = ListState.Refreshed<S>

/** A list that is downloaded, kept in memory and on disk, and refreshed. */
export interface RefreshedList<S extends ListState.Snapshot, R> {
  readonly state: ListState.ListStateRef<S>
  /** Requests once after so many failures in a row. Never fails. The caller must apply the outcome to the state. */
  readonly refresh: (failures: number) => Effect.Effect<Refreshed<S>, never, R>
}

/** A disk that hangs must not prevent a request. */
const MAX_WAIT_FOR_DISK = Duration.seconds(5)

/** Logs a defect of a request, and fails with `Defect`. */
export const catchDefects = Effect.catchAllDefect((defect) =>
  Effect.zipRight(
    Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
    new ListError({ reason: "Defect" })
  )
)

/** Opens a list with the snapshot of the data directory, if there is one. Requests nothing. Never fails. */
export const open = Effect.fnUntraced(function* <S extends ListState.Snapshot, R>(
  definition: Definition<S, R>,
  dataDirectory: string
) {
  const state: ListState.ListStateRef<S> = yield* ListState.make(definition, dataDirectory)
  const save = (snapshot: S) =>
    state.save(snapshot).pipe(Effect.disconnect, Effect.timeoutOption(MAX_WAIT_FOR_DISK), Effect.asVoid)
  const refresh = (failures: number) =>
    Effect.suspend(() => definition.refresh(state.get().snapshot, failures, save)).pipe(
      Effect.withSpan("RefreshedList.refresh", { root: true, attributes: { source: definition.source } })
    )
  return { state, refresh } satisfies RefreshedList<S, R>
})

const moment = Effect.all({ millis: MonotonicTime.now, date: Clock.currentTimeMillis })

/** How soon a jump of the date is noticed. */
const DATE_POLL_MS = Duration.toMillis(Duration.minutes(1))

/** Sleeps until a list is due, earlier if the date jumps: a timer does not notice that, and stops while the machine is suspended. */
const sleepUntilDue = Effect.fnUntraced(function* (wait: Duration.Duration) {
  let before = yield* moment
  let dueAt = before.millis + Duration.toMillis(wait)
  // `millis` is rounded.
  while (dueAt - before.millis >= 1) {
    yield* Effect.sleep(Math.min(dueAt - before.millis, DATE_POLL_MS))
    const now = yield* moment
    dueAt = ListSchedule.dueAfterJump(dueAt, before, now)
    before = now
  }
})

/** Refreshes whenever it is due until the scope closes, without sharing the list. `Fleet.fork` is the other way. */
const forkAlone = Effect.fnUntraced(function* <S extends ListState.Snapshot, R>(
  name: string,
  { refresh, state }: RefreshedList<S, R>,
  untilFirst: Duration.Duration
) {
  const next = yield* Ref.make({ failures: 0, wait: untilFirst })
  yield* BackgroundLoop.fork(
    name,
    Effect.gen(function* () {
      const { failures, wait } = yield* Ref.get(next)
      yield* state.setNextAttemptAt(Option.some((yield* Clock.currentTimeMillis) + Duration.toMillis(wait)))
      yield* sleepUntilDue(wait)
      yield* state.setNextAttemptAt(Option.none())
      const refreshed = yield* refresh(failures)
      yield* Ref.set(next, { failures: refreshed.failures, wait: refreshed.wait })
      yield* state.applyRefresh(refreshed)
    })
  )
})

/**
 * Opens a list, and refreshes it in the background of the scope whenever a refresh is due: by this replica or, with a shared
 * store, by any replica of the fleet. After an error the last good list stays.
 */
export const start = Effect.fnUntraced(
  function* <S extends ListState.Snapshot, R>(
    definition: Definition<S, R>,
    dataDirectory: string,
    store: Option.Option<SharedStoreShape>
  ) {
    const list = yield* open(definition, dataDirectory)
    const untilFirst = definition.untilFirst(
      list.state.get().snapshot,
      yield* Clock.currentTimeMillis,
      yield* Random.next
    )
    yield* Option.match(
      // A file is read by each replica.
      Option.filter(store, () => !definition.isFile),
      {
        onNone: () => forkAlone(definition.name, list, untilFirst),
        onSome: (store) => Fleet.fork(definition, list, store, untilFirst)
      }
    )
    return list.state
  },
  (effect, { name, source }) => Effect.annotateLogs(effect, { feed: name, source })
)
