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
  }
} as const

/** What the gauges show of a list. */
export interface GaugedList {
  readonly entries: number
  /** Milliseconds since 1970; undefined without a list. */
  readonly fetchedAt: number | undefined
  readonly isStale: boolean
}

/** Yields an effect that updates the gauges of the lists of these names: size and age. `status` has them in this order. */
export const gauges = Effect.fnUntraced(function* (
  label: keyof typeof families,
  names: ReadonlyArray<string>,
  status: Effect.Effect<ReadonlyArray<GaugedList>>
) {
  const { gauge } = yield* Metrics
  const { prefix, ...texts } = families[label]
  const lists = names.map((name) => ({
    entries: gauge(`${prefix}_entries`, texts.entries, { [label]: name }),
    age: gauge(`${prefix}_age_seconds`, texts.age, { [label]: name }),
    stale: gauge(`${prefix}_stale`, texts.stale, { [label]: name })
  }))
  return Effect.zipWith(status, Clock.currentTimeMillis, (statuses, now) => {
    for (const [index, { entries, fetchedAt, isStale }] of statuses.entries()) {
      lists[index]?.entries.update(entries)
      lists[index]?.age.update(fetchedAt === undefined ? Number.NaN : (now - fetchedAt) / MILLIS_PER_SECOND)
      lists[index]?.stale.update(isStale ? 1 : 0)
    }
  })
})

/** Yields a function that adds one to the series of a counter that has these labels. Each series begins at 0. */
const counterOf = Effect.fnUntraced(function* (
  name: string,
  description: string,
  series: ReadonlyArray<Readonly<Record<string, string>>>
) {
  const { counter } = yield* Metrics
  const key = (labels: Readonly<Record<string, string>>) => Object.values(labels).join(" ")
  const counters = new Map(series.map((labels) => [key(labels), counter(name, description, labels)]))
  return (labels: Readonly<Record<string, string>>) => counters.get(key(labels))?.update(1)
})

/** Yields a function that counts one refresh of a feed: without a reason as a success. */
export const refreshCounter = Effect.fnUntraced(function* (feed: string, reasons: ReadonlyArray<string>) {
  const succeeded = yield* counterOf(
    "threat_scoring_feed_refreshes_total",
    "Successful refreshes; with a cache database only those of this replica",
    [{ feed }]
  )
  const failed = yield* counterOf(
    "threat_scoring_feed_failures_total",
    "Failed refreshes, by their reason",
    reasons.map((reason) => ({ feed, reason }))
  )
  return (reason: string | undefined) =>
    reason === undefined ? succeeded({ feed }) : failed({ feed, reason })
})

/** Yields a function that counts one update of a list of Safe Browsing. `unchanged`: nothing was new. */
export const updateCounter = (lists: ReadonlyArray<string>) =>
  Effect.map(
    counterOf(
      "threat_scoring_reputation_list_updates_total",
      "Updates of the list by this replica: changed, unchanged (Google had nothing new) or failed",
      lists.flatMap((list) => ["changed", "unchanged", "failed"].map((outcome) => ({ list, outcome })))
    ),
    (count) => (list: string, outcome: "changed" | "unchanged" | "failed") => count({ list, outcome })
  )
