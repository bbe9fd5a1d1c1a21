import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import type { TracingConfig } from "../../../src/Layers/AppConfig/TracingConfig.ts"
import { ExchangeError } from "../../../src/Layers/Outbound/HttpExchange.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import * as OtlpExporter from "../../../src/Layers/Telemetry/OtlpExporter.ts"
import type { OtlpSpan } from "../../../src/Layers/Telemetry/OtlpTracer.ts"
import { collect } from "../../fixtures/LogLines.ts"
import { adjust } from "../../fixtures/NextTurn.ts"

const config: TracingConfig = {
  url: new URL("http://collector.example/v1/traces?key=secret"),
  headers: Redacted.make([["x-key", "secret"]]),
  timeout: Duration.seconds(10),
  resource: new Map([["service.name", "scoring"]]),
  sampler: { isParentBased: true, ratio: 1 }
}

const span: OtlpSpan = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "x",
  kind: 1,
  startTimeUnixNano: "0",
  endTimeUnixNano: "0",
  attributes: [],
  status: {}
}

type Answer = Effect.Effect<number, ExchangeError>

/** An exporter whose receiver gives these responses in order, then the last one repeatedly. */
const make = (...answers: ReadonlyArray<() => Answer>) =>
  Effect.gen(function* () {
    const { lines, layer } = collect()
    const sizes: Array<number> = []
    const metrics = yield* Metrics
    const send = yield* OtlpExporter.make(config, (body) =>
      Effect.suspend(() => {
        const answer = answers[Math.min(sizes.length, answers.length - 1)] ?? silence
        sizes.push(JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.length)
        return answer()
      })
    ).pipe(Effect.provide(layer))
    return {
      send: (count = 1) => {
        for (let at = 0; at < count; at++) send(span)
      },
      /** The number of spans in each request. */
      sizes,
      /** Message and reason of each line of the log. */
      log: () => lines.map(({ message, reason }) => [message, reason]),
      lost: () => Number(/^threat_scoring_trace_spans_lost_total (\d+)$/m.exec(metrics.text())?.[1])
    }
  })

const status = (code: number) => () => Effect.succeed(code)
const ok = status(200)
const silence = (): Answer => Effect.never

describe("OtlpExporter", () => {
  for (const [name, answer, reason] of [
    ["a 503", status(503), 503],
    ["a 429", status(429), 429],
    ["no connection", () => new ExchangeError({ code: "ECONNREFUSED", wasIdle: false }), "Transport"]
  ] as const)
    it.scoped(`sends spans again after ${name}, with a pause that doubles`, () =>
      Effect.gen(function* () {
        const { send, sizes, log, lost } = yield* make(answer, answer, ok)
        send(2)
        yield* adjust("1 second")
        assert.deepStrictEqual(sizes, [2])
        send()
        yield* adjust("1999 millis")
        assert.deepStrictEqual(sizes, [2])
        yield* adjust("1 millis")
        assert.deepStrictEqual(sizes, [2, 3])
        yield* adjust("4 seconds")
        assert.deepStrictEqual(sizes, [2, 3, 3])
        assert.deepStrictEqual(log(), [
          ["Traces could not be sent", reason],
          ["Traces are sent again", undefined]
        ])
        assert.strictEqual(lost(), 0)
        send()
        yield* adjust("1 second")
        assert.deepStrictEqual(sizes, [2, 3, 3, 1])
      }).pipe(Effect.provide(Metrics.layer))
    )

  it.scoped("sends spans again after a timeout", () =>
    Effect.gen(function* () {
      const { send, sizes, log } = yield* make(silence, ok)
      send()
      yield* adjust("13 seconds")
      assert.deepStrictEqual(sizes, [1, 1])
      assert.deepStrictEqual(log(), [
        ["Traces could not be sent", "Timeout"],
        ["Traces are sent again", undefined]
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  for (const refusal of [302, 400, 401, 413])
    it.scoped(`counts spans rejected with ${refusal} as lost, and sends the others`, () =>
      Effect.gen(function* () {
        const { send, sizes, log, lost } = yield* make(status(refusal), ok)
        send(1100)
        yield* adjust("3 seconds")
        assert.deepStrictEqual(sizes, [1024, 76])
        assert.strictEqual(lost(), 1024)
        assert.deepStrictEqual(log(), [
          ["Traces could not be sent", refusal],
          ["Traces are sent again", undefined]
        ])
      }).pipe(Effect.provide(Metrics.layer))
    )

  it.scoped("sends spans that are queued during an export a second later, together", () =>
    Effect.gen(function* () {
      const { send, sizes } = yield* make(() => {
        if (sizes.length < 3) send()
        return ok()
      })
      send()
      yield* adjust("1 second")
      assert.deepStrictEqual(sizes, [1])
      send()
      yield* adjust("1 second")
      assert.deepStrictEqual(sizes, [1, 2])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("bounds the queue, and counts the spans beyond it", () =>
    Effect.gen(function* () {
      const { send, sizes, lost } = yield* make(silence, ok)
      send(OtlpExporter.MAX_QUEUED_SPANS)
      yield* adjust("1 second")
      send(OtlpExporter.MAX_QUEUED_SPANS)
      // Those that are being sent are among the queued ones.
      assert.strictEqual(lost(), OtlpExporter.MAX_QUEUED_SPANS)
      yield* adjust("12 seconds")
      assert.strictEqual(lost(), OtlpExporter.MAX_QUEUED_SPANS)
      assert.strictEqual(
        sizes.reduce((sum, size) => sum + size, 0),
        1024 + OtlpExporter.MAX_QUEUED_SPANS
      )
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.effect("sends the queue when its scope closes, for two seconds at most", () =>
    Effect.gen(function* () {
      for (const answer of [ok, silence]) {
        const seen = yield* Effect.gen(function* () {
          const exporter = yield* make(answer)
          exporter.send(3)
          return exporter
        }).pipe(Effect.scoped, Effect.fork, Effect.tap(adjust("2 seconds")), Effect.flatten)
        assert.deepStrictEqual(seen.sizes, [3])
        assert.deepStrictEqual(seen.log(), [])
      }
    }).pipe(Effect.provide(Metrics.layer))
  )
})
