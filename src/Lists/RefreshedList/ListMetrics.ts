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

/** Yields a function that counts one refresh of a feed: without a reason as a success. */
export const refreshCounter = Effect.fnUntraced(function* (feed: string, reasons: ReadonlyArray<string>) {
  const { counter } = yield* Metrics
  const succeeded = counter(
    "threat_scoring_feed_refreshes_total",
    "Successful refreshes; with a cache database only those of this replica",
    { feed }
  )
  const failed = (reason: string) =>
    counter("threat_scoring_feed_failures_total", "Failed refreshes, by their reason", { feed, reason })
  // Each series begins at 0.
  for (const reason of reasons) failed(reason)
  return (reason: string | undefined) => (reason === undefined ? succeeded : failed(reason)).update(1)
})

const updateOutcomes = ["changed", "unchanged", "failed"] as const

/** Yields a function that counts one update of a list of Safe Browsing. `unchanged`: nothing was new. */
export const updateCounter = Effect.fnUntraced(function* (lists: ReadonlyArray<string>) {
  const { counter } = yield* Metrics
  const series = (list: string, outcome: (typeof updateOutcomes)[number]) =>
    counter(
      "threat_scoring_reputation_list_updates_total",
      "Updates of the list by this replica: changed, unchanged (Google had nothing new) or failed",
      { list, outcome }
    )
  for (const list of lists) for (const outcome of updateOutcomes) series(list, outcome)
  return (list: string, outcome: (typeof updateOutcomes)[number]) => series(list, outcome).update(1)
})
