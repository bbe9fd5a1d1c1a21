import { Cause, Clock, Duration, Effect, Option, Random, Ref } from "effect"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import type { SharedStoreShape } from "../SharedStore.ts"
import type { LastError } from "./FeedSnapshot/SavedSnapshot.ts"
import type { FeedManifest, SharedList } from "./Fleet/FeedManifest.ts"
import * as FleetState from "./Fleet/FleetState.ts"
import * as SharedSnapshot from "./Fleet/SharedSnapshot.ts"
import type { Refreshable } from "./SingleReplica.ts"

/** The outcome of one refresh, as far as the fleet is concerned. */
export interface Outcome<S> {
  /** The snapshot to use from now on. None: nothing was fetched. */
  readonly snapshot: Option.Option<S>
  /** Why there is no newer list. */
  readonly error: Option.Option<{ readonly message: string }>
  /** Refreshes in a row that failed. */
  readonly failures: number
  /** How long to send no request. */
  readonly wait: Duration.Duration
  /** See `FeedManifest`. */
  readonly details?: string | undefined
}

/** What a replica refreshes and shares. */
export interface Replica<S extends { readonly answeredAt: number }, O extends Outcome<S>, R>
  extends Refreshable<O, R> {
  readonly shared: SharedSnapshot.Shared<S>
  /** The snapshot in use; None while there is no list. */
  readonly current: () => {
    readonly snapshot: Option.Option<S>
    readonly refreshError: Option.Option<LastError>
    readonly details?: string | undefined
  }
  /** Whether the body of one is that of the other: they differ at most in their times. */
  readonly isSameList: (one: S, other: S) => boolean
  /** Uses what a manifest says besides its list. */
  readonly follow: (manifest: FeedManifest) => Effect.Effect<void>
  /** Uses and saves the list of a manifest: that in use, or the one that was loaded. */
  readonly take: (snapshot: S, manifest: FeedManifest & { readonly list: SharedList }) => Effect.Effect<void>
}

const { Event } = FleetState

const now = Effect.all({ millis: MonotonicTime.now, date: Clock.currentTimeMillis, random: Random.next })

/**
 * Refreshes as one replica of a fleet until the scope closes: performs the actions of `FleetState.next` and passes it their
 * events.
 */
export const fork = Effect.fnUntraced(function* <
  S extends { readonly answeredAt: number },
  O extends Outcome<S>,
  R
>(replica: Replica<S, O, R>, store: SharedStoreShape, untilFirst: Duration.Duration) {
  const { current } = replica
  const { interval } = replica.shared
  const shared = SharedSnapshot.make(store, replica.shared)

  const publish = (update: SharedSnapshot.Update<S>): Effect.Effect<FleetState.Publication> =>
    shared.publish(update).pipe(
      // A fetched list is used even if it cannot be published.
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logError("Publishing a threat list failed", Cause.die(defect)), "Failed" as const)
      ),
      Effect.orElseSucceed(() => "Failed" as const)
    )

  /**
   * Runs the work under the lease, unless the manifest has changed. The work returns a second effect, which is run once the
   * lease is released.
   */
  const ifUnchanged = <R2>(
    { seen }: FleetState.FleetState,
    work: Effect.Effect<Effect.Effect<FleetState.Event>, never, R2>
  ) =>
    Effect.flatMap(
      shared.underLease(
        Effect.flatMap(shared.read, (remote) =>
          remote.text === seen?.text ? work : Effect.succeed(Effect.succeed(Event.Looked({ remote })))
        )
      ),
      Option.getOrElse(() => Effect.succeed(Event.NoLease()))
    )

  /**
   * Refreshes, and publishes the outcome if it is for all. The second effect settles the outcome. It runs without the lease: a
   * disk may hang, and a lost lease would interrupt it, and leave the replica's state and FleetState with different lists.
   */
  const refresh = Effect.fnUntraced(function* (state: FleetState.FleetState, isForAll: boolean) {
    const before = current().snapshot
    const outcome = yield* replica.refresh(state.failures)
    const snapshot = Option.orElse(outcome.snapshot, () => before)
    const isSameList =
      Option.isSome(before) && Option.isSome(snapshot) && replica.isSameList(before.value, snapshot.value)
    let publication: FleetState.Publication = "None"
    if (isForAll) {
      const remote = Option.getOrUndefined(yield* Effect.option(shared.read))
      if (remote !== undefined && FleetState.isOvertaken(state.seen, remote, Option.isSome(outcome.snapshot)))
        return Effect.succeed<FleetState.Event>(Event.Looked({ remote }))
      const at = yield* Clock.currentTimeMillis
      publication = yield* publish({
        before: remote,
        snapshot,
        body: isSameList ? state.list?.body : undefined,
        failures: outcome.failures,
        nextAt: at + Duration.toMillis(outcome.wait),
        lastError: Option.getOrUndefined(Option.map(outcome.error, ({ message }) => ({ message, at }))),
        details: outcome.details
      })
    }
    const settled = (): FleetState.Event =>
      Event.Refreshed({
        failures: outcome.failures,
        waitMillis: Duration.toMillis(outcome.wait),
        answeredAt: Option.getOrUndefined(Option.map(outcome.snapshot, ({ answeredAt }) => answeredAt)),
        isSameList,
        publication
      })
    return Effect.map(replica.settle(outcome), settled)
  })

  const publishCurrent = Effect.fnUntraced(function* (state: FleetState.FleetState) {
    const { details, refreshError, snapshot } = current()
    const { date, millis } = yield* now
    const publication = yield* publish({
      before: state.seen,
      snapshot,
      body: state.list?.body,
      failures: state.failures,
      nextAt: Math.round(date + state.refreshAt - millis),
      lastError: Option.getOrUndefined(refreshError),
      details
    })
    return Effect.succeed(Event.Published({ publication }))
  })

  const follow = Effect.fnUntraced(function* (remote: FleetState.RemoteState, load: boolean) {
    const { manifest } = remote
    if (manifest === undefined) return Event.Followed({ remote, isWhole: true })
    yield* replica.follow(manifest)
    const { list } = manifest
    if (list === undefined) return Event.Followed({ remote, isWhole: true })
    const loaded = load ? yield* shared.load(list.body) : current().snapshot
    if (Option.isNone(loaded)) return Event.Followed({ remote, isWhole: false })
    yield* replica.take(loaded.value, { ...manifest, list })
    return Event.Followed({ remote, isWhole: true })
  })

  const perform = ({ action, state }: FleetState.Step) =>
    FleetState.Action.$match(action, {
      Look: ({ at }) =>
        Effect.gen(function* () {
          yield* Effect.sleep(Math.max(0, at - (yield* MonotonicTime.now)))
          return Event.Looked({ remote: yield* shared.read })
        }),
      Follow: ({ load, remote }) => follow(remote, load),
      RefreshForAll: () => ifUnchanged(state, refresh(state, true)),
      RefreshAlone: () =>
        Effect.zipRight(
          Effect.logInfo("A threat list is fetched for this replica alone"),
          Effect.flatten(refresh(state, false))
        ),
      Publish: () => ifUnchanged(state, publishCurrent(state))
    }).pipe(
      Effect.catchAll(() => Effect.succeed(Event.DatabaseDown())),
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logError("Sharing a threat list failed", Cause.die(defect)), Event.DatabaseDown())
      )
    )

  const answeredAt = Option.map(current().snapshot, ({ answeredAt }) => answeredAt)
  const first = FleetState.start(Option.getOrUndefined(answeredAt), Duration.toMillis(untilFirst), yield* now)
  const step = yield* Ref.make(first)
  return yield* BackgroundLoop.fork(
    replica.name,
    Effect.gen(function* () {
      const before = yield* Ref.get(step)
      yield* replica.setNextAttemptAt(FleetState.nextAttemptAt(before, yield* now))
      const event = yield* perform(before)
      yield* Ref.set(step, FleetState.next(before.state, event, interval, yield* now))
    })
  )
})
