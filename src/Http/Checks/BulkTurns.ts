import { Duration, Effect, Either, Exit, identity, Option } from "effect"

/** How long all bulk requests together compute in one turn of the event loop. A step that began is finished. */
export const MAX_SLICE = Duration.millis(2)

/** One request's share in the computing of a turn. */
export interface Share {
  /** Asks for steps, until one says that there is nothing more to do now. */
  readonly wake: () => void
  /** No step begins after it. */
  readonly leave: () => void
}

export interface BulkTurns {
  /** `step` computes one piece of work and returns whether there is more to do now. It must not throw. */
  readonly join: (step: () => boolean) => Share
}

/**
 * Lets bulk requests compute in steps, at most `MAX_SLICE` in a turn of the event loop: one request as far as it comes, then
 * the next one. What arrived meanwhile, such as single checks, is served between two turns. Requests of the same size that
 * began together so end one after the other, and their clients' next ones find the process busy.
 */
export const make: Effect.Effect<BulkTurns> = Effect.map(Effect.clock, (clock) => {
  const maxNanos = Option.getOrElse(Duration.toNanos(MAX_SLICE), () => 0n)
  const awake = new Set<() => boolean>()
  let isScheduled = false

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn)
  }

  const turn = () => {
    isScheduled = false
    const until = clock.unsafeCurrentTimeNanos() + maxNanos
    const isOver = () => clock.unsafeCurrentTimeNanos() >= until
    // A set iterates over what is added meanwhile, too: the requests take turns.
    for (const step of awake) {
      awake.delete(step)
      let hasMore = step()
      while (hasMore && !isOver()) hasMore = step()
      if (hasMore) awake.add(step)
      if (isOver()) break
    }
    if (awake.size > 0) schedule()
  }

  return {
    join: (step) => {
      let hasLeft = false
      const own = () => !hasLeft && step() && !hasLeft
      return {
        wake: () => {
          if (hasLeft) return
          awake.add(own)
          schedule()
        },
        leave: () => {
          hasLeft = true
          awake.delete(own)
        }
      }
    }
  }
})

/** The result of a computation; what it throws is its defect. */
export const compute = <A>(computation: () => A): Exit.Exit<A> =>
  Either.match(Either.try({ try: computation, catch: identity }), {
    onLeft: Exit.die,
    onRight: Exit.succeed
  })

/** Computes `step` for each item, in order. */
export const each = <A>(
  turns: BulkTurns,
  items: ReadonlyArray<A>,
  step: (item: A) => void
): Effect.Effect<void> =>
  Effect.async((resume) => {
    const left = items.values()
    const share = turns.join(() => {
      const item = left.next()
      const exit = item.done ? Exit.void : compute(() => step(item.value))
      if (!item.done && Exit.isSuccess(exit)) return true
      resume(exit)
      return false
    })
    share.wake()
    return Effect.sync(share.leave)
  })

/** Computes something in one step. What it throws is a defect. */
export const one = <A>(turns: BulkTurns, computation: () => A): Effect.Effect<A> =>
  Effect.async((resume) => {
    const share = turns.join(() => {
      resume(compute(computation))
      return false
    })
    share.wake()
    return Effect.sync(share.leave)
  })
