import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import { untilTrue } from "../fixtures/Until.ts"

const CONNECTIONS = Number(process.env.COUNT ?? 2000)

const head = "POST /api/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

/** The document of the contract, some 22 KB each: the system takes some 180 of them off the process's hands. */
const documents = (count: number) => "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count)

interface Kind {
  readonly name: string
  /** Of all connections. What nobody reads takes memory of the system. */
  readonly share: number
  readonly first: string
  /** Every second after that. */
  readonly drip?: string
  readonly reads: boolean
  /** Seconds after which it is closed, by NodeServer's limits; a machine under load may take some more. */
  readonly limit: number
}

const kinds: ReadonlyArray<Kind> = [
  { name: "say nothing", share: 0.3, first: "", reads: true, limit: 10 },
  {
    name: "send a byte of a header a second",
    share: 0.3,
    first: `${head}X-A: `,
    drip: "a",
    reads: true,
    limit: 10
  },
  {
    name: "send a byte of a body a second",
    share: 0.3,
    first: `${head}Content-Length: 60000\r\n\r\n{`,
    drip: " ",
    reads: true,
    limit: 20
  },
  {
    name: "read no answer and ask on",
    share: 0.01,
    first: documents(20),
    drip: documents(20),
    reads: false,
    // Ten until the system holds no more, and twice NodeServer's: node looks whether anything was taken since last time.
    limit: 70
  },
  {
    name: "read no answer and send empty lines",
    share: 0.09,
    first: documents(50),
    drip: "\r\n",
    reads: false,
    limit: 120
  }
]

const SLACK = 15

/** Seconds until all are there: together they would be an overload, in which connections are closed. */
const ARRIVAL = 5

/** After how many seconds the service closed it. */
const connect = (port: number, { first, drip, reads }: Kind) =>
  Effect.async<number>((resume) => {
    const began = performance.now()
    const socket = Net.connect(port, "127.0.0.1", () => {
      if (first !== "") socket.write(first)
    })
    if (reads) socket.resume()
    else socket.pause()
    // Who does not read learns of the end only by writing.
    const timer = setInterval(() => drip === undefined || socket.write(drip), 1000)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(timer)
      resume(Effect.succeed((performance.now() - began) / 1000))
    })
    return Effect.sync(() => {
      clearInterval(timer)
      socket.destroy()
    })
  })

describe("slow clients", () => {
  it.scopedLive(`do not stop others, and are closed: ${CONNECTIONS.toLocaleString("en")} of them`, () =>
    Effect.gen(function* () {
      const service = yield* LoadedService.make()
      const normal = (seconds: number) =>
        Load.run({
          port: service.port,
          connections: 4,
          urls: ["https://example.com/"],
          length: { seconds },
          perSecond: 100
        })
      yield* normal(3)
      const before = yield* normal(5)
      const handles = service.handles()
      const resident = service.resident()
      let most = 0
      const slow = Effect.forEach(
        kinds,
        (kind) =>
          Effect.map(
            Effect.forEach(
              Array.from({ length: Math.ceil(kind.share * CONNECTIONS) }, (_, index) => index),
              (index) =>
                Effect.delay(
                  connect(service.port, kind),
                  Duration.seconds((ARRIVAL * index) / (kind.share * CONNECTIONS))
                ),
              { concurrency: "unbounded" }
            ),
            (seconds) => ({ ...kind, seconds: Math.max(...seconds) })
          ),
        { concurrency: "unbounded" }
      )
      const watch = Effect.forever(
        Effect.zipRight(
          Effect.sync(() => {
            most = Math.max(most, service.handles())
          }),
          Effect.sleep("500 millis")
        )
      )
      const [closed, meanwhile] = yield* Effect.raceFirst(
        Effect.all([slow, Effect.delay(normal(8), Duration.seconds(ARRIVAL))], { concurrency: "unbounded" }),
        watch
      )
      const peak = service.resident()
      console.log(`  before: ${Load.told(before)}`)
      console.log(`  meanwhile: ${Load.told(meanwhile)}`)
      for (const { name, seconds } of closed)
        console.log(`  those that ${name}: all closed after ${seconds.toFixed(0)} s`)
      console.log(
        `RESULT ${CONNECTIONS} slow connections: p99 of others ${meanwhile.p99} ms, ${before.p99} ms before; resident ${resident.toFixed(0)} to ${peak.toFixed(0)} MB`
      )
      assert.isAtLeast(most, CONNECTIONS, "all were open at once")
      assert.deepStrictEqual([...meanwhile.statuses.keys()], [200])
      assert.isAtLeast(meanwhile.statuses.get(200) ?? 0, 700)
      for (const { name, seconds, limit } of closed) assert.isBelow(seconds, limit + SLACK, name)
      yield* untilTrue(() => service.handles() <= handles + 4)
    })
  )
})
