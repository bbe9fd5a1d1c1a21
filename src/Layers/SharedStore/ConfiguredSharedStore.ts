import { Effect, Layer, Option } from "effect"
import { AppConfig } from "../AppConfig.ts"
import { CacheError } from "../Database/CacheError.ts"
import * as DatabaseBreaker from "../Database/DatabaseBreaker.ts"
import { SharedStore, type SharedStoreShape } from "../SharedStore.ts"
import * as UpstashSharedStore from "./UpstashSharedStore.ts"

/** Opens at the first failure: background loops send few commands, which take up to 10 seconds. */
const breaker = DatabaseBreaker.make({
  service: "SharedStore",
  meanwhile: "sharing no threat lists",
  rules: { maxFailuresInARow: 1, minPauseMs: 5000, maxPauseMs: 5000 },
  onSkip: () => undefined
})

/** Sends no commands for 5 seconds after one failed, and logs each outage once. */
const withCircuitBreaker = (store: SharedStoreShape): Effect.Effect<SharedStoreShape> =>
  Effect.map(breaker, (database) => {
    const through =
      (access: DatabaseBreaker.Access) =>
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
      extendBody: write(store.extendBody),
      lease: write(store.lease),
      endLease: write(store.endLease)
    }
  })

/** The store in the cache database, if CACHE_REST_URL is set. */
export const layer: Layer.Layer<SharedStore, never, AppConfig> = Layer.scoped(
  SharedStore,
  Effect.flatMap(AppConfig, ({ cache }) =>
    Effect.transposeMapOption(cache, (database) =>
      Effect.flatMap(UpstashSharedStore.make(database), withCircuitBreaker)
    )
  )
)
