import { randomUUID } from "node:crypto"
import { Duration, Effect, Option } from "effect"
import type { CacheError } from "../Cache/CacheError.ts"
import type { SharedStoreShape } from "../SharedStore.ts"

/** The lease is extended after this part of it: two failures in a row lose nothing. */
const EXTENDED_AFTER = 1 / 3

/**
 * Runs an effect while this process, and no other of the fleet, has the lease of a name. The lease is extended for as long
 * as the effect runs, and expires by itself when the process dies.
 *
 * None: another process has the lease, or it came to have it because this one could not extend it in time; then the effect
 * was interrupted. That can be noticed late, so what the effect leaves behind must itself tell an outrun holder. The
 * error of the store is that the lease could not be asked for; while the effect runs its failures are passed over.
 */
export const hold =
  (store: SharedStoreShape, name: string, duration: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E | CacheError, R> =>
    Effect.suspend(() => {
      const token = randomUUID()
      const take = store.lease(name, token, duration)
      const untilLost = take.pipe(
        Effect.orElseSucceed(() => true),
        Effect.delay(Duration.times(duration, EXTENDED_AFTER)),
        Effect.repeat({ while: (isOurs) => isOurs }),
        Effect.as(Option.none<A>())
      )
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(take), (isOurs) =>
          isOurs
            ? restore(Effect.raceFirst(Effect.asSome(effect), untilLost)).pipe(
                Effect.ensuring(Effect.ignore(store.endLease(name, token)))
              )
            : Effect.succeedNone
        )
      )
    })
