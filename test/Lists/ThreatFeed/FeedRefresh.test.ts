import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import type { ListError } from "../../../src/Lists/ListError.ts"
import type { BuildRequest, NewDocument, NotModified } from "../../../src/Lists/ListWorker/Messages.ts"
import { ListWorker } from "../../../src/Lists/ListWorker.ts"
import type { Feed } from "../../../src/Lists/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../../../src/Lists/ThreatFeed/FeedRefresh.ts"
import type { FeedSnapshot } from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import { ThreatListBuilder } from "../../../src/Lists/ThreatList/ThreatListBuilder.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import { addAll, listOf } from "../../fixtures/ThreatLists.ts"

const now = Date.UTC(2026, 10, 21, 9)

const feed = (changes: Partial<Feed> = {}): Feed => ({
  slot: "feed_a",
  url: new URL("https://feeds.example/a%2Fb?Signature=a~b-c_%2F%2B+d%20e&Expires=1&x#fragment"),
  format: "lines",
  column: Option.none(),
  authHeader: Option.none(),
  source: { name: "feeds.example", category: "malicious" },
  refresh: Duration.hours(1),
  retention: Duration.zero,
  ...changes
})

const hosts = (count: number) => Array.from({ length: count }, (_, i) => `http://h${i}.example/`)

const previous: FeedSnapshot = {
  list: listOf(hosts(2)),
  fetchedAt: now - 3_600_000,
  answeredAt: now - 3_600_000,
  validators: { etag: '"x"', lastModified: "Sat, 21 Nov 2026 08:00:00 GMT" },
  counts: { skipped: 1, ignored: 2, firstSkipped: [] },
  shrunkenSince: undefined
}

const document = (count: number): NewDocument => ({
  _tag: "NewDocument",
  bytes: listOf(hosts(count)).bytes,
  counts: { skipped: 3, ignored: 4, firstSkipped: [] },
  validators: { etag: '"new"', lastModified: undefined }
})

const notModified: NotModified = { _tag: "NotModified", bytes: undefined }

/** Refreshes at `now`, and gives the request for the worker too. */
const refreshed = (
  response: Effect.Effect<NewDocument | NotModified, ListError>,
  changes: Partial<Feed> = {},
  before: Option.Option<FeedSnapshot> = Option.none()
) =>
  Effect.gen(function* () {
    const requests: Array<BuildRequest> = []
    yield* TestClock.setTime(now)
    const result = yield* Effect.either(FeedRefresh.request(feed(changes), before)).pipe(
      Effect.provide(
        Layer.mock(ListWorker, {
          build: (request) => {
            requests.push(request)
            return response
          }
        })
      )
    )
    const [request] = requests
    if (request === undefined) return assert.fail("the worker got no request")
    return { result, request }
  })

const requestOf = (changes: Partial<Feed> = {}, before = Option.none<FeedSnapshot>()) =>
  Effect.map(refreshed(Effect.succeed(document(2)), changes, before), ({ request }) => request)

describe("FeedRefresh", () => {
  describe("the request", () => {
    it.effect("is for a list of hosts with up to 8,388,608 names, if the list is that of new domains", () =>
      Effect.gen(function* () {
        const [names, rows] = [yield* requestOf({ slot: "new_domains" }), yield* requestOf()]
        assert.deepStrictEqual([names.isHostList, names.limits.maxKeys], [true, 8_388_608])
        assert.deepStrictEqual([rows.isHostList, rows.limits.maxKeys], [false, 2_097_152])
        assert.deepStrictEqual({ ...names.limits, maxKeys: rows.limits.maxKeys }, rows.limits)
      })
    )

    it.effect("has the address as it is, without fragment, and is unconditional the first time", () =>
      Effect.gen(function* () {
        const request = yield* requestOf()
        assert.deepInclude(request, {
          url: "https://feeds.example/a%2Fb?Signature=a~b-c_%2F%2B+d%20e&Expires=1&x",
          headers: { "accept-encoding": "gzip", "user-agent": "url-threat-scoring/0.1.0" },
          authHeaders: {},
          format: "lines",
          category: "malicious",
          oldestDay: undefined,
          earlier: undefined
        })
      })
    )

    it.effect("names us to PhishTank in PhishTank's form", () =>
      Effect.gen(function* () {
        const { headers } = yield* requestOf({ format: "phishtank-csv" })
        assert.strictEqual(headers["user-agent"], "phishtank/url-threat-scoring/0.1.0")
      })
    )

    it.effect("has the auth header for the feed's own origin only", () =>
      Effect.gen(function* () {
        const authHeader = Option.some({ name: "auth-key", value: Redacted.make("SECRET") })
        const { headers, authHeaders } = yield* requestOf({ authHeader })
        deepStrictEqual(authHeaders, { "auth-key": "SECRET" })
        assert.notInclude(JSON.stringify(headers), "SECRET")
      })
    )

    it.effect("has the validators of the previous list", () =>
      Effect.gen(function* () {
        const { headers, earlier } = yield* requestOf({}, Option.some(previous))
        assert.deepInclude(headers, {
          "if-none-match": '"x"',
          "if-modified-since": "Sat, 21 Nov 2026 08:00:00 GMT"
        })
        assert.isUndefined(earlier)
      })
    )

    it.effect("has the previous list and its hash key when there is a retention", () =>
      Effect.gen(function* () {
        const retention = Duration.hours(10)
        assert.deepInclude(yield* requestOf({ retention }, Option.some(previous)), {
          // The day before `now`.
          oldestDay: 20_777,
          earlier: { bytes: previous.list.bytes, fetchedAt: previous.fetchedAt }
        })
        assert.isUndefined((yield* requestOf({ retention })).earlier)
      })
    )

    it.effect(
      "is unconditional when the retention was switched off and the list still has entries of earlier documents",
      () =>
        Effect.gen(function* () {
          const builder = new ThreatListBuilder(0)
          addAll(builder, hosts(1))
          builder.keep(previous.list, previous.fetchedAt)
          const before = Option.some({ ...previous, list: builder.build() })
          assert.isUndefined((yield* requestOf({}, before)).headers["if-none-match"])
          assert.isDefined(
            (yield* requestOf({ retention: Duration.hours(10) }, before)).headers["if-none-match"]
          )
        })
    )
  })

  it.effect("takes over a new document", () =>
    Effect.gen(function* () {
      const { result } = yield* refreshed(Effect.succeed(document(3)), {}, Option.some(previous))
      const { snapshot, error } = yield* result
      deepStrictEqual(error, Option.none())
      assert.strictEqual(snapshot.list.header.entries, 3)
      assert.deepInclude(snapshot, {
        fetchedAt: now,
        answeredAt: now,
        counts: { skipped: 3, ignored: 4, firstSkipped: [] },
        validators: { etag: '"new"', lastModified: undefined }
      })
    })
  )

  it.effect("refuses a shrunken document", () =>
    Effect.gen(function* () {
      const before = { ...previous, list: listOf(hosts(10)) }
      const { result } = yield* refreshed(Effect.succeed(document(4)), {}, Option.some(before))
      const { snapshot, error } = yield* result
      assert.strictEqual(Option.getOrThrow(error).message, "Shrunken (4 entries after 10)")
      assert.deepInclude(snapshot, { list: before.list, answeredAt: now, shrunkenSince: now })
    })
  )

  it.effect("keeps the list of a document that has not changed, without what expired", () =>
    Effect.gen(function* () {
      const before = Option.some({ ...previous, shrunkenSince: 1 })
      const same = yield* (yield* refreshed(Effect.succeed(notModified), {}, before)).result
      deepStrictEqual(same, {
        snapshot: { ...previous, fetchedAt: now, answeredAt: now },
        error: Option.none()
      })
      const rest = Effect.succeed({ ...notModified, bytes: listOf(hosts(1)).bytes })
      const { snapshot } = yield* (yield* refreshed(rest, {}, before)).result
      assert.strictEqual(snapshot.list.header.entries, 1)
      assert.deepInclude(snapshot, { counts: previous.counts, validators: previous.validators })
    })
  )

  it.effect("fails when the server says 304 although the request named no version", () =>
    Effect.gen(function* () {
      const before = Option.some({ ...previous, validators: { etag: undefined, lastModified: undefined } })
      const { result } = yield* refreshed(Effect.succeed(notModified), {}, before)
      assert.strictEqual((yield* Effect.flip(result)).message, "Status (304)")
    })
  )

  it("is not shared with replicas that send another auth header, which may be refused", () => {
    const digestOf = (authHeader: Feed["authHeader"]) =>
      FeedRefresh.definition(feed({ authHeader })).digest ?? ""
    const keys = ["SECRET-KEY", "OTHER-KEY"].map((key) =>
      Option.some({ name: "auth-key", value: Redacted.make(key) })
    )
    const digests = [...keys, Option.none(), ...keys].map(digestOf)
    assert.strictEqual(new Set(digests).size, 3)
    for (const digest of digests) assert.match(digest, /^[0-9a-f]{64}$/)
  })

  it.effect("fails when the server says 304 although there is no previous list", () =>
    Effect.gen(function* () {
      const { result } = yield* refreshed(Effect.succeed(notModified))
      assert.strictEqual((yield* Effect.flip(result)).message, "Status (304)")
    })
  )

  it.effect("fails after 5 minutes in all, and ends the thread", () =>
    Effect.gen(function* () {
      let isEnded = false
      const isStarted = yield* Deferred.make<void>()
      const hanging = Effect.onInterrupt(
        Effect.zipRight(Deferred.succeed(isStarted, undefined), Effect.never),
        () =>
          Effect.sync(() => {
            isEnded = true
          })
      )
      const fiber = yield* Effect.fork(refreshed(hanging))
      yield* Deferred.await(isStarted)
      yield* adjust("299 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* adjust("1 second")
      const { result } = yield* Fiber.join(fiber)
      assert.strictEqual((yield* Effect.flip(result)).message, "Timeout (5 minutes in all)")
      assert.isTrue(isEnded)
    })
  )
})
