import { Cause, Clock, Duration, Effect, Either, Option, Random, Ref } from "effect"
import { jsonOnly } from "../Layers/Telemetry/LogLine.ts"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import type { Definition, Outcome, Snapshot } from "./RefreshedList/Definition.ts"
import * as ListSchedule from "./RefreshedList/ListSchedule.ts"
import * as ListState from "./RefreshedList/ListState.ts"
import * as SharedList from "./RefreshedList/SharedList.ts"
import type { SharedStoreShape } from "./SharedStore.ts"

export type { LastError } from "./RefreshedList/SnapshotFile.ts"

/** How a refresh ended, and how long to send no request. */
interface Refreshed<S> extends Outcome<S> {
  readonly wait: Duration.Duration
}

/** A list that is downloaded, kept in memory and on disk, and refreshed. */
interface OpenList<S extends Snapshot, R> {
  readonly state: ListState.ListStateRef<S>
  /** Requests once after so many failures in a row. Never fails. The caller must apply the outcome to the state. */
  readonly refresh: (failures: number) => Effect.Effect<Refreshed<S>, never, R>
}

/** Opens a list with the snapshot of the data directory, if there is one. Requests nothing. Never fails. */
export const open = Effect.fnUntraced(function* <S extends Snapshot, R>(
  definition: Definition<S, R>,
  dataDirectory: string
) {
  const state: ListState.ListStateRef<S> = yield* ListState.make(definition, dataDirectory)
  const refresh = (failuresBefore: number) =>
    Effect.gen(function* () {
      const { snapshot: previous } = state.get()
      const answer = yield* Effect.either(definition.request(previous))
      const error = Either.match(answer, { onLeft: Option.some, onRight: ({ error }) => error })
      const outcome: Outcome<S> = {
        snapshot: Either.match(answer, {
          onLeft: () => previous,
          onRight: ({ snapshot }) => Option.some(snapshot)
        }),
        error,
        failures: Option.isSome(error) ? failuresBefore + 1 : 0
      }
      return { ...outcome, wait: definition.wait(outcome, yield* Random.next) }
    }).pipe(
      Effect.withSpan("RefreshedList.refresh", { root: true, attributes: { source: definition.source } })
    )
  return { state, refresh } satisfies OpenList<S, R>
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

/** When to look next, after so many failures in a row. */
interface Plan {
  readonly failures: number
  readonly wait: Duration.Duration
  /** How long after that the list is due. */
  readonly untilDue: Duration.Duration
}

const planned = (failures: number, wait: Duration.Duration): Plan => ({
  failures,
  wait,
  untilDue: Duration.zero
})

/** How soon a replica without a list looks again while another one has the lease. */
const RETRY_WITHOUT_LIST = Duration.seconds(5)

/** Refreshes a list for this process alone. */
const refreshAlone = Effect.fnUntraced(function* <S extends Snapshot, R>(
  { refresh, state }: OpenList<S, R>,
  failures: number
) {
  const refreshed = yield* refresh(failures)
  yield* state.applyOutcome(refreshed, refreshed.wait)
  return refreshed
})

/**
 * Refreshes a list for all replicas: takes what another one has published; else takes the lease, requests and publishes.
 * `untilDue`: not zero at a start with a list of the data directory that is not due yet. Fails if the database does, before
 * anything is requested.
 */
const refreshShared = Effect.fnUntraced(function* <S extends Snapshot, R>(
  list: OpenList<S, R>,
  shared: SharedList.SharedList<S>,
  { failures, untilDue }: Plan,
  lease: Duration.Duration
) {
  const inUse = () => list.state.get().snapshot

  /** The plan of what another replica has published; None if a request is due all the same. */
  const adopt = Effect.fnUntraced(function* (version: SharedList.Version) {
    yield* list.state.applyShared(
      Option.fromNullable(version.lastError),
      yield* shared.newer(version, inUse())
    )
    const isLost = version.list !== undefined && Option.isNone(inUse())
    const wait = ListSchedule.untilShared(version, yield* Clock.currentTimeMillis, yield* Random.next)
    return isLost || Duration.equals(wait, Duration.zero)
      ? Option.none<Plan>()
      : Option.some(planned(version.failures, wait))
  })
  const adoptIfAny = (version: Option.Option<SharedList.Version>) =>
    Effect.map(Effect.transposeMapOption(version, adopt), Option.flatten)

  const adopted = yield* Effect.flatMap(shared.read, adoptIfAny)
  if (Option.isSome(adopted)) return adopted.value
  if (Duration.greaterThan(untilDue, Duration.zero)) return planned(failures, untilDue)

  const takenAt = yield* MonotonicTime.now
  const { isOurs, version } = yield* shared.takeLease
  if (!isOurs)
    return planned(failures, Option.isSome(inUse()) ? lease : Duration.min(lease, RETRY_WITHOUT_LIST))
  return yield* Effect.gen(function* () {
    // Another replica may have been faster between the two looks.
    const faster = yield* adoptIfAny(version)
    if (Option.isSome(faster)) return faster.value
    const before = Option.match(version, { onNone: () => failures, onSome: ({ failures }) => failures })
    const refreshed = yield* refreshAlone(list, before)
    yield* shared
      .publish(version, {
        snapshot: refreshed.snapshot,
        failures: refreshed.failures,
        nextAt: (yield* Clock.currentTimeMillis) + Duration.toMillis(refreshed.wait),
        lastError: Option.getOrUndefined(list.state.get().lastError)
      })
      .pipe(
        // The list is used all the same. The other replicas request it too.
        Effect.catchAll(({ message }) =>
          Effect.logWarning("A threat list is not shared with other replicas", jsonOnly({ reason: message }))
        ),
        Effect.catchAllDefect((defect) => Effect.logError("Sharing a threat list failed", Cause.die(defect)))
      )
    return planned(refreshed.failures, refreshed.wait)
  }).pipe(Effect.ensuring(shared.endLease(takenAt)))
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
    const { digest, format, wait } = definition
    const list = yield* open(definition, dataDirectory)
    const { state } = list
    const stored = state.get().snapshot
    const interval = wait({ snapshot: stored, error: Option.none(), failures: 0 }, yield* Random.next)
    const lease = ListSchedule.leaseDuration(interval)
    const untilFirst = ListSchedule.untilFirst(
      // A file is read at each start, however recent the saved list is.
      Option.filter(stored, () => digest !== undefined),
      interval,
      yield* Clock.currentTimeMillis,
      yield* Random.next
    )
    const shared =
      digest === undefined
        ? Option.none()
        : Option.map(store, (store) => SharedList.make(store, { digest, format, lease }))
    // A replica looks at once for what the others have.
    const plan = yield* Ref.make<Plan>(
      Option.isSome(shared)
        ? { failures: 0, wait: Duration.zero, untilDue: untilFirst }
        : planned(0, untilFirst)
    )

    const alone = (failures: number) =>
      Effect.map(refreshAlone(list, failures), (refreshed) => planned(refreshed.failures, refreshed.wait))
    const refresh = (plan: Plan) => {
      if (Option.isNone(shared)) return alone(plan.failures)
      return refreshShared(list, shared.value, plan, lease).pipe(
        Effect.catchAll(({ message }) =>
          Duration.greaterThan(plan.untilDue, Duration.zero)
            ? Effect.succeed(planned(plan.failures, plan.untilDue))
            : Effect.zipRight(
                Effect.logWarning(
                  "The cache database failed: a threat list is fetched for this replica alone",
                  jsonOnly({ reason: message })
                ),
                alone(plan.failures)
              )
        )
      )
    }

    yield* BackgroundLoop.fork(
      definition.name,
      Effect.gen(function* () {
        const due = yield* Ref.get(plan)
        yield* state.setNextAttemptAt(
          Option.some((yield* Clock.currentTimeMillis) + Duration.toMillis(due.wait))
        )
        yield* sleepUntilDue(due.wait)
        yield* state.setNextAttemptAt(Option.none())
        const before = state.get().snapshot
        const next = yield* refresh(due)
        yield* Ref.set(plan, next)
        yield* state.setNextAttemptAt(
          Option.some((yield* Clock.currentTimeMillis) + Duration.toMillis(next.wait))
        )
        const { snapshot } = state.get()
        if (Option.isSome(snapshot) && snapshot !== before) yield* state.save(snapshot.value)
      })
    )
    return state
  },
  (effect, { name, source }) => Effect.annotateLogs(effect, { feed: name, source })
)
