import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ConfigProvider, Context, Duration, Effect, Exit, Fiber, Layer, Option, Ref } from "effect"
import {
  type Check,
  type CheckExit,
  type CheckerError,
  type CheckerResult,
  nothingFound
} from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import { type FindingKind, ownScore } from "../../src/Checkers/Kinds.ts"
import { HashSearch } from "../../src/Checkers/ReputationLookup/HashSearch.ts"
import { reasons, SearchError } from "../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import { ReputationLookup } from "../../src/Checkers/ReputationLookup.ts"
import { AppConfig, type ReputationMode } from "../../src/Layers/AppConfig.ts"
import { Cache, type CacheShape, type ListedHash, type ThreatType } from "../../src/Layers/Cache.ts"
import { HttpGet } from "../../src/Layers/Outbound.ts"
import { HashLists, type ListsAge, type LocalLists, noLists } from "../../src/Lists/HashLists.ts"
import * as ExpressionHash from "../../src/Url/ExpressionHash.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { withoutDetails } from "../fixtures/Findings.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import { outcomesBy } from "../fixtures/Outcomes.ts"
import {
  hashLists,
  hashSearch,
  listing,
  localLists,
  prefixesOf,
  type Search,
  withCheck
} from "../fixtures/ReputationDoubles.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"

const KEY = "key-that-nobody-may-see"

/** The subject for `https://HOST/PATH`. */
const subject = (hostAndPath: string): Submission.Submission => Submission.read(`https://${hostAndPath}`, 0)

/** Two expressions: `phish.example.com/` and `example.com/`. */
const phish = subject("phish.example.com/")
const phishHash = ExpressionHash.ofExpression("phish.example.com/")
const parentHash = ExpressionHash.ofExpression("example.com/")
const phishKey = "1c4fa2f5"
const parentKey = "73d986e0"

const databaseEnv = { CACHE_REST_URL: "https://cache.example", CACHE_REST_TOKEN: "token" }

/** A cache with a database, which records its reads and writes. */
const makeCache = Effect.map(Effect.clock, (clock) => {
  const values = new Map<string, { readonly listed: ReadonlyArray<ListedHash>; readonly until: number }>()
  const reads: Array<ReadonlyArray<string>> = []
  const writes: Array<Parameters<CacheShape["store"]>> = []
  const layer = Layer.mock(Cache, {
    // As if another replica had stored everything.
    peekMany: () => new Map(),
    getMany: (prefixes) =>
      Effect.sync(() => {
        reads.push(prefixes)
        const cached = new Map<string, ReadonlyArray<ListedHash>>()
        for (const prefix of prefixes) {
          const value = values.get(prefix)
          if (value !== undefined && value.until > clock.unsafeCurrentTimeMillis())
            cached.set(prefix, value.listed)
        }
        return cached
      }),
    store: (prefixes, response) =>
      Effect.sync(() => {
        writes.push([prefixes, response])
        const until = clock.unsafeCurrentTimeMillis() + Duration.toMillis(response.cacheDuration)
        for (const prefix of prefixes) {
          const listed = response.listed.filter(({ hash }) => ExpressionHash.prefix(hash) === prefix)
          values.set(prefix, { listed, until })
        }
      })
  })
  /** Stores a hash without expiry. */
  const put = (hash: string, threat: ThreatType) =>
    values.set(ExpressionHash.prefix(hash), {
      listed: [{ hash, threats: [threat] }],
      until: Number.POSITIVE_INFINITY
    })
  return { layer, reads, writes, put }
})

const configured = (env: Readonly<Record<string, string>>) =>
  Layer.provide(
    AppConfig.layer,
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" }))
  )

interface Setup {
  readonly mode?: ReputationMode
  readonly lists?: LocalLists | (() => LocalLists)
  readonly search?: Search
  readonly env?: Readonly<Record<string, string>>
}

const plainResult = ({ findings, stale }: CheckerResult): CheckerResult => ({
  findings: findings.map(withoutDetails),
  stale
})

/** The result with findings as `withoutDetails`. A result that is there at once stays an Exit. */
const plain = (check: Check): Check =>
  Exit.isExit(check) ? Exit.map(check as CheckExit, plainResult) : Effect.map(check, plainResult)

/** The checker with doubles of the lists and of the search, and the prefixes that were searched. */
const build = (
  cache: Layer.Layer<Cache>,
  { mode = "no-storage", lists = noLists, search = listing({}), env = {} }: Setup
) =>
  Effect.gen(function* () {
    const { sent, layer } = hashSearch(search)
    const context = yield* Layer.build(
      ReputationLookup.layer.pipe(
        Layer.provide([layer, hashLists(mode, typeof lists === "function" ? lists : () => lists)]),
        Layer.provide([configured({ REPUTATION_API_KEY: KEY, ...env }), cache])
      )
    )
    const checker = withCheck(Context.get(context, ReputationLookup))
    return {
      checker: { ...checker, check: (asked: Submission.Submission) => plain(checker.check(asked)) },
      sent
    }
  })

/** With a cache of its own, whose reads and writes are recorded. */
const setup = ({ env, ...options }: Setup = {}) =>
  Effect.gen(function* () {
    const cache = yield* makeCache
    return { ...(yield* build(cache.layer, { ...options, env: { ...databaseEnv, ...env } })), cache }
  })

/** With the memory cache of one process. */
const setupInMemory = (options: Setup) => build(Cache.inMemory, options)

const searchError = (reason: SearchError["reason"]) =>
  new SearchError(reason === "Paused" ? { reason } : { reason, detail: "503" })

const failing =
  (reason: SearchError["reason"]): Search =>
  () =>
    searchError(reason)

/** The result, or the fields of the error. */
const attempt = (check: Effect.Effect<CheckerResult, CheckerError>) =>
  Effect.merge(Effect.mapError(check, ({ checker, reason, cause }) => [checker, reason, cause]))

/** The status that `Checker-Status` would have, with the number of findings. */
const statusOf = (check: Effect.Effect<CheckerResult, CheckerError>) =>
  Effect.match(check, {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ findings, stale }) => `${stale ? "stale" : "ok"} ${findings.length}`
  })

const found = (kind: FindingKind, suspicion: string): CheckerResult => ({
  findings: [
    {
      checker: "reputation_lookup",
      kind,
      points: ownScore(kind),
      details: {},
      source: "Google Safe Browsing",
      reason: `${suspicion}. Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory`,
      addressIndex: 0
    }
  ],
  stale: false
})
const phishingOn = (host: string) =>
  found(
    "severeThreat",
    `Suspected phishing: the page on ${host} may trick visitors into revealing personal information`
  )
const suspectedPhishing = phishingOn("phish.example.com")
const suspectedMalware = found(
  "severeThreat",
  "Suspected malware: the page on phish.example.com may harm the visitor's device"
)
const unwantedOn = (host: string) =>
  found("unwantedSoftware", `Suspected unwanted software: the page on ${host} may offer harmful programs`)
const suspectedUnwanted = unwantedOn("phish.example.com")
const suspectedApplication = found(
  "unwantedSoftware",
  "Suspected harmful applications: the page on phish.example.com may offer an app that does harm"
)

const modes = ["no-storage", "local-list", "real-time"] as const

describe("ReputationLookup", () => {
  it.scoped("is not configured without a key", () =>
    Effect.gen(function* () {
      const cache = yield* makeCache
      const context = yield* Layer.build(
        ReputationLookup.layer.pipe(
          Layer.provide([
            Layer.succeed(HashLists, Option.none()),
            Layer.succeed(HashSearch, Option.none()),
            configured({}),
            cache.layer
          ])
        )
      )
      const { check } = withCheck(Context.get(context, ReputationLookup))
      assert.deepStrictEqual(yield* attempt(check(phish)), ["reputation_lookup", "NotConfigured", undefined])
      assert.deepStrictEqual(cache.reads, [])
    })
  )

  describe("a search", () => {
    it.scoped("in no-storage has the prefix of every expression of the URL", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup()
        assert.deepStrictEqual(yield* checker.check(subject("phish.example.com/login")), nothingFound)
        assert.deepStrictEqual(sent, [
          prefixesOf("phish.example.com/login", "phish.example.com/", "example.com/login", "example.com/")
        ])
      })
    )

    it.scoped("is not made for a URL without a host or with a host of a private network", () =>
      Effect.gen(function* () {
        for (const mode of modes) {
          const { checker, sent, cache } = yield* setup({ mode })
          assert.deepStrictEqual(yield* checker.check(Submission.read("http://", 0)), nothingFound)
          for (const host of ["192.168.0.1", "[::1]", "intranet", "db.internal"])
            assert.deepStrictEqual(yield* checker.check(subject(`${host}/`)), nothingFound)
          assert.deepStrictEqual([sent, cache.reads], [[], []])
        }
      })
    )

    it.scoped("has the prefixes of the addresses inside the URL, each once, except of private hosts", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup()
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
        assert.deepStrictEqual(sent, [
          prefixesOf(...[...own(first), ...own("/"), "a.example/x", "a.example/", "a.example/y"]),
          prefixesOf(...own(second)),
          prefixesOf(
            ...["www.google.com", "google.com"].flatMap((host) => [
              `${host}/url?q=http://10.0.0.1/`,
              `${host}/url`,
              `${host}/`
            ])
          )
        ])
      })
    )

    it.scoped("has at most 30 prefixes for an address and 150 for a URL", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup()
        const deep = (name: string) => `a.b.c.d.${name}.example/1/2/3/4/5/6.html?x=1`
        yield* checker.check(subject(deep("e")))
        const carried = ["f", "g", "h", "i", "j"].map(
          (name) => `u=${encodeURIComponent(`https://${deep(name)}`)}`
        )
        yield* checker.check(subject(`a.b.c.d.k.example/1/2/3/4/5/6.html?${carried.join("&")}`))
        assert.deepStrictEqual(
          sent.map(({ length }) => length),
          [30, 150]
        )
      })
    )

    it.scoped("in local-list has only prefixes that are in a list and not cached", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup({
          mode: "local-list",
          lists: localLists({ threats: ["example.com/", "phish.example.com/login"] })
        })
        yield* checker.check(subject("shop.example.net/"))
        yield* checker.check(phish)
        yield* checker.check(subject("phish.example.com/login"))
        assert.deepStrictEqual(sent, [prefixesOf("example.com/"), prefixesOf("phish.example.com/login")])
        assert.deepStrictEqual(cache.reads, [
          [parentKey],
          prefixesOf("phish.example.com/login", "example.com/")
        ])
      })
    )

    it.scoped("in real-time leaves out addresses that the global cache knows and no list has", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup({
          mode: "real-time",
          lists: localLists({ likelySafe: ["example.com/"], threats: ["www.example.com/"] })
        })
        const link = "?next=https://carried.example/"
        for (const host of ["phish.example.com", "www.example.com"])
          assert.deepStrictEqual(yield* checker.check(subject(`${host}/${link}`)), nothingFound)
        assert.deepStrictEqual(sent, [prefixesOf("carried.example/"), prefixesOf("www.example.com/")])
      })
    )
  })

  describe("a decision by the lists", () => {
    it.scoped("yields an Exit, and asks neither the cache database nor Safe Browsing", () =>
      Effect.gen(function* () {
        const table = [
          ["local-list", "fresh", "ok 0"],
          ["local-list", "stale", "stale 0"],
          ["local-list", "unusable", "Unavailable"],
          ["real-time", "fresh", "ok 0"]
        ] as const
        for (const [mode, age, expected] of table) {
          const { checker, sent, cache } = yield* setup({
            mode,
            lists: localLists({ age, likelySafe: ["example.com/"] })
          })
          const outcome = checker.check(phish)
          assert.isTrue(Exit.isExit(outcome))
          assert.strictEqual(yield* statusOf(outcome), expected)
          assert.deepStrictEqual([sent, cache.reads], [[], []])
        }
      })
    )

    it.scoped("is asked for with the lists of the moment of the request", () =>
      Effect.gen(function* () {
        const cache = yield* makeCache
        const moments: Array<number> = []
        const { layer } = hashSearch(listing({}))
        const lists = Layer.succeed(
          HashLists,
          Option.some({
            mode: "local-list" as const,
            current: (now: number) => {
              moments.push(now)
              return localLists()
            },
            status: Effect.succeed([]),
            saveError: Effect.succeedNone
          })
        )
        const context = yield* Layer.build(
          Layer.provide(
            ReputationLookup.layer,
            Layer.mergeAll(Layer.provide(layer, cache.layer), lists, configured({}), cache.layer)
          )
        )
        yield* withCheck(Context.get(context, ReputationLookup)).check(
          Submission.read("https://phish.example.com/", 12345)
        )
        assert.deepStrictEqual(moments, [12345])
      })
    )

    it.scoped("is not changed by a list that arrives during the search", () =>
      Effect.gen(function* () {
        const lists = yield* Ref.make(localLists({ threats: ["phish.example.com/"] }))
        const { checker } = yield* setup({
          mode: "local-list",
          lists: () => Effect.runSync(Ref.get(lists)),
          search: (prefixes) => Effect.zipRight(Ref.set(lists, localLists()), failing("Status")(prefixes))
        })
        assert.strictEqual(yield* statusOf(checker.check(phish)), "Unavailable")
        assert.strictEqual(yield* statusOf(checker.check(phish)), "ok 0")
      })
    )

    it.scoped("says that there is no usable list, where there is none", () =>
      Effect.gen(function* () {
        const { checker } = yield* setup({ mode: "local-list" })
        assert.deepStrictEqual(yield* attempt(checker.check(phish)), [
          "reputation_lookup",
          "Unavailable",
          "no local list, or one that is over 24 hours old"
        ])
      })
    )
  })

  describe("the status", () => {
    const hit = ["phish.example.com/"]
    const rows: ReadonlyArray<readonly [ReputationMode, ListsAge, ReadonlyArray<string>, string, string]> = [
      // mode, age of the lists, hits, status after a failed search, status after a search that lists nothing
      ["real-time", "fresh", [], "stale 0", "ok 0"],
      ["real-time", "stale", [], "stale 0", "ok 0"],
      ["real-time", "unusable", [], "Unavailable", "ok 0"],
      ["real-time", "fresh", hit, "Unavailable", "ok 0"],
      ["real-time", "stale", hit, "Unavailable", "ok 0"],
      ["real-time", "unusable", hit, "Unavailable", "ok 0"],
      ["local-list", "fresh", [], "ok 0", "ok 0"],
      ["local-list", "stale", [], "stale 0", "stale 0"],
      ["local-list", "unusable", [], "Unavailable", "Unavailable"],
      ["local-list", "fresh", hit, "Unavailable", "ok 0"],
      ["local-list", "stale", hit, "Unavailable", "stale 0"],
      ["local-list", "unusable", hit, "Unavailable", "Unavailable"]
    ]

    it.scoped.each(rows)("in %s with %s lists and the hits %j", ([mode, age, threats, failed, answered]) =>
      Effect.gen(function* () {
        const lists = localLists({ age, threats })
        for (const reason of reasons) {
          const { checker, cache } = yield* setup({ mode, lists, search: failing(reason) })
          assert.strictEqual(yield* statusOf(checker.check(phish)), failed, reason)
          assert.deepStrictEqual(cache.writes, [])
        }
        const { checker } = yield* setup({ mode, lists })
        assert.strictEqual(yield* statusOf(checker.check(phish)), answered)
      })
    )

    it.scoped("in no-storage is that of the search", () =>
      Effect.gen(function* () {
        for (const reason of reasons) {
          const { checker } = yield* setup({ search: failing(reason) })
          assert.deepStrictEqual(yield* attempt(checker.check(phish)), [
            "reputation_lookup",
            reason === "Timeout" || reason === "Malformed" ? reason : "Unavailable",
            searchError(reason).message
          ])
        }
      })
    )

    it.scoped(
      "is ok with every finding that is confirmed, whatever fails and however old the lists are",
      () =>
        Effect.gen(function* () {
          for (const mode of modes)
            for (const age of ["fresh", "stale", "unusable"] as const) {
              const { checker, cache } = yield* setup({
                mode,
                lists: localLists({ age, threats: ["phish.example.com/", "example.com/"] }),
                search: failing("Status")
              })
              cache.put(parentHash, "UNWANTED_SOFTWARE")
              assert.deepStrictEqual(yield* checker.check(phish), suspectedUnwanted)
            }
        })
    )
  })

  describe("the end of CHECKER_TIMEOUT", () => {
    it.scoped("is decided by the lists, and the check ends with the status of the table", () =>
      Effect.gen(function* () {
        const table = [
          ["real-time", [], "stale"],
          ["real-time", ["phish.example.com/"], "unavailable"],
          ["local-list", ["phish.example.com/"], "unavailable"],
          ["no-storage", [], "timeout"]
        ] as const
        for (const [mode, threats, expected] of table) {
          const { checker } = yield* setup({
            mode,
            lists: localLists({ threats }),
            search: () => Effect.never
          })
          const checking = yield* Effect.fork(
            outcomesBy(Checkers.make([checker]), "https://phish.example.com/")
          )
          yield* adjust("1999 millis")
          assert.isNull(checking.unsafePoll())
          yield* adjust("1 millis")
          const [outcome] = yield* Fiber.join(checking)
          assert.strictEqual(outcome?.status, expected)
        }
      })
    )

    it.scoped("is that of the configuration", () =>
      Effect.gen(function* () {
        const { checker } = yield* setup({
          mode: "real-time",
          lists: localLists(),
          search: () => Effect.never,
          env: { CHECKER_TIMEOUT: "100 millis" }
        })
        const checking = yield* Effect.fork(statusOf(checker.check(phish)))
        yield* adjust("99 millis")
        assert.isNull(checking.unsafePoll())
        yield* adjust("1 millis")
        assert.strictEqual(yield* Fiber.join(checking), "stale 0")
      })
    )

    it.scoped("does not lose what the cache has confirmed", () =>
      Effect.gen(function* () {
        for (const mode of modes) {
          const { checker, cache } = yield* setup({
            mode,
            lists: localLists({ threats: ["phish.example.com/", "example.com/"] }),
            search: () => Effect.never
          })
          cache.put(parentHash, "UNWANTED_SOFTWARE")
          const checking = yield* Effect.fork(checker.check(phish))
          yield* adjust("2 seconds")
          assert.deepStrictEqual(yield* Fiber.join(checking), suspectedUnwanted)
        }
      })
    )

    it.scoped("includes the time of the cache database", () =>
      Effect.gen(function* () {
        const slow = Layer.mock(Cache, {
          peekMany: () => new Map(),
          getMany: () => Effect.delay(Effect.succeed(new Map()), "150 millis")
        })
        const { checker } = yield* build(slow, {
          mode: "real-time",
          lists: localLists(),
          search: () => Effect.never,
          env: databaseEnv
        })
        const checking = yield* Effect.fork(statusOf(checker.check(phish)))
        yield* adjust("150 millis")
        yield* adjust("1849 millis")
        assert.isNull(checking.unsafePoll())
        yield* adjust("1 millis")
        assert.strictEqual(yield* Fiber.join(checking), "stale 0")
      })
    )

    for (const [time, env] of [
      ["10 millis", {}],
      ["2 seconds", { CACHE_TIMEOUT: "5 seconds" }]
    ] as const)
      it.scoped(`comes before the cache database has answered, if the time is that short: ${time}`, () =>
        Effect.gen(function* () {
          const slow = Layer.mock(Cache, {
            peekMany: () => new Map(),
            getMany: () => Effect.delay(Effect.succeed(new Map()), "4 seconds")
          })
          const { checker, sent } = yield* build(slow, {
            mode: "real-time",
            lists: localLists(),
            search: () => Effect.never,
            env: { CHECKER_TIMEOUT: time, ...databaseEnv, ...env }
          })
          const checking = yield* Effect.fork(statusOf(checker.check(phish)))
          yield* adjust(Duration.subtract(time, "1 millis"))
          assert.isNull(checking.unsafePoll())
          yield* adjust("1 millis")
          assert.strictEqual(yield* Fiber.join(checking), "stale 0")
          // The answer to the search is for the next check.
          assert.deepStrictEqual(sent, [])
          yield* adjust("4 seconds")
          assert.deepStrictEqual(sent, [prefixesOf("phish.example.com/", "example.com/")])
        })
      )
  })

  describe("the finding", () => {
    it.scoped("is the worst threat, in qualified words with Google's advisory", () =>
      Effect.gen(function* () {
        const expected: ReadonlyArray<readonly [readonly [ThreatType, ...Array<ThreatType>], CheckerResult]> =
          [
            [["SOCIAL_ENGINEERING"], suspectedPhishing],
            [["MALWARE"], suspectedMalware],
            [["UNWANTED_SOFTWARE"], suspectedUnwanted],
            [["POTENTIALLY_HARMFUL_APPLICATION"], suspectedApplication],
            [["MALWARE", "SOCIAL_ENGINEERING"], suspectedPhishing],
            [["UNWANTED_SOFTWARE", "MALWARE"], suspectedMalware],
            [["POTENTIALLY_HARMFUL_APPLICATION", "UNWANTED_SOFTWARE"], suspectedUnwanted]
          ]
        for (const [threats, expectedAnswer] of expected) {
          const { checker } = yield* setup({ search: listing({ "phish.example.com/": threats }) })
          assert.deepStrictEqual(yield* checker.check(phish), expectedAnswer)
        }
      })
    )

    it.scoped("is the worst over all expressions of the URL", () =>
      Effect.gen(function* () {
        const { checker } = yield* setup({
          search: listing({
            "phish.example.com/": ["UNWANTED_SOFTWARE"],
            "example.com/": ["SOCIAL_ENGINEERING"]
          })
        })
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
            "phishing",
            "carriedListing",
            "may trick visitors into revealing personal information"
          ],
          ["MALWARE", "severeThreat", "malware", "carriedListing", "may harm the visitor's device"],
          [
            "UNWANTED_SOFTWARE",
            "unwantedSoftware",
            "unwanted software",
            "carriedUnwantedSoftware",
            "may offer harmful programs"
          ],
          [
            "POTENTIALLY_HARMFUL_APPLICATION",
            "unwantedSoftware",
            "harmful applications",
            "carriedUnwantedSoftware",
            "may offer an app that does harm"
          ]
        ]
        for (const [threat, kind, name, carriedKind, may] of expected) {
          const { checker } = yield* setup({
            search: listing({ "a.example/x": [threat], "b.example/": [threat] })
          })
          const link = `www.google.com/url?q=${encodeURIComponent("https://a.example/x?next=https://b.example/y")}`
          assert.deepStrictEqual(yield* checker.check(subject(link)), {
            findings: [
              {
                checker: "reputation_lookup",
                kind,
                points: ownScore(kind),
                details: {},
                source: "Google Safe Browsing",
                reason: `Suspected ${name}: the link leads to a.example, which ${may}. ${advisory}`,
                addressIndex: 1
              },
              {
                checker: "reputation_lookup",
                kind: carriedKind,
                points: ownScore(carriedKind),
                details: {},
                source: "Google Safe Browsing",
                reason: `The link contains the address b.example/y, which is suspected of ${name}: it ${may}. ${advisory}`,
                addressIndex: 2
              }
            ],
            stale: false
          })
        }
      })
    )

    it.scoped("ignores another hash under the same prefix, in the response and in the cache", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup({
          search: () =>
            Effect.succeed({
              listed: [{ hash: `${phishHash.slice(0, 8)}${"0".repeat(56)}`, threats: ["MALWARE"] }],
              cacheDuration: Duration.seconds(300)
            })
        })
        assert.deepStrictEqual(yield* checker.check(phish), nothingFound)
        assert.deepStrictEqual(yield* checker.check(phish), nothingFound)
        assert.strictEqual(sent.length, 1)
      })
    )
  })

  describe("the cache", () => {
    it.scoped("is read once, in memory, without a database", () =>
      Effect.gen(function* () {
        const reads: Array<ReadonlyArray<string>> = []
        const inMemory = Layer.mock(Cache, {
          peekMany: (prefixes) => {
            reads.push(prefixes)
            return new Map()
          },
          getMany: () => Effect.dieMessage("a second read"),
          store: () => Effect.void
        })
        const { checker, sent } = yield* build(inMemory, {})
        assert.strictEqual(yield* statusOf(checker.check(phish)), "ok 0")
        assert.deepStrictEqual(reads, [[phishKey, parentKey]])
        assert.deepStrictEqual(sent, [prefixesOf("phish.example.com/", "example.com/")])
      })
    )

    it.scoped("yields an Exit when the result is in memory or there is nothing to look up", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setupInMemory({
          search: listing({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })
        })
        assert.isFalse(Exit.isExit(checker.check(phish)))
        deepStrictEqual(checker.check(subject("localhost/")), Exit.succeed(nothingFound))
        yield* checker.check(phish)
        deepStrictEqual(checker.check(phish), Exit.succeed(suspectedPhishing))
        assert.lengthOf(sent, 1)
        yield* adjust("1 hour")
        assert.isFalse(Exit.isExit(checker.check(phish)))
      })
    )

    it.scoped("is used until it expires, with one read and no search", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup({
          search: listing({ "example.com/": ["SOCIAL_ENGINEERING"] })
        })
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        yield* adjust("299 seconds")
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.strictEqual(sent.length, 1)
        yield* adjust("1 second")
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.strictEqual(sent.length, 2)
        assert.deepStrictEqual(cache.reads, Array(3).fill([phishKey, parentKey]))
      })
    )

    it.scoped("is used while searches are paused", () =>
      Effect.gen(function* () {
        const respond = yield* Ref.make(
          listing({ "phish.example.com/": ["UNWANTED_SOFTWARE"] }, "60 seconds")
        )
        const { checker, sent } = yield* setup({
          search: (prefixes) => Effect.flatMap(Ref.get(respond), (now) => now(prefixes))
        })
        yield* checker.check(phish)
        yield* Ref.set(respond, () => new SearchError({ reason: "Paused" }))
        assert.deepStrictEqual(yield* checker.check(phish), suspectedUnwanted)
        yield* adjust("60 seconds")
        assert.deepStrictEqual(yield* attempt(checker.check(phish)), [
          "reputation_lookup",
          "Unavailable",
          "Paused"
        ])
        assert.strictEqual(sent.length, 2)
      })
    )

    it.scoped("limits the search to the missing prefixes", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setup()
        yield* checker.check(phish)
        yield* checker.check(subject("shop.example.com/cart"))
        assert.deepStrictEqual(sent, [
          prefixesOf("phish.example.com/", "example.com/"),
          prefixesOf("shop.example.com/cart", "shop.example.com/", "example.com/cart")
        ])
      })
    )

    it.scoped("is combined with the response", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup()
        cache.put(parentHash, "UNWANTED_SOFTWARE")
        assert.deepStrictEqual(yield* checker.check(phish), suspectedUnwanted)
        assert.deepStrictEqual(sent, [prefixesOf("phish.example.com/")])
      })
    )

    it.scoped("suffices when it has the worst threat, also while the service is down", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup({ search: failing("Status") })
        cache.put(parentHash, "SOCIAL_ENGINEERING")
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.deepStrictEqual(sent, [])
      })
    )

    it.scoped("does not suffice when only a carried address has the worst threat", () =>
      Effect.gen(function* () {
        const { checker, sent, cache } = yield* setup({
          search: listing({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })
        })
        cache.put(ExpressionHash.ofExpression("a.example/"), "MALWARE")
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

    it.scoped("does not suffice in memory either when it has less than the worst threat", () =>
      Effect.gen(function* () {
        const { checker, sent } = yield* setupInMemory({
          search: listing({
            "example.com/": ["UNWANTED_SOFTWARE"],
            "a.example/": ["MALWARE"],
            "phish.example.com/": ["SOCIAL_ENGINEERING"],
            "b.example.com/": ["SOCIAL_ENGINEERING"]
          })
        })
        assert.deepStrictEqual(yield* checker.check(subject("example.com/")), unwantedOn("example.com"))
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        yield* checker.check(subject("a.example/"))
        const carrying = yield* checker.check(subject("b.example.com/?next=https://a.example/"))
        assert.deepStrictEqual(
          carrying.findings.map(({ kind }) => kind),
          ["severeThreat", "carriedListing"]
        )
        assert.lengthOf(sent, 4)
      })
    )
  })

  describe("does not repeat a fault of other clients:", () => {
    it.scoped("the cache is consulted also about a prefix that no list has", () =>
      Effect.gen(function* () {
        const lists = yield* Ref.make(localLists({ threats: ["phish.example.com/"] }))
        const { checker, sent } = yield* setupInMemory({
          mode: "local-list",
          lists: () => Effect.runSync(Ref.get(lists)),
          search: listing({ "phish.example.com/": ["SOCIAL_ENGINEERING"] })
        })
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        yield* Ref.set(lists, localLists())
        assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
        assert.lengthOf(sent, 1)
      })
    )

    it.scoped("every matching prefix is kept, not only the first", () =>
      Effect.gen(function* () {
        for (const listed of ["phish.example.com/", "example.com/"]) {
          const { checker, sent } = yield* setup({
            mode: "local-list",
            lists: localLists({ threats: ["phish.example.com/", "example.com/"] }),
            search: listing({ [listed]: ["SOCIAL_ENGINEERING"] })
          })
          assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
          assert.deepStrictEqual(sent, [prefixesOf("phish.example.com/", "example.com/")])
        }
      })
    )

    it.scoped(
      "the result is that of the response, not of the cache, which does not store one without a duration",
      () =>
        Effect.gen(function* () {
          for (const mode of modes) {
            const { checker, sent } = yield* setupInMemory({
              mode,
              lists: localLists({ threats: ["phish.example.com/"] }),
              search: listing({ "phish.example.com/": ["SOCIAL_ENGINEERING"] }, 0)
            })
            for (const searches of [1, 2]) {
              assert.deepStrictEqual(yield* checker.check(phish), suspectedPhishing)
              assert.lengthOf(sent, searches)
            }
          }
        })
    )

    it.scoped("a threat counts whatever list had the prefix", () =>
      Effect.gen(function* () {
        // As if `mw-4b` had the prefix: the lists do not say which of them it is.
        const lists = localLists({ threats: ["phish.example.com/"] })
        for (const [threat, expected] of [
          ["SOCIAL_ENGINEERING", suspectedPhishing],
          ["MALWARE", suspectedMalware],
          ["UNWANTED_SOFTWARE", suspectedUnwanted],
          ["POTENTIALLY_HARMFUL_APPLICATION", suspectedApplication]
        ] as const) {
          const { checker } = yield* setup({
            mode: "local-list",
            lists,
            search: listing({ "phish.example.com/": [threat] })
          })
          assert.deepStrictEqual(yield* checker.check(phish), expected)
        }
      })
    )

    it.scoped("no error is clean: not of a refused key, nor any other", () =>
      Effect.gen(function* () {
        for (const mode of modes)
          for (const reason of reasons) {
            const { checker } = yield* setup({ mode, search: failing(reason) })
            const error = yield* Effect.flip(checker.check(phish))
            assert.strictEqual(error._tag, "CheckerError")
          }
      })
    )

    it.scoped("a service that does not know v5 is not clean", () =>
      Effect.gen(function* () {
        for (const error of [
          new SearchError({ reason: "Status", detail: "404" }),
          new SearchError({ reason: "Malformed", detail: "NoKnownField" })
        ])
          for (const mode of modes) {
            const { checker } = yield* setup({
              mode,
              lists: localLists({ threats: ["phish.example.com/"] }),
              search: () => error
            })
            assert.strictEqual((yield* Effect.flip(checker.check(phish)))._tag, "CheckerError")
          }
      })
    )

    it.scoped("a local hit alone is no finding, and is not cached", () =>
      Effect.gen(function* () {
        const { checker, cache } = yield* setup({
          mode: "local-list",
          lists: localLists({ threats: ["phish.example.com/"] }),
          search: failing("Unreachable")
        })
        assert.strictEqual(yield* statusOf(checker.check(phish)), "Unavailable")
        assert.deepStrictEqual(cache.writes, [])
      })
    )
  })
})

const lookupLayer = ReputationLookup.layer.pipe(
  Layer.provide([HashSearch.layer, hashLists("no-storage", () => noLists)])
)

describe("ReputationLookup with searches", () => {
  it.scopedLive("sends nothing over the wire but 4-byte prefixes of hashes", () =>
    Effect.gen(function* () {
      const server = yield* SafeBrowsingServer.make()
      server.list("secret-host.example.com/", "SOCIAL_ENGINEERING")
      const cache = yield* makeCache
      const context = yield* Layer.build(
        Layer.provide(
          lookupLayer,
          Layer.mergeAll(
            configured({ REPUTATION_API_KEY: KEY, REPUTATION_API_URL: server.url.href }),
            HttpGet.layer,
            cache.layer
          )
        )
      )
      const { check } = withCheck(Context.get(context, ReputationLookup))
      assert.deepStrictEqual(
        yield* plain(check(subject("secret-host.example.com/private/page.html"))),
        phishingOn("secret-host.example.com")
      )
      assert.deepStrictEqual(yield* check(subject("another.example.net/private/")), nothingFound)

      const sent = [
        prefixesOf(
          ...["secret-host.example.com", "example.com"].flatMap((host) =>
            ["/private/page.html", "/private/", "/"].map((path) => `${host}${path}`)
          )
        ),
        prefixesOf(
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
