import { FetchHttpClient } from "@effect/platform"
import { Context, Effect, Layer, Option, type Tracer } from "effect"
import { AppConfig } from "../AppConfig.ts"
import * as OtlpTracer from "./OtlpTracer.ts"

type Wrap = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface TracingShape {
  readonly isOn: boolean
  /** Makes a span of the effect, or leaves the effect as it is. Its attributes must be among those of `OtlpSpan`. */
  readonly span: (name: string, options?: Tracer.SpanOptions) => Wrap
}

const off: TracingShape = { isOn: false, span: () => (effect) => effect }

const on: TracingShape = {
  isOn: true,
  span: (name, options) => (effect) =>
    Effect.withSpan(effect, name, { captureStackTrace: false, ...options }) as typeof effect
}

/** A key in the headers goes to the address that it was given for, and to no other that a redirect names. */
const client = Layer.provide(
  FetchHttpClient.layer,
  Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })
)

/**
 * Whether somebody wants traces. Services ask for it once, when they are made, so that a request pays nothing when nobody
 * does: a span costs more than most checkers. A program that traces nothing need not provide it.
 */
export class Tracing extends Context.Reference<Tracing>()("app/Layers/Tracing", {
  defaultValue: () => off
}) {
  static readonly layer = Layer.unwrapEffect(
    Effect.map(AppConfig, ({ tracing }) =>
      Option.match(tracing, {
        onNone: () => Layer.succeed(Tracing, off),
        onSome: (config) =>
          Layer.merge(
            Layer.succeed(Tracing, on),
            Layer.provide(Layer.unwrapScoped(Effect.map(OtlpTracer.make(config), Layer.setTracer)), client)
          )
      })
    )
  )
}
