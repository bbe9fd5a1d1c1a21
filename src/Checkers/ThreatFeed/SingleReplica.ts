import { type Duration, Effect, Ref } from "effect"
import * as BackgroundLoop from "../../Layers/BackgroundLoop.ts"
import type { Feed } from "./Feed.ts"
import type { FeedRefresh } from "./FeedRefresh.ts"
import type { FeedStateRef } from "./FeedState.ts"

/** Refreshes a feed whenever it is due until the scope closes, without sharing its list. `Fleet.fork` is the other way. */
export const fork = Effect.fnUntraced(function* (
  feed: Feed,
  current: FeedStateRef,
  refresh: FeedRefresh,
  untilFirst: Duration.Duration
) {
  const next = yield* Ref.make({ failures: 0, wait: untilFirst })
  return yield* BackgroundLoop.fork(
    feed.slot,
    Effect.gen(function* () {
      const { failures, wait } = yield* Ref.get(next)
      yield* Effect.sleep(wait)
      const outcome = yield* refresh(current.get().snapshot, failures)
      yield* Ref.set(next, outcome)
      yield* current.settle(outcome)
    })
  )
})
