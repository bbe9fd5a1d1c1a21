import { Duration, Effect } from "effect"
import type { CacheError } from "./CacheError.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"

/** How long no command is sent after one failed: callers do without the database meanwhile. */
const PAUSE_AFTER_FAILURE = Duration.seconds(5)

/**
 * The circuit breaker of one user of the cache database, which logs each outage and each recovery once. `meanwhile` ends the
 * sentence "Cache database failed, ... meanwhile".
 */
export const make = (service: string, meanwhile: string) =>
  CircuitBreaker.make<CacheError>({
    pause: PAUSE_AFTER_FAILURE,
    onOutage: ({ message }) =>
      Effect.annotateLogs(Effect.logWarning(`Cache database failed, ${meanwhile} meanwhile`), {
        service,
        reason: message
      }),
    onRecovery: Effect.annotateLogs(Effect.logInfo("Cache database is used again"), { service })
  })
