import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import { invented } from "../fixtures/InventedAddresses.ts"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import * as OpenLoad from "../fixtures/OpenLoad.ts"
import { postJson, send } from "../fixtures/Request.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import { until } from "../fixtures/Until.ts"

const SECONDS = Number(process.env.SECONDS ?? 60)

/** More than the maximum in flight, so that requests are rejected. */
const CONNECTIONS = 3000

/** Each connection and each of the 1,024 checks in flight takes some kilobytes. */
const MAX_GROWTH_MB = 256

/** The default timeout of a probe of Kubernetes. */
const PROBE_TIMEOUT_MS = 1000

const urls = invented(1000)

/** The longest lag of the event loop of the service, in seconds. */
const LAG = /^nodejs_eventloop_lag_max_seconds (\S+)$/m

/** Printed for each port, see MachineMemory.js. */
const LISTENING = /^Listening on http:\/\/localhost:(\d+) \(a test\)$/gm

/** The latency of one caller at 50 requests a second. */
const singleCaller = (port: number, seconds: number) =>
  Load.run({ port, connections: 1, urls, length: { seconds }, perSecond: 50 })

/** `probePort` is that of probes and metrics: `ADMIN_PORT` if there is one. */
const probe = (port: number, probePort: number) =>
  Effect.gen(function* () {
    const [[took, health], metrics, check] = yield* Effect.all(
      [
        Effect.timed(send(probePort, { method: "GET", path: "/health/live" })),
        send(probePort, { method: "GET", path: "/metrics" }),
        postJson(port, { url: "https://example.com/" })
      ],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual([health.status, metrics.status], [200, 200])
    if (check.status === 503) {
      assert.strictEqual(check.headers["retry-after"], "1")
      assert.strictEqual(check.body, '{"error":"The service is not available at the moment"}')
    } else assert.strictEqual(check.status, 200)
    return { took: Duration.toMillis(took), lag: 1000 * Number(LAG.exec(metrics.body)?.[1]) }
  })

/** The responses a second to 64 callers, each of which sends its next request after a response. */
const sustainable = ({ port }: LoadedService.LoadedService) =>
  Effect.gen(function* () {
    yield* Load.run({ port, urls, connections: 16, length: { requests: 20_000 } })
    const { perSecond } = yield* Load.run({ port, urls, connections: 64, length: { seconds: 10 } })
    console.log(`  sustainable: ${Math.round(perSecond)} requests/s`)
    return perSecond
  })

/** The responses a second to 256 callers that open a connection for each request. */
const sustainableOnNew = ({ port }: LoadedService.LoadedService) =>
  Effect.gen(function* () {
    const load = { port, urls, connections: 256, perSecond: 100_000, isNewConnectionEach: true }
    yield* OpenLoad.run({ ...load, seconds: 5 })
    const { statuses } = yield* OpenLoad.run({ ...load, seconds: 10 })
    const perSecond = (statuses.get("200") ?? 0) / 10
    console.log(`  sustainable: ${Math.round(perSecond)} requests/s`)
    return perSecond
  })

/** Probes the service during the load, and measures a single caller before and after it. */
const overloaded = (
  name: string,
  service: LoadedService.LoadedService,
  load: Omit<OpenLoad.OpenLoad, "port">,
  { probePort = service.port, begin = Effect.void, end = Effect.void } = {}
) =>
  Effect.gen(function* () {
    yield* singleCaller(service.port, 2)
    const before = yield* singleCaller(service.port, 5)
    const memory = yield* service.memory
    const peaks: Array<number> = []
    const probes: Array<Effect.Effect.Success<ReturnType<typeof probe>>> = []
    const watch = yield* Effect.gen(function* () {
      yield* Effect.sleep("1 second")
      probes.push(yield* probe(service.port, probePort))
      peaks.push(service.resident())
    }).pipe(Effect.forever, Effect.fork)
    yield* begin
    const seen = yield* OpenLoad.run({ port: service.port, ...load })
    yield* end
    const ended = yield* Fiber.poll(watch)
    yield* Fiber.interrupt(watch)
    assert.deepStrictEqual(ended, Option.none(), "every probe got a response")
    yield* Effect.sleep("5 seconds")
    const after = yield* singleCaller(service.port, 5)
    const peak = Math.max(...peaks)
    const longest = Math.max(...probes.map(({ took }) => took))
    const lag = Math.max(...probes.map(({ lag }) => lag))
    console.log(`  before: ${Load.describe(before)}`)
    console.log(`  meanwhile: ${OpenLoad.describe(seen)}`)
    console.log(`  five seconds later: ${Load.describe(after)}`)
    console.log(
      `RESULT ${name}: ${probes.length} probes got a response, longest ${Math.round(longest)} ms, lag at most ${Math.round(lag)} ms; resident ${memory.resident.toFixed(0)} MB before, at most ${peak.toFixed(0)}`
    )
    for (const status of seen.statuses.keys()) assert.include(["200", "503"], status)
    assert.isAbove(seen.statuses.get("200") ?? 0, 0)
    assert.isAbove(probes.length, 0)
    assert.isBelow(longest, PROBE_TIMEOUT_MS)
    assert.isBelow(peak - memory.resident, MAX_GROWTH_MB)
    assert.deepStrictEqual([...after.statuses.keys()], [200])
    assert.isBelow(after.p50, 3 * before.p50 + 5, "as fast as before")
  })

describe("a load above the capacity", () => {
  it.scopedLive("of twice the sustainable rate gets 200 or 503, and does not slow down later requests", () =>
    Effect.gen(function* () {
      const service = yield* LoadedService.make()
      const perSecond = 2 * (yield* sustainable(service))
      const load = { urls, connections: CONNECTIONS, seconds: SECONDS, perSecond }
      yield* overloaded(`${SECONDS} s of twice that`, service, load)
    })
  )

  it.scopedLive("on a new connection for each request does not stop probes of ADMIN_PORT", () =>
    Effect.gen(function* () {
      // Node accepts one connection of a port in each turn, so those of the main port wait for as many turns as there are.
      const service = yield* LoadedService.make({ ADMIN_PORT: "0" })
      const ports = () => [...service.output().matchAll(LISTENING)].map(([, port]) => Number(port))
      const [, probePort] = yield* until(Effect.sync(ports), ({ length }) => length === 2)
      const perSecond = 2 * (yield* sustainableOnNew(service))
      const load = { urls, connections: CONNECTIONS, seconds: SECONDS, perSecond, isNewConnectionEach: true }
      yield* overloaded(`${SECONDS} s of twice that on new connections`, service, load, { probePort })
    })
  )

  it.scopedLive("of requests that wait for a hanging reputation service gets 200 or 503 too", () =>
    Effect.gen(function* () {
      const google = yield* SafeBrowsingServer.make()
      const service = yield* LoadedService.make({
        REPUTATION_API_URL: google.url.href,
        REPUTATION_API_KEY: "key"
      })
      const perSecond = 2 * (yield* sustainable(service))
      // Checks of the same URL wait for the same call, so that only MAX_IN_FLIGHT bounds their number.
      const load = {
        urls: ["https://new.example/"],
        connections: CONNECTIONS,
        seconds: SECONDS / 3,
        perSecond
      }
      yield* overloaded(`${SECONDS / 3} s of that, a hanging lookup`, service, load, {
        begin: Effect.sync(() => google.behave({ _tag: "Hang" })),
        end: Effect.sync(() => google.behave({ _tag: "Protobuf" }))
      })
    })
  )
})
