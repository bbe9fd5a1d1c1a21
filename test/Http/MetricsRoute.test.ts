import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, TestClock } from "effect"
import type { CheckerId } from "../../src/Checkers/Checker/CheckerNames.ts"
import * as CheckerTelemetry from "../../src/Checkers/Checker/CheckerTelemetry.ts"
import { CheckerError } from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import { type SearchStatus, searchCounter } from "../../src/Checkers/ReputationLookup/HashSearch.ts"
import * as Health from "../../src/Http/Health.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { DatabaseError } from "../../src/Layers/CacheDatabase/UpstashRest.ts"
import { CacheDatabase } from "../../src/Layers/CacheDatabase.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as OtlpTracing from "../../src/Layers/Telemetry/OtlpTracing.ts"
import * as Telemetry from "../../src/Layers/Telemetry.ts"
import type { HashListStatus } from "../../src/Lists/HashLists.ts"
import * as ListMetrics from "../../src/Lists/RefreshedList/ListMetrics.ts"
import { noList } from "../../src/Lists/ThreatFeed.ts"
import { feedWith } from "../fixtures/FeedStatuses.ts"
import { finding } from "../fixtures/Findings.ts"
import { adjust, nextTurn } from "../fixtures/NextTurn.ts"
import { lookupWith } from "../fixtures/ReputationStatuses.ts"
import { postJson, send } from "../fixtures/Request.ts"
import { temporaryFolder } from "../fixtures/ServiceProcess.ts"
import { environment, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

const AGE = Duration.millis(1500)

const feed = feedWith({ fetchedAt: 0 })

const withoutList = feedWith(noList)

/** One has a finding after 20 ms, one fails at once, and one has no finding. */
const checks = {
  heuristics: () =>
    Effect.delay(
      Effect.succeed({
        findings: [finding("notHttps", { reason: "URL is not HTTPS" })],
        stale: false
      } as const),
      "20 millis"
    ),
  feed_a: () => Effect.fail(new CheckerError({ checker: "feed_a", reason: "Unavailable" })),
  feed_b: () => Effect.succeed({ findings: [], stale: true })
}

const checkers = Effect.map(CheckerTelemetry.make, (telemetry) =>
  Checkers.make(
    (["heuristics", "feed_a", "feed_b"] as const).map((id: keyof typeof checks & CheckerId) => ({
      id,
      budget: Duration.seconds(2),
      check: checks[id]
    })),
    telemetry
  )
)

/** Metrics of traces exist only with an address for traces. */
const traces = Layer.build(OtlpTracing.layer).pipe(
  Effect.provide(AppConfig.layer),
  Effect.provide(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example" }))
)

const log = Layer.build(Telemetry.logging).pipe(
  Effect.provide(AppConfig.layer),
  Effect.provide(environment({}))
)

/** A reputation lookup, of which the metrics read the status of its searches and lists. */
const reputation = (search: SearchStatus, lists: ReadonlyArray<HashListStatus> = []) =>
  lookupWith({ mode: "real-time", lists, search })

const hashList = (name: string, fetchedAt: number | undefined): HashListStatus => ({
  name,
  entries: fetchedAt === undefined ? 0 : 3,
  fetchedAt,
  isStale: false,
  nextUpdateAt: 0,
  lastError: Option.none()
})

const scrape = (port: number) => send(port, { method: "GET", path: "/metrics" })

/** A database that answers every call so. */
const databaseOf = (replies: Effect.Effect<ReadonlyArray<unknown>, DatabaseError>) =>
  CacheDatabase.over({ send: () => replies })

const src = new URL("../../src/", import.meta.url)

/** The names of metrics in the source, some of them only beginnings. */
const namesInSource = () =>
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => readFileSync(new URL(file, src), "utf8").match(/(?<=")threat_scoring_\w+(?=")/g) ?? [])

/** The samples that begin with one of the names. */
const samples = (text: string, ...names: ReadonlyArray<string>) =>
  text.split("\n").filter((line) => names.some((name) => line.startsWith(name)))

const setUp = (env: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(checkers, (checkers) =>
    serviceUnderTest({ checkers, env, feeds: { feed_a: feed, feed_b: withoutList } })
  )

/** A check that takes 20 ms by the Clock. */
const check = (port: number, url: string) =>
  Effect.gen(function* () {
    const answer = yield* Effect.fork(postJson(port, { url }))
    yield* nextTurn.pipe(
      Effect.zipRight(TestClock.sleeps()),
      Effect.repeat({ until: (sleeps) => [...sleeps].length > 0 })
    )
    yield* adjust("20 millis")
    return yield* answer
  })

describe("GET /metrics", () => {
  it.scoped("responds to GET and HEAD in the text format of Prometheus, and does not count them", () =>
    Effect.gen(function* () {
      const port = yield* setUp()
      const answer = yield* scrape(port)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.notProperty(answer.headers, "ratelimit")
      assert.match(answer.body, /^(?:(?:# (?:HELP|TYPE) )?[a-z_0-9]+(?:\{[^{}]*\})? [^\n]+\n)+$/)
      assert.strictEqual((yield* send(port, { method: "HEAD", path: "/metrics" })).body, "")
      const refused = yield* send(port, { method: "POST", path: "/metrics" })
      assert.strictEqual(refused.status, 405)
      assert.strictEqual(refused.headers.allow, "GET, HEAD, OPTIONS")
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("counts requests by route and status, and measures their time by the Clock", () =>
    Effect.gen(function* () {
      const port = yield* setUp({ RATE_LIMIT: "2" })
      yield* check(port, "http://example.com/")
      yield* send(port, { body: "{}" })
      yield* send(port, { path: "/api/check?url=http://secret.example/", body: "{}" })
      yield* send(port, { method: "GET", path: "/secret" })
      yield* send(port, { method: "GET", path: "/another/secret" })
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(samples(body, "threat_scoring_http_requests_total", "threat_scoring_rate"), [
        'threat_scoring_http_requests_total{route="/api/check",status="200"} 1',
        'threat_scoring_http_requests_total{route="/api/check",status="400"} 1',
        'threat_scoring_http_requests_total{route="/api/check",status="429"} 1',
        // So that Prometheus sees the first one as an increase.
        'threat_scoring_http_requests_total{route="/api/check",status="503"} 0',
        'threat_scoring_http_requests_total{route="/api/checks",status="429"} 0',
        'threat_scoring_http_requests_total{route="/api/checks",status="503"} 0',
        'threat_scoring_http_requests_total{route="other",status="404"} 2',
        "threat_scoring_rate_limit_evicted_total 0",
        "threat_scoring_rate_limit_refused_total 1"
      ])
      const time = 'threat_scoring_http_request_duration_seconds_bucket{route="/api/check",le='
      assert.deepStrictEqual(samples(body, `${time}"0.01"`, `${time}"0.025"`), [
        `${time}"0.01"} 2`,
        `${time}"0.025"} 3`
      ])
      assert.notInclude(body, "secret")
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the size and age of the ranking of popular sites", () =>
    Effect.gen(function* () {
      const popular = feedWith({ entries: 5, fetchedAt: 0 })
      const port = yield* serviceUnderTest({ checkers: yield* checkers, feeds: { popular } })
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(samples(body, "threat_scoring_feed_"), [
        'threat_scoring_feed_age_seconds{feed="popular"} 0',
        'threat_scoring_feed_entries{feed="popular"} 5',
        'threat_scoring_feed_stale{feed="popular"} 0'
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the time, outcomes and hits of each checker", () =>
    Effect.gen(function* () {
      const port = yield* setUp()
      yield* check(port, "http://example.com/")
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(
        samples(body, "threat_scoring_checker_outcomes", "threat_scoring_checker_hits").filter(
          (line) => !line.endsWith(" 0")
        ),
        [
          'threat_scoring_checker_hits_total{checker="heuristics"} 1',
          'threat_scoring_checker_outcomes_total{checker="feed_a",status="unavailable"} 1',
          'threat_scoring_checker_outcomes_total{checker="feed_b",status="stale"} 1',
          'threat_scoring_checker_outcomes_total{checker="heuristics",status="ok"} 1'
        ]
      )
      assert.deepStrictEqual(samples(body, 'threat_scoring_checker_duration_seconds_sum{checker="h'), [
        'threat_scoring_checker_duration_seconds_sum{checker="heuristics"} 0.02'
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the entries and age of each enabled feed", () =>
    Effect.gen(function* () {
      const port = yield* setUp()
      yield* adjust(AGE)
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(samples(body, "threat_scoring_feed"), [
        'threat_scoring_feed_age_seconds{feed="feed_a"} 1.5',
        'threat_scoring_feed_age_seconds{feed="feed_b"} NaN',
        'threat_scoring_feed_entries{feed="feed_a"} 3',
        'threat_scoring_feed_entries{feed="feed_b"} 0',
        'threat_scoring_feed_stale{feed="feed_a"} 0',
        'threat_scoring_feed_stale{feed="feed_b"} 0'
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the entries of the operator's lists, and 1 while a file cannot be read again", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "block.txt")
      writeFileSync(file, "bad.example\nworse.example\n")
      const port = yield* setUp({ BLOCK_LIST: file })
      const name = "threat_scoring_operator_list"
      const label = '{operator_list="block"}'
      const withoutAge = (body: string) => samples(body, `${name}_entries`, `${name}_stale`)
      assert.deepStrictEqual(withoutAge((yield* scrape(port)).body), [
        `${name}_entries${label} 2`,
        `${name}_stale${label} 0`
      ])
      rmSync(file)
      const { body } = yield* Effect.zipRight(adjust("1 minute"), scrape(port)).pipe(
        Effect.repeat({ until: ({ body }) => body.includes(`${name}_stale${label} 1`), times: 20 })
      )
      assert.deepStrictEqual(withoutAge(body), [`${name}_entries${label} 2`, `${name}_stale${label} 1`])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the state of the cache database, and its commands and failures by reason", () =>
    Effect.gen(function* () {
      const database = databaseOf(new DatabaseError({ reason: "Refused" }))
      const port = yield* serviceUnderTest({ checkers: yield* checkers, database })
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(samples(body, "threat_scoring_cache"), [
        "threat_scoring_cache_circuit_open 1",
        "threat_scoring_cache_commands_total 3",
        'threat_scoring_cache_failures_total{reason="Malformed"} 0',
        'threat_scoring_cache_failures_total{reason="Refused"} 3',
        'threat_scoring_cache_failures_total{reason="Timeout"} 0',
        'threat_scoring_cache_failures_total{reason="Unreachable"} 0',
        "threat_scoring_cache_shared 1",
        "threat_scoring_cache_skipped_total 0"
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the day up to which the heuristics have learned", () =>
    Effect.gen(function* () {
      const { body } = yield* scrape(yield* setUp())
      assert.deepStrictEqual(samples(body, "threat_scoring_model"), [
        `threat_scoring_model_learned_up_to_timestamp_seconds ${Date.parse("2026-06-30T00:00:00Z") / 1000}`
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the searches of the reputation service by outcome, and 1 while they are paused", () =>
    Effect.gen(function* () {
      for (const [breaker, expected] of [
        ["closed", 0],
        ["open", 1],
        ["half-open", 1]
      ] as const) {
        const port = yield* serviceUnderTest({
          checkers: yield* checkers,
          reputation: reputation({ breaker, lastError: Option.none() })
        })
        const { body } = yield* scrape(port)
        assert.deepStrictEqual(samples(body, "threat_scoring_reputation_breaker"), [
          `threat_scoring_reputation_breaker_open ${expected}`
        ])
      }
      const count = yield* searchCounter
      for (const outcome of ["ok", "KeyRefused", "Paused", "Paused"] as const) count(outcome)
      const port = yield* setUp()
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(
        samples(body, "threat_scoring_reputation_searches"),
        [
          ["KeyRefused", 1],
          ["Malformed", 0],
          ["Paused", 2],
          ["RequestRefused", 0],
          ["Status", 0],
          ["Timeout", 0],
          ["TooManyCalls", 0],
          ["Unreachable", 0],
          ["ok", 1]
        ].map(([outcome, count]) => `threat_scoring_reputation_searches_total{outcome="${outcome}"} ${count}`)
      )
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the entries and the age of each local list, and whether it is stale", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yield* checkers,
        reputation: reputation({ breaker: "closed", lastError: Option.none() }, [
          { ...hashList("se-4b", 0), isStale: true },
          hashList("gc-32b", undefined)
        ])
      })
      yield* adjust(AGE)
      const { body } = yield* scrape(port)
      assert.deepStrictEqual(samples(body, "threat_scoring_reputation_list"), [
        'threat_scoring_reputation_list_age_seconds{list="gc-32b"} NaN',
        'threat_scoring_reputation_list_age_seconds{list="se-4b"} 1.5',
        'threat_scoring_reputation_list_entries{list="gc-32b"} 0',
        'threat_scoring_reputation_list_entries{list="se-4b"} 3',
        'threat_scoring_reputation_list_stale{list="gc-32b"} 0',
        'threat_scoring_reputation_list_stale{list="se-4b"} 1'
      ])
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("has the metrics of docs/metrics.md as `npm run reference` writes it", () =>
    Effect.gen(function* () {
      const page = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8")
      const file = join(yield* temporaryFolder, "block.txt")
      writeFileSync(file, "bad.example\n")
      const port = yield* serviceUnderTest({
        checkers: yield* checkers,
        env: { BLOCK_LIST: file },
        feeds: { feed_a: feed },
        database: databaseOf(Effect.succeed([null])),
        reputation: reputation({ breaker: "closed", lastError: Option.none() }, [hashList("se-4b", 0)])
      })
      yield* searchCounter
      yield* ListMetrics.refreshCounters("feed_a")
      yield* traces
      yield* log
      yield* scrape(port)
      yield* adjust(Health.MAX_AGE)
      const { body } = yield* scrape(port)
      const rows = Array.from(
        body.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n(.*)/gm),
        ([, name, meaning, type, sample = ""]) => {
          const labels = Array.from(sample.matchAll(/[{,](\w+)=/g), ([, label]) => label).filter(
            (label) => label !== "le"
          )
          return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${meaning} |`
        }
      )
      assert.lengthOf(rows, body.match(/^# TYPE /gm)?.length ?? 0)
      for (const name of namesInSource())
        assert.match(
          body,
          new RegExp(`^# TYPE ${name}[ _]`, "m"),
          "this test must make it, as searchCounter above"
        )
      const table = ["| name | type | labels | meaning |", "| --- | --- | --- | --- |", ...rows].join("\n")
      const written = page.replace(
        /(<!-- metrics -->\n\n).*?(?=\n\n<!-- end -->)/s,
        (_, start: string) => start + table
      )
      assert.include(written, table)
      yield* Effect.promise(() => expect(written).toMatchFileSnapshot("../../docs/metrics.md"))
    }).pipe(Effect.provide(Metrics.layer))
  )
})
