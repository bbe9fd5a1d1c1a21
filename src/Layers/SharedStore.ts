import { Context, Duration, Effect, Layer, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"
import { CacheError } from "./Cache/CacheError.ts"
import * as CircuitBreaker from "./Cache/CircuitBreaker.ts"
import * as UpstashSharedStore from "./SharedStore/UpstashSharedStore.ts"

/** Where a body lies: its pieces are never changed, another body has another version. */
export interface Body {
  readonly version: string
  /** How long it is. */
  readonly bytes: number
  /** How long each of its pieces is but the last. */
  readonly pieceBytes: number
}

/** One step of a name from one head to the next. */
export interface Switch {
  /** What the head must be for the switch to happen; None: there must be none. */
  readonly expected: Option.Option<string>
  readonly head: string
  /** The body that the head speaks of. It lives as long as the head from now on. */
  readonly body: Option.Option<Body>
  /** The body that the head before spoke of, when it is another: it ends soon, not before who reads it has finished. */
  readonly dropped: Option.Option<Body>
  readonly timeToLive: Duration.Duration
}

/** `Outrun`: the head is another than expected. `BodyGone`: not all of the body's pieces are there. Neither changed a thing. */
export type SwitchResult = "Switched" | "Outrun" | "BodyGone"

/**
 * Large values that the replicas of a fleet share: under each name a small head, which changes at once for all, and a body
 * of megabytes, of which a reader sees all or nothing. Everything expires.
 *
 * After any CacheError nothing is known about whether the command was executed. Errors need no log: the beginning and the
 * end of an outage are logged here.
 */
export interface SharedStoreShape {
  /** One element for each name, in order; None for what is not there. One command. */
  readonly heads: (
    names: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Option.Option<string>>, CacheError>
  /** None when any of its pieces is not there. */
  readonly body: (name: string, body: Body) => Effect.Effect<Option.Option<Uint8Array>, CacheError>
  /** Stores a body for some minutes: until then a head must be switched to it. What of it was stored before an error goes. */
  readonly storeBody: (name: string, bytes: Iterator<Uint8Array>) => Effect.Effect<Body, CacheError>
  readonly removeBody: (name: string, body: Body) => Effect.Effect<void, CacheError>
  readonly switchHead: (name: string, step: Switch) => Effect.Effect<SwitchResult, CacheError>
  /** Whether the lease is the token's now. It was nobody's then, or the token's already. */
  readonly lease: (
    name: string,
    token: string,
    duration: Duration.Duration
  ) => Effect.Effect<boolean, CacheError>
  /** Ends the lease if it is the token's. */
  readonly endLease: (name: string, token: string) => Effect.Effect<void, CacheError>
}

/** How long the database is left alone after a failure: as by the cache, whose circuit breaker is another one. */
const REST_AFTER_FAILURE = Duration.seconds(5)

const logOutage = (error: CacheError) =>
  Effect.logWarning("Cache database left alone, nothing is shared meanwhile").pipe(
    Effect.annotateLogs({ service: "SharedStore", reason: error.message })
  )

const logRecovery = Effect.logInfo("Cache database is shared again").pipe(
  Effect.annotateLogs({ service: "SharedStore" })
)

/** Leaves a store alone for a while after it failed, and logs once that it did. */
export const guarded = (store: SharedStoreShape): Effect.Effect<SharedStoreShape> =>
  Effect.map(
    CircuitBreaker.make<CacheError>({
      pause: REST_AFTER_FAILURE,
      onOutage: logOutage,
      onRecovery: logRecovery
    }),
    (database) => {
      const call = <A>(command: Effect.Effect<A, CacheError>, access: CircuitBreaker.Access) =>
        Effect.flatMap(
          database.call(command, access),
          Option.match({
            onNone: () => new CacheError({ reason: "Unreachable" }),
            onSome: Effect.succeed
          })
        )
      return {
        heads: (names) => call(store.heads(names), "read"),
        body: (name, body) => call(store.body(name, body), "read"),
        storeBody: (name, bytes) => call(store.storeBody(name, bytes), "write"),
        removeBody: (name, body) => call(store.removeBody(name, body), "write"),
        switchHead: (name, step) => call(store.switchHead(name, step), "write"),
        lease: (name, token, duration) => call(store.lease(name, token, duration), "write"),
        endLease: (name, token) => call(store.endLease(name, token), "write")
      }
    }
  )

/** None: no cache database is configured, and each replica stands alone. */
export class SharedStore extends Context.Tag("app/Layers/SharedStore")<
  SharedStore,
  Option.Option<SharedStoreShape>
>() {
  static readonly layerAlone: Layer.Layer<SharedStore> = Layer.succeed(SharedStore, Option.none())

  static readonly layer: Layer.Layer<SharedStore, never, AppConfig> = Layer.effect(
    SharedStore,
    Effect.flatMap(AppConfig, ({ cache }) =>
      Effect.transposeMapOption(cache, (database) => guarded(UpstashSharedStore.make(database)))
    )
  )
}
