import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Result, resultOf } from "../../src/Checkers/Result.ts"
import * as ResultTelemetry from "../../src/Http/ResultTelemetry.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import { finding } from "../fixtures/Findings.ts"
import { collect } from "../fixtures/LogLines.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import { outcomes } from "../fixtures/Outcomes.ts"

const safe = resultOf("https://example.com/", { outcomes: outcomes(), decisions: [], addresses: [] })

const phishing: Result = {
  ...resultOf("http://example.com/", {
    outcomes: outcomes({ feed_a: { findings: [finding("listedUrl"), finding("notHttps")] } }),
    decisions: [],
    addresses: []
  }),
  complete: false
}

/** The samples that are not 0, without those of buckets. */
const samples = (text: string) =>
  text
    .split("\n")
    .filter((line) => /^threat_scoring_(?:checks|findings|score_(?!bucket))/.test(line) && !/ 0$/.test(line))

describe("ResultTelemetry", () => {
  it.scoped("counts results by route, verdict and completeness, findings by kind, and scores", () =>
    Effect.gen(function* () {
      const { text } = yield* Metrics
      const observe = yield* ResultTelemetry.make
      observe("/api/check")(safe)
      observe("/api/checks")(phishing)
      observe("/api/checks")(phishing)
      assert.deepStrictEqual(samples(text()), [
        'threat_scoring_checks_total{route="/api/check",verdict="safe",complete="true"} 1',
        'threat_scoring_checks_total{route="/api/checks",verdict="phishing",complete="false"} 2',
        'threat_scoring_findings_total{kind="listedUrl"} 2',
        'threat_scoring_findings_total{kind="notHttps"} 2',
        `threat_scoring_score_sum ${2 * phishing.score}`,
        "threat_scoring_score_count 3"
      ])
      // Before the first check too: `increase` misses the first value of a series.
      assert.include(
        text(),
        'threat_scoring_checks_total{route="/api/check",verdict="phishing",complete="true"} 0'
      )
      assert.include(text(), 'threat_scoring_findings_total{kind="severeThreat"} 0')
      assert.include(text(), 'threat_scoring_score_bucket{le="39"} 1')
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.effect("logs once an hour what was checked since, and at the end the rest", () =>
    Effect.gen(function* () {
      const { layer, lines } = collect()
      const summaries = () =>
        lines
          .filter(({ message }) => message === "checks summarized")
          .map(({ level: _, message: __, ...fields }) => fields)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const observe = yield* ResultTelemetry.make
          const observed = observe("/api/check")
          for (const result of [safe, phishing, safe]) observed(result)
          yield* adjust("59 minutes")
          assert.deepStrictEqual(summaries(), [])
          yield* adjust("1 minute")
          yield* adjust("1 hour")
          observed(safe)
        })
      ).pipe(Effect.provide(layer))
      assert.deepStrictEqual(summaries(), [
        { checked: 3, suspicious: 0, phishing: 1, incomplete: 1 },
        { checked: 0, suspicious: 0, phishing: 0, incomplete: 0 },
        { checked: 1, suspicious: 0, phishing: 0, incomplete: 0 }
      ])
    })
  )
})
