import { Cause, Clock, Duration, Effect, Option, Random, Ref } from "effect"
import * as BackgroundLoop from "../../Layers/BackgroundLoop.ts"
import * as MonotonicTime from "../../Layers/MonotonicTime.ts"
import type { SharedStoreShape } from "../../Layers/SharedStore.ts"
import type { Feed } from "./Feed.ts"
import type { FeedRefresh } from "./FeedRefresh.ts"
import type { FeedStateRef } from "./FeedState.ts"
import * as FleetState from "./Fleet/FleetState.ts"
import * as SharedFeed from "./Fleet/SharedFeed.ts"

const { Event } = FleetState

const now = Effect.all({ millis: MonotonicTime.now, date: Clock.currentTimeMillis, random: Random.next })

/**
 * Refreshes a feed as one replica of a fleet until the scope closes: performs the actions of `FleetState.next` and passes it
 * their events.
 */
export const fork = Effect.fnUntraced(function* (
  feed: Feed,
  store: SharedStoreShape,
  current: FeedStateRef,
  refreshOnce: FeedRefresh,
  untilFirst: Duration.Duration
) {
  const shared = SharedFeed.make(store, feed)

  const publish = (update: SharedFeed.Update): Effect.Effect<FleetState.Publication> =>
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
  const ifUnchanged = <R>(
    { seen }: FleetState.FleetState,
    work: Effect.Effect<Effect.Effect<FleetState.Event>, never, R>
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
   * disk may hang, and a lost lease would interrupt it, and leave FeedState and FleetState with different lists.
   */
  const refresh = Effect.fnUntraced(function* (state: FleetState.FleetState, isForAll: boolean) {
    const before = current.get().snapshot
    const outcome = yield* refreshOnce(before, state.failures)
    const snapshot = Option.orElse(outcome.snapshot, () => before)
    const isSameList =
      Option.isSome(before) && Option.isSome(snapshot) && before.value.list === snapshot.value.list
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
        lastError: Option.getOrUndefined(Option.map(outcome.error, ({ message }) => ({ message, at })))
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
    return Effect.map(current.settle(outcome), settled)
  })

  const publishCurrent = Effect.fnUntraced(function* (state: FleetState.FleetState) {
    const { refreshError, snapshot } = current.get()
    const { date, millis } = yield* now
    const publication = yield* publish({
      before: state.seen,
      snapshot,
      body: state.list?.body,
      failures: state.failures,
      nextAt: Math.round(date + state.refreshAt - millis),
      lastError: Option.getOrUndefined(refreshError)
    })
    return Effect.succeed(Event.Published({ publication }))
  })

  const follow = Effect.fnUntraced(function* (remote: FleetState.RemoteState, load: boolean) {
    const list = remote.manifest?.list
    yield* current.setRefreshError(Option.fromNullable(remote.manifest?.lastError))
    if (list === undefined) return Event.Followed({ remote, isWhole: true })
    const { fetchedAt, answeredAt, shrunkenSince } = list
    const loaded = load ? yield* shared.load(list) : current.get().snapshot
    if (Option.isNone(loaded)) return Event.Followed({ remote, isWhole: false })
    yield* current.take({ ...loaded.value, fetchedAt, answeredAt, shrunkenSince })
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

  const answeredAt = Option.map(current.get().snapshot, ({ answeredAt }) => answeredAt)
  const first = FleetState.start(Option.getOrUndefined(answeredAt), Duration.toMillis(untilFirst), yield* now)
  const step = yield* Ref.make(first)
  return yield* BackgroundLoop.fork(
    feed.slot,
    Effect.gen(function* () {
      const before = yield* Ref.get(step)
      const event = yield* perform(before)
      yield* Ref.set(step, FleetState.next(before.state, event, feed.refresh, yield* now))
    })
  )
})
