import { Context, Effect, type Tracer } from "effect"

type Wrap = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface TracingShape {
  readonly isOn: boolean
  /** Wraps an effect in a span, or returns it unchanged. Only the attributes that `OtlpTracer` lists are exported. */
  readonly span: (name: string, options?: Tracer.SpanOptions) => Wrap
}

const off: TracingShape = { isOn: false, span: () => (effect) => effect }

/** Makes spans. */
export const on: TracingShape = {
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
}) {}
