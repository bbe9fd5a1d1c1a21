import { Duration, Effect, Option, Queue, Random } from "effect"
import type { FeedSlot } from "../../../Layers/AppConfig.ts"
import type { SharedStoreShape } from "../../../Layers/SharedStore.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import * as FeedSnapshot from "../Snapshot/FeedSnapshot.ts"
import * as SharedList from "./SharedList.ts"

/** Neither the feed's address nor anything of its rows can be read from it. Who cannot read a list has another name. */
const nameOf = (feed: SharedList.Feed) => `feed:${FeedSnapshot.FORMAT}:${FeedSnapshot.feedDigest(feed)}`

/**
 * Shares feeds, and looks at all of them in one command, again and again until the scope closes. A look that nobody has
 * waited for yet is replaced by the next.
 */
export const make = Effect.fnUntraced(function* (
  store: SharedStoreShape,
  feeds: ReadonlyArray<SharedList.Feed>
) {
  const watched = yield* Effect.forEach(feeds, (feed) =>
    Effect.map(Queue.sliding<Option.Option<SharedList.Standing["head"]>>(1), (queue) => ({
      feed,
      name: nameOf(feed),
      queue
    }))
  )
  const shortest = feeds.map(({ refresh }) => refresh).reduce(Duration.min, Duration.infinity)
  const look = Effect.option(store.heads(watched.map(({ name }) => name)))
  const watch = Effect.gen(function* () {
    const heads = yield* look
    yield* Effect.forEach(watched, ({ queue }, index) =>
      Queue.offer(
        queue,
        Option.map(heads, (heads) => heads[index] ?? Option.none())
      )
    )
    yield* Effect.sleep(FeedSchedule.untilLook(shortest, yield* Random.next))
  })
  if (watched.length > 0) yield* Effect.forkScoped(Effect.forever(watch))
  const lists = yield* Effect.forEach(watched, ({ feed, name, queue }) =>
    Effect.map(SharedList.make(store, feed, name, Queue.take(queue)), (list) => [feed.slot, list] as const)
  )
  return new Map<FeedSlot, SharedList.SharedList>(lists)
})
