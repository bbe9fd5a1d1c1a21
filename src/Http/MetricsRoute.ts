import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Record } from "effect"
import * as FeedMetrics from "../Checkers/ThreatFeed/FeedMetrics.ts"
import { ThreatFeeds } from "../Checkers/ThreatFeeds.ts"
import * as CacheMetrics from "../Layers/Cache/CacheMetrics.ts"
import { Cache } from "../Layers/Cache.ts"
import { Metrics } from "../Layers/Telemetry/Metrics.ts"
import * as ProcessMetrics from "../Layers/Telemetry/ProcessMetrics.ts"
import * as PrometheusText from "../Layers/Telemetry/PrometheusText.ts"

/** Where Prometheus looks by default. */
export const PATH = "/metrics"

/**
 * Shows the metrics. They are for who runs the service and no part of its contract; like health they hold no secret and
 * nothing of a caller. What only has a state is read when somebody looks.
 */
export const layer = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const { text } = yield* Metrics
    const feeds = Record.collect(yield* ThreatFeeds, (slot, feed) =>
      Option.map(feed, (feed) => FeedMetrics.make(slot, feed))
    )
    const readers = yield* Effect.all([
      ProcessMetrics.make,
      CacheMetrics.status((yield* Cache).status),
      ...feeds.flatMap(Option.toArray)
    ])
    const headers = { "cache-control": "no-store" }
    yield* router.add(
      "GET",
      PATH,
      Effect.map(Effect.all(readers, { discard: true }), () =>
        HttpServerResponse.text(text(), { contentType: PrometheusText.MEDIA_TYPE, headers })
      )
    )
  })
)
