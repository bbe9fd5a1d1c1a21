import { Clock, Effect } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import type { Outcome } from "./HashListSet.ts"

const MILLIS_PER_SECOND = 1000

/** What the gauges show of a list: see `HashListStatus`. */
interface Status {
  readonly name: string
  readonly entries: number
  readonly fetchedAt: number | undefined
  readonly isStale: boolean
}

const gaugesOf = (list: string) =>
  Effect.map(Metrics, ({ gauge }) => {
    const entries = gauge("threat_scoring_reputation_list_entries", "Hashes on the local list", { list })
    const age = gauge(
      "threat_scoring_reputation_list_age_seconds",
      "Seconds since Google last answered for the local list; NaN while there is none",
      { list }
    )
    const stale = gauge(
      "threat_scoring_reputation_list_stale",
      "1 if the local list is older than twice the wait that Google asked for",
      { list }
    )
    return (status: Status, now: number) => {
      entries.update(status.entries)
      age.update(status.fetchedAt === undefined ? Number.NaN : (now - status.fetchedAt) / MILLIS_PER_SECOND)
      stale.update(status.isStale ? 1 : 0)
    }
  })

/** Yields an effect that updates the gauges of all local lists. They are always the same ones. */
export const gauges = Effect.fnUntraced(function* (status: Effect.Effect<ReadonlyArray<Status>>) {
  const updates = yield* Effect.forEach(yield* status, ({ name }) => gaugesOf(name))
  return Effect.zipWith(status, Clock.currentTimeMillis, (lists, now) => {
    for (const [index, list] of lists.entries()) updates[index]?.(list, now)
  })
})

const resultOf = (outcome: Outcome) =>
  outcome._tag === "Unchanged" ? "failed" : outcome.bytes === undefined ? "unchanged" : "changed"

/** Yields a function that counts the update of one list: `changed`, `unchanged` (nothing was new) or `failed`. */
export const updateCounter = (lists: ReadonlyArray<string>) =>
  Effect.map(Metrics, ({ counter }) => {
    const counters = new Map(
      lists.flatMap((list) =>
        (["changed", "unchanged", "failed"] as const).map((outcome) => [
          `${list} ${outcome}`,
          counter("threat_scoring_reputation_list_updates_total", "Updates of the local list", {
            list,
            outcome
          })
        ])
      )
    )
    return (outcome: Outcome): void => counters.get(`${outcome.name} ${resultOf(outcome)}`)?.update(1)
  })
