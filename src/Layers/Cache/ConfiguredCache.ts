import { Effect, Layer, Option } from "effect"
import { AppConfig } from "../AppConfig.ts"
import type { Cache } from "../Cache.ts"
import * as MemoryCache from "./MemoryCache.ts"
import * as SharedCache from "./SharedCache.ts"
import * as UpstashCache from "./UpstashCache.ts"

/** The cache of this process, or the shared one if CACHE_REST_URL is set. */
export const layer: Layer.Layer<Cache, never, AppConfig> = Layer.unwrapEffect(
  Effect.map(AppConfig, ({ cache }) =>
    Option.match(cache, {
      onNone: () => MemoryCache.layer,
      onSome: (database) => SharedCache.layer(UpstashCache.make(database))
    })
  )
)
