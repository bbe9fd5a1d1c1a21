import { Clock, Effect } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"

const MILLIS_PER_SECOND = 1000

/** The names of the gauges, and what they mean, for each kind of list. The label is the list. */
const families = {
  feed: {
    prefix: "threat_scoring_feed",
    entries: "Distinct URLs and hosts on the list",
    age: "Time since the feed last confirmed the list; NaN while there is no list",
    stale: "1 if the list is older than three refresh intervals"
  },
  list: {
    prefix: "threat_scoring_reputation_list",
    entries: "Hashes on a local list of Safe Browsing; missing without local lists",
    age: "Time since Google last answered for the list; NaN while there is no list",
    stale: "1 if the list is older than twice the time that Google asked to wait"
  },
  operator_list: {
    prefix: "threat_scoring_operator_list",
    entries: "Distinct URLs, directories and hosts in the file of ALLOW_LIST or BLOCK_LIST",
    age: "Time since the file was last read; it is read when it has changed",
    stale: "1 while the file cannot be read again, so that changes have no effect"
  }
} as const

/** What the gauges show of a list. */
export interface GaugedList {
  /** 0 without a list. */
  readonly entries: number
  /** Milliseconds since 1970; undefined without a list. */
  readonly fetchedAt: number | undefined
  readonly isStale: boolean
}

/** Yields an effect that updates the gauges of the lists, by their names: size and age. */
export const gauges = Effect.fnUntraced(function* (
  label: keyof typeof families,
  status: Effect.Effect<Readonly<Record<string, GaugedList>>>
) {
  const { gauge } = yield* Metrics
  const { prefix, ...texts } = families[label]
  return Effect.zipWith(status, Clock.currentTimeMillis, (lists, now) => {
    for (const [name, { entries, fetchedAt, isStale }] of Object.entries(lists)) {
      const labels = { [label]: name }
      const age = fetchedAt === undefined ? Number.NaN : (now - fetchedAt) / MILLIS_PER_SECOND
      gauge(`${prefix}_entries`, texts.entries, labels).update(entries)
      gauge(`${prefix}_age_seconds`, texts.age, labels).update(age)
      gauge(`${prefix}_stale`, texts.stale, labels).update(isStale ? 1 : 0)
    }
  })
})

/** Yields the counters of a list's refreshes by their outcome. Each begins at 0. */
export const refreshCounters = Effect.fnUntraced(function* (list: string) {
  const { counter } = yield* Metrics
  const series = (outcome: string) =>
    counter(
      "threat_scoring_list_refreshes_total",
      "Refreshes of the list by this replica: changed (built anew, also of the same rows), unchanged or failed",
      { list, outcome }
    )
  return { changed: series("changed"), unchanged: series("unchanged"), failed: series("failed") }
})
