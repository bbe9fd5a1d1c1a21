import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"

const withMetrics = (use: (metrics: Metrics["Type"]) => void) =>
  Effect.provide(
    Effect.map(Metrics, (metrics) => {
      use(metrics)
      return metrics.text()
    }),
    Metrics.layer
  )

describe("the text of the metrics", () => {
  it.effect("is empty when nothing is measured", () =>
    Effect.map(
      withMetrics(() => undefined),
      (text) => assert.strictEqual(text, "")
    )
  )

  it.effect("groups series by name, sorted and described once", () =>
    Effect.gen(function* () {
      const text = yield* withMetrics(({ counter, gauge }) => {
        counter("b_total", "Bs", { kind: "y" }).update(2)
        gauge("a", "As").update(-1.5)
        counter("b_total", "Bs", { kind: "x" }).update(3)
        counter("b_total", "Bs", { kind: "y" }).update(1)
      })
      assert.strictEqual(
        text,
        [
          "# HELP a As",
          "# TYPE a gauge",
          "a -1.5",
          "# HELP b_total Bs",
          "# TYPE b_total counter",
          'b_total{kind="x"} 3',
          'b_total{kind="y"} 3',
          ""
        ].join("\n")
      )
    })
  )

  it.effect("shows a histogram as cumulative buckets, sum and count", () =>
    Effect.gen(function* () {
      const text = yield* withMetrics(({ histogram }) => {
        const seconds = histogram("s", "Seconds", [0.5, 1], { of: "x" })
        for (const value of [0.5, 0.75, 1, 8]) seconds.update(value)
      })
      assert.strictEqual(
        text,
        [
          "# HELP s Seconds",
          "# TYPE s histogram",
          's_bucket{of="x",le="0.5"} 1',
          's_bucket{of="x",le="1"} 3',
          's_bucket{of="x",le="+Inf"} 4',
          's_sum{of="x"} 10.25',
          's_count{of="x"} 4',
          ""
        ].join("\n")
      )
    })
  )

  it.effect("escapes labels and lines, and writes infinite values and NaN", () =>
    Effect.gen(function* () {
      const text = yield* withMetrics(({ gauge }) => {
        gauge("a", "one\ntwo \\ three", { l: 'q"\\\n' }).update(Number.NaN)
        gauge("b", "", { l: "" }).update(Number.POSITIVE_INFINITY)
        gauge("c", "").update(Number.NEGATIVE_INFINITY)
      })
      assert.strictEqual(
        text,
        [
          "# HELP a one\\ntwo \\\\ three",
          "# TYPE a gauge",
          'a{l="q\\"\\\\\\n"} NaN',
          "# HELP b ",
          "# TYPE b gauge",
          'b{l=""} +Inf',
          "# HELP c ",
          "# TYPE c gauge",
          "c -Inf",
          ""
        ].join("\n")
      )
    })
  )
})
