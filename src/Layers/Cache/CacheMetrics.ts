import { Effect } from "effect"
import type { CacheStatus } from "../Cache.ts"
import { type CacheError, reasons } from "../Database/CacheError.ts"
import { type SkipReason, skipReasons } from "../Database/DatabaseBreaker.ts"
import { Metrics } from "../Telemetry/Metrics.ts"

/** Counts the commands to the cache database, why they failed, and why others were not sent. */
export const make = Effect.map(Metrics, ({ counter }) => {
  const commands = counter("threat_scoring_cache_commands_total", "Commands to the cache database")
  const failures = new Map(
    reasons.map((reason) => [
      reason,
      counter("threat_scoring_cache_failures_total", "Failed commands to the cache database", {
        reason
      })
    ])
  )
  const skipped = new Map(
    skipReasons.map((reason) => [
      reason,
      counter("threat_scoring_cache_skipped_total", "Commands not sent to the cache database", { reason })
    ])
  )
  return {
    onSkip: (reason: SkipReason): void => skipped.get(reason)?.update(1),
    counted: <A>(command: Effect.Effect<A, CacheError>): Effect.Effect<A, CacheError> =>
      Effect.suspend(() => {
        commands.update(1)
        return Effect.tapError(command, ({ reason }) => Effect.sync(() => failures.get(reason)?.update(1)))
      })
  }
})

/** An effect that updates the gauges of the cache. */
export const status = (read: Effect.Effect<CacheStatus>) =>
  Effect.map(Metrics, ({ gauge }) => {
    const shared = gauge("threat_scoring_cache_shared", "1 when a cache database is configured, else 0")
    const open = gauge(
      "threat_scoring_cache_circuit_open",
      "1 while commands fail and this process works without the cache database"
    )
    return Effect.map(read, (status) => {
      shared.update(status === "in-process" ? 0 : 1)
      open.update(status === "shared (unreachable, in-process meanwhile)" ? 1 : 0)
    })
  })
