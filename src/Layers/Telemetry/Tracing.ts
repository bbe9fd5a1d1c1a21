import { Context, Effect, Layer, Option, Redacted, type Tracer } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import { AppConfig } from "../AppConfig.ts"
import * as HttpExchange from "../Outbound/HttpExchange.ts"
import * as Program from "../Program.ts"
import * as OtlpExporter from "./OtlpExporter.ts"
import * as OtlpTracer from "./OtlpTracer.ts"

type Wrap = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface TracingShape {
  readonly isOn: boolean
  /** Wraps an effect in a span, or returns it unchanged. Only the attributes that `OtlpTracer` lists are exported. */
  readonly span: (name: string, options?: Tracer.SpanOptions) => Wrap
}

const off: TracingShape = { isOn: false, span: () => (effect) => effect }

const on: TracingShape = {
  isOn: true,
  span: (name, options) => (effect) =>
    Effect.withSpan(effect, name, { captureStackTrace: false, ...options }) as typeof effect
}

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

/**
 * Makes spans if traces are on, and nothing otherwise: a span costs more than most checkers. Services read it once, when
 * they are made. The default is off, so a program without traces need not provide it.
 */
export class Tracing extends Context.Reference<Tracing>()("app/Layers/Tracing", {
  defaultValue: () => off
}) {
  /** Traces are on if an address for them is configured. */
  static readonly layer: Layer.Layer<Tracing, never, AppConfig> = Layer.unwrapEffect(
    Effect.map(AppConfig, ({ tracing }) =>
      Option.match(tracing, {
        onNone: () => Layer.succeed(Tracing, off),
        onSome: (config) =>
          Layer.merge(
            Layer.succeed(Tracing, on),
            Layer.unwrapScoped(Effect.map(tracer(config), Layer.setTracer))
          )
      })
    )
  )
}
