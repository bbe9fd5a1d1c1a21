import { Effect, Option, Record } from "effect"
import { ageGauge, ConfiguredModel } from "../Checkers/Heuristics/ConfiguredModel.ts"
import { breakerGauge, HashSearch } from "../Checkers/ReputationLookup/HashSearch.ts"
import { Cache } from "../Layers/Cache.ts"
import { Metrics } from "../Layers/Telemetry/Metrics.ts"
import * as ProcessMetrics from "../Layers/Telemetry/ProcessMetrics.ts"
import * as PrometheusText from "../Layers/Telemetry/PrometheusText.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import { HashLists } from "../Lists/HashLists.ts"
import { OperatorLists } from "../Lists/OperatorLists.ts"
import * as ListMetrics from "../Lists/RefreshedList/ListMetrics.ts"
import { ThreatFeeds } from "../Lists/ThreatFeed.ts"
import { MAX_AGE } from "./Health.ts"
import type { GetRoute } from "./Route.ts"

/** Where Prometheus looks by default. */
export const PATH = "/metrics"

/** The metrics, for operators. They are not part of the contract and hold nothing secret. They are read at most once a second. */
export const route = Effect.gen(function* () {
  const { text } = yield* Metrics
  const lists = Record.map(Record.getSomes(yield* ThreatFeeds), ({ status }) => status)
  const operatorLists = Effect.map((yield* OperatorLists).status, Record.getSomes)
  const breaker = Option.map(yield* HashSearch, ({ status }) => breakerGauge(status))
  const hashLists = Option.map(yield* HashLists, ({ status }) =>
    ListMetrics.gauges(
      "list",
      Effect.map(status, (lists) => Record.fromIterableBy(lists, ({ name }) => name))
    )
  )
  const gauges = yield* Effect.all([
    ProcessMetrics.make,
    ageGauge(yield* ConfiguredModel),
    Cache.gauges,
    ListMetrics.gauges("feed", Effect.all(lists)),
    ListMetrics.gauges("operator_list", operatorLists),
    ...Option.toArray(breaker),
    ...Option.toArray(hashLists)
  ])
  const response = yield* MonotonicTime.cachedFor(
    Effect.map(Effect.all(gauges, { discard: true }), () => ({
      status: 200,
      headers: { "cache-control": "no-store", "content-type": PrometheusText.MEDIA_TYPE },
      body: text()
    })),
    MAX_AGE
  )
  return { path: PATH, method: "GET", audience: "operators", handle: () => response } satisfies GetRoute
})
