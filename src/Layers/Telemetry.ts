import { Layer } from "effect"
import * as Outbound from "./Outbound.ts"
import * as Logging from "./Telemetry/Logging.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/** The log, the metrics and the traces. Traces come last: their exporter logs, and counts the spans that are lost. */
export const layer = Tracing.layer.pipe(
  Layer.provide(Outbound.untraced),
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(Logging.layer)
)
