import { Context, Duration, Effect, Layer, type Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as UpstashRest from "../Layers/CacheDatabase/UpstashRest.ts"

/** The database in which the replicas of a fleet share lists. */
export interface SharedStoreShape {
  /**
   * Sends commands in one request, and yields their results in order, not validated. Without a response for 10 seconds, enough
   * for a piece of a list at 35 KB/s, it fails with `Timeout`. After an error it is unknown whether the commands were executed.
   */
  readonly send: (
    commands: ReadonlyArray<UpstashRest.Command>
  ) => Effect.Effect<ReadonlyArray<unknown>, UpstashRest.DatabaseError>
}

const TIMEOUT = Duration.seconds(10)

/**
 * None when no cache database is configured: then replicas share nothing. It has its own connections, beside those of
 * `CacheDatabase`: a piece of a list must not delay a check.
 */
export class SharedStore extends Context.Tag("app/Lists/SharedStore")<
  SharedStore,
  Option.Option<SharedStoreShape>
>() {
  static readonly make = (database: UpstashRest.DatabaseConfig) =>
    Effect.map(
      UpstashRest.make(database),
      (sendCommands): SharedStoreShape => ({
        send: (commands) =>
          Effect.async<UpstashRest.Replies>((resume) =>
            Effect.sync(sendCommands(commands, (replies) => resume(Effect.succeed(replies))))
          ).pipe(
            // So that the timeout also works in a finalizer.
            Effect.interruptible,
            Effect.timeoutFail({
              duration: TIMEOUT,
              onTimeout: () => new UpstashRest.DatabaseError({ reason: "Timeout" })
            }),
            Effect.flatten,
            Effect.flatMap(UpstashRest.results)
          )
      })
    )

  static readonly layer: Layer.Layer<SharedStore, never, AppConfig> = Layer.scoped(
    SharedStore,
    Effect.flatMap(AppConfig, ({ cache }) => Effect.transposeMapOption(cache, SharedStore.make))
  )
}
