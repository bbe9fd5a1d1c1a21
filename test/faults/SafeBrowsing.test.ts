import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { ReputationMode } from "../../src/Layers/AppConfig.ts"
import {
  environment,
  KEY,
  listIn,
  logged,
  lookup,
  publish,
  untilEntries,
  untilListed
} from "../fixtures/ListedService.ts"
import * as Machine from "../fixtures/Machine.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until, untilTrue } from "../fixtures/Until.ts"
import * as Upstream from "../fixtures/Upstream.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** A back-off of 15 to 30 minutes takes 9 to 18 seconds, the timeout of an update 0.6. */
const CLOCK_SPEED = 100

/** Not the default: a hundredth of it is too short on a machine under load. */
const CHECKER_TIMEOUT = "60 seconds"

/** Seconds by the clock of the service. */
const WAIT_SECONDS = 300

const LISTS = ["se-4b", "mw-4b", "uws-4b"]

const SEARCHES_FAIL = "Searches of Safe Browsing failed and are paused; probes go on"
const SEARCHES_SUCCEED = "Searches of Safe Browsing succeed again"

/** A server behind a proxy that can refuse connections. */
const setUp = Effect.gen(function* () {
  const google = yield* SafeBrowsingServer.make()
  const proxy = yield* Upstream.make({ target: google.url, clockSpeed: CLOCK_SPEED })
  publish(google, ["listed.example"])
  return { google, proxy, url: `http://127.0.0.1:${proxy.port}/` }
})

/** The lines about lists that cannot be updated. */
const failures = (service: WatchedService.WatchedService) =>
  service.log().filter(({ message }) => String(message).startsWith("safe_browsing: "))

/** How often the lists were updated. */
const updates = (service: WatchedService.WatchedService): number =>
  service.log().filter(({ message }) => String(message).startsWith("safe_browsing is up to date")).length

interface ListFault {
  readonly name: string
  readonly fault: SafeBrowsingServer.ListBehaviour | Upstream.Fault
  /** In health and in the log. */
  readonly error: RegExp
}

const status = (status: number, headers: Record<string, string> = {}): SafeBrowsingServer.Behaviour => ({
  _tag: "Status",
  status,
  headers
})

const listFaults: ReadonlyArray<ListFault> = [
  { name: "refuse connections", fault: "refuses", error: /^Unreachable \(ECONNREFUSED\)$/ },
  { name: "hang", fault: { _tag: "Hang" }, error: /^Timeout/ },
  { name: "are slower than a minute", fault: { _tag: "Slow", millis: 5_000 }, error: /^Timeout/ },
  { name: "are answered with 503", fault: status(503), error: /^Status \(503\)$/ },
  { name: "are answered with 429", fault: status(429, { "retry-after": "60" }), error: /^Status \(429\)$/ },
  { name: "are redirected", fault: status(302, { location: "/elsewhere" }), error: /^Status \(302\)$/ },
  { name: "have a wrong checksum", fault: { _tag: "WrongChecksum" }, error: /^ChecksumMismatch$/ },
  { name: "are cut off", fault: { _tag: "Cut" }, error: /^Malformed$/ },
  { name: "break off", fault: { _tag: "Reset" }, error: /^Unreachable \(ECONNRESET\)$/ },
  { name: "are no protobuf", fault: { _tag: "Garbage" }, error: /^Malformed$/ },
  { name: "are HTML", fault: { _tag: "Html" }, error: /^Malformed \(content type\)$/ },
  { name: "are JSON", fault: { _tag: "Json" }, error: /^Malformed \(content type\)$/ },
  { name: "are in another order", fault: { _tag: "WrongOrder" }, error: /^UnexpectedList$/ },
  { name: "do not end", fault: { _tag: "Endless" }, error: /^(TooLarge|Timeout)/ }
]

describe("updates of Safe Browsing's lists that", () => {
  for (const { name, fault, error } of listFaults)
    it.concurrent(`${name} leave the lists as they are, are named in health and log once, and end`, () =>
      Effect.gen(function* () {
        const { google, proxy, url } = yield* setUp
        for (const list of LISTS) google.lists.setWait(list, WAIT_SECONDS)
        const service = yield* WatchedService.make({
          ...Machine.clock(CLOCK_SPEED),
          ...environment("local-list", url, { CHECKER_TIMEOUT })
        })
        yield* untilListed(service)
        publish(google, ["listed.example", "another.example"])
        if (typeof fault === "string") yield* proxy.misbehave(fault)
        else google.lists.behave(fault)

        const isNamed = (health: WatchedService.Health) =>
          error.test(listIn(health)?.lastError?.message ?? "")
        const health = yield* until(service.health, isNamed, "2 minutes")
        assert.strictEqual(health.httpStatus, 200)
        assert.strictEqual(listIn(health)?.entries, 1)
        const [ofClean] = yield* lookup(service, "clean.example")
        assert.include(["ok", "stale"], ofClean)
        // A search that is not answered within 30 ms fails by this clock.
        const [ofListed, score] = yield* lookup(service, "listed.example")
        assert.isTrue(ofListed === "unavailable" || score === 100, `${ofListed}`)

        const reasons = failures(service).map(({ reason }) => reason)
        assert.isTrue(
          reasons.some((reason) => error.test(String(reason)) || String(reason).startsWith("Timeout"))
        )
        // Once an outage: on a machine under load an update may time out before, which it does early by this clock.
        assert.isAtMost(reasons.length, updates(service), reasons.join())
        yield* proxy.heal
        google.lists.behave({ _tag: "Protobuf" })
        assert.strictEqual((yield* untilEntries(service, 2))?.lastError, null)
        yield* until(service.health, ({ reputationLookup: { lists = [] } }) =>
          lists.every(({ lastError }) => lastError === null)
        )
        assert.isAtLeast(updates(service), 2)
      }).pipe(Effect.scoped, Effect.runPromise))

  it.concurrent("are refused for one name leave that list out, and the others are updated", () =>
    Effect.gen(function* () {
      const { google, url } = yield* setUp
      publish(google, ["malware.example"], "mw-4b")
      google.lists.behave(status(400), "uws-4b")
      const service = yield* WatchedService.make(environment("local-list", url))
      const health = yield* until(
        service.health,
        (health) => listIn(health, "uws-4b")?.lastError != null && listIn(health)?.fetchedAt != null
      )
      assert.strictEqual(listIn(health, "uws-4b")?.lastError?.message, "Safe Browsing refuses this list")
      assert.deepInclude(listIn(health), { entries: 1, lastError: null })
      assert.deepInclude(listIn(health, "mw-4b"), { entries: 1, lastError: null })
      const [line, ...more] = failures(service)
      assert.include(
        String(line?.message),
        "safe_browsing: Safe Browsing refuses uws-4b, left out until a restart. Is REPUTATION_LISTS right?"
      )
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(
        google.lists.received.map(({ names }) => names.join()),
        ["se-4b,mw-4b,uws-4b", "se-4b", "mw-4b", "uws-4b"]
      )
      assert.deepStrictEqual(yield* lookup(service, "clean.example"), ["stale", 0])
      assert.deepStrictEqual(yield* lookup(service, "malware.example"), ["ok", 100])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe("a key that Safe Browsing refuses", () => {
  const refusals: ReadonlyArray<readonly [number, SafeBrowsingServer.Behaviour]> = [
    [401, status(401)],
    [403, status(403)],
    [400, SafeBrowsingServer.KEY_INVALID]
  ]
  for (const [code, refusal] of refusals)
    for (const mode of ["local-list", "real-time", "no-storage"] as const)
      it.concurrent(`is named in health and log, and appears nowhere: ${code} in ${mode}`, () =>
        Effect.gen(function* () {
          const { google, url } = yield* setUp
          google.behave(refusal)
          google.lists.behave(refusal)
          const service = yield* WatchedService.make(environment(mode, url))
          const message = `Safe Browsing refuses REPUTATION_API_KEY (${code})`
          if (mode !== "no-storage") {
            const health = yield* until(service.health, (health) => listIn(health)?.lastError != null)
            for (const list of health.reputationLookup.lists ?? [])
              assert.strictEqual(list.lastError?.message, message)
            const [line, ...more] = failures(service)
            assert.include(String(line?.message), message)
            assert.deepStrictEqual(more, [])
            assert.strictEqual(google.lists.received.length, 1)
          }
          for (const host of ["listed.example", "clean.example", "other.example", "another.example"])
            assert.deepStrictEqual(yield* lookup(service, host), ["unavailable", 0])
          if (mode !== "local-list") {
            const { search } = (yield* service.health).reputationLookup
            assert.strictEqual(search?.lastError?.message, message)
            assert.strictEqual(search?.breaker, "open")
            assert.deepStrictEqual(logged(service, SEARCHES_FAIL), [message])
            // After three requests no other is sent with this key.
            assert.strictEqual(google.received.length, 3)
          }
          assert.notInclude(service.output(), KEY)
        }).pipe(Effect.scoped, Effect.runPromise))
})

/** Statuses while searches fail, with fresh lists. */
const expected: Readonly<
  Record<ReputationMode, readonly [clean: ReadonlyArray<string>, listed: ReadonlyArray<string>]>
> = {
  "local-list": [["ok"], ["unavailable"]],
  "real-time": [["stale"], ["unavailable"]],
  "no-storage": [
    ["unavailable", "timeout", "malformed"],
    ["unavailable", "timeout", "malformed"]
  ]
}

const searchFaults: ReadonlyArray<readonly [string, SafeBrowsingServer.Behaviour | Upstream.Fault, RegExp]> =
  [
    ["refuse connections", "refuses", /^Unreachable \(ECONN\w+\)$/],
    ["hang", { _tag: "Hang" }, /^Timeout$/],
    ["are answered with 500", status(500), /^Status \(500\)$/],
    ["are answered with 503", status(503, { "retry-after": "5" }), /^Status \(503\)$/],
    ["are answered with 429", status(429, { "retry-after": "5" }), /^Status \(429\)$/],
    ["are answered with HTML", { _tag: "Html" }, /^Malformed/]
  ]

/** With the breaker open a check waits for no search. */
const MAX_MILLIS = 1_000

describe("searches of Safe Browsing that", () => {
  for (const [name, fault, error] of searchFaults)
    for (const mode of ["local-list", "real-time", "no-storage"] as const)
      it.concurrent(`${name} are paused, are never clean, and go on: ${mode}`, () =>
        Effect.gen(function* () {
          const { google, proxy, url } = yield* setUp
          const hosts = Array.from({ length: 1_000 }, (_, i) => `listed${i}.example`)
          publish(google, [...hosts, "cached.example"])
          const service = yield* WatchedService.make(environment(mode, url))
          if (mode !== "no-storage") yield* untilListed(service)
          assert.deepStrictEqual(yield* lookup(service, "cached.example"), ["ok", 100])
          assert.deepStrictEqual(yield* lookup(service, "cached.clean.example"), ["ok", 0])
          if (typeof fault === "string") yield* proxy.misbehave(fault)
          else google.behave(fault)

          let next = 0
          const listed = Effect.suspend(() => lookup(service, hosts[next++] ?? ""))
          const clean = Effect.suspend(() => lookup(service, `clean${next++}.example`))
          const isOpen = Effect.zipRight(
            listed,
            Effect.map(service.health, ({ reputationLookup }) => reputationLookup.search)
          )
          const search = yield* until(isOpen, (search) => search?.breaker !== "closed")
          assert.match(search?.lastError?.message ?? "", error)
          for (let i = 0; i < 5; i++) {
            const [time, [ofClean, cleanScore]] = yield* Effect.timed(clean)
            const [ofListed, listedScore] = yield* listed
            assert.include(expected[mode][0], ofClean)
            assert.include(expected[mode][1], ofListed)
            assert.deepStrictEqual([cleanScore, listedScore], [0, 0])
            assert.isBelow(Duration.toMillis(time), MAX_MILLIS)
          }
          // What was confirmed is known.
          assert.deepStrictEqual(yield* lookup(service, "cached.example"), ["ok", 100])
          assert.strictEqual(logged(service, SEARCHES_FAIL).length, 1)
          assert.match(String(logged(service, SEARCHES_FAIL)[0]), error)

          yield* proxy.heal
          google.behave({ _tag: "Protobuf" })
          yield* until(listed, ([status, score]) => status === "ok" && score === 100)
          assert.deepStrictEqual(yield* clean, ["ok", 0])
          assert.deepStrictEqual((yield* service.health).reputationLookup.search, {
            breaker: "closed",
            lastError: null
          })
          assert.strictEqual(logged(service, SEARCHES_SUCCEED).length, 1)
          assert.strictEqual(logged(service, SEARCHES_FAIL).length, 1)
        }).pipe(Effect.scoped, Effect.runPromise))
})

/** The signal of MachineClock.js that sets the clock by an hour. */
const FORWARDS = "SIGUSR2"

describe("lists that are no longer updated", () => {
  for (const mode of ["local-list", "real-time"] as const)
    it.concurrent(`are stale after twice their wait, and decide nothing after a day: ${mode}`, () =>
      Effect.gen(function* () {
        const { google, url } = yield* setUp
        const service = yield* WatchedService.make({ ...Machine.clock(), ...environment(mode, url) })
        yield* untilListed(service)
        google.lists.behave({ _tag: "Hang" })
        google.behave(status(503))
        let hosts = 0
        const clean = Effect.suspend(() => lookup(service, `clean${hosts++}.example`))
        assert.deepStrictEqual(yield* clean, [mode === "local-list" ? "ok" : "stale", 0])

        // One hour each time: the system merges signals that wait.
        const setForwards = service.kill(FORWARDS)
        yield* until(Effect.zipRight(setForwards, service.health), (health) => listIn(health)?.stale === true)
        assert.deepStrictEqual(yield* clean, ["stale", 0])
        yield* until(Effect.zipRight(setForwards, clean), ([status]) => status === "unavailable")
        assert.strictEqual(listIn(yield* service.health)?.entries, 1)
      }).pipe(Effect.scoped, Effect.runPromise))

  it.concurrent("are asked for at once when there are none, and the lookup says that it does not know", () =>
    Effect.gen(function* () {
      const { google, url } = yield* setUp
      google.lists.behave({ _tag: "Hang" })
      const service = yield* WatchedService.make(environment("local-list", url))
      yield* untilTrue(() => google.lists.received.length === 1)
      assert.deepStrictEqual(yield* lookup(service, "clean.example"), ["unavailable", 0])
      assert.strictEqual(google.received.length, 0)
      const asking = yield* WatchedService.make(environment("real-time", url))
      assert.deepStrictEqual(yield* lookup(asking, "clean.example"), ["ok", 0])
      assert.deepStrictEqual(yield* lookup(asking, "listed.example"), ["ok", 100])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe("an answer without a wait", () => {
  it.concurrent("is followed by a request after 15 seconds", () =>
    Effect.gen(function* () {
      const { google, url } = yield* setUp
      for (const name of LISTS) google.lists.setWait(name, 0)
      const folder = yield* ServiceProcess.temporaryFolder
      yield* WatchedService.make(environment("local-list", url, { DATA_DIR: folder }))
      yield* untilTrue(() => google.lists.received.length >= 1)
      const start = Date.now()
      yield* untilTrue(() => google.lists.received.length >= 2)
      assert.isAtLeast(Date.now() - start, 14_000)
    }).pipe(Effect.scoped, Effect.runPromise))
})
