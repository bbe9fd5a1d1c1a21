import { Context, Effect } from "effect"

/**
 * Requests that wait for others or for their turn at once. It bounds memory: one with the longest body, 64 KiB, is
 * estimated, not measured, to hold 300 KB meanwhile. With a reputation service that takes 50 ms it is 20,000 requests a
 * second, more than one thread answers; when all upstreams hang, whatever cannot be answered without them waits for two
 * seconds.
 */
export const MOST_IN_FLIGHT = 1024

/**
 * Checks that are begun in a turn of the event loop, unless many came in the turn before. libuv 1.45 and later accept one
 * connection a turn: while a turn did all that had come, those who came anew waited for 14 seconds. About ten milliseconds
 * of work, and more than come at once to a service that keeps up.
 */
export const MOST_BEGUN = 64

/**
 * Of the requests that came in a turn, how many checks are begun in the next, if that is more. To read and refuse one costs
 * a third of a check: with a number alone most of the time would go into refusals (an eighth of the checks was done), and
 * with a larger share turns grow.
 */
const SHARE_BEGUN = 1 / 4

/**
 * Requests that are taken up while a turn goes on; others when it ends. libuv asks for sockets to read up to 1,024 at a
 * time, and when there were as many it asks again, up to 48 times: whoever is answered meanwhile may ask again too, and the
 * turn took seconds.
 */
export const MOST_TAKEN_UP = 1024

interface OverloadShape {
  /** Takes up a request of whatever kind: at once, or when there are too many in this turn of the event loop at its end. */
  readonly takeUp: (request: () => void) => void
  /** Instead of `app` it runs `refusal` when too many requests are in flight. */
  readonly admit: <A, E, R>(app: Effect.Effect<A, E, R>, refusal: Effect.Effect<A>) => Effect.Effect<A, E, R>
  /**
   * A request is in flight from here on, until the fiber that runs it ends, and waits for a turn with room for it.
   * `refusal` is for one whose body came when too many others were: as many are admitted as there are connections, and all
   * of their bodies may end at once.
   */
  readonly inFlight: <A, E, R>(
    app: Effect.Effect<A, E, R>,
    refusal: Effect.Effect<A>
  ) => Effect.Effect<A, E, R>
}

/** Tells when there is more to do than one process can, and divides it among turns of the event loop. */
export class Overload extends Context.Tag("app/Layers/Overload")<Overload, OverloadShape>() {
  static readonly make = Effect.sync((): OverloadShape => {
    let inFlight = 0
    // Of this turn.
    let takenUp = 0
    let begun = 0
    let isEndScheduled = false
    /** In the order in which they came. */
    const waiting = new Set<() => void>()

    const endTurn = () => {
      isEndScheduled = false
      let room = Math.max(MOST_BEGUN, takenUp * SHARE_BEGUN)
      takenUp = 0
      begun = 0
      for (const begin of waiting) {
        if (room-- <= 0) break
        waiting.delete(begin)
        begun++
        begin()
      }
      if (begun > 0) scheduleEnd()
    }
    const scheduleEnd = () => {
      if (isEndScheduled) return
      isEndScheduled = true
      setImmediate(endTurn)
    }

    const inItsTurn = <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      if (waiting.size === 0 && begun < MOST_BEGUN) {
        begun++
        scheduleEnd()
        return app
      }
      return Effect.zipRight(
        Effect.async<void>((resume) => {
          const begin = () => resume(Effect.void)
          waiting.add(begin)
          // Again: a fiber may let go of the thread before it comes here, and the turn end meanwhile.
          scheduleEnd()
          return Effect.sync(() => waiting.delete(begin))
        }),
        app
      )
    }

    return {
      takeUp: (request) => {
        scheduleEnd()
        if (takenUp++ < MOST_TAKEN_UP) request()
        else setImmediate(request)
      },
      admit: (app, refusal) => Effect.suspend(() => (inFlight >= MOST_IN_FLIGHT ? refusal : app)),
      inFlight: (app, refusal) =>
        Effect.withFiberRuntime((fiber) => {
          if (inFlight >= MOST_IN_FLIGHT) return refusal
          inFlight++
          // An observer of the fiber, not of the effect: it is told of an interruption too.
          fiber.addObserver(() => {
            inFlight--
          })
          return inItsTurn(app)
        })
    }
  })
}
