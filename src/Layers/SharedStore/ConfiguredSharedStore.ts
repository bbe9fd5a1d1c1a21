import { Duration, Effect, Layer, Option } from "effect"
import { AppConfig } from "../AppConfig.ts"
import { CacheError } from "../Cache/CacheError.ts"
import * as CircuitBreaker from "../Cache/CircuitBreaker.ts"
import { SharedStore, type SharedStoreShape } from "../SharedStore.ts"
import * as UpstashSharedStore from "./UpstashSharedStore.ts"

/** The same as for the cache, which has a circuit breaker of its own. */
const PAUSE_AFTER_FAILURE = Duration.seconds(5)

const logOutage = (error: CacheError) =>
  Effect.logWarning("Cache database left alone, nothing is shared meanwhile").pipe(
    Effect.annotateLogs({ service: "SharedStore", reason: error.message })
  )

const logRecovery = Effect.logInfo("Cache database is shared again").pipe(
  Effect.annotateLogs({ service: "SharedStore" })
)

/** Sends no commands for 5 seconds after one failed, and logs each outage once. */
const withCircuitBreaker = (store: SharedStoreShape): Effect.Effect<SharedStoreShape> =>
  Effect.map(
    CircuitBreaker.make<CacheError>({
      pause: PAUSE_AFTER_FAILURE,
      onOutage: logOutage,
      onRecovery: logRecovery
    }),
    (database) => {
      const through =
        (access: CircuitBreaker.Access) =>
        <Args extends ReadonlyArray<unknown>, A>(command: (...args: Args) => Effect.Effect<A, CacheError>) =>
        (...args: Args): Effect.Effect<A, CacheError> =>
          Effect.flatMap(
            database.call(command(...args), access),
            Option.match({
              onNone: () => new CacheError({ reason: "Unreachable" }),
              onSome: Effect.succeed
            })
          )
      const read = through("read")
      const write = through("write")
      return {
        text: read(store.text),
        setText: write(store.setText),
        body: read(store.body),
        storeBody: write(store.storeBody),
        expireBody: write(store.expireBody),
        lease: write(store.lease),
        endLease: write(store.endLease)
      }
    }
  )

/** The store in the cache database, if CACHE_REST_URL is set. */
export const layer: Layer.Layer<SharedStore, never, AppConfig> = Layer.effect(
  SharedStore,
  Effect.flatMap(AppConfig, ({ cache }) =>
    Effect.transposeMapOption(cache, (database) => withCircuitBreaker(UpstashSharedStore.make(database)))
  )
)
