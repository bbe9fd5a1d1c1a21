import { Effect } from "effect"

/** Completes after the current turn of the event loop: the I/O callbacks and fibers that are ready have run by then. */
export const endOfTurn: Effect.Effect<void> = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})
