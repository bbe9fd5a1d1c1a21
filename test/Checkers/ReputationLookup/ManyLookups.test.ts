import { assert, describe, it } from "@effect/vitest"
import {
  Array as Arr,
  ConfigProvider,
  Context,
  Deferred,
  Duration,
  Effect,
  Fiber,
  FastCheck as fc,
  Layer,
  Logger,
  Option
} from "effect"
import type { Outcome } from "../../../src/Checkers/Checker.ts"
import { Checkers } from "../../../src/Checkers/Checkers.ts"
import { HashSearch } from "../../../src/Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "../../../src/Checkers/ReputationLookup.ts"
import { AppConfig, type ReputationMode } from "../../../src/Layers/AppConfig.ts"
import { Cache, type Cached, type ListedHash, ThreatType } from "../../../src/Layers/Cache.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import * as Slices from "../../../src/Layers/Time/Slices.ts"
import { type LocalLists, noLists } from "../../../src/Lists/HashLists.ts"
import * as ExpressionHash from "../../../src/Url/ExpressionHash.ts"
import * as HashSearchDouble from "../../fixtures/HashSearchDouble.ts"
import { answer, type Respond, status } from "../../fixtures/HashSearchDouble.ts"
import { adjust, nextTurn } from "../../fixtures/NextTurn.ts"
import { outcomesBy } from "../../fixtures/Outcomes.ts"
import { hashLists, localLists, prefixesOf } from "../../fixtures/ReputationDoubles.ts"
import { runs } from "../../fixtures/Seed.ts"

const databaseEnv = { CACHE_REST_URL: "https://cache.example", CACHE_REST_TOKEN: "token" }

interface Setup {
  readonly respond?: Respond
  readonly mode?: ReputationMode
  readonly lists?: LocalLists
  readonly cache?: Layer.Layer<Cache>
  readonly env?: Readonly<Record<string, string>>
}

/** The status that `Checker-Status` has, with the kinds of the findings. */
const statusOf = ([outcome]: ReadonlyArray<Outcome>): string =>
  outcome === undefined ? "none" : [outcome.status, ...outcome.findings.map(({ kind }) => kind)].join(" ")

/** Checks by the lookup and its searches, and the requests that it sends. */
const setup = ({
  respond = answer({}),
  mode = "no-storage",
  lists = noLists,
  cache = Cache.inMemory,
  env = {}
}: Setup = {}) =>
  Effect.gen(function* () {
    const { sent, layer } = HashSearchDouble.make(respond)
    const config = Layer.provide(
      AppConfig.layer,
      Layer.setConfigProvider(
        ConfigProvider.fromMap(new Map(Object.entries({ REPUTATION_API_KEY: "key", ...env })), {
          pathDelim: "_"
        })
      )
    )
    const context = yield* Layer.build(
      ReputationLookup.layer.pipe(
        Layer.provideMerge(HashSearch.layer),
        Layer.provide([layer, hashLists(mode, () => lists)]),
        Layer.provideMerge(Metrics.layer),
        Layer.provide([config, cache])
      )
    )
    const { text } = Context.get(context, Metrics)
    const { status } = Option.getOrThrow(Context.get(context, HashSearch))
    const checkers = Checkers.make([Context.get(context, ReputationLookup)])
    const slices = yield* Slices.make
    return {
      /** The statuses of checks of `https://HOST/PATH`, with their findings. */
      many: (urls: ReadonlyArray<string>) =>
        checkers.checkMany(
          urls.map((url) => `https://${url}`),
          slices,
          (_, { outcomes }) => statusOf(outcomes)
        ),
      single: (url: string) => Effect.map(outcomesBy(checkers, `https://${url}`), statusOf),
      sent,
      prefixes: () => sent.map(({ prefixes }) => prefixes),
      breaker: Effect.map(status, ({ breaker }) => breaker),
      metric: (name: string) =>
        text()
          .split("\n")
          .find((line) => line.startsWith(name))
    }
  })

/** A cache whose database has these values, and its reads and writes. */
const database = (values: Cached) => {
  const reads: Array<ReadonlyArray<string>> = []
  /** The prefixes of each write. */
  const writes: Array<ReadonlyArray<string>> = []
  const layer = Layer.mock(Cache, {
    peekMany: () => new Map(),
    getMany: (prefixes) =>
      Effect.sync(() => {
        reads.push(prefixes)
        return new Map([...values].filter(([prefix]) => prefixes.includes(prefix)))
      }),
    store: (prefixes) => Effect.sync(() => void writes.push(prefixes))
  })
  return { layer, reads, writes }
}

/** Runs everything that does not wait for time: slices, and the reading of bodies. */
const settled = Effect.repeatN(Effect.zipRight(nextTurn, adjust(0)), 15)

const later = (duration: Duration.DurationInput) => Effect.zipRight(adjust(duration), settled)

/** A service that lists `bad.example/`, and responds after `go` to requests that `isGated` selects. */
const gatedBy = (isGated: (request: HashSearchDouble.SentRequest) => boolean) =>
  Effect.map(Deferred.make<void>(), (gate) => ({
    respond: ((request) =>
      Effect.zipRight(
        isGated(request) ? Deferred.await(gate) : Effect.void,
        answer({ "bad.example/": ["MALWARE"] })(request)
      )) as Respond,
    go: Effect.zipRight(Deferred.succeed(gate, undefined), settled)
  }))

/** 30 expressions each, of hosts of their own. */
const deep = (number: number) => `a.b.c.d.e${number}.example/1/2/3/4/5/6.html?x=1`

/** More prefixes than fit into one request: 13 URLs and one. */
const fourteen = Array.from({ length: 14 }, (_, number) => deep(number))

const key = (expression: string) => ExpressionHash.prefix(ExpressionHash.ofExpression(expression))

const listedValue = (expression: string, threat: ThreatType): ReadonlyArray<ListedHash> => [
  { hash: ExpressionHash.ofExpression(expression), threats: [threat] }
]

const silent = Effect.provide(Logger.remove(Logger.defaultLogger))

describe("lookups of many URLs", () => {
  it.scoped("ask about the prefixes of 50 URLs in one request, each once, sorted", () =>
    Effect.gen(function* () {
      const { many, metric, prefixes, sent } = yield* setup()
      const hosts = Array.from({ length: 50 }, (_, number) => `host${number}.example.com`)
      const urls = hosts.map((host) => `${host}/`)
      assert.deepStrictEqual(yield* many([...urls, ...urls]), Array(100).fill("ok"))
      assert.deepStrictEqual(prefixes(), [prefixesOf(...urls, "example.com/")])
      assert.isFalse(/host|example\.com/.test(sent[0]?.url ?? "host"))
      assert.strictEqual(
        metric('threat_scoring_reputation_searches_total{outcome="ok"}'),
        'threat_scoring_reputation_searches_total{outcome="ok"} 1'
      )
    })
  )

  it.scoped("ask about at most 400 prefixes in a request, in the order of the URLs", () =>
    Effect.gen(function* () {
      const { many, prefixes } = yield* setup()
      const alone = yield* setup()
      for (const url of fourteen) yield* alone.single(url)
      assert.deepStrictEqual(
        alone.prefixes().map(({ length }) => length),
        Array(14).fill(30)
      )
      yield* many(fourteen)
      const [first = [], second = []] = prefixes()
      assert.deepStrictEqual([first.length, second.length, prefixes().length], [400, 20, 2])
      assert.includeMembers([...first], alone.prefixes().slice(0, 13).flat())
      assert.deepStrictEqual([...first, ...second].sort(), alone.prefixes().flat().sort())
      for (const request of prefixes()) assert.deepStrictEqual(request, [...request].sort())
    })
  )

  it.scoped("send at most 16 requests at once; the lists decide about the URLs that do not fit", () =>
    Effect.gen(function* () {
      // 6,400 prefixes are those of 213 URLs, and a third of another one.
      const urls = Array.from({ length: 214 }, (_, number) => deep(number))
      for (const [mode, threats, expected] of [
        ["no-storage", [], ["unavailable", "unavailable"]],
        ["real-time", [], ["stale", "stale"]],
        ["real-time", ["shop.example/"], ["stale", "unavailable"]]
      ] as const) {
        const { metric, many, sent } = yield* setup({ mode, lists: localLists({ threats }) })
        const statuses = yield* many([...urls, "shop.example/"])
        assert.deepStrictEqual(statuses, [...Array(213).fill("ok"), ...expected])
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes.length),
          Array(16).fill(400)
        )
        assert.strictEqual(
          metric('threat_scoring_reputation_searches_total{outcome="ok"}'),
          'threat_scoring_reputation_searches_total{outcome="ok"} 16'
        )
      }
    })
  )

  it.scoped("decide at once what needs no request, and send nothing for it", () =>
    Effect.gen(function* () {
      const { many, prefixes, single } = yield* setup()
      yield* single("known.example/")
      assert.deepStrictEqual(
        yield* many(["known.example/", "192.168.0.1/", "db.internal/"]),
        Array(3).fill("ok")
      )
      assert.lengthOf(prefixes(), 1)
      const lists = localLists({ threats: ["bad.example/"] })
      const local = yield* setup({ mode: "local-list", lists })
      yield* local.many(["good.example/", "bad.example/login", "other.example/"])
      assert.deepStrictEqual(local.prefixes(), [prefixesOf("bad.example/")])
    })
  )

  it.scoped("end with CHECKER_TIMEOUT; the answer is cached for later ones", () =>
    Effect.gen(function* () {
      const { go, respond } = yield* gatedBy(() => true)
      const { many, sent } = yield* setup({ respond, env: { CHECKER_TIMEOUT: "1 second" } })
      const checking = yield* Effect.fork(many(["bad.example/", "good.example/"]))
      yield* settled
      yield* later("999 millis")
      assert.isNull(checking.unsafePoll())
      yield* later("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(checking), ["timeout", "timeout"])
      yield* go
      assert.deepStrictEqual(yield* many(["bad.example/", "good.example/"]), ["ok severeThreat", "ok"])
      assert.lengthOf(sent, 1)
    })
  )

  it.scoped("are decided by their own request when the time is over", () =>
    Effect.gen(function* () {
      const { respond } = yield* gatedBy(({ prefixes }) => prefixes.length < 100)
      for (const [mode, hanging] of [
        ["no-storage", "timeout"],
        ["real-time", "stale"]
      ] as const) {
        const { many } = yield* setup({ respond, mode, lists: localLists() })
        const checking = yield* Effect.fork(many(["bad.example/", ...fourteen]))
        yield* settled
        yield* later("2 seconds")
        assert.deepStrictEqual(yield* Fiber.join(checking), [
          "ok severeThreat",
          ...Array(13).fill("ok"),
          hanging
        ])
      }
    })
  )

  it.scoped("are decided by their own request when another one fails", () =>
    Effect.gen(function* () {
      const { breaker, many, sent } = yield* setup({
        respond: (request) => (request.prefixes.length < 100 ? status(414) : answer({}))(request)
      })
      for (let round = 1; round <= 3; round++) {
        assert.strictEqual(yield* breaker, "closed")
        const fresh = fourteen.map((_, number) => deep(100 * round + number))
        assert.deepStrictEqual(yield* many(fresh), [...Array(13).fill("ok"), "unavailable"])
        yield* settled
      }
      // One of two requests failed, three times in a row.
      assert.strictEqual(yield* breaker, "open")
      assert.lengthOf(sent, 6)
    }).pipe(silent)
  )

  it.scoped("need both requests that have their prefixes, unless one of them confirms a listing", () =>
    Effect.gen(function* () {
      const places = new Set<number>()
      for (const expression of [
        "a.b.c.d.e13.example/",
        "a.b.c.d.e13.example/1/2/3/4/5/6.html?x=1",
        "e13.example/"
      ])
        for (const isConfirming of [false, true]) {
          const { many, prefixes } = yield* setup({
            respond: (request) =>
              (request.prefixes.includes(key(expression)) === isConfirming
                ? answer({ [expression]: ["MALWARE"] })
                : status(500))(request)
          })
          const statuses = yield* many(fourteen)
          assert.lengthOf(prefixes(), 2)
          places.add(prefixes().findIndex((request) => request.includes(key(expression))))
          assert.strictEqual(statuses[13], isConfirming ? "ok severeThreat" : "unavailable", expression)
        }
      assert.deepStrictEqual([...places].sort(), [0, 1])
    }).pipe(silent)
  )

  it.scoped("end after 3 seconds at the latest, which is a failure", () =>
    Effect.gen(function* () {
      const { many, metric, sent } = yield* setup({
        respond: () => Effect.never,
        env: { CHECKER_TIMEOUT: "10 seconds" }
      })
      const statuses = yield* Effect.fork(many(["a.example/", "b.example/"]))
      yield* settled
      yield* later("2999 millis")
      assert.isNull(statuses.unsafePoll())
      yield* later("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(statuses), ["timeout", "timeout"])
      assert.deepStrictEqual(
        sent.map(({ signal }) => signal.aborted),
        [true]
      )
      assert.strictEqual(
        metric('threat_scoring_reputation_searches_total{outcome="Timeout"}'),
        'threat_scoring_reputation_searches_total{outcome="Timeout"} 1'
      )
    })
  )

  it.scoped("are one failure for the circuit breaker", () =>
    Effect.gen(function* () {
      const { breaker, many, sent } = yield* setup({ respond: status(500) })
      const urls = Array.from({ length: 50 }, (_, number) => `host${number}.example/`)
      for (let round = 1; round <= 3; round++) {
        assert.strictEqual(yield* breaker, "closed")
        assert.deepStrictEqual(yield* many(urls), Array(50).fill("unavailable"))
        assert.lengthOf(sent, round)
      }
      assert.strictEqual(yield* breaker, "open")
      assert.deepStrictEqual(yield* many(urls), Array(50).fill("unavailable"))
      assert.lengthOf(sent, 3)
    }).pipe(silent)
  )

  it.scoped("go on with what was sent when they are interrupted, which is no failure", () =>
    Effect.gen(function* () {
      const { go, respond } = yield* gatedBy(() => true)
      const { breaker, many, sent, single } = yield* setup({ respond })
      const checking = yield* Effect.fork(many(["bad.example/", "good.example/"]))
      yield* settled
      yield* Fiber.interrupt(checking)
      yield* settled
      assert.isFalse(sent[0]?.signal.aborted)
      yield* go
      assert.strictEqual(yield* single("bad.example/"), "ok severeThreat")
      assert.lengthOf(sent, 1)
      assert.strictEqual(yield* breaker, "closed")
    })
  )

  it.scoped("do not ask about prefixes that are cached", () =>
    Effect.gen(function* () {
      const { many, prefixes, single } = yield* setup({
        respond: answer({ "example.com/": ["UNWANTED_SOFTWARE"] })
      })
      yield* single("known.example.com/")
      assert.deepStrictEqual(
        yield* many(["new.example.com/", "other.example.com/"]),
        Array(2).fill("ok unwantedSoftware")
      )
      assert.deepStrictEqual(prefixes().slice(1), [prefixesOf("new.example.com/", "other.example.com/")])
    })
  )

  it.scoped("read the database once for all, and store the response in one command", () =>
    Effect.gen(function* () {
      const { layer, reads, writes } = database(
        new Map([
          [key("known.example/"), []],
          [key("bad.example/"), listedValue("bad.example/", "MALWARE")]
        ])
      )
      const { many, prefixes } = yield* setup({ cache: layer, env: databaseEnv })
      const urls = ["known.example/", "bad.example/", "new.example/", "newer.example/"]
      assert.deepStrictEqual(yield* many([...urls, ...urls]), [
        ...["ok", "ok severeThreat", "ok", "ok"],
        ...["ok", "ok severeThreat", "ok", "ok"]
      ])
      yield* settled
      assert.deepStrictEqual(reads, [prefixesOf(...urls)])
      assert.deepStrictEqual(prefixes(), [prefixesOf("new.example/", "newer.example/")])
      assert.deepStrictEqual(writes, [prefixesOf("new.example/", "newer.example/")])
    })
  )

  it.scoped("read at most as many prefixes as they can ask about", () =>
    Effect.gen(function* () {
      const { layer, reads } = database(new Map())
      const { many } = yield* setup({ cache: layer, env: databaseEnv })
      yield* many(Array.from({ length: 300 }, (_, number) => deep(number)))
      assert.deepStrictEqual(
        reads.map(({ length }) => length),
        [6400]
      )
    })
  )

  it.scoped("send nothing when the database has everything, also while searches are paused", () =>
    Effect.gen(function* () {
      const { layer, reads } = database(new Map([[key("known.example/"), []]]))
      const { breaker, many, sent, single } = yield* setup({
        cache: layer,
        env: databaseEnv,
        respond: status(403)
      })
      for (let failures = 0; failures < 3; failures++) yield* single("new.example/")
      assert.strictEqual(yield* breaker, "open")
      assert.deepStrictEqual(yield* many(["known.example/", "known.example/"]), ["ok", "ok"])
      assert.lengthOf(reads, 4)
      assert.lengthOf(sent, 3)
    }).pipe(silent)
  )

  it.scoped("count the time of the database; its answer and that of the search are for later ones", () =>
    Effect.gen(function* () {
      const slow = Layer.mock(Cache, {
        peekMany: () => new Map(),
        getMany: () => Effect.as(Effect.sleep("400 millis"), new Map()),
        store: () => Effect.void
      })
      for (const [timeout, requests] of [
        ["1 second", 1],
        ["300 millis", 0]
      ] as const) {
        const { many, sent } = yield* setup({
          cache: slow,
          respond: () => Effect.never,
          env: { ...databaseEnv, CACHE_TIMEOUT: "500 millis", CHECKER_TIMEOUT: timeout }
        })
        const checking = yield* Effect.fork(many(["new.example/"]))
        yield* settled
        yield* later(Duration.millis(Duration.toMillis(timeout) - 1))
        assert.isNull(checking.unsafePoll(), timeout)
        yield* later("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(checking), ["timeout"])
        assert.lengthOf(sent, requests)
        yield* later("100 millis")
        assert.lengthOf(sent, 1)
      }
    })
  )

  it.scoped("do not use an answer that another URL has asked for, about a prefix left to the lists", () =>
    Effect.gen(function* () {
      const { many, prefixes } = yield* setup({
        mode: "real-time",
        // The first address is probably safe, so its prefixes are left to the lists, which have none of them.
        lists: localLists({ likelySafe: ["safe.example.com/"] }),
        respond: answer({ "example.com/": ["MALWARE"] })
      })
      const link = "?next=https://carried.example/"
      assert.deepStrictEqual(yield* many([`safe.example.com/${link}`, "other.example.com/"]), [
        "ok",
        "ok severeThreat"
      ])
      assert.deepStrictEqual(prefixes(), [
        prefixesOf("carried.example/", "other.example.com/", "example.com/")
      ])
    })
  )

  it.effect(
    "have the results of single checks, and ask about the same prefixes, whatever the service does",
    () => {
      const hosts = ["bad.example", "good.example", "shop.good.example", "a.b.bad.example", "10.0.0.1"]
      const paths = ["/", "/login", "/a/b?c=1"]
      const plain = hosts.flatMap((host) => paths.map((path) => host + path))
      const carrying = hosts.map((host) => `good.example/?u=https://${host}/`)
      const wrapped = hosts.map((host) => `www.google.com/url?q=https://${host}/login`)
      const expressions = plain.filter((url) => !url.startsWith("10."))
      const arbitrary = fc.record({
        urls: fc.array(fc.constantFrom(...plain, ...carrying, ...wrapped), { minLength: 1, maxLength: 8 }),
        listed: fc.dictionary(
          fc.constantFrom(...expressions),
          fc.array(fc.constantFrom(...ThreatType.literals), { minLength: 1, maxLength: 2 })
        ),
        mode: fc.constantFrom<ReputationMode>("no-storage", "local-list", "real-time"),
        age: fc.constantFrom("fresh" as const, "stale" as const, "unusable" as const),
        threats: fc.subarray(expressions),
        likelySafe: fc.subarray(["good.example/", "www.google.com/"]),
        cached: fc.array(fc.constantFrom(...plain), { maxLength: 2 }),
        inDatabase: fc.option(fc.subarray(expressions)),
        fault: fc.option(fc.constantFrom(400, 403, 404, 413, 500, 503))
      })
      const property = fc.asyncProperty(
        arbitrary,
        async ({ urls, listed, cached, fault, inDatabase, mode, ...lists }) => {
          const stored = (inDatabase ?? []).map((expression) => {
            const threats = Object.entries(listed).find(([each]) => each === expression)?.[1] ?? []
            const hash = ExpressionHash.ofExpression(expression)
            return [key(expression), Arr.isNonEmptyArray(threats) ? [{ hash, threats }] : []] as const
          })
          const prepared = Effect.gen(function* () {
            let isDown = false
            const lookup = yield* setup({
              mode,
              lists: localLists(lists),
              respond: (request) =>
                isDown && fault !== null ? status(fault)(request) : answer(listed)(request),
              ...(inDatabase === null ? {} : { cache: database(new Map(stored)).layer, env: databaseEnv })
            })
            for (const url of cached) yield* lookup.single(url)
            yield* nextTurn
            isDown = true
            lookup.sent.length = 0
            return lookup
          })
          const program = Effect.gen(function* () {
            const singles = yield* Effect.forEach(urls, (url) =>
              Effect.gen(function* () {
                const { prefixes, single } = yield* prepared
                return { status: yield* single(url), prefixes: prefixes().flat() }
              })
            )
            const { many, prefixes } = yield* prepared
            assert.deepStrictEqual(
              yield* many(urls),
              singles.map(({ status }) => status)
            )
            const asked = [...new Set(singles.flatMap(({ prefixes }) => prefixes))].sort()
            assert.deepStrictEqual(prefixes(), asked.length === 0 ? [] : [asked])
          })
          await Effect.runPromise(Effect.provide(Effect.scoped(program), Logger.remove(Logger.defaultLogger)))
        }
      )
      return Effect.promise(() => fc.assert(property, { numRuns: runs(60) }))
    },
    30_000
  )
})

describe("lookups that come in one turn of the event loop", () => {
  const together = (single: (url: string) => Effect.Effect<string>, urls: ReadonlyArray<string>) =>
    Effect.forEach(urls, single, { concurrency: "unbounded" })

  it.scoped("ask together, 32 at most, about each prefix once, and are decided each by its own", () =>
    Effect.gen(function* () {
      const { prefixes, single } = yield* setup({ respond: answer({ "bad.example/": ["MALWARE"] }) })
      const urls = ["bad.example/", ...Array.from({ length: 39 }, (_, number) => `host${number}.example/`)]
      assert.deepStrictEqual(yield* together(single, urls), ["ok severeThreat", ...Array(39).fill("ok")])
      assert.deepStrictEqual(prefixes(), [prefixesOf(...urls.slice(0, 32)), prefixesOf(...urls.slice(32))])
      assert.strictEqual(yield* single("later.example/"), "ok")
      assert.deepStrictEqual(prefixes()[2], prefixesOf("later.example/"))
    })
  )

  it.scoped("read the database in one command, and store the response in one", () =>
    Effect.gen(function* () {
      const { layer, reads, writes } = database(new Map([[key("known.example/"), []]]))
      const { single } = yield* setup({ cache: layer, env: databaseEnv })
      const urls = ["known.example/", "a.example/", "b.example/"]
      assert.deepStrictEqual(yield* together(single, urls), ["ok", "ok", "ok"])
      yield* settled
      assert.deepStrictEqual(reads, [urls.map(key)])
      assert.deepStrictEqual(writes, [prefixesOf("a.example/", "b.example/")])
    })
  )

  it.scoped("go on when the check that came first is interrupted", () =>
    Effect.gen(function* () {
      const { go, respond } = yield* gatedBy(() => true)
      const { sent, single } = yield* setup({ respond })
      const first = yield* Effect.fork(single("good.example/"))
      const second = yield* Effect.fork(single("bad.example/"))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* settled
      assert.lengthOf(sent, 1)
      yield* go
      assert.strictEqual(yield* Fiber.join(second), "ok severeThreat")
    })
  )

  /** The statuses of a check of the host, and of one of a page on it, whose own call is answered by `own`. */
  const joined = (host: string, own: Respond, options: Setup = {}) =>
    Effect.gen(function* () {
      const { go, respond } = yield* gatedBy(() => true)
      let isFirst = true
      const { single } = yield* setup({
        ...options,
        respond: (request) => (isFirst ? respond : own)(request)
      })
      const first = yield* Effect.fork(single(`${host}/`))
      yield* settled
      isFirst = false
      const second = yield* Effect.fork(single(`${host}/login`))
      yield* settled
      yield* go
      return [yield* Fiber.join(first), yield* Fiber.join(second)]
    })

  it.scoped("have what a joined call confirms, also if their own call fails or has a defect", () =>
    Effect.gen(function* () {
      for (const own of [status(500), () => Effect.dieMessage("bug")])
        assert.deepStrictEqual(yield* joined("bad.example", own), ["ok severeThreat", "ok severeThreat"])
    }).pipe(silent)
  )

  const recorded = () => {
    const logged: Array<unknown> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void logged.push(...[message].flat()))
    )
    return { logged, logger }
  }

  it.scoped(
    "log a defect of a call that no check reports: it is confirmed by another call, or has timed out",
    () =>
      Effect.gen(function* () {
        const { logged, logger } = recorded()
        const bug = () => Effect.dieMessage("bug")
        assert.deepStrictEqual(yield* Effect.provide(joined("bad.example", bug), logger), [
          "ok severeThreat",
          "ok severeThreat"
        ])
        assert.deepStrictEqual(logged.splice(0), ["A search of Safe Browsing failed"])

        const { single } = yield* setup({
          respond: () => Effect.zipRight(Effect.sleep("2 seconds"), bug()),
          env: { CHECKER_TIMEOUT: "1 second" }
        })
        const check = yield* Effect.fork(Effect.provide(single("good.example/"), logger))
        yield* settled
        yield* later("1 second")
        assert.strictEqual(yield* Fiber.join(check), "timeout")
        yield* later("1 second")
        assert.deepStrictEqual(logged, ["A search of Safe Browsing failed"])
      })
  )

  it.scoped("have failed, but for what memory confirms, and log it if the cache has a defect", () =>
    Effect.gen(function* () {
      const { logged, logger } = recorded()
      const bad = key("bad.example/")
      const inMemory = listedValue("bad.example/", "UNWANTED_SOFTWARE")
      const cache = Layer.mock(Cache, {
        peekMany: (prefixes) => new Map(prefixes.includes(bad) ? [[bad, inMemory]] : []),
        getMany: (prefixes) =>
          prefixes.includes(key("slow.example/"))
            ? Effect.zipRight(Effect.sleep("2 seconds"), Effect.dieMessage("bug"))
            : Effect.dieMessage("bug"),
        store: () => Effect.dieMessage("bug")
      })
      const unhandled = "Fiber terminated with an unhandled error"
      const { single } = yield* setup({ cache, env: { ...databaseEnv, CHECKER_TIMEOUT: "1 second" } })
      assert.strictEqual(yield* Effect.provide(single("good.example/"), logger), "failed")
      assert.deepStrictEqual(logged.splice(0), [unhandled, "A checker failed"])
      assert.strictEqual(yield* Effect.provide(single("bad.example/login"), logger), "ok unwantedSoftware")
      assert.deepStrictEqual(logged.splice(0), [unhandled])

      const slow = yield* Effect.fork(Effect.provide(single("slow.example/"), logger))
      yield* settled
      yield* later("1 second")
      assert.strictEqual(yield* Fiber.join(slow), "timeout")
      yield* later("1 second")
      assert.deepStrictEqual(logged.splice(0), [unhandled])

      // Without a database only the response is stored.
      const { single: unread } = yield* setup({ cache })
      assert.strictEqual(yield* Effect.provide(unread("good.example/"), logger), "ok")
      yield* settled
      assert.deepStrictEqual(logged, [unhandled])
    })
  )

  it.scoped("have the answer of a joined call about a prefix in a list, also if their own call fails", () =>
    Effect.gen(function* () {
      const lists = localLists({ threats: ["good.example/"] })
      assert.deepStrictEqual(yield* joined("good.example", status(500), { mode: "real-time", lists }), [
        "ok",
        "stale"
      ])
    }).pipe(silent)
  )

  it.scoped("time out together with CHECKER_TIMEOUT, which begins when they ask", () =>
    Effect.gen(function* () {
      const { single } = yield* setup({
        respond: () => Effect.never,
        env: { CHECKER_TIMEOUT: "1 second" }
      })
      const both = yield* Effect.fork(together(single, ["a.example/", "b.example/"]))
      yield* settled
      yield* later("999 millis")
      assert.isNull(both.unsafePoll())
      yield* later("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(both), ["timeout", "timeout"])
    })
  )
})
