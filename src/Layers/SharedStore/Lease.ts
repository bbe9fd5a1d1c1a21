import { randomUUID } from "node:crypto"
import { Duration, Effect, Option } from "effect"
import type { CacheError } from "../Database/CacheError.ts"
import type { SharedStoreShape } from "../SharedStore.ts"

/** The part of the lease after which it is renewed: two renewals in a row may fail. */
const RENEW_AFTER = 1 / 3

/**
 * Runs an effect under the lease of a name, which one process of the fleet has at a time. Renews the lease while the effect
 * runs and ends it afterwards; it expires by itself when the process dies.
 *
 * None: another process has the lease, or took it after the renewals failed; then the effect was interrupted. A process that
 * was paused notices that late: the effect must not rely on being the only one. Fails when the database does not answer the
 * first request for the lease; failed renewals are ignored.
 */
export const hold =
  (store: SharedStoreShape, name: string, duration: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E | CacheError, R> =>
    Effect.suspend(() => {
      const token = randomUUID()
      const take = store.lease(name, token, duration)
      const untilLost = take.pipe(
        Effect.orElseSucceed(() => true),
        Effect.delay(Duration.times(duration, RENEW_AFTER)),
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
