import { Deferred, Effect, Exit } from "effect"

/**
 * A limited number of places for requests, some of them for one address, by semaphores: requests wait in the order of their
 * arrival, and those of an address that has all its places beside it.
 */
export const make = ({ max, maxPerAddress }: { max: number; maxPerAddress: number }) => {
  const all = Effect.unsafeMakeSemaphore(max)
  const addresses = new Map<string, { readonly semaphore: Effect.Semaphore; users: number }>()

  const ofAddress = <A>(address: string, use: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const entry = addresses.get(address) ?? {
          semaphore: Effect.unsafeMakeSemaphore(maxPerAddress),
          users: 0
        }
        entry.users++
        addresses.set(address, entry)
        return entry
      }),
      ({ semaphore }) => semaphore.withPermits(1)(use),
      (entry) =>
        Effect.sync(() => {
          entry.users--
          if (entry.users === 0) addresses.delete(address)
        })
    )

  return {
    /** Completes when the request has a place, which it has until it is closed. Then a wait for a place ends too. */
    enter: Effect.fnUntraced(function* (address: string, onClose: (listener: () => void) => void) {
      const entered = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      onClose(() => Deferred.unsafeDone(closed, Exit.void))
      const hold = Effect.zipRight(Deferred.succeed(entered, undefined), Deferred.await(closed))
      // In a fiber of its own: the place is free when the response has left the process, not when it is made.
      yield* Effect.forkDaemon(
        Effect.raceFirst(ofAddress(address, all.withPermits(1)(hold)), Deferred.await(closed))
      )
      yield* Deferred.await(entered)
    })
  }
}
