import { Effect } from "effect"

/** Completes in the next turn of the event loop, after all input that is ready has been read. */
export const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})
