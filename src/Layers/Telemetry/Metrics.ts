import { Context, Layer, MetricBoundaries, MetricKey, MetricLabel, MetricRegistry } from "effect"
import * as PrometheusText from "./PrometheusText.ts"

/**
 * The labels of one series. Values must come from closed sets, never from a caller: each new value is a series that exists
 * until the process ends and is visible to everyone who can read the metrics.
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
    /** `update` adds to it. */
    counter: (name: string, description: string, labels: Labels = {}) =>
      registry.get(labelled(MetricKey.counter(name, { description, incremental: true }), labels)),
    gauge: (name: string, description: string, labels: Labels = {}) =>
      registry.get(labelled(MetricKey.gauge(name, { description }), labels)),
    /** `bounds`: the highest value of each bucket; a last bucket without bound is added. */
    histogram: (name: string, description: string, bounds: ReadonlyArray<number>, labels: Labels = {}) =>
      registry.get(
        labelled(MetricKey.histogram(name, MetricBoundaries.fromIterable(bounds), description), labels)
      ),
    text: () => PrometheusText.render(registry.snapshot())
  }
}

/**
 * The registry of the metrics. Each function returns the series of a name and its labels, a new one only at the first call, but of a
 * histogram at each call. Callers keep it: finding a series is slower than updating it. docs/metrics.md lists the names.
 *
 * The series are Effect's; only the text form is ours. A histogram bucket wraps around at 2^32.
 *
 * The default is a registry of its own, which is never read: a program without metrics need not provide it.
 */
export class Metrics extends Context.Reference<Metrics>()("app/Layers/Metrics", { defaultValue: make }) {
  static readonly layer = Layer.sync(Metrics, make)
}
