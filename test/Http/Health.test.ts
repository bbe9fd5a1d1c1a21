import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Option } from "effect"
import { noList, type ThreatFeedsShape } from "../../src/Lists/ThreatFeed.ts"
import { feedWith } from "../fixtures/FeedStatuses.ts"
import { eventuallyLater } from "../fixtures/NextTurn.ts"
import { lookupWith } from "../fixtures/ReputationStatuses.ts"
import { send } from "../fixtures/Request.ts"
import { temporaryFolder } from "../fixtures/ServiceProcess.ts"
import { noCheckers, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

const withoutList = feedWith({
  sourceName: "PhishTank",
  ...noList,
  lastError: Option.some({ message: "Status (403)", at: 60_000 }),
  nextAttemptAt: Option.some(120_000)
})

/** The first attempt runs. */
const fetching = feedWith({ ...noList, nextAttemptAt: Option.none() })

const notSaved = feedWith({
  sourceName: "TweetFeed",
  saveError: Option.some({ message: "not saved (EROFS)", at: 1000 })
})

const off = { enabled: false }

describe("GET /health/ready", () => {
  it.scoped("responds with 200 when every enabled feed has a list, and describes each feed", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: {
          ...noCheckers,
          latest: Effect.succeed(new Map([["reputation_lookup", "timeout"]] as const))
        },
        feeds: { feed_b: notSaved }
      })
      const answer = yield* send(port, { method: "GET", path: "/health/ready" })
      assert.strictEqual(answer.status, 200)
      assert.notProperty(answer.headers, "ratelimit")
      deepStrictEqual(JSON.parse(answer.body), {
        status: "ready",
        feeds: {
          feed_a: off,
          feed_b: {
            enabled: true,
            source: "TweetFeed",
            entries: 3,
            ignored: 1,
            skipped: 2,
            firstSkipped: [{ line: 4, reason: "Network" }],
            fetchedAt: "1970-01-01T00:01:00.000Z",
            stale: false,
            lastError: null,
            saveError: { message: "not saved (EROFS)", at: "1970-01-01T00:00:01.000Z" },
            nextAttemptAt: "1970-01-01T01:01:00.000Z"
          },
          feed_c: off,
          feed_d: off
        },
        popular: off,
        newDomains: off,
        overrides: { allow: off, block: off },
        heuristics: { learnedUpTo: "2026-06-30" },
        cache: "in-process",
        reputationLookup: off,
        checkers: { reputation_lookup: "timeout" }
      })
    })
  )

  it.scoped("is degraded, with 200, while a feed without a list has failed and another has one", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ feeds: { feed_b: notSaved, feed_c: withoutList } })
      const answer = yield* send(port, { method: "GET", path: "/health/ready" })
      assert.strictEqual(answer.status, 200)
      const body = JSON.parse(answer.body)
      assert.strictEqual(body.status, "degraded")
      assert.deepStrictEqual(body.missing, ["feed_c"])
      deepStrictEqual(body.feeds.feed_c, {
        enabled: true,
        source: "PhishTank",
        entries: 0,
        ignored: 0,
        skipped: 0,
        firstSkipped: [],
        fetchedAt: null,
        stale: false,
        lastError: { message: "Status (403)", at: "1970-01-01T00:01:00.000Z" },
        saveError: null,
        nextAttemptAt: "1970-01-01T00:02:00.000Z"
      })
    })
  )

  const states: ReadonlyArray<
    readonly [rule: string, feeds: Partial<ThreatFeedsShape>, status: string, missing?: ReadonlyArray<string>]
  > = [
    ["every enabled feed has a list", { feed_a: notSaved }, "200 ready"],
    ["no feed is enabled", {}, "200 ready"],
    ["a first attempt runs", { feed_a: notSaved, feed_b: fetching }, "503 not-ready", ["feed_b"]],
    [
      "one has failed and the first attempt of another runs",
      { feed_a: notSaved, feed_b: fetching, feed_d: withoutList },
      "503 not-ready",
      ["feed_b", "feed_d"]
    ],
    ["all have failed", { feed_a: withoutList, feed_b: withoutList }, "503 not-ready", ["feed_a", "feed_b"]],
    [
      "one of three has a list and the others have failed",
      { feed_a: withoutList, feed_c: notSaved, feed_d: withoutList },
      "200 degraded",
      ["feed_a", "feed_d"]
    ]
  ]
  for (const [rule, feeds, expected, missing] of states)
    it.scoped(`responds with ${expected} if ${rule}, and with ?strict with 200 only if it is ready`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ feeds })
        const stateAt = (path: string) =>
          Effect.map(send(port, { method: "GET", path }), ({ status, body }) => {
            const parsed = JSON.parse(body)
            return [`${status} ${parsed.status}`, parsed.missing]
          })
        assert.deepStrictEqual(yield* stateAt("/health/ready"), [expected, missing])
        assert.deepStrictEqual(yield* stateAt("/health/ready?notstrict"), [expected, missing])
        const strictly = expected === "200 ready" ? expected : "503 not-ready"
        for (const query of ["strict", "strict=", "a&strict=1"])
          assert.deepStrictEqual(yield* stateAt(`/health/ready?${query}`), [strictly, missing])
      })
    )

  it.scoped("describes the ranking of popular sites, and the rows about them", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        feeds: { feed_a: feedWith(), popular: feedWith({ sourceName: "Majestic Million" }) }
      })
      const body = JSON.parse((yield* send(port, { method: "GET", path: "/health/ready" })).body)
      deepStrictEqual(body.popular, {
        enabled: true,
        source: "Majestic Million",
        entries: 3,
        ignored: 1,
        skipped: 2,
        firstSkipped: [{ line: 4, reason: "Network" }],
        fetchedAt: "1970-01-01T00:01:00.000Z",
        stale: false,
        lastError: null,
        saveError: null,
        nextAttemptAt: "1970-01-01T01:01:00.000Z"
      })
    })
  )

  it.scoped("responds with 200 without the ranking of popular sites", () =>
    Effect.gen(function* () {
      const popular = feedWith({
        ...noList,
        lastError: Option.some({ message: "Status (403)", at: 60_000 })
      })
      const port = yield* serviceUnderTest({ feeds: { feed_b: notSaved, popular } })
      const answer = yield* send(port, { method: "GET", path: "/health/ready" })
      assert.strictEqual(answer.status, 200)
      assert.deepInclude(JSON.parse(answer.body).popular, {
        entries: 0,
        fetchedAt: null,
        lastError: { message: "Status (403)", at: "1970-01-01T00:01:00.000Z" }
      })
    })
  )

  it.scoped("responds with 200 when a list is stale", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ feeds: { feed_a: feedWith({ isStale: true }) } })
      const answer = yield* send(port, { method: "GET", path: "/health/ready" })
      assert.strictEqual(answer.status, 200)
      assert.isTrue(JSON.parse(answer.body).feeds.feed_a.stale)
    })
  )

  it.scoped("describes the operator's lists, and is ready also while one cannot be read again", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "block.txt")
      writeFileSync(file, "example.com\nno URL\n# comment\nexample.net/a\n")
      const port = yield* serviceUnderTest({ env: { BLOCK_LIST: file } })
      const overrides = Effect.map(send(port, { method: "GET", path: "/health/ready" }), (answer) => {
        assert.strictEqual(answer.status, 200)
        assert.notInclude(answer.body, folder)
        return JSON.parse(answer.body).overrides
      })
      const block = {
        enabled: true,
        entries: 2,
        skipped: 1,
        firstSkipped: [{ line: 2, reason: "Not a URL or host" }],
        readAt: "1970-01-01T00:00:00.000Z"
      }
      deepStrictEqual(yield* overrides, { allow: off, block: { ...block, lastError: null } })
      rmSync(file)
      yield* eventuallyLater(
        "the error is shown",
        "10 seconds",
        Effect.map(Effect.orDie(overrides), ({ block }) => block.lastError !== null)
      )
      const failed = (yield* overrides).block
      assert.isAbove(Date.parse(failed.lastError.at), 0)
      deepStrictEqual(failed, {
        ...block,
        lastError: { message: "cannot be read (ENOENT)", at: failed.lastError.at }
      })
      writeFileSync(`${file}.new`, "example.org\n")
      renameSync(`${file}.new`, file)
      yield* eventuallyLater(
        "the error is gone",
        "10 seconds",
        Effect.map(Effect.orDie(overrides), ({ block }) => block.lastError === null)
      )
      const { readAt, ...rest } = (yield* overrides).block
      assert.isAbove(Date.parse(readAt), Date.parse(failed.lastError.at))
      deepStrictEqual(rest, { enabled: true, entries: 1, skipped: 0, firstSkipped: [], lastError: null })
    })
  )

  /** The reputation lookup of a service, as health describes it. */
  const reputationLookup = (lookup: Parameters<typeof lookupWith>[0]) =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        env: { REPUTATION_API_KEY: "key-secret", REPUTATION_API_URL: "https://lookup.example" },
        reputation: lookupWith(lookup)
      })
      const { body, status } = yield* send(port, { method: "GET", path: "/health/ready" })
      assert.strictEqual(status, 200)
      assert.notInclude(body, "secret")
      assert.notInclude(body, "lookup.example")
      return JSON.parse(body).reputationLookup
    })

  it.scoped("describes the reputation lookup: its mode, each local list, and searches", () =>
    Effect.gen(function* () {
      deepStrictEqual(
        yield* reputationLookup({
          mode: "real-time",
          search: { breaker: "closed", lastError: Option.none() },
          lists: [
            {
              name: "se-4b",
              entries: 4_310_277,
              fetchedAt: 60_000,
              isStale: false,
              nextUpdateAt: 1_860_000,
              lastError: Option.none()
            },
            {
              name: "gc-32b",
              entries: 9214,
              fetchedAt: 1000,
              isStale: true,
              nextUpdateAt: 3_600_000,
              lastError: Option.some({ message: "ChecksumMismatch", at: 61_000 })
            }
          ]
        }),
        {
          enabled: true,
          mode: "real-time",
          lists: [
            {
              name: "se-4b",
              entries: 4_310_277,
              fetchedAt: "1970-01-01T00:01:00.000Z",
              stale: false,
              nextUpdate: "1970-01-01T00:31:00.000Z",
              lastError: null
            },
            {
              name: "gc-32b",
              entries: 9214,
              fetchedAt: "1970-01-01T00:00:01.000Z",
              stale: true,
              nextUpdate: "1970-01-01T01:00:00.000Z",
              lastError: { message: "ChecksumMismatch", at: "1970-01-01T00:01:01.000Z" }
            }
          ],
          saveError: null,
          search: { breaker: "closed", lastError: null }
        }
      )
    })
  )

  it.scoped("shows that Safe Browsing refuses the key, and is ready without a local list", () =>
    Effect.gen(function* () {
      const lastError = Option.some({ message: "Safe Browsing refuses REPUTATION_API_KEY (403)", at: 1000 })
      const refused = {
        message: "Safe Browsing refuses REPUTATION_API_KEY (403)",
        at: "1970-01-01T00:00:01.000Z"
      }
      deepStrictEqual(
        yield* reputationLookup({
          mode: "local-list",
          lists: [
            {
              name: "se-4b",
              entries: 0,
              fetchedAt: undefined,
              isStale: false,
              nextUpdateAt: 1_801_000,
              lastError
            }
          ],
          saveError: Option.some({ message: "not saved (EROFS)", at: 2000 }),
          search: { breaker: "open", lastError }
        }),
        {
          enabled: true,
          mode: "local-list",
          lists: [
            {
              name: "se-4b",
              entries: 0,
              fetchedAt: null,
              stale: false,
              nextUpdate: "1970-01-01T00:30:01.000Z",
              lastError: refused
            }
          ],
          saveError: { message: "not saved (EROFS)", at: "1970-01-01T00:00:02.000Z" },
          search: { breaker: "open", lastError: refused }
        }
      )
    })
  )

  it.scoped("shows no list with no-storage, and a search that finds out whether the outage is over", () =>
    Effect.gen(function* () {
      deepStrictEqual(
        yield* reputationLookup({
          mode: "no-storage",
          search: { breaker: "half-open", lastError: Option.some({ message: "Status (503)", at: 0 }) }
        }),
        {
          enabled: true,
          mode: "no-storage",
          lists: [],
          saveError: null,
          search: {
            breaker: "half-open",
            lastError: { message: "Status (503)", at: "1970-01-01T00:00:00.000Z" }
          }
        }
      )
    })
  )

  it.scoped("responds with 200 when every feed is off", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest()
      assert.strictEqual((yield* send(port, { method: "GET", path: "/health/ready" })).status, 200)
    })
  )
})
