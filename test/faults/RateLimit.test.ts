import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Random, Redacted } from "effect"
import * as RedisServer from "../fixtures/RedisServer.ts"
import { postJson } from "../fixtures/Request.ts"
import { until } from "../fixtures/Until.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** Of the random run. */
const SECONDS = Number(process.env.SECONDS ?? 30)
const SEED = Number(process.env.SEED ?? 17)

/** Sends requests of another client until the replica uses the database. */
const untilShared = (replica: WatchedService.WatchedService) =>
  until(Effect.zipRight(check(replica, "192.0.2.99", 1), replica.health), ({ cache }) => cache === "shared")

/** Two replicas over one database. The clients are the addresses that the requests are forwarded for. */
const setUp = (env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const front = yield* UpstashRestFront.make(yield* RedisServer.make)
    const start = WatchedService.make({
      CACHE_REST_URL: front.url.href,
      CACHE_REST_TOKEN: Redacted.value(front.token),
      TRUSTED_PROXIES: "1",
      ...env
    })
    const replicas = yield* Effect.all([start, start], { concurrency: 2 })
    // The first commands may time out while the machine is under load.
    for (const replica of replicas) yield* untilShared(replica)
    yield* UpstashRestFront.command(front, ["FLUSHALL"])
    return { front, replicas }
  })

/** One request of a client. */
const check = ({ port }: WatchedService.WatchedService, client: string, limit: number) =>
  Effect.map(
    postJson(port, { url: WatchedService.submission("new.example") }, { "x-forwarded-for": client }),
    ({ body, headers, status }) => {
      const [, left, seconds] = /;r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? []
      return {
        isRefused: status === 429,
        current: status === 429 ? Number(JSON.parse(body).current) : limit - Number(left),
        /** Until the window ends, rounded up. */
        seconds: Number(seconds)
      }
    }
  )

/** The counts of requests that a client sends one after the other. */
const checks = (service: WatchedService.WatchedService, client: string, limit: number, requests: number) =>
  Effect.replicateEffect(
    Effect.map(check(service, client, limit), ({ current }) => current),
    requests
  )

const sequence = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** What the database does meanwhile. */
const states: ReadonlyArray<
  readonly [name: string, begin: (front: UpstashRestFront.UpstashRestFront) => void]
> = [
  ["resets connections", (front) => setFault(front, (response) => response.destroy())],
  ["hangs", (front) => setFault(front, () => undefined)],
  ["responds with 500", (front) => setFault(front, (response) => response.writeHead(500).end("down"))],
  [
    "responds too late to every second call",
    (front) => {
      let calls = 0
      front.onRequest = () => {
        front.delayMillis = calls++ % 2 === 0 ? 800 : 0
      }
    }
  ],
  ["is 300 ms away", (front) => setDelay(front, 300)],
  ["counts, but responds too late", (front) => setDelay(front, 800)]
]

const setFault = (front: UpstashRestFront.UpstashRestFront, fault: (response: ServerResponse) => void) => {
  front.fault = fault
}

const setDelay = (front: UpstashRestFront.UpstashRestFront, millis: number) => {
  front.delayMillis = millis
}

const heal = (front: UpstashRestFront.UpstashRestFront) => {
  front.fault = undefined
  front.delayMillis = 0
  front.onRequest = () => undefined
}

/** Lets the database fail at random, half of the time. Sometimes it has lost its data afterwards. */
const failAtRandom = (front: UpstashRestFront.UpstashRestFront, counts: Map<string, number>) =>
  Effect.gen(function* () {
    const [name, begin] = states[yield* Random.nextIntBetween(0, states.length)] ?? ["none", heal]
    counts.set(name, (counts.get(name) ?? 0) + 1)
    begin(front)
    yield* Effect.sleep(yield* Random.nextIntBetween(200, 5000))
    heal(front)
    if ((yield* Random.next) < 0.1) {
      counts.set("is emptied", (counts.get("is emptied") ?? 0) + 1)
      yield* UpstashRestFront.command(front, ["FLUSHALL"])
    }
    yield* Effect.sleep(yield* Random.nextIntBetween(200, 5000))
  })

interface Seen {
  current: number
  passed: number
  /** When the window ends at the latest, by the last response. */
  windowEnd: number
}

describe.skipIf(!RedisServer.isInstalled)("two replicas over one database (need redis-server)", () => {
  it.scopedLive("go on from the larger count when the database is back", () =>
    Effect.gen(function* () {
      const LIMIT = 100
      const { front, replicas } = yield* setUp({ RATE_LIMIT: String(LIMIT) })
      const [one, other] = replicas
      const client = "192.0.2.1"
      const inTurn = yield* Effect.forEach(sequence(1, 60), (count) =>
        check(count % 2 === 0 ? one : other, client, LIMIT)
      )
      assert.deepStrictEqual(
        inTurn.map(({ current }) => current),
        sequence(1, 60)
      )

      setFault(front, (response) => response.destroy())
      assert.deepStrictEqual(yield* checks(one, client, LIMIT, 40), sequence(61, 100))
      heal(front)
      const [key = ""] = yield* UpstashRestFront.counterKeys(front)
      assert.strictEqual(yield* UpstashRestFront.command(front, ["GET", key]), "60")

      yield* untilShared(one)
      const requests = front.requestCount
      assert.deepStrictEqual(yield* checks(one, client, LIMIT, 50), sequence(101, 150))
      assert.strictEqual(front.requestCount, requests, "refusals send no command")
      assert.deepStrictEqual(yield* checks(other, client, LIMIT, 50), sequence(61, 110))
    })
  )

  it.scopedLive(
    `let no client pass more than the limit, and refuse none under it, while the database fails at random: ${SECONDS} s`,
    () =>
      Effect.gen(function* () {
        const LIMIT = 10
        const WINDOW_MS = 10_000
        const CLIENTS = 24
        const { front, replicas } = yield* setUp({
          RATE_LIMIT: String(LIMIT),
          RATE_LIMIT_WINDOW: `${WINDOW_MS} millis`
        })
        const faults = new Map<string, number>()
        const total = { requests: 0, refused: 0, windows: 0, mostPassed: 0 }

        /** Every second client sends fewer requests than the limit, the others several times as many. */
        const client = (index: number) => {
          const address = `198.51.100.${index}`
          const perWindow = index % 2 === 0 ? LIMIT * 0.7 : LIMIT * 2 * (1 + (index % 4))
          const receivedAt: Array<number> = []
          const seen = replicas.map((): Seen => ({ current: 0, passed: 0, windowEnd: 0 }))
          const step = Effect.gen(function* () {
            yield* Effect.sleep((yield* Random.next) * 2 * (WINDOW_MS / perWindow))
            const at = (yield* Random.nextBoolean) ? 0 : 1
            const [last, replica] = [seen[at], replicas[at]]
            if (last === undefined || replica === undefined) return
            const sent = performance.now()
            const { current, isRefused, seconds } = yield* check(replica, address, LIMIT)
            const received = performance.now()
            receivedAt.push(received)
            total.requests++
            if (current <= last.current) {
              assert.isAtLeast(received, last.windowEnd - 1000, "starts again only when the window has ended")
              last.passed = 0
              total.windows++
            }
            last.current = current
            last.windowEnd = sent + seconds * 1000
            assert.strictEqual(isRefused, current > LIMIT)
            if (isRefused) {
              total.refused++
              const recent = receivedAt.filter((time) => time >= sent - WINDOW_MS).length
              assert.isAbove(recent, LIMIT, `${address} was refused with ${recent} requests in the window`)
            } else {
              last.passed++
              total.mostPassed = Math.max(total.mostPassed, last.passed)
              assert.isAtMost(last.passed, LIMIT)
            }
          })
          return Effect.forever(step)
        }

        const run = [Effect.forever(failAtRandom(front, faults)), ...sequence(1, CLIENTS).map(client)]
        yield* Effect.all(run, { concurrency: "unbounded" }).pipe(
          Effect.timeoutOption(SECONDS * 1000),
          Effect.withRandom(Random.make(SEED))
        )

        assert.isAbove(total.refused, 0)
        yield* Console.log(
          `RESULT ${SECONDS} s, seed ${SEED}: ${JSON.stringify(total)}; ${JSON.stringify(Object.fromEntries(faults))}`
        )
      }),
    (SECONDS + 120) * 1000
  )
})
