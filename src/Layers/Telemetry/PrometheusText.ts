import { type MetricPair, MetricState, Option } from "effect"

/** Of version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). */
export const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

type Label = readonly [name: string, value: string]

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const numeral = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

const sample = (name: string, labels: ReadonlyArray<Label>, value: number): string => {
  const inner = labels.map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`)
  return `${name}${inner.length === 0 ? "" : `{${inner.join(",")}}`} ${numeral(value)}`
}

/** The type and the lines of a series; none for Effect's summaries and frequencies, which `Metrics` does not make. */
const series = ({ metricKey, metricState }: MetricPair.MetricPair.Untyped) => {
  const { name } = metricKey
  const labels = metricKey.tags.map(({ key, value }): Label => [key, value])
  if (MetricState.isCounterState(metricState))
    return { type: "counter", lines: [sample(name, labels, Number(metricState.count))] }
  if (MetricState.isGaugeState(metricState))
    return { type: "gauge", lines: [sample(name, labels, Number(metricState.value))] }
  if (!MetricState.isHistogramState(metricState)) return { type: "untyped", lines: [] }
  const { buckets, sum, count } = metricState
  return {
    type: "histogram",
    lines: [
      ...buckets.map(([bound, below]) =>
        sample(`${name}_bucket`, [...labels, ["le", numeral(bound)]], below)
      ),
      sample(`${name}_sum`, labels, sum),
      sample(`${name}_count`, labels, count)
    ]
  }
}

/**
 * Renders series in Prometheus's text format, sorted by name and label values.
 *
 * A counter `requests_total` of 3 requests, described as "Requests", is
 * `"# HELP requests_total Requests\n# TYPE requests_total counter\nrequests_total 3\n"`.
 */
export const render = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>): string => {
  const order = ({ metricKey }: MetricPair.MetricPair.Untyped) =>
    [metricKey.name, ...metricKey.tags.map(({ value }) => value)].join("\0")
  const sorted = pairs.map((pair) => [order(pair), pair] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted
    .flatMap(([, pair], at) => {
      const { name, description } = pair.metricKey
      const { lines, type } = series(pair)
      if (sorted[at - 1]?.[1].metricKey.name === name) return lines
      const help = escaped(Option.getOrElse(description, () => ""))
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
    })
    .map((line) => `${line}\n`)
    .join("")
}
