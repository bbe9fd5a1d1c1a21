import { Effect, Layer, Option, Redacted } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import { AppConfig } from "../AppConfig.ts"
import * as HttpExchange from "../Outbound/HttpExchange.ts"
import * as Program from "../Program.ts"
import { on, Tracing } from "../Tracing.ts"
import * as OtlpExporter from "./OtlpExporter.ts"
import * as OtlpTracer from "./OtlpTracer.ts"

/** A response is short: the connection of a longer one is closed. */
const MAX_RESPONSE_BYTES = 65_536

/** A tracer whose spans are sent to the configured receiver, by a background fiber of the scope. */
const tracer = (config: TracingConfig) =>
  Effect.gen(function* () {
    const options = {
      method: "POST",
      headers: {
        ...Object.fromEntries(
          Redacted.value(config.headers).map(([name, value]) => [name.toLowerCase(), value])
        ),
        "content-type": "application/json",
        "user-agent": Program.nameAndVersion
      },
      agents: yield* HttpExchange.scopedAgents(),
      // Read, so that the connection can be used again.
      maxBodyBytes: (status: number) => (status <= 299 ? MAX_RESPONSE_BYTES : 0)
    }
    const send = yield* OtlpExporter.make(config, (body) =>
      Effect.map(HttpExchange.send(config.url, { ...options, body }), ({ status }) => status)
    )
    return yield* OtlpTracer.make(config, send)
  })

/** Traces are on if an address for them is configured. */
export const layer: Layer.Layer<never, never, AppConfig> = Layer.unwrapEffect(
  Effect.map(AppConfig, ({ tracing }) =>
    Option.match(tracing, {
      onNone: () => Layer.empty,
      onSome: (config) =>
        Layer.merge(
          Layer.succeed(Tracing, on),
          Layer.unwrapScoped(Effect.map(tracer(config), Layer.setTracer))
        )
    })
  )
)
