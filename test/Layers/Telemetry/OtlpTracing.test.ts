import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Tracer } from "effect"
import type { CheckerId } from "../../../src/Checkers/Checker/CheckerNames.ts"
import * as CheckerTelemetry from "../../../src/Checkers/Checker/CheckerTelemetry.ts"
import {
  type AskingChecker,
  type Checker,
  type CheckerResult,
  nothingFound
} from "../../../src/Checkers/Checker.ts"
import { Checkers } from "../../../src/Checkers/Checkers.ts"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import * as OtlpTracing from "../../../src/Layers/Telemetry/OtlpTracing.ts"
import * as Slices from "../../../src/Layers/Time/Slices.ts"
import { Tracing } from "../../../src/Layers/Tracing.ts"
import * as NanosClock from "../../fixtures/NanosClock.ts"
import { adjust, turnsUntil } from "../../fixtures/NextTurn.ts"
import * as OtlpReceiver from "../../fixtures/OtlpReceiver.ts"
import { outcomesBy } from "../../fixtures/Outcomes.ts"
import { postJson, send } from "../../fixtures/Request.ts"
import * as ServiceProcess from "../../fixtures/ServiceProcess.ts"
import { environment } from "../../fixtures/ServiceUnderTest.ts"
import { untilTrue } from "../../fixtures/Until.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const PARENT = "b7ad6b7169203331"

/** Runs the effect with traces, and returns the receiver afterwards. */
const received = <A, E>(env: Readonly<Record<string, string>>, use: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const receiver = yield* OtlpReceiver.make
    // An error is traced; a defect is a failed assertion.
    yield* Effect.either(use).pipe(
      Effect.provide(OtlpTracing.layer),
      Effect.provide(AppConfig.layer),
      Effect.provide(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env }))
    )
    return receiver
  })

const span = (name: string, options?: Tracer.SpanOptions) =>
  Effect.flatMap(Tracing, ({ span }) => span(name, options)(Effect.void))

const remote = (sampled: boolean) => ({
  parent: Tracer.externalSpan({ traceId: TRACE, spanId: PARENT, sampled })
})

describe("traces", () => {
  it.scoped("are off without an address, and effects are returned unchanged", () =>
    Effect.gen(function* () {
      const { isOn, span } = yield* Tracing
      const effect = Effect.succeed(1)
      assert.isFalse(isOn)
      assert.strictEqual(span("x")(effect), effect)
    }).pipe(
      Effect.provide(OtlpTracing.layer),
      Effect.provide(AppConfig.layer),
      Effect.provide(environment({ OTEL_SERVICE_NAME: "x" }))
    )
  )

  it.scoped("contain the class of an error and listed attributes only", () =>
    Effect.gen(function* () {
      const failing = Effect.fail(new RangeError("http://secret.example/"))
      const { requests, spans } = yield* received(
        {},
        Effect.flatMap(Tracing, ({ span }) =>
          span("x", { attributes: { "url.full": "http://secret.example/", checker: "feed_a" } })(failing)
        )
      )
      assert.deepStrictEqual(
        spans().map(({ attributes, name, status }) => ({ attributes, name, status })),
        [{ name: "x", attributes: { checker: "feed_a", "error.type": "RangeError" }, status: { code: 2 } }]
      )
      assert.notInclude(JSON.stringify(requests), "secret")
    })
  )

  for (const [sampler, arg, own, sampled, unsampled] of [
    ["", "", true, true, false],
    ["always_on", "", true, true, true],
    ["always_off", "", false, false, false],
    ["parentbased_always_on", "", true, true, false],
    ["parentbased_always_off", "", false, true, false],
    ["traceidratio", "0", false, false, false],
    ["traceidratio", "1", true, true, true],
    // The trace id ends in 1c80319c, which is 0.11 of all.
    ["traceidratio", "0.12", undefined, true, true],
    ["traceidratio", "0.1", undefined, false, false],
    ["parentbased_traceidratio", "0", false, true, false]
  ] as const)
    it.scoped(`are sampled by ${sampler || "default"} ${arg}`, () =>
      Effect.gen(function* () {
        const { spans } = yield* received(
          { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg },
          Effect.all([
            own === undefined ? Effect.void : span("own"),
            span("sampled", remote(true)),
            span("unsampled", remote(false))
          ])
        )
        assert.deepStrictEqual(
          spans().map(({ name }) => name),
          [...(own ? ["own"] : []), ...(sampled ? ["sampled"] : []), ...(unsampled ? ["unsampled"] : [])]
        )
      })
    )

  it.scoped("have the status error for a server span from 500 on, and for no other span", () =>
    Effect.gen(function* () {
      const { spans } = yield* received(
        {},
        Effect.forEach(
          [
            ["server", 500],
            ["server", 499],
            ["internal", 500]
          ] as const,
          ([kind, status]) => span("x", { kind, attributes: { "http.response.status_code": status } })
        )
      )
      assert.deepStrictEqual(
        spans().map(({ status, attributes }) => [status, attributes["error.type"]]),
        [
          [{ code: 2 }, "500"],
          [{}, undefined],
          [{}, undefined]
        ]
      )
    })
  )

  it.scoped("of synchronous checkers have their computing time, and the class of their defect", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const computes = (id: CheckerId, millis: number, answer: () => CheckerResult): Checker => ({
        id,
        budget: Duration.seconds(2),
        check: () => {
          advance(millis)
          return Effect.succeed(answer())
        }
      })
      const { spans } = yield* received(
        {},
        Effect.gen(function* () {
          const checkers = Checkers.make(
            [
              computes("heuristics", 5, () => {
                throw new RangeError("http://secret.example/")
              }),
              computes("feed_a", 1, () => ({ findings: [], stale: true })),
              computes("feed_b", 3, () => nothingFound)
            ],
            yield* CheckerTelemetry.make
          )
          const outcomes = yield* Effect.withClock(outcomesBy(checkers, "https://example.com/"), clock)
          assert.deepStrictEqual(
            outcomes.map(({ status }) => status),
            ["failed", "stale", "ok"]
          )
        })
      )
      assert.deepStrictEqual(
        spans().map(({ name, startTimeUnixNano, endTimeUnixNano, attributes }) => [
          name,
          Number(endTimeUnixNano) - Number(startTimeUnixNano),
          attributes["error.type"] ?? attributes["checker.outcome"]
        ]),
        [
          ["check heuristics", 5_000_000, "RangeError"],
          ["check feed_a", 1_000_000, "stale"],
          ["check feed_b", 3_000_000, "ok"]
        ]
      )
    })
  )

  it.scoped("have the asking of a third party, below which is what it sends, and each check", () =>
    Effect.gen(function* () {
      const receiver = yield* received(
        {},
        Effect.gen(function* () {
          const { span } = yield* Tracing
          const asking: AskingChecker<boolean> = {
            id: "reputation_lookup",
            prepare: ({ submitted }) => submitted === "b",
            ask: () => span("GET")(Effect.succeed((stale: boolean) => Exit.succeed({ findings: [], stale })))
          }
          const computing: Checker = {
            id: "heuristics",
            budget: Duration.seconds(2),
            check: () => Exit.succeed(nothingFound)
          }
          const checkers = Checkers.make([computing, asking], yield* CheckerTelemetry.make)
          yield* outcomesBy(checkers, "a")
          const slices = yield* Slices.make
          assert.deepStrictEqual(
            yield* checkers.checkMany(["a", "b"], slices, (_, { outcomes }) =>
              outcomes.map(({ status }) => status)
            ),
            [
              ["ok", "ok"],
              ["ok", "stale"]
            ]
          )
        })
      )
      const spans = receiver.spans()
      assert.deepStrictEqual(
        spans.map(({ name, attributes, parentSpanId }) => [
          name,
          attributes.checker,
          attributes["checker.outcome"] ?? spans.find(({ spanId }) => spanId === parentSpanId)?.name
        ]),
        [
          ["check heuristics", "heuristics", "ok"],
          ["GET", undefined, "ask reputation_lookup"],
          ["ask reputation_lookup", "reputation_lookup", "check reputation_lookup"],
          ["check reputation_lookup", "reputation_lookup", "ok"],
          ["GET", undefined, "ask reputation_lookup"],
          ["ask reputation_lookup", "reputation_lookup", undefined],
          ["check heuristics", "heuristics", "ok"],
          ["check reputation_lookup", "reputation_lookup", "ok"],
          ["check heuristics", "heuristics", "ok"],
          ["check reputation_lookup", "reputation_lookup", "stale"]
        ]
      )
    })
  )

  it.scoped("name the service once, as configured", () =>
    Effect.gen(function* () {
      const { requests } = yield* received(
        { OTEL_RESOURCE_ATTRIBUTES: "service.version=7,service.name=scoring,service.version=8" },
        span("x")
      )
      const { attributes } = JSON.parse(requests[0]?.body ?? "{}").resourceSpans[0].resource
      assert.deepStrictEqual(attributes, [
        { key: "service.name", value: { stringValue: "scoring" } },
        { key: "service.version", value: { stringValue: "8" } }
      ])
    })
  )

  for (const off of [
    { OTEL_SDK_DISABLED: "True" },
    { OTEL_TRACES_EXPORTER: "none" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "" }
  ])
    it.scoped(`are off with ${JSON.stringify(off)}`, () =>
      Effect.gen(function* () {
        const { requests } = yield* received(
          off,
          Effect.map(Tracing, ({ isOn }) => assert.isFalse(isOn))
        )
        assert.deepStrictEqual(requests, [])
      })
    )

  it.scoped("are not sent to the target of a redirect", () =>
    Effect.gen(function* () {
      const elsewhere = yield* OtlpReceiver.make
      const receiver = yield* OtlpReceiver.redirecting(elsewhere.url)
      yield* span("x").pipe(
        Effect.provide(OtlpTracing.layer),
        Effect.provide(AppConfig.layer),
        Effect.provide(
          environment({
            OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
            OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret"
          })
        )
      )
      assert.lengthOf(receiver.requests, 1)
      assert.deepStrictEqual(elsewhere.requests, [])
    })
  )

  it.scoped(
    "are counted as lost when the receiver answers an error with a body and closes the connection",
    () =>
      Effect.gen(function* () {
        const receiver = yield* OtlpReceiver.rejecting
        const { text } = yield* Metrics
        yield* span("x").pipe(
          Effect.provide(OtlpTracing.layer),
          Effect.provide(AppConfig.layer),
          Effect.provide(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }))
        )
        yield* receiver.closed
        assert.lengthOf(receiver.requests, 1)
        assert.match(text(), /^threat_scoring_trace_spans_lost_total 1$/m)
      }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("are sent every second, together, to the exact address for traces", () =>
    Effect.gen(function* () {
      const receiver = yield* OtlpReceiver.make
      yield* Effect.gen(function* () {
        yield* span("a")
        yield* span("b")
        yield* adjust("999 millis")
        assert.deepStrictEqual(receiver.requests, [])
        yield* adjust("1 millis")
        yield* turnsUntil("the spans are sent", () => receiver.requests.length > 0)
        assert.deepStrictEqual(
          receiver.spans().map(({ name }) => name),
          ["a", "b"]
        )
      }).pipe(
        Effect.provide(OtlpTracing.layer),
        Effect.provide(AppConfig.layer),
        Effect.provide(environment({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own?x=1` }))
      )
      assert.strictEqual(receiver.requests[0]?.path, "/own?x=1")
    })
  )

  it.live("of the service: a request below its caller's span, each checker below it, and no secret", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const receiver = yield* OtlpReceiver.make
        const service = yield* ServiceProcess.make({
          OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
          OTEL_EXPORTER_OTLP_HEADERS: "x-key=key%20secret",
          OTEL_SERVICE_NAME: "scoring",
          OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,service.name=other",
          FEED_A_URL: "http://127.0.0.1:1/feed?key=secret",
          FEED_A_AUTH_HEADER: "x-auth: secret"
        })
        const traceparent = `00-${TRACE}-${PARENT}-01`
        yield* postJson(service.port, { url: "http://secret.example/secret" }, { traceparent })
        for (const invalid of [`${TRACE}-0`, `${TRACE}-${"0".repeat(16)}`, `${"0".repeat(32)}-${PARENT}`])
          yield* send(service.port, {
            path: "/elsewhere?url=secret",
            headers: { traceparent: `00-${invalid}-01` }
          })
        yield* untilTrue(() =>
          service.output().includes("feed_a: 127.0.0.1 cannot be reached (ECONNREFUSED); next try in")
        )
        yield* service.kill("SIGTERM")
        assert.strictEqual((yield* service.ended).code, 0)

        const [first] = receiver.requests
        assert.strictEqual(first?.path, "/v1/traces")
        assert.strictEqual(first?.headers["content-type"], "application/json")
        assert.strictEqual(first?.headers["x-key"], "key secret")
        const { "service.version": _, ...resource } = receiver.resource()
        assert.deepStrictEqual(resource, { "service.name": "scoring", "deployment.environment": "test" })

        const spans = receiver.spans()
        const request = spans.find(({ name }) => name === "POST /api/check")
        assert.strictEqual(request?.traceId, TRACE)
        assert.strictEqual(request?.parentSpanId, PARENT)
        assert.strictEqual(request?.kind, 2)
        assert.deepStrictEqual(request?.attributes, {
          "http.request.method": "POST",
          "http.route": "/api/check",
          "http.response.status_code": 200
        })
        assert.deepStrictEqual(
          spans
            .filter(({ parentSpanId }) => parentSpanId === request?.spanId)
            .map(({ name, attributes }) => `${name}: ${attributes["checker.outcome"]}`)
            .sort(),
          [
            "check feed_a: Unavailable",
            "check feed_b: NotConfigured",
            "check feed_c: NotConfigured",
            "check feed_d: NotConfigured",
            "check heuristics: ok",
            "check reputation_lookup: NotConfigured"
          ]
        )
        const others = spans.filter(({ name }) => name === "POST other")
        assert.lengthOf(others, 3)
        for (const other of others) {
          assert.notInclude([TRACE, "0".repeat(32)], other.traceId)
          assert.isUndefined(other.parentSpanId)
          assert.strictEqual(other.attributes["http.response.status_code"], 404)
        }
        const outgoing = spans.find(({ name }) => name === "GET")
        assert.deepStrictEqual(outgoing?.attributes, {
          "http.request.method": "GET",
          "server.address": "127.0.0.1",
          "error.type": "ListError"
        })
        assert.notInclude(JSON.stringify(receiver.requests.map(({ body }) => body)), "secret")
        assert.notInclude(service.output(), "secret")
        assert.include(service.output(), `"traceId":"${TRACE}"`)
      })
    )
  )
})
