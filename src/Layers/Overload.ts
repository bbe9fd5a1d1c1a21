import { type Clock, Context, Effect } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

/**
 * Requests that wait for others at once. It bounds memory: one with the longest body, 64 KiB, is estimated, not measured, to
 * hold 300 KB meanwhile. With a reputation service that takes 50 ms it is 20,000 requests a second, more than one thread
 * answers; when all upstreams hang, whatever cannot be answered without them waits for two seconds.
 */
export const MOST_IN_FLIGHT = 1024

/**
 * Milliseconds. Sockets are read in turn, and what the thread had not come to within this time is answered last: then
 * there are more requests than it can do, and each refused one leaves time for another. Below the second that Kubernetes
 * waits for a probe by default, and far above any turn of a service that keeps up (bench/README.md).
 */
export const LONGEST_WAIT = 500

interface OverloadShape {
  /** Instead of `app` it runs `refusal` when too many requests are in flight, or this one had to wait too long for its turn. */
  readonly admit: <A, E, R>(app: Effect.Effect<A, E, R>, refusal: Effect.Effect<A>) => Effect.Effect<A, E, R>
  /**
   * A request is in flight from here on, until the fiber that runs it ends. `refusal` is for one whose body came when too
   * many others were: as many are admitted as there are connections, and all of their bodies may end at once.
   */
  readonly inFlight: <A, E, R>(
    app: Effect.Effect<A, E, R>,
    refusal: Effect.Effect<A>
  ) => Effect.Effect<A, E, R>
  /**
   * Whether this turn of the event loop lasts too long. Then connections have to be closed for it to end: while a thousand
   * and more of them have something to read, libuv goes on reading them, and neither accepts others nor looks at timers.
   */
  readonly isLate: (clock: Clock.Clock) => boolean
}

/** Tells when there is more to do than one process can. */
export class Overload extends Context.Tag("app/Layers/Overload")<Overload, OverloadShape>() {
  static readonly make = Effect.sync((): OverloadShape => {
    let inFlight = 0
    let turnBegan: number | undefined
    let looked = 0

    /**
     * When the system was asked which sockets have something to read, this one did already, or else it would hardly be read
     * in this turn: so it waits about since the turn began. A gap longer than the longest wait is no request's work: the
     * process or its machine was stopped, or memory collected. To refuse those who waited meanwhile would give nobody time.
     */
    const isLate = (clock: Clock.Clock): boolean => {
      const now = MonotonicTime.millis(clock)
      if (turnBegan === undefined) {
        turnBegan = now
        setImmediate(() => {
          turnBegan = undefined
        })
      } else if (now - looked > LONGEST_WAIT) turnBegan += now - looked
      looked = now
      return now - turnBegan > LONGEST_WAIT
    }

    return {
      isLate,
      admit: (app, refusal) =>
        Effect.clockWith((clock) => (isLate(clock) || inFlight >= MOST_IN_FLIGHT ? refusal : app)),
      inFlight: (app, refusal) =>
        Effect.withFiberRuntime((fiber) => {
          if (inFlight >= MOST_IN_FLIGHT) return refusal
          inFlight++
          // An observer of the fiber, not of the effect: it is told of an interruption too.
          fiber.addObserver(() => {
            inFlight--
          })
          return app
        })
    }
  })
}
