import { Effect } from "effect"
import type { CacheStatus } from "../Cache.ts"
import { Metrics } from "../Telemetry/Metrics.ts"
import { type CacheError, reasons } from "./CacheError.ts"

/** Counts the commands to the cache database and why they failed. */
export const make = Effect.map(Metrics, ({ counter }) => {
  const commands = counter("threat_scoring_cache_commands_total", "Commands to the cache database")
  const failures = new Map(
    reasons.map((reason) => [
      reason,
      counter("threat_scoring_cache_failures_total", "Commands that the cache database did not answer", {
        reason
      })
    ])
  )
  return {
    counted: <A>(command: Effect.Effect<A, CacheError>): Effect.Effect<A, CacheError> =>
      Effect.suspend(() => {
        commands.update(1)
        return Effect.tapError(command, ({ reason }) => Effect.sync(() => failures.get(reason)?.update(1)))
      })
  }
})

/** Reads anew which store is in use. */
export const status = (read: Effect.Effect<CacheStatus>) =>
  Effect.map(Metrics, ({ gauge }) => {
    const shared = gauge("threat_scoring_cache_shared", "1 when a cache database is configured, else 0")
    const open = gauge(
      "threat_scoring_cache_circuit_open",
      "1 while the cache database failed last and this process does without"
    )
    return Effect.map(read, (status) => {
      shared.update(status === "in-process" ? 0 : 1)
      open.update(status === "shared (unreachable, in-process meanwhile)" ? 1 : 0)
    })
  })
