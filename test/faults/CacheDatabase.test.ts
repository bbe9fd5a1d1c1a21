import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as RedisServer from "../fixtures/RedisServer.ts"
import { until } from "../fixtures/Until.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"
import * as Upstream from "../fixtures/Upstream.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** A database, a proxy in front of it, and the configuration of a service. */
const setUp = Effect.gen(function* () {
  const server = yield* RedisServer.make
  const redis = { path: server.path, stop: server.stop }
  const database = yield* UpstashRestFront.make(redis)
  const proxy = yield* Upstream.make({ target: database.url })
  return {
    redis,
    database,
    proxy,
    env: {
      CACHE_REST_URL: `http://127.0.0.1:${proxy.port}/`,
      CACHE_REST_TOKEN: Redacted.value(database.token)
    }
  }
})
type SetUp = Effect.Effect.Success<typeof setUp>

const AWAY = "shared (unreachable, in-process meanwhile)"

const check = (service: WatchedService.WatchedService) =>
  Effect.tap(service.check(WatchedService.submission("new.example")), ({ status }) =>
    Effect.sync(() => assert.strictEqual(status, 200))
  )

const sharedAgain = (service: WatchedService.WatchedService) =>
  until(Effect.zipRight(check(service), service.health), ({ cache }) => cache === "shared")

/** Waits until the database counts again and the log has the outage and the recovery. */
const assertRecovered = (
  service: WatchedService.WatchedService,
  { database }: SetUp,
  logged: number,
  reason: RegExp
) =>
  Effect.gen(function* () {
    yield* sharedAgain(service)
    yield* UpstashRestFront.setCounter(database, 500)
    yield* until(check(service), ({ counted }) => counted > 500)
    const lines = yield* until(
      Effect.map(check(service), () =>
        service
          .log()
          .slice(logged)
          .filter(({ service }) => service === "Cache")
          .map(({ level, message, reason }) => `${level} ${message} ${reason ?? ""}`)
      ),
      // On a machine under load a late response may be one more outage.
      (lines) => lines.length % 2 === 0 && lines.length > 0
    )
    for (const [index, line] of lines.entries())
      if (index % 2 === 1) assert.strictEqual(line, "info Cache database is used again ")
      else
        assert.match(line, /^warning Cache database failed, counting and caching in this process meanwhile /)
    assert.isTrue(
      lines.some((line) => reason.test(line)) || lines.some((line) => /Timeout$/.test(line)),
      lines.join("\n")
    )
  })

interface Scenario {
  readonly name: string
  readonly begin: (setUp: SetUp) => Effect.Effect<unknown>
  readonly end: (setUp: SetUp) => Effect.Effect<unknown>
  /** The reason in the log. */
  readonly reason: RegExp
  /** The database loses the counter. */
  readonly isEmptied?: true
}

const ofProxy = (fault: Upstream.Fault, reason: RegExp): Scenario => ({
  name: `its proxy has the fault: ${fault}`,
  begin: ({ proxy }) => proxy.misbehave(fault),
  end: ({ proxy }) => proxy.heal,
  reason
})

const scenarios: ReadonlyArray<Scenario> = [
  ofProxy("refuses", /Unreachable \((ECONNREFUSED|ECONNRESET|EPIPE)\)$/),
  ofProxy("accepts and sends nothing", /Timeout$|Unreachable \((ECONNRESET|EPIPE)\)$/),
  ofProxy("resets in mid-body", /(Unreachable \([A-Z_]+\)|Malformed)$/),
  ofProxy("a byte a second", /Timeout$/),
  ofProxy("500", /Malformed$/),
  ofProxy("429", /Malformed$/),
  ofProxy("HTML", /Malformed$/),
  ofProxy("garbage", /Malformed$/),
  ofProxy("endless", /Timeout$|Malformed$/),
  {
    name: "it is slower than its timeout",
    begin: ({ database }) =>
      Effect.sync(() => {
        database.delayMillis = 1000
      }),
    end: ({ database }) =>
      Effect.sync(() => {
        database.delayMillis = 0
      }),
    reason: /Timeout$/
  },
  {
    name: "it responds with values of the wrong type",
    begin: ({ database }) =>
      Effect.sync(() => {
        database.fault = (response) => response.end('[{"result":[-1,"soon"]},{"result":[[1],[2]]}]')
      }),
    end: ({ database }) =>
      Effect.sync(() => {
        database.fault = undefined
      }),
    reason: /Malformed$/
  },
  {
    name: "it is full",
    begin: ({ database }) => UpstashRestFront.command(database, ["CONFIG", "SET", "maxmemory", "1"]),
    end: ({ database }) => UpstashRestFront.command(database, ["CONFIG", "SET", "maxmemory", "0"]),
    reason: /Refused \((OOM|ERR)\)$|Refused$/
  },
  {
    name: "it is replaced by an empty one",
    begin: ({ redis }) => redis.stop,
    end: () => Effect.void,
    reason: /Refused \(ERR\)$|Unreachable/,
    isEmptied: true
  }
]

describe.skipIf(!RedisServer.isInstalled)("a cache database with a fault (needs redis-server)", () => {
  for (const { name, begin, end, reason, isEmptied } of scenarios)
    it.concurrent(`does not stop the counting when ${name}`, () =>
      Effect.gen(function* () {
        const world = yield* setUp
        const service = yield* WatchedService.make(world.env)
        yield* sharedAgain(service)
        const handles = service.handles().length
        yield* UpstashRestFront.setCounter(world.database, 100)
        const { counted } = yield* until(check(service), ({ counted }) => counted > 100)

        const logged = service.log().length
        yield* begin(world)
        for (let sent = 1; sent <= 20; sent++)
          assert.strictEqual((yield* check(service)).counted, counted + sent, "the process counts")
        yield* until(service.health, ({ cache }) => cache === AWAY)

        if (isEmptied === true) world.redis.path = (yield* RedisServer.make).path
        yield* end(world)
        yield* assertRecovered(service, world, logged, reason)
        yield* until(
          Effect.sync(() => service.handles().length),
          (open) => open <= handles + 1
        )
      }).pipe(Effect.scoped, Effect.runPromise))

  it.scopedLive("serves while it is down from the start, and counts with it later", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      yield* world.proxy.misbehave("refuses")
      const service = yield* WatchedService.make(world.env)
      for (let sent = 1; sent <= 20; sent++) assert.strictEqual((yield* check(service)).counted, sent)
      assert.deepInclude(yield* service.health, { httpStatus: 200, cache: AWAY })
      yield* world.proxy.heal
      yield* assertRecovered(service, world, 0, /Unreachable \(ECONNREFUSED\)$/)
    })
  )

  it.scopedLive("logs that the token is wrong, counts in the process, and does not print the token", () =>
    Effect.gen(function* () {
      const { env } = yield* setUp
      const service = yield* WatchedService.make({
        ...env,
        CACHE_REST_TOKEN: `wrong-${WatchedService.SECRET}`
      })
      for (let sent = 1; sent <= 20; sent++) assert.strictEqual((yield* check(service)).counted, sent)
      yield* until(service.health, ({ cache }) => cache === AWAY)
      const reasons = service.log().flatMap(({ reason }) => reason ?? [])
      assert.deepStrictEqual(reasons, ["Refused (WRONGPASS)"])
      // The log has the first failure, which on a machine under load may be a timeout.
    }).pipe(Effect.sandbox, Effect.retry({ times: 2 }))
  )
})
