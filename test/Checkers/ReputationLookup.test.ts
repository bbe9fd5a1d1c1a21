import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import {
  ConfigProvider,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Option,
  Ref,
  Scope,
  TestClock,
  Tracer
} from "effect"
import { type CheckerError, type CheckerResult, nothingFound } from "../../src/Checkers/Checker.ts"
import * as ExpressionHash from "../../src/Checkers/ReputationLookup/ExpressionHash.ts"
import type { ThreatType } from "../../src/Checkers/ReputationLookup/HashSearch/HashSearchResponse.ts"
import { HashSearch } from "../../src/Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "../../src/Checkers/ReputationLookup.ts"
import * as Submission from "../../src/Checkers/Submission.ts"
import type { FindingKind } from "../../src/Checkers/Verdict.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as MemoryCache from "../../src/Layers/Cache/MemoryCache.ts"
import { Cache, type CacheEntry } from "../../src/Layers/Cache.ts"
import { HttpGet } from "../../src/Layers/Outbound/HttpGet.ts"
import * as HashSearchDouble from "../fixtures/HashSearchDouble.ts"
import { answer, type Respond, reply, status } from "../fixtures/HashSearchDouble.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"

const KEY = "key-that-nobody-may-see"

/** The subject for `https://HOST/PATH`. */
const subject = (hostAndPath: string): Submission.Submission => Submission.read(`https://${hostAndPath}`, 0)

/** Two expressions: `phish.example.com/` and `example.com/`. */
const phish = subject("phish.example.com/")
const phishHash = ExpressionHash.ofExpression("phish.example.com/")
const parentHash = ExpressionHash.ofExpression("example.com/")
const phishKey = "reputation:1c4fa2f5"
const parentKey = "reputation:73d986e0"

const prefixes = (...expressions: ReadonlyArray<string>) =>
  expressions.map((expression) => ExpressionHash.prefix(ExpressionHash.ofExpression(expression))).sort()

/** A cache that records its reads and writes. */
const makeCache = Effect.map(Effect.clock, (clock) => {
  const values = new Map<string, { readonly value: string; readonly until: number }>()
  const reads: Array<ReadonlyArray<string>> = []
  const writes: Array<CacheEntry> = []
  const layer = Layer.mock(Cache, {
    // As if another replica had stored everything.
    peekMany: (keys) => keys.map(() => Option.none()),
    getMany: (keys) =>
      Effect.sync(() => {
        reads.push(keys)
        return keys.map((key) =>
          Option.fromNullable(values.get(key)).pipe(
            Option.filter(({ until }) => until > clock.unsafeCurrentTimeMillis()),
            Option.map(({ value }) => value)
          )
        )
      }),
    setMany: (entries) =>
      Effect.sync(() => {
        writes.push(...entries)
        for (const { key, value, timeToLive } of entries)
          values.set(key, { value, until: clock.unsafeCurrentTimeMillis() + Duration.toMillis(timeToLive) })
      })
  })
  /** Stores a value without expiry. */
  const put = (key: string, value: string) => values.set(key, { value, until: Number.POSITIVE_INFINITY })
  return { layer, reads, writes, put }
})

const configured = (key: string | undefined, baseUrl: string) =>
  Layer.provide(
    AppConfig.layer,
    Layer.setConfigProvider(
      ConfigProvider.fromMap(
        new Map([
          ["REPUTATION_API_KEY", key ?? ""],
          ["REPUTATION_API_URL", baseUrl]
        ]),
        { pathDelim: "_" }
      )
    )
  )

const lookupLayer = Layer.provide(ReputationLookup.layer, HashSearch.layer)

/** The checker with a double of the HTTP client and a cache of its own. */
const setup = (respond: Respond, key: string | undefined = KEY) =>
  Effect.gen(function* () {
    const cache = yield* makeCache
    const { sent, layer } = HashSearchDouble.make(respond)
    const context = yield* Layer.build(
      Layer.provide(
        lookupLayer,
        Layer.mergeAll(configured(key, "https://lookup.example"), layer, cache.layer)
      )
    )
    return { checker: Context.get(context, ReputationLookup), sent, cache }
  })

/** Runs everything that does not wait for time. */
const settled = TestClock.adjust(0)

/** The result, or the fields of the error. */
const attempt = (check: Effect.Effect<CheckerResult, CheckerError>) =>
  Effect.merge(Effect.mapError(check, ({ checker, reason, cause }) => [checker, reason, cause]))

const found = (kind: FindingKind, suspicion: string): CheckerResult => ({
  findings: [
    {
      kind,
      reason: `${suspicion}. Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory`,
      about: 0
    }
  ],
  stale: false
})
const suspectedPhishing = found(
  "severeThreat",
  "Suspected phishing: this page may trick visitors into revealing personal information"
)
const suspectedMalware = found("severeThreat", "Suspected malware: this page may harm the visitor's device")
const suspectedUnwanted = found(
  "unwantedSoftware",
  "Suspected unwanted software: this page may offer harmful programs"
)
const suspectedApplication = found(
  "unwantedSoftware",
  "Suspected harmful application: this page may offer an app that does harm"
)

describe("ReputationLookup", () => {
  it.scoped("has the configured budget", () =>
    Effect.gen(function* () {
      const { checker } = yield* setup(answer({}))
      assert.strictEqual(checker.id, "reputation_lookup")
      assert.deepStrictEqual(checker.budget, Duration.seconds(2))
    })
  )

  describe("the request", () => {
    it.scoped("contains the 4-byte prefix of every expression of the URL", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup(answer({}))
        assert.deepStrictEqual(yield* checker.check(subject("phish.example.com/login")), nothingFound)
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [prefixes("phish.example.com/login", "phish.example.com/", "example.com/login", "example.com/")]
        )
      })
    )

    it.scoped("is not sent for a URL without a host or with a host of a private network", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup(answer({}))
        assert.deepStrictEqual(yield* checker.check(Submission.read("http://", 0)), nothingFound)
        for (const host of ["192.168.0.1", "[::1]", "intranet", "db.internal"])
          assert.deepStrictEqual(yield* checker.check(subject(`${host}/`)), nothingFound)
        assert.deepStrictEqual([sent, cache.reads], [[], []])
      })
    )

    it.scoped(
      "contains the prefixes of the addresses inside the URL, each once, except of private hosts",
      () =>
        Effect.gen(function* () {
          const { checker, sent } = yield* setup(answer({}))
          for (const rest of [
            "?a=https://a.example/x&b=http://a.example/y",
            "?a=http://192.168.0.1/&b=https://intranet/"
          ])
            assert.deepStrictEqual(yield* checker.check(subject(`phish.example.com/${rest}`)), nothingFound)
          assert.deepStrictEqual(
            yield* checker.check(subject("www.google.com/url?q=http://10.0.0.1/")),
            nothingFound
          )
          const [first = "", second = ""] = [
            "/?a=https://a.example/x&b=http://a.example/y",
            "/?a=http://192.168.0.1/&b=https://intranet/"
          ]
          const own = (rest: string) => [`phish.example.com${rest}`, `example.com${rest}`]
          assert.deepStrictEqual(
            sent.map(({ prefixes }) => prefixes),
            [
              prefixes(...[...own(first), ...own("/"), "a.example/x", "a.example/", "a.example/y"]),
              prefixes(...own(second)),
              prefixes(
                ...["www.google.com", "google.com"].flatMap((host) => [
                  `${host}/url?q=http://10.0.0.1/`,
                  `${host}/url`,
                  `${host}/`
                ])
              )
            ]
          )
        })
    )

    it.scoped("is not sent without a key", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup(answer({}), "")
        assert.deepStrictEqual(yield* attempt(checker.check(phish)), [
          "reputation_lookup",
          "NotConfigured",
          undefined
        ])
        assert.deepStrictEqual([sent, cache.reads], [[], []])
      })
    )
  })

  describe("the finding", () => {
    it.scoped("is the worst threat, in qualified words with Google's advisory", () =>
      Effect.gen(function* () {
        const expected: ReadonlyArray<readonly [ReadonlyArray<ThreatType>, CheckerResult]> = [
          [["SOCIAL_ENGINEERING"], suspectedPhishing],
          [["MALWARE"], suspectedMalware],
          [["UNWANTED_SOFTWARE"], suspectedUnwanted],
          [["POTENTIALLY_HARMFUL_APPLICATION"], suspectedApplication],
          [["MALWARE", "SOCIAL_ENGINEERING"], suspectedPhishing],
          [["UNWANTED_SOFTWARE", "MALWARE"], suspectedMalware],
          [["POTENTIALLY_HARMFUL_APPLICATION", "UNWANTED_SOFTWARE"], suspectedUnwanted]
        ]
        for (const [threats, expectedAnswer] of expected) {
          const { checker } = yield* setup(answer({ "phish.example.com/": threats }))
          assert.deepStrictEqual(yield* checker.check(phish), expectedAnswer)
        }
      })
    )

    it.scoped("is the worst over all expressions of the URL", () =>
      Effect.gen(function* () {
        const { checker } = yield* setup(
          answer({ "phish.example.com/": ["UNWANTED_SOFTWARE"], "example.com/": ["SOCIAL_ENGINEERING"] })
        )
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
      })
    )

    it.scoped("is one of each address, and says how the link has to do with it", () =>
      Effect.gen(function* () {
        const advisory =
          "Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"
        const expected: ReadonlyArray<readonly [ThreatType, FindingKind, string, FindingKind, string]> = [
          [
            "SOCIAL_ENGINEERING",
            "severeThreat",
            "suspected phishing: this page may trick visitors into revealing personal information",
            "carriedListing",
            "phishing: it may trick visitors into revealing personal information"
          ],
          [
            "MALWARE",
            "severeThreat",
            "suspected malware: this page may harm the visitor's device",
            "carriedListing",
            "malware: it may harm the visitor's device"
          ],
          [
            "UNWANTED_SOFTWARE",
            "unwantedSoftware",
            "suspected unwanted software: this page may offer harmful programs",
            "carriedUnwantedSoftware",
            "unwanted software: it may offer harmful programs"
          ],
          [
            "POTENTIALLY_HARMFUL_APPLICATION",
            "unwantedSoftware",
            "suspected harmful application: this page may offer an app that does harm",
            "carriedUnwantedSoftware",
            "a harmful application: it may offer an app that does harm"
          ]
        ]
        for (const [threat, kind, page, carriedKind, of] of expected) {
          const { checker } = yield* setup(answer({ "a.example/x": [threat], "b.example/": [threat] }))
          const link = `www.google.com/url?q=${encodeURIComponent("https://a.example/x?next=https://b.example/y")}`
          assert.deepStrictEqual(yield* checker.check(subject(link)), {
            findings: [
              { kind, reason: `The link leads to a.example: ${page}. ${advisory}`, about: 1 },
              {
                kind: carriedKind,
                reason: `The link carries the address b.example/y, which is suspected of ${of}. ${advisory}`,
                about: 2
              }
            ],
            stale: false
          })
        }
      })
    )

    it.scoped("ignores another hash under the same prefix, in the response and in the cache", () =>
      Effect.gen(function* () {
        const other = Buffer.from(`${phishHash.slice(0, 8)}${"0".repeat(56)}`, "hex").toString("base64")
        const body = JSON.stringify({
          fullHashes: [{ fullHash: other, fullHashDetails: [{ threatType: "MALWARE" }] }],
          cacheDuration: "300s"
        })
        const { checker, sent } = yield* setup(reply(body, { "content-type": "application/json" }))
        assert.deepStrictEqual(yield* checker.check(phish), nothingFound)
        assert.deepStrictEqual(yield* checker.check(phish), nothingFound)
        assert.strictEqual(sent.length, 1)
      })
    )
  })

  describe("the cache", () => {
    it.scoped(
      "stores every requested prefix for the response's duration, listed or not, as digests only",
      () =>
        Effect.gen(function* () {
          const { checker, cache } = yield* setup(answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] }))
          yield* checker.check(phish)
          const timeToLive = Duration.seconds(300)
          assert.deepStrictEqual(cache.writes, [
            {
              key: phishKey,
              value: `[{"hash":"${phishHash}","threats":["SOCIAL_ENGINEERING"]}]`,
              timeToLive
            },
            { key: parentKey, value: "[]", timeToLive }
          ])
        })
    )

    it.scoped("yields an Exit when the result is in memory or there is nothing to look up", () =>
      Effect.gen(function* () {
        const { layer, sent } = HashSearchDouble.make(
          answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })
        )
        const context = yield* Layer.build(
          Layer.provide(
            lookupLayer,
            Layer.mergeAll(configured(KEY, "https://lookup.example"), layer, MemoryCache.layer)
          )
        )
        const { check } = Context.get(context, ReputationLookup)
        assert.isFalse(Exit.isExit(check(phish)))
        deepStrictEqual(check(subject("localhost/")), Exit.succeed(nothingFound))
        yield* check(phish)
        deepStrictEqual(check(phish), Exit.succeed(suspectedPhishing))
        assert.lengthOf(sent, 1)
        yield* TestClock.adjust("1 hour")
        assert.isFalse(Exit.isExit(check(phish)))
      })
    )

    it.scoped("is used until it expires, with one read and no request", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup(answer({ "example.com/": ["SOCIAL_ENGINEERING"] }))
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        yield* TestClock.adjust("299 seconds")
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.strictEqual(sent.length, 1)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.strictEqual(sent.length, 2)
        assert.deepStrictEqual(cache.reads, Array(3).fill([phishKey, parentKey]))
      })
    )

    it.scoped("is used while Retry-After forbids requests", () =>
      Effect.gen(function* () {
        const respond = yield* Ref.make(answer({ "phish.example.com/": ["UNWANTED_SOFTWARE"] }, "60s"))
        const { checker, sent } = yield* setup((request) =>
          Effect.flatMap(Ref.get(respond), (now) => now(request))
        )
        yield* checker.check(phish)
        yield* Ref.set(respond, status(429, { "retry-after": "90" }))
        yield* attempt(checker.check(subject("shop.example.net/")))
        assert.deepStrictEqual(yield* checker.check(phish), suspectedUnwanted)
        yield* TestClock.adjust("60 seconds")
        assert.deepStrictEqual(yield* attempt(checker.check(phish)), [
          "reputation_lookup",
          "Unavailable",
          "waiting for Retry-After"
        ])
        assert.strictEqual(sent.length, 2)
      })
    )

    it.scoped("stores nothing of a failed lookup", () =>
      Effect.gen(function* () {
        const failures: ReadonlyArray<readonly [Respond, string]> = [
          [status(500), "Unavailable"],
          [() => Effect.fail("Transport"), "Unavailable"],
          [reply("<html>", { "content-type": "text/html" }), "Malformed"]
        ]
        for (const [respond, reason] of failures) {
          const { checker, sent, cache } = yield* setup(respond)
          assert.strictEqual((yield* Effect.flip(checker.check(phish))).reason, reason)
          assert.strictEqual((yield* Effect.flip(checker.check(phish))).reason, reason)
          assert.strictEqual(sent.length, 2)
          assert.deepStrictEqual(cache.writes, [])
        }
      })
    )

    it.scoped("stores nothing when the response has no duration, or less than a millisecond", () =>
      Effect.gen(function* () {
        const json = { "content-type": "application/json" }
        for (const respond of [
          reply("{}", json),
          answer({}, "0s"),
          answer({}, "0.0009s"),
          answer({}, "-5s")
        ]) {
          const { checker, sent, cache } = yield* setup(respond)
          yield* checker.check(phish)
          yield* checker.check(phish)
          assert.strictEqual(sent.length, 2)
          assert.deepStrictEqual(cache.writes, [])
        }
      })
    )

    it.scoped("limits the request to the missing prefixes", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup(answer({}))
        yield* checker.check(phish)
        yield* checker.check(subject("shop.example.com/cart"))
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [
            prefixes("phish.example.com/", "example.com/"),
            prefixes("shop.example.com/cart", "shop.example.com/", "example.com/cart")
          ]
        )
      })
    )

    it.scoped("is combined with the response", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup(answer({}))
        cache.put(parentKey, `[{"hash":"${parentHash}","threats":["UNWANTED_SOFTWARE"]}]`)
        assert.deepStrictEqual(yield* checker.check(phish), suspectedUnwanted)
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [prefixes("phish.example.com/")]
        )
      })
    )

    it.scoped("suffices when it has the worst threat, also while the service is down", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup(status(500))
        cache.put(parentKey, `[{"hash":"${parentHash}","threats":["SOCIAL_ENGINEERING"]}]`)
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.deepStrictEqual(sent, [])
      })
    )

    it.scoped("does not suffice when only a carried address has the worst threat", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup(
          answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })
        )
        const listed = (expression: string) => {
          const hash = ExpressionHash.ofExpression(expression)
          cache.put(`reputation:${ExpressionHash.prefix(hash)}`, `[{"hash":"${hash}","threats":["MALWARE"]}]`)
        }
        listed("a.example/")
        const carrying = yield* checker.check(subject("phish.example.com/?next=https://a.example/"))
        assert.deepStrictEqual(
          carrying.findings.map(({ kind }) => kind),
          ["severeThreat", "carriedListing"]
        )
        assert.lengthOf(sent, 1)
        const leading = yield* checker.check(subject("www.google.com/url?q=https://a.example/"))
        assert.deepStrictEqual(
          leading.findings.map(({ kind }) => kind),
          ["severeThreat"]
        )
        assert.lengthOf(sent, 1)
      })
    )

    it.scoped("stores listed prefixes for at most 30 minutes and others for at most 24 hours", () =>
      Effect.gen(function* () {
        const { checker, cache } = yield* setup(
          answer({ "phish.example.com/": ["MALWARE"] }, "315576000000s")
        )
        yield* checker.check(phish)
        assert.deepStrictEqual(
          new Map(cache.writes.map(({ key, timeToLive }) => [key, Duration.toMinutes(timeToLive)])),
          new Map([
            [phishKey, 30],
            [parentKey, 24 * 60]
          ])
        )
      })
    )

    it.scoped("treats a value that cannot be read as missing", () =>
      Effect.gen(function* () {
        for (const value of [
          "",
          "{}",
          "[",
          "null",
          '[{"hash":"abc","threats":["MALWARE"]}]',
          `[{"hash":"${phishHash}","threats":[]}]`,
          `[{"hash":"${phishHash}","threats":["OTHER"]}]`
        ]) {
          const { checker, sent, cache } = yield* setup(
            answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })
          )
          cache.put(phishKey, value)
          cache.put(parentKey, "[]")
          assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
          assert.deepStrictEqual(
            sent.map(({ prefixes }) => prefixes),
            [prefixes("phish.example.com/")]
          )
        }
      })
    )
  })

  describe("a call", () => {
    /** A service that responds after `go`. */
    const controlled = Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const respond: Respond = (request) =>
        Effect.zipRight(Deferred.await(go), answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })(request))
      return { ...(yield* setup(respond)), go: Deferred.succeed(go, undefined) }
    })

    it.effect("yields its result before the cache write ends, for which the shutdown waits a second", () =>
      Effect.gen(function* () {
        const { layer } = HashSearchDouble.make(answer({ "phish.example.com/": ["SOCIAL_ENGINEERING"] }))
        const slowToWrite = Layer.mock(Cache, {
          peekMany: (keys) => keys.map(() => Option.none()),
          getMany: (keys) => Effect.succeed(keys.map(() => Option.none())),
          setMany: () => Effect.never
        })
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(
          Layer.provide(
            lookupLayer,
            Layer.mergeAll(configured(KEY, "https://lookup.example"), layer, slowToWrite)
          ),
          scope
        )
        assert.deepStrictEqual(yield* Context.get(context, ReputationLookup).check(phish), suspectedPhishing)
        const end = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("999 millis")
        assert.isNull(end.unsafePoll())
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(end)
      })
    )

    it.scoped("is shared by concurrent checks that miss the same prefixes, and only by those", () =>
      Effect.gen(function* () {
        const { checker, sent, go } = yield* controlled
        const same = yield* Effect.fork(
          Effect.all([checker.check(phish), checker.check(phish), checker.check(phish)], {
            concurrency: "unbounded"
          })
        )
        yield* settled
        const other = yield* Effect.fork(checker.check(subject("shop.example.net/")))
        yield* settled
        assert.deepStrictEqual(
          sent.map(({ prefixes }) => prefixes),
          [prefixes("phish.example.com/", "example.com/"), prefixes("shop.example.net/", "example.net/")]
        )
        yield* go
        assert.deepStrictEqual(yield* Fiber.join(same), Array(3).fill(suspectedPhishing))
        assert.deepStrictEqual(yield* Fiber.join(other), nothingFound)
      })
    )

    it.scoped("is in the trace of the check that started it, and so is the write to the cache", () =>
      Effect.gen(function* () {
        const traces: Array<string> = []
        const noteTrace = (name: string) =>
          Effect.map(Effect.orDie(Effect.currentParentSpan), ({ traceId }) => {
            traces.push(`${name} ${traceId}`)
          })
        const { layer } = HashSearchDouble.make((request) =>
          Effect.zipRight(noteTrace("call"), answer({})(request))
        )
        const cache = Layer.mock(Cache, {
          peekMany: (keys) => keys.map(() => Option.none()),
          getMany: (keys) => Effect.succeed(keys.map(() => Option.none())),
          setMany: () => noteTrace("write")
        })
        const context = yield* Layer.build(
          Layer.provide(lookupLayer, Layer.mergeAll(configured(KEY, "https://lookup.example"), layer, cache))
        )
        const traceOfCheck = yield* Effect.zipRight(
          Context.get(context, ReputationLookup).check(phish),
          Effect.map(Effect.currentSpan, ({ traceId }) => traceId)
        ).pipe(Effect.withSpan("request"))
        yield* settled
        assert.deepStrictEqual(traces, [`call ${traceOfCheck}`, `write ${traceOfCheck}`])
      })
    )

    it.scoped("shares its failure too, and is not shared after its end", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup((request) => Effect.delay(status(500)(request), "1 second"))
        const both = yield* Effect.fork(
          Effect.all([attempt(checker.check(phish)), attempt(checker.check(phish))], {
            concurrency: "unbounded"
          })
        )
        yield* TestClock.adjust("1 second")
        const expected = ["reputation_lookup", "Unavailable", "status 500"]
        assert.deepStrictEqual(yield* Fiber.join(both), [expected, expected])
        assert.strictEqual(sent.length, 1)
        const again = yield* Effect.fork(attempt(checker.check(phish)))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(again), expected)
        assert.strictEqual(sent.length, 2)
      })
    )

    it.scoped("continues when the check that started it is interrupted", () =>
      Effect.gen(function* () {
        const { checker, sent, go } = yield* controlled
        const interrupted = yield* Effect.fork(checker.check(phish))
        yield* settled
        const waiting = yield* Effect.fork(checker.check(phish))
        yield* settled
        assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(interrupted)))
        yield* go
        assert.deepStrictEqual(yield* Fiber.join(waiting), suspectedPhishing)
        assert.strictEqual(sent.length, 1)
      })
    )

    it.scoped("fills the cache when no check waits for it any more", () =>
      Effect.gen(function* () {
        const { checker, sent, go } = yield* controlled
        const interrupted = yield* Effect.fork(checker.check(phish))
        yield* settled
        yield* Fiber.interrupt(interrupted)
        yield* go
        yield* settled
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.strictEqual(sent.length, 1)
      })
    )

    it.scoped("times out after 10 seconds, and the next check starts another", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup(() => Effect.never)
        const first = yield* Effect.fork(attempt(checker.check(phish)))
        yield* TestClock.adjust("9 seconds")
        const second = yield* Effect.fork(attempt(checker.check(phish)))
        yield* TestClock.adjust("1 second")
        const expected = ["reputation_lookup", "Timeout", undefined]
        assert.deepStrictEqual(yield* Fiber.join(first), expected)
        assert.deepStrictEqual(yield* Fiber.join(second), expected)
        assert.strictEqual(sent.length, 1)
        assert.isTrue(sent[0]?.signal.aborted)
        yield* Effect.fork(checker.check(phish))
        yield* settled
        assert.strictEqual(sent.length, 2)
      })
    )

    it.scoped("is one of at most 256; a check above that is unavailable at once", () =>
      Effect.gen(function* () {
        const { checker, sent, go } = yield* controlled
        const calls = yield* Effect.fork(
          Effect.forEach(Array(256).keys(), (number) => checker.check(subject(`${number}.example/`)), {
            concurrency: "unbounded"
          })
        )
        yield* settled
        assert.deepStrictEqual(yield* attempt(checker.check(phish)), [
          "reputation_lookup",
          "Unavailable",
          "too many calls"
        ])
        assert.strictEqual(sent.length, 256)
        yield* go
        yield* Fiber.join(calls)
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
      })
    )

    it.effect("does not outlive the layer", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const ended = yield* Ref.make(false)
        const { checker, sent } = yield* Scope.extend(
          setup(() => Effect.onInterrupt(Effect.never, () => Ref.set(ended, true))),
          scope
        )
        const caller = yield* Effect.fork(checker.check(phish))
        yield* settled
        assert.strictEqual(sent.length, 1)
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(yield* Ref.get(ended))
        assert.isTrue(sent[0]?.signal.aborted)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.await(caller)))
      })
    )
  })

  it.scoped("shows the key in no error, log or span", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const spans: Array<unknown> = []
      const tracer = Tracer.make({
        context: (execute) => execute(),
        span: (name, parent, context, links, startTime, kind) => ({
          _tag: "Span",
          name,
          spanId: "span",
          traceId: "trace",
          parent,
          context,
          links,
          kind,
          sampled: true,
          status: { _tag: "Started", startTime },
          attributes: new Map(),
          end: () => {},
          attribute: (key, value) => spans.push([key, value]),
          event: () => {},
          addLinks: () => {}
        })
      })
      const record = <Output>(logger: Logger.Logger<unknown, Output>) =>
        Logger.add(Logger.map(logger, (line) => void lines.push(String(line))))
      const loggers = Layer.mergeAll(
        record(Logger.jsonLogger),
        record(Logger.logfmtLogger),
        record(Logger.stringLogger)
      )
      yield* Effect.gen(function* () {
        for (const respond of [
          status(401),
          reply("<html>", { "content-type": "text/html" }),
          () => Effect.fail("Transport" as const)
        ]) {
          const { checker, sent } = yield* setup(respond)
          const error = yield* Effect.flip(checker.check(phish))
          yield* Effect.logError(error)
          yield* Effect.logError("A checker failed", error, yield* Effect.cause(checker.check(phish)))
          lines.push(String(error), error.message, JSON.stringify(error), error.stack ?? "")
          assert.strictEqual(sent[0]?.headers["x-goog-api-key"], KEY)
          assert.isUndefined(sent[0]?.headers.traceparent)
          assert.notInclude(sent[0]?.url ?? KEY, KEY)
        }
      }).pipe(Effect.provide(Layer.merge(loggers, Layer.setTracer(tracer))))
      assert.isAbove(lines.length, 12)
      assert.isTrue(spans.some((span) => String(span).includes("x-goog-api-key")))
      assert.notInclude(lines.join("\n"), KEY)
      assert.notInclude(JSON.stringify(spans), KEY)
    })
  )

  it.scopedLive("sends nothing over the wire but 4-byte prefixes of hashes", () =>
    Effect.gen(function* () {
      const server = yield* SafeBrowsingServer.make()
      server.list("secret-host.example.com/", "SOCIAL_ENGINEERING")
      const cache = yield* makeCache
      const context = yield* Layer.build(
        Layer.provide(
          lookupLayer,
          Layer.mergeAll(configured(KEY, server.url.href), HttpGet.layer, cache.layer)
        )
      )
      const { check } = Context.get(context, ReputationLookup)
      assert.deepStrictEqual(
        yield* check(subject("secret-host.example.com/private/page.html")),
        suspectedPhishing
      )
      server.behave({ _tag: "Json" })
      assert.deepStrictEqual(yield* check(subject("another.example.net/private/")), nothingFound)

      const sent = [
        prefixes(
          ...["secret-host.example.com", "example.com"].flatMap((host) =>
            ["/private/page.html", "/private/", "/"].map((path) => `${host}${path}`)
          )
        ),
        prefixes(
          ...["another.example.net", "example.net"].flatMap((host) => [`${host}/private/`, `${host}/`])
        )
      ]
      assert.deepStrictEqual(
        server.received.map(({ prefixes }) => prefixes),
        sent
      )
      assert.deepStrictEqual(
        server.received.map(({ line }) => line),
        sent.map((prefixes) => {
          const parameters = prefixes.map(
            (prefix) => `&hashPrefixes=${encodeURIComponent(Buffer.from(prefix, "hex").toString("base64"))}`
          )
          return `GET /v5/hashes:search?alt=proto${parameters.join("")} HTTP/1.1`
        })
      )
      for (const { headers, body } of server.received) {
        assert.deepStrictEqual(headers, {
          accept: "application/x-protobuf",
          connection: "keep-alive",
          host: server.url.host,
          "user-agent": "url-threat-scoring/0.1.0",
          "x-goog-api-key": KEY
        })
        assert.strictEqual(body, "")
      }
    })
  )
})
