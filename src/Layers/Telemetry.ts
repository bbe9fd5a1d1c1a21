import { Layer } from "effect"
import * as Logging from "./Telemetry/Logging.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/** The metrics, the log, which counts lines that are dropped, and the traces, whose exporter logs and counts lost spans. */
export const layer = Tracing.layer.pipe(Layer.provideMerge(Logging.layer), Layer.provideMerge(Metrics.layer))
