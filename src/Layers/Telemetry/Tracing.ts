import type { HttpClient } from "@effect/platform"
import { Context, Effect, Layer, Option, type Tracer } from "effect"
import { AppConfig } from "../AppConfig.ts"
import * as OtlpTracer from "./OtlpTracer.ts"

type Wrap = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface TracingShape {
  readonly isOn: boolean
  /** Wraps an effect in a span, or returns it unchanged. Only the attributes that `OtlpSpan` lists are exported. */
  readonly span: (name: string, options?: Tracer.SpanOptions) => Wrap
}

const off: TracingShape = { isOn: false, span: () => (effect) => effect }

const on: TracingShape = {
  isOn: true,
  span: (name, options) => (effect) =>
    Effect.withSpan(effect, name, { captureStackTrace: false, ...options }) as typeof effect
}

/**
 * Makes spans if traces are on, and nothing otherwise: a span costs more than most checkers. Services read it once, when
 * they are made. The default is off, so a program without traces need not provide it.
 */
export class Tracing extends Context.Reference<Tracing>()("app/Layers/Tracing", {
  defaultValue: () => off
}) {
  /** Traces are on if an address for them is configured. The client must not follow redirects: the headers may contain keys. */
  static readonly layer: Layer.Layer<Tracing, never, AppConfig | HttpClient.HttpClient> = Layer.unwrapEffect(
    Effect.map(AppConfig, ({ tracing }) =>
      Option.match(tracing, {
        onNone: () => Layer.succeed(Tracing, off),
        onSome: (config) =>
          Layer.merge(
            Layer.succeed(Tracing, on),
            Layer.unwrapScoped(Effect.map(OtlpTracer.make(config), Layer.setTracer))
          )
      })
    )
  )
}
