import { Duration, Effect } from "effect"
import { FeedError } from "../FeedError.ts"
import { ALL_HEARD } from "./FeedBody.ts"

/** A server that sends nothing for so long is given up. */
export const LONGEST_SILENCE = Duration.seconds(30)

/** How often is looked whether anything came. A piece counts as if it had come when was looked last. */
const BETWEEN_LOOKS = Duration.seconds(1)

const LOOKS = Duration.toMillis(LONGEST_SILENCE) / Duration.toMillis(BETWEEN_LOOKS)

const watch = Effect.fnUntraced(function* (heard: Int32Array) {
  let before = Atomics.load(heard, 0)
  for (let silent = 0; silent < LOOKS; silent++) {
    yield* Effect.sleep(BETWEEN_LOOKS)
    const now = Atomics.load(heard, 0)
    if (now === ALL_HEARD) return yield* Effect.never
    if (now !== before) silent = 0
    before = now
  }
  return yield* new FeedError({ reason: "Timeout", detail: "no byte for 30 seconds" })
})

/** Gives up what reads a body when nothing more of it comes. `heard` counts what comes: see `FeedBody`. */
export const limit = <A, R>(
  effect: Effect.Effect<A, FeedError, R>,
  heard: Int32Array
): Effect.Effect<A, FeedError, R> => Effect.raceFirst(effect, watch(heard))
