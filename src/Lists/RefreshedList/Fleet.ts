import { Cause, Clock, Duration, Effect, Option, Random, Ref } from "effect"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import type { SharedStoreShape } from "../SharedStore.ts"
import * as FleetState from "./Fleet/FleetState.ts"
import * as SharedSnapshot from "./Fleet/SharedSnapshot.ts"
import { hasList, type ListStateRef, type Refreshed, type Shared, type Snapshot } from "./ListState.ts"
import * as SnapshotBytes from "./SnapshotBytes.ts"

const { Event } = FleetState

const now = Effect.all({ millis: MonotonicTime.now, date: Clock.currentTimeMillis, random: Random.next })

/**
 * Refreshes as one replica of a fleet until the scope closes: performs the actions of `FleetState.next` and passes it their
 * events.
 */
export const fork = Effect.fnUntraced(function* <S extends Snapshot, R>(
  source: Shared<S> & { readonly name: string },
  list: {
    readonly state: ListStateRef<S>
    readonly refresh: (failures: number) => Effect.Effect<Refreshed<S>, never, R>
  },
  store: SharedStoreShape,
  untilFirst: Duration.Duration
) {
  const { format, interval } = source
  const shared = SharedSnapshot.make(store, source)
  const current = list.state.get

  /**
   * Refreshes, and publishes the outcome if it is for all. The second effect applies the outcome. It runs without the lease: a
   * disk may hang, and a lost lease would interrupt it, and leave the replica's state and FleetState with different lists.
   */
  const refresh = Effect.fnUntraced(function* (state: FleetState.FleetState, isForAll: boolean) {
    const before = current().snapshot
    const refreshed = yield* list.refresh(state.failures)
    const { error, failures, isAnswered, wait } = refreshed
    const snapshot = Option.orElse(refreshed.snapshot, () => before)
    let published: SharedSnapshot.RemoteState | undefined
    if (isForAll) {
      const read = yield* Effect.option(shared.read)
      const remote = Option.getOrUndefined(read)
      // Another replica has published after our lease expired unnoticed: our outcome is dropped for its.
      if (remote?.manifest !== undefined && remote.text !== state.seen?.text)
        return Effect.succeed<FleetState.Event>(Event.ManifestRead({ remote }))
      const isSameList = Option.exists(snapshot, (after) =>
        SnapshotBytes.hasSameContent(format, before, after)
      )
      const at = yield* Clock.currentTimeMillis
      // Without an answer another replica may have published: nothing is overwritten.
      published = yield* Effect.flatMap(read, (before) =>
        shared.publish({
          before,
          snapshot,
          body: isSameList ? state.list?.body : undefined,
          failures,
          nextAt: at + Duration.toMillis(wait),
          lastError: Option.getOrUndefined(Option.map(error, ({ message }) => ({ message, at })))
        })
      ).pipe(
        // A fetched list is used even if it cannot be published: the other replicas are due, and fetch it too.
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError("Publishing a threat list failed", Cause.die(defect)), undefined)
        ),
        Effect.orElseSucceed(() => undefined)
      )
    }
    const answeredAt = Option.getOrUndefined(Option.map(snapshot, ({ answeredAt }) => answeredAt))
    return Effect.as(
      list.state.applyRefresh(refreshed),
      Event.Refreshed({
        failures,
        waitMillis: Duration.toMillis(wait),
        answeredAt: isAnswered ? answeredAt : undefined,
        published
      })
    )
  })

  /** Refreshes under the lease, unless the manifest has changed; then applies the outcome. */
  const refreshForAll = (state: FleetState.FleetState) =>
    Effect.flatMap(
      shared.underLease(
        Effect.flatMap(shared.read, (remote) =>
          remote.text === state.seen?.text
            ? refresh(state, true)
            : Effect.succeed(Effect.succeed(Event.ManifestRead({ remote })))
        )
      ),
      Option.getOrElse(() => Effect.succeed(Event.NoLease()))
    )

  /** `load`: the body of the manifest's list too, because the list in use is another one. */
  const applyManifest = Effect.fnUntraced(function* (remote: SharedSnapshot.RemoteState, load: boolean) {
    const { manifest } = remote
    if (manifest === undefined) return Event.ManifestApplied({ remote, isWhole: true })
    yield* list.state.applyManifest(Option.fromNullable(manifest.lastError))
    const inUse = current().snapshot
    // A source that has never answered has metadata without a list: a replica with a list does not need them.
    if (manifest.list === undefined && Option.exists(inUse, hasList))
      return Event.ManifestApplied({ remote, isWhole: true })
    const loaded = load && manifest.list !== undefined ? yield* shared.load(manifest.list.body) : inUse
    const adopted = Option.flatMap(loaded, (snapshot) =>
      format.withMetadata(snapshot, manifest.metadata ?? "")
    )
    if (Option.isSome(adopted)) yield* list.state.adoptShared(adopted.value)
    return Event.ManifestApplied({ remote, isWhole: manifest.list === undefined || Option.isSome(adopted) })
  })

  const perform = ({ action, state }: FleetState.Step) =>
    FleetState.Action.$match(action, {
      ReadManifest: ({ at }) =>
        Effect.gen(function* () {
          yield* Effect.sleep(Math.max(0, at - (yield* MonotonicTime.now)))
          return Event.ManifestRead({ remote: yield* shared.read })
        }),
      ApplyManifest: ({ load, remote }) => applyManifest(remote, load),
      RefreshForAll: () => refreshForAll(state),
      RefreshAlone: () =>
        Effect.zipRight(
          Effect.logInfo("A threat list is fetched for this replica alone"),
          Effect.flatten(refresh(state, false))
        )
    }).pipe(
      Effect.catchAll(() => Effect.succeed(Event.DatabaseDown())),
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logError("Sharing a threat list failed", Cause.die(defect)), Event.DatabaseDown())
      )
    )

  const answeredAt = Option.getOrUndefined(Option.filter(current().snapshot, hasList))?.answeredAt
  const startedAt = yield* now
  const first = FleetState.start(answeredAt, Duration.toMillis(untilFirst), startedAt)
  const last = yield* Ref.make({ step: first, at: startedAt })
  yield* BackgroundLoop.fork(
    source.name,
    Effect.gen(function* () {
      const { step, at: before } = yield* Ref.get(last)
      yield* list.state.setNextAttemptAt(FleetState.nextAttemptAt(step, yield* now))
      const event = yield* perform(step)
      const at = yield* now
      const state = FleetState.afterJump(step.state, before, at)
      yield* Ref.set(last, { step: FleetState.next(state, event, interval, at), at })
    })
  )
})
