import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Option } from "effect"
import type { FeedStatus } from "../../src/Checkers/ThreatFeed/FeedStatus.ts"
import type { ThreatFeed } from "../../src/Checkers/ThreatFeed.ts"
import { send } from "../fixtures/Request.ts"
import { noFeeds, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

const feed = (status: FeedStatus): Option.Option<ThreatFeed> =>
  Option.some({ sourceName: status.sourceName, current: Option.none, status: Effect.succeed(status) })

const waiting: FeedStatus = {
  sourceName: "PhishTank",
  current: Option.none(),
  refreshError: Option.some({ message: "Status (403)", at: 60_000 }),
  saveError: Option.none()
}

const holding: FeedStatus = {
  sourceName: "TweetFeed",
  current: Option.some({ entries: 3, skipped: 2, ignored: 1, fetchedAt: 0, isStale: true }),
  refreshError: Option.none(),
  saveError: Option.some({ message: "not saved (EROFS)", at: 1000 })
}

const idle = { checkAll: () => Effect.succeed([]) }
const off = { enabled: false }

describe("GET /health/ready", () => {
  it.scoped("is 200 when every enabled feed holds a list, old or not, and tells all about it", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest(
        { ...idle, latest: Effect.succeed(new Map([["reputation_lookup", "timeout"]] as const)) },
        { REPUTATION_API_KEY: "key-secret" },
        { ...noFeeds, feed_b: feed(holding) }
      )
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
            fetchedAt: "1970-01-01T00:00:00.000Z",
            stale: true,
            lastError: null,
            saveError: { message: "not saved (EROFS)", at: "1970-01-01T00:00:01.000Z" }
          },
          feed_c: off,
          feed_d: off
        },
        cache: "in-process",
        reputationLookup: "configured",
        checkers: { reputation_lookup: "timeout" }
      })
      assert.notInclude(answer.body, "secret")
    })
  )

  it.scoped("is 503 while one enabled feed holds none, and tells why", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest(
        idle,
        {},
        { ...noFeeds, feed_b: feed(holding), feed_c: feed(waiting) }
      )
      const answer = yield* send(port, { method: "GET", path: "/health/ready" })
      assert.strictEqual(answer.status, 503)
      const body = JSON.parse(answer.body)
      assert.strictEqual(body.status, "not-ready")
      assert.strictEqual(body.reputationLookup, "not-configured")
      deepStrictEqual(body.feeds.feed_c, {
        enabled: true,
        source: "PhishTank",
        entries: 0,
        ignored: 0,
        skipped: 0,
        fetchedAt: null,
        stale: false,
        lastError: { message: "Status (403)", at: "1970-01-01T00:01:00.000Z" },
        saveError: null
      })
    })
  )

  it.scoped("is 200 with every feed off", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest(idle)
      assert.strictEqual((yield* send(port, { method: "GET", path: "/health/ready" })).status, 200)
    })
  )
})
