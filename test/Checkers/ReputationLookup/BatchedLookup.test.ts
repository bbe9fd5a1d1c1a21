import { assert, describe, it } from "@effect/vitest"
import {
  ConfigProvider,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  FastCheck as fc,
  Layer,
  Logger,
  Option,
  TestClock
} from "effect"
import { type Check, type Checker, nothingFound } from "../../../src/Checkers/Checker.ts"
import * as ExpressionHash from "../../../src/Checkers/ReputationLookup/ExpressionHash.ts"
import { type LocalLists, noLists } from "../../../src/Checkers/ReputationLookup/HashLists.ts"
import { ThreatType } from "../../../src/Checkers/ReputationLookup/HashSearch/HashSearchResponse.ts"
import { HashSearch } from "../../../src/Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "../../../src/Checkers/ReputationLookup.ts"
import * as Submission from "../../../src/Checkers/Submission.ts"
import { AppConfig, type ReputationMode } from "../../../src/Layers/AppConfig.ts"
import { Cache } from "../../../src/Layers/Cache.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import * as HashSearchDouble from "../../fixtures/HashSearchDouble.ts"
import { answer, type Respond, status } from "../../fixtures/HashSearchDouble.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"
import { hashLists, localLists, prefixesOf } from "../../fixtures/ReputationDoubles.ts"

const databaseEnv = { CACHE_REST_URL: "https://cache.example", CACHE_REST_TOKEN: "token" }

interface Setup {
  readonly respond?: Respond
  readonly mode?: ReputationMode
  readonly lists?: LocalLists
  readonly cache?: Layer.Layer<Cache>
  readonly env?: Readonly<Record<string, string>>
}

/** The checker with its searches, and the requests that it sends. */
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
    return {
      checker: Context.get(context, ReputationLookup),
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
const database = (values: ReadonlyMap<string, string>) => {
  const reads: Array<ReadonlyArray<string>> = []
  /** The keys of each write. */
  const writes: Array<ReadonlyArray<string>> = []
  const layer = Layer.mock(Cache, {
    peekMany: (keys) => keys.map(() => Option.none()),
    getMany: (keys) =>
      Effect.sync(() => {
        reads.push(keys)
        return keys.map((key) => Option.fromNullable(values.get(key)))
      }),
    setMany: (entries) => Effect.sync(() => void writes.push(entries.map(({ key }) => key)))
  })
  return { layer, reads, writes }
}

const urlOf = (hostAndPath: string) => Submission.read(`https://${hostAndPath}`, 0)

const batchOf = (checker: Checker) => Option.getOrThrow(Option.fromNullable(checker.batch?.()))

/** The checks of URLs in one batch, which was sent. */
const sentBatch = (checker: Checker, urls: ReadonlyArray<string>) => {
  const { add, send } = batchOf(checker)
  const checks = urls.map((url) => add(urlOf(url)))
  return Effect.as(send, checks)
}

const atOnce = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

/** The status that `Checker-Status` would have, with the number of findings. */
const statusOf = (check: Check) =>
  Effect.match(check, {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ findings, stale }) => `${stale ? "stale" : "ok"} ${findings.length}`
  })

/** Runs everything that does not wait for time, the reading of bodies included. */
const settled = Effect.repeatN(Effect.zipRight(nextTurn, TestClock.adjust(0)), 3)

const later = (duration: Duration.DurationInput) => Effect.zipRight(TestClock.adjust(duration), settled)

/** A service that lists `bad.example/`, and responds after `go`. */
const gated = Effect.map(Deferred.make<void>(), (gate) => ({
  respond: ((request) =>
    Effect.zipRight(Deferred.await(gate), answer({ "bad.example/": ["MALWARE"] })(request))) as Respond,
  go: Effect.zipRight(Deferred.succeed(gate, undefined), settled)
}))

/** 30 expressions each, of hosts of their own. */
const deep = (number: number) => `a.b.c.d.e${number}.example/1/2/3/4/5/6.html?x=1`

const key = (expression: string) => `reputation:${prefixesOf(expression)[0]}`

const listedValue = (expression: string) =>
  JSON.stringify([{ hash: ExpressionHash.ofExpression(expression), threats: ["MALWARE"] }])

describe("a batch of lookups", () => {
  it.scoped("asks about the prefixes of 50 URLs in one request, each once, sorted", () =>
    Effect.gen(function* () {
      const { checker, sent, prefixes, metric } = yield* setup()
      const hosts = Array.from({ length: 50 }, (_, number) => `host${number}.example.com`)
      const urls = hosts.map((host) => `${host}/`)
      const checks = yield* sentBatch(checker, [...urls, ...urls])
      assert.deepStrictEqual(yield* atOnce(checks), Array(100).fill(nothingFound))
      assert.deepStrictEqual(prefixes(), [prefixesOf(...urls, "example.com/")])
      assert.isFalse(/host|example\.com/.test(sent[0]?.url ?? "host"))
      assert.strictEqual(
        metric('threat_scoring_reputation_searches_total{outcome="ok"}'),
        'threat_scoring_reputation_searches_total{outcome="ok"} 1'
      )
    })
  )

  it.scoped("asks about at most 400 prefixes in a request, and about those of a URL in one", () =>
    Effect.gen(function* () {
      const { checker, prefixes } = yield* setup()
      const urls = Array.from({ length: 14 }, (_, number) => deep(number))
      const alone = yield* setup()
      for (const url of urls) yield* alone.checker.check(urlOf(url))
      assert.deepStrictEqual(
        alone.prefixes().map(({ length }) => length),
        Array(14).fill(30)
      )
      yield* atOnce(yield* sentBatch(checker, urls))
      assert.deepStrictEqual(prefixes(), [
        alone.prefixes().slice(0, 13).flat().sort(),
        alone.prefixes()[13] ?? []
      ])
    })
  )

  it.scoped("asks nobody before it is sent, and does not wait for the service then", () =>
    Effect.gen(function* () {
      const { checker, prefixes } = yield* setup({ respond: () => Effect.never })
      const { add, send } = batchOf(checker)
      add(urlOf("shop.example/"))
      yield* settled
      assert.deepStrictEqual(prefixes(), [])
      yield* send
      yield* settled
      assert.deepStrictEqual(prefixes(), [prefixesOf("shop.example/")])
    })
  )

  it.scoped("asks for the URLs of a later send, and for a check that is run without one", () =>
    Effect.gen(function* () {
      const { checker, prefixes } = yield* setup()
      const { add, send } = batchOf(checker)
      const first = add(urlOf("first.example/"))
      yield* send
      const second = add(urlOf("second.example/"))
      yield* send
      const third = add(urlOf("third.example/"))
      assert.deepStrictEqual(yield* atOnce([first, second, third]), Array(3).fill(nothingFound))
      assert.deepStrictEqual(prefixes(), [
        prefixesOf("first.example/"),
        prefixesOf("second.example/"),
        prefixesOf("third.example/")
      ])
    })
  )

  it.scoped("decides at once what needs no request, and sends nothing for it", () =>
    Effect.gen(function* () {
      const { checker, prefixes } = yield* setup()
      yield* checker.check(urlOf("known.example/"))
      const { add, send } = batchOf(checker)
      for (const url of ["known.example/", "192.168.0.1/", "db.internal/"]) {
        const check = add(urlOf(url))
        assert.isTrue(Exit.isExit(check), url)
        assert.deepStrictEqual(yield* check, nothingFound)
      }
      yield* send
      yield* settled
      assert.lengthOf(prefixes(), 1)
      const lists = localLists({ threats: ["bad.example/"] })
      const local = yield* setup({ mode: "local-list", lists })
      const checks = yield* sentBatch(local.checker, ["good.example/", "bad.example/login", "other.example/"])
      assert.deepStrictEqual(checks.map(Exit.isExit), [true, false, true])
      yield* atOnce(checks)
      assert.deepStrictEqual(local.prefixes(), [prefixesOf("bad.example/")])
    })
  )

  it.scoped("gives each check CHECKER_TIMEOUT from its own start, and a later one the late result", () =>
    Effect.gen(function* () {
      const { go, respond } = yield* gated
      const { checker, sent } = yield* setup({ respond, env: { CHECKER_TIMEOUT: "1 second" } })
      const [bad = Effect.never, good = Effect.never] = (yield* sentBatch(checker, [
        "bad.example/",
        "good.example/"
      ])).map(statusOf)
      const first = yield* Effect.fork(bad)
      yield* settled
      yield* later("999 millis")
      assert.isNull(first.unsafePoll())
      yield* later("1 millis")
      assert.strictEqual(yield* Fiber.join(first), "Timeout")

      const second = yield* Effect.fork(good)
      yield* later("500 millis")
      assert.isNull(second.unsafePoll())
      yield* go
      assert.strictEqual(yield* Fiber.join(second), "ok 0")
      yield* later("1 hour")
      assert.strictEqual(yield* bad, "ok 1")
      assert.lengthOf(sent, 1)
    })
  )

  it.scoped("ends the call after 3 seconds, which is the failure of all its URLs", () =>
    Effect.gen(function* () {
      const { checker, sent, metric } = yield* setup({
        respond: () => Effect.never,
        env: { CHECKER_TIMEOUT: "10 seconds" }
      })
      const checks = yield* sentBatch(checker, ["a.example/", "b.example/"])
      const statuses = yield* Effect.fork(atOnce(checks.map(statusOf)))
      yield* settled
      yield* later("2999 millis")
      assert.isNull(statuses.unsafePoll())
      yield* later("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(statuses), ["Timeout", "Timeout"])
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

  it.scoped(
    "is answered in parts by a service that refuses the size of the request, which is no failure",
    () =>
      Effect.gen(function* () {
        const { checker, prefixes, breaker, metric } = yield* setup({
          respond: (request) =>
            (request.prefixes.length > 60 ? status(414) : answer({ "bad.example/": ["MALWARE"] }))(request)
        })
        const urls = [...Array.from({ length: 6 }, (_, number) => deep(number)), "bad.example/"]
        const checks = yield* sentBatch(checker, urls)
        assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), [...Array(6).fill("ok 0"), "ok 1"])
        const [all = []] = prefixes()
        assert.lengthOf(all, 181)
        const parts = [0, 50, 100, 150].map((from) => all.slice(from, from + 50))
        assert.includeDeepMembers(prefixes(), parts)
        assert.strictEqual(yield* breaker, "closed")
        assert.strictEqual(
          metric('threat_scoring_reputation_searches_total{outcome="ok"}'),
          'threat_scoring_reputation_searches_total{outcome="ok"} 1'
        )
      }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scoped("shares a failed call, which is one failure for the circuit breaker", () =>
    Effect.gen(function* () {
      const { checker, sent, breaker } = yield* setup({ respond: status(500) })
      const urls = Array.from({ length: 50 }, (_, number) => `host${number}.example/`)
      for (let batch = 1; batch <= 3; batch++) {
        assert.strictEqual(yield* breaker, "closed")
        const checks = yield* sentBatch(checker, urls)
        assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), Array(50).fill("Unavailable"))
        assert.lengthOf(sent, batch)
        yield* settled
      }
      assert.strictEqual(yield* breaker, "open")
      const checks = yield* sentBatch(checker, urls)
      assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), Array(50).fill("Unavailable"))
      assert.lengthOf(sent, 3)
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scoped("goes on when a check is interrupted, or the one who sent it", () =>
    Effect.gen(function* () {
      const { go, respond } = yield* gated
      const { checker, sent } = yield* setup({ respond })
      const { add, send } = batchOf(checker)
      const [bad, good] = [add(urlOf("bad.example/")), add(urlOf("good.example/"))]
      const sender = yield* Effect.fork(Effect.zipRight(send, Effect.never))
      const first = yield* Effect.fork(bad)
      const second = yield* Effect.fork(statusOf(good))
      yield* settled
      yield* Fiber.interruptAll([sender, first])
      yield* settled
      assert.isFalse(sent[0]?.signal.aborted)
      yield* go
      assert.strictEqual(yield* Fiber.join(second), "ok 0")
      // Its response is cached.
      const known = checker.check(urlOf("bad.example/"))
      assert.isTrue(Exit.isExit(known))
      assert.strictEqual(yield* statusOf(known), "ok 1")
      assert.lengthOf(sent, 1)
    })
  )

  it.scoped("does not ask about prefixes that are cached", () =>
    Effect.gen(function* () {
      const { checker, prefixes } = yield* setup({
        respond: answer({ "example.com/": ["UNWANTED_SOFTWARE"] })
      })
      yield* checker.check(urlOf("known.example.com/"))
      const checks = yield* sentBatch(checker, ["new.example.com/", "other.example.com/"])
      assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), ["ok 1", "ok 1"])
      assert.deepStrictEqual(prefixes().slice(1), [prefixesOf("new.example.com/", "other.example.com/")])
    })
  )

  it.scoped("reads the database once for a request, and stores the response in one command", () =>
    Effect.gen(function* () {
      const { layer, reads, writes } = database(
        new Map([
          [key("known.example/"), "[]"],
          [key("bad.example/"), listedValue("bad.example/")]
        ])
      )
      const { checker, prefixes } = yield* setup({ cache: layer, env: databaseEnv })
      const urls = ["known.example/", "bad.example/", "new.example/", "newer.example/"]
      const checks = yield* sentBatch(checker, urls)
      assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), ["ok 0", "ok 1", "ok 0", "ok 0"])
      yield* settled
      assert.deepStrictEqual(reads, [prefixesOf(...urls).map((prefix) => `reputation:${prefix}`)])
      assert.deepStrictEqual(prefixes(), [prefixesOf("new.example/", "newer.example/")])
      assert.deepStrictEqual(writes, [
        prefixesOf("new.example/", "newer.example/").map((prefix) => `reputation:${prefix}`)
      ])
    })
  )

  it.scoped("does not let a URL that the database knows wait for the search of others", () =>
    Effect.gen(function* () {
      const { layer } = database(
        new Map([
          [key("known.example/"), "[]"],
          [key("bad.example/"), listedValue("bad.example/")]
        ])
      )
      const { checker, sent } = yield* setup({
        cache: layer,
        env: databaseEnv,
        respond: () => Effect.never
      })
      const checks = yield* sentBatch(checker, ["known.example/", "bad.example/", "new.example/"])
      const known = yield* Effect.fork(atOnce(checks.slice(0, 2).map(statusOf)))
      yield* settled
      assert.deepStrictEqual(known.unsafePoll(), Exit.succeed(["ok 0", "ok 1"]))
      assert.lengthOf(sent, 1)
    })
  )

  it.scoped("sends nothing when the database has everything, also while searches are paused", () =>
    Effect.gen(function* () {
      const { layer, reads } = database(new Map([[key("known.example/"), "[]"]]))
      const { checker, sent } = yield* setup({ cache: layer, env: databaseEnv, respond: status(403) })
      yield* statusOf(checker.check(urlOf("new.example/")))
      const checks = yield* sentBatch(checker, ["known.example/", "known.example/"])
      assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), ["ok 0", "ok 0"])
      assert.lengthOf(reads, 2)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.scoped("includes the time of the database in CHECKER_TIMEOUT, which may be the shorter one", () =>
    Effect.gen(function* () {
      const slow = Layer.mock(Cache, {
        peekMany: (keys) => keys.map(() => Option.none()),
        getMany: (keys) =>
          Effect.as(
            Effect.sleep("400 millis"),
            keys.map(() => Option.none())
          ),
        setMany: () => Effect.void
      })
      for (const [cacheTimeout, timeout, requests] of [
        ["500 millis", "1 second", 1],
        ["500 millis", "300 millis", 1]
      ] as const) {
        const { checker, sent } = yield* setup({
          cache: slow,
          respond: () => Effect.never,
          env: { ...databaseEnv, CACHE_TIMEOUT: cacheTimeout, CHECKER_TIMEOUT: timeout }
        })
        const [check = Effect.never] = (yield* sentBatch(checker, ["new.example/"])).map(statusOf)
        const fiber = yield* Effect.fork(check)
        yield* settled
        yield* later(Duration.millis(Duration.toMillis(timeout) - 1))
        assert.isNull(fiber.unsafePoll(), timeout)
        yield* later("1 millis")
        assert.strictEqual(yield* Fiber.join(fiber), "Timeout")
        assert.lengthOf(sent, requests)
      }
    })
  )

  it.scoped("counts local hits and confirmed ones for each URL", () =>
    Effect.gen(function* () {
      const { checker, sent, metric } = yield* setup({
        mode: "local-list",
        lists: localLists({ threats: ["example.com/"] }),
        respond: answer({ "example.com/": ["MALWARE"] })
      })
      const checks = yield* sentBatch(checker, ["a.example.com/", "b.example.com/", "c.example.net/"])
      assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), ["ok 1", "ok 1", "ok 0"])
      assert.lengthOf(sent, 1)
      for (const name of ["local_hits", "confirmed_hits"])
        assert.strictEqual(
          metric(`threat_scoring_reputation_${name}_total `),
          `threat_scoring_reputation_${name}_total 2`
        )
    })
  )

  it.scoped("does not use an answer that another URL has asked for, about a prefix left to the lists", () =>
    Effect.gen(function* () {
      const { checker, prefixes } = yield* setup({
        mode: "real-time",
        // The first address is probably safe, so its prefixes are left to the lists, which have none of them.
        lists: localLists({ likelySafe: ["safe.example.com/"] }),
        respond: answer({ "example.com/": ["MALWARE"] })
      })
      const link = "?next=https://carried.example/"
      const checks = yield* sentBatch(checker, [`safe.example.com/${link}`, "other.example.com/"])
      assert.deepStrictEqual(yield* atOnce(checks.map(statusOf)), ["ok 0", "ok 1"])
      assert.deepStrictEqual(prefixes(), [
        prefixesOf("carried.example/", "other.example.com/", "example.com/")
      ])
    })
  )

  it.effect(
    "has the results of single checks, and asks about the same prefixes, whatever the service does",
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
        fault: fc.option(fc.constantFrom(400, 403, 404, 500, 503))
      })
      const property = fc.asyncProperty(
        arbitrary,
        async ({ urls, listed, cached, fault, mode, ...lists }) => {
          const prepared = Effect.gen(function* () {
            let isDown = false
            const lookup = yield* setup({
              mode,
              lists: localLists(lists),
              respond: (request) =>
                isDown && fault !== null ? status(fault)(request) : answer(listed)(request)
            })
            for (const url of cached) yield* Effect.exit(lookup.checker.check(urlOf(url)))
            yield* nextTurn
            isDown = true
            lookup.sent.length = 0
            return lookup
          })
          const program = Effect.gen(function* () {
            const singles = yield* Effect.forEach(urls, (url) =>
              Effect.gen(function* () {
                const { checker, prefixes } = yield* prepared
                const exit = yield* Effect.exit(checker.check(urlOf(url)))
                return { exit, prefixes: prefixes().flat() }
              })
            )
            const { checker, prefixes } = yield* prepared
            const exits = yield* atOnce((yield* sentBatch(checker, urls)).map(Effect.exit))
            assert.deepStrictEqual(
              exits,
              singles.map(({ exit }) => exit)
            )
            const asked = [...new Set(singles.flatMap(({ prefixes }) => prefixes))].sort()
            assert.deepStrictEqual(prefixes(), asked.length === 0 ? [] : [asked])
          })
          await Effect.runPromise(Effect.provide(Effect.scoped(program), Logger.remove(Logger.defaultLogger)))
        }
      )
      return Effect.promise(() => fc.assert(property, { numRuns: 40 }))
    }
  )
})
