import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import { loopbackAddress } from "../fixtures/LoopbackAddresses.js"
import { postJson, send } from "../fixtures/Request.ts"
import { untilTrue } from "../fixtures/Until.ts"

const CONNECTIONS = Number(process.env.COUNT ?? 2000)

const head = "POST /api/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

/** Requests for the OpenAPI document of about 22 KB. The socket buffers of the system hold about 180 responses. */
const documents = (count: number) => "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count)

interface Kind {
  readonly name: string
  /** Of all connections. Few do not read: unread responses take memory of the system. */
  readonly share: number
  readonly first: string
  /** Every second after that. */
  readonly drip?: string
  readonly reads: boolean
  /** Seconds until the server closes the connection, without the `SLACK` of a machine under load. */
  readonly limit: number
}

const kinds: ReadonlyArray<Kind> = [
  { name: "send nothing", share: 0.3, first: "", reads: true, limit: 10 },
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
    name: "read no response and send more requests",
    share: 0.01,
    first: documents(20),
    drip: documents(20),
    reads: false,
    // Unread responses of all connections together are bounded: most are closed at once, the others after twice the timeout.
    limit: 70
  },
  {
    name: "read no response and send empty lines",
    share: 0.09,
    first: documents(50),
    drip: "\r\n",
    reads: false,
    limit: 120
  }
]

/** Seconds. */
const SLACK = 15

/** Seconds over which the connections are opened. All at once would be an overload, in which connections are closed. */
const ARRIVAL = 5

/** The seconds until the service closed the connection. */
const connect = (port: number, { first, drip, reads }: Kind, index: number) =>
  Effect.async<number>((resume) => {
    const start = performance.now()
    const localAddress = loopbackAddress(index)
    const socket = Net.connect({ port, host: "127.0.0.1", localAddress }, () => {
      if (first !== "") socket.write(first)
    })
    if (reads) socket.resume()
    else socket.pause()
    // A socket that is not read sees the end of the connection only when it writes.
    const timer = setInterval(() => drip === undefined || socket.write(drip), 1000)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(timer)
      resume(Effect.succeed((performance.now() - start) / 1000))
    })
    return Effect.sync(() => {
      clearInterval(timer)
      socket.destroy()
    })
  })

describe("slow clients", () => {
  it.scopedLive(
    `do not stop other clients, and are disconnected: ${CONNECTIONS.toLocaleString("en")} of them`,
    () =>
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
        let maxHandles = 0
        const slow = Effect.forEach(
          kinds,
          (kind) =>
            Effect.map(
              Effect.forEach(
                Array.from({ length: Math.ceil(kind.share * CONNECTIONS) }, (_, index) => index),
                (index) =>
                  Effect.delay(
                    connect(service.port, kind, index),
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
              maxHandles = Math.max(maxHandles, service.handles())
            }),
            Effect.sleep("500 millis")
          )
        )
        const [closed, meanwhile] = yield* Effect.raceFirst(
          Effect.all([slow, Effect.delay(normal(8), Duration.seconds(ARRIVAL))], {
            concurrency: "unbounded"
          }),
          watch
        )
        const peak = service.resident()
        console.log(`  before: ${Load.describe(before)}`)
        console.log(`  meanwhile: ${Load.describe(meanwhile)}`)
        for (const { name, seconds } of closed)
          console.log(`  connections that ${name}: all closed after ${seconds.toFixed(0)} s`)
        console.log(
          `RESULT ${CONNECTIONS} slow connections: p99 of others ${meanwhile.p99} ms, ${before.p99} ms before; resident ${resident.toFixed(0)} to ${peak.toFixed(0)} MB`
        )
        const reading = kinds.reduce((sum, { reads, share }) => sum + (reads ? share : 0), 0)
        assert.isAtLeast(maxHandles, Math.floor(reading * CONNECTIONS), "all that read were open at once")
        assert.deepStrictEqual([...meanwhile.statuses.keys()], [200])
        assert.isAtLeast(meanwhile.statuses.get(200) ?? 0, 700)
        for (const { name, seconds, limit } of closed) assert.isBelow(seconds, limit + SLACK, name)
        yield* untilTrue(() => service.handles() <= handles + 4)
      })
  )
})

/** Opens connections with the beginning of a bulk request again and again, each for 9.5 seconds, until the scope closes. */
const slowBodies = (port: number, addresses: number, ofEach: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const sockets = new Set<Net.Socket>()
      let isOver = false
      const open = (localAddress: string) => {
        if (isOver) return
        const socket = Net.connect({ port, host: "127.0.0.1", localAddress }, () =>
          socket.write(`${head.replace("/api/check", "/api/checks")}Content-Length: 200000\r\n\r\n{"urls":[`)
        )
        sockets.add(socket)
        socket.resume()
        socket.setTimeout(9500, () => socket.destroy())
        socket.on("error", () => undefined)
        socket.on("close", () => {
          sockets.delete(socket)
          setTimeout(open, 5, localAddress)
        })
      }
      for (let index = 0; index < addresses * ofEach; index++) open(`127.0.1.${1 + (index % addresses)}`)
      return () => {
        isOver = true
        for (const socket of sockets) socket.destroy()
      }
    }),
    (end) => Effect.sync(end)
  )

describe("eight slow bodies of each of eight addresses", () => {
  it.scopedLive("do not keep others out of /api/checks", () =>
    Effect.gen(function* () {
      const { port } = yield* LoadedService.make()
      yield* slowBodies(port, 8, 8)
      yield* Effect.sleep("1500 millis")
      const statuses = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.delay(postJson(port, { urls: ["https://example.com/"] }, {}, "/api/checks"), "40 millis").pipe(
          Effect.map(({ status }) => status)
        )
      )
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      const closed = [...body.matchAll(/^threat_scoring_bodies_closed_total\{reason="(\w+)"\} (\d+)$/gm)]
      console.log(
        `RESULT 64 slow bodies: of 100 requests of others ${statuses.filter((status) => status === 200).length} got 200; 408: ${closed.map(([, reason, count]) => `${count} ${reason}`).join(", ")}`
      )
      assert.deepStrictEqual(
        statuses,
        statuses.map(() => 200)
      )
      assert.isAbove(
        closed.reduce((sum, [, , count]) => sum + Number(count), 0),
        0
      )
    })
  )
})
